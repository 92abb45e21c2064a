"""Lighting of objects in rooms as in the games, in rendered pixels, directly after every edit."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection, Object
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.lights.object_lighting import LitLevel
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, import_scene, objects
from .walls import GRAY, gray_wall, make_ambient

_SIZE = 8
_FAR = 2048  # units: distance of the light


def rendered_color(root: Collection, obj: Object, folder: Path) -> NDArray[np.float64]:
    """Return what is seen of an object from its front, (3,), screen values by those of the texture."""
    scene: Any = bpy.context.scene
    camera = bpy.data.objects.get("Camera")
    if camera is None:
        camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(camera)
        data: Any = camera.data
        data.type, data.ortho_scale = "ORTHO", 0.5
        data.clip_start = 0.01
        scene.camera = camera
        camera.rotation_euler.x = np.pi / 2
        scene.render.engine, scene.cycles.samples = "CYCLES", 1
        scene.cycles.use_denoising, scene.render.dither_intensity = False, 0
        scene.render.resolution_x = scene.render.resolution_y = _SIZE
        scene.view_settings.view_transform = "Standard"
        scene.render.image_settings.file_format = "PNG"
    camera.location = obj.matrix_world.translation + Vector((0, -0.3, 0))
    scene.render.filepath = str(folder / "seen.png")
    bpy.ops.render.render(write_still=True)
    image: Any = bpy.data.images.load(scene.render.filepath)
    seen = np.array(image.pixels[:]).reshape(_SIZE, _SIZE, 4)[2:-2, 2:-2, :3].mean(axis=(0, 1))
    bpy.data.images.remove(image)
    return np.asarray(seen / GRAY)


def stand_in(root: Collection) -> Any:
    """Return the enemy of the hall as a gray wall, facing south, with one point light in front."""
    obj = objects(root, "ENTITY")[1]
    model = obj.instance_collection
    armature = model.tomb_raider.model
    armature.tomb_raider.model.middle = (0, 0, 0)
    for part in list(model.objects):
        model.objects.unlink(part)
    wall = bpy.data.objects.new("Wall", gray_wall(root))
    wall.location = model.instance_offset
    model.objects.link(wall)
    obj.rotation_euler.z = 0
    lights = objects(root, "LIGHT")
    light = next(each for each in lights if each.data and each.data.type == "POINT")
    for other in lights:
        if other != light:
            bpy.data.objects.remove(other)
    room = obj.tomb_raider.entity.room
    light.parent = room
    return obj, room, light


def put_light(room: Any, light: Any, obj: Any, way: tuple[float, float, float]) -> None:
    light.location = obj.location - room.location + Vector(way) * _FAR * UNIT
    bpy.context.view_layer.update()


# By game: the ambient light of a dark and of a bright room, the values of the light, and the factors of a
# texture in the dark, next to the light, at right angles to it, and in the bright room.
_OLD = (6000, 2000, {"intensity": 4096, "falloff": 2048}, (0.535, 1.035, 0.785, 1.512))
_NUMBERS: dict[Game, tuple[int, int, dict[str, Any], tuple[Any, ...]]] = {
    Game.TR1: _OLD,
    Game.TR2: _OLD,
    Game.TR3: (
        6000,
        2000,
        {"intensity": 4096, "falloff": 1024, "color": (1, 128 / 255, 64 / 255)},
        (0.333, (0.635, 0.522, 0.459), 0.4, 0.796),
    ),
    Game.TR4: (
        32,
        110,
        {"intensity": 2048, "outer": 4096.0, "color": (1, 1, 1)},
        (0.25, 0.75, 0.25, 0.859),
    ),
    Game.TR5: (32, 110, {"outer": 4096.0, "color": (0.5, 0.5, 0.5)}, (0.25, 0.748, 0.374, 0.859)),
}


@each_game
def test_a_model_is_as_bright_as_its_room_and_light_make_it(
    blender: ModuleType, game: Game, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(game))
    dark, bright, values, expected = _NUMBERS[game]
    obj, room, light = stand_in(root)
    for name, value in values.items():
        setattr(light.tomb_raider.light, name, value)
    found = []
    make_ambient(game, room, dark)
    for way in ((0, 20, 0), (0, -1, 0), (0, 0, 1)):  # behind it and out of reach; ahead; above
        put_light(room, light, obj, way)
        found.append(rendered_color(root, obj, tmp_path))
    put_light(room, light, obj, (0, 20, 0))
    make_ambient(game, room, bright)
    found.append(rendered_color(root, obj, tmp_path))
    for seen, wanted in zip(found, expected, strict=True):
        assert seen == pytest.approx(np.broadcast_to(wanted, 3), rel=0.05)


# By game: ambient light, values of a sun in front, and the resulting factor of a texture.
_SUNS: dict[Game, tuple[int, dict[str, Any], Any]] = {
    Game.TR3: (
        7000,
        {"type": 1, "color": (200 / 255, 180 / 255, 160 / 255), "direction": (0, 0, -4096)},
        (0.941, 0.875, 0.808),
    ),
    Game.TR4: (32, {"type": 0, "intensity": round(101 / 255 * 8191), "direction": (0, 0, -1)}, 0.839),
    Game.TR5: (32, {"type": 0, "color": (101 / 255,) * 3, "direction": (0, 0, 1)}, 0.839),
}


@pytest.mark.parametrize("game", list(_SUNS))
def test_suns_light_faces_by_their_direction(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    ambient, values, expected = _SUNS[game]
    obj, room, light = stand_in(root)
    light.tomb_raider.light.color = (1, 1, 1)
    for name, value in values.items():
        setattr(light.tomb_raider.light, name, value)
    make_ambient(game, room, ambient)
    put_light(room, light, obj, (3, 2, 1))  # wherever it stands
    assert rendered_color(root, obj, tmp_path) == pytest.approx(np.broadcast_to(expected, 3), rel=0.05)


# By game: a value of the object, and the resulting factor of half bright vertices; the part that water keeps.
_TINT = 16 | 16 << 5 | 16 << 10
_VALUES: dict[Game, tuple[int, float, tuple[float, float, float]]] = {
    Game.TR1: (6000, 0.539, (2 / 3, 2 / 3, 1)),
    Game.TR2: (6000, 0.539, (1 / 2, 7 / 8, 1)),
    Game.TR3: (_TINT, 0.316, (1 / 2, 7 / 8, 1)),
    Game.TR4: (_TINT, 0.502, (1, 1, 1)),
    Game.TR5: (_TINT, 0.502, (1, 1, 1)),
}


@each_game
def test_values_of_their_own_and_water_count(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    value, factor, water = _VALUES[game]
    obj, room, _ = stand_in(root)
    wall = next(iter(obj.instance_collection.objects))
    wall.data = gray_wall(root, prelit=128)
    obj.tomb_raider.entity.intensity = value
    bpy.context.view_layer.update()
    assert rendered_color(root, obj, tmp_path) == pytest.approx([factor] * 3, rel=0.05)
    room.tomb_raider.room.has_water = True
    bpy.context.view_layer.update()
    assert rendered_color(root, obj, tmp_path) == pytest.approx(np.array(water) * factor, rel=0.05)


def test_static_meshes_have_the_tint_that_is_exported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = next(each for each in objects(root, "PLACEMENT") if each.data is not None)
    for number in range(32):
        for part in (number / 31, min(number + 0.4, 31) / 31, max(number - 0.4, 0) / 31):
            obj.tomb_raider.placement.color = (part, part, part)
            LitLevel(root).light(obj)
            assert obj.tomb_raider.lit.ambient[:3] == pytest.approx([8 * number / 255] * 3)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3])
def test_sprites_are_as_bright_as_their_vertices(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    sprite: Any = objects(root, "SPRITE")[0]
    room: Any = sprite.parent
    sprite.data = gray_wall(root, prelit=128)
    sprite.rotation_euler = (0, 0, 0)
    for shade in (64, 160):
        color = room.data.color_attributes["Color"].data[sprite.tomb_raider.sprite.vertex]
        color.color_srgb = (shade / 255, shade / 255, shade / 255, 1)
        room.data.update()
        room.update_tag()
        bpy.context.view_layer.update()
        part = shade / 255
        wanted = min(2 * part, 1 / GRAY) if game < Game.TR3 else part ** (2.5 / 3)
        assert rendered_color(root, sprite, tmp_path) == pytest.approx([wanted] * 3, rel=0.05)
