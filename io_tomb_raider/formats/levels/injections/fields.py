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
from ...base.units import SECTOR_SIZE
from .kinds import ReferenceKind

TRXI = 100  # the form of TRXI 1: above every version of TRXJ, whose fields it has all


class RecordForm(NamedTuple):
    """What decides the form of a record: the version of TRXJ or :data:`TRXI`, and the game of its level."""

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
    """An object: its :class:`ReferenceKind` and its number.

    Models have 16 more bytes before version 5, which identify the object in the engine.
    """

    name: str = "object"

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        kind, number = cursor.fields(_PAIR)
        record[self.name] = {"kind": kind, "id": number}
        if kind == ReferenceKind.MODEL and form.version < 5:
            record[self.name]["guid"] = cursor.content(_GUID_SIZE)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        value = record[self.name]
        out.append(pack(_PAIR, [value["kind"], value["id"]], self.name))
        if value["kind"] == ReferenceKind.MODEL and form.version < 5:
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
                T("sound {number}", number=record.get("sound", record.get("symbol"))),
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


@dataclass(frozen=True)
class SectorRange(Field):
    """The range of a sound in TRXI: whole sectors. Records have units, which are rounded."""

    name: str = "range"

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        record[self.name] = cursor.fields(_U8)[0] * SECTOR_SIZE

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(_U8, [round(record[self.name] / SECTOR_SIZE)], self.name))


@dataclass(frozen=True)
class SoundSamples(Field):
    """The samples of a sound in TRXI: each a WAV file, or its number in MAIN.SFX."""

    name: str = "waves"

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        record[self.name] = []
        for _ in range(read_count(cursor, "B", 5)):
            start = cursor.offset
            (mode,) = cursor.fields(_U8)
            if mode > 1:
                raise cursor.error("0 for a file, or 1 for a number", str(mode), offset=start)
            is_file = mode == 0
            sample = cursor.content(read_count(cursor, "I", 1)) if is_file else cursor.fields(_SAMPLE)[0]
            record[self.name].append(sample)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        out.append(pack(_U8, [len(record[self.name])], self.name))
        for sample in record[self.name]:
            if isinstance(sample, bytes):
                out += (b"\0", _SAMPLE.pack(len(sample)), sample)
            else:
                out.append(b"\1" + pack(_SAMPLE, [sample], self.name))


_U8 = Struct("<B")


@dataclass(frozen=True)
class MeshShading(Field):
    """The normals of a mesh in TRXI, three numbers each, or its lights; the other list is empty."""

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        (count,) = cursor.fields(_I16)
        values = list(cursor.fields(Struct(f"<{3 * count if count > 0 else -count}h")))
        record["normals"], record["lights"] = (values, []) if count > 0 else ([], values)

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        normals, lights = record["normals"], record["lights"]
        out.append(pack(_I16, [len(normals) // 3 or -len(lights)], "normals"))
        values = normals or lights
        out.append(pack(Struct(f"<{len(values)}h"), values, "normals"))


_I16 = Struct("<h")
