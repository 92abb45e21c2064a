"""To version 5: actions lead to others by numbers in their models' lists.

They pointed at one another, in circles, of which Blender up to 5.0 follows every way by itself when it opens
a file: it did not come to an end with those of real levels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ..core import compat
from .stored import objects_of, stored, storing

_NOWHERE, _OTHERS = -1, -2


def upgrade(root: Collection) -> None:
    """Let the actions of the level's models lead to others by numbers."""
    models: dict[Object, list[Action]] = {obj: [] for obj in objects_of(root)}
    for action in bpy.data.actions:
        model = stored(action).get("model")
        if model in models:
            models[model].append(action)
    for model, actions in models.items():
        lead_by_numbers(model, actions)


def lead_by_numbers(model: Object, actions: Iterable[Action]) -> None:
    """Let the actions of a model lead to others by numbers. Those that do already stay."""
    numbers = _Lists(model)
    for action in actions:
        _lead(action, model, numbers)


def _lead(action: Action, model: Object, numbers: _Lists) -> None:
    """Exchange the pointers of an action for numbers in its model's lists."""
    settings = storing(action)
    if not isinstance(settings.get("home"), Object):
        if "home" in settings:
            del settings["home"]  # where an empty pointer was read, Blender stores something else
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
        own, others = (
            [row.get("action") for row in stored(model).get("model", {}).get(name, ())]
            for name in ("animations", "others")
        )
        self._others = others
        places = [*enumerate(own), *((_OTHERS - place, each) for place, each in enumerate(others))]
        self._numbers = {each: number for number, each in reversed(places) if isinstance(each, Action)}

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
