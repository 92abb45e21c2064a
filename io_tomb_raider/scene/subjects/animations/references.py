"""What actions are written as, and what actions mean that are another copy's of this level.

Blender copies a scene or a collection with the actions that are in use, and these still lead to actions of
what was copied. Such an action's *twin* is the animation that it was imported as.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import bpy
from bpy.types import Action, Collection, Object
from numpy.typing import NDArray

from ....formats import ExportError, Level
from ....formats.animations.animations import AnimationReference
from ...core.order import ordered


class AnimationReferences:
    """How animations are named while they have no numbers yet."""

    def __init__(
        self,
        own: Mapping[Action, AnimationReference],
        root: Collection,
        level: Level,
        owners: NDArray[Any],
    ) -> None:
        """Prepare to name them.

        Args:
            own: what every action of the level is written as: the number of its animation, or a new one.
            root: the root collection of the level.
            level: the original.
            owners: by animation the index of its model, -1 for none.
        """
        self.own = own
        self._root = root
        self._level = level
        self._owners = owners

    def of(self, action: Action) -> AnimationReference | None:
        """Return what an action is written as, None where it is no animation of the level."""
        return self.own[action] if action in self.own else self.twin_of(action)

    def twin_of(self, action: Action | None) -> int | None:
        """Return the animation that another copy's action was imported as, None where it is not one."""
        if action is None or action in self.own:
            return None
        # Only what is asked for tells whether there are any: a file of many levels has thousands of actions.
        is_copy = action.tomb_raider.origin == self._root.tomb_raider.origin
        return self._twins.get(action) if is_copy else None

    def require(self, action: Action, subject: str, role: str) -> AnimationReference:
        """Return what an action is written as.

        Args:
            action: the action.
            subject: the name of the action that leads to it.
            role: how it does, for the error.

        Raises:
            ExportError: where it is no animation of the level.
        """
        found = self.of(action)
        if found is None:
            advice = "choose an action of this level's models there, or make it none"
            raise ExportError(subject, f"{role}, {action.name}, is no animation of the level: {advice}")
        return found

    @cached_property
    def _twins(self) -> dict[Action, int]:
        """The twins of all actions that are another copy's of the level."""
        ids = self._level.models["id"].tolist()
        copies: dict[Object | None, list[Action]] = {}
        origin = self._root.tomb_raider.origin
        for action in bpy.data.actions if origin else ():
            settings = action.tomb_raider
            if settings.origin == origin and action not in self.own:
                copies.setdefault(settings.model, []).append(action)
        twins: dict[Action, int] = {}
        for model, actions in copies.items():
            # Duplicates that were made there have no twin here: with them, the index is -1.
            for action, index in ordered(actions, imported_animations(model)):
                known = 0 <= index < len(self._owners) and self._owners[index] >= 0
                if known and (model is None or model.tomb_raider.model.id == ids[self._owners[index]]):
                    twins[action] = index
        return twins


def imported_animations(armature: Object | None) -> set[Action]:
    """Return the actions that an import has made for a model. Copies of them are not among these."""
    if armature is None:
        return set()
    kept = armature.tomb_raider.model.animations
    return {each.action for each in kept if each.action is not None}
