"""Declarative file layouts.

A layout is a sequence of sections. Each section reads itself from a cursor into the attributes of an object
(a :class:`Level` or a :class:`Room`) and writes itself from there. One declaration serves both directions, so
reader and writer always agree.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any, Protocol

import numpy as np

from ..errors import DAMAGED, ENDS_EARLY, ExportError
from .cursor import Cursor
from .messages import T
from .records import U8, U16, U32

_COUNTS = {1: Struct("<B"), 2: Struct("<H"), 4: Struct("<I")}

# Deflate can expand a thousandfold. Real levels stay below twenty times their file; small ones with blank
# pages exceed that, so a constant is added to the multiple.
INFLATED_BASE = 32 << 20
INFLATED_PER_BYTE = 16

# The start of zlib streams whose first block is stored, and not the last or also the last.
STORED_STREAMS = (b"\x78\x01\x00", b"\x78\x01\x01")


class Section(Protocol):
    """One part of a layout."""

    def read(self, cursor: Cursor, target: object) -> None:
        """Read the section and set its attributes on ``target``."""

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        """Append the section's bytes (or buffers) to ``out``."""


def append_array(out: list[bytes | memoryview], array: object, dtype: np.dtype) -> None:
    """Append the bytes of an array with elements of ``dtype``."""
    base = dtype.subdtype[0] if dtype.subdtype else dtype
    out.append(np.ascontiguousarray(array, base).reshape(-1).view(np.uint8).data)


def append_count(out: list[bytes | memoryview], count: int, dtype: np.dtype, name: str) -> None:
    """Append the number of elements of a section, as ``dtype``.

    Raises:
        ExportError: if the number does not fit.
    """
    if count >> (8 * dtype.itemsize):
        raise ExportError(name, T("too many elements"), count=count, limit=(1 << (8 * dtype.itemsize)) - 1)
    out.append(_COUNTS[dtype.itemsize].pack(count))


def check_number(array: Any, wanted: int, name: str) -> None:
    """Check that a section has the number of elements that the file requires.

    Raises:
        ExportError: if it has more or fewer.
    """
    if len(array) != wanted:
        raise ExportError(name, T("wrong number of elements"), count=len(array), limit=wanted)


@dataclass(frozen=True)
class Fields:
    """Plain numbers, one attribute each. ``code`` is a format of ``struct``."""

    code: str
    names: tuple[str, ...]

    @cached_property
    def _struct(self) -> Struct:
        return Struct("<" + self.code)

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.names[0]
        values = cursor.fields(self._struct)
        target.__dict__.update(zip(self.names, values, strict=True))

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        values = [getattr(target, name) for name in self.names]
        try:
            out.append(self._struct.pack(*values))
        except struct.error as error:
            listed = ", ".join(f"{name} = {value}" for name, value in zip(self.names, values, strict=True))
            raise ExportError(
                type(target).__name__,
                T("a number does not fit the file ({names}): {error}", names=listed, error=str(error)),
            ) from None


@dataclass(frozen=True)
class Array:
    """A fixed number of elements."""

    name: str
    dtype: np.dtype
    count: int

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        setattr(target, self.name, cursor.array(self.dtype, self.count))

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        array = getattr(target, self.name)
        check_number(array, self.count, self.name)
        append_array(out, array, self.dtype)


@dataclass(frozen=True)
class Counted:
    """A count, followed by that many elements."""

    name: str
    dtype: np.dtype
    count: np.dtype = U32

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        (count,) = cursor.fields(_COUNTS[self.count.itemsize])
        size = self.dtype.itemsize
        if count * size > cursor.remaining:
            raise cursor.too_short(count * size, f"{count} elements of {size} bytes")
        setattr(target, self.name, cursor.array(self.dtype, count))

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        array = getattr(target, self.name)
        append_count(out, len(array), self.count, self.name)
        append_array(out, array, self.dtype)


@dataclass(frozen=True)
class CountedBy:
    """As many elements as an attribute that was read before."""

    name: str
    dtype: np.dtype
    count: str

    def read(self, cursor: Cursor, target: object) -> None:
        Array(self.name, self.dtype, getattr(target, self.count)).read(cursor, target)

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        Array(self.name, self.dtype, getattr(target, self.count)).write(target, out)


@dataclass(frozen=True)
class SameCount:
    """As many elements as an earlier section."""

    name: str
    dtype: np.dtype
    like: str

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        setattr(target, self.name, cursor.array(self.dtype, len(getattr(target, self.like))))

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        array, count = getattr(target, self.name), len(getattr(target, self.like))
        if len(array) != count:
            raise ExportError(
                self.name, T("not as many as {like}", like=self.like), count=len(array), limit=count
            )
        append_array(out, array, self.dtype)


@dataclass(frozen=True)
class Marker:
    """Constant bytes that verify the position in the file."""

    name: str
    content: bytes

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        start = cursor.take(len(self.content))
        found = bytes(cursor.data[start : cursor.offset])
        if found != self.content:
            raise cursor.error(repr(self.content), repr(found), offset=start)

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        out.append(self.content)


@dataclass(frozen=True)
class Remainder:
    """Elements up to the end of the buffer."""

    name: str
    dtype: np.dtype = U8

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        count, rest = divmod(cursor.remaining, self.dtype.itemsize)
        if rest:
            raise cursor.error(f"a multiple of {self.dtype.itemsize} bytes", f"{cursor.remaining} bytes")
        setattr(target, self.name, cursor.array(self.dtype, count))

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        append_array(out, getattr(target, self.name), self.dtype)


def read_sections(sections: Sequence[Section], cursor: Cursor, target: object) -> None:
    for section in sections:
        section.read(cursor, target)


def join_sections(sections: Sequence[Section], target: object) -> bytes:
    out: list[bytes | memoryview] = []
    for section in sections:
        section.write(target, out)
    return b"".join(out)


def inflate(cursor: Cursor, stream: memoryview, size: int | None) -> bytes:
    """Inflate a zlib stream of a file, up to a size that no real level exceeds.

    Raises:
        FormatError: if it is not a zlib stream, is truncated, or does not inflate to ``size`` bytes.
    """
    bound = INFLATED_BASE + INFLATED_PER_BYTE * len(cursor.data)
    if size is not None and size > bound:
        raise cursor.error(f"at most {bound} inflated bytes", str(size))
    decompressor = zlib.decompressobj()
    try:
        content = decompressor.decompress(stream, (bound if size is None else size) + 1)
    except zlib.error as error:
        raise cursor.error("a zlib stream", str(error)) from None
    if not decompressor.eof or (size is not None and len(content) != size):
        wanted = "a whole zlib stream" if size is None else f"a zlib stream of {size} bytes"
        is_cut = not decompressor.eof and (size is None or len(content) <= size)
        found = f"{len(content)} bytes, {'' if decompressor.eof else 'not '}ended"
        raise cursor.error(wanted, found, problem=ENDS_EARLY if is_cut else DAMAGED)
    return content


def inflate_whole(data: bytes, section: str) -> bytes:
    """Inflate data that is one zlib stream, see :func:`inflate`.

    Raises:
        FormatError: as for :func:`inflate`, with the name of the section.
    """
    cursor = Cursor(data)
    cursor.section = section
    return inflate(cursor, memoryview(data), None)


@dataclass(frozen=True)
class Compressed:
    """A chunk of TR4 and TR5: its two sizes, then a zlib stream that holds sections of its own.

    Compressors differ, so the original stream is kept and written again while the content is equal.
    """

    name: str
    sections: tuple[Section, ...]

    def read(self, cursor: Cursor, target: Any) -> None:
        cursor.section = self.name
        size, packed = cursor.fields(Struct("<II"))
        start = cursor.take(packed)
        stream = memoryview(cursor.data)[start : cursor.offset]
        content = inflate(cursor, stream, size)
        target.streams[self.name] = (content, stream)
        inner = Cursor(content, inside=self.name)
        read_sections(self.sections, inner, target)
        if inner.remaining:
            inner.section = "end"
            raise inner.error("the end of the chunk", f"{inner.remaining} more bytes")

    def write(self, target: Any, out: list[bytes | memoryview]) -> None:
        content = join_sections(self.sections, target)
        original, stream = target.streams.get(self.name, (None, b""))
        if content != original:
            stream = zlib.compress(content, target.compression)
        out += (Struct("<II").pack(len(content), len(stream)), stream)


@dataclass(frozen=True)
class Sized:
    """The level data of TR5: its size twice, then uncompressed sections."""

    name: str
    sections: tuple[Section, ...]

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        size, size2 = cursor.fields(Struct("<II"))
        if size != size2:
            raise cursor.error("two equal sizes", f"{size} and {size2}", offset=cursor.offset - 8)
        start = cursor.take(size)
        inner = Cursor(memoryview(cursor.data)[: cursor.offset], start)
        read_sections(self.sections, inner, target)
        if inner.remaining:
            inner.section = self.name
            raise inner.error("the end of the level data", f"{inner.remaining} more bytes")

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        content = join_sections(self.sections, target)
        out += (Struct("<II").pack(len(content), len(content)), content)


@dataclass(frozen=True)
class Block:
    """A 16-bit size, then sections; the rest that the size covers is the attribute ``name``."""

    name: str
    sections: tuple[Section, ...]

    def read(self, cursor: Cursor, target: object) -> None:
        cursor.section = self.name
        (size,) = cursor.fields(_COUNTS[2])
        start = cursor.take(size)
        inner = Cursor(memoryview(cursor.data)[: cursor.offset], start)
        read_sections((*self.sections, Remainder(self.name)), inner, target)

    def write(self, target: object, out: list[bytes | memoryview]) -> None:
        content = join_sections((*self.sections, Remainder(self.name)), target)
        append_count(out, len(content), U16, self.name)
        out.append(content)


@dataclass(frozen=True)
class MayEnd:
    """A place where files of one version may end: TR3's VICT.TR2 holds only textiles."""

    version: int

    def read(self, cursor: Cursor, target: Any) -> None:
        if target.version == self.version and not cursor.remaining:
            target.ends_at = cursor.offset
            raise EndOfLayout

    def write(self, target: Any, out: list[bytes | memoryview]) -> None:
        if target.ends_at == sum(len(part) for part in out):
            raise EndOfLayout


class EndOfLayout(Exception):  # noqa: N818  a signal within this package, not an error
    """Raised where a file is allowed to end early."""
