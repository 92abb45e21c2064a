"""TOMBPC.DAT, TOMBPSX.DAT and DEMOPC.DAT: the script of TR2 and TR3, chapter 11 of the documentation.

It has the order of levels, cutscenes and films, the options of the game, and all its strings. One declaration
reads and writes it; :mod:`.gameflow_text` converts it to text and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.cursor import Cursor
from ....base.bytes.records import U8, U16, U32
from ....base.errors import FormatError
from ....base.games import Game
from ....base.messages import T
from ....base.schema.fields import Field
from ....base.schema.sections import Array, Block, Counted, Fields, Remainder, join_sections, read_sections
from ..strings.string_tables import Strings, StringTable

VERSION = 3
FLAG_CIPHER = 0x100
DESCRIPTION_SIZE = 256
FMV_INFO = np.dtype((U32, (2,)))


@dataclass(frozen=True)
class GameflowVariant:
    """The differences between builds of the game: PlayStation, and the betas of TR2."""

    psx: bool  #: whether it has start and end frames of the films.
    platform_strings: int  #: the number of strings of the platform: 41 on PC, 80 on PSX, 79 in its beta.
    extras: bool  #: whether each level also has names of secrets (4) and of special items (2).


PC = GameflowVariant(False, 41, False)
# All known variants, likeliest first.
VARIANTS = (
    PC,
    GameflowVariant(True, 80, True),
    GameflowVariant(True, 80, False),
    GameflowVariant(True, 79, True),
    GameflowVariant(True, 79, False),
    GameflowVariant(False, 41, True),
    GameflowVariant(False, 80, True),
    GameflowVariant(False, 79, True),
)


_OPTIONS = (
    "first_option",
    "title_replace",
    "on_death_demo",
    "on_death",
    "demo_time",
    "on_demo_interrupt",
    "on_demo_end",
)
_COUNTS = ("num_levels", "num_chapter_screens", "num_titles", "num_fmvs", "num_cutscenes", "num_demo_levels")

_FIELDS = (
    Fields("4iI2i", _OPTIONS),
    Array("unknown1", U8, 36),
    Fields("8H", (*_COUNTS, "title_track", "single_level")),
    Array("unknown2", U8, 32),
    Fields("H", ("flags",)),
    Array("unknown3", U8, 6),
    Fields("BBH", ("xor_key", "language", "secret_track")),
    Array("unknown4", U8, 4),
)


_HEAD: tuple[Field, ...] = (
    Fields("I", ("version",)),
    Array("description", U8, DESCRIPTION_SIZE),
    Block("more_options", _FIELDS),
    Strings("level_names", "num_levels"),
    Strings("chapter_screens", "num_chapter_screens"),
    Strings("titles", "num_titles"),
    Strings("fmvs", "num_fmvs"),
    Strings("level_paths", "num_levels"),
    Strings("cutscenes", "num_cutscenes"),
    Array("sequence_offsets", U16, "num_sequences"),
    Counted("sequence_data", U8, U16),
    Array("demo_levels", U16, "num_demo_levels"),
)


def _tail(variant: GameflowVariant) -> tuple[Field, ...]:
    extras = (Strings("secrets", "num_levels", 4), Strings("specials", "num_levels", 2))
    return (
        *((Array("fmv_info", FMV_INFO, "num_fmvs"),) if variant.psx else ()),
        Fields("H", ("num_game_strings",)),
        Strings("game_strings", "num_game_strings"),
        Strings("platform_strings", variant.platform_strings),
        Strings("puzzles", "num_levels", 4),
        *(extras if variant.extras else ()),
        Strings("pickups", "num_levels", 2),
        Strings("keys", "num_levels", 4),
        Remainder("rest"),
    )


class Gameflow:
    """The script of TR2 or TR3. Arrays are read-only views: replace an attribute to edit it.

    When the script is written, its counts are derived from the lists.
    """

    variant: GameflowVariant

    version: int
    description: NDArray[np.uint8]  # (256,) uint8: text, a zero byte, and arbitrary bytes
    first_option: int  # the six actions: see gameflow_text.ACTIONS
    title_replace: int
    on_death_demo: int
    on_death: int
    demo_time: int  # 1/30 seconds
    on_demo_interrupt: int
    on_demo_end: int
    unknown1: NDArray[np.uint8]
    num_levels: int  # includes the training level, not the title
    num_chapter_screens: int
    num_titles: int
    num_fmvs: int
    num_cutscenes: int
    num_demo_levels: int
    title_track: int
    single_level: int  # 0xFFFF is none
    unknown2: NDArray[np.uint8]
    flags: int
    unknown3: NDArray[np.uint8]
    xor_key: int
    language: int
    secret_track: int
    unknown4: NDArray[np.uint8]
    more_options: NDArray[np.uint8]  # uint8: fields after the known ones
    level_names: StringTable
    chapter_screens: StringTable
    titles: StringTable
    fmvs: StringTable
    level_paths: StringTable
    cutscenes: StringTable
    sequence_offsets: NDArray[np.uint16]  # (num_levels + 1,) uint16, in bytes: front end, then level by level
    sequence_data: NDArray[np.uint8]
    demo_levels: NDArray[np.uint16]  # (num_demo_levels,) uint16
    fmv_info: NDArray[np.uint32]  # PSX: (num_fmvs, 2) uint32, first and last frame
    num_game_strings: int
    game_strings: StringTable
    platform_strings: StringTable
    puzzles: tuple[StringTable, ...]  # 4, each with a string per level
    secrets: tuple[StringTable, ...]  # variants with extras: 4
    specials: tuple[StringTable, ...]  # variants with extras: 2
    pickups: tuple[StringTable, ...]  # 2
    keys: tuple[StringTable, ...]  # 4
    rest: NDArray[np.uint8]  # uint8: all bytes after that

    def __init__(self, variant: GameflowVariant) -> None:
        self.variant = variant

    @property
    def num_sequences(self) -> int:
        """The number of sequences of commands: the front end's, and one for each level."""
        return self.num_levels + 1

    @property
    def cipher_key(self) -> int:
        """The key of the cipher of all strings: 0 for none."""
        return self.xor_key if self.flags & FLAG_CIPHER else 0

    @property
    def game(self) -> Game:
        """The game of this script. The file does not store it; TR3 has more strings."""
        return Game.TR3 if self.num_game_strings >= _GAME_STRINGS_TR3 else Game.TR2

    def to_bytes(self) -> bytes:
        """Return the script as a file. An unedited script is written byte for byte as it was read.

        Raises:
            ExportError: if lists of the levels differ in length, or a number does not fit its field.
        """
        self.num_levels = len(self.level_names)
        self.num_chapter_screens = len(self.chapter_screens)
        self.num_titles = len(self.titles)
        self.num_fmvs = len(self.fmvs)
        self.num_cutscenes = len(self.cutscenes)
        self.num_demo_levels = len(self.demo_levels)
        self.num_game_strings = len(self.game_strings)
        return join_sections((*_HEAD, *_tail(self.variant)), self)


_GAME_STRINGS_TR3 = 92  # TR2 has 89


def read_gameflow(data: bytes, variant: GameflowVariant | None = None) -> Gameflow:
    """Read the script of TR2 or TR3.

    Args:
        variant: the build of the game; None finds the one that fits to the last byte.

    Raises:
        FormatError: if it is not such a script, or damaged.
    """
    cursor = Cursor(data)
    head = Gameflow(variant or PC)
    _check_version(data)
    read_sections(_HEAD, cursor, head)
    fitting: list[Gameflow] = []
    errors: list[FormatError] = []
    for build in VARIANTS if variant is None else (variant,):
        gameflow = Gameflow(build)
        gameflow.__dict__.update(head.__dict__, variant=build)
        try:
            read_sections(_tail(build), Cursor(data, cursor.offset), gameflow)
        except FormatError as error:
            errors.append(error)
            continue
        fitting.append(gameflow)
        if not len(gameflow.rest):
            break
    if not fitting:
        raise errors[0]
    return min(fitting, key=lambda build: len(build.rest))


def _check_version(data: bytes) -> None:
    version = int.from_bytes(data[:4], "little")
    if len(data) < 4 or version != VERSION:
        expected, problem = f"version {VERSION} of a script", T("this is no script of TR2 or TR3")
        raise FormatError("version", expected, str(version), offset=0, problem=problem)
