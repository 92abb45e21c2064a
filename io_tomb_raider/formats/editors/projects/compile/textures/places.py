"""Places of tiles on new texture pages, in the order in which Tomb Editor fills them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Ints
from .....levels.textures.textiles import PAGE_SIZE

_Rectangle = tuple[int, int, int, int]  # left, top, width, height


class Places(NamedTuple):
    """The places of tiles."""

    page: Ints  #: (n,) the page of each tile.
    position: Ints  #: (n, 2) its left and top pixel.
    pages: int  #: the number of pages.


class _Page:
    """The free rectangles of a page, in the order in which they are tried."""

    def __init__(self) -> None:
        self._free: list[_Rectangle] = [(0, 0, PAGE_SIZE, PAGE_SIZE)]
        self._refused: list[tuple[int, int]] = []

    def place(self, width: int, height: int) -> tuple[int, int] | None:
        """Return where a tile is placed, None if no free rectangle holds it."""
        # Space only shrinks: what is larger than a refused tile does not fit either.
        if any(width >= w and height >= h for w, h in self._refused):
            return None
        for number, (x, y, w, h) in enumerate(self._free):
            if width <= w and height <= h:
                right, below = w - width, h - height
                # The larger rest becomes one rectangle; the part next to the tile is tried before it.
                if right > below:
                    parts = [(x, y + height, width, below), (x + width, y, right, h)]
                else:
                    parts = [(x + width, y, right, height), (x, y + height, w, below)]
                self._free[number : number + 1] = [part for part in parts if part[2] and part[3]]
                return x, y
        self._refused.append((width, height))
        return None


def place_tiles(sizes: Ints) -> Places:
    """Place tiles (n, 2), width and height from 1 to 256, one by one on the first page that has space."""
    pages: list[_Page] = []
    page, position = np.zeros(len(sizes), np.int64), np.zeros((len(sizes), 2), np.int64)
    for row, (width, height) in enumerate(sizes.tolist()):
        for number in range(len(pages) + 1):
            if number == len(pages):
                pages.append(_Page())
            corner = pages[number].place(width, height)
            if corner is not None:
                page[row], position[row] = number, corner
                break
    return Places(page, position, len(pages))
