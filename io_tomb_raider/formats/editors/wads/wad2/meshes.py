"""Decoding and encoding of a WAD2's meshes.

Positions are 32-bit floats in world units with y pointing up. Corners of polygons are in the order of levels;
their texture coordinates are in pixels from the upper left of the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Ints
from ....base.bytes.chunks import END, Chunk, find, inside, leb, leb_bytes, lebs, read_chunks, replaced
from ....base.bytes.cursor import Cursor
from ....base.bytes.records import F32, I32, U8
from ....base.errors import FormatError
from ....base.schema.chunks import FLOAT, NUMBER, TEXT, ContentKind, Part, Record, Together, attributes
from .chunks import BOX, CONTEXT, NO_BOX, ORIGIN, VECTOR, WRITER, Vectors, parent, value_in

POLYGON = np.dtype(
    [
        ("count", U8),  # of corners, 3 or 4
        ("old", U8),  # 1 in files until January 2023, which have no area
        ("vertices", I32, (4,)),
        ("shine", I32),  # 0 to 63
        ("texture", I32),
        ("area", F32, (2, 2)),  # the rectangle around the polygon's texture part that must stay together
        ("uv", F32, (4, 2)),  # pixels
        ("blend", I32),
        ("double_sided", U8),
    ]
)
_KINDS = {"W2Tr2": (3, 0), "W2Uq2": (4, 0), "W2Tr": (3, 1), "W2Uq": (4, 1)}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_DARKEST = 8191
_MOST = 0x7FFFFFFF

BY_NORMALS, BY_COLORS = 0, 1
# Chunks with data per vertex, which are kept.
_PER_VERTEX = ("W2VrtWghts", "W2VrtAttr")


@dataclass(frozen=True, eq=False)
class Wad2Mesh:
    """A mesh."""

    chunk: Chunk | None  #: its original chunk, or None.
    parts: Sequence[Chunk]  #: its chunks.
    index: int  #: its number in WadTool.
    name: str  #: its name in WadTool.
    #: center, radius: of its sphere.
    center: NDArray[np.float32]
    radius: float
    vertices: NDArray[np.float32]  #: (n, 3) float32.
    normals: NDArray[np.float32]  #: (n, 3) float32 of any length, or (0, 3).
    colors: NDArray[np.float32]  #: (n, 3) float32, 1 neutral, or (0, 3) for white.
    light_type: int  #: :data:`BY_NORMALS` or :data:`BY_COLORS`.
    polygons: NDArray[np.void]  #: (p,) POLYGON.


def decode_mesh(chunk: Chunk) -> Wad2Mesh:
    """Decode a ``W2Mesh``.

    Raises:
        FormatError: if it is damaged.
    """
    parts = read_chunks(inside(chunk))
    return Wad2Mesh(chunk=chunk, parts=parts, **MESH.values(parts, CONTEXT))


def vertex_effects(mesh: Wad2Mesh) -> Ints:
    """Return how strong the vertices of a mesh glow and move, (n, 2), 0 to 63.

    Raises:
        FormatError: if they are damaged.
    """
    part = find(mesh.parts, "W2VrtAttr")
    parts = [] if part is None else read_chunks(inside(part))
    leaves = [each for each in parts if each.name == "W2VxAttr"]
    if len(leaves) != len(mesh.vertices):
        return np.zeros((len(mesh.vertices), 2), np.int64)
    return np.array([lebs(inside(each), 2) for each in leaves], np.int64).reshape(-1, 2)


def _drop_uneven(values: dict[str, Any]) -> None:
    """Drop normals and colors unless there is one per vertex."""
    for name in ("normals", "colors"):
        if len(values[name]) != len(values["vertices"]):
            values[name] = values[name][:0]


class _Colors(Vectors):
    """Vertex colors, (n, 3); until 2020 they were a darkness of 0 to 8191."""

    def read(self, chunk: Chunk, context: Any) -> NDArray[np.float32]:
        colors = super().read(chunk, context)
        if len(colors):
            return colors
        dark = [NUMBER.read(each, context) for each in read_chunks(inside(chunk)) if each.name == "W2Shd"]
        bright = (_DARKEST - np.array(dark, np.float64).clip(0, _DARKEST)) / _DARKEST
        return np.repeat(bright.astype(F32)[:, None], 3, axis=1)


class _Polygons(ContentKind):
    """Polygons, (p,) POLYGON. Numbers have a variable size, so they are read and written one by one."""

    is_parent = True
    is_list = True

    def read(self, chunk: Chunk, context: Any) -> NDArray[np.void]:
        parts = (each for each in read_chunks(inside(chunk)) if each.name in _KINDS)
        return np.array([_decode_polygon(inside(each), *_KINDS[each.name]) for each in parts], POLYGON)

    def write(self, value: NDArray[np.void], name: str, context: Any) -> bytes:
        return parent(name, map(_encode_polygon, value)).body

    def merge(self, value: NDArray[np.void], chunk: Chunk, context: Any) -> bytes:
        if value.tobytes() == self.read(chunk, context).tobytes():
            return chunk.body
        unknown = (each for each in read_chunks(inside(chunk)) if each.name not in _KINDS)
        return parent(chunk.name, [*map(_encode_polygon, value), *unknown]).body


def _decode_polygon(cursor: Cursor, corners: int, old: int) -> tuple[object, ...]:
    numbers = [_fit(leb(cursor)) for _ in range(corners + 2)]
    floats = cursor.array(F32, (0 if old else 4) + 2 * corners)
    area = np.zeros(4, F32) if old else floats[:4]
    uv = np.zeros((4, 2), F32)
    uv[:corners] = floats[0 if old else 4 :].reshape(corners, 2)
    blend = _fit(leb(cursor))
    double_sided = cursor.data[cursor.take(1)]
    vertices = [*numbers[:corners], 0][:4]
    return corners, old, vertices, *numbers[corners:], area.reshape(2, 2), uv, blend, double_sided


def _fit(value: int) -> int:
    return max(-_MOST, min(value, _MOST))


_NONE = np.zeros((0, 3), F32)
MESH = Record(
    Wad2Mesh,
    (
        Part("W2Index", "index", NUMBER),
        Part("W2MeshName", "name", TEXT),
        Part("W2MeshSphere", "center radius", Together(("W2SphC", VECTOR, ORIGIN), ("W2SphR", FLOAT, 0.0))),
        Part("W2VrtPos", "vertices", Vectors("W2Pos")),
        Part("W2VrtNorm", "normals", Vectors("W2N")),
        Part("W2VrtShd", "colors", _Colors("W2VxCol")),
        Part("W2MeshLightType", "light_type", NUMBER),
        Part("W2Polys", "polygons", _Polygons()),
    ),
    {
        **{"index": 0, "name": "", "center": ORIGIN, "radius": 0.0, "light_type": BY_NORMALS},
        **{"vertices": _NONE, "normals": _NONE, "colors": _NONE, "polygons": np.zeros(0, POLYGON)},
    },
    _drop_uneven,
)


def encode_mesh(mesh: Wad2Mesh, before: Wad2Mesh | None = None, source: Ints | None = None) -> Chunk:
    """Encode a mesh. Other ``parts``, known or not, are kept.

    Args:
        before: the original mesh, whose unchanged arrays keep their chunks.
        source: (n,) the vertex of ``before`` of each vertex, -1 for none; None if they are the same.
    """
    values = attributes(mesh)
    if before and before.light_type == mesh.light_type:  # that of old static meshes is not in the mesh
        values["light_type"] = value_in(mesh.parts, "W2MeshLightType", NUMBER, BY_NORMALS)
    parts = MESH.merged(values, mesh.parts, CONTEXT) if before else MESH.new_chunks(values, CONTEXT)
    if before is None or not np.array_equal(before.vertices, mesh.vertices):
        has_vertices = len(mesh.vertices) > 0
        ends = (mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)) if has_vertices else NO_BOX
        parts = replaced(parts, BOX.new_chunk("W2BBox", ends, CONTEXT), ["W2VrtPos"])
    if source is not None:
        parts = [_moved(part, source) if part.name in _PER_VERTEX else part for part in parts]
    return parent("W2Mesh", parts)


def _encode_polygon(row: np.void) -> Chunk:
    corners, old = int(row["count"]), int(row["old"])
    numbers = [*row["vertices"][:corners].tolist(), int(row["shine"]), int(row["texture"])]
    fields = (
        b"".join(map(leb_bytes, numbers)),
        b"" if old else row["area"].tobytes(),
        row["uv"][:corners].tobytes(),
        leb_bytes(int(row["blend"])),
        bytes([int(row["double_sided"])]),
    )
    return WRITER.parent(_NAMES[corners, old], (), b"".join(fields))


def _moved(part: Chunk, source: Ints) -> Chunk:
    """Return data per vertex, one chunk for each, in the order of the new vertices."""
    old = read_chunks(inside(part))
    if not old:
        return part
    empty = WRITER.parent(old[0].name, (), bytes(len(old[0].body) - len(END)))
    inner = [old[each] if 0 <= each < len(old) else empty for each in source.tolist()]
    return parent(part.name, inner)


def check_corners(mesh: Wad2Mesh, element: int) -> None:
    """Check that the vertices of polygons exist.

    Raises:
        FormatError: if one does not.
    """
    polygons = mesh.polygons
    is_used = np.arange(4) < polygons["count"][:, None]
    is_wrong = is_used & ((polygons["vertices"] < 0) | (polygons["vertices"] >= len(mesh.vertices)))
    if is_wrong.any():
        first = int(np.argmax(is_wrong.any(axis=1)))
        found = str(int(polygons["vertices"][first][is_wrong[first]][0]))
        expected = f"one of {len(mesh.vertices)} vertices"
        raise FormatError("W2Polys", expected, f"{found} (polygon {first})", element=element)
