"""From the spaces above sectors to floors and ceilings as the games know them, and how far that is off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base.units import CLICK
from ....formats.collision.grid import SectorGrid
from ....formats.collision.sectors import Sectors, wall_sectors
from ....formats.collision.surfaces import WALL, Split, Surface, round_surface
from .spaces import MIDDLE, Spaces, find_spaces

_OTHERS = ((1, 2, 3), (0, 3, 2), (3, 0, 1), (2, 1, 0))  # by corner: those beside it, and that across
_ENOUGH = 3  # corners that have a floor where the middle has none
_OPEN_HEIGHT = 1024  # units of space above the highest floor where no ceiling is drawn
_HALF = 0.498  # clicks from which on a height is rounded down, y down
_SURE = 32  # units by which the middle tells one dividing line from the other
_DEEPEST = 15  # clicks between the corners of a divided surface
_NOTHING = 1.0  # units of rounding that nobody sees
_ENDLESS = 1e9  # units: the height of a space without a ceiling, to compare it with others


@dataclass(eq=False)
class SectorFit:
    """The n sectors of a mesh, x-major as in the file.

    Attributes:
        floor: heights in whole steps, as the game can express them.
        ceiling: likewise.
        wall: (n,) bool, without a floor or without height for Lara.
        storeys: (n,) int64, how many spaces lie above each other.
        error: (n,) float64, by how many units at most the mesh is higher or lower; 0 for walls.
        without_ceiling: (n,) bool, where the mesh has none: it is as high as the mesh then.
        spaces: what the rays found.
    """

    floor: Surface
    ceiling: Surface
    wall: NDArray[np.bool_]
    storeys: NDArray[np.int64]
    error: NDArray[np.float64]
    without_ceiling: NDArray[np.bool_]
    spaces: Spaces

    def sectors(self, game: Game) -> Sectors:
        """Return sectors with these heights and nothing else."""
        sectors = wall_sectors(len(self.wall), game)
        sectors.wall = self.wall.copy()
        sectors.floor, sectors.ceiling = self.floor, self.ceiling
        return sectors


def cast(
    points: NDArray[np.float64],
    triangles: NDArray[np.integer],
    size: tuple[int, int],
    game: Game,
    storey: int = 0,
) -> SectorFit:
    """Read floors and ceilings from a mesh.

    Args:
        points: (v, 3) its vertices in units from the room's corner, y down.
        triangles: (t, 3) their vertices, counterclockwise from where they look to in Blender.
        size: of the room in sectors along x and z.
        game: which shapes of sectors there are.
        storey: which space counts where there are several, from below; the highest where there are fewer.
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
    found = np.maximum(_errors(surfaces[0], floor), _errors(surfaces[1], ceiling))
    counts = spaces.tall.sum(axis=2)
    storeys = np.where(counts[:, MIDDLE] > 0, counts[:, MIDDLE], counts.max(axis=1))
    return SectorFit(
        floor=surfaces[0],
        ceiling=surfaces[1],
        wall=wall,
        storeys=np.where(wall, 0, storeys),
        error=np.where(wall | (found < _NOTHING), 0, found),
        without_ceiling=without_ceiling & ~wall,
        spaces=spaces,
    )


def _one_storey(
    spaces: Spaces, storey: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Return floors and ceilings (n, 5) of a space of each sector, NaN without one, and which are open (n,).

    The space is that of the middle, else that of the lowest corner; at the other rays it is the one that has
    most of its height in common with it. Somewhere in it Lara has to be able to stand.
    """
    floor, ceiling = spaces.floor, spaces.ceiling.clip(min=-_ENDLESS)
    counts = spaces.tall.sum(axis=2)
    # The one that is asked for of those in which Lara can stand; of rays without such a one the highest.
    wanted = np.minimum(storey, np.maximum(counts - 1, 0)) + 1
    nth = (spaces.tall & (np.cumsum(spaces.tall, axis=2) == wanted[:, :, None])).argmax(axis=2)
    tallest = np.where(np.isnan(floor), -np.inf, floor - ceiling).argmax(axis=2)
    chosen = np.where(counts > 0, nth, tallest)[:, :, None]
    floors, ceilings = (np.take_along_axis(each, chosen, axis=2)[:, :, 0] for each in (floor, ceiling))
    lowest = np.where(np.isnan(floors), -np.inf, floors)[:, :MIDDLE].argmax(axis=1)
    leading = np.where(np.isnan(floors[:, MIDDLE]), lowest, MIDDLE)[:, None]
    low, high = (np.take_along_axis(each, leading, axis=1)[:, :, None] for each in (floors, ceilings))
    common = np.minimum(floor, low) - np.maximum(ceiling, high)
    common = np.where(np.isnan(common), -np.inf, common)
    best = common.argmax(axis=2)[:, :, None]
    is_same = np.take_along_axis(common, best, axis=2)[:, :, 0] >= 0
    stands = np.take_along_axis(spaces.tall, best, axis=2)[:, :, 0] & is_same
    found = [np.take_along_axis(each, best, axis=2)[:, :, 0] for each in (floor, spaces.ceiling)]
    floors, ceilings = (np.where(is_same, each, np.nan) for each in found)
    known = np.isfinite(floors)
    is_open = known[:, MIDDLE] | (known[:, :MIDDLE].sum(axis=1) >= _ENOUGH)
    return floors, np.where(np.isfinite(ceilings), ceilings, np.nan), is_open & stands.any(axis=1)


def _filled(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return heights (n, 5) with those that are missing: as three corners go on, else as the others are."""
    filled = heights.copy()
    corners = heights[:, :MIDDLE]
    for corner, (one, other, across) in enumerate(_OTHERS):
        going_on = corners[:, one] + corners[:, other] - corners[:, across]
        filled[:, corner] = np.where(np.isnan(corners[:, corner]), going_on, corners[:, corner])
    known = np.isfinite(heights)
    mean = np.where(known, heights, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    usual = np.where(known[:, MIDDLE], heights[:, MIDDLE], np.where(known.any(axis=1), mean, np.nan))
    filled = np.where(np.isnan(filled), usual[:, None], filled)
    middle = filled[:, :MIDDLE].mean(axis=1)
    filled[:, MIDDLE] = np.where(known[:, MIDDLE], heights[:, MIDDLE], middle)
    return filled


# --- As the games know them ----------------------------------------


def _fit(heights: NDArray[np.float64], game: Game, *, is_ceiling: bool) -> Surface:
    """Return surfaces in whole steps that come near heights (n, 5) and that a game can express."""
    corners = heights[:, :MIDDLE] / CLICK
    # Half steps go one way, whatever floats make of them. Sectors that share corners stay together.
    clicks = np.floor(corners + _HALF)
    is_bent = clicks[:, 0] + clicks[:, 3] != clicks[:, 1] + clicks[:, 2]
    divides = game.traits.has_triangulated_floors
    if not divides:
        clicks[is_bent] = _planes(corners[is_bent])
    split = np.zeros(len(clicks), np.uint8)
    if divides:
        level = np.abs(clicks[:, 1] - clicks[:, 2]) <= np.abs(clicks[:, 0] - clicks[:, 3])
        off = [np.abs(heights[:, MIDDLE] - (heights[:, one] + heights[:, 3 - one]) / 2) for one in (1, 0)]
        falling = np.where(np.abs(off[0] - off[1]) < _SURE, level, off[0] < off[1])
        split[is_bent] = np.where(falling, Split.FALLING, Split.RISING)[is_bent]
        deep = is_bent & (np.ptp(clicks, axis=1) > _DEEPEST)
        clicks[deep] = (clicks.min(axis=1) if is_ceiling else clicks.max(axis=1))[deep, None]
        split[deep] = Split.NONE
    both = np.repeat(clicks[:, None] * CLICK, 2, axis=1).astype(np.int32)
    return round_surface(Surface(both, split, np.full(len(clicks), -1, np.int8)), game)


def _planes(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the planes of whole steps that are nearest to corners, (n, 4)."""
    x = np.rint((corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2)
    z = np.rint((corners[:, 1] + corners[:, 3] - corners[:, 0] - corners[:, 2]) / 2)
    first = np.rint(corners.mean(axis=1) - (x + z) / 2)
    return np.stack([first, first + z, first + x, first + x + z], axis=1)


def _uncross(surfaces: list[Surface]) -> None:
    """Make floors and ceilings flat that would go through each other."""
    spans = [each.span() for each in surfaces]
    crossed = (spans[0][0] < spans[1][1]).any(axis=1)
    for surface, level in zip(surfaces, (spans[0][1].max(axis=1), spans[1][0].min(axis=1)), strict=True):
        surface.heights[crossed] = level[crossed, None, None]
        surface.split[crossed] = Split.NONE


def _errors(surface: Surface, heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how many units at most surfaces are off heights (n, 5)."""
    high, low = surface.span()
    corners = np.abs((high + low) / 2 - heights[:, :MIDDLE]).max(axis=1)
    mean = (high + low) / 2
    across = np.where(surface.split == Split.RISING, mean[:, 0] + mean[:, 3], mean[:, 1] + mean[:, 2]) / 2
    return np.maximum(corners, np.abs(across - heights[:, MIDDLE]))


# --- Storeys ----------------------------------------


def storeys(spaces: Spaces) -> NDArray[np.float64]:
    """Return the heights at which to cut a mesh so that each sector keeps a space, (m,), y down, from below.

    They are as few as will do: each goes through as many as it can of what lies between two spaces. Where the
    mesh is open between them, it goes through the upper floor.
    """
    # By column, the places of the spaces that count, from below; others stand behind them.
    order = np.argsort(~spaces.tall, axis=2, kind="stable")
    tall, floor, ceiling = (
        np.take_along_axis(each, order, axis=2) for each in (spaces.tall, spaces.floor, spaces.ceiling)
    )
    known = tall[:, :, 1:]
    below, above = ceiling[:, :, :-1][known], floor[:, :, 1:][known]
    # By (low, high), y down: what lies between the ceiling of one space and the floor of the next.
    slabs = np.unique(np.stack([below, above], axis=1), axis=0)
    cuts: list[float] = []
    # Each cut depends on the one before: the usual way to stab intervals with the fewest points.
    for low, high in slabs[np.argsort(-slabs[:, 1], kind="stable")].tolist():
        if not cuts or not high <= cuts[-1] <= low:
            cuts.append(high)
    return np.array(cuts)
