"""The export order of a scene's objects: that of the file, then new objects."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any

from bpy.types import Object


def ordered(objects: Iterable[Any], originals: Container[Any] = ()) -> list[tuple[Any, int]]:
    """Sort data-blocks into the order of their ``tomb_raider.index``.

    A duplicate has the index of its original. An object that is not known to be a copy keeps the index, of
    several the first by name; the others count as new.

    Args:
        objects: the data-blocks.
        originals: those that are known to be no copies.

    Returns:
        Pairs of a data-block and the index of its original record, -1 for new ones, which come last.
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
        if len(same) > 1:  # mostly there is one
            same.sort(key=rank)
        if index >= 0:
            old.append((same.pop(0), index))
        new += [(obj, -1) for obj in same]
    return old + new
