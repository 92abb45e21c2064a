"""``TRXJ``, versions 2 to 12, and its successor ``TRXI``: an injection as a file, or a block after a level.

Both decode to the same records. New models, textures and animations stay bytes in the form of their file, and
:mod:`.canonical` converts them: no form holds all of the other's (spare words and short rotations of games in
TRXJ; angles of 16 bits and effects in TRXI), so a file that only has its edits changed keeps these bytes.
"""

from __future__ import annotations

import copy
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from struct import Struct

import numpy as np

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
    read_record,
    read_records,
    record_bytes,
    renumber_record,
)
from .fields import TRXI, RecordForm
from .kinds import BlockId
from .records import BLOCKS, CHUNKS, GAME_TEST, TEST, TESTS, block_type, fields_of

TRXJ_MAGIC, TRXI_MAGIC = b"TRXJ", b"TRXI"
MAGICS = (TRXJ_MAGIC, TRXI_MAGIC)
VERSIONS = range(2, 13)  # of TRXJ
_NUMBER = 1  # of TRXI, and of all of its tests and chunks
_KINDS = range(11)
_MOST_RECORDS = (
    1 << 16
)  # of a block, and one more for each byte of the file: others are made to exhaust memory
LAST_WITH_NUMBERS = 3
_HEADER = Struct("<4s4i")
_COUNT = Struct("<i")
_PAIR = Struct("<2i")
_TRIPLE = Struct("<3i")
_CHUNK = Struct("<4i")


@dataclass
class TrxjBlock:
    """The records of one type."""

    type: int  #: a key of :data:`.records.BLOCKS`, or an unknown type in TRXI.
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
    version: int = _NUMBER  #: in TRXI.
    content: bytes | None = None  #: the bytes of its blocks in TRXI if its type or version is unknown.
    count: int = 0  #: the number of these blocks.


@dataclass
class Injection:
    """An injection."""

    version: int  #: 2 to 12 for TRXJ, or :data:`~.fields.TRXI`.
    #: the type of the file, 0 for blocks of levels. It chooses the option of the player that disables the
    #: injection.
    kind: int
    game: Game  #: the game whose form the records have.
    #: conditions; the engine skips the injection if one of them fails. Unknown ones of TRXI have their
    #: ``version`` and ``content``.
    tests: list[Record] = field(default_factory=list)
    chunks: list[TrxjChunk] = field(default_factory=list)  #: the content in file order.
    original: bytes = b""  #: the bytes of the file, to which the unchanged content is packed again.

    @property
    def form(self) -> RecordForm:
        return RecordForm(self.version, self.game)

    @property
    def is_trxi(self) -> bool:
        return self.version >= TRXI

    @property
    def has_unknown_parts(self) -> bool:
        return any(chunk.content is not None for chunk in self.chunks) or any(
            block.type not in BLOCKS for block in self.blocks
        )

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
        self.remove_empty()

    def remove_empty(self) -> None:
        """Remove blocks and chunks without content."""
        for chunk in self.chunks:
            chunk.blocks = [block for block in chunk.blocks if len(block) or block.content is not None]
        self.chunks = [chunk for chunk in self.chunks if chunk.blocks or chunk.content is not None]

    def add_bytes(self, type_: int, count: int, content: bytes) -> None:
        """Append a number of elements, as bytes, to a block without decoded records."""
        self._append(TrxjBlock(type_, [], count, content))

    def append(self, chunk_type: int, block: TrxjBlock) -> None:
        """Append the elements of a block. Unknown ones get into a type of chunks."""
        if block.content is None:
            self.replace(block.type, [*self.records(block.type), *block.records])
        else:
            self._append(block, chunk_type)

    def _append(self, block: TrxjBlock, chunk_type: int = 0) -> None:
        old = next((each for each in self.blocks if each.type == block.type), None)
        if old is None:
            self._add(block, chunk_type)
        else:
            old.count, old.content = old.count + block.count, (old.content or b"") + (block.content or b"")

    def _add(self, block: TrxjBlock, chunk_type: int = 0) -> None:
        known = (number for number, types in CHUNKS.items() if block.type in types)
        chunk_type = next(known, chunk_type)
        chunk = next((each for each in self.chunks if each.type == chunk_type and each.content is None), None)
        if chunk is None:
            chunk = TrxjChunk(chunk_type)
            self.chunks.insert(_insertion_index(list(CHUNKS), self.chunks, chunk_type), chunk)
        order = CHUNKS[chunk_type] if block.type in CHUNKS[chunk_type] else (*CHUNKS[chunk_type], block.type)
        chunk.blocks.insert(_insertion_index(order, chunk.blocks, block.type), block)

    def renumbered(self, numbers: Numbers) -> tuple[Injection, dict[str, int]]:
        """Return a copy with new numbers, and the number of removed records by the name of their block.

        Records that refer to an element that is gone are removed.
        """
        new = copy.deepcopy(self)
        removed: dict[str, int] = {}
        new.tests = [
            test
            for test in new.tests
            if "content" in test or renumber_record(TEST, test, numbers, dict(test))
        ]
        if len(new.tests) < len(self.tests):
            removed["tests"] = len(self.tests) - len(new.tests)
        for block in new.blocks:
            fields = fields_of(block.type, self.form)
            before = _size(block.records)
            block.records = [
                record for record in block.records if renumber_record(fields, record, numbers, dict(record))
            ]
            count = before - _size(block.records)
            if count:
                name = block_type(block.type).name
                removed[name] = removed.get(name, 0) + count
        new.remove_empty()
        return new, removed

    def upgrade(self, version: int) -> None:
        """Raise the version, and give all records the fields that it adds, in place.

        Raises ExportError if its sounds refer to MAIN.SFX, which only versions up to 3 can do.
        """
        if version <= self.version:
            return
        if (
            self.version <= LAST_WITH_NUMBERS < version
            and self.game.traits.samples is SamplePlace.IN_MAIN_SFX
            and self.records(BlockId.SOUNDS)
        ):
            problem = T("its sounds are numbers in MAIN.SFX, so it cannot have records of newer versions")
            raise ExportError("TRXJ", problem)
        self.version = version
        for block in self.blocks:
            for record in block.records:
                complete_record(fields_of(block.type, self.form), record, self.form)

    def payload(self) -> bytes:
        """Return the content before compression. Raises ExportError if a value does not fit."""
        out = bytearray(_COUNT.pack(len(self.tests)))
        if self.is_trxi:
            for test in self.tests:
                content = test.get("content")
                if content is None:
                    content = record_bytes(TESTS[test["type"]], test, form=self.form)
                out += _TRIPLE.pack(test["type"], test.get("version", _NUMBER), len(content)) + content
        else:
            tests = record_bytes(TEST, *self.tests, form=self.form)
            out += _COUNT.pack(len(tests)) + tests
        out += _COUNT.pack(len(self.chunks))
        for chunk in self.chunks:
            body, count = chunk.content, chunk.count
            if body is None:
                body, count = b"".join(map(self._block_bytes, chunk.blocks)), len(chunk.blocks)
            version = (chunk.version,) if self.is_trxi else ()
            header = chunk.type, *version, count, len(body)
            out += (_CHUNK if self.is_trxi else _TRIPLE).pack(*header) + body
        return bytes(out)

    def _block_bytes(self, block: TrxjBlock) -> bytes:
        content = block.content
        if content is None:
            content = record_bytes(fields_of(block.type, self.form), *block.records, form=self.form)
        return _TRIPLE.pack(block.type, len(block), len(content)) + content

    def to_bytes(self) -> bytes:
        """Return the file. Unchanged content has the original bytes.

        Raises:
            ExportError: if a value does not fit.
        """
        payload = self.payload()
        if self.original:
            is_same = _HEADER.unpack_from(self.original)[:3] == (*self.header, self.kind)
            if is_same and _inflated(self.original) == payload:
                return self.original
        packed = zlib.compress(payload)
        return _HEADER.pack(*self.header, self.kind, len(payload), len(packed)) + packed

    @property
    def header(self) -> tuple[bytes, int]:
        """The first bytes of the file, and its version there."""
        return (TRXI_MAGIC, _NUMBER) if self.is_trxi else (TRXJ_MAGIC, self.version)


def _insertion_index(order: Sequence[int], parts: Sequence[TrxjBlock | TrxjChunk], type_: int) -> int:
    """Return the index of a new part, before the first that is later in an order of types, or unknown."""
    earlier = order[: order.index(type_)]
    return next((index for index, part in enumerate(parts) if part.type not in earlier), len(parts))


def _size(records: list[Record]) -> int:
    """Return the number of records, or of their edits if they have such."""
    return sum(len(record["edits"]) if "edits" in record else 1 for record in records)


def _inflated(data: bytes) -> bytes:
    return zlib.decompress(data[_HEADER.size :])


def read_trxj(data: bytes, game: Game | None = None) -> Injection:
    """Decode an injection, TRXJ or TRXI.

    Args:
        game: the game of its level. None tries the games whose form fits: some records have other sizes. The
            first condition that names a game is followed instead.

    Raises:
        FormatError: if it is damaged, or of an unknown version.
    """
    cursor = Cursor(data)
    cursor.section = "header"
    magic, version, kind, size, packed = cursor.fields(_HEADER)
    if magic not in MAGICS:
        raise cursor.error("TRXJ or TRXI", repr(magic), offset=0)
    versions = VERSIONS if magic == TRXJ_MAGIC else range(_NUMBER, _NUMBER + 1)
    if version not in versions:
        expected = f"version {versions[0]} to {versions[-1]}"
        raise cursor.error(
            expected, str(version), offset=4, problem=T("this version of injections is unknown")
        )
    if magic == TRXI_MAGIC:
        version = TRXI
        if kind not in _KINDS:
            raise cursor.error(f"a type of 0 to {_KINDS[-1]}", str(kind), offset=8)
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
    if injection.is_trxi:
        count = read_count(cursor, "i", _TRIPLE.size)
        injection.tests = [_read_test(cursor, number, injection.form) for number in range(count)]
        cursor.element = None
    else:
        count, size = cursor.fields(_PAIR)
        end = _end(cursor, size)
        injection.tests = read_records(TEST, cursor, _bounded(cursor, count, size), injection.form)
        _check_end(cursor, end)
    injection.game = _named_game(injection.tests) or injection.game
    cursor.section = "chunks"
    for _ in range(read_count(cursor, "i", _TRIPLE.size)):
        injection.chunks.append(_read_chunk(cursor, injection))
    if cursor.remaining:
        raise cursor.error("the end of the content", f"{cursor.remaining} more bytes")


def _read_test(cursor: Cursor, number: int, form: RecordForm) -> Record:
    cursor.element = number
    type_, version, size = cursor.fields(_TRIPLE)
    end = _end(cursor, size)
    if type_ not in TESTS or version != _NUMBER:
        return {"type": type_, "version": version, "content": cursor.content(size)}
    record = {"type": type_, **read_record(TESTS[type_], cursor, form)}
    _check_end(cursor, end)
    return record


def _named_game(tests: Sequence[Record]) -> Game | None:
    """Return the game that a test names."""
    numbers = (test["game"] for test in tests if test["type"] == GAME_TEST and "game" in test)
    return next((game for number in numbers for game in Game if game == number), None)


def _read_chunk(cursor: Cursor, injection: Injection) -> TrxjChunk:
    if injection.is_trxi:
        kind, version, blocks, size = cursor.fields(_CHUNK)
        end = _end(cursor, size)
        if kind not in CHUNKS or version != _NUMBER:
            return TrxjChunk(kind, [], version, cursor.content(size), blocks)
    else:
        kind, blocks, size = cursor.fields(_TRIPLE)
        if kind not in CHUNKS:
            raise cursor.error(f"a chunk of type 0 to {max(CHUNKS)}", str(kind))
        end = _end(cursor, size)
    chunk = TrxjChunk(kind)
    for _ in range(_bounded(cursor, blocks, size)):
        chunk.blocks.append(_read_block(cursor, injection))
        cursor.section = "chunks"
    _check_end(cursor, end)
    return chunk


def _read_block(cursor: Cursor, injection: Injection) -> TrxjBlock:
    kind, count, size = cursor.fields(_TRIPLE)
    form, most = injection.form, min(size, _MOST_RECORDS + len(injection.original))
    if kind not in BLOCKS and not injection.is_trxi:
        problem = T("this injection has a part that is unknown")
        raise cursor.error(f"a block of type 0 to {max(BLOCKS)}", str(kind), problem=problem)
    cursor.section = block_type(kind).name
    end = _end(cursor, size)
    fields = fields_of(kind, form)
    if fields:
        records = read_records(fields, cursor, _bounded(cursor, count, most), form)
        _check_end(cursor, end)
        return TrxjBlock(kind, records)
    element = block_type(kind).element
    start = cursor.offset
    if injection.is_trxi and isinstance(element, np.dtype):
        if count * element.itemsize != size:
            raise cursor.error(f"{count} elements of {element.itemsize} bytes", f"{size} bytes")
    elif injection.is_trxi and isinstance(element, tuple):
        for number in range(_bounded(cursor, count, most)):
            cursor.element = number
            read_record(element, cursor, form)
        _check_end(cursor, end)
    cursor.offset = start
    return TrxjBlock(kind, count=count, content=cursor.content(size))


def _end(cursor: Cursor, size: int) -> int:
    if not 0 <= size <= cursor.remaining:
        raise cursor.error(f"a size of at most {cursor.remaining} bytes", str(size))
    return cursor.offset + size


def _bounded(cursor: Cursor, count: int, most: int) -> int:
    if not 0 <= count <= most:
        raise cursor.error(f"at most {most} elements", str(count))
    return count


def _check_end(cursor: Cursor, end: int) -> None:
    cursor.element = None
    if cursor.offset != end:
        raise cursor.error(f"the end at byte {end}", f"byte {cursor.offset}")
