"""The export order of a scene's objects: that of the file, then new objects."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers by which other records refer to objects of one kind."""

    of: Mapping[Object, int]  #: the exported number of every object in the scene.
    #: (objects of the original,) int64: the exported number of each, -1 for deleted objects.
    map: NDArray[np.int64]

    @classmethod
    def in_order(cls, objects: Sequence[tuple[Object, int]], count: int) -> Numbers:
        """Number objects in the given order.

        Args:
            objects: the objects in export order, each with its original index or -1.
            count: the number of objects in the original.
        """
        numbers = np.full(count, -1, np.int64)
        for number, (_, index) in enumerate(objects):
            if 0 <= index < count:
                numbers[index] = number
        return cls({obj: number for number, (obj, _) in enumerate(objects)}, numbers)

    @classmethod
    def kept(cls, count: int) -> Numbers:
        """Return the unchanged numbers of objects that were not imported."""
        return cls({}, np.arange(count))


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
