"""Shapes of portals: as few rectangles as possible over the contacts of rooms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE
from ....formats.levels.collision import rectangles
from .touching import Contacts

_HALF = SECTOR_SIZE // 2


class PortalShape(NamedTuple):
    """A quad through which two rooms see each other."""

    axis: int  #: its normal's axis: 0 for x, 2 for z, 1 for floors, also slanted ones.
    plane: NDArray[np.float64]  #: (3,) of one of its contacts, see :class:`.touching.Contacts`.
    corners: NDArray[np.float64]  #: (4, 3) in units, counterclockwise as seen from greater coordinates.
    rows: NDArray[np.int64]  #: its contacts.

    def distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the distances of points, (n, 3) in units, from its plane along its axis, (n,)."""
        if self.axis != 1:
            return np.asarray(np.abs(points[:, self.axis] - self.plane[0]))
        corner, (_, x, z) = self.corners[0], self.plane
        height = corner[1] + (points[:, 0] - corner[0]) * x + (points[:, 2] - corner[2]) * z
        return np.asarray(np.abs(points[:, 1] - height))

    def raised(self, top: float, bottom: float) -> PortalShape:
        """Return a vertical shape extended to a height."""
        corners = self.corners.copy()
        ys = corners[:, 1]
        corners[:, 1] = np.where(ys == ys.min(), min(top, ys.min()), max(bottom, ys.max()))
        return self._replace(corners=corners)


def shapes_of(contacts: Contacts, rows: NDArray[np.int64]) -> Iterator[PortalShape]:
    """Yield the quads over contacts of two rooms. `rows`: those of the pair."""
    for axis in (0, 2):
        axis_rows = rows[contacts.axis[rows] == axis]
        for border in np.unique(contacts.plane[axis_rows, 0]).tolist():
            yield from _vertical(contacts, axis_rows[contacts.plane[axis_rows, 0] == border], axis)
    axis_rows = rows[contacts.axis[rows] == 1]
    if len(axis_rows):
        height, x, z = contacts.plane[axis_rows].T
        middle = contacts.middle[axis_rows]
        at_zero = height - x * middle[:, 0] - z * middle[:, 1]
        _, plane = np.unique(
            np.rint(np.stack([at_zero * 16, x * 4096, z * 4096])), axis=1, return_inverse=True
        )
        for number in np.unique(plane).tolist():
            yield from _horizontal(contacts, axis_rows[plane.ravel() == number])


def _vertical(contacts: Contacts, rows: NDArray[np.int64], axis: int) -> Iterator[PortalShape]:
    """Yield one rectangle for every run of adjacent openings with overlapping heights."""
    along = contacts.middle[rows, 1 if axis == 0 else 0]
    order = np.argsort(along, kind="stable")
    rows, along = rows[order], along[order]
    tops, bottoms = contacts.plane[rows, 1], contacts.plane[rows, 2]
    breaks = np.diff(along) != SECTOR_SIZE
    breaks |= np.maximum(tops[1:], tops[:-1]) >= np.minimum(bottoms[1:], bottoms[:-1])
    for run in np.split(np.arange(len(rows)), np.flatnonzero(breaks) + 1):
        ends = along[run[0]] - _HALF, along[run[-1]] + _HALF
        heights = tops[run].min(), bottoms[run].max()
        first, second = (heights, ends) if axis == 0 else (ends, heights)
        corners = _corners(axis, contacts.plane[rows[run[0]], 0], first, second)
        yield PortalShape(axis, contacts.plane[rows[run[0]]], corners, rows[run])


def _horizontal(contacts: Contacts, rows: NDArray[np.int64]) -> Iterator[PortalShape]:
    """Yield rectangles that together cover the sectors of a plane."""
    cells = np.rint((contacts.middle[rows] - _HALF) / SECTOR_SIZE).astype(np.int64)
    offset = contacts.middle[rows[0]] - _HALF - cells[0] * SECTOR_SIZE
    row_of = dict(zip(map(tuple, cells.tolist()), rows.tolist(), strict=True))
    for rectangle in rectangles(dict.fromkeys(row_of, True)):
        covered = [row_of[cell] for cell in rectangle.cells]
        low = np.array(rectangle[:2]) * SECTOR_SIZE + offset
        high = low + np.array(rectangle[2:]) * SECTOR_SIZE
        corners = _corners(1, 0.0, (low[1], high[1]), (low[0], high[0]))
        plane, middle = contacts.plane[covered[0]], contacts.middle[covered[0]]
        corners[:, 1] = plane[0] + (corners[:, [0, 2]] - middle) @ plane[1:]
        yield PortalShape(1, plane, corners, np.array(covered))


def _corners(
    axis: int, offset: float, first: tuple[float, float], second: tuple[float, float]
) -> NDArray[np.float64]:
    """Return a rectangle across an axis, from its ends along the next two axes, (4, 3)."""
    corners = np.full((4, 3), offset)
    sides = [axis - 2, axis - 1]  # the next two axes of a right-handed system
    corners[:, sides] = [
        (first[0], second[0]), (first[1], second[0]), (first[1], second[1]), (first[0], second[1])
    ]  # fmt: skip
    return corners
