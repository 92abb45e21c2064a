"""Files with a directory followed by blobs of any size: replacing blobs and moving the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_SECTOR = 2048


class Span(NamedTuple):
    """The place of a blob in its file."""

    offset: int
    size: int

    @property
    def end(self) -> int:
        """The offset of the first byte after the blob."""
        return self.offset + self.size

    def of(self, data: bytes) -> bytes:
        """Return the bytes of the blob, given its file."""
        return data[self.offset : self.end]


def replace_blobs(data: bytes, spans: Sequence[Span], new: Mapping[int, bytes]) -> tuple[bytes, list[Span]]:
    """Replace blobs and move those after them.

    Bytes between blobs are kept, except zero padding, which is made again so that a blob that began at a
    sector or at a multiple of four still does. A blob that shares bytes with another, or was absent, is
    appended to the file.

    Args:
        spans: the blobs of the file; an absent blob has size 0.
        new: the new blobs by index.

    Returns:
        The file with its old directory, and the new spans of all blobs.
    """
    order = sorted((span.offset, span.size, number) for number, span in enumerate(spans) if span.size)
    unshared = _unshared(order)
    pieces: list[bytes] = []
    size = copied = 0
    moved = list(spans)

    def append(content: bytes) -> None:
        nonlocal size
        pieces.append(content)
        size += len(content)

    for rank, (offset, length, number) in enumerate(order):
        if offset > copied:
            append(data[copied:offset])
            copied = offset
        moved[number] = Span(size - (copied - offset), length)
        if number not in new or number not in unshared:
            if offset + length > copied:
                append(data[copied : offset + length])
                copied = offset + length
            continue
        moved[number] = Span(size, len(new[number]))
        append(new[number])
        following = order[rank + 1][0] if rank + 1 < len(order) else len(data)
        gap = data[offset + length : following]
        if len(new[number]) != length:
            append(gap.rstrip(b"\0"))
            append(bytes(-size % _alignment(following)))
        else:
            append(gap)
        copied = following
    append(data[copied:])
    for number, content in new.items():
        if number not in unshared:
            append(bytes(-size % _SECTOR))
            moved[number] = Span(size, len(content))
            append(content)
    return b"".join(pieces), moved


def _unshared(order: Sequence[tuple[int, int, int]]) -> set[int]:
    """Return the indices of blobs that share no byte with another."""
    unshared: set[int] = set()
    end = 0
    for rank, (offset, size, number) in enumerate(order):
        following = order[rank + 1][0] if rank + 1 < len(order) else offset + size
        if offset >= end and offset + size <= following:
            unshared.add(number)
        end = max(end, offset + size)
    return unshared


def _alignment(offset: int) -> int:
    return next(each for each in (_SECTOR, 4, 2, 1) if offset % each == 0)
