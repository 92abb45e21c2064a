"""The triggers and actions that engines know."""

from __future__ import annotations

from ...base.games import Game
from ...base.targets import Target, is_for_trx, limits_of
from .functions import ActionType, TriggerType


def last_trigger_type(game: Game, target: Target, *, trng: bool = False) -> int:
    """Return the highest type of triggers that an engine knows; TRNG has conditions in levels of TR4."""
    last = limits_of(target, game).trigger_type or game.traits.last_trigger_type
    return max(last, int(TriggerType.MONKEY)) if trng else last


def actions_of(game: Game, target: Target) -> list[ActionType]:
    """Return the actions of triggers that an engine knows, in order."""
    known = [kind for kind in ActionType if kind <= game.traits.last_action]
    if is_for_trx(target, game) and ActionType.FLYBY not in known:
        known.append(ActionType.FLYBY)
    return known
