"""The pose of a model before it is edited at a frame.

Autokey replaces keys, so that afterwards an action does not show what a person has changed. A handler
therefore notes the pose of the active model whenever another frame or action is shown in pose mode. It is
stored on the armature, so undo restores it together with the pose.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Action

from ....formats.base import Floats

_NOTED = "tr_pose_before"
# Properties of pose bones with the number of their values. Bones that turn about an axis have none here.
_CHANNELS = (("rotation_quaternion", 4), ("rotation_euler", 3), ("rotation_axis_angle", 4), ("location", 3))
_WIDTH = sum(width for _, width in _CHANNELS)
_HEAD = 3  # frame, action, number of bones


class NotedPose(NamedTuple):
    """Values of all n pose bones in the order of the armature, by channel: (n, 4), (n, 3), (n, 4), (n, 3)."""

    rotation_quaternion: Floats
    rotation_euler: Floats
    rotation_axis_angle: Floats
    location: Floats


def note_pose(armature: Any, frame: float, *, again: bool = False) -> None:
    """Note the pose of an armature at a frame, unless it is known for its action already.

    Args:
        armature: an armature with a pose.
        frame: the current frame.
        again: also if it is known.
    """
    action = armature.animation_data.action if armature.animation_data is not None else None
    if action is None:
        return
    head = _head(armature, action, frame)
    noted = armature.get(_NOTED)
    if not again and noted is not None and len(noted) >= _HEAD and list(noted[:_HEAD]) == head:
        return
    values = np.concatenate([each.ravel() for each in shown_pose(armature)])
    armature[_NOTED] = head + values.tolist()


def _head(armature: Any, action: Action, frame: float) -> list[float]:
    return [float(frame), float(action.session_uid % (1 << 31)), float(len(armature.pose.bones))]


def shown_pose(armature: Any) -> NotedPose:
    """Return the current pose of an armature."""
    bones = armature.pose.bones
    found = []
    for name, width in _CHANNELS:
        values = np.empty((len(bones), width), np.float32)
        bones.foreach_get(name, values.ravel())
        found.append(values.astype(float))
    return NotedPose(*found)


def pack_pose(armature: Any, frame: float) -> str:
    """Return the current pose of an armature at a frame of its action, as a text.

    Blender loses a pose without keys when it undoes an operator that has edited curves, so that an operator
    that is called again with other settings must set the pose again.
    """
    values = np.concatenate([each.ravel() for each in shown_pose(armature)])
    return json.dumps([*_head(armature, armature.animation_data.action, frame), *values.tolist()])


def unpack_pose(armature: Any, frame: float, text: str) -> None:
    """Set the pose of a text, unless it is that of another frame, action or armature."""
    bones, values = armature.pose.bones, json.loads(text)
    head, values = values[:_HEAD], np.array(values[_HEAD:], np.float32)
    if head != _head(armature, armature.animation_data.action, frame) or len(values) != _WIDTH * len(bones):
        return
    for name, width in _CHANNELS:
        bones.foreach_set(name, values[: width * len(bones)])
        values = values[width * len(bones) :]


def noted_pose(armature: Any, action: Action, frame: float) -> NotedPose | None:
    """Return the pose that an armature had when it came to a frame of an action, if it is known."""
    noted: Any = armature.get(_NOTED)
    count = len(armature.pose.bones)
    if getattr(noted, "typecode", "") not in ("d", "f") or len(noted) != _HEAD + _WIDTH * count:
        return None
    if list(noted[:_HEAD]) != _head(armature, action, frame):
        return None
    values, found = np.array(noted[_HEAD:], float), []
    for _, width in _CHANNELS:
        found.append(values[: width * count].reshape(count, width))
        values = values[width * count :]
    return NotedPose(*found)


def forget_poses(armatures: Iterable[Any]) -> None:
    """Forget the noted poses of armatures after a tool has changed keys, bones or constraints."""
    for armature in armatures:
        if _NOTED in armature:
            del armature[_NOTED]
