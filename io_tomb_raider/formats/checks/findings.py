"""What a check has found, and what all checks look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.units import SECTOR_SIZE
from ..collision.grid import SectorGrid
from ..collision.openings import Openings, find_openings
from ..collision.sectors import Sectors, level_sectors
from ..floor.lists import FloorLists, joined_indices
from ..level.level import Level
from ..meshes.meshes import MeshBlock, decode_meshes


class Severity(IntEnum):
    """How bad what was found is."""

    INFO = 0
    WARNING = 1
    ERROR = 2


class Thing(NamedTuple):
    """Something of a level, by its number in the file: rooms, entities, cameras; others by their id.

    Attributes:
        kind: ``level``, ``room``, ``entity``, ``model`` or ``mesh``; ``portal`` and ``trigger`` stand for the
            room that one is in.
        number: its number.
    """

    kind: str
    number: int = 0


THE_LEVEL = Thing("level")


@dataclass(frozen=True)
class Finding:
    """One thing that a game would trip over, or that may not be meant.

    Attributes:
        check: what was looked for; the same word for all findings of one kind.
        severity: how bad it is.
        thing: what has it.
        text: what is wrong, in a user's words; ``{0}``, ``{1}`` stand for the names of ``others``.
        others: other things that have to do with it.
        count: how often it is there.
        place: where in the world, in world units, y down, where that is known.
    """

    check: str
    severity: Severity
    thing: Thing
    text: str
    others: tuple[Thing, ...] = ()
    count: int = 1
    place: tuple[float, float, float] | None = None

    def say(self, name: Callable[[Thing], str]) -> str:
        """Return the text with the names of the other things."""
        return self.text.format(*map(name, self.others))


class CheckedLevel:
    """A level and what checks ask about it, each decoded once.

    Args:
        level: a level with rooms and models.
        floor_lists, sectors, meshes: what was decoded already; all three, or none.

    Raises:
        FormatError: by every attribute, where what it decodes is damaged.
    """

    def __init__(
        self,
        level: Level,
        floor_lists: FloorLists | None = None,
        sectors: Sectors | None = None,
        meshes: MeshBlock | None = None,
    ) -> None:
        self.level = level
        self._floor_lists, self._sectors, self._meshes = floor_lists, sectors, meshes

    @cached_property
    def floor_lists(self) -> FloorLists:
        """The lists of floor data."""
        return self._floor_lists or FloorLists.read(self.level)

    @cached_property
    def sectors(self) -> Sectors:
        """The sectors of all rooms, one room after the other."""
        return self._sectors or level_sectors(self.level, self.floor_lists)

    @cached_property
    def meshes(self) -> MeshBlock:
        """The decoded mesh block."""
        level = self.level
        return self._meshes or decode_meshes(level.game, level.mesh_data, level.mesh_pointers)

    @cached_property
    def indices(self) -> NDArray[np.int64]:
        """The index of floor data of all sectors, (n,)."""
        return joined_indices(self.level.rooms).astype(np.int64)

    @cached_property
    def grid(self) -> SectorGrid:
        """Where the sectors lie in their rooms."""
        return SectorGrid([(room.x_sectors, room.z_sectors) for room in self.level.rooms])

    @cached_property
    def corners(self) -> NDArray[np.int64]:
        """The corners of rooms, x and z in world units, (rooms, 2)."""
        return np.array([(room.x, room.z) for room in self.level.rooms], np.int64).reshape(-1, 2)

    @cached_property
    def openings(self) -> Openings:
        """All openings of sectors."""
        return find_openings(self.level.rooms, self.sectors.portal)

    @cached_property
    def is_open(self) -> NDArray[np.bool_]:
        """Tell of each sector whether there is space in it, (n,)."""
        return ~self.sectors.wall & (self.floor_bottom > self.ceiling_top)

    @cached_property
    def floor_bottom(self) -> NDArray[np.int64]:
        """The greatest y of each sector's floor, its lowest corner, (n,)."""
        return self.sectors.floor.span()[1].max(axis=1).astype(np.int64)

    @cached_property
    def ceiling_top(self) -> NDArray[np.int64]:
        """The least y of each sector's ceiling, its highest corner, (n,)."""
        return self.sectors.ceiling.span()[0].min(axis=1).astype(np.int64)

    def sector_at(
        self, room: NDArray[np.int64], x: NDArray[np.int64], z: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the sectors of rooms at places of the world, (n,), -1 where there is none."""
        count = len(self.level.rooms)
        known = (room >= 0) & (room < count)
        safe = np.where(known, room, 0)
        if not count:
            return np.full(len(room), -1, np.int64)
        sizes = np.array([(each.x_sectors, each.z_sectors) for each in self.level.rooms], np.int64)[safe]
        cell = (np.stack([x, z], axis=1).astype(np.int64) - self.corners[safe]) // SECTOR_SIZE
        inside = known & (cell >= 0).all(axis=1) & (cell < sizes).all(axis=1)
        return np.where(inside, self.grid.starts[safe] + cell[:, 0] * sizes[:, 1] + cell[:, 1], -1)

    def middle(self, sector: int) -> tuple[float, float, float]:
        """Return the middle of a sector's floor in world units."""
        room = int(self.grid.room[sector])
        x, z = (
            float(self.corners[room][axis] + (cell[sector] + 0.5) * SECTOR_SIZE)
            for axis, cell in enumerate((self.grid.x, self.grid.z))
        )
        floor = self.sectors.floor.heights[sector, 0].mean()
        height = self.level.rooms[room].y_bottom if self.sectors.wall[sector] else float(floor)
        return x, float(height), z


def grouped(*columns: NDArray[np.int64]) -> Iterator[tuple[tuple[int, ...], NDArray[np.int64]]]:
    """Yield every combination of values of some columns with the rows that have it, in their order."""
    if not len(columns[0]):
        return
    keys, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    ends = np.cumsum(np.bincount(inverse, minlength=len(keys)))
    for key, rows in zip(keys.tolist(), np.split(order, ends[:-1]), strict=True):
        yield tuple(key), rows


def counted(count: int, one: str, more: str) -> str:
    """Return a text for one or for several, in which braces stand for the count; others' stay."""
    return (one if count == 1 else more).replace("{}", str(count))


Check = Callable[[CheckedLevel], Iterator[Finding]]


def run_checks(level: CheckedLevel, checks: Sequence[Check]) -> list[Finding]:
    """Run checks, and return all that they find."""
    return [finding for check in checks for finding in check(level)]
