"""The faces of one bone as a mesh for the games: welded vertices, and quads restored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats.base import distinct_rows
from ...core.space import Space
from ...subjects.meshes.arrays import MeshArrays
from ...subjects.textures.keys import equal_keys
from .gather import are_halves

_FOLDED = 0.0  # halves at a smaller cosine of their angle are no quad


def part_of(
    arrays: MeshArrays, faces: NDArray[np.int64], pivot: NDArray[np.float64], space: Space
) -> MeshArrays:
    """Return some faces of a mesh as a mesh relative to a point.

    Vertices at one place, in units of the file, are merged, since exporters split them at UV seams. Halves of
    quads are joined. Faces without area are dropped.

    Args:
        faces: the faces, ascending.
        pivot: (3,), in the mesh's space.
    """
    part = replace(arrays.take_faces(faces), point={}, face={})
    return _welded(_with_quads(part), pivot, space)


def _with_quads(arrays: MeshArrays) -> MeshArrays:
    """Join consecutive triangles that have the corner order of a split quad and no seam between them."""
    normals = _normals(arrays)
    triangles = (arrays.sizes[:-1] == 3) & (arrays.sizes[1:] == 3)
    can_join = triangles & equal_keys(arrays.keys[:-1], arrays.keys[1:])
    can_join &= (normals[:-1] * normals[1:]).sum(axis=1) > _FOLDED
    starts, corners, uvs = arrays.starts, arrays.corners, arrays.uvs
    order: list[int] = []
    sizes: list[int] = []
    kept: list[int] = []
    face = 0
    while face < len(arrays.sizes):
        start = int(starts[face])
        quad = None
        if face < len(can_join) and can_join[face]:
            quad = _joined(corners[start : start + 6], uvs[start : start + 6])
        face_corners = quad or range(int(arrays.sizes[face]))
        order += [start + each for each in face_corners]
        sizes.append(len(face_corners))
        kept.append(face)
        face += 2 if quad else 1
    joined = arrays.take(corners=np.array(order, np.int64), faces=np.array(kept, np.int64))
    return replace(joined, sizes=np.array(sizes, np.int32))


def _joined(corners: NDArray[np.int32], uvs: NDArray[np.float32]) -> list[int] | None:
    """Return the corners of a quad from those of two triangles, or None."""
    first, second = corners[:3].tolist(), corners[3:].tolist()
    if not are_halves(first, second):
        return None
    if first[0] == second[0] and first[2] == second[1]:
        same, quad, ends = ((0, 3), (2, 4)), [0, 1, 2, 5], (first[1], second[2])
    else:
        same, quad, ends = ((1, 3), (2, 5)), [0, 1, 4, 2], (first[0], second[1])
    if ends[0] == ends[1] or any((uvs[a] != uvs[b]).any() for a, b in same):
        return None
    return quad


def _normals(arrays: MeshArrays) -> NDArray[np.float64]:
    """Return the normals of faces, (f, 3), by their first three corners."""
    points = arrays.positions[arrays.corners[arrays.starts[:, None] + np.arange(3)]].astype(np.float64)
    crossed = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    return crossed / np.maximum(np.linalg.norm(crossed, axis=1), 1e-30)[:, None]


def _welded(arrays: MeshArrays, pivot: NDArray[np.float64], space: Space) -> MeshArrays:
    arrays = arrays.without_loose()
    positions = arrays.positions.astype(np.float64) - pivot
    arrays = replace(arrays, positions=positions.astype(np.float32))
    return welded(arrays, np.rint(positions / space.scale))[0]


def welded(arrays: MeshArrays, rows: NDArray[Any]) -> tuple[MeshArrays, NDArray[np.int64]]:
    """Merge vertices with equal rows, (n, k), and drop faces without area.

    Returns:
        The mesh, and the former number of each of its vertices.
    """
    first, group = distinct_rows(rows.T, is_sorted=True)
    order = np.argsort(first)  # in their original order
    rank = np.empty(len(first), np.int32)
    rank[order] = np.arange(len(first))
    return _without_slivers(arrays.merge(first[order], rank[group])), first[order]


def _without_slivers(arrays: MeshArrays) -> MeshArrays:
    """Drop faces with merged corners; quads with one duplicate corner become triangles."""
    face = arrays.face_of_corner
    keep = np.ones(len(arrays.corners), np.bool_)
    for start, size in zip(arrays.starts.tolist(), arrays.sizes.tolist(), strict=True):
        corners = arrays.corners[start : start + size].tolist()
        if len(set(corners)) < size:
            keep[start : start + size] = [corners.index(each) == index for index, each in enumerate(corners)]
            if len(set(corners)) < 3:
                keep[start : start + size] = False
    if keep.all():
        return arrays
    sizes = np.bincount(face[keep], minlength=len(arrays.sizes))
    faces = sizes > 0
    return replace(arrays.take(corners=keep, faces=faces), sizes=sizes[faces].astype(np.int32))
