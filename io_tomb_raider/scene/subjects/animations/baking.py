"""Poses evaluated by Blender, for armatures with constraints, inverse kinematics or drivers.

They are evaluated on a copy of the armature in a temporary scene, so that the user's scene and poses without
keys are not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ....formats.animations.rotations import matrices_from_quaternions
from ...core import compat
from ...core.report import Report
from ...core.space import Space, direction_to_file
from ..models.poses import multiply
from ..models.read import Rig
from .stage import isolated_copy

_MAX_OFFSET = 1.0  # units
_MAX_SCALING = 1e-2
_UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def constrained_bones(armature: Object) -> list[str]:
    """Return the names of bones with constraints or drivers."""
    paths = _driven_paths(armature)
    return [
        bone.name
        for bone in armature.pose.bones
        if any(not constraint.mute for constraint in bone.constraints)
        or any(path.startswith(f"{bone.path_from_id()}.") for path in paths)
    ]


def _driven_paths(armature: Object) -> list[str]:
    data = armature.animation_data
    return [] if data is None else [curve.data_path for curve in data.drivers if not curve.mute]


@dataclass(frozen=True, eq=False)
class Baker:
    """Evaluator of a model's actions, valid within :func:`baking`.

    Attributes:
        rig: the model.
        scene: the temporary scene, with the copy as its only object.
        copy: the copy of the model's armature.
        space: the level's space.
    """

    rig: Rig
    scene: Scene
    copy: Object
    space: Space
    _warned: set[str] = field(default_factory=set)

    def poses(
        self, action: Action, times: NDArray[np.float64], report: Report
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the pose of the m bones at n times, as :meth:`.curves.ActionCurves.poses` does.

        Args:
            action: an action of the model.
            times: (n,), frames.
            report: receives warnings of effects of constraints that no game supports.
        """
        for bone in self.copy.pose.bones:
            _rest(bone)
        compat.assign_as(self.copy, action, self.rig.armature)
        matrices = np.empty((len(times), len(self.rig.names), 4, 4))
        turns = np.empty((len(times), len(self.rig.names), 4))
        for row, time in enumerate(times.tolist()):  # Blender evaluates one frame at a time
            self.scene.frame_set(int(time // 1), subframe=time % 1)
            graph: Any = self.scene.view_layers[0].depsgraph
            shown: Any = self.copy.evaluated_get(graph)
            found = [shown.pose.bones[name].matrix for name in self.rig.names]
            matrices[row] = found
            turns[row] = [matrix.to_quaternion()[:] for matrix in found]
        return self._local(turns, matrices, action.name, report)

    def _local(
        self, turns: NDArray[np.float64], matrices: NDArray[np.float64], subject: str, report: Report
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Convert poses in the armature's space to rotations relative to the parents, in the bones' axes."""
        bones = self.copy.data.bones
        rests = np.array([bones[name].matrix_local.to_quaternion()[:] for name in self.rig.names])
        heads = np.array([bones[name].head_local[:] for name in self.rig.names])
        conjugate = np.array([1.0, -1.0, -1.0, -1.0])
        whole = multiply(turns, np.broadcast_to(rests * conjugate, turns.shape))
        parents, places = self.rig.tree.parents, matrices[..., :3, 3]
        children = np.flatnonzero(parents >= 0)
        above = parents[children]
        local = whole.copy()
        local[:, children] = multiply(whole[:, above] * conjugate, whole[:, children])
        arms = np.einsum(
            "nbij,bj->nbi", matrices_from_quaternions(whole[:, above]), heads[children] - heads[above]
        )
        off = np.abs(places[:, above] + arms - places[:, children]).max(axis=(0, 2), initial=0)
        sizes = np.abs(np.linalg.norm(matrices[..., :3, :3], axis=-2) - 1).max(axis=(0, 2), initial=0)
        self._warn(children[off > _MAX_OFFSET * self.space.scale], "move", subject, report)
        self._warn(np.flatnonzero(sizes > _MAX_SCALING), "change the size of", subject, report)
        frames = self.rig.frames
        local[..., 1:] = np.einsum("bij,nbj->nbi", frames, direction_to_file(local[..., 1:]))
        return local, direction_to_file(places[:, 0] - heads[0]) @ frames[0].T

    def _warn(self, numbers: NDArray[np.int64], what: str, subject: str, report: Report) -> None:
        for number in numbers.tolist():
            text = f"constraints or drivers {what} the bone {self.rig.names[number]}"
            if text not in self._warned:
                report.warn(subject, f"{text}, which the game's animations cannot; it is not written")
                self._warned.add(text)


def _rest(bone: Any) -> None:
    """Reset a bone to its rest pose, which applies where an action has no keys."""
    bone.location, bone.scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    bone.rotation_quaternion, bone.rotation_euler = _UPRIGHT, (0.0, 0.0, 0.0)
    bone.rotation_axis_angle = (0.0, 0.0, 1.0, 0.0)


@contextmanager
def baking(rig: Rig, space: Space) -> Iterator[Baker]:
    """Make a copy of a model's armature that evaluates its actions, and remove it at the end."""
    with isolated_copy(rig.armature) as (scene, copy):
        _retarget(copy, rig.armature)
        yield Baker(rig, scene, copy, space)


def _retarget(copy: Object, armature: Object) -> None:
    """Retarget constraints and drivers of a copied armature from the original to the copy."""
    for bone in copy.pose.bones:
        for constraint in bone.constraints:
            holders = [constraint, *getattr(constraint, "targets", ())]
            for holder in holders:
                for name in ("target", "pole_target"):
                    if getattr(holder, name, None) == armature:
                        setattr(holder, name, copy)
    data = copy.animation_data
    for curve in data.drivers if data is not None else ():
        for variable in curve.driver.variables if curve.driver is not None else ():
            for target in variable.targets:
                if target.id == armature:
                    target.id = copy
