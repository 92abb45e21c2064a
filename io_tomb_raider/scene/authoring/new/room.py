"""New rooms: boxes of whole sectors with the textures of a room beside."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats.base import SECTOR_SIZE
from ...core.blender.material_slots import shown_materials
from ...core.membership import members_of
from ...core.new_names import name_new
from ...core.space import Space
from ...core.subjects import Kind
from ...mesh.blender_mesh import write_material_slots
from ...subjects.meshes.layers import add_light, write_uvs
from ...subjects.rooms.location.scene_rooms import SceneRooms
from ..collision_from_mesh.make import room_from_mesh
from ..mesh_from_sectors.looks import RoleTexture, places_on_faces, used_pieces
from ..mesh_from_sectors.shape import DrawnRole
from .free_place import Side, free_place

_ROLES = (DrawnRole.FLOOR, DrawnRole.WALL, DrawnRole.CEILING)
_SIDES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))  # the two axes of a wall, and its normal's axis


def add_room(
    root: Collection,
    place: Vector,
    size: tuple[int, int, int],
    beside: Object | None = None,
    side: Side | None = None,
) -> Object:
    """Add a room around a place, or beside a room if one is there, with collision if the level has any.

    Args:
        place: the middle of its floor, in the world, snapped to the grid.
        size: in sectors: width, depth and height.
        beside: the room that it adjoins if the place is occupied; by default the one there.
        side: of that room, even if the place is free; by default the nearest wall.

    Raises:
        ExportError: if there is no free place.
    """
    length = SECTOR_SIZE * Space.of(root).scale
    low = free_place(root, beside, place, size, side)
    middle = Vector((low + np.array(size) * length / 2).tolist())
    obj = bpy.data.objects.new("Room", _box(low, length, size, _looks(root, middle, beside)))
    name_new(root, obj, "Room", Kind.ROOM)
    root.objects.link(obj)
    room_from_mesh(root, obj)
    return obj


def _looks(root: Collection, place: Vector, beside: Object | None) -> dict[int, RoleTexture]:
    """Return the textures of floors, walls and ceilings by role, of the room beside or the nearest one."""
    nearest = beside or SceneRooms(root).nearest(place)
    rooms = [*([] if nearest is None else [nearest]), *members_of(root, Kind.ROOM)]
    looks: dict[int, RoleTexture] = {}
    for room in rooms:
        used = used_pieces(root, room)
        materials = shown_materials(room)
        slots = [slot for slot, material in enumerate(materials) if material is not None]
        for role in _ROLES if used is not None else ():
            region = used.most(role, slots) or (used.most(None, slots) if room == nearest else None)
            material = None if region is None else materials[region[0]]
            if region is not None and material is not None:
                looks.setdefault(role, RoleTexture(material, region[1]))
        if len(looks) == len(_ROLES):
            break
    return looks


def _box(
    low: NDArray[np.float64], side: float, size: tuple[int, int, int], looks: Mapping[int, RoleTexture]
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
    if looks:
        _texture(mesh, corners, looks)
    return mesh


def _texture(mesh: Mesh, corners: NDArray[np.float64], looks: Mapping[int, RoleTexture]) -> None:
    """Show textures on the quads (f, 4, 3) of a mesh, by role; roles without one show any of them."""
    normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1]).astype(np.float64)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    up = normals[:, 2]
    roles = np.select([up > 0.5, up < -0.5], [DrawnRole.FLOOR, DrawnRole.CEILING], DrawnRole.WALL)
    places, _ = places_on_faces(corners, normals, roles)
    uvs, slots = np.zeros((len(corners), 4, 2)), np.zeros(len(corners), np.int32)
    for role in _ROLES:
        look = looks.get(role, next(iter(looks.values())))
        if mesh.materials.find(look.material.name) < 0:
            mesh.materials.append(look.material)
        mask = roles == role
        slots[mask] = mesh.materials.find(look.material.name)
        uvs[mask] = look.uvs(places[mask])
    write_material_slots(mesh, slots)
    layer = mesh.uv_layers.new(name="UVMap", do_init=False)
    write_uvs(mesh, layer, uvs.reshape(-1, 2).astype(np.float32))
