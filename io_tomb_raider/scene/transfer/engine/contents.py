"""What a file has to append, by name."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from ....catalogue import names
from ....formats import ExportError, Level, read_level
from ....formats.appending.textures import textures_of
from ....formats.object_files import is_object_file, read_objects

# The kinds of pieces, and what several are called.
KINDS = {
    "model": "models",
    "static": "static meshes",
    "sprite": "sprites",
    "sound": "sounds",
    "room": "rooms",
    "texture": "textures",
}


class Entry(NamedTuple):
    """Something that a file has.

    Attributes:
        kind: one of :data:`KINDS`.
        number: its id, or the number of the sound or object texture, in that file; below 0 where none is
            known to anybody.
        name: what its game calls it.
    """

    kind: str
    number: int
    name: str


def read_source(path: Path) -> Level:
    """Read a file whose pieces are wanted: a level, or a file of objects (WAD) with its sprites beside it.

    Raises:
        ExportError: where it holds texture pages only.
        FormatError: where it is none, or damaged.
        OSError: where it cannot be read.
    """
    level = read_objects(path) if is_object_file(path) else read_level(path)
    if not level.has("models"):
        raise ExportError(path.name, "it holds texture pages only: choose a whole level")
    return level


def pieces_of(level: Level) -> list[Entry]:
    """Return what a level has but for textures, kind by kind, by number, and each once."""
    called = names(level.game)
    found = [Entry("model", each, called.model(each)) for each in _ids(level.models["id"])]
    found += [Entry("static", each, called.static(each)) for each in _ids(level.static_meshes["id"])]
    found += [Entry("sprite", each, called.sprite(each)) for each in _ids(level.sprite_sequences["id"])]
    if level.has("sound_details"):
        is_there = (level.sound_map >= 0) & (level.sound_map < len(level.sound_details))
        sounds = np.flatnonzero(is_there).tolist()
        found += [Entry("sound", each, called.sound(each)) for each in sounds]
    found += [Entry("room", each, f"Room {each:03}") for each in range(len(level.rooms))]
    return found


def textures_in(level: Level) -> list[Entry]:
    """Return what a level has on its texture pages."""
    return [Entry("texture", each.number, each.name) for each in textures_of(level)]


def _ids(column: np.ndarray) -> list[int]:
    return [int(each) for each in np.unique(column)]


def plain(name: str) -> str:
    """Return a name as names are compared: without upper case, and with single spaces."""
    return " ".join(name.casefold().split())
