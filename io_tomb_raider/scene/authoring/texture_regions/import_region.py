"""Import of textures from another file as materials with images.

Exports pack the parts of them that faces show into the level's pages, like all user images.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Image, Material

from ....formats import Game, Level
from ....formats.edits.append import Box, Frame, Texture, textures_of
from ....formats.levels.level import height_page
from ....formats.levels.textures import BlendMode, decode_pages
from ....formats.levels.views import Decoded
from ...core.reporting.report import Report
from ...subjects.object_textures.animation_tools import add_group
from ...subjects.textures.images import EncodedPicture, make_image, make_picture
from ...subjects.textures.materials import play_in, prefixed, show_bump, surface_mode
from ...subjects.textures.shader import build_surface, surface_group
from ...subjects.textures.transfer import NEAREST_BLENDING, blending_of


def import_textures(
    root: Collection, level: Level, source: str, numbers: Iterable[int], report: Report
) -> list[Material]:
    """Create materials with textures of a file, and add its animated textures to the level's.

    They stay in the scene while unused, and are exported once faces use them.

    Args:
        level: the file; it is not changed.
        source: its name, as a prefix.
        numbers: of the textures, as in :class:`~io_tomb_raider.formats.edits.append.textures.Texture`.
    """
    selected = set(numbers)
    importer = _Importer(root, level, source, report)
    return [importer.import_texture(texture) for texture in textures_of(level) if texture.number in selected]


class _Importer:
    """One import of textures."""

    def __init__(self, root: Collection, level: Level, source: str, report: Report) -> None:
        self._root, self._source, self._report, self._level = root, source, report, level
        self._game = Game[root.tomb_raider.game]
        pages = Decoded(level).pages
        self._pages = decode_pages(pages)
        # Opaque faces show transparent texels in the games' key color.
        everywhere = np.ones(self._pages.shape[:3], np.bool_)
        self._opaque = decode_pages(pages._replace(opaque=everywhere))
        self._images: dict[tuple[Box, bool, bool], tuple[Image, EncodedPicture]] = {}

    def import_texture(self, texture: Texture) -> Material:
        """Create the material of a texture."""
        frames = [self._image(texture, frame) for frame in texture.frames]
        image, picture = frames[0]
        name = prefixed(self._source, texture.name)
        material = bpy.data.materials.new(name)
        attribute, mode = texture.frames[0].attribute, int(BlendMode.COLOR_KEYED)
        if attribute is not None:
            attribute = self._blending(attribute, name)
            material.tomb_raider.attribute = attribute
            mode = attribute
        material.tomb_raider.bump = self._bump(texture.frames[0])
        build_surface(material, surface_group(self._game), surface_mode(mode), image, picture.average)
        material.use_fake_user = True
        if texture.is_animated:
            self._play(texture, name, [each for each, _ in frames], material)
        if image.tomb_raider.heights is not None:
            show_bump(material)
        return material

    def _image(self, texture: Texture, frame: Frame) -> tuple[Image, EncodedPicture]:
        is_opaque = frame.attribute == BlendMode.OPAQUE
        has_bump = bool(self._bump(frame))
        key = frame.box, is_opaque, has_bump
        if key not in self._images:
            page, left, top, right, bottom = frame.box
            pixels = (self._opaque if is_opaque else self._pages)[page, top:bottom, left:right]
            picture = make_picture(pixels)
            image = make_image(prefixed(self._source, texture.name), picture)
            self._images[key] = image, picture
            if has_bump:
                heights = self._opaque[height_page(self._level, page), top:bottom, left:right]
                name = prefixed(self._source, f"{texture.name} Heights")
                image.tomb_raider.heights = make_image(name, make_picture(heights))
        return self._images[key]

    def _blending(self, attribute: int, name: str) -> int:
        """Return the blend mode of the level's game nearest to that of the file, and warn if it differs."""
        result = blending_of(attribute, self._game)
        if result != attribute:
            self._report.warn(name, NEAREST_BLENDING)
        return result

    def _bump(self, frame: Frame) -> int:
        """Return the bump level of a frame in the level's game, 0 if there is no height map."""
        is_known = self._game.traits.has_bump and height_page(self._level, frame.box.page) is not None
        return frame.bump if is_known else 0

    def _play(self, texture: Texture, name: str, images: list[Image], material: Any) -> None:
        """Add an animated texture, and play it in its material."""
        group = add_group(self._root)
        group.name, number = name, group.uid
        group.scrolls = texture.scrolls and self._game.traits.has_scrolling_textures
        for frame, image in zip(texture.frames, images, strict=True):
            entry = group.frames.add()
            entry.image, entry.is_triangle = image, frame.is_triangle
            entry.bump = self._bump(frame)
            entry.corners = frame.corners.ravel().tolist()
            entry.attribute = self._blending(frame.attribute or 0, name)
        material.tomb_raider.animation = number
        play_in(self._root, material, number, images[0])
