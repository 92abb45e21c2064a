"""Places of triggers: boxes in the scene, rectangles of sectors of a room in the file."""

from __future__ import annotations

from math import floor, isfinite
from typing import NamedTuple

import numpy as np
from bpy.types import Object
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats import ExportError, Room
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.collision import WALL
from ...core.context import ExportContext
from ...core.space import Space, checked, show_size
from ..rooms.diagnosis import explained
from ..rooms.location.where import Whereabouts

HEIGHT = 256  # height of boxes in units
_TURNED = 0.02  # tolerated rotation of a box, about a degree


class PlaceBox(NamedTuple):
    """A box in world units of the file: its center, and its sides along x and z."""

    x: float
    y: float
    z: float
    width: float
    depth: float


def place_on_sectors(obj: Object, space: Space, width: int, depth: int) -> None:
    """Show an empty as a box over a number of sectors along x and z."""
    obj.empty_display_type = "CUBE"
    obj.scale = width, depth, HEIGHT / SECTOR_SIZE
    show_size(obj, SECTOR_SIZE / 2 * space.scale)


def floor_height(room: Room, x: int, z: int, width: int, depth: int) -> int:
    """Return y of the highest floor of sectors, walls excepted; of walls alone the room's bottom."""
    heights = room.sectors["floor"].reshape(room.x_sectors, room.z_sectors)[x : x + width, z : z + depth]
    open_heights = set(heights.ravel().tolist()) - {WALL}
    return min(open_heights) * 256 if open_heights else int(room.y_bottom)


class Placer:
    """Finds the sectors under the triggers of an export."""

    def __init__(self, context: ExportContext, where: Whereabouts) -> None:
        self.context = context
        self.where = where

    def has_lost_room(self, obj: Object) -> bool:
        """Return whether an object was in a room that was deleted, so that its position is not reliable."""
        settings = obj.tomb_raider
        if obj.parent is not None or self.where.room_of(obj) is not None:
            return self.where.has_lost_room(obj)
        room = settings.trigger.room
        return settings.index >= 0 if room is None else room not in self.where.numbers

    def sectors(self, obj: Object) -> list[tuple[int, int]]:
        """Return the sectors under an object as (room, index); none outside of rooms.

        Raises:
            ExportError: where it is outside because of an invalid transform of its room.
        """
        box = self._box(obj)
        number = self._room(obj, box)
        if number is None:
            text = T("it is in no room, so it is left out: move it onto the floor of one")
            self.context.report.warn(obj.name, text)
            return []
        room = self.context.level.rooms[number]
        spans = self._spans(number, box)
        sizes = zip(spans, (room.x_sectors, room.z_sectors), strict=True)
        xs, zs = (range(max(span.start, 0), min(span.stop, size)) for span, size in sizes)
        if (xs, zs) != spans:
            text = T("it extends beyond its room, and applies only to the sectors inside")
            self.context.report.warn(obj.name, text)
        self._warn_of_turns(obj, len(xs), len(zs))
        self._warn_of_walls(obj, number, xs, zs)
        return [(number, x * room.z_sectors + z) for x in xs for z in zs]

    def _warn_of_turns(self, obj: Object, width: int, depth: int) -> None:
        matrix = self.context.space.matrix_of(obj)
        x, y = abs(matrix[0][0]), abs(matrix[1][0])
        if min(x, y) > _TURNED * max(x, y):
            text = T(
                "it is rotated, but triggers cover whole sectors: it covers {width} by {depth} of them",
                width=width,
                depth=depth,
            )
            self.context.report.warn(obj.name, T("{text}; clear its rotation (Alt+R)", text=text))

    def _warn_of_walls(self, obj: Object, number: int, xs: range, zs: range) -> None:
        room = self.context.level.rooms[number]
        is_wall = _walls(room)[xs.start : xs.stop, zs.start : zs.stop]
        if not is_wall.any():
            return
        walls = [(xs[x], zs[z]) for x, z in np.argwhere(is_wall).tolist()]
        new_cells = [cell for cell in walls if not self._was_on_a_wall(number, *cell)]
        if new_cells:
            what = T("a wall") if len(new_cells) == 1 else T("{count} walls", count=len(new_cells))
            text = T("it is on {what}, where it is never set off: move it onto the floor", what=what)
            self.context.report.warn(obj.name, text)

    def _was_on_a_wall(self, number: int, x: int, z: int) -> bool:
        """Return whether the sector was a wall with triggers in the original: some levels have these."""
        if not self._had_triggers(number, range(x, x + 1), range(z, z + 1)):
            return False
        return bool(_walls(self.context.original.rooms[self.where.plan.sources[number]])[x, z])

    def _box(self, obj: Object) -> PlaceBox:
        world = self.context.space.matrix_of(obj)
        parent, numbers = obj.parent, self.where.numbers
        matrix, origin = world, (0, 0)
        is_moved_otherwise = obj.parent_type != "OBJECT" or obj.constraints or obj.animation_data
        if parent is not None and parent in numbers and not is_moved_otherwise:
            # Relative to the room, whose position may be too far for exact floats.
            matrix = obj.matrix_parent_inverse @ obj.matrix_basis
            room = self.context.level.rooms[numbers[parent]]
            origin = room.x, room.z
        scale = self.context.space.scale
        sides = [_extent(matrix, axis) * 2 * obj.empty_display_size / scale for axis in (0, 1)]
        x, z = (matrix[axis][3] / scale + start for axis, start in enumerate(origin))
        box = PlaceBox(x, -world[2][3] / scale, z, *sides)
        if not isfinite(sum(box)):
            checked(np.array(box), obj.name, T("its place or size"))
        return box

    def _room(self, obj: Object, box: PlaceBox) -> int | None:
        """Return the room of an object: its parent, unless it was moved out, else by position; or None."""
        number = self.where.room_of(obj)
        if number is None:
            number = self.where.numbers.get(obj.tomb_raider.trigger.room)
        if number is not None and not self._overlaps(number, box):
            number = None
        if number is not None and self._holds(number, box):
            return number
        result = self.where.find(box[:3])
        if result is not None and self._overlaps(result, box):
            return result
        if number is None and (cause := self.where.diagnose(self.where.room_of(obj))):
            raise explained(ExportError(obj.name, T("it is in no room")), cause)
        return number

    def _spans(self, number: int, box: PlaceBox) -> tuple[range, range]:
        """Return the sectors that a box covers along x and z, counted from the room's first."""
        room = self.context.level.rooms[number]
        return _span(box.x - room.x, box.width), _span(box.z - room.z, box.depth)

    def _overlaps(self, number: int, box: PlaceBox) -> bool:
        """Return whether a box is over any sector of a room."""
        room = self.context.level.rooms[number]
        x, z = self._spans(number, box)
        return x.start < room.x_sectors and x.stop > 0 and z.start < room.z_sectors and z.stop > 0

    def _holds(self, number: int, box: PlaceBox) -> bool:
        """Return whether a box is in the open space of a room, or where that had triggers in the original."""
        room = self.context.level.rooms[number]
        if self.where.holds(number, box[:3]):
            x, z = self._spans(number, box)
            floors = room.sectors["floor"].reshape(room.x_sectors, room.z_sectors)
            if (floors[max(x.start, 0) : x.stop, max(z.start, 0) : z.stop] != WALL).any():
                return True
        return self._had_triggers(number, *self._spans(number, box))

    def _had_triggers(self, number: int, x: range, z: range) -> bool:
        """Return whether all of some sectors have triggers in the original."""
        context = self.context
        source = self.where.plan.sources[number]
        if not 0 <= source < len(context.original.rooms):
            return False
        room = context.original.rooms[source]
        if x.start < 0 or z.start < 0 or x.stop > room.x_sectors or z.stop > room.z_sectors:
            return False
        indices = room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors)
        triggered = indices[x.start : x.stop, z.start : z.stop]
        return bool(context.decoded.floor_lists.has_triggers(triggered).all())


def _walls(room: Room) -> NDArray[np.bool_]:
    """Return whether each sector of a room is a wall, (x, z)."""
    return np.asarray((room.sectors["floor"] == WALL).reshape(room.x_sectors, room.z_sectors))


def _span(center: float, side: float) -> range:
    """Return the sectors that a side of a box covers, at least one."""
    count = max(1, round(side / SECTOR_SIZE))
    first = floor(center / SECTOR_SIZE - count / 2 + 0.5)
    return range(first, first + count)


def _extent(matrix: Matrix, axis: int) -> float:
    """Return the extent of the unit cube along an axis after a transform by a matrix."""
    return sum(abs(matrix[axis][column]) for column in range(3))
