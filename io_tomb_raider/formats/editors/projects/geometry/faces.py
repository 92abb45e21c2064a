"""Faces of a project's rooms, and the textured faces of compiled rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.columns import Columns
from ....base.arrays.distinct import distinct_rows, sorted_rows
from ....base.arrays.typing import Bools, Ints
from ..model.rooms import ProjectRoom
from ..model.shape import Face

FLOORS = (Face.FLOOR, Face.FLOOR_TRIANGLE_2)
CEILINGS = (Face.CEILING, Face.CEILING_TRIANGLE_2)
FACES = 256  # more than the highest number of a face
CORNERS = np.array([[0, 1], [1, 1], [1, 0], [0, 0]])  # x, z of each corner of a sector


@dataclass(eq=False)
class Faces(Columns):
    """The faces of a room, ordered by sector and number."""

    sector: Ints  #: (n,) int64: x + z * x sectors.
    #: (n,) int64: see :class:`..model.shape.Face`, with :class:`..model.shape.SectorSide` of walls added.
    face: Ints
    count: Ints  #: (n,) int64: 3 or 4 corners.
    #: (n, 4, 3) int64: units relative to the room, y up, in the order of the texture's corners. Triangles
    #: repeat the third. Floors and walls are clockwise for the viewer, ceilings reversed.
    corners: Annotated[Ints, 4, 3]

    @property
    def is_ceiling(self) -> Bools:
        """(n,) bool: ceilings, whose corners are in the reversed order."""
        first, second = CEILINGS
        return (self.face == first) | (self.face == second)


@dataclass(eq=False)
class CompiledFaces(Columns):
    """The faces of a compiled room, in the level's order, with triangles and quads mixed."""

    face: Ints  #: (n,) int64: the index in :class:`Faces`, those of all rooms in a row.
    record: Ints  #: (n,) int64: likewise in the shapes' faces, with texture, blend and double-sided flag.
    count: Ints  #: (n,) int64: 3 or 4 corners.
    #: (n, 4, 3) int64 in the order of the level's vertices: x and z relative to the room, y in the world, y
    #: down. Triangles repeat the third.
    positions: Annotated[Ints, 4, 3]
    #: (n, 4, 2) float32: the texture's corners in the same order, in pixels of the image.
    corners: Annotated[NDArray[np.float32], 4, 2]
    origins: Annotated[Ints, 2]  #: (n, 2) int64: sector and face, see :class:`Faces`.
    is_ceiling: Bools  #: (n,) bool: ceilings.


def textured_faces_of(rooms: Sequence[ProjectRoom], faces: Sequence[Faces]) -> CompiledFaces:
    """Return the faces of rooms that have a texture, as a level has them, room by room.

    Their order is by sector, and within a sector that of the file's faces. Invisible faces and faces without
    texture are left out. If a face is in the file twice, the last one counts, at the index of the first.
    `faces`: the faces of each room, by :func:`~.geometry.room_faces`.
    """
    sizes = [room.shape.wall.size for room in rooms]
    starts = np.cumsum(sizes) - sizes
    joined = Faces.join(faces)
    y = np.repeat([room.y for room in rooms], [len(each) for each in faces])
    sector = joined.sector + np.repeat(starts, [len(each) for each in faces])
    records_of_rooms = [room.shape.faces for room in rooms]
    counts = [len(records) for records in records_of_rooms]
    sectors, numbers, textures = (
        np.concatenate([records[name] for records in records_of_rooms]).astype(np.int64)
        for name in ("sector", "face", "texture")
    )
    rows = np.flatnonzero((sectors >= 0) & (sectors < np.repeat(sizes, counts)) & (numbers < FACES))
    key = (sectors + np.repeat(starts, counts))[rows] * FACES + numbers[rows]
    order = sorted_rows(key)
    begins = np.ones(len(key) + 1, np.bool_)
    begins[1:-1] = key[order[1:]] != key[order[:-1]]
    first, last = rows[order[begins[:-1]]], rows[order[begins[1:]]]
    unique = key[order[begins[:-1]]]
    face_keys = sector * FACES + joined.face
    if not len(face_keys):
        unique, first, last = unique[:0], first[:0], last[:0]
    order = sorted_rows(face_keys)
    faces_found = order[np.minimum(np.searchsorted(face_keys[order], unique), max(len(face_keys) - 1, 0))]
    fits = (face_keys[faces_found] == unique) & (textures[last] >= 0)
    faces_found, first, last = faces_found[fits], first[fits], last[fits]
    sequence = sorted_rows(sector[faces_found] * (len(sectors) + 1) + first)
    face, record = faces_found[sequence], last[sequence]
    count = joined.count[face]
    is_ceiling = joined.is_ceiling[face]
    positions = turned_corners(joined.corners[face], count, is_ceiling)
    positions[:, :, 1] = -(positions[:, :, 1] + y[face, None])
    corners = np.concatenate([records["corners"] for records in records_of_rooms])[record]
    corners = turned_corners(corners, count, is_ceiling)
    origins = np.stack([joined.sector[face], joined.face[face]], axis=1)
    return CompiledFaces(face, record, count, positions, corners, origins, is_ceiling)


def turned_corners(corners: NDArray[Any], count: Ints, is_reversed: Bools) -> NDArray[Any]:
    """Put the corners (n, 4, ...) of some faces in reverse order, in place; triangles repeat the third.

    `count`: (n,) 3 or 4 corners. `is_reversed`: (n,).
    """
    rows = np.flatnonzero(is_reversed & (count == 4))
    corners[rows] = corners[rows, ::-1]
    triangles = np.flatnonzero(count != 4)
    order = np.where(is_reversed[triangles, None], [2, 1, 0, 0], [0, 1, 2, 2])
    corners[triangles] = corners[triangles[:, None], order]
    return corners


def vertex_table(positions: Ints, count: Ints, shades: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the distinct vertices of faces in order of first use.

    Args:
        positions: (n, 4, 3).
        count: (n,): 3 or 4 corners.
        shades: (n, 4) or (n, 4, k): more values that distinguish vertices.

    Returns:
        The vertices (v, 3), their shades (v,) or (v, k), and the indices of the faces (n, 4); triangles
        repeat the third.
    """
    shape = shades.shape[2:]
    flat = shades.reshape(*shades.shape[:2], int(np.prod(shape)))
    used = np.flatnonzero((np.arange(4) < count[:, None]).reshape(-1))
    columns = [
        values[..., index].reshape(-1)[used]
        for values in (positions, flat)
        for index in range(values.shape[2])
    ]
    first, number = distinct_rows(columns)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    indices = np.zeros((len(count), 4), np.int64)
    indices.reshape(-1)[used] = rank[number]
    indices[:, 3] = np.where(count == 3, indices[:, 2], indices[:, 3])
    rows = first[order]
    vertices = np.stack([column[rows] for column in columns], axis=1)
    return vertices[:, :3], vertices[:, 3:].reshape(len(vertices), *shape), indices
