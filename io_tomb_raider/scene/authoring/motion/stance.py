"""The vertical, the standing pose and the forward direction of a motion's source."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ....catalogue import BoneRole, LimbBone
from ....formats.base import Floats
from .bodies import UP, HumanoidPoses, find_up, standing_up, turn_upright
from .sampling import Motion
from .skeletons import Skeleton, unit
from .standing import standing_pose

_FAR = 1.0  # leg's lengths: a motion that ends so far away goes somewhere
_STEADY = np.cos(np.radians(35.0))  # who walks looks about where it goes
_ALONG = np.cos(np.radians(30.0))
_ASIDE = np.cos(np.radians(20.0))
_OTHER_WAY = np.cos(np.radians(45.0))
_START = 5  # ticks


class Rest(StrEnum):
    """The pose of a source that the model's rest pose corresponds to."""

    AUTO = "AUTO"
    REST = "REST"
    FRAME = "FRAME"
    JOINTS = "JOINTS"


class Forward(StrEnum):
    """What becomes the direction forward of the model."""

    AUTO = "AUTO"
    REST = "REST"
    START = "START"
    PATH = "PATH"


class Stance(NamedTuple):
    """A skeleton that stands, and its motion, both with Z up."""

    skeleton: Skeleton  #: the skeleton in the pose that corresponds to the model's rest pose.
    motion: Motion
    up: Floats  #: the direction in the source that is up, (3,).
    faces_ahead: bool = True  #: whether the skeleton's rest pose says what is forward in the motion.
    is_by_joints: bool = False  #: whether the pose is made up from the joints of the motion.


def take_stance(
    skeleton: Skeleton, motion: Motion, rest: Rest, posed: Skeleton | None = None, up: Floats | None = None
) -> Stance:
    """Return a skeleton and its motion upright.

    Args:
        skeleton: the source at rest.
        motion: its poses.
        rest: the pose that corresponds to the model's rest pose.
        posed: for :attr:`Rest.FRAME`, the skeleton in that frame.
        up: the direction that is up in the motion, None to find it.
    """
    if up is None:
        up = UP if skeleton.is_model else find_up(skeleton, motion)
    turn = turn_upright(up)
    motion = motion.turned(turn)
    if posed is not None:
        return Stance(posed.turned(turn), motion, up)
    if skeleton.is_model or rest is Rest.REST or not _is_body(skeleton):
        return Stance(skeleton.turned(turn), motion, up)
    stands = standing_up(skeleton) if rest is Rest.AUTO else None
    if stands is None:
        return Stance(standing_pose(skeleton, motion), motion, up, faces_ahead=False, is_by_joints=True)
    if stands @ up > 1.0 - 1e-9:
        return Stance(skeleton.turned(turn), motion, up)
    return Stance(skeleton.turned(turn_upright(stands)), motion, up, faces_ahead=False)


def _is_body(skeleton: Skeleton) -> bool:
    body = HumanoidPoses.at_rest(skeleton)
    hips = LimbBone(BoneRole.HIPS) in skeleton.roles
    return hips and body.pair(BoneRole.THIGH) is not None and body.pair(BoneRole.CALF) is not None


def find_forward(stance: Stance, wanted: Forward) -> tuple[Forward, Floats]:
    """Return what becomes the direction forward, and the direction in the motion, (3,).

    Automatically it is the direction of the rest pose, unless the motion starts in another direction. A
    walk in the direction that the body faces goes forward.
    """
    rest = stance.skeleton.moves_along()
    facing = HumanoidPoses(stance.skeleton.roles, stance.motion.heads).facing()
    if wanted is not Forward.AUTO or stance.skeleton.is_model or facing is None:
        return (Forward.REST if wanted is Forward.AUTO else wanted), rest
    start = unit(facing[:_START].sum(axis=0))
    path = _path(stance)
    mean = unit(facing.sum(axis=0))
    walks = path is not None and (facing @ mean).min() > _STEADY and path @ mean > _ALONG
    is_aside = walks and path is not None and path @ rest < _ASIDE
    if stance.faces_ahead and start @ rest > _OTHER_WAY and not is_aside:
        return Forward.REST, rest
    if walks:
        return Forward.PATH, rest
    # Recordings start about along an axis.
    angle = np.rint(np.arctan2(start[1], start[0]) / (np.pi / 2)) * (np.pi / 2)
    return Forward.AUTO, np.array([np.cos(angle), np.sin(angle), 0.0])


def _path(stance: Stance) -> Floats | None:
    """Return the direction from the first to the last place of the hips, (3,), None of motions that stay."""
    skeleton = stance.skeleton
    hips = stance.motion.heads[:, skeleton.roles.get(LimbBone(BoneRole.HIPS), 0)]
    way = (hips[-1] - hips[0]) * (1.0, 1.0, 0.0)
    return unit(way) if np.linalg.norm(way) > _FAR * max(skeleton.leg_length(), 1e-9) else None
