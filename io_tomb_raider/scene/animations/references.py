"""What actions are written as, and what actions mean that are another copy's of this level.

Blender copies a scene or a collection with the actions that are in use, and these still lead to actions of
what was copied. Such an action's *twin* is the animation that it was imported as.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import bpy
from bpy.types import Action, Collection, Object
from numpy.typing import NDArray

from ...formats import ExportError, Level
from ...formats.animations.animations import AnimationReference
from ..base.order import ordered


class References(NamedTuple):
    """How animations are named while they have no numbers yet.

    Attributes:
        own: what every action of the level is written as: the number of its animation, or a new one.
        twins: for actions of other copies of the level the animation that they were imported as.
    """

    own: Mapping[Action, AnimationReference]
    twins: Mapping[Action, int]

    def of(self, action: Action) -> AnimationReference | None:
        """Return what an action is written as, None where it is no animation of the level."""
        return self.own.get(action, self.twins.get(action))

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


def imported_animations(armature: Object | None) -> set[Action]:
    """Return the actions that an import has made for a model. Copies of them are not among these."""
    if armature is None:
        return set()
    kept = armature.tomb_raider.model.animations
    return {each.action for each in kept if each.action is not None}


def find_twins(
    own: Mapping[Action, AnimationReference], root: Collection, level: Level, owners: NDArray[Any]
) -> dict[Action, int]:
    """Find the twins of all actions that are another copy's of a level.

    Args:
        own: the actions of the level itself.
        root: its root collection.
        level: the original.
        owners: by animation the index of its model, -1 for none.
    """
    ids = level.models["id"].tolist()
    copies: dict[Object | None, list[Action]] = {}
    origin = root.tomb_raider.origin
    for action in bpy.data.actions if origin else ():
        settings = action.tomb_raider
        if settings.origin == origin and action not in own:
            copies.setdefault(settings.model, []).append(action)
    twins: dict[Action, int] = {}
    for model, actions in copies.items():
        # Duplicates that were made there have no twin here: with them, the index is -1.
        for action, index in ordered(actions, imported_animations(model)):
            known = 0 <= index < len(owners) and owners[index] >= 0
            if known and (model is None or model.tomb_raider.model.id == ids[owners[index]]):
                twins[action] = index
    return twins
