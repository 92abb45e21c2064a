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
    for each in _unequal_gaps(*middle, _WINDOW if by_window else 1):
        result += _split(before, after, Hunk(*(place + start for place in each)))
    return result


def _equal_length(one: Keys, other: Keys) -> int:
    """Return the number of equal rows at the start."""
    size = min(len(one), len(other))
    place, step = 0, 64
    while place < size:
        end = min(place + step, size)
        differs = np.flatnonzero(one[place:end] != other[place:end])
        if len(differs):
            return place + int(differs[0])
        place, step = end, step * 2
    return size


def _unequal_gaps(old: Keys, new: Keys, window: int) -> Iterator[Hunk]:
    if not len(old) or not len(new):
        if len(old) or len(new):
            yield Hunk(0, len(old), 0, len(new))
        return
    if len(old) == len(new) and 2 * int((old == new).sum()) >= len(old):
        yield Hunk(0, len(old), 0, len(new))
        return
    at, new_at = 0, 0
    for one, other in _anchors(old, new, window):
        if one < at or other < new_at:
            continue
        back = _equal_length(old[at:one][::-1], new[new_at:other][::-1])
        start, new_start = one - back, other - back
        if start > at or new_start > new_at:
            yield Hunk(at, start, new_at, new_start)
        length = back + _equal_length(old[one:], new[other:])
        at, new_at = start + length, new_start + length
    if at < len(old) or new_at < len(new):
        yield Hunk(at, len(old), new_at, len(new))


def _anchors(old: Keys, new: Keys, window: int) -> Iterator[tuple[int, int]]:
    """Yield places of windows that are unique in both arrays, ascending in both (patience)."""
    one, other = (_unique(windows(keys, window)) for keys in (old, new))
    _, first, second = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    places, targets = one[1][first], other[1][second]
    order = np.argsort(places)
    places, targets = places[order], targets[order]
    for rank in _increasing(targets.tolist()):
        yield int(places[rank]), int(targets[rank])


def _unique(keys: Keys) -> tuple[Keys, Ints]:
    """Return the keys that occur once, and their places."""
    places = np.arange(len(keys))
    if len(keys) > _MANY:
        places = np.flatnonzero((keys >> _SHIFT) & _SAMPLED == 0)
    found, first, count = np.unique(keys[places], return_index=True, return_counts=True)
    return found[count == 1], places[first[count == 1]]


def _increasing(values: Sequence[int]) -> list[int]:
    """Return the indices of a longest increasing subsequence."""
    tails: list[int] = []
    ranks: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        place = bisect_left(tails, value)
        before.append(ranks[place - 1] if place else -1)
        if place == len(tails):
            tails.append(value)
            ranks.append(index)
        else:
            tails[place], ranks[place] = value, index
    found = []
    at = ranks[-1] if ranks else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]


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
    found: list[Hunk] = []
    at, new_at = 0, 0
    for each in (*moves, Hunk(len(old), len(old), len(new), len(new))):
        found += [*_split(before, after, Hunk(at, each.start, new_at, each.new_start)), each]
        at, new_at = each.stop, each.new_stop
    return found[:-1]


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
    behind = np.searchsorted(table[:, 1], index, side="right")
    moved = np.concatenate(([0], table[:, 3] - table[:, 1]))[behind] + index
    here = table[np.minimum(behind, len(table) - 1)]
    inside = (behind < len(table)) & (here[..., 0] <= index)
    last = np.maximum(here[..., 3] - here[..., 2] - 1, 0)
    moved = np.where(inside, here[..., 2] + np.minimum(index - here[..., 0], last), moved)
    return np.where((index >= 0) & (index <= size), moved, index)
