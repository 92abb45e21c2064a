"""Collision as a mesh datablock: written into Blender and read back by attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, starmap
from typing import Any

import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import NDArray

from ...core.space import Space
from ..meshes.arrays import add_geometry, same_arrays
from .build import ATTRIBUTES, CollisionArrays, RoomsCollision
from .materials import collision_materials

_MATERIAL_INDEX = "material_index"


def new_meshes(names: list[str]) -> list[Mesh]:
    """Make meshes without faces that have all layers and materials of collision."""
    made: list[Mesh] = []
    for name in names:
        if made:  # a copy takes its layers along, which is faster than to add them one by one
            copy: Any = made[0].copy()
            copy.name = name
            made.append(copy)
        else:
            made.append(bpy.data.meshes.new(name))
            add_layers(made[0])
            for material in collision_materials():
                made[0].materials.append(material)
    return made


def add_layers(mesh: Mesh) -> None:
    """Give a mesh the layers of collision."""
    for attribute in (*ATTRIBUTES, _MATERIAL_INDEX):
        mesh.attributes.new(attribute, "INT", "FACE")
    mesh.attributes.new("sharp_face", "BOOLEAN", "FACE")


def fill_mesh(mesh: Mesh, arrays: CollisionArrays, space: Space) -> None:
    """Give a mesh of :func:`new_meshes` its vertices and faces; their order stays."""
    fill_meshes([mesh], RoomsCollision.of(arrays), space)


def fill_meshes(meshes: Sequence[Mesh], rooms: RoomsCollision, space: Space) -> None:
    """Do what :func:`fill_mesh` does for the meshes of many rooms."""
    positions = space.to_blender(rooms.positions)
    sharp = np.ones(int(np.diff(rooms.faces).max(initial=0)), np.bool_)
    said = _said(rooms)
    bounds = (starmap(slice, pairwise(each.tolist())) for each in (rooms.points, rooms.firsts, rooms.faces))
    for mesh, names, points, corners, faces in zip(meshes, said, *bounds, strict=True):
        add_geometry(mesh, positions[points], rooms.corners[corners], rooms.starts[faces])
        if faces.stop > faces.start:
            layers = mesh.attributes
            for name in names:
                layers[name].data.foreach_set("value", rooms.face[name][faces])
            layers[_MATERIAL_INDEX].data.foreach_set("value", rooms.kinds[faces])
            layers["sharp_face"].data.foreach_set("value", sharp[: faces.stop - faces.start])
        mesh.update(calc_edges=True)


def _said(rooms: RoomsCollision) -> list[list[str]]:
    """Return by room the attributes that hold anything but zeros."""
    found: list[list[str]] = [[] for _ in range(len(rooms))]
    some = np.flatnonzero(np.diff(rooms.faces))
    for name in ATTRIBUTES if len(some) else ():
        said = np.bitwise_or.reduceat(rooms.face[name], rooms.faces[some])
        for room in some[np.flatnonzero(said)].tolist():
            found[room].append(name)
    return found


# --- Back from Blender ----------------------------------------


@dataclass(eq=False)
class CollisionFaces:
    """The faces of a collision mesh, as they stand in Blender.

    Attributes:
        positions: (v, 3) float32, Blender's axes and units, relative to the object.
        corners: (k,) int32, the vertex of every corner, face after face.
        starts: (f,) int32, the first corner of every face.
        face: (f,) int32 by name: all of :data:`.build.ATTRIBUTES`.
    """

    positions: NDArray[np.float32]
    corners: NDArray[np.int32]
    starts: NDArray[np.int32]
    face: dict[str, NDArray[np.int32]]

    def turn_over(self) -> None:
        """Let all faces show their other side, as those of mirrored objects do."""
        sizes = np.diff(np.append(self.starts, len(self.corners)))
        starts = np.repeat(self.starts, sizes)
        order = starts + (starts - np.arange(len(self.corners))) % np.repeat(sizes, sizes)
        self.corners = self.corners[order]

    def equals(self, arrays: CollisionArrays, space: Space) -> bool:
        """Tell whether these are the very faces that a room's arrays make."""
        if len(self.starts) != len(arrays.sizes) or len(self.positions) != len(arrays.positions):
            return False
        pairs = [
            (self.positions, space.to_blender(arrays.positions)),
            (self.corners, arrays.corners),
            (self.starts, arrays.starts),
            *((self.face[name], arrays.face[name]) for name in ATTRIBUTES),
        ]
        return all(same_arrays(mine, theirs) for mine, theirs in pairs)


def read_faces(mesh: Mesh) -> CollisionFaces:
    """Read a mesh, whatever the user has made of it."""
    layers: Any = mesh.attributes
    faces = len(mesh.polygons)
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    corners, starts = np.empty(len(mesh.loops), np.int32), np.empty(faces, np.int32)
    if len(positions):
        layers["position"].data.foreach_get("vector", positions.ravel())
    if faces:
        layers[".corner_vert"].data.foreach_get("value", corners)
        mesh.polygons.foreach_get("loop_start", starts)
    found: dict[str, NDArray[np.int32]] = {}
    for name in ATTRIBUTES:
        found[name] = np.zeros(faces, np.int32)
        layer = layers.get(name)
        if faces and layer is not None and (layer.domain, layer.data_type) == ("FACE", "INT"):
            layer.data.foreach_get("value", found[name])
    return CollisionFaces(positions, corners, starts, found)
