"""Openings of sectors through walls, floors and ceilings, and their target sectors.

Documentation, chapters 3.2.3 and 4.4.1. The target is always the sector of the other room at the same
position: the games use no other, and some do not check that it exists.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import join_records
from ...base.bytes.records import SECTOR
from ...base.units import SECTOR_SIZE
from ..rooms.portals import same_places
from ..rooms.rooms import Room
from .grid import SectorGrid
from .sectors import NO_ROOM
from .surfaces import WALL

_MOST_STEPS = 8  # the longest chain of walls that an opening passes before it counts as endless


class OpeningKind(IntEnum):
    """The kind of an opening."""

    WALL = 0
    FLOOR = 1
    CEILING = 2


@dataclass(frozen=True, eq=False)
class Openings:
    """All openings of the sectors of some rooms."""

    kind: NDArray[np.int64]  #: (n,) a :class:`OpeningKind` each.
    room: NDArray[np.int64]  #: (n,) int64, the number of its room.
    place: NDArray[np.int64]  #: (n,) int64, its sector's index in that room.
    x: NDArray[np.int64]  #: (n,) int64, the sector's position along x.
    z: NDArray[np.int64]  #: likewise along z.
    target: NDArray[np.int64]  #: (n,) int64, the number of the target room, which may not exist.
    sector: NDArray[np.int64]  #: (n,) int64, its sector among those of all rooms.
    end: NDArray[np.int64]  #: (n,) int64, the target sector among those of all rooms, -1 for none.
    #: (n,) bool: no such room, no sector of it there, a solid one, or an endless chain.
    is_dead: NDArray[np.bool_]
    #: (n,) bool: the target has an opening back to this room, or to the one that this room replaces.
    has_back: NDArray[np.bool_]


class Uprights(NamedTuple):
    """The rooms below and above sectors, (n,) each, -1 for none."""

    below: NDArray[np.int32]
    above: NDArray[np.int32]


def native_uprights(rooms: Sequence[Room]) -> Uprights:
    """Return the rooms below and above all sectors of rooms that their records name."""
    sectors = join_records([np.zeros(0, SECTOR), *(room.sectors for room in rooms)])
    below, above = (
        np.where(sectors[name] == NO_ROOM, -1, sectors[name].astype(np.int32))
        for name in ("room_below", "room_above")
    )
    return Uprights(below, above)


def find_openings(
    rooms: Sequence[Room], walls: NDArray[np.int32], uprights: Uprights | None = None
) -> Openings:
    """Find all openings of rooms, and their targets.

    Args:
        walls: for all their sectors, room by room, the target rooms of walls, or -1.
        uprights: those of floors and ceilings; by default those that the records of sectors name.
    """
    return _SectorLookup(rooms, walls, uprights or native_uprights(rooms)).openings()


class _SectorLookup:
    """The sectors of all rooms, for lookups of other rooms' sectors at the same position."""

    def __init__(self, rooms: Sequence[Room], walls: NDArray[np.int32], uprights: Uprights) -> None:
        self.count = len(rooms)
        self.grid = SectorGrid([(room.x_sectors, room.z_sectors) for room in rooms])
        self.sizes = np.array([(room.x_sectors, room.z_sectors) for room in rooms], np.int64).reshape(-1, 2)
        self.corners = np.array([(room.x, room.z) for room in rooms], np.int64).reshape(-1, 2)
        self.walls = walls.astype(np.int64)
        sectors = join_records([np.zeros(0, SECTOR), *(room.sectors for room in rooms)])
        self.solid = (sectors["floor"] == WALL) & (sectors["ceiling"] == WALL)
        self.below, self.above = (each.astype(np.int64) for each in uprights)
        self.same = same_places(rooms)
        cells = np.stack([self.grid.x, self.grid.z], axis=1)
        self.middles = self.corners[self.grid.room] + cells * SECTOR_SIZE + SECTOR_SIZE // 2

    def openings(self) -> Openings:
        parts = [self._through_walls(), self._upright(OpeningKind.FLOOR), self._upright(OpeningKind.CEILING)]
        kind, sector, target, end, dead, back = (
            np.concatenate(columns) for columns in zip(*parts, strict=True)
        )
        grid = self.grid
        room, place, x, z = (column[sector] for column in (grid.room, grid.place, grid.x, grid.z))
        return Openings(kind, room, place, x, z, target, sector, end, dead, back)

    def _at(self, sector: NDArray[np.int64], room: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sectors of other rooms at the positions of sectors, -1 for none."""
        exists = (room >= 0) & (room < self.count)
        safe = np.where(exists, room, 0)
        cell = (self.middles[sector] - self.corners[safe]) // SECTOR_SIZE
        inside = exists & (cell >= 0).all(axis=1) & (cell < self.sizes[safe]).all(axis=1)
        return np.where(inside, self.grid.starts[safe] + cell[:, 0] * self.sizes[safe, 1] + cell[:, 1], -1)

    def _is_same(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which pairs of rooms are at the same place. Numbers of no room match none."""
        exist = (first >= 0) & (first < self.count) & (second >= 0) & (second < self.count)
        representatives = (self.same[np.where(exist, rooms, 0)] for rooms in (first, second))
        return exist & np.equal(*representatives)

    def _through_walls(self) -> tuple[NDArray[np.int64], ...]:
        sector = np.flatnonzero(self.walls >= 0)
        target = self.walls[sector]
        end = self._at(sector, target)
        # An opening at the corner of two walls passes through both.
        for _ in range(_MOST_STEPS):
            further = np.flatnonzero((end >= 0) & (self.walls[end] >= 0))
            end[further] = self._at(end[further], self.walls[end[further]])
        safe = np.maximum(end, 0)
        dead = (end < 0) | (self.walls[safe] >= 0) | self.solid[safe]
        back = np.zeros(len(sector), bool)
        for side in range(4):
            beside = self.grid.neighbors(side)[safe]
            # From a pool one climbs over its edge into the room above, and falls back through its floor.
            for leads in (self.walls, self.below, self.above):
                back |= (beside >= 0) & self._is_same(leads[beside], self.grid.room[sector])
        # After several walls the way back may be a different one.
        back |= self.grid.room[safe] != target
        return np.full(len(sector), OpeningKind.WALL, np.int64), sector, target, end, dead, back & ~dead

    def _upright(self, kind: OpeningKind) -> tuple[NDArray[np.int64], ...]:
        leads, backs = (self.below, self.above) if kind == OpeningKind.FLOOR else (self.above, self.below)
        sector = np.flatnonzero(leads >= 0)
        target = leads[sector]
        end = self._at(sector, target)
        safe = np.maximum(end, 0)
        dead = (end < 0) | self.solid[safe]
        back = ~dead & self._is_same(backs[safe], self.grid.room[sector])
        return np.full(len(sector), kind, np.int64), sector, target, end, dead, back
