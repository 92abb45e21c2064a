"""Collision as mesh data: writing into Blender, and reading by attributes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, starmap
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh

from ...core.space import Space
from ...mesh.blender_mesh import add_geometry, read_ints, read_shape
from ...mesh.poly_mesh import MATERIAL_INDEX, PolyMesh
from .build import ATTRIBUTES, RoomsCollision
from .materials import collision_materials


def new_meshes(names: list[str]) -> list[Mesh]:
    """Return meshes without faces that have all layers and materials of collision."""
    result: list[Mesh] = []
    for name in names:
        if result:  # a copy includes the layers, which is faster than adding them
            copy: Any = result[0].copy()
            copy.name = name
            result.append(copy)
        else:
            result.append(bpy.data.meshes.new(name))
            add_layers(result[0])
            for material in collision_materials():
                result[0].materials.append(material)
    return result


def add_layers(mesh: Mesh) -> None:
    """Add the layers of collision to a mesh."""
    for attribute in (*ATTRIBUTES, MATERIAL_INDEX):
        mesh.attributes.new(attribute, "INT", "FACE")
    mesh.attributes.new("sharp_face", "BOOLEAN", "FACE")


def fill_mesh(mesh: Mesh, arrays: PolyMesh, space: Space) -> None:
    """Set the vertices and faces of a mesh of :func:`new_meshes`, in their order."""
    fill_meshes([mesh], RoomsCollision.of(arrays), space)


def fill_meshes(meshes: Sequence[Mesh], rooms: RoomsCollision, space: Space) -> None:
    """Fill the meshes of many rooms, like :func:`fill_mesh`."""
    positions = space.to_blender(rooms.positions)
    sharp = np.ones(int(np.diff(rooms.faces).max(initial=0)), np.bool_)
    used = _used_attributes(rooms)
    bounds = (starmap(slice, pairwise(each.tolist())) for each in (rooms.points, rooms.firsts, rooms.faces))
    for mesh, names, points, corners, faces in zip(meshes, used, *bounds, strict=True):
        add_geometry(mesh, positions[points], rooms.corners[corners], rooms.starts[faces])
        if faces.stop > faces.start:
            layers = mesh.attributes
            for name in names:
                layers[name].data.foreach_set("value", rooms.face[name][faces])
            layers["sharp_face"].data.foreach_set("value", sharp[: faces.stop - faces.start])
        mesh.update(calc_edges=True)


def _used_attributes(rooms: RoomsCollision) -> list[list[str]]:
    """Return by room the attributes with values other than zero."""
    result: list[list[str]] = [[] for _ in range(len(rooms))]
    with_faces = np.flatnonzero(np.diff(rooms.faces))
    for name in (*ATTRIBUTES, MATERIAL_INDEX) if len(with_faces) else ():
        values = np.bitwise_or.reduceat(rooms.face[name], rooms.faces[with_faces])
        for room in with_faces[np.flatnonzero(values)].tolist():
            result[room].append(name)
    return result


# --- Export ----------------------------------------


def read_faces(mesh: Mesh) -> PolyMesh:
    """Return a mesh with all of :data:`.build.ATTRIBUTES`, zeros if one is missing or has another type."""
    result, layers = read_shape(mesh), mesh.attributes
    for name in ATTRIBUTES:
        values = read_ints(layers.get(name), "FACE", len(result.sizes))
        result.face[name] = np.zeros(len(result.sizes), np.int32) if values is None else values
    return result


def is_same(faces: PolyMesh, arrays: PolyMesh, space: Space) -> bool:
    """Return whether the faces of a mesh equal a room's arrays, apart from colors."""
    face = {name: arrays.face[name] for name in ATTRIBUTES}
    return faces.equals(PolyMesh(space.to_blender(arrays.positions), arrays.corners, arrays.sizes, face=face))
