"""Sections of files: fields of a file that hold arrays, name themselves in errors, and contain sections.

A layout is a sequence of sections. It is read into the attributes of an object (a :class:`Level` or a
:class:`Room`), as :func:`read_sections` does.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any

import numpy as np

from ..bytes.cursor import Cursor
from ..bytes.inflate import inflate
from ..bytes.records import U8, U16, U32
from ..errors import ExportError
from ..messages import T
from .codes import number_error
from .fields import Attributes, Field, Out, Values, read_fields, record_bytes

_COUNTS = {1: Struct("<B"), 2: Struct("<H"), 4: Struct("<I")}
_SIZES = Struct("<II")


def read_sections(sections: Sequence[Field], cursor: Cursor, target: object) -> None:
    """Read sections into the attributes of an object. Raises FormatError if the file is damaged."""
    read_fields(sections, cursor, Attributes(target))


def join_sections(sections: Sequence[Field], target: object) -> bytes:
    """Return the bytes of sections, from the attributes of an object.

    Raises ExportError if a value does not fit.
    """
    return record_bytes(sections, Attributes(target))


def append_array(out: Out, array: object, dtype: np.dtype) -> None:
    """Append the bytes of an array with elements of ``dtype``."""
    base = dtype.subdtype[0] if dtype.subdtype else dtype
    out.append(np.ascontiguousarray(array, base).reshape(-1).view(np.uint8).data)


def append_count(out: Out, count: int, dtype: np.dtype, name: str) -> None:
    """Append the number of elements of a section, as ``dtype``.

    Raises ExportError if the number does not fit.
    """
    if count >> (8 * dtype.itemsize):
        raise ExportError(name, T("too many elements"), count=count, limit=(1 << (8 * dtype.itemsize)) - 1)
    out.append(_COUNTS[dtype.itemsize].pack(count))


def check_number(array: Any, count: int, name: str) -> None:
    """Check that a section has the number of elements that the file requires.

    Raises ExportError if it has more or fewer.
    """
    if len(array) != count:
        raise ExportError(name, T("wrong number of elements"), count=len(array), limit=count)


@dataclass(frozen=True)
class Fields(Field):
    """Plain numbers, one attribute each. ``code`` is a format of ``struct``."""

    code: str
    names: tuple[str, ...]

    @cached_property
    def _struct(self) -> Struct:
        return Struct("<" + self.code)

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.names[0]
        record.update(zip(self.names, cursor.fields(self._struct), strict=True))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        values = [record[name] for name in self.names]
        try:
            out.append(self._struct.pack(*values))
        except struct.error as error:
            names = ", ".join(f"{name} = {value}" for name, value in zip(self.names, values, strict=True))
            subject = type(record.target).__name__ if isinstance(record, Attributes) else self.names[0]
            raise number_error(subject, names, error) from None


@dataclass(frozen=True)
class Array(Field):
    """Elements whose number the file does not store in front of them."""

    name: str  #: the attribute.
    dtype: np.dtype  #: the type of an element.
    #: their number, the name of the attribute with it, or a function of the sections before.
    count: int | str | Callable[[Values], int]

    def _count(self, record: Values) -> int:
        if isinstance(self.count, int):
            return self.count
        return int(record[self.count] if isinstance(self.count, str) else self.count(record))

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        record[self.name] = cursor.array(self.dtype, self._count(record))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        check_number(record[self.name], self._count(record), self.name)
        append_array(out, record[self.name], self.dtype)


@dataclass(frozen=True)
class Counted(Field):
    """A count, followed by that many elements."""

    name: str
    dtype: np.dtype
    count: np.dtype = U32

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        (count,) = cursor.fields(_COUNTS[self.count.itemsize])
        size = self.dtype.itemsize
        if count * size > cursor.remaining:
            raise cursor.too_short(count * size, f"{count} elements of {size} bytes")
        record[self.name] = cursor.array(self.dtype, count)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        append_count(out, len(record[self.name]), self.count, self.name)
        append_array(out, record[self.name], self.dtype)


@dataclass(frozen=True)
class SameCount(Field):
    """As many elements as an earlier section."""

    name: str
    dtype: np.dtype
    like: str

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        record[self.name] = cursor.array(self.dtype, len(record[self.like]))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        array, count = record[self.name], len(record[self.like])
        if len(array) != count:
            problem = T("not as many as {like}", like=self.like)
            raise ExportError(self.name, problem, count=len(array), limit=count)
        append_array(out, array, self.dtype)


@dataclass(frozen=True)
class Marker(Field):
    """Constant bytes that verify the position in the file."""

    name: str
    content: bytes

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        start = cursor.offset
        content = cursor.content(len(self.content))
        if content != self.content:
            raise cursor.error(repr(self.content), repr(content), offset=start)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(self.content)


@dataclass(frozen=True)
class Remainder(Field):
    """Elements up to the end of the buffer."""

    name: str
    dtype: np.dtype = U8

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        count, rest = divmod(cursor.remaining, self.dtype.itemsize)
        if rest:
            raise cursor.error(f"a multiple of {self.dtype.itemsize} bytes", f"{cursor.remaining} bytes")
        record[self.name] = cursor.array(self.dtype, count)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        append_array(out, record[self.name], self.dtype)


# --- Sections in sections ------------------------------------------------------------------------


@dataclass(frozen=True)
class Compressed(Field):
    """A chunk of TR4 and TR5: its two sizes, then a zlib stream that holds sections of its own.

    Compressors differ, so the original stream is kept and written again while the content is equal.
    """

    name: str
    sections: tuple[Field, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        size, packed = cursor.fields(_SIZES)
        start = cursor.take(packed)
        stream = memoryview(cursor.data)[start : cursor.offset]
        content = inflate(cursor, stream, size)
        record["streams"][self.name] = (content, stream)
        inner = Cursor(content, inside=self.name)
        read_fields(self.sections, inner, record)
        if inner.remaining:
            inner.section = "end"
            raise inner.error("the end of the chunk", f"{inner.remaining} more bytes")

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        content = record_bytes(self.sections, record)
        original, stream = record["streams"].get(self.name, (None, b""))
        if content != original:
            stream = zlib.compress(content, record["compression"])
        out += (_SIZES.pack(len(content), len(stream)), stream)


@dataclass(frozen=True)
class Sized(Field):
    """The level data of TR5: its size twice, then uncompressed sections."""

    name: str
    sections: tuple[Field, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        size, size2 = cursor.fields(_SIZES)
        if size != size2:
            raise cursor.error("two equal sizes", f"{size} and {size2}", offset=cursor.offset - _SIZES.size)
        start = cursor.take(size)
        inner = Cursor(memoryview(cursor.data)[: cursor.offset], start)
        read_fields(self.sections, inner, record)
        if inner.remaining:
            inner.section = self.name
            raise inner.error("the end of the level data", f"{inner.remaining} more bytes")

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        content = record_bytes(self.sections, record)
        out += (_SIZES.pack(len(content), len(content)), content)


@dataclass(frozen=True)
class Block(Field):
    """A 16-bit size, then sections; the rest that the size covers is the attribute ``name``."""

    name: str
    sections: tuple[Field, ...]

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        (size,) = cursor.fields(_COUNTS[2])
        start = cursor.take(size)
        inner = Cursor(memoryview(cursor.data)[: cursor.offset], start)
        read_fields((*self.sections, Remainder(self.name)), inner, record)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        content = record_bytes((*self.sections, Remainder(self.name)), record)
        append_count(out, len(content), U16, self.name)
        out.append(content)


@dataclass(frozen=True)
class MayEnd(Field):
    """A place where files of one version may end: TR3's VICT.TR2 holds only textiles."""

    version: int

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        if record["version"] == self.version and not cursor.remaining:
            record["ends_at"] = cursor.offset
            raise EndOfLayout

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        if record["ends_at"] == sum(len(part) for part in out):
            raise EndOfLayout


class EndOfLayout(Exception):  # noqa: N818  a signal within this package, not an error
    """Raised where a file is allowed to end early."""
