"""Boxes, overlaps and zones of a project, the same as those of the editor.

The editor grows a rectangle from every sector, so boxes can overlap, and what it looks at depends on the room
that it looks from. All rectangles grow at once here. Positions are sectors of the world, heights clicks.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.distinct import equal_rows
from ...base.messages import T
from ...base.records import BOX
from ...base.units import SECTOR_SIZE
from ...errors import ExportError
from ...games import Game
from ...pathfinding.boxes import Pathfinding
from ...pathfinding.overlaps import END, JUMP, MONKEY, components
from ..objects import GhostBlock, Opacity
from ..openings import PASSABLE, Opening, ProjectRooms, clicks, highest
from ..rooms import Room, RoomType
from ..shape import XNZN, XNZP, XPZN, XPZP, SectorFlag
from .plan import CLICK, Plan
from .sectors import joined

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_NO_BOX = -1
_NEVER = 1 << 40  # the height of sectors that boxes do not grow over
_UNKNOWN = -_NEVER
_STEEP = 3  # clicks between neighboring corners
_SHALLOW = 1
_DEEPER = 2  # sectors of a gap are lower by this to be jumped over
_WIDEST_GAP = 2
_NO_WORDS = 0x3FFF
_ALONE = 0x8000
_BOX_LIMIT, _BOX_LIMIT_OLD = 0x7FF, 0x7FFF
_WORD_LIMIT = 0x3FFF - 1
_AT_ONCE = 1 << 20  # pairs of boxes
_TURNS, _FEW = 4, 1000  # between two searches for equal rectangles; fewer are not worth one
_MANY = 0.7  # of the rectangles still grow: the others are not worth being taken out
_GROUND_STEP, _CLIMB_STEP = 1, 4
_GROUND, _GROUND_2, _SWIMMERS, _CLIMBERS, _FLYERS = range(1, 6)
_KINDS = (_GROUND, _GROUND_2, _SWIMMERS, _CLIMBERS, _FLYERS)
_KINDS_TR1 = (_GROUND, _GROUND_2, _FLYERS)


class Way(NamedTuple):
    """A direction in which rectangles grow.

    Attributes:
        edge: the side of the rectangle: x0, z0, x1, z1 are 0 to 3.
        step: 1 towards higher coordinates, else -1.
        across: the sides at which its outermost row starts and ends.
        along: the step from one sector of the row to the next.
    """

    edge: int
    step: int
    across: tuple[int, int]
    along: int

    @property
    def along_x(self) -> bool:
        """Return whether its rows are along x."""
        return self.edge % 2 == 1


# In the editor's order. Rows are looked at from one end to the other.
_WAYS = (
    Way(1, -1, (0, 2), 1),
    Way(2, 1, (1, 3), 1),
    Way(3, 1, (2, 0), -1),
    Way(0, -1, (3, 1), -1),
)

# Arrays of growing rectangles.
_OF_RECTANGLES = ("sides", "wet", "height", "monkey", "mark", "rooms", "corners", "open")


class World:
    """All sectors of all rooms in one list, and what is seen when one of them is looked at.

    Arrays (n + 1,) have a last entry for positions outside of rooms.

    Attributes:
        room, local_x, local_z, place_x, place_z: where sectors are, in their room and in the world.
        inner: not at the border.
        walkable: boxes start there.
        portal: the room behind a wall portal, -1 for none; `solid`: nothing passes through it.
        base: the room at the bottom of what is fully open.
        nothing: no height: walls, and sectors that are not walkable.
        height: of the floor at the bottom.
        into: the room in which a look through a wall portal ends; otherwise the own one.
        crosses: whether there is a passable wall portal.
        monkey, gray: the marks of the bottom sector.
        steep: the floor counts only if the look is not from deep water.
        slope: a mark of boxes (TR1, TR2).
        near_surface: the bottom is in water of little depth; `shallow`, by state (normal, flipped): and the
            room above is dry.
        look: equal numbers for sectors that look the same.
        square: the sectors around each that look the same, in all directions.
        runs: by step along x, then z; forwards, then backwards: the number of sectors that look the same.
    """

    def __init__(self, plan: Plan, rooms: ProjectRooms, game: Game) -> None:
        own = plan.rooms
        shapes = [room.shape for room in own]
        self.x, self.z = (np.array([getattr(room, name) for room in own], np.int64) for name in "xz")
        self.nx = np.array([shape.x_sectors for shape in shapes], np.int64)
        self.nz = np.array([shape.z_sectors for shape in shapes], np.int64)
        sizes = self.nx * self.nz
        self.first, self.count = np.cumsum(sizes) - sizes, int(sizes.sum())
        self.room = np.append(np.repeat(np.arange(len(own)), sizes), 0)
        place = np.arange(self.count + 1) - self.first[self.room]
        self.local_x, self.local_z = place // self.nz[self.room], place % self.nz[self.room]
        self.place_x, self.place_z = self.local_x + self.x[self.room], self.local_z + self.z[self.room]
        x, z, width, depth = self.local_x, self.local_z, self.nx[self.room], self.nz[self.room]
        self.inner = (x > 0) & (z > 0) & (x < width - 1) & (z < depth - 1)
        self.inner[-1] = False
        self.water = np.array([room.kind == RoomType.WATER for room in own])
        self.flips = np.array([rooms.partner(room) is not None for room in own])
        self.is_alternate = np.array([rooms.is_alternate(room) for room in own])
        self.excluded = np.array([room.no_pathfinding for room in own])
        flags = self._all([shape.flags for shape in shapes], 0)
        wall = self._all([shape.wall | shape.border for shape in shapes], True)
        barred = flags & SectorFlag.NOT_WALKABLE != 0
        self.walkable = self.inner & ~wall & ~barred & ~self.excluded[self.room]
        floor, ceiling = self._connect(plan, rooms)
        start = np.where(self.crosses, self.at(self.into, self.place_x, self.place_z), np.arange(len(place)))
        bottom = self._bottoms(floor)[start]
        self.nothing = self.excluded[self.room] | (wall & ~self.crosses) | barred | barred[bottom]
        self.nothing |= (start == self.count) | (bottom == self.count)
        self._look(own, flags, bottom, game)
        above = ceiling[bottom]
        flipped = np.arange(len(own))
        for number, room in enumerate(own):
            partner = rooms.partner(room)
            if partner is not None and not self.is_alternate[number]:
                flipped[number] = plan.index[partner.number]
        over = (self.water[above], self.water[flipped[above]])
        self.shallow = [self.near_surface & (above >= 0) & ~each for each in over]
        self.look = self._looks()
        self.runs, self.square = self._runs(self.look), self._squares(self.look)

    def _connect(self, plan: Plan, rooms: ProjectRooms) -> tuple[Ints, Ints]:
        """Set the rooms behind walls; return those below open floors and above ceilings, -1 for none."""
        links = [rooms.links(room) for room in plan.rooms]
        portals = [link.portals for link in links]
        numbers = [np.array([*(plan.index.get(each.room, -1) for each in own), -1]) for own in portals]
        solid = [np.array([*(each.opacity == Opacity.SOLID_FACES for each in own), False]) for own in portals]
        both = list(zip(links, numbers, strict=True))
        self.portal = self._all([number[link.wall] for link, number in both], -1)
        self.solid = self._all([each[link.wall] for each, link in zip(solid, links, strict=True)], False)
        self.crosses = (self.portal >= 0) & ~self.solid
        self.into = np.where(self.crosses, self.portal, self.room)
        below = self._all([number[link.floor] for link, number in both], -1)
        plain = self._all([rooms.openings(room, PASSABLE).floor for room in plan.rooms], Opening.CLOSED)
        ghostly = self._all([rooms.collision_openings(room).floor for room in plan.rooms], Opening.CLOSED)
        same = (self.water[self.room] == self.water[below]) & (ghostly == Opening.FULL)
        # The room at the bottom of what is fully open, from which boxes start.
        self.base = self.room[self._bottoms(np.where(same, below, -1))]
        ceiling = self._all([number[link.ceiling] for link, number in both], -1)
        return np.where(plain == Opening.CLOSED, -1, below), ceiling

    def _look(self, rooms: Sequence[Room], flags: Ints, bottom: Ints, game: Game) -> None:
        """Set what is seen at the bottom of sectors."""
        floors, ceilings = _path_heights(rooms)
        corners, top = clicks(self._all(floors, 0)), clicks(highest(self._all(ceilings, 0)))
        y = clicks(np.array([room.y for room in rooms], np.int64))[self.room]
        mean = corners.sum(axis=1) >> 2
        modern = game.traits.has_materials
        slope, deep = is_steep(corners), self.water[self.room]
        self.height = (mean + y)[bottom]
        self.monkey = (modern & (flags & SectorFlag.MONKEY != 0))[bottom]
        self.gray = (flags & SectorFlag.BOX != 0)[bottom]
        self.steep = (slope & ~deep)[bottom] & modern & ~self.nothing
        self.slope = slope[bottom] & (not modern)
        # The editor adds the height of the room on one side only.
        self.near_surface = (deep & (top + y - mean <= _SHALLOW))[bottom] & ~self.nothing

    def _all(self, arrays: Sequence[NDArray[np.generic]], outside: int | bool) -> NDArray[np.int64]:
        """Return arrays (z, x, ...) of all rooms as one, with a last entry."""
        values = joined(arrays)
        return np.concatenate([values, np.full((1, *values.shape[1:]), outside, values.dtype)])

    def at(self, room: Ints, x: Ints, z: Ints) -> Ints:
        """Return the sectors of rooms at positions, the last entry outside."""
        x, z = x - self.x[room], z - self.z[room]
        depth = self.nz[room]
        inside = (x >= 0) & (z >= 0) & (x < self.nx[room]) & (z < depth) & (room >= 0)
        return np.where(inside, self.first[room] + x * depth + z, self.count)

    def _bottoms(self, floor: Ints) -> Ints:
        """Return the last sector below each, through openings to the rooms of floors, -1 for none."""
        here = np.arange(self.count + 1)
        below = np.where(floor >= 0, self.at(floor, self.place_x, self.place_z), here)
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
        here = np.arange(self.count + 1)
        width, depth = self.nx[self.room], self.nz[self.room]
        inner = (
            (self.local_x > 0) & (self.local_z > 0) & (self.local_x < width - 1) & (self.local_z < depth - 1)
        )
        inner[-1] = False
        steps = (np.ones_like(depth), depth)
        pairs = [((here - step).clip(0), (here + step).clip(None, self.count)) for step in steps]
        uniform = inner
        for low, high in pairs:
            uniform = uniform & (look[low] == look) & (look[high] == look)
        # All eight neighbors: rows of three, side by side, whose middles are equal.
        (low, high), (left, right) = pairs
        rows = inner & (look[low] == look) & (look[high] == look) & inner[low] & inner[high]
        uniform &= rows & rows[left] & rows[right]
        result = np.zeros(self.count + 1, np.int64)
        while uniform.any():
            result += uniform
            for low, high in pairs:
                uniform = uniform & uniform[low] & uniform[high]
        return result

    def _runs(self, look: Ints) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        by_row = np.lexsort((self.local_x[:-1], self.local_z[:-1], self.room[:-1]))
        found = []
        for order, place in ((by_row, self.local_x), (np.arange(self.count), self.local_z)):
            values, first = look[order], place[order] == 0
            first[1:] |= values[1:] != values[:-1]
            starts = np.flatnonzero(first)
            number = np.cumsum(first) - 1
            ends = np.append(starts[1:], self.count)
            here = np.arange(self.count)
            both = []
            for length in (ends[number] - here, here - starts[number] + 1):
                run = np.ones(self.count + 1, np.int64)
                run[order] = length
                both.append(run)
            found.append((both[0], both[1]))
        return found[0], found[1]

    def reach(self, room: Ints, x: Ints, z: Ints) -> tuple[Bools, Ints]:
        """Return whether positions can be reached from rooms, and the rooms where they are."""
        room, ok = room.copy(), np.ones(len(room), np.bool_)
        # The editor compares positions in the world with sizes of rooms: near the origin, nothing is done.
        moving = ~((x >= 0) & (z >= 0) & (x < self.nx[room]) & (z < self.nz[room]))
        falls = moving.copy()
        last = np.full(len(room), -1)
        live = np.flatnonzero(moving)
        for _ in self.x:  # portals of damaged projects can lead round in a circle
            own = room[live]
            width, depth = self.nx[own], self.nz[own]
            at_x = (x[live] - self.x[own]).clip(0, width - 1)
            at_z = (z[live] - self.z[own]).clip(0, depth - 1)
            corner = ((at_x == 0) | (at_x == width - 1)) & ((at_z == 0) | (at_z == depth - 1))
            cell = self.first[own] + at_x * depth + at_z
            portal = self.portal[cell]
            through = ~corner & (portal >= 0)
            back = through & (portal == last[live])
            ok[live[corner | back]] = False
            through &= ~back
            last[live[through]] = own[through]
            room[live[through]] = portal[through]
            ok[live[through & self.solid[cell]]] = False
            live = live[through & ~self.solid[cell]]
            own = room[live]
            near = (x[live] >= 0) & (z[live] >= 0) & (x[live] < self.nx[own]) & (z[live] < self.nz[own])
            live = live[~near]
            if not len(live):
                break
        ok[live] = False
        cell = self.at(room, x, z)
        ok &= ~falls | (cell < self.count)
        return ok, np.where(ok & falls, self.base[cell], room)


def _path_heights(rooms: Sequence[Room]) -> tuple[list[Ints], list[Ints]]:
    """Return the heights of floors and ceilings, (z, x, 4); the offsets of ghost blocks replace them."""
    floors, ceilings = [], []
    for room in rooms:
        floor, ceiling = room.shape.floor.heights, room.shape.ceiling.heights
        ghosts = list(room.each(GhostBlock))
        if ghosts:
            floor, ceiling = floor.copy(), ceiling.copy()
        for ghost in ghosts:
            if 0 <= ghost.x < room.shape.x_sectors and 0 <= ghost.z < room.shape.z_sectors:
                floor[ghost.z, ghost.x], ceiling[ghost.z, ghost.x] = ghost.floor, ghost.ceiling
        floors.append(floor)
        ceilings.append(ceiling)
    return floors, ceilings


def is_steep(corners: Ints) -> Bools:
    """Return which floors (n, 4) are too steep to walk on."""
    a, b, c, d = (corners[:, corner] for corner in (XNZP, XPZP, XPZN, XNZN))
    ab, bc, cd, da = (np.abs(one - two) >= _STEEP for one, two in ((a, b), (b, c), (c, d), (d, a)))
    low, high = np.minimum(b, d), np.maximum(b, d)
    crosswise = (a != c) & ((b == d) | (a < low) | (c < low) | (a > high) | (c > high))
    many = ab.astype(np.int8) + bc + cd + da >= 3
    split = np.where(crosswise, (ab & bc) | (cd & da), (ab & da) | (bc & cd))
    return many | (ab & cd) | (bc & da) | split


class Starts(NamedTuple):
    """Boxes as they grow, one of each sector that can be walked on, in the order of the editor.

    Attributes:
        cell: (n,) the sector.
        seen: (n,) the sector whose floor it is.
        exists: (n,) whether it is a box.
        sides: (n, 4) x0, z0, x1, z1, all of them included.
        wet: (n,) whether no shallow water was seen: slopes count from then on.
    """

    cell: Ints
    seen: Ints
    exists: Bools
    sides: Ints
    wet: Bools


def _grown(world: World, state: int) -> Starts:
    """Return the boxes of the rooms of one state."""
    chosen = world.walkable & (world.is_alternate[world.room] == bool(state))
    cell = np.flatnonzero(chosen[:-1])
    cell = cell[np.lexsort((world.local_x[cell], world.local_z[cell], world.room[cell]))]
    x, z = world.place_x[cell], world.place_z[cell]
    _, base = world.reach(world.room[cell], x, z)
    seen = world.at(base, x, z)
    exists = ~world.nothing[seen] & ~world.steep[seen]
    sides = np.stack([x, z, x, z], axis=1)
    wet = ~world.shallow[state][seen]
    rows = np.flatnonzero(exists & ~world.gray[seen])
    growth = _Growth(world, state, cell[rows], seen[rows], sides[rows], wet[rows])
    growth.run()
    sides[rows], wet[rows] = growth.sides.T, growth.wet
    return Starts(cell, seen, exists, sides, wet)


class _Growth:
    """Growing rectangles.

    Attributes:
        sides: (4, n) x0, z0, x1, z1.
        rooms: (4, n) by direction, the room from which the next row is looked at.
        corners: (4, n) by direction, the sector at which its row starts, in that room.
        open: (4, n) by direction, whether it can still grow.
        mark: (n,) height and monkey swing, those of sectors are in `seen`.
        same: (n,) a rectangle that became equal, and grows on.
        plain: by direction and sector, how many sectors of a row, and those beyond it, look the same and need
            no closer look.
    """

    def __init__(self, world: World, state: int, cell: Ints, seen: Ints, sides: Ints, wet: Bools) -> None:
        self.world, self.shallow, self.cell = world, world.shallow[state], cell
        self.sides, self.wet = np.ascontiguousarray(sides.T), wet
        self.height, self.monkey = world.height[seen], world.monkey[seen]
        self.heights = np.where(world.nothing | world.gray, _NEVER, world.height)
        self.seen, self.mark = self.heights << 1 | world.monkey, self.height << 1 | self.monkey
        self.has_shallow, self.has_steep = bool(self.shallow.any()), bool(world.steep.any())
        self.rooms = np.repeat(world.room[cell][None], len(_WAYS), axis=0)
        self.corners = np.repeat(cell[None], len(_WAYS), axis=0)
        self.open = np.ones((len(_WAYS), len(cell)), np.bool_)
        self.same = np.arange(len(cell))
        self.plain, self.ahead = zip(*(self._ahead(way) for way in _WAYS), strict=True)

    def _ahead(self, way: Way) -> tuple[Ints, Ints]:
        world = self.world
        place, size, stride = (
            (world.local_z, world.nz, 1) if way.along_x else (world.local_x, world.nx, world.nz[world.room])
        )
        beyond = place + way.step
        inside = (beyond >= 0) & (beyond < size[world.room])
        two = np.where(inside, np.arange(world.count + 1) + way.step * stride, world.count)
        two[-1] = world.count
        good = (self.heights != _NEVER) & ~self.shallow & ~world.steep & ~world.crosses
        run = world.runs[0 if way.along_x else 1][0 if way.along > 0 else 1]
        plain = np.where(good & (world.look[two] == world.look), np.minimum(run, run[two]), 0)
        unknown = world.crosses | self.shallow | self.shallow[two]
        return plain, np.where(unknown, _UNKNOWN, self.heights[two])

    def run(self) -> None:
        """Grow in turns, one row in each direction, until none of them can."""
        self._grow_square()
        # With slopes and shallow water, what one direction sees can matter for the opposite one.
        has_alone = not (self.has_shallow and self.has_steep)
        live, rows, turn = self, np.arange(len(self.cell)), 0
        while len(rows):
            turn += 1
            if turn % _TURNS == 0 and len(rows) >= _FEW:
                first, place = live._equal()
                self.same[rows] = rows[first[place]]
                live, rows = live._taken(first), rows[first]
            for number, way in enumerate(_WAYS):
                live._turn(number, way)
            along_z, along_x = live.open[0] | live.open[2], live.open[1] | live.open[3]
            goes_on = along_z & along_x if has_alone else along_z | along_x
            if goes_on.sum() <= _MANY * len(rows):
                self._put(rows, live)
                live, rows = live._taken(np.flatnonzero(goes_on)), rows[goes_on]
        is_root = self.same == np.arange(len(self.cell))
        for number, way in enumerate(_WAYS):
            self._grow_alone(np.flatnonzero(is_root & self.open[number]), number, way)
        root = _ends(self.same)
        self.sides, self.wet = self.sides[:, root], self.wet[root]

    def _grow_square(self) -> None:
        """Take the turns at once in which everything around looks the same."""
        every = np.arange(len(self.cell))
        sees = self._sees(every, self.cell) & (self.world.monkey[self.cell] == self.monkey)
        radius = np.where(sees, self.world.square[self.cell], 0)
        self.sides += radius * np.array([-1, -1, 1, 1])[:, None]
        along_x = radius * self.world.nz[self.rooms[0]]
        self.corners += [-along_x - radius, along_x - radius, along_x + radius, radius - along_x]

    def _turn(self, number: int, way: Way) -> None:
        """Grow by one row in a direction, or close it."""
        following = (number + 1) % len(_WAYS)  # its row starts where this one ends
        corner, is_open = self.corners[number], self.open[number]
        length = np.abs(self.sides[way.across[1]] - self.sides[way.across[0]])
        grows = (self.plain[number][corner] > length) & (self.seen[corner] == self.mark) & is_open
        step = grows * way.step
        self.sides[way.edge] += step
        if not way.along_x:
            step *= self.world.nz[self.rooms[number]]
        self.corners[number] += step
        self.corners[following] += step * self.open[following]
        self._find_corners(np.flatnonzero(grows & (self.rooms[number] != self.rooms[following])), following)
        rows = np.flatnonzero(is_open & ~grows)
        ahead = self.ahead[number][corner[rows]]
        stops = (ahead != self.height[rows]) & (ahead != _UNKNOWN)
        is_open[rows[stops]] = False
        rows = rows[~stops]
        grows = self._grows(rows, number, way)
        is_open[rows[~grows]] = False
        rows = rows[grows]
        self.sides[way.edge, rows] += way.step
        self._find_corners(rows, number)
        self._find_corners(rows, following)

    def _find_corners(self, rows: Ints, number: int) -> None:
        way = _WAYS[number]
        across, edge = self.sides[way.across[0], rows], self.sides[way.edge, rows]
        place = (across, edge) if way.along_x else (edge, across)
        self.corners[number, rows] = self.world.at(self.rooms[number, rows], *place)

    def _equal(self) -> tuple[Ints, Ints]:
        """Return the first of equal rectangles, and the number of each among them."""
        x0, z0, x1, z1 = self.sides
        scale = np.int64(1) << 16 * np.arange(len(_WAYS))
        is_open = (self.open.T << np.arange(len(_WAYS))).sum(axis=1)
        return equal_rows([x0 + (z0 << 32), x1 + (z1 << 32), scale @ self.rooms, self._marks() | is_open])

    def _marks(self) -> Ints:
        return self.height << 6 | self.monkey << 5 | self.wet << 4

    def _grow_alone(self, rows: Ints, number: int, way: Way) -> None:
        """Grow in one direction only; rows that several rectangles come to are looked at once."""
        live = self._taken(rows)
        first, place = live._equal_rows(number, way)
        live = live._taken(first)
        ends, left = live.sides[way.edge].copy(), np.arange(len(first))
        now = left
        while len(left):
            live._glide(number, way)
            first, same = live._equal_rows(number, way)
            live, now = live._taken(first), same[now]
            grows = live._grows(np.arange(len(first)), number, way)
            ends[left] = live.sides[way.edge, now]
            goes_on = grows[now]
            left, now = left[goes_on], (np.cumsum(grows) - 1)[now[goes_on]]
            live = live._taken(np.flatnonzero(grows))
            live.sides[way.edge] += way.step
            live._find_corners(np.arange(len(live.wet)), number)
        self.sides[way.edge, rows] = ends[place]

    def _equal_rows(self, number: int, way: Way) -> tuple[Ints, Ints]:
        """Return the first of equal rows in a direction, and the number of each among them."""
        low, high = self.sides[way.across[0]], self.sides[way.across[1]]
        room = self.rooms[number] << 32
        return equal_rows([low + (high << 32), self.sides[way.edge] + room, self._marks()])

    def _glide(self, number: int, way: Way) -> None:
        """Grow in one direction only, as long as no closer look is needed."""
        plain, corner = self.plain[number], self.corners[number]
        length = np.abs(self.sides[way.across[1]] - self.sides[way.across[0]])
        step = np.full(len(corner), way.step) * (1 if way.along_x else self.world.nz[self.rooms[number]])
        live = np.flatnonzero((plain[corner] > length) & (self.seen[corner] == self.mark))
        while len(live):
            self.sides[way.edge, live] += way.step
            corner[live] += step[live]
            live = live[plain[corner[live]] > length[live]]

    def _taken(self, rows: Ints) -> _Growth:
        """Return some of the rectangles."""
        made = copy(self)
        for name in _OF_RECTANGLES:
            setattr(made, name, getattr(self, name)[..., rows])
        return made

    def _put(self, rows: Ints, other: _Growth) -> None:
        """Set some of the rectangles."""
        if other is not self:
            for name in _OF_RECTANGLES:
                getattr(self, name)[..., rows] = getattr(other, name)

    def _sees(self, rows: Ints, cell: Ints) -> Bools:
        """Return which rectangles see their height in sectors."""
        same: Bools = self.heights[cell] == self.height[rows]
        if self.has_shallow:
            self.wet[rows] &= ~self.shallow[cell]
        if self.has_steep:
            same &= ~(self.world.steep[cell] & self.wet[rows])
        return same

    def _grows(self, rows: Ints, number: int, way: Way) -> Bools:
        """Return which rectangles can grow in a direction."""
        world = self.world
        along_x = way.along_x
        run = world.runs[0 if along_x else 1][0 if way.along > 0 else 1]
        result = np.zeros(len(rows), np.bool_)
        start = self.rooms[number, rows]
        room, edge = start.copy(), self.sides[way.edge, rows]
        at = self.sides[way.across[0], rows]
        left = np.abs(self.sides[way.across[1], rows] - at) + 1
        live, is_first = np.arange(len(rows)), True
        while len(live):
            own, here, out = rows[live], at[live], edge[live]
            inside = (here, out) if along_x else (out, here)
            outside = (here, out + way.step) if along_x else (out + way.step, here)
            one = world.at(room[live], *inside)
            keep = np.flatnonzero(self._sees(own, one))
            live, own, one = live[keep], own[keep], one[keep]
            outside = (outside[0][keep], outside[1][keep])
            two = world.at(world.into[one], *outside)
            keep = np.flatnonzero(self._sees(own, two) & (world.monkey[two] == self.monkey[own]))
            live, own, one, two = live[keep], own[keep], one[keep], two[keep]
            end = world.into[two]
            if is_first:
                self.rooms[number, own] = end
                is_first = False
            length = np.minimum(run[one], run[two])
            crossed = np.flatnonzero(world.crosses[one] | world.crosses[two])
            if len(crossed):
                begin, there = start[live[crossed]], end[crossed]
                good = (there == begin) | ~(world.flips[there] | world.flips[begin])
                three = world.at(begin, outside[0][keep[crossed]], outside[1][keep[crossed]])
                seen = np.zeros(len(crossed), np.bool_)
                seen[good] = self._sees(own[crossed[good]], three[good])
                end[crossed] = world.into[three]
                length[crossed] = np.minimum(length[crossed], run[three])
                passes = np.ones(len(live), np.bool_)
                passes[crossed] = seen
                live, end, length = live[passes], end[passes], length[passes]
            # What looks the same from the same room gives the same again.
            length = np.where(end == room[live], length, 1)
            room[live] = end
            at[live] += way.along * length
            left[live] -= length
            done = left[live] <= 0
            result[live[done]] = True
            live = live[~done]
        return result


def _ends(after: Ints) -> Ints:
    """Return the last of the elements that follow each, where the last follows itself."""
    while not np.array_equal(after, after[after]):
        after = after[after]
    return after


class Boxes(NamedTuple):
    """The boxes of a level.

    Attributes:
        sides: (n, 4) x0, z0, x1, z1; the last two are not included.
        height: (n,).
        room: (n,), where overlaps are looked for.
        alone, slope, monkey: (n,) marks.
        states: (2, n) whether they exist in the normal and the flipped state.
        wet, gray: what the editor knows of the last sector that it looked at.
        sectors: (m,) the box of each sector, -1 for none.
    """

    sides: Ints
    height: Ints
    room: Ints
    alone: Bools
    slope: Bools
    monkey: Bools
    states: Bools
    wet: bool
    gray: bool
    sectors: Ints


def find_boxes(world: World) -> Boxes:
    """Return the boxes of all sectors."""
    every = [_grown(world, state) for state in ((0, 1) if world.is_alternate.any() else (0,))]
    cell, seen, exists, sides, wet = (np.concatenate(each) for each in zip(*every, strict=True))
    state = np.repeat(np.arange(len(every)), [len(each.cell) for each in every])
    is_wet = bool(wet[-1]) if len(wet) else True
    is_gray = bool(exists[-1]) if len(exists) else False
    cell, seen, sides, wet, state = (each[exists] for each in (cell, seen, sides, wet, state))
    water = world.water[world.room[cell]] & ~_shallow_at(world, seen, state)
    sides = sides + np.array([0, 0, 1, 1])
    height = world.height[seen]
    first, number = equal_rows([*np.ascontiguousarray(sides.T), height * 2 + water])
    room = world.into[seen]
    last = first.copy()
    last[number[water]] = np.flatnonzero(water)  # later ones replace earlier ones
    states = np.zeros((2, len(first)), np.bool_)
    states[0, number[state == 0]] = True
    states[1, number[state == 1]] = True
    room_of = room[last]
    states |= ~world.flips[room_of]
    sectors = np.full(world.count, _NO_BOX)
    sectors[cell] = number
    first_seen = seen[first]
    return Boxes(
        sides[first], height[first], room_of, world.gray[first_seen], world.slope[first_seen],
        world.monkey[first_seen], states, is_wet, is_gray, sectors,
    )  # fmt: skip


def _shallow_at(world: World, seen: Ints, state: Ints) -> Bools:
    return np.where(state == 0, world.shallow[0][seen], world.shallow[1][seen])


# --- Overlaps ----------------------------------------------------------------------------------


class Tests(NamedTuple):
    """The pairs of boxes whose way from one to the other depends on sectors, in the order of the editor.

    Attributes:
        one, two: (n,) the box that asks, and the other.
        state: (n,) 0 normal, 1 flipped.
        along_x: (n,) whether they are apart along x.
        gap: (n,) the sectors between them; -1 if they overlap.
    """

    one: Ints
    two: Ints
    state: Ints
    along_x: Bools
    gap: Ints


def _tests(boxes: Boxes, *, jumps: bool) -> Tests:
    x0, z0, x1, z1 = boxes.sides.astype(np.int32).T
    count, height = len(x0), boxes.height
    empty = np.zeros(0, np.int64)
    found = [Tests(empty, empty, empty, np.zeros(0, np.bool_), empty)]
    for first in range(0, count, max(_AT_ONCE // max(count, 1), 1)):
        rows = slice(first, first + max(_AT_ONCE // max(count, 1), 1))
        gap_x = np.maximum(x0[None] - x1[rows, None], x0[rows, None] - x1[None])
        gap_z = np.maximum(z0[None] - z1[rows, None], z0[rows, None] - z1[None])
        near = (np.minimum(gap_x, gap_z) < 0) & (np.maximum(gap_x, gap_z) <= _WIDEST_GAP)
        one, two = np.nonzero(near)
        gaps = np.stack([gap_x[one, two], gap_z[one, two]])
        one += first
        along_x, gap = gaps[0] >= 0, gaps.max(axis=0).astype(np.int64)
        gap = np.maximum(gap, -1)
        level = height[one] == height[two]
        states = boxes.states
        both = states[:, one] & states[:, two]
        useful = (one != two) & both.any(axis=0) & (level | (gap == 0)) & ((gap < 1) | jumps)
        state = np.where(both[0], 0, 1)
        chosen = np.flatnonzero(useful)
        chosen = chosen[np.lexsort((two[chosen], state[chosen], one[chosen]))]
        found.append(Tests(*(each[chosen] for each in (one, two, state, along_x, gap))))
    return Tests(*(np.concatenate(each) for each in zip(*found, strict=True)))


class Probes(NamedTuple):
    """Looks at sectors to answer tests, in the order of the editor.

    Attributes:
        test: (n,).
        reached: (n,) whether the sector is looked at; otherwise the test fails here.
        seen: (n,) the sector.
        fits: (n,) whether its height is right.
    """

    test: Ints
    reached: Bools
    seen: Ints
    fits: Bools


def _joined(probes: Sequence[Probes]) -> Probes:
    """Return probes in the order of their tests."""
    test, reached, seen, fits = (np.concatenate(each) for each in zip(*probes, strict=True))
    order = np.argsort(test, kind="stable")
    return Probes(test[order], reached[order], seen[order], fits[order])


def _edge_probes(world: World, boxes: Boxes, tests: Tests, rows: Ints) -> Probes:
    """Return the looks over the common edge of boxes that touch: at each sector beyond it."""
    one, two, along_x = tests.one[rows], tests.two[rows], tests.along_x[rows]
    swap = boxes.height[two] > boxes.height[one]
    one, two = np.where(swap, two, one), np.where(swap, one, two)  # from the higher one
    own, other = _turned(boxes.sides[one], along_x), _turned(boxes.sides[two], along_x)
    forwards = own[:, 2] == other[:, 0]
    inside = np.where(forwards, own[:, 2] - 1, own[:, 0])
    outside = inside + np.where(forwards, 1, -1)
    low, high = np.maximum(own[:, 1], other[:, 1]), np.minimum(own[:, 3], other[:, 3])
    each = np.repeat(np.arange(len(rows)), high - low)
    across = np.arange(len(each)) - np.repeat(np.cumsum(high - low) - high + low, high - low) + low[each]
    x, z = _turned_back(inside[each], across, along_x[each])
    reached, room = world.reach(boxes.room[one[each]], x, z)
    seen = world.at(room, *_turned_back(outside[each], across, along_x[each]))
    return Probes(rows[each], reached, seen, world.height[seen] == boxes.height[two[each]])


def _jump_probes(world: World, boxes: Boxes, tests: Tests, rows: Ints) -> Probes:
    """Return the looks into the gaps between boxes, one sector after the other."""
    one, two, gap, along_x = tests.one[rows], tests.two[rows], tests.gap[rows], tests.along_x[rows]
    own, other = _turned(boxes.sides[one], along_x), _turned(boxes.sides[two], along_x)
    from_own = own[:, 0] < other[:, 0]
    end = np.where(from_own, own[:, 2], other[:, 2])
    low, high = np.maximum(own[:, 1], other[:, 1]), np.minimum(own[:, 3], other[:, 3])
    across, height = (low + high) >> 1, boxes.height[one]
    ok, room = world.reach(boxes.room[np.where(from_own, one, two)], *_turned_back(end - 1, across, along_x))
    found: list[Probes] = []
    live = np.arange(len(rows))
    for step in range(_WIDEST_GAP):
        live = live[gap[live] > step]
        place = _turned_back(end[live] + step, across[live], along_x[live])
        there, own_room = world.reach(room[live], *place)
        seen = world.at(own_room, *place)
        fits = world.height[seen] <= height[live] - _DEEPER
        found.append(Probes(rows[live], ok[live] & there, seen, fits))
        room[live] = world.into[seen]
    return _joined(found)


def _turned(sides: Ints, along_x: Bools) -> Ints:
    """Return sides (n, 4) with the axis first along which boxes are apart."""
    return np.where(along_x[:, None], sides, sides[:, [1, 0, 3, 2]])


def _turned_back(along: Ints, across: Ints, along_x: Bools) -> tuple[Ints, Ints]:
    return np.where(along_x, along, across), np.where(along_x, across, along)


def find_overlaps(world: World, boxes: Boxes, game: Game) -> tuple[Ints, Ints]:
    """Return (n, 2) boxes, and the ones that can be reached from them, in order, and flags."""
    modern, jumps = game.traits.has_materials, game.traits.has_overlap_flags
    tests = _tests(boxes, jumps=jumps)
    edges, gaps = np.flatnonzero(tests.gap == 0), np.flatnonzero(tests.gap > 0)
    both = [_edge_probes(world, boxes, tests, edges), _jump_probes(world, boxes, tests, gaps)]
    probes = _joined(both)
    passed, monkey = _answers(world, boxes, tests, probes)
    either = boxes.monkey[tests.one] & boxes.monkey[tests.two] & (tests.gap < 1)
    flags = np.where((either | monkey) & modern, MONKEY, 0) | np.where(tests.gap > 0, JUMP, 0)
    return np.stack([tests.one, tests.two], axis=1)[passed], flags[passed]


def _answers(world: World, boxes: Boxes, tests: Tests, probes: Probes) -> tuple[Bools, Bools]:
    """Return which tests pass, and whether their last sector has a monkey swing.

    The editor remembers two facts from one look to the next: whether shallow water was seen, after which
    slopes count, and whether the last sector was gray, after which jumps over gray sectors fail.
    """
    test, seen = probes.test, probes.seen
    jump = tests.gap[test] > 0
    possible = probes.reached & ~world.nothing[seen]
    shallow = (
        np.where(tests.state[test] == 0, world.shallow[0][seen], world.shallow[1][seen]) & probes.reached
    )
    steep, gray = world.steep[seen] & possible, world.gray[seen] & possible
    wet = np.full(len(test), boxes.wet)
    if boxes.wet and shallow.any() and steep.any():
        done = _performed(test, probes.fits & possible & ~steep)
        water = np.flatnonzero(done & shallow)
        if len(water):
            wet[water[0] + 1 :] = False
    has_height = possible & ~(steep & wet)
    good = probes.fits & has_height
    if (gray & jump).any():
        good = _with_gray(boxes.gray, test, probes.reached, gray & has_height, jump, good)
    passed = np.ones(len(tests.one), np.bool_)
    passed[test[~good]] = False
    monkey = np.zeros(len(tests.one), np.bool_)
    monkey[test] = world.monkey[seen]  # the last one stays
    return passed, monkey


def _performed(test: Ints, good: Bools) -> Bools:
    """Return which probes are made: those of a test up to the first that fails."""
    failed: Ints = np.cumsum(~good) - ~good  # before each
    first = np.ones(len(test), np.bool_)
    first[1:] = test[1:] != test[:-1]
    return failed == failed[np.flatnonzero(first)][np.cumsum(first) - 1]


def _with_gray(start: bool, test: Ints, reached: Bools, gray: Bools, jump: Bools, good: Bools) -> Bools:
    """Return which probes pass if jumps over gray sectors fail after a gray one."""
    good, is_gray, failed = good.copy(), start, -1
    rows = zip(test.tolist(), reached.tolist(), gray.tolist(), jump.tolist(), strict=True)
    for place, (number, is_reached, is_box, is_jump) in enumerate(rows):
        if number == failed or not is_reached:
            continue
        if is_jump:
            good[place] &= not (is_box and is_gray)
            is_gray |= is_box
        else:
            is_gray = is_box
        if not good[place]:
            failed = number
    return good


# --- Zones and records -------------------------------------------------------------------------


def _zones(world: World, boxes: Boxes, pairs: Ints, kinds: Sequence[int]) -> NDArray[np.uint16]:
    """Return (2, kinds, boxes) the numbers of the areas that enemies of a kind can reach."""
    wet, count = world.water[boxes.room], len(boxes.height)
    result = np.zeros((2, len(kinds), count), np.uint16)
    one, two = pairs.T
    step, same = np.abs(boxes.height[one] - boxes.height[two]), wet[one] == wet[two]
    level = ~boxes.slope[two]
    passable = {
        _GROUND: level & same & (step <= _GROUND_STEP),
        _GROUND_2: level & same & (step <= _GROUND_STEP),
        _SWIMMERS: level & (wet[two] | (step <= _GROUND_STEP)),
        _CLIMBERS: level & same & ((step <= _CLIMB_STEP) | boxes.monkey[two]),
        _FLYERS: np.ones(len(one), np.bool_),
    }
    known: dict[bytes, NDArray[np.uint16]] = {}
    for state in (0, 1):
        exists = boxes.states[state][two]
        for row, kind in enumerate(kinds):
            chosen = passable[kind] & exists
            key = chosen.tobytes() + bytes([kind == _SWIMMERS])
            if key not in known:
                known[key] = _areas(pairs[chosen], wet, dry_seeds=kind == _SWIMMERS)
            result[state, row] = known[key]
    return result


def _areas(pairs: Ints, wet: Bools, *, dry_seeds: bool) -> NDArray[np.uint16]:
    """Return the number of each box's area, from 1: what is reached from the first box without a number.

    Args:
        pairs: (n, 2) boxes, and the ones that can be reached from them.
        wet: (count,).
        dry_seeds: whether areas that start in water stay in it.
    """
    count = len(wet)
    if dry_seeds:
        # From water, only water is reached.
        crossing = wet[pairs[:, 0]] != wet[pairs[:, 1]]
        is_simple = not crossing.any()
    else:
        is_simple = True
    keys = pairs[:, 0] * count + pairs[:, 1]
    if is_simple and np.array_equal(np.sort(keys), np.sort(pairs[:, 1] * count + pairs[:, 0])):
        return (components(pairs, count) + 1).astype(np.uint16)
    lists: list[list[int]] = [[] for _ in range(count)]
    for one, two in pairs.tolist():
        lists[one].append(two)
    is_wet = wet.tolist()
    found, number = [0] * count, 0
    for first in range(count):
        if found[first]:
            continue
        number += 1
        found[first] = number
        inside, stack = {first}, [first]
        while stack:
            for there in lists[stack.pop()]:
                if there not in inside and not (dry_seeds and is_wet[first] and not is_wet[there]):
                    inside.add(there)
                    stack.append(there)
        for each in inside:
            found[each] = found[each] or number
    return np.array(found, np.uint16)


def project_paths(plan: Plan, rooms: ProjectRooms) -> Pathfinding:
    """Return boxes, overlaps and zones of a project.

    Args:
        plan: the rooms in the order of the level.
        rooms: all rooms.

    Raises:
        ExportError: if there are more boxes or overlaps than the game can number.
    """
    game = plan.target.game
    kinds = _KINDS_TR1 if game is Game.TR1 else _KINDS
    if not plan.rooms:
        none = np.zeros(0, np.uint16)
        return Pathfinding(np.zeros(0, BOX[game]), none, np.zeros((2, len(kinds), 0), np.uint16), [], 0)
    world = World(plan, rooms, game)
    boxes = find_boxes(world)
    count, limit = len(boxes.height), _BOX_LIMIT if game.traits.has_materials else _BOX_LIMIT_OLD
    if count > limit:
        raise ExportError(T("Pathfinding"), T("too many boxes"), count=count, limit=limit)
    pairs, flags = find_overlaps(world, boxes, game)
    if len(pairs) > _WORD_LIMIT:
        raise ExportError(
            T("Pathfinding"), T("too many overlaps of boxes"), count=len(pairs), limit=_WORD_LIMIT
        )
    words = (pairs[:, 1] | flags).astype(np.uint16)
    lengths = np.bincount(pairs[:, 0], minlength=count)
    ends = np.cumsum(lengths)
    words[ends[lengths > 0] - 1] |= END
    records = np.zeros(count, BOX[game])
    scale = SECTOR_SIZE if game is Game.TR1 else 1
    for name, side in zip(("x_min", "z_min", "x_max", "z_max"), boxes.sides.T, strict=True):
        records[name] = side * scale if game is Game.TR1 else side & 0xFF
    records["floor"] = -CLICK * boxes.height
    starts = np.where(lengths > 0, ends - lengths, _NO_WORDS)
    records["overlap"] = starts | np.where(boxes.alone, _ALONE, 0)
    outside = (boxes.sides < 0) | (boxes.sides > (0xFF if game is not Game.TR1 else 1 << 21))
    far: Bools = np.asarray(outside.any(axis=1))
    per_room = np.split(boxes.sectors.astype(np.int32), world.first[1:])
    beyond_map = int(far[boxes.sectors[boxes.sectors >= 0]].sum()) if count else 0
    return Pathfinding(records, words, _zones(world, boxes, pairs, kinds), per_room, beyond_map)
