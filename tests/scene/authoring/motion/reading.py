"""Joints of a model in an animation, in units, tick by tick, computed from its keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from io_tomb_raider.formats.levels.animations.rotations import matrices_from_quaternions
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses

UNITS = 512


def ticks_of(action: Any) -> int:
    return int(action.frame_end - action.frame_start) + 1


def joints_of(action: Any, model: Any) -> dict[str, Any]:
    """Return the joints of a model, (n, 3) in units by bone, relative to where the game has moved it."""
    rest = RestPose.of(model)
    poses = read_key_poses(action, model, rest).at(np.arange(ticks_of(action), dtype=float))
    _, heads = rest.pose(poses.turns, poses.places)
    return {name: heads[:, number] * UNITS for number, name in enumerate(rest.names)}


def soles_of(action: Any, model: Any) -> Any:
    """Return the height of the lowest vertex of the feet, (n,) in units, tick by tick."""
    rest = RestPose.of(model)
    poses = read_key_poses(action, model, rest).at(np.arange(ticks_of(action), dtype=float))
    turns, heads = rest.pose(poses.turns, poses.places)
    whole = matrices_from_quaternions(turns)
    found = []
    for part in (each for each in model.children if each.parent_bone.startswith("Foot")):
        number, tail = rest.names.index(part.parent_bone), model.data.bones[part.parent_bone].length
        points = np.array(
            [(part.matrix_parent_inverse @ part.matrix_basis @ each.co)[:] for each in part.data.vertices]
        )
        heights = np.einsum("nj,kj->nk", whole[:, number, 2], points + np.array([0.0, tail, 0.0]))
        found.append(heights.min(axis=1) + heads[:, number, 2])
    return np.min(found, axis=0) * UNITS


def on_way(action: Any, joints: Any) -> Any:
    """Return joints (n, 3) with the way that the game moves the model."""
    settings = action.tomb_raider
    steps = np.floor(settings.speed + settings.acceleration * np.arange(len(joints)))
    steps[0] = 0
    found = np.array(joints)
    found[:, 1] += np.cumsum(steps)
    return found


def limb_directions(joints: dict[str, Any]) -> dict[str, Any]:
    """Return where limbs point, (n, 3) by name of the bone."""
    ends = {"Thigh": "Calf", "Calf": "Foot", "Upper Arm": "Lower Arm", "Lower Arm": "Hand"}
    found = {}
    for side in "LR":
        for bone, end in ends.items():
            way = joints[f"{end}.{side}"] - joints[f"{bone}.{side}"]
            found[f"{bone}.{side}"] = way / np.linalg.norm(way, axis=1, keepdims=True)
    return found


def degrees_between(one: Any, other: Any) -> Any:
    """Return the angles between directions, (n,); exact for small angles."""
    return np.degrees(2 * np.arcsin(np.clip(np.linalg.norm(one - other, axis=-1) / 2, 0, 1)))
