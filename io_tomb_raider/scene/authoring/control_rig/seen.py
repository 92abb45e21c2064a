"""Poses of animations as they are seen, for tools that edit keys: a control rig may pose some limbs.

Tools read what the controls give, write keys of the model's own bones, and match the controls to them. So
they work alike with a rig and without one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from bpy.types import Action, Object

from ....formats.base import Floats
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, read_key_poses, write_key_poses
from .baking import key_frames, limbs_as_seen, staged
from .keys import has_keys, is_switched_on, remove_control_curves
from .match import RigAtRest, switch_off
from .parts import RigLimb, rig_limbs
from .space_keys import match_at

# Parts of quaternions, and of the model's size, as exports tolerate where curves bend between keys
_STRAIGHT, _STRAIGHT_WAY = 1e-2, 5e-3


def posing_limbs(action: Action, armature: Object) -> list[RigLimb]:
    """Return the limbs that an action poses by their controls."""
    return [limb for limb in rig_limbs(armature) if is_switched_on(action, armature, limb)]


def seen_poses(
    action: Action, armature: Object, rest: RestPose | None = None, frames: Sequence[float] | None = None
) -> KeyPoses:
    """Return the poses of an action as its model's control rig gives them.

    Args:
        action: an action of the model.
        armature: the armature of the model.
        rest: its rest pose, if known.
        frames: where to read; by default every frame with a key, and with a rig every tick between them.
    """
    rest = RestPose.of(armature) if rest is None else rest
    limbs = posing_limbs(action, armature)
    if not limbs:
        return read_key_poses(action, armature, rest, frames)
    rig = RigAtRest(armature, rig_limbs(armature), rest)
    times = _with_ticks(key_frames(rig, action, limbs)) if frames is None else np.asarray(frames, float)
    with staged(rig) as stage:
        return limbs_as_seen(stage, action, limbs, times)


def seen_keys(action: Action, armature: Object, rest: RestPose) -> tuple[KeyPoses, bool]:
    """Return the poses of an action at its keys, and whether games interpolate between them as the rig does.

    If they do not, the poses are those at all ticks. Keys of controls that change nothing are left out.
    """
    rig = RigAtRest(armature, rig_limbs(armature), rest)
    seen = seen_poses(action, armature, rest)
    own = read_key_poses(action, armature, rest).frames
    for keys in (own, key_frames(rig, action, posing_limbs(action, armature))):
        keyed = seen.at(keys)
        if len(keys) and _is_straight(keyed, seen, rest):
            return keyed, True
    return seen, False


def _is_straight(keyed: KeyPoses, seen: KeyPoses, rest: RestPose) -> bool:
    """Return whether interpolation between some poses gives others."""
    between = keyed.at(seen.frames)
    alike = np.abs((between.turns * seen.turns).sum(axis=-1))
    distances = np.abs(between.places - seen.places)
    return bool((alike > np.cos(_STRAIGHT)).all() and (distances < _STRAIGHT_WAY * rest.size).all())


def write_poses(action: Action, armature: Object, poses: KeyPoses, rest: RestPose | None = None) -> None:
    """Replace the keys of an action, and match the controls of the limbs that they pose.

    Keys of other limbs' controls would show the old pose when these are used again, so they are removed.

    Args:
        action: an action of the model.
        armature: the armature of the model.
        rest: its rest pose, if known.
    """
    limbs, known = posing_limbs(action, armature), rig_limbs(armature)
    write_key_poses(action, armature, poses, rest)
    if not known:
        return
    others = [limb for limb in known if limb not in limbs and has_keys(action, armature, limb)]
    if others:
        remove_control_curves(action, armature, others)
    rest = RestPose.of(armature) if rest is None else rest
    rig = RigAtRest(armature, known, rest)
    rig.match([action], limbs)
    if limbs and not _is_straight(
        read_key_poses(action, armature, rest), seen_poses(action, armature, rest), rest
    ):
        # Between keys, controls move limbs otherwise than games do.
        match_at(rig, action, limbs, _with_ticks(poses.frames))
    switch_off(armature, [action], known)


def _with_ticks(frames: Floats) -> Floats:
    """Return frames, and every whole frame between the first and the last one."""
    if not len(frames):
        return frames
    return np.unique(np.concatenate([frames, np.arange(np.ceil(frames[0]), frames[-1])]))
