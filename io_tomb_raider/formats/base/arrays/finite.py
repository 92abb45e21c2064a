"""Numbers of files that may hold any bits: usable ones for calculations."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Float = TypeVar("_Float", np.float32, np.float64)

MOST_UNITS = float(1 << 21)  # as sectors, levels hold them too
_MOST_WHOLE = (1 << 31) - 1


def finite(values: NDArray[_Float], most: float = MOST_UNITS) -> NDArray[_Float]:
    """Return values of any shape, none beyond a limit. Those that are no numbers become 0."""
    return np.nan_to_num(values, nan=0.0, posinf=most, neginf=-most).clip(-most, most)


def slot_number(value: int) -> int:
    """Return the number of an object as levels and Blender can hold it."""
    return min(max(value, 0), _MOST_WHOLE)
