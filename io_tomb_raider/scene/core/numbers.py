"""The numbers of exported objects of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Numbers:
    """The numbers by which other records refer to objects of one kind.

    Attributes:
        of: the exported number of every object in the scene.
        map: (objects of the original,) int64: the exported number of each, -1 for deleted objects.
    """

    of: Mapping[Object, int]
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
