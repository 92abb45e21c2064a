"""Types of arrays. Shapes are in the docstrings of what has them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bools: TypeAlias = NDArray[np.bool_]
Ints: TypeAlias = NDArray[np.int64]
Words: TypeAlias = NDArray[np.uint16]
Floats: TypeAlias = NDArray[np.float64]
AnyFloats: TypeAlias = NDArray[np.floating]  # of 4 or 8 bytes
Records: TypeAlias = NDArray[np.void]
Pixels: TypeAlias = NDArray[np.uint8]
