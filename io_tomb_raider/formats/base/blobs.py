"""Files that are a directory and, behind it, objects of any size: what moves when one of them changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

_SECTOR = 2048


class Span(NamedTuple):
    """Where an object lies in its file."""

    offset: int
    size: int

    @property
    def end(self) -> int:
        """The first byte behind it."""
        return self.offset + self.size


def replace_blobs(data: bytes, spans: Sequence[Span], new: Mapping[int, bytes]) -> tuple[bytes, list[Span]]:
    """Put other objects in the place of some, and move those behind them.

    Bytes between objects stay, but for zeros that fill up to a round place: those are made again, so that
    what began at a sector or at a multiple of four still does. An object that shares bytes with another,
    or was not there, comes to the end of the file.

    Args:
        data: the file.
        spans: where its objects lie; one of size 0 is not there.
        new: by their numbers, the objects to put in.

    Returns:
        The file, its directory still the old one, and where all objects lie now.
    """
    order = sorted((span.offset, span.size, number) for number, span in enumerate(spans) if span.size)
    alone = _alone(order)
    pieces: list[bytes] = []
    size = place = 0
    moved = list(spans)

    def append(content: bytes) -> None:
        nonlocal size
        pieces.append(content)
        size += len(content)

    for rank, (offset, length, number) in enumerate(order):
        if offset > place:
            append(data[place:offset])
            place = offset
        moved[number] = Span(size - (place - offset), length)
        if number not in new or number not in alone:
            if offset + length > place:
                append(data[place : offset + length])
                place = offset + length
            continue
        moved[number] = Span(size, len(new[number]))
        append(new[number])
        following = order[rank + 1][0] if rank + 1 < len(order) else len(data)
        gap = data[offset + length : following]
        if len(new[number]) != length:
            append(gap.rstrip(b"\0"))
            append(bytes(-size % _roundness(following)))
        else:
            append(gap)
        place = following
    append(data[place:])
    for number, content in new.items():
        if number not in alone:
            append(bytes(-size % _SECTOR))
            moved[number] = Span(size, len(content))
            append(content)
    return b"".join(pieces), moved


def _alone(order: Sequence[tuple[int, int, int]]) -> set[int]:
    """Return the numbers of objects that share no byte with another."""
    alone: set[int] = set()
    reach = 0
    for rank, (offset, size, number) in enumerate(order):
        following = order[rank + 1][0] if rank + 1 < len(order) else offset + size
        if offset >= reach and offset + size <= following:
            alone.add(number)
        reach = max(reach, offset + size)
    return alone


def _roundness(place: int) -> int:
    return next(each for each in (_SECTOR, 4, 2, 1) if place % each == 0)
