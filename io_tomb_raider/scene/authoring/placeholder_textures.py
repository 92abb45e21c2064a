"""Placeholder materials of new rooms: plain floors, walls and ceilings."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image, Material, Mesh
from numpy.typing import NDArray

from ...formats import Game
from ...formats.levels.textures import BlendMode, encode_png
from ..core.blender import compat
from ..core.blender.color import bytes_to_linear
from ..mesh.blender_mesh import write_material_slots
from ..subjects.meshes.layers import write_uvs
from ..subjects.textures.materials import image_node, prefixed, surface_mode
from ..subjects.textures.shader import build_surface, surface_group

_SIDE = 64  # pixels per sector, as in level editors
_EDGE = 2
_SHADE, _LINE = 0.85, 0.55
_SEEN = 0.6  # of the height of ripples: lower texels are transparent


class _Surface(NamedTuple):
    label: str
    color: tuple[int, int, int]


_FLOOR = _Surface("Floor", (146, 126, 100))
_WALL = _Surface("Wall", (128, 134, 140))
_CEILING = _Surface("Ceiling", (92, 98, 112))
_STEP = _Surface("Step", (116, 110, 98))
_WATER = _Surface("Water", (52, 96, 104))
_CLEAR = _Surface("Clear", (0, 0, 0))
_SURFACES = {
    "FLOOR": _FLOOR,
    "CEILING": _CEILING,
    "WALL": _WALL,
    "STEP": _STEP,
    "WATER": _WATER,
    "CLEAR": _CLEAR,
}
_GRAY = (0.216, 0.216, 0.216)  # linear: half brightness on the screen
_TILE = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)


def paint_room(root: Collection, mesh: Mesh) -> None:
    """Replace the materials of a room's mesh of quads by placeholders for floors, walls and ceilings."""
    mesh.materials.clear()
    for surface in (_WALL, _FLOOR, _CEILING):
        mesh.materials.append(_material(root, surface))
    normals = np.zeros(3 * len(mesh.polygons), np.float32)
    mesh.polygons.foreach_get("normal", normals)
    up = normals.reshape(-1, 3)[:, 2]
    slots = np.where(up > 0.5, 1, np.where(up < -0.5, 2, 0))
    write_material_slots(mesh, slots)
    layer = mesh.uv_layers.active or mesh.uv_layers.new(name="UVMap", do_init=False)
    write_uvs(mesh, layer, np.tile(_TILE, (len(mesh.polygons), 1)))


def plain_material(root: Collection, surface: str) -> Material:
    """Create a placeholder material, whose image fills each face.

    Args:
        surface: ``FLOOR``, ``CEILING``, ``WALL``, ``STEP``, translucent ``WATER``, or invisible ``CLEAR``.
    """
    return _material(root, _SURFACES[surface])


def gray_material(root: Collection) -> Material:
    """Create a gray material for faces without one, which shows the level's light."""
    material = bpy.data.materials.new(f"{root.name} Plain")
    build_surface(
        material, surface_group(Game[root.tomb_raider.game]), surface_mode(BlendMode.OPAQUE), None, _GRAY
    )
    compat.cull_back_faces(material, True)
    return material


def _material(root: Collection, surface: _Surface) -> Material:
    name = prefixed(root.name, surface.label)
    material = bpy.data.materials.new(name)
    red, green, blue = bytes_to_linear(np.array(surface.color, np.uint8)).tolist()
    image = _image(name, surface)
    game = Game[root.tomb_raider.game]
    attribute = BlendMode.OPAQUE
    if surface is _WATER:
        attribute = BlendMode.ADDITIVE if game.traits.has_additive_blending else BlendMode.COLOR_KEYED
        material.tomb_raider.attribute = attribute
    if surface is _CLEAR:
        material.tomb_raider.attribute = attribute = BlendMode.COLOR_KEYED
    build_surface(material, surface_group(game), surface_mode(attribute), image, (red, green, blue))
    texture = image_node(material)
    assert texture is not None
    texture.extension = "REPEAT"  # larger faces repeat it, unlike pages
    compat.cull_back_faces(material, True)
    return material


def _image(name: str, surface: _Surface) -> Image:
    png = encode_png(_DRAWN.get(surface, _pixels)(surface))
    image = bpy.data.images.new(name, _SIDE, _SIDE)
    image.pack(data=png, data_len=len(png))
    image.source = "FILE"
    image.filepath_raw = f"//{bpy.path.clean_name(name)}.png"  # the place where Blender would unpack it
    return image


def _pixels(surface: _Surface) -> NDArray[np.uint8]:
    """Return a tile of four stones with dark seams, which shows sizes and directions."""
    row, column = np.indices((_SIDE, _SIDE))
    shade = np.where((row < _SIDE // 2) ^ (column < _SIDE // 2), 1.0, _SHADE)
    edge = np.minimum.reduce([row, column, _SIDE - 1 - row, _SIDE - 1 - column])
    shade = np.where(edge < _EDGE, _LINE, shade)
    pixels = np.full((_SIDE, _SIDE, 4), 255, np.uint8)
    pixels[..., :3] = np.rint(np.array(surface.color) * shade[..., None])
    return pixels


def _ripples(surface: _Surface) -> NDArray[np.uint8]:
    """Return a seamless tile of ripples with transparent gaps."""
    row, column = np.indices((_SIDE, _SIDE)) * (2 * np.pi / _SIDE)
    height = np.sin(3 * row + 1.2 * np.sin(column)) + np.sin(2 * column + 1.2 * np.sin(2 * row))
    pixels = np.zeros((_SIDE, _SIDE, 4), np.uint8)
    shade = np.clip(1 + height[..., None] / 4, 0, 1.5)
    pixels[..., :3] = np.rint(np.array(surface.color) * shade)
    pixels[..., 3] = np.where(np.abs(height) < _SEEN, 0, 255)
    return pixels


def _nothing(_: _Surface) -> NDArray[np.uint8]:
    """Return a transparent tile."""
    return np.zeros((_SIDE, _SIDE, 4), np.uint8)


_DRAWN = {_WATER: _ripples, _CLEAR: _nothing}
