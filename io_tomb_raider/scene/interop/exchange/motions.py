"""Retargeting of animations from any armature to a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.animations.rotations import continuous_quaternions
from ...core import compat
from ...core.compat import LONGEST_NAME
from ...subjects.animations.build import build_actions, set_curves
from ...subjects.animations.curves import ModelCurves
from ...subjects.animations.stage import isolated_copy
from ...subjects.animations.transfer import actions_of
from ...subjects.models.bones import own_parent
from ...subjects.models.poses import multiply
from ...transfer.engine.motion import bones_of
from .character import bones_in_order, linear_matrix
from .ends import thinned
from .matching import Matches

_COPY = re.compile(r"\.\d{3}$")
_UPRIGHT = np.array((1.0, 0.0, 0.0, 0.0))
_CONJUGATE = np.array((1.0, -1.0, -1.0, -1.0))
_ON_FRAME = 1e-2


class _Poses(NamedTuple):
    """The poses of an armature in an action, frame by frame.

    Attributes:
        turns: (n, b, 4) rotations of the bones relative to their rest pose, in the armature's space.
        places: (n, 3), offsets of the bone at the model's first joint.
    """

    turns: NDArray[np.float64]
    places: NDArray[np.float64]


class _Motion(NamedTuple):
    """An animation of the model.

    Attributes:
        rows: the keys of its curves, see :class:`~...subjects.animations.curves.ModelCurves`.
        rate: frames per key.
        end: the last frame.
    """

    rows: NDArray[np.float32]
    rate: int
    end: int


def actions_played(armature: Object) -> list[Action]:
    """Return the actions of an armature: those in use, and those that importers created for it."""
    data = armature.animation_data
    used: list[Any] = []
    if data is not None:
        used = [data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)]
    mine = f"OB{armature.name}"
    for action in bpy.data.actions:
        slots = [slot.identifier for slot in getattr(action, "slots", ())]
        is_free = action.tomb_raider.model is None and not action.tomb_raider.is_helper
        if is_free and (mine in slots or action.name.startswith(f"{armature.name}|")):
            used.append(action)
    return [each for each in dict.fromkeys(used) if each is not None]


def retarget_actions(
    source: Object, model: Object, matches: Matches, actions: Sequence[Action]
) -> list[Action]:
    """Retarget animations of another armature to a model.

    An animation of the model with the same name gets new keys, and keeps its states, sounds and other
    settings.

    Args:
        source: the other armature.
        model: the model's armature.
        matches: the matched bones.
        actions: of the other armature. Actions of the model itself are skipped.

    Returns:
        The model's animations.
    """
    wanted = [each for each in actions if each.tomb_raider.model != model]
    if not wanted:
        return []
    own = {each.name: each for each in actions_of(model)}
    names = bones_of(model)
    made = []
    with isolated_copy(source) as (scene, copy):
        scene.view_layers[0].update()
        for action in wanted:
            poses = _poses(scene, copy, source, action, matches)
            name = plain_name(action, source)
            known = own.get(name)
            rate = known.tomb_raider.frame_rate if known is not None else 0
            motion = _motion(source, model, matches, names, poses, rate)
            if known is None:
                curves = ModelCurves(motion.rows, np.array((0, motion.rows.shape[1] // 2)))
                (known,) = build_actions([name[:LONGEST_NAME]], model, names, curves)
                _describe(known, model, motion)
            else:
                set_curves(known, model, names, motion.rows)
                known.tomb_raider.frame_rate = motion.rate
                known.frame_start, known.frame_end = 0, motion.end
            made.append(known)
    return made


def plain_name(action: Action, armature: Object) -> str:
    """Return the name of an animation without additions by importers."""
    data: Any = armature.animation_data
    for track in data.nla_tracks if data is not None else ():
        # glTF: Blender versions append different suffixes to the track's name.
        if track.name and action.name.startswith(track.name) and action in [s.action for s in track.strips]:
            return str(track.name)
    # FBX: armature, animation and layer.
    name = action.name.removeprefix(f"{armature.name}|").partition("|")[0]
    return _COPY.sub("", name)


def _describe(action: Any, model: Object, motion: _Motion) -> None:
    settings = action.tomb_raider
    settings.model, settings.frame_rate = model, motion.rate
    action.use_frame_range = True
    action.frame_start, action.frame_end = 0, motion.end
    kept: Any = model.tomb_raider.model.animations
    kept.add().action = action


# --- Poses ----------------------------------------


def _poses(scene: Scene, copy: Any, source: Object, action: Action, matches: Matches) -> _Poses:
    start, end = _span(action, source)
    count = end - start + 1
    for bone in copy.pose.bones:
        bone.matrix_basis = Matrix()
    compat.assign_as(copy, action, source)
    bones = bones_in_order(source)
    rests = np.array([bone.matrix_local.to_quaternion()[:] for bone in bones])
    root = bones[max(int(matches.pivots[0]), 0)]
    turns, places = np.empty((count, len(bones), 4)), np.empty((count, 3))
    for row in range(count):  # Blender evaluates one frame at a time
        scene.frame_set(start + row)
        shown: Any = copy.evaluated_get(scene.view_layers[0].depsgraph)
        turns[row] = [shown.pose.bones[bone.name].matrix.to_quaternion()[:] for bone in bones]
        places[row] = shown.pose.bones[root.name].matrix.translation - root.head_local
    turned = multiply(turns, np.broadcast_to(rests * _CONJUGATE, turns.shape))
    return _Poses(turned, places)


def _span(action: Action, user: Object) -> tuple[int, int]:
    """Return the first and last frame of an action: its Manual Frame Range, else the range of its keys."""
    if action.use_frame_range:
        return int(action.frame_start), int(max(action.frame_end, action.frame_start))
    channels = compat.find_channels(action, user)
    curves = () if channels is None else channels.fcurves
    ends = [curve.range() for curve in curves if len(curve.keyframe_points)]
    if not ends:
        return 0, 0
    first, last = min(each[0] for each in ends), max(each[1] for each in ends)
    return int(np.floor(first + _ON_FRAME)), int(np.ceil(last - _ON_FRAME))


# --- Curves ----------------------------------------


def _motion(
    source: Object, model: Object, matches: Matches, names: Sequence[str], poses: _Poses, rate: int
) -> _Motion:
    """Return the retargeted animation, with keys at equal distances."""
    matrix = linear_matrix(source)
    turns = _around(poses.turns, np.array(_turn_of(matrix).to_quaternion()[:]))
    count = len(turns)
    whole, local = np.empty((2, count, len(names), 4))
    for bone, (pivot, parent) in enumerate(zip(matches.pivots.tolist(), _parents(model, names), strict=True)):
        above = whole[:, parent] if parent >= 0 else np.broadcast_to(_UPRIGHT, (count, 4))
        whole[:, bone] = turns[:, pivot] if pivot >= 0 else above
        local[:, bone] = multiply(above * _CONJUGATE, whole[:, bone])
    rests = np.array([model.data.bones[name].matrix_local.to_quaternion()[:] for name in names])
    own = np.asarray(continuous_quaternions(_around(local, rests * _CONJUGATE)), np.float64)
    frame = np.array(model.data.bones[names[0]].matrix_local.to_3x3(), np.float64)
    rate, keys, places = thinned(own, poses.places @ matrix.T @ frame, rate)
    rows = np.empty((3 + 4 * len(names), len(keys), 2), np.float32)
    rows[..., 0] = np.arange(len(keys)) * rate
    rows[:3, :, 1] = places.T
    rows[3:, :, 1] = keys.reshape(len(keys), -1).T
    return _Motion(rows.reshape(len(rows), 2 * len(keys)), rate, count - 1)


def _turn_of(matrix: NDArray[np.float64]) -> Matrix:
    return Matrix((matrix / np.maximum(np.linalg.norm(matrix, axis=0), 1e-12)).tolist())


def _around(turns: NDArray[np.float64], by: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rotations, (n, b, 4), with their axes rotated by one or (b, 4) quaternions."""
    wide = np.broadcast_to(by, turns.shape)
    return multiply(multiply(wide, turns), wide * _CONJUGATE)


def _parents(model: Object, names: Sequence[str]) -> list[int]:
    bones = [model.data.bones[name] for name in names]
    numbers = {bone: number for number, bone in enumerate(bones)}
    return [numbers.get(own_parent(bone), -1) for bone in bones]
