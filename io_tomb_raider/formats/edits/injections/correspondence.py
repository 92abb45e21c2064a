"""Elements of a level before and after its edits: their numbers, and how its rooms have moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays.typing import Bools, Ints
from ...base.schema.fields import Numbers, Record
from ...base.units import SECTOR_SIZE
from ...levels.collision.sectors import Sectors
from ...levels.injections.fields import Counts
from ...levels.injections.sounds import LevelSounds
from ...levels.level.level_pages import page_count
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded


class ElementNumbers(NamedTuple):
    """The numbers of an edited level's elements."""

    #: per exported room the original one that it is or is a copy of, -1 for a new one.
    sources: Sequence[int]
    rooms: Ints  #: (original rooms,) int64: the exported number of each, -1 if deleted.
    entities: Ints  #: (original entities,) int64, likewise.
    cameras: Ints  #: (original cameras,) int64, likewise.


class Moved(NamedTuple):
    """How a room has moved: its sectors within its grid, and its places in the world."""

    sectors: tuple[int, int]
    place: tuple[int, int, int]


class SameSectors(NamedTuple):
    """The properties of sectors that an edit keeps, per record of floor edits: (n,) bool."""

    #: old, new: the indices of the sector, -1 for none.
    old: Ints
    new: Ints
    wall: Bools
    shape: Bools
    rooms: Bools
    marks: Bools
    material: Bools


class Correspondence:
    """The new numbers and places of a level's elements."""

    def __init__(self, before: Decoded, after: Decoded, numbering: ElementNumbers) -> None:
        self.before, self.after, self.numbering = before, after, numbering
        self._moved: dict[int, Moved] = {}
        self.new_items = 0  #: the number of items that an injection adds.
        self.shows_sounds = False  #: whether it has the sounds of the level.

    def room_of(self, number: int, _outer: Record | None = None) -> int | None:
        """Return the new number of a room, None if it is deleted."""
        return _new_number(self.numbering.rooms, number)

    @cached_property
    def item_map(self) -> Ints:
        """New items of the injection follow those of the level."""
        after = len(self.after.level.entities)
        return np.concatenate([self.numbering.entities, after + np.arange(self.new_items)])

    def item(self, number: int, _outer: Record | None = None) -> int | None:
        """Return the new number of an item, None if it is deleted."""
        return _new_number(self.item_map, number)

    def camera(self, number: int, _outer: Record | None = None) -> int | None:
        """Return the new number of a camera, None if it is deleted."""
        return _new_number(self.numbering.cameras, number)

    def _page(self, number: int, _outer: Record) -> int | None:
        return number if number < page_count(self.after.level) else None

    def _texture(self, number: int, _outer: Record) -> int | None:
        old, new = self.sections("object_textures")
        is_same = 0 <= number < min(len(old), len(new)) and bool(old[number] == new[number])
        return number if is_same else None

    def _range(self, number: int, _outer: Record) -> int | None:
        return number if same_arrays(self.sections("animated_textures")) else None

    def _sound(self, number: int, _outer: Record) -> int | None:
        is_same = self.shows_sounds or self.sounds[0].of(number) == self.sounds[1].of(number)
        return number if is_same else None

    def numbers(self) -> Numbers:
        """Return what makes new numbers of old ones, by what they count."""

        def sector(axis: int) -> Callable[[int, Record], int | None]:
            return lambda number, outer: self._sector(axis, number, outer)

        def position(axis: int) -> Callable[[int, Record], int | None]:
            return lambda number, outer: number + self.moved_by(outer.get("room", -1)).place[axis]

        return {
            Counts.ROOM: self.room_of,
            Counts.ITEM: self.item,
            Counts.CAMERA: self.camera,
            Counts.PAGE: self._page,
            Counts.TEXTURE: self._texture,
            Counts.RANGE: self._range,
            Counts.SOUND: self._sound,
            Counts.SECTOR_X: sector(0),
            Counts.SECTOR_Z: sector(1),
            Counts.X: position(0),
            Counts.Y: position(1),
            Counts.Z: position(2),
        }

    def _sector(self, axis: int, number: int, outer: Record) -> int | None:
        new_number = number + self.moved_by(outer["room"]).sectors[axis]
        return new_number if new_number >= 0 else None

    def sections(self, name: Any) -> tuple[Any, Any]:
        """Return a section of both levels."""
        return getattr(self.before.level, name), getattr(self.after.level, name)

    @cached_property
    def sounds(self) -> tuple[LevelSounds, LevelSounds]:
        """The sounds of both levels."""
        return LevelSounds(self.before.level), LevelSounds(self.after.level)

    def pair(self, number: int) -> tuple[Room, Room] | None:
        """Return a room before and after the edit, or None if it no longer exists."""
        new = self.room_of(number)
        return None if new is None else (self.before.level.rooms[number], self.after.level.rooms[new])

    def moved_by(self, number: int) -> Moved:
        """Return how a room has moved."""
        if number not in self._moved:
            pair = self.pair(number)
            self._moved[number] = Moved((0, 0), (0, 0, 0)) if pair is None else _move(*pair)
        return self._moved[number]

    def compare_sectors(self, records: Sequence[Record]) -> SameSectors:
        """Compare the sectors of records of floor edits."""
        old, new = np.full(len(records), -1, np.int64), np.full(len(records), -1, np.int64)
        for number, record in enumerate(records):
            room = self.room_of(record["room"])
            if room is None:
                continue
            shift = self.moved_by(record["room"]).sectors
            x, z = record["x"], record["z"]
            old[number] = sector_index(self.before, record["room"], x, z)
            new[number] = sector_index(self.after, room, x + shift[0], z + shift[1])
        has_both = (old >= 0) & (new >= 0)
        before, after = self.before.native_sectors.take(old), self.after.native_sectors.take(new)
        wall = has_both & (before.wall == after.wall)
        return SameSectors(
            old,
            new,
            wall,
            wall & _same_shape(before, after),
            wall & self._same_rooms(before, after),
            wall & _same_fields(before, after, "climb", "monkey_swing", "deferred", "beetle"),
            has_both & _same_fields(before, after, "material"),
        )

    def _same_rooms(self, before: Sectors, after: Sectors) -> Bools:
        is_same = np.ones(len(before.wall), np.bool_)
        for name in ("room_below", "room_above", "portal"):
            old = getattr(before, name)
            exists = (old >= 0) & (old < len(self.numbering.rooms))
            new = np.where(exists, self.numbering.rooms[np.where(exists, old, 0)], old)
            is_same &= new == getattr(after, name)
        return is_same


def _new_number(numbers: Ints, number: int) -> int | None:
    return int(numbers[number]) if 0 <= number < len(numbers) and numbers[number] >= 0 else None


def same_arrays(pair: tuple[Any, Any]) -> bool:
    """Return whether two arrays have the same bytes."""
    return pair[0] is pair[1] or pair[0].tobytes() == pair[1].tobytes()


def grid_size(room: Room) -> tuple[int, int]:
    """Return the sectors of a room along x and z."""
    return room.x_sectors, room.z_sectors


def _move(old: Room, new: Room) -> Moved:
    """Return how a room has moved. One that grew at its corner has moved its sectors instead."""
    x, z = (new.x - old.x), (new.z - old.z)
    shift = (0, 0)
    if grid_size(old) != grid_size(new) and not (x % SECTOR_SIZE or z % SECTOR_SIZE):
        grown = -x // SECTOR_SIZE, -z // SECTOR_SIZE
        if _alike(old, new, grown) > _alike(old, new, shift):
            shift = grown
    y = _lowered(old, new)
    return Moved(shift, (x + shift[0] * SECTOR_SIZE, y, z + shift[1] * SECTOR_SIZE))


def _alike(old: Room, new: Room, shift: tuple[int, int]) -> int:
    """Return how many sectors have the heights of those that are shifted onto them."""
    x, z = np.divmod(np.arange(len(old.sectors)), old.z_sectors)
    x, z = x + shift[0], z + shift[1]
    inside = (x >= 0) & (x < new.x_sectors) & (z >= 0) & (z < new.z_sectors)
    before, after = old.sectors[inside], new.sectors[(x * new.z_sectors + z)[inside]]
    return int(((before["floor"] == after["floor"]) & (before["ceiling"] == after["ceiling"])).sum())


def _lowered(old: Room, new: Room) -> int:
    """Return the distance that all vertices of a room have moved down."""
    names = old.vertices.dtype.names or ()
    if len(old.vertices) != len(new.vertices) or not len(old.vertices) or "y" not in names:
        return 0
    steps = np.unique(new.vertices["y"].astype(np.int64) - old.vertices["y"])
    return int(steps[0]) if len(steps) == 1 else 0


def sector_index(decoded: Decoded, room: int, x: int, z: int) -> int:
    """Return the index of a sector among all of a level, -1 for none."""
    x_sectors, z_sectors = grid_size(decoded.level.rooms[room])
    if not (0 <= x < x_sectors and 0 <= z < z_sectors):
        return -1
    return int(decoded.grid.starts[room]) + x * z_sectors + z


def native_sector(decoded: Decoded, index: int) -> Any:
    """Return the record of a sector by its index among all of a level."""
    room = int(decoded.grid.room[index])
    return decoded.level.rooms[room].sectors[index - int(decoded.grid.starts[room])]


def _same_shape(before: Sectors, after: Sectors) -> Bools:
    is_same = np.ones(len(before.wall), np.bool_)
    for name in ("floor", "ceiling"):
        old, new = getattr(before, name), getattr(after, name)
        is_same &= (old.heights == new.heights).all(axis=(1, 2))
        is_same &= (old.split == new.split) & (old.open_triangle == new.open_triangle)
    return is_same


def _same_fields(before: Sectors, after: Sectors, *names: str) -> Bools:
    return np.logical_and.reduce([getattr(before, name) == getattr(after, name) for name in names])
