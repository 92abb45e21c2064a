"""Sources of an edited level's parts in the level that was compiled from its project, and pairs of parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Floats, Ints
from ....edits.patches.align import hunks
from ....levels.rooms.rooms import Room
from ..from_level.rooms.parts import LevelParts

NEW, UNKNOWN = -1, -2
# Fields of a room on which its form in a project does not depend, and those of alternate rooms.
_OTHERS = frozenset(
    (
        *("lights", "static_meshes", "fog_bulbs", "sprites", "portals"),
        *("header", "block", "geometry_words", "alternate_room", "alternate_group"),
    )
)
Pair = tuple[int, int]  # rows before and after, NEW for a row that was added or removed


@dataclass(frozen=True)
class Sources:
    """By row of the edited level, the row of the compiled level from which it comes.

    It is :data:`NEW` for added rows, and :data:`UNKNOWN` for rows that can only be found by their content.
    """

    rooms: Ints  #: (rooms,) int64.
    #: by number of a new room, the row of the room that it is a copy of.
    copied_rooms: Mapping[int, int] = field(default_factory=dict)
    #: (n,) int64 by section of the level; those of rooms count through the lists of all rooms.
    records: Mapping[str, Ints] = field(default_factory=dict)
    #: (cameras,) bool, which rows of the table of cameras are sinks; None if that is not known.
    sinks: Bools | None = None

    def of(self, section: str, count: int) -> Ints:
        """Return the sources of a number of records; all are unknown if add-ons changed that number."""
        sources = self.records.get(section)
        return np.full(count, UNKNOWN) if sources is None or len(sources) != count else sources


def paired(
    sources: Ints,
    before: NDArray[np.generic],
    after: NDArray[np.generic],
    before_places: Floats,
    after_places: Floats,
) -> list[Pair]:
    """Return pairs of rows as :func:`pairs`, which finds the pairs of rows without a known source.

    `sources`: (n,) of the rows after.
    """
    is_known = np.zeros(len(before), np.bool_)
    is_old = (sources >= 0) & (sources < len(before))
    is_known[sources[is_old]] = True
    old, new = np.flatnonzero(~is_known), np.flatnonzero(sources == UNKNOWN)
    source_of = dict(zip(np.flatnonzero(is_old).tolist(), sources[is_old].tolist(), strict=True))
    removed = old.tolist()
    if len(new):
        removed = []
        for old_row, new_row in pairs(before[old], after[new], before_places[old], after_places[new]):
            if new_row < 0:
                removed.append(int(old[old_row]))
            elif old_row >= 0:
                source_of[int(new[new_row])] = int(old[old_row])
    return [(row, NEW) for row in removed] + [(source_of.get(row, NEW), row) for row in range(len(after))]


def pairs(
    before: NDArray[Any], after: NDArray[Any], before_places: Floats, after_places: Floats
) -> list[Pair]:
    """Return pairs of rows, -1 for a row that was added or removed, in the order of the rows after.

    Equal rows in the same order are pairs; between them, rows of equal numbers in order; others the nearest.
    `before_places`, `after_places`: (n, k) coordinates, from which the distance of two rows follows.
    """
    result: list[Pair] = []
    old_at = new_at = 0
    for hunk in hunks(before, after, by_window=False):
        result += zip(range(old_at, hunk.start), range(new_at, hunk.new_start), strict=True)
        old, new = range(hunk.start, hunk.stop), range(hunk.new_start, hunk.new_stop)
        if len(old) == len(new):
            result += zip(old, new, strict=True)
        else:
            result += _nearest(old, new, before_places, after_places)
        old_at, new_at = hunk.stop, hunk.new_stop
    result += zip(range(old_at, len(before)), range(new_at, len(after)), strict=True)
    return result


def _nearest(old: range, new: range, before: Floats, after: Floats) -> Iterable[Pair]:
    result: list[Pair] = []
    old_rows, new_rows = set(old), set(new)
    if old_rows and new_rows:
        distance = np.linalg.norm(before[old][:, None] - after[new][None], axis=2)
        for index in np.argsort(distance, axis=None, kind="stable").tolist():
            row, column = divmod(index, len(new))
            if old[row] in old_rows and new[column] in new_rows:
                result.append((old[row], new[column]))
                old_rows.discard(old[row])
                new_rows.discard(new[column])
    result += [(row, NEW) for row in sorted(old_rows)]
    result += [(NEW, row) for row in sorted(new_rows)]
    return result


def keys_of(contents: Iterable[bytes]) -> NDArray[np.uint64]:
    """Return a 64-bit key for each content, (n,)."""
    return np.array(
        [int.from_bytes(blake2b(each, digest_size=8).digest(), "little") for each in contents], np.uint64
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
