"""Free places for new rooms: at the cursor, else beside, above or below a room, on the grid of sectors."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np
from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import ExportError
from ....formats.base import CLICK, SECTOR_SIZE, Floats, T
from ...core.membership import members
from ...core.space import Space
from ...subjects.meshes.placed import rooms_with_vertices, world_corners
from ..portals.collisions import CollisionGround, Collisions

_SLACK = 0.02  # of a sector: boxes that touch do not overlap
_FARTHEST = 8  # sectors from the room
_CLICKS = SECTOR_SIZE // CLICK


class Side(Enum):
    """The side of a room: an axis of Blender's, and whether it is the high end."""

    EAST = 0, True
    WEST = 0, False
    NORTH = 1, True
    SOUTH = 1, False
    ABOVE = 2, True
    BELOW = 2, False


_AROUND = (Side.EAST, Side.WEST, Side.NORTH, Side.SOUTH)


def side_towards(direction: Vector) -> Side:
    """Return the side of a room, not above or below, that is in a direction in world space."""
    axis = int(abs(direction.y) > abs(direction.x))
    return Side((axis, direction[axis] > 0))


def free_place(
    root: Collection, near: Object | None, place: Vector, size: tuple[int, int, int], side: Side | None = None
) -> Floats:
    """Return the low corner of the box of a new room, (3,) in world space, on the grid.

    It is around the place, the middle of its floor, if no room is there and no side is given. Otherwise it
    touches a room, at the height of the sectors there.

    Args:
        near: the room to be beside; by default that at the place.
        place: in world space.
        size: of the room: width, depth and height in sectors.
        side: of the room, by default the nearest wall.

    Raises:
        ExportError: if there is no free place.
    """
    space = Space.of(root)
    length, offset = SECTOR_SIZE * space.scale, np.array(space.offset)
    centered = np.array(place) - np.array((*np.array(size[:2]) * length / 2, 0.0))
    steps = np.array((length, length, length / _CLICKS))

    def on_grid(corner: Floats) -> Floats:
        return np.asarray(np.round((corner - offset) / steps) * steps + offset)

    low = on_grid(centered)
    rooms = _Occupied(root, length)
    occupant = rooms.at(low, size)
    beside = near if near is not None and near in rooms.boxes else occupant
    if beside is None or (side is None and occupant is None):
        return low
    outline = rooms.outline(beside)
    sides = _AROUND if side is None else (side,)
    for distance in range(_FARTHEST + 1 if side is None else 1):
        corners = [on_grid(each) for chosen in sides for each in outline.places(chosen, size, distance)]
        for result in sorted(corners, key=lambda each: float(np.linalg.norm(each - low))):
            if rooms.at(result, size) is None:
                return result
    text = T("there is no free place for a room of this size: choose another side, or a smaller size")
    raise ExportError(beside.name, text)


class _Outline:
    """The open sectors of a room as seen from its sides, or its box if it has no collision.

    Args:
        box: of its mesh in world space, (2, 3).
        length: of a sector's side in Blender units.
    """

    def __init__(self, box: Floats, ground: CollisionGround | None, length: float) -> None:
        self._length = length
        if ground is not None and not ground.ground.sectors.wall.all():
            sectors, size = ground.ground.sectors, ground.ground.size
            scale = length / SECTOR_SIZE
            self._open = ~sectors.wall.reshape(size)
            # The lowest point of each floor, and the highest one of each ceiling.
            self._floor = -sectors.floor.span()[1].max(axis=1).reshape(size) * scale
            self._ceiling = -sectors.ceiling.span()[0].min(axis=1).reshape(size) * scale
            self._corner = np.array(ground.ground.corner) * scale
        else:
            low, high = np.round(box[:, :2] / length).astype(int)
            size = tuple(np.maximum(high - low, 1).tolist())
            self._open = np.ones(size, bool)
            self._floor, self._ceiling = np.full(size, box[0, 2]), np.full(size, box[1, 2])
            self._corner = low * length

    def places(self, side: Side, size: tuple[int, int, int], distance: int) -> Iterator[Floats]:
        """Yield the low corners of boxes that touch a side, or are a number of sectors away from it.

        Boxes above and below touch the most frequent height of the ceiling or the floor that they cover.
        """
        if side in (Side.ABOVE, Side.BELOW):
            yield from self._above_or_below(side, size, distance)
            return
        axis, is_high = side.value
        is_open, floor = (each if axis == 0 else each.T for each in (self._open, self._floor))
        is_open, floor = (is_open[::-1], floor[::-1]) if not is_high else (is_open, floor)
        across, along = is_open.shape
        # The end of each row of sectors toward the side, 0 if it has no open sector.
        ends = np.where(is_open.any(axis=0), across - np.argmax(is_open[::-1], axis=0), 0)
        count = size[1 - axis]
        for start in range(1 - count, along):
            rows = np.arange(max(start, 0), min(start + count, along))
            end = int(ends[rows].max())
            if not end:
                continue
            touched = rows[ends[rows] == end]
            corner = np.zeros(3)
            edge = end + distance if is_high else across - end - distance - size[axis]
            corner[axis] = self._corner[axis] + edge * self._length
            corner[1 - axis] = self._corner[1 - axis] + start * self._length
            corner[2] = _most(floor[end - 1, touched])
            yield corner

    def _above_or_below(self, side: Side, size: tuple[int, int, int], distance: int) -> Iterator[Floats]:
        heights = self._ceiling if side is Side.ABOVE else self._floor
        (width, depth), (columns, rows) = size[:2], self._open.shape
        for x in range(1 - width, columns):
            for y in range(1 - depth, rows):
                part = slice(max(x, 0), x + width), slice(max(y, 0), y + depth)
                is_open = self._open[part]
                if not is_open.any():
                    continue
                height = _most(heights[part][is_open])
                rise = distance if side is Side.ABOVE else -size[2] - distance
                corner = self._corner + np.array((x, y)) * self._length
                yield np.array((*corner, height + rise * self._length))


def _most(heights: Floats) -> float:
    """Return the most frequent of some heights."""
    values, counts = np.unique(np.round(heights, 6), return_counts=True)
    return float(values[counts.argmax()])


class _Occupied:
    """The space of the rooms of a level."""

    def __init__(self, root: Collection, side: float) -> None:
        self._side, self._space, self._collisions = side, Space.of(root), Collisions(root)
        rooms = rooms_with_vertices(members(root))
        corners = world_corners(rooms)
        #: the box of each room in world space, (2, 3).
        self.boxes = {
            room: np.stack([box.min(axis=0), box.max(axis=0)])
            for room, box in zip(rooms, corners, strict=True)
        }

    def outline(self, room: Object) -> _Outline:
        """Return the outline of a room."""
        return _Outline(self.boxes[room], self._ground(room), self._side)

    def at(self, low: Floats, size: tuple[int, int, int]) -> Object | None:
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

    def _ground(self, room: Object) -> CollisionGround | None:
        try:
            return self._collisions.of(room)
        except ExportError:
            return None

    def _is_open(self, room: Object, low: Floats, high: Floats) -> bool:
        """Return whether any sector of a room is open within a box; without valid collision all of it is."""
        ground = self._ground(room)
        if ground is None:
            return True
        sectors, (x_sectors, z_sectors) = ground.ground.sectors, ground.ground.size
        ends = np.sort(self._space.to_file(np.stack([low, high]), room.name), axis=0)
        rows, columns = np.divmod(np.arange(x_sectors * z_sectors), z_sectors)
        starts = np.stack([rows, columns], axis=1) * SECTOR_SIZE + np.array(ground.ground.corner)
        inside = ((starts < ends[1, [0, 2]]) & (ends[0, [0, 2]] < starts + SECTOR_SIZE)).all(axis=1)
        top, bottom = sectors.ceiling.span()[0].min(axis=1), sectors.floor.span()[1].max(axis=1)
        inside &= (top < ends[1, 1]) & (ends[0, 1] < bottom) & ~sectors.wall
        return bool(inside.any())
