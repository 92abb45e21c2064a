"""Copies of models of the scene: what another level gets, while the one that has it keeps its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ..base import compat
from .move import actions_of, own_collection


def copy_model(armature: Object) -> Collection:
    """Return a collection with a copy of a model: armature, meshes and animations. It lies nowhere yet.

    Args:
        armature: the model.
    """
    source = own_collection(armature)
    made = bpy.data.collections.new(source.name)
    made.tomb_raider.kind = "MODEL"
    made.instance_offset = source.instance_offset
    copies: dict[Object, Any] = {thing: thing.copy() for thing in source.objects}
    for thing, copy in copies.items():
        if thing.data is not None:
            copy.data = thing.data.copy()
        if thing.parent in copies:
            copy.parent = copies[thing.parent]
        for constraint in copy.constraints:
            target = getattr(constraint, "target", None)
            if target in copies:
                constraint.target = copies[target]
        made.objects.link(copy)
    own = copies[armature]
    made.tomb_raider.model = own
    copy_actions(actions_of(armature), armature, own)
    return made


def copy_actions(actions: Sequence[Action], before: Object, after: Object) -> list[Action]:
    """Copy animations for another armature, which lead to one another as theirs do, and return them.

    Args:
        actions: of a model, in their order.
        before: its armature.
        after: whose the copies are.
    """
    copies: dict[Action, Any] = {action: action.copy() for action in actions}
    for action, copy in copies.items():
        copy.name = action.name
        settings = copy.tomb_raider
        settings.model = after
        _lead(settings, "next_action", copies)
        for way in settings.dispatches:
            _lead(way, "action", copies)
    kept: Any = after.tomb_raider.model.animations
    kept.clear()
    for copy in copies.values():
        kept.add().action = copy
    data = before.animation_data
    shown = None if data is None or data.action is None else copies.get(data.action)
    if copies:
        compat.assign_action(after, shown or next(iter(copies.values())))
    return list(copies.values())


def _lead(settings: Any, name: str, copies: Mapping[Action, Action]) -> None:
    """Let what leads to an animation lead to its copy."""
    target = getattr(settings, name)
    if target in copies:
        setattr(settings, name, copies[target])
