"""The five games, and the variants of their level files."""

from __future__ import annotations

from enum import Enum, IntEnum


class Game(IntEnum):
    """The game that a level belongs to. Ordered, so that ``game >= Game.TR3`` reads well."""

    TR1 = 1
    TR2 = 2
    TR3 = 3
    TR4 = 4
    TR5 = 5


class Variant(Enum):
    """How a level file deviates from the retail layout of its game (documentation, chapter 10.10)."""

    RETAIL = "retail"
    DEMO = "demo"  # TR1 and Unfinished Business: palette moved. TR2: light map moved, samples embedded.
    EARLY_DEMO = "early demo"  # TR4: the whole file is one zlib stream
