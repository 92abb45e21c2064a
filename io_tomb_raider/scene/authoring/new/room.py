"""New rooms: boxes of whole sectors with a texture of the level."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats.base.units import SECTOR_SIZE
from ...core.members import members_of
from ...core.new_names import name_new
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.meshes.layers import add_light, write_uvs
from ...subjects.rooms.scene_rooms import SceneRooms
from ..collision_from_mesh.make import room_from_mesh

_SIDES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))  # the two axes of a wall, and its normal's axis


def add_room(root: Collection, place: Vector, size: tuple[int, int, int]) -> Object:
    """Add a room around a place, with collision if the level's was imported.

    Args:
        root: the level.
        place: the middle of its floor, in the world, snapped to the grid.
        size: in sectors: width, depth and height.
    """
    space = Space.of(root)
    side = SECTOR_SIZE * space.scale
    corner = [round(place[axis] / side - size[axis] / 2) for axis in (0, 1)]
    # Floors have steps of a quarter of a sector.
    low = np.array([*corner, round(place.z / side * 4) / 4]) * side
    sample = _sample(root, place)
    obj = bpy.data.objects.new("Room", _box(low, side, size, sample))
    name_new(root, obj, "Room", Kind.ROOM)
    root.objects.link(obj)
    room_from_mesh(root, obj)
    return obj


def _sample(root: Collection, place: Vector) -> tuple[Any, NDArray[np.float32]] | None:
    """Return a material of the room at a place, else of any, with the UVs of a quad, (4, 2), or None."""
    near = SceneRooms(root).find(place)
    rooms = members_of(root, Kind.ROOM)
    for room in ([near] if near is not None else []) + rooms:
        mesh = room.data
        if not isinstance(mesh, Mesh) or not mesh.uv_layers.active or not len(mesh.materials):
            continue
        quad = next((face for face in mesh.polygons if face.loop_total == 4), None)
        if quad is not None and mesh.materials[quad.material_index] is not None:
            uvs = [mesh.uv_layers.active.uv[loop].vector[:] for loop in quad.loop_indices]
            return mesh.materials[quad.material_index], np.array(uvs, np.float32)
    return None


def _box(
    low: NDArray[np.float64],
    side: float,
    size: tuple[int, int, int],
    sample: tuple[Any, NDArray[np.float32]] | None,
) -> Mesh:
    """Return a mesh of quads of a sector's size around the room, facing inward, in the world."""
    quads = []
    for first, second, up in _SIDES:
        rows, columns = np.meshgrid(np.arange(size[first]), np.arange(size[second]), indexing="ij")
        cells = np.zeros((rows.size, 4, 3))
        cells[:, :, first] = rows.reshape(-1, 1) + np.array([0, 1, 1, 0])
        cells[:, :, second] = columns.reshape(-1, 1) + np.array([0, 0, 1, 1])
        is_right_handed = (second - first) % 3 == 1
        for end in (0, size[up]):
            wall = cells.copy()
            wall[:, :, up] = end
            quads.append(wall if (end == 0) == is_right_handed else wall[:, ::-1])
    corners = np.concatenate(quads)
    points, order = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    mesh = bpy.data.meshes.new("Room")
    mesh.from_pydata((low + points * side).tolist(), [], order.reshape(-1, 4).tolist(), shade_flat=True)
    add_light(mesh)
    if sample is not None:
        mesh.materials.append(sample[0])
        layer = mesh.uv_layers.new(name="UVMap", do_init=False)
        write_uvs(mesh, layer, np.tile(sample[1], (len(corners), 1)))
    return mesh
