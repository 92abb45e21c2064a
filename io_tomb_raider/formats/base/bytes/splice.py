"""Removing and inserting elements of an array that other records index, and updating those indices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.typing import Ints
from ..errors import ExportError
from ..messages import T, as_message


class Insert(NamedTuple):
    """A block to insert before the element at `position`; blocks at one position are sorted by `order`."""

    position: int
    order: int
    block: NDArray[Any]


class Splice:
    """An array after removals and insertions."""

    def __init__(self, array: NDArray[Any], removed: NDArray[np.bool_], inserts: Iterable[Insert]) -> None:
        """Build the new array from the old one, a mask of removed elements, and the blocks.

        Each order may occur once.
        """
        ordered = sorted(inserts, key=lambda insert: insert[:2])
        pieces: list[NDArray[Any]] = []
        self.starts: dict[int, int] = {}  #: by order of an insert, the index of its block in the new array.
        end = length = 0
        for position, order, block in ordered:
            pieces += [array[end:position][~removed[end:position]], block.astype(array.dtype, copy=False)]
            length += len(pieces[-2])
            self.starts[order] = length
            length += len(block)
            end = position
        self.array = np.concatenate([*pieces, array[end:][~removed[end:]]])  #: the new array.
        self._removed = removed
        self._removed_before = np.append(0, np.cumsum(removed))
        self._positions = np.array([insert.position for insert in ordered], np.int64)
        self._inserted = np.append(0, np.cumsum([len(insert.block) for insert in ordered])).astype(np.int64)

    def move(self, positions: NDArray[np.integer]) -> Ints:
        """Return the new positions for old ones.

        Positions beyond the end stay, or stay beyond the end if the array grew. A removed element maps to the
        blocks that were inserted before it, if any.
        """
        size = len(self._removed)
        old = np.asarray(positions).astype(np.int64)
        valid = old <= size
        indices = np.where(valid, old, 0)
        is_removed = np.append(self._removed, False)[indices]
        before = np.where(
            is_removed,
            np.searchsorted(self._positions, indices, side="left"),
            np.searchsorted(self._positions, indices, side="right"),
        )
        beyond = np.maximum(old, len(self.array))
        return np.where(valid, indices - self._removed_before[indices] + self._inserted[before], beyond)


def ranges_of(records: NDArray[np.void], first: str, count: str) -> tuple[Ints, Ints]:
    """Return two fields of records that give ranges of another array, as wide integers."""
    return records[first].astype(np.int64), records[count].astype(np.int64)


def fit_indices(values: Ints, old: Ints, what: str) -> Ints:
    """Return new indices for 16-bit fields. Raises ExportError if an index that changed does not fit."""
    wrong = (values > 0xFFFF) & (values != old)
    if wrong.any():
        raise ExportError(
            "level", T("too many {what}", what=as_message(what)), count=int(values[wrong].max()), limit=0xFFFF
        )
    return values


def coverage(first: Ints, count: Ints, size: int, weights: Ints | None = None) -> NDArray[np.int64]:
    """Return how many ranges, or the sum of their weights, cover each element of an array of a size.

    Ranges beyond the end are clipped.
    """
    start, stop = clip_ranges(first, count, size)
    steps = np.zeros(size + 1, np.int64)
    values = np.ones(len(first), np.int64) if weights is None else weights
    np.add.at(steps, start, values)
    np.subtract.at(steps, stop, values)
    return np.cumsum(steps)[:size]


def clip_ranges(first: Ints, count: Ints, size: int) -> tuple[Ints, Ints]:
    """Return start and stop of ranges, clipped to the end of an array of a size."""
    return np.minimum(first, size), np.minimum(first + count, size)


def outside_ranges(first: Ints, count: Ints, size: int) -> Ints:
    """Return the positions, 0 to size, that are not inside a range (its two ends are outside), ascending.

    A range beyond the end of the array has no end: it would include elements appended to the array.
    """
    start, stop = clip_ranges(first, count, size)
    stop = np.where((first <= size) & (first + count > size), size + 1, stop)
    wide = stop > start
    steps = np.zeros(size + 2, np.int64)
    np.add.at(steps, start[wide] + 1, 1)
    np.subtract.at(steps, stop[wide], 1)
    return np.flatnonzero(np.cumsum(steps)[: size + 1] == 0)


def block_position(free: Ints, start: int, stop: int, is_kept: NDArray[np.bool_]) -> int:
    """Return where to insert the replacement of a block: at its start, or after it if the block is kept.

    Where that would divide a range, return the next free position, or else the last.

    Args:
        free: the positions that divide no range, see `outside_ranges`.
        start, stop: the old block.
        is_kept: for each old element.
    """
    position = stop if start < min(stop, len(is_kept)) and is_kept[start] else start
    return int(free[min(int(np.searchsorted(free, position)), len(free) - 1)])


def shared_value(first: Ints, count: Ints, size: int, values: Ints) -> tuple[Ints, Ints]:
    """Return the common value of the ranges that cover each element.

    Returns:
        Per element, the value of the ranges that cover it (0 without any), and 1 where they disagree, else 0.
    """
    number = coverage(first, count, size)
    total = coverage(first, count, size, values)
    squares = coverage(first, count, size, values**2)
    mean = total // np.maximum(number, 1)
    return mean, ((mean * number != total) | (mean**2 * number != squares)).astype(np.int64)


def sums_over_ranges(first: Ints, count: Ints, values: Ints) -> Ints:
    """Return the sum of the values in each range."""
    start, stop = clip_ranges(first, count, len(values))
    sums = np.append(0, np.cumsum(values))
    return sums[stop] - sums[start]
