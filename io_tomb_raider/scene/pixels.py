"""Blender's images as arrays of bytes, top row first, as files and games have them."""

from __future__ import annotations

import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ..formats import ExportError
from .color import linear_to_bytes


def read_pixels(image: Image) -> NDArray[np.uint8]:
    """Return an image of any size and kind as RGBA (height, width, 4) uint8 in screen values, alpha straight.

    Raises:
        ExportError: where the image has no pixels: its file is missing, or it is a film.
    """
    if image.source in ("MOVIE", "SEQUENCE", "VIEWER"):
        raise ExportError(image.name, "only still images can be written into a level")
    width, height = int(image.size[0]), int(image.size[1])
    channels = image.channels
    count = width * height * channels
    if not count or len(image.pixels) != count:
        raise ExportError(image.name, "the image has no pixels: its file is missing or damaged")
    values = np.empty(count, np.float32)
    image.pixels.foreach_get(values)
    values = values.reshape(height, width, channels)[::-1]
    if image.is_float:
        values = np.nan_to_num(values, nan=0.0, posinf=1.0, neginf=0.0)
    color = values[..., :3] if channels >= 3 else values[..., :1]
    alpha = values[..., -1:] if channels in (2, 4) else np.ones(1, np.float32)
    # Blender keeps colours in bytes as they are on screen, those in floats linear and multiplied by alpha.
    if image.is_float and image.alpha_mode in ("STRAIGHT", "PREMUL"):
        color = color / np.where(alpha > 0, alpha, 1)
    is_linear = image.is_float and image.colorspace_settings.name != "Non-Color"
    rgba = np.empty((height, width, 4), np.uint8)
    rgba[..., :3] = linear_to_bytes(color) if is_linear else _to_bytes(color)
    rgba[..., 3:] = _to_bytes(alpha)
    return rgba


def _to_bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    return np.rint(np.clip(values, 0, 1) * np.float32(255)).astype(np.uint8)
