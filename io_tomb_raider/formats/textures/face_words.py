"""The texture word of faces: which object texture they have (documentation, chapters 3.2.1, 5.3 and 9.3)."""

from __future__ import annotations

from ..games import Game

DOUBLE_SIDED = 0x8000  # from TR3 on: the face is seen from both sides


def mesh_texture_mask(game: Game) -> int:
    """Return the bits of a mesh face's texture word that are the index of an object texture."""
    return 0x7FFF if game.traits.has_double_sided_faces else 0xFFFF


def room_texture_mask(game: Game) -> int:
    """Return the bits of a room face's texture word that are the index of an object texture."""
    return 0x3FFF if game is Game.TR5 else mesh_texture_mask(game)
