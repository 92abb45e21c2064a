"""Meshes of the level editor's WADs: decoding and encoding the packed block.

A mesh of a WAD begins like one of a level (documentation, chapter 5), followed by polygons, triangles and
quads mixed. Each refers to a rectangle of a texture page and its orientation on the polygon, see
:mod:`.textures`.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.cursor import Cursor
from ....base.bytes.records import QUAD_EFFECTS, TRIANGLE_EFFECTS, U16
from ....levels.meshes.meshes import (
    Mesh,
    MeshBlock,
    counted,
    decode_block,
    decode_vertices,
    encode_vertices,
)

_POLYGONS = Struct("<H")
_TRIANGLE, _QUAD = 8, 9
_SMALLEST = 6  # words of a triangle: shape, three corners, texture, attributes; a quad has one more
_MOST_LIGHTS = _MOST_FACES = 0x7FFF


def decode_wad_meshes(mesh_data: NDArray[np.uint8], mesh_pointers: NDArray[np.uint32]) -> MeshBlock:
    """Decode all meshes that have a pointer.

    Faces have the records of TR4, and keep their order within triangles and quads. Their ``texture`` is the
    polygon's texture word; their ``effects`` are its attributes, with the same meaning as TR4's effects: bit
    0 additive, bit 1 shiny, bits 2 to 6 the strength of the shine.

    Args:
        mesh_pointers: byte offsets in it.

    Raises:
        FormatError: if a pointer is outside the block, a mesh extends beyond it, has polygons of unknown
            shape or too many, or meshes overlap so much that they would exhaust memory.
    """
    return decode_block(mesh_data, mesh_pointers, _decode_mesh)


def _decode_mesh(cursor: Cursor) -> Mesh:
    mesh = decode_vertices(cursor, _MOST_LIGHTS)
    mesh.triangles, mesh.quads = _decode_polygons(cursor)
    return mesh


def _decode_polygons(cursor: Cursor) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return triangles and quads, each in file order."""
    cursor.section = "polygons"
    (count,) = cursor.fields(_POLYGONS)
    if 2 * _SMALLEST * count > cursor.remaining:
        raise cursor.too_short(2 * _SMALLEST * count, f"{count} polygons")
    most = min(count * (_SMALLEST + 1), cursor.remaining // 2)
    begin = cursor.offset
    words = cursor.array(U16, most)
    starts = _polygon_starts(words, count)
    is_valid = starts < most
    is_valid[is_valid] = np.isin(words[starts[is_valid]], (_TRIANGLE, _QUAD))
    if not is_valid.all():
        first = int(np.argmin(is_valid))
        # A polygon of unknown shape ends the chain of starts.
        index = int(starts[first])
        found = f"{words[index]} (polygon {first})" if index < most else f"the end (polygon {first})"
        raise cursor.error("a polygon's shape, 8 or 9", found, offset=begin + 2 * index)
    is_quad = words[starts] == _QUAD
    end = int(starts[-1]) + _SMALLEST + int(is_quad[-1]) if count else 0
    if end > most:
        raise cursor.error("a whole polygon", f"{2 * (most - int(starts[-1]))} bytes")
    cursor.offset = begin + 2 * end
    triangles = _records(words, starts[~is_quad], TRIANGLE_EFFECTS, 3)
    quads = _records(words, starts[is_quad], QUAD_EFFECTS, 4)
    for name, faces in (("triangles", triangles), ("quads", quads)):
        if len(faces) > _MOST_FACES:
            raise cursor.error(f"at most {_MOST_FACES} {name}", str(len(faces)), offset=begin)
    # Meshes are padded to four bytes; the padding of the last one may be missing.
    if len(quads) % 2:
        cursor.take(min(2, cursor.remaining))
    return triangles, quads


def _polygon_starts(words: NDArray[np.uint16], count: int) -> Ints:
    """Return the starts of polygons, (count,), ``len(words)`` for unreachable ones.

    Each polygon's shape determines where the next begins. The chain is followed by doubling: the known starts
    and a table of jumps over as many polygons give as many starts again.
    """
    size = len(words)
    length = np.full(size, size, np.int64)
    length[words == _TRIANGLE] = _SMALLEST
    length[words == _QUAD] = _SMALLEST + 1
    jump = np.append(np.minimum(np.arange(size) + length, size), size)
    starts = np.zeros(min(count, 1), np.int64)
    while len(starts) < count:
        starts = np.concatenate([starts, jump[starts]])
        jump = jump[jump]
    return starts[:count]


def _records(words: NDArray[np.uint16], starts: Ints, dtype: np.dtype, corners: int) -> Any:
    rows = words[starts[:, None] + np.arange(1, corners + 3)]
    faces = np.zeros(len(starts), dtype)
    faces["vertices"] = rows[:, :corners]
    faces["texture"] = rows[:, corners]
    faces["effects"] = rows[:, corners + 1] & 0xFF  # the byte above is always 0 and unused
    return faces


# --- Encoding ------------------------------------------------------------------------------


def encode_wad_mesh(mesh: Mesh, quads: NDArray[np.void], triangles: NDArray[np.void], name: str) -> bytes:
    """Return a mesh as bytes of the block, as the inverse of :func:`decode_wad_meshes`, quads first.

    Args:
        mesh: the mesh, whose faces are ignored.
        quads, triangles: its faces, with the texture words of a WAD.
        name: its name in errors.

    Raises:
        ExportError: if it has more vertices or faces than the file can count.
    """
    parts = (
        *encode_vertices(mesh, name),
        _POLYGONS.pack(counted(name, "faces", len(quads) + len(triangles))),
        _polygons(quads, _QUAD),
        _polygons(triangles, _TRIANGLE),
    )
    return b"".join(parts) + bytes(2 * (len(quads) % 2))


def _polygons(faces: NDArray[np.void], shape: int) -> bytes:
    """Return polygons of one shape: shape, corners, texture, attributes."""
    columns = (np.full(len(faces), shape), *faces["vertices"].T, faces["texture"], faces["effects"] & 0xFF)
    return np.column_stack(columns).astype(U16).tobytes()
