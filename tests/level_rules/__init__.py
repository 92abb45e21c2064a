"""Rules that every level must keep, checked by walking through it like the games.

This is deliberately slow and simple, and judges the exporter: :mod:`.walks` uses the readers of `formats`,
and :mod:`.opinion` only its layouts of sections and records.
"""

from __future__ import annotations

from .opinion import CRASHES, crashes
from .walks import (
    NOWHERE,
    SECTOR,
    WALL,
    broken_indices,
    is_loaded_by_its_game,
    lonely_portals,
    lost_openings,
    one_way_openings,
    one_way_overlaps,
    reachable,
    sectors_without_box,
)

__all__ = [
    "CRASHES",
    "NOWHERE",
    "SECTOR",
    "WALL",
    "broken_indices",
    "crashes",
    "is_loaded_by_its_game",
    "lonely_portals",
    "lost_openings",
    "one_way_openings",
    "one_way_overlaps",
    "reachable",
    "sectors_without_box",
]
