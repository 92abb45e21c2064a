"""Alignment of two arrays: the shortest hunks in which they differ, and how indices follow them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Ints

Keys = NDArray[np.uint64]

_WINDOW = 8  # numbers that are compared together, since single ones repeat
_MANY = 1 << 16  # above it, only some windows are anchors
_SAMPLED = np.uint64(15)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)


class Hunk(NamedTuple):
    """Rows ``start`` to ``stop`` of the old array became rows ``new_start`` to ``new_stop``."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def row_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the rows of an array as bytes, (n, size) uint8."""
    rows = np.ascontiguousarray(array)
    return rows.reshape(len(rows), -1).view(np.uint8) if rows.size else np.zeros((len(rows), 0), np.uint8)


def row_keys(array: NDArray[Any]) -> Keys:
    """Return a 64-bit key of each row, (n,) uint64: equal for equal rows."""
    if array.ndim == 1 and array.dtype.kind in "iu":
        return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").astype(np.uint64)
    rows = row_bytes(array)
    padded = np.zeros((len(rows), -(-max(rows.shape[1], 1) // 8) * 8), np.uint8)
    padded[:, : rows.shape[1]] = rows
    words = padded.view(np.uint64)
    if words.shape[1] == 1:
        return np.ascontiguousarray(words[:, 0])
    factors = np.cumprod(np.full(words.shape[1], _MULTIPLIER), dtype=np.uint64)
    mixed = (words ^ (words >> _SHIFT)) * factors
    return np.asarray((mixed ^ (mixed >> _SHIFT)).sum(axis=1, dtype=np.uint64))


def windows(keys: Keys, size: int) -> Keys:
    """Return a key of each window of consecutive rows, (n - size + 1,) uint64."""
    count = max(len(keys) - size + 1, 0)
    total = np.zeros(count, np.uint64)
    for offset in range(size):
        total = (total + keys[offset : offset + count] + np.uint64(1)) * _MULTIPLIER
        total ^= total >> _SHIFT
    return total


def hunks(old: NDArray[Any], new: NDArray[Any], *, by_window: bool) -> list[Hunk]:
    """Return where two arrays differ, in order.

    Args:
        by_window: whether single rows repeat, as plain numbers do.
    """
    before, after = row_keys(old), row_keys(new)
    start = _equal_length(before, after)
    stop = _equal_length(before[start:][::-1], after[start:][::-1])
    result: list[Hunk] = []
    middle = before[start : len(before) - stop], after[start : len(after) - stop]
    for gap in _unequal_gaps(*middle, _WINDOW if by_window else 1):
        result += _split(before, after, Hunk(*(row + start for row in gap)))
    return result


def _equal_length(old: Keys, new: Keys) -> int:
    """Return the number of equal rows at the start."""
    size = min(len(old), len(new))
    start, step = 0, 64
    while start < size:
        end = min(start + step, size)
        differs = np.flatnonzero(old[start:end] != new[start:end])
        if len(differs):
            return start + int(differs[0])
        start, step = end, step * 2
    return size


def _unequal_gaps(old: Keys, new: Keys, window: int) -> Iterator[Hunk]:
    if not len(old) or not len(new):
        if len(old) or len(new):
            yield Hunk(0, len(old), 0, len(new))
        return
    if len(old) == len(new) and 2 * int((old == new).sum()) >= len(old):
        yield Hunk(0, len(old), 0, len(new))
        return
    row, new_row = 0, 0
    for anchor, new_anchor in _anchors(old, new, window):
        if anchor < row or new_anchor < new_row:
            continue
        equal_before = _equal_length(old[row:anchor][::-1], new[new_row:new_anchor][::-1])
        start, new_start = anchor - equal_before, new_anchor - equal_before
        if start > row or new_start > new_row:
            yield Hunk(row, start, new_row, new_start)
        length = equal_before + _equal_length(old[anchor:], new[new_anchor:])
        row, new_row = start + length, new_start + length
    if row < len(old) or new_row < len(new):
        yield Hunk(row, len(old), new_row, len(new))


def _anchors(old: Keys, new: Keys, window: int) -> Iterator[tuple[int, int]]:
    """Yield places of windows that are unique in both arrays, ascending in both (patience)."""
    old_windows, new_windows = (_unique(windows(keys, window)) for keys in (old, new))
    _, first, second = np.intersect1d(old_windows[0], new_windows[0], assume_unique=True, return_indices=True)
    rows, new_rows = old_windows[1][first], new_windows[1][second]
    order = np.argsort(rows)
    rows, new_rows = rows[order], new_rows[order]
    for rank in _increasing(new_rows.tolist()):
        yield int(rows[rank]), int(new_rows[rank])


def _unique(keys: Keys) -> tuple[Keys, Ints]:
    """Return the keys that occur once, and their places."""
    rows = np.arange(len(keys))
    if len(keys) > _MANY:
        rows = np.flatnonzero((keys >> _SHIFT) & _SAMPLED == 0)
    distinct, first, count = np.unique(keys[rows], return_index=True, return_counts=True)
    return distinct[count == 1], rows[first[count == 1]]


def _increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of a longest increasing subsequence."""
    tails: list[int] = []
    ranks: list[int] = []
    previous: list[int] = []
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        previous.append(ranks[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            ranks.append(index)
        else:
            tails[length], ranks[length] = value, index
    result = []
    index = ranks[-1] if ranks else -1
    while index >= 0:
        result.append(index)
        index = previous[index]
    return result[::-1]


def _split(before: Keys, after: Keys, hunk: Hunk) -> Iterator[Hunk]:
    """Split a hunk that keeps the number of rows into the runs of rows that differ."""
    start, stop, new_start, new_stop = hunk
    if stop - start != new_stop - new_start:
        yield hunk
        return
    differs = before[start:stop] != after[new_start:new_stop]
    edges = np.flatnonzero(np.diff(np.concatenate(([False], differs, [False])).astype(np.int8)))
    for first, last in edges.reshape(-1, 2).tolist():
        yield Hunk(start + first, start + last, new_start + first, new_start + last)


def refined(moves: Sequence[Hunk], old: NDArray[Any], new: NDArray[Any]) -> list[Hunk]:
    """Return where two arrays differ, in order, given the hunks that change the number of rows."""
    before, after = row_keys(old), row_keys(new)
    result: list[Hunk] = []
    row, new_row = 0, 0
    for move in (*moves, Hunk(len(old), len(old), len(new), len(new))):
        result += [*_split(before, after, Hunk(row, move.start, new_row, move.new_start)), move]
        row, new_row = move.stop, move.new_stop
    return result[:-1]


def mapped(values: NDArray[Any], changes: Sequence[Hunk], size: int) -> Ints:
    """Return where indices of the old array are in the new one, as int64.

    Args:
        values: indices; those outside the array are returned unchanged.
        size: the length of the old array.
    """
    index = values.astype(np.int64)
    if not changes:
        return index
    table = np.array(changes, np.int64)
    next_hunk = np.searchsorted(table[:, 1], index, side="right")
    moved = np.concatenate(([0], table[:, 3] - table[:, 1]))[next_hunk] + index
    hunk = table[np.minimum(next_hunk, len(table) - 1)]
    inside = (next_hunk < len(table)) & (hunk[..., 0] <= index)
    last = np.maximum(hunk[..., 3] - hunk[..., 2] - 1, 0)
    moved = np.where(inside, hunk[..., 2] + np.minimum(index - hunk[..., 0], last), moved)
    return np.where((index >= 0) & (index <= size), moved, index)
