"""Mesh datablocks of arrays, one or many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bpy
import numpy as np
from bpy.types import Mesh

from ...core.color import bytes_to_linear
from ...mesh.poly_mesh import MATERIAL_INDEX, Columns, PolyMesh
from ...mesh.write import write_mesh
from ..textures.keys import MaterialKey
from ..textures.materials import LevelMaterials
from .arrays import COLOR, NORMAL, PARKED, UV_MAP, MeshArrays, face_name

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
    face: Columns = {face_name(name, arrays.point): values for name, values in arrays.face.items()}
    point: Columns = {**arrays.point, COLOR: bytes_to_linear(arrays.colors)}
    if arrays.normals is not None:
        point[NORMAL] = arrays.normals
    if flat:
        face["sharp_face"] = np.ones(len(arrays.sizes), np.bool_)
    face[MATERIAL_INDEX] = arrays.slots[1]
    shape = arrays.positions, arrays.corners, arrays.sizes
    write_mesh(mesh, PolyMesh(*shape, point, {UV_MAP: arrays.uvs}, face))
    if len(arrays.parked):
        mesh[PARKED] = arrays.parked.view("<i4").tolist()
