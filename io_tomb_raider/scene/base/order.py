"""The order in which a scene's things are written: as they stood in the file, new ones behind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def ordered(things: Iterable[Any]) -> list[tuple[Any, int]]:
    """Sort datablocks that carry ``tomb_raider.index`` into the order of the file.

    Users duplicate things, and the copy has its original's index. The first one by name keeps it; the
    others count as new.

    Returns:
        Pairs of a datablock and the index of its original record, -1 for new ones, which come last.
    """
    claimed: set[int] = set()
    old: list[tuple[Any, int]] = []
    new: list[tuple[Any, int]] = []
    for thing in sorted(things, key=lambda thing: (thing.tomb_raider.index, len(thing.name), thing.name)):
        index = thing.tomb_raider.index
        if index < 0 or index in claimed:
            new.append((thing, -1))
        else:
            claimed.add(index)
            old.append((thing, index))
    return old + new
