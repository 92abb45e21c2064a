"""Removal of temporary data-blocks, and of everything a failed import has created."""

from __future__ import annotations

from types import ModuleType

import bpy
import pytest

from io_tomb_raider.scene.core.blender.cleanup import discard, undone_on_failure


def test_discarding_a_scene_does_not_change_its_objects(blender: ModuleType) -> None:
    obj = bpy.data.objects.new("Thing", bpy.data.armatures.new("Thing"))
    home = bpy.data.collections.new("Home")
    home.objects.link(obj)
    before = obj.users, len(bpy.data.scenes)
    scene = bpy.data.scenes.new("Moment")
    scene.collection.objects.link(obj)
    scene.view_layers[0].update()
    with bpy.context.temp_override(window=None):  # as in timers
        discard(bpy.data.scenes, [scene])
    assert (obj.users, len(bpy.data.scenes)) == before
    assert obj.users_collection == (home,) and obj.users_scene == ()


def test_only_data_blocks_created_before_an_error_are_removed(blender: ModuleType) -> None:
    kept = bpy.data.meshes.new("Kept")
    with pytest.raises(KeyError), undone_on_failure():
        bpy.data.objects.new("Gone", bpy.data.meshes.new("Gone"))
        raise KeyError
    assert list(bpy.data.meshes) == [kept] and not len(bpy.data.objects)
