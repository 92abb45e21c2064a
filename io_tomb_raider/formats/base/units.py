"""The units of the files, in which the world is measured (documentation, chapters 1 and 6.2.7)."""

from __future__ import annotations

SECTOR_SIZE = 1024  # world units along a side of a sector
CLICK = 256  # world units: the step of floors' and ceilings' heights
TURN = 65536  # of angles, to the full turn
