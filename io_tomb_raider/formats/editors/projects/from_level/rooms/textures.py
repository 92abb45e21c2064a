"""The textures of a level's room faces as areas of images: its pages, one below the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Floats, Ints
from .....base.games import Game
from .....levels.level.level import Level
from .....levels.textures.coordinates import RAW_PER_PIXEL, engine_moves
from .....levels.textures.face_words import is_double_sided, room_texture_mask, texture_index
from .....levels.textures.object_textures import ObjectTextures, decode_object_textures
from .....levels.textures.textiles import PAGE_SIZE
from .....levels.views.decoded import Decoded
from ...model.settings import STONE, TILE
from .faces import LevelFaces

_BORDER = 2  # units of a level's coordinates: what is nearer to the border of a pixel is on it
_HALF = 0.5  # pixels by which Tomb Editor moves all corners in TR3: fractions are 126 to 128
_KIND = 7  # bits of flags
_TILES = PAGE_SIZE // TILE
# Games with corners in the middle of pixels.
_MIDDLE_CORNERS = frozenset({Game.TR3})


class LevelFaceTextures(NamedTuple):
    """The textures of n faces."""

    exists: Bools  #: (n,) bool: the face has an object texture of the level.
    #: (n, 4, 2) float64, in pixels of the image of all pages; triangles repeat the third.
    corners: Floats
    blend: Ints  #: (n,) int64, the blend mode.
    double_sided: Bools  #: (n,) bool.
    bump: Ints  #: (n,) int64, the bump level.


def textures_of(decoded: Decoded, faces: LevelFaces) -> LevelFaceTextures:
    """Return the textures of the faces of a room."""
    mask = room_texture_mask(decoded.level.game)
    table, corners_of_table = decoded.once(level_textures)
    numbers = texture_index(faces.words, mask)
    exists = numbers < len(table.page)
    rows = np.where(exists, numbers, 0)
    if not len(table.page):
        empty = np.zeros(len(faces), np.int64)
        return LevelFaceTextures(exists, np.zeros((len(faces), 4, 2)), empty, exists, empty)
    corners = np.take_along_axis(corners_of_table[rows], faces.order[..., None], axis=1)
    return LevelFaceTextures(
        exists, corners, table.attribute[rows], is_double_sided(faces.words, mask), table.bump[rows]
    )


def level_textures(decoded: Decoded) -> tuple[ObjectTextures, Floats]:
    """Return the object textures of a level, and their corners, see :func:`texture_corners`."""
    table = decode_object_textures(decoded.level.object_textures, decoded.level.game)
    return table, texture_corners(decoded.level, table)


def texture_corners(level: Level, table: ObjectTextures) -> Floats:
    """Return the corners of all object textures in pixels of the image of all pages, (n, 4, 2)."""
    pixels = level.object_textures["uv"].astype(np.int64) / RAW_PER_PIXEL
    if level.game.traits.has_texture_flags:
        pixels += engine_moves(table.flags & _KIND, table.triangle)
    elif level.game in _MIDDLE_CORNERS:
        in_middle = np.abs(pixels % 1 - _HALF) <= _BORDER / RAW_PER_PIXEL
        pixels += np.where(in_middle, _HALF, 0)
    near = np.abs(pixels - np.rint(pixels)) <= _BORDER / RAW_PER_PIXEL
    # Corners that an engine moves out of their page stay at its border.
    corners: Floats = np.where(near, np.rint(pixels), pixels).clip(0, PAGE_SIZE)
    corners[..., 1] += table.page[:, None] * PAGE_SIZE
    return corners


def page_image(decoded: Decoded) -> NDArray[np.uint8]:
    """Return the image of all pages, one below the other, (256 * n, 256, 4) uint8 RGBA."""
    texels = decoded.texels
    return np.ascontiguousarray(texels.reshape(-1, *texels.shape[2:]))


class TileVotes:
    """Values of the 64 x 64 tiles of the image, chosen by majority: each use of a tile is one vote.

    `height`: of the image in pixels. `unset`: the value without votes. `size`: the number of values.
    """

    def __init__(self, height: int, unset: int, size: int) -> None:
        self._counts = np.zeros((-(-height // TILE), _TILES, size), np.int64)
        self._unset = unset

    def add(self, corners: Floats, values: NDArray[np.integer]) -> None:
        """Add the votes of faces: their corners (n, 4, 2) in pixels, and values (n,)."""
        if not len(corners):
            return
        tile = np.floor(corners.min(axis=1) / TILE).astype(np.int64)
        tile = tile.clip(0, [_TILES - 1, len(self._counts) - 1])
        np.add.at(self._counts, (tile[:, 1], tile[:, 0], values.astype(np.int64)), 1)

    @property
    def grid(self) -> NDArray[np.uint8]:
        """The value of each tile, (h, w) uint8."""
        most = self._counts.argmax(axis=2)
        return np.where(self._counts.any(axis=2), most, self._unset).astype(np.uint8)


def footstep_votes(height: int) -> TileVotes:
    """Return votes on the material of tiles."""
    return TileVotes(height, STONE, 16)


def bump_votes(height: int) -> TileVotes:
    """Return votes on the bump level of tiles."""
    return TileVotes(height, 0, 4)
