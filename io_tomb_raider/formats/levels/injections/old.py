"""``T1MJ`` and ``T2XJ``: the injection files of the engine before 2025, with the same edits in another order.

T1MJ has the numbers of all records first, then all records. T2XJ has blocks; files from before its first
release have floor edits without blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from ...base.bytes.cursor import Cursor
from ...base.errors import FormatError
from ...base.games import Game
from ...base.messages import T
from ...base.schema.fields import (
    Choice,
    Field,
    List,
    Many,
    Number,
    Record,
    Row,
    read_count,
    read_record,
    read_records,
    record_bytes,
)
from .fields import Counts, Pixels, RecordForm, Waves
from .kinds import BlockId, FloorEdit
from .records import BLOCKS, FLOOR_EDITS, ROOM_EDITS

T1MJ, T2XJ = b"T1MJ", b"T2XJ"
T1MJ_VERSIONS = range(1, 12)
_HEADER = Struct("<4s2i")
_COUNT = Struct("<i")
_BLOCK = Struct("<3i")
_PALETTE_SIZE, _PAGE_SIZE = 768, 1 << 16

_ROOM = Number("room", "h", Counts.ROOM)
_POSITION = (Number("x", "i", Counts.X), Number("y", "i", Counts.Y), Number("z", "i", Counts.Z))
_OFFSET = (Number("x"), Number("y"), Number("z"))
_NEW_ITEM = (Number("id"), _ROOM, *_POSITION, Number("angle"), Number("shade"), Number("flags", "H"))
_SECTOR = (_ROOM, Number("x", "H", Counts.SECTOR_X), Number("z", "H", Counts.SECTOR_Z))
_OLD_EDITS = {kind: FLOOR_EDITS[kind] for kind in range(FloorEdit.SECTOR)} | {FloorEdit.NEW_ITEM: _NEW_ITEM}
_FLOOR_EDIT = (*_SECTOR, Many("edits", (Choice("type", _OLD_EDITS),), is_content=True))
_MESH_FACE = (
    Number("source_id", "i"),
    Number("source_mesh"),
    Number("face_type", "i"),
    Number("source_face"),
    List("targets", "h", "I"),
)
_OBJECT = (
    Number("id", "i"),
    Number("mesh_count"),
    Number("first_mesh"),
    Number("tree", "i"),
    Number("frame", "I"),
    Number("animation"),
)
_SOUND = (
    Number("sound", "h", Counts.SOUND),
    Number("volume"),
    Number("chance"),
    Number("flags", "H"),
    Waves(),
)
_PAGE_EDIT = (
    Number("page", "H", Counts.PAGE),
    Number("x", "B"),
    Number("y", "B"),
    Number("width", "H"),
    Number("height", "H"),
    Pixels(size=1),
)


class Section(NamedTuple):
    """A part of T1MJ's body."""

    name: str  #: a plural noun.
    number: int  #: the index of its number in the header.
    fields: tuple[Field, ...] = ()  #: the fields of a record, or empty for bytes.
    size: int = 0  #: the bytes of an element without fields.


def _sections(version: int) -> tuple[Section, ...]:
    """Return the body of a version in file order. Indices from 19 on are those of later numbers."""
    mesh_edit: tuple[Field, ...] = (Number("id", "i"), Number("mesh"))
    if version >= 6:
        mesh_edit += (Row("center", "h", 3), Number("radius", "i"))
    mesh_edit += (Many("faces", _MESH_FACE, "I"), Many("vertices", (Number("vertex"), *_OFFSET), "I"))
    move = (Number("vertex", "H"), *_OFFSET, *((Number("shade"),) if version >= 7 else ()))
    room_edits = {number: ROOM_EDITS[number] for number in range(6)}
    room_edits |= {2: move, 6: (Number("vertex", "H"), Number("image", "H"))}
    portal: tuple[Field, ...] = (_ROOM, Number("to_room", "h", Counts.ROOM))
    portal += (Number("portal"),) if version >= 4 else ()
    item: tuple[Field, ...] = (Number("item", "h", Counts.ITEM), Number("angle"))
    item += (*_POSITION, _ROOM) if version >= 5 else ()
    return (
        Section("texture pages", 0, size=_PAGE_SIZE),
        Section("object textures", 1, size=20),
        Section("sprites", 2, size=16),
        Section("sprite sequences", 3, (Number("id", "i"), Number("length"), Number("first"))),
        Section("meshes", 4, size=2),
        Section("mesh pointers", 5, size=4),
        Section("state changes", 6, size=6),
        Section("dispatches", 7, size=8),
        Section("animation commands", 8, size=2),
        Section("mesh trees", 9, size=4),
        Section("frames", 10, size=2),
        Section("animations", 11, size=32),
        Section("objects", 12, _OBJECT),
        Section("sounds", 13, _SOUND),
        Section("mesh edits", 16, mesh_edit),
        Section("page edits", 17, _PAGE_EDIT),
        Section("floor edits", 18, _FLOOR_EDIT),
        Section("room edits", 20, (Choice("type", room_edits, between=(_ROOM, Number("face_type", "i"))),)),
        Section("portal edits", 21, (*portal, Row("corners", "h", 12))),
        Section(
            "dispatch edits",
            22,
            (Number("id", "i"), Number("animation"), Many("dispatches", (Row("numbers", "h", 4),))),
        ),
        Section("item positions", 23, item),
        Section(
            "frame rotations", 24, (Number("id", "i"), Number("animation", "i"), Number("rotation", "I"))
        ),
        Section("camera edits", 25, BLOCKS[BlockId.CAMERA_EDITS].fields),
    )


@dataclass
class OldInjection:
    """An injection of the engine before 2025."""

    magic: bytes  #: ``T1MJ`` or ``T2XJ``.
    version: int  #: the version of the file.
    kind: int  #: the type of the file, which chooses the option of the player that disables it.
    #: T1MJ: the numbers of the header, 26 of them; those of missing parts are 0.
    counts: list[int] = field(default_factory=list)
    #: T1MJ: the records with the sizes that rooms get, and the number that versions before 8 have after the
    #: others.
    sizes: list[Record] = field(default_factory=list)
    palette: bytes = b""  #: T1MJ: 256 colors, 6 bits each.
    #: the records by part of the file, or its bytes.
    sections: dict[str, list[Record] | bytes] = field(default_factory=dict)
    blocks: list[int] | None = None  #: T2XJ: the type of each block, or None for files without blocks.

    @property
    def header(self) -> tuple[bytes, int]:
        """The first bytes of the file, and its version there."""
        return self.magic, self.version

    @property
    def game(self) -> Game:
        return Game.TR1 if self.magic == T1MJ else Game.TR2

    @property
    def _form(self) -> RecordForm:
        return RecordForm(0, self.game)

    def to_bytes(self) -> bytes:
        """Return the file. Raises ExportError if a value does not fit."""
        body = self._t1mj() if self.magic == T1MJ else self._t2xj()
        return b"".join([_HEADER.pack(self.magic, self.version, self.kind), *body])

    def _t1mj(self) -> Iterator[bytes]:
        counts = list(self.counts)
        sections = _sections(self.version)
        for section in sections:
            content = self.sections[section.name]
            counts[section.number] = len(content) // (section.size or 1)
        counts[15] = sum(len(record["waves"]) for record in self._records("sounds"))
        counts[_META] = len(self.sizes)
        for index in _header(self.version):
            yield _COUNT.pack(counts[index])
            if index == _META:
                yield record_bytes(_sizes(self.version), *self.sizes, form=self._form)
        yield self.palette
        for section in sections:
            content = self.sections[section.name]
            if isinstance(content, bytes):
                yield content
            else:
                yield record_bytes(section.fields, *content, form=self._form)

    def _records(self, name: str) -> list[Record]:
        content = self.sections[name]
        return [] if isinstance(content, bytes) else content

    def _t2xj(self) -> Iterator[bytes]:
        if self.blocks is None:
            records = self._records(BLOCKS[BlockId.FLOOR].name)
            yield _COUNT.pack(len(records)) + record_bytes(_FLOOR_EDIT, *records, form=self._form)
            return
        yield _COUNT.pack(len(self.blocks))
        for kind in self.blocks:
            records = self._records(_T2XJ_NAMES[kind])
            body = record_bytes(_T2XJ_BLOCKS[kind], *records, form=self._form)
            yield _BLOCK.pack(kind, len(records), len(body)) + body


_META = 19  # the number of records with sizes
_OLD_NUMBER = 26  # a number of versions before 8
_T2XJ_BLOCKS = {0: _FLOOR_EDIT, 1: BLOCKS[BlockId.ITEM_POSITIONS].fields}
_T2XJ_NAMES = {0: BLOCKS[BlockId.FLOOR].name, 1: BLOCKS[BlockId.ITEM_POSITIONS].name}


def _header(version: int) -> list[int]:
    """Return the indices of the numbers in a version's header, in file order."""
    result = list(range(19))
    result += [_OLD_NUMBER] if version < 8 else []
    for index, since in ((_META, 2), (20, 2), (21, 2), (22, 3), (23, 4), (24, 10), (25, 11)):
        result += [index] if version >= since else []
    return result


def _sizes(version: int) -> tuple[Field, ...]:
    return (_ROOM, Row("sizes", "h", 4 if version >= 9 else 2))


def read_old_injection(data: bytes) -> OldInjection:
    """Decode a T1MJ or T2XJ file. Raises FormatError if it is damaged, or of an unknown version."""
    cursor = Cursor(data)
    cursor.section = "header"
    magic, version, kind = cursor.fields(_HEADER)
    if magic not in (T1MJ, T2XJ):
        raise cursor.error("T1MJ or T2XJ", repr(magic), offset=0)
    versions = T1MJ_VERSIONS if magic == T1MJ else range(1, 2)
    if version not in versions:
        expected = f"version {versions[0]} to {versions[-1]}"
        raise cursor.error(
            expected, str(version), offset=4, problem=T("this version of injections is unknown")
        )
    injection = OldInjection(magic, version, kind)
    if magic == T1MJ:
        _read_t1mj(cursor, injection)
    else:
        _read_t2xj(cursor, injection)
    return injection


def _check_end(cursor: Cursor) -> None:
    cursor.element = None
    if cursor.remaining:
        raise cursor.error("the end of the file", f"{cursor.remaining} more bytes")


def _read_t1mj(cursor: Cursor, injection: OldInjection) -> None:
    form = RecordForm(0, Game.TR1)
    injection.counts = [0] * 27
    for index in _header(injection.version):
        injection.counts[index] = read_count(cursor, "i", 1)
        if index == _META:
            count = injection.counts[index]
            injection.sizes = [read_record(_sizes(injection.version), cursor, form) for _ in range(count)]
    cursor.section = "palette"
    injection.palette = cursor.content(_PALETTE_SIZE)
    for section in _sections(injection.version):
        cursor.section = section.name
        count = injection.counts[section.number]
        if section.size:
            injection.sections[section.name] = cursor.content(count * section.size)
            continue
        injection.sections[section.name] = read_records(section.fields, cursor, count, form)
    _check_end(cursor)
    waves = sum(len(record["waves"]) for record in injection._records("sounds"))
    if waves != injection.counts[15]:
        raise cursor.error(f"{injection.counts[15]} samples", str(waves))


def _read_t2xj(cursor: Cursor, injection: OldInjection) -> None:
    start = cursor.offset
    try:
        _read_blocks(cursor, injection)
    except FormatError as error:
        cursor.offset, cursor.element = start, None
        injection.sections, injection.blocks = {}, None
        try:
            _read_first_form(cursor, injection)
        except FormatError:
            raise error from None


def _read_blocks(cursor: Cursor, injection: OldInjection) -> None:
    form = RecordForm(0, Game.TR2)
    cursor.section = "blocks"
    injection.blocks = []
    for _ in range(read_count(cursor, "i", _BLOCK.size)):
        kind, count, size = cursor.fields(_BLOCK)
        if kind not in _T2XJ_BLOCKS or kind in injection.blocks:
            raise cursor.error("a block of type 0 or 1, once", str(kind))
        if not 0 <= count <= size <= cursor.remaining:
            raise cursor.error(f"at most {cursor.remaining} bytes", f"{count} elements of {size} bytes")
        end = cursor.offset + size
        cursor.section = _T2XJ_NAMES[kind]
        injection.blocks.append(kind)
        injection.sections[cursor.section] = read_records(_T2XJ_BLOCKS[kind], cursor, count, form)
        if cursor.offset != end:
            raise cursor.error(f"the end at byte {end}", f"byte {cursor.offset}")
    _check_end(cursor)


def _read_first_form(cursor: Cursor, injection: OldInjection) -> None:
    cursor.section = BLOCKS[BlockId.FLOOR].name
    count = read_count(cursor, "i", 1)
    records = read_records(_FLOOR_EDIT, cursor, count, RecordForm(0, Game.TR2))
    injection.sections[cursor.section] = records
    _check_end(cursor)
