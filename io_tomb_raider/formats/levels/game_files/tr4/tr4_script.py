"""SCRIPT.DAT: the script of TR4 and TR5, chapter 12.1 of the documentation.

It has the options of the game, the paths of the levels, the commands of each, and the names of the language
files in the game's order of preference. TRNG appends its footer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....base.bytes.cursor import Cursor
from ....base.bytes.records import U8, U16
from ....base.errors import ExportError
from ....base.games import Game
from ....base.messages import T
from ....base.schema.fields import Field
from ....base.schema.sections import Array, Fields, Remainder, join_sections, read_sections
from ...level.footer import TrngFooter, split_footer
from ..strings.string_tables import StringTable
from .tr4_commands import ScriptCommand, decode_level

EXTENSION_SIZE = 5
# The platform and kind of each of the eight extensions; the fourth and the eighth are unused.
EXTENSIONS = tuple(
    (platform, kind) for platform in ("PSX", "PC") for kind in ("Level", "FMV", "Cut", "Other")
)
_PC_LEVEL = EXTENSIONS.index(("PC", "Level"))

_LAYOUT: tuple[Field, ...] = (
    Fields("IIB", ("options", "input_timeout", "security")),
    Fields("BBB", ("num_levels", "num_files", "padding")),
    Fields("HH", ("files_size", "levels_size")),
    Array("extensions", np.dtype((U8, (EXTENSION_SIZE,))), len(EXTENSIONS)),
    Array("file_offsets", U16, "num_files"),
    Array("file_names", U8, "files_size"),
    Array("level_offsets", U16, "num_levels"),
    Array("level_data", U8, "levels_size"),
    Remainder("languages"),
)


class Script:
    """The script of TR4 or TR5. Arrays are read-only views: replace an attribute to edit it.

    When the script is written, its counts are derived from the lists.
    """

    game: Game
    footer: TrngFooter | None

    options: int  # see tr4_script_text.OPTIONS
    input_timeout: int
    security: int
    num_levels: int
    num_files: int
    padding: int
    files_size: int
    levels_size: int
    extensions: NDArray[np.uint8]  # (8, 5) uint8: see EXTENSIONS
    file_offsets: NDArray[np.uint16]  # (num_files,) uint16, into file_names
    file_names: NDArray[np.uint8]
    level_offsets: NDArray[np.uint16]  # (num_levels,) uint16, into level_data
    level_data: NDArray[np.uint8]  # uint8: commands
    languages: NDArray[np.uint8]  # uint8: names of language files, each ended by a zero byte

    @property
    def files(self) -> StringTable:
        """The paths of level files, without their extensions."""
        return StringTable(tuple(self.file_offsets.tolist()), self.file_names.tobytes())

    @property
    def language_files(self) -> list[str]:
        """The names of the language files, in the game's order of preference."""
        return [name.decode("latin-1") for name in self.languages.tobytes().split(b"\0") if name]

    @property
    def levels(self) -> list[bytes] | None:
        """The bytes of each level's commands, or None if they are not consecutive."""
        starts = self.level_offsets.tolist()
        ends = [*starts[1:], len(self.level_data)]
        if not starts:
            return None if len(self.level_data) else []
        if starts[0] or any(start > end for start, end in zip(starts, ends, strict=True)):
            return None
        data = self.level_data.tobytes()
        return [data[start:end] for start, end in zip(starts, ends, strict=True)]

    @property
    def commands(self) -> list[list[ScriptCommand] | None]:
        """The commands of each level, None for one whose bytes are unknown."""
        return [decode_level(level, self.game) for level in self.levels or ()]

    def set_levels(self, levels: Sequence[bytes]) -> None:
        """Set the bytes of all levels' commands. Raises ExportError if there are too many."""
        sizes = [len(level) for level in levels]
        if sum(sizes) > 0xFFFF:
            raise ExportError("levels", T("too many bytes of commands"), count=sum(sizes), limit=0xFFFF)
        self.level_offsets = np.cumsum([0, *sizes])[:-1].astype(U16)
        self.level_data = np.frombuffer(b"".join(levels), U8)

    def set_files(self, table: StringTable) -> None:
        """Set the paths of level files."""
        self.file_offsets = np.array(table.offsets, U16)
        self.file_names = np.frombuffer(table.block, U8)

    def to_bytes(self) -> bytes:
        """Return the script as a file. An unedited script is written byte for byte as it was read.

        Raises:
            ExportError: if a count or a number does not fit its field.
        """
        self.num_levels, self.num_files = len(self.level_offsets), len(self.file_offsets)
        self.files_size, self.levels_size = len(self.file_names), len(self.level_data)
        return join_sections(_LAYOUT, self) + (self.footer.to_bytes() if self.footer else b"")


def read_script(data: bytes, game: Game | None = None) -> Script:
    """Read the script of TR4 or TR5. The game determines opcodes; None finds it, see :func:`game_of`.

    Raises FormatError if it is not such a script, or damaged.
    """
    content, footer = split_footer(data)
    script = Script()
    cursor = Cursor(content)
    read_sections(_LAYOUT, cursor, script)
    for name, offsets, size in (
        ("file_offsets", script.file_offsets, script.files_size),
        ("level_offsets", script.level_offsets, script.levels_size),
    ):
        if len(offsets) and int(offsets.max()) > size:
            cursor.section = name
            element = int(offsets.argmax())
            raise cursor.error(f"an offset of at most {size}", str(offsets[element]), element=element)
    script.footer = footer
    script.game = game or game_of(script)
    return script


def game_of(script: Script) -> Game:
    """Return the game of a script by the extension of its levels: TR5 for ``.TRC``, else TR4."""
    extension = script.extensions[_PC_LEVEL].tobytes().partition(b"\0")[0]
    return Game.TR5 if extension.upper() == b".TRC" else Game.TR4
