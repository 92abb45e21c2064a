"""Imported geometry of projects: objects in the scene, parts of their rooms' meshes in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

import bpy
import numpy as np
from bpy.types import Mesh, Object
from mathutils import Matrix
from numpy.typing import NDArray

from ...core.context import ImportContext, RoomPart
from ...core.space import Space
from ...core.stages import Product, RoomObjects
from ...core.subjects import Kind
from ..meshes.arrays import VERTEX, MeshArrays, build_mesh
from ..meshes.placed import transform
from ..object_textures.faces import QUADS, TRIANGLES, TexturedFaces, file_order
from ..object_textures.view import TextureView
from ..textures.materials import LevelMaterials

PART = "tr_part"  # of arrays of a whole room: the number of the part of each face, 0 for none
# The order of rotations of Tomb Editor: roll, then around x, then around the vertical.
ROTATION: Literal["YXZ"] = "YXZ"
_SAME_PLACE = 0.02  # units: 32-bit floats of turned and scaled parts hold positions more exactly
_SAME_NORMAL = 1e-4


class ExportedPart(NamedTuple):
    """Imported geometry as an export has written it."""

    obj: Object
    whole: Object  #: the object of its room.
    room: int  #: the number of its room.
    arrays: MeshArrays  #: its mesh, relative to its object.
    #: quads, triangles: its faces in the lists of the room, int64.
    quads: NDArray[np.int64]
    triangles: NDArray[np.int64]
    view: TextureView  #: the textures of the original.


# --- Import ----------------------------------------


def split(arrays: MeshArrays, parts: Sequence[RoomPart]) -> tuple[MeshArrays, list[MeshArrays]]:
    """Divide the mesh of a room, in the order of the file; return the rest and the mesh of each part.

    Meshes of parts are relative to their own objects.
    """
    is_kept, is_parked_kept = np.ones(len(arrays.sizes), np.bool_), np.ones(len(arrays.parked), np.bool_)
    part_meshes: list[MeshArrays] = []
    is_removed = np.zeros(len(arrays.positions), np.bool_)
    for part in parts:
        faces, parked = _faces_of(arrays, part)
        is_kept[faces], is_parked_kept[parked] = False, False
        part_mesh = replace(arrays.take_faces(faces), parked=arrays.parked[parked])
        is_used = _used(part_mesh)
        is_removed |= is_used
        to_part = np.asarray(np.linalg.inv(part.matrix), np.float64)
        part_meshes.append(transform(_with_vertices(part_mesh, is_used), to_part))
    rest = replace(arrays.take_faces(is_kept), parked=arrays.parked[is_parked_kept])
    return _with_vertices(rest, ~is_removed | _used(rest)), part_meshes


def _faces_of(arrays: MeshArrays, part: RoomPart) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the faces of a part, and those that Blender cannot represent, as rows."""
    face_rows, parked_rows = [], []
    for kind, corners, (first, end) in ((QUADS, 4, part.quads), (TRIANGLES, 3, part.triangles)):
        faces, parked = np.flatnonzero(arrays.sizes == corners), np.flatnonzero(arrays.parked["kind"] == kind)
        positions = arrays.parked["place"][parked]
        rows = np.setdiff1d(np.arange(len(faces) + len(parked)), positions)
        face_rows.append(faces[(rows >= first) & (rows < end)])
        parked_rows.append(parked[(positions >= first) & (positions < end)])
    return np.concatenate(face_rows), np.concatenate(parked_rows)


def _used(arrays: MeshArrays) -> NDArray[np.bool_]:
    """Return which vertices of a room of the file are used by faces."""
    result = np.zeros(len(arrays.positions) + 1, np.bool_)
    result[arrays.corners] = True
    result[arrays.parked["corners"].clip(-1, len(result) - 1)] = True
    return result[:-1]


def _with_vertices(arrays: MeshArrays, is_used: NDArray[np.bool_]) -> MeshArrays:
    return arrays.merge(np.flatnonzero(is_used), np.cumsum(is_used) - 1)


def add_parts(
    context: ImportContext,
    rooms: RoomObjects,
    parts: Sequence[tuple[RoomPart, MeshArrays]],
    materials: LevelMaterials,
) -> list[Mesh]:
    """Make the objects of imported geometry; return their meshes."""
    meshes = []
    for part, arrays in parts:
        mesh = build_mesh(part.name, arrays, materials, flat=True)
        obj = bpy.data.objects.new(part.name, mesh)
        obj.rotation_mode = ROTATION
        obj.parent = rooms.objects[part.room]
        obj.matrix_basis = Matrix(part.matrix.tolist())
        settings = obj.tomb_raider
        settings.kind, settings.index = Kind.IMPORTED_GEOMETRY, part.number
        rooms.collections[part.room].objects.link(obj)
        meshes.append(mesh)
    return meshes


# --- Export ----------------------------------------


def marked(arrays: MeshArrays, number: int) -> MeshArrays:
    """Return a mesh whose faces have the number of their part."""
    column = np.full(len(arrays.sizes), number, np.int32)
    return replace(arrays, face={**arrays.face, PART: column})


def snapped(arrays: MeshArrays, expected: MeshArrays | None, space: Space, name: str) -> MeshArrays:
    """Return a part, in the space of its room, with the vertex positions and normals of the file.

    Rotating and scaling change the last digits of positions in whole units, and of normals. ``expected`` is
    the mesh of the file.
    """
    points = space.to_file(arrays.positions, name, "a vertex")
    whole = np.rint(points)
    is_whole = np.abs(points - whole) < _SAME_PLACE
    positions = np.where(is_whole, space.to_blender(whole), arrays.positions).astype(np.float32)
    result = replace(arrays, positions=positions)
    numbers = arrays.point.get(VERTEX)
    if expected is None or expected.normals is None or result.normals is None or numbers is None:
        return result
    rows = np.flatnonzero((numbers >= 0) & (numbers < len(expected.positions)))
    is_in_place = expected.positions[numbers[rows]] == positions[rows]
    normals = expected.normals[numbers[rows]]
    lengths = np.linalg.norm(normals, axis=1)
    is_near = np.linalg.norm(normals - result.normals[rows], axis=1) <= _SAME_NORMAL * np.maximum(lengths, 1)
    is_same = is_in_place.all(axis=1) & is_near
    result.normals = result.normals.copy()
    result.normals[rows[is_same]] = normals[is_same]
    return result


def rows_of_parts(
    faces: TexturedFaces, of_face: NDArray[np.int32], parts: Sequence[MeshArrays]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows of the faces of each part in the quads and the triangles of the file.

    ``of_face`` is the number of the part of each face, from 1, except of those that Blender cannot represent,
    which are last.
    """
    parked_parts = {
        (int(row["kind"]), int(row["place"])): number
        for number, arrays in enumerate(parts, 1)
        for row in arrays.parked
    }
    parked = slice(len(of_face), None)
    positions = zip(faces.triangle[parked].tolist(), faces.place[parked].tolist(), strict=True)
    kinds = ((TRIANGLES if triangle else QUADS, index) for triangle, index in positions)
    numbers = [parked_parts.get(kind, 0) for kind in kinds]
    part = np.concatenate([of_face, np.array(numbers, np.int32)])
    lists = []
    for kind in (QUADS, TRIANGLES):
        rows = file_order(faces, kind)
        rows = rows[np.argsort(faces.layer[rows], kind="stable")]
        lists.append(part[rows])
    quads, triangles = lists
    of_parts = range(1, len(parts) + 1)
    return [(np.flatnonzero(quads == each), np.flatnonzero(triangles == each)) for each in of_parts]


PARTS: Product[list[ExportedPart]] = Product("PARTS", list)  # of an export


class RoomWithParts(NamedTuple):
    """A room with imported geometry."""

    number: int  #: the number of the room.
    whole: Object  #: its object.
    parts: list[Object]  #: the imported geometry.
    arrays: list[MeshArrays]  #: the meshes of the parts.
    faces: TexturedFaces  #: all faces of the room.
    of_face: NDArray[np.int32]  #: the number of the part of each face, from 1.
    view: TextureView  #: the textures of the original.

    def exported(self) -> Iterator[ExportedPart]:
        """Yield the parts as they are written."""
        rows = rows_of_parts(self.faces, self.of_face, self.arrays)
        for obj, arrays, (quads, triangles) in zip(self.parts, self.arrays, rows, strict=True):
            yield ExportedPart(obj, self.whole, self.number, arrays, quads, triangles, self.view)
