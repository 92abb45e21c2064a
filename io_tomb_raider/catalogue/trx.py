"""Slots of models and entities that the engine TRX knows. It does not start levels with others."""

from __future__ import annotations

from ..formats.games import Game

_HIGHEST = 328
_UNKNOWN = frozenset({92, 107, 174, 175, *range(195, 201), *range(226, 241)})


def is_known(game: Game, slot: int) -> bool:
    """Return whether TRX knows a slot of a game. All slots of games but TR1 count as known."""
    return game is not Game.TR1 or (0 <= slot <= _HIGHEST and slot not in _UNKNOWN)
