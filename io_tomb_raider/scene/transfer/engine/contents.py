"""Named pieces of a file that can be appended."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....catalogue import names
from ....formats import ExportError, Level, read_level
from ....formats.base import T
from ....formats.editors.wads import is_object_file, read_objects
from ....formats.edits.append import textures_of

# Kinds of pieces, with their plural names.
KINDS = {
    "model": "models",
    "static": "static meshes",
    "sprite": "sprites",
    "sound": "sounds",
    "room": "rooms",
    "texture": "textures",
}


class Piece(NamedTuple):
    """A piece of a file."""

    kind: str  #: one of :data:`KINDS`.
    number: int  #: the id, or the number of the sound or object texture, in the file; negative if unknown.
    name: str  #: the name in the catalogue of its game.


def read_source(path: Path) -> Level:
    """Read a level, or a file of objects (WAD) with its sprites next to it.

    Raises:
        ExportError: the file has only texture pages.
        FormatError: the file is of another format, or damaged.
        OSError: the file cannot be read.
    """
    level = read_objects(path) if is_object_file(path) else read_level(path)
    if not level.has("models"):
        raise ExportError(path.name, T("it holds texture pages only: choose a whole level"))
    return level


def pieces_of(level: Level) -> list[Piece]:
    """Return the pieces of a level except for textures, each once, by kind and number."""
    game_names = names(level.game)
    result = [Piece("model", each, game_names.model(each)) for each in _ids(level.models["id"])]
    result += [Piece("static", each, game_names.static(each)) for each in _ids(level.static_meshes["id"])]
    result += [Piece("sprite", each, game_names.sprite(each)) for each in _ids(level.sprite_sequences["id"])]
    if level.has("sound_details"):
        has_details = (level.sound_map >= 0) & (level.sound_map < len(level.sound_details))
        sounds = np.flatnonzero(has_details).tolist()
        result += [Piece("sound", each, game_names.sound(each)) for each in sounds]
    result += [Piece("room", each, f"Room {each:03}") for each in range(len(level.rooms))]
    return result


def textures_in(level: Level) -> list[Piece]:
    """Return the textures on the pages of a level."""
    return [Piece("texture", each.number, each.name) for each in textures_of(level)]


def _ids(column: np.ndarray) -> list[int]:
    return [int(each) for each in np.unique(column)]


def plain(name: str) -> str:
    """Return a name for comparisons: case-folded, with single spaces."""
    return " ".join(name.casefold().split())
