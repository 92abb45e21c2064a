"""Fixed cameras, and sinks that currents pull Lara to (documentation, chapter 9.5).

Both are entries of one table in the file, and only the triggers that use an entry distinguish them: the
fields for a camera's room and flags are the strength and the box of a sink.
"""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Camera, Collection, Object
from mathutils import Matrix

from ....formats import FormatError, Level
from ....formats.base import CAMERA, SECTOR_SIZE, T, put
from ....formats.levels.cameras import find_sinks
from ....formats.levels.collision import NO_ROOM, split_boxes
from ....formats.levels.floor import camera_uses
from ...core.context import ExportContext, ImportContext
from ...core.membership import home_of, members_of
from ...core.order import Numbers, ordered
from ...core.record_fields import put_position, take_over, world_point
from ...core.stages import CAMERA_NUMBERS, CAMERAS, ROOMS, ExportStage, ImportStage, RoomObjects, Steps
from ...core.subjects import Kind
from ..pathfinding.boxes import HAS_NEW_BOXES
from ..rooms.location.choice import choose_room, place_in_room, placed_matrix
from ..rooms.location.locator import Point
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .looking import DEFAULT_FOV, look_rotations, show_fov

_SIZE = 256  # units, display size of a sink
_FIXED_KINDS = (Kind.CAMERA, Kind.SINK)

# --- Import ----------------------------------------


def import_cameras(context: ImportContext) -> None:
    """Make a camera or an empty for every entry."""
    context.root.tomb_raider.imported |= {"CAMERAS"}
    level, rooms = context.level, ROOMS.of(context)
    sinks, turns = _sinks(context), _rotations(level)
    result: list[Object] = []
    for index, record in enumerate(level.cameras):
        if sinks[index]:
            obj = _import_sink(record, index)
        else:
            obj = _import_camera(context, rooms, record, index)
            obj.rotation_euler = Matrix(turns[index]).to_euler()
        obj.tomb_raider.index = index
        number = -1 if sinks[index] else int(record["room"])
        place_in_room(context, rooms, obj, number, [record[axis] for axis in "xyz"])
        if obj.type == "EMPTY":
            obj.empty_display_size = _SIZE * context.space.scale
        home_of(context.root, Kind.CAMERAS).objects.link(obj)
        result.append(obj)
    CAMERAS.set(context, result)


def _sinks(context: ImportContext) -> list[bool]:
    """Return which entries are sinks."""
    sink_numbers = context.options.sinks
    if sink_numbers is not None:
        return [index in sink_numbers for index in range(len(context.level.cameras))]
    try:
        used = camera_uses(context.decoded.floor_lists.with_triggers())
    except FormatError:
        used = set(), set()
    return list(find_sinks(context.level, *used).tolist())


def _import_camera(context: ImportContext, rooms: RoomObjects, record: np.void, index: int) -> Object:
    name = f"Camera {index}"
    data = new_camera(name, DEFAULT_FOV, context.space.scale)
    obj = bpy.data.objects.new(name, data)
    settings = obj.tomb_raider
    settings.kind = Kind.CAMERA
    settings.camera.flags = int(record["flags"])
    room = rooms.get(int(record["room"]))
    if room is not None:
        settings.camera.room = room
    return obj


def new_camera(name: str, fov: int, scale: float) -> Camera:
    """Return new camera data, displayed at half a sector's size, with a field of view in the games' units."""
    data = bpy.data.cameras.new(name)
    data.display_size = SECTOR_SIZE / 2 * scale
    data.clip_end = 128 * SECTOR_SIZE * scale
    show_fov(data, fov)
    return data


def is_preview(root: Collection, obj: Object) -> bool:
    """Return whether an object is the preview camera of a flyby sequence of a level."""
    flybys = (each.tomb_raider for each in members_of(root, Kind.FLYBY))
    return any(settings.flyby.preview == obj for settings in flybys)


def adopt_camera(root: Collection, obj: Object) -> bool:
    """Make a user's camera a fixed camera of the level; return False if it is a preview camera."""
    if is_preview(root, obj):
        return False
    settings = obj.tomb_raider
    settings.kind, settings.index, settings.origin = Kind.CAMERA, -1, root.tomb_raider.origin
    return True


def _rotations(level: Level) -> list[list[list[float]]]:
    """Return the rotations of all entries of the table, 3 by 3, as if each were a camera."""
    positions = np.stack([level.cameras[axis] for axis in "xyz"], axis=1)
    numbers = level.cameras["room"].tolist()
    targets = [_assumed_target(level, *each) for each in zip(numbers, positions.tolist(), strict=True)]
    result: list[list[list[float]]] = look_rotations(
        positions, np.array(targets).reshape(-1, 3), np.zeros(len(positions))
    ).tolist()
    return result


def _assumed_target(level: Level, number: int, position: list[int]) -> list[int]:
    """Return the assumed target of a fixed camera: Lara in the middle of its room, or a point ahead."""
    if not 0 <= number < len(level.rooms):
        return [position[0], position[1], position[2] + SECTOR_SIZE]
    room = level.rooms[number]
    half = SECTOR_SIZE // 2
    return [
        room.x + room.x_sectors * half,
        max(position[1], int(room.y_bottom) - half),
        room.z + room.z_sectors * half,
    ]


def _import_sink(record: np.void, index: int) -> Object:
    obj = bpy.data.objects.new(f"Sink {index}", None)
    obj.empty_display_type = "CONE"
    settings = obj.tomb_raider
    settings.kind = Kind.SINK
    settings.sink.strength, settings.sink.box = int(record["room"]), int(record["flags"])
    return obj


# --- Export ----------------------------------------


def number_cameras(context: ExportContext) -> None:
    """Number cameras and sinks as in the exported level."""
    count, is_imported = len(context.original.cameras), "CAMERAS" in context.root.tomb_raider.imported
    numbers = Numbers.in_order(_objects(context), count) if is_imported else Numbers.kept(count)
    CAMERA_NUMBERS.set(context, numbers)


def _objects(context: ExportContext) -> list[tuple[Object, int]]:
    return ordered(obj for kind in _FIXED_KINDS for obj, _ in context.objects(kind))


def export_cameras(context: ExportContext) -> None:
    """Write cameras and sinks. Raises ExportError if a value does not fit its field."""
    if "CAMERAS" not in context.root.tomb_raider.imported:
        return
    where, has_new_boxes = WHEREABOUTS.of(context), HAS_NEW_BOXES.of(context)
    before = context.level.cameras
    objects = _objects(context)
    records = np.zeros(len(objects), CAMERA)
    for row, (obj, _) in enumerate(objects):
        context.note_place(obj, "cameras", row)
        index = obj.tomb_raider.index
        base = before[index] if 0 <= index < len(before) else None
        if base is not None:
            records[row] = base
        is_sink = obj.tomb_raider.kind == Kind.SINK
        matrix = (
            context.space.matrix_of(obj)
            if is_sink
            else placed_matrix(context, where.plan, obj, context.original.cameras)
        )
        point = world_point(context, obj, matrix)
        moved = put_position(records[row], point, obj.name, rebuild=context.rebuild) or base is None
        if is_sink:
            # The exported level may already have the number of a new box.
            old_box = None if base is None else int(context.original.cameras["flags"][index])
            _read_sink(context, where, records[row], obj, old_box, moved or has_new_boxes)
        else:
            put(records[row], "flags", obj.tomb_raider.camera.flags, obj.name)
            before_room = None if base is None else int(base["room"])
            chosen = obj.tomb_raider.camera.room
            room = choose_room(context, where, obj, chosen, before_room, point, moved)
            put(records[row], "room", room, obj.name)
    context.level.cameras = take_over(context, "cameras", context.original.cameras, records)


def _read_sink(
    context: ExportContext,
    where: Whereabouts,
    record: np.void,
    obj: Object,
    old_box: int | None,
    has_other_box: bool,
) -> None:
    settings = obj.tomb_raider.sink
    put(record, "room", settings.strength, obj.name, "strength")
    is_edited = old_box is not None and settings.box != old_box
    if is_edited or not has_other_box:
        put(record, "flags", settings.box, obj.name, "box")
        if is_edited and settings.box >= len(context.level.boxes):
            context.report.warn(obj.name, T("the level has no box {box}", box=settings.box))
        return
    box = sink_box(context, where, [int(record[axis]) for axis in "xyz"])
    if box is None:
        text = T("there is no box at its position, so it keeps box {box}", box=settings.box)
        context.report.warn(obj.name, text)
        box = settings.box
    put(record, "flags", box, obj.name, "box")


def sink_box(context: ExportContext, where: Whereabouts, point: Point) -> int | None:
    """Return the box at a point (3,), in world units, in the exported level, of its sector or one below."""
    number = where.find(point)
    rooms = context.level.rooms
    east, _, north = np.asarray(point, np.int64).tolist()
    for _ in rooms:  # there may be several rooms below each other
        if number is None or not 0 <= number < len(rooms):
            return None
        room = rooms[number]
        x, z = (east - room.x) // SECTOR_SIZE, (north - room.z) // SECTOR_SIZE
        if not (0 <= x < room.x_sectors and 0 <= z < room.z_sectors):
            return None
        sector = x * room.z_sectors + z
        box = int(split_boxes(room.sectors["box"][sector : sector + 1], context.level.game)[0][0])
        if 0 <= box < len(context.level.boxes):
            return box
        number = int(room.sectors["room_below"][sector])
        if number == NO_ROOM:
            return None
    return None


STEPS = Steps(
    {ImportStage.TARGETS: import_cameras},
    {ExportStage.TARGETS: number_cameras, ExportStage.LAST: export_cameras},
)
