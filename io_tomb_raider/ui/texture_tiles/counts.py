"""Numbers of object textures of levels, as they were counted last."""

from __future__ import annotations

from typing import NamedTuple

from bpy.types import Collection

from ...scene.core import limits_of_level
from ..base.levels import game_of


class TextureCount(NamedTuple):
    """The object textures that an export of a level writes."""

    total: int  #: their number.
    limit: int  #: the number that the level's target has room for.
    pages: dict[int, int]  #: their number on each texture page that has some, by its number.
    is_outdated: bool = False  #: whether tiles were put on faces since.


_counts: dict[int, TextureCount] = {}  # by the session number of the level, which undo does not change


def count_of(level: Collection) -> TextureCount | None:
    """Return the object textures of a level as they were counted last; None before."""
    return _counts.get(level.session_uid)


def count_textures(level: Collection) -> TextureCount:
    """Count the object textures of a level. Raises ExportError, FormatError if it cannot be exported."""
    import numpy as np

    from ...formats.levels.textures import MOST_TEXTURES, decode_object_textures
    from ...scene.pipeline import exported_object_textures

    records, game = exported_object_textures(level), game_of(level)
    pages, counts = np.unique(decode_object_textures(records, game).page, return_counts=True)
    by_page = dict(zip(pages.tolist(), counts.tolist(), strict=True))
    limit = limits_of_level(level, game).object_textures or MOST_TEXTURES[game]
    result = TextureCount(len(records), limit, by_page)
    _counts[level.session_uid] = result
    return result


def note_use() -> None:
    """Note that a tile is put on faces."""
    for level, count in _counts.items():
        _counts[level] = count._replace(is_outdated=True)
