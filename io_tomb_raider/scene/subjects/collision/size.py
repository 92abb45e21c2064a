"""Collision for rooms that have none, and more or fewer sectors for those that have."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection, Object

from ....formats.collision.grid import SectorGrid
from ....formats.collision.sectors import Sectors, wall_sectors
from ...core.members import home_of
from ...core.space import Space
from ...core.subjects import Kind
from .build import join_sectors, take_sectors
from .edit import CollisionEdit
from .mesh import fill_mesh, new_meshes
from .offset import stand_off
from .record import CastRecord, mark_rounding
from .shape import collision_shape

MOST_SECTORS = 255


def add_collision(
    root: Collection, room: Object, sectors: Sectors, size: tuple[int, int], record: CastRecord
) -> Object:
    """Make a collision mesh for a room.

    Args:
        root: the level.
        room: a room of it that has none.
        sectors: what it shows.
        size: the room's sectors along x and z.
        record: what the sectors were read from.
    """
    space = Space.of(root)
    name = f"{room.name} Collision"
    (made,) = new_meshes([name])
    (arrays,) = collision_shape(sectors, SectorGrid([size]))
    fill_mesh(made, arrays, space)
    record.store(made)
    mark_rounding(made, record, arrays.face)
    obj = bpy.data.objects.new(name, made)
    obj.parent = room
    obj.tomb_raider.kind = Kind.COLLISION
    settings = obj.tomb_raider.collision
    settings.x_sectors, settings.z_sectors = size
    home_of(root, Kind.COLLISION).objects.link(obj)
    stand_off([obj], space)
    root.tomb_raider.imported |= {"COLLISION"}
    return obj


def resize(edit: CollisionEdit, x_sectors: int, z_sectors: int) -> int:
    """Give a collision mesh more or fewer sectors along x and z, and return how many are new.

    New ones are walls, and so becomes the new border.
    """
    old, size = edit.sectors, edit.size
    x, z = (each.ravel() for each in np.indices((x_sectors, z_sectors)))
    stays = (x < size.x_sectors) & (z < size.z_sectors)
    source = np.where(stays, x * size.z_sectors + z, len(old.wall))
    fresh = wall_sectors(1, edit.game)
    edit.regrid(x_sectors, z_sectors, take_sectors(join_sectors([old, fresh]), source), source)
    return int((~stays).sum())
