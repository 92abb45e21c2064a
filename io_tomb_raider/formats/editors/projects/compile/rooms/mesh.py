"""The meshes of a project's rooms: faces with textures and light, and their vertices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.columns import Columns
from .....base.arrays.distinct import distinct_rows
from .....base.arrays.typing import Bools, Floats, Ints, Records
from .....base.bytes.records import ROOM_VERTEX
from .....base.games import Game
from .....base.messages import T, about
from .....levels.rooms.geometry import FaceSet, encode_faces, encode_layers
from .....levels.rooms.rooms import Room
from ...geometry.faces import Faces, textured_faces_of, turned_corners, vertex_table
from ...geometry.geometry import faces_of_rooms
from ...geometry.openings import ProjectRooms
from ...light.light import room_shades
from ...light.shades import pack_shades, put_shades
from ...model.rooms import ProjectRoom
from ...model.shape import FACE
from ..plan.plan import Plan

_DOUBLE_SIDED = 0x8000
NO_ORIGIN = -1
_MOST_VERTICES = 0xFFFF
_AT_ONCE = 32  # rooms


@dataclass(eq=False)
class RoomMesh(Columns):
    """The faces of a room of the level, quads and triangles mixed, in the order of the level."""

    #: (n, 4, 3) int64 as levels store them; triangles repeat the third corner.
    positions: Annotated[Ints, 4, 3]
    count: Ints  #: (n,) 3 or 4 corners.
    shades: Ints  #: (n, 4, c) packed light, see :func:`~...light.shades.pack_shades`.
    image: Ints  #: (n,) int64: the number of a texture of the project.
    #: (n, 4, 2) float32, texture coordinates in pixels of the image.
    corners: Annotated[NDArray[np.float32], 4, 2]
    parents: Annotated[NDArray[np.float32], 2, 2]  #: (n, 2, 2) float32, the areas that are packed whole.
    blend: Ints  #: (n,) int64.
    double_sided: Bools  #: (n,) bool.
    origins: Annotated[Ints, 2]  #: (n, 2) int64: sector and face of the project, -1 for others.
    #: (n, 4) int64: the vertices of added meshes, see :class:`AddedMesh`; -1 for others.
    vertices: Annotated[Ints, 4]


@dataclass(eq=False)
class AddedMesh:
    """A mesh that is added to a room: a merged static mesh, or imported geometry."""

    mesh: RoomMesh  #: its faces.
    #: (v, 3) int64, as levels store them, the corners of all triangles, also of those without area.
    positions: Ints
    shades: Ints  #: (v, c) packed light.
    effects: Ints  #: (v,) attributes.
    sharp: bool  #: whether it does not share vertices.
    number: int = -1  #: of imported geometry in the project, -1 for static meshes.


@dataclass(eq=False)
class MeshPart:
    """The vertices and faces of a room of the level, or more of them."""

    positions: Ints  #: (v, 3) as levels store them.
    shades: Ints  #: (v, c) packed light.
    #: quads, triangles: (n, 4) and (m, 3) indices of these vertices.
    quads: Ints
    triangles: Ints
    #: quad_words, triangle_words: their texture words.
    quad_words: Ints
    triangle_words: Ints
    attributes: Ints  #: (v,) effects of vertices.
    #: quad_origins, triangle_origins: (n, 2) sector and face, -1 for others.
    quad_origins: Ints
    triangle_origins: Ints
    normals: Floats  #: (v, 3), of the last face of a vertex, 0 without; only in games with room layers.


def compile_meshes(plan: Plan, rooms: ProjectRooms, quality: int, *, wide: bool) -> list[RoomMesh]:
    """Return the meshes of all rooms, with light.

    `quality`: of lights without their own. `wide`: TRNG's light of 24 bits.
    """
    game = plan.target.game
    faces = faces_of_rooms(rooms, plan.rooms)
    shades = room_shades(plan.rooms, faces, quality)
    result: list[RoomMesh] = []
    for start in range(0, len(faces), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        result += _room_meshes(game, plan.rooms[part], faces[part], shades[part], wide=wide)
    return result


def level_positions(room: ProjectRoom, points: Floats) -> Ints:
    """Return points of objects (..., 3) relative to a room as levels store vertices: cut, not rounded."""
    result = np.array(points, np.float64)
    result[..., 1] = -(result[..., 1] + room.y)
    return np.trunc(result).astype(np.int64)


def reversed_corners(corners: NDArray, count: Ints, is_reversed: Bools) -> NDArray:
    """Return corners (n, 4, ...) of which those of some faces are in reverse order."""
    result = corners.copy()
    rows = np.flatnonzero(is_reversed)
    order = np.where((count[rows] == 4)[:, None], [3, 2, 1, 0], [2, 1, 0, 0])
    result[rows] = corners[rows[:, None], order]
    return result


def _room_meshes(
    game: Game, rooms: Sequence[ProjectRoom], faces: Sequence[Faces], shades: Sequence[Floats], *, wide: bool
) -> list[RoomMesh]:
    """Return the meshes of some rooms; operations on many faces are much faster than room by room."""
    textured = textured_faces_of(rooms, faces)
    records = _records(rooms, textured.record)
    light = turned_corners(np.concatenate(shades)[textured.face], textured.count, textured.is_ceiling)
    packed = pack_shades(game, light.reshape(-1, 3), wide=wide)
    packed = packed.reshape(len(textured.face), 4, packed.shape[-1])
    mesh = RoomMesh(
        textured.positions,
        textured.count,
        packed,
        records["texture"].astype(np.int64),
        textured.corners.astype(np.float32),
        records["parent"].astype(np.float32),
        records["blend"].astype(np.int64),
        records["double_sided"].copy(),
        textured.origins,
        np.full((len(textured.face), 4), NO_ORIGIN),
    )
    ends = np.searchsorted(textured.face, np.cumsum([0, *map(len, faces)])).tolist()
    return [
        mesh.take(slice(start, start if room.hidden else end))
        for room, start, end in zip(rooms, ends[:-1], ends[1:], strict=True)
    ]


def _records(rooms: Sequence[ProjectRoom], rows: Ints) -> Records:
    """Return some of the faces of all rooms, as bytes until then: fields are copied one by one."""
    raw = np.dtype((np.void, FACE.itemsize))
    joined = np.concatenate([np.ascontiguousarray(room.shape.faces).view(raw) for room in rooms])
    return joined[rows].view(FACE)


def with_backs(mesh: RoomMesh) -> RoomMesh:
    """Return a mesh in which double-sided faces are two faces, for games without such faces."""
    if not mesh.double_sided.any():
        return mesh
    rows = np.repeat(np.arange(len(mesh)), 1 + mesh.double_sided)
    is_back = np.zeros(len(rows), np.bool_)
    is_back[1:] = rows[1:] == rows[:-1]
    result = mesh.take(rows)
    for name in ("positions", "shades", "corners", "vertices"):
        setattr(result, name, reversed_corners(getattr(result, name), result.count, is_back))
    result.double_sided[:] = False
    return result


@dataclass(eq=False)
class TexturedMesh:
    """A mesh with the object textures of its faces, see :class:`~..textures.textures.RoomTextures`."""

    mesh: RoomMesh
    index: Ints
    turn: Ints
    as_quad: Bools

    def usable(self) -> TexturedMesh:
        """Return the faces that have a texture."""
        if (self.index >= 0).all():
            return self
        rows = np.flatnonzero(self.index >= 0)
        return TexturedMesh(self.mesh.take(rows), self.index[rows], self.turn[rows], self.as_quad[rows])


def mesh_parts(meshes: Sequence[TexturedMesh], *, with_normals: bool = True) -> list[MeshPart]:
    """Return the vertices of each mesh in order of their first use, and its faces."""
    result: list[MeshPart] = []
    for start in range(0, len(meshes), _AT_ONCE):
        result += _mesh_parts(meshes[start : start + _AT_ONCE], with_normals=with_normals)
    return result


def _mesh_parts(meshes: Sequence[TexturedMesh], *, with_normals: bool) -> list[MeshPart]:
    level_positions, corner_counts, level_shades, double_sided, origins = (
        RoomMesh.joined_column([each.mesh for each in meshes], name)
        for name in ("positions", "count", "shades", "double_sided", "origins")
    )
    index, turns, as_quad = (
        np.concatenate([getattr(each, name) for each in meshes]) for name in ("index", "turn", "as_quad")
    )
    owner = np.repeat(np.arange(len(meshes)), [len(each.mesh) for each in meshes])
    count, turn = _turned(corner_counts, turns, as_quad)
    owners = np.broadcast_to(owner[:, None, None], (len(owner), 4, 1))
    shades = np.concatenate([owners, level_shades], axis=2)
    # Textures turn the corners of faces, but not the order in which vertices are met.
    positions, owned_shades, faces = _table(level_positions, corner_counts, shades)
    faces = np.take_along_axis(faces, turn, axis=1)
    words = _words(index, double_sided)
    normals = np.zeros((len(positions), 3))
    if with_normals:
        normals = _normals(level_positions, faces, len(positions))
    numbers = np.arange(len(meshes) + 1)
    starts = np.searchsorted(owned_shades[:, 0], numbers)
    faces -= starts[owner][:, None]
    quads, triangles = np.flatnonzero(count == 4), np.flatnonzero(count != 4)
    quad_ends, triangle_ends = (np.searchsorted(owner[each], numbers).tolist() for each in (quads, triangles))
    result = []
    for number in range(len(meshes)):
        rows = slice(starts[number], starts[number + 1])
        quad_rows = quads[quad_ends[number] : quad_ends[number + 1]]
        triangle_rows = triangles[triangle_ends[number] : triangle_ends[number + 1]]
        result.append(
            MeshPart(
                positions[rows],
                owned_shades[rows, 1:],
                faces[quad_rows],
                faces[triangle_rows, :3],
                words[quad_rows],
                words[triangle_rows],
                np.zeros(rows.stop - rows.start, np.int64),
                origins[quad_rows],
                origins[triangle_rows],
                normals[rows],
            )
        )
    return result


def _turned(count: Ints, turns: Ints, as_quad: Bools) -> tuple[Ints, Ints]:
    """Return the corners of faces in the level, (n,), and their order (n, 4)."""
    count = np.where(as_quad, 4, count)
    order = np.arange(4)
    turn = np.where(order < count[:, None], (order + turns[:, None]) % count[:, None], order)
    return count, np.where((count == 3)[:, None] & (order == 3), turn[:, 2:3], turn)


def _words(index: Ints, double_sided: Bools) -> Ints:
    return index | np.where(double_sided, _DOUBLE_SIDED, 0)


def _normals(positions: Ints, faces: Ints, vertices: int) -> Floats:
    """Return for each vertex the normal of the last face that uses it, (v, 3), with y as in projects."""
    corners = positions[:, :3] * np.array((1.0, -1.0, 1.0))
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1, keepdims=True)
    result = np.zeros((vertices, 3))
    result[faces.reshape(-1)] = np.repeat(across / np.maximum(length, 1e-9), 4, axis=0)
    return result


def build_vertices(
    plan: Plan, room: ProjectRoom, own: MeshPart, added: Sequence[tuple[AddedMesh, TexturedMesh]] = ()
) -> MeshPart:
    """Return the vertices and faces of a room: its own, and those of added meshes."""
    result = replace(own)
    for each, textured in added:
        by_shade = plan.target.game.traits.has_room_layers
        result = with_part(result, _added_part(result, each, textured, by_shade=by_shade))
    if len(result.positions) > _MOST_VERTICES:
        plan.log.warn(about(room.name, T("it has more vertices than a level can hold")))
    return result


def with_part(mesh: MeshPart, part: MeshPart) -> MeshPart:
    """Return the vertices and faces of a room with more, whose faces number the vertices of the result."""
    names = [each.name for each in fields(MeshPart)]
    return MeshPart(*(np.concatenate([getattr(mesh, name), getattr(part, name)]) for name in names))


def _added_part(room: MeshPart, added: AddedMesh, textured: TexturedMesh, *, by_shade: bool) -> MeshPart:
    """Return an added mesh as a part, whose faces number the vertices of the whole room.

    Its corners share the first vertex of the room at their position, whatever its light; with `by_shade`,
    only vertices of the same light are shared.
    """
    old_count = len(room.positions)
    if added.sharp:
        number, new = old_count + np.arange(len(added.positions)), np.arange(len(added.positions))
    else:
        columns = [np.concatenate([room.positions, added.positions])]
        if by_shade:
            columns.append(np.concatenate([room.shades, added.shades]))
        first, group = distinct_rows(np.concatenate(columns, axis=1).T)
        number = first[group[old_count:]]
        new = np.unique(number[number >= old_count]) - old_count
        is_new = number >= old_count
        number = np.where(is_new, old_count + np.searchsorted(new, number - old_count), number)
    mesh = textured.mesh
    count, turn = _turned(mesh.count, textured.turn, textured.as_quad)
    faces = number[mesh.vertices][np.arange(len(mesh))[:, None], turn]
    words = _words(textured.index, mesh.double_sided)
    quads, triangles = np.flatnonzero(count == 4), np.flatnonzero(count != 4)
    return MeshPart(
        added.positions[new],
        added.shades[new],
        faces[quads],
        faces[triangles, :3],
        words[quads],
        words[triangles],
        added.effects[new],
        mesh.origins[quads],
        mesh.origins[triangles],
        np.zeros((len(new), 3)),
    )


def _table(positions: Ints, count: Ints, shades: Ints) -> tuple[Ints, Ints, Ints]:
    if not len(count):
        return (
            np.zeros((0, 3), np.int64),
            np.zeros((0, shades.shape[2]), np.int64),
            np.zeros((0, 4), np.int64),
        )
    return vertex_table(positions, count, shades)


def put_mesh(game: Game, room: Room, vertices: MeshPart, *, wide: bool) -> None:
    """Set the mesh of a room of the level."""
    records = np.zeros(len(vertices.positions), ROOM_VERTEX[game])
    for axis, values in zip("xyz", vertices.positions.T, strict=True):
        records[axis] = values if game.traits.has_room_layers else np.clip(values, -0x8000, 0x7FFF)
    put_shades(records, game, vertices.shades, wide=wide)
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
        room.vertices = records
        room.quads, room.triangles = encode_faces(game, quads, triangles)
        return
    for number, name in enumerate(("nx", "ny", "nz")):
        records[name] = vertices.normals[:, number]
    layered = encode_layers(records, np.zeros(len(records), np.int32), quads, triangles)
    room.vertices, room.quads, room.triangles = layered.vertices, layered.quads, layered.triangles
    room.layers = layered.layers


def _none(count: int) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    return np.zeros(count, np.uint16), np.zeros(count, np.int32)
