"""Files of TR2 (chapter 10.2), and of its demo (10.10)."""

from struct import pack

from . import frames, meshes, pages, shared, tr1
from .floor import TR2_LISTS, floor_words
from .pieces import SECTOR_FIELDS, geometry, mesh_data, moved, movement, no_geometry, no_portals, zones
from .words import Room, Section, Table, counted, fixed, listed, number, numbers, rooms

# --- Chapter 3: rooms ---

# tr2_room_vertex: Vertex, Lighting, Attributes, Lighting2
_VERTEX = ("3h h H h", "x y z light attributes light2")
_VERTICES = (
    Table(
        *_VERTEX,
        (1001, -1002, 1003, 104, 0x0010, 106), (1011, -1012, 1013, 8191, 0x8015, 8190),
        (1021, -1022, 1023, 124, 0x0012, 126), (1031, -1032, 1033, 134, 0x0013, 136),
        (1041, -1042, 1043, 144, 0x0014, 146), (1051, -1052, 1053, 154, 0x0015, 156),
    ),
    Table(*_VERTEX, (-1061, 1062, -1063, -164, 0x8065, -166)),
)  # fmt: skip
# tr2_room_light: x, y, z, Intensity1, Intensity2, Fade1, Fade2
_LIGHT = ("iii HH II", "x y z intensity intensity2 falloff falloff2")
_LIGHTS = (
    Table(
        *_LIGHT,
        (2001, -2002, 2003, 0x1FFE, 0x1FFD, 0x7FF5, 0x7FF6),
        (2011, -2012, 2013, 0xF014, 0xF015, 0x00017015, 0x00017016),
    ),
    Table(*_LIGHT, (-2021, 2022, -2023, 0x8024, 0x8025, 0x80000026, 0x80000027)),
)
# tr2_room_staticmesh: x, y, z, Rotation, Intensity1, Intensity2, MeshID
_STATIC = ("iii H HH H", "x y z angle intensity intensity2 static_mesh")
_STATICS = (
    Table(*_STATIC, (3001, -3002, 3003, 0x4000, 504, 505, 41), (3011, -3012, 3013, 0xC000, 514, 515, 42)),
    Table(*_STATIC, (-3021, 3022, -3023, 0x8024, 0x8025, 0x8026, 0x8027)),
)

_ROOMS: list[Room] = [
    [
        *numbers("iiii", x=10240, z=20480, y_bottom=1280, y_top=-5120),  # tr_room_info
        *geometry(0, _VERTICES[0]),
        counted("H", "portals", shared.PORTALS[0]),
        *numbers("HH", z_sectors=2, x_sectors=3),
        fixed("sectors", tr1.SECTORS[0]),
        *numbers("hhh", ambient=4100, ambient2=4101, light_mode=2),
        counted("H", "lights", _LIGHTS[0]),
        counted("H", "static_meshes", _STATICS[0]),
        *numbers("hH", alternate_room=1, flags=0x0109),
    ],
    [
        *numbers("iiii", x=-10241, z=-20482, y_bottom=-1283, y_top=-5124),
        *geometry(1, _VERTICES[1]),
        counted("H", "portals", shared.PORTALS[1]),
        *numbers("HH", z_sectors=1, x_sectors=1),
        fixed("sectors", tr1.SECTORS[1]),
        *numbers("hhh", ambient=-4101, ambient2=-4102, light_mode=-4103),
        counted("H", "lights", _LIGHTS[1]),
        counted("H", "static_meshes", _STATICS[1]),
        *numbers("hH", alternate_room=-1, flags=0x8141),
    ],
    [
        *numbers("iiii", x=30, z=31, y_bottom=32, y_top=33),
        *no_geometry(*_VERTEX),
        no_portals(),
        *numbers("HH", z_sectors=0, x_sectors=3),
        fixed("sectors", Table(*SECTOR_FIELDS)),
        *numbers("hhh", ambient=34, ambient2=35, light_mode=36),
        counted("H", "lights", Table(*_LIGHT)),
        counted("H", "static_meshes", Table(*_STATIC)),
        *numbers("hH", alternate_room=37, flags=38),
    ],
]

# --- Chapters 7 to 9 ---

# tr2_box: Zmin, Zmax, Xmin, Xmax in sectors, TrueFloor, OverlapIndex
_BOXES = Table(
    "BB BB h H", "z_min z_max x_min x_max floor overlap",
    (20, 21, 10, 13, -256, 0x0000),
    (22, 23, 11, 12, 768, 0xC002),
    (0x81, 0x82, 0x83, 0x84, 512, 0xFFFF),
)  # fmt: skip
ZONES = zones(
    (0x0101, 0x0102, 0x0103),  # GroundZone1_Normal
    (0x0201, 0x0202, 0x0203),  # GroundZone2_Normal
    (0x0301, 0x0302, 0x0303),  # GroundZone3_Normal
    (0x0401, 0x0402, 0x0403),  # GroundZone4_Normal
    (0x0501, 0x0502, 0x0503),  # FlyZone_Normal
    (0x8101, 0x8102, 0x8103),  # GroundZone1_Alternate
    (0x8201, 0x8202, 0x8203),  # GroundZone2_Alternate
    (0x8301, 0x8302, 0x8303),  # GroundZone3_Alternate
    (0x8401, 0x8402, 0x8403),  # GroundZone4_Alternate
    (0x8501, 0x8502, 0x8503),  # FlyZone_Alternate
)

# tr2_entity: TypeID, Room, x, y, z, Angle, Intensity1, Intensity2, Flags
ENTITIES = Table(
    "hh iii h hh H", "type room x y z angle intensity intensity2 flags",
    (-901, -902, -90003, -90004, -90005, -9006, -907, -908, 0x8909),
    (911, 912, 91003, 91004, 91005, 9106, 917, 918, 0x3F19),
)  # fmt: skip

# --- Chapter 10.2 ---

# Both palettes and both kinds of pages are first, all pages of eight bits before those of sixteen.
PAGES = [
    fixed("palette", pages.PALETTE),
    fixed("palette16", pages.PALETTE16),
    counted("I", "textiles8", pages.pages8(2)),
    fixed("textiles16", pages.pages16(2)),
]

_BEFORE_SAMPLES: list[Section] = [
    number("I", "version", 0x0000002D),
    *PAGES,
    number("I", "level_number", 0x81020304),  # "Unused"
    rooms("H", _ROOMS),
    counted("I", "floor_data", floor_words(TR2_LISTS), "H"),
    *mesh_data(meshes.TR1_MESHES, meshes.TR1_MESH_POINTERS),
    *movement(
        tr1.animations(frames.TR2_FRAMES), frames.frame_words(frames.TR2_KEYS), tr1.models(frames.TR2_FRAMES)
    ),
    counted("I", "object_textures", tr1.OBJECT_TEXTURES),
    counted("I", "sprite_textures", tr1.SPRITE_TEXTURES),
    counted("I", "sprite_sequences", shared.SPRITE_SEQUENCES),
    counted("I", "cameras", shared.CAMERAS),
    counted("I", "sound_sources", shared.SOUND_SOURCES),
    counted("I", "boxes", _BOXES),
    counted("I", "overlaps", tr1.OVERLAPS, "H"),
    ZONES,
    counted("I", "animated_textures", shared.ANIMATED_TEXTURES, "H"),
    counted("I", "entities", ENTITIES),
    fixed("light_map", pages.LIGHT_MAP),
    counted("H", "cinematic_frames", tr1.CINEMATIC_FRAMES),
    counted("H", "demo_data", list(shared.TR2_DEMO), "B"),
    listed("h", "sound_map", range(-100, 270)),  # SoundMap[370]
    counted("I", "sound_details", tr1.SOUND_DETAILS),
]
SECTIONS: list[Section] = [
    *_BEFORE_SAMPLES,
    counted("I", "sample_indices", [5, 0x80000F02, 9], "I"),
    Section("footer", b"", []),
]

# The light map is between SpriteSequences and Cameras, and samples replace their numbers.
_SOUNDS = b"".join(tr1.WAVES)
DEMO_SECTIONS: list[Section] = [
    *moved(_BEFORE_SAMPLES, "light_map", before="cameras"),
    Section("sample_count", pack("<I", len(tr1.WAVES)), len(tr1.WAVES)),
    Section("samples", _SOUNDS, list(_SOUNDS)),
]
