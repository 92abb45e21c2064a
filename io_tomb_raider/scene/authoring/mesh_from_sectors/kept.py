"""Matching of a room's old faces to its drawn faces, which keep manual textures, colors and attributes.

Faces match by their keys or, without keys, by their corners. A face's texture counts as manual if it differs
from the texture that was drawn there. It is kept, and cropped to the face's new shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE, Columns, distinct_rows
from ...mesh.poly_mesh import PolyMesh
from ...subjects.collision.shape import LEFT, RIGHT
from .looks import same_uvs
from .shape import ROW_HEIGHT, DrawnFaces, DrawnRole, parts_of, rows_of, with_piece

KEY = "tr_drawn"
_SAME_PLACE = 1e-3  # of a texture region
_PAGE_PIECE = 0.25  # of a page: a region of 64 by 64 texels
_SLACK = 1e-3  # in UVs
_UNIT = np.array([(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, 1.0), (0.0, 1.0, 1.0)])
_CHUNK = 256  # vertices per comparison with all others


@dataclass(eq=False)
class OldFaces:
    """The faces of a room before it is drawn."""

    geometry: PolyMesh
    points: NDArray[np.float64]  #: (v, 3) its vertices in units from the room's corner, y down.
    uvs: NDArray[np.float64]  #: (k, 2) of its corners.
    keys: NDArray[np.int32]  #: (f,) of its faces, 0 for those that were not drawn.


def match_faces(before: OldFaces, drawn: DrawnFaces) -> NDArray[np.int64]:
    """Return the old face of each drawn face, (f,), or -1."""
    match = _with_keys(before.keys, drawn.keys)
    halves = drawn.roles <= DrawnRole.CEILING
    # Halves match the whole face or other halves, and vice versa.
    for piece in range(3):
        candidates = _with_keys(before.keys, with_piece(drawn.keys, piece))
        match = np.where((match < 0) & halves, candidates, match)
    candidates = _with_keys(before.keys, rows_of(drawn.keys))
    match = np.where((match < 0) & ~halves, candidates, match)
    same = _at_same_corners(before, drawn)
    return np.where((match < 0) & (same >= 0) & (before.keys[same] == 0), same, match)


def _with_keys(keys: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the first face with each of the wanted keys, or -1."""
    order = np.argsort(keys, kind="stable")
    positions = np.searchsorted(keys[order], wanted)
    inside = positions < len(keys)
    indices = order[np.where(inside, positions, 0)] if len(keys) else np.zeros(len(wanted), np.int64)
    is_same = inside & (keys[indices] == wanted) if len(keys) else np.zeros(len(wanted), bool)
    return np.where(is_same, indices, -1)


def _at_same_corners(before: OldFaces, drawn: DrawnFaces) -> NDArray[np.int64]:
    """Return the old face with the same corners as each drawn face, in any rotation, or -1.

    Of several, one that is seen from the same side: a floor and a ceiling can be at the same place.
    """
    old = before.geometry
    small = np.flatnonzero(old.sizes <= 4)
    if not len(small) or not len(drawn):
        return np.full(len(drawn), -1)
    points = np.concatenate([np.rint(before.points), drawn.points.reshape(-1, 3)])
    _, identities = distinct_rows(points.T, is_sorted=True)
    faces = old.vertex_rows()[small]
    old_corners = np.where(faces >= 0, identities[faces], -1)
    new_corners = identities[len(before.points) :].reshape(-1, 4).copy()
    new_corners[drawn.sizes == 3, 3] = -1
    rows = np.sort(np.concatenate([old_corners, new_corners]), axis=1)
    seen = np.concatenate([_is_seen_from(before.points[faces]), _is_seen_from(drawn.points)])
    result = np.full(len(drawn), -1)
    for table in (np.concatenate([rows, seen[:, None]], axis=1), rows):
        first, group = distinct_rows(table.T, is_sorted=True)
        same = first[group[len(small) :]]
        is_same = (result < 0) & (same < len(small))
        result = np.where(is_same, small[np.minimum(same, len(small) - 1)], result)
    return result


def _is_seen_from(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the side from which faces, (f, 4, 3) points, are seen, as one of two values each."""
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    return np.asarray((normals @ np.array([1.0, 0.1, 0.01])) > 0)


@dataclass(eq=False)
class MatchedFaces(Columns):
    """The m drawn faces that match old ones, and their old textures."""

    new: NDArray[np.int64]  #: (m,) their indices among the drawn faces.
    old: NDArray[np.int64]  #: (m,) their indices among the old faces.
    #: (m, 4, 2) the places of old corners on the texture region.
    places: Annotated[NDArray[np.float64], 4, 2]
    uvs: Annotated[NDArray[np.float64], 4, 2]  #: (m, 4, 2) the old UVs.
    corner: Annotated[NDArray[np.int64], 4]  #: (m, 4) the old corner at each new corner, or -1.
    within: Annotated[NDArray[np.int64], 4]  #: (m, 4) its index within the face.
    weights: Annotated[NDArray[np.float64], 4]  #: (m, 4) 1 for old corners, 0 for the fourth of triangles.

    @classmethod
    def of(cls, before: OldFaces, drawn: DrawnFaces, match: NDArray[np.int64]) -> MatchedFaces:
        """Match the corners of matched faces."""
        new = np.flatnonzero(match >= 0)
        old = match[new]
        geometry = before.geometry
        is_corner = np.arange(4) < geometry.sizes[old, None]
        rows = np.where(is_corner, geometry.starts[old, None] + np.arange(4), geometry.starts[old, None])
        places = _places(before, drawn, new, old, before.points[geometry.corners[rows]])
        near = np.abs(places[:, None] - drawn.places[new][:, :, None]) < _SAME_PLACE
        is_near = near.all(axis=3) & is_corner[:, None]
        within = is_near.argmax(axis=2)
        corner = np.where(is_near.any(axis=2), np.take_along_axis(rows, within, axis=1), -1)
        return cls(new, old, places, before.uvs[rows], corner, within, is_corner.astype(np.float64))

    def shows(self, uvs: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which faces had these UVs, (m, 4, 2), at their old corners."""
        return np.asarray((same_uvs(uvs, self.uvs) | (self.weights == 0)).all(axis=1))

    def cut(self, drawn: DrawnFaces, is_page: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return the UVs of the faces in their new shape, (m, 4, 2).

        A face that grew shows more of its texture region if there is more: on a page, up to the size of a
        region; on other images, up to their borders. Otherwise it shows the same, stretched.

        Args:
            is_page: (m,) whether their material shows a page.
        """
        weights = self.weights[..., None]
        solved = _solved(self.places, self.uvs, self.weights)
        whole = _UNIT @ solved
        low, high = self.uvs.min(axis=1), self.uvs.max(axis=1)
        limit = np.where(is_page[:, None], np.maximum(_PAGE_PIECE, high - low), np.inf) + _SLACK
        is_piece = np.ptp(whole, axis=1) <= limit
        is_piece &= whole.min(axis=1) >= np.minimum(low, 0) - _SLACK
        is_piece &= whole.max(axis=1) <= np.maximum(high, 1) + _SLACK
        fresh = drawn.places[self.new]
        places = np.where(
            is_piece.all(axis=1, keepdims=True)[..., None], fresh, _stretched(fresh, self.places)
        )
        cut = np.concatenate([places, np.ones_like(weights)], axis=2) @ solved
        # Unchanged faces keep their exact UVs, even distorted ones.
        stays = np.asarray((self.corner >= 0) | (np.arange(4) >= drawn.sizes[self.new, None]))
        same = np.take_along_axis(self.uvs, self.within[..., None], axis=1)
        return np.where(np.asarray(stays.all(axis=1))[:, None, None], same, cut)


def _solved(
    places: NDArray[np.float64], uvs: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the affine maps from places on a texture region to UVs, (m, 3, 2)."""
    weights = weights[..., None]
    system = np.concatenate([places, np.ones_like(weights)], axis=2) * weights
    return np.asarray(np.linalg.pinv(system) @ (uvs * weights))


class LostFaces:
    """Drawn faces that no longer exist, and their textures.

    Args:
        before: all old faces.
        faces: (g,) those that no longer exist, with keys.
    """

    faces: NDArray[np.int64]  #: (g,) those of at most four corners that are not along dividing lines.
    places: NDArray[np.float64]  #: (g, 4, 2) the places of their corners on the texture region.

    def __init__(self, before: OldFaces, faces: NDArray[np.int64]) -> None:
        role, side, x, z = parts_of(before.keys[faces])
        kept = (side < len(LEFT)) & (before.geometry.sizes[faces] <= 4)
        self.faces, role, side, x, z = faces[kept], role[kept], side[kept], x[kept], z[kept]
        geometry = before.geometry
        is_corner = np.arange(4) < geometry.sizes[self.faces, None]
        first = geometry.starts[self.faces, None]
        rows = np.where(is_corner, first + np.arange(4), first)
        points = before.points[geometry.corners[rows]]
        flat = points[..., [0, 2]] / SECTOR_SIZE - np.stack([x, z], axis=1)[:, None]
        left, right = (np.array(each)[side] for each in (LEFT, RIGHT))
        start, end = (np.stack([each // 2, each % 2], axis=1) for each in (left, right))
        along = ((flat - start[:, None]) * (end - start)[:, None]).sum(axis=2)
        up = 1 - (points[..., 1] - _tops(before)[self.faces, None]) / ROW_HEIGHT
        flat[..., 0] = np.where((role == DrawnRole.CEILING)[:, None], 1 - flat[..., 0], flat[..., 0])
        is_flat = (role <= DrawnRole.CEILING)[:, None, None]
        self.places = np.where(is_flat, flat, np.stack([along, up], axis=2))
        self._uvs, self._weights = before.uvs[rows], is_corner.astype(np.float64)

    def shows(self, uvs: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which faces had these UVs, (g, 4, 2), at their corners."""
        return np.asarray((same_uvs(uvs, self._uvs) | (self._weights == 0)).all(axis=1))

    def corners(self) -> NDArray[np.float64]:
        """Return the corners of their texture regions, (g, 4, 2), by an affine fit."""
        return np.asarray(_UNIT @ _solved(self.places, self._uvs, self._weights))


def _stretched(fresh: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return new places of faces, scaled to their old size."""
    low, high = fresh.min(axis=1, keepdims=True), fresh.max(axis=1, keepdims=True)
    start, end = places.min(axis=1, keepdims=True), places.max(axis=1, keepdims=True)
    return np.asarray(start + (fresh - low) / np.maximum(high - low, _SAME_PLACE) * (end - start))


def _places(
    before: OldFaces,
    drawn: DrawnFaces,
    new: NDArray[np.int64],
    old: NDArray[np.int64],
    points: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the place on its texture region of each corner, (m, 4, 3), of old faces, (m, 4, 2)."""
    roles, fresh, places = drawn.roles[new], drawn.points[new], drawn.places[new]
    # For walls the first two corners are the lower ones; for others any three give the plane.
    ends, marks = fresh[:, :2, [0, 2]], places[:, :2, 0]
    direction = (ends[:, 1] - ends[:, 0]) / np.where(
        marks[:, 1] == marks[:, 0], 1, marks[:, 1] - marks[:, 0]
    )[:, None]
    origin = ends[:, 0] - direction * marks[:, :1]
    along = ((points[..., [0, 2]] - origin[:, None]) * direction[:, None]).sum(axis=2)
    along /= np.maximum((direction**2).sum(axis=1), 1)[:, None]
    top = np.where(
        before.keys[old] > 0, _tops(before)[old], fresh[:, 0, 1] - (1 - places[:, 0, 1]) * ROW_HEIGHT
    )
    wall = np.stack([along, 1 - (points[..., 1] - top[:, None]) / ROW_HEIGHT], axis=2)
    flat = points[..., [0, 2]] / SECTOR_SIZE - drawn.cells[new][:, None]
    flat[..., 0] = np.where((roles == DrawnRole.CEILING)[:, None], 1 - flat[..., 0], flat[..., 0])
    return np.where((roles <= DrawnRole.CEILING)[:, None, None], flat, wall)


def _tops(before: OldFaces) -> NDArray[np.float64]:
    """Return the height of the top of each face's row, (f,), y down."""
    geometry = before.geometry
    if not len(geometry.sizes):
        return np.zeros(0)
    highest = np.minimum.reduceat(before.points[geometry.corners, 1], geometry.starts)
    _, group = np.unique(rows_of(before.keys), return_inverse=True)
    tops = np.full(int(group.max()) + 1, np.inf)
    np.minimum.at(tops, group.ravel(), highest)
    return np.asarray(tops[group.ravel()])


def nearest_vertices(points: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the nearest of other points, (v, 3), at least one, to each point, (n, 3)."""
    # Most points are unchanged, and found by sorting.
    combined = np.concatenate([np.rint(others), np.rint(points)])
    first, identities = distinct_rows(combined.T, is_sorted=True)
    nearest = first[identities[len(others) :]]
    new = np.flatnonzero(nearest >= len(others))
    for start in range(0, len(new), _CHUNK):
        rows = new[start : start + _CHUNK]
        nearest[rows] = ((points[rows, None] - others) ** 2).sum(axis=2).argmin(axis=1)
    return np.asarray(nearest)
