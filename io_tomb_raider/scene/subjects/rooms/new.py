"""Exported records of new rooms."""

from __future__ import annotations

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ....formats import ExportError, Room
from ....formats.base import (
    CLICK,
    FOG_BULB_TR5,
    LAYER_TR5,
    PORTAL,
    ROOM_LIGHT,
    ROOM_QUAD,
    ROOM_SPRITE,
    ROOM_STATIC,
    ROOM_TRIANGLE,
    ROOM_VERTEX,
    SECTOR_SIZE,
    T,
)
from ....formats.levels.collision import WALL, new_sectors
from ....formats.levels.rooms import new_header
from ...core.context import ExportContext
from ...core.membership import collision_of
from ...mesh.blender_mesh import vertices_of

_MOST_SECTORS = 0xFFFF
SAFE_SECTORS = 32  # along a side: the limit of level editors, for which the games' buffers suffice


def new_room(context: ExportContext, obj: Object) -> Room:
    """Return an empty room with flat sectors as high as the mesh, surrounded by walls.

    A room with collision has the sectors of that instead; its mesh may be empty.

    Raises:
        ExportError: where the object is no mesh, or too large.
    """
    game = context.original.game
    room = Room()
    collision = collision_of(obj)
    mesh = context.shown.of(obj)
    has_vertices = mesh is None or len(mesh.vertices) or collision is None
    points = mesh_points(context, obj if has_vertices or collision is None else collision)
    position = np.array(context.space.matrix_of(obj).translation)
    room.x, _, room.z = context.space.to_file_int(position, obj.name).tolist()
    room.y_top, room.y_bottom = int(points[:, 1].min()), int(points[:, 1].max())
    if collision is None:
        _set_sectors(context, room, obj, points)
    else:
        settings = collision.tomb_raider.collision
        _fill_sectors(context, room, obj, (settings.x_sectors, settings.z_sectors))
    room.portals = np.zeros(0, PORTAL)
    room.lights = np.zeros(0, ROOM_LIGHT[game])
    room.static_meshes = np.zeros(0, ROOM_STATIC[game])
    room.sprites = np.zeros(0, ROOM_SPRITE)
    room.vertices = np.zeros(0, ROOM_VERTEX[game])
    room.quads, room.triangles = np.zeros(0, ROOM_QUAD[game]), np.zeros(0, ROOM_TRIANGLE[game])
    room.alternate_room, room.flags = -1, 0
    room.ambient = room.ambient2 = room.light_mode = room.color = 0
    room.water_scheme = room.reverb = room.alternate_group = 0
    if game.traits.has_room_layers:
        room.y = 0
        room.layers, room.fog_bulbs = np.zeros(0, LAYER_TR5), np.zeros(0, FOG_BULB_TR5)
        room.header = new_header()
    else:
        room.geometry_words = (1, -1)  # counted when it is written
    return room


def mesh_points(context: ExportContext, obj: Object) -> NDArray[np.int64]:
    """Return the vertices of a mesh, (n, 3): x and z relative to its object, y in the world.

    Raises:
        ExportError: where it is no mesh, or has no vertices.
    """
    mesh = context.shown.of(obj)
    if mesh is None:
        raise ExportError(obj.name, T("a room must be a mesh"))
    if not len(mesh.vertices):
        raise ExportError(obj.name, T("a room needs vertices"))
    matrix = np.array(context.space.matrix_of(obj), np.float64)
    positions = vertices_of(mesh) @ matrix[:3, :3].T
    positions[:, 2] += matrix[2, 3]
    return context.space.to_file_int(positions, obj.name, "a vertex")


def _set_sectors(context: ExportContext, room: Room, obj: Object, points: NDArray[np.int64]) -> None:
    sides = []
    for axis in (0, 2):
        if points[:, axis].min() < SECTOR_SIZE:
            text = T("its mesh must start one sector from the object's origin: use Make Room on it again")
            raise ExportError(obj.name, text)
        sides.append(-(-int(points[:, axis].max()) // SECTOR_SIZE) + 1)
    if max(sides) > SAFE_SECTORS:
        text = T(
            "it is {count} sectors long, more than the safe maximum of {most}",
            count=max(sides),
            most=SAFE_SECTORS,
        )
        context.report.warn(obj.name, text)
    _fill_sectors(context, room, obj, (sides[0], sides[1]))
    heights = round(room.y_bottom / CLICK), round(room.y_top / CLICK)
    if not all(WALL < height < 127 for height in heights):
        raise ExportError(obj.name, T("it is too high or too low for sectors"))
    grid = room.sectors.reshape(room.x_sectors, room.z_sectors)
    grid["floor"][1:-1, 1:-1], grid["ceiling"][1:-1, 1:-1] = heights


def _fill_sectors(context: ExportContext, room: Room, obj: Object, sides: tuple[int, int]) -> None:
    """Fill a room with sectors that are walls; ``sides`` are their numbers along x and z."""
    room.x_sectors, room.z_sectors = sides
    if room.x_sectors * room.z_sectors > _MOST_SECTORS:
        count = room.x_sectors * room.z_sectors
        raise ExportError(obj.name, T("it has too many sectors"), count=count, limit=_MOST_SECTORS)
    room.sectors = new_sectors(room.x_sectors * room.z_sectors, context.original.game)


def sector_origin(least: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return x and z of a new room, (2,), on the grid: one sector before the least x and z of its mesh."""
    return (np.floor(least / SECTOR_SIZE).astype(np.int64) - 1) * SECTOR_SIZE
