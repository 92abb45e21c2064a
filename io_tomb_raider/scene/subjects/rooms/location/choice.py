"""Rooms of objects that are not listed by room: chosen by the user, or found by position."""

from __future__ import annotations

import numpy as np
from bpy.types import Object
from mathutils import Matrix, Vector
from numpy.typing import ArrayLike, NDArray

from .....formats import ExportError
from .....formats.base import T
from ....core.context import ExportContext, ImportContext
from ....core.stages import RoomObjects
from .locator import Point
from .plan import RoomPlan
from .where import Whereabouts


def place_in_room(
    context: ImportContext, rooms: RoomObjects, obj: Object, number: int, point: ArrayLike
) -> None:
    """Place a new object at a point, (3,) in world units, parented to its room's object if there is one."""
    position = np.asarray(point, np.float64)
    parent = rooms.get(number)
    if parent is not None:
        room = context.level.rooms[number]
        obj.parent = parent
        position = position - (room.x, 0, room.z)
    obj.location = context.space.to_blender(position).tolist()


def placed_matrix(context: ExportContext, plan: RoomPlan, obj: Object, records: NDArray[np.void]) -> Matrix:
    """Return the world matrix of an object that was parented to its room.

    When the user deletes a room, Blender keeps the local positions of its children, so that they jump. Those
    that were not moved otherwise get their previous matrix. ``records`` are those of the original that the
    object's ``index`` counts.
    """
    matrix = context.space.matrix_of(obj)
    index = obj.tomb_raider.index
    if obj.parent is not None or not 0 <= index < len(records):
        return matrix
    number = int(records[index]["room"])
    if not 0 <= number < len(plan.map) or plan.map[number] >= 0:
        return matrix
    room = context.original.rooms[number]
    origin = np.array((room.x, 0, room.z), np.float64)
    position = np.array([records[index][axis] for axis in "xyz"], np.float64) - origin
    local = context.space.in_world(matrix.translation)
    if np.abs(context.space.to_file(np.array(local), obj.name) - position).max() < 0.5:
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
    """Return the number of an object's room; warn if the object is in none.

    The room that the user chose counts, unless the object was moved out of it into another.

    Args:
        chosen: the room object that its settings point at.
        before: the exported number of its room in the original; None for new objects.
        point: (3,), its position in world units.
        moved: whether its position differs from the original.

    Raises:
        ExportError: where there are no rooms.
    """
    number = where.numbers.get(chosen) if chosen is not None else None
    if number is None:
        number = where.room_of(obj)
    if number is None and before is not None and before not in where.numbers.values():
        number = before  # rooms are not in the scene, or the number is invalid in the file
    is_chosen = before is not None and number != before
    if number is not None and (is_chosen or not moved or where.holds(number, point)):
        return number
    result = where.find(point)
    if result is not None:
        return result
    if number is not None:
        text = T(
            "it is in no room, so it stays in {label}. Move it into a room", label=_label(where.plan, number)
        )
        context.report.warn(obj.name, text)
        return number
    if not where.rooms:
        raise ExportError(obj.name, T("it is in no room"))
    result = where.nearest(point)
    text = T(
        "it is in no room, so it is assigned to the nearest one, {label}", label=_label(where.plan, result)
    )
    context.report.warn(obj.name, text)
    return result


def _label(plan: RoomPlan, number: int) -> str:
    obj = plan.objects[number] if 0 <= number < len(plan.objects) else None
    return T("room {n}", n=number) if obj is None else obj.name
