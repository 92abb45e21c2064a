"""Files of TR4 (chapter 10.4), of its demos and of TRNG's tools.

TRNG's footer is not in the documentation: ``NG``, chunks of a size in words, an id and a payload, 32
bits of nought, ``NGLE``, and the size of all that. Such levels have no demo; its count is that of their
longer sound map.
"""

import zlib
from collections.abc import Sequence
from struct import pack

from . import frames, meshes, pages, shared, tr1, tr2, tr3
from .floor import TR4_LISTS, TRNG_LISTS, FloorList, floor_words
from .pieces import SECTOR_FIELDS, geometry, mesh_data, movement, no_geometry, no_portals
from .words import (
    Room,
    Section,
    Table,
    chunk,
    counted,
    fixed,
    fraction,
    joined,
    listed,
    mark,
    number,
    numbers,
    rooms,
)

# --- Chapter 3: rooms ---

# tr4_room_light: x, y, z, Colour, LightType, Intensity (of 16 bits), In, Out, Length, CutOff, dx, dy, dz
_LIGHT = ("iii 3B B H ffff 3f", "x y z color:3 type intensity inner outer length cutoff direction:3")
_LIGHTS = (
    Table(
        *_LIGHT,
        (2001, -2002, 2003, (0xC1, 0x82, 0xA3), 2, 0x1FF6, 7.5, 8.25, 9.125, 10.75, (0.5, -0.25, 0.125)),
        (2021, -2022, 2023, (0x24, 0x25, 0x26), 1, 0x0FFF, 1024.5, 2048.25, -2.5, -30.5, (-31.5, 32.5, -3.5)),
    ),
    Table(
        *_LIGHT,
        (-2041, 2042, -2043, (0x94, 0x95, 0x96), 0x97, 0x8048, -49.5, -5.5, 51.5, 52.5, (-53.5, -4.5, -55.5)),
    ),
)  # fmt: skip

_ROOMS: list[Room] = [
    [
        *numbers("iiii", x=10240, z=20480, y_bottom=1280, y_top=-5120),  # tr_room_info
        *geometry(0, tr3.VERTICES[0]),
        counted("H", "portals", shared.PORTALS[0]),
        *numbers("HH", z_sectors=2, x_sectors=3),
        fixed("sectors", tr3.SECTORS[0]),
        number("I", "color", 0x11223344),  # RoomColour, ARGB
        counted("H", "lights", _LIGHTS[0]),
        counted("H", "static_meshes", tr3.STATICS[0]),
        *numbers("hH", alternate_room=1, flags=0x0109),
        *numbers("BBB", water_scheme=5, reverb=3, alternate_group=7),
    ],
    [
        *numbers("iiii", x=-10241, z=-20482, y_bottom=-1283, y_top=-5124),
        *geometry(1, tr3.VERTICES[1]),
        counted("H", "portals", shared.PORTALS[1]),
        *numbers("HH", z_sectors=1, x_sectors=1),
        fixed("sectors", tr3.SECTORS[1]),
        number("I", "color", 0x80C0A090),
        counted("H", "lights", _LIGHTS[1]),
        counted("H", "static_meshes", tr3.STATICS[1]),
        *numbers("hH", alternate_room=-1, flags=0x8141),
        *numbers("BBB", water_scheme=0x81, reverb=0x82, alternate_group=0x83),
    ],
    [
        *numbers("iiii", x=30, z=31, y_bottom=32, y_top=33),
        *no_geometry(*tr3.VERTEX),
        no_portals(),
        *numbers("HH", z_sectors=0, x_sectors=3),
        fixed("sectors", Table(*SECTOR_FIELDS)),
        number("I", "color", 34),
        counted("H", "lights", Table(*_LIGHT)),
        counted("H", "static_meshes", Table(*tr3.STATIC)),
        *numbers("hH", alternate_room=36, flags=37),
        *numbers("BBB", water_scheme=38, reverb=39, alternate_group=40),
    ],
]

# --- Chapters 6, 7 and 9 ---

_SPEEDS = (
    (-206000, -207000),
    (fraction(-7, 0x0800), fraction(8, 0x1800)),
    (fraction(9, 0x2800), fraction(-10, 0x3800)),
    (fraction(11, 0x4800), fraction(-12, 0x5800)),
)
# tr4_animation: as before, with SpeedLateral and AccelLateral after Accel, the sixth number
ANIMATIONS = Table(
    "I B B H i i i i HH HH HH HH",
    f"{shared.ANIMATION_HEAD} lateral_speed lateral_acceleration {shared.ANIMATION_TAIL}",
    *(
        (row[:6], lateral, row[6:])
        for row, lateral in zip(tr1.animations(frames.TR2_FRAMES).rows, _SPEEDS, strict=True)
    ),
)

# tr_sprite_texture: x and y are unused, Width and Height are (pixels - 1) * 256, the sides are pixels of
# the page
SPRITE_TEXTURES = Table(
    "H BB HH hhhh", shared.SPRITE_FIELDS,
    (1, 7, 9, 0x2700, 0x1700, 16, 31, 56, 55), (0x8D01, 0x82, 0x83, 0x8D04, 0x8D05, -306, -307, -308, -309),
)  # fmt: skip

# tr4_flyby_camera: x, y, z, dx, dy, dz (a place, too), Sequence, Index, FOV, Roll, Timer, Speed, Flags,
# Room_ID
FLYBY_CAMERAS = Table(
    "iii 3i BB H h HHH h H", "x y z target:3 sequence index fov roll timer speed flags room pad",
    (-40001, -40002, -40003, (-40004, -40005, -40006), 0x87, 0x88, 0x8409, -4010, 0x8411, 0x8412, 0x8413,
     -4014, 0x8415),
    (41001, -41002, 41003, (41004, -41005, 41006), 7, 8, 14560, 1820, 4111, 655, 0x0413, 14, 15),
)  # fmt: skip

# tr4_object_texture: Attribute, TileAndFlag, NewFlags, Vertices[4], OriginalU, OriginalV, Width, Height
OBJECT_TEXTURE = (
    "HHH 8H I I I I", "attribute page flags uv:4x2 original_u original_v width height"
)  # fmt: skip
OBJECT_TEXTURES = Table(
    *OBJECT_TEXTURE,
    (1, 3, 0x8201, ((0x1000, 0x2000), (0x1FFF, 0x2001), (0x1FFE, 0x27FF), (0x1001, 0x27FE)), 64, 65, 15, 7),
    (2, 0x8004, 0x0407, ((0x3000, 0x4000), (0x37FF, 0x4001), (0x3001, 0x4FFF), (5, 6)), 66, 67, 8, 16),
    (0x8C01, 0x7C02, 0x8C0B, ((0x8C03, 0x8C04), (0x8C05, 0x8C06), (0x8C07, 0x8C08), (0x8C09, 0x8C0A)),
     0x80000C0C, 0x80000C0D, 0x80000C0E, 0x80000C0F),
)  # fmt: skip

# tr4_entity: TypeID, Room, x, y, z, Angle, Intensity1, OCB, Flags
ENTITIES = Table(
    "hh iii h h h H", "type room x y z angle intensity ocb flags",
    (-901, -902, -90003, -90004, -90005, -9006, -907, -908, 0x8909),
    (911, 912, 91003, 91004, 91005, 9106, 917, 918, 0x3F19),
)  # fmt: skip

# tr4_ai_object: TypeID, Room, x, y, z, OCB, Flags, Angle (its lower half), and in the upper half the box
AI_OBJECTS = Table(
    "HH iii h H h h", "type room x y z ocb flags angle box",
    (0x8A01, 0x8A02, -92003, -92004, -92005, -9206, 0x8A07, -9208, -9209),
    (401, 2, 93003, 93004, 93005, 936, 0x0037, 16384, 39),
)  # fmt: skip

# Overlaps[] of TR4 and TR5: 0x800 jump, 0x2000 monkey swing
OVERLAPS = [0x0801, 0xA002, 0x8000]


def _mapped_sounds() -> list[Section]:
    return [
        counted("H", "demo_data", list(shared.TR4_DEMO), "B"),
        listed("h", "sound_map", range(-100, 270)),  # SoundMap[370]
    ]


def _counted_sounds() -> list[Section]:
    return [Section("demo_data", b"", []), counted("H", "sound_map", range(-100, 500), "h")]


def level_data(lists: tuple[FloorList, ...], sounds: list[Section]) -> list[Section]:
    """Return the fourth chunk."""
    return [
        number("I", "level_number", 0x81020304),  # "Unused"
        rooms("H", _ROOMS),
        counted("I", "floor_data", floor_words(lists), "H"),
        *mesh_data(meshes.TR4_MESHES, meshes.TR4_MESH_POINTERS),
        *movement(ANIMATIONS, frames.frame_words(frames.TR4_KEYS), tr1.models(frames.TR2_FRAMES)),
        mark(b"SPR"),
        counted("I", "sprite_textures", SPRITE_TEXTURES),
        counted("I", "sprite_sequences", shared.SPRITE_SEQUENCES),
        counted("I", "cameras", shared.CAMERAS),
        counted("I", "flyby_cameras", FLYBY_CAMERAS),
        counted("I", "sound_sources", shared.SOUND_SOURCES),
        counted("I", "boxes", tr3.BOXES),
        counted("I", "overlaps", OVERLAPS, "H"),
        tr2.ZONES,
        counted("I", "animated_textures", shared.ANIMATED_TEXTURES, "H"),
        number("B", "uv_rotates", 0x81),  # AnimatedTexturesUVCount
        mark(b"TEX"),
        counted("I", "object_textures", OBJECT_TEXTURES),
        counted("I", "entities", ENTITIES),
        counted("I", "ai_objects", AI_OBJECTS),
        *sounds,
        counted("I", "sound_details", tr3.SOUND_DETAILS),
        counted("I", "sample_indices", [5, 0x80000F02, 9], "I"),
        Section("filler", bytes(6), [0, 0, 0, 0, 0, 0]),  # Separator
    ]


# tr4_sample: UncompSize, CompSize, SoundData
_SAMPLES = b"".join(
    pack("<II", size, len(wave)) + wave
    for size, wave in zip((9000, 9001, 9002, 9003), tr1.WAVES, strict=True)
)
SAMPLES = [Section("sample_count", pack("<I", 4), 4), Section("samples", _SAMPLES, list(_SAMPLES))]
# Before TRNG's footer there may be places in another file instead: the offset of a sample, and its size.
_PLACES = pack("<8I", 1000, 2001, 3001, 4002, 7003, 5003, 12006, 6004)
PLACES = [Section("sample_count", pack("<I", 4), 4), Section("samples", _PLACES, list(_PLACES))]

# TRNG's footer: the plugins of the words of floor data, extra flags of rooms, flags of the level
FOOTER_CHUNKS = (
    (0x8048, bytes(range(31, 41))),
    (0x8009, pack("<H", 3) + bytes(range(1, 25))),
    (0x800D, pack("<I", 0x81020305)),
)
_CHUNKS = b"".join(pack("<HH", 2 + len(payload) // 2, id_) + payload for id_, payload in FOOTER_CHUNKS)
_FOOTER = b"NG" + _CHUNKS + pack("<I", 0) + b"NGLE" + pack("<I", 2 + len(_CHUNKS) + 12)
FOOTER = [Section("footer", _FOOTER, list(_FOOTER))]
NO_FOOTER = [Section("footer", b"", [])]

# --- Chapter 10.4 ---


def heading(version: int) -> list[Section]:
    """Return Version, NumRoomTextiles, NumObjTextiles, NumBumpTextiles."""
    return [
        number("I", "version", version),
        *numbers("HHH", room_textiles=1, object_textiles=2, bump_textiles=3),
    ]


def page_chunks(misc: int) -> list[list[Section]]:
    """Return the pages of 32 bits, those of 16, and the miscellaneous ones; each kind is one chunk."""
    return [
        [fixed("textiles32", pages.pages32(6))],
        [fixed("textiles16", pages.pages16(6))],
        [fixed("misc_textiles32", pages.pages32(misc, first=8))],
    ]


class File:
    """A file of TR4: its sections, and its bytes at any level of compression."""

    def __init__(
        self,
        version: int = 0x00345254,
        lists: tuple[FloorList, ...] = TR4_LISTS,
        sounds: Sequence[Section] = (),
        samples: Sequence[Section] = SAMPLES,
        footer: Sequence[Section] = NO_FOOTER,
    ) -> None:
        self.heading = heading(version)
        self.chunks = [*page_chunks(2), level_data(lists, list(sounds or _mapped_sounds()))]
        self.end = [*samples, *footer]

    def sections(self) -> list[Section]:
        return [*self.heading, *(section for each in self.chunks for section in each), *self.end]

    def content(self, compression: int) -> bytes:
        chunks = b"".join(chunk(each, compression) for each in self.chunks)
        return joined(self.heading) + chunks + joined(self.end)


RETAIL = File()
DEMO = File(version=0x63345254)  # "TR4c"
BETA = File(version=0xFFFFFFF0)
TRNG = File(lists=TRNG_LISTS, sounds=_counted_sounds(), footer=FOOTER)
TRNG_ELSEWHERE = File(sounds=_counted_sounds(), samples=PLACES, footer=FOOTER)


def early_demo(compression: int) -> bytes:
    """Return a file that is one stream of the usual chunks."""
    return zlib.compress(RETAIL.content(compression), compression)


def plain_demo(compression: int) -> bytes:
    """Return a file that is one stream, in which chunks are uncompressed and without sizes."""
    return zlib.compress(joined(RETAIL.sections()), compression)


def plain_demo_without_version(compression: int) -> bytes:
    return zlib.compress(joined(RETAIL.sections()[1:]), compression)
