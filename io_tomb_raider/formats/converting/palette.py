"""A palette for pictures: the 255 colors that show them best (documentation, chapter 9.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..textures.textiles import U8Array

_COLORS = 255  # entry 0 is the color key
_BITS = 6  # of a component
_OPAQUE = 128
_ROUNDS = 4


def best_palette(pictures: U8Array, colors: U8Array) -> U8Array:
    """Return a palette that shows pictures, and faces of one color, as well as 255 colors can.

    The box of colors with the widest spread is cut at its mean again and again; then every color goes to
    the nearest middle, and the middles follow, a few times.

    Args:
        pictures: (n, 256, 256, 4) uint8 RGBA. What is transparent does not count.
        colors: (k, 3) uint8, that faces have.

    Returns:
        (256, 3) uint8 in components of 6 bits; entry 0 is black.
    """
    points, weights = _histogram(pictures, colors)
    palette = np.zeros((_COLORS + 1, 3), np.uint8)
    if len(points) <= _COLORS:
        palette[1 : len(points) + 1] = points
        return palette
    middles = _cut(points, weights)
    for _ in range(_ROUNDS):
        middles = _moved(middles, points, weights)
    palette[1 : len(middles) + 1] = np.rint(middles)
    return palette


def _histogram(pictures: U8Array, colors: U8Array) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the colors that there are, in 6 bits, and how often each one is there, faces as whole pages."""
    shift = 8 - _BITS
    pixels = pictures.reshape(-1, 4)
    shown = np.concatenate([pixels[pixels[:, 3] >= _OPAQUE, :3], colors.reshape(-1, 3)]) >> shift
    words = shown.astype(np.int64) @ np.array([1 << 2 * _BITS, 1 << _BITS, 1])
    counts = np.bincount(words, minlength=1 << 3 * _BITS)
    found = np.flatnonzero(counts)
    parts = [found >> 2 * _BITS, found >> _BITS & 63, found & 63]
    # A color of a few pixels is seen, too: what is there ten times as often is not ten times as important.
    return np.stack(parts, axis=1).astype(np.float64), np.sqrt(counts[found].astype(np.float64))


def _cut(points: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    boxes = [np.arange(len(points))]
    spreads = [_spread(points, weights)]
    while len(boxes) < _COLORS:
        worst = int(np.argmax([each.max() for each in spreads]))
        if spreads[worst].max() <= 0:
            break
        rows, axis = boxes[worst], int(spreads[worst].argmax())
        values = points[rows, axis]
        low = values <= np.average(values, weights=weights[rows])
        parts = [rows[low], rows[~low]]
        boxes[worst : worst + 1] = parts
        spreads[worst : worst + 1] = [_spread(points[part], weights[part]) for part in parts]
    return np.array([np.average(points[rows], axis=0, weights=weights[rows]) for rows in boxes])


def _spread(points: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by component how far weighted colors are from their mean, all together, squared."""
    off = points - np.average(points, axis=0, weights=weights)
    spread: NDArray[np.float64] = (off**2 * weights[:, None]).sum(axis=0)
    return spread


def _moved(
    middles: NDArray[np.float64], points: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    nearest = np.concatenate(
        [
            ((middles**2).sum(axis=1) - 2 * part @ middles.T).argmin(axis=1)
            for part in np.array_split(points, len(points) // 8192 + 1)
        ]
    )
    total = np.bincount(nearest, weights, minlength=len(middles))
    sums = [np.bincount(nearest, points[:, axis] * weights, minlength=len(middles)) for axis in range(3)]
    return np.where(total[:, None] > 0, np.stack(sums, axis=1) / np.maximum(total, 1e-9)[:, None], middles)
