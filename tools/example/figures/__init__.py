"""Figures of the example level: the explorer, a bat, and objects that move or can be picked up."""

from __future__ import annotations

import numpy as np

from ..solids import Figure, Motion, Tiles
from . import bat, explorer, explorer_tiles, object_tiles, objects


def figures() -> tuple[Tiles, tuple[Figure, ...]]:
    """Return the tiles of all figures, and the figures."""
    pose = ((0.0, -explorer.HEIGHT_OF_HIPS, 0.0), np.zeros((15, 3)))
    lara = Figure(
        "lara",
        explorer.meshes(),
        explorer.JOINTS,
        (Motion("stand", (pose,), 1, 2, "stand"),),
    )
    tiles = {**explorer_tiles.tiles(), **bat.tiles(), **object_tiles.tiles()}
    return tiles, (lara, bat.bat(), *(make() for make in objects.OBJECTS))
