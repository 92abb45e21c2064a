"""The corner of a room, from which its sectors and vertices are counted."""

from __future__ import annotations

from typing import Any

from bpy.types import Mesh, Object
from mathutils import Matrix, Vector


def move_corner(room: Object, collision: Object, away: tuple[float, float]) -> None:
    """Move the corner of a room along Blender's X and Y. All stays where it is in the world.

    Args:
        room: the room, which is not turned.
        collision: its collision mesh, whose sectors are counted from the new corner already.
        away: how far, in Blender's units.
    """
    assert isinstance(room.data, Mesh)
    if room.data.users > 1 or not room.data.is_editable:
        room.data = room.data.copy()
    mesh: Any = room.data
    step = Vector((*away, 0.0))
    mesh.transform(Matrix.Translation((-step).to_tuple()), shape_keys=True)
    mesh.update()
    room.location += step
    for child in room.children:
        if child != collision:
            child.location -= step
