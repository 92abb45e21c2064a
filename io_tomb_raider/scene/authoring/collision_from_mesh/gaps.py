"""Comparison of the mesh of a room in the scene with its sectors."""

from __future__ import annotations

import numpy as np
from bpy.types import Collection, Mesh, Object

from ....formats import ExportError, Game
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.views import Decoded, Gaps, find_gaps, room_gaps
from ...core.membership import collision_of
from ...core.space import Space
from ...subjects.collision.edit import CollisionEdit
from .make import read_beside


def gaps_of(root: Collection, room: Object, decoded: Decoded | None) -> tuple[Gaps, Gaps]:
    """Return where the mesh of a room and its sectors are apart, and where they are so only since its import.

    Raises:
        ExportError: if the mesh or the sectors cannot be read.
    """
    obj = collision_of(room)
    if obj is None or not isinstance(obj.data, Mesh):
        raise ExportError(room.name, T("it has no collision mesh: use Add Collision"))
    space, game = Space.of(root), Game[root.tomb_raider.game]
    edit = CollisionEdit(obj, game, space)
    size = edit.size.x_sectors, edit.size.z_sectors
    storey = obj.tomb_raider.collision.storey
    gaps = find_gaps(*read_beside(room, obj, space), size, edit.sectors, game, storey)
    number = room.tomb_raider.index
    if decoded is None or not 0 <= number < len(decoded.level.rooms):
        return gaps, gaps
    before = decoded.level.rooms[number]
    x, _, z = space.to_file_int(np.array(space.matrix_of(room).translation), room.name).tolist()
    away = (x - before.x) // SECTOR_SIZE, (z - before.z) // SECTOR_SIZE
    return gaps, gaps.without(room_gaps(decoded, number), away)
