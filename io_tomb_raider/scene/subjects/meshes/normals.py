"""Normals of vertices that follow from the faces around them, and their comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...mesh.poly_mesh import PolyMesh

NORMAL_LENGTH = 16300  # of new normals, in the file's units
# Blender stores custom normals in 16-bit angles: a deviation up to this counts as unchanged.
_SAME_NORMAL = np.cos(np.radians(1.5))


def automatic_normals(mesh: PolyMesh) -> NDArray[np.float32]:
    """Return smooth vertex normals of the surrounding faces, weighted by angle, (n, 3) float32.

    Blender's own vertex normals would include custom normals.
    """
    starts, sizes, face = mesh.starts, mesh.sizes, mesh.face_of_corner
    corner = np.arange(len(mesh.corners))
    first, last = starts[face], starts[face] + sizes[face] - 1
    corner_positions = mesh.positions[mesh.corners].astype(np.float64)
    to_next = corner_positions[np.where(corner == last, first, corner + 1)] - corner_positions
    to_last = corner_positions[np.where(corner == first, last, corner - 1)] - corner_positions
    cross = np.cross(to_next, to_last)
    sine = np.linalg.norm(cross, axis=1)
    angle = np.arctan2(sine, (to_next * to_last).sum(axis=1))
    # Normals of faces: exact for triangles, the mean of both halves for quads.
    total = np.stack([np.bincount(face, column, minlength=len(sizes)) for column in cross.T], axis=1)
    face_normal = total / np.maximum(np.linalg.norm(total, axis=1), 1e-12)[:, None]
    weighted = face_normal[face] * angle[:, None]
    count = len(mesh.positions)
    sums = [np.bincount(mesh.corners, column, minlength=count) for column in weighted.T]
    normals = np.stack(sums, axis=1)
    return (normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-12)[:, None]).astype(np.float32)


def same_direction(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return whether vectors, (n, 3) each, have equal directions within the precision of custom normals."""
    lengths = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
    return (a * b).sum(axis=1) >= _SAME_NORMAL * lengths
