"""Matched bones of two skeletons, and the correction between their rest poses."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ....catalogue import ARM, LEG, BoneRole, LimbBone
from ....formats.base import Floats
from ...subjects.animations.keys.geometry import smallest_turns, unit
from .skeletons import Skeleton, about_vertical, children_of

_UNNAMED = re.compile(r"Bone \d+")  # as imports call the bones of models without known limbs
_SAME_SIZE = 1e-3
_STRAIGHT = np.cos(np.radians(30.0))
_LIMBS = {*LEG[:2], *ARM[:2]}


def match_bones(source: Skeleton, target: Skeleton) -> NDArray[np.int64]:
    """Match bones by their roles, then by equal names.

    Args:
        source: any skeleton.
        target: the model's skeleton, with m bones.

    Returns:
        (m,), the source's bone for each bone of the model, -1 for none.
    """
    pairs = np.full(len(target.names), -1, np.int64)
    for limb, bone in target.roles.items():
        pairs[bone] = source.roles.get(limb, -1)
    numbers = {name: number for number, name in enumerate(source.names)}
    same_tree = np.array_equal(source.parents, target.parents)
    taken = set(pairs.tolist())
    for bone, name in enumerate(target.names):
        other = numbers.get(name, -1)
        is_free = pairs[bone] < 0 and other >= 0 and other not in taken
        if is_free and (same_tree or not _UNNAMED.fullmatch(name)):
            pairs[bone] = other
    return pairs


def roles_by_pairs(pairs: NDArray[np.int64], target: Skeleton) -> dict[LimbBone, int]:
    """Return the source's bones by role, from matched bones."""
    return {limb: int(pairs[bone]) for limb, bone in target.roles.items() if pairs[bone] >= 0}


def pairs_by_name(names: Mapping[str, str], source: Skeleton, target: Skeleton) -> NDArray[np.int64]:
    """Return matched bones, (m,), from names of the source's bones by those of the model's.

    Unknown names are ignored.
    """
    numbers = {name: number for number, name in enumerate(source.names)}
    return np.array([numbers.get(names.get(name, ""), -1) for name in target.names], np.int64)


@dataclass(frozen=True, eq=False)
class Fit:
    """A model's bones that follow those of another skeleton."""

    #: source, target: the skeletons; the target has m bones.
    source: Skeleton
    target: Skeleton
    #: (m,), the source's bone for each bone of the target, -1 for those that follow their parents.
    pairs: NDArray[np.int64]
    chosen_size: float = 0.0  #: the size of the target by that of the source, 0 to measure it.
    same_pose: bool = False  #: the source's rest pose is that of the target, whatever their joints look like.
    #: the direction of the source's motion, (3,), that becomes the target's forward direction; by default the
    #: direction that the source faces at rest.
    forward: Floats | None = None

    @cached_property
    def rest_turn(self) -> Floats:
        """The rotation about the vertical, (3, 3), from the source at rest to the target at rest."""
        if self.same_pose:
            return np.eye(3)
        return about_vertical(self.source.facing(), self.target.facing())

    @cached_property
    def motion_turn(self) -> Floats:
        """The rotation about the vertical, (3, 3), from the source's motion to the target's."""
        if self.same_pose:
            return np.eye(3)
        forward = self.source.moves_along() if self.forward is None else self.forward
        return about_vertical(forward, self.target.moves_along())

    @cached_property
    def corrections(self) -> Floats:
        """The smallest rotations that lay the target's limbs at rest onto those of the source, (m, 3, 3).

        A limb points from its head to the next joint. Hands follow their forearms, and limbs without a known
        end follow their parent. Other bones have none.
        """
        result = np.tile(np.eye(3), (len(self.pairs), 1, 1))
        if self.same_pose:
            return result
        for bone, joint in self._limbs().items():
            aim = self._aim(bone, joint)
            if aim is not None:
                own = self.target.heads[joint] - self.target.heads[bone]
                result[bone] = smallest_turns(own, self.rest_turn @ aim)
            else:
                result[bone] = result[self.target.parents[bone]]
        for limb, bone in self.target.roles.items():
            arm = self.target.roles.get(LimbBone(BoneRole.LOWER_ARM, limb.side), -1)
            if limb.role is BoneRole.HAND and arm >= 0:
                result[bone] = result[arm]
        return result

    def _aim(self, bone: int, joint: int) -> Floats | None:
        """Return where a limb of the source points at rest, (3,), to the matched joint or its own end."""
        source, pair = self.source, int(self.pairs[bone])
        start, end = source.heads[pair], int(self.pairs[joint])
        if end < 0:
            end = source.end_of(pair)
        if end >= 0:
            return np.asarray(source.heads[end] - start, float)
        # Ends of bones without a joint there may be made up by importers.
        before = int(self.pairs[self.target.parents[bone]]) if self.target.parents[bone] >= 0 else -1
        tail = source.tails[pair] - start
        is_real = before >= 0 and unit(tail) @ unit(start - source.heads[before]) > _STRAIGHT
        return np.asarray(tail, float) if is_real else None

    def to_target_rest(self, bone: int) -> Floats:
        """Return the rotation, (3, 3), that brings meshes on a bone of the source into the target's pose."""
        return np.asarray(self.corrections[bone].T @ self.rest_turn, float)

    def _limbs(self) -> dict[int, int]:
        """Return the next joint of each limb of the target, parents first.

        Besides arms and legs, these are bones with a single matched bone on them, as in tails.
        """
        result = {}
        children = children_of(self.target.parents.tolist())
        roles = {bone: limb for limb, bone in self.target.roles.items()}
        for bone, pair in enumerate(self.pairs.tolist()):
            if pair < 0:
                continue
            joints = [each for each in children.get(bone, ()) if self.pairs[each] >= 0]
            if bone in roles and roles[bone].role in _LIMBS:
                chain = LEG if roles[bone].role in LEG else ARM
                following = LimbBone(chain[chain.index(roles[bone].role) + 1], roles[bone].side)
                joint = self.target.roles.get(following, -1)
                joints = [joint] if joint >= 0 else joints
            elif bone in roles and roles[bone].role in (
                BoneRole.HIPS,
                BoneRole.TORSO,
                BoneRole.FOOT,
                BoneRole.HAND,
            ):
                continue
            if len(joints) == 1:
                result[bone] = joints[0]
        return result

    @cached_property
    def size(self) -> float:
        """The size of the target by that of the source: by their legs, else by all matched bones."""
        if self.chosen_size > 0:
            return self.chosen_size
        ours, theirs = self.target.leg_length(), self.source.leg_length()
        if not (ours and theirs):
            ours, theirs = self._spread(self.target, self.pairs), self._spread(self.source, self.pairs)
        found = ours / theirs if ours > 0 and theirs > 0 else 1.0
        return 1.0 if abs(found - 1.0) < _SAME_SIZE else found

    def _spread(self, skeleton: Skeleton, pairs: NDArray[np.int64]) -> float:
        numbers = np.flatnonzero(pairs >= 0)
        joints = skeleton.heads[numbers if skeleton is self.target else pairs[numbers]]
        return float(np.linalg.norm(joints - joints.mean(axis=0), axis=1).mean()) if len(joints) > 1 else 0.0

    @cached_property
    def anchor(self) -> int:
        """The bone of the target whose place follows the source: the hips, else the first matched bone."""
        hips = self.target.roles.get(LimbBone(BoneRole.HIPS), -1)
        if hips >= 0 and self.pairs[hips] >= 0:
            return hips
        matched = np.flatnonzero(self.pairs >= 0)
        return int(matched[0]) if len(matched) else 0

    def is_same_skeleton(self) -> bool:
        """Return whether all bones match, at equal places: the model itself, from another program."""
        if (self.pairs < 0).any() or self.size != 1.0:
            return False
        # A model that comes back has moved as a whole, if at all.
        own = self.target.heads - self.target.heads[0]
        other = self.source.heads[self.pairs] - self.source.heads[self.pairs[0]]
        return bool(np.abs(own - other).max() < _SAME_SIZE * max(float(np.abs(own).max()), 1e-6))


def missing_bones(pairs: Sequence[int], target: Skeleton) -> list[str]:
    """Return the names of the model's limbs and trunk that have no match."""
    needed = {*LEG, *ARM, BoneRole.HIPS, BoneRole.TORSO, BoneRole.HEAD}
    roles = {bone: limb for limb, bone in target.roles.items()}
    return [
        target.names[bone]
        for bone, pair in enumerate(pairs)
        if pair < 0 and bone in roles and roles[bone].role in needed
    ]
