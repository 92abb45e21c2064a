"""Slots of models and entities that the engine TRX knows. It does not start levels with others."""

from __future__ import annotations

from ..formats.base import Game

_SLOTS = {
    Game.TR1: frozenset(range(329)) - {92, 107, 174, 175, *range(195, 201), *range(226, 241)},
}


def is_known(game: Game, slot: int) -> bool:
    """Return whether TRX knows a slot of a game. All slots of games but TR1 count as known."""
    return game not in _SLOTS or slot in _SLOTS[game]
