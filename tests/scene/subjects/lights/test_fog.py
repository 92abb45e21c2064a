"""Distance and fog bulbs: displayed by the games' numbers if a level enables them, never exported."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Matrix, Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.textures.shader import group_name
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from io_tomb_raider.ui import pending
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, import_anew, import_scene, objects
from .walls import GRAY, gray_wall, make_ambient

_SIZE = 8  # of pictures
_ANGLE = 0.01  # of the camera
_NEARER = 512  # units from an entity's origin to its wall


_SEEN = ("ENTITY", "ROOM", "SPRITE", "PLACEMENT", "SKY")
_NEW = (Game.TR4, Game.TR5)
each_new = pytest.mark.parametrize("game", _NEW, ids=lambda game: game.name)


def look_at(wall: Any, folder: Path, units: float, side: float = 0.0) -> NDArray[np.float64]:
    """Return the rendered center of an object seen from the south, (3,), as a ratio to its texture.

    Args:
        wall: the object.
        folder: for temporary pictures.
        units: distance of its plane, in the file's units.
        side: offset of the camera to the east, in the file's units; it still looks north.
    """
    scene: Any = bpy.context.scene
    camera: Any = bpy.data.objects.get("Camera")
    if camera is None:
        camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        scene.collection.objects.link(camera)
        scene.camera = camera
        camera.rotation_euler.x = np.pi / 2
        scene.render.engine, scene.cycles.samples = "CYCLES", 1
        scene.cycles.use_denoising, scene.render.dither_intensity = False, 0
        scene.render.resolution_x = scene.render.resolution_y = _SIZE
        scene.view_settings.view_transform = "Standard"
        scene.render.image_settings.file_format = "PNG"
    camera.data.clip_end = 1000
    camera.data.angle = _ANGLE
    camera.data.shift_x = -side / units / (2 * np.tan(_ANGLE / 2))
    camera.location = wall.matrix_world.translation + Vector((side, -units, 0)) * UNIT
    pending.work()  # like the timer before drawing
    scene.render.filepath = str(folder / "seen.png")
    bpy.ops.render.render(write_still=True)
    image: Any = bpy.data.images.load(scene.render.filepath)
    seen = np.array(image.pixels[:]).reshape(_SIZE, _SIZE, 4)[2:-2, 2:-2, :3].mean(axis=(0, 1))
    bpy.data.images.remove(image)
    return np.asarray(seen / GRAY)


def wall_alone(root: Collection) -> Any:
    """Return an entity that shows a gray wall, slightly in front of it; all other objects are hidden."""
    obj = objects(root, "ENTITY")[1]
    for other in [each for each in root.all_objects if each.tomb_raider.kind in _SEEN]:
        other.hide_render = other != obj
    for light in objects(root, "LIGHT"):
        if light.data:
            bpy.data.objects.remove(light)
    model = obj.instance_collection
    for part in list(model.objects):
        model.objects.unlink(part)
    mesh = gray_wall(root)
    mesh.transform(Matrix.Translation((0, -_NEARER * UNIT, 0)))
    wall = bpy.data.objects.new("Wall", mesh)
    wall.location = model.instance_offset
    model.objects.link(wall)
    obj.rotation_euler.z = 0
    bpy.context.view_layer.update()
    return obj


def room_alone(root: Collection, obj: Any, light: int) -> Any:
    """Return the room of an entity, now a gray wall at its place, lit by one light; the rest is hidden."""
    room = obj.tomb_raider.entity.room
    for child in room.children:
        child.matrix_parent_inverse = Matrix()
    place = obj.matrix_world.translation.copy()
    room.data = gray_wall(root, prelit=light)
    room.location = place
    room.hide_render, obj.hide_render = False, True
    bpy.context.view_layer.update()
    return room


def fog_of(root: Collection) -> set[str]:
    """Return the labels of the fog nodes in the materials of a level."""
    group: Any = bpy.data.node_groups[group_name(Game[root.tomb_raider.game])]
    return {node.label for node in group.nodes} & {"distance", "fog bulbs"}


# By game: the ambient light and that of a room, then the factors of a texture: before distance applies, and
# 2048 and 4096 units after its start.
_SHADES = {
    Game.TR1: (2000, 194, (1.512, 1.012, 0.512)),
    Game.TR2: (2000, 194, (1.512, 1.012, 0.512)),
    Game.TR3: (2000, 194, (0.798, 0.628, 0.448)),
    Game.TR4: (110, 110, (0.863, 0.529, 0.196)),
    Game.TR5: (110, 110, (0.863, 0.529, 0.196)),
}


@each_game
def test_distant_objects_get_dark(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    level = root.tomb_raider.level
    assert not fog_of(root)
    level.shows_distance = True
    assert (level.distance_start, level.distance_end) == (12288, 24576 if game in _NEW else 20480)
    level.shows_fog_bulbs = True
    found, report = export_level(root)
    assert found.to_bytes() == data and not report.warnings
    level.shows_fog_bulbs = False
    ambient, light, expected = _SHADES[game]
    obj = wall_alone(root)
    make_ambient(game, obj.tomb_raider.entity.room, ambient)
    # By the origin of the mesh in TR1 and TR2.
    before = 0 if game in (Game.TR1, Game.TR2) else _NEARER
    depths = (11000, 12288 + 2048, 12288 + 4096)
    wanted = pytest.approx(np.repeat(expected, 3).reshape(3, 3), rel=0.05)
    seen = [look_at(obj, tmp_path, depth + before) for depth in depths]
    assert np.array(seen) == wanted
    # By depth, not by distance.
    aside = look_at(obj, tmp_path, depths[1] + before, side=0.75 * depths[1])
    assert aside == pytest.approx(seen[1], rel=0.02)
    room = room_alone(root, obj, light)
    seen = [look_at(room, tmp_path, depth) for depth in depths]
    assert np.array(seen) == wanted
    level.distance_start = 10000
    level.distance_end = 10001
    assert look_at(room, tmp_path, 11000) == pytest.approx(0, abs=0.01)
    level.shows_distance = False
    assert look_at(room, tmp_path, depths[2]) == pytest.approx(expected[0], rel=0.05)
    assert not fog_of(root)


@each_new
def test_distant_objects_fade_to_the_fog_color(blender: ModuleType, game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    level = root.tomb_raider.level
    room = room_alone(root, wall_alone(root), 128)
    level.shows_distance = level.fades_to_color = True
    level.fog_color = (1, 0.2, 0)
    level.distance_start, level.distance_end = 12288, 16384
    seen = look_at(room, tmp_path, 13312) * GRAY
    assert seen == pytest.approx(0.75 * GRAY + 0.25 * np.array((1, 0.2, 0)), rel=0.05)


def bulb_before(root: Collection, room: Any, units: float, radius: float) -> Any:
    """Return the only fog bulb of a level, at a distance to the south of a room's middle."""
    bulb, *others = [each for each in objects(root, "LIGHT") if each.tomb_raider.light.type == 4]
    for other in others:
        bpy.data.objects.remove(other)
    bulb.parent = room
    bulb.matrix_parent_inverse = Matrix()
    bulb.location = (0, -units * UNIT, 0)
    bulb.tomb_raider.light.outer = radius
    bpy.context.view_layer.update()
    return bulb


def test_fog_bulbs_of_tr4_fade_objects_behind_them(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    room = room_alone(root, wall_alone(root), 128)
    bulb = bulb_before(root, room, 2000, 1000)
    bulb.tomb_raider.light.color = (0.6, 0, 0)
    level = root.tomb_raider.level
    level.shows_fog_bulbs, level.fog_color = True, (0.8, 0.4, 0.2)
    bpy.context.view_layer.update()

    def faded(part: float) -> Any:
        return pytest.approx((1 - part) * GRAY + part * np.array((0.8, 0.4, 0.2)), rel=0.05)

    assert look_at(room, tmp_path, 5000) * GRAY == faded(0.6)
    # 500 units from its middle: a quarter less.
    bulb.location.x += 500 * UNIT
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 5000) * GRAY == faded(0.6 * 0.75)
    bulb.tomb_raider.light.color = (1, 0, 0)
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 5000) * GRAY == faded(0.75)
    bulb.tomb_raider.light.outer = 707.1
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 5000) * GRAY == faded(0.5)
    # Objects in front of it do not fade.
    bulb.location.y += 4000 * UNIT
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 5000) * GRAY == faded(0)


def test_bulbs_of_tr5_add_their_color_and_take_light(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    room = room_alone(root, wall_alone(root), 64)
    bulb = bulb_before(root, room, 2000, 1000)
    light = bulb.tomb_raider.light
    light.color, light.density = (0.5, 0.25, 0), 61440.0  # 24.2 units of which absorb 1/255
    root.tomb_raider.level.shows_fog_bulbs = True
    bpy.context.view_layer.update()

    def lit(distance: float) -> Any:
        taken = distance / 24.2 / 255
        rest = max(2 * 64 / 255 - taken, 0) * GRAY
        return pytest.approx(rest + taken * np.array((0.5, 0.25, 0)), rel=0.05, abs=0.004)

    assert look_at(room, tmp_path, 5000) * GRAY == lit(2000)
    # The wall is inside; so is the viewer.
    bulb.location.y += 2000 * UNIT
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 5000) * GRAY == lit(1000)
    assert look_at(room, tmp_path, 400) * GRAY == lit(400)
    # A copy is included, a deleted one is not; the same applies to levels.
    copy = bulb.copy()
    bulb.users_collection[0].objects.link(copy)
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 400) * GRAY == lit(800)
    bpy.data.objects.remove(bulb)
    bpy.context.view_layer.update()
    assert look_at(room, tmp_path, 400) * GRAY == lit(400)
    other = import_anew(sample_bytes(Game.TR5))
    assert fog_of(other) == {"fog bulbs"}
    delete_level(root)
    assert not fog_of(other)
