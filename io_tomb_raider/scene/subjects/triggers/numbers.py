"""Names of the numbers of triggers' actions, and the meaning of the timer for the actions.

The documentation describes them in chapters 3.2.4, 4.6 and 9.9.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from bpy.types import Collection

from ....catalogue import FOG_NAMES, effect_names, names, trng
from ....formats import Game
from ....formats.base import signed
from ....formats.levels.floor import ActionType, TriggerType
from ....formats.levels.game_files import unique
from ...core.membership import members_of
from ...core.subjects import Kind
from ..level.names import numbered_names, track_names

_NO_NAMES: Mapping[int, str] = {}
_FOLLOW = "AI follow"


def number_names(root: Collection | None, action: int) -> Mapping[int, str]:
    """Return the names of an action's numbers, by number. `action`: the type of the action."""
    if root is None or not has_names(action, Game[root.tomb_raider.game]):
        return _NO_NAMES
    if action == ActionType.FLIPEFFECT:
        return all_flipeffects(root)
    if action == ActionType.SOUNDTRACK:
        return track_names(root)
    if action == ActionType.END_LEVEL:
        return numbered_names(root).levels
    return unique(numbered_names(root).cutscenes | _cutscenes(root))


def all_flipeffects(root: Collection) -> Mapping[int, str]:
    """Return the names of a level's flipeffects, with those of TRNG if it is for TRNG."""
    game = Game[root.tomb_raider.game]
    game_names = names(game).known("flipeffect")
    if not root.tomb_raider.has_trng or not game.traits.has_trng:
        return game_names
    return {**game_names, **effect_names(trng().flipeffects)}


def has_names(action: int, game: Game) -> bool:
    """Return whether there can be names of an action's numbers in a game."""
    if action == ActionType.END_LEVEL:
        return game.traits.has_end_choice
    return action in (ActionType.FLIPEFFECT, ActionType.SOUNDTRACK, ActionType.CUTSCENE)


def _cutscenes(root: Collection) -> dict[int, str]:
    """Return the names of the cutscenes that were imported into a level."""
    cutscenes = (each for each in root.children_recursive if each.tomb_raider.kind == Kind.CUTSCENE)
    return {each.tomb_raider.cutscene.number: each.name for each in cutscenes}


# --- The timer ----------------------------------------


class TimerMeaning(Enum):
    """The meaning of a trigger's timer for one of its actions; the value is its label."""

    SECONDS = "Seconds"
    FOG = "Fog Color"
    SOUND = "Sound"
    WAYPOINT = "OCB of AI Follow"
    START = "OCB of Start Position"
    ARGUMENT = "Argument of Effect"


_EFFECTS = {  # of TR4 and TR5, by number
    10: TimerMeaning.SOUND,
    28: TimerMeaning.FOG,
    30: TimerMeaning.WAYPOINT,
    45: TimerMeaning.WAYPOINT,
}


def timer_meanings(trigger: Any, game: Game, *, is_trng: bool = False) -> list[TimerMeaning]:
    """Return the meanings of a trigger's timer, each once, in the order of its actions; [] if unused.

    In levels for TRNG, flipeffects have their own values.
    """
    # A switch goes back after that time.
    meanings = [TimerMeaning.SECONDS] if trigger.type == TriggerType.SWITCH else []
    actions = [each for each in trigger.actions if not (is_trng and each.type == ActionType.FLIPEFFECT)]
    meanings += [each for each in (_meaning(action, game) for action in actions) if each is not None]
    return list(dict.fromkeys(meanings))


def _meaning(action: Any, game: Game) -> TimerMeaning | None:
    if action.type == ActionType.OBJECT:
        return TimerMeaning.SECONDS
    if not game.traits.has_negative_timers:  # TR1 to TR3
        return None
    if action.type == ActionType.END_LEVEL:
        return TimerMeaning.START
    if action.type != ActionType.FLIPEFFECT:
        return None
    is_of_game = action.number in names(game).known("flipeffect")
    return _EFFECTS.get(action.number) or (None if is_of_game else TimerMeaning.ARGUMENT)


def effect_meaning(number: int) -> TimerMeaning | None:
    """Return the meaning of the value of a flipeffect of TR4, or None if it is not known."""
    return _EFFECTS.get(number)


def timer_names(root: Collection | None, meaning: TimerMeaning) -> Mapping[int, str]:
    """Return the names of a timer's values with a meaning, by value."""
    if root is None:
        return _NO_NAMES
    game = Game[root.tomb_raider.game]
    if meaning is TimerMeaning.FOG:
        return FOG_NAMES
    if meaning is TimerMeaning.SOUND:
        sounds = names(game).known("sound").items()
        return {number: name for number, name in sounds if number == signed(number, 8)}
    if meaning is TimerMeaning.WAYPOINT:
        return unique(_waypoints(root, game))
    return _NO_NAMES


def _waypoints(root: Collection, game: Game) -> dict[int, str]:
    marks = members_of(root, Kind.AI_OBJECT)
    catalogue = names(game)
    return {
        mark.tomb_raider.ai_object.ocb: mark.name
        for mark in reversed(marks)  # of equal ones the first
        if catalogue.entity(mark.tomb_raider.ai_object.type) == _FOLLOW
    }
