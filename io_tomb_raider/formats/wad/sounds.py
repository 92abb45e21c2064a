"""The sounds that belong to a WAD of the level editor: SFX files, in the records of levels (chapter 8).

The names of the wave files stand in a SAM, see :mod:`.names`.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from ..base.cursor import Cursor
from ..base.layout import Array, Counted, Remainder, Section, join_sections, read_sections
from ..base.records import I16, SOUND_DETAILS_TR3, U32
from ..errors import FormatError
from .wad import file_content

# How many sounds there are in the files that go with WADs of version 129, and of version 130.
SOUND_MAP_SIZES = (370, 2048)


def _layout(sounds: int) -> tuple[Section, ...]:
    return (
        Array("sound_map", I16, sounds),
        Counted("sound_details", SOUND_DETAILS_TR3),
        Counted("sample_indices", U32),
        Remainder("footer"),
    )


class Sfx:
    """An SFX, section by section. Arrays that were read are read-only views of the file's bytes."""

    sound_map: NDArray[np.int16]  # (370,) or (2048,): for every sound the index of its details, -1 for none
    sound_details: NDArray[np.void]  # SOUND_DETAILS_TR3
    sample_indices: NDArray[np.uint32]
    footer: NDArray[np.uint8]  # uint8: some tools leave twelve bytes

    def to_bytes(self) -> bytes:
        """Return the file. What was read and not edited comes out byte for byte.

        Raises:
            ExportError: where an edited section does not fit the file's fields.
        """
        return join_sections(_layout(len(self.sound_map)), self)


def read_sfx(source: str | os.PathLike[str] | bytes) -> Sfx:
    """Read an SFX from a file or from its bytes.

    Nothing in it says how many sounds it is for: the first number that leaves the least behind counts.

    Raises:
        FormatError: where it is none, or damaged.
        OSError: where the file cannot be read.
    """
    data = file_content(source)
    fitting: list[Sfx] = []
    errors: list[FormatError] = []
    for sounds in SOUND_MAP_SIZES:
        sfx = Sfx()
        try:
            read_sections(_layout(sounds), Cursor(data), sfx)
        except FormatError as error:
            errors.append(error)
            continue
        fitting.append(sfx)
    if not fitting:
        raise errors[0]
    return min(fitting, key=lambda sfx: len(sfx.footer))
