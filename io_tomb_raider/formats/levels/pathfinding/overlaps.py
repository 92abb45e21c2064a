"""Reading and writing the lists of neighboring boxes, and their connected components.

Documentation, chapter 7.3.1, corrected: the numbers of boxes have 15 bits in TR1 and TR2, 11 in later games,
where TR4 and TR5 add flags.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.bits import Bits
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T

END = 0x8000
JUMP = 0x800  # TR4, TR5: across a gap
MONKEY = 0x2000  # TR4, TR5: along a monkey swing ceiling
LIST_START = Bits(0, 14)  # of a box's ``overlap``
BLOCK_BITS = Bits(14, 2)  # of a box's ``overlap``: 2 can be blocked, 1 is blocked
NO_LIST = 0xFFFF  # TR1, TR2: the box has no neighbors
NONE_11 = 0x7FF  # TR3 and later; so no list may begin there


def encode_overlaps(
    game: Game, pairs: NDArray[np.int64], flags: NDArray[np.int64], count: int, bits: NDArray[np.int64]
) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """Return the lists of all boxes.

    Args:
        pairs: (n, 2): a box and a neighbor. Of repeated pairs, one without flags is preferred.
        flags: (n,) :data:`JUMP` and :data:`MONKEY`.
        bits: (count,) the two highest bits of each box's index (blockable 2, blocked 1).

    Returns:
        (count,) uint16, the boxes' ``overlap``, and (n,) uint16, the lists.

    Raises:
        ExportError: if the lists are too long for their indices.
    """
    order = np.lexsort((flags, pairs[:, 1], pairs[:, 0]))
    pairs, flags = pairs[order], flags[order]
    first = np.ones(len(pairs), dtype=bool)
    first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    pairs, flags = pairs[first], flags[first]
    words = (pairs[:, 1] | flags).astype(np.uint16)
    lengths = np.bincount(pairs[:, 0], minlength=count)
    starts = np.append(0, np.cumsum(lengths))[:-1]
    used = lengths > 0
    words[(starts + lengths - 1)[used]] |= END
    if game.traits.has_materials and (starts[used] == NONE_11).any():
        words = np.insert(words, NONE_11, END)
        starts = starts + (starts >= NONE_11)
    if used.any() and starts[used].max() > LIST_START.largest:
        problem, last = T("too many overlaps of boxes"), int(starts[used].max())
        raise ExportError(T("Pathfinding"), problem, count=last, limit=LIST_START.largest)
    none = NONE_11 | bits << 14 if game.traits.has_materials else np.full(count, NO_LIST)
    return np.where(used, starts | bits << 14, none).astype(np.uint16), words


def list_starts(game: Game, boxes: NDArray[np.void]) -> NDArray[np.int64]:
    """Return where the list of each box begins in the overlaps, (n,), -1 for boxes without a list."""
    start = boxes["overlap"].astype(np.int64) & LIST_START.largest
    has_none = start == LIST_START.largest
    if game.traits.has_materials:
        has_none |= start == NONE_11
    return np.where(has_none, -1, start)


def listed_boxes(game: Game, overlaps: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return the box that each word of the lists names, (n,)."""
    return overlaps.astype(np.int64) & (NONE_11 if game.traits.has_materials else 0x7FFF)


def decode_overlaps(game: Game, boxes: NDArray[np.void], overlaps: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return (n, 2): each box with each of its neighbors. Invalid lists are ignored."""
    start = list_starts(game, boxes)
    ends = np.flatnonzero(overlaps & END) + 1
    list_index = np.searchsorted(ends, start, side="right")
    used = (start >= 0) & (start < len(overlaps)) & (list_index < len(ends))
    lengths = np.where(used, np.append(ends, 0)[np.minimum(list_index, len(ends))] - start, 0)
    owners = np.repeat(np.arange(len(boxes)), lengths)
    within = np.arange(len(owners)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    targets = listed_boxes(game, overlaps)[start[owners] + within]
    pairs = np.stack([owners, targets], axis=1)
    return pairs[targets < len(boxes)]


def blockable_bits(sector_boxes: NDArray[np.int32], boxes: NDArray[np.void]) -> NDArray[np.uint8]:
    """Return the two highest bits of the boxes of sectors, 0 without a box or list."""
    if not len(boxes):
        return np.zeros(len(sector_boxes), dtype=np.uint8)
    has_box = (sector_boxes >= 0) & (sector_boxes < len(boxes))
    overlap = boxes["overlap"][np.where(has_box, sector_boxes, 0)]
    return np.where(has_box & (overlap != NO_LIST), BLOCK_BITS.of(overlap), 0).astype(np.uint8)


def components(pairs: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the number of each member's connected component, from 0 in the order of first members."""
    label = np.arange(count)
    while len(pairs):
        low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        new = label.copy()
        # The labels' own labels are updated, so chains shorten in every round.
        for side in (0, 1):
            np.minimum.at(new, label[pairs[:, side]], low)
            np.minimum.at(new, pairs[:, side], low)
        new = new[new]
        if np.array_equal(new, label):
            break
        label = new
    return np.unique(label, return_inverse=True)[1].reshape(-1)
