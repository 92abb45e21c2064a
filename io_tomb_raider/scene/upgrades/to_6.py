"""Upgrade to version 6: rooms say how their mesh and their sectors relate.

The collision of a room said only whether its mesh was drawn from its sectors.
"""

from __future__ import annotations

from bpy.types import Collection

from .stored import kind_of, objects_of, stored, storing

_COLLISION = 10
_MESH_FOLLOWS = 2


def upgrade(root: Collection) -> None:
    """Move the setting of drawn rooms from their collision to the room."""
    for obj in objects_of(root):
        drawing = (stored(obj).get("collision") or {}).get("drawing") or {}
        if kind_of(obj) != _COLLISION or "follows" not in drawing:
            continue
        room = obj.parent
        if drawing["follows"] and room is not None and room.library is None:
            settings = storing(room)
            if settings.get("room") is None:
                settings["room"] = {}
            settings["room"]["mesh_and_sectors"] = _MESH_FOLLOWS
        del storing(obj)["collision"]["drawing"]["follows"]
