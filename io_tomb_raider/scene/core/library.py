"""Places for new objects in a level's library."""

from __future__ import annotations

from bpy.types import Collection
from mathutils import Vector

from ...formats.base import SECTOR_SIZE
from .membership import members_of

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
