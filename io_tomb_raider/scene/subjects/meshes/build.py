"""Mesh datablocks of arrays, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bpy
import numpy as np
from bpy.types import Mesh

from ...core.color import bytes_to_linear
from ..textures.keys import MaterialKey
from ..textures.materials import LevelMaterials
from .arrays import COLOR, NORMAL, PARKED, UV_MAP, MeshArrays, add_geometry, face_name

_MANY = 1000  # objects in a file


def build_mesh(name: str, arrays: MeshArrays, materials: LevelMaterials, *, flat: bool = False) -> Mesh:
    """Make a mesh datablock. Faces and vertices keep their order; nothing is validated away."""
    return build_meshes([name], [arrays], materials, flat=flat)[0]


def build_meshes(
    names: Sequence[str], arrays: Sequence[MeshArrays], materials: LevelMaterials, *, flat: bool = False
) -> list[Mesh]:
    """Make a mesh datablock of each, as :func:`build_mesh` does, at less cost in files that hold much."""
    meshes = _with_slots(names, [data.slots[0] for data in arrays], materials)
    for mesh, data in zip(meshes, arrays, strict=True):
        _fill(mesh, data, flat=flat)
    return meshes


def _with_slots(
    names: Sequence[str], slots: Sequence[list[MaterialKey]], materials: LevelMaterials
) -> list[Mesh]:
    """Make empty meshes with slots for materials.

    For every slot that is added, Blender looks through all objects of the file; a copy brings
    its slots along. So those with few slots come first.
    """
    is_large = len(bpy.data.objects) > _MANY
    first: dict[tuple[MaterialKey, ...], Mesh] = {}
    made: dict[int, Mesh] = {}
    places = range(len(names))
    for place in sorted(places, key=lambda each: len(slots[each])) if is_large else places:
        keys = tuple(slots[place])
        lengths = range(len(keys), 0, -1) if is_large else ()
        there = next((length for length in lengths if keys[:length] in first), 0)
        if there:
            mesh = cast(Mesh, first[keys[:there]].copy())
            mesh.name = names[place]
        else:
            mesh = bpy.data.meshes.new(names[place])
        for key in keys[there:]:
            mesh.materials.append(materials[key])
        first.setdefault(keys, mesh)
        made[place] = mesh
    return [made[place] for place in places]


def _fill(mesh: Mesh, arrays: MeshArrays, *, flat: bool) -> None:
    """Give an empty mesh with slots all else."""
    add_geometry(mesh, arrays.positions, arrays.corners, arrays.starts)
    for attribute in arrays.point:
        mesh.attributes.new(attribute, "INT", "POINT")
    for attribute in arrays.face:
        mesh.attributes.new(face_name(attribute, arrays.point), "INT", "FACE")
    if arrays.normals is not None:
        mesh.attributes.new(NORMAL, "FLOAT_VECTOR", "POINT")
    if flat:
        mesh.attributes.new("sharp_face", "BOOLEAN", "FACE")
    mesh.attributes.new("material_index", "INT", "FACE")
    mesh.attributes.new(UV_MAP, "FLOAT2", "CORNER")
    mesh.attributes.new(COLOR, "FLOAT_COLOR", "POINT")

    # Only now are references taken: making a layer invalidates those taken before.
    layers = mesh.attributes
    for attribute, values in arrays.point.items():
        layers[attribute].data.foreach_set("value", values)
    for attribute, values in arrays.face.items():
        layers[face_name(attribute, arrays.point)].data.foreach_set("value", values)
    if arrays.normals is not None:
        layers[NORMAL].data.foreach_set("vector", arrays.normals.ravel())
    if flat:
        layers["sharp_face"].data.foreach_set("value", np.ones(len(arrays.sizes), np.bool_))
    layers["material_index"].data.foreach_set("value", arrays.slots[1])
    layers[UV_MAP].data.foreach_set("vector", arrays.uvs.ravel())
    layers[COLOR].data.foreach_set("color", bytes_to_linear(arrays.colors).ravel())
    if len(arrays.parked):
        mesh[PARKED] = arrays.parked.view("<i4").tolist()
    mesh.update(calc_edges=True)
