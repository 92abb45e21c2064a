"""Edited sectors of a level written into the sectors of a project."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ....base.arrays.typing import Bools
from ..geometry.openings import is_plane
from ..model.shape import RoomShape, SectorSurface


def update_shape(shape: RoomShape, before: RoomShape, after: RoomShape) -> Bools:
    """Write the differences between two states of a room, of the same size, into the project's sectors.

    Heights that a level rounds keep their fractions: they move as far as those of the level. Return the
    sectors that changed, (z, x).
    """
    wall = before.wall != after.wall
    shape.wall = np.where(wall, after.wall, shape.wall)
    flags = before.flags ^ after.flags
    shape.flags = shape.flags ^ flags
    changed = wall | (flags != 0)
    for surface, surface_before, surface_after in (
        (shape.floor, before.floor, after.floor),
        (shape.ceiling, before.ceiling, after.ceiling),
    ):
        changed |= _update_surface(surface, surface_before, surface_after, before.wall, after.wall)
    return np.asarray(changed)


def _update_surface(
    surface: SectorSurface, before: SectorSurface, after: SectorSurface, was_wall: Bools, is_wall: Bools
) -> Bools:
    formed = (before.diagonal != after.diagonal) | (
        _counts(before, before.x_equals_z) != _counts(after, after.x_equals_z)
    )
    step = after.heights - before.heights
    # Of a wall in half a sector, only the level of the open half is edited: it is at the corner opposite.
    half = was_wall & is_wall & (before.diagonal == after.diagonal) & (after.diagonal != 0)
    is_open = np.arange(4) == ((after.diagonal + 1) % 4)[..., None]
    step = np.where(half[..., None] & ~is_open, 0, step)
    # A level does not store the heights of walls: those of the project stay.
    whole = is_wall & (before.diagonal == after.diagonal) & (after.diagonal == 0)
    moved = (step.any(axis=2) & ~whole) | (was_wall & ~is_wall)
    fresh = formed | (was_wall != is_wall)
    surface.diagonal = np.where(formed, after.diagonal, surface.diagonal)
    surface.x_equals_z = np.where(formed, after.x_equals_z, surface.x_equals_z)
    heights = np.where(moved[..., None], surface.heights + step, surface.heights)
    surface.heights = np.where((fresh & moved)[..., None], after.heights, heights)
    return np.asarray(formed | moved)


def _counts(surface: SectorSurface, values: Bools) -> Bools:
    """Return the split directions of sectors that are no planes; in planes they do not matter."""
    return np.asarray(values & ~is_plane(surface.heights) & (surface.diagonal == 0))


def raised(shape: RoomShape, step: int) -> RoomShape:
    """Return a copy of a room's sectors whose heights are a number of units higher."""
    return replace(shape, floor=_raised(shape.floor, step), ceiling=_raised(shape.ceiling, step))


def _raised(surface: SectorSurface, step: int) -> SectorSurface:
    used = np.arange(surface.splits.shape[2]) < surface.split_count[..., None]
    splits = np.where(used[..., None], surface.splits + step, surface.splits)
    return replace(surface, heights=surface.heights + step, splits=splits)


def resized_shape(
    shape: RoomShape, before: RoomShape, after: RoomShape, offset: tuple[int, int]
) -> RoomShape:
    """Return the sectors of a room that has another size now, with the differences between two states.

    `before`, `after`: see :func:`update_shape`, of the old and the new size. `offset`: how far the first
    sector moved along x and z.
    """
    result = _at_offset(shape, after, offset)
    update_shape(result, _at_offset(before, after, offset), after)
    return result


def _at_offset(shape: RoomShape, after: RoomShape, offset: tuple[int, int]) -> RoomShape:
    """Return a room of another size, `after`, with the sectors of `shape` at their offset."""
    step_x, step_z = offset
    room = RoomShape.empty(after.x_sectors, after.z_sectors)
    z, x = np.nonzero(~shape.border)
    to_z, to_x = z + step_z, x + step_x
    inside = (to_z > 0) & (to_z < room.z_sectors - 1) & (to_x > 0) & (to_x < room.x_sectors - 1)
    source, target = (z[inside], x[inside]), (to_z[inside], to_x[inside])
    for result, old, new in (
        (room, shape, after),
        (room.floor, shape.floor, after.floor),
        (room.ceiling, shape.ceiling, after.ceiling),
    ):
        for name, values in vars(new).items():
            if isinstance(values, np.ndarray) and values.ndim > 1:
                joined = values.copy()
                joined[target] = getattr(old, name)[source]
                setattr(result, name, joined)
    faces = shape.faces.copy()
    old_z, old_x = np.divmod(faces["sector"], shape.x_sectors)
    new_z, new_x = old_z + step_z, old_x + step_x
    kept = (new_z >= 0) & (new_z < room.z_sectors) & (new_x >= 0) & (new_x < room.x_sectors)
    faces["sector"] = new_x + new_z * room.x_sectors
    room.faces, room.old_walls = faces[kept], shape.old_walls
    return room
