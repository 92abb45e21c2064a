"""Places of face corners on a tile, so that its top is up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...mesh.poly_mesh import PolyMesh, cross, transformed

_LEVEL = 0.9986  # the vertical share of a normal from which a face has no slope: 3 degrees
_UPRIGHT = 0.3  # the vertical share from which a face is no wall
# The corners of a tile counterclockwise from its bottom left, as those of a face seen from its front.
_CORNERS = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
# All ways to put a triangle on three of a tile's corners: (ways, 3), indices into _CORNERS.
_HALVES = np.array(
    [
        np.roll([corner for corner in range(4) if corner != left_out], -turn)
        for left_out in range(4)
        for turn in range(3)
    ]
)
_TURNS = (np.arange(4) + np.arange(4)[:, None]) % 4  # all ways to put a quad on a tile: (ways, 4)


def groups_of(normals: NDArray[np.float64]) -> NDArray[np.str_]:
    """Return for each face whether it is FLOOR, CEILING or WALL, (f,).

    Args:
        normals: (f, 3), z up, of any length.
    """
    share = normals[:, 2] / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)
    return np.select([share > _UPRIGHT, share < -_UPRIGHT], ["FLOOR", "CEILING"], "WALL")


class FacePlanes:
    """Faces on their planes: places along the directions to the right and up that people would name."""

    def __init__(self, shape: PolyMesh, matrix: object, forward: tuple[float, float]) -> None:
        """Place faces on their planes.

        Args:
            matrix: (4, 4) from their positions to a space with z up.
            forward: the direction that is up on floors, along x and y there. On ceilings the opposite one
                is, so a tile's right is the same on both for someone who looks forward.
        """
        self.shape = placed = PolyMesh(transformed(shape.positions, matrix), shape.corners, shape.sizes)
        normals = placed.normals_by_area
        self._is_mirrored = np.linalg.det(np.array(matrix, np.float64)[:3, :3]) < 0
        if self._is_mirrored:
            normals = -normals
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        self.groups = groups_of(normals)  #: (f,) see :func:`groups_of`.
        is_level = np.abs(normals[:, 2]) > _LEVEL
        ahead = np.array([*forward, 0.0]) * np.sign(normals[:, 2:])
        up = np.where(is_level[:, None], ahead, [0.0, 0.0, 1.0])
        up -= normals * (up * normals).sum(axis=1, keepdims=True)
        up /= np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-12)
        right = cross(up, normals)
        points, face = placed.positions[placed.corners], placed.face_of_corner
        #: (k, 2) the place of every corner: to the right and up, from the lower left of its face's rectangle.
        self.along = np.stack([(points * axis[face]).sum(axis=1) for axis in (right, up)], axis=1)
        low = np.minimum.reduceat(self.along, placed.starts) if len(face) else np.zeros((0, 2))
        high = np.maximum.reduceat(self.along, placed.starts) if len(face) else np.zeros((0, 2))
        self.along -= low[face]
        self.extent = high - low  #: (f, 2) width and height of every face's rectangle.

    @property
    def stretched(self) -> NDArray[np.float64]:
        """The places of corners on tiles that fill their faces, (k, 2), from 0, 0 at the lower left to 1, 1.

        The corners of quads are those of the tile, and triangles show half of it.
        """
        shape = self.shape
        places = self.along / np.maximum(self.extent, 1e-12)[shape.face_of_corner]
        # Faces of mirrored objects go clockwise.
        order = np.abs(_CORNERS - (1.0, 0.0)) if self._is_mirrored else _CORNERS
        for corners, ways in ((4, _TURNS), (3, _HALVES)):
            faces = np.flatnonzero(shape.sizes == corners)
            if len(faces):
                rows = shape.starts[faces, None] + np.arange(corners)
                # The way whose corners point most alike from the middle.
                scores = np.einsum("fcx,wcx->fw", places[rows] - 0.5, order[ways] - 0.5)
                places[rows] = order[ways[scores.round(6).argmax(axis=1)]]
        return places

    def in_scale(self, width: float, height: float) -> NDArray[np.float64]:
        """Return the places of corners on tiles of a size, (k, 2): beyond 1 where faces are larger."""
        return self.along / (width, height)


def turned(places: NDArray[np.float64], quarters: int, *, mirrored: bool) -> NDArray[np.float64]:
    """Return places on a tile, (…, 2), that is mirrored left to right and then turned clockwise by quarters.

    The places are those on the tile as it is in its picture.
    """
    x, y = places[..., 0], places[..., 1]
    for _ in range(quarters % 4):
        x, y = 1 - y, x
    return np.stack([1 - x if mirrored else x, y], axis=-1)


def ways_shown(
    planes: FacePlanes, on_tile: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return how faces show a tile: quarters of turns clockwise, (f,), and whether mirrored before, (f,).

    Args:
        on_tile: (k, 2) the places of their corners on the tile as it is in its picture.
    """
    ways = [(quarters, mirrored) for mirrored in (False, True) for quarters in range(4)]
    places, starts = planes.stretched, planes.shape.starts
    if not len(starts):
        return np.zeros(0, np.int64), np.zeros(0, np.bool_)
    errors = [np.abs(turned(places, way[0], mirrored=way[1]) - on_tile).sum(axis=1) for way in ways]
    best = np.add.reduceat(np.stack(errors), starts, axis=1).round(4).argmin(axis=0)
    return best % 4, best >= 4
