"""The horizon is drawn around the camera if a room shows the sky, and is not exported."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.level_visibility import is_shown
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level

from ...scenes import export_scene, import_scene, objects, room_object


def seen_places(sky: Any) -> NDArray[np.float64]:
    """Return the world positions of the evaluated vertices of the sky."""
    bpy.context.view_layer.update()
    sky.hide_viewport = False
    bpy.context.view_layer.layer_collection.children[0].children["Sky"].hide_viewport = False
    drawn = sky.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([drawn.matrix_world @ vertex.co for vertex in drawn.data.vertices])


@each_game
def test_a_level_with_a_horizon_has_a_sky_that_no_export_reads(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    layer: Any = bpy.context.view_layer
    skies = objects(root, "SKY")
    assert len(skies) == (game is not Game.TR1)
    for sky in skies:
        assert not sky.hide_render
        assert not is_shown(root, layer, "SKY")
        sky.location.x += 1
        sky.scale *= 2
    assert export_scene(root).to_bytes() == data


def test_the_sky_stands_around_the_camera_behind_all_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    sky = objects(root, "SKY")[0]
    rooms = [obj.matrix_world @ vertex.co for obj in objects(root, "ROOM") for vertex in obj.data.vertices]
    shape = np.array([vertex.co for vertex in sky.data.vertices], np.float64)
    for place in (rooms[0], rooms[-1]):
        camera.location = place
        ways = seen_places(sky) - np.array(place)
        # The angular size is that of the mesh seen from its origin.
        size = np.linalg.norm(ways[0]) / np.linalg.norm(shape[0])
        assert np.allclose(ways, shape * size, atol=1e-3 * size)
        assert np.abs(ways).max() > max((corner - place).length for corner in rooms)


def test_the_sky_follows_the_model_and_the_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    sky = objects(root, "SKY")[0]
    model = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 459)
    assert sky.data in [part.data for part in model.children]
    for number in range(len(objects(root, "ROOM"))):
        room_object(root, number).tomb_raider.room.shows_sky = False
    bpy.context.view_layer.update()
    assert sky.hide_render
    room_object(root, 1).tomb_raider.room.shows_sky = True
    bpy.context.view_layer.update()
    assert not sky.hide_render


def test_the_sky_is_turned_as_its_first_frame_in_tr2(blender: ModuleType) -> None:
    level = sample_level(Game.TR2)
    model = level.models[level.models["id"] == 254][0]
    words = level.frames.copy()
    start = int(level.animations["frame_offset"][model["animation"]]) // 2
    # After box and offset: a quarter turn about x alone.
    assert len(words) == start + 10
    words[start + 9] = 0x4000 | 0x100
    level.frames = words
    sky = objects(import_scene(level.to_bytes()), "SKY")[0]
    turned = sky.rotation_euler
    assert (round(abs(turned.x), 3), turned.y, turned.z) == pytest.approx((1.571, 0, 0), abs=1e-3)
