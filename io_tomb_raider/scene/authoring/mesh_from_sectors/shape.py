"""The faces of a room by its sectors: floors, ceilings, walls and steps, cut to fit texture regions.

Walls are cut into rows of a sector's height, from the top of each wall or step down, so that each row shows a
whole region and the last one its upper part. So rows stay when floors below are moved, or with the block that
they belong to. Where two neighboring floors intersect, both walls end in triangles. The builder of projects,
:mod:`....formats.editors.projects.geometry.walls`, has neither: its lines divide all walls at a corner of a
sector, and walls that intersect are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE, Columns
from ....formats.levels.collision import TRIANGLES, SectorGrid, Sectors, Split, Surface
from ...subjects.collision.shape import FROM_ABOVE, LEFT, OPPOSITE, QUAD, RIGHT, SIDE_TRIANGLE

ROW_HEIGHT = SECTOR_SIZE
FLOOR_LINE, CEILING_LINE = 4, 5  # additional sides: a sector's dividing line, seen from triangle 0 and 1
_FAR = 1 << 20  # units: beyond everything
_MOST_ROWS, SHARES = 64, 8
_PIECES, _CELLS, _SIDES = 512, 256, 8  # numbers of values in keys
_SMALL = 1e-6


class DrawnRole(IntEnum):
    """The role of a drawn face: each role has its own texture."""

    FLOOR = 1
    CEILING = 2
    WALL = 3  # up to the ceiling: whole walls, and those above openings
    STEP = 4  # up to the floor of the next sector


@dataclass(eq=False)
class DrawnFaces(Columns):
    """The f faces of a room that was drawn from its sectors."""

    #: (f, 4, 3) float64, corners in whole units from the room's corner, y down, counterclockwise in Blender
    #: from within the room; the fourth of triangles is unused.
    points: Annotated[NDArray[np.float64], 4, 3]
    #: (f, 4, 2) float64, the places of corners on the texture region, from 0, 0 at the bottom left.
    places: Annotated[NDArray[np.float64], 4, 2]
    sizes: NDArray[np.int64]  #: (f,) int64, 3 or 4.
    #: (f,) int32, from :func:`keys_of`: the same face has the same key in every drawing.
    keys: NDArray[np.int32]

    @property
    def roles(self) -> NDArray[np.int32]:
        """The :class:`DrawnRole` of each face, (f,)."""
        return parts_of(self.keys)[0]

    @property
    def cells(self) -> NDArray[np.int32]:
        """The sector of each face along x and z, (f, 2)."""
        return np.stack(parts_of(self.keys)[2:], axis=1)


def keys_of(role: Any, side: Any, x: Any, z: Any, piece: Any) -> NDArray[np.int32]:
    """Return numbers that identify faces by their place.

    Args:
        side: of walls and steps, as in :data:`.grid.SIDE_STEPS`, or dividing lines; else 0.
        piece: below 512. Of walls, eight times the row from the top, plus its share from the left; of floors
            and ceilings, 0 for whole ones, else 1 and 2 for their triangles.
    """
    cell = ((role * _SIDES + side) * _CELLS + x) * _CELLS + z
    return np.asarray(cell * _PIECES + piece).astype(np.int32)


def parts_of(keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    """Return role, side, and the sector along x and z of keys, (f,) each."""
    rest, z = np.divmod(keys // _PIECES, _CELLS)
    rest, x = np.divmod(rest, _CELLS)
    role, side = np.divmod(rest, _SIDES)
    return role, side, x, z


def with_piece(keys: NDArray[np.int32], piece: int) -> NDArray[np.int32]:
    """Return the keys with another piece."""
    return keys // _PIECES * _PIECES + piece


def rows_of(keys: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the keys of the first shares of rows."""
    return keys // SHARES * SHARES


def draw_sectors(sectors: Sectors, grid: SectorGrid, beyond: NDArray[np.bool_]) -> DrawnFaces:
    """Return the faces of a room.

    Floors and ceilings that open to another room, and sectors that lead to one, have no faces.

    Args:
        sectors: of one room, normalized.
        beyond: (n,) sectors with the floors and ceilings of other rooms: only the walls between them and the
            room's own sectors are drawn.
    """
    return _Drawing(sectors, grid, beyond).faces()


class _Drawing:
    def __init__(self, sectors: Sectors, grid: SectorGrid, beyond: NDArray[np.bool_]) -> None:
        self._sectors, self._grid = sectors, grid
        self._open = ~sectors.wall & ((sectors.portal < 0) | beyond)
        self._own = self._open & ~beyond
        self._parts: list[DrawnFaces] = []

    def faces(self) -> DrawnFaces:
        sectors = self._sectors
        self._add_surface(DrawnRole.FLOOR, sectors.floor, sectors.room_below)
        self._add_surface(DrawnRole.CEILING, sectors.ceiling, sectors.room_above)
        for side in range(4):
            self._add_side(side)
        self._add_lines()
        return DrawnFaces.join(self._parts)

    # --- Floors and ceilings ----------------------------------------

    def _add_surface(self, role: DrawnRole, surface: Surface, rooms: NDArray[np.int32]) -> None:
        is_ceiling = role == DrawnRole.CEILING
        is_opening = (rooms >= 0) & (surface.open_triangle < 0)
        whole = np.flatnonzero(self._own & (surface.split == Split.NONE) & ~is_opening)
        quads = np.broadcast_to(np.array(QUAD), (len(whole), 4))
        self._add_flat(role, whole, quads[:, ::-1] if is_ceiling else quads, surface.heights[whole, 0], 4, 0)
        for triangle in (0, 1):
            is_open = is_opening | ((rooms >= 0) & (surface.open_triangle == triangle))
            divided = np.flatnonzero(self._own & (surface.split != Split.NONE) & ~is_open)
            corners = FROM_ABOVE[surface.split[divided], triangle]
            corners = corners[:, ::-1] if is_ceiling else corners
            corners = np.concatenate([corners, corners[:, -1:]], axis=1)
            self._add_flat(role, divided, corners, surface.heights[divided, triangle], 3, 1 + triangle)

    def _add_flat(
        self,
        role: DrawnRole,
        sector: NDArray[Any],
        corners: NDArray[Any],
        heights: NDArray[Any],
        size: int,
        piece: int,
    ) -> None:
        grid = self._grid
        along = np.stack([corners // 2, corners % 2], axis=2).astype(np.float64)
        points = np.empty((len(sector), 4, 3))
        points[..., 0] = (grid.x[sector, None] + along[..., 0]) * SECTOR_SIZE
        points[..., 1] = np.take_along_axis(heights, corners, axis=1)
        points[..., 2] = (grid.z[sector, None] + along[..., 1]) * SECTOR_SIZE
        if role == DrawnRole.CEILING:
            along[..., 0] = 1 - along[..., 0]  # seen from below
        keys = keys_of(int(role), 0, grid.x[sector], grid.z[sector], piece)
        self._parts.append(DrawnFaces(points, along, np.full(len(sector), size), keys))

    # --- Walls ----------------------------------------

    def _edge(self, surface: Surface, sector: NDArray[Any], side: int, flip: int = 0) -> NDArray[np.float64]:
        """Return the heights, (n, 2), left and right, y up, of surfaces along a side of sectors.

        With ``flip`` they are those of the neighbors, at the same corners.
        """
        sides = (side + 2) % 4 if flip else side
        triangle = SIDE_TRIANGLE[surface.split[sector], sides]
        corners = np.array([LEFT[side] ^ flip, RIGHT[side] ^ flip])
        heights = surface.heights[sector[:, None], triangle[:, None], corners]
        return np.asarray(-heights.astype(np.float64))

    def _add_side(self, side: int) -> None:
        sectors, grid = self._sectors, self._grid
        neighbor = grid.neighbors(side)
        next_sectors = np.maximum(neighbor, 0)
        is_step = (neighbor >= 0) & self._open[next_sectors]
        is_through = (neighbor >= 0) & (sectors.portal[next_sectors] >= 0) & ~is_step
        indices = np.flatnonzero(self._own & ~is_through)
        floor, ceiling = (self._edge(each, indices, side) for each in (sectors.floor, sectors.ceiling))
        is_step, next_sectors = is_step[indices, None], next_sectors[indices]
        # A full wall is like a neighbor whose ceiling is at the floor.
        below = np.where(is_step, self._edge(sectors.floor, next_sectors, side, OPPOSITE[side]), floor)
        above = np.where(is_step, self._edge(sectors.ceiling, next_sectors, side, OPPOSITE[side]), floor)
        ends = [np.array(each[side]) for each in (LEFT, RIGHT)]
        self._add_walls(indices, side, ends, _Edges(floor, ceiling, below, above))

    def _add_lines(self) -> None:
        """Add the walls along dividing lines whose triangles do not meet."""
        sectors = self._sectors
        far = np.full((1, 2), float(_FAR))
        for surface in (sectors.floor, sectors.ceiling):
            divided = np.flatnonzero(self._own & (surface.split != Split.NONE))
            split = surface.split[divided]
            line = TRIANGLES[split][:, 1, 1:]
            line = np.where((split == Split.RISING)[:, None], line[:, ::-1], line)  # as seen from triangle 0
            for triangle, side in ((0, FLOOR_LINE), (1, CEILING_LINE)):
                corners = line if triangle == 0 else line[:, ::-1]
                heights, other_heights = (
                    -surface.heights[divided[:, None], each, corners].astype(np.float64)
                    for each in (triangle, 1 - triangle)
                )
                if surface is sectors.floor:
                    edges = _Edges(heights, heights * 0 + far, other_heights, heights * 0 + far)
                else:
                    edges = _Edges(heights * 0 - far, heights, heights * 0 - far, other_heights)
                self._add_walls(divided, side, [corners[:, 0], corners[:, 1]], edges)

    def _add_walls(self, sector: NDArray[Any], side: int, ends: list[NDArray[Any]], edges: _Edges) -> None:
        """Add the steps and walls along one side of sectors, between its corners as seen from within."""
        for role, (rows, spans) in ((DrawnRole.STEP, edges.steps()), (DrawnRole.WALL, edges.walls())):
            wall, tops, faces = _cut(spans)
            indices = rows[wall]
            origin, end = (
                np.stack([(self._grid.x[sector] + each // 2), (self._grid.z[sector] + each % 2)], axis=1)
                for each in ends
            )
            along = faces.along[:, [0, 1, 1, 0]]
            flat = origin[indices, None] + (end - origin)[indices, None] * along[..., None]
            heights = np.concatenate([faces.low, faces.high[:, ::-1]], axis=1)
            points = np.stack([flat[..., 0] * SECTOR_SIZE, -heights, flat[..., 1] * SECTOR_SIZE], axis=2)
            places = np.stack([along, 1 - (tops[:, None] - heights) / ROW_HEIGHT], axis=2)
            row = np.rint((spans.top[wall] - tops) / ROW_HEIGHT).astype(np.int64).clip(0, _MOST_ROWS - 1)
            x, z = self._grid.x[sector][indices], self._grid.z[sector][indices]
            keys = keys_of(int(role), side, x, z, row * SHARES)
            self._parts.append(_tidy(points, places, keys))


@dataclass
class _Edges:
    """Heights, (n, 2), left and right, y up, at the border of sectors."""

    floor: NDArray[np.float64]  #: of the sector.
    ceiling: NDArray[np.float64]  #: likewise.
    below: NDArray[np.float64]  #: the floor of the neighbor.
    above: NDArray[np.float64]  #: the ceiling of the neighbor.

    def steps(self) -> tuple[NDArray[np.int64], _Spans]:
        """Return the spans from the floors to the neighbors' floors, with their indices among the n."""
        rows, along = _shares(_crossing(self.floor, self.below), _crossing(self.ceiling, self.below))
        floor, ceiling, below = (_lerp(each, rows, along) for each in (self.floor, self.ceiling, self.below))
        top = np.clip(self.below, self.floor, self.ceiling).max(axis=1)
        return rows, _Spans(along, floor, np.clip(below, floor, ceiling), top[rows])

    def walls(self) -> tuple[NDArray[np.int64], _Spans]:
        """Return the spans from the ceilings down to the neighbors' or to the floor, with their indices."""
        is_shut = np.asarray(self.above < self.below).any(axis=1, keepdims=True)
        rows, along = _shares(
            _crossing(self.ceiling, self.above),
            _crossing(self.floor, self.above),
            _crossing(self.floor, self.ceiling),
            np.where(is_shut, _crossing(self.floor, self.below), 0.0),
            np.where(is_shut, _crossing(self.ceiling, self.below), 0.0),
            np.where(is_shut, _crossing(self.above, self.below), 0.0),
        )
        edges = (self.floor, self.ceiling, self.below, self.above)
        floor, ceiling, below, above = (_lerp(each, rows, along) for each in edges)
        lowest = np.clip(below, floor, ceiling)
        low = np.clip(above, lowest, ceiling)
        return rows, _Spans(along, low, ceiling, self.ceiling.max(axis=1)[rows])


@dataclass
class _Spans(Columns):
    """Vertical faces: their ends along a side, 0 to 1, and their low and high ends there, (m, 2) each.

    ``top`` is the height of the first row's top, (m,).
    """

    along: Annotated[NDArray[np.float64], 2]
    low: Annotated[NDArray[np.float64], 2]
    high: Annotated[NDArray[np.float64], 2]
    top: NDArray[np.float64]


def _crossing(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where edges, (n, 2), cross along their side, (n, 1); 0 where they do not."""
    difference = first - second
    crosses = difference[:, 0] * difference[:, 1] < 0
    change = np.where(crosses, difference[:, 0] - difference[:, 1], 1)
    return np.where(crosses, difference[:, 0] / change, 0.0)[:, None]


def _shares(*cuts: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Divide n sides at cuts. Return the side of each share, (m,), and its ends, (m, 2)."""
    count = len(cuts[0])
    marks = np.sort(np.concatenate([np.zeros((count, 1)), *cuts, np.ones((count, 1))], axis=1), axis=1)
    rows, first = np.nonzero(marks[:, 1:] - marks[:, :-1] > _SMALL)
    return rows, np.stack([marks[rows, first], marks[rows, first + 1]], axis=1)


def _lerp(
    edge: NDArray[np.float64], rows: NDArray[np.int64], along: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the heights of edges, (n, 2), at places along them, (m, 2)."""
    left, right = edge[rows, 0, None], edge[rows, 1, None]
    return np.asarray(left + (right - left) * along)


def _cut(spans: _Spans) -> tuple[NDArray[np.int64], NDArray[np.float64], _Spans]:
    """Cut vertical faces into rows, and rows where an edge enters or leaves them.

    Returns:
        The span of each face, (m,), the top of its row, (m,), and the faces.
    """
    exists = (spans.high - spans.low).max(axis=1, initial=0) > _SMALL
    first = np.floor((spans.top - spans.high.max(axis=1, initial=-_FAR)) / ROW_HEIGHT)
    last = np.ceil((spans.top - spans.low.min(axis=1, initial=_FAR)) / ROW_HEIGHT)
    counts = np.where(exists, np.maximum(last - first, 0), 0).astype(np.int64)
    wall = np.repeat(np.arange(len(counts)), counts)
    row = np.arange(len(wall)) - np.repeat(np.cumsum(counts) - counts, counts)
    top = spans.top[wall] - (first[wall] + row) * ROW_HEIGHT
    rows = spans.take(wall)
    flat = np.repeat(top[:, None], 2, axis=1)
    cuts = [_crossing(edge, flat - low) for edge in (rows.low, rows.high) for low in (0, ROW_HEIGHT)]
    share, along = _shares(*cuts)
    low, high = (_lerp(each, share, along) for each in (rows.low, rows.high))
    ends = _lerp(rows.along, share, along)
    top = top[share]
    low = np.clip(low, top[:, None] - ROW_HEIGHT, top[:, None])
    high = np.clip(high, top[:, None] - ROW_HEIGHT, top[:, None])
    return wall[share], top, _Spans(ends, low, np.maximum(high, low), rows.top[share])


def _tidy(points: NDArray[np.float64], places: NDArray[np.float64], keys: NDArray[np.int32]) -> DrawnFaces:
    """Return vertical quads in whole units, without area-less ones, and degenerate ones as triangles."""
    points = np.rint(points) + 0.0  # turns -0 into 0
    is_wide = (points[:, 0] != points[:, 1])[:, [0, 2]].any(axis=1)
    left, right = points[:, 0, 1] != points[:, 3, 1], points[:, 1, 1] != points[:, 2, 1]
    kept = is_wide & (left | right)
    order = np.where((left & ~right)[:, None], [0, 1, 3, 3], [0, 1, 2, 3])
    sizes = np.where(left & right, 4, 3)
    points, places = (np.take_along_axis(each, order[..., None], axis=1)[kept] for each in (points, places))
    keys = keys[kept]
    # Number the shares of each row from the left.
    ranks = np.arange(len(keys)) - np.searchsorted(np.sort(keys), np.sort(keys))
    order = np.argsort(keys, kind="stable")
    numbered = keys.copy()
    numbered[order] += ranks.clip(0, SHARES - 1).astype(np.int32)
    return DrawnFaces(points, places, sizes[kept], numbered)
