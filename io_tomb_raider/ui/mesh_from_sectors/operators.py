"""Operators that draw rooms from their sectors, and choose textures of floors, ceilings, walls and steps."""

import bpy
from bpy.props import BoolProperty, EnumProperty
from bpy.types import Collection, Context, Object

from ...formats.base import T
from ...scene.core import collision_of
from ..base.active import room_of
from ..base.conditions import condition
from ..base.levels import level_of
from ..base.operators import EditingTool
from ..base.reports import Outcome, ToolError, report_line

ROLES = [
    ("FLOOR", "Floor", "Floors", 1),
    ("CEILING", "Ceiling", "Ceilings", 2),
    ("WALL", "Wall", "Walls up to the ceiling, and above openings", 3),
    ("STEP", "Step", "Sides of blocks: from a floor to the floor of the next sector", 4),
]


class _DrawingTool(EditingTool):
    """Base of operators on the active room, or on the room of the active collision mesh."""

    requires = condition(
        lambda context: (
            context.mode in ("OBJECT", "EDIT_MESH") and collision_of(room_of(context.object)) is not None
        ),
        T("Make a room with collision active, in object or Edit Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        room = room_of(context.object)
        level = level_of(room)
        if room is None or level is None:
            raise ToolError(T("The room belongs to no level"))
        self.change(level, room)
        return {"FINISHED"}

    def change(self, level: Collection, room: Object) -> None:
        """Change the room."""
        raise NotImplementedError


class TOMB_RAIDER_OT_room_from_sectors(_DrawingTool):
    """Draw the mesh of the active room from its collision, which it then follows"""

    bl_idname = "tomb_raider.room_from_sectors"
    bl_label = "Room from Sectors"

    keep_textures: BoolProperty(
        name="Keep Textures",
        default=True,
        description="Keep textures of faces instead of using the chosen materials everywhere",
        options={"SKIP_SAVE"},
    )
    keep_others: BoolProperty(
        name="Keep Other Faces",
        description="Keep faces where sectors have none, such as ornaments",
        options={"SKIP_SAVE"},
    )

    def change(self, level: Collection, room: Object) -> None:
        from ...scene.authoring.mesh_from_sectors import draw_room

        drawn = draw_room(level, room, keep_others=self.keep_others, keep_textures=self.keep_textures)
        text = T(
            "Faces drawn: {faces}. With textures of their own: {kept}", faces=drawn.faces, kept=drawn.kept
        )
        report_line(
            self,
            "INFO",
            T("{text}. Faces removed: {removed}", text=text, removed=drawn.removed)
            if drawn.removed
            else text,
        )


class TOMB_RAIDER_OT_take_drawn_piece(_DrawingTool):
    """Copy the texture of the active face to all faces of a kind without a manual texture"""

    bl_idname = "tomb_raider.take_drawn_piece"
    bl_label = "Take from Active Face"

    role: EnumProperty(name="Faces", items=ROLES, description="Faces to change")

    def change(self, level: Collection, room: Object) -> None:
        from ...scene.authoring.mesh_from_sectors import active_piece, draw_room, set_piece

        piece = active_piece(room)
        obj = collision_of(room)
        assert obj is not None
        set_piece(getattr(obj.tomb_raider.collision.drawing, self.role.lower()), piece)
        if room.tomb_raider.room.mesh_and_sectors == "MESH":
            draw_room(level, room)


register, unregister = bpy.utils.register_classes_factory(
    (TOMB_RAIDER_OT_room_from_sectors, TOMB_RAIDER_OT_take_drawn_piece)
)
