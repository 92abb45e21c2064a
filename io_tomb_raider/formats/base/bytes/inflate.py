"""Bounded inflating of zlib streams."""

from __future__ import annotations

import zlib

from ..errors import DAMAGED, ENDS_EARLY
from .cursor import Cursor

# Deflate can expand a thousandfold. Real levels stay below twenty times their file; small ones with blank
# pages exceed that, so a constant is added to the multiple.
INFLATED_BASE = 32 << 20
INFLATED_PER_BYTE = 16

# The start of zlib streams whose first block is stored, and not the last or also the last.
STORED_STREAMS = (b"\x78\x01\x00", b"\x78\x01\x01")


def inflate(cursor: Cursor, stream: memoryview, size: int | None) -> bytes:
    """Inflate a zlib stream of a file, up to a size that no real level exceeds.

    Raises FormatError if it is not a zlib stream, is truncated, or does not inflate to ``size`` bytes.
    """
    bound = INFLATED_BASE + INFLATED_PER_BYTE * len(cursor.data)
    if size is not None and size > bound:
        raise cursor.error(f"at most {bound} inflated bytes", str(size))
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(stream, (bound if size is None else size) + 1)
    except zlib.error as error:
        raise cursor.error("a zlib stream", str(error)) from None
    if not decompressor.eof or (size is not None and len(content) != size):
        expected = "a whole zlib stream" if size is None else f"a zlib stream of {size} bytes"
        is_cut = not decompressor.eof and (size is None or len(content) <= size)
        actual = f"{len(content)} bytes, {'' if decompressor.eof else 'not '}ended"
        raise cursor.error(expected, actual, problem=ENDS_EARLY if is_cut else DAMAGED)
    return content


def inflate_whole(data: bytes, section: str) -> bytes:
    """Inflate data that is one zlib stream, see :func:`inflate`.

    Raises FormatError as for :func:`inflate`, with the name of the section.
    """
    cursor = Cursor(data)
    cursor.section = section
    return inflate(cursor, memoryview(data), None)
