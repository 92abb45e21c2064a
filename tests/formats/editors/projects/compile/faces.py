"""Faces with textures, and what a game would draw on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.editors.projects.compile.textures.areas import TextureRequests
from io_tomb_raider.formats.editors.projects.compile.textures.textures import RoomTextures
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.textures.coordinates import QUAD_MOVES, TRIANGLE_MOVES
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.formats.levels.textures.textiles import decode_pages

Corners = Sequence[tuple[float, float]]
NO_PARENT = [[0, 0], [0, 0]]
QUAD = [(0, 0), (64, 0), (64, 64), (0, 64)]


def noise(width: int, height: int, seed: int = 1) -> NDArray[np.uint8]:
    """Return an opaque image of random pixels that all games can store."""
    random = np.random.default_rng(seed)
    image = np.full((height, width, 4), 255, np.uint8)
    # Few colors, so that a palette has all of them.
    image[..., :3] = random.integers(0, 4, (height, width, 3)) * 8 * 8
    return image


def turned(corners: Corners, turn: int) -> Corners:
    return [*corners[turn:], *corners[:turn]]


def moved(corners: Corners, x: float, y: float) -> Corners:
    return [(left + x, top + y) for left, top in corners]


def requests(*faces: Corners, image: Any = 1, blend: Any = 0, parent: Any = None) -> TextureRequests:
    count = len(faces)
    corners = np.zeros((count, 4, 2))
    for row, face in enumerate(faces):
        corners[row, : len(face)] = face
        corners[row, len(face) :] = face[-1]
    return TextureRequests(
        np.broadcast_to(image, count).astype(np.int64),
        corners,
        np.array([NO_PARENT] * count if parent is None else parent, np.float64).reshape(-1, 2, 2),
        np.array([len(face) == 3 for face in faces], np.bool_),
        np.broadcast_to(blend, count).astype(np.int64),
    )


def drawn_corners(level: Level, index: int) -> NDArray[np.float64]:
    """Return the corners of an object texture as a game draws them, in pixels of the page."""
    record = level.object_textures[index]
    triangle = bool(decode_object_textures(level.object_textures, level.game).triangle[index])
    raw = record["uv"][: 3 if triangle else 4].astype(np.int64)
    corners = (raw >> 8) + (raw & 255) / 255
    if level.game.traits.has_texture_flags:
        moves = TRIANGLE_MOVES if triangle else QUAD_MOVES
        corners = corners + moves[int(record["flags"]) & 7] / 2
    if level.game in (Game.TR2, Game.TR3):
        corners = (raw >> 8) + (raw >> 7 & 1)  # the border of the pixel, by the highest bit of the fraction
    return np.asarray(corners)


def check(
    level: Level,
    asked: TextureRequests,
    found: RoomTextures,
    images: dict[int, NDArray[np.uint8]],
    *,
    padded: bool = True,
) -> None:
    """Check that each face shows its area of its image."""
    pages = decode_pages(pages_of(level)._replace(opaque=None))
    decoded = decode_object_textures(level.object_textures, level.game)
    for row, index in enumerate(found.index.tolist()):
        corners = drawn_corners(level, index)
        count = 3 if asked.triangle[row] else 4
        assert len(corners) == count
        wanted = np.roll(asked.corners[row, :count], -int(found.turn[row]), axis=0)
        offset = corners - wanted
        # All corners are moved by the same whole pixels, but for the precision of files. Those of textures
        # without padding are half a pixel inside.
        place = np.rint(offset.mean(axis=0))
        assert np.abs(offset - place).max() < (0.01 if padded else 0.51)
        low = np.floor(wanted.min(axis=0)).astype(int)
        high = np.ceil(wanted.max(axis=0)).astype(int)
        on_page = np.concatenate([low, high]) + np.tile(place.astype(int), 2)
        left, top, right, bottom = on_page.tolist()
        shown = pages[decoded.page[index], top:bottom, left:right]
        expected = images[int(asked.image[row])][low[1] : high[1], low[0] : high[0]]
        assert shown.shape == expected.shape
        visible = expected[..., 3] == 255
        assert (shown[..., 3] == expected[..., 3]).all()
        if level.game is not Game.TR1:
            assert (np.abs(shown.astype(int) - expected)[visible] < 8).all()


def page_of(level: Level) -> NDArray[np.uint8]:
    """Return the first page of a level, (256, 256, 4) RGBA."""
    return decode_pages(pages_of(level)._replace(opaque=None))[0]
