"""Declarations of records with variable parts: one declaration reads, writes and renumbers a record.

A record is a ``dict`` by field name, in file order. Fields that other parts of a level count (rooms, items,
texture pages) declare what they count, so that a change of these numbers needs no code for each record.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from struct import Struct
from typing import Any, NamedTuple, Protocol

from ..base.cursor import Cursor
from ..base.messages import T
from ..errors import ExportError
from ..games import Game, SamplePlace

Record = dict[str, Any]


class Form(NamedTuple):
    """What decides the form of a record: the version of the file, and the game of its level."""

    version: int
    game: Game


class Counts(StrEnum):
    """What a number in a record counts."""

    ROOM = "room"
    ITEM = "item"
    CAMERA = "camera"
    BOX = "box"
    FLOOR_DATA = "floor data"
    PAGE = "page"
    TEXTURE = "object texture"
    SOUND = "sound"
    RANGE = "animated texture"
    SECTOR_X = "sector x"
    SECTOR_Z = "sector z"
    X = "x"  # of the world
    Y = "y"
    Z = "z"


# Returns the new number of an element, or None if it no longer exists. Sectors and places in the world depend
# on the room, so the record with the number is passed, too.
NewNumber = Callable[[int, Record], int | None]
Numbers = Mapping[Counts, NewNumber]


class Field(Protocol):
    """A part of a record. One field may store several values."""

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        """Read the field and store it in the record.

        Raises:
            FormatError: if the data is damaged.
        """

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        """Append the bytes of the field.

        Raises:
            ExportError: if a value does not fit.
        """

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        """Replace numbers in a record. Return False if the record refers to an element that is gone.

        Args:
            record: is changed in place.
            numbers: the new numbers, by what they count.
            outer: the old values of the outermost record, and of those between: the room of the number.
        """


def read_record(fields: Sequence[Field], cursor: Cursor, form: Form) -> Record:
    """Read a record.

    Raises:
        FormatError: if the data is damaged.
    """
    record: Record = {}
    for field in fields:
        field.read(cursor, record, form)
    return record


def write_record(fields: Sequence[Field], record: Record, out: bytearray, form: Form) -> None:
    """Append the bytes of a record.

    Raises:
        ExportError: if a value does not fit.
    """
    for field in fields:
        field.write(record, out, form)


def renumber_record(fields: Sequence[Field], record: Record, numbers: Numbers, outer: Record) -> bool:
    """Replace numbers in a record in place, and return whether it still applies."""
    return all([field.renumber(record, numbers, outer) for field in fields])


def complete_record(fields: Sequence[Field], record: Record, form: Form) -> None:
    """Give a record the fields of a newer version, in place, without effect on its meaning."""
    for field in fields:
        if isinstance(field, Number) and form.version >= field.since:
            record.setdefault(field.name, field.default)
        elif isinstance(field, Text) and form.version >= field.since:
            record.setdefault(field.name, "")
        elif isinstance(field, Many) and form.version >= field.since:
            for each in record.setdefault(field.name, []):
                complete_record(field.fields, each, form)
        elif isinstance(field, Choice):
            complete_record((*field.between, *field.cases[record[field.name]]), record, form)


def _pack(layout: Struct, values: Sequence[Any], name: str) -> bytes:
    try:
        return layout.pack(*values)
    except struct.error:
        listed = ", ".join(map(str, values))
        raise ExportError(name, T("a number does not fit the injection ({listed})", listed=listed)) from None


class _Unnumbered:
    """Base of fields without numbers of other elements."""

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return True


@dataclass(frozen=True)
class Number:
    """One number.

    Attributes:
        name: the key in the record.
        code: the format of ``struct``.
        counts: what it counts, or None.
        none: the value for no element, which also replaces a number whose element is gone. Without it, the
            record is removed with the element.
        since: the first version that has the field. In older ones it is missing.
        default: the value in records of older versions.
    """

    name: str
    code: str = "h"
    counts: Counts | None = None
    none: int | None = None
    since: int = 0
    default: int = 0

    @cached_property
    def _struct(self) -> Struct:
        return Struct("<" + self.code)

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        if form.version >= self.since:
            (record[self.name],) = cursor.fields(self._struct)

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        if form.version >= self.since:
            out += _pack(self._struct, [record[self.name]], self.name)

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


@dataclass(frozen=True)
class Row:
    """A fixed number of equal numbers, as a list. ``count`` may depend on the game."""

    name: str
    code: str
    count: int | Callable[[Form], int]
    counts: Counts | None = None

    def _struct(self, form: Form) -> Struct:
        return Struct(f"<{self.count if isinstance(self.count, int) else self.count(form)}{self.code}")

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        record[self.name] = list(cursor.fields(self._struct(form)))

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        out += _pack(self._struct(form), record[self.name], self.name)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return _renumber_list(self.counts, record[self.name], numbers, outer)


def _renumber_list(counts: Counts | None, values: list[int], numbers: Numbers, outer: Record) -> bool:
    if counts is None or counts not in numbers:
        return True
    new = [numbers[counts](value, outer) for value in values]
    if None in new:
        return False
    values[:] = new  # type: ignore[assignment]
    return True


@dataclass(frozen=True)
class List:
    """A count, followed by that many numbers, as a list."""

    name: str
    code: str
    count: str = "i"
    counts: Counts | None = None

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        count = read_count(cursor, self.count, struct.calcsize("<" + self.code))
        record[self.name] = list(cursor.fields(Struct(f"<{count}{self.code}")))

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        values = record[self.name]
        out += _pack(Struct("<" + self.count), [len(values)], self.name)
        out += _pack(Struct(f"<{len(values)}{self.code}"), values, self.name)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return _renumber_list(self.counts, record[self.name], numbers, outer)


@dataclass(frozen=True)
class Text(_Unnumbered):
    """A length in bytes, and text in UTF-8. Other bytes are kept as surrogates."""

    name: str
    since: int = 0
    most: int | None = None

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        if form.version < self.since:
            return
        size = read_count(cursor, "i", 1)
        start = cursor.take(size)
        record[self.name] = bytes(cursor.data[start : start + size]).decode("utf-8", "surrogateescape")

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        if form.version < self.since:
            return
        data = record[self.name].encode("utf-8", "surrogateescape")
        if self.most is not None and len(data) > self.most:
            raise ExportError(
                record[self.name][:20], T("the text is too long"), count=len(data), limit=self.most
            )
        out += _pack(Struct("<i"), [len(data)], self.name) + data


@dataclass(frozen=True)
class Reference(_Unnumbered):
    """An object: its kind (0 model, 1 sprite of rooms, 2 static mesh) and its number.

    Models have 16 more bytes before version 5, which identify the object in the engine.
    """

    name: str = "object"

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        kind, number = cursor.fields(_PAIR)
        value: Record = {"kind": kind, "id": number}
        if kind == 0 and form.version < 5:
            start = cursor.take(16)
            value["guid"] = bytes(cursor.data[start : start + 16])
        record[self.name] = value

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        value = record[self.name]
        out += _pack(_PAIR, [value["kind"], value["id"]], self.name)
        if value["kind"] == 0 and form.version < 5:
            out += value.get("guid", bytes(16))


_PAIR = Struct("<2i")


@dataclass(frozen=True)
class Many:
    """A count, followed by that many records, as a list.

    Attributes:
        is_content: the outer record has no meaning without any of these, and is removed with the last one.
    """

    name: str
    fields: tuple[Field, ...]
    count: str = "i"
    since: int = 0
    is_content: bool = False

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        if form.version >= self.since:
            count = read_count(cursor, self.count, 1)
            record[self.name] = [read_record(self.fields, cursor, form) for _ in range(count)]

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        if form.version >= self.since:
            out += _pack(Struct("<" + self.count), [len(record[self.name])], self.name)
            for each in record[self.name]:
                write_record(self.fields, each, out, form)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        if self.name not in record:
            return True
        before = record[self.name]
        record[self.name] = [each for each in before if renumber_record(self.fields, each, numbers, outer)]
        return bool(record[self.name]) or not (before and self.is_content)


@dataclass(frozen=True)
class Choice:
    """A type, and the fields of that type. ``between`` are common fields after the type.

    Attributes:
        name: the key of the type.
        cases: the fields by type.
        code: the format of the type.
        between: fields between the type and the others.
    """

    name: str
    cases: Mapping[int, tuple[Field, ...]]
    code: str = "i"
    between: tuple[Field, ...] = ()

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        start = cursor.offset
        (number,) = cursor.fields(Struct("<" + self.code))
        if number not in self.cases:
            raise cursor.error(f"a {self.name} that is known", str(number), offset=start)
        record[self.name] = number
        for field in (*self.between, *self.cases[number]):
            field.read(cursor, record, form)

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        out += _pack(Struct("<" + self.code), [record[self.name]], self.name)
        write_record((*self.between, *self.cases[record[self.name]]), record, out, form)

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        fields = (*self.between, *self.cases[record[self.name]])
        return renumber_record(fields, record, numbers, {**outer, **record})


@dataclass(frozen=True)
class Corners(_Unnumbered):
    """The vertices of a face: four, or three for triangles, by the field ``face_type``."""

    name: str = "vertices"

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        record[self.name] = list(cursor.fields(self._struct(record)))

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        out += _pack(self._struct(record), record[self.name], self.name)

    def _struct(self, record: Record) -> Struct:
        return Struct("<3H" if record["face_type"] % 2 else "<4H")


@dataclass(frozen=True)
class Pixels(_Unnumbered):
    """``width`` times ``height`` pixels of red, green, blue and alpha, as bytes. 8-bit pixels before TRXJ."""

    name: str = "pixels"
    size: int = 4

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        start = cursor.take(self.size * record["width"] * record["height"])
        record[self.name] = bytes(cursor.data[start : cursor.offset])

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        wanted = self.size * record["width"] * record["height"]
        if len(record[self.name]) != wanted:
            raise ExportError(
                T("page {number}", number=record["page"]),
                T("wrong number of bytes"),
                count=len(record[self.name]),
                limit=wanted,
            )
        out += record[self.name]


@dataclass(frozen=True)
class Splits(_Unnumbered):
    """The split of a sector: for the floor and for the ceiling, if present, a function word and heights."""

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        start = cursor.offset
        (bits,) = cursor.fields(Struct("<i"))
        if bits & ~3:
            raise cursor.error("1 for the floor, 2 for the ceiling, or 3", str(bits), offset=start)
        for bit, name in _SURFACES:
            record[name] = list(cursor.fields(Struct("<2H"))) if bits & bit else None

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        present = [(bit, record[name]) for bit, name in _SURFACES if record.get(name) is not None]
        out += Struct("<i").pack(sum(bit for bit, _ in present))
        for _, words in present:
            out += _pack(Struct("<2H"), words, "split")


_SURFACES = ((1, "floor"), (2, "ceiling"))


@dataclass(frozen=True)
class Waves(_Unnumbered):
    """The WAV files of a sound: as many as bits 2 to 5 of the field ``flags`` say, each with its length.

    In TR2 and TR3, version 3 and below have the number of the first one in MAIN.SFX instead.
    """

    def read(self, cursor: Cursor, record: Record, form: Form) -> None:
        if form.version <= 3 and form.game.traits.samples is SamplePlace.IN_MAIN_SFX:
            (record["sample"],) = cursor.fields(Struct("<I"))
            return
        record["waves"] = []
        for _ in range(_wave_count(record)):
            size = read_count(cursor, "i", 1)
            start = cursor.take(size)
            record["waves"].append(bytes(cursor.data[start : start + size]))

    def write(self, record: Record, out: bytearray, form: Form) -> None:
        if form.version <= 3 and form.game.traits.samples is SamplePlace.IN_MAIN_SFX:
            out += _pack(Struct("<I"), [record["sample"]], "sample")
            return
        if len(record["waves"]) != _wave_count(record):
            raise ExportError(
                T("sound {number}", number=record["sound"]),
                T("the flags have another number of samples"),
                count=len(record["waves"]),
                limit=_wave_count(record),
            )
        for wave in record["waves"]:
            out += Struct("<i").pack(len(wave)) + wave


def _wave_count(record: Record) -> int:
    return int(record["flags"] >> 2 & 0xF)


def read_count(cursor: Cursor, code: str, size: int) -> int:
    """Read the number of elements of ``size`` bytes or more.

    Raises:
        FormatError: if the file is too short for so many, or the number is negative.
    """
    start = cursor.offset
    (count,) = cursor.fields(Struct("<" + code))
    if not 0 <= count * size <= cursor.remaining:
        expected = f"at most {cursor.remaining // size}"
        raise cursor.error(f"a number of elements, {expected}", str(count), offset=start)
    return int(count)
