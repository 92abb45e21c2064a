"""The sectors of a project in the world, and which of them can be reached from a room, for boxes.

Positions are sectors of the world, heights clicks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Ints
from .....base.games import Game
from ...geometry.openings import PASSABLE, Opening, ProjectRooms, clicks, highest
from ...model.objects import GhostBlock, Opacity
from ...model.rooms import ProjectRoom, RoomType
from ...model.shape import XNZN, XNZP, XPZN, XPZP, SectorFlag
from ..plan.plan import Plan
from ..rooms.sectors import joined

_STEEP = 3  # clicks between neighboring corners
_SHALLOW = 1


class BoxWay(NamedTuple):
    """A direction in which rectangles grow."""

    edge: int  #: the side of the rectangle: x0, z0, x1, z1 are 0 to 3.
    step: int  #: 1 towards higher coordinates, else -1.
    across: tuple[int, int]  #: the sides at which its outermost row starts and ends.
    along: int  #: the step from one sector of the row to the next.

    @property
    def along_x(self) -> bool:
        """Return whether its rows are along x."""
        return self.edge % 2 == 1


# In the editor's order. Rows are examined from one end to the other.
WAYS = (
    BoxWay(1, -1, (0, 2), 1),
    BoxWay(2, 1, (1, 3), 1),
    BoxWay(3, 1, (2, 0), -1),
    BoxWay(0, -1, (3, 1), -1),
)


class World:
    """All sectors of all rooms in one list, with the properties that boxes depend on.

    Arrays have the shape (n + 1,): the last entry is for positions outside of rooms.
    """

    def __init__(self, plan: Plan, rooms: ProjectRooms, game: Game) -> None:
        ordered = plan.rooms
        shapes = [room.shape for room in ordered]
        self.x, self.z = (np.array([getattr(room, name) for room in ordered], np.int64) for name in "xz")
        self.nx = np.array([shape.x_sectors for shape in shapes], np.int64)
        self.nz = np.array([shape.z_sectors for shape in shapes], np.int64)
        sizes = self.nx * self.nz
        self.first, self.count = np.cumsum(sizes) - sizes, int(sizes.sum())
        #: positions of sectors, in their room and in the world.
        self.room = np.append(np.repeat(np.arange(len(ordered)), sizes), 0)
        index = np.arange(self.count + 1) - self.first[self.room]
        self.local_x, self.local_z = index // self.nz[self.room], index % self.nz[self.room]
        self.world_x, self.world_z = self.local_x + self.x[self.room], self.local_z + self.z[self.room]
        x, z, width, depth = self.local_x, self.local_z, self.nx[self.room], self.nz[self.room]
        #: whether sectors are not at the border.
        self.inner = (x > 0) & (z > 0) & (x < width - 1) & (z < depth - 1)
        self.inner[-1] = False
        self.water = np.array([room.kind == RoomType.WATER for room in ordered])
        self.flips = np.array([rooms.partner(room) is not None for room in ordered])
        self.is_alternate = np.array([rooms.is_alternate(room) for room in ordered])
        self.excluded = np.array([room.no_pathfinding for room in ordered])
        flags = self._all([shape.flags for shape in shapes], 0)
        wall = self._all([shape.wall | shape.border for shape in shapes], True)
        barred = flags & SectorFlag.NOT_WALKABLE != 0
        #: boxes start there.
        self.walkable = self.inner & ~wall & ~barred & ~self.excluded[self.room]
        floor, ceiling = self._connect(plan, rooms)
        start = np.where(self.crosses, self.at(self.into, self.world_x, self.world_z), np.arange(len(index)))
        bottom = self._bottoms(floor)[start]
        #: sectors without a height: walls, and sectors that are not walkable.
        self.nothing = self.excluded[self.room] | (wall & ~self.crosses) | barred | barred[bottom]
        self.nothing |= (start == self.count) | (bottom == self.count)
        self._look(ordered, flags, bottom, game)
        above = ceiling[bottom]
        flipped = np.arange(len(ordered))
        for number, room in enumerate(ordered):
            partner = rooms.partner(room)
            if partner is not None and not self.is_alternate[number]:
                flipped[number] = plan.index[partner.number]
        over = (self.water[above], self.water[flipped[above]])
        #: by state (normal, flipped): the bottom is in water of little depth, and the room above is dry.
        self.shallow = [self.near_surface & (above >= 0) & ~each for each in over]
        #: equal numbers for sectors with the same properties.
        self.look = self._looks()
        #: the number of equal sectors in a row: by step along x, then z; forwards, then backwards.
        self.runs = self._runs(self.look)
        #: the number of equal sectors around each, in all directions.
        self.square = self._squares(self.look)

    def _connect(self, plan: Plan, rooms: ProjectRooms) -> tuple[Ints, Ints]:
        """Set the rooms behind walls; return those below open floors and above ceilings, -1 for none."""
        links = [rooms.links(room) for room in plan.rooms]
        portals = [link.portals for link in links]
        numbers = [
            np.array([*(plan.index.get(each.room, -1) for each in room_portals), -1])
            for room_portals in portals
        ]
        solid = [
            np.array([*(each.opacity == Opacity.SOLID_FACES for each in room_portals), False])
            for room_portals in portals
        ]
        linked = list(zip(links, numbers, strict=True))
        #: the room behind a wall portal, -1 for none; whether nothing passes through it.
        self.portal = self._all([number[link.wall] for link, number in linked], -1)
        self.solid = self._all([each[link.wall] for each, link in zip(solid, links, strict=True)], False)
        #: whether there is a passable wall portal; the room behind it, otherwise the sector's own room.
        self.crosses = (self.portal >= 0) & ~self.solid
        self.into = np.where(self.crosses, self.portal, self.room)
        below = self._all([number[link.floor] for link, number in linked], -1)
        plain = self._all([rooms.openings(room, PASSABLE).floor for room in plan.rooms], Opening.CLOSED)
        ghostly = self._all([rooms.collision_openings(room).floor for room in plan.rooms], Opening.CLOSED)
        same = (self.water[self.room] == self.water[below]) & (ghostly == Opening.FULL)
        #: the room at the bottom of fully open floors, from which boxes start.
        self.base = self.room[self._bottoms(np.where(same, below, -1))]
        ceiling = self._all([number[link.ceiling] for link, number in linked], -1)
        return np.where(plain == Opening.CLOSED, -1, below), ceiling

    def _look(self, rooms: Sequence[ProjectRoom], flags: Ints, bottom: Ints, game: Game) -> None:
        """Set the properties of the sector at the bottom of each."""
        floors, ceilings = _path_heights(rooms)
        corners, top = clicks(self._all(floors, 0)), clicks(highest(self._all(ceilings, 0)))
        y = clicks(np.array([room.y for room in rooms], np.int64))[self.room]
        mean = corners.sum(axis=1) >> 2
        modern = game.traits.has_materials
        slope, deep = is_steep(corners), self.water[self.room]
        self.height = (mean + y)[bottom]
        self.monkey = (modern & (flags & SectorFlag.MONKEY != 0))[bottom]
        self.gray = (flags & SectorFlag.BOX != 0)[bottom]
        #: the floor counts only if the box does not start in deep water.
        self.steep = (slope & ~deep)[bottom] & modern & ~self.nothing
        #: a mark of boxes (TR1, TR2).
        self.slope = slope[bottom] & (not modern)
        #: the bottom is in water of little depth. The editor adds the height of the room on one side only.
        self.near_surface = (deep & (top + y - mean <= _SHALLOW))[bottom] & ~self.nothing

    def _all(self, arrays: Sequence[NDArray[np.generic]], outside: int | bool) -> Ints:
        """Return arrays (z, x, ...) of all rooms as one, with a last entry."""
        values = joined(arrays)
        return np.concatenate([values, np.full((1, *values.shape[1:]), outside, values.dtype)])

    def at(self, room: Ints, x: Ints, z: Ints) -> Ints:
        """Return the sectors of rooms at positions, the last entry outside."""
        x, z = x - self.x[room], z - self.z[room]
        depth = self.nz[room]
        inside = (x >= 0) & (z >= 0) & (x < self.nx[room]) & (z < depth) & (room >= 0)
        return np.where(inside, self.first[room] + x * depth + z, self.count)

    def is_shallow(self, cell: Ints, state: Ints) -> Bools:
        """Return whether sectors are in shallow water, in states 0 (normal) or 1 (flipped)."""
        return np.where(state == 0, self.shallow[0][cell], self.shallow[1][cell])

    def _bottoms(self, floor: Ints) -> Ints:
        """Return the last sector below each, through openings to the rooms of floors, -1 for none."""
        here = np.arange(self.count + 1)
        below = np.where(floor >= 0, self.at(floor, self.world_x, self.world_z), here)
        for _ in range(max(len(self.x), 1).bit_length()):  # each round doubles the depth reached
            below = below[below]
        return below

    def _looks(self) -> Ints:
        """Return equal numbers for sectors that look the same."""
        marks = self.nothing * 32 + self.monkey * 16 + self.gray * 8 + self.steep * 4
        marks += self.shallow[0] * 2 + self.shallow[1]
        return self.height * 64 + marks + (np.where(self.crosses, self.portal + 1, 0) << 40)

    def _squares(self, look: Ints) -> Ints:
        """Return how many sectors around each, in all directions, look the same, without the border."""
        here, inner = np.arange(self.count + 1), self.inner
        depth = self.nz[self.room]
        steps = (np.ones_like(depth), depth)
        pairs = [((here - step).clip(0), (here + step).clip(None, self.count)) for step in steps]
        uniform = inner
        for low, high in pairs:
            uniform = uniform & (look[low] == look) & (look[high] == look)
        # All eight neighbors: rows of three, side by side, whose middles are equal.
        (low, high), (before, after) = pairs
        rows = inner & (look[low] == look) & (look[high] == look) & inner[low] & inner[high]
        uniform &= rows & rows[before] & rows[after]
        result = np.zeros(self.count + 1, np.int64)
        while uniform.any():
            result += uniform
            for low, high in pairs:
                uniform = uniform & uniform[low] & uniform[high]
        return result

    def _runs(self, look: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        by_row = np.lexsort((self.local_x[:-1], self.local_z[:-1], self.room[:-1]))
        runs = []
        for order, local in ((by_row, self.local_x), (np.arange(self.count), self.local_z)):
            values, first = look[order], local[order] == 0
            first[1:] |= values[1:] != values[:-1]
            starts = np.flatnonzero(first)
            number = np.cumsum(first) - 1
            ends = np.append(starts[1:], self.count)
            here = np.arange(self.count)
            directions = []
            for length in (ends[number] - here, here - starts[number] + 1):
                run = np.ones(self.count + 1, np.int64)
                run[order] = length
                directions.append(run)
            runs.append((directions[0], directions[1]))
        return runs[0], runs[1]

    def reach(self, room: Ints, x: Ints, z: Ints) -> tuple[Bools, Ints]:
        """Return whether positions can be reached from rooms, and the rooms where they are."""
        room, ok = room.copy(), np.ones(len(room), np.bool_)
        # The editor compares positions in the world with sizes of rooms: near the origin, nothing is done.
        moving = ~((x >= 0) & (z >= 0) & (x < self.nx[room]) & (z < self.nz[room]))
        falls = moving.copy()
        last = np.full(len(room), -1)
        live = np.flatnonzero(moving)
        for _ in self.x:  # portals of damaged projects can lead round in a circle
            current = room[live]
            width, depth = self.nx[current], self.nz[current]
            at_x = (x[live] - self.x[current]).clip(0, width - 1)
            at_z = (z[live] - self.z[current]).clip(0, depth - 1)
            corner = ((at_x == 0) | (at_x == width - 1)) & ((at_z == 0) | (at_z == depth - 1))
            cell = self.first[current] + at_x * depth + at_z
            portal = self.portal[cell]
            through = ~corner & (portal >= 0)
            back = through & (portal == last[live])
            ok[live[corner | back]] = False
            through &= ~back
            last[live[through]] = current[through]
            room[live[through]] = portal[through]
            ok[live[through & self.solid[cell]]] = False
            live = live[through & ~self.solid[cell]]
            current = room[live]
            near = (
                (x[live] >= 0) & (z[live] >= 0) & (x[live] < self.nx[current]) & (z[live] < self.nz[current])
            )
            live = live[~near]
            if not len(live):
                break
        ok[live] = False
        cell = self.at(room, x, z)
        ok &= ~falls | (cell < self.count)
        return ok, np.where(ok & falls, self.base[cell], room)


def _path_heights(rooms: Sequence[ProjectRoom]) -> tuple[list[Ints], list[Ints]]:
    """Return the heights of floors and ceilings, (z, x, 4); the offsets of ghost blocks replace them."""
    floors, ceilings = [], []
    for room in rooms:
        floor, ceiling = room.shape.floor.heights, room.shape.ceiling.heights
        ghosts = list(room.each(GhostBlock))
        if ghosts:
            floor, ceiling = floor.copy(), ceiling.copy()
        for ghost in ghosts:
            if room.shape.has_sector(ghost.x, ghost.z):
                floor[ghost.z, ghost.x], ceiling[ghost.z, ghost.x] = ghost.floor, ghost.ceiling
        floors.append(floor)
        ceilings.append(ceiling)
    return floors, ceilings


def is_steep(corners: Ints) -> Bools:
    """Return which floors (n, 4) are too steep to walk on."""
    a, b, c, d = (corners[:, corner] for corner in (XNZP, XPZP, XPZN, XNZN))
    ab, bc, cd, da = (np.abs(first - second) >= _STEEP for first, second in ((a, b), (b, c), (c, d), (d, a)))
    low, high = np.minimum(b, d), np.maximum(b, d)
    crosswise = (a != c) & ((b == d) | (a < low) | (c < low) | (a > high) | (c > high))
    many = ab.astype(np.int8) + bc + cd + da >= 3
    split = np.where(crosswise, (ab & bc) | (cd & da), (ab & da) | (bc & cd))
    return many | (ab & cd) | (bc & da) | split
