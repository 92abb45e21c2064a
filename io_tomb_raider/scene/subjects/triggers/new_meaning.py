"""Changes of the types of triggers and actions, with the values whose meaning depends on the type.

These get the values of a new trigger or action. Otherwise an effect would become a camera of the same number.
"""

from __future__ import annotations

from typing import Any

from bpy.types import Collection

from ....catalogue import Role, role_of
from ....formats import Game
from ....formats.levels.floor import ActionType, TriggerType
from .trng import is_condition
from .unset import NO_NUMBER, NO_SOURCE
from .values import ENTITY_ACTIONS

_FLIPS = frozenset({int(ActionType.FLIP_MAP), int(ActionType.FLIP_ON), int(ActionType.FLIP_OFF)})
_SAME_TARGETS = (ENTITY_ACTIONS, _FLIPS)
_ROLES = {
    TriggerType.SWITCH: Role.SWITCH,
    TriggerType.KEY: Role.KEYHOLE,
    TriggerType.PICKUP: Role.PICKUP,
}
_ALL_BITS = 0x1F


def change_action(action: Any, kind: int) -> None:
    """Change the type of a trigger's action. Its target stays if both types have the same kind of targets."""
    if not any(action.type in same and kind in same for same in _SAME_TARGETS):
        action.target, action.raw_target, action.number = None, NO_NUMBER, 0
    action.extra, action.stray_end = 0, False
    action.type = kind


def change_trigger(root: Collection | None, trigger: Any, kind: int) -> None:
    """Change the type of a trigger. An entity of another role no longer sets it off."""
    was_condition = is_condition(root, trigger)
    trigger.type = kind
    if was_condition != is_condition(root, trigger):
        trigger.timer, trigger.mask = 0, _ALL_BITS
        for action in trigger.actions[:1]:  # its number was the parameter of the condition
            action.raw_target, action.number = NO_NUMBER, 0
    if trigger.raw_source == NO_SOURCE:
        trigger.raw_source = NO_NUMBER
    source, required = trigger.source, _ROLES.get(TriggerType(kind))
    if root is not None and source is not None and required is not None:
        source_role = role_of(Game[root.tomb_raider.game], source.tomb_raider.entity.type)
        if source_role in _ROLES.values() and source_role is not required:
            trigger.source, trigger.source_rest = None, 0
