"""Attachments of Lara besides the meshes on her bones: joints, which bend, holsters and hair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.subjects import Kind
from ...mesh.blender_mesh import vertices_of
from ...mesh.poly_mesh import transformed
from .gather import Placed

_WELDED = 1.5  # units: weld vertices that are 1 apart, not those that are 2 apart


class Attachment(NamedTuple):
    """A mesh that bones move.

    Attributes:
        placed: its object, and the matrix of its mesh in rest pose.
        weights: the weights of all vertices, (n,), by bone name.
    """

    placed: Placed
    weights: dict[str, NDArray[np.float64]]


def attachments_of(
    shape: Object, objects: Iterable[Object], limbs: Sequence[tuple[str, Placed]], scale: float
) -> list[Attachment]:
    """Return the attachments of a model, from the objects of a figure.

    Args:
        shape: the model's armature.
        objects: the objects of a figure; those that show the model's own meshes count as well.
        limbs: the meshes on the model's bones in rest pose, with the bones' names.
        scale: Blender units per unit of the game.
    """
    found = []
    for obj in objects:
        if obj.tomb_raider.kind != Kind.FIGURE or not isinstance(obj.data, Mesh):
            continue
        follows: list[Any] = [each for each in obj.constraints if each.type == "CHILD_OF"]
        if follows:
            limb = next((each for each in limbs if each[1].obj == follows[0].target), None)
            if limb is not None:
                bone, placed = limb
                whole = {bone: np.ones(len(obj.data.vertices))}
                found.append(Attachment(Placed(obj, placed.matrix @ obj.matrix_basis), whole))
        else:
            matrix = Matrix.Translation((obj.location - shape.location).to_tuple())
            found.append(Attachment(Placed(obj, matrix), _welded(obj.data, matrix, limbs, _WELDED * scale)))
    return found


def _welded(
    mesh: Mesh, matrix: Matrix, limbs: Sequence[tuple[str, Placed]], tolerance: float
) -> dict[str, NDArray[np.float64]]:
    """Return the weights of a joint's vertices by bone.

    A vertex follows the limb that has a vertex at its place, of several the last one, which is the child.
    Vertices without such a limb have equal weights for all limbs of the others.
    """
    points = _points(mesh, matrix)
    bone = np.full(len(points), -1)
    for number, (_, (limb, place)) in enumerate(limbs):
        assert isinstance(limb.data, Mesh)
        there = _points(limb.data, place)
        if len(there) and len(points):
            apart = np.abs(points[:, None] - there).max(axis=2).min(axis=1)
            bone[apart < tolerance] = number
    used = np.unique(bone[bone >= 0]).tolist() or [0]
    return {
        limbs[number][0]: np.where(bone >= 0, bone == number, 1 / len(used)).astype(np.float64)
        for number in used
    }


def _points(mesh: Mesh, matrix: Matrix) -> NDArray[np.float64]:
    return transformed(vertices_of(mesh), matrix)
