"""The order of faces at the same position, of which engines show the first or the last.

The compiler writes the faces of the editor before those of imported geometry, so faces whose order would
change become imported geometry, which keeps its order.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from .....base.arrays.typing import Bools
from ...geometry.faces import Faces
from .faces import LevelFaces
from .fit import Fitted

_STEPS = 100  # of normals that count as equal
_OVERLAP = 8.0  # units


def in_order(faces: LevelFaces, shown: Bools, built: Faces, fitted: Fitted) -> Bools:
    """Return which faces of a level, (n,), can be faces of the editor without a change of the order.

    `shown`: (n,) the faces of the room that exist. `built`, `fitted`: the faces of the editor, and those that
    show faces of the level.
    """
    taken = fitted.taken.copy()
    pairs = _overlapping(faces, shown)
    if not pairs:
        return taken
    order = np.zeros(len(faces), np.int64)
    order[fitted.whole[::-1]] = (built.sector[fitted.part] * 256 + built.face[fitted.part])[::-1]
    while True:
        rank = [
            (2, 0, 0) if not taken[face] else (int(faces.triangle[face]), int(order[face]), 0)
            for face in range(len(faces))
        ]
        moved = [
            face
            for first, second in pairs
            if rank[first] > rank[second]
            for face in (first, second)
            if taken[face]
        ]
        if not moved:
            return taken
        taken[moved] = False


def _overlapping(faces: LevelFaces, shown: Bools) -> list[tuple[int, int]]:
    """Return the pairs of faces in the same plane that overlap, in the order of the level."""
    normals = np.rint(faces.normals * _STEPS).astype(np.int64)
    offsets = np.rint((faces.normals * faces.points[:, 0]).sum(axis=1)).astype(np.int64)
    planes: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for face in np.flatnonzero(shown & (faces.areas > 0)).tolist():
        planes[(*normals[face].tolist(), int(offsets[face]))].append(face)
    pairs: list[tuple[int, int]] = []
    low, high = faces.points.min(axis=1), faces.points.max(axis=1)
    for group in planes.values():
        if len(group) < 2:
            continue
        rows = np.array(group)
        overlap = np.minimum(high[rows][:, None], high[rows]) - np.maximum(low[rows][:, None], low[rows])
        flat = np.abs(faces.normals[rows[0]]).argmax()  # the boxes are flat along this axis
        overlap = np.delete(overlap, flat, axis=2)
        for first, second in np.argwhere(np.triu((overlap > _OVERLAP).all(axis=2), 1)).tolist():
            if _share_area(faces, int(rows[first]), int(rows[second]), int(flat)):
                pairs.append((int(rows[first]), int(rows[second])))
    return pairs


def _share_area(faces: LevelFaces, first: int, second: int, flat: int) -> bool:
    """Return whether two faces in a plane overlap: no edge of one separates them."""
    shapes = [
        np.delete(faces.points[face, : 3 if faces.triangle[face] else 4], flat, axis=1)
        for face in (first, second)
    ]
    for shape, other in (shapes, shapes[::-1]):
        for start, end in zip(shape, np.roll(shape, -1, axis=0), strict=True):
            edge = end - start
            length = float(np.hypot(*edge))
            if not length:
                continue
            across = np.array([-edge[1], edge[0]]) / length
            sides = (shape - start) @ across
            inside = 1.0 if sides.sum() >= 0 else -1.0
            if ((other - start) @ across * inside).max() <= _OVERLAP:
                return False
    return True
