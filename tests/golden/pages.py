"""Texture pages, palettes and the light map by hand (chapters 2.4.5 to 2.4.7, 9.2 and 9.8).

Pixels encode their position, so that swapped rows, columns, pages and channels show.
"""

from functools import cache
from struct import pack

from .words import Grid

SIZE = 256


def pages8(count: int) -> Grid:
    """Return tr_textile8: a palette index per pixel."""
    rows = [bytes((index8(page, row, column)) for column in range(SIZE))
            for page in range(count) for row in range(SIZE)]  # fmt: skip
    return Grid((count, SIZE, SIZE), b"".join(rows))


def index8(page: int, row: int, column: int) -> int:
    return (100 * page + 2 * row + column) & 255


def argb1555(page: int, row: int, column: int) -> int:
    """Return a pixel: every third is transparent; else red is the row, green the column, blue the page."""
    opaque = 0x8000 if (row + column) % 3 else 0
    return opaque | (row >> 3) << 10 | (column >> 3) << 5 | page + 1


def argb8888(page: int, row: int, column: int) -> int:
    """Return a pixel: alpha is the page, red the row, green the column, blue both."""
    return 0xF0 + page << 24 | row << 16 | column << 8 | (row ^ column)


@cache
def _page16(page: int) -> bytes:
    return pack("<65536H", *(argb1555(page, row, column) for row in range(SIZE) for column in range(SIZE)))


@cache
def _page32(page: int) -> bytes:
    return pack("<65536I", *(argb8888(page, row, column) for row in range(SIZE) for column in range(SIZE)))


def pages16(count: int) -> Grid:
    """Return tr_textile16: alpha in the highest bit, then five bits each of red, green and blue."""
    return Grid((count, SIZE, SIZE), b"".join(map(_page16, range(count))))


def pages32(count: int, first: int = 0) -> Grid:
    """Return tr4_textile32: 32 bits per pixel, alpha in the highest byte: the bytes are B, G, R, A."""
    return Grid((count, SIZE, SIZE, 4), b"".join(map(_page32, range(first, first + count))))


def color(entry: int) -> tuple[int, int, int]:
    return entry % 64, (entry + 21) % 64, (entry * 5 + 42) % 64


# tr_colour[256]: Red, Green, Blue of six bits
PALETTE = Grid((256, 3), b"".join(pack("BBB", *color(i)) for i in range(256)))

# tr_colour4[256]: Red, Green, Blue, Unused
PALETTE16 = Grid((256, 4), b"".join(pack("BBBB", i, 255 - i, i ^ 0x55, i * 3 & 255) for i in range(256)))

# LightMap: 32 rows, one per strength of light, of 256 entries, one per color of the palette
LIGHT_MAP = Grid(
    (32, 256), bytes((row * 9 + entry * 3 + 7) & 255 for row in range(32) for entry in range(256))
)
