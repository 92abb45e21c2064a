"""Palettes of TR1 to TR3 (documentation, chapter 9.2) as images of 16 by 16 cells, one for each entry.

Texels and faces refer to entries, so they change color with the cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Image
from numpy.typing import NDArray

from ....formats import ExportError, Game, Level
from ....formats.base import T
from ....formats.levels.textures import U8Array, expand_palette, follow_palette, nearest_rgb_entries
from .pixels import read_pixels

SIDE = 16
_CELL = 4  # pixels: the center of a cell has its color even with interpolation

COLORS, COLORS_8BIT = 0, 1  # pages of images of the kind PALETTE


class Palettes(NamedTuple):
    """The palettes of a level."""

    palette: U8Array  #: ``(256, 3)`` u8, for 8-bit pages.
    palette16: U8Array | None  #: ``(256, 4)`` u8, for colored faces of TR2 and TR3; None in TR1.

    @classmethod
    def of(cls, level: Level) -> Palettes:
        """Return the palettes of a level of TR1 to TR3."""
        return cls(level.palette, level.palette16 if level.game.traits.has_16bit_pages else None)

    def colors(self, page: int) -> U8Array:
        """Return the colors of the image of a palette, (256, 3)."""
        if page == COLORS and self.palette16 is not None:
            return self.palette16[:, :3]
        return expand_palette(self.palette)

    def with_colors(self, page: int, colors: U8Array) -> Palettes:
        """Return the palettes with changed colors; entries with the same color keep their bits."""
        changed = (colors != self.colors(page)).any(axis=1)
        if not changed.any():
            return self
        if page == COLORS and self.palette16 is not None:
            palette16 = self.palette16.copy()
            palette16[changed, :3] = colors[changed]
            return self._replace(palette16=palette16)
        palette = self.palette.copy()
        palette[changed] = np.rint(colors[changed] * (63 / 255)).astype(np.uint8)
        return self._replace(palette=palette)


def palette_pages(game: Game) -> tuple[tuple[int, str], ...]:
    """Return pages and labels of the images of a game's palettes."""
    if not game.traits.has_16bit_pages:
        return ((COLORS, "Palette"),)
    return ((COLORS, "Palette"), (COLORS_8BIT, "8-Bit Palette")) if game.traits.has_palette else ()


def palette_cells() -> U8Array:
    """Return the picture of a palette, (64, 64) indices: 16 rows of 16 cells."""
    grid = np.arange(256, dtype=np.uint8).reshape(SIDE, SIDE)
    return grid.repeat(_CELL, axis=0).repeat(_CELL, axis=1)


def cell_colors(pixels: U8Array, original: U8Array, image: Image) -> U8Array:
    """Return the color of every cell of a palette's image, (256, 3): the most frequent new color of the cell.

    ``pixels`` is RGBA, (height, width, 4); ``original`` are the image's original colors, (256, 3).

    Raises:
        ExportError: where the image cannot be divided into 16 by 16 cells.
    """
    height, width = pixels.shape[:2]
    if height % SIDE or width % SIDE or not height or not width:
        problem = T(
            "a palette has 16 by 16 cells of equal size, but this image has {width} by {height} pixels",
            width=width,
            height=height,
        )
        raise ExportError(image.name, problem)
    blocks = pixels[..., :3].reshape(SIDE, height // SIDE, SIDE, width // SIDE, 3)
    cells = blocks.transpose(0, 2, 1, 3, 4).reshape(256, -1, 3)
    painted = (cells != original[:, None]).any(axis=2)
    colors = original.copy()
    for entry in np.flatnonzero(painted.any(axis=1)).tolist():
        distinct, counts = np.unique(cells[entry][painted[entry]], axis=0, return_counts=True)
        colors[entry] = distinct[counts.argmax()]
    return colors


def nearest_entry(image: Image, color: Sequence[float]) -> int:
    """Return the index of the palette color nearest to a color, red, green and blue, screen values 0 to 1.

    Entry 0 is left out, as it is transparent in TR1.

    Raises:
        ExportError: where the image cannot be divided into 16 by 16 cells.
    """
    pixels = read_pixels(image)
    height, width = pixels.shape[:2]
    if height < SIDE or width < SIDE:
        problem = T(
            "a palette has 16 by 16 cells, this image is {width} by {height} pixels",
            width=width,
            height=height,
        )
        raise ExportError(image.name, problem)
    rows, columns = (((np.arange(SIDE) + 0.5) * size / SIDE).astype(int) for size in (height, width))
    cells = pixels[np.ix_(rows, columns)][..., :3].reshape(-1, 3)
    return int(nearest_rgb_entries(cells.astype(np.float64), 255 * np.array([color]))[0])


def write_palettes(level: Level, original: Level, palettes: Palettes) -> dict[str, int]:
    """Write changed palettes and the light map into a level, and return the numbers of changes."""
    before = Palettes.of(original)
    counts: dict[str, int] = {}
    if palettes.palette is not before.palette:
        level.palette = palettes.palette
        counts["palette"] = _differing(before.palette, palettes.palette)
        if original.has("light_map"):
            light_map = _follow(original, before, palettes)
            if light_map is not original.light_map:
                level.light_map = light_map
                counts["light map"] = int((light_map != original.light_map).sum())
    old, new = before.palette16, palettes.palette16
    if old is not None and new is not None and new is not old:
        level.palette16 = new
        counts["palette16"] = _differing(old, new)
    return counts


def _follow(original: Level, before: Palettes, after: Palettes) -> NDArray[np.uint8]:
    rows = original.light_map.reshape(32, 256)
    result = follow_palette(rows, before.palette, after.palette)
    return original.light_map if result is rows else result.reshape(original.light_map.shape)


def _differing(before: U8Array, after: U8Array) -> int:
    return int((before != after).any(axis=1).sum())
