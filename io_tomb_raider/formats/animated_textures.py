"""Animated textures (documentation, chapter 9.4): ranges of object textures that follow each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def animated_places(animated: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return where in the words of the animated textures (documentation, chapter 9.4) indices stand."""
    words = animated.tolist()
    places: list[int] = []
    at = 1
    # One step per range of textures, of which a level has a handful; each says where the next begins.
    for _ in range(words[0] if words else 0):
        if at >= len(words):
            break
        end = min(at + 2 + words[at], len(words))
        places += range(at + 1, end)
        at = end
    return np.array(places, np.int64)
