"""Operator that fits the joints of a model to its skin, and its animations to the joints."""

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Context, Event, Object

from ...formats.base import T, joined
from ...scene.properties import CONTEXT
from ..animations.playing import refresh_pose
from ..base.conditions import condition
from ..base.layout.panels import split_layout
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line, report_result
from .choosing import model_named, model_names

_JOINTS, _ANIMATIONS, _MODEL = "JOINTS", "ANIMATIONS", "MODEL"


def _model(context: Context) -> Object | None:
    """Return the armature whose animations the active object shows, of a level, or None."""
    from ...scene.authoring.motion import animated_model

    found = animated_model(context.object)
    return found if found is not None and level_of(found) is not None else None


class TOMB_RAIDER_OT_fit_outfit(EditingTool):
    """Fit joints to a skin with other proportions, and animations to joints that have moved"""

    bl_idname = "tomb_raider.fit_outfit"
    bl_label = "Fit Joints and Animations"

    fits: EnumProperty(
        name="Fit",
        items=[
            ("BOTH", "Joints and Animations", "Joints to the skin, then animations to the joints", 0),
            (_JOINTS, "Joints to Skin", "Move the joints of all models that share them", 1),
            (_ANIMATIONS, "Animations to Joints", "Adapt animations to joints that have moved", 2),
        ],
        description="Parts to fit",
    )
    joints: EnumProperty(
        name="Joints",
        items=[
            ("AUTO", "Automatic", "Those of the outfit or skin if they are known, else where meshes meet", 0),
            (
                "MEETING",
                "Where Meshes Meet",
                "Vertices stay at rest, and joints move to where meshes meet",
                1,
            ),
            (_MODEL, "Of a Model", "The joints of another model with the same bones", 2),
        ],
        description="Places that the joints move to",
    )
    model: StringProperty(
        name="Model",
        translation_context=CONTEXT,
        search=model_names,
        description="Model with the joints, of any level",
        options={"SKIP_SAVE"},
    )
    contact: BoolProperty(
        name="Keep Contact",
        default=True,
        description="Bend legs so that feet stay where they were on the floor. Off: limbs keep all rotations",
    )

    requires = condition(
        lambda context: context.mode in ("OBJECT", "POSE") and _model(context) is not None,
        T("Make a model or an entity that shows one active"),
    )

    def edited(self, context: Context) -> Iterable[Any]:
        model = _model(context)
        return [] if model is None else [model, level_of(model)]

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "fits")
        if self.fits != _ANIMATIONS:
            layout.prop(self, "joints")
            if self.joints == _MODEL:
                layout.prop(self, "model")
        if self.fits != _JOINTS:
            layout.prop(self, "contact")

    def execute(self, context: Context) -> Outcome:
        model = _model(context)
        if model is None:
            return {"CANCELLED"}
        mode = UserMode(context)
        mode.leave()
        try:
            is_changed = self._fit(model)
        finally:
            mode.enter_again()
        refresh_pose(context)
        return {"FINISHED"} if is_changed else {"CANCELLED"}

    def _fit(self, model: Object) -> bool:
        from ...scene.core import Report
        from ...scene.transfer.fitting import Joints, fit_animations, fit_joints, models_with_joints_of

        level = level_of(model)
        if level is None:
            return False
        texts, report = [], Report()
        models = models_with_joints_of(level, model)
        if self.fits != _ANIMATIONS:
            other = model_named(self.model) if self.joints == _MODEL else None
            fitted = fit_joints(level, model, Joints(self.joints), other)
            models = fitted.models
            if fitted.count:
                text = T(
                    "{count} joints moved by up to {distance:.0f} units",
                    count=fitted.count,
                    distance=fitted.farthest,
                )
                texts.append(T("{text}, in {models} models", text=text, models=len(models)))
        if self.fits != _JOINTS:
            made = fit_animations(level, models, report, contact=self.contact)
            if made.actions:
                text = T(
                    "{count} animations were fitted to legs {ratio:.3g} times as long",
                    count=len(made.actions),
                    ratio=made.legs,
                )
                texts.append(
                    T("{text}; feet are off by up to {distance:.1f} units", text=text, distance=made.worst)
                )
        if not texts:
            report_line(
                self, "INFO", T("{model}: its joints did not move, so nothing was changed", model=model.name)
            )
            return False
        report_result(self, joined("; ", texts), report.warnings)
        return True


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_fit_outfit,))
