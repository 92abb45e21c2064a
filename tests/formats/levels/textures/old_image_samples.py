"""Made-up GIF and run-length encoded BMP files."""

from __future__ import annotations

from struct import pack

import numpy as np
from numpy.typing import NDArray

COLORS = bytes((0, 0, 0, 200, 80, 40, 10, 20, 30, 255, 255, 255))


def lzw(values: list[int], bits: int) -> bytes:
    """Return values as a writer of GIF compresses them."""
    clear = 1 << bits
    table: dict[tuple[int, ...], int] = {(number,): number for number in range(clear)}
    codes, width = [(clear, bits + 1)], bits + 1
    now: tuple[int, ...] = ()
    free = clear + 2
    for value in values:
        longer = (*now, value)
        if longer in table:
            now = longer
            continue
        codes.append((table[now], width))
        if free < 4096:
            table[longer] = free
            free += 1
            width += free > 1 << width and width < 12
        else:
            codes.append((clear, width))
            table = {(number,): number for number in range(clear)}
            free, width = clear + 2, bits + 1
        now = (value,)
    codes += [(table[now], width), (clear + 1, width + (free == 1 << width and width < 12))]
    number = filled = 0
    for code, size in codes:
        number |= code << filled
        filled += size
    return number.to_bytes(-(-filled // 8), "little")


def gif(values: NDArray[np.int64], *, interlaced: bool = False, transparent: int = -1) -> bytes:
    """Return a GIF of four colors, at (1, 1) of an image that is one pixel larger to the left and top."""
    height, width = values.shape
    head = b"GIF89a" + pack("<2H3B", width + 1, height + 1, 0x81, 0, 0) + COLORS
    control = b"\x21\xf9\x04" + bytes((int(transparent >= 0), 0, 0, max(transparent, 0), 0))
    rows = [*range(height)]
    if interlaced:
        rows = [*rows[::8], *rows[4::8], *rows[2::4], *rows[1::2]]
    packed = lzw(values[rows].ravel().tolist(), 2)
    blocks = b"".join(
        bytes((len(packed[at : at + 255]),)) + packed[at : at + 255] for at in range(0, len(packed), 255)
    )
    frame = b"," + pack("<4HB", 1, 1, width, height, 0x40 * interlaced) + b"\2" + blocks + b"\0"
    return head + control + frame + frame + b";"


def bmp(bits: int, codes: bytes, width: int = 6, height: int = 3) -> bytes:
    """Return a BMP with RLE, its colors are its numbers."""
    colors = b"".join(bytes((number, number, number, 0)) for number in range(1 << bits))
    form = 1 if bits == 8 else 2
    info = pack("<I2i2H6I", 40, width, height, 1, bits, form, len(codes), 0, 0, 0, 0)
    return b"BM" + pack("<3I", 54 + len(colors) + len(codes), 0, 54 + len(colors)) + info + colors + codes
