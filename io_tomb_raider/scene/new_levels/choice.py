"""The objects of a kit that a new level gets: the user's choice and its dependencies."""

from __future__ import annotations

import re

from ...formats import Level
from ...formats.edits.append import PieceChoice
from ..transfer.engine.choice import PieceSelection, chosen
from ..transfer.engine.contents import Piece, pieces_of

_KINDS = ("model", "static", "sprite", "sound")  # a kit has no rooms
_EXTRA = re.compile(r" \([^()]*\)$")  # names of variants: filled, in the menu, or far away


def choice_of(level: Level, wanted: PieceSelection) -> PieceChoice:
    """Return the ids of the chosen objects of a kit; an empty text chooses all of a kind.

    Lara and her models are always included, and the variants of chosen models and sprites: filled, in the
    menu, and far away.

    Raises:
        ExportError: if the level has no such object.
    """
    there = pieces_of(level)
    texts = {kind: text for kind, text in wanted.texts().items() if kind in _KINDS}
    found = {kind: chosen(there, kind, text) for kind, text in texts.items() if text.strip()}
    if "model" in found:
        bases = {_base(each) for kind in ("model", "sprite") for each in found.get(kind, ())}
        found["model"] += [
            each
            for each in there
            if each.kind == "model" and (each.name.startswith("Lara") or _base(each) in bases)
        ]
    models, static_meshes, sprites, sounds = (
        frozenset(each.number for each in found[kind]) if kind in found else None for kind in _KINDS
    )
    return PieceChoice(models, static_meshes, sprites, sounds)


def _base(piece: Piece) -> str:
    return _EXTRA.sub("", piece.name)
