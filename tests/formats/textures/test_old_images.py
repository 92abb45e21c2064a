"""GIF and run-length encoded BMP, which Blender does not read as images."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.textures.old_images import decode_old_image

_COLORS = bytes((0, 0, 0, 200, 80, 40, 10, 20, 30, 255, 255, 255))


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
    head = b"GIF89a" + pack("<2H3B", width + 1, height + 1, 0x81, 0, 0) + _COLORS
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


@pytest.mark.parametrize("interlaced", [False, True])
def test_the_first_frame_of_a_gif(interlaced: bool) -> None:
    values = np.random.default_rng(3).integers(0, 4, (61, 77))
    values[20:40] = 1
    image = decode_old_image(gif(values, interlaced=interlaced, transparent=2))
    assert image is not None and image.shape == (62, 78, 4)
    colors = np.frombuffer(_COLORS, np.uint8).reshape(4, 3)
    shown = image[1:, 1:]
    np.testing.assert_array_equal(shown[..., 3], np.where(values == 2, 0, 255))
    np.testing.assert_array_equal(shown[values != 2][:, :3], colors[values[values != 2]])
    assert not image[0].any() and not image[:, 0].any()


def bmp(bits: int, codes: bytes, width: int = 6, height: int = 3) -> bytes:
    """Return a BMP with RLE, its colors are its numbers."""
    colors = b"".join(bytes((number, number, number, 0)) for number in range(1 << bits))
    form = 1 if bits == 8 else 2
    info = pack("<I2i2H6I", 40, width, height, 1, bits, form, len(codes), 0, 0, 0, 0)
    return b"BM" + pack("<3I", 54 + len(colors) + len(codes), 0, 54 + len(colors)) + info + colors + codes


def test_a_bmp_with_runs_of_bytes() -> None:
    codes = bytes((6, 9, 0, 0, 0, 3, 1, 2, 3, 0, 2, 7, 0, 0, 0, 2, 4, 0, 1, 5, 0, 1))
    image = decode_old_image(bmp(8, codes))
    assert image is not None
    assert image[..., 0].tolist() == [[0, 0, 0, 0, 5, 0], [1, 2, 3, 7, 7, 0], [9] * 6]
    assert (image[..., 3] == 255).all()


def test_a_bmp_with_runs_of_halves() -> None:
    image = decode_old_image(bmp(4, bytes((5, 0x12, 0, 0, 0, 5, 0x34, 0x56, 0x70, 0, 0, 1))))
    assert image is not None
    assert image[..., 0].tolist() == [[0] * 6, [3, 4, 5, 6, 7, 0], [1, 2, 1, 2, 1, 0]]


def test_other_files_are_left_to_blender() -> None:
    assert decode_old_image(b"\x89PNG\r\n\x1a\n") is None
    assert decode_old_image(bmp(8, b"")[:30] + b"\0" + bytes(40)) is None


@pytest.mark.parametrize("data", [gif(np.ones((9, 9), np.int64)), bmp(8, bytes((6, 9, 0, 0) * 3))])
def test_damaged_images_are_refused_or_read(data: bytes) -> None:
    random = np.random.default_rng(5)
    for place in range(len(data)):
        for each in (data[:place], data[:place] + random.bytes(2) + data[place + 2 :]):
            try:
                decode_old_image(each)
            except FormatError as error:
                assert error.expected and error.found
