"""The order in which a scene's things are written: as they stood in the file, new ones behind."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from bpy.types import Object


def ordered(things: Iterable[Any], originals: Container[Any] = ()) -> list[tuple[Any, int]]:
    """Sort datablocks that carry ``tomb_raider.index`` into the order of the file.

    Users duplicate things, and the copy has its original's index. What is not known to be a copy keeps it,
    of several the first one by name; the others count as new.

    Args:
        things: the datablocks.
        originals: those that are known to be none of the copies, where anybody knows.

    Returns:
        Pairs of a datablock and the index of its original record, -1 for new ones, which come last.
    """

    def rank(thing: Object) -> tuple[int, bool, bool, int, str]:
        settings = thing.tomb_raider
        is_copy = getattr(settings, "is_copy", False)
        return settings.index, is_copy, thing not in originals, len(thing.name), thing.name

    claimed: set[int] = set()
    old: list[tuple[Any, int]] = []
    new: list[tuple[Any, int]] = []
    for thing in sorted(things, key=rank):
        index = thing.tomb_raider.index
        if index < 0 or index in claimed:
            new.append((thing, -1))
        else:
            claimed.add(index)
            old.append((thing, index))
    return old + new
