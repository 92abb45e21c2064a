"""Where the bones of a model stand at rest, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...formats.meshes.meshes import Mesh
from ...formats.models.mesh_trees import MeshTree
from ..base.space import Space
from .poses import frames_of

# The figure that all games share: Lara, her outfits and doubles.
_FIGURE = (-1, 0, 1, 2, 0, 4, 5, 0, 7, 8, 9, 7, 11, 12, 7)
_FIGURE_NAMES = (
    "Hips",
    "Thigh.L",
    "Calf.L",
    "Foot.L",
    "Thigh.R",
    "Calf.R",
    "Foot.R",
    "Torso",
    "Upper Arm.R",
    "Lower Arm.R",
    "Hand.R",
    "Upper Arm.L",
    "Lower Arm.L",
    "Hand.L",
    "Head",
)
_NEAR = 16.0  # units: too near to say where a bone points
_SHORTEST, _LONGEST = 16.0, 2048.0
_UPRIGHT = np.array([0.0, -1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The bones of an armature in the order of the model's meshes.

    Attributes:
        armature: its object.
        names: (m,) of the bones.
        rests: (m, 4) float32, w, x, y, z: each bone's rotation at rest in the armature's space.
        frames: (m, 3, 3), see :mod:`.poses`.
    """

    armature: Object
    names: list[str]
    rests: NDArray[np.float32]
    frames: NDArray[np.float64]


def bone_names(tree: MeshTree, model: str) -> list[str]:
    """Name the bones of a model. Names with a side let Blender mirror poses."""
    if "lara" in model.lower() and tuple(tree.parents.tolist()) == _FIGURE:
        return list(_FIGURE_NAMES)
    return [f"Bone {number:02}" for number in range(len(tree))]


def bone_ends(tree: MeshTree, meshes: Sequence[Mesh], space: Space) -> tuple[NDArray[Any], NDArray[Any]]:
    """Find heads and tails of a model's bones in the armature's space, each (m, 3) float32.

    A bone begins where its mesh turns, and points at the child that stands nearest to the middle, as spines
    do; without children it goes on as its parent does, or stands upright. Meshes decide no more than the
    length, so that models with one mesh tree (Lara and her outfits) can use each other's actions.

    Args:
        tree: of the model's m meshes.
        meshes: the m meshes.
    """
    origins = tree.origins().astype(np.float64)
    ways = tree.offsets.astype(np.float64)
    lengths = np.linalg.norm(ways, axis=1).tolist()
    reach = np.zeros_like(origins)
    parents, aside = tree.parents.tolist(), np.abs(ways[:, 0]).tolist()
    children: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents):
        if lengths[bone] >= _NEAR:
            children.setdefault(parent, []).append(bone)
    for bone, parent in enumerate(parents):  # a bone may need its parent's direction
        if bone in children:
            child = min(children[bone], key=aside.__getitem__)
            way, length = ways[child], lengths[child]
        else:
            way = reach[parent] if parent >= 0 else _UPRIGHT
            length = _largest_side(meshes[bone]) / 2
        reach[bone] = way / np.linalg.norm(way) * min(max(length, _SHORTEST), _LONGEST)
    # Blender drops bones without length, and far from the origin its 32-bit floats have no short ones.
    farthest = np.abs(origins).max(axis=1, initial=0)
    longest = np.abs(reach).max(axis=1, initial=0)
    reach *= np.maximum(1.0, farthest * 1e-4 / np.maximum(longest, 1.0))[:, None]
    return space.to_blender(origins), space.to_blender(origins + reach)


def _largest_side(mesh: Mesh) -> float:
    """Return the longest side of the box around a mesh, in units of the file."""
    vertices = mesh.vertices
    if not len(vertices):
        return 0.0
    return float((vertices.max(axis=0).astype(np.int32) - vertices.min(axis=0)).max())


def read_skeleton(armature: Object, names: list[str]) -> Skeleton:
    """Read the rests of bones as Blender has made them."""
    rests = np.empty((len(names), 4), np.float32)
    for row, name in enumerate(names):  # Blender gives matrices in bulk, but the rotation only one by one
        rests[row] = armature.data.bones[name].matrix_local.to_quaternion()[:]
    return Skeleton(armature, names, rests, frames_of(rests))
