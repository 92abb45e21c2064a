"""Rooms on the grid of sectors along x and y, and of steps of height along z."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.base import CLICK, SECTOR_SIZE
from ...core.space import Space, has_finite_place, world_matrix
from ...core.subjects import Kind
from .location.where import parents_of

_NEAR = 1.0  # units
_ROUNDING = 0.01  # units: of places as 32-bit floats


def off_grid(room: Object, space: Space, near: float = _NEAR) -> NDArray[np.float64]:
    """Return how far a room is from the grid, (3,) in Blender units; zeros within some units of the game."""
    position = np.array(world_matrix(room).translation, np.float64) - np.array(space.offset)
    steps = np.array((SECTOR_SIZE, SECTOR_SIZE, CLICK)) * space.scale
    offset = position - np.round(position / steps) * steps
    return np.where(np.abs(offset) > near * space.scale, offset, 0.0)


def snap_along(active: Object, selected: Iterable[Object], space: Space) -> bool:
    """Move an active room to the grid, other selected rooms too, and other selected objects by its move.

    Children of selected objects follow these. Return whether anything was moved.
    """
    objects = set(selected)
    shift = -off_grid(active, space, _ROUNDING) if has_finite_place(active) else np.zeros(3)
    rooms = [each for each in objects if each.tomb_raider.kind == Kind.ROOM]
    for obj in objects.difference(rooms) if shift.any() else ():
        if objects.isdisjoint(parents_of(obj)) and has_finite_place(obj):
            obj.matrix_world = Matrix.Translation(shift.tolist()) @ world_matrix(obj)
    return bool(snap_to_grid(rooms, space, _ROUNDING))


def snap_to_grid(rooms: Iterable[Object], space: Space, near: float = _NEAR) -> list[Object]:
    """Move rooms, with their children, to the nearest position on the grid, and return those that moved.

    ``near`` is how far from the grid they may stay, in units of the game.
    """
    moved = []
    for room in rooms:
        offset = off_grid(room, space, near) if has_finite_place(room) else np.zeros(3)
        if offset.any():
            room.matrix_world = Matrix.Translation((-offset).tolist()) @ world_matrix(room)
            moved.append(room)
    return moved
