"""Rooms of a level that are the same before and after its edits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ....levels.rooms.rooms import Room
from ..from_level.rooms.parts import LevelParts
from .sources import Pair

# Fields of a room on which its form in a project does not depend, and those of alternate rooms.
_OTHERS = frozenset(
    (
        *("lights", "static_meshes", "fog_bulbs", "sprites", "portals"),
        *("header", "block", "geometry_words", "alternate_room", "alternate_group"),
    )
)


def unchanged_rooms(before: LevelParts, after: LevelParts, rooms: Iterable[Pair]) -> set[int]:
    """Return the rooms after whose :meth:`.LevelParts.room` and `blockable` are those of their pair before.

    It is much faster to compare the rooms of levels than those of projects. Rooms in which only the numbers
    of other rooms and of boxes differ are left out.
    """
    levels = before.level.rooms, after.level.rooms
    same = [(old, new) for old, new in rooms if old >= 0 and _are_equal(levels[0][old], levels[1][new])]
    if not same or before.game is not after.game or before.trng != after.trng:
        return set()
    rows = [
        np.concatenate([np.arange(parts.rows(number).start, parts.rows(number).stop) for number in numbers])
        for parts, numbers in zip((before, after), zip(*same, strict=True), strict=True)
    ]
    sectors = [parts.decoded.sectors.take(each) for parts, each in zip((before, after), rows, strict=True)]
    differs = sectors[0].differs(sectors[1]) | (
        before.can_be_blocked[rows[0]] != after.can_be_blocked[rows[1]]
    )
    owners = np.repeat([new for _, new in same], [len(levels[1][new].sectors) for _, new in same])
    return {new for _, new in same}.difference(owners[differs].tolist())


def _are_equal(before: Room, after: Room) -> bool:
    """Return whether two rooms have the same size, mesh and values."""
    first, second = (
        {name: value for name, value in vars(room).items() if name not in _OTHERS} for room in (before, after)
    )
    return first.keys() == second.keys() and all(
        np.asarray(value).tobytes() == np.asarray(second[name]).tobytes() for name, value in first.items()
    )
