"""Blend modes of faces, and their effects word (documentation, chapters 5.3, 9.3).

The mode is in the object texture. Faces of meshes of TR4 and TR5 have an effects word, too.
"""

from __future__ import annotations

from enum import IntEnum

from ...base.bytes.bits import Bits
from ...base.games import Game


class BlendMode(IntEnum):
    """The ``attribute`` of an object texture; games have more modes, which few levels use."""

    OPAQUE = 0
    COLOR_KEYED = 1
    ADDITIVE = 2  # TR3 and later


def most_blending(game: Game, *, trx: bool = False) -> int:
    """Return the highest blend mode of a game, or of TRX in its place. TR4 and TR5 have further modes."""
    if game.traits.has_effects:
        return 0xFFFF
    return BlendMode.ADDITIVE if game.traits.has_additive_blending or trx else BlendMode.COLOR_KEYED


# Of the effects word.
ADDITIVE_EFFECT = Bits(0)  # additive, whatever the texture's mode
SHINE_EFFECT = Bits(1)  # reflects the environment map
SHINE_STRENGTH = Bits(2, 5)  # in 32 steps; the games ignore the bit above, so files keep theirs
