"""Addition and resizing of rooms' collision."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection, Object

from ....formats.levels.collision import SectorGrid, Sectors, wall_sectors
from ...core.membership import home_of
from ...core.space import Space
from ...core.subjects import Kind
from .display import offset_display
from .edit import CollisionEdit
from .mesh import fill_mesh, new_meshes
from .record import CollisionRecord, mark_rounding
from .shape import collision_shape

MOST_SECTORS = 255


def add_collision(
    root: Collection, room: Object, sectors: Sectors, size: tuple[int, int], record: CollisionRecord
) -> Object:
    """Add a collision mesh to a room."""
    space = Space.of(root)
    name = f"{room.name} Collision"
    (mesh,) = new_meshes([name])
    (arrays,) = collision_shape(sectors, SectorGrid([size]))
    fill_mesh(mesh, arrays, space)
    record.store(mesh)
    mark_rounding(mesh, record, arrays.face)
    obj = bpy.data.objects.new(name, mesh)
    obj.parent = room
    obj.tomb_raider.kind = Kind.COLLISION
    settings = obj.tomb_raider.collision
    settings.x_sectors, settings.z_sectors = size
    home_of(root, Kind.COLLISION).objects.link(obj)
    offset_display([obj], space)
    root.tomb_raider.imported |= {"COLLISION"}
    return obj


def resize(edit: CollisionEdit, x_sectors: int, z_sectors: int, before: tuple[int, int] = (0, 0)) -> int:
    """Resize a collision mesh to a number of sectors along x and z, and return how many are new.

    New sectors are walls; ``before`` is how many of them are before the old ones along x and z.
    """
    old, size = edit.sectors, edit.size
    x, z = (each.ravel() - new for each, new in zip(np.indices((x_sectors, z_sectors)), before, strict=True))
    is_kept = (x >= 0) & (z >= 0) & (x < size.x_sectors) & (z < size.z_sectors)
    source = np.where(is_kept, x * size.z_sectors + z, len(old.wall))
    added = wall_sectors(1, edit.game)
    edit.regrid(x_sectors, z_sectors, Sectors.join([old, added]).take(source), source)
    return int((~is_kept).sum())
