"""WAD2: the objects of Tomb Editor and WadTool, in chunks.

The format is known from its editor alone; no documentation describes it. Unedited chunks are written as they
were read, including unknown ones. See :mod:`.meshes`, :mod:`.animations`, :mod:`.objects` and
:mod:`.textures` for their content.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from ....base.bytes.chunks import END, Chunk, ChunkStream, children, find, open_stream, read_chunks, replaced
from ....base.bytes.cursor import Cursor
from ....base.bytes.files import file_content
from ....base.errors import FormatError
from ....base.schema.chunks import NUMBER
from .chunks import parent, value_in

MAGIC = b"WAD2"
_OLD_MAGIC = b"Wad2"
_FIRST = b"W2"  # of every name; a number of one byte may precede the first chunk
_NO_WAD2 = "this is no file of Tomb Editor's objects"
_TOO_OLD = "it was written before March 2018: open and save it in a WadTool of that time"

GAME_VERSION = "W2SuggestedGameVersion"
# The lists of the file, in Tomb Editor's order.
LISTS = (
    "W2Textures",
    "W2Sprites",
    "W2SpriteSequences",
    "W2Moveables",
    "W2Statics",
    "W2Metadata",
    "W2AnimatedTextureSets",
)
TR4_OBJECTS = 4  # the version of a file without one
TOMB_ENGINE = 18


@dataclass
class Wad2:
    """A WAD2, chunk by chunk. Replace chunks to edit it."""

    chunks: list[Chunk]  #: those of the file, in order.
    start: bytes = b""  #: the bytes before them: files of 2017 have a number there.
    rest: bytes = END  #: the end mark of their list, and all bytes after it.
    _stream: ChunkStream = field(default=ChunkStream(b"", 0), repr=False)

    @property
    def version(self) -> int:
        """The game that the objects are for: 1 to 5, 11 TR1X, 12 TR2X, 16 TRNG, 18 Tomb Engine."""
        return int(value_in(self.chunks, GAME_VERSION, NUMBER, TR4_OBJECTS))

    def listed(self, name: str) -> list[Chunk]:
        """Return the chunks of one of the :data:`LISTS`."""
        part = find(self.chunks, name)
        return [] if part is None else children(part)[1]

    def put(self, name: str, parts: Sequence[Chunk]) -> None:
        """Replace the chunks of one of the :data:`LISTS`, unless they are equal."""
        if list(parts) != self.listed(name):
            following = LISTS[LISTS.index(name) + 1 :]
            self.chunks = replaced(self.chunks, parent(name, parts), following)

    def to_bytes(self) -> bytes:
        """Return the file. An unedited file is written byte for byte as it was read.

        Edited files are no longer compressed, as in Tomb Editor.
        """
        content = b"".join((self.start, *(part.to_bytes() for part in self.chunks), self.rest))
        return self._stream.packed(MAGIC, content)


def read_wad2(source: str | os.PathLike[str] | bytes) -> Wad2:
    """Read a WAD2 from a file or from its bytes. Only the top-level chunks are decoded.

    Raises:
        FormatError: if it is not a WAD2, damaged, or older than editors can read.
        OSError: if the file cannot be read.
    """
    data = file_content(source)
    stream = open_stream(data, MAGIC, "the packed WAD2", {_OLD_MAGIC: _TOO_OLD, b"": _NO_WAD2})
    cursor = Cursor(stream.data, stream.start)
    cursor.section = "chunks"
    begin = cursor.offset
    if cursor.data[begin + 2 : begin + 4] == _FIRST:
        cursor.take(1)
    start = cursor.offset
    parts = read_chunks(cursor)
    if not any(part.name.startswith("W2") for part in parts):
        raise FormatError("chunks", "a chunk of a WAD2", "none", problem=_NO_WAD2)
    end = start + sum(len(part.head) + len(part.body) for part in parts)
    return Wad2(parts, bytes(cursor.data[begin:start]), bytes(cursor.data[end:]), stream)
