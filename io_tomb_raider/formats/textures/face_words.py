"""The texture word of faces: which object texture or color they have (documentation, chapters 3.2.1, 5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.bits import Bits
from ..games import Game

DOUBLE_SIDED = Bits(15)  # from TR3 on: the face is seen from both sides
# Faces of one color name it in two palettes, from TR2 on.
_COLOR_8, _COLOR_16 = Bits(0, 8), Bits(8, 8)


def mesh_texture_mask(game: Game) -> int:
    """Return the bits of a mesh face's texture word that are the index of an object texture."""
    return 0x7FFF if game.traits.has_double_sided_faces else 0xFFFF


def room_texture_mask(game: Game) -> int:
    """Return the bits of a room face's texture word that are the index of an object texture."""
    return 0x3FFF if game is Game.TR5 else mesh_texture_mask(game)


def texture_index(words: NDArray[Any], mask: int) -> NDArray[np.int64]:
    """Return which object textures words name, (n,).

    Args:
        words: (n,) texture words.
        mask: the bits that are the index, from :func:`mesh_texture_mask` or :func:`room_texture_mask`.
    """
    return words.astype(np.int64) & mask


def is_double_sided(words: NDArray[Any], mask: int) -> NDArray[np.bool_]:
    """Tell which faces are seen from both sides, (n,): none where that bit is a part of the index."""
    if mask & DOUBLE_SIDED.mask:
        return np.zeros(len(words), np.bool_)
    return DOUBLE_SIDED.of(words.astype(np.int64)) != 0


def marked_words(before: NDArray[Any], mask: int, double_sided: NDArray[Any]) -> NDArray[np.int64]:
    """Return words whose index is 0: with the marks that the words had, and seen from both sides or not.

    Args:
        before: (n,) what the words were.
        mask: the bits that are the index.
        double_sided: (n,) whether a face is seen from both sides, if words can say that.
    """
    marks = before.astype(np.int64) & ~mask & 0xFFFF
    return marks if mask & DOUBLE_SIDED.mask else DOUBLE_SIDED.put(marks, double_sided)


def color_index(words: NDArray[Any], game: Game) -> NDArray[np.int64]:
    """Return which entries of the palette that is shown faces of one color name, (n,)."""
    shown = _COLOR_16 if game.traits.has_16bit_pages else _COLOR_8
    return shown.of(words.astype(np.int64))


def color_words(index: NDArray[np.int64], index_8bit: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the words of faces of one color, (n,).

    Args:
        index: (n,) entries of the palette that is shown.
        index_8bit: (n,) entries of the palette for 8 bits, from TR2 on, where it is another.
    """
    return index if index_8bit is None else _COLOR_16.put(index_8bit, index)
