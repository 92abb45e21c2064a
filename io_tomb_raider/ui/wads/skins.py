"""Operators that make skins of TombEngine's models, and split them for other games."""

import bpy
from bpy.props import BoolProperty, IntProperty, StringProperty
from bpy.types import Context, Event, Object

from ...formats import Game
from ...formats.base import N_, T
from ...scene.core import level_of
from ...scene.properties import CONTEXT
from ..base.active import active_layer
from ..base.conditions import condition
from ..base.layout.panels import split_layout
from ..base.modes import object_mode
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, report_line
from ..base.selecting import select_only
from ..models.choosing import model_named, model_names
from ..models.splitting import foreign_rig


def _can_have(armature: Object) -> bool:
    """Return whether a model is of a level that can be written as a .wad2."""
    level = level_of(armature)
    return level is not None and Game[level.tomb_raider.game].traits.has_wads


def _model(context: Context) -> Object | None:
    """Return the active model of a level of TR4, or None."""
    from ...scene.subjects.models import armature_of_model

    armature = armature_of_model(context.object)
    return armature if armature is not None and _can_have(armature) else None


def _skinned(context: Context) -> Object | None:
    from ...scene.subjects.skins import skinned_model

    armature = skinned_model(context.object)
    return armature if armature is not None and level_of(armature) is not None else None


class _SkinTool(EditingTool):
    """Base of operators on the skin of a model."""

    failure = N_("The skin was not changed: {error}")

    def finish(self, context: Context, chosen: list[Object], text: str) -> Outcome:
        """Select objects and report."""
        active_layer(context).update()
        select_only(context, [each for each in chosen if each.visible_get()])
        report_line(self, "INFO", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_make_skin(_SkinTool):
    """Join the meshes of a model's bones to a skin with weights that are smooth at joints (TombEngine)"""

    bl_idname = "tomb_raider.make_skin"
    bl_label = "Make Skin from Bone Meshes"

    joints: BoolProperty(
        name="Joints",
        default=True,
        description="Include the joints that TR4 and TR5 draw between Lara's limbs",
    )
    smoothing: IntProperty(
        name="Smoothing",
        default=2,
        min=0,
        max=20,
        description="How often weights are averaged with those of neighboring vertices",
    )

    requires = condition(_model, T("Select a model of a TR4 level, which a .wad2 can hold"))

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.exchange import make_skin

        armature = _model(context)
        level = None if armature is None else level_of(armature)
        if armature is None or level is None:
            return {"CANCELLED"}
        with object_mode(context):
            skin = make_skin(level, armature, joints=self.joints, smoothing=self.smoothing)
        count = len(skin.data.vertices)
        return self.finish(context, [skin], T("{name}: {count} vertices", name=skin.name, count=count))


class TOMB_RAIDER_OT_use_as_skin(_SkinTool):
    """Make the selected mesh, which follows another armature, the skin of a model (TombEngine)"""

    bl_idname = "tomb_raider.use_as_skin"
    bl_label = "Use This Mesh as Skin"

    model: StringProperty(
        name="Model",
        translation_context=CONTEXT,
        search=model_names,
        description="Armature of the model. Bones are matched by role, name or place",
        options={"SKIP_SAVE"},
    )

    requires = condition(
        lambda context: foreign_rig(context), T("Select a mesh with an armature that is not part of a level")
    )

    def invoke(self, context: Context, _event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self, width=360)

    def draw(self, _context: Context) -> None:
        split_layout(self).prop(self, "model")

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.exchange import use_as_skin

        armature = model_named(self.model)
        level = level_of(armature)
        if level is None or not _can_have(armature):
            raise ToolError(T("Choose a model of a TR4 level, which a .wad2 can hold"))
        objects = foreign_rig(context)
        with object_mode(context):
            skin = use_as_skin(level, objects, armature)
        count = len(skin.data.vertices)
        return self.finish(context, [skin], T("{name}: {count} vertices", name=skin.name, count=count))


class TOMB_RAIDER_OT_split_skin(_SkinTool):
    """Split a model's skin into the meshes of its bones, by the largest weight on each face"""

    bl_idname = "tomb_raider.split_skin"
    bl_label = "Split Skin into Bone Meshes"

    keep: BoolProperty(name="Keep Skin", description="Keep the skin, for TombEngine")

    requires = condition(_skinned, T("Select a model with a skin"))

    def execute(self, context: Context) -> Outcome:
        from ...scene.interop.exchange import split_skin
        from ...scene.subjects.skins import skins_of

        armature = _skinned(context)
        level = None if armature is None else level_of(armature)
        if armature is None or level is None:
            return {"CANCELLED"}
        with object_mode(context):
            parts = split_skin(level, skins_of(armature)[0], keep=self.keep)
        text = T("{name}: {count} meshes", name=armature.name, count=len(parts))
        return self.finish(context, [armature], text)


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_make_skin, TOMB_RAIDER_OT_use_as_skin, TOMB_RAIDER_OT_split_skin)
)
