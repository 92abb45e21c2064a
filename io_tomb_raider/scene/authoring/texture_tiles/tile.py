"""Tiles: rectangles of pictures that users put on faces, with their materials."""

from __future__ import annotations

from math import ceil, floor
from typing import Any, NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Image, Material
from numpy.typing import NDArray

from ....formats import Game
from ....formats.levels.textures import BlendMode
from ...core.blender import compat
from ...core.blender.color import bytes_to_linear
from ...subjects.object_textures.tools import check_blending, level_material
from ...subjects.textures.keys import MaterialKey
from ...subjects.textures.materials import (
    belongs_to,
    is_drawn_as_level,
    material_key,
    prefixed,
    show_bump,
    surface_mode,
    user_attribute,
    user_image,
)
from ...subjects.textures.pixels import read_pixels, with_holes
from ...subjects.textures.shader import build_surface, surface_group
from .orientation import turned

Area = tuple[float, float, float, float]
_OPAQUE = 128  # the least alpha of opaque pixels


class Tile(NamedTuple):
    """A rectangle of a picture, and how faces show it."""

    image: Image  #: a texture page of the level, or a picture of the user's own.
    #: left, top, width and height in pixels, from the top left of the picture. Tiles of a level's faces may
    #: begin and end within pixels, as object textures do.
    area: Area
    turns: int = 0  #: quarters of a turn, clockwise.
    is_mirrored: bool = False  #: whether left and right are exchanged, before it is turned.
    attribute: int = BlendMode.OPAQUE  #: blend mode.
    is_double_sided: bool = False  #: whether faces show it from both sides (rooms, TR3 to TR5).
    bump: int = 0  #: bump level (TR4, TR5).
    group: int = 0  #: number of the animated texture that faces play, 0 for none.

    @property
    def aspect(self) -> float:
        """Height by width on faces."""
        _, _, width, height = self.area
        return width / height if self.turns % 2 else height / width

    def uvs(self, places: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the UVs, (…, 2), of places on the tile as faces show it, from 0, 0 at the lower left."""
        left, top, width, height = self.area
        size = self.image.size
        on_tile = turned(places, self.turns, mirrored=self.is_mirrored)
        u = (left + on_tile[..., 0] * width) / size[0]
        v = 1 - (top + (1 - on_tile[..., 1]) * height) / size[1]
        return np.stack([u, v], axis=-1)


def has_holes(image: Image, area: Area) -> bool:
    """Return whether a rectangle of a picture, as in :class:`Tile`, has transparent pixels."""
    left, top, width, height = area
    rows, columns = (
        slice(max(floor(low), 0), max(ceil(low + size), 0)) for low, size in ((top, height), (left, width))
    )
    return bool((with_holes(read_pixels(image))[rows, columns, 3] < _OPAQUE).any())


class Look(NamedTuple):
    """What materials add to the texels of a tile, see :class:`Tile`."""

    attribute: int
    is_double_sided: bool
    bump: int
    group: int


def look_of(root: Collection, material: Material, image: Image, area: Area) -> Look:
    """Return how a material of a level, or of a user, shows a rectangle of its image."""
    key, settings = material_key(material, root), material.tomb_raider
    if key is not None:
        return Look(key.attribute, key.double_sided, key.bump, key.group)
    attribute = user_attribute(material, Game[root.tomb_raider.game])
    if attribute is None:  # texels decide
        attribute = BlendMode.COLOR_KEYED if has_holes(image, area) else BlendMode.OPAQUE
    return Look(int(attribute), settings.double_sided, settings.bump, settings.animation)


def tile_material(root: Collection, tile: Tile) -> Material:
    """Return the material of a tile in a level, which is made if there is none.

    Raises:
        ExportError: if the level has no image of the page any more, or its game no such blending.
    """
    check_blending(root, tile.attribute)
    game, image = Game[root.tomb_raider.game], tile.image
    double_sided = tile.is_double_sided and game.traits.has_double_sided_faces
    bump = tile.bump if game.traits.has_bump else 0
    if belongs_to(image, root) and image.tomb_raider.kind == "PAGE":
        page = image.tomb_raider.page
        return level_material(root, MaterialKey("PAGE", page, tile.attribute, double_sided, bump, tile.group))
    look = (tile.attribute, double_sided, bump, tile.group)
    for material in bpy.data.materials:
        # Large levels have hundreds of materials, and to find an image takes longest.
        if (
            material.tomb_raider.kind != "PAGE"
            and _looks(material) == look
            and user_image(material) == image
            and material_key(material, root) is None
            and is_drawn_as_level(material)
        ):
            return material
    result = bpy.data.materials.new(prefixed(image.name, _label(tile)))
    # A picture of another level or of none has no average color yet.
    gray = bytes_to_linear(np.array((128, 128, 128), np.uint8)).tolist()
    color = (gray[0], gray[1], gray[2])
    build_surface(result, surface_group(game), surface_mode(tile.attribute), image, color)
    settings = result.tomb_raider
    settings.attribute, settings.double_sided, settings.bump, settings.animation = look
    compat.cull_back_faces(result, not double_sided)
    show_bump(result)
    return result


def _looks(material: Any) -> tuple[Any, ...]:
    settings = material.tomb_raider
    attribute = settings.attribute if settings.is_property_set("attribute") else None
    return attribute, settings.double_sided, settings.bump, settings.animation


def _label(tile: Tile) -> str:
    parts = ["Tiles"]
    if tile.attribute:
        parts.append({1: "Alpha", 2: "Additive"}.get(tile.attribute, f"Blending {tile.attribute}"))
    if tile.is_double_sided:
        parts.append("Double-Sided")
    return " ".join(parts)
