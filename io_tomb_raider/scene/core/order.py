"""The order in which a scene's objects are written: as they stood in the file, new ones behind."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from bpy.types import Object


def ordered(objects: Iterable[Any], originals: Container[Any] = ()) -> list[tuple[Any, int]]:
    """Sort datablocks that carry ``tomb_raider.index`` into the order of the file.

    Users duplicate objects, and the copy has its original's index. What is not known to be a copy keeps it,
    of several the first one by name; the others count as new.

    Args:
        objects: the datablocks.
        originals: those that are known to be none of the copies, where anybody knows.

    Returns:
        Pairs of a datablock and the index of its original record, -1 for new ones, which come last.
    """

    def rank(obj: Object) -> tuple[bool, bool, int, str]:
        is_copy = getattr(obj.tomb_raider, "is_copy", False)
        return is_copy, obj not in originals, len(obj.name), obj.name

    by_index: dict[int, list[Any]] = {}
    for obj in objects:
        by_index.setdefault(obj.tomb_raider.index, []).append(obj)
    old: list[tuple[Any, int]] = []
    new: list[tuple[Any, int]] = []
    for index in sorted(by_index):
        same = by_index[index]
        if len(same) > 1:  # of most there is one, and nothing more has to be asked
            same.sort(key=rank)
        if index >= 0:
            old.append((same.pop(0), index))
        new += [(obj, -1) for obj in same]
    return old + new
