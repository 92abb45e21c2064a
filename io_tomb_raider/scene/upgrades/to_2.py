"""Upgrade to version 2: rooms that are missing from the scene count as deleted."""

from __future__ import annotations

from bpy.types import Collection

from .stored import kind_of, objects_of, stored, storing

_ROOM = 1
_ROOMS = 131072  # the bit of the subject


def upgrade(root: Collection) -> None:
    """Store that rooms were imported, if the scene has any."""
    if any(kind_of(obj) == _ROOM for obj in objects_of(root)):
        storing(root)["imported"] = stored(root).get("imported", 0) | _ROOMS
