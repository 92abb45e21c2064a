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
ROTATION: Literal["YXZ"] = (
    "YXZ"  # the order of rotations of Tomb Editor: roll, then around x, then around the vertical
)
_SAME_PLACE = 0.02  # units: 32-bit floats of turned and scaled parts hold places more exactly
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
    """Divide the mesh of a room of the file.

    Args:
        arrays: the mesh, in the order of the file.
        parts: what to divide from it.

    Returns:
        The rest, and the mesh of each part, relative to its own object.
    """
    left, left_parked = np.ones(len(arrays.sizes), np.bool_), np.ones(len(arrays.parked), np.bool_)
    made: list[MeshArrays] = []
    gone = np.zeros(len(arrays.positions), np.bool_)
    for part in parts:
        faces, parked = _faces_of(arrays, part)
        left[faces], left_parked[parked] = False, False
        own = replace(arrays.take_faces(faces), parked=arrays.parked[parked])
        used = _used(own)
        gone |= used
        made.append(transform(_with_vertices(own, used), np.asarray(np.linalg.inv(part.matrix), np.float64)))
    rest = replace(arrays.take_faces(left), parked=arrays.parked[left_parked])
    return _with_vertices(rest, ~gone | _used(rest)), made


def _faces_of(arrays: MeshArrays, part: RoomPart) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the faces of a part, and those that Blender cannot represent, as rows."""
    shown, hidden = [], []
    for kind, corners, (first, end) in ((QUADS, 4, part.quads), (TRIANGLES, 3, part.triangles)):
        faces, parked = np.flatnonzero(arrays.sizes == corners), np.flatnonzero(arrays.parked["kind"] == kind)
        places = arrays.parked["place"][parked]
        rows = np.setdiff1d(np.arange(len(faces) + len(parked)), places)
        shown.append(faces[(rows >= first) & (rows < end)])
        hidden.append(parked[(places >= first) & (places < end)])
    return np.concatenate(shown), np.concatenate(hidden)


def _used(arrays: MeshArrays) -> NDArray[np.bool_]:
    """Return which vertices of a room of the file faces use."""
    used = np.zeros(len(arrays.positions) + 1, np.bool_)
    used[arrays.corners] = True
    used[arrays.parked["corners"].clip(-1, len(used) - 1)] = True
    return used[:-1]


def _with_vertices(arrays: MeshArrays, used: NDArray[np.bool_]) -> MeshArrays:
    return arrays.merge(np.flatnonzero(used), np.cumsum(used) - 1)


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
    """Return a part with the places that the file has.

    Turning and scaling change the last digits of places in whole units, and of normals.

    Args:
        arrays: the part, in the space of its room.
        expected: the mesh of the file.
        name: of the object, for errors.
    """
    points = space.to_file(arrays.positions, name, "a vertex")
    whole = np.rint(points)
    is_whole = np.abs(points - whole) < _SAME_PLACE
    positions = np.where(is_whole, space.to_blender(whole), arrays.positions).astype(np.float32)
    result = replace(arrays, positions=positions)
    numbers = arrays.point.get(VERTEX)
    if expected is None or expected.normals is None or result.normals is None or numbers is None:
        return result
    known = np.flatnonzero((numbers >= 0) & (numbers < len(expected.positions)))
    there = expected.positions[numbers[known]] == positions[known]
    normals = expected.normals[numbers[known]]
    length = np.linalg.norm(normals, axis=1)
    near = np.linalg.norm(normals - result.normals[known], axis=1) <= _SAME_NORMAL * np.maximum(length, 1)
    same = there.all(axis=1) & near
    result.normals = result.normals.copy()
    result.normals[known[same]] = normals[same]
    return result


def rows_of_parts(
    faces: TexturedFaces, of_face: NDArray[np.int32], parts: Sequence[MeshArrays]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the rows of the faces of each part in the quads and the triangles of the file.

    Args:
        faces: the faces of a room, those that Blender cannot represent last.
        of_face: (n,) the number of the part of each of the others, from 1.
    """
    hidden = {
        (int(row["kind"]), int(row["place"])): number
        for number, arrays in enumerate(parts, 1)
        for row in arrays.parked
    }
    last = slice(len(of_face), None)
    places = zip(faces.triangle[last].tolist(), faces.place[last].tolist(), strict=True)
    of_hidden = [hidden.get((TRIANGLES if triangle else QUADS, place), 0) for triangle, place in places]
    part = np.concatenate([of_face, np.array(of_hidden, np.int32)])
    lists = []
    for kind in (QUADS, TRIANGLES):
        rows = file_order(faces, kind)
        rows = rows[np.argsort(faces.layer[rows], kind="stable")]
        lists.append(part[rows])
    return [
        (np.flatnonzero(lists[0] == number), np.flatnonzero(lists[1] == number))
        for number in range(1, len(parts) + 1)
    ]


PARTS: Product[list[ExportedPart]] = Product("PARTS", list)  # of an export


class RoomWithParts(NamedTuple):
    """A room with imported geometry.

    Attributes:
        number: of the room.
        whole: its object.
        parts: the objects.
        arrays: their meshes.
        faces: all faces of the room.
        of_face: the number of the part of each face, from 1.
        view: the textures of the original.
    """

    number: int
    whole: Object
    parts: list[Object]
    arrays: list[MeshArrays]
    faces: TexturedFaces
    of_face: NDArray[np.int32]
    view: TextureView

    def exported(self) -> Iterator[ExportedPart]:
        """Yield the parts as they are written."""
        rows = rows_of_parts(self.faces, self.of_face, self.arrays)
        for obj, arrays, (quads, triangles) in zip(self.parts, self.arrays, rows, strict=True):
            yield ExportedPart(obj, self.whole, self.number, arrays, quads, triangles, self.view)
