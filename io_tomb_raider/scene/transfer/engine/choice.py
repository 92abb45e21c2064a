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
    own = [each for each in pieces if each.kind == kind]
    known = {str(each.number): each for each in reversed(own) if each.number >= 0}
    known |= {plain(each.name): each for each in reversed(own)}
    parts = text.split(",")
    found: dict[Piece, None] = {}
    at = 0
    while at < len(parts):
        part = parts[at].strip()
        if part in ("", NOTHING, EVERYTHING):
            found |= dict.fromkeys(own if part == EVERYTHING else ())
            at += 1
            continue
        ends = range(len(parts), at, -1)
        end = next((end for end in ends if plain(",".join(parts[at:end])) in known), None)
        if end is not None:
            found[known[plain(",".join(parts[at:end]))]] = None
            at = end
            continue
        alike = [each for each in own if fnmatchcase(plain(each.name), plain(part))]
        if not alike:
            raise ExportError(part, _available(own, KINDS[kind]))
        found |= dict.fromkeys(alike)
        at += 1
    return list(found)


def _available(own: Sequence[Piece], label: str) -> str:
    if not own:
        return T("the file has no {label}", label=as_message(label))
    listed = joined(", ", map(_listed, own[:_NAMED]))
    more = T(" and {count} more", count=len(own) - _NAMED) if len(own) > _NAMED else ""
    return T(
        "the file has none with this name. Its {label} are {names}{more}",
        label=as_message(label),
        names=listed,
        more=more,
    )


def _listed(piece: Piece) -> str:
    return T("{piece} ({number})", piece=piece.name, number=piece.number) if piece.number >= 0 else piece.name
