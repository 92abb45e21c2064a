"""Fields of 64 x 64 values that repeat without seams: noise, blocks, reliefs and their light."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Floats

from .palette import ramp

SIZE = 64
ROW, COLUMN = np.indices((SIZE, SIZE)).astype(np.float64)
Y, X = (ROW + 0.5) / SIZE, (COLUMN + 0.5) / SIZE


def noise(seed: int, cells: int, cells_y: int = 0) -> Floats:
    """Return smooth noise from 0 to 1 that repeats, with a number of cells per tile."""
    rows = cells_y or cells
    values = np.random.default_rng(seed).random((rows, cells))
    y, x = ROW / SIZE * rows, COLUMN / SIZE * cells
    y0, x0 = y.astype(int), x.astype(int)
    ty, tx = y - y0, x - x0
    ty, tx = ty * ty * (3 - 2 * ty), tx * tx * (3 - 2 * tx)
    y1, x1 = (y0 + 1) % rows, (x0 + 1) % cells
    top = values[y0, x0] * (1 - tx) + values[y0, x1] * tx
    low = values[y1, x0] * (1 - tx) + values[y1, x1] * tx
    return top * (1 - ty) + low * ty


def clouds(seed: int, cells: int = 4, octaves: int = 4) -> Floats:
    """Return noise of several sizes, about 0 to 1."""
    total, weight = np.zeros((SIZE, SIZE)), 0.0
    for octave in range(octaves):
        count = min(cells << octave, SIZE)
        total += noise(seed * 31 + octave, count) / (1 << octave)
        weight += 1 / (1 << octave)
    value = total / weight
    return np.clip((value - 0.5) * 1.6 + 0.5, 0, 1)


def blurred(field: Floats, times: int = 1) -> Floats:
    """Return a field that is smoothed across its seams."""
    for _ in range(times):
        for axis in (0, 1):
            field = (np.roll(field, 1, axis) + 2 * field + np.roll(field, -1, axis)) / 4
    return field


def step(field: Floats, low: float, high: float) -> Floats:
    """Return 0 below `low` and 1 above `high`, smooth between."""
    part = np.clip((field - low) / (high - low), 0, 1)
    return part * part * (3 - 2 * part)


def edge_of(
    rects: Sequence[tuple[float, float, float, float]], warp: Floats | None = None
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the distance in pixels to the edge of the block around each pixel, and the block.

    Args:
        rects: x, y, width, height in pixels; they cover the tile and may reach over its edges.
        warp: (64, 64) by how many pixels edges are chipped.
    """
    distance = np.full((SIZE, SIZE), -1e3)
    owner = np.zeros((SIZE, SIZE), np.int64)
    for number, (x, y, width, height) in enumerate(rects):
        for shift_x in (-SIZE, 0, SIZE):
            for shift_y in (-SIZE, 0, SIZE):
                inside = np.minimum(
                    np.minimum(COLUMN + 0.5 - x - shift_x, x + shift_x + width - COLUMN - 0.5),
                    np.minimum(ROW + 0.5 - y - shift_y, y + shift_y + height - ROW - 0.5),
                )
                nearer = inside > distance
                distance = np.where(nearer, inside, distance)
                owner = np.where(nearer, number, owner)
    return distance if warp is None else distance - warp, owner


def slope_light(height: Floats, strength: float = 1.0) -> Floats:
    """Return the light of a relief from the upper left, 0 for flat."""
    dx = (np.roll(height, -1, 1) - np.roll(height, 1, 1)) / 2
    dy = (np.roll(height, -1, 0) - np.roll(height, 1, 0)) / 2
    return np.clip((dx * 0.6 + dy) * strength, -0.5, 0.5)


def hollows(height: Floats, times: int = 4) -> Floats:
    """Return how deep pixels are below what surrounds them."""
    return np.clip(blurred(height, times) - height, 0, None)


def painted(
    name: str, height: Floats, base: Floats | float, *, relief: float = 1.0, dirt: float = 1.0
) -> Floats:
    """Return the colors of a relief of one material, (64, 64, 3).

    Args:
        name: the ramp.
        height: in pixels.
        base: the shade of flat parts, 0 to 1.
        relief: how strong the light is.
        dirt: how dark hollows are.
    """
    value = base + slope_light(height, 0.22 * relief) - 0.1 * dirt * hollows(height)
    return ramp(name, value)


def mixed(one: Floats, other: Floats, part: Floats) -> Floats:
    """Return colors between two, by a part of 0 to 1."""
    return one + (other - one) * np.clip(part, 0, 1)[..., None]


def soiled(colors: Floats, bottom: float = 0.35, top: float = 0.0) -> Floats:
    """Return colors that darken towards the bottom, and the top."""
    factor = 1 - bottom * step(Y, 0.45, 1.1) - top * step(1 - Y, 0.55, 1.1)
    return colors * factor[..., None]


def cracks(seed: int, width: float = 0.02) -> Floats:
    """Return thin branching lines, 1 in their middle."""
    field = clouds(seed, 3, 3)
    line = 1 - step(np.abs(field - 0.5), 0, width)
    return line * step(clouds(seed + 7, 2, 2), 0.45, 0.62)
