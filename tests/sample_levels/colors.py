"""Colors of the sample levels in the forms of the five games: palettes, light maps, 15-bit colors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats.base.arrays.typing import Pixels

from .textures import COLORS

# Entry 0 is the color key; the named colors of faces follow.
FIRST_NAMED = 1


def palette_index(name: str) -> int:
    """Return the entry of a named color in the 8-bit and the 16-bit palette."""
    return FIRST_NAMED + list(COLORS).index(name)


def choose_palette(pages: Pixels) -> NDArray[np.uint8]:
    """Return the 256 best colors for pages, (256, 3), 0 to 252 in steps of 4."""
    opaque = pages[pages[..., 3] > 0][:, :3] >> 3
    colors, counts = np.unique(opaque, axis=0, return_counts=True)
    points = colors * 8.0 + 4
    named = np.array(list(COLORS.values()), float)
    wanted = 256 - FIRST_NAMED - len(named)
    # The most frequent distinct colors, each then moved to the mean of its cluster.
    order = np.argsort(-counts, kind="stable")
    centers = points[order[:: max(1, len(order) // wanted)][:wanted]]
    for _ in range(3):
        nearest = _nearest(points, centers)
        weight = np.bincount(nearest, counts, len(centers))
        sums = np.stack(
            [np.bincount(nearest, counts * points[:, axis], len(centers)) for axis in range(3)], 1
        )
        centers = np.where(weight[:, None] > 0, sums / np.maximum(weight, 1)[:, None], centers)
    palette = np.zeros((256, 3), np.uint8)
    palette[FIRST_NAMED : FIRST_NAMED + len(named)] = named
    palette[FIRST_NAMED + len(named) :][: len(centers)] = centers
    # Palettes have six bits per channel.
    return (palette >> 2 << 2).astype(np.uint8)


def _nearest(points: NDArray[np.float64], centers: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the index of the nearest center of every point."""
    distance = (centers**2).sum(1)[None] - 2 * points @ centers.T
    return distance.argmin(1)


def to_palette(pages: Pixels, palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return pages of palette indices, (n, 256, 256); transparent pixels are 0."""
    colors, inverse = np.unique(pages[..., :3].reshape(-1, 3), axis=0, return_inverse=True)
    indices = 1 + _nearest(colors.astype(float), palette[1:].astype(float))
    out = indices[inverse.reshape(-1)].reshape(pages.shape[:3])
    return np.where(pages[..., 3] > 0, out, 0).astype(np.uint8)


def make_light_map(palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the palette's entries under 32 strengths of light, (32, 256), brightest first."""
    strength = np.linspace(1.0, 0.05, 32)[:, None, None]
    shades = (palette[None] * strength).reshape(-1, 3)
    indices = 1 + _nearest(shades, palette[1:].astype(float))
    light_map = indices.reshape(32, 256).astype(np.uint8)
    light_map[:, 0] = 0
    return light_map


def to_argb1555(pages: Pixels) -> NDArray[np.uint16]:
    """Return pages as A1R5G5B5; transparent pixels are 0."""
    red, green, blue = (pages[..., channel].astype("<u2") >> 3 for channel in range(3))
    return np.where(pages[..., 3] > 0, 0x8000 | red << 10 | green << 5 | blue, 0).astype("<u2")


def to_bgra(pages: Pixels) -> NDArray[np.uint8]:
    """Return pages as B, G, R, A; transparent pixels are 0, 0, 0, 0."""
    return np.where(pages[..., 3:] > 0, pages[..., [2, 1, 0, 3]], 0).astype(np.uint8)


def to_rgb555(colors: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return colors (n, 3), 0 to 1, as 0RRRRRGGGGGBBBBB."""
    red, green, blue = np.rint(np.clip(colors, 0, 1) * 31).astype("<u2").T
    return red << 10 | green << 5 | blue


def to_tint(colors: NDArray[np.float64]) -> NDArray[np.uint16]:
    """Return colors (n, 3), 0 to 1, as 0BBBBBGGGGGRRRRR, the tint of placed static meshes."""
    return to_rgb555(colors[:, ::-1])


def to_argb(colors: NDArray[np.float64]) -> NDArray[np.uint32]:
    """Return colors (n, 3), 0 to 1, as opaque ARGB."""
    red, green, blue = np.rint(np.clip(colors, 0, 1) * 255).astype("<u4").T
    return 0xFF000000 | red << 16 | green << 8 | blue


def to_darkness(colors: NDArray[np.float64]) -> NDArray[np.int16]:
    """Return the brightness of colors (n, 3), 0 to 1, on the scale 0 bright to 8191 dark."""
    return np.rint((1 - np.clip(colors @ (0.3, 0.59, 0.11), 0, 1)) * 8191).astype("<i2")
