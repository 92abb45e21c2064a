"""A temporary scene with a copy of a model's armature that plays actions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import bpy
from bpy.types import Object, Scene


@contextmanager
def isolated_copy(armature: Object) -> Iterator[tuple[Scene, Object]]:
    """Make a copy of an armature in a temporary scene, moved by its action only; remove both at the end."""
    scene = bpy.data.scenes.new("Stage")
    copy: Any = armature.copy()
    bones: Any = copy.data.copy()
    try:
        copy.data, bones.pose_position, copy.hide_viewport = bones, "POSE", False
        scene.collection.objects.link(copy)
        data = copy.animation_data_create()
        if data.use_tweak_mode:
            data.use_tweak_mode = False
        data.use_nla, data.action_influence, data.action_blend_type = False, 1.0, "REPLACE"
        yield scene, copy
    finally:
        bpy.data.objects.remove(copy)
        bpy.data.armatures.remove(bones)
        bpy.data.scenes.remove(scene)
