"""Where the sectors of rooms meet: beside one another, and above one another, as arrays over all rooms.

Rooms meet where the open sectors of one end and those of another begin. A way between them needs a wall of
each over the sector of the other (documentation, chapter 4.4.1), or a floor that lies on a ceiling.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base.units import SECTOR_SIZE
from ....formats.collision.grid import SectorGrid
from ....formats.collision.sectors import Sectors
from ....formats.collision.surfaces import TRIANGLES, Split, Surface

_MOST_ALONG = 1 << 31  # units: what world coordinates stay within
_NEAR = 2  # units: heights that differ by no more are the same
_ENDS = ((1, 3), (2, 3))  # corners of a sector along its side towards +z, and towards +x
_FAR_ENDS = ((0, 2), (0, 1))  # of its neighbor there, in the same order


class Ground(NamedTuple):
    """The sectors of one room, and where they lie.

    Attributes:
        corner: x and z of its first sector in the world, in units.
        size: how many sectors it has along x and z.
        sectors: all of them.
    """

    corner: tuple[int, int]
    size: tuple[int, int]
    sectors: Sectors


@dataclass(frozen=True, eq=False)
class Contacts:
    """Places where a way can lead from one room's sector to another's, n of them.

    Attributes:
        one: (n,) the room of smaller coordinates, by its number among those given; of floors the upper one.
        other: (n,) the room beyond.
        here: (n,) the sector of the first room, by its place in that.
        there: (n,) the sector of the other room.
        wall: (n,) the wall of the first room that lies over ``there``; -1 for floors.
        back: (n,) the wall of the other room that lies over ``here``; -1 for floors.
        axis: (n,) across what they meet: 0 along x, 2 along z, 1 above one another.
        middle: (n, 2) x and z of the middle of ``here``, in units.
        plane: (n, 3) where they meet. Of walls the place on their axis, the highest point and the lowest of
            the opening; of floors the height at the middle, and how much it falls per unit along x and z.
        triangle: (n,) which half of the floor is open, -1 for all of it.
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    here: NDArray[np.int64]
    there: NDArray[np.int64]
    wall: NDArray[np.int64]
    back: NDArray[np.int64]
    axis: NDArray[np.int64]
    middle: NDArray[np.float64]
    plane: NDArray[np.float64]
    triangle: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.one)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Contacts:
        """Return some of them."""
        return Contacts(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    @classmethod
    def join(cls, parts: Sequence[Contacts]) -> Contacts:
        """Return those of several in a row."""
        columns = ([getattr(part, name) for part in parts] for name in cls.__dataclass_fields__)
        return cls(*(np.concatenate(each) for each in columns))


def find_contacts(grounds: Sequence[Ground], *, halves: bool) -> Contacts:
    """Find all places where rooms meet.

    Args:
        grounds: the rooms.
        halves: whether a floor can be open in one of its triangles only.
    """
    found = _Map(grounds)
    return Contacts.join([found.beside(0), found.beside(1), found.above(halves)])


class _Map:
    """The sectors of all rooms in one table, found by where they lie."""

    def __init__(self, grounds: Sequence[Ground]) -> None:
        self.corners = np.array([each.corner for each in grounds], np.int64).reshape(-1, 2)
        self.sizes = np.array([each.size for each in grounds], np.int64).reshape(-1, 2)
        self.grid = SectorGrid([each.size for each in grounds])
        sectors = [each.sectors for each in grounds]
        self.wall = np.concatenate([np.zeros(0, bool), *(each.wall for each in sectors)])
        self.floor, self.ceiling = (_joined([getattr(s, n) for s in sectors]) for n in ("floor", "ceiling"))
        self.tops, self.bottoms = self.ceiling.span()[0], self.floor.span()[1]  # of openings, by corner
        cells = np.stack([self.grid.x, self.grid.z], axis=1)
        self.places = self.corners[self.grid.room] + cells * SECTOR_SIZE
        self.keys = _key(self.places)
        self.open = np.flatnonzero(~self.wall)
        self.open = self.open[np.argsort(self.keys[self.open], kind="stable")]

    def _same_place(
        self, sectors: NDArray[np.int64], step: tuple[int, int]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of open sectors of different rooms: those given, and those one step farther."""
        wanted = _key(self.places[sectors] + np.array(step) * SECTOR_SIZE)
        ordered = self.keys[self.open]
        first = np.searchsorted(ordered, wanted, side="left")
        counts = np.searchsorted(ordered, wanted, side="right") - first
        one = np.repeat(sectors, counts)
        within = np.arange(len(one)) - np.repeat(np.cumsum(counts) - counts, counts)
        other = self.open[np.repeat(first, counts) + within]
        apart = self.grid.room[one] != self.grid.room[other]
        return one[apart], other[apart]

    def _at(self, room: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sectors of rooms at places on their grids, -1 where they have none."""
        cell = (places - self.corners[room]) // SECTOR_SIZE
        inside = (cell >= 0).all(axis=1) & (cell < self.sizes[room]).all(axis=1)
        return np.where(inside, self.grid.starts[room] + cell[:, 0] * self.sizes[room, 1] + cell[:, 1], -1)

    def beside(self, side: int) -> Contacts:
        """Return where rooms meet towards +z (0) or +x (1)."""
        step = ((0, 1), (1, 0))[side]
        one, other = self._same_place(self.open, step)
        walls = self._at(self.grid.room[one], self.places[other])
        backs = self._at(self.grid.room[other], self.places[one])
        known = (walls >= 0) & (backs >= 0) & self.wall[walls] & self.wall[backs]
        one, other, walls, backs = (each[known] for each in (one, other, walls, backs))
        ends, far = list(_ENDS[side]), list(_FAR_ENDS[side])
        tops = np.maximum(self.tops[one][:, ends], self.tops[other][:, far])
        bottoms = np.minimum(self.bottoms[one][:, ends], self.bottoms[other][:, far])
        passes = (bottoms - tops > _NEAR).any(axis=1)
        border = self.places[other][:, 0 if side else 1]
        plane = np.stack([border, tops.min(axis=1), bottoms.max(axis=1)], axis=1).astype(np.float64)
        return self._contacts(one, other, walls, backs, 0 if side else 2, plane).take(passes)

    def above(self, halves: bool) -> Contacts:
        """Return where a floor lies on the ceiling of another room."""
        one, other = self._same_place(self.open, (0, 0))
        floor, ceiling = _take(self.floor, one), _take(self.ceiling, other)
        same = (np.abs(floor.corners() - ceiling.corners()) <= _NEAR).all(axis=2)
        is_flat = (floor.heights[:, 0] == floor.heights[:, 1]).all(axis=1)
        is_flat &= (np.abs(floor.heights - ceiling.heights) <= _NEAR).all(axis=(1, 2))
        divided = (floor.split == ceiling.split) & (floor.split != Split.NONE)
        whole = is_flat | ((floor.split == ceiling.split) & same.all(axis=1))
        half = divided & ~whole & same.any(axis=1) & halves
        triangle = np.where(whole, -1, same[:, 1].astype(np.int64))
        planes = _planes(floor, triangle)
        none = np.full(len(one), -1)
        found = self._contacts(one, other, none, none, 1, planes, triangle)
        return found.take(whole | half)

    def _contacts(
        self,
        one: NDArray[np.int64],
        other: NDArray[np.int64],
        walls: NDArray[np.int64],
        backs: NDArray[np.int64],
        axis: int,
        plane: NDArray[np.float64],
        triangle: NDArray[np.int64] | None = None,
    ) -> Contacts:
        place = np.append(self.grid.place, -1)  # so that -1 stays
        rooms = self.grid.room
        middle = self.places[one] + SECTOR_SIZE / 2
        across = np.full(len(one), axis)
        half = np.full(len(one), -1) if triangle is None else triangle
        return Contacts(
            rooms[one], rooms[other], place[one], place[other], place[walls], place[backs], across, middle,
            plane, half,
        )  # fmt: skip


def _key(places: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number for every place, (n,), by which to find others there."""
    return np.asarray(places[:, 0] * _MOST_ALONG + places[:, 1])


def _joined(surfaces: Sequence[Surface]) -> Surface:
    if not surfaces:
        return Surface(np.zeros((0, 2, 4), np.int32), np.zeros(0, np.uint8), np.zeros(0, np.int8))
    names = ("heights", "split", "open_triangle")
    return Surface(*(np.concatenate([getattr(each, name) for each in surfaces]) for name in names))


def _take(surface: Surface, rows: NDArray[np.int64]) -> Surface:
    return Surface(surface.heights[rows], surface.split[rows], surface.open_triangle[rows])


def _planes(surface: Surface, triangle: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the planes of surfaces, (n, 3): height at the middle, and what they fall along x and z.

    Args:
        surface: n floors.
        triangle: (n,) which one counts, -1 for both; of two planes it is the mean.
    """
    heights = surface.heights.astype(np.float64)
    has = np.zeros(heights.shape, bool)
    np.put_along_axis(has, TRIANGLES[surface.split], True, axis=2)
    both = np.where(has, heights, 0).sum(axis=1) / has.sum(axis=1)
    own = np.take_along_axis(heights, np.maximum(triangle, 0)[:, None, None], axis=1)[:, 0]
    corners = np.where((triangle < 0)[:, None], both, own)
    x = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / (2 * SECTOR_SIZE)
    z = (corners[:, 1] + corners[:, 3] - corners[:, 0] - corners[:, 2]) / (2 * SECTOR_SIZE)
    return np.stack([corners.mean(axis=1), x, z], axis=1)
