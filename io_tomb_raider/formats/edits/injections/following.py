"""Injections after edits of their level: numbers and places follow, and edits that are replaced are removed.

The engine applies an injection last. Old edits would undo those of the level, or change other elements.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...base.errors import ExportError, FormatError
from ...base.schema.fields import Record
from ...base.units import CLICK
from ...levels.collision.sectors import NO_ROOM
from ...levels.floor.floor_data import parse
from ...levels.floor.functions import ActionType, Function, Trigger
from ...levels.floor.remapping import remap
from ...levels.injections.kinds import BlockId, FloorEdit, ReferenceKind, RoomEdit
from ...levels.injections.records import FLOOR_EDIT_NAMES, block_type
from ...levels.injections.rooms import SAME_GROUP, RoomEdits
from ...levels.injections.sectors import SECTOR_EDITS, SectorEdits
from ...levels.injections.sounds import sound_records
from ...levels.injections.trxj import Injection
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from .correspondence import (
    Correspondence,
    ElementNumbers,
    SameSectors,
    grid_size,
    native_sector,
    same_arrays,
    sector_index,
)
from .edits import new_items

_STATIC_MESHES = (BlockId.STATIC_MESH_EDITS, BlockId.STATIC_MESHES)
_ANIMATION_EDITS = (
    BlockId.FRAME_ROTATIONS,
    BlockId.COMMAND_COUNTS,
    BlockId.FRAME_EDITS,
    BlockId.ANIMATION_SPEEDS,
)
_ON_ITEMS = frozenset({ActionType.OBJECT, ActionType.LOOK_AT})
_ON_CAMERAS = frozenset({ActionType.CAMERA, ActionType.SINK})
_TESTS = "tests"
_WITH_REVERB, _WITH_GROUPS = 8, 10  # versions
# By type of block: the version whose readers know it.
_VERSIONS: Mapping[int, int] = {
    BlockId.PAGE_EDITS: 6,
    BlockId.SOUNDS: 6,
    BlockId.FLYBYS: 9,
    BlockId.PROPERTIES: 9,
}


class OpeningRooms(NamedTuple):
    """The rooms above and below a sector that its record can name, -1 for none."""

    room: int  #: the number of the exported room.
    place: int  #: the index of the sector in it.
    below: int
    above: int


class Followed(NamedTuple):
    """An injection after edits of its level."""

    injection: Injection  #: the new injection. It may have no blocks.
    removed: Mapping[str, int]  #: the number of removed edits by name.
    #: openings that the sectors' records can hold now, so that they need no edits.
    openings: Sequence[OpeningRooms]


def follow(
    injection: Injection,
    before: Decoded,
    after: Decoded,
    numbering: ElementNumbers,
    sectors: SectorEdits,
    rooms: RoomEdits,
    replaced: Mapping[int, list[Record]] | None = None,
) -> Followed:
    """Return the injection of an edited level.

    Args:
        injection: the injection of the original level.
        sectors: all edits of sectors of the exported rooms in it, which replace those of the injection.
        rooms: the edits of properties of the exported rooms in it, likewise.
        replaced: by type of block, all records of the edited level, which replace those of the injection.
    """
    replaced = {} if replaced is None else replaced
    follower = _Follower(before, after, numbering, sectors, rooms)
    injection = copy.deepcopy(injection)
    for type_ in replaced:
        injection.replace(type_, [])
    result = follower.follow(injection)
    for number, source in enumerate(numbering.sources):
        if source >= 0 and numbering.rooms[source] != number:
            result = _with_copy(result, injection, follower, source, number)
    _add_sectors(result.injection, after, sectors)
    _add_rooms(result.injection, rooms)
    for type_, records in replaced.items():
        result.injection.upgrade(_VERSIONS.get(type_, 0) if records else 0)
        result.injection.replace(type_, records)
    return result


def _add_rooms(injection: Injection, rooms: RoomEdits) -> None:
    records = [
        {"room": number, "x": 0, "z": 0, "edits": [edit]}
        for number, edit in rooms.items()
        if edit is not None
    ]
    if records:
        has_groups = any(edit["flip_group"] != SAME_GROUP for edit in rooms.values() if edit is not None)
        injection.upgrade(_WITH_GROUPS if has_groups else _WITH_REVERB)
        injection.replace(BlockId.FLOOR, [*injection.records(BlockId.FLOOR), *records])


def _add_sectors(injection: Injection, after: Decoded, sectors: SectorEdits) -> None:
    """Add edits of sectors. Those of whole sectors repeat the box and floor data of the level."""
    records = list(injection.records(BlockId.FLOOR))
    for number, indices in sectors.items():
        room = after.level.rooms[number]
        for index, edits in indices.items():
            x, z = divmod(index, room.z_sectors)
            for edit in edits:
                if edit["type"] == FloorEdit.SECTOR:
                    edit["floor_data"] = int(room.sectors["floor_data"][index])
                    edit["box"] = int(room.sectors["box"][index].astype(np.int16))
                records.append({"room": number, "x": x, "z": z, "edits": [edit]})
    injection.replace(BlockId.FLOOR, records)


def _with_copy(
    result: Followed, injection: Injection, follower: _Follower, source: int, number: int
) -> Followed:
    """Add the floor edits of a copied room."""
    part = Injection(injection.version, injection.kind, injection.game)
    part.replace(
        BlockId.FLOOR,
        [copy.deepcopy(each) for each in injection.records(BlockId.FLOOR) if each["room"] == source],
    )
    rooms = follower.numbering.rooms.copy()
    rooms[source] = number
    numbering = follower.numbering._replace(rooms=rooms)
    copy_follower = _Follower(follower.before, follower.after, numbering, follower.sectors, follower.rooms)
    added = copy_follower.follow(part)
    result.injection.replace(
        BlockId.FLOOR, [*result.injection.records(BlockId.FLOOR), *added.injection.records(BlockId.FLOOR)]
    )
    return result._replace(openings=[*result.openings, *added.openings])


def put_openings(level: Level, openings: Sequence[OpeningRooms]) -> None:
    """Write openings to the records of sectors."""
    for opening in openings:
        room = level.rooms[opening.room]
        room.sectors = room.sectors.copy()
        for name, number in (("room_below", opening.below), ("room_above", opening.above)):
            room.sectors[name][opening.place] = NO_ROOM if number < 0 else number


class _Follower(Correspondence):
    def __init__(
        self,
        before: Decoded,
        after: Decoded,
        numbering: ElementNumbers,
        sectors: SectorEdits,
        rooms: RoomEdits,
    ) -> None:
        super().__init__(before, after, numbering)
        self.sectors, self.rooms = sectors, rooms
        self._removed: Counter[str] = Counter()
        self._openings: list[OpeningRooms] = []

    # --- Records ---------------------------------------------------------------------------------

    def follow(self, injection: Injection) -> Followed:
        new = copy.deepcopy(injection)
        self.new_items = len(new_items(new))
        self.shows_sounds = sound_records(injection) is not None
        count = len(new.tests)
        new.tests = [test for test in new.tests if self._keeps_test(test)]
        self._removed[_TESTS] += count - len(new.tests)
        for type_ in {block.type for block in new.blocks if block.content is None}:
            records = new.records(type_)
            if type_ == BlockId.FLOOR:
                kept_records = list(self._floor_records(records))
            else:
                kept_records = [each for each in records if self._keeps(type_, each)]
                self._removed[block_type(type_).name] += len(records) - len(kept_records)
            new.replace(type_, kept_records)
        new, removed = new.renumbered(self.numbers())
        self._removed.update(removed)
        self._simplify(new)
        return Followed(new, {name: each for name, each in self._removed.items() if each}, self._openings)

    def _keeps_test(self, test: Record) -> bool:
        kind = test["type"]
        if kind == 0:
            return self._is_same_item(test["item"])
        if kind == 1:
            if test["rooms"] == len(self.before.level.rooms):
                test["rooms"] = len(self.after.level.rooms)
        elif kind == 2:
            pair = self.pair(test["room"])
            return pair is not None and grid_size(pair[0]) == grid_size(pair[1])
        return True

    def _keeps(self, type_: int, record: Record) -> bool:
        """Return whether the element of an edit is still as the edit expects it, apart from numbers."""
        if any(
            not self._has_object(record[name]) for name in ("object", "becomes", "uses") if name in record
        ):
            return False
        if type_ in (BlockId.ITEM_POSITIONS, BlockId.ITEM_FLAGS):
            return self._is_same_item(record["item"])
        if type_ == BlockId.CAMERA_EDITS:
            return self._is_same_camera(record["camera"])
        if type_ == BlockId.ROOM_EDITS:
            return self._keeps_room_edit(record)
        if type_ == BlockId.PORTAL_EDITS:
            return self._has_same_portals(record["room"], record["to_room"])
        if type_ == BlockId.MESH_EDITS:
            return all(same_arrays(self.sections(each)) for each in ("mesh_data", "mesh_pointers"))
        if type_ in _ANIMATION_EDITS:
            names = ("animations", "frames", "animation_commands")
            return all(same_arrays(self.sections(each)) for each in names)
        if type_ == BlockId.SPRITE_EDGES:
            return all(same_arrays(self.sections(each)) for each in ("sprite_textures", "sprite_sequences"))
        if type_ in _STATIC_MESHES:
            old, new = (each[each["id"] == record["id"]] for each in self.sections("static_meshes"))
            return old.tobytes() == new.tobytes()
        return True

    def _has_object(self, reference: Record) -> bool:
        """Return whether an object still exists, or never existed in the level."""
        names = {
            ReferenceKind.MODEL: ("models", "sprite_sequences"),
            ReferenceKind.STATIC_MESH: ("static_meshes",),
        }.get(reference["kind"], ())
        return all(
            (reference["id"] in old["id"]) <= (reference["id"] in new["id"])
            for old, new in map(self.sections, names)
        )

    def _is_same_item(self, number: int) -> bool:
        new = self.item(number)
        entities = self.before.level.entities
        if new is None or number >= len(entities):
            return new is not None
        before, after = entities[number].copy(), self.after.level.entities[new]
        for axis, step in zip("xyz", self.moved_by(int(before["room"])).place, strict=True):
            before[axis] += step
        before["room"] = self.room_of(int(before["room"])) or 0
        return bool(before == after)

    def _is_same_camera(self, number: int) -> bool:
        new = self.camera(number)
        if new is None:
            return False
        before, after = self.before.level.cameras[number], self.after.level.cameras[new]
        steps = self.moved_by(int(before["room"])).place
        has_moved = all(before[axis] + step == after[axis] for axis, step in zip("xyz", steps, strict=True))
        return bool(has_moved and before["flags"] == after["flags"])

    def _keeps_room_edit(self, record: Record) -> bool:
        kind = record["type"]
        if kind in (RoomEdit.NEW_STATIC_MESH, RoomEdit.NEW_VERTEX):
            return True
        rooms = [self.pair(record[name]) for name in ("room", "source_room") if name in record]
        if kind == RoomEdit.STATIC_MESH:
            steps = self.moved_by(record["room"]).place
            return all(pair is not None and _same_static_meshes(*pair, steps) for pair in rooms)
        return all(
            pair is not None
            and all(
                getattr(pair[0], name).tobytes() == getattr(pair[1], name).tobytes()
                for name in ("vertices", "quads", "triangles")
            )
            for pair in rooms
        )

    def _has_same_portals(self, room: int, to_room: int) -> bool:
        pair, new = self.pair(room), self.room_of(to_room)
        if pair is None or new is None:
            return False
        before, after = pair[0].portals, pair[1].portals
        corners = before["vertices"][before["room"] == to_room], after["vertices"][after["room"] == new]
        return bool(np.array_equal(*corners))

    # --- Floor edits -----------------------------------------------------------------------------

    def _floor_records(self, records: Sequence[Record]) -> Iterator[Record]:
        sectors = self.compare_sectors(records)
        for row, record in enumerate(records):
            number = self.room_of(record["room"])
            if number is None:
                self._removed.update(FLOOR_EDIT_NAMES[edit["type"]] for edit in record["edits"])
                continue
            replaced = SECTOR_EDITS if number in self.sectors else frozenset()
            if number in self.rooms:
                replaced |= {FloorEdit.ROOM_PROPERTIES}
            edits = []
            for edit in record["edits"]:
                if edit["type"] in replaced:
                    continue
                if self._keeps_floor_edit(record, edit, sectors, row):
                    edits.append(edit)
                else:
                    self._removed[FLOOR_EDIT_NAMES[edit["type"]]] += 1
            record["edits"] = edits
            if edits:
                yield record

    def _keeps_floor_edit(self, record: Record, edit: Record, sectors: SameSectors, number: int) -> bool:
        """Return whether an edit is not replaced by one of the level. Update the values that it repeats."""
        kind = edit["type"]
        if kind == FloorEdit.NEW_ITEM:
            return True
        if kind in _OF_ROOMS:
            pair = self.pair(record["room"])
            return pair is not None and _OF_ROOMS[kind](*pair)
        if sectors.old[number] < 0:
            return False  # the engine does not guard all of these
        if kind in _OF_SECTORS:
            return bool(getattr(sectors, _OF_SECTORS[kind])[number])
        if kind == FloorEdit.SECTOR:
            return bool(sectors.wall[number] and sectors.rooms[number]) and self._update_sector(
                edit, int(sectors.old[number]), int(sectors.new[number])
            )
        if kind == FloorEdit.ZONES:
            return bool(sectors.shape[number]) and all(
                map(same_arrays, map(self.sections, ("zones", "boxes")))
            )
        return sectors.new[number] >= 0 and self._keeps_trigger_edit(
            edit, int(sectors.old[number]), int(sectors.new[number])
        )

    def _update_sector(self, edit: Record, old: int, new: int) -> bool:
        """Give an edit of a whole sector the values of the level's, where it repeated the old ones."""
        before, after = native_sector(self.before, old), native_sector(self.after, new)
        for name, scale in (("floor", CLICK), ("ceiling", CLICK), ("box", 1), ("floor_data", 1)):
            code = np.uint16 if name == "floor_data" else np.int16
            if edit[name] in (int(before[name]) * scale, int(np.int64(before[name]).astype(code))):
                edit[name] = int(np.int64(int(after[name]) * scale).astype(code))
        if before["box"] != after["box"]:
            edit["box"] = int(np.int64(after["box"]).astype(np.int16))
        edit["floor_data"] = int(after["floor_data"])  # the engine has read the functions already
        return True

    def _keeps_trigger_edit(self, edit: Record, old: int, new: int) -> bool:
        try:
            before = [self._renumbered(each) for each in _triggers(self.before, old)]
            after = _triggers(self.after, new)
        except FormatError:
            return False
        if before != after:
            return False
        if edit["type"] == FloorEdit.PARAMETER:
            for numbers, actions in ((self.item, _ON_ITEMS), (self.camera, _ON_CAMERAS)):
                if edit["action"] in actions:
                    values = numbers(edit["old"]), numbers(edit["new"])
                    if None in values:
                        return False
                    edit["old"], edit["new"] = values
        elif edit["type"] == FloorEdit.FLOOR_DATA:
            words = self._words(edit["words"])
            if words is None:
                return False
            edit["words"] = words
        return True

    def _renumbered(self, trigger: Trigger) -> Trigger:
        """Return a trigger with new numbers, without actions on deleted elements."""
        actions = []
        for action in trigger.actions:
            parameter: int | None = action.parameter
            if action.type in _ON_ITEMS:
                parameter = self.item(action.parameter)
            elif action.type in _ON_CAMERAS:
                parameter = self.camera(action.parameter)
            if parameter is not None:
                actions.append(replace(action, parameter=parameter))
        reference = None if trigger.reference is None else self.item(trigger.reference)
        return replace(trigger, actions=tuple(actions), reference=reference)

    def _words(self, words: Sequence[int]) -> list[int] | None:
        """Return floor data with new numbers, or None if it cannot be read or nothing is left of it."""
        if not words:
            return []
        first = [np.ones((1, 1), np.uint16)]
        maps = self.item_map, self.numbering.cameras, self.numbering.rooms
        try:
            remapped = remap(parse(np.array([0, *words], np.uint16), first), first, *maps)
            data = parse(remapped.words, remapped.sectors)
        except (FormatError, ExportError):
            return None
        if not remapped.sectors[0][0, 0]:
            return None
        return [int(each) for each in data.words[data.starts[0] : data.ends[0]]]

    def _simplify(self, injection: Injection) -> None:
        """Remove edits that only open a sector to rooms that its record can name now."""
        records = injection.records(BlockId.FLOOR)
        for record in records:
            index = sector_index(self.after, record["room"], record["x"], record["z"])
            edits = []
            for edit in record["edits"]:
                if edit["type"] != FloorEdit.SECTOR or index < 0 or not self._is_native(edit, index):
                    edits.append(edit)
                    continue
                sector = index - int(self.after.grid.starts[record["room"]])
                rooms = edit["room_below"], edit["room_above"]
                self._openings.append(OpeningRooms(record["room"], sector, *rooms))
            record["edits"] = edits
        injection.replace(BlockId.FLOOR, [each for each in records if each["edits"]])

    def _is_native(self, edit: Record, index: int) -> bool:
        native = native_sector(self.after, index)
        return (
            max(edit["room_below"], edit["room_above"]) < NO_ROOM
            and edit["floor"] == int(native["floor"]) * CLICK
            and edit["ceiling"] == int(native["ceiling"]) * CLICK
            and edit["box"] & 0xFFFF == int(native["box"])
        )


_OF_ROOMS: Mapping[int, Callable[[Room, Room], bool]] = {
    FloorEdit.ROOM_PROPERTIES: lambda one, other: all(
        getattr(one, name, 0) == getattr(other, name, 0) for name in ("flags", "reverb", "alternate_group")
    ),
    FloorEdit.MOVE_ROOM: lambda one, other: (one.x, one.z) == (other.x, other.z),
    FloorEdit.GROW_ROOM: lambda one, other: grid_size(one) == grid_size(other),
}
# Fields of :class:`SameSectors`.
_OF_SECTORS: Mapping[int, str] = {
    FloorEdit.PORTALS: "rooms",
    FloorEdit.CLIMB: "marks",
    FloorEdit.SPLIT: "shape",
    FloorEdit.MINE_CART: "marks",
    FloorEdit.MATERIAL: "material",
}


def _triggers(decoded: Decoded, index: int) -> list[Trigger]:
    functions: Sequence[Function] = decoded.floor_lists.of(decoded.indices[index : index + 1])[0]
    return [each for each in functions if isinstance(each, Trigger)]


def _same_static_meshes(before: Room, after: Room, steps: tuple[int, int, int]) -> bool:
    moved, expected = before.static_meshes.copy(), after.static_meshes
    for axis, step in zip("xyz", steps, strict=True):
        moved[axis] += step
    return bool(moved.tobytes() == expected.tobytes())
