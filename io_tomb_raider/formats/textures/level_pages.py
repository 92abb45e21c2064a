"""The texture pages of a level, all forms of them, and what of them only opaque faces show (chapter 9)."""

from __future__ import annotations

from ..games import Game
from ..level.level import Level
from .packing import opaque_only_pixels
from .textiles import BoolArray, Pages


def pages_of(level: Level) -> Pages:
    """Return the texture pages of a level in all forms that it has."""
    game = level.game
    return Pages(
        textiles8=level.textiles8 if game <= Game.TR3 else None,
        textiles16=level.textiles16 if game >= Game.TR2 else None,
        textiles32=level.textiles32 if game >= Game.TR4 else None,
        palette=level.palette if game <= Game.TR3 else None,
        opaque=opaque_pixels(level),
    )


def opaque_pixels(level: Level) -> BoolArray | None:
    """Return the pixels that only opaque faces show, (n, 256, 256) bool.

    None for a file of textiles only: nothing says how they are shown.
    """
    if not level.has("object_textures"):
        return None
    pages = len(level.textiles8 if level.game is Game.TR1 else level.textiles16)
    return opaque_only_pixels(pages, level.object_textures, level.sprite_textures, level.game)
