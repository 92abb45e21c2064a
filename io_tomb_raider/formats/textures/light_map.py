"""The light map (documentation, chapter 9.8): by which software rendering of TR1 to TR3 darkens colors.

Row k says for every entry of the 8-bit palette which entry looks like it under the k-th strength of light.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .textiles import U8Array, expand_palette


def light_strengths(light_map: U8Array, palette: U8Array) -> NDArray[np.float64]:
    """Return how bright each row of a light map is, (32,), as its colors tell: 1 leaves them as they are."""
    colors = expand_palette(palette).astype(np.float64)
    shades = colors[light_map[:, 1:]]  # entry 0 is the key color
    strengths: NDArray[np.float64] = (shades * colors[1:]).sum((1, 2)) / max((colors[1:] ** 2).sum(), 1.0)
    return strengths


def follow_palette(light_map: U8Array, before: U8Array, after: U8Array) -> U8Array:
    """Update a light map to its palette where that has changed.

    Only shades of changed colors, and shades that were changed colors, are chosen again.

    Args:
        light_map: ``(32, 256)`` u8.
        before: the palette that it was made for, ``(256, 3)`` u8.
        after: the palette as it is now.

    Returns:
        The map; the same array where nothing differs, or where it holds no shades at all.
    """
    changed = (before != after).any(axis=1)
    changed[0] = False
    if not changed.any() or not light_map.any():
        return light_map
    strengths = light_strengths(light_map, before)
    colors = expand_palette(after).astype(np.float64)
    rows, columns = np.nonzero(changed[None, :] | changed[light_map])
    rows, columns = rows[columns > 0], columns[columns > 0]
    wanted = colors[columns] * strengths[rows, None]
    entries = colors[1:]
    distance = (entries**2).sum(axis=1) - 2 * wanted @ entries.T
    out = light_map.copy()
    out[rows, columns] = distance.argmin(axis=1) + 1
    return out
