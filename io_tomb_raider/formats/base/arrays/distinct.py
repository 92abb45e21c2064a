"""Distinct rows of arrays, which single numbers find many times faster than sorted rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .typing import Ints

_MOST, _SMALL = 1 << 62, 1 << 16
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, with mixed bits
# Most corners of textures are whole parts of a pixel, which need no sorting.
_PARTS, _FAR = 256, 1 << 30


def distinct_rows(columns: Iterable[NDArray[Any]], *, is_sorted: bool = False) -> tuple[Ints, Ints]:
    """Return the distinct rows of columns of numbers.

    Args:
        columns: (n,) each, at least one. Floats must be finite.
        is_sorted: sort the distinct rows as :func:`numpy.unique` does, by their first column first. Otherwise
            their order has no meaning, which is faster for large numbers.

    Returns:
        (d,) the first row of each distinct one, and (n,) the number of each row among them.
    """
    code: Ints | None = None
    codes = []
    size = 1
    for column in columns:
        numbers, count = _numbers(column)
        if code is None:
            code, size = numbers, count
        elif count > 1:
            if size > _MOST // count:
                codes.append(code)
                code, size = numbers, count
            else:
                code, size = code * count + numbers, size * count
    assert code is not None
    if not codes and size <= max(_SMALL, 4 * len(code)):
        # A table is much faster than hashing.
        is_used = np.zeros(size, np.bool_)
        is_used[code] = True
        number = (np.cumsum(is_used) - 1)[code]
        first = np.zeros(int(is_used.sum()), np.int64)
        first[number[::-1]] = np.arange(len(code))[::-1]
        return first, number
    if not is_sorted:
        return equal_rows([*codes, code])
    rows = np.stack([*codes, code], axis=1) if codes else code
    _, first, number = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, number.reshape(-1)


def equal_rows(columns: Sequence[Ints]) -> tuple[Ints, Ints]:
    """Return the distinct rows of columns (n,) of integers, which a table of hashes finds without sorting.

    Returns:
        (d,) the first row of each distinct one, in order, and (n,) the number of each row among them.
    """
    count = len(columns[0])
    code = np.zeros(count, np.uint64)
    for column in columns:
        code = (code ^ column.view(np.uint64)) * _FACTOR
        code ^= code >> np.uint64(32)
    bits = np.uint64(64 - max(count, 2).bit_length() - 1)
    table = np.empty(1 << 64 - int(bits), np.int64)  # only places that were just written are read
    source = np.zeros(count, np.int64)
    pending = np.arange(count)
    while len(pending):
        # The first row of each place in a table; others there are equal to it, or tried again.
        slots = (code >> bits).astype(np.int64)
        table[slots[::-1]] = pending[::-1]
        candidates = table[slots]
        differs = np.zeros(len(pending), np.bool_)
        is_first = len(pending) == count
        for column in columns:
            differs |= (column if is_first else column[pending]) != column[candidates]
        source[pending] = candidates
        pending, code = pending[differs], (code[differs] + np.uint64(1)) * _FACTOR
    first = np.flatnonzero(source == np.arange(count))
    number = np.zeros(count, np.int64)
    number[first] = np.arange(len(first))
    return first, number[source]


def sorted_rows(keys: Ints) -> Ints:
    """Return the order of keys (n,) from 0, equal ones in the order of their rows.

    Much faster than a stable :func:`numpy.argsort`, unless keys are huge.
    """
    if (keys[1:] >= keys[:-1]).all():  # as files often have them
        return np.arange(len(keys))
    bits = max(len(keys) - 1, 0).bit_length()
    if not len(keys) or int(keys.max()) >= _MOST >> bits:
        return np.argsort(keys, kind="stable")
    return np.sort((keys << bits) | np.arange(len(keys))) & ((1 << bits) - 1)


def _numbers(column: NDArray[Any]) -> tuple[Ints, int]:
    """Return equal numbers, from 0, for equal elements, and a number above all of them."""
    if not len(column):
        return np.zeros(0, np.int64), 1
    if column.dtype.kind == "f":
        parts = column * _PARTS
        whole = np.rint(parts)
        if np.array_equal(parts, whole) and np.abs(whole).max() < _FAR:
            return _numbers(whole.astype(np.int64))
        distinct, numbers = np.unique(column, return_inverse=True)
        return numbers.reshape(-1).astype(np.int64), len(distinct)
    low, high = int(column.min()), int(column.max())
    return (column.astype(np.int64, copy=False) - low if low else column.astype(np.int64)), high - low + 1
