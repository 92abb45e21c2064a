"""Effects of room vertices: bits of their attributes (documentation, chapter 3.2.1), and water schemes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.games import Game

STRENGTH = 0x1F  # bits of TR2: how far a light mode changes the light of a vertex
NEUTRAL = 16  # the strength with which a light mode changes nothing
CHOSEN = 0x10000  # beyond the word: its bits were set, though all of them are 0
UNSET = -1  # instead of a word: that of new vertices counts
_WORD = 0xFFFF
_BITS = {"WAVES": 0x2000, "CAUSTICS": 0x4000, "STILL": 0x8000}
_LEAST_SCHEME = 5  # the water scheme that compilers choose by default
_SHIMMERS = (63, 32, 64, 96, 127)  # of the first water schemes
_STEPS = ((-31, 4, 16), (-63, 8, 53), (-95, 12, 90), (-127, 16, 127))  # shimmer, glow, height of the others


def effect_bits(game: Game) -> dict[str, int]:
    """Return the effects that vertices of a game can have, and their bits, by name."""
    traits = game.traits
    if not traits.has_vertex_attributes:
        return {}
    is_known = {"WAVES": traits.has_color_light, "CAUSTICS": traits.has_color_light}
    is_known["STILL"] = traits.has_light_mode
    return {name: bit for name, bit in _BITS.items() if is_known[name]}


def has_strength(game: Game) -> bool:
    """Return whether vertices of a game have a strength for light modes; later games ignore it."""
    return game.traits.has_second_light


def new_attributes(game: Game) -> int:
    """Return the attributes of new vertices."""
    return NEUTRAL if has_strength(game) else 0


def attribute_word(value: int) -> int:
    """Return the word of attributes in a scene."""
    return value & _WORD


def attribute_words(values: NDArray[np.int32], game: Game) -> NDArray[np.int32]:
    """Return the words of attributes in a scene, (n,)."""
    return np.where(values == UNSET, new_attributes(game), values & _WORD).astype(np.int32)


def changed_attributes(
    values: NDArray[np.int32],
    rows: NDArray[np.bool_],
    add: NDArray[Any] | int,
    remove: NDArray[Any] | int,
    game: Game,
) -> NDArray[np.int32]:
    """Return attributes in a scene, (n,), with other bits.

    Args:
        values: (n,) the attributes. Those of new vertices may be 0.
        rows: (n,) which of them.
        add: the bits to set, of each vertex (n,) or of all.
        remove: the bits to clear before, likewise.
    """
    words = np.where(values == 0, new_attributes(game), values & _WORD)
    words = words & ~np.asarray(remove) | np.asarray(add)
    return np.where(rows, np.where((words == 0) & has_strength(game), CHOSEN, words), values).astype(np.int32)


def surface_scheme(game: Game) -> int:
    """Return the water scheme of rooms above water, 0 for games without."""
    return _LEAST_SCHEME if game.traits.has_reverb and "WAVES" in effect_bits(game) else 0


class WaterMotion(NamedTuple):
    """The motion of water in TR3 and TR4."""

    height: int  #: how far vertices with waves move up and down, in units.
    shimmer: int  #: how far light changes, of 255; negative if it starts with darkening.
    glow: int  #: light that is added.


def water_motion(scheme: int) -> WaterMotion:
    """Return the motion of a room with a water scheme. Engines have 21; larger numbers count as the last."""
    if scheme < _LEAST_SCHEME:
        glow = {1: -24, 3: 32, 4: 64}.get(scheme, 0)
        return WaterMotion(0 if scheme else 16, _SHIMMERS[scheme], glow)
    high, low = divmod(min(scheme, _LEAST_SCHEME + 15) - _LEAST_SCHEME, 4)
    return WaterMotion(_STEPS[high][2], _STEPS[low][0], 8 * _STEPS[low][1])
