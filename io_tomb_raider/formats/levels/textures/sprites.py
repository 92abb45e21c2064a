"""Sprite textures: records, pixel rectangles and world extents (chapters 5.6 and 5.7).

TR1-3 store the pixel rectangle in ``x``, ``y``, ``width`` and ``height``, and the sides of the sprite in
world units in ``left`` to ``bottom``. TR4-5 store the rectangle in ``left`` to ``bottom``, and no world size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.arrays.typing import Ints
from ...base.bytes.records import SPRITE_TEXTURE
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T
from .textiles import PAGE_SIZE

# The first ids of sequences that only rooms show.
FIRST_ROOM_SPRITES = {Game.TR1: 191, Game.TR2: 265, Game.TR3: 376, Game.TR4: 465, Game.TR5: 460}


@dataclass(frozen=True)
class Sprites(Columns):
    """Decoded sprite textures, one row each."""

    page: Ints  #: ``(n,)`` texture page.
    rect: Annotated[Ints, 4]  #: ``(n, 4)`` left, top, width, height in pixels of the page.
    #: ``(n, 4)`` left, top, right, bottom around the sprite's position in world units, y down. None in TR4-5,
    #: which have none.
    sides: Ints | None


def decode_sprites(records: NDArray[np.void], game: Game) -> Sprites:
    """Convert sprite texture records to `Sprites`."""
    page = records["page"].astype(np.int64)
    box = np.stack([records[name] for name in ("left", "top", "right", "bottom")], axis=-1).astype(np.int64)
    if not game.traits.has_sprite_sides:
        return Sprites(page, np.concatenate([box[:, :2], box[:, 2:] - box[:, :2]], axis=-1), None)
    position = np.stack([records["x"], records["y"]], axis=-1).astype(np.int64)
    size = np.stack([records["width"], records["height"]], axis=-1).astype(np.int64)
    # Sizes are "pixels * 256 - 1"; editors also round them differently, so any fraction counts as a pixel.
    return Sprites(page, np.concatenate([position, (size >> 8) + 1], axis=-1), box)


def encode_sprites(
    sprites: Sprites, game: Game, original: NDArray[np.void] | None = None
) -> NDArray[np.void]:
    """Convert `Sprites` to records.

    Args:
        original: the original records of the first rows. Unchanged sprites keep their record, including the
            fields that the game does not read.

    Raises:
        ExportError: if a changed sprite's rectangle exceeds its page or is empty, or a value does not fit.
    """
    is_same = _unchanged(sprites, original, game)
    _check(sprites, game, ~is_same)
    records = np.zeros(len(sprites), SPRITE_TEXTURE)
    rect, left_top = sprites.rect, sprites.rect[:, :2]
    records["page"] = sprites.page
    records["x"], records["y"] = left_top.T
    if not game.traits.has_sprite_sides:
        records["width"], records["height"] = ((rect[:, 2:] - 1) * 256).T
        box = np.concatenate([left_top, left_top + rect[:, 2:]], axis=-1)
    else:
        records["width"], records["height"] = (rect[:, 2:] * 256 - 1).T
        box = sprites.sides if sprites.sides is not None else np.zeros((0, 4), np.int64)
    for name, column in zip(("left", "top", "right", "bottom"), box.T, strict=True):
        records[name] = column
    if original is not None:
        records[is_same] = original[: len(records)][is_same[: len(original)]]
    return records


def _unchanged(sprites: Sprites, original: NDArray[np.void] | None, game: Game) -> NDArray[np.bool_]:
    """Return which rows are unchanged from their record."""
    is_same = np.zeros(len(sprites), np.bool_)
    if original is None:
        return is_same
    count = min(len(sprites), len(original))
    before = decode_sprites(original[:count], game)
    is_same[:count] = before.page == sprites.page[:count]
    is_same[:count] &= (before.rect == sprites.rect[:count]).all(axis=1)
    if before.sides is not None and sprites.sides is not None:
        is_same[:count] &= (before.sides == sprites.sides[:count]).all(axis=1)
    return is_same


def _check(sprites: Sprites, game: Game, changed: NDArray[np.bool_]) -> None:
    """Raise an ExportError for changed rows that the file cannot store; original rows are not checked."""
    rect = sprites.rect
    outside = (rect[:, :2] < 0) | (rect[:, 2:] < 1) | (rect[:, :2] + rect[:, 2:] > PAGE_SIZE)
    for row in np.flatnonzero(outside.any(axis=1) & changed)[:1]:
        problem = T("the rectangle {corners} is not inside its page", corners=rect[row].tolist())
        raise ExportError(T("sprite texture {number}", number=row), problem)
    for row in np.flatnonzero(((sprites.page < 0) | (sprites.page > 0xFFFF)) & changed)[:1]:
        problem = T("there is no page {page}", page=sprites.page[row])
        raise ExportError(T("sprite texture {number}", number=row), problem)
    if not game.traits.has_sprite_sides:
        return
    if sprites.sides is None:
        raise ExportError(T("sprite textures"), T("sprites of this game need their sides in the world"))
    outside = (sprites.sides < -0x8000) | (sprites.sides > 0x7FFF)
    for row in np.flatnonzero(outside.any(axis=1) & changed)[:1]:
        problem = T("the sides {sides} do not fit into 16 bits", sides=sprites.sides[row].tolist())
        raise ExportError(T("sprite texture {number}", number=row), problem)
