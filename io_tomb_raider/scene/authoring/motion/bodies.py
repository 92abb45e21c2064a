"""Humanoid bodies by their joints: which way is up, and whether a rest pose stands.

Axes of bones at rest mean nothing here. Some programs have all joints along +X at rest, write skeletons that
are horizontal at rest, or store no rest pose.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ....catalogue import ARM, LEG, SIDES, BoneRole, LimbBone
from ....formats.base import Floats
from ...subjects.animations.keys.geometry import smallest_turns, unit
from .sampling import Motion
from .skeletons import Skeleton

UP = np.array([0.0, 0.0, 1.0])
_AXES = np.concatenate([np.eye(3), -np.eye(3)])
_NEARLY_AXIS = np.cos(np.radians(20.0))
_UPRIGHT = np.cos(np.radians(30.0))
_LEVEL = np.cos(np.radians(20.0))
_SAME_SIDES = np.cos(np.radians(12.0))  # artists' left and right are not exactly symmetrical
_AHEAD = 0.3
# Weights of the evidence for an axis as the vertical. Where bodies crawl, rest pose and floor decide.
_OF_REST, _OF_FLOOR, _OF_STEADY, _OF_BLENDER = 1.5, 1.0, 0.5, 0.1
_FLOOR, _STEADY = 0.3, 0.15  # of a leg's length


@dataclass(frozen=True, eq=False)
class HumanoidPoses:
    """The joints of a humanoid in n poses."""

    roles: Mapping[LimbBone, int]  #: the bones by role.
    heads: Floats  #: (n, b, 3), joints.

    @classmethod
    def at_rest(cls, skeleton: Skeleton) -> HumanoidPoses:
        return cls(skeleton.roles, skeleton.heads[None])

    def joint(self, role: BoneRole, side: str = "") -> Floats | None:
        """Return a joint, (n, 3)."""
        bone = self.roles.get(LimbBone(role, side), -1)
        return None if bone < 0 else self.heads[:, bone]

    def pair(self, role: BoneRole) -> tuple[Floats, Floats] | None:
        """Return the left and the right joint, (n, 3) each."""
        left, right = (self.joint(role, side) for side in SIDES)
        return None if left is None or right is None else (left, right)

    def middle(self, *roles: BoneRole) -> Floats | None:
        """Return the point between left and right, (n, 3), of the first role that has both."""
        for role in roles:
            pair = self.pair(role)
            if pair is not None:
                return np.asarray((pair[0] + pair[1]) / 2, float)
        return None

    def across(self, role: BoneRole) -> Floats | None:
        """Return the direction from left to right, (n, 3)."""
        pair = self.pair(role)
        return None if pair is None else unit(pair[1] - pair[0])

    def trunk(self) -> Floats | None:
        """Return the direction from the hips to the shoulders, else to the neck or the head, (n, 3)."""
        hips, top = self.middle(BoneRole.THIGH), self.middle(BoneRole.UPPER_ARM)
        for role in (BoneRole.NECK, BoneRole.HEAD, BoneRole.TORSO):
            top = self.joint(role) if top is None else top
        return None if hips is None or top is None else unit(top - hips)

    def legs(self) -> Floats | None:
        """Return the direction from the feet to the hips, (n, 3)."""
        hips, feet = self.middle(BoneRole.THIGH), self.middle(BoneRole.FOOT, BoneRole.CALF)
        return None if hips is None or feet is None else unit(hips - feet)

    def facing(self) -> Floats | None:
        """Return the horizontal direction that the body faces, (n, 3), by hips and shoulders, with Z up."""
        across = [
            each for role in (BoneRole.THIGH, BoneRole.UPPER_ARM) if (each := self.across(role)) is not None
        ]
        if not across:
            return None
        ahead = np.cross(UP, np.sum(across, axis=0))
        return unit(ahead * (1.0, 1.0, 0.0))


def standing_up(skeleton: Skeleton) -> Floats | None:
    """Return where up is for a skeleton at rest, (3,), or None if it does not stand then.

    A standing skeleton has its trunk above both legs, symmetrical limbs, and feet that point forward.
    Directions near an axis are the axis.
    """
    body = HumanoidPoses.at_rest(skeleton)
    trunk, legs, across = body.trunk(), body.legs(), body.across(BoneRole.THIGH)
    if trunk is None or legs is None or across is None:
        return None
    right = across[0]
    up = legs[0] - right * (legs[0] @ right)
    if np.linalg.norm(up) < _UPRIGHT:
        return None
    up = unit(up)
    nearest = _AXES[(_AXES @ up).argmax()]
    up = nearest if nearest @ up > _NEARLY_AXIS else up
    shoulders = body.across(BoneRole.UPPER_ARM)
    is_upright = min(trunk[0] @ up, legs[0] @ up) > _UPRIGHT and abs(right @ up) < 1.0 - _LEVEL
    is_level = shoulders is None or shoulders[0] @ right > _LEVEL
    if not (is_upright and is_level and _is_symmetrical(body, right)):
        return None
    ahead = np.cross(up, right)
    toes = [skeleton.toes_of(skeleton.roles[foot]) for foot in _feet(skeleton)]
    points = [
        unit(toe - skeleton.heads[skeleton.roles[foot]])
        for foot, toe in zip(_feet(skeleton), toes, strict=True)
        if toe is not None
    ]
    return None if any(each @ ahead < _AHEAD for each in points) else up


def _feet(skeleton: Skeleton) -> list[LimbBone]:
    return [foot for side in SIDES if (foot := LimbBone(BoneRole.FOOT, side)) in skeleton.roles]


def _is_symmetrical(body: HumanoidPoses, right: Floats) -> bool:
    for limb in (LEG, ARM):
        for start, end in itertools.pairwise(limb):
            starts, ends = body.pair(start), body.pair(end)
            if starts is None or ends is None:
                continue
            left_way, right_way = (
                unit(after[0] - before[0]) for before, after in zip(starts, ends, strict=True)
            )
            mirrored = left_way - 2 * right * (left_way @ right)
            if mirrored @ right_way < _SAME_SIDES:
                return False
    return True


def find_up(skeleton: Skeleton, motion: Motion) -> Floats:
    """Return the axis that is up in a motion, (3,): +Z unless the joints show another one.

    Bodies are upright most of the time, in the motion and at rest, and their lowest joint stays on a floor at
    height 0.
    """
    body = HumanoidPoses(skeleton.roles, motion.heads)
    trunk, legs = body.trunk(), body.legs()
    if trunk is None or legs is None:
        return UP
    leg = max(_leg_length(body), 1e-9)
    rest = standing_up(skeleton)
    scores = []
    for axis in _AXES:
        lowest = (motion.heads @ axis).min(axis=1) / leg
        score = float(((trunk + legs) @ axis).mean())
        score += _OF_FLOOR * float(np.exp(-((np.median(lowest) / _FLOOR) ** 2)))
        score += _OF_STEADY * float(np.exp(-((np.std(lowest) / _STEADY) ** 2)))
        score += _OF_REST * float(rest is not None and rest @ axis > _NEARLY_AXIS)
        score += _OF_BLENDER * float(axis @ UP > 0.5)
        scores.append(score)
    return np.asarray(_AXES[int(np.argmax(scores))], float)


def _leg_length(body: HumanoidPoses) -> float:
    hips, knees, feet = (body.middle(role) for role in LEG)
    joints = [each for each in (hips, knees, feet) if each is not None]
    return float(
        sum(np.linalg.norm(after - before, axis=1).mean() for before, after in itertools.pairwise(joints))
    )


def turn_upright(up: Floats) -> Floats:
    """Return the rotation, (3, 3), from a direction to +Z; for axes a quarter or half turn."""
    if up[2] < -1.0 + 1e-9:
        return np.diag([1.0, -1.0, -1.0])
    return smallest_turns(up, UP)
