"""Edited sectors of a level written into the sectors of a project."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..model.shape import RoomShape, SectorSurface


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
        changed |= _update_surface(own, was, now, before.wall, after.wall)
    return np.asarray(changed)


def _update_surface(
    own: SectorSurface,
    was: SectorSurface,
    now: SectorSurface,
    was_wall: NDArray[np.bool_],
    is_wall: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    formed = (was.diagonal != now.diagonal) | (_counts(was, was.x_equals_z) != _counts(now, now.x_equals_z))
    step = now.heights - was.heights
    # Of a wall in half a sector, only the level of the open half is edited: it is at the corner opposite.
    half = was_wall & is_wall & (was.diagonal == now.diagonal) & (now.diagonal != 0)
    is_open = np.arange(4) == ((now.diagonal + 1) % 4)[..., None]
    step = np.where(half[..., None] & ~is_open, 0, step)
    # A level does not store the heights of walls: those of the project stay.
    whole = is_wall & (was.diagonal == now.diagonal) & (now.diagonal == 0)
    moved = (step.any(axis=2) & ~whole) | (was_wall & ~is_wall)
    fresh = formed | (was_wall != is_wall)
    own.diagonal = np.where(formed, now.diagonal, own.diagonal)
    own.x_equals_z = np.where(formed, now.x_equals_z, own.x_equals_z)
    heights = np.where(moved[..., None], own.heights + step, own.heights)
    own.heights = np.where((fresh & moved)[..., None], now.heights, heights)
    return np.asarray(formed | moved)


def _counts(surface: SectorSurface, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the splits of the sectors that are no planes; others have none that matters."""
    heights = surface.heights
    bent = heights[..., 1] - heights[..., 2] != heights[..., 0] - heights[..., 3]
    return np.asarray(values & bent & (surface.diagonal == 0))


def raise_shape(shape: RoomShape, step: int) -> None:
    """Raise all heights of a room by a number of units, in place."""
    if step:
        for surface in (shape.floor, shape.ceiling):
            surface.heights = surface.heights + step
            used = np.arange(surface.splits.shape[2]) < surface.split_count[..., None]
            surface.splits = np.where(used[..., None], surface.splits + step, surface.splits)


def resized_shape(
    shape: RoomShape, before: RoomShape, after: RoomShape, offset: tuple[int, int]
) -> RoomShape:
    """Return the sectors of a room that has another size now, with the differences between two states.

    Args:
        shape: the project's sectors.
        before, after: see :func:`update_shape`, of the old and the new size.
        offset: how far the first sector moved along x and z.
    """
    result = _at_places(shape, after, offset)
    update_shape(result, _at_places(before, after, offset), after)
    return result


def _at_places(shape: RoomShape, after: RoomShape, offset: tuple[int, int]) -> RoomShape:
    """Return a room of another size: its own sectors where they were, those of another state elsewhere.

    Args:
        shape: the sectors before.
        after: the other state, of the new size.
        offset: how far the first sector moved along x and z.
    """
    step_x, step_z = offset
    made = RoomShape.empty(after.x_sectors, after.z_sectors)
    z, x = np.nonzero(~shape.border)
    to_z, to_x = z + step_z, x + step_x
    inside = (to_z > 0) & (to_z < made.z_sectors - 1) & (to_x > 0) & (to_x < made.x_sectors - 1)
    own, to = (z[inside], x[inside]), (to_z[inside], to_x[inside])
    for result, old, new in (
        (made, shape, after),
        (made.floor, shape.floor, after.floor),
        (made.ceiling, shape.ceiling, after.ceiling),
    ):
        for name, values in vars(new).items():
            if isinstance(values, np.ndarray) and values.ndim > 1:
                joined = values.copy()
                joined[to] = getattr(old, name)[own]
                setattr(result, name, joined)
    faces = shape.faces.copy()
    old_z, old_x = np.divmod(faces["sector"], shape.x_sectors)
    new_z, new_x = old_z + step_z, old_x + step_x
    kept = (new_z >= 0) & (new_z < made.z_sectors) & (new_x >= 0) & (new_x < made.x_sectors)
    faces["sector"] = new_x + new_z * made.x_sectors
    made.faces, made.old_walls = faces[kept], shape.old_walls
    return made
