"""Pictures of tiles, as faces show them."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats import ExportError
from ...subjects.textures.pixels import read_pixels
from .pieces import whole_pixels
from .tile import Tile


class TileThumbnails:
    """Pictures of tiles. Valid while the pixels of their images do not change.

    Args:
        size: width and height in pixels.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._pixels: dict[Image, NDArray[np.uint8] | None] = {}

    def crop(self, tile: Tile) -> NDArray[np.uint8] | None:
        """Return the pixels of a tile, turned as faces show it, (h, w, 4), top row first; None without."""
        pixels = self._image(tile.image)
        left, top, width, height = whole_pixels(tile.area)
        if pixels is None or left < 0 or top < 0:
            return None
        shown = pixels[top : top + height, left : left + width]
        if not shown.size:
            return None
        if tile.is_mirrored:
            shown = shown[:, ::-1]
        return np.rot90(shown, -tile.turns)

    def picture(self, crop: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Return a picture with the pixels in its middle, square, bottom row first."""
        size, (height, width) = self._size, crop.shape[:2]
        scale = size / max(height, width)
        rows, columns = max(int(height * scale), 1), max(int(width * scale), 1)
        result = np.zeros((size, size, 4), np.float32)
        below, left = (size - rows) // 2, (size - columns) // 2
        taken = crop[::-1][np.ix_(np.arange(rows) * height // rows, np.arange(columns) * width // columns)]
        result[below : below + rows, left : left + columns] = taken.astype(np.float32) / 255
        return result

    def digest_of(self, image: Image) -> str:
        """Return a name for the pixels of an image, empty without."""
        pixels = self._image(image)
        return "" if pixels is None else digest(pixels)

    def _image(self, image: Image) -> NDArray[np.uint8] | None:
        if image not in self._pixels:
            try:
                self._pixels[image] = read_pixels(image)
            except ExportError:
                self._pixels[image] = None
        return self._pixels[image]


def digest(crop: NDArray[np.uint8]) -> str:
    """Return a name for pixels, equal only for equal ones."""
    return f"{crop.shape} {blake2b(np.ascontiguousarray(crop).tobytes(), digest_size=12).hexdigest()}"
