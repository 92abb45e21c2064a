"""Colours between the files' bytes, which are meant for the screen, and Blender's linear values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...formats import Game


def _linear(encoded: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


_LINEAR_OF_BYTE = _linear(np.arange(256) / 255).astype(np.float32)
# Half way between two bytes on the screen: what a linear colour is rounded by.
_BETWEEN_BYTES = _linear((np.arange(255) + 0.5) / 255).astype(np.float32)


def to_linear(screen: ArrayLike) -> NDArray[np.float64]:
    """Turn screen colours of any range, 1 full, into linear ones by the curve of sRGB."""
    values = np.asarray(screen, np.float64)
    return np.where(values <= 0.04045, values / 12.92, _linear(np.maximum(values, 0)))


def to_screen(linear: ArrayLike) -> NDArray[np.float64]:
    """Turn linear colours of any range into screen colours: the inverse of :func:`to_linear`."""
    values = np.asarray(linear, np.float64)
    curve = 1.055 * np.maximum(values, 0) ** (1 / 2.4) - 0.055
    return np.where(values <= 0.0031308, values * 12.92, curve)


def bytes_to_linear(values: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Turn screen colours into linear ones, any shape, by the curve of sRGB."""
    return _LINEAR_OF_BYTE[values]


def linear_to_bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Turn linear colours into screen colours: the exact inverse of :func:`bytes_to_linear`."""
    return np.searchsorted(_BETWEEN_BYTES, values).astype(np.uint8)


# Vertex light. In all games half brightness leaves a texture as it is; the material doubles it.


def light_to_gray(light: NDArray[Any]) -> NDArray[np.uint8]:
    """Turn the light of TR1, TR2 and of meshes, 0 bright to 8191 dark, into screen brightness."""
    clipped = np.clip(light.astype(np.int32), 0, 8191)
    return ((8191 - clipped) * 255 // 8191).astype(np.uint8)


def gray_to_light(gray: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Turn screen brightness into light; what :func:`light_to_gray` gives for it is the same again."""
    return 8191 - (gray.astype(np.int32) * 8191 + 254) // 255


def rgb555_to_bytes(color: NDArray[Any]) -> NDArray[np.uint8]:
    """Turn colours of TR3 and TR4, shape (n,), into screen colours (n, 3), as the engines expand them."""
    word = color.astype(np.int32)
    return (np.stack((word >> 10, word >> 5, word), axis=-1) << 3 & 0xF8).astype(np.uint8)


def bytes_to_rgb555(rgb: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Turn screen colours (n, 3) into the nearest of those that TR3 and TR4 hold."""
    parts = np.minimum((rgb.astype(np.int32) + 4) >> 3, 31)
    return parts[..., 0] << 10 | parts[..., 1] << 5 | parts[..., 2]


def argb_to_bytes(color: NDArray[Any]) -> NDArray[np.uint8]:
    """Turn colours of TR5, shape (n,) uint32, into screen colours (n, 3)."""
    word = color.astype(np.int64)
    return (np.stack((word >> 16, word >> 8, word), axis=-1) & 0xFF).astype(np.uint8)


def bytes_to_argb(rgb: NDArray[np.uint8], alpha: NDArray[Any] | int = 0xFF) -> NDArray[np.int64]:
    """Turn screen colours (n, 3) into TR5's."""
    parts = rgb.astype(np.int64)
    return np.asarray(alpha, np.int64) << 24 | parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]


def has_color_light(game: Game) -> bool:
    """Tell whether rooms of the game are lit in colours."""
    return game >= Game.TR3
