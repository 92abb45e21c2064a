"""Which levels there are, which objects belong to one, and to which one an object belongs.

``Collection.all_objects`` is not asked for what a collection holds: Blender keeps its answer, and undo and
redo do not always let it go. A deleted object that undo has brought back would be missing from an export.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import cached_property
from itertools import chain
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Collection, Object

from .space import SCALES
from .subjects import SUBJECTS, Kind

_SMALLEST = float(np.float32(SCALES[0]))  # as Blender stores it


def members(collection: Collection) -> list[Object]:
    """Return the objects of a collection and of all collections within, each once."""
    homes = (collection, *collection.children_recursive)
    return list(dict.fromkeys(chain.from_iterable(home.objects for home in homes)))


def members_of(collection: Collection, kind: str) -> list[Object]:
    """Return those of the :func:`members` of a collection that are of a kind."""
    return [obj for obj in members(collection) if obj.tomb_raider.kind == kind]


_parent_type: Any = Object.bl_rna.properties["parent_type"]
_ON_BONE = _parent_type.enum_items["BONE"].value


class LevelObjects:
    """The objects of a level, looked for once for all who ask while nobody adds or removes any."""

    def __init__(self, root: Collection) -> None:
        self._root = root

    @cached_property
    def inside(self) -> list[Object]:
        """The :func:`members` of the level."""
        return members(self._root)

    @cached_property
    def kinds(self) -> dict[Object, str]:
        """The kind of each of them, in their order. Asking Blender takes ten times as long."""
        return {obj: obj.tomb_raider.kind for obj in self.inside}

    def of(self, kinds: Container[str]) -> list[Object]:
        """Return those of some kinds."""
        return [obj for obj, kind in self.kinds.items() if kind in kinds]

    @cached_property
    def with_bone_children(self) -> list[Object]:
        """These and what hangs on their bones, in any collection or none, in the order of the file.

        Blender keeps no list of what hangs on an object: whoever asks it walks through the whole file.
        """
        inside = set(self.inside)
        # Even to count datablocks Blender walks through them all: once here, and once more for how they hang.
        objects: list[Any] = bpy.data.objects.values()
        ways = np.empty(len(objects), np.int32)
        bpy.data.objects.foreach_get("parent_type", ways)
        on_bone = (ways == _ON_BONE).tolist()
        return [
            each
            for each, hangs in zip(objects, on_bone, strict=True)
            if each in inside or (hangs and each.parent in inside)
        ]


def is_level(collection: Collection) -> bool:
    """Tell whether a collection is the root of a level. One of no game, or of no scale, is none."""
    settings = collection.tomb_raider
    # As `check_level` would say, ten times as fast: this is asked of all collections, again and again.
    return settings.kind == Kind.LEVEL and settings.game != "" and _SMALLEST <= settings.scale <= SCALES[1]


def levels() -> list[Collection]:
    """Return the root collections of all levels in the file."""
    # Most collections are none, and a call for each would take as long again.
    return [each for each in bpy.data.collections if each.tomb_raider.kind == Kind.LEVEL and is_level(each)]


def level_of(obj: Object, among: Iterable[Collection] | None = None) -> Collection | None:
    """Return the root collection of the level that an object belongs to.

    Args:
        object: the object.
        among: the levels to look at; all without.
    """
    homes = set(obj.users_collection)
    found = levels() if among is None else list(among)
    # Most objects stand high up, which saves the walk through levels that hold thousands of collections.
    near = next((level for level in found if not homes.isdisjoint((level, *level.children))), None)
    if near is not None:
        return near
    return next((level for level in found if not homes.isdisjoint(level.children_recursive)), None)


_HOMES = {kind.identifier: kind.label for subject in SUBJECTS for kind in subject.collections}


def home_of(root: Collection, kind: str) -> Collection:
    """Return a level's collection of a kind, wherever the user has moved it; made where it is missing."""
    for homes in ("children", "children_recursive"):  # to walk through all of them takes long
        for each in getattr(root, homes):
            if each.tomb_raider.kind == kind:
                return each
    made = bpy.data.collections.new(_HOMES[kind])
    made.tomb_raider.kind = kind
    root.children.link(made)
    return made


def parent_as(made: Object, source: Object, parent: Object) -> None:
    """Parent a copy to an object as its source is parented to another one."""
    inverse = source.matrix_parent_inverse.copy()
    made.parent = parent
    made.matrix_parent_inverse = inverse  # which Blender resets with the parent


def collision_of(room: Object | None) -> Object | None:
    """Return the collision that hangs on a room, or None."""
    children = () if room is None else room.children
    return next((each for each in children if each.tomb_raider.kind == Kind.COLLISION), None)


def level_holding(group: Any) -> Collection | None:
    """Return the root collection of the level that a group of an object, an action or a level belongs to."""
    owner = group.id_data
    if isinstance(owner, Collection):
        return owner if is_level(owner) else None
    if isinstance(owner, Action):
        owner = owner.tomb_raider.model or owner
    origin = owner.tomb_raider.origin
    found = next((root for root in levels() if root.tomb_raider.origin == origin), None)
    return level_of(owner) if found is None and isinstance(owner, Object) else found


def kinds_of_homes(root: Collection) -> dict[Object, set[str]]:
    """Return for every object of a level the kinds of the collections that hold it.

    A collection without a kind counts as the one that holds it.
    """
    found: dict[Object, set[str]] = {}
    waiting = [(root, "LEVEL")]
    while waiting:
        collection, kind = waiting.pop()
        for obj in collection.objects:
            found.setdefault(obj, set()).add(kind)
        for child in collection.children:
            own = child.tomb_raider.kind
            waiting.append((child, kind if own == Kind.NONE else own))
    return found
