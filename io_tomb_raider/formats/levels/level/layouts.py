"""The level files of all five games, section by section (documentation, chapter 10).

Each layout reads like the chapter that describes it. A demo is its game's layout with sections moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes import records
from ...base.bytes.cursor import Cursor
from ...base.bytes.records import I16, I32, SOUND_MAP_SIZE, U8, U16, U32
from ...base.bytes.splice import clip_ranges, ranges_of
from ...base.errors import ExportError
from ...base.games import Game, Variant
from ...base.messages import T
from ...base.schema.fields import Field, Out, Values
from ...base.schema.sections import (
    Array,
    Compressed,
    Counted,
    Fields,
    Marker,
    MayEnd,
    Remainder,
    SameCount,
    Sized,
    append_array,
    append_count,
    check_number,
)
from ..rooms.rooms import ROOM_TR1, ROOM_TR2, ROOM_TR3, ROOM_TR4, Rooms
from ..rooms.rooms_tr5 import RoomsTR5

Layout = tuple[Field, ...]


@dataclass(frozen=True)
class Zones(Field):
    """For the normal and the flipped state, an array of zone numbers per kind of enemy movement, by box."""

    kinds: int

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "zones"
        boxes = len(record["boxes"])
        record["zones"] = cursor.array(U16, 2 * self.kinds * boxes).reshape(2, self.kinds, boxes)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        check_number(record["zones"].reshape(-1), 2 * self.kinds * len(record["boxes"]), "zones")
        append_array(out, record["zones"], U16)


@dataclass(frozen=True)
class DemoAndSoundMap(Field):
    """The demo's bytes and the sound map of TR4 and TR5.

    Levels with a TRNG footer have no demo: they use its count for the length of their longer sound map.
    """

    game: Game

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "demo_data"
        (count,) = cursor.fields(_COUNT16)
        counted = record["sound_map_counted"] = bool(count) and record["has_trng_footer"]
        record["demo_data"] = cursor.array(U8, 0 if counted else count)
        cursor.section = "sound_map"
        record["sound_map"] = cursor.array(I16, count if counted else SOUND_MAP_SIZE[self.game])

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        counted, demo, sound_map = (record[n] for n in ("sound_map_counted", "demo_data", "sound_map"))
        if counted:
            check_number(demo, 0, "demo_data")
            append_count(out, len(sound_map), U16, "sound_map")
        else:
            check_number(sound_map, SOUND_MAP_SIZE[self.game], "sound_map")
            append_count(out, len(demo), U16, "demo_data")
        append_array(out, demo, U8)
        append_array(out, sound_map, I16)


_COUNT16 = Struct("<H")


@dataclass(frozen=True)
class Samples(Field):
    """The embedded sounds of TR4 and TR5: each with its decoded and its stored size, then the bytes.

    ``samples`` holds them as one array of bytes, ``sample_count`` their number. A level with a TRNG footer
    may instead have pairs of numbers that refer to a separate file.
    """

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "samples"
        (count,) = cursor.fields(_COUNT32)
        record["sample_count"] = count
        start = cursor.offset
        if record["has_trng_footer"] and self._are_external(cursor, count):
            cursor.take(8 * count)
        else:
            if 8 * count > cursor.remaining:
                raise cursor.too_short(8 * count, f"{count} samples")
            for index in range(count):
                _, size = cursor.fields(_SAMPLE, index)
                cursor.take(size, index)
        size, cursor.offset = cursor.offset - start, start
        record["samples"] = cursor.array(U8, size)

    @staticmethod
    def _are_external(cursor: Cursor, count: int) -> bool:
        end = cursor.offset + 8 * count
        return bytes(cursor.data[end : end + 2]) == b"NG"

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(_COUNT32.pack(record["sample_count"]))
        append_array(out, record["samples"], U8)


_COUNT32 = Struct("<I")
_SAMPLE = Struct("<II")


@dataclass(frozen=True)
class AnimationClaims(Field):
    """No bytes, but a check that animations do not refer to table entries excessively often.

    Animations may share state changes, dispatches and commands, and real levels have references beyond the
    end. A file in which every animation refers to the whole tables would take hours to decode.
    """

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "animations"
        changes, dispatches = record["state_changes"], record["animation_dispatches"]
        first, last = _range(record["animations"], "first_state_change", "state_changes", len(changes))
        of_change = np.subtract(*_range(changes, "first_dispatch", "dispatches", len(dispatches))[::-1])
        total = np.concatenate(([0], np.cumsum(of_change)))
        stream = len(record["animation_commands"])
        begin, end = _range(record["animations"], "first_command", "commands", stream)
        for name, claims, available in (
            ("state_changes", last - first, len(changes)),
            ("animation_dispatches", total[last] - total[first], len(dispatches)),
            ("animation_commands", end - begin, stream),
        ):
            most = _MOST_CLAIMS * max(available, _FEW)
            if int(claims.sum()) > most:
                element = int(np.searchsorted(np.cumsum(claims), most, side="right"))
                limit = f"the {available} {name} at most {_MOST_CLAIMS} times"
                total_claim = f"a claim of {int(claims.sum())}"
                raise cursor.error(f"animations that together claim {limit}", total_claim, element=element)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        pass


_MOST_CLAIMS = 16
_FEW = 4096  # tables too small to take long, whatever refers to them


def _range(
    records: NDArray[np.void], first: str, count: str, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return start and stop of the ranges of records, clipped to the size of the table."""
    return clip_ranges(*ranges_of(records, first, count), size)


# --- Groups of sections that several games share ----------------------------------------


def _world(rooms: Field, animation: np.dtype, model: np.dtype) -> Layout:
    return (
        Fields("I", ("level_number",)),
        rooms,
        Counted("floor_data", U16),
        MeshData(),
        Counted("mesh_pointers", U32),
        Counted("animations", animation),
        Counted("state_changes", records.STATE_CHANGE),
        Counted("animation_dispatches", records.ANIMATION_DISPATCH),
        Counted("animation_commands", I16),
        AnimationClaims(),
        Counted("mesh_trees", I32),
        Counted("frames", U16),
        Counted("models", model),
        Counted("static_meshes", records.STATIC_MESH),
    )


@dataclass(frozen=True)
class MeshData(Field):
    """The meshes, counted in 16-bit words and kept as bytes; ``mesh_pointers`` are byte offsets."""

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = "mesh_data"
        (words,) = cursor.fields(_COUNT32)
        record["mesh_data"] = cursor.array(U8, 2 * words)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        words, odd = divmod(len(record["mesh_data"]), 2)
        if odd:
            raise ExportError("mesh_data", T("an odd number of bytes"), count=len(record["mesh_data"]))
        append_count(out, words, U32, "mesh_data")
        append_array(out, record["mesh_data"], U8)


_SPRITES: Layout = (
    Counted("sprite_textures", records.SPRITE_TEXTURE),
    Counted("sprite_sequences", records.SPRITE_SEQUENCE),
)
_CAMERAS = Counted("cameras", records.CAMERA)
_SOUND_SOURCES = Counted("sound_sources", records.SOUND_SOURCE)
_ANIMATED_TEXTURES = Counted("animated_textures", U16)
_LIGHT_MAP = Array("light_map", np.dtype((U8, (256,))), 32)
_PALETTE = Array("palette", records.COLOR, 256)
_CINEMATIC_AND_DEMO: Layout = (
    Counted("cinematic_frames", records.CINEMATIC_FRAME, U16),
    Counted("demo_data", U8, U16),
)


def _boxes(box: np.dtype, zone_kinds: int) -> Layout:
    return (Counted("boxes", box), Counted("overlaps", U16), Zones(zone_kinds))


def _pages_first() -> Layout:
    return (
        _PALETTE,
        Array("palette16", records.COLOR_PADDED, 256),
        Counted("textiles8", records.TEXTILE8),
        SameCount("textiles16", records.TEXTILE16, like="textiles8"),
    )


_VERSION = Fields("I", ("version",))
_SAMPLE_INDICES = Counted("sample_indices", U32)

# --- The five games ----------------------------------------

TR1: Layout = (
    _VERSION,
    Counted("textiles8", records.TEXTILE8),
    *_world(Rooms(ROOM_TR1), records.ANIMATION, records.MODEL),
    Counted("object_textures", records.OBJECT_TEXTURE),
    *_SPRITES,
    _CAMERAS,
    _SOUND_SOURCES,
    *_boxes(records.BOX_TR1, 3),
    _ANIMATED_TEXTURES,
    Counted("entities", records.ENTITY_TR1),
    _LIGHT_MAP,
    _PALETTE,
    *_CINEMATIC_AND_DEMO,
    Array("sound_map", I16, SOUND_MAP_SIZE[Game.TR1]),
    Counted("sound_details", records.SOUND_DETAILS_TR1),
    Counted("sample_data", U8),
    _SAMPLE_INDICES,
    Remainder("footer"),
)

TR2: Layout = (
    _VERSION,
    *_pages_first(),
    *_world(Rooms(ROOM_TR2), records.ANIMATION, records.MODEL),
    Counted("object_textures", records.OBJECT_TEXTURE),
    *_SPRITES,
    _CAMERAS,
    _SOUND_SOURCES,
    *_boxes(records.BOX_TR2, 5),
    _ANIMATED_TEXTURES,
    Counted("entities", records.ENTITY_TR2),
    _LIGHT_MAP,
    *_CINEMATIC_AND_DEMO,
    Array("sound_map", I16, SOUND_MAP_SIZE[Game.TR2]),
    Counted("sound_details", records.SOUND_DETAILS_TR1),
    _SAMPLE_INDICES,
    Remainder("footer"),
)

_TR3_WORLD = _world(Rooms(ROOM_TR3), records.ANIMATION, records.MODEL)
_TEXTILES_ONLY = 0xFF180034

TR3: Layout = (
    _VERSION,
    *_pages_first(),
    MayEnd(_TEXTILES_ONLY),
    _TR3_WORLD[0],
    MayEnd(_TEXTILES_ONLY),
    *_TR3_WORLD[1:],
    *_SPRITES,
    _CAMERAS,
    _SOUND_SOURCES,
    *_boxes(records.BOX_TR2, 5),
    _ANIMATED_TEXTURES,
    Counted("object_textures", records.OBJECT_TEXTURE),
    Counted("entities", records.ENTITY_TR2),
    _LIGHT_MAP,
    *_CINEMATIC_AND_DEMO,
    Array("sound_map", I16, SOUND_MAP_SIZE[Game.TR3]),
    Counted("sound_details", records.SOUND_DETAILS_TR3),
    _SAMPLE_INDICES,
    Remainder("footer"),
)


def _level_data(
    game: Game, rooms: Field, model: np.dtype, object_texture: np.dtype, marker_end: bytes
) -> Layout:
    return (
        *_world(rooms, records.ANIMATION_TR4, model),
        Marker("sprite_marker", b"SPR" + marker_end),
        *_SPRITES,
        _CAMERAS,
        Counted("flyby_cameras", records.FLYBY_CAMERA),
        _SOUND_SOURCES,
        *_boxes(records.BOX_TR2, 5),
        _ANIMATED_TEXTURES,
        Fields("B", ("uv_rotates",)),
        Marker("texture_marker", b"TEX" + marker_end),
        Counted("object_textures", object_texture),
        Counted("entities", records.ENTITY_TR4),
        Counted("ai_objects", records.AI_OBJECT),
        DemoAndSoundMap(game),
        Counted("sound_details", records.SOUND_DETAILS_TR3),
        _SAMPLE_INDICES,
        Array("filler", U8, 6),
    )


_PAGE_COUNTS = Fields("HHH", ("room_textiles", "object_textiles", "bump_textiles"))
_TR4_LEVEL_DATA = _level_data(Game.TR4, Rooms(ROOM_TR4), records.MODEL, records.OBJECT_TEXTURE_TR4, b"")

_PAGE_CHUNKS: Layout = (
    _VERSION,
    _PAGE_COUNTS,
    Compressed("textiles32", (Remainder("textiles32", records.TEXTILE32),)),
    Compressed("textiles16", (Remainder("textiles16", records.TEXTILE16),)),
    Compressed("misc_textiles32", (Remainder("misc_textiles32", records.TEXTILE32),)),
)

TR4: Layout = (
    *_PAGE_CHUNKS,
    Compressed("level_data", _TR4_LEVEL_DATA),
    Samples(),
    Remainder("footer"),
)

TR5: Layout = (
    *_PAGE_CHUNKS,
    Fields("HH", ("lara_type", "weather")),
    Array("weather_filler", U8, 28),
    Sized(
        "level_data",
        _level_data(Game.TR5, RoomsTR5(), records.MODEL_TR5, records.OBJECT_TEXTURE_TR5, b"\0"),
    ),
    Samples(),
    Remainder("footer"),
)


def _moved(layout: Layout, name: str, before: str) -> Layout:
    """Return the layout with one section moved before another."""
    moving = _named(layout, name)
    rest = [section for section in layout if section is not moving]
    rest.insert(rest.index(_named(layout, before)), moving)
    return tuple(rest)


def _named(layout: Layout, name: str) -> Field:
    return next(section for section in layout if getattr(section, "name", None) == name)


TR1_DEMO = _moved(TR1, "palette", before="cameras")

# The demo has a count of samples in place of the others' count of indices; the samples follow.
TR2_DEMO: Layout = (
    *_moved(TR2, "light_map", before="cameras")[: TR2.index(_SAMPLE_INDICES)],
    Fields("I", ("sample_count",)),
    Remainder("samples"),
)


def _all_pages(level: Values) -> int:
    return int(level["room_textiles"] + level["object_textiles"] + level["bump_textiles"])


# The early TR4 demo is one zlib stream. Its content has the sections of the retail file, either in chunks or
# plain; plain files have been described with and without the version word.
TR4_PLAIN: Layout = (
    _VERSION,
    _PAGE_COUNTS,
    Array("textiles32", records.TEXTILE32, _all_pages),
    Array("textiles16", records.TEXTILE16, _all_pages),
    Array("misc_textiles32", records.TEXTILE32, 2),
    *_TR4_LEVEL_DATA,
    Samples(),
    Remainder("footer"),
)
TR4_EARLY_DEMOS: tuple[Layout, ...] = (TR4, TR4_PLAIN, TR4_PLAIN[1:])

# The variants of a game are tried in this order: the likeliest first.
LAYOUTS: dict[tuple[Game, Variant], Layout] = {
    (Game.TR1, Variant.RETAIL): TR1,
    (Game.TR1, Variant.DEMO): TR1_DEMO,
    (Game.TR2, Variant.RETAIL): TR2,
    (Game.TR2, Variant.DEMO): TR2_DEMO,
    (Game.TR3, Variant.RETAIL): TR3,
    (Game.TR4, Variant.RETAIL): TR4,
    (Game.TR5, Variant.RETAIL): TR5,
}
