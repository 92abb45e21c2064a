"""What is drawn for Lara beside the meshes on her bones: joints, which bend, and holsters and hair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.subjects import Kind
from ...mesh.poly_mesh import transformed
from ...mesh.read import vertices_of
from .gather import Placed

_WELDED = 1.5  # units: those that are 1 apart are one, and those that are 2 apart are not


class Worn(NamedTuple):
    """A mesh that moves with some bones.

    Attributes:
        placed: its object, and where its mesh is at rest.
        weights: for each bone by its name the weights of all vertices, (n,).
    """

    placed: Placed
    weights: dict[str, NDArray[np.float64]]


def worn_on(
    shape: Object, objects: Iterable[Object], limbs: Sequence[tuple[str, Placed]], scale: float
) -> list[Worn]:
    """Return what a model wears, as figures show it.

    Args:
        shape: the model's armature.
        objects: the objects of a figure; those that show a model's meshes again count.
        limbs: the meshes on the model's bones, by the bones' names, where they are at rest.
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
                found.append(Worn(Placed(obj, placed.matrix @ obj.matrix_basis), whole))
        else:
            matrix = Matrix.Translation((obj.location - shape.location).to_tuple())
            found.append(Worn(Placed(obj, matrix), _welded(obj.data, matrix, limbs, _WELDED * scale)))
    return found


def _welded(
    mesh: Mesh, matrix: Matrix, limbs: Sequence[tuple[str, Placed]], tolerance: float
) -> dict[str, NDArray[np.float64]]:
    """Return the weights of a joint: all of the limb that has a vertex at the place, else the same of each.

    Where several limbs have one there, the last counts, which hangs on the others.
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
