"""Geometry of a project's rooms: which faces exist, with which corners."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ....base.arrays.distinct import sorted_rows
from ....base.arrays.typing import Ints
from ....base.units import SECTOR_SIZE
from ..model.rooms import ProjectRoom
from ..model.shape import XNZN, XNZP, XPZN, XPZP, RoomShape, SectorSurface
from .faces import CEILINGS, CORNERS, FACES, FLOORS, Faces
from .joined import JoinedSectors
from .openings import Opening, ProjectRooms, is_plane
from .walls import wall_faces

_QUAD = (XNZN, XNZP, XPZP, XPZN)  # texture corners of floors and ceilings
_MOST_SECTORS = 1 << 14  # at once: so many fit into the cache of processors


def room_faces(rooms: ProjectRooms, room: ProjectRoom) -> Faces:
    """Return all faces of a room's own geometry, textured or not."""
    return faces_of_rooms(rooms, [room])[0]


def faces_of_rooms(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> list[Faces]:
    """Return all faces of the own geometry of each of some rooms, textured or not."""
    result: list[Faces] = []
    group: list[ProjectRoom] = []
    size = 0
    for room in some:
        if size > _MOST_SECTORS:
            result += _faces(rooms, group)
            group, size = [], 0
        group.append(room)
        size += room.shape.wall.size
    return result + _faces(rooms, group) if group else result


def _faces(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> list[Faces]:
    joined = JoinedSectors(some)
    parts = [*_surfaces(rooms, joined), *wall_faces(rooms, some)]
    sector = np.concatenate([part.sector for part in parts])
    face = np.concatenate([part.face for part in parts])
    count = np.concatenate([part.count for part in parts])
    corners = np.concatenate([part.corners for part in parts])
    order = sorted_rows(sector * FACES + face)
    sector, face, count, corners = sector[order], face[order], count[order], corners[order]
    ends = np.searchsorted(sector, joined.starts).tolist()
    return [
        Faces(sector[low:high] - start, face[low:high], count[low:high], corners[low:high])
        for low, high, start in zip(ends[:-1], ends[1:], joined.starts.tolist(), strict=False)
    ]


def _surfaces(rooms: ProjectRooms, joined: JoinedSectors) -> list[Faces]:
    openings = rooms.openings_of(joined.rooms)
    floor, ceiling = joined.diagonals()
    opened = joined.join([each.floor for each in openings]), joined.join([each.ceiling for each in openings])
    return [
        *_surface_faces(joined, lambda shape: shape.floor, floor, opened[0], FLOORS),
        *_surface_faces(joined, lambda shape: shape.ceiling, ceiling, opened[1], CEILINGS),
    ]


def _surface_faces(
    joined: JoinedSectors,
    surface: Callable[[RoomShape], SectorSurface],
    diagonal: Ints,
    opening: Ints,
    numbers: Sequence[int],
) -> list[Faces]:
    """Return the faces of the floors or of the ceilings."""
    heights = joined.of(lambda shape: surface(shape).heights)
    wall = joined.wall
    cut, triangular = diagonal != 0, (opening != Opening.CLOSED) & (opening != Opening.FULL)
    exists = ~joined.border & ~(wall & ~cut) & (opening != Opening.FULL)
    quads = exists & ~cut & ~triangular & is_plane(heights)
    chosen = np.flatnonzero(quads)
    result = [_flat_faces(joined, chosen, np.full(len(chosen), numbers[0]), heights[chosen], _QUAD)]
    # Few sectors are no plane.
    remaining = np.flatnonzero(exists & ~quads)
    wall, cut, triangular = wall[remaining], cut[remaining], triangular[remaining]
    heights, diagonal, opening = heights[remaining], diagonal[remaining], opening[remaining]
    stored = joined.of(lambda shape: surface(shape).x_equals_z)[remaining]
    x_equals_z = np.where(cut, diagonal % 2 == 1, np.where(triangular, opening % 2 == 1, stored))
    for corner in range(4):
        split = x_equals_z if corner in (XNZP, XPZN) else ~x_equals_z
        flat = diagonal == (corner + 2) % 4 + 1
        built = split & (opening != corner + 1) & ~(wall & ~flat)
        # Without a diagonal, the names of both triangles of an "X equals Z" split are exchanged.
        first = (corner == XPZP) | ((corner == XPZN) & ~cut) | ((corner == XNZP) & cut)
        chosen = np.flatnonzero(built)
        levels = np.where(flat[chosen, None], heights[chosen, corner, None], heights[chosen])
        number = np.where(first[chosen], numbers[0], numbers[1])
        corners = ((corner + 3) % 4, corner, (corner + 1) % 4)
        result.append(_flat_faces(joined, remaining[chosen], number, levels, corners))
    return result


def _flat_faces(
    joined: JoinedSectors, sectors: Ints, number: Ints, heights: Ints, corners: Sequence[int]
) -> Faces:
    """Return faces of sectors, given the four heights of each."""
    order = list(corners) if len(corners) == 4 else [*corners, corners[2]]
    positions = np.empty((len(sectors), 4, 3), np.int64)
    for index, corner in enumerate(order):
        positions[:, index, 0] = (joined.x[sectors] + CORNERS[corner, 0]) * SECTOR_SIZE
        positions[:, index, 1] = heights[:, corner]
        positions[:, index, 2] = (joined.z[sectors] + CORNERS[corner, 1]) * SECTOR_SIZE
    return Faces(sectors, number.astype(np.int64), np.full(len(sectors), len(corners)), positions)
