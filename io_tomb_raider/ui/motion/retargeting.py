"""Operator that copies the motions of another armature or model."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Action, Context, Event, Object

from ...formats.base import T
from ...scene.core import Kind
from ..base.active import active_scene
from ..base.levels import level_of
from ..base.modes import UserMode
from ..base.progress import ProgressBar
from ..base.reports import Outcome, ToolError
from ..base.stepped import SteppedTool
from .choices import IN_USE, NEW, SCENE_AXES, MotionOptions, draw_options, options_of, store_found
from .operators import ModelTool, model_of, report_motions, show, shown_pose, start_of, target_action

if TYPE_CHECKING:
    from ...scene.core import Work


class TOMB_RAIDER_OT_retarget(SteppedTool, ModelTool, MotionOptions):
    """Copy the motion of another armature or model to the active model"""

    bl_idname = "tomb_raider.retarget"
    bl_label = "Retarget"

    def _sources(self, context: Context, text: str) -> Iterator[str]:
        model = model_of(context)
        wanted = text.casefold()
        for each in bpy.data.objects:
            if each.type == "ARMATURE" and each != model and wanted in each.name.casefold():
                yield each.name

    def _motions(self, _context: Context, text: str) -> Iterator[str]:
        yield from (each.name for each in _actions_of(self.source) if text.casefold() in each.name.casefold())

    source: StringProperty(
        name="Source",
        search=_sources,
        description="Armature with the motion: an imported one, or a model of any level",
        options={"SKIP_SAVE"},
    )
    motion: StringProperty(
        name="Motion",
        search=_motions,
        description="Action of that armature. Empty: the one that it shows",
        options={"SKIP_SAVE"},
    )
    every: BoolProperty(
        name="All Animations",
        description="Retarget all animations of the source model, with the transitions between them",
        options={"SKIP_SAVE"},
    )
    contact: BoolProperty(
        name="Keep Contact",
        default=True,
        description="Of models: keep feet on the floor and the reach of hands, in proportion to the limbs",
    )
    meaning: BoolProperty(
        name="Sounds and States",
        default=True,
        description="New animations of models: copy sounds, effects, commands, states, transitions by name",
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        settings = active_scene(context).tomb_raider.motion
        if not self.source and settings.source is not None:
            self.source = settings.source.name
        return context.window_manager.invoke_props_dialog(self, width=400)

    def draw(self, _context: Context) -> None:
        layout = self.layout
        layout.use_property_split, layout.use_property_decorate = True, False
        layout.prop(self, "source")
        row = layout.row()
        row.enabled = not self.every
        row.prop(self, "motion")
        layout.prop(self, "every")
        layout.prop(self, "contact")
        row = layout.row()
        row.enabled = self.onto == NEW
        row.prop(self, "meaning")
        draw_options(self, layout)

    def steps(self, context: Context, bar: ProgressBar) -> "Work[Outcome]":
        model, source = model_of(context), self._source(context)
        if model is None or source is None or source == model:
            raise ToolError(T("Choose the armature with the motion as the source"))
        actions = self._actions(source)
        onto = target_action(context, self.onto)
        if (onto is not None and len(actions) > 1) or (self.onto == IN_USE and onto is None):
            raise ToolError(T("One animation gets one motion: show the animation, and choose one motion"))
        with UserMode(context) as mode:
            mode.leave()
            made = yield from self._retarget(context, source, model, actions, onto)
        settings = active_scene(context).tomb_raider.motion
        settings.source = source
        store_found(settings, source.name, made[0], SCENE_AXES)
        show(context, model, made[0].action)
        report_motions(self, context, made)
        return {"FINISHED"}

    def _source(self, context: Context) -> Object | None:
        settings = active_scene(context).tomb_raider.motion
        source: Any = bpy.data.objects.get(self.source) if self.source else settings.source
        return source if source is not None and source.type == "ARMATURE" else None

    def _actions(self, source: Object) -> list[Action]:
        """Return the chosen actions of the source, at least one."""
        from ...scene.subjects.animations import own_animations

        if self.every:
            actions = own_animations(source)
            if not actions:
                raise ToolError(T("{source} is no model with animations", source=source.name))
            return actions
        actions = _actions_of(source.name)
        actions = [each for each in actions if each.name == self.motion or not self.motion][:1]
        if not actions:
            raise ToolError(T("{source} has no such action", source=source.name))
        return actions

    def _retarget(
        self, context: Context, source: Object, model: Object, actions: list[Action], onto: Action | None
    ) -> "Work[list[Any]]":
        from ...scene.authoring.motion import chosen_bones, fill_bones, retarget_action, retarget_all
        from ...scene.transfer.fitting import copy_meaning

        settings = active_scene(context).tomb_raider.motion
        options = options_of(self, chosen_bones(settings), shown_pose(context))
        is_model = source.tomb_raider.kind == Kind.MODEL and level_of(source) is not None
        options.contact, options.start = self.contact and is_model, start_of(context)
        if options.names is None:
            fill_bones(settings, source, model)
        if onto is not None:
            return [retarget_action(source, actions[0], model, options, onto=onto)]
        made = yield from retarget_all(source, actions, model, options)
        if self.meaning and is_model:
            pairs = {action: each.action for action, each in zip(actions, made, strict=True)}
            copy_meaning(source, model, pairs, made[0].size, made[-1].report, self.first)
        return made


def _actions_of(name: str) -> list[Action]:
    """Return the actions of an armature, the one that it shows first."""
    from ...scene.authoring.motion import actions_played
    from ...scene.subjects.animations import own_animations

    obj: Any = bpy.data.objects.get(name)
    if obj is None or obj.type != "ARMATURE":
        return []
    return list(dict.fromkeys([*actions_played(obj), *own_animations(obj)]))


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_retarget,))
