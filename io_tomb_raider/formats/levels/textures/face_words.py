"""The texture word of faces: their object texture or color (documentation, chapters 3.2.1, 5.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import Bits
from ...base.games import Game

DOUBLE_SIDED = Bits(15)  # TR3 and later: the face is visible from both sides
# From TR2 on, the color of a face is an index into each of two palettes.
_COLOR_8, _COLOR_16 = Bits(0, 8), Bits(8, 8)


def mesh_texture_mask(game: Game) -> int:
    """Return the bits of a mesh face's texture word that hold the object texture index."""
    return 0x7FFF if game.traits.has_double_sided_faces else 0xFFFF


def room_texture_mask(game: Game) -> int:
    """Return the bits of a room face's texture word that hold the object texture index."""
    return 0x3FFF if game.traits.has_face_marks else mesh_texture_mask(game)


def texture_index(words: NDArray[Any], mask: int) -> NDArray[np.int64]:
    """Return the object texture indices of words, (n,).

    The mask is that of :func:`mesh_texture_mask` or :func:`room_texture_mask`.
    """
    return words.astype(np.int64) & mask


def is_double_sided(words: NDArray[Any], mask: int) -> NDArray[np.bool_]:
    """Return which faces are double-sided, (n,): none if that bit belongs to the index."""
    if mask & DOUBLE_SIDED.mask:
        return np.zeros(len(words), np.bool_)
    return DOUBLE_SIDED.of(words.astype(np.int64)) != 0


def marked_words(before: NDArray[Any], mask: int, double_sided: NDArray[Any]) -> NDArray[np.int64]:
    """Return words, (n,), with index 0 that keep the old flags except for the double-sided bit, if any."""
    marks = before.astype(np.int64) & ~mask & 0xFFFF
    return marks if mask & DOUBLE_SIDED.mask else DOUBLE_SIDED.put(marks, double_sided)


def color_index(words: NDArray[Any], game: Game) -> NDArray[np.int64]:
    """Return the entries of flat-colored faces in the displayed palette, (n,)."""
    bits = _COLOR_16 if game.traits.has_16bit_pages else _COLOR_8
    return bits.of(words.astype(np.int64))


def color_words(index: NDArray[np.int64], index_8bit: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return the words of flat-colored faces, (n,).

    Args:
        index: (n,) entries of the displayed palette.
        index_8bit: (n,) entries of the 8-bit palette, from TR2 on, if it is another one.
    """
    return index if index_8bit is None else _COLOR_16.put(index_8bit, index)
