"""A second level of TR1, a source of pieces: other colors, and a bear instead of the wolf."""

from __future__ import annotations

from io_tomb_raider.formats import Game, read_level

from .assemble import sample_bytes
from .models import model_id

BEAR = 8


def other_level() -> bytes:
    """Return a level of TR1 with red and blue swapped in the palette, and a bear as the enemy."""
    level = read_level(sample_bytes(Game.TR1))
    level.palette = level.palette[:, ::-1].copy()
    wolf = model_id(Game.TR1, "enemy")
    for name, field in (("models", "id"), ("entities", "type")):
        records = getattr(level, name).copy()
        records[field][records[field] == wolf] = BEAR
        setattr(level, name, records)
    return level.to_bytes()
