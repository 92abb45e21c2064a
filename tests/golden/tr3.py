"""Files of TR3 (chapter 10.3), and one with textiles only."""

from . import frames, meshes, pages, shared, tr1, tr2
from .floor import TR3_LISTS, floor_words
from .pieces import SECTOR_FIELDS, geometry, mesh_data, movement, no_geometry, no_portals
from .words import Room, Section, Table, counted, fixed, listed, number, numbers, rooms

# --- Chapter 3: rooms ---

# tr3_room_vertex: Vertex, Lighting, Attributes, Colour
VERTEX = ("3h h H H", "x y z light attributes color")
VERTICES = (
    Table(
        *VERTEX,
        (1001, -1002, 1003, 104, 0x2005, 0x7C01), (1011, -1012, 1013, 114, 0xC015, 0x03E2),
        (1021, -1022, 1023, 124, 0x4012, 0x001F), (1031, -1032, 1033, 134, 0x8013, 0x1234),
        (1041, -1042, 1043, 144, 0x6014, 0x5678), (1051, -1052, 1053, 154, 0x0015, 0x7BDE),
    ),
    Table(*VERTEX, (-1061, 1062, -1063, -164, 0x8065, 0x8066)),
)  # fmt: skip
# tr_room_sector: from TR3 on, BoxIndex is stopper << 15 | box << 4 | material, and 2047 no box
SECTORS = (
    Table(
        *SECTOR_FIELDS,
        (3, 1 << 4 | 7, 255, 5, 254, -9),
        (62, 0x7FF6, 255, -6, 253, -20),
        (1, 0 << 4 | 2, 2, 3, 255, -4),
        (66, 0x8000 | 2 << 4 | 13, 255, 40, 3, -40),
        (86, 1030 << 4 | 0, 4, 7, 5, -8),
        (87, 3 << 4 | 15, 129, 8, 130, -7),
    ),
    Table(*SECTOR_FIELDS, (0x8D01, 0x8D02, 0xD3, -104, 0xD5, -106)),
)
# tr3_room_light: x, y, z, Colour, LightType, then Intensity and Fade of a point light (type 0), as 32 bits
# each ...
_POINT = Table("iii 3B B i i", "x y z color:3 type intensity falloff",
               (2001, -2002, 2003, (0xC1, 0x82, 0xA3), 0, 0x00012345, -0x00012344))  # fmt: skip
# ... or the direction of a sun, and 16 bits of nothing. Both have 24 bytes, the last eight of them in common.
_LIGHT = ("iii 3B B 4h", "x y z color:3 type parameters:4")
_LIGHTS = (
    Table(
        *_LIGHT,
        (2001, -2002, 2003, (0xC1, 0x82, 0xA3), 0, (0x2345, 0x0001, -0x2344, -0x0002)),
        (2011, -2012, 2013, (0x14, 0x15, 0x16), 1, (-2017, 2018, -2019, 2020)),
    ),
    Table(*_LIGHT, (-2021, 2022, -2023, (0x94, 0x95, 0x96), 0x97, (2028, -2029, 2030, -2031))),
)
POINT_LIGHT = _POINT.content
# tr3_room_staticmesh: x, y, z, Rotation, Colour, Unused, MeshID
STATIC = ("iii H HH H", "x y z angle color unused static_mesh")
STATICS = (
    Table(
        *STATIC, (3001, -3002, 3003, 0x4000, 0x5294, 505, 41), (3011, -3012, 3013, 0xC000, 0x1CE7, 515, 42)
    ),
    Table(*STATIC, (-3021, 3022, -3023, 0x8024, 0x8025, 0x8026, 0x8027)),
)

_ROOMS: list[Room] = [
    [
        *numbers("iiii", x=10240, z=20480, y_bottom=1280, y_top=-5120),  # tr_room_info
        *geometry(0, VERTICES[0]),
        counted("H", "portals", shared.PORTALS[0]),
        *numbers("HH", z_sectors=2, x_sectors=3),
        fixed("sectors", SECTORS[0]),
        *numbers("hh", ambient=4100, light_mode=2),
        counted("H", "lights", _LIGHTS[0]),
        counted("H", "static_meshes", STATICS[0]),
        *numbers("hH", alternate_room=1, flags=0x0109),
        *numbers("BBB", water_scheme=5, reverb=3, alternate_group=7),  # WaterScheme, ReverbInfo, Filler
    ],
    [
        *numbers("iiii", x=-10241, z=-20482, y_bottom=-1283, y_top=-5124),
        *geometry(1, VERTICES[1]),
        counted("H", "portals", shared.PORTALS[1]),
        *numbers("HH", z_sectors=1, x_sectors=1),
        fixed("sectors", SECTORS[1]),
        *numbers("hh", ambient=-4101, light_mode=-4103),
        counted("H", "lights", _LIGHTS[1]),
        counted("H", "static_meshes", STATICS[1]),
        *numbers("hH", alternate_room=-1, flags=0x8141),
        *numbers("BBB", water_scheme=0x81, reverb=0x82, alternate_group=0x83),
    ],
    [
        *numbers("iiii", x=30, z=31, y_bottom=32, y_top=33),
        *no_geometry(*VERTEX),
        no_portals(),
        *numbers("HH", z_sectors=0, x_sectors=3),
        fixed("sectors", Table(*SECTOR_FIELDS)),
        *numbers("hh", ambient=34, light_mode=35),
        counted("H", "lights", Table(*_LIGHT)),
        counted("H", "static_meshes", Table(*STATIC)),
        *numbers("hH", alternate_room=36, flags=37),
        *numbers("BBB", water_scheme=38, reverb=39, alternate_group=40),
    ],
]

# --- Chapters 7 and 8 ---

# tr2_box; no overlaps is now 2047
BOXES = Table(
    "BB BB h H", "z_min z_max x_min x_max floor overlap",
    (20, 21, 10, 13, -256, 0x0000),
    (22, 23, 11, 12, 768, 0xC002),
    (0x81, 0x82, 0x83, 0x84, 512, 0x07FF),
)  # fmt: skip

# tr3_sound_details: Sample, Volume, Range, Chance, Pitch, Characteristics (here 3: loop, 2 samples, the
# pitch varies)
SOUND_DETAILS = Table(
    "H BB B b H", "sample volume range chance pitch flags",
    (1, 0x72, 0x0A, 0x33, 14, 0x2000 | 2 << 2 | 3), (0x8B01, 0xB2, 0xB3, 0xB4, -75, 0xCB06),
)  # fmt: skip

# --- Chapter 10.3 ---


def sections(version: int) -> list[Section]:
    """Return the sections of a file: the object textures follow the animated ones."""
    return [
        number("I", "version", version),
        *tr2.PAGES,
        number("I", "level_number", 0x81020304),  # "Unused"
        rooms("H", _ROOMS),
        counted("I", "floor_data", floor_words(TR3_LISTS), "H"),
        *mesh_data(meshes.TR1_MESHES, meshes.TR1_MESH_POINTERS),
        *movement(
            tr1.animations(frames.TR2_FRAMES),
            frames.frame_words(frames.TR2_KEYS),
            tr1.models(frames.TR2_FRAMES),
        ),
        counted("I", "sprite_textures", tr1.SPRITE_TEXTURES),
        counted("I", "sprite_sequences", shared.SPRITE_SEQUENCES),
        counted("I", "cameras", shared.CAMERAS),
        counted("I", "sound_sources", shared.SOUND_SOURCES),
        counted("I", "boxes", BOXES),
        counted("I", "overlaps", tr1.OVERLAPS, "H"),
        tr2.ZONES,
        counted("I", "animated_textures", shared.ANIMATED_TEXTURES, "H"),
        counted("I", "object_textures", tr1.OBJECT_TEXTURES),
        counted("I", "entities", tr2.ENTITIES),
        fixed("light_map", pages.LIGHT_MAP),
        counted("H", "cinematic_frames", tr1.CINEMATIC_FRAMES),
        counted("H", "demo_data", list(shared.TR2_DEMO), "B"),
        listed("h", "sound_map", range(-100, 270)),  # SoundMap[370]
        counted("I", "sound_details", SOUND_DETAILS),
        counted("I", "sample_indices", [5, 0x80000F02, 9], "I"),
        Section("footer", b"", []),
    ]


SECTIONS = sections(0xFF180038)
OTHER_VERSION = sections(0xFF080038)
THIRD_VERSION = sections(0xFF180034)
# VICT.TR2 ends after its textiles, or after the number that follows them.
TEXTILES_ONLY = [number("I", "version", 0xFF180034), *tr2.PAGES]
TEXTILES_AND_NUMBER = [*TEXTILES_ONLY, number("I", "level_number", 0x81020304)]
