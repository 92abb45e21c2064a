"""Operators on meshes and on whole levels."""

from typing import Any

import bpy
from bpy.props import EnumProperty
from bpy.types import Context, Event, Mesh, Object

from ...formats.base import T
from ...scene.core import Kind, Space, members
from ..base.conditions import ONLY_OBJECT_MODE, condition
from ..base.levels import level_of
from ..base.operators import EditingTool, LevelTool
from ..base.reports import Outcome, report_line
from ..base.text.i18n import translate

_MESH_KINDS = (Kind.MODEL_MESH, Kind.SKIN, Kind.STATIC_MESH)
LIGHTS = (
    ("OWN", "Own Light", "Each vertex has light as a color, which is the same in every room"),
    ("NORMALS", "Normals", "Each vertex has a normal, and is lit by the lights of the room"),
)


def _meshes(context: Context) -> dict[Mesh, Object]:
    """Return the selected and active meshes of models and static meshes, each with an object."""
    objects: list[Any] = [*context.selected_objects, context.object]
    return {
        obj.data: obj
        for obj in objects
        if obj is not None and obj.type == "MESH" and obj.tomb_raider.kind in _MESH_KINDS
    }


class _MeshTool(EditingTool):
    """Base of operators on the selected meshes."""

    requires = condition(
        lambda context: context.mode == "OBJECT" and _meshes(context),
        T("Select meshes of models or static meshes in Object Mode"),
    )


class TOMB_RAIDER_OT_recalculate_normals(_MeshTool):
    """Recalculate the normals for the game's lighting from the faces of these meshes"""

    bl_idname = "tomb_raider.recalculate_normals"
    bl_label = "Recalculate Normals for Tomb Raider"

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.models import has_normals, recalculate_normals

        meshes = [mesh for mesh in _meshes(context) if has_normals(mesh)]
        if not meshes:
            report_line(self, "WARNING", T("These meshes have light of their own instead of normals"))
            return {"CANCELLED"}
        changed = sum(recalculate_normals(mesh) for mesh in meshes)
        report_line(self, "INFO", T("Normals that changed: {changed}", changed=changed))
        return {"FINISHED"}


class TOMB_RAIDER_OT_set_mesh_light(_MeshTool):
    """Switch these meshes between vertex light of their own and normals that the game lights"""

    bl_idname = "tomb_raider.set_mesh_light"
    bl_label = "Set Light of Mesh"

    light: EnumProperty(name="Light", items=LIGHTS, description="Lighting of the vertices")

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.lights import light_level
        from ...scene.subjects.models import set_own_light

        meshes = _meshes(context)
        changed = {mesh: obj for mesh, obj in meshes.items() if set_own_light(mesh, self.light == "OWN")}
        levels = (level_of(obj) for obj in changed.values())
        for level in dict.fromkeys(level for level in levels if level is not None):
            light_level(level)
        report_line(self, "INFO", T("Meshes that changed: {count}", count=len(changed)))
        return {"FINISHED"}


class TOMB_RAIDER_OT_recalculate_sphere(_MeshTool):
    """Fit the collision sphere, which the game uses to find hits, to the whole mesh"""

    bl_idname = "tomb_raider.recalculate_sphere"
    bl_label = "Recalculate Collision Sphere"

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.models import recalculate_sphere

        for mesh, obj in _meshes(context).items():
            level = level_of(obj)
            recalculate_sphere(mesh, Space.of(level) if level is not None else Space())
        return {"FINISHED"}


class TOMB_RAIDER_OT_select_level(LevelTool):
    """Select all visible objects of a level"""

    bl_idname = "tomb_raider.select_level"
    bl_label = "Select Level"

    edits_level = False
    requires = ONLY_OBJECT_MODE

    def execute(self, context: Context) -> Outcome:
        level = self.level(context)
        chosen = set(members(level))
        for obj in context.view_layer.objects:
            obj.select_set(obj in chosen and obj.visible_get())
        return {"FINISHED"}


class TOMB_RAIDER_OT_delete_level(LevelTool):
    """Delete a level with all data that only it uses, such as meshes, actions and images"""

    bl_idname = "tomb_raider.delete_level"
    bl_label = "Delete Level"
    requires = ONLY_OBJECT_MODE

    def invoke(self, context: Context, event: Event) -> Outcome:
        level = self.level(context)
        self.collection = level.name
        return context.window_manager.invoke_confirm(
            self,
            event,
            title=translate(T("Delete {level}?", level=level.name)),
            message=translate("The level and all data that only it uses: objects, meshes, images, sounds"),
            confirm_text=translate("Delete"),
            translate=False,
        )

    def execute(self, context: Context) -> Outcome:
        from ...scene.transfer.append import delete_level

        level = self.level(context)
        name = level.name
        text = T("{level} was deleted, {count} data-blocks in total", level=name, count=delete_level(level))
        report_line(self, "INFO", text)
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_recalculate_normals,
    TOMB_RAIDER_OT_set_mesh_light,
    TOMB_RAIDER_OT_recalculate_sphere,
    TOMB_RAIDER_OT_select_level,
    TOMB_RAIDER_OT_delete_level,
)

register, unregister = bpy.utils.register_classes_factory(_CLASSES)
