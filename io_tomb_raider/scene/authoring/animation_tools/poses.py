"""Poses of a model's animations: any frame of any of them, applied to the animation in use at a frame."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from bpy.types import Action, Object

from ...subjects.animations.keys.key_poses import KeyPoses, RestPose, read_key_poses, slerp, write_key_poses
from ...subjects.models.bones import is_actor
from ..control_rig.baking import with_frames
from ..control_rig.match import RigAtRest
from ..control_rig.parts import rig_limbs
from ..control_rig.seen import posing_limbs, seen_poses
from ..control_rig.space_keys import match_at
from .mirroring import mirrored
from .placing import set_down
from .sides import partners_of


def pose_at(action: Action, armature: Object, frame: float, *, is_mirrored: bool = False) -> KeyPoses:
    """Return the pose that a model has at a frame of an animation, as a control rig gives it.

    Args:
        is_mirrored: with left and right swapped.
    """
    rest = RestPose.of(armature)
    pose = seen_poses(action, armature, rest, [frame])
    return mirrored(pose, rest, partners_of(rest)) if is_mirrored else pose


def apply_pose(
    action: Action,
    armature: Object,
    frame: float,
    pose: KeyPoses,
    *,
    bones: Collection[str] = (),
    factor: float = 1.0,
) -> None:
    """Key a pose at a frame of an animation. Controls of a rig that pose these bones follow.

    Args:
        action: an animation of the model.
        armature: the armature of the model.
        pose: one pose of all bones.
        bones: the names of the bones to pose, by default all. The place of the model belongs to the first.
            Actors of cutscenes stay where they stand, and face as before.
        factor: how much of the pose: 0 for none to 1 for all.
    """
    rest = RestPose.of(armature)
    limbs = posing_limbs(action, armature)
    now = seen_poses(action, armature, rest, [frame])
    pose = set_down(rest, pose, now) if is_actor(armature) else pose
    only = [name for name in rest.names if not bones or name in bones]
    numbers = [rest.number(name) for name in only]
    turns = now.turns.copy()
    turns[:, numbers] = slerp(now.turns, pose.turns, np.full((1, 1), factor))[:, numbers]
    places = now.places
    if 0 in numbers:
        places = now.places + factor * (pose.places - now.places)
    at_frame = np.array([float(frame)])
    whole = with_frames(read_key_poses(action, armature, rest), at_frame, action, armature, rest)
    row = int(np.abs(whole.frames - frame).argmin())
    new_turns, new_places = whole.turns.copy(), whole.places.copy()
    new_turns[row], new_places[row] = turns[0], places[0]
    moved = [limb for limb in limbs if {*limb.own} & {*only}]
    changed = [*only, *(name for limb in moved for name in limb.own)]
    write_key_poses(action, armature, replace(whole, turns=new_turns, places=new_places), rest, only=changed)
    if moved:
        match_at(RigAtRest(armature, rig_limbs(armature), rest), action, moved, at_frame)
