"""Sectors of a room with those of adjoining rooms, to which its mesh reaches."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE
from ....formats.levels.collision import Sectors
from ...core.membership import collision_of
from ...core.space import world_matrix
from ...subjects.collision.edit import CollisionEdit

ON_GRID = 1.0  # units


def with_other_rooms(edit: CollisionEdit) -> tuple[Sectors, NDArray[np.bool_]]:
    """Return the sectors with adjoining rooms' floors and ceilings at openings, and which have them, (n,).

    With these, walls are drawn below and above openings.
    """
    before = edit.sectors
    floor, ceiling = (
        replace(each, heights=each.heights.copy(), split=each.split.copy())
        for each in (before.floor, before.ceiling)
    )
    sectors = replace(before, floor=floor, ceiling=ceiling, wall=before.wall.copy())
    beyond = np.zeros(len(before.wall), bool)
    for entry in edit.obj.tomb_raider.collision.rooms:
        collision = collision_of(entry.room)
        if collision is None:
            continue
        indices = np.flatnonzero(before.portal == edit.place_of(entry.room))
        if not len(indices):
            continue
        with suppress(ExportError):  # damaged collision is skipped
            other = CollisionEdit(collision, edit.game, edit.space)
            _copy_heights(edit, other, indices, sectors, beyond)
    return sectors, beyond


def _copy_heights(
    edit: CollisionEdit,
    other: CollisionEdit,
    indices: NDArray[np.int64],
    sectors: Sectors,
    beyond: NDArray[np.bool_],
) -> None:
    """Copy the floors and ceilings of another room to the sectors that lead there."""
    origins = [np.array(world_matrix(each.obj).translation, np.float64) for each in (edit, other)]
    offset = edit.space.to_file(origins[0] - origins[1], edit.obj.name)
    cells = np.rint(offset[[0, 2]] / SECTOR_SIZE)
    if np.abs(offset[[0, 2]] - cells * SECTOR_SIZE).max() > ON_GRID:
        return
    x, z = (grid[indices] + int(cell) for grid, cell in zip((edit.grid.x, edit.grid.z), cells, strict=True))
    size = other.size
    inside = (x >= 0) & (z >= 0) & (x < size.x_sectors) & (z < size.z_sectors)
    indices, other_indices = indices[inside], (x * size.z_sectors + z)[inside]
    is_open = ~other.sectors.wall[other_indices] & (other.sectors.portal[other_indices] < 0)
    indices, other_indices = indices[is_open], other_indices[is_open]
    rise = round(float(offset[1]))
    for surface, other_surface in (
        (sectors.floor, other.sectors.floor),
        (sectors.ceiling, other.sectors.ceiling),
    ):
        surface.heights[indices], surface.split[indices] = (
            other_surface.heights[other_indices] - rise,
            other_surface.split[other_indices],
        )
    sectors.wall[indices], beyond[indices] = False, True
