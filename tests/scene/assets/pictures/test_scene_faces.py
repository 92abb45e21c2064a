"""Previews of assets: what the scene shows, with the pixels of pictures that are drawn from files."""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.assets.assets import Asset, assets_of
from io_tomb_raider.scene.assets.pictures.pieces import PiecePictures
from io_tomb_raider.scene.assets.previews import SIZE, draw_previews
from io_tomb_raider.scene.core.reporting.progress import finish
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level
from tests.sample_levels.models import model_id
from tests.scene.scenes import import_scene

Picture = NDArray[np.float32]
RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def drawn(asset: Asset) -> Picture | None:
    """Return the preview of an asset, (SIZE, SIZE, 4) top row first, or None if it gets none."""
    if not finish(draw_previews([asset])):
        return None
    block: Any = asset.block
    pixels = np.empty(SIZE * SIZE * 4, np.float32)
    block.preview.image_pixels_float.foreach_get(pixels)
    return pixels.reshape(SIZE, SIZE, 4)[::-1]


def picture(asset: Asset) -> Picture:
    result = drawn(asset)
    assert result is not None
    return result


def square(material: Any, kind: str = "SPRITES") -> Asset:
    """Return an asset that is a square with a material: as a sprite, seen from the south."""
    mesh = bpy.data.meshes.new("Square")
    mesh.from_pydata([(-1, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)], [], [(0, 1, 2, 3)])
    mesh.uv_layers.new(name="UVMap").uv.foreach_set("vector", [0, 0, 1, 0, 1, 1, 0, 1])
    mesh.materials.append(material)
    obj = bpy.data.objects.new("Square", mesh)
    return Asset(kind, 0, "Square", obj, obj)


def image(*colors: tuple[float, float, float], alpha: float = 1.0) -> Any:
    """Return an image of columns of one color each."""
    result = bpy.data.images.new("Columns", len(colors), 1, alpha=True)
    result.pixels.foreach_set([value for each in colors for value in (*each, alpha)])
    return result


def user_material(shown: Any = None, color: tuple[float, float, float] = RED) -> Any:
    material: Any = bpy.data.materials.new("Mine")
    if material.node_tree is None:
        material.use_nodes = True
    surface = next(each for each in material.node_tree.nodes if each.bl_idname == "ShaderNodeBsdfPrincipled")
    surface.inputs["Base Color"].default_value = (*color, 1.0)
    if shown is not None:
        texture = material.node_tree.nodes.new("ShaderNodeTexImage")
        texture.image = shown
        material.node_tree.links.new(texture.outputs["Color"], surface.inputs["Base Color"])
    return material


def column_colors(pixels: Picture, count: int) -> list[tuple[float, ...]]:
    """Return the colors in the middle of equal columns."""
    return [
        tuple(np.rint(pixels[SIZE // 2, SIZE * (2 * each + 1) // (2 * count), :3])) for each in range(count)
    ]


@each_game
def test_previews_of_models_are_as_pictures_of_the_file(blender: ModuleType, game: Game) -> None:
    root, pictures = import_scene(sample_bytes(game)), PiecePictures(sample_level(game))
    models = {each.number: each for each in assets_of(root, {"MODELS"})}
    for number in (0, model_id(game, "enemy")):
        of_file = pictures.picture("model", number)
        assert of_file is not None
        assert np.abs(picture(models[number])[::-1] - of_file).max() < 0.05


@each_game
def test_rooms_have_their_light_and_no_walls_in_front(blender: ModuleType, game: Game) -> None:
    root, pictures = import_scene(sample_bytes(game)), PiecePictures(sample_level(game))
    room = assets_of(root, {"ROOMS"})[0]
    obj: Any = room.obj
    of_file, before = pictures.picture("room", room.number), picture(room)
    assert of_file is not None
    assert ((before[::-1, :, 3] > 0.5) != (of_file[..., 3] > 0.5)).mean() < 0.01
    colors = obj.data.color_attributes[0]
    colors.data.foreach_set("color_srgb", np.full(len(colors.data) * 4, 0.01, np.float32))
    dark = picture(room)
    assert np.array_equal(dark[..., 3] > 0, before[..., 3] > 0)
    is_visible = before[..., 3] > 0
    assert np.median(dark[is_visible, :3]) < 0.05 < np.median(before[is_visible, :3])
    # Hidden, as alternate rooms are.
    block: Any = room.block
    obj.hide_render = block.hide_viewport = True
    assert np.array_equal(picture(room), dark)
    assert obj.hide_render and block.hide_viewport


def test_a_room_of_back_faces_alone_is_visible(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = assets_of(root, {"ROOMS"})[0]
    obj: Any = room.obj
    floor = [each.index for each in obj.data.polygons if each.normal.z > 0.9]
    corners = [[tuple(obj.data.vertices[v].co) for v in obj.data.polygons[each].vertices] for each in floor]
    points = [each for face in corners for each in reversed(face)]
    starts = np.cumsum([0, *map(len, corners)]).tolist()
    obj.data.clear_geometry()
    obj.data.from_pydata(points, [], [list(range(*each)) for each in pairwise(starts)])
    for child in list(obj.children):
        bpy.data.objects.remove(child)
    assert picture(room)[..., 3].any()


def test_users_materials_show_images_and_colors(blender: ModuleType) -> None:
    assert column_colors(picture(square(user_material())), 1) == [RED]
    shown = image(RED, GREEN, BLUE)
    assert column_colors(picture(square(user_material(shown))), 3) == [RED, GREEN, BLUE]
    repeated = square(user_material(shown))
    mesh: Any = repeated.obj and repeated.obj.data
    mesh.uv_layers[0].uv.foreach_set("vector", [-1, 0, 1, 0, 1, 1, -1, 1])
    assert column_colors(picture(repeated), 6) == [RED, GREEN, BLUE] * 2
    assert drawn(square(user_material(image(RED, alpha=0.0)))) is None
    missing: Any = bpy.data.images.new("Missing", 4, 4)
    missing.source, missing.filepath = "FILE", "//nowhere.png"
    assert column_colors(picture(square(user_material(missing))), 1) == [(1.0, 0.0, 1.0)]
    assert picture(square(None))[SIZE // 2, SIZE // 2, 3] == 1


def test_a_material_is_its_whole_image(blender: ModuleType) -> None:
    material = user_material(image(RED, GREEN, BLUE))
    asset = Asset("MATERIALS", -1, material.name, material, None)
    pixels = picture(asset)
    assert column_colors(pixels, 3) == [RED, GREEN, BLUE] and (pixels[SIZE // 2, :, 3] > 0).mean() > 0.9
    material.tomb_raider.attribute = 2  # additive
    glow = picture(asset)
    assert column_colors(glow, 3) == [RED, GREEN, BLUE]
    diagonal = np.arange(SIZE // 8, SIZE * 7 // 8)
    assert glow[diagonal, diagonal].max() <= 1 and np.ptp(glow[SIZE // 2, SIZE // 8 : SIZE // 4, 0]) == 0


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_mirrored_instances_show_their_front(blender: ModuleType, scale: float) -> None:
    """A room of one face that is culled from behind, mirrored by its object."""
    material = user_material()
    material.use_backface_culling = True
    home, obj = bpy.data.collections.new("Home"), square(material).obj
    assert obj is not None
    home.objects.link(obj)
    obj.scale.x = scale
    obj.rotation_euler.z = 0.3 if scale > 0 else np.pi + 0.3
    pixels = drawn(Asset("ROOMS", 0, "Home", home, obj))
    assert pixels is not None and pixels[..., 3].any()
