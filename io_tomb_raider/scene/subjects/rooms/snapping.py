"""Rooms on the grid of sectors along x and y, and of steps of height along z."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.base.units import CLICK, SECTOR_SIZE
from ...core.space import Space, has_finite_place, world_matrix

_NEAR = 1.0  # units


def off_grid(room: Object, space: Space) -> NDArray[np.float64]:
    """Return how far a room is from the grid, (3,) in Blender units; zeros within a unit of the game."""
    place = np.array(world_matrix(room).translation, np.float64) - np.array(space.offset)
    steps = np.array((SECTOR_SIZE, SECTOR_SIZE, CLICK)) * space.scale
    off = place - np.round(place / steps) * steps
    return np.where(np.abs(off) > _NEAR * space.scale, off, 0.0)


def snap_to_grid(rooms: Iterable[Object], space: Space) -> list[Object]:
    """Move rooms, with their children, to the nearest place on the grid. Return those that moved."""
    moved = []
    for room in rooms:
        off = off_grid(room, space) if has_finite_place(room) else np.zeros(3)
        if off.any():
            room.matrix_world = Matrix.Translation((-off).tolist()) @ world_matrix(room)
            moved.append(room)
    return moved
