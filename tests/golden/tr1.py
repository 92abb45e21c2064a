"""Files of TR1 (chapter 10.1), and of its demo and that of Unfinished Business (10.10)."""

from struct import pack

from . import frames, meshes, pages, shared
from .floor import TR1_LISTS, floor_words
from .pieces import SECTOR_FIELDS, geometry, mesh_data, moved, movement, no_geometry, no_portals, zones
from .words import Room, Section, Table, counted, fixed, fraction, listed, number, numbers, rooms

# --- Chapter 3: rooms ---

# tr_room_vertex: Vertex, Lighting
_VERTEX = ("3h h", "x y z light")
_VERTICES = (
    Table(
        *_VERTEX,
        (1001, -1002, 1003, 104), (1011, -1012, 1013, 8191), (1021, -1022, 1023, 124),
        (1031, -1032, 1033, 134), (1041, -1042, 1043, 144), (1051, -1052, 1053, 154),
    ),
    Table(*_VERTEX, (-1061, 1062, -1063, -164)),
)  # fmt: skip
# tr_room_sector: FDindex, BoxIndex, RoomBelow, Floor, RoomAbove, Ceiling; the index of a sector is x * 2 + z
SECTORS = (
    Table(
        *SECTOR_FIELDS,
        (3, 1, 255, 5, 254, -9),
        (0, 0xFFFF, 255, -127, 255, -127),
        (1, 0, 2, 3, 255, -4),
        (23, 2, 255, -6, 3, -20),
        (7, 0x8001, 4, 7, 5, -8),
        (8, 3, 129, 8, 130, -7),
    ),
    Table(*SECTOR_FIELDS, (0x8D01, 0x8D02, 0xD3, -104, 0xD5, -106)),
)
# tr_room_light: x, y, z, Intensity1, Fade1
_LIGHT = ("iii H I", "x y z intensity falloff")
_LIGHTS = (
    Table(*_LIGHT, (2001, -2002, 2003, 0x1FFE, 0x7FF5), (2011, -2012, 2013, 0xF014, 0x00017015)),
    Table(*_LIGHT, (-2021, 2022, -2023, 0x8024, 0x80000025)),
)
# tr_room_staticmesh: x, y, z, Rotation, Intensity1, MeshID
_STATIC = ("iii H H H", "x y z angle intensity static_mesh")
_STATICS = (
    Table(*_STATIC, (3001, -3002, 3003, 0x4000, 0x0504, 41), (3011, -3012, 3013, 0xC000, 0x0514, 42)),
    Table(*_STATIC, (-3021, 3022, -3023, 0x8024, 0x8025, 0x8026)),
)

_ROOMS: list[Room] = [
    [
        *numbers("iiii", x=10240, z=20480, y_bottom=1280, y_top=-5120),  # tr_room_info
        *geometry(0, _VERTICES[0]),
        counted("H", "portals", shared.PORTALS[0]),
        *numbers("HH", z_sectors=2, x_sectors=3),
        fixed("sectors", SECTORS[0]),
        number("h", "ambient", 4100),  # AmbientIntensity
        counted("H", "lights", _LIGHTS[0]),
        counted("H", "static_meshes", _STATICS[0]),
        *numbers("hH", alternate_room=1, flags=0x0109),
    ],
    [
        *numbers("iiii", x=-10241, z=-20482, y_bottom=-1283, y_top=-5124),
        *geometry(1, _VERTICES[1], wrong_words=0x8001000B),
        counted("H", "portals", shared.PORTALS[1]),
        *numbers("HH", z_sectors=1, x_sectors=1),
        fixed("sectors", SECTORS[1]),
        number("h", "ambient", -4101),
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
        number("h", "ambient", 34),
        counted("H", "lights", Table(*_LIGHT)),
        counted("H", "static_meshes", Table(*_STATIC)),
        *numbers("hH", alternate_room=35, flags=36),
    ],
]

# --- Chapters 5 and 6: models and animation ---


def animations(places: tuple[tuple[int, int], ...]) -> Table:
    """Return tr_animation: FrameOffset, FrameRate (3, 1, 2), FrameSize, State_ID, Speed, Accel, tail."""
    tails = shared.ANIMATION_TAILS
    (one, one_size), (two, two_size), (three, three_size) = places
    return Table(
        "I B B H i i HH HH HH HH", f"{shared.ANIMATION_HEAD} {shared.ANIMATION_TAIL}",
        (0x80000201, 0x82, 0x83, 0x8204, -204000, -205000, shared.WILD_ANIMATION_TAIL),
        (one, 3, one_size, 301, fraction(-3, 0x4000), fraction(2, 0xC000), tails[0]),
        (two, 1, two_size, 302, fraction(4, 0x8000), fraction(-1, 0x2000), tails[1]),
        (three, 2, three_size, 303, fraction(5, 0x1000), fraction(-6, 0x7000), tails[2]),
    )  # fmt: skip


def models(places: tuple[tuple[int, int], ...]) -> Table:
    """Return tr_model: ID, NumMeshes, StartingMesh, MeshTree, FrameOffset, Animation."""
    return Table(
        "I HH I I H", shared.MODEL_FIELDS,
        shared.WILD_MODEL, (7, 3, 2, 0, places[0][0], 1), (8, 5, 1, 8, places[2][0], 3),
    )  # fmt: skip


# --- Chapters 7 and 9: textures, and objects in the world ---

# tr_object_texture: Attribute, TileAndFlag, Vertices[4] as Xcoordinate, Ycoordinate, the pixel in the high
# byte
OBJECT_TEXTURES = Table(
    "HH 8H", "attribute page uv:4x2",
    (1, 3, ((0x1001, 0x2001), (0x1FFF, 0x2002), (0x1FFE, 0x27FF), (0x1002, 0x27FE))),
    (0, 2, ((0x3001, 0x4001), (0x37FF, 0x4002), (0x3002, 0x4FFF), (0, 0))),
    (0x8C01, 0x8C02, ((0x8C03, 0x8C04), (0x8C05, 0x8C06), (0x8C07, 0x8C08), (0x8C09, 0x8C0A))),
)  # fmt: skip

# tr_sprite_texture: here Width and Height are pixels * 256 - 1, and the sides are units of the world
SPRITE_TEXTURES = Table(
    "H BB HH hhhh", shared.SPRITE_FIELDS,
    (1, 16, 32, 0x27FF, 0x17FF, -301, -602, 303, 4),
    (0x8D01, 0x82, 0x83, 0x8D04, 0x8D05, -306, -307, -308, -309),
)  # fmt: skip

# tr_box: Zmin, Zmax, Xmin, Xmax, TrueFloor, OverlapIndex
_BOXES = Table(
    "II II h H", "z_min z_max x_min x_max floor overlap",
    (20480, 21503, 10240, 13311, -256, 0x0000),
    (21504, 22527, 11264, 12287, 768, 0x8002),
    (0x80000001, 0x80000002, 0x80000003, 0x80000004, 512, 0xFFFF),
)  # fmt: skip
# Overlaps[]: box 0 is next to 1 and 2, box 1 next to 0
OVERLAPS = [0x0001, 0x8002, 0x8000]
_ZONES = zones(
    (0x0101, 0x0102, 0x0103),  # GroundZone
    (0x0201, 0x0202, 0x0203),  # GroundZone2
    (0x0301, 0x0302, 0x0303),  # FlyZone
    (0x8101, 0x8102, 0x8103),  # GroundZoneAlt
    (0x8201, 0x8202, 0x8203),  # GroundZoneAlt2
    (0xFFFF, 0x8302, 0x8303),  # FlyZoneAlt
)

# tr_entity: TypeID, Room, x, y, z, Angle, Intensity1, Flags
_ENTITIES = Table(
    "hh iii h h H", "type room x y z angle intensity flags",
    (-901, -902, -90003, -90004, -90005, -9006, -907, 0x8908),
    (911, 912, 91003, 91004, 91005, 9106, 917, 0x3F18),
)  # fmt: skip

# tr_cinematic_frame: target x, y, z, position x, y, z (not the other way round), fov, roll
CINEMATIC_FRAMES = Table(
    "3h 3h h h", "target:3 position:3 fov roll",
    ((-1001, -1002, -1003), (-1004, -1005, -1006), -1007, -1008),
    ((1011, -1012, 1013), (1014, -1015, 1016), 14560, 1018),
)  # fmt: skip

# --- Chapter 8: sounds ---

# tr_sound_details: Sample, Volume, Chance, Characteristics (here 1: restart, 2 samples, the pitch varies)
SOUND_DETAILS = Table(
    "HHHH", "sample volume chance flags",
    (1, 0x7FF2, 0x6003, 0x2000 | 2 << 2 | 1), (0x8B01, 0x8B02, 0x8B03, 0xCB04),
)  # fmt: skip
# Wave files whose sizes are right
WAVES = tuple(
    b"RIFF" + pack("<I", len(sound)) + sound for sound in (b"first", b"second", b"third..", b"last")
)

# --- Chapter 10.1 ---

SECTIONS: list[Section] = [
    number("I", "version", 0x00000020),
    counted("I", "textiles8", pages.pages8(2)),
    number("I", "level_number", 0x81020304),  # "Unused"
    rooms("H", _ROOMS),
    counted("I", "floor_data", floor_words(TR1_LISTS), "H"),
    *mesh_data(meshes.TR1_MESHES, meshes.TR1_MESH_POINTERS),
    *movement(animations(frames.TR1_FRAMES), frames.frame_words(frames.TR1_KEYS), models(frames.TR1_FRAMES)),
    counted("I", "object_textures", OBJECT_TEXTURES),
    counted("I", "sprite_textures", SPRITE_TEXTURES),
    counted("I", "sprite_sequences", shared.SPRITE_SEQUENCES),
    counted("I", "cameras", shared.CAMERAS),
    counted("I", "sound_sources", shared.SOUND_SOURCES),
    counted("I", "boxes", _BOXES),
    counted("I", "overlaps", OVERLAPS, "H"),
    _ZONES,
    counted("I", "animated_textures", shared.ANIMATED_TEXTURES, "H"),
    counted("I", "entities", _ENTITIES),
    fixed("light_map", pages.LIGHT_MAP),
    fixed("palette", pages.PALETTE),
    counted("H", "cinematic_frames", CINEMATIC_FRAMES),
    counted("H", "demo_data", list(shared.TR1_DEMO), "B"),
    listed("h", "sound_map", range(-100, 156)),  # SoundMap[256]
    counted("I", "sound_details", SOUND_DETAILS),
    counted("I", "sample_data", list(b"".join(WAVES)), "B"),  # NumSamples counts bytes
    counted("I", "sample_indices", [0, 13, 27, 42], "I"),
    Section("footer", b"", []),
]

# The palette is between SpriteSequences and Cameras.
DEMO_SECTIONS = moved(SECTIONS, "palette", before="cameras")
