"""Sound details: which samples they play, and how (documentation, chapter 8.3).

Details name a run of samples: where it begins in the level's list, and how many follow. See
:mod:`.arrangement` for how that list is made anew.
"""

from __future__ import annotations

import numpy as np

from ..base.bits import Bits
from ..errors import ExportError
from ..games import Game

MOST_SAMPLES = 63  # of one sound
_SAMPLES = Bits(2, 6)  # of the flags: how many there are
LOOP = Bits(0, 2)  # of the flags: one of :data:`LOOP_MODES`
NO_PAN, RANDOM_PITCH, RANDOM_VOLUME = 0x1000, 0x2000, 0x4000
LARGEST_INDEX = 0xFFFF  # of a sample in the list

# What the two lowest bits of flags mean: TR1 counts otherwise than the rest.
LOOP_MODES = {
    Game.TR1: ("WAIT", "RESTART", "LOOP", "UNKNOWN"),
    **{game: ("ONCE", "WAIT", "RESTART", "LOOP") for game in tuple(Game)[1:]},
}

# How many samples the original engines have room for.
ENGINE_SAMPLES = {Game.TR1: 256, Game.TR2: 370, Game.TR3: 500, Game.TR4: 256, Game.TR5: 256}


def most_volume(game: Game) -> int:
    """Return what the volume and the chance of a sound count up to."""
    return 0xFF if game.traits.has_sound_range else 0x7FFF


def run_of(record: np.void) -> range:
    """Return which samples of the level's list a record of sound details plays."""
    first = int(record["sample"])
    return range(first, first + _SAMPLES.of(int(record["flags"])))


def flags_of(record: np.void) -> int:
    """Return the flags of a record of sound details without the number of its samples."""
    return _SAMPLES.put(int(record["flags"]), 0)


def put_run(record: np.void, first: int, count: int, subject: str) -> None:
    """Set which samples a record of sound details plays.

    Raises:
        ExportError: where they are too many, or lie too far behind.
    """
    if count > MOST_SAMPLES:
        raise ExportError(subject, "too many samples", count=count, limit=MOST_SAMPLES)
    if first > LARGEST_INDEX:
        raise ExportError("Samples", "too many samples", count=first, limit=LARGEST_INDEX)
    record["sample"] = first
    record["flags"] = _SAMPLES.put(int(record["flags"]), count)
