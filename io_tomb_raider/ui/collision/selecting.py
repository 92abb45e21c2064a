"""Operators that show the collision of some rooms only, and select its faces by kind."""

from typing import Any

import bmesh
import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Context, Mesh, Object, Operator

from ...formats.base import T
from ...scene.core import Kind, collision_of, members_of
from ..base.active import active_layer, room_of
from ..base.conditions import ConditionalTool, condition
from ..base.levels import level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, report_line
from ..base.selecting import in_layer, select_only
from ..view.visibility import eye_of, show
from .operators import is_collision

_PARTS = [
    ("FLOOR", "Floors", "All floors", 1),
    ("CEILING", "Ceilings", "All ceilings", 2),
    ("WALL", "Walls", "Faces between sectors", 3),
    ("SOLID", "Wall Marks", "Markers above wall sectors", 4),
]


class TOMB_RAIDER_OT_isolate_collision(EditingTool):
    """Show only the collision of the selected rooms. Edit Mode hides faces that point away from the view"""

    bl_idname = "tomb_raider.isolate_collision"
    bl_label = "Isolate Collision"
    requires = condition(
        lambda context: context.mode == "OBJECT" and _selected_collision(context),
        T("Select rooms with collision, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import is_shown

        chosen, layer = _selected_collision(context), active_layer(context)
        for level in {level_of(obj) for obj in chosen} - {None}:
            assert level is not None
            if not is_shown(level, layer, Kind.COLLISION):
                show(context, level, Kind.COLLISION, True)
            for obj in in_layer(layer, members_of(level, Kind.COLLISION)):
                obj.hide_set(obj not in chosen)
        select_only(context, chosen)
        context.tool_settings.mesh_select_mode = (False, False, True)
        _hide_backs(self, context, chosen)
        # Edit mode is entered by the user: an undo step in edit mode does not restore what is hidden.
        return {"FINISHED"}


def _hide_backs(operator: Operator, context: Context, objects: list[Object]) -> None:
    """Hide what faces away from the 3D view of the context, so that Edit Mode picks only visible faces."""
    from ...scene.subjects.models import hide_only_backs

    view: Any = context.space_data
    if view is None or view.type != "VIEW_3D":
        return
    region, count = view.region_3d, 0
    for obj in objects:
        if isinstance(obj.data, Mesh):
            eye = obj.matrix_world.inverted_safe() @ eye_of(region)
            count += hide_only_backs(obj.data, eye, is_perspective=region.view_perspective != "ORTHO")
    if count:
        text = T("Faces that point away are hidden in Edit Mode: {count}. Alt+H shows them", count=count)
        report_line(operator, "INFO", text)


def _selected_collision(context: Context) -> list[Object]:
    """Return the selected collision meshes and those of selected rooms, that of the active object first."""
    objects = dict.fromkeys([*([context.object] if context.object else []), *context.selected_objects])
    meshes = (obj if is_collision(obj) else collision_of(room_of(obj)) for obj in objects if obj.select_get())
    return list(dict.fromkeys(obj for obj in meshes if obj is not None))


class TOMB_RAIDER_OT_select_collision(ConditionalTool, Operator):
    """Select all faces of one kind, for example to hide ceilings with H"""

    bl_idname = "tomb_raider.select_collision"
    bl_label = "Select Collision by Kind"
    bl_options = {"REGISTER", "UNDO"}

    part: EnumProperty(name="Kind", items=_PARTS, description="Kind of the faces to select")
    extend: BoolProperty(name="Extend", description="Keep the current selection")

    requires = condition(lambda context: context.mode == "EDIT_MESH" and is_collision(context.edit_object))

    def execute(self, context: Context) -> Outcome:
        number = next(number for name, _, _, number in _PARTS if name == self.part)
        settings: Any = context.tool_settings
        if not settings.mesh_select_mode[2]:
            settings.mesh_select_mode = (False, False, True)
        objects: Any = context.objects_in_mode_unique_data
        for obj in objects:
            edited = bmesh.from_edit_mesh(obj.data)
            layer = edited.faces.layers.int.get("tr_part")
            for face in edited.faces:
                is_of_kind = layer is not None and face[layer] == number
                face.select_set(not face.hide and (is_of_kind or (self.extend and face.select)))
            edited.select_flush_mode()
            bmesh.update_edit_mesh(obj.data, loop_triangles=False, destructive=False)
        return {"FINISHED"}


register, unregister = bpy.utils.register_classes_factory(
    (
        TOMB_RAIDER_OT_isolate_collision,
        TOMB_RAIDER_OT_select_collision,
    )
)
