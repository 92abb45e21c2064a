"""The fields of records that only injections have."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import StrEnum
from struct import Struct
from typing import Any, NamedTuple

from ...base.bytes.cursor import Cursor
from ...base.errors import ExportError
from ...base.games import Game, SamplePlace
from ...base.messages import T
from ...base.schema.fields import Field, Number, Numbers, Out, Record, Values, pack, read_count


class RecordForm(NamedTuple):
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


@dataclass(frozen=True)
class ObjectReference(Field):
    """An object: its kind (0 model, 1 sprite of rooms, 2 static mesh) and its number.

    Models have 16 more bytes before version 5, which identify the object in the engine.
    """

    name: str = "object"

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        kind, number = cursor.fields(_PAIR)
        record[self.name] = {"kind": kind, "id": number}
        if kind == 0 and form.version < 5:
            record[self.name]["guid"] = cursor.content(_GUID_SIZE)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        value = record[self.name]
        out.append(pack(_PAIR, [value["kind"], value["id"]], self.name))
        if value["kind"] == 0 and form.version < 5:
            out.append(value.get("guid", bytes(_GUID_SIZE)))


_PAIR = Struct("<2i")
_GUID_SIZE = 16


ROOM_PROPERTIES = frozenset({"anchor_room"})  # properties whose values are numbers of rooms; -1 for its own


@dataclass(frozen=True)
class PropertyNumber(Number):
    """A whole number of a property. Those of :data:`ROOM_PROPERTIES` follow the numbers of rooms."""

    name: str = "value"
    code: str = "i"
    counts: Hashable | None = Counts.ROOM
    none: int | None = -1

    def renumber(self, record: Record, numbers: Numbers, outer: Record) -> bool:
        return record["name"] not in ROOM_PROPERTIES or super().renumber(record, numbers, outer)


@dataclass(frozen=True)
class Corners(Field):
    """The vertices of a face: four, or three for triangles, by the field ``face_type``."""

    name: str = "vertices"

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        record[self.name] = list(cursor.fields(self._struct(record)))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(self._struct(record), record[self.name], self.name))

    def _struct(self, record: Values) -> Struct:
        return Struct("<3H" if record["face_type"] % 2 else "<4H")


@dataclass(frozen=True)
class Pixels(Field):
    """``width`` times ``height`` pixels of red, green, blue and alpha, as bytes. 8-bit pixels before TRXJ."""

    name: str = "pixels"
    size: int = 4

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        record[self.name] = cursor.content(self.size * record["width"] * record["height"])

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        size = self.size * record["width"] * record["height"]
        if len(record[self.name]) != size:
            subject, count = T("page {number}", number=record["page"]), len(record[self.name])
            raise ExportError(subject, T("wrong number of bytes"), count=count, limit=size)
        out.append(record[self.name])


@dataclass(frozen=True)
class Splits(Field):
    """The split of a sector: for the floor and for the ceiling, if present, a function word and heights."""

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        start = cursor.offset
        (bits,) = cursor.fields(_BITS)
        if bits & ~3:
            raise cursor.error("1 for the floor, 2 for the ceiling, or 3", str(bits), offset=start)
        for bit, name in _SURFACES:
            record[name] = list(cursor.fields(_SPLIT)) if bits & bit else None

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        present = [(bit, record[name]) for bit, name in _SURFACES if record.get(name) is not None]
        out.append(_BITS.pack(sum(bit for bit, _ in present)))
        out += (pack(_SPLIT, words, "split") for _, words in present)


_SURFACES = ((1, "floor"), (2, "ceiling"))
_BITS, _SPLIT = Struct("<i"), Struct("<2H")


@dataclass(frozen=True)
class Waves(Field):
    """The WAV files of a sound: as many as bits 2 to 5 of the field ``flags`` say, each with its length.

    In TR2 and TR3, version 3 and below have the number of the first one in MAIN.SFX instead.
    """

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        if _is_number(form):
            (record["sample"],) = cursor.fields(_SAMPLE)
            return
        record["waves"] = []
        for _ in range(_wave_count(record)):
            record["waves"].append(cursor.content(read_count(cursor, "i", 1)))

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        if _is_number(form):
            out.append(pack(_SAMPLE, [record["sample"]], "sample"))
            return
        count, stored = len(record["waves"]), _wave_count(record)
        if count != stored:
            subject, problem = (
                T("sound {number}", number=record["sound"]),
                T("the flags have another number of samples"),
            )
            raise ExportError(subject, problem, count=count, limit=stored)
        for wave in record["waves"]:
            out += (_WAVE_SIZE.pack(len(wave)), wave)


_SAMPLE, _WAVE_SIZE = Struct("<I"), Struct("<i")


def _is_number(form: RecordForm) -> bool:
    return form.version <= 3 and form.game.traits.samples is SamplePlace.IN_MAIN_SFX


def _wave_count(record: Values) -> int:
    return int(record["flags"] >> 2 & 0xF)
