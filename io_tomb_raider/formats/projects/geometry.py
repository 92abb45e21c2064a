"""Geometry of a project's rooms: which faces exist, with which corners."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .faces import CEILINGS, CORNERS, FLOORS, Faces
from .openings import SECTOR, Ints, Opening, ProjectRooms, diagonals, is_plane
from .rooms import Room
from .shape import XNZN, XNZP, XPZN, XPZP, RoomShape, Surface
from .walls import wall_faces

_QUAD = (XNZN, XNZP, XPZP, XPZN)  # texture corners of floors and ceilings


def room_faces(rooms: ProjectRooms, room: Room) -> Faces:
    """Return all faces of a room's own geometry, textured or not."""
    parts = [*_surfaces(rooms, room), *wall_faces(rooms, room)]
    sector = np.concatenate([part.sector for part in parts])
    face = np.concatenate([part.face for part in parts])
    order = np.lexsort((face, sector))
    return Faces(
        sector[order],
        face[order],
        np.concatenate([part.count for part in parts])[order],
        np.concatenate([part.corners for part in parts])[order],
    )


def _surfaces(rooms: ProjectRooms, room: Room) -> list[Faces]:
    shape = room.shape
    openings = rooms.face_openings(room)
    floor, ceiling = diagonals(shape)
    return [
        *_surface_faces(shape, shape.floor, floor, openings.floor, FLOORS),
        *_surface_faces(shape, shape.ceiling, ceiling, openings.ceiling, CEILINGS),
    ]


def _surface_faces(
    shape: RoomShape, surface: Surface, diagonals: Ints, openings: Ints, numbers: Sequence[int]
) -> list[Faces]:
    """Return the faces of the floors or of the ceilings."""
    heights = surface.heights.reshape(-1, 4)
    diagonal, opening = diagonals.reshape(-1), openings.reshape(-1)
    wall = shape.wall.reshape(-1)
    cut, triangular = diagonal != 0, (opening != Opening.CLOSED) & (opening != Opening.FULL)
    exists = ~shape.border.reshape(-1) & ~(wall & ~cut) & (opening != Opening.FULL)
    quads = exists & ~cut & ~triangular & is_plane(heights)
    x_equals_z = np.where(
        cut, diagonal % 2 == 1, np.where(triangular, opening % 2 == 1, surface.x_equals_z.reshape(-1))
    )
    result = [
        _flat_faces(shape, np.flatnonzero(quads), np.full(quads.sum(), numbers[0]), heights[quads], _QUAD)
    ]
    for corner in range(4):
        split = x_equals_z if corner in (XNZP, XPZN) else ~x_equals_z
        flat = diagonal == (corner + 2) % 4 + 1
        built = exists & ~quads & split & (opening != corner + 1) & ~(wall & ~flat)
        # Without a diagonal, the names of both triangles of an "X equals Z" split are exchanged.
        first = (corner == XPZP) | ((corner == XPZN) & ~cut) | ((corner == XNZP) & cut)
        chosen = np.flatnonzero(built)
        levels = np.where(flat[chosen, None], heights[chosen, corner, None], heights[chosen])
        number = np.where(first[chosen], numbers[0], numbers[1])
        corners = ((corner + 3) % 4, corner, (corner + 1) % 4)
        result.append(_flat_faces(shape, chosen, number, levels, corners))
    return result


def _flat_faces(
    shape: RoomShape, sectors: Ints, number: Ints, heights: Ints, corners: Sequence[int]
) -> Faces:
    """Return faces of sectors, given the four heights of each."""
    four = list(corners) if len(corners) == 4 else [*corners, corners[2]]
    z, x = np.divmod(sectors, shape.x_sectors)
    places = np.empty((len(sectors), 4, 3), np.int64)
    places[:, :, 0] = (x[:, None] + CORNERS[four, 0]) * SECTOR
    places[:, :, 1] = heights[:, four]
    places[:, :, 2] = (z[:, None] + CORNERS[four, 1]) * SECTOR
    return Faces(sectors, number.astype(np.int64), np.full(len(sectors), len(corners)), places)
