"""Upgrade to version 5: actions refer to others by numbers in their models' lists.

They pointed at each other in cycles. Blender up to 5.0 follows each path when it opens a file, which never
ended for real levels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ..core.blender import compat
from .stored import objects_of, stored, storing

_NOWHERE, _OTHERS = -1, -2


def upgrade(root: Collection) -> None:
    """Replace the pointers of the actions of all models of the level."""
    models: dict[Object, list[Action]] = {obj: [] for obj in objects_of(root)}
    for action in bpy.data.actions:
        model = stored(action).get("model")
        if model in models:
            models[model].append(action)
    for model, actions in models.items():
        replace_pointers(model, actions)


def replace_pointers(model: Object, actions: Iterable[Action]) -> None:
    """Replace pointers between the actions of a model by numbers in its lists. Numbers stay."""
    numbers = _Lists(model)
    for action in actions:
        _replace_pointers_of(action, model, numbers)


def _replace_pointers_of(action: Action, model: Object, numbers: _Lists) -> None:
    """Replace the pointers of one action by numbers in its model's lists."""
    settings = storing(action)
    if not isinstance(settings.get("home"), Object):
        if "home" in settings:
            del settings["home"]  # Blender stores another type where an empty pointer was read
        settings["home"] = model
        compat.ensure_pointers_are_cleared(action)
    if "next_action" in settings:
        settings["next_number"] = numbers.of(settings["next_action"])
        del settings["next_action"]
    for row in settings.get("dispatches", ()):
        if "action" in row:
            row["number"] = numbers.of(row["action"])
            del row["action"]


class _Lists:
    """The lists of a model: its animations, and other actions that these refer to."""

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
        """Return the number of an action, which is listed if necessary; -1 for an empty pointer."""
        if not isinstance(action, Action):
            return _NOWHERE
        if action not in self._numbers:
            self._numbers[action] = _OTHERS - len(self._others)
            self._others.append(action)
            settings = storing(self._model)["model"]
            settings["others"] = [{"action": each} for each in self._others]
            compat.ensure_pointers_are_cleared(self._model)
        return self._numbers[action]
