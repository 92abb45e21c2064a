"""The sky in games that draw its mesh without the key frames of its animation."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import Action, Object
from mathutils import Matrix, Quaternion

from ....formats.edits.rules import needs
from ...core.blender.compat import find_channels
from ...core.subjects import Kind
from ...core.transfer import Transfer
from ..models.bones import own_bones
from ..models.models import own_collection
from .keys.curves import bone_path
from .showing import own_animations

_STRAIGHT = 1e-6


def straighten_skies(transfer: Transfer) -> None:
    """Turn the meshes of skies as their first key frame does, if the target game ignores key frames of skies.

    TR2's sky lies in its mesh, and its key frame turns it upright. TR4 and TR5 draw the mesh alone.
    """
    if transfer.target not in needs.STILL_SKIES or transfer.source in needs.STILL_SKIES:
        return
    for armature in transfer.objects(Kind.MODEL):
        number = transfer.number("model", int(armature.tomb_raider.model.id))
        if number in needs.SKIES[transfer.target]:
            _straighten(armature)


def _straighten(armature: Object) -> None:
    bones = own_bones(armature)
    actions = own_animations(armature)
    if len(bones) != 1 or not actions:
        return
    bone = bones[0]
    first = _turn(_curves(actions[0], armature, bone.name), 0)
    if first is None or abs(first.angle) < _STRAIGHT:
        return
    rest = bone.matrix_local.to_quaternion()
    turn: Matrix = (rest @ first @ rest.inverted()).to_matrix().to_4x4()
    for part in own_collection(armature).objects:
        if part.tomb_raider.kind == Kind.MODEL_MESH:
            data: Any = part.data
            if data.users > 1:
                part.data = data = data.copy()
            data.transform(turn)
    back = first.inverted()
    for action in actions:
        _turn_back(_curves(action, armature, bone.name), back)


def _curves(action: Action, armature: Object, bone: str) -> list[Any]:
    """Return the four curves of a bone's rotation, or none."""
    channels = find_channels(action, armature)
    path = f"{bone_path(bone)}.rotation_quaternion"
    curves = [] if channels is None else [each for each in channels.fcurves if each.data_path == path]
    return sorted(curves, key=lambda curve: curve.array_index) if len(curves) == 4 else []


def _turn(curves: list[Any], key: int) -> Quaternion | None:
    if not curves or any(len(curve.keyframe_points) <= key for curve in curves):
        return None
    return Quaternion([curve.keyframe_points[key].co[1] for curve in curves]).normalized()


def _turn_back(curves: list[Any], back: Quaternion) -> None:
    for key in range(min((len(curve.keyframe_points) for curve in curves), default=0)):
        turn = _turn(curves, key)
        if turn is None:
            continue
        turned = turn @ back
        for curve, value in zip(curves, (turned.w, turned.x, turned.y, turned.z), strict=True):
            curve.keyframe_points[key].co[1] = float(np.float32(value))
    for curve in curves:
        curve.update()
