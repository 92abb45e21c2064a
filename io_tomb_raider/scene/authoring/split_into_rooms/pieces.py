"""Pieces of a scene as mesh objects, and what closes their cuts until rooms are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bmesh
import bpy
import numpy as np
from bpy.types import Material, Mesh, Object

from ...core.space import Space
from ...subjects.meshes.arrays import COLOR, UV_MAP, add_geometry
from .soup import CAP, Soup

_SHARP = "sharp_face"


def new_object(name: str, piece: Soup, materials: Sequence[Material], space: Space) -> Object:
    """Make an object of a piece, in no collection yet. Caps come last, and have no material.

    Args:
        name: what to call it.
        piece: its faces.
        materials: by their numbers.
        space: of its level.
    """
    order = np.argsort(piece.material == CAP, kind="stable")
    piece = piece.take(order)
    mesh = bpy.data.meshes.new(name)
    corners = space.to_blender(piece.points)
    add_geometry(mesh, corners, piece.corners.astype(np.int32), piece.starts.astype(np.int32))
    drawn = piece.material != CAP
    used, slots = np.unique(piece.material[drawn], return_inverse=True)
    for number in used.tolist():
        mesh.materials.append(materials[number])
    # All layers before any values: making one invalidates those that were taken before.
    names = sorted(piece.uvs, key=lambda each: each != UV_MAP)
    mesh.attributes.new("material_index", "INT", "FACE")
    mesh.attributes.new(_SHARP, "BOOLEAN", "FACE")
    for each in names:
        mesh.attributes.new(each, "FLOAT2", "CORNER")
    mesh.attributes.new(COLOR, "FLOAT_COLOR", "CORNER")
    indices = np.zeros(len(piece), np.int32)
    indices[drawn] = slots.ravel()
    layers = mesh.attributes
    layers["material_index"].data.foreach_set("value", indices)
    layers[_SHARP].data.foreach_set("value", np.ones(len(piece), np.bool_))
    for each in names:
        layers[each].data.foreach_set("vector", piece.uvs[each].astype(np.float32).ravel())
    layers[COLOR].data.foreach_set("color", piece.colors.astype(np.float32).ravel())
    mesh.uv_layers.active_index = 0
    mesh.uv_layers[UV_MAP].active_render = True
    mesh.update(calc_edges=True)
    return bpy.data.objects.new(name, mesh)


def remove_caps(room: Object, caps: int) -> None:
    """Delete the last faces of a room, which closed its cuts."""
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
