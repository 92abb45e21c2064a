"""A temporary scene with a copy of a model's armature that plays actions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from ....core.blender import compat
from ....core.blender.cleanup import discard


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


def evaluated_bones(
    scene: Scene, copy: Object, names: Sequence[str], times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what the action and the constraints of a copied armature do to bones.

    Returns:
        Matrices (n, m, 4, 4) and quaternions (n, m, 4) in the space of the armature.
    """
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
