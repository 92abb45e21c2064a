"""The rooms of objects that are not listed by room: what the user chose, or where they have gone."""

from __future__ import annotations

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import ArrayLike

from ....formats import ExportError
from ...core.context import ExportContext, ImportContext
from ...core.stages import RoomObjects
from .locator import Point
from .plan import RoomPlan
from .where import Whereabouts


def stand_in_room(
    context: ImportContext, rooms: RoomObjects, obj: Object, number: int, point: ArrayLike
) -> None:
    """Put a new object at its place, parented to its room's object, if there is one, so that it moves along.

    Args:
        context: the import.
        rooms: its rooms.
        object: the object.
        number: the room.
        point: (3,), in world units.
    """
    place = np.asarray(point, np.float64)
    parent = rooms.get(number)
    if parent is not None:
        room = context.level.rooms[number]
        obj.parent = parent
        place = place - (room.x, 0, room.z)
    obj.location = context.space.to_blender(place).tolist()


def standing(context: ExportContext, plan: RoomPlan, obj: Object, section: str) -> Matrix:
    """Return the world matrix of an object that was parented to its room.

    Where the user deletes a room, Blender takes what hung on it to where it stood in the room's own space.
    What was not moved beyond that stands where it stood before.

    Args:
        context: the export.
        plan: its rooms.
        object: what stands somewhere.
        section: the records that ``index`` counts.
    """
    matrix = context.space.matrix_of(obj)
    records, index = getattr(context.original, section), obj.tomb_raider.index
    if obj.parent is not None or not 0 <= index < len(records):
        return matrix
    number = int(records[index]["room"])
    if not 0 <= number < len(plan.map) or plan.map[number] >= 0:
        return matrix
    room = context.original.rooms[number]
    origin = np.array((room.x, 0, room.z), np.float64)
    place = np.array([records[index][axis] for axis in "xyz"], np.float64) - origin
    local = context.space.in_world(matrix.translation)
    if np.abs(context.space.to_file(np.array(local), obj.name) - place).max() < 0.5:
        matrix.translation = local + Vector(context.space.to_blender(origin).tolist())
    return matrix


def choose_room(
    context: ExportContext,
    where: Whereabouts,
    obj: Object,
    chosen: Object | None,
    before: int | None,
    point: Point,
    moved: bool,
) -> int:
    """Return the number of an object's room; where it stands in none, the user is told.

    The room that the user chose counts, unless the object was moved out of it into another.

    Args:
        context: the export.
        where: its rooms.
        object: what stands somewhere.
        chosen: the room object that its settings point at.
        before: the number of its room in the original, as it is written now; None for new objects.
        point: (3,), where it stands, in world units.
        moved: whether it stands elsewhere than in the original.

    Raises:
        ExportError: where there is no room at all.
    """
    number = where.numbers.get(chosen) if chosen is not None else None
    if number is None:
        number = where.room_of(obj)
    if number is None and before is not None and before not in where.numbers.values():
        number = before  # rooms are not in the scene, or the file names a room that never was
    is_chosen = before is not None and number != before
    if number is not None and (is_chosen or not moved or where.holds(number, point)):
        return number
    found = where.find(point)
    if found is not None:
        return found
    if number is not None:
        context.report.warn(obj.name, f"it stands in no room, so it stays in {_label(where.plan, number)}")
        return number
    if not where.rooms:
        raise ExportError(obj.name, "it stands in no room")
    found = where.nearest(point)
    text = f"it stands in no room, so it belongs to the nearest one, {_label(where.plan, found)}"
    context.report.warn(obj.name, text)
    return found


def _label(plan: RoomPlan, number: int) -> str:
    obj = plan.objects[number] if 0 <= number < len(plan.objects) else None
    return f"room {number}" if obj is None else obj.name
