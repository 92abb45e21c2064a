"""Moves of pieces between the libraries of levels of the scene."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.types import Action, Collection, Object

from ...core.blender import compat
from ...core.level_uid import claim_objects
from ...core.membership import Places, home_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.animations.showing import own_animations
from ...subjects.models.bones import ANIMATED_JOINTS, own_bones, rest_joints, store_joints, stored_joints
from ...subjects.models.models import own_collection
from ...subjects.skins.skins import skins_of

# --- Models ----------------------------------------


def move_model(
    root: Collection, source: Collection, number: int, old: Object | None, places: Places
) -> Object:
    """Move a model to the library of a level.

    Args:
        number: the id of the model in the level.
        old: the armature of the model to replace, which is removed; None to add one.

    Returns:
        The armature of the model.
    """
    armature: Object = source.tomb_raider.model
    home = home_of(root, Kind.MODELS)
    for parent in bpy.data.collections:
        if source.name in parent.children:
            parent.children.unlink(source)
    parts = list(source.objects)
    claim_objects(parts, root)
    for obj in parts:
        if obj is not armature:
            obj.tomb_raider.origin = root.tomb_raider.origin
    _number_parts(armature, parts)
    armature.tomb_raider.model.id = number
    if old is None:
        home.children.link(source)
        armature.location = places.take()
        source.instance_offset = armature.location
    else:
        _replace_model(root, source, armature, old)
    return armature


def _number_parts(armature: Object, parts: Iterable[Object]) -> None:
    """Set the indices of parts to those of their bones, which figures refer to."""
    bones = {bone.name: bone.tomb_raider.index for bone in own_bones(armature)}
    for part in parts:
        if part.tomb_raider.kind == Kind.MODEL_MESH:
            part.tomb_raider.index = bones.get(part.parent_bone, -1)


def _replace_model(root: Collection, source: Collection, armature: Object, old: Object) -> None:
    """Move a model into the collection of another one, which entities show, and remove the other model."""
    home = own_collection(old)
    old_parts = {
        each.tomb_raider.index: each for each in home.objects if each.tomb_raider.kind == Kind.MODEL_MESH
    }
    armature.location, armature.tomb_raider.index = old.location, old.tomb_raider.index
    if stored_joints(armature, ANIMATED_JOINTS) is None:  # else those of the file would count
        store_joints(armature, ANIMATED_JOINTS, rest_joints(armature, Space.of(root)))
    old_actions = [each for each in bpy.data.actions if each.tomb_raider.model == old]
    replace_actions(root, own_animations(armature), old_actions)
    new_parts = {
        each.tomb_raider.index: each for each in source.objects if each.tomb_raider.kind == Kind.MODEL_MESH
    }
    for obj in list(source.objects):
        home.objects.link(obj)
        source.objects.unlink(obj)
    bpy.data.collections.remove(source)
    for each in bpy.data.objects:
        if each.tomb_raider.kind == Kind.FIGURE:
            for number, part in old_parts.items():
                if each.data == part.data and number in new_parts:
                    each.data = new_parts[number].data
    removed: list[Any] = [old, *old_parts.values(), *skins_of(old)]
    for collection in root.children_recursive:
        if collection.tomb_raider.model == old:
            collection.tomb_raider.model = armature
    for number, part in old_parts.items():
        if number in new_parts:
            _remap_figures(part, new_parts[number])
    bpy.data.batch_remove(removed)


def _remap_figures(old: Object, new: Object) -> None:
    """Retarget constraints and modifiers of figures (joints, hair, holsters) to another part of a model."""
    for obj in bpy.data.objects:
        if obj.tomb_raider.kind != Kind.FIGURE:
            continue
        for constraint in obj.constraints:
            follow: Any = constraint
            if constraint.type == "CHILD_OF" and follow.target == old:
                follow.target = new
        modifier: Any
        for modifier in obj.modifiers:
            if modifier.type != "NODES" or modifier.node_group is None:
                continue
            for item in modifier.node_group.interface.items_tree:
                key = getattr(item, "identifier", "")
                if key and compat.modifier_input(modifier, key) == old:
                    compat.set_modifier_input(modifier, key, new)


def replace_actions(root: Collection, actions: Iterable[Action], old_actions: Sequence[Action]) -> None:
    """Replace animations of a model by index, with all references to them.

    Args:
        actions: the new animations by index.
        old_actions: the animations to replace, which are removed.
    """
    actions = list(actions)
    origins = {each.tomb_raider.origin for each in old_actions if each.tomb_raider.index >= 0}
    numbers = sorted({each.tomb_raider.index for each in old_actions if each.tomb_raider.index >= 0})
    in_order = sorted(
        old_actions, key=lambda action: (action.tomb_raider.index < 0, action.tomb_raider.index)
    )
    for old, new in zip(in_order, actions, strict=False):
        old.user_remap(new)
    bpy.data.batch_remove(list(old_actions))
    if origins <= {root.tomb_raider.origin}:
        for number, action in zip(numbers, actions, strict=False):
            action.tomb_raider.index, action.tomb_raider.origin = number, root.tomb_raider.origin


# --- Static meshes and sprites ----------------------------------------


def move_static_mesh(root: Collection, obj: Object, number: int, old: Object | None, places: Places) -> None:
    """Move a static mesh to the library of a level, where it may replace another one in all placements."""
    _move(root, obj, home_of(root, Kind.STATIC_MESHES), places if old is None else None)
    obj.tomb_raider.static_mesh.id = number
    if old is not None:
        _replace(obj, old)
        for each in bpy.data.objects:
            if each.tomb_raider.placement.static_mesh == old:
                each.tomb_raider.placement.static_mesh = obj
        bpy.data.objects.remove(old)


def move_sprites(
    root: Collection, objects: Iterable[Object], number: int, replaced: Iterable[Object], places: Places
) -> None:
    """Move the pictures of a sprite sequence to the library of a level, and replace others place by place."""
    replaced_by_place = {each.tomb_raider.sprite.place: each for each in replaced}
    home = home_of(root, Kind.SPRITES)
    for obj in objects:
        old = replaced_by_place.pop(obj.tomb_raider.sprite.place, None)
        _move(root, obj, home, places if old is None else None)
        obj.tomb_raider.sprite.sequence = number
        if old is not None:
            _replace(obj, old)
            bpy.data.objects.remove(old)
    bpy.data.batch_remove(list(replaced_by_place.values()))


def _move(root: Collection, obj: Object, home: Collection, places: Places | None) -> None:
    for collection in obj.users_collection:
        collection.objects.unlink(obj)
    home.objects.link(obj)
    claim_objects([obj], root)
    if places is not None:
        obj.location = places.take()


def _replace(obj: Object, old: Object) -> None:
    """Give an object the location and index of another one, and replace the mesh of that by its own."""
    obj.location, obj.tomb_raider.index = old.location, old.tomb_raider.index
    for each in bpy.data.objects:
        if each.data == old.data and each != old:
            each.data = obj.data
