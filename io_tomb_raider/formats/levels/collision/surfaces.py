"""Conversion of floors and ceilings between corner heights and slants or triangulations.

Documentation, chapters 3.2.3, 4.4.2 to 4.4.8. A surface is one plane, or two triangles with a plane each.
Corners are numbered ``2 * (+x) + (+z)``: (-x, -z), (-x, +z), (+x, -z), (+x, +z). Triangle 1 is the one on the
+x side of the dividing line, triangle 0 the other. Heights are world units, y down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.arrays.distinct import distinct_rows
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from ...base.units import CLICK
from ..floor.columns import FunctionColumns
from ..floor.functions import Function, FunctionType, Slant, Triangulation

WALL = -127  # the floor and ceiling of a wall
_SLOPES = (-128, 127)
_SHIFTS = (-16, 15)
_DEEPEST_CORNER = 15
_WALKABLE = 2  # clicks by which a walkable floor may rise over a sector


class Split(IntEnum):
    """The division of a surface into two triangles."""

    NONE = 0
    FALLING = 1  # along the line from (-x, +z) to (+x, -z)
    RISING = 2  # along the line from (-x, -z) to (+x, +z)


# By split and triangle: its corners, first the one at the right angle, then its neighbor along x, then the
# one along z. Undivided surfaces use the falling ones.
TRIANGLES = np.array([[[0, 2, 1], [3, 1, 2]], [[0, 2, 1], [3, 1, 2]], [[1, 3, 0], [2, 0, 3]]])


def triangles_at(
    split: NDArray[np.uint8], x: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Return the triangle at each position of a sector.

    Args:
        split: (n,), a :class:`Split` each; undivided surfaces use the triangles of falling ones.
        x, z: (n,), the position from the corner -x, -z, in sectors.
    """
    return np.where(split == Split.RISING, x > z, x + z > 1).astype(np.int64)


# The corner of each nibble of a triangulation.
_FLOOR_NIBBLES = (2, 0, 1, 3)
_CEILING_NIBBLES = (3, 1, 0, 2)
# By ceiling, split, open triangle (-1 none): the function.
_FUNCTIONS = {
    (False, Split.FALLING): {-1: 0x07, 0: 0x0B, 1: 0x0C},
    (False, Split.RISING): {-1: 0x08, 0: 0x0D, 1: 0x0E},
    (True, Split.FALLING): {-1: 0x09, 0: 0x0F, 1: 0x10},
    (True, Split.RISING): {-1: 0x0A, 0: 0x11, 1: 0x12},
}
# Of floors, then of ceilings: the functions that define their shape.
_SHAPES: tuple[list[int], list[int]] = ([FunctionType.FLOOR_SLANT], [FunctionType.CEILING_SLANT])
# By function.
_SPLITS = np.zeros(32, np.uint8)
_OPEN_TRIANGLES = np.full(32, -1, np.int8)
for (_ceiling, _split), _by_opening in _FUNCTIONS.items():
    for _opening, _function in _by_opening.items():
        _SHAPES[_ceiling].append(_function)
        _SPLITS[_function], _OPEN_TRIANGLES[_function] = _split, _opening


@dataclass
class Surface(Columns):
    """The floors, or the ceilings, of n sectors."""

    #: (n, 2, 4) int32, the height of the plane of each triangle at each corner of the sector, in world units,
    #: y down; including the corner outside the triangle. Undivided surfaces have two equal planes.
    heights: Annotated[NDArray[np.int32], 2, 4]
    split: NDArray[np.uint8]  #: (n,) uint8, a :class:`Split`.
    #: (n,) int8, the triangle that is open to the room above or below, or -1.
    open_triangle: NDArray[np.int8]

    def corners(self) -> NDArray[np.int32]:
        """Return (n, 2, 3) int32: the heights of the triangles' own corners (:data:`TRIANGLES`)."""
        return np.take_along_axis(self.heights, TRIANGLES[self.split], axis=2)

    def span(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return per corner the highest and the lowest height of its triangles, (n, 4) each, y down."""
        heights, has = self.heights, np.zeros(self.heights.shape, bool)
        np.put_along_axis(has, TRIANGLES[self.split], True, axis=2)
        low = np.where(has, heights, np.iinfo(np.int32).min).max(axis=1)
        return np.where(has, heights, np.iinfo(np.int32).max).min(axis=1), low


def decode_surface(
    base: NDArray[np.int8],
    numbers: NDArray[np.int64],
    count: int,
    columns: FunctionColumns,
    walls: NDArray[np.bool_],
    ceiling: bool,
) -> Surface:
    """Return the heights of all floors or ceilings of a room.

    Args:
        base: (n,) int8, the sectors' ``floor`` or ``ceiling``.
        numbers: (n,), the list number of each sector.
        count: the number of lists.
        columns: the functions of the lists; of several for the surface, the first is used.
        walls: (n,) bool, which sectors are walls. Their surfaces are flat.
    """
    shapes = columns.of(*_SHAPES[ceiling])
    is_first = np.ones(len(shapes.lists), np.bool_)
    is_first[1:] = shapes.lists[1:] != shapes.lists[:-1]
    shapes = shapes.take(np.flatnonzero(is_first))
    kinds, values = shapes.kinds, shapes.values
    # By triangle: how much lower -x and -z are than +x, +z.
    steps = np.repeat(values[:, None, :2], 2, axis=1)
    if ceiling:
        steps[..., 1] *= -1
    shifts = np.zeros((len(kinds), 2), np.int32)
    is_split = kinds >= FunctionType.TRIANGULATION_FIRST
    split, opened = _SPLITS[kinds], _OPEN_TRIANGLES[kinds]
    if is_split.any():
        shifts[is_split] = values[is_split, 1::-1]
        steps[is_split] = _steps_of(values[is_split, 2:], split[is_split], ceiling)
    planes = _planes(shifts, steps, ceiling) * CLICK
    of_list = np.full(count, -1)
    of_list[shapes.lists] = np.arange(len(kinds))
    rows = of_list[numbers]
    # Most sectors have no shape, and the shapes of walls are ignored.
    shaped = np.flatnonzero((rows >= 0) & ~walls)
    rows = rows[shaped]
    heights = np.empty((len(base), 2, 4), np.int32)
    heights.reshape(-1, 8)[:] = (base.astype(np.int32) * CLICK)[:, None]
    heights[shaped] += planes[rows]
    splits, openings = np.zeros(len(base), np.uint8), np.full(len(base), -1, np.int8)
    splits[shaped], openings[shaped] = split[rows], opened[rows]
    return Surface(heights, splits, openings)


def shaping(functions: Sequence[Function], ceiling: bool) -> Slant | Triangulation | None:
    """Return the function that defines the floor's or the ceiling's shape, or None."""
    for function in functions:
        if isinstance(function, Slant | Triangulation) and function.ceiling == ceiling:
            return function
    return None


def _steps_of(corners: NDArray[np.int32], split: NDArray[np.uint8], ceiling: bool) -> NDArray[np.int32]:
    """Return (n, 2, 2) int32: by triangle how many clicks -x and -z are below +x and +z.

    The corners, (n, 4), are the nibbles of triangulations; those of ceilings are depths.
    """
    down = np.empty_like(corners)
    down[:, list(_CEILING_NIBBLES if ceiling else _FLOOR_NIBBLES)] = corners if ceiling else -corners
    of_triangles = np.take_along_axis(down[:, None], TRIANGLES[split], axis=2)
    return _slopes(of_triangles, TRIANGLES[split, :, 0])


def _slopes(corners: NDArray[np.int32], first: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return (..., 2): how much lower -x and -z are, from (..., 3) heights and the first corners' numbers."""
    x = (corners[..., 1] - corners[..., 0]) * np.where(first & 2, 1, -1)
    z = (corners[..., 2] - corners[..., 0]) * np.where(first & 1, 1, -1)
    return np.stack([x, z], axis=-1).astype(np.int32)


def _planes(base: NDArray[np.int32], steps: NDArray[np.int32], ceiling: bool) -> NDArray[np.int32]:
    """Return (n, 2, 4) heights in clicks: floors are lowered from their highest corner, ceilings raised."""
    lower = np.maximum(steps, 0)[..., None]
    upper = np.maximum(-steps, 0)[..., None]
    plus_x, plus_z = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    if ceiling:
        x = np.where(plus_x, lower[..., 0, :], upper[..., 0, :])
        z = np.where(plus_z, lower[..., 1, :], upper[..., 1, :])
        return (base[..., None] - x - z).astype(np.int32)
    x = np.where(plus_x, upper[..., 0, :], lower[..., 0, :])
    z = np.where(plus_z, upper[..., 1, :], lower[..., 1, :])
    return (base[..., None] + x + z).astype(np.int32)


def round_surface(surface: Surface, game: Game) -> Surface:
    """Return the surface with heights rounded to steps and to valid planes.

    Divided sectors use the three corners of each triangle; the fourth is computed. Undivided ones use the
    corners of ``heights[:, 0]``; if these are not a plane and the game supports triangulations, the sector is
    divided along the more level line.
    """
    clicks = np.rint(np.asarray(surface.heights) / CLICK).astype(np.int32)
    split = np.array(surface.split, dtype=np.uint8)
    whole = split == Split.NONE
    clicks[whole, 1] = clicks[whole, 0]
    if game.traits.has_triangulated_floors:
        first = clicks[:, 0]
        bent = whole & (first[:, 0] + first[:, 3] != first[:, 1] + first[:, 2])
        rising = np.abs(first[:, 0] - first[:, 3]) < np.abs(first[:, 1] - first[:, 2])
        split[bent] = np.where(rising, Split.RISING, Split.FALLING)[bent]
        whole &= ~bent
    corners = np.take_along_axis(clicks, TRIANGLES[split], axis=2)
    fourth = corners[..., 1] + corners[..., 2] - corners[..., 0]
    divided = clicks.copy()
    np.put_along_axis(divided, 3 - TRIANGLES[split][..., :1], fourth[..., None], axis=2)
    clicks = np.where(whole[:, None, None], clicks, divided)
    return Surface(clicks * CLICK, split, np.array(surface.open_triangle, dtype=np.int8))


def flatten(surface: Surface, room: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Replace divided floors or ceilings by planes; return which were not one plane.

    If one triangle is open, the whole sector opens to the room. Otherwise the plane is that of the walkable
    triangle, or of the higher one if both are.
    """
    divided = surface.split != Split.NONE
    clicks = surface.heights // CLICK
    bent = divided & (clicks[:, 0] != clicks[:, 1]).any(axis=1)
    slopes = np.abs(np.stack([clicks[..., 0] - clicks[..., 2], clicks[..., 0] - clicks[..., 1]], axis=-1))
    steep = slopes.max(axis=-1) > _WALKABLE
    corners = np.take_along_axis(clicks, TRIANGLES[surface.split], axis=2)
    higher = corners.mean(axis=2)
    chosen = np.where(steep[:, 0] == steep[:, 1], higher[:, 1] < higher[:, 0], steep[:, 0]).astype(np.int64)
    half_open = divided & (surface.open_triangle >= 0) & (room >= 0)
    chosen = np.where(half_open, np.maximum(surface.open_triangle, 0), chosen)
    plane = surface.heights[np.arange(len(chosen)), chosen]
    surface.heights = np.where(divided[:, None, None], plane[:, None, :], surface.heights)
    closed = divided & ~half_open & (surface.open_triangle >= 0)
    surface.split = np.zeros_like(surface.split)
    surface.open_triangle = np.full_like(surface.open_triangle, -1)
    return bent | half_open | closed


def encode_shapes(
    surface: Surface, rows: NDArray[np.int64], game: Game, ceiling: bool, name_of: Callable[[int], str]
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[Slant | Triangulation | None]]:
    """Return the ``floor`` or ``ceiling`` of some sectors, and the functions for their shapes.

    The heights must be rounded (:func:`round_surface`). ``name_of`` names a sector. Raises ExportError if the
    game cannot express the heights.

    Returns:
        (n,) the height, (n,) the number of the function, and the functions by number; 0 is None.
    """
    what = T("ceiling") if ceiling else T("floor")
    heights, split, opened = surface.heights[rows], surface.split[rows], surface.open_triangle[rows]
    is_split = (opened >= 0) | ((split != Split.NONE) & (heights[:, 0] != heights[:, 1]).any(axis=1))
    for row in rows[is_split & (split == Split.NONE)][:1].tolist():
        raise ExportError(name_of(row), T("its {what} has an open triangle but is not divided", what=what))
    if not game.traits.has_triangulated_floors:
        for row in rows[is_split][:1].tolist():
            problem = T("its {what} is not a plane, which {game} cannot express", what=what, game=game.name)
            raise ExportError(name_of(row), problem)
    bases, numbers = np.zeros((2, len(rows)), np.int64)
    shapes: list[Slant | Triangulation | None] = [None]
    planes = np.flatnonzero(~is_split)
    bases[planes], slopes = _encode_planes(
        heights[planes, 0] // CLICK, ceiling, lambda row: name_of(int(rows[planes[row]]))
    )
    slanted = planes[slopes.any(axis=1)]
    slopes = slopes[slopes.any(axis=1)]
    first, same = distinct_rows(slopes.T)
    numbers[slanted] = len(shapes) + same
    shapes += [Slant(ceiling, x, z) for x, z in slopes[first].tolist()]
    for place in np.flatnonzero(is_split).tolist():
        index = int(rows[place])
        numbers[place] = len(shapes)
        bases[place], shape = _encode_split(surface, index, ceiling, name_of(index), None)
        shapes.append(shape)
    return bases, numbers, shapes


def split_shape(surface: Surface, index: int, ceiling: bool, subject: str, base: int) -> Triangulation | None:
    """Return the function for the shape of a split sector above a base, in clicks; None for planes.

    Its shifts may exceed their range. ``subject`` names the sector. Errors are those of
    :func:`encode_shapes`.
    """
    heights = surface.heights[index]
    if surface.open_triangle[index] < 0 and np.array_equal(heights[0], heights[1]):
        return None
    return _encode_split(surface, index, ceiling, subject, base)[1]


def _encode_split(
    surface: Surface, index: int, ceiling: bool, subject: str, base: int | None
) -> tuple[int, Triangulation]:
    """Return the base and the function of a split sector. The base is the given one, or the nearest."""
    what = T("ceiling") if ceiling else T("floor")
    clicks = surface.heights[index] // CLICK
    split, opened = Split(int(surface.split[index])), int(surface.open_triangle[index])
    corners = np.take_along_axis(clicks, TRIANGLES[split], axis=1)
    minus, plus = corners.tolist()
    if minus[1] - minus[2] != plus[2] - plus[1]:
        problem = T("the triangles of its {what} slope differently along their dividing line", what=what)
        raise ExportError(subject, problem)
    relative = np.zeros(4, dtype=np.int64)
    relative[TRIANGLES[split][0]] = minus
    relative[TRIANGLES[split][1][0]] = plus[0] + minus[1] - plus[2]
    nibbles = relative - relative.min() if ceiling else relative.max() - relative
    if nibbles.max() > _DEEPEST_CORNER:
        problem = T("the corners of its {what} are too far apart", what=what)
        raise ExportError(subject, problem, count=int(nibbles.max()), limit=_DEEPEST_CORNER)
    tops = clicks.max(axis=1) if ceiling else clicks.min(axis=1)
    if base is None:
        base = _base(tops, int(corners.max() if ceiling else corners.min()), what, subject)
    order = _CEILING_NIBBLES if ceiling else _FLOOR_NIBBLES
    function = Triangulation(
        _FUNCTIONS[ceiling, split][opened],
        int(tops[1]) - base,
        int(tops[0]) - base,
        (int(nibbles[order[0]]), int(nibbles[order[1]]), int(nibbles[order[2]]), int(nibbles[order[3]])),
    )
    return base, function


def _encode_planes(
    clicks: NDArray[np.int32], ceiling: bool, name_of: Callable[[int], str]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the base, (n,), and the slopes along x and z, (n, 2), of planes with heights (n, 4)."""
    what = T("ceiling") if ceiling else T("floor")
    for row in np.flatnonzero(clicks[:, 0] + clicks[:, 3] != clicks[:, 1] + clicks[:, 2])[:1].tolist():
        raise ExportError(
            name_of(row), T("its {what} is not a plane, which the game cannot express", what=what)
        )
    bases = clicks.max(axis=1) if ceiling else clicks.min(axis=1)
    for row in np.flatnonzero((bases < -128) | (bases > 127) | (bases == WALL))[:1].tolist():
        _byte(int(bases[row]), what, name_of(row))
    slopes = clicks[:, :1] - clicks[:, [2, 1]]
    if ceiling:
        slopes[:, 1] *= -1
    for row, axis in np.argwhere((slopes < _SLOPES[0]) | (slopes > _SLOPES[1]))[:1].tolist():
        problem = T("its {what} is too steep", what=what)
        raise ExportError(name_of(row), problem, count=abs(int(slopes[row, axis])), limit=_SLOPES[1])
    return bases, slopes


def _base(tops: NDArray[np.int32], height: int, what: str, subject: str) -> int:
    """Return the height nearest to the wanted one that is within the shift range of both triangles."""
    lowest, highest = int(tops.max()) - _SHIFTS[1], int(tops.min()) - _SHIFTS[0]
    if lowest > highest:
        problem = T("the triangles of its {what} are too far apart", what=what)
        raise ExportError(subject, problem, count=int(np.ptp(tops)), limit=_SHIFTS[1] - _SHIFTS[0])
    return _byte(min(max(height, lowest), highest), what, subject)


def _byte(value: int, what: str, subject: str) -> int:
    """Return a height that fits its byte. The height of walls is not valid for other sectors."""
    if not -128 <= value <= 127 or value == WALL:
        problem = T("its {what} is too high or too low, in steps of {step}", what=what, step=CLICK)
        raise ExportError(subject, problem, count=value, limit=127)
    return value
