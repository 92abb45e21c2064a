"""Selection of pieces of a file by names, patterns and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from ....formats import ExportError
from ....formats.base import T, as_message, joined
from .contents import KINDS, Piece, plain

EVERYTHING, NOTHING = "*", "-"
_NAMED = 40  # pieces listed in an error


class PieceSelection(NamedTuple):
    """The pieces to append: comma-separated names, patterns or numbers, such as "Wolf, Door*, 55"."""

    #: models, static_meshes, sprites, sounds, rooms, textures: the text of each kind.
    models: str = ""
    static_meshes: str = ""
    sprites: str = ""
    sounds: str = ""
    rooms: str = ""
    textures: str = ""

    def texts(self) -> dict[str, str]:
        """Return the text of each kind."""
        return {
            "model": self.models,
            "static": self.static_meshes,
            "sprite": self.sprites,
            "sound": self.sounds,
            "room": self.rooms,
            "texture": self.textures,
        }


def chosen(pieces: Sequence[Piece], kind: str, text: str) -> list[Piece]:
    """Return the pieces of a kind that a text selects, each once.

    Args:
        kind: one of :data:`KINDS`.
        text: comma-separated names, patterns (``Door*``) or numbers; names may contain commas; ``-`` selects
            nothing.

    Raises:
        ExportError: no piece has a name; the text lists the available ones.
    """
    candidates = [each for each in pieces if each.kind == kind]
    by_text = {str(each.number): each for each in reversed(candidates) if each.number >= 0}
    by_text |= {plain(each.name): each for each in reversed(candidates)}
    parts = text.split(",")
    result: dict[Piece, None] = {}
    start = 0
    while start < len(parts):
        part = parts[start].strip()
        if part in ("", NOTHING, EVERYTHING):
            result |= dict.fromkeys(candidates if part == EVERYTHING else ())
            start += 1
            continue
        ends = range(len(parts), start, -1)
        end = next((end for end in ends if plain(",".join(parts[start:end])) in by_text), None)
        if end is not None:
            result[by_text[plain(",".join(parts[start:end]))]] = None
            start = end
            continue
        matches = [each for each in candidates if fnmatchcase(plain(each.name), plain(part))]
        if not matches:
            raise ExportError(part, _available(candidates, KINDS[kind]))
        result |= dict.fromkeys(matches)
        start += 1
    return list(result)


def _available(candidates: Sequence[Piece], label: str) -> str:
    if not candidates:
        return T("the file has no {label}", label=as_message(label))
    listed = joined(", ", map(_listed, candidates[:_NAMED]))
    more = T(" and {count} more", count=len(candidates) - _NAMED) if len(candidates) > _NAMED else ""
    return T(
        "the file has none with this name. Its {label} are {names}{more}",
        label=as_message(label),
        names=listed,
        more=more,
    )


def _listed(piece: Piece) -> str:
    return T("{piece} ({number})", piece=piece.name, number=piece.number) if piece.number >= 0 else piece.name
