"""Conversion of trigger types and actions between games (documentation, chapters 4.5 and 4.6)."""

from __future__ import annotations

from typing import NamedTuple

from ...base.games import Game
from ...base.targets import Target
from ...levels.floor.functions import ActionType, TriggerType, actions_of, last_trigger_type

_LONGEST = 127  # seconds that a signed timer can count
_FLIPS = (ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF)

# The replacements of unsupported types, and what each loses.
_NEAREST_TYPE = {
    TriggerType.ANTITRIGGER: (TriggerType.ANTIPAD, "only where Lara stands on the floor"),
    TriggerType.HEAVY_SWITCH: (TriggerType.HEAVY, "by any block, not by the one of its mask"),
    TriggerType.MONKEY: (TriggerType.TRIGGER, "wherever Lara is in the sector, not only on its ceiling"),
}


class NearType(NamedTuple):
    """A type of triggers in another game."""

    type: int | None  #: its number, or None without any counterpart.
    lost: str = ""  #: the difference in behavior, "" if it is the same.


def trigger_type(number: int, target: Game, engine: Target = Target.ORIGINAL) -> NearType:
    """Return the counterpart of a trigger type in another game, for an engine."""
    if number <= last_trigger_type(target, engine):
        return NearType(number)
    if number in _NEAREST_TYPE:
        near, lost = _NEAREST_TYPE[TriggerType(number)]
        return NearType(int(near), lost)
    return NearType(None)


def supports_action(number: int, target: Game, engine: Target = Target.ORIGINAL) -> bool:
    """Return whether a game supports an action in an engine, by the number that it has in all games."""
    if number == ActionType.CLEAR_BODIES and not target.traits.has_body_action:
        return False
    return number in actions_of(target, engine)


def flips_rooms(number: int) -> bool:
    """Return whether an action refers to a flip map by number."""
    return number in _FLIPS


def timer_of(timer: int, source: Game, target: Game) -> int:
    """Return the timer of a trigger for another game, where it may be signed or unsigned."""
    if target.traits.has_negative_timers:
        return min(timer, _LONGEST)
    return max(timer, 0) if source.traits.has_negative_timers else timer
