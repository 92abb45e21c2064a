"""The library of a level: its collections, and places for new objects in them."""

from __future__ import annotations

import bpy
from bpy.types import Collection
from mathutils import Vector

from ...formats.base.units import SECTOR_SIZE
from .members import members_of

_SPACING = 3 * SECTOR_SIZE
_LABELS = {"MODELS": "Models", "STATIC_MESHES": "Static Meshes", "SPRITES": "Sprites"}


def library_collection(root: Collection, kind: str) -> Collection:
    """Return the library collection of a kind of a level; a new one where users have deleted it."""
    found = next((each for each in root.children_recursive if each.tomb_raider.kind == kind), None)
    if found is None:
        found = bpy.data.collections.new(_LABELS[kind])
        found.tomb_raider.kind = kind
        root.children.link(found)
    return found


class Places:
    """Places for new objects of a library: a row in front of all that are there."""

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
