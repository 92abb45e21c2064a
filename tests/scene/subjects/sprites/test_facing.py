"""Sprites face the camera in the view; exports are not affected."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats import Game, read_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import import_scene, objects


def axes_of(obj: Any) -> Any:
    """Return the evaluated axes of a sprite, right, up and to the eye, as the columns of a matrix."""
    bpy.context.view_layer.update()
    drawn = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    corners = [drawn.matrix_world @ vertex.co for vertex in drawn.data.vertices]
    right, up = ((corners[each] - corners[0]).normalized() for each in (1, 3))
    return np.array([right, up, right.cross(up)]).T


def test_sprites_facing_the_camera_are_exported_unchanged(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    pictures = [each for each in objects(root, "ENTITY") if each.type == "MESH"]
    sprites = [*objects(root, "SPRITE"), *pictures]
    assert pictures and len(sprites) > len(pictures)
    before = [axes_of(each) for each in sprites]
    root.tomb_raider.level.sprites_face_camera = True
    # The scene has no camera yet.
    assert np.allclose([axes_of(each) for each in sprites], before, atol=1e-5)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    for turn in ((1.2, 0.1, 2.0), (0.2, 0.0, -1.0)):
        camera.rotation_euler = turn
        for sprite in sprites:
            assert np.allclose(axes_of(sprite), np.array(camera.matrix_world.to_3x3()), atol=1e-5)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings
    # A new sprite turns, too, and keeps its position.
    new = bpy.data.objects.new("New", sprites[0].data)
    new.matrix_world = sprites[0].matrix_world
    sprites[0].users_collection[0].objects.link(new)
    found = export_level(root)[0]
    assert np.allclose(axes_of(new), np.array(camera.matrix_world.to_3x3()), atol=1e-5)
    counts = [sum(len(room.sprites) for room in each.rooms) for each in (read_level(data), found)]
    assert counts[1] == counts[0] + 1
    root.tomb_raider.level.sprites_face_camera = False
    assert np.allclose([axes_of(each) for each in sprites], before, atol=1e-5)
    assert not any(each.modifiers for each in (*sprites, new))
