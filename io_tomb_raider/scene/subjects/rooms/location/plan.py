"""Plan of an export's rooms: their numbers and originals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from .....formats import ExportError
from .....formats.base import T
from ....core.membership import level_of
from ....core.order import ordered


@dataclass(frozen=True)
class RoomPlan:
    """The rooms of one export, in the order in which they are written."""

    objects: list[Object | None]  #: by number, the object in the scene; None if rooms were not imported.
    sources: list[int]  #: by number, the original room that it is or is a copy of; -1 for a new room.
    map: NDArray[np.int64]  #: (original rooms,) int64: the exported number of each, -1 if deleted.
    #: by object that is exported with a room, that room: separated parts and imported geometry.
    parts: Mapping[Object, Object] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[Object, int]:
        """The exported number of each room object, including parts."""
        numbers = {obj: number for number, obj in enumerate(self.objects) if obj is not None}
        return numbers | {part: numbers[room] for part, room in self.parts.items()}

    def parts_of(self, number: int) -> list[Object]:
        """Return the objects that are parts of a room, sorted by name."""
        return self._by_room.get(self.objects[number], [])

    @cached_property
    def _by_room(self) -> dict[Object | None, list[Object]]:
        result: dict[Object | None, list[Object]] = {}
        for part in sorted(self.parts, key=lambda part: part.name):
            result.setdefault(self.parts[part], []).append(part)
        return result

    @property
    def is_changed(self) -> bool:
        """Whether rooms were added, deleted or reordered."""
        count = len(self.map)
        return len(self.sources) != count or not np.array_equal(self.map, np.arange(count))

    def number(self, old: int) -> int:
        """Return the new number of an original room, -1 if deleted; numbers out of range are kept."""
        return int(self.map[old]) if 0 <= old < len(self.map) else old

    def name(self, number: int) -> str:
        """Return the name of a room for users."""
        obj = self.objects[number]
        return f"Room {self.sources[number]:03}" if obj is None else obj.name

    def pointed_at(self, target: Object | None, subject: str, what: str) -> int | None:
        """Return the number of the room at which a pointer of the scene points.

        It is None where there is no room, or it was deleted, or is in another level. Errors name the subject,
        which is the object with the pointer, and the role of the room.

        Raises:
            ExportError: where it is an object outside all levels.
        """
        if target is None:
            return None
        number = self.numbers.get(target)
        # Deleted objects persist while pointers use them, but in no collection.
        if number is None and target.users_collection and level_of(target) is None:
            problem = T(
                "its {what} {target} is not a room of this level: choose another, or move it (M)",
                what=what,
                target=target.name,
            )
            raise ExportError(subject, T("{problem} into the level's Rooms", problem=problem))
        return number

    def renumber(self, rooms: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return new numbers, -1 for deleted rooms; numbers out of range are kept."""
        numbers = np.asarray(rooms).astype(np.int64)
        is_valid = (numbers >= 0) & (numbers < len(self.map))
        new = numbers.copy()
        new[is_valid] = self.map[numbers[is_valid]]
        return new


def plan_rooms(
    room_objects: Sequence[tuple[Object, int]], count: int, parts: Mapping[Object, Object], *, imported: bool
) -> RoomPlan:
    """Return the plan of the rooms to write.

    Args:
        room_objects: the room objects in the order of the file, each with its original index or -1.
        imported: whether rooms were imported, so that missing ones were deleted. Otherwise all are kept.
    """
    objects: list[Object | None] = []
    sources: list[int] = []
    numbers = np.full(count, -1, np.int64)
    if parts:
        room_objects = ordered(obj for obj, _ in room_objects if obj not in parts)
    by_index = {index: obj for obj, index in room_objects if 0 <= index < count}
    for index in sorted(by_index) if imported else range(count):
        numbers[index] = len(objects)
        objects.append(by_index.get(index))
        sources.append(index)
    for obj, index in room_objects:
        if not 0 <= index < count:
            # A copy has the index of its original.
            source = int(obj.tomb_raider.index)
            objects.append(obj)
            sources.append(source if 0 <= source < count else -1)
    return RoomPlan(objects, sources, numbers, parts)
