"""Rules of boxes, overlaps and zones."""

from __future__ import annotations

import numpy as np

from ...base.arrays.typing import Ints
from ...base.messages import N_
from ...base.units import SECTOR_SIZE
from ...levels.pathfinding.overlaps import decode_overlaps, list_starts, listed_boxes
from ...levels.views.decoded import Decoded
from .rule import (
    ALL,
    CROFTENGINE,
    ENGINES,
    ORIGINAL,
    TR3,
    TR4,
    TR5,
    Harm,
    Places,
    Rule,
    once_if,
)

_NONE_11 = 0x7FF


def _edges(checked: Decoded) -> Ints:
    """Return the least x and z and the greatest ones of all boxes, in sectors, (n, 2, 2)."""
    boxes = checked.level.boxes
    ends = [boxes[f"{axis}_{end}"].astype(np.int64) for end in ("min", "max") for axis in "xz"]
    result: Ints = np.stack(ends, axis=1).reshape(-1, 2, 2)
    if boxes.dtype["x_min"].itemsize > 1:  # TR1: in units, the last one of the box
        result = np.stack([result[:, 0] // SECTOR_SIZE, -(-result[:, 1] // SECTOR_SIZE)], axis=1)
    return result


def _none(checked: Decoded) -> Places:
    return once_if(bool(checked.level.rooms) and not len(checked.level.boxes))


def _empty(checked: Decoded) -> Places:
    boxes, edges = checked.level.boxes, _edges(checked)
    wrong = (edges[:, 1] <= edges[:, 0]).any()
    for axis in "xz" if boxes.dtype["x_min"].itemsize > 1 else "":
        low, high = (boxes[f"{axis}_{end}"].astype(np.int64) for end in ("min", "max"))
        # Some editors write the first unit behind a box instead of its last one.
        wrong |= (low % SECTOR_SIZE != 0).any() or (-high % SECTOR_SIZE > 1).any()
    return once_if(wrong)


def _elsewhere(checked: Decoded) -> Places:
    sectors, grid, count = checked.sectors, checked.grid, len(checked.level.boxes)
    has_box = (sectors.box >= 0) & (sectors.box < count)
    edges = _edges(checked)[sectors.box[has_box]]
    position = (
        np.stack([grid.x, grid.z], axis=1)[has_box] + checked.corners[grid.room[has_box]] // SECTOR_SIZE
    )
    outside = (position < edges[:, 0]).any(axis=1) | (position >= edges[:, 1]).any(axis=1)
    return grid.room[has_box][outside]


def _lists(checked: Decoded) -> Places:
    level = checked.level
    starts = list_starts(level.game, level.boxes)
    starts = starts[starts >= 0]
    ends = np.flatnonzero(level.overlaps & 0x8000)
    last = ends[np.searchsorted(ends, starts).clip(max=len(ends) - 1)] if len(ends) else starts - 1
    missing = listed_boxes(level.game, level.overlaps) >= len(level.boxes)
    missing_before = np.append(0, np.cumsum(missing))
    endless = last < starts
    return once_if(bool(endless.any()) or bool((missing_before[last + 1] > missing_before[starts]).any()))


def _one_way(checked: Decoded) -> Places:
    level = checked.level
    count = max(len(level.boxes), 1)
    pairs = decode_overlaps(level.game, level.boxes, level.overlaps)
    pairs = pairs[(pairs < count).all(axis=1)]
    forward, backward = np.unique(pairs[:, 0] * count + pairs[:, 1]), pairs[:, 1] * count + pairs[:, 0]
    return np.flatnonzero(~np.isin(forward, backward))


def _reserved(checked: Decoded) -> Places:
    return once_if(len(checked.level.boxes) > _NONE_11)


def _without(checked: Decoded) -> Places:
    sectors, grid = checked.sectors, checked.grid
    walls = sectors.wall & (sectors.portal < 0) & (sectors.box >= 0)
    return grid.room[walls]


RULES = (
    Rule(
        "boxes",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, ORIGINAL),
        N_("the game reads other memory: the level has no boxes for pathfinding. Recompute them"),
        _none,
    ),
    Rule(
        "size of boxes",
        Harm.CRASH,
        ALL,
        (CROFTENGINE, ORIGINAL),
        N_("CroftEngine ends: boxes for pathfinding are empty. Recompute them"),
        _empty,
    ),
    Rule(
        "box of a sector",
        Harm.WRONG,
        ALL,
        (CROFTENGINE, ORIGINAL),
        N_("enemies walk in circles: the boxes of {count} of its sectors are elsewhere. Recompute them"),
        _elsewhere,
        "room",
    ),
    Rule(
        "overlap lists",
        Harm.CRASH,
        ALL,
        ENGINES,
        N_("engines read beyond the overlaps of boxes, whose last list has no end. Recompute them"),
        _lists,
    ),
    Rule(
        "mutual overlaps",
        Harm.COSMETIC,
        ALL,
        ENGINES,
        N_("enemies find no way back: {count} overlaps of boxes are one-way. Recompute them"),
        _one_way,
    ),
    Rule(
        "reserved box",
        Harm.WRONG,
        TR3 | TR4 | TR5,
        (ORIGINAL,),
        N_("enemies do not find box 2047, which means no box: there are too many boxes"),
        _reserved,
    ),
    Rule(
        "boxes of walls",
        Harm.COSMETIC,
        ALL,
        ENGINES,
        N_("{count} of its walls have boxes for pathfinding. Recompute them"),
        _without,
        "room",
    ),
)
