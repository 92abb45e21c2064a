"""SFX files: the sounds of a level editor WAD, in the records of levels (chapter 8)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.records import I16, SOUND_DETAILS_TR3, U32
from ....base.schema.fields import Field
from ....base.schema.sections import Array, Counted, Remainder, join_sections

# The number of sounds in the files of WADs of version 129, and of version 130.
SOUND_MAP_SIZES = (370, 2048)


def _layout(sounds: int) -> tuple[Field, ...]:
    return (
        Array("sound_map", I16, sounds),
        Counted("sound_details", SOUND_DETAILS_TR3),
        Counted("sample_indices", U32),
        Remainder("footer"),
    )


class Sfx:
    """An SFX, section by section."""

    sound_map: NDArray[np.int16]  # (370,) or (2048,): the index of each sound's details, -1 for none
    sound_details: NDArray[np.void]  # SOUND_DETAILS_TR3
    sample_indices: NDArray[np.uint32]
    footer: NDArray[np.uint8]  # uint8: some tools append twelve bytes

    def to_bytes(self) -> bytes:
        """Return the file.

        Raises:
            ExportError: if a section does not fit the fields of the file.
        """
        return join_sections(_layout(len(self.sound_map)), self)
