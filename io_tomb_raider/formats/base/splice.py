"""Cutting and inserting in an array that other records point into, and moving what points."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import ExportError

Integers = NDArray[np.int64]


class Insert(NamedTuple):
    """A block to insert before the element that stood at `position`; blocks at one place go by `order`."""

    position: int
    order: int
    block: NDArray[Any]


class Splice:
    """An array after elements were removed and blocks inserted.

    Attributes:
        array: the new array.
        starts: for each order of an insert, where its block begins in the new array.
    """

    def __init__(self, array: NDArray[Any], removed: NDArray[np.bool_], inserts: Iterable[Insert]) -> None:
        """Build the new array from the old one, a mask of its elements, and the blocks.

        Each order may occur once.
        """
        ordered = sorted(inserts, key=lambda insert: insert[:2])
        pieces: list[NDArray[Any]] = []
        self.starts: dict[int, int] = {}
        done = length = 0
        for position, order, block in ordered:
            pieces += [array[done:position][~removed[done:position]], block.astype(array.dtype, copy=False)]
            length += len(pieces[-2])
            self.starts[order] = length
            length += len(block)
            done = position
        self.array = np.concatenate([*pieces, array[done:][~removed[done:]]])
        self._removed = removed
        self._removed_before = np.append(0, np.cumsum(removed))
        self._positions = np.array([insert.position for insert in ordered], np.int64)
        self._inserted = np.append(0, np.cumsum([len(insert.block) for insert in ordered])).astype(np.int64)

    def move(self, positions: NDArray[np.integer]) -> Integers:
        """Where old positions are now. Those beyond the end stay, or stay beyond the end if the array grew.

        An element is followed to its new place. The place of a removed element is that of the blocks that
        were inserted before it, if any.
        """
        size = len(self._removed)
        old = np.asarray(positions).astype(np.int64)
        valid = old <= size
        at = np.where(valid, old, 0)
        gone = np.append(self._removed, False)[at]
        before = np.where(
            gone,
            np.searchsorted(self._positions, at, side="left"),
            np.searchsorted(self._positions, at, side="right"),
        )
        beyond = np.maximum(old, len(self.array))
        return np.where(valid, at - self._removed_before[at] + self._inserted[before], beyond)


def ranges_of(records: NDArray[np.void], first: str, count: str) -> tuple[Integers, Integers]:
    """Two fields of records that name a range elsewhere, as wide integers."""
    return records[first].astype(np.int64), records[count].astype(np.int64)


def fit_indices(values: Integers, old: Integers, what: str) -> Integers:
    """New indices for 16 bit fields, or an ExportError where one that changed does not fit."""
    wrong = (values > 0xFFFF) & (values != old)
    if wrong.any():
        raise ExportError("level", f"too many {what}", count=int(values[wrong].max()), limit=0xFFFF)
    return values


def coverage(
    first: Integers, count: Integers, size: int, weights: Integers | None = None
) -> NDArray[np.int64]:
    """How many ranges (or what sum of their weights) cover each element of an array of a size.

    Ranges that run beyond the array count up to its end.
    """
    start, stop = clip_ranges(first, count, size)
    steps = np.zeros(size + 1, np.int64)
    values = np.ones(len(first), np.int64) if weights is None else weights
    np.add.at(steps, start, values)
    np.subtract.at(steps, stop, values)
    return np.cumsum(steps)[:size]


def clip_ranges(first: Integers, count: Integers, size: int) -> tuple[Integers, Integers]:
    """Start and stop of ranges, no further than the end of an array of a size."""
    return np.minimum(first, size), np.minimum(first + count, size)


def outside_ranges(first: Integers, count: Integers, size: int) -> Integers:
    """The positions, 0 to size, that do not lie inside a range (its two ends are outside), ascending.

    A range that runs beyond the array has no end: what came to stand behind the array would be part of it.
    """
    start, stop = clip_ranges(first, count, size)
    stop = np.where((first <= size) & (first + count > size), size + 1, stop)
    wide = stop > start
    steps = np.zeros(size + 2, np.int64)
    np.add.at(steps, start[wide] + 1, 1)
    np.subtract.at(steps, stop[wide], 1)
    return np.flatnonzero(np.cumsum(steps)[: size + 1] == 0)


def block_position(free: Integers, start: int, stop: int, kept: NDArray[np.bool_]) -> int:
    """Where to insert what replaces a block: at its start, or behind it if the block is kept for others.

    Where that would part a range, it is the next free position, or else the last.

    Args:
        free: the positions where inserting parts no range, see `outside_ranges`.
        start, stop: the old block.
        kept: whether each old element is kept.
    """
    wanted = stop if start < min(stop, len(kept)) and kept[start] else start
    return int(free[min(int(np.searchsorted(free, wanted)), len(free) - 1)])


def shared_value(first: Integers, count: Integers, size: int, values: Integers) -> tuple[Integers, Integers]:
    """What the ranges that cover an element agree on.

    Returns:
        Per element the value of the ranges that cover it (0 without any), and 1 where they disagree, else 0.
    """
    number = coverage(first, count, size)
    total = coverage(first, count, size, values)
    squares = coverage(first, count, size, values**2)
    mean = total // np.maximum(number, 1)
    return mean, ((mean * number != total) | (mean**2 * number != squares)).astype(np.int64)


def sums_over_ranges(first: Integers, count: Integers, values: Integers) -> Integers:
    """The sum of the values within each range."""
    start, stop = clip_ranges(first, count, len(values))
    sums = np.append(0, np.cumsum(values))
    return sums[stop] - sums[start]
