"""Construction of mesh data from arrays, for one or many meshes."""

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
    """Return a new mesh; faces and vertices keep their order, without validation."""
    return build_meshes([name], [arrays], materials, flat=flat)[0]


def build_meshes(
    names: Sequence[str], arrays: Sequence[MeshArrays], materials: LevelMaterials, *, flat: bool = False
) -> list[Mesh]:
    """Return new meshes like :func:`build_mesh`, but faster in large files."""
    meshes = _with_slots(names, [data.slots[0] for data in arrays], materials)
    for mesh, data in zip(meshes, arrays, strict=True):
        _fill(mesh, data, flat=flat)
    return meshes


def _with_slots(
    names: Sequence[str], slots: Sequence[list[MaterialKey]], materials: LevelMaterials
) -> list[Mesh]:
    """Return empty meshes with material slots.

    Adding a slot makes Blender search all objects of the file, and a copy already has the slots. So meshes
    with few slots are made first.
    """
    is_large = len(bpy.data.objects) > _MANY
    first: dict[tuple[MaterialKey, ...], Mesh] = {}
    made: dict[int, Mesh] = {}
    places = range(len(names))
    for place in sorted(places, key=lambda each: len(slots[each])) if is_large else places:
        keys = tuple(slots[place])
        lengths = range(len(keys), 0, -1) if is_large else ()
        copied = next((length for length in lengths if keys[:length] in first), 0)
        if copied:
            mesh = cast(Mesh, first[keys[:copied]].copy())
            mesh.name = names[place]
        else:
            mesh = bpy.data.meshes.new(names[place])
        for key in keys[copied:]:
            mesh.materials.append(materials[key])
        first.setdefault(keys, mesh)
        made[place] = mesh
    return [made[place] for place in places]


def _fill(mesh: Mesh, arrays: MeshArrays, *, flat: bool) -> None:
    """Fill an empty mesh that has its slots."""
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
