"""Exported numbers of actions, including references to actions of another copy of this level.

Blender copies a scene or a collection together with the current actions, which still refer to actions of the
original. The *twin* of such a target is the animation that it was imported as.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from .....formats import ExportError, Level
from .....formats.base import T
from .....formats.levels.animations import AnimationReference
from ....core.order import ordered


class AnimationReferences:
    """References to animations before they have their final numbers."""

    def __init__(
        self, actions: Mapping[Action, AnimationReference], root: Collection, level: Level, owners: Any
    ) -> None:
        """Store the actions of the level; ``owners`` is the index of each animation's model, -1 for none."""
        #: the reference for every action of the level: the number of its animation, or a new one.
        self.by_action = actions
        self._root, self._level, self._owners = root, level, owners

    def of(self, action: Action) -> AnimationReference | None:
        """Return the reference for an action, or None if it is no animation of the level."""
        return self.by_action[action] if action in self.by_action else self.twin_of(action)

    def twin_of(self, action: Action | None) -> int | None:
        """Return the animation that another copy's action was imported as, or None."""
        if action is None or action in self.by_action:
            return None
        # Search for twins only on demand: a file with many levels has thousands of actions.
        is_copy = action.tomb_raider.origin == self._root.tomb_raider.origin
        return self._twins.get(action) if is_copy else None

    def require(self, action: Action, subject: str, role: str) -> AnimationReference:
        """Return the reference for an action; ``subject`` refers to it in a role, for the error.

        Raises:
            ExportError: if it is no animation of the level.
        """
        result = self.of(action)
        if result is None:
            advice = T("choose an action of a model of this level there, or clear it")
            raise ExportError(
                subject,
                T(
                    "{role}, {action}, is no animation of the level: {advice}",
                    role=role,
                    action=action.name,
                    advice=advice,
                ),
            )
        return result

    @cached_property
    def _twins(self) -> dict[Action, int]:
        """The twins of all actions of other copies of the level."""
        ids = self._level.models["id"].tolist()
        copies: dict[Object | None, list[Action]] = {}
        origin = self._root.tomb_raider.origin
        for action in bpy.data.actions if origin else ():
            settings = action.tomb_raider
            if settings.origin == origin and action not in self.by_action:
                copies.setdefault(settings.model, []).append(action)
        twins: dict[Action, int] = {}
        for model, actions in copies.items():
            # Duplicates made in the other copy have no twin here: `ordered` gives them the index -1.
            for action, index in ordered(actions, imported_animations(model)):
                is_owned = 0 <= index < len(self._owners) and self._owners[index] >= 0
                if is_owned and (model is None or model.tomb_raider.model.id == ids[self._owners[index]]):
                    twins[action] = index
        return twins


def imported_animations(armature: Object | None) -> set[Action]:
    """Return the actions that an import made for a model, without copies of them."""
    if armature is None:
        return set()
    rows = armature.tomb_raider.model.animations
    return {each.action for each in rows if each.action is not None}
