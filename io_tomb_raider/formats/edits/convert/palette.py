"""Palette optimization: the best 255 colors for pictures (documentation, chapter 9.2)."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Floats
from ...levels.textures.textiles import U8Array

_ENTRIES = 256
_BITS = 6  # per component
_OPAQUE = 128
_ROUNDS = 4


def best_palette(pictures: U8Array, colors: U8Array, reserved: U8Array | None = None) -> U8Array:
    """Return the best palette of up to 255 colors for pictures and flat-colored faces.

    The box of colors with the widest spread is repeatedly cut at its mean. A few rounds of k-means follow.

    Args:
        pictures: (n, 256, 256, 4) uint8 RGBA. Transparent texels are ignored.
        colors: (k, 3) uint8, of faces.
        reserved: (r, 3) uint8, the first entries; by default a black one, the color key.

    Returns:
        (256, 3) uint8 in components of 6 bits.
    """
    points, weights = _histogram(pictures, colors)
    palette = np.zeros((_ENTRIES, 3), np.uint8)
    first = 1 if reserved is None else len(reserved)
    if reserved is not None:
        palette[:first] = reserved
    count = _ENTRIES - first
    if len(points) <= count:
        palette[first : len(points) + first] = points
        return palette
    middles = _cut(points, weights, count)
    for _ in range(_ROUNDS):
        middles = _moved(middles, points, weights)
    palette[first : len(middles) + first] = np.rint(middles)
    return palette


def _histogram(pictures: U8Array, colors: U8Array) -> tuple[Floats, Floats]:
    """Return the distinct colors in 6 bits, and the weight of each; face colors count as whole pages."""
    shift = 8 - _BITS
    pixels = pictures.reshape(-1, 4)
    opaque = np.concatenate([pixels[pixels[:, 3] >= _OPAQUE, :3], colors.reshape(-1, 3)]) >> shift
    codes = opaque.astype(np.int64) @ np.array([1 << 2 * _BITS, 1 << _BITS, 1])
    counts = np.bincount(codes, minlength=1 << 3 * _BITS)
    words = np.flatnonzero(counts)
    parts = [words >> 2 * _BITS, words >> _BITS & 63, words & 63]
    # Rare colors are visible, too, so importance grows with the root of the count.
    return np.stack(parts, axis=1).astype(np.float64), np.sqrt(counts[words].astype(np.float64))


def _cut(points: Floats, weights: Floats, count: int) -> Floats:
    boxes = [np.arange(len(points))]
    spreads = [_spread(points, weights)]
    while len(boxes) < count:
        widest = int(np.argmax([each.max() for each in spreads]))
        if spreads[widest].max() <= 0:
            break
        rows, axis = boxes[widest], int(spreads[widest].argmax())
        values = points[rows, axis]
        low = values <= np.average(values, weights=weights[rows])
        parts = [rows[low], rows[~low]]
        boxes[widest : widest + 1] = parts
        spreads[widest : widest + 1] = [_spread(points[part], weights[part]) for part in parts]
    return np.array([np.average(points[rows], axis=0, weights=weights[rows]) for rows in boxes])


def _spread(points: Floats, weights: Floats) -> Floats:
    """Return per component the sum of squared distances of weighted colors from their mean."""
    off = points - np.average(points, axis=0, weights=weights)
    return np.asarray((off**2 * weights[:, None]).sum(axis=0))


def _moved(middles: Floats, points: Floats, weights: Floats) -> Floats:
    nearest = np.concatenate(
        [
            ((middles**2).sum(axis=1) - 2 * part @ middles.T).argmin(axis=1)
            for part in np.array_split(points, len(points) // 8192 + 1)
        ]
    )
    total = np.bincount(nearest, weights, minlength=len(middles))
    sums = [np.bincount(nearest, points[:, axis] * weights, minlength=len(middles)) for axis in range(3)]
    return np.where(total[:, None] > 0, np.stack(sums, axis=1) / np.maximum(total, 1e-9)[:, None], middles)
