"""Vertices rendered as small gray tiles, each lit as its room or mesh is, and the games' values for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.base.arrays.typing import Floats

GRAY = 0.4  # of the texture, as a screen value
_TILE = 6  # pixels
WATER = {Game.TR1: (2 / 3, 2 / 3, 1.0), Game.TR2: (1 / 2, 7 / 8, 1.0), Game.TR3: (1 / 2, 7 / 8, 1.0)}
_FIELDS = {"INT": ("value", 1), "FLOAT_VECTOR": ("vector", 3), "FLOAT_COLOR": ("color", 4)}
_FIELDS["BYTE_COLOR"] = _FIELDS["FLOAT_COLOR"]


def by_shade(shade: NDArray[Any]) -> Floats:
    """Return factors by shade in TR1 and TR2, 0 to 8191, where half keeps the texture."""
    factor = np.clip((8192 - shade.astype(np.float64)) / 4096, 0, 2)
    return np.repeat(factor[:, None], 3, axis=1) * GRAY


def by_color(game: Game, color: Floats) -> Floats:
    """Return factors in TR3, by its gamma, and in TR4 and TR5, by diffuse light and half of any excess."""
    if game is Game.TR3:
        return np.floor(256 * (color / 256) ** (2.5 / 3)) / 255 * GRAY
    diffuse = np.minimum(2 * color, 255) / 255
    return GRAY * diffuse + np.floor(np.maximum(color - 128, 0) / 2) / 255


def channels(word: NDArray[Any], shifts: tuple[int, int, int], mask: int) -> Floats:
    return np.stack([(word.astype(np.int64) >> shift) & mask for shift in shifts], axis=1).astype(np.float64)


def room_pixels(level: Level, room: Any) -> Floats:
    """Return the colors of a room's vertices, (n, 3)."""
    game = level.game
    if game < Game.TR3:
        seen = by_shade(room.vertices["light"].astype(np.int64) & 0xFFFF)
    elif game < Game.TR5:
        seen = by_color(game, 8 * channels(room.vertices["color"], (10, 5, 0), 31))
    else:
        seen = by_color(game, channels(room.vertices["color"], (16, 8, 0), 255))
    water = WATER.get(game, (1.0, 1.0, 1.0)) if room.flags & 1 else (1.0, 1.0, 1.0)
    return np.minimum(seen, 1) * water if game >= Game.TR4 else np.minimum(seen * water, 1)


def tiles(obj: Any, at: int, rows: int, vertices: NDArray[np.int64]) -> Object:
    """Return a copy of an object with a tile for each of its vertices, lit as the vertex is."""
    source: Any = obj.data
    mesh: Any = bpy.data.meshes.new("Tiles")
    places = at + np.arange(len(vertices))
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    flat = np.stack([places % rows, places // rows], axis=1)[:, None] + corners
    points = np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2).reshape(-1, 3)
    mesh.from_pydata(points.tolist(), [], np.arange(len(points)).reshape(-1, 4).tolist())
    mesh.uv_layers.new(name="UVMap")
    for layer in source.attributes:
        if layer.domain != "POINT" or layer.name == "position" or layer.name.startswith("."):
            continue
        field, width = _FIELDS[layer.data_type]
        made = mesh.attributes.new(layer.name, layer.data_type, "POINT")
        values = np.empty(len(source.vertices) * width, np.int32 if width == 1 else np.float32)
        layer.data.foreach_get(field, values)
        chosen = np.repeat(values.reshape(-1, width)[vertices], 4, axis=0)
        made.data.foreach_set(field, chosen.ravel())
    if source.color_attributes:
        mesh.attributes.default_color_name = source.color_attributes[
            source.color_attributes.render_color_index
        ].name
        mesh.color_attributes.render_color_index = mesh.color_attributes.find(
            mesh.attributes.default_color_name
        )
    mesh.materials.append(gray_material(source))
    copy = obj.copy()
    copy.data, copy.parent = mesh, None
    copy.matrix_world = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    return copy


def gray_material(mesh: Any) -> Any:
    """Return a material of a mesh that is not additive, with a gray image as its page."""
    found = next(
        each for each in mesh.materials if each.tomb_raider.kind == "PAGE" and each.tomb_raider.attribute != 2
    )
    gray: Any = bpy.data.images.get("Gray")
    if gray is None:
        gray = bpy.data.images.new("Gray", 1, 1)
        gray.pixels[:] = (GRAY, GRAY, GRAY, 1)
    copy = found.copy()
    copy.use_backface_culling = False
    copy.node_tree.nodes.active.image = gray
    return copy


def seen_tiles(shown: list[Object], rows: int, count: int, folder: Path) -> Floats:
    """Return the colors in the middle of all tiles in a rendered picture, (count, 3)."""
    scene: Any = bpy.data.scenes.new("Tiles")
    for obj in shown:
        scene.collection.objects.link(obj)
    data: Any = bpy.data.cameras.new("Tiles")
    camera = bpy.data.objects.new("Tiles", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    lines = -(-count // rows)
    data.type, data.sensor_fit, data.ortho_scale = "ORTHO", "HORIZONTAL", rows
    camera.location = (rows / 2, lines / 2, 5)
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.cycles.use_denoising, scene.render.dither_intensity = False, 0
    scene.render.resolution_x, scene.render.resolution_y = rows * _TILE, lines * _TILE
    scene.view_settings.view_transform = "Standard"
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(folder / "tiles.png")
    bpy.ops.render.render(write_still=True, scene=scene.name)
    image: Any = bpy.data.images.load(scene.render.filepath)
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    picture = pixels.reshape(lines, _TILE, rows, _TILE, 4)[:, 2:-2, :, 2:-2, :3].mean(axis=(1, 3))
    return picture.reshape(-1, 3)[:count].astype(np.float64)
