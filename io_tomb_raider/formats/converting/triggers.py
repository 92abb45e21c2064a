"""What sets triggers off and what they do, from one game to another (documentation, chapters 4.5 and 4.6)."""

from __future__ import annotations

from typing import NamedTuple

from ..floor.functions import ActionType, TriggerType
from ..games import Game

_LONGEST = 127  # seconds that a timer with a sign counts
_FLIPS = (ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF)

# By what a game replaces a type that it does not know, and what is lost by that.
_NEAREST_TYPE = {
    TriggerType.ANTITRIGGER: (TriggerType.ANTIPAD, "only where Lara stands on the floor"),
    TriggerType.HEAVY_SWITCH: (TriggerType.HEAVY, "by any block, not by the one of its mask"),
    TriggerType.MONKEY: (TriggerType.TRIGGER, "wherever Lara is in the sector, not only on its ceiling"),
}


class NearType(NamedTuple):
    """A type of triggers in another game.

    Attributes:
        type: its number, or None where there is nothing like it.
        lost: what it does otherwise, "" where it is the same.
    """

    type: int | None
    lost: str = ""


def trigger_type(number: int, target: Game) -> NearType:
    """Return as what a game has a type of triggers of another game."""
    if number <= target.traits.last_trigger_type:
        return NearType(number)
    if number in _NEAREST_TYPE:
        near, lost = _NEAREST_TYPE[TriggerType(number)]
        return NearType(int(near), lost)
    return NearType(None)


def knows_action(number: int, target: Game) -> bool:
    """Tell whether triggers of a game can do something, by the number that all games have for it."""
    if number == ActionType.CLEAR_BODIES and target is Game.TR1:
        return False
    return number <= target.traits.last_action


def flips_rooms(number: int) -> bool:
    """Tell whether an action is about a flip map, which it names by its number."""
    return number in _FLIPS


def timer_of(timer: int, source: Game, target: Game) -> int:
    """Return the timer of a trigger in another game, where it may have a sign, or have none any more."""
    if target.traits.has_negative_timers:
        return min(timer, _LONGEST)
    return max(timer, 0) if source.traits.has_negative_timers else timer
