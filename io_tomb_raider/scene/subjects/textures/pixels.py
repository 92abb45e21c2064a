"""Conversion of Blender images to arrays of bytes, top row first as in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Image
from mathutils import Color
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import T, file_content, read_file
from ....formats.levels.textures import OLD_IMAGES, clear_magenta, decode_old_image
from ...core.blender.color import linear_to_bytes
from ...core.reporting.report import Report

_MOST_PIXELS = 1 << 26  # 8192 by 8192, a gigabyte of floats; small files may claim more
_CLEAR, _SOLID = 16, 240  # alpha that looks transparent below and opaque above
_AXES = np.eye(3)
_SCREEN = "sRGB"  # the color space of imported pages, and of most pictures


def read_pixels(image: Image, *, as_data: bool = False) -> NDArray[np.uint8]:
    """Return an image as RGBA (height, width, 4) uint8, with straight alpha.

    Colors are screen values, as Blender renders the image by its color space. With ``as_data``, for height
    maps, they are the values that its file stores.

    Raises:
        ExportError: where the image is a movie, has no pixels, as its file is missing, or too many.
    """
    if image.source in ("MOVIE", "SEQUENCE", "VIEWER"):
        raise ExportError(image.name, T("only still images can be exported to a level"))
    size = image.size
    pixels = image.pixels
    channels = image.channels
    width, height = size[0], size[1]
    count = width * height * channels
    if width * height > _MOST_PIXELS:
        problem = T("the image has far too many pixels: scale it down")
        raise ExportError(image.name, problem, count=width * height, limit=_MOST_PIXELS)
    if not count or len(pixels) != count:
        raise ExportError(image.name, T("the image has no pixels: its file is missing or damaged"))
    values = np.empty(count, np.float32)
    pixels.foreach_get(values)
    rows = values.reshape(height, width, channels)[::-1]
    if image.is_float:
        rows = _straight(image, rows)
    space = image.colorspace_settings
    # Blender converts floats to linear values when it reads the file, and bytes when it renders.
    if space.name == _SCREEN if as_data else image.is_float or space.name != _SCREEN:
        colors = channels - (channels in (2, 4))
        rows[..., :colors] = _screen_values(image, rows[..., :colors])
    rgba = np.full((height, width, 4), 255, np.uint8)
    # Values of byte images are whole 255ths, so adding a half is enough to round them.
    whole = (rows * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    rgba[..., :3] = whole[..., :3] if channels >= 3 else whole[..., :1]
    if channels in (2, 4):
        rgba[..., 3] = whole[..., -1]
    return rgba


def load_image(path: Path) -> NDArray[np.uint8]:
    """Return an image file as (h, w, 4) uint8 RGBA from the top.

    Raises:
        OSError, ValueError: if it cannot be read.
    """
    if read_file(path, 2) in OLD_IMAGES and (result := decode_old_image(file_content(path))) is not None:
        return result
    try:
        image = bpy.data.images.load(str(path))
    except RuntimeError as error:
        raise ValueError(str(error).strip()) from None
    try:
        return read_pixels(image)
    except ExportError as error:
        raise ValueError(error.problem) from None
    finally:
        bpy.data.images.remove(image)


def with_holes(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a picture, (h, w, 4) RGBA, with holes where it is magenta, if it has no transparency.

    Old tile sets mark holes by (255, 0, 255). The same array is returned if there are none.
    """
    return clear_magenta(pixels) if (pixels[..., 3] == 255).all() else pixels


def has_other_color_space(image: Image) -> bool:
    """Return whether a user chose a color space other than that of imported pages.

    Files of other color configurations do not offer that one: there, no color space is a choice.
    """
    name: Any = image.colorspace_settings.bl_rna.properties["name"]
    return image.colorspace_settings.name != _SCREEN and _SCREEN in name.enum_items


def _straight(image: Image, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float pixels without infinite values and without premultiplied alpha."""
    rows = np.nan_to_num(rows, nan=0.0, posinf=1.0, neginf=0.0)
    colors = rows.shape[2] - (rows.shape[2] in (2, 4))
    if colors < rows.shape[2] and image.alpha_mode in ("STRAIGHT", "PREMUL"):
        alpha = rows[..., -1:]
        rows[..., :colors] /= np.where(alpha > 0, alpha, 1)
    return np.clip(rows, 0, 1)


def _screen_values(image: Image, colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the screen values, 0 to 1, that Blender renders for colors of an image, (h, w, 1 or 3)."""
    if not image.is_float and not image.colorspace_settings.is_data:
        colors = _scene_linear(colors, image.colorspace_settings.name)
    if colors.shape[2] == len(_AXES):
        # Blender 5 can render in a color space with other primaries than screens.
        to_screen = np.array([Color(axis).from_scene_linear_to_rec709_linear() for axis in _AXES])
        if not np.allclose(to_screen, _AXES, atol=1e-4):
            colors = colors @ to_screen.astype(np.float32)
    return (linear_to_bytes(colors) / 255).astype(np.float32)


def _scene_linear(colors: NDArray[np.float32], space: str) -> NDArray[np.float32]:
    """Return colors, (height, width, 3), of one of Blender's color spaces in the space of rendering.

    Blender converts the floats of files only, so the colors become a packed file.
    """
    rows: NDArray[np.float32] = np.ones((*colors.shape[:2], 4), np.float32)
    flat: Any = rows.ravel()
    rows[..., :3] = colors
    image = bpy.data.images.new("", colors.shape[1], colors.shape[0], float_buffer=True, is_data=True)
    try:
        image.pixels.foreach_set(flat)
        image.pack()
        image.colorspace_settings.name = space  # reads the file again
        image.pixels.foreach_get(flat)
    finally:
        bpy.data.images.remove(image)
    return rows[..., :3]


def warn_of_half_transparent(report: Report, name: str, alphas: Iterable[NDArray[np.uint8]]) -> None:
    """Warn of pixels that are visibly neither opaque nor transparent."""
    count = sum(int(((alpha >= _CLEAR) & (alpha < _SOLID)).sum()) for alpha in alphas)
    if count:
        text = T(
            "{count} of its pixels are half transparent, which games do not support: from 50 % "
            "on they become opaque",
            count=count,
        )
        text = T("{text}, below that they become holes; only additive blending is translucent", text=text)
        report.warn(name, text)
