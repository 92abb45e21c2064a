"""The texture of the active face of a room's mesh."""

from __future__ import annotations

import bmesh
import numpy as np
from bpy.types import Mesh, Object

from ....formats import ExportError
from ....formats.base import T
from ...core.blender.material_slots import shown_materials
from ...mesh.blender_mesh import read_all
from ...mesh.poly_mesh import MATERIAL_INDEX
from .looks import RoleTexture, UsedPieces, uvs_of


def active_piece(room: Object) -> RoleTexture:
    """Return the texture of the active face of a room.

    Raises:
        ExportError: if there is none, or it has no four corners or no material.
    """
    mesh = room.data
    if not isinstance(mesh, Mesh):
        raise ExportError(room.name, T("a room must be a mesh"))
    if mesh.is_editmode:
        edited = bmesh.from_edit_mesh(mesh)
        edited.faces.index_update()
        active = -1 if edited.faces.active is None else edited.faces.active.index
    else:
        active = mesh.polygons.active or 0
    geometry = read_all(mesh)
    if not 0 <= active < len(geometry.sizes) or geometry.sizes[active] != 4:
        raise ExportError(
            room.name, T("select a face of four corners in its Edit Mode, which then is active")
        )
    chosen = np.arange(len(geometry.sizes)) == active
    uvs = uvs_of(mesh, geometry)[np.repeat(chosen, geometry.sizes)]
    found = UsedPieces(geometry.take_faces(chosen), uvs, np.zeros(1, np.int64), 1.0).most(None)
    materials = shown_materials(room)
    slot = min(int(geometry.face[MATERIAL_INDEX][active]), len(materials) - 1)
    material = materials[slot] if slot >= 0 else None
    if found is None or material is None:
        raise ExportError(room.name, T("its active face has no material"))
    return RoleTexture(material, found[1])
