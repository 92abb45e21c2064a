"""The records of a project: its settings and rooms, in the order of the file.

Objects of rooms are in :mod:`.placed`, events in :mod:`.events`, sectors in :mod:`.sectors`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base.bytes.chunks import Chunk, inside, lebs
from ....base.schema.chunks import (
    FLOAT,
    GRID,
    NUMBER,
    TEXT,
    TRUTH,
    VECTOR_LEAF,
    ContentKind,
    Part,
    Plain,
    Record,
    Together,
    ValueList,
    When,
)
from ....base.schema.codes import BOOL, LEB, U32, VECTOR, VECTOR2, Group, Several, write_value
from ....base.schema.forms import Form, FormList, RecordList
from ....base.units import CLICK
from .events import EventSets
from .merged_sectors import merged_list
from .objects import Vector
from .placed import ObjectList
from .records import WRITER, ProjectContext
from .rooms import LightEffect, ProjectRoom, RoomType
from .sectors import NAME, ProjectSectors, read_shapes, sector_list
from .settings import (
    AnimatedSet,
    AnimationFrame,
    ImportedModel,
    LevelTexture,
    MergedStatic,
    Settings,
    TexturedArea,
)
from .shape import RoomShape

# --- Kinds of the settings ---------------------------------------------------------------------

_CORNERS = Several(VECTOR2, 4)
_DEFAULT_TEXTURE = Group(TexturedArea, (("corners", _CORNERS), ("texture", LEB)))
_FRAME = Group(AnimationFrame, (("texture", LEB), ("corners", _CORNERS), ("repeat", LEB)))

# Merged statics; the two old forms lack the last settings.
_MERGED_STATIC = (
    ("slot", U32),
    ("shades_are_effects", BOOL),
    ("tint_is_ambient", BOOL),
    ("clear_shades", BOOL),
)
_MERGED_STATICS = FormList(
    Form("TeMergeStaticsEntry3", MergedStatic, _MERGED_STATIC),
    Form("TeMergeStaticsEntry2", MergedStatic, _MERGED_STATIC[:3]),
    Form("TeMergeStaticsEntry", MergedStatic, _MERGED_STATIC[:2]),
)


class _Palette(ContentKind):
    """The colors of the editor's palette: their number, then bytes."""

    def read(self, chunk: Chunk, context: ProjectContext) -> list[tuple[int, int, int]]:
        cursor = inside(chunk)
        count = cursor.take(2)
        size = 3 * int.from_bytes(chunk.body[count : cursor.offset], "little")
        start = cursor.take(size)
        values = chunk.body[start : start + size]
        return [
            (red, green, blue)
            for red, green, blue in zip(values[::3], values[1::3], values[2::3], strict=True)
        ]

    def write(self, value: list[tuple[int, int, int]], name: str, context: ProjectContext) -> bytes:
        raw = bytes(min(max(level, 0), 255) for color in value for level in color)
        return len(value).to_bytes(2, "little") + raw


class _OldAnimation(ContentKind):
    """The type, speed and UV rotation of an animated set."""

    is_parent = True

    def read(self, chunk: Chunk, context: ProjectContext) -> tuple[int, float, int]:
        kind, fps, rotate = lebs(inside(chunk), 3)
        return kind, float(fps or 15), rotate


def _one_wad(values: dict[str, Any], path: str) -> None:
    values["wads"] = [path] if path else []


# --- Records of the settings -------------------------------------------------------------------

_TEXTURE = Record(
    LevelTexture,
    (
        Part("TeI", "number", NUMBER),
        Part("TePath", "path", TEXT),
        Part("TeTextureCustomBumpmapPath", "bump_path", TEXT),
        Part("Te512C", "cut_512", TRUTH),
        Part("TeMagentaR", "magenta", TRUTH),
        Part("TeTextureSounds", "footsteps", GRID),
        Part("TeTextureBumpmaps", "bumps", GRID),
    ),
    {"number": 0, "path": ""},
)
_MODEL = Record(
    ImportedModel,
    (
        Part("TeI", "number", NUMBER),
        Part("TeName", "name", TEXT),
        Part("TePath", "path", TEXT),
        Part("TeScale", "scale", FLOAT),
        Part("TePosAxisFlags", "position_axes", NUMBER),
        Part("TeTexAxisFlags", "texture_axes", NUMBER),
        Part("TeMappedUV", "maps_whole_images", TRUTH),
        Part("TeInvertFaces", "invert_faces", TRUTH),
    ),
    {"number": 0, "name": "", "path": ""},
)
_SET = "TeAnimatedTextureSet"
_ANIMATED_SET = Record(
    AnimatedSet,
    (
        Part(f"{_SET}Name", "name", TEXT),
        Part(f"{_SET}Type", "type", NUMBER),
        Part(f"{_SET}Fps", "fps", FLOAT),
        Part(f"{_SET}UvRotate", "uv_rotate", NUMBER),
        Part(f"{_SET}TenUvRotateDirection", "direction", FLOAT, When.IF_SET),
        Part(f"{_SET}TenUvRotateSpeed", "speed", FLOAT, When.IF_SET),
        Part(f"{_SET}Extra", "type fps uv_rotate", _OldAnimation(), When.NEVER),
        Part("TeFrames", "frames", ValueList("TeFrame", Plain(_FRAME))),
    ),
    {"name": ""},
)
_SAMPLES = ValueList(
    "TeOldWadSoundPath", TEXT, "TePath", before=(WRITER.leaf("TeOldWadSoundUpdateTag1_0_8", b""),)
)

SETTINGS = Record(
    Settings,
    (
        Part("TeWadFilePath", "wads", TEXT, When.NEVER, _one_wad),
        Part("TeFontTextureFilePath", "font_path", TEXT),
        Part("TeSkyTextureFilePath", "sky_path", TEXT),
        Part("TeTr5ExtraSpritesFilePath", "extra_sprites_path", TEXT),
        Part("TeOldWadSoundPaths", "sample_directories", _SAMPLES),
        Part("TeGameDirectory", "game_directory", TEXT),
        Part("TeGameLevelFilePath", "level_path", TEXT),
        Part("TeGameExecutableFilePath", "executable_path", TEXT),
        Part("TeGameEnableQuickStartFeature", "quick_start", TRUTH),
        Part("TeGameEnableExtraBlendingModes", "extra_blending_modes", TRUTH, When.IF_SET),
        Part("TeGameEnableExtraReverbPresets", "extra_reverb_presets", TRUTH),
        Part("TeGameVersion", "game_version", NUMBER),
        Part("TeTr5LaraType", "tr5_lara_type", NUMBER),
        Part("TeTr5Weather", "tr5_weather", NUMBER),
        Part("TeTexturePadding", "padding", NUMBER),
        Part("TeRemapAnimTextures", "remap_animated_textures", TRUTH),
        Part("TeRearrangeRooms", "rearrange_rooms", TRUTH),
        Part("TeRemoveUnusedObjects", "remove_unused_objects", TRUTH),
        Part("TeEnableCustomSampleRate", "custom_sample_rate_enabled", TRUTH),
        Part("TeCustomSampleRate", "custom_sample_rate", NUMBER),
        Part("TeRoom32BitLighting", "thirty_two_bit_light", TRUTH),
        Part("TeDitherTextures", "dither", TRUTH),
        Part("TeAgressiveTexturePacking", "aggressive_texture_packing", TRUTH),
        Part("TeTextureCompression", "texture_compression", TRUTH),
        # Editors of before February 2026 do not know it.
        Part("TeTrxTextureDepth", "trx_texture_depth", NUMBER, When.IF_SET),
        Part("TeAgressiveFloordataPacking", "aggressive_floor_data_packing", TRUTH),
        Part("TeDefaultAmbientLight", "default_ambient", VECTOR_LEAF),
        Part("TeDefaultLightQuality", "default_light_quality", NUMBER),
        Part("TeOverrideLightQuality", "override_light_quality", TRUTH),
        Part("TeScriptDirectory", "script_directory", TEXT),
        Part("TeSoundSystem", "sound_system", NUMBER),
        Part("TeLastRoom", "last_room", NUMBER),
        Part("TenLuaScriptFile", "lua_script_path", TEXT),
        Part("TeWads", "wads", ValueList("TeWad", TEXT, "TePath")),
        Part("TeSoundsCatalogs", "catalogs", ValueList("TeSoundsCatalog", TEXT, "TeSoundsCatalogPath")),
        Part("TeSelectedSounds", "selected_sounds", ValueList("TeSelSnd", NUMBER)),
        Part("TeTextures", "textures", RecordList("TeLvlTexture", _TEXTURE)),
        Part("TeDefaultTextures", "default_texture", Plain(_DEFAULT_TEXTURE)),
        Part("TeImportedGeometries", "imported_geometries", RecordList("TeImportedGeometry", _MODEL)),
        Part("TeAnimatedTextureSets", "animated_sets", RecordList(_SET, _ANIMATED_SET)),
        Part("TeGlobalEventSets", "global_event_sets", EventSets(of_volumes=False)),
        Part("TeVolumeEventSets", "volume_event_sets", EventSets(of_volumes=True)),
        Part("TeEventSets", "volume_event_sets", EventSets(of_volumes=True), When.NEVER),
        Part("TeMergeStatics", "merged_statics", _MERGED_STATICS),
        Part("TePalette", "palette", _Palette(), When.IF_SET),
    ),
    {"sound_system": 0},  # as in files without it
)


# --- Kinds of rooms ----------------------------------------------------------------------------


class _Number(ContentKind):
    """The number of a room. Of several rooms with the same number, the later ones get other numbers."""

    def read(self, chunk: Chunk, context: ProjectContext) -> int:
        return int(NUMBER.read(chunk, context))

    def write(self, value: int, name: str, context: ProjectContext) -> bytes:
        return NUMBER.write(context.raw_numbers.get(value, value), name, context)


class _Position(ContentKind):
    """The position of a room: x in sectors, y in units or clicks, z in sectors."""

    def __init__(self, unit: int = 1) -> None:
        self._unit = unit

    def read(self, chunk: Chunk, context: ProjectContext) -> tuple[int, int, int]:
        cursor = inside(chunk)
        try:
            x, y, z = (round(each) for each in VECTOR.read(cursor))
        except (ValueError, OverflowError):
            raise cursor.error("a position", "no number", offset=0) from None
        return x, y * self._unit, z

    def write(self, value: tuple[int, int, int], name: str, context: ProjectContext) -> bytes:
        return write_value(VECTOR, value, "position", name)


# The alternate room: the number of the flip map, and that of the room.
_ALTERNATE = Together(("TeGroup", NUMBER, 0), ("TeRoom", NUMBER, 0))


class _Sectors(ContentKind):
    """The sectors of a room; they are decoded for all rooms at once, see :mod:`.prj2`."""

    is_parent = True
    is_list = True

    def read(self, chunk: Chunk, context: ProjectContext) -> bytes:
        return chunk.body

    def write(self, value: RoomShape, name: str, context: ProjectContext) -> bytes:
        return sector_list(value)

    def merge(self, value: RoomShape, chunk: Chunk, context: ProjectContext) -> bytes:
        old = context.shapes.get((context.size, chunk.body))
        if old is None:
            (old,) = read_shapes([ProjectSectors(context.part, *context.size, chunk.body)])
        return merged_list(value, old, chunk.body)


def _old_kind(kind: RoomType, strength: str, offset: int = 0) -> Callable[[dict[str, Any], int], None]:
    """Return the function that sets a kind and its strength from the level in an old chunk."""

    def apply(values: dict[str, Any], level: int) -> None:
        if level > 0:
            values.update({"kind": kind, strength: level + offset})

    return apply


def _mist(values: dict[str, Any], level: int) -> None:
    if level > 0:
        values["effect"] = LightEffect.MIST


def _reflection(values: dict[str, Any], level: int) -> None:
    if level and values["effect"] != LightEffect.GLOW:
        values["effect"] = LightEffect.REFLECTION


def _old_strength(values: dict[str, Any], strength: int) -> None:
    values["effect_strength"] = strength + 1


_KIND = "kind kind_strength effect effect_strength"
_EMPTY: Vector = (0.25, 0.25, 0.25)

ROOM = Record(
    ProjectRoom,
    (
        Part("TeI", "number", _Number()),
        Part("TeName", "name", TEXT),
        Part("TePos2", "x y z", _Position()),
        Part("TePos", "x y z", _Position(CLICK), When.NEVER),
        Part("TeTags", "tags", TEXT),
        Part(NAME, "shape", _Sectors()),
        Part("TeAmbient", "ambient", VECTOR_LEAF),
        Part("TeCold", "cold", TRUTH),
        # Editors of before February 2026 do not know it.
        Part("TeNoCaustics", "no_caustics", TRUTH, When.IF_SET),
        Part("TeDmg", "damage", TRUTH),
        Part("TeHorizon", "horizon", TRUTH),
        Part("TeOutside", "outside", TRUTH),
        Part("TeNoLens", "no_lens_flare", TRUTH),
        Part("TeNoPath", "no_pathfinding", TRUTH),
        Part("TeRoomType", "kind", NUMBER),
        Part("TeRoomTypeStrength", "kind_strength", NUMBER),
        Part("TeRoomLightEffect", "effect", NUMBER),
        Part("TeRoomLightEffectStrength2", "effect_strength", NUMBER),
        Part("TeRoomLightEffectStrength", "effect_strength", NUMBER, When.NEVER, _old_strength),
        Part("TeWater", _KIND, NUMBER, When.NEVER, _old_kind(RoomType.WATER, "effect_strength")),
        Part("TeMist", _KIND, NUMBER, When.NEVER, _mist),
        Part("TeReflect", _KIND, NUMBER, When.NEVER, _reflection),
        Part("TeRain", _KIND, NUMBER, When.NEVER, _old_kind(RoomType.RAIN, "kind_strength", -1)),
        Part("TeSnow", _KIND, NUMBER, When.NEVER, _old_kind(RoomType.SNOW, "kind_strength", -1)),
        Part("TeQuickSand", _KIND, NUMBER, When.NEVER, _old_kind(RoomType.QUICKSAND, "effect_strength")),
        Part("TeReverb", "reverb", NUMBER),
        Part("TeRoomLightInt", "interpolation", NUMBER),
        Part("TeLocked", "locked", TRUTH),
        Part("TeHidden", "hidden", TRUTH),
        Part("TeAlternate", "alternate", _ALTERNATE, When.IF_SET),
        Part("TeObjects", "objects", ObjectList()),
    ),
    {"number": 0, "name": "", "x": 0, "y": 0, "z": 0, "shape": None},
)
