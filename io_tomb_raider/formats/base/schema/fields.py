"""Fields of records: each reads itself from a cursor into a record, and writes itself from there.

A record is a ``dict`` by name, in file order, or an object, as :class:`Attributes`. One declaration serves
both directions, so reader and writer always agree. Numbers that other parts of a level count (rooms, items,
texture pages) declare what they count, so that a change of these numbers needs no code for each record.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from struct import Struct
from typing import Any

from ..bytes.cursor import Cursor
from ..errors import ExportError
from ..messages import T
from .codes import Code, number_error, write_value

Record = dict[str, Any]
Values = MutableMapping[str, Any]
Out = list[bytes | memoryview]

# Returns the new number of an element, or None if it no longer exists. Sectors and places in the world depend
# on the room, so the record with the number is passed, too.
NewNumber = Callable[[int, Record], int | None]
Numbers = Mapping[Any, NewNumber]


class Attributes(MutableMapping[str, Any]):
    """The attributes of an object as a record."""

    __slots__ = ("target",)

    def __init__(self, target: object) -> None:
        self.target = target

    def __getitem__(self, name: str) -> Any:
        return getattr(self.target, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self.target, name, value)

    def __delitem__(self, name: str) -> None:
        delattr(self.target, name)

    def __iter__(self) -> Iterator[str]:
        return iter(vars(self.target))

    def __len__(self) -> int:
        return len(vars(self.target))


class Field:
    """A part of a record. One field may store several values."""

    since: int = 0  #: the first version that has the field. In older ones it is missing.

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        """Read the field and store it in the record.

        Args:
            cursor: at the field.
            record: the fields before it.
            form: what decides the form of records, with a ``version`` if fields have a first one.

        Raises:
            FormatError: if the data is damaged.
        """
        raise NotImplementedError

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        """Append the bytes, or buffers, of the field. Raises ExportError if a value does not fit."""
        raise NotImplementedError

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        """Replace numbers in a record. Return False if the record refers to an element that is gone.

        Args:
            record: is changed in place.
            numbers: the new numbers, by what they count.
            outer: the old values of the outermost record, and of those between: the room of the number.
        """
        return True

    def complete(self, record: Record, form: Any) -> None:
        """Give a record of an older version the field, without effect on its meaning."""


def read_fields(fields: Sequence[Field], cursor: Cursor, record: Values, form: Any = None) -> None:
    """Read the fields of a record. Raises FormatError if the data is damaged."""
    for field in fields:
        if not field.since or form.version >= field.since:
            field.read(cursor, record, form)


def write_fields(fields: Sequence[Field], record: Values, out: Out, form: Any = None) -> None:
    """Append the bytes of the fields of a record. Raises ExportError if a value does not fit."""
    for field in fields:
        if not field.since or form.version >= field.since:
            field.write(record, out, form)


def read_record(fields: Sequence[Field], cursor: Cursor, form: Any = None) -> Record:
    """Return a record. Raises FormatError if the data is damaged."""
    record: Record = {}
    read_fields(fields, cursor, record, form)
    return record


def read_records(fields: Sequence[Field], cursor: Cursor, count: int, form: Any = None) -> list[Record]:
    """Return several records; errors name the element. Raises FormatError if the data is damaged."""
    records = []
    for number in range(count):
        cursor.element = number
        records.append(read_record(fields, cursor, form))
    cursor.element = None
    return records


def record_bytes(fields: Sequence[Field], *records: Values, form: Any = None) -> bytes:
    """Return the bytes of records. Raises ExportError if a value does not fit."""
    out: Out = []
    for record in records:
        write_fields(fields, record, out, form)
    return b"".join(out)


def renumber_record(fields: Sequence[Field], record: Record, numbers: Numbers, outer: Record) -> bool:
    """Replace numbers in a record in place, and return whether it still applies."""
    return all([field.renumber(record, numbers, outer) for field in fields])


def complete_record(fields: Sequence[Field], record: Record, form: Any) -> None:
    """Give a record the fields of a newer version, in place."""
    for field in fields:
        if not field.since or form.version >= field.since:
            field.complete(record, form)


def read_count(cursor: Cursor, code: str, size: int) -> int:
    """Read the number of elements of ``size`` bytes or more.

    Raises FormatError if the file is too short for so many, or the number is negative.
    """
    start = cursor.offset
    (count,) = cursor.fields(Struct("<" + code))
    if not 0 <= count * size <= cursor.remaining:
        expected = f"at most {cursor.remaining // size}"
        raise cursor.error(f"a number of elements, {expected}", str(count), offset=start)
    return int(count)


def pack(layout: Struct, values: Sequence[Any], name: str) -> bytes:
    """Return packed numbers.

    Raises:
        ExportError: with their name, if one does not fit.
    """
    try:
        return layout.pack(*values)
    except struct.error as error:
        raise number_error(name, ", ".join(map(str, values)), error) from None


# --- Values --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Value(Field):
    """A value of any code."""

    #: the key in the record, several keys, whose values are a tuple, or "" for none: such values are ignored,
    #: and need a code that writes without one.
    name: str
    code: Code

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The keys in the record."""
        return tuple(self.name.split())

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        value = self.code.read(cursor)
        if len(self.names) == 1:
            record[self.name] = value
        elif self.names:
            record.update(zip(self.names, value, strict=True))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(self.content(record, self.name))

    def content(self, record: Values, subject: str) -> bytes:
        """Return the bytes of the value.

        Raises:
            ExportError: with a subject, if it does not fit.
        """
        values = tuple(record[name] for name in self.names)
        return write_value(
            self.code, values if len(values) > 1 else values[0] if values else 0, self.name, subject
        )


@dataclass(frozen=True)
class Number(Field):
    """One number."""

    name: str  #: the key in the record.
    code: str = "h"  #: the format of ``struct``.
    counts: Hashable | None = None  #: what it counts, or None.
    #: the value for no element, which also replaces a number whose element is gone. Without it, the record is
    #: removed with the element.
    none: int | None = None
    since: int = 0  #: as for :class:`Field`.
    default: int = 0  #: the value in records of older versions.

    @cached_property
    def _struct(self) -> Struct:
        return Struct("<" + self.code)

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        (record[self.name],) = cursor.fields(self._struct)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(self._struct, [record[self.name]], self.name))

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        if self.counts is None or self.counts not in numbers or self.name not in record:
            return True
        if record[self.name] == self.none:
            return True
        new = numbers[self.counts](record[self.name], outer)
        if new is None:
            if self.none is None:
                return False
            new = self.none
        record[self.name] = new
        return True

    def complete(self, record: Record, form: Any) -> None:
        record.setdefault(self.name, self.default)


@dataclass(frozen=True)
class Row(Field):
    """A fixed number of equal numbers, as a list. ``count`` may depend on the form."""

    name: str
    code: str
    count: int | Callable[[Any], int]
    counts: Hashable | None = None

    def _struct(self, form: Any) -> Struct:
        return Struct(f"<{self.count if isinstance(self.count, int) else self.count(form)}{self.code}")

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        record[self.name] = list(cursor.fields(self._struct(form)))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(self._struct(form), record[self.name], self.name))

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return _renumber_list(self.counts, record[self.name], numbers, outer)


def _renumber_list(counts: Hashable | None, values: list[int], numbers: Numbers, outer: Record) -> bool:
    if counts is None or counts not in numbers:
        return True
    new = [numbers[counts](value, outer) for value in values]
    if None in new:
        return False
    values[:] = new  # type: ignore[assignment]
    return True


@dataclass(frozen=True)
class List(Field):
    """A count, followed by that many numbers, or groups of ``width`` numbers, as a list."""

    name: str
    code: str
    count: str = "i"
    counts: Hashable | None = None
    width: int = 1

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        count = self.width * read_count(cursor, self.count, self.width * struct.calcsize("<" + self.code))
        record[self.name] = list(cursor.fields(Struct(f"<{count}{self.code}")))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        values = record[self.name]
        out.append(pack(Struct("<" + self.count), [len(values) // self.width], self.name))
        out.append(pack(Struct(f"<{len(values)}{self.code}"), values, self.name))

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return _renumber_list(self.counts, record[self.name], numbers, outer)


@dataclass(frozen=True)
class String(Field):
    """A length in bytes, and text in UTF-8. Other bytes are kept as surrogates."""

    name: str
    since: int = 0
    most: int | None = None

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        raw = cursor.content(read_count(cursor, "i", 1))
        record[self.name] = raw.decode("utf-8", "surrogateescape")

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        raw = record[self.name].encode("utf-8", "surrogateescape")
        if self.most is not None and len(raw) > self.most:
            raise ExportError(
                record[self.name][:20], T("the text is too long"), count=len(raw), limit=self.most
            )
        out += (pack(_I32, [len(raw)], self.name), raw)

    def complete(self, record: Record, form: Any) -> None:
        record.setdefault(self.name, "")


_I32 = Struct("<i")


# --- Records in records --------------------------------------------------------------------------


@dataclass(frozen=True)
class Many(Field):
    """A count, followed by that many records, as a list."""

    name: str
    fields: tuple[Field, ...]
    count: str = "i"
    since: int = 0
    #: the outer record has no meaning without any of these, and is removed with the last one.
    is_content: bool = False

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        count = read_count(cursor, self.count, 1)
        record[self.name] = [read_record(self.fields, cursor, form) for _ in range(count)]

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(Struct("<" + self.count), [len(record[self.name])], self.name))
        for inner in record[self.name]:
            write_fields(self.fields, inner, out, form)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        if self.name not in record:
            return True
        before = record[self.name]
        record[self.name] = [inner for inner in before if renumber_record(self.fields, inner, numbers, outer)]
        return bool(record[self.name]) or not (before and self.is_content)

    def complete(self, record: Record, form: Any) -> None:
        for inner in record.setdefault(self.name, []):
            complete_record(self.fields, inner, form)


@dataclass(frozen=True)
class Choice(Field):
    """A type, and the fields of that type. ``between`` are common fields after the type."""

    name: str  #: the key of the type.
    cases: Mapping[int, tuple[Field, ...]]  #: the fields by type.
    code: str = "i"  #: the format of the type.
    between: tuple[Field, ...] = ()  #: fields between the type and the others.

    def _fields(self, record: Values) -> tuple[Field, ...]:
        return (*self.between, *self.cases[record[self.name]])

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        start = cursor.offset
        (number,) = cursor.fields(Struct("<" + self.code))
        if number not in self.cases:
            raise cursor.error(f"a {self.name} that is known", str(number), offset=start)
        record[self.name] = number
        read_fields(self._fields(record), cursor, record, form)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(Struct("<" + self.code), [record[self.name]], self.name))
        write_fields(self._fields(record), record, out, form)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return renumber_record(self._fields(record), record, numbers, {**outer, **record})

    def complete(self, record: Record, form: Any) -> None:
        complete_record(self._fields(record), record, form)
