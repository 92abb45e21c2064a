"""The collision of all rooms of a level, as its file has it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....formats.level.decoded import Decoded
from .build import LEADS, RoomsCollision
from .shape import collision_shape


def level_collision(decoded: Decoded) -> tuple[RoomsCollision, list[list[int]]]:
    """Return the collision of every room of a level, and the rooms that it leads to.

    A session's exports share it: ask for it by ``decoded.once(level_collision)``.
    """
    shape = collision_shape(decoded.sectors, decoded.grid)
    return shape, _name_rooms(shape)


def _name_rooms(shape: RoomsCollision) -> list[list[int]]:
    """Name rooms on faces by places in a list instead of numbers, and return that list of each room.

    In the attributes 0 is none, 1 the first of the list, and -1 - n the number n of a damaged file, of which
    there is no room.

    Args:
        shape: of all rooms, changed in place.
    """
    rooms = len(shape)
    leading = [np.flatnonzero(shape.face[name]) for name in LEADS]  # few faces lead anywhere
    number = np.concatenate([shape.face[name][which] for name, which in zip(LEADS, leading, strict=True)])
    number = number.astype(np.int64) - 1
    owner = np.searchsorted(shape.faces, np.concatenate(leading), side="right") - 1
    keys, is_known = owner * rooms + number, number < rooms
    used = np.unique(keys[is_known])
    first = np.searchsorted(used, np.arange(rooms + 1) * rooms)
    place = np.searchsorted(used, keys) - first[owner] + 1
    named = np.where(is_known, place, -1 - number)
    start = 0
    for name, which in zip(LEADS, leading, strict=True):
        shape.face[name][which] = named[start : start + len(which)]
        start += len(which)
    leads = (used % rooms).tolist()
    return [leads[low:high] for low, high in pairwise(first.tolist())]
