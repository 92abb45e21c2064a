"""Pairs of records of a level before and after its edits."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Floats
from ....edits.patches.align import hunks

_NONE = -1
Pair = tuple[int, int]


def pairs(
    before: NDArray[Any], after: NDArray[Any], before_places: Floats, after_places: Floats
) -> list[Pair]:
    """Return pairs of rows, -1 for a row that was added or removed, in the order of the rows after.

    Equal rows in the same order are pairs; between them, rows of equal numbers in order; others the nearest.

    Args:
        before, after: rows of one type.
        before_places, after_places: (n, k) coordinates, from which the distance of two rows follows.
    """
    result: list[Pair] = []
    old_at = new_at = 0
    for hunk in hunks(before, after, by_window=False):
        result += zip(range(old_at, hunk.start), range(new_at, hunk.new_start), strict=True)
        old, new = range(hunk.start, hunk.stop), range(hunk.new_start, hunk.new_stop)
        if len(old) == len(new):
            result += zip(old, new, strict=True)
        else:
            result += _nearest(old, new, before_places, after_places)
        old_at, new_at = hunk.stop, hunk.new_stop
    result += zip(range(old_at, len(before)), range(new_at, len(after)), strict=True)
    return result


def _nearest(old: range, new: range, before: Floats, after: Floats) -> Iterable[Pair]:
    result: list[Pair] = []
    old_rows, new_rows = set(old), set(new)
    if old_rows and new_rows:
        distance = np.linalg.norm(before[old][:, None] - after[new][None], axis=2)
        for index in np.argsort(distance, axis=None, kind="stable").tolist():
            row, column = divmod(index, len(new))
            if old[row] in old_rows and new[column] in new_rows:
                result.append((old[row], new[column]))
                old_rows.discard(old[row])
                new_rows.discard(new[column])
    result += [(row, _NONE) for row in sorted(old_rows)]
    result += [(_NONE, row) for row in sorted(new_rows)]
    return result


def keys_of(contents: Iterable[bytes]) -> NDArray[np.uint64]:
    """Return a 64-bit key for each content, (n,)."""
    return np.array(
        [int.from_bytes(blake2b(each, digest_size=8).digest(), "little") for each in contents], np.uint64
    )
