"""Obstruction of the light in a project's room by its sectors, as level compilers compute it.

Rays are tested at the borders of sectors, where heights of floors and ceilings count in whole clicks. Only
the room's own sectors count: portals are not open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Bools, Floats, Ints
from ....base.units import CLICK, SECTOR_SIZE
from ..geometry.openings import highest, lowest
from ..model.shape import XNZN, XNZP, XPZN, XPZP, RoomShape

_BLOCKED = 1 << 40  # a floor above everything
_MOST_RAYS = 1 << 18  # at once: bounds the memory


class _Borders(NamedTuple):
    """The borders between sectors along one axis."""

    #: lowest, highest: (2, s) int64, limits of free heights in clicks at the border before each sector; the
    #: second plane is for rays that end at the border.
    lowest: Ints
    highest: Ints
    #: length, width: (r,) the sectors of each room along the axis, and across it.
    length: Ints
    width: Ints
    #: step, across: (r,) the distance to the next sector along the axis, and across it.
    step: Ints
    across: Ints


class Rays:
    """The rays in some rooms."""

    def __init__(self, *shapes: RoomShape) -> None:
        size = np.array([shape.wall.shape for shape in shapes], np.int64)
        self._z_sectors, self._x_sectors = size.T
        counts = size.prod(axis=1)
        self._starts = np.cumsum(counts) - counts
        x_sectors = np.repeat(self._x_sectors, counts)
        z, x = np.divmod(np.arange(len(x_sectors)) - np.repeat(self._starts, counts), x_sectors)
        floors = np.concatenate([shape.floor.heights.reshape(-1, 4) for shape in shapes])
        ceilings = np.concatenate([shape.ceiling.heights.reshape(-1, 4) for shape in shapes])
        wall = np.concatenate([shape.wall.reshape(-1) for shape in shapes])
        wall &= (x > 0) & (z > 0) & (x < x_sectors - 1) & (z < np.repeat(self._z_sectors, counts) - 1)
        whole = _whole(floors / CLICK), _whole(ceilings / CLICK)
        ones = np.ones_like(self._x_sectors)
        self._along_x = _Borders(
            *_limits(whole, wall, np.where(x > 0, 1, 0), (XNZN, XNZP), (XPZN, XPZP)),
            self._x_sectors, self._z_sectors, ones, self._x_sectors,
        )  # fmt: skip
        self._along_z = _Borders(
            *_limits(whole, wall, np.where(z > 0, x_sectors, 0), (XNZN, XPZN), (XNZP, XPZP)),
            self._z_sectors, self._x_sectors, self._x_sectors, ones,
        )  # fmt: skip
        # The nearest click; halves to the even one.
        self._lowest = np.rint(lowest(floors) / CLICK).astype(np.int64)
        self._highest = np.rint(highest(ceilings) / CLICK).astype(np.int64)

    def free(self, positions: Floats, lights: Floats, count: int, room: Ints | None = None) -> Floats:
        """Return the fraction of rays that are free, (n,), 0 to 1.

        Args:
            positions: (n, 3), the lit positions.
            lights: (n, 3), the positions of the lights.
            count: 1, 3 or 5: the rays of a row of a square of rays around each light.
            room: (n,), the room of each position; the first by default.
        """
        steps = (np.arange(count) - count // 2) * CLICK
        around = np.zeros((count * count, 3))
        around[:, 0], around[:, 2] = np.repeat(steps, count), np.tile(steps, count)
        room = np.zeros(len(positions), np.int64) if room is None else room
        result = np.zeros(len(positions))
        most = max(_MOST_RAYS // len(around), 1)
        for start in range(0, len(positions), most):
            part = slice(start, start + most)
            # Axis by axis, since rows of three numbers are slow.
            ends = [_whole(lights[part, axis, None] + around[:, axis]).reshape(-1) for axis in range(3)]
            starts = [np.repeat(_whole(positions[part, axis]), len(around)) for axis in range(3)]
            free = self._are_free(starts, ends, np.repeat(room[part], len(around)))
            result[part] = free if count == 1 else free.reshape(-1, len(around)).mean(axis=1)
        return result

    def _are_free(self, starts: Sequence[Ints], ends: Sequence[Ints], room: Ints) -> Bools:
        """Return which rays are free, (n,). `starts`, `ends`: along x, y and z, (n,) each."""
        free = self._is_in_sector(starts, ends, room)
        for borders, axes in ((self._along_x, (0, 1, 2)), (self._along_z, (2, 1, 0))):
            rows = np.flatnonzero(free)
            first, last = ([each[axis][rows] for axis in axes] for each in (starts, ends))
            free[rows] = ~_are_blocked(first, last, borders, room[rows], self._starts)
        return free

    def _is_in_sector(self, starts: Sequence[Ints], ends: Sequence[Ints], room: Ints) -> Bools:
        """Return which positions are between floor and ceiling of their sector on the light's side."""
        x, z = (_whole(starts[axis] / SECTOR_SIZE) - (starts[axis] > ends[axis]) for axis in (0, 2))
        inside = (x >= 0) & (x < self._x_sectors[room]) & (z >= 0) & (z < self._z_sectors[room])
        sector = np.where(inside, x + z * self._x_sectors[room] + self._starts[room], 0)
        clicks = np.rint(starts[1] / CLICK)
        result: Bools = inside & (self._lowest[sector] <= clicks) & (clicks <= self._highest[sector])
        return result


def _limits(
    surfaces: tuple[Ints, Ints], wall: Bools, step: Ints, low: tuple[int, int], high: tuple[int, int]
) -> tuple[Ints, Ints]:
    """Return the lowest and the highest free height at the borders before sectors, (2, s) each.

    Args:
        surfaces: floors and ceilings (s, 4) in clicks.
        wall: (s,), inner walls.
        step: (s,), the distance to the sector before the border, 0 for none.
        low, high: the corners on the low and the high side of a sector.
    """
    limits = []
    source, exists = np.arange(len(step)) - step, step > 0
    for heights, sign in zip(surfaces, (1, -1), strict=True):
        sides = [_whole((heights[:, side[0]] + heights[:, side[1]]) / 2) * sign for side in (low, high)]
        first, last = (np.where(wall, _BLOCKED, side) for side in sides)
        # A bug of the compilers: the first test of the sector before the border uses its other side. It is
        # the only test of rays that end at the border.
        before = np.where(exists, first[source], -_BLOCKED)
        farthest = np.where(exists, np.maximum(np.maximum(before, last[source]), first), before)
        limits.append(sign * np.stack([farthest, before]))
    return limits[0], limits[1]


def _are_blocked(
    starts: Sequence[Ints], ends: Sequence[Ints], borders: _Borders, room: Ints, first_sectors: Ints
) -> Bools:
    """Return which rays are blocked at a border along the first of their axes, (n,).

    `starts`, `ends`: along, up, across, (n,) each. `room`: (n,). `first_sectors`: of each room.
    """
    forward = starts[0] <= ends[0]
    low = [np.where(forward, start, end) for start, end in zip(starts, ends, strict=True)]
    high = [np.where(forward, end, start) for start, end in zip(starts, ends, strict=True)]
    first = (low[0] >> 10) + 1
    crossed = np.maximum((high[0] >> 10) - first + 1, 0)
    ray = np.repeat(np.arange(len(first)), crossed)
    if not len(ray):
        return np.zeros(len(first), np.bool_)
    step = np.arange(len(ray)) - np.repeat(np.cumsum(crossed) - crossed, crossed)
    border = first[ray] + step
    parts = (high[0] - low[0] + 1).astype(np.float64)
    up, across = (
        (low[axis] + _whole((high[axis] - low[axis]) * (first * SECTOR_SIZE - low[0]) / parts))[ray]
        + step * _whole((high[axis] - low[axis]) * SECTOR_SIZE / parts)[ray]
        for axis in (1, 2)
    )
    ray_room = room[ray]
    sector = _whole(across / SECTOR_SIZE)
    inside = (
        (border > 0)
        & (border < borders.length[ray_room])
        & (sector >= 0)
        & (sector < borders.width[ray_room])
    )
    at_end = border * SECTOR_SIZE == high[0][ray]
    index = first_sectors[ray_room] + border * borders.step[ray_room] + sector * borders.across[ray_room]
    index += at_end * borders.lowest.shape[1]
    index[~inside] = 0
    clicks = _whole(up / CLICK)
    is_stopped = (borders.lowest.ravel()[index] > clicks) | (borders.highest.ravel()[index] < clicks)
    return np.bincount(ray[inside & is_stopped], minlength=len(first)) > 0


def _whole(values: Floats) -> Ints:
    """Return numbers without their fractions, as integer division of compilers does."""
    return values.astype(np.int64)
