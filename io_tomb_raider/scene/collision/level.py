"""The collision of all rooms of a level, as its file has it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ...formats import Level
from ...formats.collision.grid import SectorGrid
from ...formats.collision.sectors import Sectors
from .build import LEADS, CollisionArrays
from .shape import collision_shape


def level_collision(level: Level, sectors: Sectors) -> tuple[list[CollisionArrays], list[list[int]]]:
    """Return what the collision of every room looks like, and the rooms that it leads to.

    Args:
        level: the level.
        sectors: of all its rooms.
    """
    grid = SectorGrid([(room.x_sectors, room.z_sectors) for room in level.rooms])
    arrays = collision_shape(sectors, grid)
    return arrays, _name_rooms(arrays)


def _name_rooms(arrays: list[CollisionArrays]) -> list[list[int]]:
    """Name rooms on faces by places in a list instead of numbers, and return that list of each room.

    In the attributes 0 is none, 1 the first of the list, and -1 - n the number n of a damaged file, of which
    there is no room.

    Args:
        arrays: of all rooms, changed in place.
    """
    rooms = len(arrays)
    if not rooms:
        return []
    sizes = [len(each.sizes) for each in arrays]
    owner, ends = np.repeat(np.arange(rooms), sizes), np.cumsum(sizes)
    columns = np.array([np.concatenate([each.face[name] for each in arrays]) for name in LEADS])
    lead, face = np.nonzero(columns)  # few faces lead anywhere
    number = columns[lead, face].astype(np.int64) - 1
    keys, is_known = owner[face] * rooms + number, number < rooms
    used = np.unique(keys[is_known])
    first = np.searchsorted(used, np.arange(rooms + 1) * rooms)
    place = np.searchsorted(used, keys) - first[owner[face]] + 1
    columns[lead, face] = np.where(is_known, place, -1 - number)
    for name, column in zip(LEADS, columns, strict=True):
        for each, named in zip(arrays, np.split(column, ends[:-1]), strict=True):
            each.face[name] = named
    return [(used[low:high] % rooms).tolist() for low, high in pairwise(first)]
