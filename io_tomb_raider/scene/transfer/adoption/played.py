"""Claims of foreign animations that a model of the level plays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Action, Object

from ...core import compat
from ...core.membership import level_of
from ...subjects.animations.new_actions import claim_new_action
from ...subjects.animations.transitions import next_of, set_next, set_target, target_of
from ..engine.motion import pair_bones, retarget_actions


def adopt_played(objects: Iterable[Object]) -> bool:
    """Claim the played actions that belong to no model of the scene; return whether there were any.

    New actions become animations, too.
    """
    models = list(objects)
    own, is_changed = set(models), False
    for obj in models:
        if not obj.is_editable or obj.animation_data is None:
            continue
        is_changed |= claim_new_action(obj)
        action = obj.animation_data.action
        owner = None if action is None else action.tomb_raider.model
        # Most actions are of the level, and level_of searches the whole file.
        if action is None or owner is None or owner in own or level_of(owner) is not None:
            continue
        claimed: Any = action if action.is_editable else action.copy()
        if claimed != action:
            compat.assign_action(obj, claimed)
        retarget_actions([claimed], owner, obj, pair_bones(owner, obj))
        _claim_action(claimed, obj)
        is_changed = True
    return is_changed


def _claim_action(action: Action, obj: Object) -> None:
    """Register an action as a new, looping animation of a model, without transitions to other models."""
    settings: Any = action.tomb_raider
    following, transitions = next_of(action), settings.dispatches
    targets = [target_of(transition) for transition in transitions]
    settings.model, settings.index, settings.origin = obj, -1, obj.tomb_raider.origin
    settings.home = obj
    kept: Any = obj.tomb_raider.model.animations
    if all(each.action != action for each in kept):
        kept.add().action = action
    is_left = following is not None and following.tomb_raider.model != obj
    set_next(action, action if is_left else following)
    for place in reversed(range(len(transitions))):
        target = targets[place]
        if target is None or target.tomb_raider.model != obj:
            transitions.remove(place)
        else:
            set_target(transitions[place], target)
