"""SWD files: the sprites of a level editor WAD, with their own texture pages."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.cursor import Cursor
from ....base.bytes.files import file_content
from ....base.bytes.records import I16, SPRITE_SEQUENCE, U8, U16
from ....base.schema.fields import Field
from ....base.schema.sections import Counted, Remainder, join_sections, read_sections
from ....levels.textures.sprites import Sprites
from ....levels.textures.textiles import PAGE_SIZE
from .wad import WAD_VERSIONS, Version

SPRITE = np.dtype(
    [
        ("x", U8),
        ("y", U8),
        ("page", U16),
        ("width", U16),  # (pixels - 1) * 256
        ("height", U16),
        ("unused", I16, (4,)),
    ]
)
SWD: tuple[Field, ...] = (
    Version(WAD_VERSIONS),
    Counted("sprites", SPRITE),
    Counted("page_data", U8),
    Counted("sequences", SPRITE_SEQUENCE),
    Remainder("footer"),
)


class Swd:
    """An SWD, section by section. Tools write shorter content over longer: the footer keeps the remainder."""

    version: int
    sprites: NDArray[np.void]  # SPRITE
    page_data: NDArray[np.uint8]  # uint8, rows of 256 pixels of R, G, B; 256 rows to a page
    sequences: NDArray[np.void]
    footer: NDArray[np.uint8]

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read.

        Raises:
            ExportError: if an edited section does not fit the fields of the file.
        """
        return join_sections(SWD, self)


def read_swd(source: str | os.PathLike[str] | bytes) -> Swd:
    """Read an SWD from a file or from its bytes.

    Raises:
        FormatError: if it is not an SWD, or damaged.
        OSError: if the file cannot be read.
    """
    swd = Swd()
    read_sections(SWD, Cursor(file_content(source)), swd)
    return swd


def empty_swd(version: int) -> Swd:
    """Return an SWD without sprites."""
    swd = read_swd(b"\x81" + bytes(15))
    swd.version = version
    return swd


def decode_swd_sprites(sprites: NDArray[np.void]) -> Sprites:
    """Return page and rectangle of each sprite, clipped to the page."""
    position = np.stack([sprites["x"], sprites["y"]], axis=-1).astype(np.int64)
    size = (np.stack([sprites["width"], sprites["height"]], axis=-1).astype(np.int64) >> 8) + 1
    rect = np.concatenate([position, np.minimum(size, PAGE_SIZE - position)], axis=-1)
    return Sprites(sprites["page"].astype(np.int64), rect, None)


def encode_swd_sprites(page: Ints, rect: Ints) -> NDArray[np.void]:
    """Return records of sprites, as the inverse of :func:`decode_swd_sprites`.

    Args:
        page: (n,) the page of each.
        rect: (n, 4) left, top, width and height in pixels.
    """
    sprites = np.zeros(len(page), SPRITE)
    sprites["page"] = page
    sprites["x"], sprites["y"] = rect[:, 0], rect[:, 1]
    sprites["width"], sprites["height"] = ((rect[:, 2:] - 1) * PAGE_SIZE).T
    return sprites
