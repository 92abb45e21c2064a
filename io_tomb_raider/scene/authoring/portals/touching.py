"""Contacts of rooms' sectors: next to each other, and above each other, as arrays over all rooms.

Rooms meet where open sectors of two rooms are adjacent. An opening needs a wall of each room over the sector
of the other (documentation, chapter 4.4.1), or a floor on a ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE, Columns
from ....formats.levels.collision import TRIANGLES, SectorGrid, Sectors, Split, Surface

_MOST_ALONG = 1 << 31  # units: the range of world coordinates
_NEAR = 2  # units: tolerance of heights
_ENDS = ((1, 3), (2, 3))  # corners of a sector on its side toward +z, and toward +x
_FAR_ENDS = ((0, 2), (0, 1))  # of its neighbor there, in the same order


class Ground(NamedTuple):
    """The sectors of one room and their place."""

    corner: tuple[int, int]  #: x and z of its first sector in the world, in units.
    size: tuple[int, int]  #: the number of sectors along x and z.
    sectors: Sectors


@dataclass(frozen=True, eq=False)
class Contacts(Columns):
    """Contacts, n possible openings between sectors of two rooms."""

    one: NDArray[np.int64]  #: (n,) the number of the room at smaller coordinates; for floors the upper one.
    other: NDArray[np.int64]  #: (n,) the number of the other room.
    here: NDArray[np.int64]  #: (n,) the index of the first room's sector.
    there: NDArray[np.int64]  #: (n,) the index of the other room's sector.
    wall: NDArray[np.int64]  #: (n,) the wall of the first room over ``there``; -1 for floors.
    back: NDArray[np.int64]  #: (n,) the wall of the other room over ``here``; -1 for floors.
    axis: NDArray[np.int64]  #: (n,) the axis across which they meet: 0 for x, 2 for z, 1 for floors.
    middle: Annotated[NDArray[np.float64], 2]  #: (n, 2) x and z of the middle of ``here``, in units.
    #: (n, 3). For walls the place on their axis, and the top and the bottom of the opening; for floors the
    #: height at the middle, and the slope along x and z.
    plane: Annotated[NDArray[np.float64], 3]
    triangle: NDArray[np.int64]  #: (n,) the open triangle of the floor, -1 for all of it.


def find_contacts(grounds: Sequence[Ground], *, halves: bool) -> Contacts:
    """Find all contacts of rooms.

    Args:
        halves: whether a single triangle of a floor can be open.
    """
    table = _Map(grounds)
    return Contacts.join([table.next_to(0), table.next_to(1), table.above(halves)])


class _Map:
    """The sectors of all rooms in one table, searchable by place."""

    def __init__(self, grounds: Sequence[Ground]) -> None:
        self.corners = np.array([each.corner for each in grounds], np.int64).reshape(-1, 2)
        self.sizes = np.array([each.size for each in grounds], np.int64).reshape(-1, 2)
        self.grid = SectorGrid([each.size for each in grounds])
        sectors = [each.sectors for each in grounds]
        self.wall = np.concatenate([np.zeros(0, bool), *(each.wall for each in sectors)])
        self.floor = Surface.join(each.floor for each in sectors)
        self.ceiling = Surface.join(each.ceiling for each in sectors)
        self.tops, self.bottoms = self.ceiling.span()[0], self.floor.span()[1]  # of openings, by corner
        cells = np.stack([self.grid.x, self.grid.z], axis=1)
        self.places = self.corners[self.grid.room] + cells * SECTOR_SIZE
        self.keys = _key(self.places)
        self.open = np.flatnonzero(~self.wall)
        self.open = self.open[np.argsort(self.keys[self.open], kind="stable")]

    def _same_place(
        self, sectors: NDArray[np.int64], step: tuple[int, int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of open sectors of different rooms: given ones, and those one step farther."""
        keys = _key(self.places[sectors] + np.array(step) * SECTOR_SIZE)
        ordered = self.keys[self.open]
        start = np.searchsorted(ordered, keys, side="left")
        counts = np.searchsorted(ordered, keys, side="right") - start
        first = np.repeat(sectors, counts)
        rank = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = self.open[np.repeat(start, counts) + rank]
        is_other_room = self.grid.room[first] != self.grid.room[second]
        return first[is_other_room], second[is_other_room]

    def _at(self, room: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sectors of rooms at places on their grids, -1 outside."""
        cell = (places - self.corners[room]) // SECTOR_SIZE
        inside = (cell >= 0).all(axis=1) & (cell < self.sizes[room]).all(axis=1)
        return np.where(inside, self.grid.starts[room] + cell[:, 0] * self.sizes[room, 1] + cell[:, 1], -1)

    def next_to(self, side: int) -> Contacts:
        """Return the contacts of walls toward +z (0) or +x (1)."""
        step = ((0, 1), (1, 0))[side]
        first, second = self._same_place(self.open, step)
        walls = self._at(self.grid.room[first], self.places[second])
        backs = self._at(self.grid.room[second], self.places[first])
        is_walled = (walls >= 0) & (backs >= 0) & self.wall[walls] & self.wall[backs]
        first, second, walls, backs = (each[is_walled] for each in (first, second, walls, backs))
        ends, far = list(_ENDS[side]), list(_FAR_ENDS[side])
        tops = np.maximum(self.tops[first][:, ends], self.tops[second][:, far])
        bottoms = np.minimum(self.bottoms[first][:, ends], self.bottoms[second][:, far])
        passes = (bottoms - tops > _NEAR).any(axis=1)
        border = self.places[second][:, 0 if side else 1]
        plane = np.stack([border, tops.min(axis=1), bottoms.max(axis=1)], axis=1).astype(np.float64)
        return self._contacts(first, second, walls, backs, 0 if side else 2, plane).take(passes)

    def above(self, halves: bool) -> Contacts:
        """Return the contacts of floors on ceilings of other rooms."""
        first, second = self._same_place(self.open, (0, 0))
        floor, ceiling = self.floor.take(first), self.ceiling.take(second)
        same = (np.abs(floor.corners() - ceiling.corners()) <= _NEAR).all(axis=2)
        is_flat = (floor.heights[:, 0] == floor.heights[:, 1]).all(axis=1)
        is_flat &= (np.abs(floor.heights - ceiling.heights) <= _NEAR).all(axis=(1, 2))
        divided = (floor.split == ceiling.split) & (floor.split != Split.NONE)
        whole = is_flat | ((floor.split == ceiling.split) & same.all(axis=1))
        half = divided & ~whole & same.any(axis=1) & halves
        triangle = np.where(whole, -1, same[:, 1].astype(np.int64))
        planes = _planes(floor, triangle)
        no_walls = np.full(len(first), -1)
        contacts = self._contacts(first, second, no_walls, no_walls, 1, planes, triangle)
        return contacts.take(whole | half)

    def _contacts(
        self,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        walls: NDArray[np.int64],
        backs: NDArray[np.int64],
        axis: int,
        plane: NDArray[np.float64],
        triangle: NDArray[np.int64] | None = None,
    ) -> Contacts:
        place = np.append(self.grid.place, -1)  # so that -1 stays
        rooms = self.grid.room
        middle = self.places[first] + SECTOR_SIZE / 2
        axes = np.full(len(first), axis)
        triangles = np.full(len(first), -1) if triangle is None else triangle
        return Contacts(
            rooms[first], rooms[second], place[first], place[second], place[walls], place[backs], axes,
            middle, plane, triangles,
        )  # fmt: skip


def _key(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a search key for every place, (n,)."""
    return np.asarray(places[:, 0] * _MOST_ALONG + places[:, 1])


def _planes(surface: Surface, triangle: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the planes of surfaces, (n, 3): the height at the middle, and the slope along x and z.

    Args:
        surface: n floors.
        triangle: (n,) the triangle of the plane, -1 for both; then it is the mean of their planes.
    """
    heights = surface.heights.astype(np.float64)
    is_corner = np.zeros(heights.shape, bool)
    np.put_along_axis(is_corner, TRIANGLES[surface.split], True, axis=2)
    mean = np.where(is_corner, heights, 0).sum(axis=1) / is_corner.sum(axis=1)
    single = np.take_along_axis(heights, np.maximum(triangle, 0)[:, None, None], axis=1)[:, 0]
    corners = np.where((triangle < 0)[:, None], mean, single)
    x = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / (2 * SECTOR_SIZE)
    z = (corners[:, 1] + corners[:, 3] - corners[:, 0] - corners[:, 2]) / (2 * SECTOR_SIZE)
    return np.stack([corners.mean(axis=1), x, z], axis=1)
