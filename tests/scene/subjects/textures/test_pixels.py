"""Conversion of images of all kinds to bytes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError
from io_tomb_raider.scene.subjects.textures import pixels
from io_tomb_raider.scene.subjects.textures.pixels import read_pixels

from ...page_levels import user_image


def float_image(blender: ModuleType, pixel: tuple[float, float, float, float], is_data: bool = False) -> Any:
    image = blender.data.images.new("Float", 2, 1, alpha=True, float_buffer=True, is_data=is_data)
    image.pixels.foreach_set(np.array([pixel, (0, 0, 0, 1)], np.float32).ravel())
    return image


def test_bytes_come_as_they_are_with_the_top_row_first(blender: ModuleType) -> None:
    texels = np.random.default_rng(2).integers(0, 256, (5, 7, 4), np.uint8)
    assert np.array_equal(read_pixels(user_image(texels)), texels)


def test_all_256_values_survive(blender: ModuleType) -> None:
    texels = np.arange(256, dtype=np.uint8).repeat(4).reshape(16, 16, 4)
    assert np.array_equal(read_pixels(user_image(texels)), texels)


def test_linear_floats_become_screen_values(blender: ModuleType) -> None:
    assert read_pixels(float_image(blender, (0.2158605, 1, 0, 1)))[0, 0].tolist() == [128, 255, 0, 255]


def test_floats_are_freed_of_their_alpha(blender: ModuleType) -> None:
    image = float_image(blender, (0.2158605 / 2, 0.5, 0, 0.5))
    assert read_pixels(image)[0, 0].tolist() == [128, 255, 0, 128]
    image.alpha_mode = "CHANNEL_PACKED"
    assert read_pixels(image)[0, 0].tolist()[1] == 188


def test_values_beyond_the_screen_are_as_bright_as_it_gets(blender: ModuleType) -> None:
    image = float_image(blender, (float("inf"), 70, float("nan"), 1))
    assert read_pixels(image)[0, 0].tolist() == [255, 255, 0, 255]


def test_data_is_taken_as_it_stands(blender: ModuleType) -> None:
    image = float_image(blender, (0.5, 0.25, 1, 1), is_data=True)
    assert read_pixels(image)[0, 0].tolist() == [128, 64, 255, 255]


@pytest.mark.parametrize("channels", ["BW", "RGB", "RGBA"])
def test_files_of_other_channels(blender: ModuleType, tmp_path: Any, channels: str) -> None:
    texels = np.full((3, 2, 4), (90, 90, 90, 255), np.uint8)
    source: Any = user_image(texels)
    scene = blender.context.scene
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = channels
    scene.view_settings.view_transform = "Standard"
    source.save_render(str(tmp_path / "file.png"), scene=scene)
    assert np.array_equal(read_pixels(blender.data.images.load(str(tmp_path / "file.png"))), texels)


def test_films_are_refused(blender: ModuleType) -> None:
    image = blender.data.images.new("Film", 4, 4)
    image.source = "MOVIE"
    with pytest.raises(ExportError, match="Film: only still images"):
        read_pixels(image)


def test_far_too_many_pixels_are_not_asked_for(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "_MOST_PIXELS", 6)
    assert read_pixels(user_image(np.zeros((2, 3, 4), np.uint8))).shape == (2, 3, 4)
    with pytest.raises(ExportError) as caught:
        read_pixels(user_image(np.zeros((7, 1, 4), np.uint8)))
    assert (caught.value.count, caught.value.limit) == (7, 6)
