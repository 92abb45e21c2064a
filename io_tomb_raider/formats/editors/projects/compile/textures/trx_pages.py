"""Texture pages of TRX in another color depth than that of the game."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from .....base.games import Game
from .....edits.convert.palette import best_palette
from .....levels.textures.textiles import PageEdit, U8Array, encode_pages8, encode_pages16
from .pages import without_alpha

_NONE = np.zeros((0, 3), np.uint8)
_MOST = 31  # of 5 bits


class Depth(IntEnum):
    """The color depth that a project chooses for TRX."""

    DEFAULT = 0
    BITS_8 = 1
    BITS_16 = 2
    BITS_32 = 3


# The depths that the pages of a game have without edits.
_OWN = {Game.TR1: Depth.BITS_8, Game.TR2: Depth.BITS_16}


def page_edits_of(picture: U8Array, depth: int, game: Game) -> tuple[PageEdit, ...]:
    """Return the edits that replace all pages of a level by pages of a color depth.

    Args:
        picture: (n, 256, 256, 4) uint8 RGBA, the pages in their own colors.
        depth: a number of :class:`Depth`. Unknown ones are 32 bits, as in the editor.
    """
    if depth in (Depth.DEFAULT, _OWN.get(game)):
        return ()
    shown = picture
    flat = without_alpha(picture)
    if depth == Depth.BITS_8:
        shown = _with_palette(flat)
    elif depth == Depth.BITS_16:
        shown = _with_16_bits(flat)
    return tuple(PageEdit(number, 0, 0, page) for number, page in enumerate(shown))


def _with_palette(picture: U8Array) -> U8Array:
    palette = best_palette(picture, _NONE)
    numbers = encode_pages8(picture, palette)
    result = np.full_like(picture, 255)
    result[..., :3] = palette[numbers] << 2
    result[numbers == 0] = 0
    return result


def _with_16_bits(picture: U8Array) -> U8Array:
    words = encode_pages16(picture)
    result = np.empty_like(picture)
    for channel, shift in enumerate((10, 5, 0)):
        result[..., channel] = (words >> shift & _MOST).astype(np.int64) * 255 // _MOST
    result[..., 3] = np.where(words & 0x8000, 255, 0)
    return result
