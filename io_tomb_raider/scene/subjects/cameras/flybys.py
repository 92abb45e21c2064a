"""Flyby cameras (documentation, chapter 9.6): Blender cameras that point at their targets.

TR4 and TR5 have them in their levels, and TRX in the edits of levels of TR1 to TR3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Game
from ....formats.base import FLYBY_CAMERA, Record, T, Target, put, signed, unsigned
from ....formats.levels.cameras import CUT_TARGET, cuts, order_with, tracks_entity
from ....formats.levels.injections import flyby_edits
from ...core.context import ExportContext, ImportContext
from ...core.membership import home_of
from ...core.order import Numbers
from ...core.record_fields import put_position, take_over
from ...core.space import Space, checked
from ...core.stages import (
    ENTITIES,
    ENTITY_NUMBERS,
    FLYBYS,
    ROOMS,
    ExportStage,
    ImportStage,
    Product,
    Steps,
)
from ...core.subjects import Kind
from ..rooms.location.choice import choose_room, place_in_room, placed_matrix
from ..rooms.location.where import WHEREABOUTS, Whereabouts
from .fixed import new_camera
from .looking import DEFAULT_FOV, look_rotation, look_rotations, read_fov, same_rotation, view_of

# The flyby cameras of an export that TRX gets as edits, if they have changed.
FLYBY_EDITS: Product[list[Record] | None] = Product("FLYBY_EDITS", lambda: None)
_FARTHEST = 0x7FFFFF00  # largest coordinate that the export accepts, of 32 bits
DEFAULT_DISTANCE = 1024.0  # of a target at the same position as its camera
_FIELDS = ("sequence", "timer", "speed", "flags")
_ROUNDING = 4e-7  # relative error of distances in single precision

# --- Import ----------------------------------------


def import_flybys(context: ImportContext) -> None:
    """Make a camera for every flyby camera."""
    context.root.tomb_raider.imported |= {"FLYBYS"}
    records, rooms = context.decoded.flybys, ROOMS.of(context)
    turns = look_rotations(np.zeros((len(records), 3)), _view(records), records["roll"]).tolist()
    result: list[Object] = []
    for index, record in enumerate(records):
        name = f"Flyby {record['sequence']}.{record['index']}"
        obj = bpy.data.objects.new(name, new_camera(name, int(record["fov"]), context.space.scale))
        number = int(record["room"])
        place_in_room(context, rooms, obj, number, [record[axis] for axis in "xyz"])
        obj.rotation_euler = Matrix(turns[index]).to_euler()
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.FLYBY, index
        for field, value in flyby_values(record).items():
            setattr(settings.flyby, field, value)
        room = rooms.get(number)
        if room is not None:
            settings.flyby.room = room
        home_of(context.root, Kind.CAMERAS).objects.link(obj)
        result.append(obj)
    _resolve_timers(context.level.game, records, result, ENTITIES.of(context))
    FLYBYS.set(context, result)


def flyby_values(record: np.void) -> dict[str, Any]:
    """Return the values of a flyby camera's typed properties, by name."""
    values: dict[str, Any] = {name: int(record[name]) for name in _FIELDS}
    values["number"] = int(record["index"])
    values["distance"] = float(np.linalg.norm(_view(record)))
    return values


def rotation_of(record: np.void) -> Matrix:
    """Return the rotation of the Blender camera for a flyby camera, 3 by 3."""
    return look_rotation((0, 0, 0), _view(record), int(record["roll"]))


def _view(records: np.void | NDArray[np.void]) -> NDArray[np.float64]:
    """Return the offsets from cameras to their targets, (3,) or (n, 3), in the file's units."""
    positions = np.stack([records[axis] for axis in "xyz"], axis=-1).astype(np.float64)
    view: NDArray[np.float64] = records["target"].astype(np.float64) - positions
    return view


def _resolve_timers(
    game: Game, records: NDArray[np.void], flybys: Sequence[Object], entities: Sequence[Object]
) -> None:
    """Convert numbers in timers to pointers: cameras to cut to, entities to track."""
    for obj, record in zip(flybys, records, strict=True):
        settings, timer = obj.tomb_raider.flyby, int(record["timer"])
        if cuts(int(record["flags"])):
            sequence = np.flatnonzero(records["sequence"] == record["sequence"])
            target = CUT_TARGET.of(timer)
            if target < len(sequence):
                settings.cut_to = flybys[sequence[target]]
        elif tracks_entity(game, int(record["flags"])) and timer < len(entities):
            settings.tracks = entities[timer]


# --- Export ----------------------------------------


def export_flybys(context: ExportContext) -> None:
    """Write the flyby cameras. Raises ExportError if a value does not fit its field."""
    where, entities = WHEREABOUTS.of(context), ENTITY_NUMBERS.of(context)
    original, in_level = context.decoded.flybys, context.level.has("flyby_cameras")
    before = context.level.flyby_cameras if in_level else _renumbered(original, where)
    objects = _in_order(context)
    if not in_level and context.target is not Target.TRX:
        objects = [obj for obj in objects if obj.tomb_raider.index >= 0]  # others are reported as left out
    numbered = _numbered(objects)
    records = np.zeros(len(objects), FLYBY_CAMERA)
    for row, obj in enumerate(objects):
        if in_level:
            context.note_place(obj, "flyby_cameras", row)
        index = obj.tomb_raider.index
        base = before[index] if 0 <= index < len(before) else None
        if base is not None:
            records[row] = base
        matrix = placed_matrix(context, where.plan, obj, original)
        moved = read_flyby(obj, matrix, records[row], base, context.space, rebuild=context.rebuild)
        settings, point = obj.tomb_raider.flyby, [float(records[row][axis]) for axis in "xyz"]
        before_room = None if base is None else int(base["room"])
        room = choose_room(context, where, obj, settings.room, before_room, point, moved)
        put(records[row], "room", room, obj.name)
        number = _timer_number(context, numbered, obj, entities)
        if number is not None:
            put(records[row], "timer", number, obj.name)
    if in_level:
        context.level.flyby_cameras = take_over(context, "flyby_cameras", original, records)
    elif records.tobytes() != original.tobytes():
        FLYBY_EDITS.set(context, flyby_edits(records))
        same = min(len(original), len(records))
        changed = int((original[:same] != records[:same]).sum())
        context.rebuilt.count("flyby_cameras", changed + abs(len(original) - len(records)))


def _renumbered(records: NDArray[np.void], where: Whereabouts) -> NDArray[np.void]:
    """Return flyby cameras of the original with the exported numbers of their rooms.

    Those of deleted rooms get the room at their position, or the nearest one.
    """
    rooms = where.plan.renumber(records["room"].astype(np.int64))
    for row in np.flatnonzero((rooms < 0) & (records["room"] >= 0)).tolist():
        point = [int(records[row][axis]) for axis in "xyz"]
        room = where.find(point)
        rooms[row] = where.nearest(point) if room is None else room
    result = records.copy()
    result["room"] = rooms
    return result


def _in_order(context: ExportContext) -> list[Object]:
    """Return the cameras in export order, with new and renumbered ones sorted into their sequence.

    Cameras with their original sequence and number keep their place.
    """
    before = context.decoded.flybys
    unchanged: list[Object] = []
    added: list[Object] = []
    for obj, index in context.objects(Kind.FLYBY):
        same = 0 <= index < len(before) and _key(obj) == (
            int(before[index]["sequence"]),
            int(before[index]["index"]),
        )
        (unchanged if same else added).append(obj)
    cameras = [*unchanged, *added]
    return [cameras[at] for at in order_with([*map(_key, unchanged)], [*map(_key, added)])]


def _numbered(objects: Sequence[Object]) -> dict[Object, tuple[int, int]]:
    """Return the sequence of each camera, in export order, and its index within the sequence, from 0."""
    counts: Counter[int] = Counter()
    result: dict[Object, tuple[int, int]] = {}
    for obj in objects:
        sequence, _ = _key(obj)
        result[obj] = (sequence, counts[sequence])
        counts[sequence] += 1
    return result


def _key(obj: Object) -> tuple[int, int]:
    settings = obj.tomb_raider.flyby
    return int(settings.sequence), int(settings.number)


def read_flyby(
    obj: Object, matrix: Matrix, record: np.void, base: Any | None, space: Space, *, rebuild: bool
) -> bool:
    """Write a camera of the scene into a record, except its room and the camera or entity it refers to.

    The record is a copy of the original, ``base``, or zeros without one. Return whether its position differs.
    A rebuild uses only the scene's values.

    Raises:
        ExportError: if a value does not fit its field.
    """
    settings = obj.tomb_raider.flyby
    point = space.to_file(np.array(matrix.translation, np.float64), obj.name)
    moved = put_position(record, point, obj.name, rebuild=rebuild) or base is None
    _read_view(obj, record, base, matrix.to_3x3().normalized(), rebuild=rebuild)
    for name in _FIELDS:
        value = unsigned(int(settings.timer), 16) if name == "timer" else int(getattr(settings, name))
        put(record, name, value, obj.name)
    put(record, "index", settings.number, obj.name, "number")
    data: Any = obj.data
    if obj.type == "CAMERA":
        checked(np.array(data.angle_x), obj.name, T("its field of view"))
        fov = read_fov(data, None if base is None else int(base["fov"]))
    else:
        fov = DEFAULT_FOV
    put(record, "fov", fov, obj.name, "field of view")
    return moved


def _read_view(obj: Object, record: np.void, base: np.void | None, turned: Matrix, *, rebuild: bool) -> None:
    """Set target and roll. If the camera only moved, the target moves by the same offset."""
    distance = obj.tomb_raider.flyby.distance
    checked(np.array(distance), obj.name, T("the distance of its target"))
    is_same = base is not None and same_rotation(turned, rotation_of(base))
    if base is not None and is_same and not (rebuild and distance):
        view = _view(base)
        length = float(np.linalg.norm(view))
        if abs(distance - length) > max(1.0, length) * _ROUNDING:
            view = view * (distance / length) if length else np.array((0, 0, distance))
        roll = int(base["roll"])
    else:
        direction, file_roll = view_of(turned)
        view, roll = direction * (distance or DEFAULT_DISTANCE), signed(file_roll, 16)
    target = np.rint([float(record[axis]) for axis in "xyz"] + view)
    if not (np.abs(target) <= _FARTHEST).all() and (base is None or (target != base["target"]).any()):
        raise ExportError(obj.name, T("its target is too far away"))
    record["target"], record["roll"] = target, roll


def _timer_number(
    context: ExportContext, numbered: dict[Object, tuple[int, int]], obj: Object, entities: Numbers
) -> int | None:
    """Return the number of the camera to cut to, or of the tracked entity, or None."""
    settings = obj.tomb_raider.flyby
    if cuts(settings.flags) and settings.cut_to is not None:
        sequence, number = numbered.get(settings.cut_to, (None, 0))
        if sequence == settings.sequence:
            if number > CUT_TARGET.largest:
                problem = T("the camera that it cuts to has too high a number in its sequence")
                raise ExportError(obj.name, problem, count=number, limit=CUT_TARGET.largest)
            return None if CUT_TARGET.of(settings.timer) == number else number
        context.report.warn(
            obj.name, T("the camera that it cuts to is not in its sequence, so the number in Timer is used")
        )
    elif tracks_entity(context.level.game, settings.flags) and settings.tracks is not None:
        if settings.tracks in entities.of:
            return entities.of[settings.tracks]
        context.report.warn(
            obj.name,
            T("the object that it looks at is no entity of the level, so the number in Timer is used"),
        )
    return None


STEPS = Steps({ImportStage.TARGETS: import_flybys}, {ExportStage.REFERENCES: export_flybys})
