"""Obstruction of the light in a project's room by its sectors, as level compilers compute it.

Rays are tested at the borders of sectors, where heights of floors and ceilings count in whole clicks. Only
the room's own sectors count: portals are not open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .shape import XNZN, XNZP, XPZN, XPZP, RoomShape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SECTOR = 1024
CLICK = 256
_BLOCKED = 1 << 40  # a floor above everything
_MOST_RAYS = 1 << 18  # at once: bounds the memory


class _Borders(NamedTuple):
    """The borders between sectors along one axis.

    Attributes:
        lowest, highest: (2, n, m) int64, limits of free heights in clicks at the border before sector n; the
            second plane is for rays that end at the border.
    """

    lowest: Ints
    highest: Ints


class Rays:
    """The rays in a room."""

    def __init__(self, shape: RoomShape) -> None:
        self._shape = shape
        floor, ceiling = _whole(shape.floor.heights / CLICK), _whole(shape.ceiling.heights / CLICK)
        wall = shape.wall & ~shape.border
        along_z = _borders(floor, ceiling, wall, (XNZN, XPZN), (XNZP, XPZP))
        floor, ceiling = floor.swapaxes(0, 1), ceiling.swapaxes(0, 1)
        along_x = _borders(floor, ceiling, wall.T, (XNZN, XNZP), (XPZN, XPZP))
        self._along_x, self._along_z = along_x, along_z
        # The nearest click; halves to the even one.
        self._lowest = np.rint(shape.floor.heights.min(axis=2) / CLICK).astype(np.int64)
        self._highest = np.rint(shape.ceiling.heights.max(axis=2) / CLICK).astype(np.int64)

    def free(self, places: Floats, lights: Floats, count: int) -> Floats:
        """Return the fraction of rays that are free.

        Args:
            places: (n, 3), the lit positions.
            lights: (n, 3), the positions of the lights.
            count: 1, 3 or 5: the rays of a row of a square of rays around each light.

        Returns:
            (n,), 0 to 1.
        """
        steps = (np.arange(count) - count // 2) * CLICK
        around = np.zeros((count * count, 3))
        around[:, 0], around[:, 2] = np.repeat(steps, count), np.tile(steps, count)
        result = np.zeros(len(places))
        most = max(_MOST_RAYS // len(around), 1)
        for start in range(0, len(places), most):
            part = slice(start, start + most)
            ends = _whole(lights[part, None] + around)
            starts = np.broadcast_to(_whole(places[part])[:, None], ends.shape)
            free = self._are_free(starts.reshape(-1, 3), ends.reshape(-1, 3))
            result[part] = free.reshape(-1, len(around)).mean(axis=1)
        return result

    def _are_free(self, starts: Ints, ends: Ints) -> Bools:
        free = self._is_in_sector(starts, ends)
        for borders, axes in ((self._along_x, [0, 1, 2]), (self._along_z, [2, 1, 0])):
            rows = np.flatnonzero(free)
            free[rows] = ~_are_blocked(starts[rows][:, axes], ends[rows][:, axes], borders)
        return free

    def _is_in_sector(self, starts: Ints, ends: Ints) -> Bools:
        """Return which positions are between floor and ceiling of their sector on the light's side."""
        x, z = (_whole(starts[:, axis] / SECTOR) - (starts[:, axis] > ends[:, axis]) for axis in (0, 2))
        inside = (x >= 0) & (x < self._shape.x_sectors) & (z >= 0) & (z < self._shape.z_sectors)
        x, z = np.where(inside, x, 0), np.where(inside, z, 0)
        clicks = np.rint(starts[:, 1] / CLICK)
        found: Bools = inside & (self._lowest[z, x] <= clicks) & (clicks <= self._highest[z, x])
        return found


def _borders(
    floor: Ints, ceiling: Ints, wall: Bools, low: tuple[int, int], high: tuple[int, int]
) -> _Borders:
    """Return the limits at borders along the first axis.

    Args:
        floor, ceiling: (n, m, 4) in clicks.
        wall: (n, m), inner walls.
        low, high: the corners on the low and the high side of a sector.
    """
    limits = []
    for heights, sign in ((floor, 1), (ceiling, -1)):
        sides = [_whole((heights[..., side[0]] + heights[..., side[1]]) / 2) * sign for side in (low, high)]
        first, last = (np.where(wall, _BLOCKED, side) for side in sides)
        # The compilers' slip: the first test of the sector before the border uses its other side. It is the
        # only test of rays that end at the border.
        before = np.full_like(first, -_BLOCKED)
        before[1:] = first[:-1]
        both = before.copy()
        both[1:] = np.maximum(np.maximum(before[1:], last[:-1]), first[1:])
        limits.append(sign * np.stack([both, before]))
    return _Borders(*limits)


def _are_blocked(starts: Ints, ends: Ints, borders: _Borders) -> Bools:
    """Return which rays are blocked at a border along the first of their axes, (n,).

    Args:
        starts, ends: (n, 3): along, up, across.
        borders: the borders.
    """
    forward = (starts[:, 0] <= ends[:, 0])[:, None]
    low, high = np.where(forward, starts, ends), np.where(forward, ends, starts)
    first = (low[:, 0] >> 10) + 1
    crossed = np.maximum((high[:, 0] >> 10) - first + 1, 0)
    ray = np.repeat(np.arange(len(low)), crossed)
    if not len(ray):
        return np.zeros(len(low), np.bool_)
    step = np.arange(len(ray)) - np.repeat(np.cumsum(crossed) - crossed, crossed)
    border = first[ray] + step
    delta = high - low
    parts = (delta[:, 0] + 1).astype(np.float64)
    up, across = (
        (low[:, axis] + _whole(delta[:, axis] * (first * SECTOR - low[:, 0]) / parts))[ray]
        + step * _whole(delta[:, axis] * SECTOR / parts)[ray]
        for axis in (1, 2)
    )
    _, count, width = borders.lowest.shape
    sector = _whole(across / SECTOR)
    inside = (border > 0) & (border < count) & (sector >= 0) & (sector < width)
    at_end = border * SECTOR == high[ray, 0]
    place = (at_end * count + border) * width + sector
    place[~inside] = 0
    clicks = _whole(up / CLICK)
    is_stopped = (borders.lowest.ravel()[place] > clicks) | (borders.highest.ravel()[place] < clicks)
    return np.bincount(ray[inside & is_stopped], minlength=len(low)) > 0


def _whole(values: Floats) -> Ints:
    """Return numbers without their fractions, as integer division of compilers does."""
    return np.trunc(values).astype(np.int64)
