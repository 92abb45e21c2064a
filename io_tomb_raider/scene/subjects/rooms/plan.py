"""Which rooms an export writes, under which numbers, and where each of them comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import ExportError
from ...core.members import level_of
from ...core.order import ordered


@dataclass(frozen=True)
class RoomPlan:
    """The rooms of one export, in the order in which they are written.

    Attributes:
        objects: by number, the object in the scene; None where rooms were not imported.
        sources: by number, the original room that it is or is a copy of; -1 for a room that is new.
        map: (original rooms,) int64: the number that each original room is written under, -1 where it was
            deleted.
        parts: by object, the room that it was separated from and is written as a part of.
    """

    objects: list[Object | None]
    sources: list[int]
    map: NDArray[np.int64]
    parts: Mapping[Object, Object] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[Object, int]:
        """For every room object the number that it is written under, parts included."""
        numbers = {obj: number for number, obj in enumerate(self.objects) if obj is not None}
        return numbers | {part: numbers[room] for part, room in self.parts.items()}

    def parts_of(self, number: int) -> list[Object]:
        """Return the objects that were separated from a room, in the order of their names."""
        room = self.objects[number]
        found = [part for part, whole in self.parts.items() if whole == room]
        return sorted(found, key=lambda part: part.name)

    @property
    def is_changed(self) -> bool:
        """Whether there are other rooms than the file had."""
        count = len(self.map)
        return len(self.sources) != count or not np.array_equal(self.map, np.arange(count))

    def number(self, old: int) -> int:
        """Return the new number of an original room: -1 if it was deleted, itself if it never was."""
        return int(self.map[old]) if 0 <= old < len(self.map) else old

    def name(self, number: int) -> str:
        """Return what the user calls a room that is written."""
        obj = self.objects[number]
        return f"Room {self.sources[number]:03}" if obj is None else obj.name

    def pointed_at(self, target: Object | None, subject: str, what: str) -> int | None:
        """Return the number of the room that a pointer of the scene means.

        Args:
            target: what it points at.
            subject: the name of the object that has the pointer, for errors.
            what: what the room is to it.

        Returns:
            The number, or None where there is no room, or it was deleted, or dragged to another level.

        Raises:
            ExportError: where it is no room of this level.
        """
        if target is None:
            return None
        number = self.numbers.get(target)
        # What users delete lives on for as long as something points at it, but in no collection.
        if number is None and target.users_collection and level_of(target) is None:
            problem = f"its {what} {target.name} is not a room of this level: choose another, or move it (M)"
            raise ExportError(subject, f"{problem} into the level's Rooms")
        return number

    def renumber(self, old: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return new numbers: -1 for deleted rooms. Numbers that name no room stay what they are."""
        numbers = np.asarray(old).astype(np.int64)
        known = (numbers >= 0) & (numbers < len(self.map))
        new = numbers.copy()
        new[known] = self.map[numbers[known]]
        return new


def plan_rooms(
    found: Sequence[tuple[Object, int]], count: int, parts: Mapping[Object, Object], *, imported: bool
) -> RoomPlan:
    """Decide which rooms are written.

    Args:
        found: the room objects in the order of the file, each with its original index or -1.
        count: how many rooms the original has.
        parts: which of the objects are parts of others.
        imported: whether the rooms stand in the scene, so that one that is missing was deleted. Otherwise
            all are kept.
    """
    objects: list[Object | None] = []
    sources: list[int] = []
    numbers = np.full(count, -1, np.int64)
    if parts:
        found = ordered(obj for obj, _ in found if obj not in parts)
    by_index = {index: obj for obj, index in found if 0 <= index < count}
    for index in sorted(by_index) if imported else range(count):
        numbers[index] = len(objects)
        objects.append(by_index.get(index))
        sources.append(index)
    for obj, index in found:
        if not 0 <= index < count:
            # A copy has the index of what it is a copy of.
            source = int(obj.tomb_raider.index)
            objects.append(obj)
            sources.append(source if 0 <= source < count else -1)
    return RoomPlan(objects, sources, numbers, parts)
