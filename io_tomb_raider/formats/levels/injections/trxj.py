"""``TRXJ``, versions 2 to 11: an injection as a file, or as the block after the last section of a level."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from struct import Struct

from ...base.bytes.cursor import Cursor
from ...base.bytes.inflate import INFLATED_BASE, INFLATED_PER_BYTE
from ...base.errors import DAMAGED, ENDS_EARLY, ExportError, FormatError
from ...base.games import Game, SamplePlace
from ...base.messages import T
from ...base.schema.fields import (
    Numbers,
    Record,
    complete_record,
    read_count,
    read_records,
    record_bytes,
    renumber_record,
)
from .fields import RecordForm
from .records import BLOCKS, CHUNKS, SOUNDS, TEST, BlockType

MAGIC = b"TRXJ"
VERSIONS = range(2, 12)
_LAST_WITH_NUMBERS = 3
_HEADER = Struct("<4s4i")
_PAIR = Struct("<2i")
_TRIPLE = Struct("<3i")


@dataclass
class TrxjBlock:
    """The records of one type."""

    type: int  #: a key of :data:`.records.BLOCKS`.
    records: list[Record] = field(default_factory=list)  #: the records, empty if the block is kept as bytes.
    count: int = 0  #: the number of elements of a block that is kept as bytes.
    content: bytes | None = None  #: its bytes, or None for decoded blocks.

    def __len__(self) -> int:
        return self.count if self.content is not None else len(self.records)


@dataclass
class TrxjChunk:
    """A group of blocks."""

    type: int
    blocks: list[TrxjBlock] = field(default_factory=list)


@dataclass
class Injection:
    """An injection."""

    version: int  #: 2 to 11.
    #: the type of the file, 0 for blocks of levels. It chooses the option of the player that disables the
    #: injection.
    kind: int
    game: Game  #: the game whose form the records have.
    #: conditions; the engine skips the injection if one of them fails.
    tests: list[Record] = field(default_factory=list)
    chunks: list[TrxjChunk] = field(default_factory=list)  #: the content in file order.
    original: bytes = b""  #: the bytes of the file, to which the unchanged content is packed again.

    @property
    def form(self) -> RecordForm:
        return RecordForm(self.version, self.game)

    @property
    def blocks(self) -> Iterator[TrxjBlock]:
        """All blocks in file order."""
        for chunk in self.chunks:
            yield from chunk.blocks

    def records(self, type_: int) -> list[Record]:
        """Return the records of a type, of all of its blocks."""
        return [record for block in self.blocks if block.type == type_ for record in block.records]

    def replace(self, type_: int, records: list[Record]) -> None:
        """Replace all records of a type. Empty blocks and chunks are removed, new ones added in order."""
        blocks = [block for block in self.blocks if block.type == type_]
        if blocks:
            blocks[0].records = records
            for other in blocks[1:]:
                other.records = []
        elif records:
            self._add(TrxjBlock(type_, records))
        self._remove_empty()

    def _remove_empty(self) -> None:
        for chunk in self.chunks:
            chunk.blocks = [block for block in chunk.blocks if len(block) or block.content is not None]
        self.chunks = [chunk for chunk in self.chunks if chunk.blocks]

    def add_bytes(self, type_: int, count: int, content: bytes) -> None:
        """Append a number of elements, as bytes, to a block without decoded records."""
        block = next((each for each in self.blocks if each.type == type_), None)
        if block is None:
            block = TrxjBlock(type_, content=b"")
            self._add(block)
        block.count, block.content = block.count + count, (block.content or b"") + content

    def _add(self, block: TrxjBlock) -> None:
        chunk_type = next(number for number, types in CHUNKS.items() if block.type in types)
        chunk = next((each for each in self.chunks if each.type == chunk_type), None)
        if chunk is None:
            chunk = TrxjChunk(chunk_type)
            self.chunks.insert(_insertion_index(list(CHUNKS), self.chunks, chunk_type), chunk)
        chunk.blocks.insert(_insertion_index(CHUNKS[chunk_type], chunk.blocks, block.type), block)

    def renumbered(self, numbers: Numbers) -> tuple[Injection, dict[str, int]]:
        """Return a copy with new numbers, and the number of removed records by the name of their block.

        Records that refer to an element that is gone are removed.
        """
        new = copy.deepcopy(self)
        removed: dict[str, int] = {}
        new.tests = [test for test in new.tests if renumber_record(TEST, test, numbers, dict(test))]
        if len(new.tests) < len(self.tests):
            removed["tests"] = len(self.tests) - len(new.tests)
        for block in new.blocks:
            kind = BLOCKS.get(block.type, _UNKNOWN)
            if kind.fields:
                before = _size(block.records)
                block.records = [
                    record
                    for record in block.records
                    if renumber_record(kind.fields, record, numbers, dict(record))
                ]
                count = before - _size(block.records)
                if count:
                    removed[kind.name] = removed.get(kind.name, 0) + count
        new._remove_empty()
        return new, removed

    def upgrade(self, version: int) -> None:
        """Raise the version, and give all records the fields that it adds, in place.

        Raises ExportError if its sounds refer to MAIN.SFX, which only versions up to 3 can do.
        """
        if version <= self.version:
            return
        if (
            self.version <= _LAST_WITH_NUMBERS < version
            and self.game.traits.samples is SamplePlace.IN_MAIN_SFX
            and self.records(SOUNDS)
        ):
            problem = T("its sounds are numbers in MAIN.SFX, so it cannot have records of newer versions")
            raise ExportError("TRXJ", problem)
        self.version = version
        for block in self.blocks:
            for record in block.records:
                complete_record(BLOCKS[block.type].fields, record, self.form)

    def payload(self) -> bytes:
        """Return the content before compression. Raises ExportError if a value does not fit."""
        tests = record_bytes(TEST, *self.tests, form=self.form)
        out = bytearray(_PAIR.pack(len(self.tests), len(tests)) + tests)
        out += Struct("<i").pack(len(self.chunks))
        for chunk in self.chunks:
            body = bytearray()
            for block in chunk.blocks:
                content = self._content(block)
                body += _TRIPLE.pack(block.type, len(block), len(content)) + content
            out += _TRIPLE.pack(chunk.type, len(chunk.blocks), len(body)) + body
        return bytes(out)

    def _content(self, block: TrxjBlock) -> bytes:
        if block.content is not None:
            return block.content
        return record_bytes(BLOCKS[block.type].fields, *block.records, form=self.form)

    def to_bytes(self) -> bytes:
        """Return the file. Unchanged content has the original bytes.

        Raises:
            ExportError: if a value does not fit.
        """
        payload = self.payload()
        if self.original:
            header = _HEADER.unpack_from(self.original)
            is_same = header[1:3] == (self.version, self.kind)
            if is_same and _inflated(self.original) == payload:
                return self.original
        packed = zlib.compress(payload)
        return _HEADER.pack(MAGIC, self.version, self.kind, len(payload), len(packed)) + packed


def _insertion_index(order: Sequence[int], parts: Sequence[TrxjBlock | TrxjChunk], type_: int) -> int:
    """Return the index of a new part, before the first that comes later in an order of types."""
    rank = order.index(type_)
    return next((index for index, part in enumerate(parts) if order.index(part.type) > rank), len(parts))


def _size(records: list[Record]) -> int:
    """Return the number of records, or of their edits if they have such."""
    return sum(len(record["edits"]) if "edits" in record else 1 for record in records)


_UNKNOWN = BlockType("unknown")


def _inflated(data: bytes) -> bytes:
    return zlib.decompress(data[_HEADER.size :])


def read_trxj(data: bytes, game: Game | None = None) -> Injection:
    """Decode an injection.

    Args:
        game: the game of its level. None tries the games whose form fits: some records have other sizes.

    Raises:
        FormatError: if it is damaged, or of an unknown version.
    """
    cursor = Cursor(data)
    cursor.section = "header"
    magic, version, kind, size, packed = cursor.fields(_HEADER)
    if magic != MAGIC:
        raise cursor.error(repr(MAGIC), repr(magic), offset=0)
    if version not in VERSIONS:
        expected = f"version {VERSIONS[0]} to {VERSIONS[-1]}"
        raise cursor.error(
            expected, str(version), offset=4, problem=T("this version of injections is unknown")
        )
    payload = _inflate(cursor, size, packed)
    errors: list[FormatError] = []
    for candidate in [game] if game is not None else (Game.TR1, Game.TR2, Game.TR4):
        injection = Injection(version, kind, candidate, original=bytes(data))
        try:
            _read_payload(Cursor(payload, inside="injection"), injection)
            return injection
        except FormatError as error:
            errors.append(error)
    raise max(errors, key=lambda error: error.offset or 0)


def _inflate(cursor: Cursor, size: int, packed: int) -> bytes:
    """Return the inflated content. Sizes are bounded by the file's."""
    cursor.section = "content"
    if packed != cursor.remaining:
        short = packed > cursor.remaining
        sizes = (cursor.remaining, packed) if short else None
        problem = ENDS_EARLY if short else DAMAGED
        raise cursor.error(f"{packed} bytes", str(cursor.remaining), problem=problem, sizes=sizes)
    most = INFLATED_BASE + INFLATED_PER_BYTE * packed
    if not 0 <= size <= most:
        raise cursor.error(f"a size of at most {most} bytes", str(size), offset=12)
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(bytes(cursor.data[cursor.offset :]), size + 1)
    except zlib.error as error:
        raise cursor.error("compressed data", str(error)) from None
    if len(content) != size or not inflater.eof or inflater.unused_data:
        raise cursor.error(f"{size} bytes when inflated", f"{len(content)} bytes or more")
    return content


def _read_payload(cursor: Cursor, injection: Injection) -> None:
    cursor.section = "tests"
    count, size = cursor.fields(_PAIR)
    end = _end(cursor, size)
    injection.tests = read_records(TEST, cursor, _bounded(cursor, count, size), injection.form)
    _check_end(cursor, end)
    cursor.section = "chunks"
    for _ in range(read_count(cursor, "i", _TRIPLE.size)):
        kind, blocks, size = cursor.fields(_TRIPLE)
        if kind not in CHUNKS:
            raise cursor.error(f"a chunk of type 0 to {max(CHUNKS)}", str(kind))
        end = _end(cursor, size)
        chunk = TrxjChunk(kind)
        for _ in range(_bounded(cursor, blocks, size)):
            chunk.blocks.append(_read_block(cursor, injection.form))
            cursor.section = "chunks"
        _check_end(cursor, end)
        injection.chunks.append(chunk)
    if cursor.remaining:
        raise cursor.error("the end of the content", f"{cursor.remaining} more bytes")


def _read_block(cursor: Cursor, form: RecordForm) -> TrxjBlock:
    kind, count, size = cursor.fields(_TRIPLE)
    if kind not in BLOCKS:
        problem = T("this injection has a part that is unknown")
        raise cursor.error(f"a block of type 0 to {max(BLOCKS)}", str(kind), problem=problem)
    cursor.section = BLOCKS[kind].name
    end = _end(cursor, size)
    fields = BLOCKS[kind].fields
    if not fields:
        return TrxjBlock(kind, count=count, content=cursor.content(size))
    records = read_records(fields, cursor, _bounded(cursor, count, size), form)
    _check_end(cursor, end)
    return TrxjBlock(kind, records)


def _end(cursor: Cursor, size: int) -> int:
    if not 0 <= size <= cursor.remaining:
        raise cursor.error(f"a size of at most {cursor.remaining} bytes", str(size))
    return cursor.offset + size


def _bounded(cursor: Cursor, count: int, size: int) -> int:
    if not 0 <= count <= size:
        raise cursor.error(f"at most {size} elements", str(count))
    return count


def _check_end(cursor: Cursor, end: int) -> None:
    cursor.element = None
    if cursor.offset != end:
        raise cursor.error(f"the end at byte {end}", f"byte {cursor.offset}")
