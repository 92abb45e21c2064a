"""The texture pages of a level in all their forms, and the pixels that only opaque faces use (chapter 9)."""

from __future__ import annotations

from ...base.arrays.typing import Bools
from ..textures.packing import opaque_only_pixels
from ..textures.textiles import Pages
from .level import Level


def pages_of(level: Level) -> Pages:
    """Return the texture pages of a level in all its forms."""
    traits = level.game.traits
    return Pages(
        textiles8=level.textiles8 if traits.has_palette else None,
        textiles16=level.textiles16 if traits.has_16bit_pages else None,
        textiles32=level.textiles32 if traits.has_32bit_pages else None,
        palette=level.palette if traits.has_palette else None,
        opaque=opaque_pixels(level),
    )


def page_count(level: Level) -> int:
    """Return the number of texture pages of a level, including bump pages of TR4 and TR5."""
    return len(level.textiles8 if level.game.traits.has_palette else level.textiles32)


def height_page(level: Level, page: int) -> int | None:
    """Return the page of the height map of a bumped page, or None for other pages."""
    if not level.game.traits.has_bump:
        return None
    # Bumped pages are followed by their height maps.
    first, count = level.room_textiles + level.object_textiles, level.bump_textiles // 2
    return page + count if first <= page < first + count else None


def opaque_pixels(level: Level) -> Bools | None:
    """Return the pixels that only opaque faces use, (n, 256, 256) bool.

    None for a file of textiles only, which has no faces.
    """
    if not level.has("object_textures"):
        return None
    return opaque_only_pixels(page_count(level), level.object_textures, level.sprite_textures, level.game)
