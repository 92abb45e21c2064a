"""Copies of models for WadTool, whose importer numbers bones by the order of their names.

Rules of Tomb Editor 1.11: of the bones that move vertices, the first in natural order has the number 0. A
vertex keeps the weights of the last four bones with at least 0.004. Matrices of objects are ignored, and a
sector is one unit. Faces need an image. Vertices with different normals are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, Floats, T
from ....formats.editors.wads import pairs_of, weights_of
from ...core.reporting.report import Report, first_few
from ...mesh.blender_mesh import read_all, rewrite_mesh
from ...mesh.poly_mesh import PolyMesh
from ...mesh.vertex_weights import read_weights, write_weights
from ...subjects.meshes.arrays import UV_MAP
from ...subjects.skins.skins import warn_of_bones, warn_of_loose
from .skinned import Skinned

_LEAST, _ADDED, _MOST = 0.004, 0.005, 4  # weights, and their number on a vertex
_APART = np.array([(0, 0), (1, 0), (1, 1), (0, 1)]) / 1024  # of an image
_BEYOND = 1e-4  # an image


def adapt(skinned: Skinned, bones: Sequence[str], scale: float, report: Report) -> None:
    """Change a skinned copy of a model to one that WadTool imports.

    Args:
        bones: the names of the model's bones, by number.
        scale: Blender units per unit of the game.

    Raises:
        ExportError: if it has no faces, or too few vertices for its bones.
    """
    armature, body = skinned
    mesh: Any = body.data
    shape = read_all(mesh)
    if not len(shape.sizes):
        raise ExportError(body.name, T("it has no faces"))
    warn_of_bones(report, armature.name, len(bones))
    weights = read_weights(body, mesh, bones)[np.unique(shape.corners)]
    warn_of_loose(report, body.name, weights)
    shape = shape.without_loose()
    heads = np.array([armature.data.bones[name].head_local for name in bones])
    weights, idle = importable(weights, shape.positions, heads)
    if idle:
        names = first_few([bones[number] for number in idle], _MOST)
        text = T(
            "these bones move no vertex, so the nearest vertex of each follows it a little: {names}",
            names=names,
        )
        report.warn(armature.name, text)
    repeating = _fit_uvs(shape)
    if repeating:
        text = T("{count} faces repeat their image, which WadTool cannot import", count=repeating)
        report.warn(body.name, text)
    shape.face.pop("sharp_face", None)
    size = 1 / (SECTOR_SIZE * scale)
    shape.positions = shape.positions * np.float32(size)
    rewrite_mesh(mesh, shape)
    armature.data.transform(Matrix.Scale(size, 4))
    body.vertex_groups.clear()
    numbered = []
    for number, name in enumerate(bones):
        bone = armature.data.bones[name]
        bone.name = f"{number:03}_{name}"
        numbered.append(bone.name)
    write_weights(body, numbered, weights)


def importable(
    weights: NDArray[np.float32], points: Floats, heads: Floats
) -> tuple[NDArray[np.float32], list[int]]:
    """Return weights that the importer keeps, (n, bones), and the bones that had none.

    Args:
        weights: (n, bones) of the vertices.
        points: (n, 3), the vertices.
        heads: (bones, 3), the joints of the bones, in the same space.

    Raises:
        ExportError: if too few vertices are left for bones without weights.
    """
    result = weights_of(pairs_of(weights), weights.shape[1]).astype(np.float64)
    result[result < _LEAST] = 0
    result /= result.sum(axis=1, keepdims=True)
    idle = np.flatnonzero(~result.any(axis=0)).tolist()
    for bone in idle:
        is_free = (result > 0).sum(axis=1) < _MOST
        is_free &= np.where(result > 0, result, 1).min(axis=1) * (1 - _ADDED) > _LEAST
        free = np.flatnonzero(is_free)
        if not len(free):
            raise ExportError("WadTool", T("the mesh has too few vertices for its bones"))
        vertex = free[np.linalg.norm(points[free] - heads[bone], axis=1).argmin()]
        result[vertex] *= 1 - _ADDED
        result[vertex, bone] = _ADDED
    return result.astype(np.float32), idle


def _fit_uvs(shape: PolyMesh) -> int:
    """Move texture coordinates into images, and those of one place apart.

    Returns:
        The number of faces that repeat their image, whose coordinates stay.
    """
    uvs = shape.corner[UV_MAP]
    is_beyond = np.abs(uvs - 0.5).max(axis=1) > 0.5 + _BEYOND
    flat = PolyMesh(np.pad(uvs, ((0, 0), (0, 1))), np.arange(len(uvs)), shape.sizes)
    face = flat.face_of_corner
    apart = np.where(flat.normals_by_area[face, 2:] == 0, _APART[np.arange(len(uvs)) - shape.starts[face]], 0)
    inside = (uvs + np.where(uvs > 0.5, -apart, apart)).clip(0, 1)
    shape.corner[UV_MAP] = np.where(is_beyond[:, None], uvs, inside).astype(np.float32)
    return len(np.unique(face[is_beyond]))
