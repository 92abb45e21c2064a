"""The collision of all rooms of a level as in its file."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....formats.levels.views import Decoded
from .build import ROOM_ATTRIBUTES, RoomsCollision
from .shape import collision_shape


def level_collision(decoded: Decoded) -> tuple[RoomsCollision, list[list[int]]]:
    """Return the collision of every room of a level, and the rooms that it refers to.

    The exports of a session share it by ``decoded.once(level_collision)``.
    """
    shape = collision_shape(decoded.sectors, decoded.grid)
    return shape, _name_rooms(shape)


def _name_rooms(shape: RoomsCollision) -> list[list[int]]:
    """Replace room numbers on faces by indices in a list, and return that list for each room.

    In the attributes 0 is none, 1 the first of the list, and -1 - n the invalid number n of a damaged file.
    """
    rooms = len(shape)
    referring = [np.flatnonzero(shape.face[name]) for name in ROOM_ATTRIBUTES]  # few faces refer to rooms
    number = np.concatenate(
        [shape.face[name][which] for name, which in zip(ROOM_ATTRIBUTES, referring, strict=True)]
    )
    number = number.astype(np.int64) - 1
    owner = np.searchsorted(shape.faces, np.concatenate(referring), side="right") - 1
    keys, is_known = owner * rooms + number, number < rooms
    used = np.unique(keys[is_known])
    first = np.searchsorted(used, np.arange(rooms + 1) * rooms)
    index = np.searchsorted(used, keys) - first[owner] + 1
    named = np.where(is_known, index, -1 - number)
    start = 0
    for name, which in zip(ROOM_ATTRIBUTES, referring, strict=True):
        shape.face[name][which] = named[start : start + len(which)]
        start += len(which)
    named = (used % rooms).tolist()
    return [named[low:high] for low, high in pairwise(first.tolist())]
