"""Tables of strings in the scripts of TR2 to TR5: offsets and one block of bytes.

Chapters 11.1.1 and 12.2.2 of the documentation. Offsets are relative to the block, and each string ends with
a zero byte. In all known files the strings are in order and fill the block; a table keeps its offsets and its
block in any case, so it is written as it was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any

from ....base.bytes.cursor import Cursor
from ....base.bytes.records import U16
from ....base.errors import ExportError
from ....base.messages import T
from ....base.schema.fields import Field, Out, Values

_SIZE = Struct("<H")
_MOST_BYTES = 0xFFFF


@dataclass(frozen=True)
class StringTable:
    """A table of strings."""

    offsets: tuple[int, ...] = ()  #: the start of each string in the block.
    block: bytes = b""  #: the strings, deciphered.

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> StringTable:
        """Return the table of these strings, consecutive and in order."""
        offsets, size = [], 0
        for text in texts:
            offsets.append(size)
            size += len(text) + 1
        return cls(tuple(offsets), b"".join(text + b"\0" for text in texts))

    @property
    def texts(self) -> list[bytes]:
        """The strings without terminators. An unterminated one extends to the end of the block."""
        return [self.text(number) for number in range(len(self.offsets))]

    def text(self, number: int) -> bytes:
        """Return one string."""
        start = self.offsets[number]
        end = self.block.find(0, start)
        return self.block[start : None if end < 0 else end]

    @property
    def is_tight(self) -> bool:
        """Whether the table follows from its strings: they are in order and fill the block."""
        end = 0
        for offset in self.offsets:
            if offset != end:
                return False
            end = self.block.find(0, offset) + 1
            if not end:
                return False
        return end == len(self.block)

    def __len__(self) -> int:
        return len(self.offsets)


@dataclass(frozen=True)
class Strings(Field):
    """A section that is a string table: 16-bit offsets, 16-bit size of the block, the block.

    The block is ciphered by exclusive-or with the target's ``cipher_key``, including the zero bytes.
    """

    name: str  #: the attribute of the table, or of a tuple of tables.
    count: str | int  #: the attribute with the number of strings, or the number itself.
    tables: int = 0  #: the number of tables in a tuple; 0 if the attribute is a table.

    def read(self, cursor: Cursor, record: Values, form: Any = None) -> None:
        cursor.section = self.name
        count = self._count(record)
        tables = [_read_table(cursor, count, record["cipher_key"]) for _ in range(self.tables or 1)]
        record[self.name] = tuple(tables) if self.tables else tables[0]

    def write(self, record: Values, out: Out, form: Any = None) -> None:
        value = record[self.name]
        tables: tuple[StringTable, ...] = value if self.tables else (value,)
        if len(tables) != (self.tables or 1):
            raise ExportError(self.name, T("wrong number of tables"), count=len(tables), limit=self.tables)
        for table in tables:
            _write_table(out, table, self._count(record), record["cipher_key"], self.name)

    def _count(self, record: Values) -> int:
        return self.count if isinstance(self.count, int) else int(record[self.count])


def _read_table(cursor: Cursor, count: int, key: int) -> StringTable:
    offsets = cursor.array(U16, count)
    (size,) = cursor.fields(_SIZE)
    start = cursor.take(size)
    if count and int(offsets.max()) > size:
        element = int(offsets.argmax())
        raise cursor.error(
            f"an offset of at most {size}", str(offsets[element]), element=element, offset=start
        )
    block = bytes(cursor.data[start : cursor.offset])
    return StringTable(tuple(offsets.tolist()), cipher(block, key))


def _write_table(out: Out, table: StringTable, count: int, key: int, name: str) -> None:
    if len(table) != count:
        raise ExportError(name, T("wrong number of strings"), count=len(table), limit=count)
    if len(table.block) > _MOST_BYTES:
        raise ExportError(name, T("too many bytes of strings"), count=len(table.block), limit=_MOST_BYTES)
    out += (b"".join(map(_SIZE.pack, table.offsets)), _SIZE.pack(len(table.block)), cipher(table.block, key))


def cipher(block: bytes, key: int) -> bytes:
    """Cipher or decipher a block: exclusive-or of every byte."""
    return block.translate(bytes(code ^ key for code in range(256))) if key else block
