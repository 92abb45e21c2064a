"""Conversion of Blender images to arrays of bytes, top row first as in files."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats import ExportError
from ...core.color import linear_to_bytes
from ...core.report import Report

_MOST_PIXELS = 1 << 26  # 8192 by 8192, a gigabyte of floats; small files may claim more
_CLEAR, _SOLID = 16, 240  # alpha that looks transparent below and opaque above


def read_pixels(image: Image) -> NDArray[np.uint8]:
    """Return an image as RGBA (height, width, 4) uint8 in screen values, with straight alpha.

    Raises:
        ExportError: where the image is a movie, has no pixels, as its file is missing, or too many.
    """
    if image.source in ("MOVIE", "SEQUENCE", "VIEWER"):
        raise ExportError(image.name, "only still images can be written into a level")
    size = image.size
    pixels = image.pixels
    channels = image.channels
    width, height = size[0], size[1]
    count = width * height * channels
    if width * height > _MOST_PIXELS:
        raise ExportError(
            image.name,
            "the image has far too many pixels: scale it down",
            count=width * height,
            limit=_MOST_PIXELS,
        )
    if not count or len(pixels) != count:
        raise ExportError(image.name, "the image has no pixels: its file is missing or damaged")
    values = np.empty(count, np.float32)
    pixels.foreach_get(values)
    rows = values.reshape(height, width, channels)[::-1]
    if image.is_float:
        rows = _screen_values(image, rows)
    rgba = np.full((height, width, 4), 255, np.uint8)
    # Values of byte images are whole 255ths, so adding a half is enough to round them.
    whole = (rows * np.float32(255) + np.float32(0.5)).astype(np.uint8)
    rgba[..., :3] = whole[..., :3] if channels >= 3 else whole[..., :1]
    if channels in (2, 4):
        rgba[..., 3] = whole[..., -1]
    return rgba


def _screen_values(image: Image, rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert float pixels, linear and premultiplied, to screen values 0 to 1."""
    rows = np.nan_to_num(rows, nan=0.0, posinf=1.0, neginf=0.0)
    colors = rows.shape[2] - (rows.shape[2] in (2, 4))
    if colors < rows.shape[2] and image.alpha_mode in ("STRAIGHT", "PREMUL"):
        alpha = rows[..., -1:]
        rows[..., :colors] /= np.where(alpha > 0, alpha, 1)
    if image.colorspace_settings.name != "Non-Color":
        rows[..., :colors] = linear_to_bytes(rows[..., :colors]) / np.float32(255)
    return np.clip(rows, 0, 1)


def warn_of_half_transparent(report: Report, name: str, alphas: Iterable[NDArray[np.uint8]]) -> None:
    """Warn of pixels that are visibly neither opaque nor transparent."""
    count = sum(int(((alpha >= _CLEAR) & (alpha < _SOLID)).sum()) for alpha in alphas)
    if count:
        text = (
            f"{count} of its pixels are half transparent, which no game knows: from 50 % on they are opaque"
        )
        report.warn(name, f"{text}, below that they are holes; additive blending is all that is translucent")
