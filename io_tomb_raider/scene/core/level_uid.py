"""Which level a datablock comes from: copies of another level's objects are no objects of this one.

``index`` says where an object stood in the file, so it means something only together with that file. Every
import gives its level a number, and all that it makes carries it. A number that happens to fit is never
trusted.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import SystemRandom
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from .members import LevelObjects

_MOST = (1 << 31) - 1
_random = SystemRandom()


def assign_level_uid(root: Collection, objects: LevelObjects | None = None) -> None:
    """Give a level that was just imported a number of its own, and all its objects with it.

    Args:
        root: the level.
        objects: its objects, where somebody has them.
    """
    number = _random.randint(1, _MOST)
    root.tomb_raider.origin = number
    # Objects and their meshes: whatever knows its place in a file.
    for obj in (objects or LevelObjects(root)).inside:
        obj.tomb_raider.origin = number
        # The type is told faster than the class of its data.
        if obj.type == "MESH":
            data: Any = obj.data
            data.tomb_raider.origin = number
    for action in bpy.data.actions:
        settings = action.tomb_raider
        model = settings.model
        if model is not None and model.tomb_raider.origin == number:
            settings.origin = number


def is_foreign(block: Any, root: Collection) -> bool:
    """Tell whether a datablock comes from another level. What older versions made says nothing."""
    origin = block.tomb_raider.origin
    if not origin:
        return False
    own = root.tomb_raider.origin
    return bool(own) and bool(origin != own)


def claim_objects(objects: Iterable[Object], root: Collection) -> set[Object]:
    """Make what comes from another level forget its place there, and be new in this one.

    Returns:
        Those that were another level's, or whose mesh was.
    """
    found, own = set[Object](), root.tomb_raider.origin
    for obj in objects:
        blocks: tuple[Any, ...] = (obj, obj.data) if obj.type == "MESH" else (obj,)
        for block in blocks:
            origin = block.tomb_raider.origin
            if not origin or not own or origin == own or not block.is_editable:
                continue
            # The other level still has what it shares with this one.
            if block is obj or not _is_shared(block, root):
                block.tomb_raider.index, block.tomb_raider.origin = -1, own
                found.add(obj)
    return found


def _is_shared(mesh: Mesh, root: Collection) -> bool:
    """Tell whether a mesh belongs to an object of the level that it comes from, too."""
    own = mesh.tomb_raider.origin
    return mesh.users > 1 and any(
        other.data == mesh and other.tomb_raider.origin == own for other in bpy.data.objects
    )
