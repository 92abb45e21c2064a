"""Whole level files: reading, writing, and detection of the game."""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path
from struct import unpack_from
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Records
from ...base.bytes.cursor import Cursor
from ...base.bytes.files import read_file, replace_file
from ...base.bytes.inflate import inflate
from ...base.errors import NO_LEVEL, FormatError
from ...base.games import Game, Variant
from ...base.messages import T, Text, as_message
from ...base.schema.fields import Attributes, Out, write_fields
from ...base.schema.sections import EndOfLayout, read_sections
from ..rooms.rooms import Room
from .empty import fill_empty
from .layouts import LAYOUTS, TR4_EARLY_DEMOS, Layout

_VERSION_TR1 = 0x20
_VERSION_TR2 = 0x2D
_VERSIONS_TR3 = (0xFF080038, 0xFF180038, 0xFF180034)
_VERSION_TR3_PLAYSTATION = 0xFFFFFFC8
_SOUND_BANK = b"pBAV"  # after the first number of TR1's levels for the PlayStation
_VERSION_TR4 = 0x00345254  # "TR4\0", of TR4 and TR5
PROTECTED_TR4 = 0x63345254  # "TR4c": a demo, or a level that its builder protected
_VERSION_TR4_BETA = 0xFFFFFFF0
_VERSIONS_REMASTERED = (0x34585254, 0x35585254)  # "TRX4", "TRX5"

_VERSIONS_WRITTEN = {
    Game.TR1: _VERSION_TR1,
    Game.TR2: _VERSION_TR2,
    Game.TR3: _VERSIONS_TR3[1],
    Game.TR4: _VERSION_TR4,
    Game.TR5: _VERSION_TR4,
}
# Files that hold the waves of their sounds; others of the game refer to MAIN.SFX.
_WITH_WAVES = frozenset({(Game.TR2, Variant.DEMO)})

# The inflated size of the third chunk, the miscellaneous textiles: TR4 has two pages, TR5 three.
_MISC_SIZE = {524288: Game.TR4, 786432: Game.TR5}


# Sections that not all files have.
SectionName = Literal[
    "ai_objects",
    "animated_textures",
    "animations",
    "cameras",
    "cinematic_frames",
    "demo_data",
    "entities",
    "flyby_cameras",
    "footer",
    "lara_type",
    "level_number",
    "light_map",
    "models",
    "object_textures",
    "rooms",
    "sample_count",
    "sample_indices",
    "sound_details",
    "static_meshes",
]


_SINGULAR = {
    "animation_dispatches": "animation dispatch",
    "boxes": "box",
    "entities": "entity",
    "meshes": "mesh",
    "sample_indices": "sample index",
    "static_meshes": "static mesh",
    "vertices": "vertex",
}


def section_noun(name: str, count: int) -> Text:
    """Return the word for elements of a section, singular for one."""
    singular = _SINGULAR.get(name, name.removesuffix("s"))
    return as_message((singular if count == 1 else name).replace("_", " "))


class Level:
    """A level with one attribute per section of its file. Use :meth:`has` to test for a section.

    Arrays that were read are read-only views of the file's bytes: replace an attribute to edit it. Record
    types are those of :mod:`...base.bytes.records`; shapes are (count,) unless said otherwise.
    """

    game: Game
    variant: Variant
    layout: Layout
    streams: dict[str, tuple[bytes, memoryview]]  # content and compressed stream of chunks
    ends_at: int | None  # the offset at which a TR3 file of textiles ended
    compression: int = 6  # zlib's level for edited chunks, from 0 (stored) to 9
    has_trng_footer: bool
    sound_map_counted: bool  # TRNG

    version: int
    palette: NDArray[np.uint8]  # TR1 to TR3: (256, 3) uint8
    palette16: NDArray[np.uint8]  # TR2, TR3: (256, 4) uint8
    textiles8: NDArray[np.uint8]  # TR1 to TR3: (n, 256, 256) uint8
    textiles16: NDArray[np.uint16]  # TR2 to TR5: (n, 256, 256) uint16, A1R5G5B5
    room_textiles: int  # TR4, TR5: the number of pages of each kind, in this order
    object_textiles: int
    bump_textiles: int
    textiles32: NDArray[np.uint8]  # TR4, TR5: (n, 256, 256, 4) uint8, B G R A
    misc_textiles32: NDArray[np.uint8]  # TR4: font, sky. TR5: environment map, font, sky.
    lara_type: int  # TR5
    weather: int  # TR5
    level_number: int
    rooms: list[Room]
    floor_data: NDArray[np.uint16]  # uint16
    mesh_data: NDArray[np.uint8]  # uint8
    mesh_pointers: NDArray[np.uint32]  # uint32, bytes into mesh_data
    animations: Records
    state_changes: Records
    animation_dispatches: Records
    animation_commands: NDArray[np.int16]  # int16
    mesh_trees: NDArray[np.int32]  # int32, four words per node
    frames: NDArray[np.uint16]  # uint16
    models: Records
    static_meshes: Records
    object_textures: Records
    sprite_textures: Records
    sprite_sequences: Records
    cameras: Records
    flyby_cameras: Records  # TR4, TR5
    sound_sources: Records
    boxes: Records
    overlaps: NDArray[np.uint16]  # uint16
    zones: NDArray[np.uint16]  # (2, kinds, boxes) uint16: normal and flipped state
    animated_textures: NDArray[np.uint16]  # uint16
    uv_rotates: int = 0  # TR4, TR5
    entities: Records
    ai_objects: Records  # TR4, TR5
    light_map: NDArray[np.uint8]  # TR1 to TR3: (32, 256) uint8
    cinematic_frames: Records  # TR1 to TR3
    demo_data: NDArray[np.uint8]  # uint8
    sound_map: NDArray[np.int16]  # int16
    sound_details: Records
    sample_data: NDArray[np.uint8]  # TR1: uint8
    sample_indices: NDArray[np.uint32]  # uint32
    sample_count: int  # TR4, TR5, TR2 demo
    samples: NDArray[np.uint8]  # TR4, TR5, TR2 demo: uint8
    footer: NDArray[np.uint8]  # uint8: all bytes after the last section, including TRNG's footer

    def __init__(self, game: Game, variant: Variant, layout: Layout) -> None:
        self.game = game
        self.variant = variant
        self.layout = layout
        self.streams = {}
        self.ends_at = None
        self.has_trng_footer = False
        self.sound_map_counted = False

    @classmethod
    def empty(cls, game: Game) -> Level:
        """Return the smallest level that a game's loader accepts: all sections, and an empty world."""
        layout = LAYOUTS[game, Variant.RETAIL]
        level = cls(game, Variant.RETAIL, layout)
        fill_empty(level, game, layout)
        level.version = _VERSIONS_WRITTEN[game]
        return level

    def unprotect(self) -> bool:
        """Give a level of TR4 the version that all readers know; return whether it had the other one."""
        is_protected = self.version == PROTECTED_TR4
        if is_protected:
            self.version = _VERSION_TR4
        return is_protected

    def has(self, section: SectionName) -> bool:
        """Return whether the file has a section. Games lack some, files of textiles only most."""
        return section in self.__dict__

    def copy(self) -> Level:
        """Return a copy that shares the arrays but can be edited independently, including its rooms."""
        twin = Level(self.game, self.variant, self.layout)
        twin.__dict__.update(self.__dict__)
        if self.has("rooms"):
            twin.rooms = [room.copy() for room in self.rooms]
        return twin

    def to_bytes(self) -> bytes:
        """Return the level as a file. An unedited level is written byte for byte as it was read.

        Raises:
            ExportError: if an edited section does not fit the fields of the file.
        """
        out: Out = []
        with suppress(EndOfLayout):
            write_fields(self.layout, Attributes(self), out)
        content = b"".join(out)
        if self.variant is not Variant.EARLY_DEMO:
            return content
        original, stream = self.streams.get(_WHOLE_FILE, (None, b""))
        return bytes(stream) if content == original else zlib.compress(content, self.compression)


_WHOLE_FILE = "file"


def read_level(source: str | os.PathLike[str] | bytes, *, name: str = "") -> Level:
    """Read a level of any of the five games from a file or from its bytes.

    The game and the variant are detected from the content; the file extension decides only if a file may be
    TR4 or TR5. Only the records are decoded.

    Args:
        source: a file, or its bytes.
        name: the name of the file if its bytes are given.

    Raises:
        FormatError: if it is not such a level, or damaged.
        OSError: if the file cannot be read.
    """
    if isinstance(source, bytes):
        data, suffix = source, Path(name).suffix.lower()
    else:
        data, suffix = read_file(source), Path(source).suffix.lower()
    if len(data) < 8:
        raise FormatError("version", "a level file", f"{len(data)} bytes", offset=0, problem=NO_LEVEL)
    if _is_zlib(data):
        return _read_early_demo(data)
    return _read_first(data, _game_of(data, suffix))


def write_level(level: Level, path: str | os.PathLike[str]) -> None:
    """Write a level to a file, atomically.

    Raises:
        ExportError: if an edited section does not fit the fields of the file.
        OSError: if the file cannot be written.
    """
    replace_file(path, level.to_bytes())


def _is_zlib(data: bytes) -> bool:
    return data[0] == 0x78 and int.from_bytes(data[:2], "big") % 31 == 0


def _game_of(data: bytes, suffix: str) -> Game:
    """Return the game of a file."""
    (version,) = unpack_from("<I", data)
    if version == _VERSION_TR1:
        return Game.TR1
    if version == _VERSION_TR2:
        return Game.TR2
    if version in _VERSIONS_TR3:
        return Game.TR3
    if version == PROTECTED_TR4 and not _inflates(data):
        problem = T("this level is protected by its builder, so it cannot be opened")
        expected, actual = "a level that may be opened", "one that its builder has protected"
        raise FormatError("version", expected, actual, offset=0, problem=problem)
    if version in (_VERSION_TR4, PROTECTED_TR4, _VERSION_TR4_BETA):
        return _tr4_or_tr5(data, suffix)
    if version in _VERSIONS_REMASTERED:
        problem = T("this is a level of the remastered games: open the one of the classic games")
        expected = "a level of the classic games"
        raise FormatError("version", expected, "a remastered level", offset=0, problem=problem)
    if version == _VERSION_TR3_PLAYSTATION or data[4:8] == _SOUND_BANK or suffix == ".psx":
        problem = T("this is a level of the PlayStation: open the one of the game for PC")
        raise FormatError("version", "a level for PC", "a PlayStation level", offset=0, problem=problem)
    expected = "the version of a Tomb Raider level"
    raise FormatError("version", expected, f"{version:#010x}", offset=0, problem=NO_LEVEL)


def _inflates(data: bytes) -> bool:
    """Return whether the first chunk of a TR4 file starts as a zlib stream."""
    try:
        return bool(zlib.decompressobj().decompress(data[18:4096], 64))
    except zlib.error:
        return False


def _tr4_or_tr5(data: bytes, suffix: str) -> Game:
    cursor = Cursor(data, 10)
    for name in ("textiles32", "textiles16"):
        cursor.section = name
        cursor.take(4)
        (packed,) = unpack_from("<I", data, cursor.take(4))
        cursor.take(packed)
    cursor.section = "misc_textiles32"
    (size,) = unpack_from("<I", data, cursor.take(4))
    return _MISC_SIZE.get(size, Game.TR5 if suffix == ".trc" else Game.TR4)


def _read_first(data: bytes, game: Game) -> Level:
    """Read the file as the first variant that fits to the last byte, else as the first that fits."""
    fitting: Level | None = None
    errors: list[FormatError] = []
    for variant in (variant for each, variant in LAYOUTS if each is game):
        try:
            level = _read(data, game, variant, LAYOUTS[game, variant])
        except FormatError as error:
            errors.append(error)
            continue
        if (game, variant) not in _WITH_WAVES or _are_waves(level):
            is_whole = not (level.has("footer") and len(level.footer))
            if fitting is None or is_whole:
                fitting = level
            if is_whole:
                break
    if fitting is None:
        # The variant that fits most of the file is the likeliest.
        raise max(errors, key=lambda error: error.offset or 0)
    return fitting


def _are_waves(level: Level) -> bool:
    """Return whether the samples of a TR2 demo are the stated number of WAV files, end to end."""
    offset, size = 0, len(level.samples)
    for _ in range(level.sample_count):
        if offset + 8 > size or bytes(level.samples[offset : offset + 4]) != b"RIFF":
            return False
        offset += 8 + int(level.samples[offset + 4 : offset + 8].view("<u4")[0])
    return offset <= size


def _read(data: bytes, game: Game, variant: Variant, layout: Layout) -> Level:
    level = Level(game, variant, layout)
    level.has_trng_footer = game.traits.has_trng and data[-8:-4] == b"NGLE"
    try:
        read_sections(layout, Cursor(data), level)
    except EndOfLayout:
        level.rooms = []
    return level


def _read_early_demo(data: bytes) -> Level:
    """Read a TR4 level that is one zlib stream (documentation, chapter 9.1)."""
    cursor = Cursor(data)
    cursor.section = _WHOLE_FILE
    content = inflate(cursor, memoryview(data), None)
    errors: list[FormatError] = []
    for layout in TR4_EARLY_DEMOS:
        try:
            level = _read(content, Game.TR4, Variant.EARLY_DEMO, layout)
            level.streams[_WHOLE_FILE] = (content, memoryview(data))
            return level
        except FormatError as error:
            errors.append(error)
    raise errors[0]
