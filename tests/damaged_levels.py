"""Levels with the damage of old compilers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from io_tomb_raider.formats import Game, read_level, write_level

from .sample_levels import sample_bytes


def damaged_level(path: Path, game: Game = Game.TR1) -> Path:
    """Write a level with a portal of room 1 to a missing room, and entity 2 in one."""
    level = read_level(sample_bytes(game))
    portals = np.array(level.rooms[1].portals)
    portals["room"][0] = 500
    level.rooms[1].portals = portals
    entities = np.array(level.entities)
    entities["room"][2] = 99
    level.entities = entities
    write_level(level, path)
    return path
