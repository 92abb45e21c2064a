"""Textures of water surfaces: the chosen one, that of existing surfaces, or a placeholder."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ...core.blender.material_slots import shown_materials
from ...core.space import Space
from ...mesh.blender_mesh import read_all
from ...subjects.meshes.placed import world_vertices
from ..mesh_from_sectors.looks import UNIT, RoleTexture, UsedPieces, corners_with, piece_of, set_piece, uvs_of
from ..placeholder_textures import plain_material
from .clearing import LevelMaterials, RoomFaces
from .shapes import Shape

_LEVEL = 2.0  # units


def water_piece(root: Collection, portals: Iterable[Object], materials: LevelMaterials) -> RoleTexture:
    """Return the texture of a level's water surfaces, and store it if none was chosen.

    Args:
        portals: its portals, where surfaces may exist.
    """
    chosen = root.tomb_raider.water_surface
    if chosen.material is None:
        piece = _shown(root, portals, materials)
        set_piece(chosen, RoleTexture(plain_material(root, "WATER"), UNIT) if piece is None else piece)
    elif not any(chosen.corners):
        chosen.corners = corners_with(root, chosen.material).ravel().tolist()
    return piece_of(chosen)


def _shown(root: Collection, portals: Iterable[Object], materials: LevelMaterials) -> RoleTexture | None:
    """Return the texture of existing surfaces in the room that has most of them, or None."""
    space = Space.of(root)
    inside: dict[Object, NDArray[np.bool_]] = {}
    seen: dict[Object, RoomFaces] = {}
    for portal in portals:
        room, target = portal.parent, portal.tomb_raider.portal.room
        if room is None or target is None or not isinstance(portal.data, Mesh):
            continue
        if room.tomb_raider.room.has_water == target.tomb_raider.room.has_water:
            continue
        corners = space.to_file(world_vertices(portal, portal.data), portal.name)
        if len(corners) != 4 or np.ptp(corners[:, 1]) > _LEVEL:
            continue
        faces = seen.setdefault(room, RoomFaces(room, space, materials))
        shape = Shape(1, np.array([corners[0, 1], 0.0, 0.0]), corners, np.zeros(0, np.int64))
        rows = inside.setdefault(room, np.zeros(len(faces.gone), bool))
        rows[faces.within(shape)] = True
    for room, rows in inside.items():
        rows &= seen[room].see_through
    most = max(inside, key=lambda room: int(inside[room].sum()), default=None)
    return None if most is None else _used(most, inside[most])


def _used(room: Object, rows: NDArray[np.bool_]) -> RoleTexture | None:
    """Return the most frequent texture of some faces of a room, or None."""
    mesh = room.data
    if not isinstance(mesh, Mesh):
        return None
    geometry = read_all(mesh)
    uvs = uvs_of(mesh, geometry)[np.repeat(rows, geometry.sizes)]
    chosen = geometry.take_faces(rows)
    found = UsedPieces(chosen, uvs, np.zeros(len(chosen.sizes), np.int64), 1.0).most(None)
    materials = shown_materials(room)
    material = None if found is None or found[0] >= len(materials) else materials[found[0]]
    return None if found is None or material is None else RoleTexture(material, found[1])
