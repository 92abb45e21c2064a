"""Triggers of rooms that have come from another level: what they act on came along, or is taken out."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from bpy.types import Object

from ....catalogue import names
from ....formats import Game
from ....formats.floor.functions import ActionType
from ...core.report import Report, first_few
from ...subjects.triggers.values import CAMERA_ACTIONS, ENTITY_ACTIONS, refers
from .contents import same_name

_NAMED = 4
_EFFECTS = frozenset({int(ActionType.FLIPEFFECT)})
_NO_NUMBER = -1


def settle_trigger(
    thing: Object, taken: Container[Object], source: Game, target: Game, report: Report
) -> bool:
    """Take out of a trigger what its new level does not have. Tells whether it still does anything.

    Args:
        thing: the trigger.
        taken: what came along with it.
        source: the game that it comes from.
        target: that of its level.
        report: takes which of its actions are lost.
    """
    settings = thing.tomb_raider.trigger
    if settings.type > target.traits.last_trigger_type:
        return False
    if refers(settings.type):
        if settings.source not in taken:
            return False
        settings.raw_source = _NO_NUMBER
    lost: list[str] = []
    for place in reversed(range(len(settings.actions))):
        action = settings.actions[place]
        if not _settle(action, taken, source, target):
            lost.append(_title(action, source))
            settings.actions.remove(place)
    if lost and len(settings.actions):
        text = "what these actions name stays behind, or is not known here, so they are taken out"
        report.warn(thing.name, f"{text}: {first_few(lost[::-1], _NAMED)}")
    return bool(len(settings.actions))


def _settle(action: Any, taken: Container[Object], source: Game, target: Game) -> bool:
    """Let an action name what its level has. Tells whether there is that."""
    kind = int(action.type)
    if kind > target.traits.last_action:
        return False
    if kind in ENTITY_ACTIONS | CAMERA_ACTIONS or kind == ActionType.FLYBY:
        # Numbers without an object are those of the other level.
        return action.target is not None and action.target in taken
    if kind in _EFFECTS:
        number = same_name(int(action.number), "flipeffect", names(source), names(target))
        if number is None:
            return False
        action.number = number
    return True


def _title(action: Any, game: Game) -> str:
    label = names(game).action(int(action.type))
    return label if action.target is None else f"{label} {action.target.name}"
