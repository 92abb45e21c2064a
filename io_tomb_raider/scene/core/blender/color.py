"""Conversion between screen colors, as in the games' files, and Blender's linear colors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def _linear(encoded: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


_LINEAR_OF_BYTE = _linear(np.arange(256) / 255).astype(np.float32)
# Thresholds for rounding linear colors: the linear values halfway between two screen bytes.
_BETWEEN_BYTES = _linear((np.arange(255) + 0.5) / 255).astype(np.float32)


def to_linear(screen: ArrayLike) -> NDArray[np.float64]:
    """Return linear colors of screen colors of any shape and range, 1 is full, by the sRGB curve."""
    values = np.asarray(screen, np.float64)
    return np.where(values <= 0.04045, values / 12.92, _linear(np.maximum(values, 0)))


def to_screen(linear: ArrayLike) -> NDArray[np.float64]:
    """Return screen colors of linear colors: the inverse of :func:`to_linear`."""
    values = np.asarray(linear, np.float64)
    curve = 1.055 * np.maximum(values, 0) ** (1 / 2.4) - 0.055
    return np.where(values <= 0.0031308, values * 12.92, curve)


def bytes_to_linear(values: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return linear colors of screen colors of any shape, by the sRGB curve."""
    return _LINEAR_OF_BYTE[values]


def linear_to_bytes(values: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return screen colors of linear colors: the exact inverse of :func:`bytes_to_linear`."""
    return np.searchsorted(_BETWEEN_BYTES, values).astype(np.uint8)
