"""Sound details: their samples and playback (documentation, chapter 8.3).

Details refer to a run of samples: its start in the level's list, and its length. See :mod:`.arrangement` for
changes of that list.
"""

from __future__ import annotations

import numpy as np

from ...base.bytes.bits import Bits
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from ...base.units import SECTOR_SIZE

MOST_SAMPLES = 63  # of one sound
SAMPLES = Bits(2, 6)  # of the flags: the number of samples
LOOP = Bits(0, 2)  # of the flags: one of :data:`LOOP_MODES`
NO_PAN, RANDOM_PITCH, RANDOM_VOLUME = 0x1000, 0x2000, 0x4000
LARGEST_INDEX = 0xFFFF  # of a sample in the list

# The meaning of the two lowest bits of flags, which is different in TR1.
LOOP_MODES = {
    Game.TR1: ("WAIT", "RESTART", "LOOP", "UNKNOWN"),
    **{game: ("ONCE", "WAIT", "RESTART", "LOOP") for game in tuple(Game)[1:]},
}


# Of sounds for TRX, in all games.
TRX_FULL = 0x7FFF  # the volume and the chance
TRX_RANGE = 10 * SECTOR_SIZE  # where none is stored


def scaled(value: int, old: int, new: int) -> int:
    """Return a volume or a chance on another scale. A chance of 0 always plays, so others do not become 0."""
    return min(max(round(value * new / old), 1 if value else 0), new)


def most_volume(game: Game) -> int:
    """Return the maximum of the volume and the chance of a sound."""
    return 0xFF if game.traits.has_sound_range else 0x7FFF


def run_of(record: np.void) -> range:
    """Return the samples of a record of sound details, in the level's list."""
    first = int(record["sample"])
    return range(first, first + SAMPLES.of(int(record["flags"])))


def flags_of(record: np.void) -> int:
    """Return the flags of a record of sound details without the number of its samples."""
    return SAMPLES.put(int(record["flags"]), 0)


def put_run(record: np.void, first: int, count: int, subject: str) -> None:
    """Set the samples of a record of sound details.

    Raises ExportError if there are too many, or the index is too large.
    """
    if count > MOST_SAMPLES:
        raise ExportError(subject, T("too many samples"), count=count, limit=MOST_SAMPLES)
    if first > LARGEST_INDEX:
        raise ExportError(T("Samples"), T("too many samples"), count=first, limit=LARGEST_INDEX)
    record["sample"] = first
    record["flags"] = SAMPLES.put(int(record["flags"]), count)
