"""Positions of a model's bones at rest, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats.levels.models import MeshTree
from ....formats.levels.views import Decoded
from ...core.space import Space, direction_to_blender
from .limbs import find_limbs, has_limbs, posed_joints, role_names
from .poses import frames_of

# The hierarchy of Lara, her outfits and doubles, in all games.
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
_NEAR = 16.0  # units: too short to define a bone's direction
_SHORTEST, _LONGEST = 16.0, 2048.0
_UPRIGHT = np.array([0.0, -1.0, 0.0])


@dataclass(frozen=True, eq=False)
class ModelSkeleton:
    """The bones of an armature in the order of the model's meshes."""

    armature: Object
    names: list[str]  #: (m,) names of the bones.
    #: (m, 4) float32, w, x, y, z: each bone's rotation at rest in the armature's space.
    rests: NDArray[np.float32]
    frames: NDArray[np.float64]  #: (m, 3, 3), see :mod:`.poses`.


def bone_names(decoded: Decoded, index: int, model: str) -> list[str]:
    """Return names for the bones of a model, given its own: roles where they are recognized, else numbers.

    With suffixes of sides, Blender can mirror poses.
    """
    tree = decoded.mesh_trees[index]
    parents = tree.parents.tolist()
    if "lara" in model.lower() and tuple(parents) == _FIGURE:
        return list(_FIGURE_NAMES)
    roles = {}
    if has_limbs(parents):
        rest = direction_to_blender(tree.origins())
        posed = _first_pose(decoded, index)
        roles = role_names(parents, rest, posed, find_limbs(parents, rest, posed))
    return [roles.get(number, f"Bone {number:02}") for number in range(len(tree))]


def _first_pose(decoded: Decoded, index: int) -> NDArray[np.float64] | None:
    """Return the joints of a model in its first key frame, None without one."""
    level, tree = decoded.level, decoded.mesh_trees[index]
    first = int(level.models["animation"][index])
    keys = decoded.keys
    if not 0 <= first < len(level.animations) or not keys.key_counts[first]:
        return None
    angles = keys.keys(first).angles[0]
    return posed_joints(tree, angles[: len(tree)]) if len(angles) >= len(tree) else None


def bone_ends(
    trees: Sequence[MeshTree], sides: Sequence[NDArray[Any]], space: Space
) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return heads and tails of models' bones in the space of their armatures, each (m, 3).

    A bone begins at its mesh's pivot, and points at the child nearest to the middle, like spines; without
    children it has its parent's direction, or points up. Meshes determine only the length, so that models
    with the same mesh tree (Lara and her outfits) can use each other's actions. ``sides`` has for each model,
    (m,), the longest side of the bounding box of each mesh, in the file's units.
    """
    if not trees:
        return []
    # The last one is the direction of bones without children or parent.
    directions = np.concatenate([*(tree.offsets for tree in trees), [_UPRIGHT]]).astype(np.float64)
    lengths = np.linalg.norm(directions, axis=1)
    all_lengths, aside = lengths.tolist(), np.abs(directions[:, 0]).tolist()
    targets: list[int] = []  # the row of each bone's direction
    bone_lengths: list[float] = []
    first = 0
    for tree, side in zip(trees, sides, strict=True):
        parents = tree.parents.tolist()
        children: dict[int, list[int]] = {}
        for bone, parent in enumerate(parents):
            if all_lengths[first + bone] >= _NEAR:
                children.setdefault(parent, []).append(first + bone)
        for bone, (parent, longest) in enumerate(zip(parents, side.tolist(), strict=True)):
            if bone in children:
                targets.append(min(children[bone], key=aside.__getitem__))
                bone_lengths.append(all_lengths[targets[-1]])
            else:  # a bone may need its parent's direction
                targets.append(targets[first + parent] if parent >= 0 else -1)
                bone_lengths.append(longest / 2)
        first += len(parents)
    origins = np.concatenate([tree.origins() for tree in trees]).astype(np.float64)
    reach = directions[targets] / lengths[targets, None] * np.clip(bone_lengths, _SHORTEST, _LONGEST)[:, None]
    # Blender removes bones of zero length, and far from the origin 32-bit floats cannot represent short ones.
    farthest = np.abs(origins).max(axis=1, initial=0)
    longest = np.abs(reach).max(axis=1, initial=0)
    reach *= np.maximum(1.0, farthest * 1e-4 / np.maximum(longest, 1.0))[:, None]
    ends = np.cumsum([len(tree) for tree in trees])[:-1]
    heads, tails = space.to_blender(origins), space.to_blender(origins + reach)
    return list(zip(np.split(heads, ends), np.split(tails, ends), strict=True))


def read_skeletons(armatures: Sequence[Object], names: Sequence[list[str]]) -> list[ModelSkeleton]:
    """Return the skeletons of armatures with bones of these names, with rotations at rest as in Blender."""
    # Blender returns matrices in bulk, but rotations only one by one.
    rotations = [
        [bones[name].matrix_local.to_quaternion()[:] for name in bone_list]
        for bones, bone_list in zip((obj.data.bones for obj in armatures), names, strict=True)
    ]
    rests = np.array([rest for each in rotations for rest in each], np.float32).reshape(-1, 4)
    frames = frames_of(rests)
    skeletons, first = [], 0
    for armature, bone_list in zip(armatures, names, strict=True):
        rows = slice(first, first + len(bone_list))
        skeletons.append(ModelSkeleton(armature, bone_list, rests[rows], frames[rows]))
        first = rows.stop
    return skeletons
