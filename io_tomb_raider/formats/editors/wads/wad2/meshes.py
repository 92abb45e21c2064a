"""Decoding and encoding of a WAD2's meshes.

Positions are 32-bit floats in world units with y pointing up. Corners of polygons are in the order of levels;
their texture coordinates are in pixels from the upper left of the image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.chunks import (
    END,
    Chunk,
    children,
    find,
    float_in,
    inside,
    leb,
    leb_bytes,
    lebs,
    number_in,
    read_chunks,
    replaced,
    text_in,
    vector_in,
    vectors_in,
)
from ....base.bytes.cursor import Cursor
from ....base.bytes.records import F32, I32, U8
from ....base.errors import FormatError
from .chunks import box_parent, float_leaf, number_leaf, parent, text_leaf, vector_leaf, vectors_parent

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

# The chunks of a mesh, in Tomb Editor's order.
_ORDER = (
    "W2Index",
    "W2MeshName",
    "W2MeshSphere",
    "W2BBox",
    "W2VrtPos",
    "W2VrtNorm",
    "W2VrtShd",
    "W2VrtWghts",
    "W2VrtAttr",
    "W2MeshLightType",
    "W2MeshVisible",
    "W2Polys",
)
BY_NORMALS, BY_COLORS = 0, 1
# Chunks with data per vertex, which are kept.
_PER_VERTEX = ("W2VrtWghts", "W2VrtAttr")


@dataclass(frozen=True, eq=False)
class Wad2Mesh:
    """A mesh.

    Attributes:
        chunk: its original chunk, or None.
        parts: its chunks.
        name: its name in WadTool.
        center, radius: of its sphere.
        vertices: (n, 3) float32.
        normals: (n, 3) float32 of any length, or (0, 3).
        colors: (n, 3) float32, 1 neutral, or (0, 3) for white.
        light_type: :data:`BY_NORMALS` or :data:`BY_COLORS`.
        polygons: (p,) POLYGON.
    """

    chunk: Chunk | None
    parts: Sequence[Chunk]
    name: str
    center: NDArray[np.float32]
    radius: float
    vertices: NDArray[np.float32]
    normals: NDArray[np.float32]
    colors: NDArray[np.float32]
    light_type: int
    polygons: NDArray[np.void]


def decode_mesh(chunk: Chunk) -> Wad2Mesh:
    """Decode a ``W2Mesh``.

    Raises:
        FormatError: if it is damaged.
    """
    _, parts = children(chunk)
    sphere = find(parts, "W2MeshSphere")
    inner = [] if sphere is None else children(sphere)[1]
    vertices = vectors_in(find(parts, "W2VrtPos"), "W2Pos")
    return Wad2Mesh(
        chunk=chunk,
        parts=parts,
        name=text_in(find(parts, "W2MeshName")),
        center=vector_in(find(inner, "W2SphC")),
        radius=float_in(find(inner, "W2SphR")),
        vertices=vertices,
        normals=_per_vertex(vectors_in(find(parts, "W2VrtNorm"), "W2N"), vertices),
        colors=_per_vertex(_colors(find(parts, "W2VrtShd")), vertices),
        light_type=number_in(find(parts, "W2MeshLightType")),
        polygons=_decode_polygons(find(parts, "W2Polys")),
    )


def vertex_effects(mesh: Wad2Mesh) -> NDArray[np.int64]:
    """Return how strong the vertices of a mesh glow and move, (n, 2), 0 to 63.

    Raises:
        FormatError: if they are damaged.
    """
    part = find(mesh.parts, "W2VrtAttr")
    found = [] if part is None else [each for each in read_chunks(inside(part)) if each.name == "W2VxAttr"]
    if len(found) != len(mesh.vertices):
        return np.zeros((len(mesh.vertices), 2), np.int64)
    return np.array([lebs(inside(each), 2) for each in found], np.int64).reshape(-1, 2)


def _per_vertex(values: NDArray[np.float32], vertices: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return values if there is one per vertex, else none."""
    return values if len(values) == len(vertices) else values[:0]


def _colors(part: Chunk | None) -> NDArray[np.float32]:
    """Return vertex colors, (n, 3); until 2020 they were a darkness of 0 to 8191."""
    colors = vectors_in(part, "W2VxCol")
    if part is None or len(colors):
        return colors
    dark = [number_in(each) for each in read_chunks(inside(part)) if each.name == "W2Shd"]
    bright = (_DARKEST - np.array(dark, np.float64).clip(0, _DARKEST)) / _DARKEST
    return np.repeat(bright.astype(F32)[:, None], 3, axis=1)


def _decode_polygons(part: Chunk | None) -> NDArray[np.void]:
    if part is None:
        return np.zeros(0, POLYGON)
    # Numbers have a variable size, so polygons are read one by one.
    rows = [
        _decode_polygon(inside(each), *_KINDS[each.name])
        for each in read_chunks(inside(part))
        if each.name in _KINDS
    ]
    return np.array(rows, POLYGON)


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


# --- Encoding ------------------------------------------------------------------------------


def encode_mesh(
    mesh: Wad2Mesh, before: Wad2Mesh | None = None, source: NDArray[np.int64] | None = None
) -> Chunk:
    """Encode a mesh. Other ``parts``, known or not, are kept.

    Args:
        mesh: the mesh.
        before: the original mesh, whose unchanged arrays keep their chunks.
        source: (n,) the vertex of ``before`` of each vertex, -1 for none; None if they are the same.
    """
    parts = list(mesh.parts) or [number_leaf("W2Index", 0), text_leaf("W2MeshName", mesh.name)]
    for part in _changed_parts(mesh, before):
        parts = replaced(parts, part, _ORDER[_ORDER.index(part.name) + 1 :])
    if source is not None:
        parts = [_moved(part, source) if part.name in _PER_VERTEX else part for part in parts]
    return parent("W2Mesh", parts)


def _changed_parts(mesh: Wad2Mesh, old: Wad2Mesh | None) -> list[Chunk]:
    """Return chunks for all changed data."""
    result = []
    if old is None or old.radius != mesh.radius or not np.array_equal(old.center, mesh.center):
        sphere = [vector_leaf("W2SphC", mesh.center), float_leaf("W2SphR", mesh.radius)]
        result.append(parent("W2MeshSphere", sphere))
    if old is None or not np.array_equal(old.vertices, mesh.vertices):
        has = len(mesh.vertices) > 0
        low, high = (mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)) if has else np.zeros((2, 3), F32)
        result.append(box_parent("W2BBox", np.stack([low, high])))
        result.append(vectors_parent("W2VrtPos", "W2Pos", mesh.vertices))
    if old is None or not np.array_equal(old.normals, mesh.normals):
        result.append(vectors_parent("W2VrtNorm", "W2N", mesh.normals))
    if old is None or not np.array_equal(old.colors, mesh.colors):
        result.append(vectors_parent("W2VrtShd", "W2VxCol", mesh.colors))
    if old is None or old.light_type != mesh.light_type:
        result.append(number_leaf("W2MeshLightType", mesh.light_type))
    if old is None or old.polygons.tobytes() != mesh.polygons.tobytes():
        result.append(_encode_polygons(mesh))
    return result


def _encode_polygons(mesh: Wad2Mesh) -> Chunk:
    part = find(mesh.parts, "W2Polys")
    unknown = [] if part is None else [each for each in read_chunks(inside(part)) if each.name not in _KINDS]
    # Numbers have a variable size, so polygons are written one by one.
    return parent("W2Polys", [*(_encode_polygon(row) for row in mesh.polygons), *unknown])


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
    return parent(_NAMES[corners, old], (), b"".join(fields))


def _moved(part: Chunk, source: NDArray[np.int64]) -> Chunk:
    """Return data per vertex, one chunk for each, in the order of the new vertices."""
    old = read_chunks(inside(part))
    if not old:
        return part
    none = parent(old[0].name, (), bytes(len(old[0].body) - len(END)))
    inner = [old[each] if 0 <= each < len(old) else none for each in source.tolist()]
    return parent(part.name, inner)


def check_corners(mesh: Wad2Mesh, element: int) -> None:
    """Check that the vertices of polygons exist.

    Raises:
        FormatError: if one does not.
    """
    polygons = mesh.polygons
    used = np.arange(4) < polygons["count"][:, None]
    wrong = used & ((polygons["vertices"] < 0) | (polygons["vertices"] >= len(mesh.vertices)))
    if wrong.any():
        first = int(np.argmax(wrong.any(axis=1)))
        found = str(int(polygons["vertices"][first][wrong[first]][0]))
        expected = f"one of {len(mesh.vertices)} vertices"
        raise FormatError("W2Polys", expected, f"{found} (polygon {first})", element=element)
