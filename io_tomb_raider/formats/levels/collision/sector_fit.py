"""Fitting of floors and ceilings that the games support to the spaces of sectors, and its errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.games import Game
from ...base.units import CLICK
from .grid import SectorGrid
from .sectors import Sectors, wall_sectors
from .spaces import MIDDLE, Spaces, find_spaces
from .surfaces import WALL, Split, Surface, round_surface

_NEIGHBORS = ((1, 2, 3), (0, 3, 2), (3, 0, 1), (2, 1, 0))  # by corner: its two neighbors, and the opposite
_ENOUGH = 3  # corners with a floor, if the middle has none
_OPEN_HEIGHT = 1024  # units of space above the highest floor if there is no ceiling
_HALF = 0.498  # clicks: lower fractions of heights are rounded down, y down
_SURE = 32  # units: a smaller difference at the middle does not decide the dividing line
_DEEPEST = 15  # clicks: the maximum between corners of a divided surface
_NOTHING = 1.0  # units: smaller errors are ignored
_ENDLESS = 1e9  # units: stands for the infinite height of a space without a ceiling


@dataclass(eq=False)
class SectorFit:
    """The n sectors of a mesh, x-major as in the file."""

    floor: Surface  #: heights in whole clicks, as the game supports them.
    ceiling: Surface  #: likewise.
    wall: NDArray[np.bool_]  #: (n,) bool, without a floor or without height for Lara.
    storeys: NDArray[np.int64]  #: (n,) int64, the number of spaces.
    error: NDArray[np.float64]  #: (n,) float64, the maximum deviation from the mesh in units; 0 for walls.
    without_ceiling: NDArray[np.bool_]  #: (n,) bool, no ceiling in the mesh: it is at the mesh's top then.
    spaces: Spaces  #: the result of the rays.
    #: (n, 5) float64, the heights of the mesh's floors at the corners and at the middle, not rounded.
    floor_levels: NDArray[np.float64]
    ceiling_levels: NDArray[np.float64]  #: likewise.

    def sectors(self, game: Game) -> Sectors:
        """Return sectors with these heights and nothing else."""
        sectors = wall_sectors(len(self.wall), game)
        sectors.wall = self.wall.copy()
        sectors.floor, sectors.ceiling = self.floor, self.ceiling
        return sectors


def fit_sectors(
    points: NDArray[np.float64],
    triangles: NDArray[np.integer],
    size: tuple[int, int],
    game: Game,
    storey: int = 0,
) -> SectorFit:
    """Fit floors and ceilings to a mesh.

    Args:
        points: (v, 3) its vertices in units from the room's corner, y down.
        triangles: (t, 3) their vertices, counterclockwise from the front in Blender.
        size: of the room in sectors along x and z.
        storey: the number of the space to use from below; the highest if there are fewer.
    """
    spaces = find_spaces(points, triangles, size)
    floor, ceiling, is_open = _one_storey(spaces, storey)
    grid = SectorGrid([size])
    is_open &= (grid.x > 0) & (grid.z > 0) & (grid.x < size[0] - 1) & (grid.z < size[1] - 1)
    without_ceiling = is_open & ~np.isfinite(ceiling).any(axis=1)
    floor = _filled(floor)
    high = spaces.top
    if without_ceiling.any():
        high = min(high, float(floor[without_ceiling].min()) - _OPEN_HEIGHT)
    ceiling = _filled(ceiling)
    ceiling[~np.isfinite(ceiling)] = high
    floor[~np.isfinite(floor)] = 0
    surfaces = [_fit(floor, game, is_ceiling=False), _fit(ceiling, game, is_ceiling=True)]
    _uncross(surfaces)
    heights = [each.heights for each in surfaces]
    wall = ~is_open | (heights[0] <= heights[1]).all(axis=(1, 2))
    for surface in surfaces:
        surface.heights[wall] = WALL * CLICK
        surface.split[wall] = Split.NONE
    errors = np.maximum(_errors(surfaces[0], floor), _errors(surfaces[1], ceiling))
    counts = spaces.tall.sum(axis=2)
    storeys = np.where(counts[:, MIDDLE] > 0, counts[:, MIDDLE], counts.max(axis=1))
    return SectorFit(
        floor=surfaces[0],
        ceiling=surfaces[1],
        wall=wall,
        storeys=np.where(wall, 0, storeys),
        error=np.where(wall | (errors < _NOTHING), 0, errors),
        without_ceiling=without_ceiling & ~wall,
        spaces=spaces,
        floor_levels=floor,
        ceiling_levels=ceiling,
    )


def _one_storey(
    spaces: Spaces, storey: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return the floors and ceilings of one space per sector, (n, 5), NaN if missing, and open sectors, (n,).

    The space is that of the middle, else that of the lowest corner; at the other rays it is the one with the
    largest overlap in height. Lara must be able to stand in it at some ray.
    """
    floor, ceiling = spaces.floor, spaces.ceiling.clip(min=-_ENDLESS)
    counts = spaces.tall.sum(axis=2)
    # The wanted one of the spaces where Lara can stand; at rays without any, the highest space.
    number = np.minimum(storey, np.maximum(counts - 1, 0)) + 1
    nth = (spaces.tall & (np.cumsum(spaces.tall, axis=2) == number[:, :, None])).argmax(axis=2)
    tallest = np.where(np.isnan(floor), -np.inf, floor - ceiling).argmax(axis=2)
    chosen = np.where(counts > 0, nth, tallest)[:, :, None]
    floors, ceilings = (np.take_along_axis(heights, chosen, axis=2)[:, :, 0] for heights in (floor, ceiling))
    lowest = np.where(np.isnan(floors), -np.inf, floors)[:, :MIDDLE].argmax(axis=1)
    reference = np.where(np.isnan(floors[:, MIDDLE]), lowest, MIDDLE)[:, None]
    low, high = (np.take_along_axis(heights, reference, axis=1)[:, :, None] for heights in (floors, ceilings))
    common = np.minimum(floor, low) - np.maximum(ceiling, high)
    common = np.where(np.isnan(common), -np.inf, common)
    best = common.argmax(axis=2)[:, :, None]
    is_same = np.take_along_axis(common, best, axis=2)[:, :, 0] >= 0
    is_tall = np.take_along_axis(spaces.tall, best, axis=2)[:, :, 0] & is_same
    floors, ceilings = (
        np.where(is_same, np.take_along_axis(heights, best, axis=2)[:, :, 0], np.nan)
        for heights in (floor, spaces.ceiling)
    )
    has_floor = np.isfinite(floors)
    is_open = has_floor[:, MIDDLE] | (has_floor[:, :MIDDLE].sum(axis=1) >= _ENOUGH)
    return floors, np.where(np.isfinite(ceilings), ceilings, np.nan), is_open & is_tall.any(axis=1)


def _filled(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights, (n, 5), without gaps: by the plane of three corners, else the mean of the others."""
    filled = heights.copy()
    corners = heights[:, :MIDDLE]
    for corner, (first, second, opposite) in enumerate(_NEIGHBORS):
        plane = corners[:, first] + corners[:, second] - corners[:, opposite]
        filled[:, corner] = np.where(np.isnan(corners[:, corner]), plane, corners[:, corner])
    is_known = np.isfinite(heights)
    mean = np.where(is_known, heights, 0).sum(axis=1) / np.maximum(is_known.sum(axis=1), 1)
    usual = np.where(is_known[:, MIDDLE], heights[:, MIDDLE], np.where(is_known.any(axis=1), mean, np.nan))
    filled = np.where(np.isnan(filled), usual[:, None], filled)
    middle = filled[:, :MIDDLE].mean(axis=1)
    filled[:, MIDDLE] = np.where(is_known[:, MIDDLE], heights[:, MIDDLE], middle)
    return filled


# --- Shapes of the games ----------------------------------------


def _fit(heights: NDArray[np.float64], game: Game, *, is_ceiling: bool) -> Surface:
    """Return the surfaces in whole clicks nearest to heights, (n, 5), that a game supports."""
    corners = heights[:, :MIDDLE] / CLICK
    # Halves are rounded in one direction despite float errors, so sectors share their corners.
    clicks = np.floor(corners + _HALF)
    is_bent = clicks[:, 0] + clicks[:, 3] != clicks[:, 1] + clicks[:, 2]
    divides = game.traits.has_triangulated_floors
    if not divides:
        clicks[is_bent] = _planes(corners[is_bent])
    split = np.zeros(len(clicks), np.uint8)
    if divides:
        level = np.abs(clicks[:, 1] - clicks[:, 2]) <= np.abs(clicks[:, 0] - clicks[:, 3])
        middle = heights[:, MIDDLE]
        falling_error = np.abs(middle - (heights[:, 1] + heights[:, 2]) / 2)
        rising_error = np.abs(middle - (heights[:, 0] + heights[:, 3]) / 2)
        is_clear = np.abs(falling_error - rising_error) >= _SURE
        falling = np.where(is_clear, falling_error < rising_error, level)
        split[is_bent] = np.where(falling, Split.FALLING, Split.RISING)[is_bent]
        deep = is_bent & (np.ptp(clicks, axis=1) > _DEEPEST)
        clicks[deep] = (clicks.min(axis=1) if is_ceiling else clicks.max(axis=1))[deep, None]
        split[deep] = Split.NONE
    planes = np.repeat(clicks[:, None] * CLICK, 2, axis=1).astype(np.int32)
    return round_surface(Surface(planes, split, np.full(len(clicks), -1, np.int8)), game)


def _planes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the planes in whole clicks that are nearest to corners, (n, 4)."""
    x = np.rint((corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2)
    z = np.rint((corners[:, 1] + corners[:, 3] - corners[:, 0] - corners[:, 2]) / 2)
    first = np.rint(corners.mean(axis=1) - (x + z) / 2)
    return np.stack([first, first + z, first + x, first + x + z], axis=1)


def _uncross(surfaces: list[Surface]) -> None:
    """Flatten floors and ceilings that intersect."""
    spans = [each.span() for each in surfaces]
    crossed = (spans[0][0] < spans[1][1]).any(axis=1)
    for surface, level in zip(surfaces, (spans[0][1].max(axis=1), spans[1][0].min(axis=1)), strict=True):
        surface.heights[crossed] = level[crossed, None, None]
        surface.split[crossed] = Split.NONE


def _errors(surface: Surface, heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the maximum deviation of surfaces from heights, (n, 5), in units."""
    high, low = surface.span()
    corners = np.abs((high + low) / 2 - heights[:, :MIDDLE]).max(axis=1)
    mean = (high + low) / 2
    middle = np.where(surface.split == Split.RISING, mean[:, 0] + mean[:, 3], mean[:, 1] + mean[:, 2]) / 2
    return np.maximum(corners, np.abs(middle - heights[:, MIDDLE]))


# --- Storeys ----------------------------------------


def storeys(spaces: Spaces) -> NDArray[np.float64]:
    """Return the heights of horizontal cuts that leave each sector one space, (m,), y down, from below.

    The cuts are as few as possible: each passes through as many of the gaps between two spaces as it can, at
    the height of an upper floor.
    """
    # Move the tall spaces of each ray to the front, from below.
    order = np.argsort(~spaces.tall, axis=2, kind="stable")
    tall, floor, ceiling = (
        np.take_along_axis(each, order, axis=2) for each in (spaces.tall, spaces.floor, spaces.ceiling)
    )
    has_gap = tall[:, :, 1:]
    below, above = ceiling[:, :, :-1][has_gap], floor[:, :, 1:][has_gap]
    # The gaps (low, high), y down, between the ceiling of one space and the floor of the next.
    slabs = np.unique(np.stack([below, above], axis=1), axis=0)
    cuts: list[float] = []
    # The greedy minimum of points that stab all intervals.
    for low, high in slabs[np.argsort(-slabs[:, 1], kind="stable")].tolist():
        if not cuts or not high <= cuts[-1] <= low:
            cuts.append(high)
    return np.array(cuts)
