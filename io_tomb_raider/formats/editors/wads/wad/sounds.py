"""SFX files: the sounds of a level editor WAD, in the records of levels (chapter 8)."""

from __future__ import annotations

import numpy as np

from ....base.bytes.records import I16, U32

# The number of sounds in the files of WADs of version 129, and of version 130.
SOUND_MAP_SIZES = (370, 2048)


def empty_sfx(version: int) -> bytes:
    """Return the SFX of a WAD without sounds: a sound map, no details, and no sample indices."""
    sound_map = np.full(SOUND_MAP_SIZES[version > 129], -1, I16)
    return sound_map.tobytes() + np.zeros(2, U32).tobytes()
