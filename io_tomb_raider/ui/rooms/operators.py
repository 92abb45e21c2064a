"""Operators for rooms: create, duplicate, delete, connect, and flip."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty, IntProperty, IntVectorProperty
from bpy.types import Collection, Context, Event, Menu, Object
from mathutils import Vector

from ...formats import ExportError
from ...formats.base import T, as_message
from ...scene.core import OF_ROOMS, Kind
from ...scene.subjects.rooms import ALL
from ..base.active import active_layer, active_object, active_scene, room_of
from ..base.conditions import active_object_of, condition
from ..base.layout.menu_entries import Entries, with_entries
from ..base.levels import chosen_level, level_of
from ..base.operators import AddingTool, EditingTool, LevelTool
from ..base.reports import Outcome, ToolError, report_line, set_poll_message
from ..base.selecting import select_only
from ..base.text.i18n import translate
from .collision_reports import report_fit, storey_setting
from .connecting import (
    TOMB_RAIDER_OT_bring_together,
    TOMB_RAIDER_OT_connect_all,
    TOMB_RAIDER_OT_connect_rooms,
    TOMB_RAIDER_OT_make_portal,
    selected_rooms,
)

if TYPE_CHECKING:
    from ...scene.authoring.new import Side

_NAMED = 4  # objects that a report names before they are only counted


class _RoomTool(EditingTool):
    """Base of operators on the active room."""

    requires = condition(
        lambda context: context.mode == "OBJECT" and room_of(context.object) is not None,
        T("Make a room of a level active, in Object Mode"),
    )

    def room(self, context: Context) -> tuple[Object, Collection]:
        """Return the active room and its level. Raises ToolError if it belongs to none."""
        room = room_of(context.object)
        level = level_of(room)
        if room is None or level is None:
            raise ToolError(T("The room belongs to no level"))
        return room, level


class TOMB_RAIDER_OT_make_room(EditingTool):
    """Make the active mesh a room of the level, with collision read from its faces"""

    bl_idname = "tomb_raider.make_room"
    bl_label = "Make Room"

    storey: storey_setting()
    turn: BoolProperty(
        name="Turn Faces Inwards",
        default=True,
        description="Flip the faces if most point outward; the game would not show them from inside",
    )

    @classmethod
    def poll(cls, context: Context) -> bool:
        obj = context.object
        if context.mode != "OBJECT" or obj is None or obj.type != "MESH":
            set_poll_message(cls, T("Make a mesh active, in Object Mode"))
            return False
        if obj.tomb_raider.kind != Kind.NONE:
            set_poll_message(cls, T("The active mesh already belongs to a level: use one of your own"))
            return False
        return True

    def execute(self, context: Context) -> Outcome:
        from ...scene.authoring.collision_from_mesh import room_from_mesh

        level = chosen_level(context)
        report_fit(self, room_from_mesh(level, active_object(context), self.storey, turn=self.turn))
        if "COLLISION" not in level.tomb_raider.imported:
            text = T("The level was imported without collision: an export makes the room a flat box")
            report_line(self, "WARNING", text)
        return {"FINISHED"}


class TOMB_RAIDER_OT_duplicate_room(_RoomTool):
    """Duplicate a room with its lights, static meshes, portals, collision and triggers"""

    bl_idname = "tomb_raider.duplicate_room"
    bl_label = "Duplicate Room"

    as_alternate: BoolProperty(
        name="As Alternate Room",
        description="Show the copy instead of the room when the level is flipped",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.portals import duplicate_room

        room, level = self.room(context)
        copy = duplicate_room(level, room)
        copy.tomb_raider.room.alternate_room = None
        if self.as_alternate:
            room.tomb_raider.room.alternate_room = copy
        select_only(context, [copy])
        return {"FINISHED"}


class TOMB_RAIDER_OT_delete_room(_RoomTool):
    """Delete a room with its lights, static meshes, portals, collision and triggers"""

    bl_idname = "tomb_raider.delete_room"
    bl_label = "Delete Room"

    with_inhabitants: BoolProperty(
        name="With Inhabitants",
        description="Also delete entities, AI objects, cameras and sounds in the room",
        default=True,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context: Context, event: Event) -> Outcome:
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import first_few
        from ...scene.subjects.portals import delete_room

        room, level = self.room(context)
        name = room.name
        inhabitants = delete_room(level, room, with_inhabitants=self.with_inhabitants)
        text = T("{name} was deleted", name=name)
        if inhabitants.deleted:
            text += T(" with {deleted}", deleted=first_few(inhabitants.deleted, _NAMED))
        if inhabitants.kept:
            text += T("; {kept} in other places were kept", kept=first_few(inhabitants.kept, _NAMED))
        report_line(self, "INFO", text)
        return {"FINISHED"}


class _PartTool(EditingTool):
    """Base of operators on a part of a room, or on a mesh that becomes one."""

    _reason = T("Make a part of a room active, in Object Mode")
    requires = condition(lambda context: context.mode == "OBJECT", _reason) + active_object_of(
        OF_ROOMS, _reason
    )

    def change(self, level: Collection, part: Object) -> Object:
        """Change the part, and return the object to make active."""
        raise NotImplementedError

    def execute(self, context: Context) -> Outcome:
        part = active_object(context)
        result = self.change(level_of(part) or chosen_level(context), part)
        result.select_set(True)
        context.view_layer.objects.active = result
        return {"FINISHED"}


class TOMB_RAIDER_OT_join_back(_PartTool):
    """Join the active part or imported geometry to the mesh of its room"""

    bl_idname = "tomb_raider.join_back"
    bl_label = "Join Back"

    def change(self, level: Collection, part: Object) -> Object:
        from ...scene.subjects.rooms import join_back

        return join_back(level, part)


class TOMB_RAIDER_OT_join_to_room(_PartTool):
    """Join the active mesh to the room around it, or to the nearest one"""

    bl_idname = "tomb_raider.join_to_room"
    bl_label = "Join to Room"
    requires = condition(lambda context: TOMB_RAIDER_OT_make_room.poll(context))

    def change(self, level: Collection, part: Object) -> Object:
        from ...scene.subjects.rooms import join_to_room

        name = part.name
        room = join_to_room(level, part)
        report_line(self, "INFO", T("{name} is a part of {room} now", name=name, room=room.name))
        return room


class TOMB_RAIDER_OT_connect_part(_PartTool):
    """Make the active part of a room a separate room, with portals and openings at the cut"""

    bl_idname = "tomb_raider.connect_part"
    bl_label = "Connect as a Room"

    def change(self, level: Collection, part: Object) -> Object:
        from ...scene.authoring.portals import connect_part

        room, shared = connect_part(level, part)
        text = T("{part} is a room now, connected to {room}", part=part.name, room=room.name)
        if shared:
            text += T(
                ". The cut divided {shared} sectors: each was given to the side with more of its floor",
                shared=shared,
            )
        report_line(self, "INFO", text)
        return part


class TOMB_RAIDER_OT_snap_rooms(EditingTool):
    """Move the selected rooms to the nearest place on the grid of sectors, and of steps of height"""

    bl_idname = "tomb_raider.snap_rooms"
    bl_label = "Snap to Grid"
    requires = condition(
        lambda context: context.mode == "OBJECT" and selected_rooms(context),
        T("Select rooms of a level, in Object Mode"),
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.core import Space
        from ...scene.subjects.rooms import snap_to_grid

        levels = [(room, level_of(room)) for room in selected_rooms(context)]
        count = sum(len(snap_to_grid([room], Space.of(level))) for room, level in levels if level)
        report_line(self, "INFO", T("Rooms moved to the grid: {count}", count=count))
        return {"FINISHED"} if count else {"CANCELLED"}


_SIDES: list[tuple[str, str, str, int]] = [
    (
        "VIEW",
        "View Direction",
        "Next to the active room: at the wall ahead if the view is in it, else at the right; "
        "at the 3D cursor if that is in no room",
        0,
    ),
    ("ABOVE", "Above", "On the ceiling of the active room", 1),
    ("BELOW", "Below", "Under the floor of the active room", 2),
    ("EAST", "+X", "Next to the active room, toward +X", 3),
    ("WEST", "-X", "Next to the active room, toward -X", 4),
    ("NORTH", "+Y", "Next to the active room, toward +Y", 5),
    ("SOUTH", "-Y", "Next to the active room, toward -Y", 6),
    ("CURSOR", "3D Cursor", "At the 3D cursor, or at the nearest wall of the room there", 7),
]
_ON_FLOOR = 0.05  # meters above a cursor, which may be on the ceiling of a room
_STEEP = 0.8  # of a view direction, from which on its upper border decides
_TOUCHING = 0.05  # Blender units between the boxes of rooms that touch
_NEARER = 0.5  # how much a side toward the eye counts, compared to one at the right


class TOMB_RAIDER_OT_add_room(AddingTool):
    """Add a room next to the active one, or at the 3D cursor if that is in no room"""

    bl_idname = "tomb_raider.add_room"
    bl_label = "Add Room"

    side: EnumProperty(
        name="Side",
        items=_SIDES,
        description="Side of the active room on which to add the room",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: Context, properties: Any) -> str:
        text = next(text for side, _, text, _ in _SIDES if side == properties.side)
        return translate(T("Add a room. {text}", text=as_message(text)))

    size: IntVectorProperty(
        name="Size",
        size=3,
        default=(4, 4, 2),
        min=1,
        max=30,
        subtype="XYZ",
        description="Width, depth and height in sectors",
    )

    def add(self, context: Context, level: Collection) -> Object:
        from ...scene.authoring.new import Side, add_room
        from ...scene.subjects.rooms import SceneRooms

        width, depth, height = self.size
        active, cursor = room_of(context.object), active_scene(context).cursor.location.copy()
        neighbor = active if level_of(active) == level else None
        room_at_cursor = SceneRooms(level).find(cursor + Vector((0, 0, _ON_FLOOR)))
        side = None if self.side in ("VIEW", "CURSOR") else Side[self.side]
        # A cursor at the origin was not placed by anyone.
        is_placed = room_at_cursor is None and cursor.length > 0
        if self.side == "VIEW" and neighbor is not None and not is_placed:
            side = _side_in_view(context, neighbor)
        if side is not None and neighbor is not None and room_at_cursor != neighbor:
            cursor = _middle_of(neighbor)
        neighbor = neighbor if self.side != "CURSOR" else None
        try:
            return add_room(level, cursor, (width, depth, height), neighbor, side)
        except ExportError:
            if side is None or self.side != "VIEW":
                raise
            return add_room(level, cursor, (width, depth, height), neighbor)  # at another wall

    def execute(self, context: Context) -> Outcome:
        from ..view.first_view import look_at_unseen

        active = room_of(context.object)
        outcome = super().execute(context)
        if outcome == {"FINISHED"}:
            room = active_object(context)
            neighbor = active if active is not None and self.side != "CURSOR" else _adjoining(room)
            look_at_unseen(context, [room], neighbor, whole=True)
        return outcome


def _adjoining(room: Object) -> Object | None:
    """Return a room of the same level that a room touches, or None."""
    from ...scene.core import members_of
    from ...scene.subjects.meshes import rooms_with_vertices, world_corners

    level = level_of(room)
    rooms = [] if level is None else rooms_with_vertices(members_of(level, Kind.ROOM))
    others = [other for other in rooms if other != room]
    corners = world_corners([room, *others])
    low, high = corners.min(axis=1), corners.max(axis=1)
    gaps = np.maximum(low[1:] - high[0], low[0] - high[1:]).max(axis=1, initial=0.0)
    return next((other for other, gap in zip(others, gaps, strict=True) if gap < _TOUCHING), None)


def _side_in_view(context: Context, room: Object) -> "Side | None":
    """Return the side of a room where the 3D view shows a new room best.

    From inside of the room, that is the wall ahead. From outside, walls ahead hide what is behind them.
    """
    from ...scene.authoring.new import side_towards

    areas = [context.area, *context.screen.areas] if context.screen is not None else []
    spaces: Iterator[Any] = (
        area.spaces.active for area in areas if area is not None and area.type == "VIEW_3D"
    )
    view = next((space.region_3d for space in spaces if space.region_3d is not None), None)
    if view is None:
        return None
    turn = view.view_rotation
    eye = view.view_location + turn @ Vector((0, 0, view.view_distance))
    if view.view_perspective == "CAMERA" and context.scene is not None and context.scene.camera is not None:
        camera = context.scene.camera.matrix_world
        turn, eye = camera.to_quaternion(), camera.translation
    ahead, right = turn @ Vector((0, 0, -1)), turn @ Vector((1, 0, 0))
    if view.view_perspective == "ORTHO" or not _is_inside(room, eye):
        return side_towards(right - ahead * _NEARER)
    return side_towards(turn @ Vector((0, 1, 0)) if abs(ahead.z) > _STEEP else ahead)


def _is_inside(room: Object, position: Vector) -> bool:
    """Return whether a position in world space is in the box of a room."""
    local = np.array(room.matrix_world.inverted_safe() @ position)
    corners = np.array(room.bound_box)
    return bool((corners.min(axis=0) < local).all() and (local < corners.max(axis=0)).all())


def _middle_of(room: Object) -> Vector:
    """Return the middle of the bottom of a room's box in world space."""
    corners = [room.matrix_world @ Vector(corner) for corner in room.bound_box]
    xs, ys, zs = zip(*corners, strict=True)
    return Vector(((min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2, min(zs)))


class TOMB_RAIDER_OT_flip_level(LevelTool):
    """Show the level with rooms flipped or not. Does not affect exports"""

    bl_idname = "tomb_raider.flip_level"
    bl_label = "Flip Level"

    edits_level = False

    group: IntProperty(
        name="Group",
        default=ALL,
        min=ALL,
        max=255,
        description="Group of rooms that flip together (TR4, TR5), or -1 for all",
        options={"SKIP_SAVE"},
    )

    def execute(self, context: Context) -> Outcome:
        from ...scene.subjects.rooms import flip_groups, is_flipped, show_flipped

        level = self.level(context)
        layer = active_layer(context)
        groups = flip_groups(level)
        chosen = groups if self.group == ALL else [group for group in groups if group == self.group]
        if not chosen:
            report_line(self, "WARNING", T("{level} has no such flip rooms", level=level.name))
            return {"CANCELLED"}
        flipped = {group for group in groups if is_flipped(level, layer, group)}
        # All groups get the same state, even if some were flipped already.
        flip = not flipped.issuperset(chosen)
        show_flipped(level, layer, flipped | set(chosen) if flip else flipped - set(chosen))
        return {"FINISHED"}


_CLASSES = (
    TOMB_RAIDER_OT_make_room,
    TOMB_RAIDER_OT_join_to_room,
    TOMB_RAIDER_OT_duplicate_room,
    TOMB_RAIDER_OT_delete_room,
    TOMB_RAIDER_OT_join_back,
    TOMB_RAIDER_OT_connect_part,
    TOMB_RAIDER_OT_connect_rooms,
    TOMB_RAIDER_OT_bring_together,
    TOMB_RAIDER_OT_connect_all,
    TOMB_RAIDER_OT_make_portal,
    TOMB_RAIDER_OT_snap_rooms,
    TOMB_RAIDER_OT_add_room,
    TOMB_RAIDER_OT_flip_level,
)


def _draw_menu(menu: Menu, _context: Context) -> None:
    menu.layout.separator()
    menu.layout.menu("TOMB_RAIDER_MT_object")


class TOMB_RAIDER_MT_object(bpy.types.Menu):
    bl_label = "Tomb Raider"
    bl_idname = "TOMB_RAIDER_MT_object"

    def draw(self, _context: Context | None) -> None:
        for operator in _CLASSES[:-1]:
            if operator is not TOMB_RAIDER_OT_bring_together:
                self.layout.operator(operator.bl_idname)
        for name in (
            "refresh_from_mesh",
            "cut_to_sectors",
            "replace_model",
            "replace_mesh",
            "split_by_bones",
            "prepare_for_exchange",
        ):
            self.layout.operator(f"tomb_raider.{name}")
        self.layout.operator("tomb_raider.duplicate_room", text="Add Alternate Room").as_alternate = True
        self.layout.operator("tomb_raider.bake_light")


_ENTRIES: Entries = (("VIEW3D_MT_object", _draw_menu),)


register, unregister = with_entries((*_CLASSES, TOMB_RAIDER_MT_object), _ENTRIES)
