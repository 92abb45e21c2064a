"""Walls in one half of a sector, from the sectors of a level.

The compiler moves the plane of the solid half, floor and ceiling towards each other, by a number that depends
on the heights of the opposite surface; the slopes of the plane are kept. So most heights of the wall can be
read from the level: the highest corner of a floor and the lowest one of a ceiling are at the height in the
sector's record. If the solid half is on the +x side, the compiler moves its corners by the difference between
both halves, which only the number restricts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Bools, Ints
from .....base.units import CLICK
from .....levels.collision.sectors import Sectors
from .....levels.collision.surfaces import TRIANGLES, Split, Surface

_LEAST_SHIFT, _MOST_SHIFT = -16 * CLICK, 15 * CLICK


class HalfWalls(NamedTuple):
    """The sectors of n that are half a wall."""

    corner: Ints  #: (n,) int64, the corner of the solid half, -1 for other sectors.
    #: floor, ceiling: (n, 4) int64, the heights of the corners upwards: that of the open half's corner is the
    #: level of this half, the others belong to the wall.
    floor: Ints
    ceiling: Ints


class _Half(NamedTuple):
    """A surface of n sectors of which one half, the same for all, is solid. Heights are upwards."""

    heights: Ints  #: (n, 4) heights of the record; unknown at the open half's corner.
    open: Ints  #: (n,) the level of the open half at its corner.
    distance: Ints  #: (n,) by how much the planes of the halves were moved apart.
    is_cut: Bools  #: (n,) bool: the range of the record's numbers limits `distance`.
    flat: Bools  #: (n,) bool: the open half is level, along an edge of the sector.


def half_walls(sectors: Sectors, bases: Ints | None, covered: Bools) -> HalfWalls:
    """Return the sectors that are half a wall.

    Args:
        sectors: n sectors.
        bases: (n, 2) the floor and the ceiling of their records, in units, y down. Without them, the walls
            have the heights of the open half.
        covered: (n, 4) bool: a face of a floor or a ceiling has a corner of the sector, and not the opposite
            one: it is not half a wall there.
    """
    split = np.where(sectors.floor.split != Split.NONE, sectors.floor.split, sectors.ceiling.split)
    fits = (sectors.floor.split == sectors.ceiling.split) & (split != Split.NONE)
    count = len(split)
    result = HalfWalls(np.full(count, -1), np.zeros((count, 4), np.int64), np.zeros((count, 4), np.int64))
    rows = np.flatnonzero(fits)
    if not len(rows):
        return result
    triangles = TRIANGLES[split[rows]]
    heights = [None if bases is None else -bases[rows, number] for number in (0, 1)]
    for solid in (0, 1):
        floor, ceiling = (
            _half(planes, rows, triangles, solid, base, is_ceiling=planes is sectors.ceiling)
            for planes, base in zip((sectors.floor, sectors.ceiling), heights, strict=True)
        )
        crossed = [
            (
                np.take_along_axis(sectors.floor.heights[rows, half], triangles[:, half], axis=1)
                <= np.take_along_axis(sectors.ceiling.heights[rows, half], triangles[:, half], axis=1)
            ).all(axis=1)
            for half in (solid, 1 - solid)
        ]
        raised, lowered = (np.zeros(len(rows), np.int64) for _ in range(2))
        if solid == 1:
            raised, lowered = _moves(floor, ceiling, triangles)
        floors, ceilings = (
            _heights(each, triangles, solid, moved) for each, moved in ((floor, raised), (ceiling, lowered))
        )
        corner = triangles[:, solid, 0]
        is_half = crossed[0] | (
            _explains(floor, ceiling, floors, ceilings, triangles[:, solid]) & ~covered[rows, corner]
        )
        is_half &= ~crossed[1] & floor.flat & ceiling.flat
        chosen = rows[is_half]
        result.corner[chosen] = corner[is_half]
        result.floor[chosen], result.ceiling[chosen] = floors[is_half], ceilings[is_half]
    return result


def _half(
    planes: Surface, rows: Ints, triangles: Ints, solid: int, base: Ints | None, *, is_ceiling: bool
) -> _Half:
    up = -planes.heights[rows].astype(np.int64)
    index = np.arange(len(rows))
    solid_corners = triangles[:, solid]
    slope = np.take_along_axis(up[:, solid], solid_corners, axis=1)
    extreme = slope.min(axis=1) if is_ceiling else slope.max(axis=1)
    opposite = triangles[:, 1 - solid]
    plane = up[:, 1 - solid]
    if base is None:
        ends = np.take_along_axis(plane, opposite[:, 1:], axis=1)
        base = ends.min(axis=1) if is_ceiling else ends.max(axis=1)
    heights = np.zeros((len(rows), 4), np.int64)
    np.put_along_axis(heights, solid_corners, slope + (base - extreme)[:, None], axis=1)
    across = np.where(planes.split[rows] == Split.RISING, opposite[:, 2], opposite[:, 1])
    level, edge = plane[index, opposite[:, 0]], plane[index, across]
    if is_ceiling:
        distance = plane.min(axis=1) - up[:, solid].min(axis=1)
        shift = base - up[:, solid].min(axis=1)
    else:
        distance = up[:, solid].max(axis=1) - plane.max(axis=1)
        shift = up[:, solid].max(axis=1) - base
    return _Half(heights, level, distance, (shift <= _LEAST_SHIFT) | (shift >= _MOST_SHIFT), level == edge)


def _heights(half: _Half, triangles: Ints, solid: int, moved: Ints) -> Ints:
    """Return all heights of a surface, with the corners of the wall moved down."""
    heights = half.heights - moved[:, None]
    heights[np.arange(len(heights)), triangles[:, 1 - solid, 0]] = half.open
    return heights


def _moves(floor: _Half, ceiling: _Half, triangles: Ints) -> tuple[Ints, Ints]:
    """Return by how much the corners of a wall on the +x side are below those of the records."""
    lows, highs = (np.take_along_axis(each.heights, triangles[:, 1], axis=1) for each in (floor, ceiling))
    # The numbers are half the distance to the farthest corner of the opposite surface, and 1.
    highest = lows.min(axis=1) + 2 * (floor.distance - CLICK)
    lowest = highs.max(axis=1) - 2 * (ceiling.distance - CLICK)
    by_open = (highest <= ceiling.open) & (ceiling.open <= highest + CLICK)
    lowered = np.where(by_open, np.maximum(highs.max(axis=1) - ceiling.open, 0), highs.max(axis=1) - highest)
    by_open = (lowest - CLICK <= floor.open) & (floor.open <= lowest)
    raised = np.where(by_open, np.minimum(lows.min(axis=1) - floor.open, 0), lows.min(axis=1) - lowest)
    return np.where(ceiling.is_cut, 0, raised), np.where(floor.is_cut, 0, lowered)


def _explains(floor: _Half, ceiling: _Half, floors: Ints, ceilings: Ints, wall: Ints) -> Bools:
    """Return whether the compiler moves the planes of such half walls as far as those of the level."""
    result = np.ones(len(floors), np.bool_)
    for half, extreme in ((floor, ceilings.max(axis=1)), (ceiling, floors.min(axis=1))):
        heights = np.take_along_axis(half.heights, wall, axis=1)
        ends = np.abs(np.stack([heights.max(axis=1), heights.min(axis=1)]) - extreme).max(axis=0)
        result &= half.is_cut | (half.distance == ends // (2 * CLICK) * CLICK + CLICK)
    return result
