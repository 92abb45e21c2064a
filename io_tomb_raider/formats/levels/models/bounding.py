"""Bounding boxes of meshes, and of posed models for key frames (documentation, chapter 6.2.7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..animations.rotations import matrices_from_quaternions
from .mesh_trees import MeshTree

# The maximum number of products of key frames and vertices at once: 0.4 MB, which the caches of processors
# hold, and too few for the threads of BLAS, which cost more than they save.
_CHUNK = 1 << 14
# The rounding error of a quarter turn must not enlarge a box by a unit.
_NOISE = 1e-3


def vertex_boxes(vertices: Sequence[NDArray[np.int16]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the box around the vertices of each of n meshes, (v, 3) each, in world units.

    Returns:
        The minimum and the maximum of x, y and z, each (n, 3); 0 for a mesh without vertices.
    """
    low, high = np.zeros((2, len(vertices), 3), np.int64)
    counts = np.array([len(mesh) for mesh in vertices], np.int64)
    filled = np.flatnonzero(counts)
    if len(filled):
        starts = (np.cumsum(counts) - counts)[filled]
        points = np.concatenate(vertices)
        low[filled], high[filled] = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    return low, high


def posed_boxes(
    tree: MeshTree, rotations: NDArray[np.floating], positions: NDArray[Any], vertices: Sequence[NDArray[Any]]
) -> NDArray[np.int64]:
    """Return the box around all vertices of a model in each of n key frames.

    Args:
        rotations: (n, m, 4), unit quaternions w, x, y, z in the axes of the file.
        positions: (n, 3), the positions of the root mesh, in world units.
        vertices: for each mesh (v, 3), in world units.

    Returns:
        (n, 6) int64: min x, max x, min y, max y, min z, max z, in whole units that enclose every vertex. All
            0 if the model has no vertex.
    """
    count = len(rotations)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    matrices = matrices_from_quaternions(rotations)
    orientations: list[NDArray[np.float64]] = []
    origins: list[NDArray[np.float64]] = []
    for mesh, parent in enumerate(tree.parents.tolist()):  # each mesh depends on its parent's position
        if parent < 0:
            orientations.append(matrices[:, mesh])
            origins.append(np.asarray(positions, np.float64) + tree.offsets[mesh])
        else:
            orientations.append(orientations[parent] @ matrices[:, mesh])
            origins.append(origins[parent] + orientations[parent] @ tree.offsets[mesh].astype(np.float64))
        points = np.asarray(vertices[mesh], np.float64)
        if not len(points):
            continue
        step = max(_CHUNK // len(points), 1)
        for start in range(0, count, step):
            part = slice(start, start + step)
            # Vertices along the first axis, whose extrema NumPy finds several times as fast.
            rotated = points @ orientations[mesh][part].reshape(-1, 3).T
            np.minimum(low[part], rotated.min(axis=0).reshape(-1, 3) + origins[mesh][part], out=low[part])
            np.maximum(high[part], rotated.max(axis=0).reshape(-1, 3) + origins[mesh][part], out=high[part])
    boxes = np.zeros((count, 6), np.int64)
    if count and np.isfinite(low).all():
        boxes[:, 0::2] = np.floor(low + _NOISE)
        boxes[:, 1::2] = np.ceil(high - _NOISE)
    return boxes


def enclosing_box(points: NDArray[np.floating]) -> tuple[int, ...]:
    """Return the box in whole units around points, (n, 3): minimum, maximum of each axis; 0 without any."""
    if not len(points):
        return (0,) * 6
    low, high = np.floor(points.min(axis=0) + _NOISE), np.ceil(points.max(axis=0) - _NOISE)
    return tuple(int(value) for pair in zip(low, high, strict=True) for value in pair)
