"""Mapping of ids between games.

Elements of the same name are the same. A text file of this folder lists those that are the same or similar
under different names: a line has the number in each of the five games, ``-`` for none.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from ..formats.base import Game
from .names import names
from .tables import table_lines

_KINDS = {"model": ("model", "sprite"), "sprite": ("sprite", "model")}


class Equivalent(NamedTuple):
    """The counterpart of an element in another game."""

    number: int  #: its number there.
    is_exact: bool  #: whether it is the same; otherwise it looks or acts differently.


def equivalent(kind: str, number: int, source: Game, target: Game) -> Equivalent | None:
    """Return the counterpart of an element in another game, or None without one.

    Args:
        kind: "model", "sprite", "sound" or "flipeffect". Models and sprites share their numbers: a sprite in
            one game may be a model in another.
        number: in the source game.
    """
    if source is target:
        return Equivalent(number, True)
    by_name = _by_name(kind, number, source, target)
    if by_name is not None:
        return Equivalent(by_name, True)
    section = "model" if kind == "sprite" else kind
    for match in ("exact", "near"):
        counterpart = _read().get((section, match, source), {}).get(number, {}).get(target)
        if counterpart is not None:
            return Equivalent(counterpart, match == "exact")
    return None


# States of rest have different names.
_RESTING = ("stop", "idle", "stand", "wait")
_FORWARD = " forward"


def equivalent_state(number: int, source: tuple[Game, int], target: tuple[Game, int]) -> int | None:
    """Return the state of another model's animations with the same meaning, or None without one.

    Args:
        number: of the state.
        source, target: the game and the id of each model.
    """
    if source == target:
        return number
    ours: dict[str, int] = {}
    for state, name in names(target[0]).known("state", target[1]).items():
        ours.setdefault(_plain(name), state)
    meaning = names(source[0]).known("state", source[1]).get(number)
    if meaning is None or not ours:
        counterpart = equivalent("model", source[1], source[0], target[0])
        return number if counterpart is not None and counterpart.number == target[1] else None
    plain = _plain(meaning)
    tries = (plain, plain.removesuffix(_FORWARD), plain + _FORWARD, *(_RESTING if plain in _RESTING else ()))
    return next((ours[each] for each in tries if each in ours), None)


@cache
def listed_numbers(kind: str, game: Game) -> frozenset[int]:
    """Return the numbers of a game that are the same element in another game, some without a name."""
    rows = _read().get((kind, "exact", game), {})
    return frozenset(number for number, row in rows.items() if len(row) > 1)


def is_sprite(number: int, game: Game) -> bool:
    """Return whether a game shows a type of entities as a sprite."""
    catalogue = names(game)
    return number in catalogue.known("sprite") and number not in catalogue.known("model")


def _by_name(kind: str, number: int, source: Game, target: Game) -> int | None:
    kinds = _KINDS.get(kind, (kind,))
    source_name = next((name for each in kinds if (name := names(source).known(each).get(number))), None)
    if source_name is None:
        return None
    for each in kinds:
        numbers = _numbers(target, each).get(_plain(source_name), ())
        if numbers:
            return number if number in numbers else numbers[0]
    return None


@cache
def _numbers(game: Game, kind: str) -> Mapping[str, list[int]]:
    result: dict[str, list[int]] = {}
    for number, name in names(game).known(kind).items():
        result.setdefault(_plain(name), []).append(number)
    return result


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


@cache
def _read() -> Mapping[tuple[str, str, Game], Mapping[int, Mapping[Game, int]]]:
    """Return the numbers in all games by kind, match, game and number; of duplicates the first."""
    result: dict[tuple[str, str, Game], dict[int, Mapping[Game, int]]] = {}
    kind = match = ""
    for line in table_lines("equivalents"):
        if line.startswith("["):
            kind, match = line[1:-1].split()
            continue
        columns = zip(Game, line.split("\t"), strict=True)
        row = {game: int(number) for game, number in columns if number != "-"}
        for game, number in row.items():
            result.setdefault((kind, match, game), {}).setdefault(number, row)
    return result
