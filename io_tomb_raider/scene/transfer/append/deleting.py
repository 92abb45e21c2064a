"""Deletion of a level with all data-blocks that only it uses."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
from bpy.types import ID, Collection, Object, Scene, Screen, WindowManager, WorkSpace

from ....formats import Game
from ...assets.assets import marked_blocks
from ...assets.payload import speakers_of
from ...core.membership import members
from ...subjects.animations.changes.transitions import is_only_target
from ...subjects.lights.fog import draw_fog

# Users that do not keep data-blocks.
_LOOKING = (Screen, WindowManager, WorkSpace)


def delete_level(root: Collection) -> int:
    """Delete a level with its collections, objects, actions, and data-blocks that are unused afterwards.

    Objects that are also linked to other collections, and models with instances elsewhere, are kept with all
    data-blocks that they use.

    Returns:
        The number of deleted data-blocks.
    """
    game = Game[root.tomb_raider.game]
    for block in marked_blocks(root):
        block.asset_clear()  # Blender keeps assets that nothing uses
    users = bpy.data.user_map()
    owned = _owned(root, users) | set(speakers_of(root))
    deleted = owned | _actions_of(owned, users)
    needed: dict[ID, list[ID]] = {}
    for block, block_users in users.items():
        for user in block_users:
            needed.setdefault(user, []).append(block)
    waiting, reachable = list(deleted), set(deleted)
    while waiting:
        for block in needed.get(waiting.pop(), ()):
            if block not in reachable and not isinstance(block, (Scene, Collection, Object, *_LOOKING)):
                reachable.add(block)
                waiting.append(block)
    deleted |= _unneeded(reachable - deleted, deleted, users)
    for action in bpy.data.actions:
        for name in ("model", "home") if action not in deleted else ():
            if getattr(action.tomb_raider, name) in deleted:
                setattr(action.tomb_raider, name, None)
    bpy.data.batch_remove(list(deleted))
    draw_fog(game)  # other levels of the game share its nodes
    return len(deleted)


def _owned(root: Collection, users: dict[ID, set[ID]]) -> set[ID]:
    """Return the collections and objects that belong only to a level."""
    inside = {root, *root.children_recursive}
    objects = set(members(root))
    # The user map lists scenes as users of all nested collections, too.
    parents = [*(scene.collection for scene in bpy.data.scenes), *(set(bpy.data.collections) - inside)]
    shared = {child for parent in parents for child in parent.children}
    kept: set[Collection] = set()
    for collection in inside - {root}:
        placed = any(isinstance(user, Object) and user not in objects for user in users.get(collection, ()))
        if placed or collection in shared:
            kept |= {collection, *collection.children_recursive}
    collections = inside - kept
    stay = {obj for collection in kept for obj in collection.objects}
    return {*collections, *(obj for obj in objects - stay if set(obj.users_collection) <= collections)}


def _actions_of(owned: Iterable[ID], users: dict[ID, set[ID]]) -> set[ID]:
    """Return the animations of deleted models, without those that others use; transitions do not count."""
    deleted = set(owned)
    return {
        action
        for action in bpy.data.actions
        if action.tomb_raider.model in deleted
        and all(
            user in deleted or (isinstance(user, Object) and is_only_target(action, user))
            for user in users.get(action, ())
        )
    }


def _unneeded(candidates: set[ID], deleted: set[ID], users: dict[ID, set[ID]]) -> set[ID]:
    """Return the candidates that only deleted data-blocks and other returned candidates use."""
    unneeded = {block for block in candidates if not block.use_fake_user}
    while True:
        stays = {
            block
            for block in unneeded
            if any(
                user not in unneeded and user not in deleted and not isinstance(user, _LOOKING)
                for user in users.get(block, ())
            )
        }
        if not stays:
            return unneeded
        unneeded -= stays
