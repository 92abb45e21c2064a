"""Codes: how one value is written in a file, in both directions."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

from ..bytes.chunks import leb, leb_bytes
from ..bytes.cursor import Cursor
from ..errors import ExportError
from ..messages import T


class Code:
    """A form of values."""

    def read(self, cursor: Cursor) -> Any:
        """Read a value. Raises FormatError if it is damaged."""
        raise NotImplementedError

    def write(self, value: Any) -> bytes:
        """Return the bytes of a value. Raises struct.error or OverflowError if it does not fit."""
        raise NotImplementedError


class Packed(Code):
    """A number, or a tuple of several: a format of ``struct``."""

    def __init__(self, layout: str) -> None:
        self._layout = Struct(f"<{layout}")

    def read(self, cursor: Cursor) -> Any:
        values = cursor.fields(self._layout)
        return values if len(values) > 1 else values[0]

    def write(self, value: Any) -> bytes:
        return self._layout.pack(*value) if isinstance(value, tuple | list) else self._layout.pack(value)


class _Leb(Code):
    def read(self, cursor: Cursor) -> int:
        return leb(cursor)

    def write(self, value: int) -> bytes:
        return leb_bytes(int(value))


class _Bool(Packed):
    def __init__(self) -> None:
        super().__init__("B")

    def read(self, cursor: Cursor) -> bool:
        return bool(super().read(cursor))

    def write(self, value: Any) -> bytes:
        return super().write(int(bool(value)))


class _String(Code):
    """A text after its length."""

    def read(self, cursor: Cursor) -> str:
        size = I32.read(cursor)
        if size < 0:
            raise cursor.error("the length of a text", str(size))
        return cursor.content(size).decode("utf-8", "replace")

    def write(self, value: str) -> bytes:
        raw = value.encode("utf-8", "replace")
        return I32.write(len(raw)) + raw


class _DotNetString(Code):
    """A text after its length as unsigned LEB128. Only old files have it."""

    def read(self, cursor: Cursor) -> str:
        size = shift = 0
        for _ in range(5):
            byte = cursor.data[cursor.take(1)]
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return cursor.content(size).decode("utf-8", "replace")


class Several(Code):
    """Several values of one code, as a tuple."""

    def __init__(self, code: Code, count: int, order: Sequence[int] = (), unit: int = 1) -> None:
        self._code = code
        self._order = tuple(order) or tuple(range(count))  # indices in the tuple, in the order of the file
        self._unit = unit  # the factor of numbers in the file

    def read(self, cursor: Cursor) -> tuple[Any, ...]:
        values = {index: self._code.read(cursor) for index in self._order}
        ordered = (values[index] for index in sorted(values))
        return tuple(ordered) if self._unit == 1 else tuple(value * self._unit for value in ordered)

    def write(self, value: Sequence[Any]) -> bytes:
        return b"".join(self._code.write(value[index]) for index in self._order)


@dataclass(frozen=True)
class Fixed(Code):
    """A field that no attribute stands for: ignored, and written with one value."""

    code: Code
    value: Any = 0

    def read(self, cursor: Cursor) -> Any:
        return self.code.read(cursor)

    def write(self, value: Any) -> bytes:
        return self.code.write(self.value)


@dataclass(frozen=True)
class Group(Code):
    """Several values as one object."""

    make: type  #: the class of the object.
    fields: tuple[tuple[str, Code], ...]  #: attributes and codes, in the order of the file.

    def read(self, cursor: Cursor) -> Any:
        return self.make(**{name: code.read(cursor) for name, code in self.fields})

    def write(self, value: Any) -> bytes:
        return b"".join(
            write_value(code, getattr(value, name), name, self.make.__name__) for name, code in self.fields
        )


I8, U8, I16, U16, I32, U32, F32 = (Packed(layout) for layout in "bBhHiIf")
LEB, STRING, DOT_NET_STRING, BOOL = _Leb(), _String(), _DotNetString(), _Bool()
VECTOR, VECTOR2 = Packed("3f"), Packed("2f")


def write_value(code: Code, value: Any, name: str, subject: str) -> bytes:
    """Return the bytes of a value.

    Raises:
        ExportError: with the subject and the name of the value, if it does not fit.
    """
    try:
        return code.write(value)
    except (struct.error, OverflowError) as error:
        raise number_error(subject, f"{name} = {value}", error) from None


def number_error(subject: str, names: str, error: Exception) -> ExportError:
    """Return the error for numbers that a file cannot hold."""
    return ExportError(
        subject, T("a number does not fit the file ({names}): {error}", names=names, error=str(error))
    )
