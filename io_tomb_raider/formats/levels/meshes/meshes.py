"""Meshes (documentation, chapter 5): decoding and encoding the packed block of a level.

The block stores a mesh once, however many models use it. Vertices are in world units relative to the mesh's
own origin, y down.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.cursor import Cursor
from ...base.bytes.records import I16, MESH_QUAD, MESH_TRIANGLE, QUAD, TRIANGLE, U8
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T, as_message

_HEADER = Struct("<hhhhHh")
_COUNT = Struct("<h")
_VECTOR = np.dtype((I16, (3,)))
# Meshes of real levels do not overlap. A file in which a mesh of maximum length begins at every byte is made
# to exhaust memory.
_MOST_OVERLAP = 4


@dataclass(eq=False)
class Mesh:
    """One mesh. Vertices have either normals or lights."""

    center: tuple[int, int, int]  #: of the collision sphere.
    radius: int  #: of the collision sphere.
    flags: int  #: the word after the radius, kept unchanged.
    vertices: NDArray[np.int16]  #: (n, 3) int16.
    normals: NDArray[np.int16] | None  #: (n, 3) int16 of length 16384 or a little less, or None.
    lights: NDArray[np.int16] | None  #: (n,) int16, 0 bright to 8191 dark, or None.
    #: quads, triangles: textured faces; ``texture`` is an object texture. TR4 and TR5 add ``effects``.
    quads: NDArray[np.void]
    triangles: NDArray[np.void]
    #: colored_quads, colored_triangles: TR1 to TR3: ``texture`` has the index in the 8-bit palette in its low
    #: byte, and that in the 16-bit palette in its high byte.
    colored_quads: NDArray[np.void]
    colored_triangles: NDArray[np.void]
    raw: bytes = field(default=b"", repr=False)  #: the original bytes of the mesh, with the gap after it.


@dataclass(eq=False)
class MeshBlock:
    """All meshes of a level."""

    meshes: list[Mesh]  #: in the order of the block.
    #: (m,) int32, the index of the mesh of each entry of the level's ``mesh_pointers``.
    pointers: NDArray[np.int32]


def decode_meshes(game: Game, mesh_data: NDArray[np.uint8], mesh_pointers: NDArray[np.uint32]) -> MeshBlock:
    """Decode all meshes that have a pointer.

    Raises FormatError if a pointer is outside the block, a mesh extends beyond it, or meshes overlap so much
    that their total size is many times that of the block.
    """
    return decode_block(mesh_data, mesh_pointers, partial(_decode_mesh, game))


def decode_block(
    mesh_data: NDArray[np.uint8], mesh_pointers: NDArray[np.uint32], decode: Callable[[Cursor], Mesh]
) -> MeshBlock:
    """Decode the meshes of a block, of a level or of another file, given a function that decodes one.

    Raises FormatError as for :func:`decode_meshes`.
    """
    offsets, inverse = np.unique(np.asarray(mesh_pointers), return_inverse=True)
    data = mesh_data.data if len(mesh_data) else memoryview(b"")
    cursor = Cursor(data, inside="meshes")
    ends = [*np.minimum(offsets, len(data)).tolist(), len(data)][1:]
    remaining = _MOST_OVERLAP * len(data)
    meshes = []
    for index, (offset, end) in enumerate(zip(offsets.tolist(), ends, strict=True)):
        cursor.section, cursor.element, cursor.offset = "header", index, offset
        if offset >= len(data):
            raise cursor.error(f"a mesh within {len(data)} bytes", f"byte {offset}")
        mesh = decode(cursor)
        stop = max(end, cursor.offset)
        remaining -= stop - offset
        if remaining < 0:
            cursor.section = "header"
            expected = f"meshes of together at most {_MOST_OVERLAP} times the block's {len(data)} bytes"
            raise cursor.error(expected, "more", offset=offset)
        mesh.raw = bytes(data[offset:stop])
        meshes.append(mesh)
    return MeshBlock(meshes, inverse.reshape(-1).astype(np.int32))


def decode_vertices(cursor: Cursor, most_lights: int = 0x8000) -> Mesh:
    """Read what all meshes begin with: the sphere, vertices, and normals or lights. The mesh has no faces.

    Raises FormatError if it is damaged, or has more lights than a file can.
    """
    x, y, z, radius, flags, count = cursor.fields(_HEADER)
    cursor.section = "vertices"
    if count < 0:
        raise cursor.error("a number of vertices", str(count), offset=cursor.offset - 2)
    vertices = cursor.array(_VECTOR, count)
    cursor.section = "normals"
    (count,) = cursor.fields(_COUNT)
    if count < -most_lights:
        raise cursor.error(f"at most {most_lights} lights", str(count), offset=cursor.offset - 2)
    normals = cursor.array(_VECTOR, count) if count > 0 else None
    lights = cursor.array(I16, -count) if count <= 0 else None
    no_faces = (_NO_QUADS, _NO_TRIANGLES, _NO_QUADS, _NO_TRIANGLES)
    return Mesh((x, y, z), radius, flags, vertices, normals, lights, *no_faces)


def _decode_mesh(game: Game, cursor: Cursor) -> Mesh:
    mesh = decode_vertices(cursor)
    mesh.quads = _decode_faces(cursor, "quads", MESH_QUAD[game])
    mesh.triangles = _decode_faces(cursor, "triangles", MESH_TRIANGLE[game])
    if game.traits.has_colored_faces:
        mesh.colored_quads = _decode_faces(cursor, "colored_quads", QUAD)
        mesh.colored_triangles = _decode_faces(cursor, "colored_triangles", TRIANGLE)
    return mesh


_NO_QUADS = np.zeros(0, QUAD)
_NO_TRIANGLES = np.zeros(0, TRIANGLE)


def _decode_faces(cursor: Cursor, name: str, dtype: np.dtype) -> NDArray[np.void]:
    cursor.section = name
    (count,) = cursor.fields(_COUNT)
    if count < 0:
        raise cursor.error(f"a number of {name}", str(count), offset=cursor.offset - 2)
    return cursor.array(dtype, count)


def encode_mesh(game: Game, mesh: Mesh, name: str = "mesh") -> bytes:
    """Return the bytes of a mesh in the block, padded with zeros to a multiple of four.

    Raises ExportError if it has more vertices or faces than the file can count, or neither normals nor lights
    for all of its vertices.
    """
    pieces = encode_vertices(mesh, name)
    faces = [("quads", mesh.quads, MESH_QUAD[game]), ("triangles", mesh.triangles, MESH_TRIANGLE[game])]
    if game.traits.has_colored_faces:
        faces += [
            ("colored quads", mesh.colored_quads, QUAD),
            ("colored triangles", mesh.colored_triangles, TRIANGLE),
        ]
    for kind, array, dtype in faces:
        count = _COUNT.pack(counted(name, kind, len(array)))
        pieces += (count, np.ascontiguousarray(array, dtype).tobytes())
    content = b"".join(pieces)
    return content + bytes(-len(content) % 4)


def encode_vertices(mesh: Mesh, name: str) -> list[bytes]:
    """Return what all meshes begin with, as the inverse of :func:`decode_vertices`.

    Raises ExportError if it has more vertices than a file can count, or its sphere does not fit.
    """
    shading = mesh.lights if mesh.normals is None else mesh.normals
    if shading is None:
        shading = np.zeros(0, I16)
    count = counted(name, "vertices", len(mesh.vertices))
    try:
        head = _HEADER.pack(*mesh.center, mesh.radius, mesh.flags, count)
    except struct.error as error:
        raise ExportError(
            name, T("its collision sphere does not fit 16 bits ({error})", error=str(error))
        ) from None
    amount = counted(name, "normals", len(shading))
    return [
        head,
        np.ascontiguousarray(mesh.vertices, I16).tobytes(),
        _COUNT.pack(-amount if mesh.normals is None else amount),
        np.ascontiguousarray(shading, I16).tobytes(),
    ]


def counted(name: str, kind: str, count: int) -> int:
    """Return the number of elements of a mesh. Raises ExportError if a file cannot count so many."""
    if count > 0x7FFF:
        raise ExportError(
            name, T("too many {kind} in one mesh", kind=as_message(kind)), count=count, limit=0x7FFF
        )
    return count


def encode_block(
    encoded: Sequence[bytes], pointers: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Join meshes, each from :func:`encode_mesh` or ``raw``, to a block in the order of their first use.

    All original levels have that order, and OpenTomb requires it. Unused meshes follow.

    Args:
        encoded: the meshes; each a multiple of two bytes.
        pointers: (m,) the index of the mesh of each entry of ``mesh_pointers``.

    Returns:
        ``mesh_data`` and ``mesh_pointers`` of a level.
    """
    used, first = np.unique(np.asarray(pointers, np.int64), return_index=True)
    unused = np.setdiff1d(np.arange(len(encoded)), used)
    order = np.concatenate([used[np.argsort(first)], unused])
    encoded = [encoded[number] for number in order.tolist()]
    new_index = np.empty(len(order), np.int64)
    new_index[order] = np.arange(len(order))
    sizes = np.array([len(mesh) for mesh in encoded], np.int64)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    if offsets[-1] > 0xFFFFFFFF:
        size = int(offsets[-1])
        raise ExportError(T("meshes"), T("too many bytes of meshes"), count=size, limit=0xFFFFFFFF)
    data = np.frombuffer(b"".join(encoded), U8)
    return data, offsets[new_index[np.asarray(pointers, np.int64)]].astype("<u4")


def bounding_sphere(vertices: NDArray[np.int16]) -> tuple[tuple[int, int, int], int]:
    """Return center and radius of a sphere around vertices, shape (n, 3), for new meshes."""
    if not len(vertices):
        return (0, 0, 0), 0
    points = vertices.astype(np.float64)
    center = np.rint((points.min(0) + points.max(0)) / 2)
    radius = int(np.ceil(np.sqrt(((points - center) ** 2).sum(1).max())))
    x, y, z = center.astype(int).tolist()
    return (x, y, z), min(radius, 0x7FFF)
