"""The meshes of a project's rooms: faces with textures and light, and their vertices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...base.messages import T, about
from ...base.records import ROOM_VERTEX
from ...games import Game
from ...rooms.geometry import FaceSet, encode_faces, encode_layers
from ...rooms.rooms import Room as LevelRoom
from ..faces import Faces, textured_faces_of, vertex_table
from ..geometry import faces_of_rooms
from ..light import room_shades
from ..openings import ProjectRooms
from ..rooms import Room
from ..shades import pack_shades, put_shades
from .plan import Plan

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DOUBLE_SIDED = 0x8000
NO_ORIGIN = -1
_MOST_VERTICES = 0xFFFF
_AT_ONCE = 32  # rooms


@dataclass(eq=False)
class RoomMesh:
    """The faces of a room of the level, quads and triangles mixed, in the order of the level.

    Attributes:
        positions: (n, 4, 3) int64 as levels store them; triangles repeat the third corner.
        count: (n,) 3 or 4 corners.
        shades: (n, 4, c) packed light, see :func:`~..shades.pack_shades`.
        image: (n,) int64: the number of a texture of the project.
        corners: (n, 4, 2) float32, texture coordinates in pixels of the image.
        parents: (n, 2, 2) float32, the areas that are packed whole.
        blend: (n,) int64.
        double_sided: (n,) bool.
        origins: (n, 2) int64: sector and face of the project, -1 for others.
    """

    positions: Ints
    count: Ints
    shades: Ints
    image: Ints
    corners: NDArray[np.float32]
    parents: NDArray[np.float32]
    blend: Ints
    double_sided: NDArray[np.bool_]
    origins: Ints

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def joined(cls, meshes: Sequence[RoomMesh]) -> RoomMesh:
        """Return the faces of several meshes in a row."""
        return cls(
            *(np.concatenate([getattr(each, name) for each in meshes]) for name in cls.__dataclass_fields__)
        )

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> RoomMesh:
        """Return some of the faces."""
        return RoomMesh(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


@dataclass(eq=False)
class MeshPart:
    """Vertices and faces that are added to a room as they are.

    Attributes:
        vertices: (v, 3) int64 as levels store them.
        shades: (v, c) packed light.
        quads, triangles: (n, 4) and (m, 3) indices of these vertices.
        quad_words, triangle_words: their texture words.
        attributes: (v,) effects of vertices.
        quad_origins, triangle_origins: (n, 2) sector and face, -1 for others.
    """

    vertices: Ints
    shades: Ints
    quads: Ints
    triangles: Ints
    quad_words: Ints
    triangle_words: Ints
    attributes: Ints
    quad_origins: Ints
    triangle_origins: Ints


@dataclass(eq=False)
class RoomVertices:
    """The vertices and faces of a room of the level, before its light meets that of its neighbors.

    Attributes:
        places: (v, 3) int64.
        packed: (v, c) int64.
        attributes: (v,) int64.
        quads, triangles: indices and texture words.
        quad_origins, triangle_origins: (n, 2) sector and face, -1 for others.
    """

    places: Ints
    packed: Ints
    attributes: Ints
    quads: Ints
    quad_words: Ints
    quad_origins: Ints
    triangles: Ints
    triangle_words: Ints
    triangle_origins: Ints


def compile_meshes(plan: Plan, rooms: ProjectRooms, quality: int, *, wide: bool) -> list[RoomMesh]:
    """Return the meshes of all rooms, with light.

    Args:
        plan: the rooms.
        rooms: the same.
        quality: of lights without their own.
        wide: TRNG's light of 24 bits.
    """
    game = plan.target.game
    faces = faces_of_rooms(rooms, plan.rooms)
    shades = room_shades(plan.rooms, faces, quality)
    result: list[RoomMesh] = []
    for start in range(0, len(faces), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        result += _room_meshes(game, plan.rooms[part], faces[part], shades[part], wide=wide)
    return result


def reversed_corners(corners: NDArray, count: Ints, which: NDArray[np.bool_]) -> NDArray:
    """Return corners (n, 4, ...) of which those of some faces are in reverse order."""
    result = corners.copy()
    rows = np.flatnonzero(which)
    order = np.where((count[rows] == 4)[:, None], [3, 2, 1, 0], [2, 1, 0, 0])
    result[rows] = corners[rows[:, None], order]
    return result


def _room_meshes(
    game: Game, rooms: Sequence[Room], faces: Sequence[Faces], shades: Sequence[Floats], *, wide: bool
) -> list[RoomMesh]:
    """Return the meshes of some rooms; operations on many faces are much faster than room by room."""
    textured = textured_faces_of(rooms, faces)
    joined = Faces.joined(faces)
    records = np.concatenate([room.shape.faces for room in rooms])[textured.record]
    light = np.concatenate(shades)[textured.face]
    light = reversed_corners(light, textured.count, joined.is_ceiling[textured.face])
    packed = pack_shades(game, light.reshape(-1, 3), wide=wide)
    packed = packed.reshape(len(textured.face), 4, packed.shape[-1])
    origins = np.stack([joined.sector[textured.face], joined.face[textured.face]], axis=1)
    made = RoomMesh(
        textured.positions,
        textured.count,
        packed,
        records["texture"].astype(np.int64),
        textured.corners.astype(np.float32),
        records["parent"].astype(np.float32),
        records["blend"].astype(np.int64),
        records["double_sided"].copy(),
        origins.reshape(-1, 2),
    )
    ends = np.searchsorted(textured.face, np.cumsum([0, *map(len, faces)])).tolist()
    return [
        made.take(slice(start, start if room.hidden else end))
        for room, start, end in zip(rooms, ends[:-1], ends[1:], strict=True)
    ]


def with_backs(mesh: RoomMesh) -> RoomMesh:
    """Return a mesh in which double-sided faces are two faces, for games without such faces."""
    if not mesh.double_sided.any():
        return mesh
    rows = np.repeat(np.arange(len(mesh)), 1 + mesh.double_sided)
    is_back = np.zeros(len(rows), np.bool_)
    is_back[1:] = rows[1:] == rows[:-1]
    made = mesh.take(rows)
    for name in ("positions", "shades", "corners"):
        setattr(made, name, reversed_corners(getattr(made, name), made.count, is_back))
    made.double_sided[:] = False
    return made


@dataclass(eq=False)
class TexturedMesh:
    """A mesh with the object textures of its faces, see :class:`~.textures.RoomTextures`."""

    mesh: RoomMesh
    index: Ints
    turn: Ints
    as_quad: NDArray[np.bool_]

    def usable(self) -> TexturedMesh:
        """Return the faces that have a texture."""
        if (self.index >= 0).all():
            return self
        rows = np.flatnonzero(self.index >= 0)
        return TexturedMesh(self.mesh.take(rows), self.index[rows], self.turn[rows], self.as_quad[rows])


def mesh_parts(meshes: Sequence[TexturedMesh]) -> list[MeshPart]:
    """Return the vertices of each mesh in order of their first use, and its faces."""
    result: list[MeshPart] = []
    for start in range(0, len(meshes), _AT_ONCE):
        result += _mesh_parts(meshes[start : start + _AT_ONCE])
    return result


def _mesh_parts(meshes: Sequence[TexturedMesh]) -> list[MeshPart]:
    mesh = RoomMesh.joined([each.mesh for each in meshes])
    index, turns, as_quad = (
        np.concatenate([getattr(each, name) for each in meshes]) for name in ("index", "turn", "as_quad")
    )
    owner = np.repeat(np.arange(len(meshes)), [len(each.mesh) for each in meshes])
    count = np.where(as_quad, 4, mesh.count)
    order = np.arange(4)
    turn = np.where(order < count[:, None], (order + turns[:, None]) % count[:, None], order)
    turn = np.where((count == 3)[:, None] & (order == 3), turn[:, 2:3], turn)
    rows = np.arange(len(mesh))[:, None]
    # Triangles have their third corner twice, which makes them quads.
    shades = np.concatenate([np.broadcast_to(owner[:, None, None], (len(owner), 4, 1)), mesh.shades], axis=2)
    single = mesh.count == 3
    shades[single, 3] = shades[single, 2]
    places, packed, faces = _table(mesh.positions[rows, turn], count, shades[rows, turn])
    words = index | np.where(mesh.double_sided, _DOUBLE_SIDED, 0)
    every = np.arange(len(meshes) + 1)
    starts = np.searchsorted(packed[:, 0], every)
    faces -= starts[owner][:, None]
    quads, triangles = np.flatnonzero(count == 4), np.flatnonzero(count != 4)
    quad_ends, triangle_ends = (np.searchsorted(owner[each], every).tolist() for each in (quads, triangles))
    result = []
    for number in range(len(meshes)):
        own = slice(starts[number], starts[number + 1])
        four = quads[quad_ends[number] : quad_ends[number + 1]]
        three = triangles[triangle_ends[number] : triangle_ends[number + 1]]
        result.append(
            MeshPart(
                places[own],
                packed[own, 1:],
                faces[four],
                faces[three, :3],
                words[four],
                words[three],
                np.zeros(own.stop - own.start, np.int64),
                mesh.origins[four],
                mesh.origins[three],
            )
        )
    return result


def build_vertices(plan: Plan, room: Room, own: MeshPart, parts: Sequence[MeshPart]) -> RoomVertices:
    """Return the vertices and faces of a room.

    Args:
        plan: for warnings.
        room: the room.
        own: its own faces.
        parts: what is added.
    """
    every = [own, *parts]
    starts = np.cumsum([0, *(len(part.vertices) for part in every)])
    if starts[-1] > _MOST_VERTICES:
        plan.log.warn(about(room.name, T("it has more vertices than a level can hold")))
    moved = list(zip(every, starts.tolist(), strict=False))
    return RoomVertices(
        np.concatenate([part.vertices for part in every]),
        np.concatenate([part.shades for part in every]),
        np.concatenate([part.attributes for part in every]),
        np.concatenate([part.quads + start for part, start in moved]),
        np.concatenate([part.quad_words for part in every]),
        np.concatenate([part.quad_origins for part in every]),
        np.concatenate([part.triangles + start for part, start in moved]),
        np.concatenate([part.triangle_words for part in every]),
        np.concatenate([part.triangle_origins for part in every]),
    )


def _table(positions: Ints, count: Ints, shades: Ints) -> tuple[Ints, Ints, Ints]:
    if not len(count):
        return (
            np.zeros((0, 3), np.int64),
            np.zeros((0, shades.shape[2]), np.int64),
            np.zeros((0, 4), np.int64),
        )
    return vertex_table(positions, count, shades)


def put_mesh(game: Game, made: LevelRoom, vertices: RoomVertices, *, wide: bool) -> None:
    """Set the mesh of a room of the level."""
    records = np.zeros(len(vertices.places), ROOM_VERTEX[game])
    for axis, values in zip("xyz", vertices.places.T, strict=True):
        records[axis] = values if game.traits.has_room_layers else np.clip(values, -0x8000, 0x7FFF)
    put_shades(records, game, vertices.packed, wide=wide)
    if "attributes" in (records.dtype.names or ()):
        records["attributes"] = vertices.attributes
    quads, triangles = (
        FaceSet(corners.astype(np.int32), words.astype(np.uint16), *_none(len(words)))
        for corners, words in (
            (vertices.quads, vertices.quad_words),
            (vertices.triangles, vertices.triangle_words),
        )
    )
    if not game.traits.has_room_layers:
        made.vertices = records
        made.quads, made.triangles = encode_faces(game, quads, triangles)
        return
    _put_normals(records, vertices)
    layered = encode_layers(records, np.zeros(len(records), np.int32), quads, triangles)
    made.vertices, made.quads, made.triangles = layered.vertices, layered.quads, layered.triangles
    made.layers = layered.layers


def _none(count: int) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    return np.zeros(count, np.uint16), np.zeros(count, np.int32)


def _put_normals(records: NDArray[np.void], vertices: RoomVertices) -> None:
    """Give each vertex the normal of the last face that uses it."""
    places = vertices.places.astype(np.float64)
    for faces in (vertices.quads[:, :3], vertices.triangles):
        corners = places[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = normals / np.maximum(length, 1e-9)
        for corner in range(3):
            for axis, name in enumerate(("nx", "ny", "nz")):
                records[name][faces[:, corner]] = normals[:, axis]
