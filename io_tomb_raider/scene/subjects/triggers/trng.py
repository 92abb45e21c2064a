"""Names of the effects of TRNG and of their values, for triggers of levels that are for TRNG.

A flipeffect has two values in its extra word. An action is on the object that its number names; the extra
word has the action and its value. A condition is a trigger whose timer is the condition, whose mask is its
value, and whose first action is its parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bpy.types import Collection

from ....catalogue import Effect, Meaning, effect_names, names, trng
from ....formats import Game
from ....formats.base import Bits
from ....formats.levels.floor import ActionType, TriggerType
from ...core.membership import members_of
from ...core.subjects import Kind
from ..level.names import track_names
from .numbers import effect_meaning, timer_names

FIRST, SECOND = Bits(0, 8), Bits(8, 7)  # of the extra word
_NO_NAMES: Mapping[int, str] = {}
_WITH_VALUES = (ActionType.FLIPEFFECT, ActionType.CLEAR_BODIES)


class LabeledValue(NamedTuple):
    """A value as it is shown."""

    label: str  #: its meaning.
    names: Mapping[int, str]  #: its names by number; none for plain numbers.


def is_trng(root: Collection | None, trigger: Any) -> bool:
    """Return whether a trigger is of a level for TRNG. In files of older versions, extra words show it."""
    if root is None or root.tomb_raider.game != Game.TR4.name:
        return False
    return root.tomb_raider.has_trng or any(
        action.type in _WITH_VALUES and action.extra > 0 for action in trigger.actions
    )


def is_condition(root: Collection | None, trigger: Any) -> bool:
    """Return whether a trigger is a condition of TRNG."""
    return trigger.type == TriggerType.MONKEY and is_trng(root, trigger)


def first_value(root: Collection | None, action: Any) -> LabeledValue | None:
    """Return the first value of an action's extra word, or None if the effect has none.

    That of an action on an object is the action itself.
    """
    if action.type == ActionType.CLEAR_BODIES:
        return LabeledValue("Action", effect_names(trng().actions))
    meaning = effect_meaning(action.number)
    if meaning is not None:  # of one of the game's own flipeffects
        return LabeledValue(meaning.value, timer_names(root, meaning))
    effect = trng().flipeffects.get(action.number)
    if effect is None:
        return _unknown(action, FIRST)
    return None if effect.first is None else _shown(root, effect.first)


def second_value(root: Collection | None, action: Any) -> LabeledValue | None:
    """Return the second value of an action's extra word, or None if the effect has none."""
    if action.type == ActionType.CLEAR_BODIES:
        effect = trng().actions.get(FIRST.of(max(action.extra, 0)))
        meaning = None if effect is None else effect.first
    else:
        effect = trng().flipeffects.get(action.number)
        meaning = None if effect is None else effect.second
    if meaning is None:
        return _unknown(action, SECOND)
    return _shown(root, meaning)


def _unknown(action: Any, part: Bits) -> LabeledValue | None:
    """Return a value without a known meaning, if it is not 0."""
    return LabeledValue("Value", _NO_NAMES) if part.of(max(action.extra, 0)) else None


def condition(trigger: Any) -> Effect | None:
    """Return the condition of a trigger, or None for an unknown one."""
    return trng().conditions.get(trigger.timer)


def condition_names() -> Mapping[int, str]:
    """Return the names of all conditions."""
    return effect_names(trng().conditions)


def condition_value(root: Collection | None, trigger: Any) -> LabeledValue | None:
    """Return the value of a condition, which is the mask of its trigger, or None if it has none."""
    effect = condition(trigger)
    if effect is None or effect.second is None:
        return LabeledValue("Value", _NO_NAMES) if trigger.mask and effect is None else None
    return _shown(root, effect.second)


def condition_parameter(root: Collection | None, trigger: Any) -> LabeledValue:
    """Return the parameter of a condition, which is the number of its first action."""
    effect = condition(trigger)
    if effect is None or effect.first is None:
        return LabeledValue("Parameter", _NO_NAMES)
    return _shown(root, effect.first)


def object_names(root: Collection | None) -> Mapping[int, str]:
    """Return the names of a level's entities by their numbers in the imported file."""
    entities = () if root is None else members_of(root, Kind.ENTITY)
    return {
        obj.tomb_raider.index: obj.name
        for obj in reversed(entities)
        if obj.tomb_raider.index >= 0 and not obj.tomb_raider.is_copy
    }


def _shown(root: Collection | None, meaning: Meaning) -> LabeledValue:
    catalogue = names(Game.TR4)
    if meaning.kind == "slot":
        return LabeledValue(meaning.label, {**catalogue.known("sprite"), **catalogue.known("model")})
    if meaning.kind == "sound":
        return LabeledValue(meaning.label, catalogue.known("sound"))
    if meaning.kind == "track" and root is not None:
        return LabeledValue(meaning.label, track_names(root))
    if meaning.kind == "entity":
        return LabeledValue(meaning.label, object_names(root))
    return LabeledValue(meaning.label, trng().named(meaning))
