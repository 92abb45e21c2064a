"""A canvas on which tiles of 64 x 64 pixels are painted, with four samples per pixel and axis."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats

SIZE = 64
_SAMPLES = 4

Color = tuple[float, float, float]
Point = tuple[float, float]


def smooth_noise(seed: int, cells: tuple[int, int], size: int = SIZE * _SAMPLES) -> Floats:
    """Return noise from -1 to 1 of some cells per axis (x, y), shape (size, size), that tiles."""
    values = np.random.default_rng(seed).uniform(-1, 1, (cells[1], cells[0]))
    rows, columns = ((np.arange(size) + 0.5) / size * count for count in (cells[1], cells[0]))
    result = np.zeros((size, size))
    low_row, low_column = rows.astype(int), columns.astype(int)
    part_row, part_column = rows - low_row, columns - low_column
    part_row, part_column = (part * part * (3 - 2 * part) for part in (part_row, part_column))
    for row_step in (0, 1):
        for column_step in (0, 1):
            row = (low_row + row_step) % cells[1]
            column = (low_column + column_step) % cells[0]
            weight = np.outer(
                part_row if row_step else 1 - part_row, part_column if column_step else 1 - part_column
            )
            result += values[np.ix_(row, column)] * weight
    return result


def _blurred(field: Floats, reach: int) -> Floats:
    """Return the mean of the samples within a square."""
    for axis in (0, 1):
        padding = [(reach + 1, reach) if each == axis else (0, 0) for each in (0, 1)]
        sums = np.cumsum(np.pad(field, padding, "edge"), axis=axis)
        size = field.shape[axis]
        high = np.take(sums, range(2 * reach + 1, 2 * reach + 1 + size), axis)
        field = (high - np.take(sums, range(size), axis)) / (2 * reach + 1)
    return field


class Canvas:
    """A picture under construction; places are in pixels of the tile, from its top left corner.

    Attributes:
        colors: (256, 256, 3), from 0 to 255.
        x, y: (256, 256), the places of all samples.
    """

    def __init__(self, color: Color) -> None:
        count = SIZE * _SAMPLES
        places = (np.arange(count) + 0.5) / _SAMPLES
        self.x, self.y = np.meshgrid(places, places)
        self.colors = np.empty((count, count, 3))
        self.colors[:] = color

    def paint(self, mask: Floats, color: Color, opacity: float = 1.0) -> Canvas:
        """Mix a color in where a mask (0 to 1) is."""
        part = np.clip(mask, 0, 1)[..., None] * opacity
        self.colors = self.colors * (1 - part) + np.array(color) * part
        return self

    def shade(self, factor: Floats | float, mask: Floats | None = None) -> Canvas:
        """Multiply all colors by a factor, optionally only where a mask is."""
        field = np.asarray(factor, np.float64)
        if mask is not None:
            field = 1 + (field - 1) * np.clip(mask, 0, 1)
        self.colors = self.colors * (field[..., None] if field.ndim else field)
        return self

    def grain(self, seed: int, cells: tuple[int, int], amount: float) -> Canvas:
        """Lighten and darken by noise of some cells per axis."""
        return self.shade(1 + amount * smooth_noise(seed, cells))

    def weave(self, seed: int, amount: float = 0.07) -> Canvas:
        """Add the texture of cloth: noise of single pixels, and of larger patches."""
        return (
            self.grain(seed, (64, 64), amount)
            .grain(seed + 1, (32, 32), amount)
            .grain(seed + 2, (6, 6), amount)
        )

    def ellipse_mask(self, center: Point, radii: Point, soft: float = 0.7) -> Floats:
        away = np.hypot((self.x - center[0]) / radii[0], (self.y - center[1]) / radii[1])
        return np.clip((1 - away) * min(radii) / soft + 0.5, 0, 1)

    def line_mask(self, points: Sequence[Point], width: float, soft: float = 0.7) -> Floats:
        away = np.full_like(self.x, 1e9)
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            dx, dy = x1 - x0, y1 - y0
            length = max(dx * dx + dy * dy, 1e-9)
            part = np.clip(((self.x - x0) * dx + (self.y - y0) * dy) / length, 0, 1)
            away = np.minimum(away, np.hypot(self.x - x0 - part * dx, self.y - y0 - part * dy))
        return np.clip((width / 2 - away) / soft + 0.5, 0, 1)

    def polygon_mask(self, points: Sequence[Point]) -> Floats:
        inside = np.zeros(self.x.shape, bool)
        for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
            if y0 == y1:
                continue
            crosses = (self.y < y0) != (self.y < y1)
            inside ^= crosses & (self.x < x0 + (self.y - y0) / (y1 - y0) * (x1 - x0))
        return inside.astype(np.float64)

    def ellipse(
        self, center: Point, radii: Point, color: Color, opacity: float = 1.0, soft: float = 0.7
    ) -> Canvas:
        return self.paint(self.ellipse_mask(center, radii, soft), color, opacity)

    def line(
        self, points: Sequence[Point], width: float, color: Color, opacity: float = 1.0, soft: float = 0.7
    ) -> Canvas:
        return self.paint(self.line_mask(points, width, soft), color, opacity)

    def polygon(self, points: Sequence[Point], color: Color, opacity: float = 1.0) -> Canvas:
        return self.paint(self.polygon_mask(points), color, opacity)

    def fold(self, points: Sequence[Point], width: float = 3.0, depth: float = 0.3) -> Canvas:
        """Paint a fold of cloth: a soft dark line with a light one on its upper left."""
        upper = [(x - width * 0.55, y - width * 0.4) for x, y in points]
        self.shade(1 - depth, self.line_mask(points, width * 0.5, width))
        return self.shade(1 + depth * 0.6, self.line_mask(upper, width * 0.4, width))

    def seam(self, points: Sequence[Point], depth: float = 0.3) -> Canvas:
        """Paint a seam: a thin dark line with a lighter one below."""
        lower = [(x + 0.9, y + 0.9) for x, y in points]
        self.shade(1 + depth * 0.5, self.line_mask(lower, 0.8))
        return self.shade(1 - depth, self.line_mask(points, 0.9))

    def round_off(self, center: float = 32.0, reach: float = 40.0, depth: float = 0.3) -> Canvas:
        """Darken both sides of a column, as on a round limb with light in front of it."""
        return self.shade(1 - depth * np.clip(np.abs(self.x - center) / reach, 0, 1) ** 2)

    def fall_off(self, top: float = 1.0, bottom: float = 1.0) -> Canvas:
        """Multiply by a factor from the top to the bottom."""
        return self.shade(top + (bottom - top) * self.y / SIZE)

    def carve(self, height: Floats, strength: float = 0.35) -> Canvas:
        """Shade a relief with light from above: edges that face up are light, hollows are dark."""
        slope = np.gradient(height, 1 / _SAMPLES, axis=0)
        near = _blurred(height, 3 * _SAMPLES)
        self.shade(np.clip(1 + strength * slope, 0.45, 1.6))
        return self.shade(np.clip(1 + 0.28 * strength * (height - near) * 2, 0.5, 1.25))

    def tile(self) -> NDArray[np.uint8]:
        """Return the picture, (64, 64, 4)."""
        result = np.full((SIZE, SIZE, 4), 255, np.uint8)
        blocks = self.colors.reshape(SIZE, _SAMPLES, SIZE, _SAMPLES, 3).mean(axis=(1, 3))
        result[..., :3] = np.clip(np.rint(blocks), 0, 255)
        return result
