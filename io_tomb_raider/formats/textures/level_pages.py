"""The texture pages of a level, all forms of them, and what of them only opaque faces show (chapter 9)."""

from __future__ import annotations

from ..level.level import Level
from .packing import opaque_only_pixels
from .textiles import BoolArray, Pages


def pages_of(level: Level) -> Pages:
    """Return the texture pages of a level in all forms that it has."""
    traits = level.game.traits
    return Pages(
        textiles8=level.textiles8 if traits.has_palette else None,
        textiles16=level.textiles16 if traits.has_16bit_pages else None,
        textiles32=level.textiles32 if traits.has_32bit_pages else None,
        palette=level.palette if traits.has_palette else None,
        opaque=opaque_pixels(level),
    )


def page_count(level: Level) -> int:
    """Return how many texture pages a level has; of TR4's and TR5's also those of bumps."""
    return len(level.textiles8 if level.game.traits.has_palette else level.textiles32)


def height_page(level: Level, page: int) -> int | None:
    """Return which page has the height map of a bumped page, or None where a page is no bumped one."""
    if not level.game.traits.has_bump:
        return None
    # Bumped pages come first, then a height map for each.
    first, count = level.room_textiles + level.object_textiles, level.bump_textiles // 2
    return page + count if first <= page < first + count else None


def opaque_pixels(level: Level) -> BoolArray | None:
    """Return the pixels that only opaque faces show, (n, 256, 256) bool.

    None for a file of textiles only: nothing says how they are shown.
    """
    if not level.has("object_textures"):
        return None
    return opaque_only_pixels(page_count(level), level.object_textures, level.sprite_textures, level.game)
