"""Pieces of a scene as mesh objects, with temporary caps at their cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Material, Mesh, Object

from ...core.space import Space
from ...mesh.blender_mesh import write_mesh
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from ...subjects.meshes.arrays import COLOR, UV_MAP
from .soup import CAP, some_faces

_SHARP = "sharp_face"


def new_object(name: str, piece: PolyMesh, materials: Sequence[Material], space: Space) -> Object:
    """Create an object of a piece, in no collection yet. Caps are the last faces and have no material."""
    piece = some_faces(piece, np.argsort(piece.face[MATERIAL_INDEX] == CAP, kind="stable"))
    mesh = bpy.data.meshes.new(name)
    numbers = piece.face[MATERIAL_INDEX]
    drawn = numbers != CAP
    used, slots = np.unique(numbers[drawn], return_inverse=True)
    for number in used.tolist():
        mesh.materials.append(materials[number])
    indices = np.zeros(len(numbers), np.int32)
    indices[drawn] = slots.ravel()
    names = sorted(piece.corner, key=lambda each: (each != UV_MAP, each == COLOR))
    corner = {each: piece.corner[each] for each in names}
    face = {MATERIAL_INDEX: indices, _SHARP: np.ones(len(numbers), np.bool_)}
    points = space.to_blender(piece.positions)
    write_mesh(mesh, PolyMesh(points, piece.corners, piece.sizes, corner=corner, face=face))
    mesh.uv_layers.active_index = 0
    mesh.uv_layers[UV_MAP].active_render = True
    return bpy.data.objects.new(name, mesh)


def remove_caps(room: Object, caps: int) -> None:
    """Delete the last faces of a room, which cap its cuts."""
    mesh = room.data
    if not caps or not isinstance(mesh, Mesh):
        return
    edited: Any = bmesh.new()
    try:
        edited.from_mesh(mesh)
        edited.faces.ensure_lookup_table()
        count = len(edited.faces)
        faces = [edited.faces[row] for row in range(count - caps, count)]
        bmesh.ops.delete(edited, geom=faces, context="FACES")
        edited.to_mesh(mesh)
        mesh.update()
    finally:
        edited.free()
