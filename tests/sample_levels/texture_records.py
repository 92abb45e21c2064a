"""Object textures, sprites and animated textures of the sample levels: areas of tiles, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import OBJECT_TEXTURE_RECORD, SPRITE_SEQUENCE, SPRITE_TEXTURE

from .textures import COLORS, TILE, tile_place

OPAQUE, COLOR_KEYED, ADDITIVE = 0, 1, 2
_ATTRIBUTES = {"grate": COLOR_KEYED, "plant": COLOR_KEYED}
_ATTRIBUTES_TR3 = {"glow": ADDITIVE, "water0": ADDITIVE, "water1": ADDITIVE, "water2": ADDITIVE}
WATER = ("water0", "water1", "water2")

# The corners of a tile in the order of a quad's vertices: top left, top right, bottom right, bottom left.
_CORNERS = ((0, 0), (1, 0), (1, 1), (0, 1))


class TextureTable:
    """A table of object textures, each different one once."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._rows: dict[tuple[Any, ...], int] = {}
        self._records: list[tuple[Any, ...]] = []
        for name in WATER:
            self.quad(name)

    def quad(self, name: str, rows: tuple[int, int] = (0, 4), mirrored: bool = False) -> int:
        """Return the texture of a quad that shows a tile, or its quarters ``rows`` from the top."""
        return self._demand(name, rows, (1, 0, 3, 2) if mirrored else (0, 1, 2, 3))

    def triangle(self, name: str, corners: tuple[int, int, int], rows: tuple[int, int] = (0, 4)) -> int:
        """Return the texture of a triangle that shows three corners of a tile."""
        return self._demand(name, rows, corners)

    def _demand(self, name: str, rows: tuple[int, int], corners: tuple[int, ...]) -> int:
        key = (name, rows, corners)
        if key not in self._rows:
            self._rows[key] = len(self._records)
            self._records.append(self._record(name, rows, corners))
        return self._rows[key]

    def _record(self, name: str, rows: tuple[int, int], corners: tuple[int, ...]) -> tuple[Any, ...]:
        page, x, y, size = _area(name)
        top, bottom = y + size * rows[0] // 4, y + size * rows[1] // 4
        low, high = (0, 255) if self.game >= Game.TR4 else (1, 255)
        u = (x * 256 + low, (x + size - 1) * 256 + high)
        v = (top * 256 + low, (bottom - 1) * 256 + high)
        uv = [(u[_CORNERS[corner][0]], v[_CORNERS[corner][1]]) for corner in corners]
        is_triangle = len(corners) == 3
        uv += [(0, 0)] * is_triangle
        attributes = _ATTRIBUTES | (_ATTRIBUTES_TR3 if self.game >= Game.TR3 else {})
        head = (attributes.get(name, OPAQUE), page)
        if self.game < Game.TR4:
            return (*head, uv)
        flags = 0x8000 if page == 0 else 0
        shift = 16 if self.game is Game.TR5 else 0
        extent = ((size - 1) << shift, (bottom - top - 1) << shift)
        tail = (x, top, *extent) + ((0,) if self.game is Game.TR5 else ())
        return (head[0], page | is_triangle << 15, flags | (0x200 if page == 3 else 0), uv, *tail)

    def records(self) -> NDArray[Any]:
        """Return all requested textures, (n,)."""
        return np.array(self._records, OBJECT_TEXTURE_RECORD[self.game])

    def animated(self) -> NDArray[np.uint16]:
        """Return the animated textures: one group, the water."""
        frames = [self.quad(name) for name in WATER]
        return np.array([1, len(frames) - 1, *frames], "<u2")


def _area(name: str) -> tuple[int, int, int, int]:
    """Return page, x, y and size of a tile or of the swatch of a named color."""
    if name not in COLORS:
        return (*tile_place(name), TILE)
    page, x, y = tile_place("swatches")
    row, column = divmod(list(COLORS).index(name), 4)
    return page, x + column * 16, y + row * 16, 16


# The name of the tile, and the extents of the sprite in the world.
_SPRITES = {
    "plant": (-200, -400, 200, 0),
    "medikit_sprite": (-128, -240, 128, 16),
    "flame0": (-96, -256, 96, 32),
    "flame1": (-96, -256, 96, 32),
}
SPRITE_INDEX = {name: index for index, name in enumerate(_SPRITES)}


def sprite_textures(game: Game) -> NDArray[Any]:
    """Return the sprites, (n,). From TR4 on the sides are pixels of the page instead of the world."""
    rows = []
    for name, sides in _SPRITES.items():
        page, x, y = tile_place(name)
        is_late = game >= Game.TR4
        size = (TILE - 1) * 256 if is_late else TILE * 256 - 1
        rectangle = (x, y, x + TILE, y + TILE) if is_late else sides
        rows.append((page, x, y, size, size, *rectangle))
    return np.array(rows, SPRITE_TEXTURE)


def sprite_sequences(plant: int, medikit: int, flame: int) -> NDArray[Any]:
    """Return the three sequences, sorted by the ids given: a plant, a medikit, a flame of two frames."""
    lengths = {"plant": (plant, 1), "medikit_sprite": (medikit, 1), "flame0": (flame, 2)}
    rows = sorted((number, -count, SPRITE_INDEX[name]) for name, (number, count) in lengths.items())
    return np.array(rows, SPRITE_SEQUENCE)
