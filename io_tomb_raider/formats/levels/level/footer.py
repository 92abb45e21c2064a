"""The footer that tools of the TRNG engine append to TR4 levels, scripts and language files.

It is not part of the documentation. Little-endian: ``NG``, chunks (16-bit size in words including this
header, 16-bit id, payload), 32 bits of zero, ``NGLE``, and the 32-bit size of the whole footer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from struct import Struct
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError
from ...base.messages import T
from .level import Level

FLOOR_DATA_PLUGINS = 0x8048  # the plugin of each word of floor data, one byte each
ROOM_FLAGS = 0x8009  # a count, and eight bytes per room
LEVEL_FLAGS = 0x800D
ROOM_REMAP = 0x8037  # the editor's room numbers

_ROOM_COUNT = Struct("<H")
_ROOM_FLAG_BYTES = 8
_START = b"NG"
_END = b"NGLE"
_HEADER = Struct("<HH")
_TRAILER = Struct("<4sI")
_TERMINATOR = bytes(4)
_MOST_WORDS = 0xFFFF


class FooterChunk(NamedTuple):
    """One chunk: its id and its payload, which has an even size."""

    id: int
    payload: bytes


@dataclass(frozen=True)
class TrngFooter:
    """A footer."""

    chunks: tuple[FooterChunk, ...] = ()  #: the chunks in file order. Ids may repeat.
    #: the bytes between the last readable chunk and the closing mark: the terminating zeros, and any bytes of
    #: a damaged footer.
    rest: bytes = _TERMINATOR

    def get(self, chunk_id: int) -> bytes | None:
        """Return the payload of the first chunk with this id, or None."""
        return next((chunk.payload for chunk in self.chunks if chunk.id == chunk_id), None)

    def with_chunk(self, chunk_id: int, payload: bytes | None) -> TrngFooter:
        """Return a footer in which the chunk has this payload, at its old position or appended.

        None removes all chunks with this id. An odd payload is padded with one zero byte.
        """
        chunks = list(self.chunks)
        if payload is None:
            chunks = [chunk for chunk in chunks if chunk.id != chunk_id]
        else:
            index = next((index for index, chunk in enumerate(chunks) if chunk.id == chunk_id), len(chunks))
            chunks[index : index + 1] = [FooterChunk(chunk_id, payload + bytes(len(payload) % 2))]
        return replace(self, chunks=tuple(chunks))

    def to_bytes(self) -> bytes:
        """Return the footer's bytes. Chunks that were parsed and not changed are written unchanged.

        Raises:
            ExportError: if a chunk is too large for its size field.
        """
        pieces = [_START]
        for chunk in self.chunks:
            size, odd = divmod(len(chunk.payload) + _HEADER.size, 2)
            if size + odd > _MOST_WORDS:
                problem = T("chunk {id:#06x} has too many words", id=chunk.id)
                raise ExportError(T("TRNG footer"), problem, count=size + odd, limit=_MOST_WORDS)
            pieces += (_HEADER.pack(size + odd, chunk.id), chunk.payload, bytes(odd))
        pieces.append(self.rest)
        total = sum(map(len, pieces)) + _TRAILER.size
        return b"".join((*pieces, _TRAILER.pack(_END, total)))


def find_footer(data: bytes | memoryview) -> int | None:
    """Return the offset of the footer at the end of a file, or of the end of a file; None without one."""
    if len(data) < len(_START) + _TRAILER.size:
        return None
    mark, total = _TRAILER.unpack_from(data, len(data) - _TRAILER.size)
    start = len(data) - total
    if mark != _END or start < 0 or total < len(_START) + _TRAILER.size:
        return None
    return start if bytes(data[start : start + len(_START)]) == _START else None


def split_footer(data: bytes | memoryview) -> tuple[bytes, TrngFooter | None]:
    """Split data into the bytes before the footer, and the footer or None.

    The first part and :meth:`TrngFooter.to_bytes` make up ``data`` again. A damaged footer is not an error:
    bytes that cannot be read as chunks are kept as its ``rest``.
    """
    start = find_footer(data)
    if start is None:
        return bytes(data), None
    position, end = start + len(_START), len(data) - _TRAILER.size
    chunks: list[FooterChunk] = []
    while end - position >= _HEADER.size:
        words, chunk_id = _HEADER.unpack_from(data, position)
        size = 2 * words
        if size < _HEADER.size or size > end - position:
            break
        chunks.append(FooterChunk(chunk_id, bytes(data[position + _HEADER.size : position + size])))
        position += size
    return bytes(data[:start]), TrngFooter(tuple(chunks), bytes(data[position:end]))


def footer_of(level: Level) -> TrngFooter | None:
    """Return a level's footer, or None without one."""
    return split_footer(level.footer.tobytes())[1] if level.has_trng_footer else None


def put_footer(level: Level, footer: TrngFooter) -> None:
    """Replace the footer of a level that has one. Bytes before the footer are kept.

    Raises ExportError if a chunk is too large for its size field.
    """
    head, _ = split_footer(level.footer.tobytes())
    level.footer = np.frombuffer(head + footer.to_bytes(), np.uint8)


def move_floor_data_plugins(footer: TrngFooter, old_words: int, origins: NDArray[np.int64]) -> TrngFooter:
    """Return a footer in which moved words of floor data keep their plugin.

    A chunk whose size does not match the floor data is left unchanged.

    Args:
        old_words: the number of words of floor data before.
        origins: (n,) the old index of each new word, -1 for new words, which belong to no plugin; see
            :attr:`..floor.editing.EditedFloor.origins`.
    """
    payload = footer.get(FLOOR_DATA_PLUGINS)
    if payload is None or len(payload) != old_words + old_words % 2:
        return footer
    old = np.append(np.frombuffer(payload, dtype=np.uint8)[:old_words], np.uint8(0))
    return footer.with_chunk(FLOOR_DATA_PLUGINS, old[origins].tobytes())


def move_room_flags(footer: TrngFooter, sources: Sequence[int], count: int) -> TrngFooter:
    """Return a footer in which renumbered rooms keep their eight bytes of flags.

    A chunk whose size does not match the rooms is left unchanged.

    Args:
        sources: the old number of each new room, -1 for none.
        count: the number of rooms before.
    """
    payload = footer.get(ROOM_FLAGS)
    start, size = _ROOM_COUNT.size, _ROOM_FLAG_BYTES
    if payload is None or len(payload) < start + size * count or _ROOM_COUNT.unpack_from(payload)[0] != count:
        return footer
    rows = [payload[start + size * n : start + size * (n + 1)] if n >= 0 else bytes(size) for n in sources]
    return footer.with_chunk(ROOM_FLAGS, _ROOM_COUNT.pack(len(rows)) + b"".join(rows))
