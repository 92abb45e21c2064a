"""Boxes of a project: a rectangle grows from every sector, all at once, as in the editor.

Boxes can overlap. Which sector is found at a position depends on the room from which the search starts.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np

from .....base.arrays.distinct import equal_rows
from .....base.arrays.typing import Bools, Ints
from .box_world import WAYS, BoxWay, World

_NO_BOX = -1
_NEVER = 1 << 40  # the height of sectors that boxes do not grow over
_UNKNOWN = -_NEVER
_TURNS, _FEW = 4, 1000  # between two searches for equal rectangles; fewer are not worth one
_MANY = 0.7  # of the rectangles still grow: removing the others would cost more than it saves
_OF_RECTANGLES = ("sides", "wet", "height", "monkey", "mark", "rooms", "corners", "open")


class Starts(NamedTuple):
    """Boxes as they grow, one of each sector that can be walked on, in the order of the editor."""

    cell: Ints  #: (n,) the sector.
    seen: Ints  #: (n,) the sector whose floor it is.
    exists: Bools  #: (n,) whether it is a box.
    sides: Ints  #: (n, 4) x0, z0, x1, z1, all of them included.
    wet: Bools  #: (n,) whether no shallow water was seen: slopes count from then on.


def _grow_state(world: World, state: int) -> Starts:
    """Return the boxes of the rooms of one state."""
    chosen = world.walkable & (world.is_alternate[world.room] == bool(state))
    cell = np.flatnonzero(chosen[:-1])
    cell = cell[np.lexsort((world.local_x[cell], world.local_z[cell], world.room[cell]))]
    x, z = world.world_x[cell], world.world_z[cell]
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
    """Growing rectangles."""

    def __init__(self, world: World, state: int, cell: Ints, seen: Ints, sides: Ints, wet: Bools) -> None:
        self.world, self.shallow, self.cell = world, world.shallow[state], cell
        #: (4, n) x0, z0, x1, z1.
        self.sides = np.ascontiguousarray(sides.T)
        self.wet = wet
        self.height, self.monkey = world.height[seen], world.monkey[seen]
        self.heights = np.where(world.nothing | world.gray, _NEVER, world.height)
        #: height and monkey swing, by sector and by rectangle.
        self.seen, self.mark = self.heights << 1 | world.monkey, self.height << 1 | self.monkey
        self.has_shallow, self.has_steep = bool(self.shallow.any()), bool(world.steep.any())
        #: (4, n) by direction, the room from which the next row is searched, the sector at which the row
        #: starts in that room, and whether the rectangle can still grow.
        self.rooms = np.repeat(world.room[cell][None], len(WAYS), axis=0)
        self.corners = np.repeat(cell[None], len(WAYS), axis=0)
        self.open = np.ones((len(WAYS), len(cell)), np.bool_)
        #: (n,) a rectangle that became equal and continues to grow.
        self.same = np.arange(len(cell))
        #: plain: by direction and sector, how many sectors of a row, and those beyond it, are uniform.
        self.plain, self.ahead = zip(*(self._ahead(way) for way in WAYS), strict=True)

    def _ahead(self, way: BoxWay) -> tuple[Ints, Ints]:
        world = self.world
        local, size, stride = (
            (world.local_z, world.nz, 1) if way.along_x else (world.local_x, world.nx, world.nz[world.room])
        )
        beyond = local + way.step
        inside = (beyond >= 0) & (beyond < size[world.room])
        following = np.where(inside, np.arange(world.count + 1) + way.step * stride, world.count)
        following[-1] = world.count
        good = (self.heights != _NEVER) & ~self.shallow & ~world.steep & ~world.crosses
        run = world.runs[0 if way.along_x else 1][0 if way.along > 0 else 1]
        plain = np.where(good & (world.look[following] == world.look), np.minimum(run, run[following]), 0)
        unknown = world.crosses | self.shallow | self.shallow[following]
        return plain, np.where(unknown, _UNKNOWN, self.heights[following])

    def run(self) -> None:
        """Grow in turns, one row in each direction, until none of them can."""
        self._grow_square()
        # With slopes and shallow water, what one direction sees can matter for the opposite one.
        has_alone = not (self.has_shallow and self.has_steep)
        live, rows, turn = self, np.arange(len(self.cell)), 0
        while len(rows):
            turn += 1
            if turn % _TURNS == 0 and len(rows) >= _FEW:
                first, group = live._equal()
                self.same[rows] = rows[first[group]]
                live, rows = live._take(first), rows[first]
            for number, way in enumerate(WAYS):
                live._turn(number, way)
            along_z, along_x = live.open[0] | live.open[2], live.open[1] | live.open[3]
            goes_on = along_z & along_x if has_alone else along_z | along_x
            if goes_on.sum() <= _MANY * len(rows):
                self._store(rows, live)
                live, rows = live._take(np.flatnonzero(goes_on)), rows[goes_on]
        is_root = self.same == np.arange(len(self.cell))
        for number, way in enumerate(WAYS):
            self._grow_alone(np.flatnonzero(is_root & self.open[number]), number, way)
        root = _ends(self.same)
        self.sides, self.wet = self.sides[:, root], self.wet[root]

    def _grow_square(self) -> None:
        """Take the turns at once in which everything around looks the same."""
        rows = np.arange(len(self.cell))
        sees = self._sees(rows, self.cell) & (self.world.monkey[self.cell] == self.monkey)
        radius = np.where(sees, self.world.square[self.cell], 0)
        self.sides += radius * np.array([-1, -1, 1, 1])[:, None]
        along_x = radius * self.world.nz[self.rooms[0]]
        self.corners += [-along_x - radius, along_x - radius, along_x + radius, radius - along_x]

    def _turn(self, number: int, way: BoxWay) -> None:
        """Grow by one row in a direction, or close it."""
        following = (number + 1) % len(WAYS)  # its row starts where this one ends
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
        way = WAYS[number]
        across, edge = self.sides[way.across[0], rows], self.sides[way.edge, rows]
        position = (across, edge) if way.along_x else (edge, across)
        self.corners[number, rows] = self.world.at(self.rooms[number, rows], *position)

    def _equal(self) -> tuple[Ints, Ints]:
        """Return the first of equal rectangles, and the number of each among them."""
        x0, z0, x1, z1 = self.sides
        scale = np.int64(1) << 16 * np.arange(len(WAYS))
        is_open = (self.open.T << np.arange(len(WAYS))).sum(axis=1)
        return equal_rows([x0 + (z0 << 32), x1 + (z1 << 32), scale @ self.rooms, self._marks() | is_open])

    def _marks(self) -> Ints:
        return self.height << 6 | self.monkey << 5 | self.wet << 4

    def _grow_alone(self, rows: Ints, number: int, way: BoxWay) -> None:
        """Grow in one direction only; rows that several rectangles reach are tested once."""
        live = self._take(rows)
        first, group = live._equal_rows(number, way)
        live = live._take(first)
        ends, remaining = live.sides[way.edge].copy(), np.arange(len(first))
        current = remaining
        while len(remaining):
            live._glide(number, way)
            first, same = live._equal_rows(number, way)
            live, current = live._take(first), same[current]
            grows = live._grows(np.arange(len(first)), number, way)
            ends[remaining] = live.sides[way.edge, current]
            goes_on = grows[current]
            remaining, current = remaining[goes_on], (np.cumsum(grows) - 1)[current[goes_on]]
            live = live._take(np.flatnonzero(grows))
            live.sides[way.edge] += way.step
            live._find_corners(np.arange(len(live.wet)), number)
        self.sides[way.edge, rows] = ends[group]

    def _equal_rows(self, number: int, way: BoxWay) -> tuple[Ints, Ints]:
        """Return the first of equal rows in a direction, and the number of each among them."""
        low, high = self.sides[way.across[0]], self.sides[way.across[1]]
        room = self.rooms[number] << 32
        return equal_rows([low + (high << 32), self.sides[way.edge] + room, self._marks()])

    def _glide(self, number: int, way: BoxWay) -> None:
        """Grow in one direction only, as long as sectors are uniform."""
        plain, corner = self.plain[number], self.corners[number]
        length = np.abs(self.sides[way.across[1]] - self.sides[way.across[0]])
        step = np.full(len(corner), way.step) * (1 if way.along_x else self.world.nz[self.rooms[number]])
        live = np.flatnonzero((plain[corner] > length) & (self.seen[corner] == self.mark))
        while len(live):
            self.sides[way.edge, live] += way.step
            corner[live] += step[live]
            live = live[plain[corner[live]] > length[live]]

    def _take(self, rows: Ints) -> _Growth:
        """Return some of the rectangles."""
        result = copy(self)
        for name in _OF_RECTANGLES:
            setattr(result, name, getattr(self, name)[..., rows])
        return result

    def _store(self, rows: Ints, other: _Growth) -> None:
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

    def _grows(self, rows: Ints, number: int, way: BoxWay) -> Bools:
        """Return which rectangles can grow in a direction."""
        world = self.world
        along_x = way.along_x
        run = world.runs[0 if along_x else 1][0 if way.along > 0 else 1]
        result = np.zeros(len(rows), np.bool_)
        start = self.rooms[number, rows]
        room, edge = start.copy(), self.sides[way.edge, rows]
        at = self.sides[way.across[0], rows]
        remaining = np.abs(self.sides[way.across[1], rows] - at) + 1
        live, is_first = np.arange(len(rows)), True
        while len(live):
            current, here, out = rows[live], at[live], edge[live]
            inside = (here, out) if along_x else (out, here)
            outside = (here, out + way.step) if along_x else (out + way.step, here)
            cell = world.at(room[live], *inside)
            keep = np.flatnonzero(self._sees(current, cell))
            live, current, cell = live[keep], current[keep], cell[keep]
            outside = (outside[0][keep], outside[1][keep])
            beyond = world.at(world.into[cell], *outside)
            keep = np.flatnonzero(
                self._sees(current, beyond) & (world.monkey[beyond] == self.monkey[current])
            )
            live, current, cell, beyond = live[keep], current[keep], cell[keep], beyond[keep]
            end = world.into[beyond]
            if is_first:
                self.rooms[number, current] = end
                is_first = False
            length = np.minimum(run[cell], run[beyond])
            crossed = np.flatnonzero(world.crosses[cell] | world.crosses[beyond])
            if len(crossed):
                first_room, last_room = start[live[crossed]], end[crossed]
                good = (last_room == first_room) | ~(world.flips[last_room] | world.flips[first_room])
                seen_from_start = world.at(first_room, outside[0][keep[crossed]], outside[1][keep[crossed]])
                seen = np.zeros(len(crossed), np.bool_)
                seen[good] = self._sees(current[crossed[good]], seen_from_start[good])
                end[crossed] = world.into[seen_from_start]
                length[crossed] = np.minimum(length[crossed], run[seen_from_start])
                passes = np.ones(len(live), np.bool_)
                passes[crossed] = seen
                live, end, length = live[passes], end[passes], length[passes]
            # What looks the same from the same room gives the same again.
            length = np.where(end == room[live], length, 1)
            room[live] = end
            at[live] += way.along * length
            remaining[live] -= length
            done = remaining[live] <= 0
            result[live[done]] = True
            live = live[~done]
        return result


def _ends(after: Ints) -> Ints:
    """Return the last of the elements that follow each, where the last follows itself."""
    while not np.array_equal(after, after[after]):
        after = after[after]
    return after


class GrownBoxes(NamedTuple):
    """The boxes of a level."""

    sides: Ints  #: (n, 4) x0, z0, x1, z1; the last two are not included.
    height: Ints  #: (n,).
    room: Ints  #: (n,), where overlaps are searched.
    #: alone, slope, monkey: (n,) marks.
    alone: Bools
    slope: Bools
    monkey: Bools
    states: Bools  #: (2, n) whether they exist in the normal and the flipped state.
    #: wet, gray: the editor's marks of the last sector that it examined.
    wet: bool
    gray: bool
    sectors: Ints  #: (m,) the box of each sector, -1 for none.


def find_boxes(world: World) -> GrownBoxes:
    """Return the boxes of all sectors."""
    grown = [_grow_state(world, state) for state in ((0, 1) if world.is_alternate.any() else (0,))]
    cell, seen, exists, sides, wet = (np.concatenate(each) for each in zip(*grown, strict=True))
    state = np.repeat(np.arange(len(grown)), [len(each.cell) for each in grown])
    is_wet = bool(wet[-1]) if len(wet) else True
    is_gray = bool(exists[-1]) if len(exists) else False
    cell, seen, sides, wet, state = (each[exists] for each in (cell, seen, sides, wet, state))
    water = world.water[world.room[cell]] & ~world.is_shallow(seen, state)
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
    return GrownBoxes(
        sides[first], height[first], room_of, world.gray[first_seen], world.slope[first_seen],
        world.monkey[first_seen], states, is_wet, is_gray, sectors,
    )  # fmt: skip
