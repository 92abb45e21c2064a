"""Edited sectors of a level written into the sectors of a project."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..shape import RoomShape, Surface


def update_shape(shape: RoomShape, before: RoomShape, after: RoomShape) -> NDArray[np.bool_]:
    """Write the differences between two states of a room into its sectors.

    Heights that a level rounds keep their fractions: they move as far as those of the level.

    Args:
        shape: the project's sectors; changed in place.
        before: those that follow from the compiled level.
        after: those that follow from the edited level, of the same size.

    Returns:
        (z, x) bool, the sectors that changed.
    """
    wall = before.wall != after.wall
    shape.wall = np.where(wall, after.wall, shape.wall)
    flags = before.flags ^ after.flags
    shape.flags = shape.flags ^ flags
    changed = wall | (flags != 0)
    for own, was, now in (
        (shape.floor, before.floor, after.floor),
        (shape.ceiling, before.ceiling, after.ceiling),
    ):
        changed |= _update_surface(own, was, now, wall | before.wall & after.wall)
    return np.asarray(changed)


def _update_surface(
    own: Surface, was: Surface, now: Surface, is_wall: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    formed = (was.diagonal != now.diagonal) | (_counts(was, was.x_equals_z) != _counts(now, now.x_equals_z))
    step = now.heights - was.heights
    moved = step.any(axis=2) & ~(is_wall & (was.diagonal == now.diagonal) & (now.diagonal == 0))
    fresh = formed | (is_wall & moved)
    own.diagonal = np.where(formed, now.diagonal, own.diagonal)
    own.x_equals_z = np.where(formed, now.x_equals_z, own.x_equals_z)
    heights = np.where(moved[..., None], own.heights + step, own.heights)
    own.heights = np.where((fresh & moved)[..., None], now.heights, heights)
    return np.asarray(formed | moved)


def _counts(surface: Surface, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the splits of the sectors that are no planes; others have none that matters."""
    heights = surface.heights
    bent = heights[..., 1] - heights[..., 2] != heights[..., 0] - heights[..., 3]
    return np.asarray(values & bent & (surface.diagonal == 0))
