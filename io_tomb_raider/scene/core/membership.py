"""The levels of the file, and the objects of each.

``Collection.all_objects`` is not used: Blender caches it, and undo and redo do not always clear the cache, so
an object whose deletion is undone would be missing from an export.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import cached_property
from itertools import chain
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, Collection, Object
from mathutils import Vector

from ...formats import ExportError, Game
from ...formats.base import SECTOR_SIZE, T
from .space import SCALES
from .subjects import SUBJECTS, Kind

# The key of the number that an empty for an unknown object of a project has.
PROJECT_OBJECT = "tr_project_object"
_SPACING = 3 * SECTOR_SIZE


class Places:
    """Places for new library objects: a row in front of all existing ones."""

    def __init__(self, root: Collection, kind: str) -> None:
        step = _SPACING * root.tomb_raider.scale
        spots = [obj.location for obj in members_of(root, kind)] or [Vector(root.tomb_raider.offset)]
        self._next = Vector((min(each.x for each in spots), min(each.y for each in spots) - step, 0.0))
        self._step = Vector((step, 0.0, 0.0))

    def take(self) -> Vector:
        """Return the next free place."""
        place = self._next.copy()
        self._next += self._step
        return place


_SMALLEST = float(np.float32(SCALES[0]))  # as Blender stores it


def members(collection: Collection) -> list[Object]:
    """Return the objects of a collection and its child collections, each once."""
    collections = (collection, *collection.children_recursive)
    return list(dict.fromkeys(chain.from_iterable(each.objects for each in collections)))


def members_of(collection: Collection, kind: str) -> list[Object]:
    """Return the :func:`members` of a collection that are of a kind."""
    return [obj for obj in members(collection) if obj.tomb_raider.kind == kind]


_parent_type: Any = Object.bl_rna.properties["parent_type"]
_ON_BONE = _parent_type.enum_items["BONE"].value


class LevelObjects:
    """The objects of a level, cached while none is added or removed."""

    def __init__(self, root: Collection) -> None:
        self._root = root

    @cached_property
    def inside(self) -> list[Object]:
        """The :func:`members` of the level."""
        return members(self._root)

    @cached_property
    def kinds(self) -> dict[Object, str]:
        """The kind of each object, in their order. Reading it from Blender takes ten times as long."""
        return {obj: obj.tomb_raider.kind for obj in self.inside}

    def of(self, kinds: Container[str]) -> list[Object]:
        """Return the objects of some kinds."""
        return [obj for obj, kind in self.kinds.items() if kind in kinds]

    @cached_property
    def with_bone_children(self) -> list[Object]:
        """These objects and those parented to their bones, in the order of ``bpy.data``.

        The latter may be in other collections, or in none. ``Object.children`` would walk through the whole
        file for each object.
        """
        inside = set(self.inside)
        # Even len() walks through all objects, so they are read once.
        objects: list[Any] = bpy.data.objects.values()
        types = np.empty(len(objects), np.int32)
        bpy.data.objects.foreach_get("parent_type", types)
        on_bone = (types == _ON_BONE).tolist()
        return [
            each
            for each, has_bone_parent in zip(objects, on_bone, strict=True)
            if each in inside or (has_bone_parent and each.parent in inside)
        ]


def is_level(collection: Collection) -> bool:
    """Return whether a collection is the root of a level, with a valid game and scale."""
    settings = collection.tomb_raider
    # The same as `check_level`, ten times as fast: this runs for all collections.
    return settings.kind == Kind.LEVEL and settings.game != "" and _SMALLEST <= settings.scale <= SCALES[1]


def is_for_trx(root: Collection) -> bool:
    """Return whether the target of a level is TRX."""
    settings = root.tomb_raider
    is_known = settings.game in Game.__members__ and Game[settings.game].traits.has_trx
    return is_known and settings.engine == "TRX"


def is_local(block: ID) -> bool:
    """Return whether a data-block is neither linked from another file nor a library override."""
    return block.library is None and block.override_library is None


def require_local(block: ID | None) -> None:
    """Raise ExportError if a data-block to edit is not local. Blender forgets edits of linked data."""
    if block is not None and not is_local(block):
        text = T("it is linked or overridden: make it local first (Object > Relations > Make Local)")
        raise ExportError(block.name, text)


def levels() -> list[Collection]:
    """Return the root collections of all levels in the file."""
    # The comparison saves a call for most collections.
    return [each for each in bpy.data.collections if each.tomb_raider.kind == Kind.LEVEL and is_level(each)]


def level_of(obj: Object, among: Iterable[Collection] | None = None) -> Collection | None:
    """Return the root collection of the level that an object belongs to, or None.

    Args:
        among: the levels to search, by default all.
    """
    collections = set(obj.users_collection)
    candidates = levels() if among is None else list(among)
    # Most objects are in the root's children; the full walk takes long for thousands of collections.
    direct = next(
        (level for level in candidates if not collections.isdisjoint((level, *level.children))), None
    )
    if direct is not None:
        return direct
    return next((level for level in candidates if not collections.isdisjoint(level.children_recursive)), None)


_HOMES = {kind.identifier: kind.label for subject in SUBJECTS for kind in subject.collections}


def home_of(root: Collection, kind: str) -> Collection:
    """Return a level's collection of a kind, at any depth. Create it if it is missing."""
    for attribute in ("children", "children_recursive"):  # the full walk takes long
        for each in getattr(root, attribute):
            if each.tomb_raider.kind == kind:
                return each
    result = bpy.data.collections.new(_HOMES[kind])
    result.tomb_raider.kind = kind
    root.children.link(result)
    return result


def parent_as(copy: Object, source: Object, parent: Object) -> None:
    """Parent a copy to an object in the way its source is parented to another one."""
    inverse = source.matrix_parent_inverse.copy()
    copy.parent = parent
    copy.matrix_parent_inverse = inverse  # Blender resets it with the parent


def collision_of(room: Object | None) -> Object | None:
    """Return the collision object of a room, or None."""
    children = () if room is None else room.children
    return next((each for each in children if each.tomb_raider.kind == Kind.COLLISION), None)


def level_holding(group: Any) -> Collection | None:
    """Return the level that owns a property group of an object, an action or a collection, or None."""
    owner = group.id_data
    if isinstance(owner, Collection):
        if is_level(owner):
            return owner
        return next((root for root in levels() if owner in root.children_recursive), None)
    if isinstance(owner, Action):
        owner = owner.tomb_raider.model or owner
    origin = owner.tomb_raider.origin
    level = next((root for root in levels() if root.tomb_raider.origin == origin), None)
    return level_of(owner) if level is None and isinstance(owner, Object) else level


def collection_kinds(root: Collection) -> dict[Object, set[str]]:
    """Return the kinds of the collections that hold each object of a level.

    A collection without a kind counts as its parent.
    """
    result: dict[Object, set[str]] = {}
    waiting = [(root, "LEVEL")]
    while waiting:
        collection, kind = waiting.pop()
        for obj in collection.objects:
            result.setdefault(obj, set()).add(kind)
        for child in collection.children:
            child_kind = child.tomb_raider.kind
            waiting.append((child, kind if child_kind == Kind.NONE else child_kind))
    return result
