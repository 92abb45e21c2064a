"""How faces are drawn over what is behind them, and the word of effects (documentation, chapters 5.3, 9.3).

The mode stands in the object texture. Faces of meshes of TR4 and TR5 have a word of effects besides.
"""

from __future__ import annotations

from enum import IntEnum

from ..base.bits import Bits


class BlendMode(IntEnum):
    """The ``attribute`` of an object texture; games know more of them, which few levels use."""

    OPAQUE = 0
    COLOR_KEYED = 1
    ADDITIVE = 2  # from TR3 on


# Of the word of effects.
ADDITIVE_EFFECT = Bits(0)  # drawn as additive, whatever the texture says
SHINE_EFFECT = Bits(1)  # reflects the environment map
SHINE_STRENGTH = Bits(2, 5)  # in 32 parts; the games leave out the bit above, so files keep theirs
