"""To version 5: actions lead to others by numbers in their models' lists.

They pointed at one another, in circles, of which Blender up to 5.0 follows every way by itself when it opens
a file: it did not come to an end with those of real levels.
"""

from __future__ import annotations

from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ..base import compat
from .stored import objects_of, stored, storing

_NOWHERE, _OTHERS = -1, -2


def upgrade(root: Collection) -> None:
    """Let the actions of the level's models lead to others by numbers."""
    lists: dict[Object, _Lists] = {}
    models = set(objects_of(root))
    for action in bpy.data.actions:
        model = stored(action).get("model")
        if model in models and action.library is None:
            if model not in lists:
                lists[model] = _Lists(model)
            _lead(action, model, lists[model])


def _lead(action: Action, model: Object, numbers: _Lists) -> None:
    """Exchange the pointers of an action for numbers in its model's lists."""
    settings = storing(action)
    if "home" in settings:
        del settings["home"]  # Blender stores something else than a pointer where an empty one was read
    settings["home"] = model
    compat.let_pointers_be_cleared(action)
    if "next_action" in settings:
        settings["next_number"] = numbers.of(settings["next_action"])
        del settings["next_action"]
    for way in settings.get("dispatches", ()):
        if "action" in way:
            way["number"] = numbers.of(way["action"])
            del way["action"]


class _Lists:
    """What a model has rows for: its animations, and others that these lead to."""

    def __init__(self, model: Object) -> None:
        self._model = model
        rows = stored(model).get("model", {}).get("animations", ())
        found = [row.get("action") for row in rows]
        self._numbers = {action: number for number, action in enumerate(found) if isinstance(action, Action)}
        self._others: list[Action] = []

    def of(self, action: Any) -> int:
        """Return the number of an action. Where Blender stores a pointer to nothing, it is none."""
        if not isinstance(action, Action):
            return _NOWHERE
        if action not in self._numbers:
            self._numbers[action] = _OTHERS - len(self._others)
            self._others.append(action)
            settings = storing(self._model)["model"]
            settings["others"] = [{"action": each} for each in self._others]
            compat.let_pointers_be_cleared(self._model)
        return self._numbers[action]
