"""The light map (documentation, chapter 9.8), which darkens colors in software rendering of TR1 to TR3.

Row k has for each entry of the 8-bit palette the entry of its color under the k-th light strength.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .textiles import U8Array, expand_palette


def light_strengths(light_map: U8Array, palette: U8Array) -> NDArray[np.float64]:
    """Return the brightness of each row of a light map from its colors, (32,): 1 leaves them unchanged."""
    colors = expand_palette(palette).astype(np.float64)
    shades = colors[light_map[:, 1:]]  # entry 0 is the key color
    strengths: NDArray[np.float64] = (shades * colors[1:]).sum((1, 2)) / max((colors[1:] ** 2).sum(), 1.0)
    return strengths


def even_palette() -> U8Array:
    """Return a palette of evenly distributed colors for new levels, (256, 3) in 6-bit components.

    Entry 0, the key color, is black; a cube of 6 by 6 by 6 colors and 39 grays follow.
    """
    steps = np.rint(np.linspace(0, 63, 6))
    cube = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    grays = np.rint(np.linspace(0, 63, _GRAYS + 2))[1:-1]
    colors = np.concatenate([np.zeros((1, 3)), cube, np.repeat(grays[:, None], 3, axis=1)])
    return colors.astype(np.uint8)


_GRAYS = 39


def make_light_map(palette: U8Array) -> U8Array:
    """Return a light map for a palette, from double brightness in row 0 through its own colors to dark.

    The map is ``(32, 256)`` u8; the key color is itself in all rows.
    """
    colors = expand_palette(palette).astype(np.float64)
    strengths = np.arange(32, 0, -1) / 16
    targets = np.minimum(strengths[:, None, None] * colors, 255)
    result = nearest_rgb_entries(colors, targets.reshape(-1, 3)).reshape(32, 256).astype(np.uint8)
    result[:, 0] = 0
    return result


def follow_palette(light_map: U8Array, before: U8Array, after: U8Array) -> U8Array:
    """Update a light map after changes of its palette.

    Only shades of changed colors, and shades that were changed colors, are chosen again. The same array is
    returned if nothing changed, or if it is empty.
    """
    changed = (before != after).any(axis=1)
    changed[0] = False
    if not changed.any() or not light_map.any():
        return light_map
    strengths = light_strengths(light_map, before)
    colors = expand_palette(after).astype(np.float64)
    rows, columns = np.nonzero(changed[None, :] | changed[light_map])
    rows, columns = rows[columns > 0], columns[columns > 0]
    result = light_map.copy()
    result[rows, columns] = nearest_rgb_entries(colors, colors[columns] * strengths[rows, None])
    return result


def nearest_rgb_entries(palette: NDArray[np.float64], colors: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the palette entries, (256, 3), whose components are nearest to those of colors, (n, 3); never 0.

    :func:`.textiles.nearest_entries` compares looks instead.
    """
    entries = palette[1:]
    distance = (entries**2).sum(axis=1) - 2 * colors @ entries.T
    return distance.argmin(axis=1) + 1
