"""The vertical, the standing pose and the forward direction of a motion's source.

A skeleton may have no standing pose: then it is found by the joints of the motion. Each bone gets a frame:
the directions right, forward and up of a standing figure, along the axes of the bone. The places of joints on
a bone are constant: the spine is above the hips, the thighs are to the left and right of them, the toes are
in front of the ankle. Elbows and knees show the front of arms and legs where they bend.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....catalogue import ARM, LEG, SIDES, BoneRole, LimbBone, ancestors
from ....formats.base import Floats
from ...subjects.animations.keys.geometry import smallest_turns, unit
from .bodies import UP, HumanoidPoses, find_up, standing_up, turn_upright
from .sampling import Motion
from .skeletons import Skeleton

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


# --- Standing poses by joints ----------------------------------------

_MOST_POSES = 240  # of a motion are looked at
_LEANING = np.radians(25.0)
_STRAIGHT = np.cos(np.radians(20.0))
_OF_TRUNK = 0.05  # weight of where the trunk faces, against the sine of a bent limb
_SHORT = 0.05  # of a leg: shorter offsets have no direction
_LOW = 20  # percentile of an ankle's heights: the foot stands
_FLATTEST, _STEEPEST = 0.0, np.radians(60.0)
_QUARTERS = np.array(
    [
        turn
        for order in permutations(range(3))
        for signs in product((1.0, -1.0), repeat=3)
        if np.linalg.det(turn := np.eye(3)[list(order)] * signs) > 0
    ]
)


def standing_pose(skeleton: Skeleton, motion: Motion) -> Skeleton:
    """Return a skeleton in a standing pose with hanging arms, that faces +Y, whatever its rest pose.

    Args:
        skeleton: the skeleton. Bones without a known role keep their places on their parents.
        motion: its poses, with Z up.
    """
    rows = np.unique(np.linspace(0, len(motion) - 1, min(len(motion), _MOST_POSES)).astype(int))
    frames = _Frames(skeleton, Motion(motion.turns[rows], motion.heads[rows]))
    frames.find()
    return frames.posed()


@dataclass(eq=False)
class _Frames:
    """Frames of bones, in which they do not move."""

    #: skeleton, motion: the skeleton and its n poses.
    skeleton: Skeleton
    motion: Motion
    #: (3, 3) by bone: its directions right, forward and up as columns, along the axes of the bone.
    found: dict[int, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.body = HumanoidPoses(self.skeleton.roles, self.motion.heads)
        self.leg = max(self._length(LEG), 1e-9)

    def find(self) -> None:
        self._hips()
        self._torso()
        for side in SIDES:
            self._limb(LEG, side, bends_forward=False)
            self._limb(ARM, side, bends_forward=True)
        pitch = self._pitch_of_feet()
        for side in SIDES:
            self._foot(side, pitch)
            self._hand(side)
        self._head()

    def posed(self) -> Skeleton:
        """Return the skeleton with all frames upright."""
        parents, rest = self.skeleton.parents.tolist(), self.skeleton.turns
        turns, heads = np.empty_like(rest), np.zeros_like(self.skeleton.heads)
        for bone, parent in enumerate(parents):
            if bone in self.found:
                turns[bone] = self.found[bone].T
            else:
                turns[bone] = turns[parent] @ rest[parent].T @ rest[bone] if parent >= 0 else rest[bone]
            if parent >= 0:
                heads[bone] = heads[parent] + turns[parent] @ self._offset(parent, bone)
        for side in SIDES:  # feet of some rigs do not hang on their legs
            for limb in (LEG, ARM):
                bones = [self._bone(role, side) for role in limb]
                for bone, following in pairwise(bones):
                    if bone in self.found and following >= 0:
                        heads[following] = heads[bone] + turns[bone] @ self._offset(bone, following)
        return self.skeleton.posed(turns, heads)

    # --- Places and directions ----------------------------------------

    def _bone(self, role: BoneRole, side: str = "") -> int:
        return self.skeleton.roles.get(LimbBone(role, side), -1)

    def _length(self, limb: tuple[BoneRole, ...]) -> float:
        joints = [each for role in limb if (each := self.body.middle(role)) is not None]
        steps = [np.linalg.norm(after - before, axis=1).mean() for before, after in pairwise(joints)]
        return float(sum(steps))

    def _offset(self, bone: int, joint: int) -> Floats:
        """Return the mean place of a joint along the axes of a bone, (3,)."""
        return self._inside(bone, self.motion.heads[:, joint] - self.motion.heads[:, bone])

    def _inside(self, bone: int, directions: Floats) -> Floats:
        """Return the mean of directions, (n, 3), along the axes of a bone, (3,)."""
        return np.asarray(
            np.einsum("nji,nj->i", self.motion.turns[:, bone], directions) / len(self.motion), float
        )

    def _shown(self, bone: int, direction: int) -> Floats:
        """Return a direction of a bone's frame in all poses, (n, 3): 0 right, 1 forward, 2 up."""
        return np.asarray(self.motion.turns[:, bone] @ self.found[bone][:, direction], float)

    def _is_long(self, offset: Floats) -> bool:
        return bool(np.linalg.norm(offset) > _SHORT * self.leg)

    # --- Trunk ----------------------------------------

    def _hips(self) -> None:
        hips, across, trunk = self._bone(BoneRole.HIPS), self.body.across(BoneRole.THIGH), self.body.trunk()
        if hips < 0 or across is None or trunk is None:
            return
        right, up = self._inside(hips, across), unit(self._inside(hips, trunk))
        top = next(
            (
                bone
                for role in (BoneRole.TORSO, BoneRole.NECK, BoneRole.HEAD)
                if (bone := self._bone(role)) >= 0
            ),
            -1,
        )
        above = [top, *ancestors(self.skeleton.parents.tolist(), top)] if top >= 0 else []
        if hips in above and above.index(hips) > 0:
            spine = self._offset(hips, above[above.index(hips) - 1])
            if self._is_long(spine) and unit(spine) @ up > np.cos(np.radians(45.0)):
                up = unit(spine)
        self.found[hips] = _frame_up(up, right)

    def _torso(self) -> None:
        torso, across = self._bone(BoneRole.TORSO), self.body.across(BoneRole.UPPER_ARM)
        if torso < 0 or across is None or torso in self.found:
            return
        head = next((bone for role in (BoneRole.NECK, BoneRole.HEAD) if (bone := self._bone(role)) >= 0), -1)
        trunk, hips = self.body.trunk(), self._bone(BoneRole.HIPS)
        up = np.zeros(3)
        if head >= 0:
            up = self._offset(torso, head)
        if not self._is_long(up) and trunk is not None:
            up = self._inside(torso, trunk)
        if np.linalg.norm(up) < 1e-9 and hips in self.found:
            up = self._inside(torso, self._shown(hips, 2))
        self.found[torso] = _frame_up(unit(up), self._inside(torso, across))

    def _head(self) -> None:
        head, torso = self._bone(BoneRole.HEAD), self._bone(BoneRole.TORSO)
        torso = torso if torso in self.found else self._bone(BoneRole.HIPS)
        if head < 0 or torso not in self.found:
            return
        # Heads look ahead most of the time. Their axes at rest are those of the trunk, but for quarter turns.
        rest = self.skeleton.turns
        mean = self._as_in_the_mean(head, torso)
        choices = rest[head].T @ _QUARTERS @ rest[torso] @ self.found[torso]
        nearest = choices[np.einsum("kij,ij->k", choices, mean).argmax()]
        is_near = (nearest * mean).sum() > 1.0 + 2.0 * np.cos(_LEANING)
        self.found[head] = nearest if is_near else mean

    def _as_in_the_mean(self, bone: int, before: int) -> Floats:
        """Return the frame that agrees best with that of another bone in all poses."""
        turns = np.einsum("nji,njk->ik", self.motion.turns[:, bone], self.motion.turns[:, before])
        return _nearest_turn(turns @ self.found[before])

    # --- Limbs ----------------------------------------

    def _limb(self, limb: tuple[BoneRole, ...], side: str, *, bends_forward: bool) -> None:
        """Find the frames of thigh and calf, or of both parts of an arm."""
        upper, lower, last = (self._bone(role, side) for role in limb)
        if last < 0 and lower >= 0:
            last = self.skeleton.end_of(lower)
        if upper < 0 or lower < 0:
            return
        first = unit(self.motion.heads[:, lower] - self.motion.heads[:, upper])
        second = first if last < 0 else unit(self.motion.heads[:, last] - self.motion.heads[:, lower])
        sign = 1.0 if bends_forward else -1.0
        cosine = (first * second).sum(axis=1, keepdims=True)
        ahead = self._carried(first, side, is_arm=bends_forward)
        front = sign * (second - cosine * first) + _OF_TRUNK * ahead
        self.found[upper] = _frame_down(self._offset(upper, lower), self._inside(upper, front))
        if last < 0:
            return
        down = self._offset(lower, last)
        if bends_forward and self._is_straight(upper, lower, last):
            # Only the rest pose knows what is the middle between palm up and palm down.
            front = self._at_rest(lower, upper)[:, 1]
        else:
            ahead = self._carried(second, side, is_arm=bends_forward)
            front = self._inside(lower, -sign * (first - cosine * second) + _OF_TRUNK * ahead)
        self.found[lower] = _frame_down(down, front)

    def _carried(self, ways: Floats, side: str, *, is_arm: bool) -> Floats:
        """Return where the front of limbs is that are turned as little as possible, (n, 3), by the trunk."""
        trunk = self._bone(BoneRole.TORSO) if is_arm else self._bone(BoneRole.HIPS)
        trunk = trunk if trunk in self.found else self._bone(BoneRole.HIPS)
        if trunk not in self.found:
            return np.zeros_like(ways)
        right, forward, up = (self._shown(trunk, each) for each in range(3))
        start = -up
        if is_arm:
            start = start + (right if side == "R" else -right)
        return np.einsum("nij,nj->ni", smallest_turns(start, ways), forward)

    def _is_straight(self, upper: int, lower: int, last: int) -> bool:
        """Return whether three joints are in a line at rest."""
        heads = self.skeleton.heads
        first, second = unit(heads[lower] - heads[upper]), unit(heads[last] - heads[lower])
        return bool(first @ second > _STRAIGHT)

    def _at_rest(self, bone: int, before: int) -> Floats:
        """Return the frame of a bone that has the same directions as another one at rest."""
        rest = self.skeleton.turns
        return np.asarray(rest[bone].T @ rest[before] @ self.found[before], float)

    def _hand(self, side: str) -> None:
        arm, hand = self._bone(BoneRole.LOWER_ARM, side), self._bone(BoneRole.HAND, side)
        if hand < 0 or arm not in self.found:
            return
        end = self.skeleton.end_of(hand)
        is_straight = end < 0 or self._is_straight(arm, hand, end)
        self.found[hand] = self._at_rest(hand, arm) if is_straight else self._as_in_the_mean(hand, arm)

    # --- Feet ----------------------------------------

    def _standing_rows(self, foot: int) -> NDArray[np.int64]:
        height = self.motion.heads[:, foot, 2]
        return np.flatnonzero(height <= np.percentile(height, _LOW))

    def _pitch_of_feet(self) -> float:
        """Return the angle by which the toes are lower than the ankles where a foot stands, in radians."""
        angles: list[float] = []
        for side in SIDES:
            foot = self._bone(BoneRole.FOOT, side)
            toe = self.skeleton.toe_of(foot) if foot >= 0 else -1
            if toe < 0:
                continue
            rows = self._standing_rows(foot)
            way = unit(self.motion.heads[rows, toe] - self.motion.heads[rows, foot])
            angles += np.arcsin(np.clip(-way[:, 2], -1.0, 1.0)).tolist()
        return float(np.clip(np.median(angles), _FLATTEST, _STEEPEST)) if angles else 0.0

    def _foot(self, side: str, pitch: float) -> None:
        calf, foot = self._bone(BoneRole.CALF, side), self._bone(BoneRole.FOOT, side)
        if foot < 0 or calf not in self.found:
            return
        toe, right = self.skeleton.toe_of(foot), self._inside(foot, self._shown(calf, 0))
        if toe >= 0:
            way = unit(self._offset(foot, toe))
            right = _across(right, way)
            forward = np.cos(pitch) * way + np.sin(pitch) * np.cross(right, way)
            self.found[foot] = np.stack([right, forward, np.cross(right, forward)], axis=1)
            return
        self.found[foot] = self._as_in_the_mean(foot, calf)


def _frame_up(up: Floats, right: Floats) -> Floats:
    """Return a frame, (3, 3), with an exact direction up."""
    right = _across(right, up)
    return np.stack([right, np.cross(up, right), up], axis=1)


def _frame_down(down: Floats, front: Floats) -> Floats:
    """Return a frame, (3, 3), of a limb that hangs down exactly."""
    up = -unit(down)
    forward = _across(front, up)
    return np.stack([np.cross(forward, up), forward, up], axis=1)


def _across(direction: Floats, axis: Floats) -> Floats:
    """Return the part of a direction that is perpendicular to an axis, or any, with length 1."""
    for each in (direction, *np.eye(3)):
        part = each - axis * (each @ axis)
        if np.linalg.norm(part) > 1e-6:
            return unit(part)
    return np.array([1.0, 0.0, 0.0])


def _nearest_turn(matrix: Floats) -> Floats:
    """Return the rotation that is nearest to a (3, 3) matrix."""
    left, _, right = np.linalg.svd(matrix)
    return np.asarray(left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right, float)
