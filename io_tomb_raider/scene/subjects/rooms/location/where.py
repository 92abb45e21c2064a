"""Rooms of objects and points in an export, and the rooms of an import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from .....formats import Room
from .....formats.base import SECTOR_SIZE
from .....formats.levels.collision import WALL
from ....core.membership import members
from ....core.stages import Product
from ....core.subjects import Kind
from .locator import Point, RoomLocator, is_outer
from .plan import RoomPlan


def parents_of(obj: Object) -> Iterator[Object]:
    """Yield the parents of an object, the nearest first."""
    parent = obj.parent
    while parent is not None:
        yield parent
        parent = parent.parent


class Whereabouts:
    """Finds the rooms of an export by objects and points; returned by :meth:`~..rooms.RoomExport.finish`."""

    def __init__(
        self, root: Collection, plan: RoomPlan, rooms: Sequence[Room], causes: Mapping[int, str] | None = None
    ) -> None:
        self._root = root
        self._causes = causes or {}
        self.plan = plan  #: the plan of the rooms.
        self.numbers = plan.numbers  #: the number of each room object of the scene.
        self.rooms = rooms  #: the rooms as they are written.

    def room_of(self, obj: Object) -> int | None:
        """Return the room number of the nearest room among an object's parents, else of its collection."""
        room = next((parent for parent in parents_of(obj) if parent in self.numbers), None)
        return self._by_collection.get(obj) if room is None else self.numbers[room]

    def diagnose(self, number: int | None) -> str:
        """Return the change of a room's object that may explain errors of its contents, "" for none."""
        return "" if number is None else self._causes.get(number, "")

    def has_lost_room(self, obj: Object) -> bool:
        """Return whether an object was in a room that the user has deleted."""
        if not self.numbers or self.room_of(obj) is not None:
            return False
        rooms = (parent for parent in parents_of(obj) if parent.tomb_raider.kind == Kind.ROOM)
        # A deleted object persists as a parent.
        return any(not room.users_collection for room in rooms) or obj in self._deserted

    @cached_property
    def _by_room(self) -> list[tuple[int | None, list[Object]]]:
        """The room, or None, and all objects of each room collection."""
        result = []
        for collection in self._root.children_recursive:
            if collection.tomb_raider.kind == Kind.ROOM:
                objects = members(collection)
                # Of a room and its copies in one collection, the first counts.
                number = min((self.numbers[obj] for obj in objects if obj in self.numbers), default=None)
                result.append((number, objects))
        return result

    @cached_property
    def _by_collection(self) -> dict[Object, int]:
        return {obj: number for number, objects in self._by_room if number is not None for obj in objects}

    @cached_property
    def _deserted(self) -> set[Object]:
        return {obj for number, objects in self._by_room if number is None for obj in objects}

    @cached_property
    def _locator(self) -> RoomLocator:
        boxes = np.zeros((len(self.rooms), 2, 3), np.int64)
        for box, room in zip(boxes, self.rooms, strict=True):
            width, depth = room.x_sectors * SECTOR_SIZE, room.z_sectors * SECTOR_SIZE
            box[0] = room.x, room.y_top, room.z
            box[1] = room.x + width, room.y_bottom, room.z + depth
        targets = [room.alternate_room for room in self.rooms]
        return RoomLocator(boxes, np.isin(np.arange(len(boxes)), targets), self._is_wall)

    def holds(self, number: int, point: Point) -> bool:
        """Return whether a point in world units is within a room's sectors, between its top and bottom."""
        return self._locator.holds(number, point)

    def find(self, point: Point) -> int | None:
        """Return the room that contains a point in world units, or None."""
        return self._locator.find(point)

    def nearest(self, point: Point) -> int:
        """Return the room nearest to a point in world units."""
        return self._locator.nearest(point)

    def _is_wall(self, number: int, position: NDArray[Any]) -> bool:
        room = self.rooms[number]
        x, z = int((position[0] - room.x) // SECTOR_SIZE), int((position[2] - room.z) // SECTOR_SIZE)
        if is_outer((x, z), (room.x_sectors, room.z_sectors)):
            return True
        return int(room.sectors["floor"][x * room.z_sectors + z]) == WALL


WHEREABOUTS: Product[Whereabouts] = Product("WHEREABOUTS")  # of an export
