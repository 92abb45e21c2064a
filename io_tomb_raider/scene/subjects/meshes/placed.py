"""World positions of vertices, and transformation of meshes: the file stores no transform of a mesh."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ....formats.base import T
from ...core.reporting.report import Report
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from ...mesh.poly_mesh import transformed
from .arrays import VERTEX, MeshArrays

# Of each corner of a box, in Blender's order, whether it is at the low (0) or high end (1) of each axis.
_CORNER_ENDS = np.array([[x, y, y ^ z] for x, y, z in product((0, 1), repeat=3)])


def world_vertices(obj: Object, mesh: Mesh) -> NDArray[np.float64]:
    """Return world positions of the vertices of an object's mesh, (n, 3)."""
    return transformed(vertices_of(mesh), world_matrix(obj))


def rooms_with_vertices(objects: Iterable[Object]) -> list[Object]:
    """Return the rooms among some objects that have vertices; the mesh of a null room has none."""
    # Blender's own type is checked first, which takes a tenth of the time.
    rooms = (obj for obj in objects if obj.type == "MESH" and obj.tomb_raider.kind == Kind.ROOM)
    return [room for room in rooms if isinstance(room.data, Mesh) and len(room.data.vertices)]


def world_corners(objects: Sequence[Object]) -> NDArray[np.float64]:
    """Return the world corners of the bounding boxes of objects, (n, 8, 3)."""
    # Reading a corner is slow; two of them determine the others.
    ends = [(box[0][:], box[6][:]) for box in (obj.bound_box for obj in objects)]
    matrices = [[row[:] for row in world_matrix(obj)] for obj in objects]
    corners = np.array(ends).reshape(-1, 2, 3)[:, _CORNER_ENDS, range(3)]
    placed = np.array(matrices).reshape(-1, 4, 4)
    with np.errstate(invalid="ignore", over="ignore"):  # vertices of damaged files have endless places
        return np.asarray(corners @ placed[:, :3, :3].transpose(0, 2, 1) + placed[:, None, :3, 3])


def transform(arrays: MeshArrays, matrix: NDArray[np.float64]) -> MeshArrays:
    """Return a mesh transformed by a matrix, (4, 4); a singular one does not change normals."""
    turn = matrix[:3, :3]
    with np.errstate(over="ignore"):  # the export checks for overflow
        arrays = replace(arrays, positions=transformed(arrays.positions, matrix).astype(np.float32))
    if np.array_equal(turn, np.eye(3)):
        return arrays
    if arrays.normals is not None:
        arrays.normals = _turned_normals(arrays.normals, turn)
    return arrays.flipped() if np.linalg.det(turn) < 0 else arrays


def _turned_normals(normals: NDArray[np.float32], turn: NDArray[np.float64]) -> NDArray[np.float32]:
    """Transform normals, keeping their lengths."""
    if not np.linalg.det(turn):
        return normals
    before = normals.astype(np.float64)
    after = before @ np.linalg.inv(turn)
    lengths = np.linalg.norm(before, axis=1) / np.maximum(np.linalg.norm(after, axis=1), 1e-30)
    return (after * lengths[:, None]).astype(np.float32)


def warn_of_lost_doubles(name: str, mesh: MeshArrays, expected: MeshArrays, report: Report) -> None:
    """Warn if all faces on the vertices of other faces, such as backs, have been removed."""
    if len(mesh.sizes) >= len(expected.sizes) or VERTEX not in mesh.point:
        return
    before, after = _by_corners(expected), _by_corners(mesh)
    doubles = [corners for corners, count in before.items() if count > 1]
    lost = sum(after.get(corners) == 1 for corners in doubles)
    if lost and not any(after.get(corners, 0) > 1 for corners in doubles):
        text = T(
            "{lost} faces on the corners of other faces, such as backs, were removed. If you did "
            "not delete them, a script or add-on has called Mesh.validate(): undo that",
            lost=lost,
        )
        report.warn(name, text)


def _by_corners(arrays: MeshArrays) -> dict[tuple[int, ...], int]:
    """Count the faces by their sets of vertices, numbered as in the file."""
    numbers = np.sort(arrays.vertex_rows(arrays.point[VERTEX]), axis=1)
    rows, counts = np.unique(numbers, axis=0, return_counts=True)
    return dict(zip(map(tuple, rows.tolist()), counts.tolist(), strict=True))
