"""Comparison of a room's mesh with its sectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.games import Game
from ...base.units import CLICK, SECTOR_SIZE
from ..collision.grid import SectorGrid
from ..collision.sector_fit import fit_sectors
from ..collision.sectors import Sectors
from ..collision.surfaces import Surface
from ..rooms.geometry import decode_faces
from ..rooms.rooms import Room
from .decoded import Decoded

_ROUNDED = 1  # unit: vertices are whole
_COLUMNS = 9  # wall or not; the distances of the floor's corners, then of the ceiling's


@dataclass(frozen=True, eq=False)
class Gaps(Columns):
    """Sectors of a room whose floor, ceiling or wall is elsewhere than that of the mesh."""

    #: (n, 2) int64, the sectors along x and z; outside of the room where its mesh is larger.
    cells: Annotated[NDArray[np.int64], 2]
    #: (n, 9) int64, 1 if only the mesh has a wall there, -1 if only the sector is one; then by how many units
    #: the mesh is below the sector at the corners of the floor and of the ceiling.
    values: Annotated[NDArray[np.int64], _COLUMNS]
    #: (n, 4) float64, the heights of the mesh's floor at the corners, y down; where the mesh has none, of the
    #: sector's floor.
    floors: Annotated[NDArray[np.float64], 4]

    def squares(self) -> NDArray[np.float64]:
        """Return the corners of the floors, (n, 4, 3), in units from the room's corner, y down."""
        corners = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])  # as in surfaces
        flat = (self.cells[:, None] + corners) * float(SECTOR_SIZE)
        return np.stack([flat[..., 0], self.floors, flat[..., 1]], axis=2)

    def without(self, known: Gaps, away: tuple[int, int] = (0, 0)) -> Gaps:
        """Return the gaps that others do not include.

        The others are those of the room as it was. Its corner has moved away by some sectors since then; both
        positions are tried.
        """
        own_rows = self._rows()
        others = [set(known._rows()), set(known._rows(away))]
        is_new = [np.array([row not in rows for row in own_rows], bool) for rows in others]
        return self.take(min(is_new, key=np.count_nonzero))

    def _rows(self, away: tuple[int, int] = (0, 0)) -> list[tuple[int, ...]]:
        rows = np.concatenate([self.cells - away, self.values], axis=1)
        return list(map(tuple, rows.tolist()))


def find_gaps(
    points: NDArray[np.float64],
    triangles: NDArray[np.integer],
    size: tuple[int, int],
    sectors: Sectors,
    game: Game,
    storey: int = 0,
) -> Gaps:
    """Find where the mesh of a room and its sectors are a click (256 units) or more apart.

    Openings to other rooms have no faces, so they are not compared. Mesh, size and storey are as for
    :func:`..collision.sector_fit.fit_sectors`.
    """
    used = points[np.unique(triangles)][:, [0, 2]] if len(triangles) else np.full((1, 2), SECTOR_SIZE)
    # A border of walls around the mesh, which may be larger than the room.
    low = np.maximum(0, 1 - np.floor(used.min(axis=0).round() / SECTOR_SIZE)).astype(np.int64)
    high = np.maximum(size, np.ceil(used.max(axis=0).round() / SECTOR_SIZE).astype(np.int64) + 1)
    wide, deep = (low + high).tolist()
    grid = SectorGrid([(wide, deep)])
    cells = np.stack([grid.x, grid.z], axis=1) - low
    inside = ((cells >= 0) & (cells < size)).all(axis=1)
    index = np.where(inside, cells[:, 0] * size[1] + cells[:, 1], 0)
    moved = points + np.array([low[0], 0, low[1]]) * SECTOR_SIZE
    fit = fit_sectors(moved, triangles, (wide, deep), game, storey)
    wall = sectors.wall[index] | ~inside
    leads, below, above = (
        inside & (rooms[index] >= 0) for rooms in (sectors.portal, sectors.room_below, sectors.room_above)
    )
    values = np.zeros((len(grid), _COLUMNS), np.int64)
    values[:, 0] = np.where(leads | (below & fit.wall), 0, fit.wall.astype(np.int64) - wall)
    is_compared = ~fit.wall & ~wall & ~leads
    levels = [fit.floor_levels, fit.ceiling_levels]
    columns = (slice(1, 5), slice(5, 9))
    for fitted, surface, level, skipped, target in zip(
        (fit.floor, fit.ceiling),
        (sectors.floor, sectors.ceiling),
        levels,
        (below, above | fit.without_ceiling),
        columns,
        strict=True,
    ):
        corners = _corners(surface)[index]
        distance = _corners(fitted) - corners
        exact = level[:, :4] - corners
        # What rounding cannot bring closer is no gap.
        is_gap = (np.abs(distance) >= CLICK) & (np.abs(exact) >= CLICK - _ROUNDED)
        values[:, target] = np.where(is_gap & (is_compared & ~skipped)[:, None], distance, 0)
    rows = np.flatnonzero(values.any(axis=1))
    floors = np.where(fit.wall[:, None], _corners(sectors.floor)[index], _corners(fit.floor))
    return Gaps(cells[rows], values[rows], floors[rows])


def _corners(surface: Surface) -> NDArray[np.float64]:
    """Return the mean heights of surfaces at their corners, (n, 4)."""
    high, low = surface.span()
    return (high.astype(np.float64) + low) / 2


def room_gaps(decoded: Decoded, number: int, storey: int = 0) -> Gaps:
    """Return :func:`find_gaps` of a room of a level."""
    room, game = decoded.level.rooms[number], decoded.level.game
    sectors = decoded.sectors.take(slice(*decoded.grid.starts[number : number + 2].tolist()))
    return find_gaps(*room_triangles(game, room), (room.x_sectors, room.z_sectors), sectors, game, storey)


def room_triangles(game: Game, room: Room) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the vertices of a room's mesh, (v, 3), and its triangles, (t, 3), as in Blender."""
    points = np.stack([room.vertices[name] for name in "xyz"], axis=1).astype(np.float64)
    triangles = [np.zeros((0, 3), np.int32)]
    for faces in decode_faces(game, room):
        corners = faces.corners[((faces.corners >= 0) & (faces.corners < len(points))).all(axis=1)]
        # Reversed, as in Blender.
        triangles += [corners[:, [0, 2, 1]]] + ([corners[:, [0, 3, 2]]] if corners.shape[1] == 4 else [])
    return points, np.concatenate(triangles).astype(np.int32)
