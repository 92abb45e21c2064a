"""Which room a thing of the scene belongs to, and which room a place lies in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import Room
from ....formats.base.units import SECTOR_SIZE
from ....formats.collision.surfaces import WALL
from ...core.members import members
from .plan import RoomPlan

Point = Sequence[float] | NDArray[Any]  # (3,), in world units


@dataclass(frozen=True)
class RoomObjects:
    """The rooms of one import.

    Attributes:
        objects: by number; none where rooms are not imported.
        collections: by number, those that the rooms' objects stand in.
    """

    objects: Sequence[Object] = ()
    collections: Sequence[Collection] = ()

    def get(self, number: int) -> Object | None:
        """Return the object of a room, or None where there is none."""
        return self.objects[number] if 0 <= number < len(self.objects) else None


class Whereabouts:
    """The rooms of one export, by what hangs on them and by the space that they take.

    Whoever has one may ask it: :meth:`~.rooms.RoomExport.finish` gives it, once the rooms are written.

    Attributes:
        plan: which rooms those are.
        numbers: for every room object of the scene the number of its room.
        rooms: the rooms as they are written.
    """

    def __init__(
        self, root: Collection, plan: RoomPlan, rooms: Sequence[Room], causes: Mapping[int, str] | None = None
    ) -> None:
        self._root = root
        self._causes = causes or {}
        self.plan = plan
        self.numbers = plan.numbers
        self.rooms = rooms

    def room_of(self, thing: Object) -> int | None:
        """Return the room that a thing is parented to, else the one in whose collection it stands."""
        parent = thing.parent
        while parent is not None:
            number = self.numbers.get(parent)
            if number is not None:
                return number
            parent = parent.parent
        return self._by_collection.get(thing)

    def why_off(self, number: int | None) -> str:
        """Return what about a room's object explains that things do not fit the room; "" for nothing."""
        return "" if number is None else self._causes.get(number, "")

    def has_lost_room(self, thing: Object) -> bool:
        """Tell whether a thing stood in a room that the user has deleted."""
        if not self.numbers or self.room_of(thing) is not None:
            return False
        parent = thing.parent
        while parent is not None:
            # A deleted object lives on in its children.
            if parent.tomb_raider.kind == "ROOM" and not parent.users_collection:
                return True
            parent = parent.parent
        return thing in self._deserted

    @cached_property
    def _homes(self) -> list[tuple[int | None, list[Object]]]:
        """For every room's collection the room in it, None where there is none, and all that is in it."""
        homes = []
        for collection in self._root.children_recursive:
            if collection.tomb_raider.kind == "ROOM":
                inside = members(collection)
                # A room that the user has copied within its collection counts as the original.
                number = min((self.numbers[thing] for thing in inside if thing in self.numbers), default=None)
                homes.append((number, inside))
        return homes

    @cached_property
    def _by_collection(self) -> dict[Object, int]:
        return {thing: number for number, inside in self._homes if number is not None for thing in inside}

    @cached_property
    def _deserted(self) -> set[Object]:
        return {thing for number, inside in self._homes if number is None for thing in inside}

    @cached_property
    def _boxes(self) -> NDArray[np.int64]:
        """Every room's least and greatest x, y, z in world units, (rooms, 2, 3)."""
        boxes = np.zeros((len(self.rooms), 2, 3), np.int64)
        for box, room in zip(boxes, self.rooms, strict=True):
            box[0] = room.x, room.y_top, room.z
            box[1] = (
                room.x + room.x_sectors * SECTOR_SIZE,
                room.y_bottom,
                room.z + room.z_sectors * SECTOR_SIZE,
            )
        return boxes

    @cached_property
    def _bounds(self) -> list[list[list[int]]]:
        """What :attr:`_boxes` is, as plain numbers."""
        found: list[list[list[int]]] = self._boxes.tolist()
        return found

    @cached_property
    def _is_alternate(self) -> NDArray[np.bool_]:
        targets = [room.alternate_room for room in self.rooms]
        return np.isin(np.arange(len(self.rooms)), targets)

    def holds(self, number: int, point: Point) -> bool:
        """Tell whether a point in world units lies within a room's sectors, between its top and bottom."""
        if not 0 <= number < len(self.rooms):
            return False
        # Asked of one point at a time, which plain numbers answer ten times as fast as arrays.
        least, greatest = self._bounds[number]
        x, y, z = point
        return bool(
            least[0] <= x <= greatest[0] and least[1] <= y <= greatest[1] and least[2] <= z <= greatest[2]
        )

    def find(self, point: Point) -> int | None:
        """Return the room that a point in world units lies in, or None where there is none.

        Rooms overlap by their outer sectors, which are walls, and lie on one another by their floors.
        Rooms with open space at the point come before others, then rooms above, since things stand on
        floors, and rooms that take another's place when flipped come last of all.
        """
        place = np.asarray(point)
        inside = ((self._boxes[:, 0] <= place) & (place <= self._boxes[:, 1])).all(axis=1)
        found = np.flatnonzero(inside)
        if not len(found):
            return None
        ranks = [
            (
                bool(self._is_alternate[room]),
                self._is_wall(room, place),
                bool(place[1] <= self._boxes[room, 0, 1]),
            )
            for room in found.tolist()
        ]
        return int(found[ranks.index(min(ranks))])

    def nearest(self, point: Point) -> int:
        """Return the room whose space is nearest to a point in world units."""
        place = np.asarray(point)
        outside = np.maximum(self._boxes[:, 0] - place, place - self._boxes[:, 1]).clip(min=0)
        return int((outside.astype(np.float64) ** 2).sum(axis=1).argmin())

    def _is_wall(self, number: int, place: NDArray[np.generic]) -> bool:
        room = self.rooms[number]
        x, z = int((place[0] - room.x) // SECTOR_SIZE), int((place[2] - room.z) // SECTOR_SIZE)
        if not (0 < x < room.x_sectors - 1 and 0 < z < room.z_sectors - 1):
            return True
        return int(room.sectors["floor"][x * room.z_sectors + z]) == WALL
