"""Cloud layers are above the camera, behind all else, and slide like the game's."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.interop.game_files.script_entry import write_script_entry
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from tests.sample_levels import sample_bytes

from ...scenes import export_scene, import_scene, objects, room_object

WIDTHS = {Game.TR4: 11264, Game.TR5: 9728}
each_game_with_clouds = pytest.mark.parametrize("game", WIDTHS)
HEIGHT = 1536


def _layers(root: Collection) -> list[Any]:
    return [obj for obj in objects(root, "SKY") if obj.name.startswith("Sky Layer")]


@pytest.fixture
def camera(blender: ModuleType) -> Iterator[Any]:
    made: Any = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    bpy.context.scene.collection.objects.link(made)
    bpy.context.scene.camera = made
    yield made


def _seen(layer: Any, frame: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return world positions, (n, 3), and UVs, (n, 2), of the corners of a layer's faces."""
    home: Any = bpy.context.view_layer.layer_collection.children[0].children["Sky"]
    home.hide_viewport = False
    bpy.context.scene.frame_set(frame)
    drawn = layer.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = drawn.data
    places = [drawn.matrix_world @ mesh.vertices[loop.vertex_index].co for loop in mesh.loops]
    return np.array(places), np.array([each.uv[:] for each in mesh.uv_layers.active.data])


def _on_sheet(ways: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """Return where rays from the camera meet the sheet: x to the right, y ahead, in units."""
    return ways[:, :2] / ways[:, 2:] * HEIGHT


@each_game_with_clouds
def test_clouds_are_seen_where_the_game_draws_its_sheet(camera: Any, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    settings = root.tomb_raider.level.sky_layer2
    settings.speed, settings.shown = 7, True
    (layer,) = _layers(root)
    assert not layer.hide_render
    corners = [
        each.matrix_world @ vertex.co for each in objects(root, "ROOM") for vertex in each.data.vertices
    ]
    scale, width = Space(root.tomb_raider.scale).scale, WIDTHS[game]
    for frame, slid in ((0, 0), (10, 70), (5000, 35000 % width)):
        camera.location = corners[frame % len(corners)]
        places, uvs = _seen(layer, frame)
        ways = places - np.array(camera.location)
        assert np.linalg.norm(ways, axis=1).min() > max(
            (corner - camera.location).length for corner in corners
        )
        sheet = _on_sheet(ways, scale)
        assert sheet[:, 0].min() == pytest.approx(slid - 1.5 * width, abs=4)
        assert sheet[:, 0].max() == pytest.approx(slid + 0.5 * width, abs=4)
        assert np.abs(sheet[:, 1]).max() == pytest.approx(4864, abs=4)
        # The left of the page is on the left of each tile, and its upper edge ahead.
        right = (sheet[:, 0] - slid) / width + 1.5
        assert np.allclose((right - uvs[:, 0]) % 1 % 0.999, 0, atol=2e-3)
        assert np.allclose(sheet[:, 1] / 9728 + 0.5, uvs[:, 1], atol=2e-3)


def test_the_first_layer_turns_both_and_is_behind_the_second(camera: Any) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    level = root.tomb_raider.level
    level.sky_layer2.shown = True
    (alone,) = _layers(root)
    before, _ = _seen(alone, 0)
    level.sky_layer1.shown = True
    first, second = sorted(_layers(root), key=lambda each: str(each.name))
    ways = [_seen(each, 0)[0] - np.array(camera.location) for each in (first, second)]
    assert np.allclose(ways[1][:, :2], -(before - np.array(camera.location))[:, :2], atol=1e-2)
    assert np.linalg.norm(ways[0], axis=1).min() > np.linalg.norm(ways[1], axis=1).max()
    horizon = next(each for each in objects(root, "SKY") if each.name == "Sky")
    drawn = horizon.evaluated_get(bpy.context.evaluated_depsgraph_get())
    far = max((drawn.matrix_world @ each.co - camera.location).length for each in drawn.data.vertices)
    assert np.linalg.norm(ways[1], axis=1).min() > far


@each_game_with_clouds
def test_clouds_are_not_exported_and_removed_completely(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    known = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "materials")}
    level = root.tomb_raider.level
    level.sky_layer1.shown = level.sky_layer2.shown = True
    assert len(_layers(root)) == 2
    assert export_scene(root).to_bytes() == data
    level.sky_layer1.shown = level.sky_layer2.shown = False
    assert {kind: len(getattr(bpy.data, kind)) for kind in known} == known
    level.sky_layer1.shown = True
    delete_level(root)
    assert not bpy.data.objects and not bpy.data.meshes and not bpy.data.materials


def test_clouds_and_horizon_are_shown_by_settings_of_level_and_rooms(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    level = root.tomb_raider.level
    level.sky_layer1.shown, level.sky_layer1.speed, level.sky_layer1.color = True, -3, (1, 0, 128 / 255)
    level.shows_horizon = False
    hidden = {obj.name: obj.hide_render for obj in objects(root, "SKY")}
    assert hidden == {"Sky": True, "Sky Layer 1": False}
    text = write_script_entry(root, "Home", "HOME.TR4", 5, Report()).as_string()
    assert "Layer1= 255, 0, 128, -3\n" in text and "Horizon" not in text and "Layer2" not in text
    for number in range(len(objects(root, "ROOM"))):
        room_object(root, number).tomb_raider.room.shows_sky = False
    bpy.context.view_layer.update()
    assert all(obj.hide_render for obj in objects(root, "SKY"))


@pytest.mark.parametrize("lost", ["horizon", "page"])
def test_clouds_need_a_horizon_and_a_page(blender: ModuleType, lost: str) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    if lost == "horizon":
        for obj in objects(root, "SKY"):
            bpy.data.objects.remove(obj)
    else:
        for image in [each.image for each in root.tomb_raider.images if each.kind == "MISC"]:
            bpy.data.images.remove(image)
    root.tomb_raider.level.sky_layer1.shown = True
    assert _layers(root) == []


def test_levels_of_other_games_have_no_clouds(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    root.tomb_raider.level.sky_layer1.shown = True
    assert _layers(root) == []
