"""Objects that the file lists by room: placed static meshes, lights, sprites and portals.

In the scene ``index`` of such an object counts through the lists of all rooms, so that it identifies the
original record also after the user moved the object to another room.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from .....formats import ExportError
from .....formats.base import T, as_message, join_records
from ....core.context import ExportContext, ImportContext
from ....core.space import matrix_within
from ....core.stages import RoomObjects
from .locator import Point
from .where import Whereabouts

_NAMED = 3  # objects that get a warning each; others are counted


def places_in_rooms(context: ImportContext, lists: Sequence[NDArray[np.void]]) -> list[list[float]]:
    """Return the positions of listed objects, in Blender units from their room, in the order of all lists.

    The records of each room have x, y and z in world units.
    """
    filled = [records for records in lists if len(records)]
    if not filled:
        return []
    records = join_records(filled)
    positions = np.stack([records[axis].astype(np.float64) for axis in "xyz"], axis=1)
    counts = [len(each) for each in lists]
    positions -= np.repeat([(room.x, 0, room.z) for room in context.level.rooms], counts, axis=0)
    return context.space.to_blender(positions).tolist()


def put_in_room(rooms: RoomObjects, obj: Object, number: int, location: Sequence[float]) -> None:
    """Put a new object into a room's collection, parented to the room and located relative to it."""
    obj.parent = rooms.objects[number]
    obj.location = location
    rooms.collections[number].objects.link(obj)


class RoomLists:
    """The lists of one kind during an export: original objects in their order, then new ones.

    Args:
        section: the attribute of rooms with the list.
        first_index: the index of the first object of the first room.
    """

    def __init__(
        self, context: ExportContext, where: Whereabouts, section: str, first_index: int = 0
    ) -> None:
        self.context = context
        self.where = where
        self.section = section
        self.first_index = first_index
        self._sources = where.plan.sources
        self._lists: list[NDArray[np.void]] = [getattr(room, section) for room in context.original.rooms]
        self._ends = [first_index + end for end in accumulate(map(len, self._lists))]
        self._entries: dict[int, list[tuple[tuple[int, int], Any, Object | None]]] = {}

    def __len__(self) -> int:
        return self._ends[-1] - self.first_index if self._ends else 0

    @cached_property
    def records(self) -> NDArray[np.void]:
        """The records of all rooms of the original, concatenated: row ``index - first_index``."""
        return join_records(self._lists)

    def room(self, index: int) -> int:
        """Return the room of the original that lists an index, -1 for new objects."""
        if not self.first_index <= index < self.first_index + len(self):
            return -1
        return bisect_right(self._ends, index)

    def original(self, index: int) -> Any | None:
        """Return the original record of an index, None for new objects."""
        row = index - self.first_index
        return self.records[row] if 0 <= row < len(self) else None

    def start(self, index: int) -> Any | None:
        """Return a writable copy of :meth:`original`."""
        original = self.original(index)
        return None if original is None else original.copy()

    def present(self, kind: str) -> list[tuple[Object, int]]:
        """Return the objects of a kind in the order of the file, without those whose room was deleted."""
        objects = self.context.objects(kind)
        lost = {obj for obj, _ in objects if self._has_lost_room(obj)}
        for obj in sorted(lost, key=lambda obj: obj.name)[:_NAMED]:
            self.context.report.warn(obj.name, T("its room was deleted, so it is left out"))
        if len(lost) > _NAMED:
            what = self.section.replace("_", " ")
            text = T(
                "{count} more {what} of deleted rooms are left out",
                count=len(lost) - _NAMED,
                what=as_message(what),
            )
            self.context.report.warn(T("Rooms"), text)
        return [(obj, index) for obj, index in objects if obj not in lost] if lost else objects

    def _has_lost_room(self, obj: Object) -> bool:
        if self.where.room_of(obj) is not None:
            return False
        if self.where.has_lost_room(obj):
            return True
        origin = self.room(obj.tomb_raider.index)
        return origin >= 0 and bool(self.where.plan.map[origin] < 0)

    def room_of(self, obj: Object, point: Point) -> int:
        """Return the room of an object: its parent, unless it was moved to a point (3,) in another room.

        Objects outside all rooms keep their room or get the nearest one, with a warning.
        """
        room = self.where.room_of(obj)
        if room is not None and (self.where.holds(room, point) or not self._is_moved(obj, room, point)):
            return room
        result = self.where.find(point)
        if result is not None:
            return result
        text = T("it is in no room, so it ")
        if room is None:
            room = self.where.nearest(point)
            text += T("is assigned to the nearest one, {name}", name=self.where.plan.name(room))
        else:
            text += T("stays in {name}", name=self.where.plan.name(room))
        self.context.report.warn(obj.name, text)
        return room

    def own_room(self, obj: Object, point: Point) -> int:
        """Return the room to which an object is parented, else its original room, wherever the object is.

        The room of a new object is the one at its position ``point``, (3,) in world units.

        Raises:
            ExportError: where it is in no room.
        """
        room = self.where.room_of(obj)
        origin = self.room(obj.tomb_raider.index)
        if room is None and origin >= 0 and self.where.plan.map[origin] >= 0:
            room = int(self.where.plan.map[origin])
        if room is None:
            room = self.where.find(point)
        if room is None:
            raise ExportError(obj.name, T("it is in no room"))
        return room

    def _is_moved(self, obj: Object, number: int, point: Point) -> bool:
        """Return whether an object is elsewhere in its room than in the file; True for new objects."""
        index = obj.tomb_raider.index
        source = self.room(index)
        record = self.original(index)
        if record is None:
            return True
        if self._sources[number] != source:
            return False  # the user parented it to another room, which overrides its position
        room = self.context.original.rooms[source]
        if "vertex" in record.dtype.names:  # a sprite
            if int(record["vertex"]) >= len(room.vertices):
                return False
            vertex = room.vertices[int(record["vertex"])]
            position = np.array([vertex[axis] for axis in "xyz"], np.float64)
        else:
            position = np.array([record[axis] for axis in "xyz"], np.float64) - (room.x, 0, room.z)
            position[~np.isfinite(position)] = 0  # as imported (TR5)
        new_room = self.context.level.rooms[number]
        if obj.parent is not None and self.where.numbers.get(obj.parent) == number:
            local = matrix_within(obj, obj.parent)
            shift = self.context.space.to_file(np.array(local.translation, np.float64), obj.name) - position
        else:
            shift = np.asarray(point) - (new_room.x, 0, new_room.z) - position
        return bool((np.abs(shift) > 0.5).any())

    def keep(self, room: int, index: int, record: object, obj: Object | None = None) -> None:
        """Add a record to the list of an exported room: its originals keep their order, others follow."""
        entries = self._entries.setdefault(room, [])
        origin = self.room(index)
        rank = (0, index) if origin >= 0 and self._sources[room] == origin else (1, len(entries))
        entries.append((rank, record, obj))

    def finish(self, what: str, limit: int) -> dict[int, NDArray[np.void]]:
        """Return the new lists by exported room number.

        Raises:
            ExportError: where a room has more than ``limit``.
        """
        lists = {}
        for number, room in enumerate(self.context.level.rooms):
            entries = sorted(self._entries.get(number, []), key=lambda entry: entry[0])
            if len(entries) > limit:
                name = self.where.plan.name(number)
                problem = T("too many {what}", what=as_message(what))
                raise ExportError(name, problem, count=len(entries), limit=limit)
            records = np.zeros(len(entries), getattr(room, self.section).dtype)
            for row, (_, record, obj) in enumerate(entries):
                records[row] = record
                if obj is not None:
                    self.context.note_place(obj, self.section, row, number)
            lists[number] = records
        return lists
