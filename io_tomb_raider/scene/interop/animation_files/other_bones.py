"""Animations of files on models with another number of bones, matched by limbs.

Files have rotations of bones by number, but neither their names nor a rest pose. A model of the scene with as
many bones stands in for the file's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats.levels.animations import Keys, matrices_from_quaternions
from ...authoring.motion.fitting import Fit, match_bones
from ...authoring.motion.retarget import pose_target
from ...authoring.motion.sampling import Motion
from ...authoring.motion.skeletons import Skeleton
from ...core.membership import is_local, level_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.animations.keys.geometry import quaternions
from ...subjects.animations.keys.key_poses import RestPose, continuous
from ...subjects.models.poses import frames_of, positions_to_blender, rotations_to_blender
from ...subjects.models.read import snap
from ...transfer.engine.motion import bones_of

_LARA = 0  # her id, in all games
_NAMES = re.compile("[a-z]+")
_FEWEST = 3  # bones: a limb


@dataclass(frozen=True, eq=False)
class BoneAxes:
    """What turns the keys of files into those of a model's pose bones."""

    names: list[str]  #: the names of its m bones, in the order of its meshes.
    frames: NDArray[np.float64]  #: (m, 3, 3), see :func:`~...subjects.models.poses.frames_of`.
    head: Any  #: (3,), the joint of the first bone at rest, in units of the file.
    space: Space  #: of the model's level.

    @classmethod
    def of(cls, armature: Any, space: Space) -> BoneAxes:
        """Return the axes of a model's bones."""
        bones = [armature.data.bones[name] for name in bones_of(armature)]
        head = snap(space.to_file(np.array(bones[0].head_local[:]), armature.name, "a bone"))
        return cls(
            [bone.name for bone in bones], frames_of(np.array([_rest(bone) for bone in bones])), head, space
        )

    def poses(self, keys: Keys) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return n keys as rotations (n, m, 4) of the pose bones, and places (n, 3) of the first one."""
        positions = positions_to_blender(keys.offsets, self.frames[0], self.head, self.space)
        return rotations_to_blender(keys.angles, self.frames), positions


def _rest(bone: Any) -> list[float]:
    """Return the rotation of a bone at rest that its keys are relative to, as exports read it."""
    stored = list(bone.tomb_raider.rest[:])
    if bone.tomb_raider.index >= 0 and 0 < sum(part * part for part in stored) < float("inf"):
        return stored
    return list(bone.matrix_local.to_quaternion()[:])


@dataclass(frozen=True, eq=False)
class OtherBones:
    """A model of the scene that has as many bones as a file, for a model that has another number."""

    source: Object  #: the armature of the model with the bones of the file.
    target: Object  #: the armature of the model that gets the animation.

    @cached_property
    def _fit(self) -> Fit:
        source, target = Skeleton.of(self.source), Skeleton.of(self.target)
        return Fit(source, target, match_bones(source, target))

    @property
    def matched(self) -> int:
        """The number of bones of the target that follow one of the source."""
        return int((self._fit.pairs >= 0).sum())

    @property
    def unmatched(self) -> list[str]:
        """The bones of the target that follow none."""
        names = self._fit.target.names
        return [name for name, pair in zip(names, self._fit.pairs.tolist(), strict=True) if pair < 0]

    @property
    def size(self) -> float:
        """The size of the target by that of the source."""
        return self._fit.size

    def poses(self, keys: Keys) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return n keys of the source as those of the target's m bones; see :meth:`BoneAxes.poses`."""
        level = level_of(self.source)
        assert level is not None  # see `find_other_bones`
        rotations, positions = BoneAxes.of(self.source, Space.of(level)).poses(keys)
        world, heads = RestPose.of(self.source).pose(
            np.asarray(rotations, float), np.asarray(positions, float)
        )
        target, joints = pose_target(self._fit, Motion(matrices_from_quaternions(world), heads))
        local, first = RestPose.of(self.target).local(quaternions(target), joints[:, 0])
        return continuous(local), first


def find_other_bones(armature: Object, bones: int, path: Path) -> OtherBones | None:
    """Return the model that probably has the bones of a file, for a model with another number of bones.

    That is the one that the file or its folder is named after, else the one with most limbs in common; of
    several, one of the same level, and Lara.

    Args:
        bones: of the file.
    """
    words = set(_NAMES.findall(f"{path.parent.name} {path.stem}".lower()))
    own_level, candidates = level_of(armature), []
    for obj in bpy.data.objects:
        if obj.tomb_raider.kind != Kind.MODEL or obj.type != "ARMATURE" or obj == armature:
            continue
        level = level_of(obj) if is_local(obj) else None
        if level is None or len(bones_of(obj)) != bones:
            continue
        pair = OtherBones(obj, armature)
        if pair.matched >= _FEWEST:
            is_named = set(_NAMES.findall(obj.name.lower())) <= words
            rank = (is_named, pair.matched, level == own_level, obj.tomb_raider.model.id == _LARA)
            candidates.append((rank, pair))
    return max(candidates, key=lambda each: each[0])[1] if candidates else None
