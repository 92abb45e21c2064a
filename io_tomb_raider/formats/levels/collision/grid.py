"""Positions and neighbors of the sectors of many rooms, as arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The sides of a sector: their bits in floor data, and the steps to the neighbors.
SIDE_BITS = (1, 2, 4, 8)
SIDE_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


class SectorGrid:
    """The sectors of rooms, room by room, each x-major as in the file."""

    def __init__(self, sizes: Sequence[tuple[int, int]]) -> None:
        """Number the sectors of rooms with these numbers of sectors along x and along z."""
        self._sizes = np.array(sizes, np.int64).reshape(-1, 2)
        counts = self._sizes.prod(axis=1)
        self.starts = np.append(0, np.cumsum(counts))  #: (rooms + 1,), the index of each room's first sector.
        self.room = np.repeat(np.arange(len(counts)), counts)  #: (n,), the room's number.
        self.place = np.arange(len(self.room)) - self.starts[self.room]  #: (n,), the index in its room.
        #: (n,) each, in sectors from the room's corner.
        self.x, self.z = np.divmod(self.place, np.maximum(self._sizes[self.room, 1], 1))

    def __len__(self) -> int:
        return len(self.room)

    @property
    def rooms(self) -> int:
        """The number of rooms."""
        return len(self._sizes)

    def neighbors(self, side: int) -> NDArray[np.int64]:
        """Return (n,) the neighbor of each sector in its room, -1 at the room's border: +z, +x, -z or -x."""
        step_x, step_z = SIDE_STEPS[side]
        position, step = (self.z, step_z) if step_x == 0 else (self.x, step_x)
        last = (self._sizes[:, 1 if step_x == 0 else 0] - 1)[self.room]
        inside = position > 0 if step < 0 else position < last
        away = step if step_x == 0 else (step * self._sizes[:, 1])[self.room]
        return np.where(inside, np.arange(len(self)) + away, -1)


class Rectangle(NamedTuple):
    """A rectangle of sectors: its first one, and its size along x and z."""

    x: int
    z: int
    width: int
    depth: int

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Its sectors (x, z), in order."""
        spans = range(self.x, self.x + self.width), range(self.z, self.z + self.depth)
        return list(product(*spans))


def rectangles(keys: Mapping[tuple[int, int], object]) -> list[Rectangle]:
    """Cover sectors (x, z) with rectangles of equal keys, sorted by their first sectors.

    Each begins at the first uncovered sector and extends as far as possible along z, then along x.
    """
    uncovered = dict(keys)
    result = []
    for x, z in sorted(keys):  # each rectangle depends on those before, hence a loop
        if (x, z) not in uncovered:
            continue
        key, width, depth = uncovered[x, z], 1, 1
        while uncovered.get((x, z + depth)) == key:
            depth += 1
        while all(uncovered.get((x + width, z + row)) == key for row in range(depth)):
            width += 1
        result.append(Rectangle(x, z, width, depth))
        for cell in result[-1].cells:
            del uncovered[cell]
    return result


def rectangles_of_rows(rows: Sequence[list[Any]]) -> list[Rectangle]:
    """Cover sectors with rectangles as :func:`rectangles`, which is several times slower for whole rooms.

    Rows are by x the keys by z, as many in each; None for no sector. They are changed.
    """
    result = []
    for x, row in enumerate(rows):
        z = 0
        while z < len(row):
            key, start = row[z], z
            z += 1
            if key is None:
                continue
            while z < len(row) and row[z] == key:
                z += 1
            span, covered = row[start:z], [None] * (z - start)
            end = x + 1
            while end < len(rows) and rows[end][start:z] == span:
                rows[end][start:z] = covered
                end += 1
            result.append(Rectangle(x, start, end - x, z - start))
    return result
