"""Dependencies of models in the engines, read from a text file of this folder.

A line of a section has a model and its companions: the game draws, plays or creates ``needed`` ones without
checking that the level has them; ``useful`` ones are missing only in some levels. The model that is shown in
its place from afar is useful, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..formats.base import Game
from .names import names
from .tables import table_lines


class Companion(NamedTuple):
    """A companion of a model."""

    kind: str  #: "model", "sprite" or "sound".
    number: int  #: its id, or the number of the sound.


def companions(game: Game, model: int, *, needed: bool) -> tuple[Companion, ...]:
    """Return the needed or else the useful companions of a model of a game, by the model's id."""
    result = _read()["needed" if needed else "useful", game].get(model, ())
    far = None if needed else names(game).far_model(model)
    return result if far is None else (*result, Companion("model", far))


@cache
def _read() -> Mapping[tuple[str, Game], Mapping[int, tuple[Companion, ...]]]:
    result: dict[tuple[str, Game], dict[int, tuple[Companion, ...]]] = {}
    section: dict[int, tuple[Companion, ...]] = {}
    for line in table_lines("companions"):
        if line.startswith("["):
            need, game = line[1:-1].split()
            section = result.setdefault((need, Game[game.upper()]), {})
            continue
        model, text = line.split("\t")
        pairs = (each.split() for each in text.split(", "))
        section[int(model)] = tuple(Companion(kind, int(number)) for kind, number in pairs)
    return result
