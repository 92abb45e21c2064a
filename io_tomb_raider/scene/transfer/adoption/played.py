"""Animations of another file that a model of the level plays: they become one more of the model's own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bpy.types import Action, Object

from ...core import compat
from ...core.members import level_of
from ...subjects.animations.transitions import lead_on, lead_to, next_of, target_of
from ..engine.motion import pair_bones, turn_actions


def adopt_played(things: Iterable[Object]) -> bool:
    """Claim the actions that models play where they belong to no model of the scene; return whether any did.

    Args:
        things: the models of a level.
    """
    models = list(things)
    own, is_changed = set(models), False
    for thing in models:
        if not thing.is_editable or thing.animation_data is None:
            continue
        action = thing.animation_data.action
        owner = None if action is None else action.tomb_raider.model
        # Most are of the level itself, and to look for another's takes a walk through the whole file.
        if action is None or owner is None or owner in own or level_of(owner) is not None:
            continue
        taken: Any = action if action.is_editable else action.copy()
        if taken != action:
            compat.assign_action(thing, taken)
        turn_actions([taken], owner, thing, pair_bones(owner, thing))
        _be_of(taken, thing)
        is_changed = True
    return is_changed


def _be_of(action: Action, thing: Object) -> None:
    """Let an animation be a new one of a model; what it led to has stayed behind, so it repeats itself."""
    settings: Any = action.tomb_raider
    following, ways = next_of(action), settings.dispatches
    targets = [target_of(way) for way in ways]
    settings.model, settings.index, settings.origin = thing, -1, thing.tomb_raider.origin
    settings.home = thing
    kept: Any = thing.tomb_raider.model.animations
    if all(each.action != action for each in kept):
        kept.add().action = action
    is_left = following is not None and following.tomb_raider.model != thing
    lead_on(action, action if is_left else following)
    for place in reversed(range(len(ways))):
        target = targets[place]
        if target is None or target.tomb_raider.model != thing:
            ways.remove(place)
        else:
            lead_to(ways[place], target)
