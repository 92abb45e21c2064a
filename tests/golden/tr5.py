"""Files of TR5 (chapter 10.5): like those of TR4, but with uncompressed level data and other rooms."""

from struct import pack

from . import frames, meshes, shared, tr1, tr2, tr3, tr4
from .floor import TR5_LISTS, floor_words
from .pieces import mesh_data, movement
from .tr5_rooms import ROOMS
from .words import Section, Table, chunk, counted, joined, listed, mark, number, numbers, rooms

# tr_model with a word more
MODELS = Table(
    "I HH I I H H", f"{shared.MODEL_FIELDS} filler",
    *zip(tr1.models(frames.TR2_FRAMES).rows, (0x8106, 0xFFEF, 9), strict=True),
)  # fmt: skip

# tr4_object_texture with a word more
OBJECT_TEXTURES = Table(
    f"{tr4.OBJECT_TEXTURE[0]} H", f"{tr4.OBJECT_TEXTURE[1]} filler",
    *zip(tr4.OBJECT_TEXTURES.rows, (0, 17, 0x8C10), strict=True),
)  # fmt: skip

HEADING = tr4.heading(0x00345254)
CHUNKS = tr4.page_chunks(3)
_WEATHER_FILLER = bytes(range(129, 157))
BETWEEN = [
    *numbers("HH", lara_type=0x8003, weather=0x8005),
    Section("weather_filler", _WEATHER_FILLER, list(_WEATHER_FILLER)),  # Padding[28]
]
LEVEL_DATA: list[Section] = [
    number("I", "level_number", 0x81020304),  # "Unused"
    rooms("I", ROOMS),  # 32 bits here
    counted("I", "floor_data", floor_words(TR5_LISTS), "H"),
    *mesh_data(meshes.TR4_MESHES, meshes.TR4_MESH_POINTERS),
    *movement(tr4.ANIMATIONS, frames.frame_words(frames.TR4_KEYS), MODELS),
    mark(b"SPR\0"),
    counted("I", "sprite_textures", tr4.SPRITE_TEXTURES),
    counted("I", "sprite_sequences", shared.SPRITE_SEQUENCES),
    counted("I", "cameras", shared.CAMERAS),
    counted("I", "flyby_cameras", tr4.FLYBY_CAMERAS),
    counted("I", "sound_sources", shared.SOUND_SOURCES),
    counted("I", "boxes", tr3.BOXES),
    counted("I", "overlaps", tr4.OVERLAPS, "H"),
    tr2.ZONES,
    counted("I", "animated_textures", shared.ANIMATED_TEXTURES, "H"),
    number("B", "uv_rotates", 0x81),  # AnimatedTexturesUVCount
    mark(b"TEX\0"),
    counted("I", "object_textures", OBJECT_TEXTURES),
    counted("I", "entities", tr4.ENTITIES),
    counted("I", "ai_objects", tr4.AI_OBJECTS),
    counted("H", "demo_data", list(shared.TR4_DEMO), "B"),
    listed("h", "sound_map", range(-100, 350)),  # SoundMap[450]
    counted("I", "sound_details", tr3.SOUND_DETAILS),
    counted("I", "sample_indices", [5, 0x80000F02, 9], "I"),
    Section("filler", b"\xcd" * 6, [0xCD] * 6),  # Separator
]
END = [*tr4.SAMPLES, *tr4.NO_FOOTER]


def sections() -> list[Section]:
    return [*HEADING, *(section for each in CHUNKS for section in each), *BETWEEN, *LEVEL_DATA, *END]


def content(compression: int) -> bytes:
    """Return three chunks, then the uncompressed level data, whose size is stored twice."""
    data = joined(LEVEL_DATA)
    return b"".join(
        (
            joined(HEADING),
            *(chunk(each, compression) for each in CHUNKS),
            joined(BETWEEN),
            pack("<II", len(data), len(data)),
            data,
            joined(END),
        )
    )
