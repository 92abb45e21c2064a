"""The collision of all rooms of a level, as its file has it."""

from __future__ import annotations

import numpy as np

from ...formats import Level
from ...formats.collision.grid import SectorGrid
from ...formats.collision.sectors import Sectors
from .build import LEADS, CollisionArrays, collision_shape


def level_collision(level: Level, sectors: Sectors) -> tuple[list[CollisionArrays], list[list[int]]]:
    """Return what the collision of every room looks like, and the rooms that it leads to.

    Args:
        level: the level.
        sectors: of all its rooms.
    """
    grid = SectorGrid([(room.x_sectors, room.z_sectors) for room in level.rooms])
    arrays = collision_shape(sectors, grid)
    return arrays, [name_rooms(each, grid.rooms) for each in arrays]


def name_rooms(arrays: CollisionArrays, rooms: int) -> list[int]:
    """Name rooms on faces by places in a list instead of numbers, and return that list.

    In the attributes 0 is none, 1 the first of the list, and -1 - n the number n of a damaged file, of which
    there is no room.

    Args:
        arrays: changed in place.
        rooms: how many there are.
    """
    columns = [arrays.face[name] for name in LEADS]
    numbers = np.unique(np.concatenate(columns)) - 1
    used = numbers[(numbers >= 0) & (numbers < rooms)]
    for name, column in zip(LEADS, columns, strict=True):
        if column.any():
            place = np.searchsorted(used, column - 1) + 1
            named = np.where(column > rooms, -column, place)
            arrays.face[name] = np.where(column == 0, 0, named).astype(np.int32)
    return [int(number) for number in used]
