"""The bumped textures of a level, for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.edits.append.textures import textures_of
from io_tomb_raider.formats.levels.level.level_pages import height_page, pages_of
from io_tomb_raider.formats.levels.textures.object_textures import BUMP
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from tests.sample_levels import sample_level

BUMPED_PAGE, STRENGTH = 3, 2


def reliefs(level: Level) -> list[tuple[int, NDArray[np.uint8], NDArray[np.uint8]]]:
    """Return bump level, texels and height map of each bumped texture of a level."""
    pages = decode_pages(pages_of(level))
    found = []
    for texture in textures_of(level):
        page, left, top, right, bottom = texture.frames[0].box
        if texture.number >= 0 and texture.frames[0].bump:
            heights = height_page(level, page)
            assert heights is not None, texture.name
            box = np.s_[top:bottom, left:right, :3]
            found.append((texture.frames[0].bump, pages[page][box], pages[heights][box]))
    return found


def bumped(game: Game) -> bytes:
    """Return a level whose first room has bumped faces."""
    level = sample_level(game)
    records = level.object_textures.copy()
    number = int(level.rooms[0].quads["texture"][0]) & 0x3FFF
    records["page"][number] = records["page"][number] & 0x8000 | BUMPED_PAGE
    records["flags"][number] = BUMP.put(int(records["flags"][number]), STRENGTH)
    level.object_textures = records
    return bytes(level.to_bytes())
