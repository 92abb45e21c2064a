"""Light and colors of vertices, rooms and placed meshes, and their conversion to screen colors.

Documentation, chapters 3.2.1 and 3.2.5. In all games half brightness leaves a texture unchanged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .bits import Bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

DARKEST = 8191  # light of TR1, TR2 and of meshes; the brightest is 0
NEUTRAL_SHADE = 4096  # of placed meshes in TR1 and TR2: leaves vertex light unchanged
FULL_RGB555 = 31  # of one component
NEUTRAL_TINT = 16  # of one component: leaves a mesh unchanged
_RGB555 = (Bits(10, 5), Bits(5, 5), Bits(0, 5))
_TINT = (Bits(0, 5), Bits(5, 5), Bits(10, 5))  # red is in the low bits, unlike in vertices
_ARGB = (Bits(16, 8), Bits(8, 8), Bits(0, 8))
_ALPHA = Bits(24, 8)


def light_to_gray(light: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert the light of TR1, TR2 and of meshes, 0 (bright) to 8191 (dark), to screen brightness."""
    clipped = np.clip(light.astype(np.int32), 0, DARKEST)
    return ((DARKEST - clipped) * 255 // DARKEST).astype(np.uint8)


def gray_to_light(gray: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Convert screen brightness to light, as the inverse of :func:`light_to_gray`."""
    return DARKEST - (gray.astype(np.int32) * DARKEST + 254) // 255


def rgb555_to_bytes(color: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert colors of TR3 and TR4, shape (n,), to screen colors (n, 3), as the engines expand them."""
    word = color.astype(np.int32)
    return (np.stack([part.of(word) for part in _RGB555], axis=-1) << 3).astype(np.uint8)


def bytes_to_rgb555(rgb: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Convert screen colors (n, 3) to the nearest colors of TR3 and TR4."""
    parts = np.minimum((rgb.astype(np.int32) + 4) >> 3, FULL_RGB555)
    return parts[..., 0] << 10 | parts[..., 1] << 5 | parts[..., 2]


def split_tint(word: int) -> tuple[int, int, int]:
    """Return red, green and blue, each 0 to 31, of the tint of a placed static mesh or an entity."""
    red, green, blue = (part.of(word) for part in _TINT)
    return red, green, blue


def put_tint(word: int, parts: tuple[int, int, int]) -> int:
    """Return the word with another tint, see :func:`split_tint`; its highest bit is kept."""
    for bits, part in zip(_TINT, parts, strict=True):
        word = bits.put(word, part)
    return word


def argb_to_bytes(color: NDArray[Any]) -> NDArray[np.uint8]:
    """Convert colors of TR5, shape (n,) uint32, to screen colors (n, 3)."""
    word = color.astype(np.int64)
    return np.stack([part.of(word) for part in _ARGB], axis=-1).astype(np.uint8)


def bytes_to_argb(rgb: NDArray[np.uint8], alpha: NDArray[Any] | int = 0xFF) -> NDArray[np.int64]:
    """Convert screen colors (n, 3) to colors of TR5."""
    parts = rgb.astype(np.int64)
    return np.asarray(alpha, np.int64) << 24 | parts[..., 0] << 16 | parts[..., 1] << 8 | parts[..., 2]


def alpha_of(color: NDArray[Any]) -> NDArray[np.int64]:
    """Return the alpha of colors of TR5, 0 to 255."""
    return _ALPHA.of(color.astype(np.int64))
