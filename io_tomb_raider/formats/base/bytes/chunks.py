"""The chunks of Tomb Editor's files: a name, a size, a content.

Numbers are signed LEB128: seven bits per byte, the low ones first; bit 7 is set if more bytes follow, and bit
6 of the last byte is the sign. A chunk begins with the length of its name, its name and the size of its
content. A list of chunks ends with a byte 0, an empty name. The content of a chunk with children is plain
fields, then such a list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct

from ..errors import ExportError
from ..messages import T
from .cursor import Cursor
from .inflate import inflate_whole

_MOST_LEB = 10  # bytes of a number
_ONE_BYTE = 0x40  # numbers below are one byte
END = b"\0"
_FLAGS, _SIZE = Struct("<I"), Struct("<i")
_COMPRESSED = 1 << 31


@dataclass(frozen=True)
class Chunk:
    """A chunk of the file."""

    name: str
    body: bytes  #: its content.
    head: bytes  #: its name and size, in the original bytes.

    def to_bytes(self) -> bytes:
        """Return the whole chunk."""
        return self.head + self.body

    def with_body(self, body: bytes) -> Chunk:
        """Return the chunk with another content. The field of its size keeps its width if that suffices."""
        if body == self.body:
            return self
        name = _name_bytes(self.name)
        return Chunk(self.name, body, name + leb_bytes(len(body), len(self.head) - len(name), grows=True))


# --- Numbers -----------------------------------------------------------------------------------


def leb(cursor: Cursor) -> int:
    """Read a number. Raises FormatError if it does not end."""
    start = cursor.offset
    data = cursor.data
    if start < len(data) and (first := data[start]) < _ONE_BYTE:  # nearly all numbers
        cursor.offset = start + 1
        return first
    value = shift = 0
    for byte in data[start : start + _MOST_LEB]:
        cursor.offset += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value - (1 << shift) if byte & 0x40 else value
    if cursor.offset - start < _MOST_LEB:
        raise cursor.too_short(1)
    raise cursor.error(f"a number of at most {_MOST_LEB} bytes", "more", offset=start)


def lebs(cursor: Cursor, count: int) -> list[int]:
    """Read several numbers."""
    return [leb(cursor) for _ in range(count)]


def leb_bytes(value: int, width: int = 0, *, grows: bool = False) -> bytes:
    """Return the bytes of a number, as few as possible or a given number of them.

    Args:
        width: the number of bytes; 0 for as few as possible.
        grows: more bytes are used if the number needs them.

    Raises:
        ExportError: if it does not fit.
    """
    result = bytearray()
    while True:
        byte = value & 0x7F
        value >>= 7
        ends = value == (-1 if byte & 0x40 else 0)
        if ends and len(result) + 1 >= width:
            result.append(byte)
            break
        result.append(byte | 0x80)
    if width and len(result) > width and not grows:
        limit = (1 << (7 * width - 1)) - 1
        raise ExportError("chunks", T("a part of the file is too large"), limit=limit)
    return bytes(result)


# --- Chunks ------------------------------------------------------------------------------------


def read_chunks(cursor: Cursor, nested: Collection[str] = ()) -> list[Chunk]:
    """Read a list of chunks up to its end mark or the end of the content.

    Args:
        nested: names of chunks that can be nested thousands of times. Their contents are views, since copies
            would take the time of the size times the depth.

    Raises:
        FormatError: if a chunk extends beyond its parent.
    """
    result = []
    data, end = cursor.data, len(cursor.data)
    while (start := cursor.offset) < end:
        length = data[start]
        if length < _ONE_BYTE:
            cursor.offset = start + 1
        else:
            length = leb(cursor)
        if length == 0:
            break
        if length < 0:
            raise cursor.error("the length of a chunk's name", str(length), offset=start)
        offset = cursor.take(length)
        name = str(data[offset : offset + length], "latin-1")
        size = leb(cursor)
        if size < 0:
            raise cursor.error("the size of a chunk", str(size))
        offset = cursor.take(size)
        content = memoryview(data)[offset : offset + size]
        body = content if name in nested else bytes(content)
        result.append(Chunk(name, body, bytes(data[start:offset])))  # type: ignore[arg-type]
    return result


def children(chunk: Chunk, fields: int = 0) -> tuple[list[int], list[Chunk]]:
    """Return the leading plain numbers of a chunk, and its children. Raises FormatError if it is damaged."""
    cursor = inside(chunk)
    return lebs(cursor, fields), read_chunks(cursor)


def inside(chunk: Chunk) -> Cursor:
    """Return a cursor at the start of a chunk's content."""
    cursor = Cursor(chunk.body)
    cursor.section = chunk.name
    return cursor


def _name_bytes(name: str) -> bytes:
    raw = name.encode("latin-1")
    return leb_bytes(len(raw)) + raw


@dataclass(frozen=True)
class ChunkWriter:
    """Chunks of one kind of file: their sizes are numbers of a fixed width, as the editor writes them.

    Readers accept any width.
    """

    #: by name, the width for chunks without children; the others get as few bytes as possible.
    leaves: Mapping[str, int]
    parents: Mapping[str, int]  #: by name, the width for chunks with children.
    parent_width: int = 4  #: that of the other chunks with children.
    grows: bool = False  #: a size that does not fit gets more bytes.

    def _chunk(self, name: str, body: bytes, width: int) -> Chunk:
        return Chunk(name, body, _name_bytes(name) + leb_bytes(len(body), width, grows=self.grows))

    def leaf(self, name: str, body: bytes) -> Chunk:
        """Return a new chunk without children."""
        return self._chunk(name, body, self.leaves.get(name, 0))

    def parent(self, name: str, parts: Iterable[Chunk], fields: bytes = b"") -> Chunk:
        """Return a new chunk with children, after plain fields.

        Raises ExportError if it is too large for a file.
        """
        return self.with_children(name, b"".join((fields, *(part.to_bytes() for part in parts), END)))

    def parent_head(self, name: str, size: int) -> bytes:
        """Return the bytes before the content of a new chunk with children."""
        width = self.parents.get(name, self.parent_width)
        return _name_bytes(name) + leb_bytes(size, width, grows=self.grows)

    def with_children(self, name: str, body: bytes) -> Chunk:
        """Return a new chunk with children, given its encoded content."""
        return self._chunk(name, body, self.parents.get(name, self.parent_width))


def find(parts: Sequence[Chunk], name: str) -> Chunk | None:
    """Return the first chunk of a name, or None."""
    return next((part for part in parts if part.name == name), None)


def replaced(parts: Sequence[Chunk], new: Chunk, before: Sequence[str] = ()) -> list[Chunk]:
    """Return chunks with a new one in place of those of its name.

    Args:
        before: names of chunks before which it is inserted if there was none; by default it is appended.
    """
    first = next((index for index, part in enumerate(parts) if part.name == new.name), None)
    if first is None:
        first = next((index for index, part in enumerate(parts) if part.name in before), len(parts))
    return [*parts[:first], new, *(part for part in parts[first:] if part.name != new.name)]


# --- Files -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ChunkStream:
    """The chunks of a file."""

    data: bytes  #: the bytes of the chunks.
    start: int  #: the offset of the first of them in `data`.
    file: bytes = b""  #: the file, if it is compressed, otherwise b"".

    def packed(self, magic: bytes, chunks: bytes) -> bytes:
        """Return a file with such chunks; compressed if it was and they are the same."""
        if self.file and chunks == self.data[self.start :]:
            return self.file
        return magic + _FLAGS.pack(0) + chunks


def open_stream(data: bytes, magic: bytes, section: str, problems: Mapping[bytes, str]) -> ChunkStream:
    """Return the chunks of a file.

    Args:
        magic: the first four bytes of the file.
        section: the name of its compressed part, for errors.
        problems: descriptions of other first bytes; that of b"" is for all the rest.

    Raises:
        FormatError: if it begins otherwise, or its compressed part is damaged.
    """
    cursor = Cursor(data)
    cursor.section = "header"
    actual = data[: len(magic)]
    if actual != magic:
        problem = problems.get(actual, problems[b""])
        raise cursor.error(magic.decode(), repr(actual)[2:-1] or "nothing", problem=problem)
    cursor.take(len(magic))
    (flags,) = cursor.fields(_FLAGS)
    if flags & ~_COMPRESSED:
        raise cursor.error("no flags but that of packed files", hex(flags), offset=len(magic))
    if not flags:
        return ChunkStream(data, cursor.offset)
    (size,) = cursor.fields(_SIZE)
    if not 0 <= size <= cursor.remaining:
        raise cursor.error(f"at most {cursor.remaining} packed bytes", str(size))
    start = cursor.take(size)
    return ChunkStream(inflate_whole(data[start : start + size], section), 0, data)
