"""Panel of how the mesh of a room and its sectors follow each other."""

from __future__ import annotations

from bpy.types import Context, Object, UILayout

from ...scene.core import Kind, collision_of
from ..base.active import room_of
from ..base.layout.panels import SidebarPanel, offer
from ..base.layout.sidebar import TOOLS, has_selection
from ..base.levels import level_of
from .operators import ROLES


def draw_drawing(layout: UILayout, room: Object, obj: Object) -> None:
    """Draw the settings of a room and its collision mesh."""
    drawing = obj.tomb_raider.collision.drawing
    layout.prop(room.tomb_raider.room, "mesh_and_sectors", text="")
    column = layout.column(align=True)
    offer(column, "room_from_sectors", icon="MESH_GRID")
    for role, label, _, _ in ROLES:
        row = column.row(align=True)
        row.prop(getattr(drawing, role.lower()), "material", text=label)
        row.operator("tomb_raider.take_drawn_piece", text="", icon="EYEDROPPER").role = role


_KINDS = (Kind.ROOM, Kind.COLLISION)


class VIEW3D_PT_tomb_raider_drawing(SidebarPanel):
    """Panel of how mesh and sectors of the active room follow each other, and how it is drawn."""

    bl_label = "Mesh and Sectors"
    bl_order = TOOLS + 4
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        if context.mode not in ("OBJECT", "EDIT_MESH"):
            return False
        obj = context.object
        if not has_selection(context) or obj is None or obj.tomb_raider.kind not in _KINDS:
            return False
        room = room_of(obj)
        return collision_of(room) is not None and level_of(room) is not None

    def draw(self, context: Context) -> None:
        room = room_of(context.object)
        obj = collision_of(room)
        if room is not None and obj is not None and self.layout is not None:
            draw_drawing(self.layout, room, obj)
            self.layout.prop(context.window_manager, "tomb_raider_gaps")


CLASSES = (VIEW3D_PT_tomb_raider_drawing,)
