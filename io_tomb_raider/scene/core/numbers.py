"""The numbers under which an export writes the objects of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers of one kind of objects, which others refer to them by.

    Attributes:
        of: for every object in the scene the number that it is written under.
        map: (objects of the original,) int64: the number of each of them, -1 where it was deleted.
    """

    of: Mapping[Object, int]
    map: NDArray[np.int64]

    @classmethod
    def in_order(cls, objects: Sequence[tuple[Object, int]], count: int) -> Numbers:
        """Number objects as they come.

        Args:
            objects: the objects in the order in which they are written, each with its original index or -1.
            count: how many objects the original has.
        """
        numbers = np.full(count, -1, np.int64)
        for number, (_, index) in enumerate(objects):
            if 0 <= index < count:
                numbers[index] = number
        return cls({obj: number for number, (obj, _) in enumerate(objects)}, numbers)

    @classmethod
    def kept(cls, count: int) -> Numbers:
        """Return the numbers of objects that are not in the scene, and stay as they are."""
        return cls({}, np.arange(count))
