"""Collision panels in the sidebar: sector properties and tools in edit mode, tools in object mode."""

from __future__ import annotations

from typing import Any

import bmesh
from bmesh.types import BMesh, BMFace
from bpy.types import Collection, Context, Object, UILayout

from ...formats import Game
from ...formats.base import N_, T, Target, Text, as_message, joined, sector_game
from ...scene.core import Kind
from ..base.layout.panels import SidebarPanel, SubjectTools, belongs_to_no_level, offer
from ..base.layout.sidebar import SELECTION
from ..base.levels import game_of, level_of
from ..base.text.i18n import translate
from .operators import MARKS, MATERIALS, is_collision, mark_name

_TOOLS: tuple[tuple[str, Any], ...] = (
    ("isolate_collision", "ZOOM_SELECTED"),
    ("refresh_collision", "FILE_REFRESH"),
    ("resize_collision", "NONE"),
    ("refresh_from_mesh", "MOD_SHRINKWRAP"),
)
_FLOOR, _CEILING, _SOLID = 1, 2, 4
_UNITS_PER_STEP = 256
_MARK_BITS = {"death": 1, "deferred": 2, "beetle": 4, "monkey_swing": 8, "stopper": 16}
_SIDE_NAMES = ((1, "+Y"), (2, "+X"), (4, "-Y"), (8, "-X"))


def _value(edited: BMesh, face: BMFace | None, name: str) -> int:
    layer = edited.faces.layers.int.get(name)
    return 0 if layer is None or face is None else int(face[layer])


class VIEW3D_PT_tomb_raider_collision(SidebarPanel):
    """Panel about the active face's sector, with tools for all selected sectors."""

    bl_label = "Collision"
    bl_order = SELECTION

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.mode == "EDIT_MESH" and is_collision(context.edit_object)

    def draw(self, context: Context) -> None:
        obj: Any = context.edit_object
        level = level_of(obj)
        layout = self.layout
        if level is None:
            belongs_to_no_level(layout)
            return
        game = game_of(level)
        shapes = sector_game(game, Target[level.tomb_raider.engine])
        edited = bmesh.from_edit_mesh(obj.data)
        _draw_sector(layout, obj, edited, game, level.tomb_raider.scale)
        _draw_shape_tools(layout, shapes)
        _draw_connections(layout, obj)
        _draw_marks(layout, edited, game, shapes)
        row = layout.row(align=True)
        row.operator_menu_enum(
            "tomb_raider.select_collision", "part", text="Select", icon="RESTRICT_SELECT_OFF"
        )
        row.operator("tomb_raider.refresh_collision", text="Refresh", icon="FILE_REFRESH")
        layout.operator("tomb_raider.hide_backs", icon="HIDE_ON")
        offer(layout, "resize_collision")


def _sector_face(edited: BMesh) -> BMFace | None:
    """Return the face that stores the properties of the active face's sector."""
    active = edited.faces.active
    if active is None:
        return None
    sector = _value(edited, active, "tr_sector")
    part_layer, sector_layer = (edited.faces.layers.int.get(name) for name in ("tr_part", "tr_sector"))
    if part_layer is None or sector_layer is None:
        return None
    if active[part_layer] in (_FLOOR, _SOLID):
        return active
    faces = (face for face in edited.faces if face[sector_layer] == sector)
    return next((face for face in faces if face[part_layer] in (_FLOOR, _SOLID)), None)


def _draw_sector(layout: UILayout, obj: Object, edited: BMesh, game: Game, scale: float) -> None:
    """Draw the active face's sector, always in the same number of lines to keep the tools below in place."""
    face, active = _sector_face(edited), edited.faces.active
    lines = [T("Select a sector"), "", "", ""] if face is None else _sector_lines(obj, edited, face, scale)
    box = layout.box().column(align=True)
    for line in lines:
        box.label(text=translate(line), translate=False)
    if game.traits.has_materials:
        material = 0 if face is None else _value(edited, face, "tr_material") & 15
        steps = (
            "" if face is None else T("Footsteps: {material}", material=as_message(MATERIALS[material][1]))
        )
        box.label(text=translate(steps), translate=False)
    connections = []
    for name, template in (("tr_room", N_("Opens to {room}")), ("tr_portal", N_("Opening to {room}"))):
        source = active if name == "tr_room" else face
        text = _room_name(obj, _value(edited, source, name))
        if text:
            connections.append(Text(template, {"room": text}))
    box.label(
        text=translate(joined(", ", connections)),
        translate=False,
        icon="OUTLINER_OB_MESH" if connections else "NONE",
    )


def _sector_lines(obj: Object, edited: BMesh, face: BMFace, scale: float) -> list[str]:
    """Return lines about a sector: place, heights, box and climbable walls."""
    depth = max(obj.tomb_raider.collision.z_sectors, 1)
    x, z = divmod(_value(edited, face, "tr_sector"), depth)
    is_wall = _value(edited, face, "tr_part") == _SOLID
    active = edited.faces.active
    heights = T("Heights: -")
    if _value(edited, active, "tr_part") in (_FLOOR, _CEILING):
        # Adding 0 turns -0 into 0, which is shown without a sign.
        steps = sorted({round(vertex.co.z / scale / _UNITS_PER_STEP, 2) + 0.0 for vertex in active.verts})
        heights = T("Heights in steps: {steps}", steps=", ".join(f"{step:g}" for step in steps))
    box_number = _value(edited, face, "tr_box") - 1
    climb = _value(edited, face, "tr_climb")
    sides = joined(", ", (name for bit, name in _SIDE_NAMES if climb & bit))
    return [
        T("Sector {x}, {z}", x=x, z=z) + (T(" (wall)") if is_wall else ""),
        heights,
        _box_line(obj, box_number, is_wall),
        T("Climbable: {sides}", sides=sides or "-"),
    ]


def _box_line(obj: Object, number: int, is_wall: bool) -> str:
    """Return a line about the box of a sector. Exports compute those of floors that have none yet."""
    if number >= 0:
        return T("Box {number}", number=number)
    room = obj.parent
    is_new = room is None or room.tomb_raider.is_copy or room.tomb_raider.index < 0
    return T("Box: computed by the export") if is_new and not is_wall else T("No box: closed to creatures")


def _room_name(obj: Object, reference: int) -> str:
    rooms = obj.tomb_raider.collision.rooms
    if not reference:
        return ""
    if reference < 0:
        return T("room number {number}, which does not exist", number=-1 - reference)
    room = rooms[reference - 1].room if reference <= len(rooms) else None
    return T("a deleted room") if room is None else room.name


def _draw_shape_tools(layout: UILayout, game: Game) -> None:
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("tomb_raider.raise_sectors", text="Raise", icon="TRIA_UP").clicks = 1
    row.operator("tomb_raider.raise_sectors", text="Lower", icon="TRIA_DOWN").clicks = -1
    column.operator("tomb_raider.flatten_sectors", text="Flatten")
    if game.traits.has_triangulated_floors:
        column.operator_menu_enum("tomb_raider.divide_sectors", "split", text="Divide")
    row = column.row(align=True)
    row.operator("tomb_raider.make_walls")
    row.operator("tomb_raider.make_floors")


def _draw_connections(layout: UILayout, obj: Object) -> None:
    column = layout.column(align=True)
    column.prop(obj.tomb_raider.collision, "target")
    row = column.row(align=True)
    row.operator("tomb_raider.open_sectors")
    row.operator("tomb_raider.close_sectors")


def _draw_marks(layout: UILayout, edited: BMesh, game: Game, shapes: Game) -> None:
    marks = _value(edited, _sector_face(edited), "tr_marks")
    column = layout.column(align=True)
    for name, _, _, _ in MARKS:
        if name != "death" and not shapes.traits.has_sector_marks:
            continue
        if name == "beetle" and not game.traits.has_beetles:
            continue
        if name == "stopper" and not game.traits.has_materials:
            continue
        is_on = bool(marks & _MARK_BITS[name])
        icon: Any = "CHECKBOX_HLT" if is_on else "CHECKBOX_DEHLT"
        tool = column.operator(
            "tomb_raider.set_sector_mark", text=mark_name(name, shapes), icon=icon, depress=is_on
        )
        tool.mark, tool.on = name, not is_on
    if shapes.traits.has_climbable_walls:
        row = column.row(align=True)
        row.operator("tomb_raider.set_climbable", text="Climbable").on = True
        row.operator("tomb_raider.set_climbable", text="Not Climbable").on = False
    if game.traits.has_materials:
        column.operator_menu_enum("tomb_raider.set_sector_material", "material", text="Footsteps")


class VIEW3D_PT_tomb_raider_collision_object(SubjectTools):
    """Panel of the tools for collision meshes in object mode."""

    bl_label = "Collision"
    bl_order = SELECTION
    kinds = (Kind.COLLISION,)
    starts = False

    def draw_level(self, layout: UILayout, context: Context, level: Collection) -> None:
        column = layout.column(align=True)
        for operator, icon in _TOOLS:
            offer(column, operator, icon=icon)


CLASSES = (
    VIEW3D_PT_tomb_raider_collision_object,
    VIEW3D_PT_tomb_raider_collision,
)
