"""Rooms of TR5 by hand (chapter 3.4.5 and the format's own document, corrected by what the engine reads).

A room is "XELA", the size of the rest, a header of 208 bytes, and its parts: lights, fog bulbs, sectors,
portals after their 16-bit number, two unused bytes, static meshes, layers, faces and vertices. Offsets
in the header count from its end. The first room is like a new one of a compiler. The second has other
numbers in all fields without a rule. The third has no mesh.
"""

from struct import pack

from . import shared, tr3
from .pieces import SECTOR_FIELDS
from .words import Room, Section, Table, joined

_CD = 0xCDCDCDCD
_CD_FLOAT = -431602080.0  # as a float

_HEADER = (
    "I I I I I iii ii HH I HH BBBB 4h 4h 2h hH III I I 3f 6I II II II ff I I I II I 4f",
    # Separator, EndSDOffset, StartSDOffset, Separator, EndPortalOffset
    "data_pointer portals_offset sectors_offset lights_pointer statics_offset "
    # tr5_room_info, NumZSectors, NumXSectors, RoomColour, NumLights, NumStaticMeshes
    "x y z y_bottom y_top z_sectors x_sectors color lights static_meshes "
    # ReverbInfo, AlternateGroup, WaterScheme, and the engine's own
    "reverb alternate_group water_scheme bounds_active screen_bounds:4 test_bounds:4 items:2 "
    # AlternateRoom, Flags, Unknown1 to Unknown3, Separator, Unknown4 and 5
    "alternate_room flags vertices water_vertices shore_vertices vertex_buffer face_data "
    # RoomX, RoomY, RoomZ, Separators, NumRoomTriangles, NumRoomRectangles
    "position:3 pointers:6 triangles quads "
    # RoomLights, FogBulbs, NumLights2, NumFogBulbs, RoomYTop, RoomYBottom (floats)
    "lights_offset fog_bulbs_offset lights2 fog_bulbs y_top2 y_bottom2 "
    # NumLayers, LayerOffset, VerticesOffset, PolyOffset, PolyOffset2, NumVertices (bytes), Separator
    "layers layers_offset vertices_offset faces_offset faces_offset2 vertex_bytes bounds:4",
)

# tr5_room_light: position, color, Separator (of shadows: the intensity), In, Out, RadIn, RadOut, Range,
# direction, both once more in integers, LightType, Filler
_LIGHT = (
    "fff 3f I ff ff f 3f 3i 3i B 3B",
    "x y z color:3 shadow inner outer inner_angle outer_angle range "
    "direction:3 position:3 direction2:3 type filler:3",
)
# tr5_fog_bulb: position, radius, its square, density, color
_FOG_BULB = ("fff f f f 3f", "x y z radius radius2 density color:3")
# tr5_room_layer: nine counts where the document has four, bounds from least to greatest x, y, z, and pointers
_LAYER = (
    "HHH HH HH H 6f 4I",
    "vertices water_vertices shore_vertices quads triangles water_quads water_triangles pad "
    "bounds:6 pointers:4",
)
# Faces have one more word here than in TR4. Their vertices count from the first one of their layer.
_QUAD = ("4H H H", "vertices:4 texture effects")
_TRIANGLE = ("3H H H", "vertices:3 texture effects")
# tr5_room_vertex: Vertex, Normal, Colour (ARGB)
_VERTEX = ("fff fff I", "x y z nx ny nz color")

_LIGHTS = Table(
    *_LIGHT,
    (2001.25, -2002.25, 2003.25, (0.25, 0.5, 0.75), _CD, 1024.5, 2048.25, 0.125, 0.375, 3072.75,
     (0.625, -0.875, 0.0625), (2001, -2002, 2003), (10240, -14336, 1024), 1, (0xCD, 0xCE, 0xCF)),
    (-2011.25, 2012.25, -2013.25, (0.3125, 0.4375, 0.5625), 0x7F, 0.96875, 0.90625, 1.25, 1.5, -4096.5,
     (-0.1875, 0.8125, -0.6875), (-2011, 2012, -2013), (-3072, 13312, -11264), 0x83, (0x8D, 0x8E, 0x8F)),
)  # fmt: skip
_FOG_BULBS = Table(
    *_FOG_BULB, (5001.5, -5002.5, 5003.5, 64.5, 4160.25, 0.7265625, (0.015625, 0.03125, 0.046875))
)
_LAYERS = Table(
    *_LAYER,
    (5, 2, 1, 2, 1, 3, 0, 0x8C18, (1001.0, -1052.5, 1003.25, 1041.75, -1002.125, 1043.375),
     (0x80000C21, 0x80000C22, 0x80000C23, 0x80000C24)),
    (4, 0, 3, 1, 2, 0, 4, 28, (2001.0, -2052.5, 2003.25, 2041.75, -2002.125, 2043.375), (31, 32, 33, 34)),
)  # fmt: skip
_QUADS = Table(*_QUAD, ((0, 1, 2, 3), 0x4006, 7), ((4, 3, 2, 1), 0x8007, 0x8008), ((3, 1, 2, 0), 9, 10))
_TRIANGLES = Table(*_TRIANGLE, ((2, 4, 1), 0x8009, 0x800A), ((1, 3, 0), 11, 12), ((0, 2, 3), 13, 14))
_VERTICES = Table(
    *_VERTEX,
    (1001.0, -1052.5, 1003.25, 0.5, -0.25, 0.125, 0x80112233),
    (1011.0, -1012.5, 1013.25, 0.75, 0.375, -0.5, 0x01445566),
    (1021.0, -1022.5, 1023.25, -0.5, 0.25, 0.0625, 0xFE778899),
    (1031.0, -1032.5, 1033.25, 0.625, -0.125, 0.875, 0x7FAABBCC),
    (1041.75, -1002.125, 1043.375, 0.1875, 0.3125, 0.4375, 0xC0DDEEF1),
    (2001.0, -2052.5, 2003.25, -0.75, -0.375, 0.5, 0x02132435),
    (2011.0, -2012.5, 2013.25, -0.875, 0.5625, 0.03125, 0x91465768),
    (2021.0, -2022.5, 2023.25, 0.6875, 0.8125, -0.9375, 0x1079808A),
    (2041.75, -2002.125, 2043.375, -0.0625, 1.0, 0.25, 0xA1ACBDCE),
)  # fmt: skip

# The parts of the first room and the bytes before each: 2 lights of 88, 1 fog bulb of 36, 6 sectors of 8,
# the number and 2 portals of 32 with two bytes after, 2 static meshes of 20, 2 layers of 56, 66 bytes of
# faces and two more to a multiple of four, 9 vertices of 28.
_PARTS = b"".join(
    (
        _LIGHTS.content,  # 0
        _FOG_BULBS.content,  # 176
        tr3.SECTORS[0].content,  # 212
        pack("<H", 2) + shared.PORTALS[0].content + b"\xcd\xcd",  # 260
        tr3.STATICS[0].content,  # 328
        _LAYERS.content,  # 368
        # of each layer its quads, then its triangles                               # 480
        _QUADS.content[:24] + _TRIANGLES.content[:10],
        _QUADS.content[24:] + _TRIANGLES.content[10:],
        b"\xcd\xcd",
        _VERTICES.content,  # 548
    )
)


def _room(header: Table, parts: bytes, *sections: Section) -> Room:
    """Return a room, and its values: those of the header, and the parts."""
    content = b"XELA" + pack("<I", len(header.content) + len(parts)) + header.content + parts
    fields = (
        "x", "y", "z", "y_bottom", "y_top", "z_sectors", "x_sectors", "color", "reverb", "alternate_group",
        "water_scheme", "alternate_room", "flags",
    )  # fmt: skip
    values = [Section(name, b"", header.column(name)[0]) for name in fields]
    # The block is one section; its values follow without bytes.
    return [Section("block", content, content), Section("header", b"", header), *values, *sections]


def _parts(**tables: Table) -> list[Section]:
    return [Section(name, b"", table) for name, table in tables.items()]


_NO_SPRITES = Table("HH", "vertex texture")
# A rebuilt room. Offsets and counts are by hand.
_NEW_HEADER = Table(
    *_HEADER,
    (
        _CD, 260, 212, 0, 328,
        10240, 0, 20480, 1280, -5120, 2, 3, 0xFF223344, 2, 2,
        3, 7, 5, 0, (0x7FFF, 0, 0x7FFF, 0), (-0x3233, -0x3233, -0x3233, -0x3233), (-1, -1),
        1, 0x0109, 0xFFFF, 0, 0, _CD, _CD,  # a number of vertices, without which the game draws nothing
        (10240.0, 0.0, 20480.0), (_CD, _CD, _CD, _CD, 0, _CD), 3, 3,
        0, 176, 2, 1, -5120.0, 1280.0,
        2, 368, 548, 480, 480, 252, (_CD_FLOAT, _CD_FLOAT, _CD_FLOAT, _CD_FLOAT),
    ),
)  # fmt: skip
_NEW = _room(
    _NEW_HEADER,
    _PARTS,
    *_parts(
        vertices=_VERTICES, quads=_QUADS, triangles=_TRIANGLES, sprites=_NO_SPRITES, layers=_LAYERS,
        portals=shared.PORTALS[0], sectors=tr3.SECTORS[0], lights=_LIGHTS, fog_bulbs=_FOG_BULBS,
        static_meshes=tr3.STATICS[0],
    ),
)  # fmt: skip

# A room with other numbers of everything: 2 lights (at 0), 2 fog bulbs (176), 1 sector (248), 1 portal (256,
# 36 bytes), 3 static meshes (292), 1 layer (352), 1 quad and 2 triangles (408, 32 bytes), 5 vertices (440,
# 140 bytes).
_STALE_LIGHTS = Table(*_LIGHT, *_LIGHTS.rows[::-1])
_STALE_STATICS = Table(*tr3.STATIC, *tr3.STATICS[1].rows, *tr3.STATICS[0].rows)
_STALE_FOG = Table(
    *_FOG_BULB,
    (-5011.5, 5012.5, -5013.5, 65.5, 4290.25, -0.5, (-0.125, -0.25, -0.375)),
    (5021.5, 5022.5, 5023.5, 66.5, 4422.25, 0.625, (0.75, 0.875, 0.9375)),
)
_STALE_LAYERS = Table(
    *_LAYER,
    (5, 0x8C12, 0x8C13, 1, 2, 0x8C16, 0x8C17, 0x8C18, (-1.5, -2.5, -3.5, -4.5, -5.5, -6.5), (41, 42, 43, 44)),
)
_STALE_QUADS = Table(*_QUAD, ((0x8C01, 0x8C02, 0x8C03, 0x8C04), 0x8C05, 0x8C06))
_STALE_TRIANGLES = Table(*_TRIANGLE, ((0x8C11, 0x8C12, 0x8C13), 0x8C14, 0x8C15), ((1, 0, 4), 3, 5))
_STALE_VERTICES = Table(
    *_VERTEX, *_VERTICES.rows[:4], (-3.5, 4.5, -5.5, -0.9375, -0.8125, -0.6875, 0x00F1F2F3)
)
_STALE_HEADER = Table(
    *_HEADER,
    (
        0x80000E01, 256, 248, 0x80000E04, 292,
        -10241, -512, -20482, -1283, -5124, 1, 1, 0x90C0A080, 2, 3,
        0x82, 0x83, 0x81, 0x84, (-5601, -5602, -5603, -5604), (-5605, -5606, -5607, -5608), (-5609, -5610),
        -1, 0x8141, 0x80000E80, 0x80000E84, 0x80000E88, 0x80000E92, 0x80000E96,
        (-10241.0, -512.0, -20482.0),
        (0x80000EB1, 0x80000EB2, 0x80000EB3, 0x80000EB4, 0x80000EB5, 0x80000EB6), 2, 1,
        0, 176, 2, 2, -5124.0, -1283.0,
        1, 352, 440, 408, 408, 140, (-192.5, -196.5, -200.5, -204.5),
    ),
)  # fmt: skip
_STALE = _room(
    _STALE_HEADER,
    b"".join(
        (
            _STALE_LIGHTS.content,
            _STALE_FOG.content,
            tr3.SECTORS[1].content,
            pack("<H", 1) + shared.PORTALS[1].content + b"\xcd\xcd",
            _STALE_STATICS.content,
            _STALE_LAYERS.content,
            _STALE_QUADS.content,
            _STALE_TRIANGLES.content,
            _STALE_VERTICES.content,
        )
    ),
    *_parts(
        vertices=_STALE_VERTICES, quads=_STALE_QUADS, triangles=_STALE_TRIANGLES, sprites=_NO_SPRITES,
        layers=_STALE_LAYERS, portals=shared.PORTALS[1], sectors=tr3.SECTORS[1], lights=_STALE_LIGHTS,
        fog_bulbs=_STALE_FOG, static_meshes=_STALE_STATICS,
    ),
)  # fmt: skip

# A room without a mesh has 0xCD in all fields of the mesh.
_NULL_HEADER = Table(
    *_HEADER,
    (
        _CD, 0, 0, _CD, 4,
        30720, 256, 40960, 1536, -1024, 0, 3, 0xFF010203, 0, 0,
        1, 2, 4, 0, (0x7FFF, 0, 0x7FFF, 0), (-0x3233, -0x3233, -0x3233, -0x3233), (-1, -1),
        -1, 0x0040, 0, 0, 0, _CD, _CD,
        (_CD_FLOAT, _CD_FLOAT, _CD_FLOAT), (_CD, _CD, _CD, _CD, _CD, _CD), _CD, _CD,
        0, 0, 0, 0, _CD_FLOAT, _CD_FLOAT,
        0, 4, 4, 4, 4, 0, (_CD_FLOAT, _CD_FLOAT, _CD_FLOAT, _CD_FLOAT),
    ),
)  # fmt: skip
_NULL = _room(
    _NULL_HEADER,
    pack("<H", 0) + b"\xcd\xcd",
    *_parts(
        vertices=Table(*_VERTEX), quads=Table(*_QUAD), triangles=Table(*_TRIANGLE), sprites=_NO_SPRITES,
        layers=Table(*_LAYER), portals=Table("H 3h 12h", "room normal:3 vertices:4x3"),
        sectors=Table(*SECTOR_FIELDS),
        lights=Table(*_LIGHT), fog_bulbs=Table(*_FOG_BULB), static_meshes=Table(*tr3.STATIC),
    ),
)  # fmt: skip

ROOMS: list[Room] = [_NEW, _STALE, _NULL]
BLOCKS = [joined(room) for room in ROOMS]
