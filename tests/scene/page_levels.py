"""Levels with only texture pages, and their import and export, for tests of images and materials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level, Variant
from io_tomb_raider.formats.base.bytes.records import OBJECT_TEXTURE_RECORD, SPRITE_TEXTURE
from io_tomb_raider.formats.levels.level.layouts import LAYOUTS
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.context import ExportContext, ImportContext, ImportOptions
from io_tomb_raider.scene.core.membership import LevelObjects
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.textures.materials import LevelImages, LevelMaterials, MaterialKeys
from io_tomb_raider.scene.subjects.textures.pages import PageSet, import_images

FORMS = ("textiles8", "textiles16", "textiles32")
SIZE = 256


def page_level(game: Game, pages: int = 3, bumped: int = 0, seed: int = 1) -> Level:
    """Return a level of random texels, different in each form, with a transparent square from 8 to 24.

    Args:
        game: the game.
        pages: the number of pages, including bumped ones and their height maps.
        bumped: the number of bumped pages and height maps (TR4, TR5).
        seed: the seed of the texels.
    """
    random = np.random.default_rng(seed)
    level = Level(game, Variant.RETAIL, LAYOUTS[game, Variant.RETAIL])
    shape = (pages, SIZE, SIZE)
    clear = np.zeros(shape, np.bool_)
    clear[:, 8:24, 8:24] = True
    if game <= Game.TR3:
        colors = random.choice(64**3, 256, replace=False)
        level.palette = np.stack([colors & 63, colors >> 6 & 63, colors >> 12], axis=-1).astype(np.uint8)
        level.textiles8 = np.where(clear, 0, random.integers(1, 256, shape)).astype(np.uint8)
    if game in (Game.TR2, Game.TR3):
        level.palette16 = random.integers(0, 256, (256, 4), np.uint8)
    if game >= Game.TR2:
        level.textiles16 = np.where(clear, 0, random.integers(0, 1 << 15, shape) | 0x8000).astype("<u2")
    if game >= Game.TR4:
        level.textiles32 = random.integers(0, 256, (*shape, 4), np.uint8)
        level.textiles32[..., 3] = 255
        level.textiles32[clear] = 0
        level.misc_textiles32 = random.integers(0, 256, (game - 2, SIZE, SIZE, 4), np.uint8)
        level.misc_textiles32[..., 3] = 255
        level.room_textiles, level.object_textiles, level.bump_textiles = 1, pages - 1 - bumped, bumped
    level.object_textures = np.zeros(0, OBJECT_TEXTURE_RECORD[game])
    level.sprite_textures = np.zeros(0, SPRITE_TEXTURE)
    for name in FORMS:
        if hasattr(level, name):
            getattr(level, name).flags.writeable = False
    return level


def fill_pages(level: Level, pages: Any) -> None:
    """Add object textures that cover pages, except for their lower right quarters."""
    pages = np.atleast_1d(pages)
    level.object_textures = np.zeros(2 * len(pages), level.object_textures.dtype)
    level.object_textures["page"] = pages.repeat(2)
    wide = [(0, 0), (0xFFFF, 0), (0xFFFF, 0x7FFF), (0, 0x7FFF)]
    left = [(0, 0x8000), (0x7FFF, 0x8000), (0x7FFF, 0xFFFF), (0, 0xFFFF)]
    level.object_textures["uv"][0::2] = wide
    level.object_textures["uv"][1::2] = left


@dataclass(frozen=True, eq=False)
class ImportedPages(ImportContext):
    """An import of texture pages, with its images and the materials of a test."""

    images: LevelImages = field(default_factory=dict)
    materials: LevelMaterials = field(default_factory=dict)


def import_pages(level: Level, name: str = "Level") -> ImportedPages:
    """Import the images of a level into the scene."""
    root = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(root)
    root.tomb_raider.kind, root.tomb_raider.game = "LEVEL", level.game.name
    nothing: Any = None
    context = ImportedPages(
        decoded=Decoded(level),
        names=nothing,
        options=ImportOptions(),
        space=Space(),
        root=root,
        report=Report(),
    )
    context.images.update(import_images(context))
    return context


def export_of(context: ImportContext, *, rebuild: bool = False) -> ExportContext:
    """Start the export of an imported level."""
    return ExportContext(
        root=context.root,
        decoded=context.decoded,
        level=context.level.copy(),
        space=Space(),
        report=Report(),
        level_objects=LevelObjects(context.root),
        rebuild=rebuild,
    )


def pages_for(export: ExportContext) -> PageSet:
    """Return the pages of an export."""
    return PageSet(export, MaterialKeys(export.root))


def image_of(context: ImportedPages, kind: str = "PAGE", page: int = 0) -> Any:
    """Return the image of a page."""
    return context.images[kind, page][0]


def pixels(image: Any) -> NDArray[np.uint8]:
    """Return the texels of a byte image, (height, width, 4) RGBA, top row first."""
    values = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    return np.rint(values[::-1] * 255).astype(np.uint8)


def paint(image: Any, x: int, y: int, color: tuple[int, int, int, int]) -> None:
    """Paint one texel, counted from the top left."""
    values = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    values[image.size[1] - 1 - y, x] = np.array(color) / 255
    image.pixels.foreach_set(values.astype(np.float32).ravel())
    image.update()


def user_image(texels: NDArray[np.uint8], name: str = "Own") -> bpy.types.Image:
    """Return a user image of RGBA texels, top row first."""
    height, width = texels.shape[:2]
    image: Any = bpy.data.images.new(name, width, height, alpha=True)
    image.pixels.foreach_set((texels[::-1] / 255).astype(np.float32).ravel())
    image.pack()
    return image


def textiles(level: Level) -> dict[str, NDArray[Any]]:
    """Return the pages of a level in all of its forms."""
    shown = pages_of(level)._asdict()
    return {name: shown[name] for name in (*FORMS, "palette") if shown[name] is not None}


def own_material(name: str = "Own") -> tuple[Any, Any, Any]:
    """Return a user material whose tree has only the output, the tree and the output."""
    material: Any = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    tree: Any = material.node_tree
    tree.nodes.clear()
    return material, tree, tree.nodes.new("ShaderNodeOutputMaterial")


def textured(image: Image, shader: str = "ShaderNodeBsdfPrincipled") -> Any:
    """Return a user material with an image in the first color input of a shader."""
    material, tree, output = own_material()
    node, texture = tree.nodes.new(shader), tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    tree.links.new(texture.outputs[0], node.inputs[0])
    tree.links.new(node.outputs[0], output.inputs[0])
    return material


def linear(screen: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
