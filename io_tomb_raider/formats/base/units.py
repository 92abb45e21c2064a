"""Units of the files (documentation, chapters 1 and 6.2.7)."""

from __future__ import annotations

SECTOR_SIZE = 1024  # world units per side of a sector
CLICK = 256  # world units: the step of floor and ceiling heights
TURN = 65536  # angle units per full turn
