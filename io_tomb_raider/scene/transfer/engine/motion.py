"""Retargeting of animations to a model with other bone names or another rest pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray

from ...authoring.control_rig.baking import bake
from ...authoring.control_rig.match import RigAtRest, switch_off
from ...authoring.control_rig.parts import has_rig, rig_limbs
from ...core.blender import compat
from ...subjects.animations.keys.key_poses import RestPose
from ...subjects.models.bones import own_bones
from ...subjects.models.build import read_skeletons

_PREFIX, _ROTATION, _LOCATION = 'pose.bones["', ".rotation_quaternion", ".location"


class BonePairs(NamedTuple):
    """The matching bones of two models."""

    names: dict[str, str]  #: names of bones of the second model by those of the first.
    unpaired: list[str]  #: bones of the first model without a match.
    other_unpaired: list[str]  #: bones of the second model without a match.


def pair_bones(first: Object, second: Object) -> BonePairs:
    """Match the bones of two armatures by name, the others by index."""
    ours, theirs = bones_of(first), bones_of(second)
    names = {name: name for name in ours if name in theirs}
    free = set(theirs) - set(names)
    for index, name in enumerate(ours):
        if name not in names and index < len(theirs) and theirs[index] in free:
            names[name] = theirs[index]
            free.discard(theirs[index])
    return BonePairs(
        {name: names[name] for name in ours if name in names},
        [name for name in ours if name not in names],
        [name for name in theirs if name in free],
    )


def bones_of(armature: Object) -> list[str]:
    """Return the names of a model's own bones in the order of its meshes."""
    return [bone.name for bone in own_bones(armature)]


def retarget_actions(actions: Sequence[Action], before: Object, after: Object, pairs: BonePairs) -> None:
    """Retarget animations to another armature.

    Args:
        actions: the animations, which are changed in place.
        pairs: the matching bones. Keys of a control rig are baked, since the other model has another rig, if
            any: the limbs of that are switched to the keys of their bones.
    """
    if has_rig(before):
        bake(RigAtRest(before, rig_limbs(before), RestPose.of(before)), actions, is_last=True)
    rotations = _rest_rotations(before, after, pairs.names)
    for action in actions:
        channels = compat.find_channels(action, before)
        if channels is None:
            continue
        curves: dict[str, dict[str, dict[int, Any]]] = {}
        for curve in list(channels.fcurves):
            if not curve.data_path.startswith(_PREFIX):
                continue
            name, _, channel = curve.data_path.removeprefix(_PREFIX).partition('"]')
            if name in pairs.names:
                curves.setdefault(name, {}).setdefault(channel, {})[curve.array_index] = curve
            else:
                channels.fcurves.remove(curve)
        for name, curves_of_bone in curves.items():
            for channel, parts in curves_of_bone.items():
                if channel in (_ROTATION, _LOCATION):
                    _rotate_curves(parts, rotations[name], first=1 if channel == _ROTATION else 0)
                for curve in parts.values():
                    curve.data_path = f'{_PREFIX}{pairs.names[name]}"]{channel}'
                    if curve.group is not None:
                        curve.group.name = pairs.names[name]
    if has_rig(after):
        switch_off(after, actions, rig_limbs(after))


def _rest_rotations(
    before: Object, after: Object, names: Mapping[str, str]
) -> dict[str, NDArray[np.float64]]:
    """Return the rotations from the rest axes of bones to those of their matches, (3, 3), by bone."""
    from_skeleton, to_skeleton = read_skeletons([before, after], [list(names), list(names.values())])
    rotations = to_skeleton.frames @ from_skeleton.frames.swapaxes(-1, -2)
    return dict(zip(names, rotations, strict=True))


def _rotate_curves(curves: Mapping[int, Any], rotation: NDArray[np.float64], first: int) -> None:
    """Rotate the vector whose components are curves, from the curve ``first`` on."""
    parts = [curves.get(first + axis) for axis in range(3)]
    if any(each is None for each in parts) or np.allclose(rotation, np.eye(3), atol=1e-7):
        return
    keys = []
    for curve in parts:
        co = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", co)
        keys.append(co.reshape(-1, 2))
    frames = np.unique(np.concatenate([each[:, 0] for each in keys]))
    if any(len(each) != len(frames) for each in keys):
        # Keys of users may differ by component: set all components on each frame with a key.
        times = frames.tolist()
        keys = [np.array([(each, curve.evaluate(each)) for each in times], np.float32) for curve in parts]
    values = np.stack([each[:, 1] for each in keys], axis=1).astype(np.float64) @ rotation.T
    for curve, column in zip(parts, values.T, strict=True):
        points = curve.keyframe_points
        if len(points) != len(frames):
            points.clear()
            points.add(len(frames))
            points.foreach_set("interpolation", np.full(len(frames), compat.LINEAR, np.uint8))
        points.foreach_set("co", np.stack([frames, column], axis=1).astype(np.float32).ravel())
        curve.update()
