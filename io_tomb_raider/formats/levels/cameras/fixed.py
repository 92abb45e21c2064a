"""Fixed cameras and sinks, which share a table of the file (documentation, chapter 9.5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.units import SECTOR_SIZE
from ..level.level import Level
from ..rooms.rooms import Room


def find_sinks(level: Level, cameras: set[int], sinks: set[int]) -> NDArray[np.bool_]:
    """Return which entries of the table are sinks.

    An entry that no trigger uses is a camera if it is within its room, or if its box does not exist.

    Args:
        cameras, sinks: the numbers that triggers use as such. A number in both is a camera.
    """
    result = np.zeros(len(level.cameras), bool)
    for index, record in enumerate(level.cameras):
        if index in cameras or index in sinks:
            result[index] = index not in cameras
        else:
            result[index] = not _within(level.rooms, record) and int(record["flags"]) < len(level.boxes)
    return result


def _within(rooms: list[Room], record: np.void) -> bool:
    number = int(record["room"])
    if not 0 <= number < len(rooms):
        return False
    room = rooms[number]
    x, z = (int(record["x"]) - room.x) // SECTOR_SIZE, (int(record["z"]) - room.z) // SECTOR_SIZE
    return 0 <= x < room.x_sectors and 0 <= z < room.z_sectors
