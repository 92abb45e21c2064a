"""GIF and run-length encoded BMP, which Blender does not read as images."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError
from io_tomb_raider.formats.levels.textures.old_images import decode_old_image

from .old_image_samples import COLORS, bmp, gif


@pytest.mark.parametrize("interlaced", [False, True])
def test_the_first_frame_of_a_gif(interlaced: bool) -> None:
    values = np.random.default_rng(3).integers(0, 4, (61, 77))
    values[20:40] = 1
    image = decode_old_image(gif(values, interlaced=interlaced, transparent=2))
    assert image is not None and image.shape == (62, 78, 4)
    colors = np.frombuffer(COLORS, np.uint8).reshape(4, 3)
    shown = image[1:, 1:]
    np.testing.assert_array_equal(shown[..., 3], np.where(values == 2, 0, 255))
    np.testing.assert_array_equal(shown[values != 2][:, :3], colors[values[values != 2]])
    assert not image[0].any() and not image[:, 0].any()


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
