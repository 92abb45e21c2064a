"""Material keys: faces with equal keys share a material. Tuples for materials, arrays for faces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats.base import join_records

# The last two kinds are faces with a user's material and faces without a material.
KINDS = ("PAGE", "PALETTE", "MISSING", "OWN", "NONE")

# The fields of MaterialKey, without padding. ``kind`` indexes KINDS; ``page`` of faces with a user's material
# is the index of that among those of the mesh.
MATERIAL_KEY = np.dtype(
    [
        ("page", "<i4"),
        ("attribute", "<u2"),
        ("double_sided", "?"),
        ("bump", "u1"),
        ("kind", "<u4"),
        ("group", "<i4"),
    ]
)

KeyArray = NDArray[np.void]


class MaterialKey(NamedTuple):
    """The key of a material."""

    kind: str  #: ``"PAGE"``, ``"PALETTE"`` (faces of one palette color, TR1-3) or ``"MISSING"``.
    page: int  #: number of the texture page, -1 for other kinds.
    attribute: int  #: blend mode of the object texture: 0 opaque, 1 color-keyed, 2 additive.
    double_sided: bool  #: seen from both sides (room faces, TR3 to TR5).
    bump: int  #: bump level of the object texture, 0 to 3 (TR4, TR5).
    group: int = 0  #: number of the animated texture that faces play, 0 for none.


# The key of faces without a material.
NO_MATERIAL = MaterialKey("NONE", -1, 0, False, 0)


# A row of an array in Python: a tuple in the order of MATERIAL_KEY's fields.
_Row = tuple[int, int, bool, int, int, int]


@lru_cache(maxsize=4096)
def _row(key: MaterialKey) -> _Row:
    return key.page, key.attribute, key.double_sided, key.bump, KINDS.index(key.kind), key.group


@lru_cache(maxsize=4096)
def _key(row: _Row) -> MaterialKey:
    page, attribute, double_sided, bump, kind, group = row
    return MaterialKey(KINDS[kind], page, attribute, double_sided, bump, group)


def key_array(keys: Iterable[MaterialKey]) -> KeyArray:
    """Return keys as an array, (n,) of ``MATERIAL_KEY``."""
    return np.array([_row(key) for key in keys], MATERIAL_KEY)


def key_tuples(keys: KeyArray) -> list[MaterialKey]:
    """Return the rows of an array as tuples; meant for few keys, as of the materials of a mesh."""
    return [_key(row) for row in keys.tolist()]


def blank_keys(count: int, kind: str) -> KeyArray:
    """Return keys of a kind without page, other fields 0, (count,)."""
    keys = np.zeros(count, MATERIAL_KEY)
    keys["page"], keys["kind"] = -1, KINDS.index(kind)
    return keys


def has_kind(keys: KeyArray, kind: str) -> NDArray[np.bool_]:
    """Return whether each key has a kind, (n,)."""
    return np.asarray(keys["kind"] == KINDS.index(kind))


# NumPy joins, compares and sorts structured arrays by field, which is much slower than by bytes and numbers.


def _words(keys: KeyArray) -> NDArray[np.int64]:
    """Return keys as numbers, (2 n,), two for each key; the second has kind and group."""
    return keys.view("<i8")


def join_keys(parts: Sequence[KeyArray]) -> KeyArray:
    """Concatenate arrays of keys."""
    if len(parts) == 1:
        return parts[0]
    return join_records(parts) if parts else np.zeros(0, MATERIAL_KEY)


def equal_keys(first: KeyArray, second: KeyArray) -> NDArray[np.bool_]:
    """Return whether keys are equal by row, (n,)."""
    is_same = _words(first) == _words(second)
    return is_same[::2] & is_same[1::2]


def distinct_keys(keys: KeyArray) -> tuple[KeyArray, NDArray[np.int32]]:
    """Return the distinct keys, sorted, and the index among them of every row, (n,)."""
    words = _words(keys)
    order = np.lexsort((words[::2], words[1::2]))
    ordered = keys.take(order)
    words = _words(ordered)
    is_different = words[2:] != words[:-2]
    is_first = np.ones(len(keys), np.bool_)
    np.logical_or(is_different[::2], is_different[1::2], out=is_first[1:])
    indices = np.empty(len(keys), np.int32)
    indices[order] = is_first.cumsum() - 1
    return ordered.take(is_first.nonzero()[0]), indices


def find_slots(parts: Sequence[KeyArray]) -> list[tuple[list[MaterialKey], NDArray[np.int32]]]:
    """Return :func:`distinct_keys` of each of many arrays, computed at once, with keys as tuples."""
    counts = np.array([len(part) for part in parts], np.int64)
    keys, indices = distinct_keys(join_keys(parts))
    tuples = key_tuples(keys)
    owner = np.repeat(np.arange(len(parts)), counts)
    pairs, slots = np.unique(owner * max(len(keys), 1) + indices, return_inverse=True)
    first = np.searchsorted(pairs, np.arange(len(parts) + 1) * max(len(keys), 1))
    own_slots = (slots - first[owner]).astype(np.int32)
    numbers = (pairs % max(len(keys), 1)).tolist()
    runs, ends = first.tolist(), np.cumsum(counts).tolist()
    return [
        ([tuples[number] for number in numbers[low:high]], own_slots[end - count : end])
        for low, high, end, count in zip(runs[:-1], runs[1:], ends, counts.tolist(), strict=True)
    ]
