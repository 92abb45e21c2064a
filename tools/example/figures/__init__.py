"""Figures of the example level: the explorer, a bat, and objects that move or can be picked up."""

from __future__ import annotations

from ..solids import Figure, Tiles
from . import bat, explorer, explorer_motions, explorer_tiles, object_tiles, objects


def figures() -> tuple[Tiles, tuple[Figure, ...]]:
    """Return the tiles of all figures, and the figures."""
    lara = Figure("lara", explorer.meshes(), explorer.JOINTS, explorer_motions.motions())
    tiles = {**explorer_tiles.tiles(), **bat.tiles(), **object_tiles.tiles()}
    return tiles, (lara, bat.bat(), *(make() for make in objects.OBJECTS))
