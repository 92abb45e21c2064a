"""Split by Bones operator: a mesh that follows an armature becomes a model of the level."""

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Event, Object

from ...formats.base import N_, T
from ...scene.core import Kind, level_of
from ...scene.properties import CONTEXT
from ..base.active import active_layer
from ..base.conditions import condition
from ..base.layout.panels import split_layout
from ..base.modes import object_mode
from ..base.operators import LevelTool
from ..base.reports import Outcome, report_result
from ..base.selecting import select_only
from .choosing import model_named, model_names


def foreign_rig(context: Context) -> list[Object]:
    """Return the selected meshes and armatures that are not part of a level."""
    kinds = ("MESH", "ARMATURE")
    objects = context.selected_objects
    return [obj for obj in objects if obj.type in kinds and obj.tomb_raider.kind == Kind.NONE]


class TOMB_RAIDER_OT_split_by_bones(LevelTool):
    """Split a mesh with an armature into one rigid mesh per bone, for a model of the level"""

    bl_idname = "tomb_raider.split_by_bones"
    bl_label = "Split by Bones"
    failure = N_("Nothing was split: {error}")

    model: StringProperty(
        name="Model",
        translation_context=CONTEXT,
        search=model_names,
        description="Armature of the model for the meshes, by bone name and position. Empty: a new model",
        options={"SKIP_SAVE"},
    )
    skeleton: BoolProperty(
        name="Take Its Skeleton",
        description="Move the joints of that model to those of the armature. Off: keep its own",
    )
    animations: BoolProperty(
        name="Animations",
        default=True,
        description="Copy the animations of the armature. Animations with the same name get new keys",
    )

    requires = condition(
        lambda context: foreign_rig(context), T("Select a mesh with an armature that is not part of a level")
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, _context: Context) -> None:
        layout = split_layout(self)
        layout.prop(self, "model")
        row = layout.row()
        row.enabled = bool(self.model)
        row.prop(self, "skeleton")
        layout.prop(self, "animations")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.exchange import split_by_bones

        objects = foreign_rig(context)
        with object_mode(context):
            model = model_named(self.model) if self.model else None
            level = self.level(context) if model is None else level_of(model)
            if level is None:
                return {"CANCELLED"}
            result = split_by_bones(level, objects, model, skeleton=self.skeleton, animations=self.animations)
        layer = active_layer(context)
        layer.update()
        select_only(context, [result.armature])
        text = T(
            "{armature}: {meshes} meshes and {animations} animations",
            armature=result.armature.name,
            meshes=len(result.parts),
            animations=len(result.actions),
        )
        report_result(self, text, result.report.warnings)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory((TOMB_RAIDER_OT_split_by_bones,))
