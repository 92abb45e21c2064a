"""Edited records of objects written into the objects of a project, value by value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Floats
from ..model.objects import PlacedObject, Positioned
from ..model.project import Project
from ..model.rooms import ProjectRoom
from .sources import Pair

_Kind = TypeVar("_Kind", bound=Positioned)
_ROOM_BYTES = 4
_TYPE_APART = 1e7  # units: how far records of different types are from each other


class Records(NamedTuple):
    """Records of one kind in a level, with the rooms of the project that they are in."""

    rows: NDArray[np.void]  #: (n,) the records.
    #: (n, k) uint8, the records as they are compared: without numbers that follow other edits.
    keys: NDArray[np.uint8]
    rooms: Sequence[ProjectRoom]  #: the room of each.
    #: makes the object of a record in a room, of which only the position counts, with a number.
    convert: Callable[[ProjectRoom, Any, int], Positioned]
    #: rooms at other positions than now, by their numbers.
    moved: Mapping[int, ProjectRoom]

    def at(self, row: int, number: int = 0) -> Positioned:
        """Return the object of a record."""
        return self.convert(self._room(row), self.rows[row], number)

    def content(self, row: int) -> tuple[Any, ...]:
        """Return all on which the object of a record depends."""
        room = self._room(row)
        return room.x, room.y, room.z, self.rows[row].tobytes()

    def _room(self, row: int) -> ProjectRoom:
        return self.moved.get(self.rooms[row].number, self.rooms[row])


def update_placed(
    project: Project,
    before: Records,
    after: Records,
    origins: Sequence[int],
    pairs: Iterable[Pair],
    kept: Sequence[str] = (),
) -> dict[int, int]:
    """Write the differences between two states of records into the objects of a project.

    Args:
        before, after: the records of the compiled and of the edited level.
        origins: the number of the object of each record before.
        pairs: the pairs of records before and after, -1 for one that was removed or added.
        kept: names of values that a level does not store; an object keeps its own.

    Returns:
        The number of the object of each record after, by its index.
    """
    owners = {each.number: (room, each) for room, each in project.objects()}
    numbers: dict[int, int] = {}
    for old, new in pairs:
        if new < 0:
            if origins[old] in owners:  # else it went with its room
                room, obj = owners[origins[old]]
                room.objects.remove(obj)
        elif old < 0 or origins[old] not in owners:
            obj = after.at(new, project.new_number())
            after.rooms[new].objects.append(obj)
            numbers[new] = obj.number
        else:
            numbers[new] = origins[old]
            room, obj = owners[origins[old]]
            assert isinstance(obj, Positioned)
            if before.content(old) != after.content(new):
                _change(obj, before.at(old), after.at(new), kept)
            # A room that the level does not store is found again by its place; only moves count.
            if after.rooms[new] is not before.rooms[old]:
                room.objects.remove(obj)
                after.rooms[new].objects.append(obj)
    return numbers


def places_of(rows: NDArray[np.void]) -> Floats:
    """Return coordinates for the distances of records, (n, 4): their position and type."""
    result = np.zeros((len(rows), 4))
    if len(rows):
        for column, axis in enumerate("xyz"):
            result[:, column] = rows[axis]
        names = rows.dtype.names or ()
        for name in ("type", "static_mesh", "sound"):
            if name in names:
                result[:, 3] = rows[name].astype(np.float64) * _TYPE_APART
    return result


def _change(obj: PlacedObject, before: PlacedObject, after: PlacedObject, kept: Sequence[str]) -> None:
    """Set the values of an object that differ between two states, and only these."""
    for field in fields(obj):
        if field.name in kept or field.name == "number":
            continue
        old_value, new_value = getattr(before, field.name), getattr(after, field.name)
        if old_value == new_value:
            continue
        value = getattr(obj, field.name)
        if isinstance(value, tuple) and len(value) == len(new_value):
            new_value = tuple(
                part if old == new else new
                for part, old, new in zip(value, old_value, new_value, strict=True)
            )
        setattr(obj, field.name, new_value)


def records(
    rows: NDArray[np.void],
    rooms: Sequence[ProjectRoom],
    convert: Callable[[ProjectRoom, Any, int], Positioned],
    moved: Mapping[int, ProjectRoom],
    ignored: Sequence[str] = (),
) -> Records:
    """Return records (n,) with their rooms. `ignored`: fields whose numbers follow other edits."""
    plain = rows.copy()
    for name in ignored:
        if name in (plain.dtype.names or ()):
            plain[name] = 0
    keys = np.zeros((len(rows), rows.dtype.itemsize + _ROOM_BYTES), np.uint8)
    if len(rows):
        keys[:, _ROOM_BYTES:] = np.ascontiguousarray(plain).view(np.uint8).reshape(len(rows), -1)
        numbers = np.array([room.number for room in rooms], "<u4")
        keys[:, :_ROOM_BYTES] = numbers.view(np.uint8).reshape(-1, _ROOM_BYTES)
    return Records(rows, keys, rooms, convert, moved)
