"""The level that a data-block comes from.

``tomb_raider.index`` is the number of an object in its file, so it is meaningless for copies in other levels.
Every import assigns a random uid to its level and to all data-blocks of it, and an index counts only together
with the uid.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import SystemRandom
from typing import Any

import bpy
from bpy.types import Collection, Mesh, Object

from .membership import LevelObjects

_MOST = (1 << 31) - 1
_random = SystemRandom()


def assign_level_uid(root: Collection, objects: LevelObjects | None = None) -> None:
    """Assign a new uid to a level and its objects, meshes and actions. `objects`: its objects, if known."""
    number = _random.randint(1, _MOST)
    root.tomb_raider.origin = number
    for obj in (objects or LevelObjects(root)).inside:
        obj.tomb_raider.origin = number
        # Reading the type is faster than isinstance.
        if obj.type == "MESH":
            data: Any = obj.data
            data.tomb_raider.origin = number
    for action in bpy.data.actions:
        settings = action.tomb_raider
        model = settings.model
        if model is not None and model.tomb_raider.origin == number:
            settings.origin = number


def is_foreign(block: Any, root: Collection) -> bool:
    """Return whether a data-block comes from another level. Data of older versions does not."""
    origin = block.tomb_raider.origin
    if not origin:
        return False
    level_uid = root.tomb_raider.origin
    return bool(level_uid) and bool(origin != level_uid)


def claim_objects(objects: Iterable[Object], root: Collection) -> set[Object]:
    """Mark foreign objects and their meshes as new objects of a level.

    Returns:
        The objects that were foreign, or whose mesh was.
    """
    result, level_uid = set[Object](), root.tomb_raider.origin
    for obj in objects:
        blocks: tuple[Any, ...] = (obj, obj.data) if obj.type == "MESH" else (obj,)
        for block in blocks:
            origin = block.tomb_raider.origin
            if not origin or not level_uid or origin == level_uid or not block.is_editable:
                continue
            # A mesh that the other level still uses stays.
            if block is obj or not _is_shared(block):
                block.tomb_raider.index, block.tomb_raider.origin = -1, level_uid
                result.add(obj)
    return result


def _is_shared(mesh: Mesh) -> bool:
    """Return whether objects of the mesh's own level use it too."""
    mesh_uid = mesh.tomb_raider.origin
    return mesh.users > 1 and any(
        other.data == mesh and other.tomb_raider.origin == mesh_uid for other in bpy.data.objects
    )
