"""What a file has to append, by name, and which of it a user means."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...catalogue import Catalogue, names
from ...formats import ExportError, Level, read_level
from ...formats.wad.level import read_objects

# The kinds of pieces, and what several are called.
KINDS = {
    "model": "models",
    "static": "static meshes",
    "sprite": "sprites",
    "sound": "sounds",
}
EVERYTHING = "*"
_NAMED = 40  # in an error that lists what there is


class Piece(NamedTuple):
    """Something that a file has.

    Attributes:
        kind: one of :data:`KINDS`.
        number: its id, or the number of the sound, in that file.
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
    level = read_objects(path) if path.suffix.lower() == ".wad" else read_level(path)
    if not level.has("models"):
        raise ExportError(path.name, "it holds texture pages only: choose a whole level")
    return level


def pieces_of(level: Level) -> list[Piece]:
    """Return what a level has, kind by kind, by number. What stands in it twice is there once."""
    called = names(level.game)
    found = [Piece("model", each, called.model(each)) for each in _ids(level.models["id"])]
    found += [Piece("static", each, called.static(each)) for each in _ids(level.static_meshes["id"])]
    found += [Piece("sprite", each, called.sprite(each)) for each in _ids(level.sprite_sequences["id"])]
    if level.has("sound_details"):
        is_there = (level.sound_map >= 0) & (level.sound_map < len(level.sound_details))
        sounds = np.flatnonzero(is_there).tolist()
        found += [Piece("sound", each, called.sound(each)) for each in sounds]
    return found


def _ids(column: np.ndarray) -> list[int]:
    return [int(each) for each in np.unique(column)]


def chosen(pieces: Sequence[Piece], kind: str, text: str) -> list[Piece]:
    """Return the pieces of a kind that a text names.

    Args:
        pieces: what there is.
        kind: one of :data:`KINDS`.
        text: names or ids, separated by commas; ``*`` for all. Names may hold commas themselves.

    Raises:
        ExportError: where there is none of a name, with a list of those that there are.
    """
    own = [each for each in pieces if each.kind == kind]
    if text.strip() == EVERYTHING:
        return own
    known = {str(each.number): each for each in reversed(own)}
    known |= {_plain(each.name): each for each in reversed(own)}
    parts = text.split(",")
    found: dict[Piece, None] = {}
    at = 0
    while at < len(parts):
        if not parts[at].strip():
            at += 1
            continue
        ends = range(len(parts), at, -1)
        end = next((end for end in ends if _plain(",".join(parts[at:end])) in known), None)
        if end is None:
            raise ExportError(parts[at].strip(), _what_there_is(own, KINDS[kind]))
        found[known[_plain(",".join(parts[at:end]))]] = None
        at = end
    return list(found)


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def _what_there_is(own: Sequence[Piece], label: str) -> str:
    if not own:
        return f"the file has no {label}"
    listed = ", ".join(f"{each.name} ({each.number})" for each in own[:_NAMED])
    more = f" and {len(own) - _NAMED} more" if len(own) > _NAMED else ""
    return f"the file has none of this name. Its {label} are {listed}{more}"


def same_name(number: int, kind: str, source: Catalogue, target: Catalogue) -> int | None:
    """Return by which number another game knows what a game calls by a number, or None where it does not.

    Args:
        number: in the game of ``source``.
        kind: "model", "static", "sprite", "sound" or "flipeffect".
        source, target: the catalogues of both games.
    """
    if source.game == target.game:
        return number
    name = source.known(kind).get(number)
    if name is None:
        return None
    wanted = _plain(name)
    alike = [each for each, other in target.known(kind).items() if _plain(other) == wanted]
    return number if number in alike else next(iter(alike), None)
