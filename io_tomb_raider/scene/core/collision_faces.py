"""The attribute that says what a face of a room's collision is."""

from __future__ import annotations

from enum import IntEnum

PART = "tr_part"


class FacePart(IntEnum):
    """What a face is a part of; the values of the attribute ``tr_part``."""

    OTHER = 0
    FLOOR = 1
    CEILING = 2
    WALL = 3  # derived from floors and ceilings, not read back
    SOLID = 4  # the mark above a sector that is a wall
