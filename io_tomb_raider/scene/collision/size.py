"""Collision for rooms that have none, and more or fewer sectors for those that have."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object

from ...formats import ExportError, Game
from ...formats.base.units import CLICK, SECTOR_SIZE
from ...formats.collision.grid import SectorGrid
from ...formats.collision.sectors import wall_sectors
from ..base.space import Space
from .build import collision_shape, join_sectors, take_sectors
from .edit import CollisionEdit
from .mesh import fill_mesh, new_meshes
from .offset import stand_off

MOST_SECTORS = 255


def add_collision(root: Collection, room: Object, game: Game, space: Space) -> Object:
    """Make a collision mesh for a room: flat floors and ceilings as far as its mesh reaches, walls around.

    Args:
        root: the level.
        room: a room of it that has none.
        game: of the level.
        space: of the level.

    Raises:
        ExportError: where the room's mesh is empty, or too large.
    """
    mesh = room.data
    if not isinstance(mesh, Mesh) or not len(mesh.vertices):
        raise ExportError(room.name, "a room needs vertices")
    points = space.to_file_int(np.array([vertex.co for vertex in mesh.vertices]), room.name, "a vertex")
    sides = [max(-(-int(points[:, axis].max()) // SECTOR_SIZE) + 1, 3) for axis in (0, 2)]
    if max(sides) > MOST_SECTORS:
        raise ExportError(room.name, "it has too many sectors", count=max(sides), limit=MOST_SECTORS)
    grid = SectorGrid([(sides[0], sides[1])])
    sectors = wall_sectors(len(grid), game)
    inner = (grid.x > 0) & (grid.z > 0) & (grid.x < sides[0] - 1) & (grid.z < sides[1] - 1)
    sectors.wall[inner] = False
    for surface, height in ((sectors.floor, points[:, 1].max()), (sectors.ceiling, points[:, 1].min())):
        surface.heights[inner] = round(int(height) / CLICK) * CLICK
    name = f"{room.name} Collision"
    (made,) = new_meshes([name])
    fill_mesh(made, collision_shape(sectors, grid)[0], space)
    thing = bpy.data.objects.new(name, made)
    thing.parent = room
    thing.tomb_raider.kind = "COLLISION"
    settings = thing.tomb_raider.collision
    settings.x_sectors, settings.z_sectors = sides
    _home(root).objects.link(thing)
    stand_off(thing, space)
    root.tomb_raider.imported |= {"COLLISION"}
    return thing


def _home(root: Collection) -> Collection:
    for child in root.children:
        if child.tomb_raider.kind == "COLLISION":
            return child
    made = bpy.data.collections.new("Collision")
    made.tomb_raider.kind = "COLLISION"
    root.children.link(made)
    return made


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
