"""PAK files of TR4 and TR5 (documentation, chapter 13) and the pictures in them.

A PAK file is the size of its content and one zlib stream to the end of the file. Compressors differ, so the
stream is kept and written again while the content is unchanged. The documentation does not describe the
pictures: logos are 512 by 256 pixels of R, G, B, the games' screens 640 by 480 of 16 bits.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.cursor import Cursor
from ...base.bytes.inflate import inflate
from ...base.bytes.records import U16
from ...base.errors import ExportError, FormatError
from ...base.messages import T, joined

_SIZE = Struct("<I")
_LEVEL = 6  # the compression level of the level editor


@dataclass(frozen=True)
class Pak:
    """A PAK file: its content, and the compressed content. ``with_content`` makes another."""

    content: bytes
    stream: bytes

    @classmethod
    def of(cls, content: bytes) -> Pak:
        """Compress the content."""
        return cls(content, zlib.compress(content, _LEVEL))

    def with_content(self, content: bytes) -> Pak:
        """Return a file with this content: the same one if nothing differs."""
        return self if content == self.content else Pak.of(content)

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read.

        Raises:
            ExportError: if the content is too large for its size field.
        """
        if len(self.content) >> 32:
            raise ExportError(T("PAK file"), T("too large"), count=len(self.content), limit=0xFFFFFFFF)
        return _SIZE.pack(len(self.content)) + self.stream


def read_pak(data: bytes) -> Pak:
    """Read a PAK file.

    Raises FormatError if it is not a PAK file, is damaged, or would inflate to more than any real one.
    """
    cursor = Cursor(data)
    cursor.section = T("PAK file")
    (size,) = cursor.fields(_SIZE)
    stream = memoryview(data)[cursor.offset :]
    return Pak(inflate(cursor, stream, size), bytes(stream))


class PictureKind(NamedTuple):
    """The size of a picture, and the bytes of a pixel: 3 for R, G, B, 2 for X1R5G5B5."""

    width: int
    height: int
    pixel_size: int

    @property
    def size(self) -> int:
        """The number of bytes of a picture."""
        return self.width * self.height * self.pixel_size


LOGO = PictureKind(512, 256, 3)
SCREEN = PictureKind(640, 480, 2)
PICTURE_KINDS = (LOGO, SCREEN)


def picture_kind(content: bytes) -> PictureKind:
    """Return the kind of picture in a PAK file, by its size.

    Raises FormatError if no picture has this size.
    """
    for kind in PICTURE_KINDS:
        if len(content) == kind.size:
            return kind
    sizes = joined(
        T(" or "), (f"{kind.size} bytes ({kind.width} by {kind.height})" for kind in PICTURE_KINDS)
    )
    problem = T("this is no picture of TR4 or TR5")
    raise FormatError("picture", sizes, f"{len(content)} bytes", offset=0, problem=problem)


def decode_picture(content: bytes) -> NDArray[np.uint8]:
    """Return a picture's pixels, (height, width, 3) uint8, R, G, B, the top row first.

    Raises FormatError if no picture has this size.
    """
    kind = picture_kind(content)
    if kind.pixel_size == 3:
        return np.frombuffer(content, np.uint8).reshape(kind.height, kind.width, 3)
    words = np.frombuffer(content, U16).reshape(kind.height, kind.width)
    fives = (np.stack([words >> 10, words >> 5, words], axis=-1) & 31).astype(np.uint8)
    return (fives << 3 | fives >> 2).astype(np.uint8)


def encode_picture(pixels: NDArray[np.uint8], original: bytes | None = None) -> bytes:
    """Return the content of a PAK file for a picture.

    Args:
        pixels: (height, width, 3) uint8, R, G, B, the top row first; of one of the existing sizes.
        original: the original content: unchanged pixels keep their bytes.

    Raises:
        ExportError: if the games have no pictures of this size.
    """
    height, width = pixels.shape[:2]
    kind = next((kind for kind in PICTURE_KINDS if (kind.width, kind.height) == (width, height)), None)
    if kind is None:
        sizes = (T("{width} by {height}", width=kind.width, height=kind.height) for kind in PICTURE_KINDS)
        problem = T(
            "is {width} by {height} pixels, and the games have {sizes}",
            width=width,
            height=height,
            sizes=joined(T(" or "), sizes),
        )
        raise ExportError("picture", problem)
    if kind.pixel_size == 3:
        return np.ascontiguousarray(pixels, np.uint8).tobytes()
    fives = pixels.astype(np.uint16) >> 3
    words = (fives[..., 0] << 10 | fives[..., 1] << 5 | fives[..., 2]).astype(U16)
    if original is not None and len(original) == kind.size:
        is_same = (decode_picture(original) == pixels).all(axis=-1)
        words[is_same] = np.frombuffer(original, U16).reshape(kind.height, kind.width)[is_same]
    return words.tobytes()
