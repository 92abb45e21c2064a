"""Copies of models and objects of the scene for another level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Mesh, Object

from ...core.blender import compat
from ...core.membership import parent_as
from ...core.subjects import Kind
from ...subjects.animations.baking import retarget_copy
from ...subjects.animations.changes.transitions import TransitionNumbers, Transitions
from ...subjects.animations.showing import own_animations
from ...subjects.models.models import own_collection


def local_copy(block: Any) -> Any:
    """Return a copy of a data-block that is no library override."""
    copy = block.copy()
    return copy if copy.override_library is None else copy.make_local(clear_liboverride=True)


def copy_model(armature: Object) -> Collection:
    """Return an unlinked collection with a copy of a model: armature, meshes and animations."""
    source = own_collection(armature)
    result = bpy.data.collections.new(source.name)
    result.tomb_raider.kind = Kind.MODEL
    result.instance_offset = source.instance_offset
    copies: dict[Object, Any] = {obj: local_copy(obj) for obj in source.objects}
    for obj, copy in copies.items():
        if obj.data is not None:
            copy.data = local_copy(obj.data)
        if obj.parent in copies:
            parent_as(copy, obj, copies[obj.parent])
        for constraint in copy.constraints:
            target = getattr(constraint, "target", None)
            if target in copies:
                constraint.target = copies[target]
        for modifier in copy.modifiers:
            if getattr(modifier, "object", None) in copies:
                modifier.object = copies[modifier.object]
        result.objects.link(copy)
        if copy.pose is not None:
            retarget_copy(copy, obj)
    armature_copy = copies[armature]
    result.tomb_raider.model = armature_copy
    copy_actions(own_animations(armature), armature, armature_copy)
    return result


def copy_actions(actions: Sequence[Action], before: Object, after: Object) -> list[Action]:
    """Copy animations with their transitions to another armature; return the copies.

    Args:
        actions: the actions of a model by index.
        before: the armature of the model.
        after: the armature of the copies.
    """
    transitions = Transitions()
    following = {action: transitions.next(action) for action in actions}
    targets = {action: transitions.targets(action) for action in actions}
    copies: dict[Action | None, Any] = {action: local_copy(action) for action in actions}
    animations = after.tomb_raider.model.animations
    animations.clear()
    for copy in copies.values():
        animations.add().action = copy
    numbers = TransitionNumbers(after)
    for action in actions:
        copy, other = copies[action], following[action]
        copy.name = action.name
        settings = copy.tomb_raider
        settings.model = settings.home = after
        settings.next_number = numbers.of(copies.get(other, other))
        for transition, target in zip(settings.dispatches, targets[action], strict=True):
            transition.number = numbers.of(copies.get(target, target))
    data = before.animation_data
    played = None if data is None or data.action is None else copies.get(data.action)
    if copies:
        compat.assign_action(after, played or next(iter(copies.values())))
    return list(copies.values())


def copy_objects(objects: Iterable[Object]) -> dict[Object, Object]:
    """Return unlinked copies by object, with copies of their data and the same parents among each other."""
    copies: dict[Object, Any] = {each: local_copy(each) for each in objects}
    data: dict[Any, Any] = {}
    for obj, copy in copies.items():
        if obj.data is not None:
            data[obj.data] = data.get(obj.data) or local_copy(obj.data)
            copy.data = data[obj.data]
        if obj.parent in copies:
            parent_as(copy, obj, copies[obj.parent])
    return dict(copies)


def mark_as_new(objects: Iterable[Object]) -> None:
    """Reset the indices of copies in a file."""
    for obj in objects:
        obj.tomb_raider.index = -1
        if obj.tomb_raider.kind == Kind.ENTITY:
            obj.tomb_raider.entity.drop_number = -1
        if isinstance(obj.data, Mesh):
            obj.data.tomb_raider.index = -1
