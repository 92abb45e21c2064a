"""Lara with other proportions, and what she does in a level, as a game reads it."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Action, Collection, Object
from numpy.typing import NDArray

from io_tomb_raider.formats import Level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses
from io_tomb_raider.scene.transfer.append.replace import models_of

LEGS = ("Thigh", "Calf", "Foot")
ARMS = ("Upper Arm", "Lower Arm", "Hand")
FEET = (3, 6)
UNITS = 512


def stretch(armature: Any, factor: float, limbs: tuple[str, ...] = LEGS) -> None:
    """Make limbs of a model longer or shorter, with all vertices of their meshes as they hang at rest."""
    bones, done = armature.data.bones, set()
    for part in armature.children:
        limb, _, side = part.parent_bone.partition(".")
        if limb in limbs and part.data not in done:
            done.add(part.data)
            start, own = bones[f"{limbs[0]}.{side}"].head_local, bones[part.parent_bone].head_local
            for vertex in part.data.vertices:
                place = vertex.co + own
                if place.z < start.z:
                    place.z = start.z + (place.z - start.z) * factor
                vertex.co = place - own
            part.data.update()


def split_meshes(armature: Any) -> None:
    """Give each part of a model a mesh of its own, as before most edits."""
    for part in armature.children:
        if part.type == "MESH":
            part.data = part.data.copy()


def at_rest(level: Level, model: int) -> list[NDArray[np.int64]]:
    """Return the vertices of each mesh of a model at rest, as a game draws them without rotations."""
    index = level.models["id"].tolist().index(model)
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[index]
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    first = int(level.models[index]["first_mesh"])
    numbers = block.pointers[first : first + len(tree)].tolist()
    return [
        np.asarray(block.meshes[number].vertices, np.int64) + origin
        for number, origin in zip(numbers, tree.origins(), strict=True)
    ]


def joints(level: Level, model: int) -> NDArray[np.int64]:
    """Return the joints of a model in a file, (m, 3)."""
    index = level.models["id"].tolist().index(model)
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[index]
    return np.asarray(tree.origins(), np.int64)


def tracks(action: Action, model: Object, rest: RestPose | None = None) -> NDArray[np.float64]:
    """Return the joints of a model in an animation, (n, m, 3) in units, tick by tick."""
    rest = RestPose.of(model) if rest is None else rest
    ticks = np.arange(int(action.frame_end) + 1, dtype=float)
    poses = read_key_poses(action, model, rest).at(ticks)
    return np.asarray(rest.pose(poses.turns, poses.places)[1] * UNITS, float)


def lara_of(root: Collection) -> Any:
    """Return the armature of Lara."""
    return models_of(root)[0]
