"""Free places for new rooms: at the cursor, else beside a room, on the grid of sectors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base.units import SECTOR_SIZE
from ...core.members import members_of
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.meshes.placed import rooms_with_vertices, world_corners
from ..portals.collisions import Collisions

_Array = NDArray[np.float64]

_SLACK = 0.02  # of a sector: boxes that touch do not overlap
_FARTHEST = 8  # sectors from the room


def free_place(root: Collection, near: Object | None, place: Vector, size: tuple[int, int, int]) -> _Array:
    """Return the low corner of the box of a new room, (3,) in world space, on the grid.

    It is around the place, the middle of its floor, if no room is there. Otherwise it touches a wall of a
    room.

    Args:
        root: the level.
        near: the room to be beside; by default that at the place.
        place: in world space.
        size: of the room: width, depth and height in sectors.
    """
    side = SECTOR_SIZE * Space.of(root).scale
    corner = [round(place[axis] / side - size[axis] / 2) for axis in (0, 1)]
    # Floors have steps of a quarter of a sector.
    low = np.array([*corner, round(place.z / side * 4) / 4]) * side
    rooms = _Occupied(root, side)
    in_the_way = rooms.at(low, size)
    if in_the_way is None:
        return low
    beside = near if near is not None and near in rooms.boxes else in_the_way
    found = (each for each in _beside(rooms.boxes[beside], low, size, side) if rooms.at(each, size) is None)
    return next(found, low)


def _beside(box: _Array, wanted: _Array, size: tuple[int, int, int], side: float) -> Iterator[_Array]:
    """Yield places beside a box (2, 3), those that touch it first, and those near the wanted one first."""
    low, high = np.round(box[:, :2] / side).astype(int)
    floor = round(box[0, 2] / side * 4) / 4
    for away in range(_FARTHEST + 1):
        places = []
        for axis, is_high in product((0, 1), (True, False)):
            other = 1 - axis
            along = range(low[other] - size[other] + 1, high[other])
            for start in along if len(along) else (low[other],):
                place = np.zeros(3)
                place[axis] = high[axis] + away if is_high else low[axis] - size[axis] - away
                place[other], place[2] = start, floor
                places.append(place * side)
        yield from sorted(places, key=lambda each: float(np.linalg.norm(each - wanted)))


class _Occupied:
    """The space of the rooms of a level.

    Attributes:
        boxes: the box of each room in world space, (2, 3).
    """

    def __init__(self, root: Collection, side: float) -> None:
        self._side, self._space, self._collisions = side, Space.of(root), Collisions(root)
        rooms = rooms_with_vertices(members_of(root, Kind.ROOM))
        corners = world_corners(rooms)
        self.boxes = {
            room: np.stack([box.min(axis=0), box.max(axis=0)])
            for room, box in zip(rooms, corners, strict=True)
        }

    def at(self, low: _Array, size: tuple[int, int, int]) -> Object | None:
        """Return a room whose space overlaps a box, or None."""
        slack = _SLACK * self._side
        high = low + np.array(size) * self._side - slack
        for room, box in self.boxes.items():
            if (
                (box[0] < high).all()
                and (low + slack < box[1]).all()
                and self._is_open(room, low + slack, high)
            ):
                return room
        return None

    def _is_open(self, room: Object, low: _Array, high: _Array) -> bool:
        """Return whether any sector of a room is open within a box; without valid collision all of it is."""
        try:
            ground = self._collisions.of(room)
        except ExportError:
            ground = None
        if ground is None:
            return True
        sectors, (x_sectors, z_sectors) = ground.ground.sectors, ground.ground.size
        ends = np.sort(
            self._space.to_file(np.stack([low, high]) - np.array(self._space.offset), room.name), axis=0
        )
        rows, columns = np.divmod(np.arange(x_sectors * z_sectors), z_sectors)
        starts = np.stack([rows, columns], axis=1) * SECTOR_SIZE + np.array(ground.ground.corner)
        inside = ((starts < ends[1, [0, 2]]) & (ends[0, [0, 2]] < starts + SECTOR_SIZE)).all(axis=1)
        top, bottom = sectors.ceiling.span()[0].min(axis=1), sectors.floor.span()[1].max(axis=1)
        inside &= (top < ends[1, 1]) & (ends[0, 1] < bottom) & ~sectors.wall
        return bool(inside.any())
