"""Check for rooms whose mesh and sectors are apart."""

from __future__ import annotations

import numpy as np
from bpy.types import Collection

from ....formats.base import SECTOR_SIZE
from ....formats.levels.views import Decoded
from ...core.space import Space
from ..rooms_apart import RoomApart, Written, rooms_apart
from .notes import Note, Severity

FIXES = "sectors_from_mesh mesh_from_sectors"


def check_mesh_and_sectors(
    root: Collection, exported: Written, now: Decoded, before: Decoded, *, all_rooms: bool = False
) -> dict[int, Note]:
    """Compare meshes and sectors of rooms that were edited since their import.

    Args:
        root: the level.
        exported: the exported rooms by kind and number.
        now: the exported level.
        before: the imported level.
        all_rooms: compare all rooms, and report what the imported file had, too.

    Returns:
        At most one note per room, by its number.
    """
    found = rooms_apart(root, exported, now, before, all_rooms=all_rooms)
    return {number: _note(root, apart, now, number) for number, apart in found.items()}


def _note(root: Collection, apart: RoomApart, now: Decoded, number: int) -> Note:
    """Return the note about a room, at the first of its sectors."""
    gaps = apart.gaps
    record, (x, z) = now.level.rooms[number], (gaps.cells[0] + 0.5) * SECTOR_SIZE
    height = gaps.floors[0].mean()
    (place,) = Space.of(root).to_blender(np.array([[record.x + x, height, record.z + z]]))
    at = np.array(place, np.float64) + np.array(root.tomb_raider.offset)
    severity: Severity = "WARNING" if apart.was_whole else "INFO"
    return Note(severity, apart.room.name, apart.text, (at[0], at[1], at[2]), FIXES)
