"""Skeletons at rest, of models and of any other armature, along the axes of Blender's world."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....catalogue import LEG, SIDES, BoneRole, LimbBone, find_bones
from ....formats.base import Floats
from ....formats.levels.animations import matrices_from_quaternions
from ...core.space import world_matrix
from ...core.subjects import Kind
from ...subjects.animations.keys.geometry import unit
from ...subjects.animations.keys.key_poses import RestPose

OF_LEVELS = (Kind.MODEL, Kind.CUTSCENE_ACTOR)  # armatures with bones as the games have them
_UP = np.array([0.0, 0.0, 1.0])
_FORWARD = np.array([0.0, 1.0, 0.0])
_TOES = re.compile(r"toe|ball", re.IGNORECASE)
_NO_LENGTH = 1e-3  # of a leg
_QUARTER = np.pi / 2
_NEARLY = np.radians(20.0)  # artists' left and right are not exactly symmetrical


@dataclass(frozen=True, eq=False)
class Skeleton:
    """The b bones of an armature, parents before children."""

    names: list[str]  #: the names of the bones.
    parents: NDArray[np.int64]  #: (b,) int64, -1 for bones without a parent.
    turns: Floats  #: (b, 3, 3), rotations of the bones' axes at rest, along the axes of the world.
    heads: Floats  #: (b, 3), joints at rest, along the axes of the world, relative to the armature.
    tails: Floats  #: (b, 3), the ends of bones at rest, which only some files have.
    is_model: bool = False  #: whether it is a model of a level, which games move along Blender's +Y.
    chosen: Mapping[LimbBone, int] | None = None  #: roles that the user chose, instead of those by names.

    @classmethod
    def of(cls, armature: Object) -> Skeleton:
        """Return the skeleton of an armature; of a model of a level, and of an actor, its own bones."""
        if armature.tomb_raider.kind in OF_LEVELS:
            rest = RestPose.of(armature)
            turns = matrices_from_quaternions(rest.turns)
            return cls(rest.names, rest.parents, turns, rest.heads, rest.heads, is_model=True)
        bones: list[Any] = sorted(armature.data.bones, key=lambda bone: len(bone.parent_recursive))
        numbers = {bone.name: number for number, bone in enumerate(bones)}
        parents = [numbers[bone.parent.name] if bone.parent is not None else -1 for bone in bones]
        linear = np.array(world_matrix(armature), float)[:3, :3]
        matrices = np.array([bone.matrix_local for bone in bones], float).reshape(-1, 4, 4)
        return cls(
            names=list(numbers),
            parents=np.array(parents, np.int64),
            turns=rotations(linear @ matrices[:, :3, :3]),
            heads=matrices[:, :3, 3] @ linear.T,
            tails=np.array([bone.tail_local for bone in bones], float).reshape(-1, 3) @ linear.T,
        )

    def posed(self, turns: Floats, heads: Floats) -> Skeleton:
        """Return the same skeleton with another rest pose: rotations (b, 3, 3) and joints (b, 3)."""
        ends = np.einsum("bji,bj->bi", self.turns, self.tails - self.heads)
        return replace(self, turns=turns, heads=heads, tails=heads + np.einsum("bij,bj->bi", turns, ends))

    def turned(self, turn: Floats) -> Skeleton:
        """Return the skeleton rotated as a whole, by a (3, 3) rotation."""
        return self.posed(turn @ self.turns, self.heads @ turn.T)

    def with_roles(self, chosen: Mapping[LimbBone, int]) -> Skeleton:
        """Return the skeleton with chosen bones for some roles, whatever their names."""
        return replace(self, chosen=dict(chosen))

    @cached_property
    def roles(self) -> dict[LimbBone, int]:
        """The numbers of bones by their roles."""
        result = find_bones(self.names, self.parents.tolist())
        if self.chosen is None:
            return result
        taken = set(self.chosen.values())
        return {limb: bone for limb, bone in result.items() if bone not in taken} | dict(self.chosen)

    def end_of(self, bone: int) -> int:
        """Return the joint at the end of a bone: the child with most joints on it, -1 without children.

        Of several, as in hands, it is the one in the middle.
        """
        children = np.flatnonzero(self.parents == bone)
        if not len(children):
            return -1
        longest = children[self._depths[children] == self._depths[children].max()]
        ways = unit(self.heads[longest] - self.heads[bone])
        return int(longest[int((ways @ ways.sum(axis=0)).argmax())])

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        """The number of joints of the longest chain from each bone, (b,)."""
        depths = np.ones(len(self.names), np.int64)
        for bone in reversed(range(len(self.names))):  # parents come before their children
            parent = self.parents[bone]
            if parent >= 0:
                depths[parent] = max(depths[parent], depths[bone] + 1)
        return depths

    def toes_of(self, foot: int) -> Floats | None:
        """Return the joint of the toes of a foot at rest, (3,), None without one."""
        toe = self.toe_of(foot)
        return self.heads[toe] if toe >= 0 else None

    def toe_of(self, foot: int) -> int:
        """Return the bone of the toes on a foot, -1 without one."""
        children = children_of(self.parents.tolist()).get(foot, [])
        named = [each for each in children if _TOES.search(self.names[each])]
        toe = named[0] if named else self.end_of(foot)
        if toe >= 0 and np.linalg.norm(self.heads[toe] - self.heads[foot]) < _NO_LENGTH * max(
            self.leg_length(), 1e-9
        ):
            return -1
        return toe

    def leg_length(self) -> float:
        """Return the mean length of thigh and calf, 0 without legs."""
        found = []
        for side in SIDES:
            joints = [self.roles[each] for role in LEG if (each := LimbBone(role, side)) in self.roles]
            if len(joints) == len(LEG):
                found.append(np.linalg.norm(np.diff(self.heads[joints], axis=0), axis=1).sum())
        return float(np.mean(found)) if found else 0.0

    def facing(self) -> Floats:
        """Return the horizontal direction that the skeleton faces at rest, (3,), from left and right.

        Directions near an axis are the axis: skeletons are not exactly symmetrical. Without limbs it is +Y.
        """
        return _near_axis(self.facing_exactly())

    def facing_exactly(self) -> Floats:
        """Return the horizontal direction from left and right alone, (3,)."""
        for role in (BoneRole.THIGH, BoneRole.UPPER_ARM):
            pair = [self.roles.get(LimbBone(role, side), -1) for side in SIDES]
            if min(pair) >= 0:
                ahead = np.cross(self.heads[pair[0]] - self.heads[pair[1]], _UP)
                if np.linalg.norm(ahead) > 1e-9:
                    return unit(ahead)
        return _FORWARD

    def moves_along(self) -> Floats:
        """Return the direction in which the skeleton walks, (3,)."""
        return _FORWARD if self.is_model else self.facing()


def _near_axis(direction: Floats) -> Floats:
    angle = np.arctan2(direction[1], direction[0])
    axis = np.rint(angle / _QUARTER) * _QUARTER
    if abs(angle - axis) < _NEARLY:
        angle = axis
    return np.array([np.cos(angle), np.sin(angle), 0.0])


# --- Rotations ----------------------------------------


def rotations(matrices: Floats) -> Floats:
    """Return matrices, (…, 3, 3), without scale, by normalized columns."""
    lengths = np.linalg.norm(matrices, axis=-2, keepdims=True)
    return np.asarray(matrices / np.maximum(lengths, 1e-12), float)


def about_vertical(start: Floats, end: Floats) -> Floats:
    """Return the (3, 3) rotation about the vertical from one horizontal direction to another."""
    angle = np.arctan2(end[1], end[0]) - np.arctan2(start[1], start[0])
    return yaw(float(angle))


def yaw(angle: float) -> Floats:
    """Return the (3, 3) rotation about the vertical, in radians counterclockwise from above."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])


def children_of(parents: Sequence[int]) -> dict[int, list[int]]:
    """Return the bones on each bone."""
    result: dict[int, list[int]] = {}
    for bone, parent in enumerate(parents):
        result.setdefault(parent, []).append(bone)
    return result
