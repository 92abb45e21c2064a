"""A temporary scene with a copy of a model's armature that plays actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from .....formats.base import Floats
from ....core.blender import compat
from ....core.blender.cleanup import discard
from .action_curves import ActionKeys
from .constraints import ArrayPoses


@contextmanager
def isolated_copy(armature: Object) -> Iterator[tuple[Scene, Object]]:
    """Make a copy of an armature in a temporary scene, moved by its action only; remove both at the end."""
    scene = bpy.data.scenes.new("Stage")
    copy: Any = armature.copy()
    bones: Any = copy.data.copy()
    try:
        copy.data, bones.pose_position, copy.hide_viewport = bones, "POSE", False
        # Blender evaluates all data-blocks that properties refer to: animations lead to each other, to sounds
        # and models.
        copy.tomb_raider.model.animations.clear()
        copy.tomb_raider.actor.model = None
        for bone in copy.pose.bones:
            bone.custom_shape = None
        scene.collection.objects.link(copy)
        data = copy.animation_data_create()
        if data.use_tweak_mode:
            data.use_tweak_mode = False
        data.use_nla, data.action_influence, data.action_blend_type = False, 1.0, "REPLACE"
        yield scene, copy
    finally:
        discard(bpy.data.scenes, [scene])
        discard(bpy.data.objects, [copy])
        discard(bpy.data.armatures, [bones])


@contextmanager
def played(copy: Any, action: Action, armature: Object) -> Iterator[None]:
    """Have the copy of an armature play an action.

    It plays a copy of the action that refers to no other data-blocks, see :func:`isolated_copy`.
    """
    alone: Any = action.copy()
    alone.property_unset("tomb_raider")
    try:
        compat.assign_as(copy, alone, armature, source=action)
        yield
    finally:
        copy.animation_data.action = None
        discard(bpy.data.actions, [alone])


@dataclass(frozen=True, eq=False)
class Player:
    """Poses of a copied armature in actions, valid within :func:`isolated_copy`."""

    scene: Scene
    copy: Object
    armature: Object  #: the object whose curves of the actions count.
    reset: Callable[[], None]  #: resets what other actions have left in the copy.
    _arrays: dict[tuple[str, ...], ArrayPoses | None] = field(default_factory=dict)

    def poses(
        self, names: Sequence[str], actions: Sequence[tuple[ActionKeys, Floats]]
    ) -> list[tuple[Floats, Floats]]:
        """Return what each action and the constraints of the copy do to m bones at n times.

        Returns:
            For each action, matrices (n, m, 4, 4) and quaternions (n, m, 4) in the space of the armature.
        """
        bones = tuple(names)
        if bones not in self._arrays:
            self.reset()
            self._arrays[bones] = ArrayPoses.of(self.copy, bones)
        arrays = self._arrays[bones]
        result = []
        for (keys, times), known in zip(
            actions, [None] * len(actions) if arrays is None else arrays.poses(actions), strict=True
        ):
            poses = known
            if poses is None:
                self.reset()
                with played(self.copy, keys.action, self.armature):
                    poses = evaluated_bones(self.scene, self.copy, names, times)
            result.append(poses)
        return result


def evaluated_bones(
    scene: Scene, copy: Object, names: Sequence[str], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what Blender does to bones of a copied armature, as :meth:`Player.poses` does."""
    matrices = np.empty((len(times), len(names), 4, 4))
    turns = np.empty((len(times), len(names), 4))
    for row, time in enumerate(times.tolist()):  # Blender evaluates one frame at a time
        scene.frame_set(int(time // 1), subframe=time % 1)
        graph: Any = scene.view_layers[0].depsgraph
        evaluated: Any = copy.evaluated_get(graph)
        bone_matrices = [evaluated.pose.bones[name].matrix for name in names]
        matrices[row] = bone_matrices
        turns[row] = [matrix.to_quaternion()[:] for matrix in bone_matrices]
    return matrices, turns
