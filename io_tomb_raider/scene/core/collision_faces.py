"""The face attribute with the role of faces in a room's collision."""

from __future__ import annotations

from enum import IntEnum

PART = "tr_part"


class FacePart(IntEnum):
    """The role of a collision face; the values of the attribute ``tr_part``."""

    OTHER = 0
    FLOOR = 1
    CEILING = 2
    WALL = 3  # derived from floors and ceilings, not read back
    SOLID = 4  # marks a solid sector, drawn above it
