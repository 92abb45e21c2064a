"""Retargeting: poses of one skeleton on another one, and the path that games add.

A bone's rotation away from its own rest pose is given to the matched bone, after the target's limbs at rest
are laid onto those of the source. So neither skeleton has to be posed like the other one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ....catalogue import BoneRole, LimbBone
from ....formats.base import Floats
from ...subjects.animations.keys.key_poses import KeyPoses, RestPose
from .fitting import Fit
from .paths import STILL, PathKind, Speeds, covered, fit_speeds
from .sampling import Motion
from .skeletons import Skeleton, about_vertical, quaternions, yaw
from .soles import feet_of, height_of_standing, sole_heights

_RAISED = 64.0  # units: a motion that ends so much higher has climbed


@dataclass(frozen=True, eq=False)
class Retargeted:
    """A motion on a model, tick by tick."""

    poses: KeyPoses  #: the poses at the frames 0, 1, 2, …, relative to where the game has moved the model.
    speeds: Speeds  #: the speed of the animation.
    #: (3,), how far the last pose is from the first one besides that, in units: right, forward, up.
    moved: Floats


def pose_target(fit: Fit, motion: Motion) -> tuple[Floats, Floats]:
    """Return the poses of a model that follows a motion.

    Args:
        fit: the matched bones.
        motion: n poses of the source.

    Returns:
        Orientations (n, m, 3, 3) and joints (n, m, 3) in the space of the model's armature. The first joint
        of the trunk is where the source's is, as large as the model.
    """
    target, count = fit.target, len(motion)
    rests = fit.source.turns
    whole = np.empty((count, len(target.names), 3, 3))
    for bone, (pair, parent) in enumerate(zip(fit.pairs.tolist(), target.parents.tolist(), strict=True)):
        rest = target.turns[bone]
        if pair >= 0:
            moved = motion.turns[:, pair] @ rests[pair].T
            whole[:, bone] = fit.motion_turn @ moved @ (fit.rest_turn.T @ fit.corrections[bone] @ rest)
        elif parent >= 0:
            whole[:, bone] = whole[:, parent] @ (target.turns[parent].T @ rest)
        else:
            whole[:, bone] = rest
    heads = np.zeros((count, len(target.names), 3))
    for bone, parent in enumerate(target.parents.tolist()):
        if parent >= 0:
            arm = target.turns[parent].T @ (target.heads[bone] - target.heads[parent])
            heads[:, bone] = heads[:, parent] + whole[:, parent] @ arm
    pair = int(fit.pairs[fit.anchor])
    if pair >= 0:
        path = fit.size * (motion.heads[:, pair] @ fit.motion_turn.T)
        heads += (path - heads[:, fit.anchor])[:, None]
    return whole, heads


def relative_to_rest(fit: Fit, heads: Floats) -> Floats:
    """Return joints (n, m, 3) at places relative to rest: for a model that comes back as it was."""
    pair = int(fit.pairs[fit.anchor])
    start = fit.size * (fit.motion_turn @ fit.source.heads[pair])
    return heads - start + fit.target.heads[fit.anchor]


def on_floor(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats) -> Floats:
    """Return joints (n, m, 3) with the soles on the floor, which is at height 0, and the first pose above
    the origin.
    """
    hips = skeleton.roles.get(LimbBone(BoneRole.HIPS), 0)
    shift = -heads[0, hips]
    shift[2] = -height_of_standing(skeleton, model, whole, heads)
    return heads + shift


def turned(whole: Floats, heads: Floats, angle: float) -> tuple[Floats, Floats]:
    """Return poses that are rotated about the vertical, in radians."""
    turn = yaw(angle)
    return turn @ whole, heads @ turn.T


def heading(skeleton: Skeleton, heads: Floats, *, along_path: bool) -> float:
    """Return the angle in radians by which a motion has to be turned to start forward, along +Y.

    Args:
        skeleton: the model's skeleton.
        heads: (n, m, 3), joints.
        along_path: forward is the way from the first to the last pose; else what the first pose faces.
    """
    hips = skeleton.roles.get(LimbBone(BoneRole.HIPS), 0)
    if along_path:
        ahead = heads[-1, hips] - heads[0, hips]
    else:
        ahead = skeleton.posed(skeleton.turns, heads[0]).facing_exactly()
    if np.linalg.norm(ahead[:2]) < 1e-6:
        return 0.0
    turn = about_vertical(np.array([ahead[0], ahead[1], 0.0]), np.array([0.0, 1.0, 0.0]))
    return float(np.arctan2(turn[1, 0], turn[0, 0]))


def as_games_move(rest: RestPose, whole: Floats, heads: Floats, path: PathKind, scale: float) -> Retargeted:
    """Split the path of poses into the speed of an animation, and offsets of its poses.

    Args:
        rest: the model's rest pose.
        whole, heads: orientations (n, m, 3, 3) and joints (n, m, 3), tick by tick.
        path: where the path forward goes.
        scale: Blender units per unit of the game.
    """
    first = heads[:, 0]
    forward = first[:, 1] / scale
    speeds = STILL if path is PathKind.OFFSETS else fit_speeds(forward, path)
    offsets = first.copy()
    offsets[:, 1] -= covered(speeds, len(first)) * scale
    turns, places = rest.local(quaternions(whole), offsets)
    moved = (offsets[-1] - offsets[0]) / scale
    moved[2] = 0.0
    return Retargeted(KeyPoses(np.arange(len(first), dtype=float), turns, places), speeds, moved)


def height_climbed(skeleton: Skeleton, model: Object, whole: Floats, heads: Floats, scale: float) -> float:
    """Return how much higher than the floor a motion ends, in units; 0 for small heights."""
    if not feet_of(skeleton):
        return 0.0
    height = float(sole_heights(skeleton, model, whole[-1:], heads[-1:]).min()) / scale
    return height if height > _RAISED else 0.0
