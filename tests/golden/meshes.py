"""Meshes by hand (chapter 5.2): three of them, for TR1 to TR3 and for TR4 and TR5.

The first has normals, the others have lights; with faces of every kind. Each starts at a multiple of four
bytes, and the bytes of a gap of two are kept.
"""

from struct import pack
from typing import NamedTuple

from .words import Table

# tr_mesh: Centre, CollRadius (whose upper half holds flags), NumVertices
_HEADER = "<hhh h H h"


class GoldenMesh(NamedTuple):
    """One mesh: its values, its offset, and its bytes with the gap after it."""

    offset: int
    center: tuple[int, int, int]
    radius: int
    flags: int
    vertices: Table
    normals: Table | None
    lights: tuple[int, ...] | None
    faces: dict[str, Table]
    gap: bytes = b""

    @property
    def content(self) -> bytes:
        pieces = [
            pack(_HEADER, *self.center, self.radius, self.flags, len(self.vertices)),
            self.vertices.content,
        ]
        if self.normals is not None:
            pieces += [pack("<h", len(self.normals)), self.normals.content]
        if self.lights is not None:
            pieces += [pack("<h", -len(self.lights)), pack(f"<{len(self.lights)}h", *self.lights)]
        for table in self.faces.values():
            pieces += [pack("<h", len(table)), table.content]
        return b"".join([*pieces, self.gap])


def _vectors(*rows: tuple[int, int, int]) -> Table:
    return Table("hhh", "x y z", *rows)


# tr_face4, tr_face3: Vertices, Texture. Colors: the 8-bit palette's in the low byte, the 16-bit one's in the
# high.
_QUAD, _TRIANGLE = ("4H H", "vertices:4 texture"), ("3H H", "vertices:3 texture")
# tr4_mesh_face4, tr4_mesh_face3: Vertices, Texture, Effects
_QUAD_TR4, _TRIANGLE_TR4 = ("4H H H", "vertices:4 texture effects"), ("3H H H", "vertices:3 texture effects")

_CENTERS = ((-501, 502, -503), (511, -512, 513), (-521, -522, 523))
_VERTICES = (
    _vectors((-10, 11, -12), (20, -21, 22), (-30, 31, -32), (40, -41, 42)),
    _vectors((-50, 51, -52), (60, -61, 62), (-70, 71, -72)),
    _vectors((-80, 81, -82)),
)
_NORMALS = _vectors((-16384, 1, 2), (3, -16383, 4), (5, 6, -16382), (7, 8, 16381))

TR1_MESHES = (
    GoldenMesh(
        0, _CENTERS[0], 504, 0x8505, _VERTICES[0], _NORMALS, None,
        {
            "quads": Table(*_QUAD, ((0, 1, 2, 3), 4), ((3, 2, 1, 0), 0x8005)),
            "triangles": Table(*_TRIANGLE, ((1, 3, 2), 6)),
            "colored_quads": Table(*_QUAD, ((1, 2, 3, 0), 0x87C7)),
            "colored_triangles": Table(*_TRIANGLE, ((0, 2, 3), 0x28E8), ((2, 3, 1), 0xA9E9)),
        },
    ),
    GoldenMesh(
        124, _CENTERS[1], 514, 1, _VERTICES[1], None, (-601, 602, 8191),
        {
            "quads": Table(*_QUAD),
            "triangles": Table(*_TRIANGLE, ((0, 1, 2), 7)),
            "colored_quads": Table(*_QUAD),
            "colored_triangles": Table(*_TRIANGLE, ((2, 1, 0), 0x3AEA)),
        },
        gap=b"\x64\x36",
    ),
    GoldenMesh(
        188, _CENTERS[2], -524, 2, _VERTICES[2], None, (603,),
        {
            "quads": Table(*_QUAD),
            "triangles": Table(*_TRIANGLE),
            "colored_quads": Table(*_QUAD),
            "colored_triangles": Table(*_TRIANGLE),
        },
        gap=b"\0\0",
    ),
)  # fmt: skip
TR1_MESH_POINTERS = [0, 124, 124, 188, 0, 188, 124, 0x80000701]

TR4_MESHES = (
    GoldenMesh(
        0, _CENTERS[0], 504, 0x8505, _VERTICES[0], _NORMALS, None,
        {
            "quads": Table(*_QUAD_TR4, ((0, 1, 2, 3), 4, 0x8042), ((3, 2, 1, 0), 0x8005, 0x0012)),
            "triangles": Table(*_TRIANGLE_TR4, ((1, 3, 2), 6, 0x001A)),
        },
    ),
    GoldenMesh(
        100, _CENTERS[1], 514, 1, _VERTICES[1], None, (-601, 602, 8191),
        {"quads": Table(*_QUAD_TR4), "triangles": Table(*_TRIANGLE_TR4, ((0, 1, 2), 0x8007, 0x8020))},
    ),
    GoldenMesh(
        152, _CENTERS[2], -524, 2, _VERTICES[2], None, (603,),
        {"quads": Table(*_QUAD_TR4), "triangles": Table(*_TRIANGLE_TR4)},
        gap=b"\x64\x36",
    ),
)  # fmt: skip
TR4_MESH_POINTERS = [0, 100, 100, 152, 0, 152, 100, 0x80000701]


def mesh_bytes(meshes: tuple[GoldenMesh, ...]) -> bytes:
    """Return Meshes[]: all meshes."""
    return b"".join(mesh.content for mesh in meshes)
