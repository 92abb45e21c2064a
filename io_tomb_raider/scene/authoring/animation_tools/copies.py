"""Copies of animations: new animations of the same model."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Action, Object

from ...core.blender.compat import LONGEST_NAME
from ...subjects.animations.keys.boxes import known_boxes, replace_boxes
from ...subjects.animations.keys.ranges import adopt_range


def copy_animation(action: Action, model: Object, suffix: str) -> Action:
    """Return a copy of an animation as a new one of its model.

    It has the boxes, transitions, commands, sounds and effects of its original.

    Args:
        action: the original.
        model: the armature of the model.
        suffix: for its name.
    """
    result: Any = action.copy()
    stem = action.name
    result.name = f"{stem[: LONGEST_NAME - len(suffix) - 1]} {suffix}"
    settings = result.tomb_raider
    settings.model, settings.index, settings.origin = model, -1, model.tomb_raider.origin
    settings.layer = None
    adopt_range(result)
    if not model.tomb_raider.model.fit_boxes:
        replace_boxes(result, known_boxes(result), is_new=True)
    kept: Any = model.tomb_raider.model.animations
    kept.add().action = result  # it would have no user once another animation is shown
    return result


def actions_leading_to(action: Action) -> list[Action]:
    """Return all actions of the file that may refer to frames of an animation: it and those of models."""
    return [each for each in bpy.data.actions if each.tomb_raider.home is not None or each == action]
