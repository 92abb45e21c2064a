"""The export order of a scene's objects: that of the file, then new objects."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any


def rank_of_copy(block: Any) -> tuple[bool, int, int, str]:
    """Return what sorts the data-blocks with one index: the original before its copies, whatever their names.

    Blender numbers data-blocks as they are made. It numbers those of an opened file anew, by name: copies are
    marked before a file is saved. Bones have no number.
    """
    is_copy = getattr(block.tomb_raider, "is_copy", False)
    return is_copy, getattr(block, "session_uid", 0), len(block.name), block.name


def ordered(objects: Iterable[Any], originals: Container[Any] = ()) -> list[tuple[Any, int]]:
    """Sort data-blocks into the order of their ``tomb_raider.index``.

    A duplicate has the index of its original. An object that is not known to be a copy keeps the index, of
    several the one that was made first; the others count as new.

    Args:
        objects: the data-blocks.
        originals: those that are known to be no copies.

    Returns:
        Pairs of a data-block and the index of its original record, -1 for new ones, which come last.
    """

    def rank(obj: Any) -> tuple[bool, tuple[bool, int, int, str]]:
        return obj not in originals, rank_of_copy(obj)

    by_index: dict[int, list[Any]] = {}
    for obj in objects:
        by_index.setdefault(obj.tomb_raider.index, []).append(obj)
    old: list[tuple[Any, int]] = []
    new: list[tuple[Any, int]] = []
    for index in sorted(by_index):
        same = by_index[index]
        if len(same) > 1:  # mostly there is one
            same.sort(key=rank)
        if index >= 0:
            old.append((same.pop(0), index))
        new += [(obj, -1) for obj in same]
    return old + new
