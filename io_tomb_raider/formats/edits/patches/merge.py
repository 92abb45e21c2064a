"""Application of a patch's operations to a level: its base, or another one that differs elsewhere."""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError
from ...base.messages import T, Text, about, as_message
from ...levels.level.level import Level
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ..references.references import Reference
from . import tree
from .align import Keys, mapped, row_keys
from .make import Maps, predicted, rooms_digest, short, without
from .operations import (
    DIFFERS,
    NOT_FOUND,
    TOO_LARGE,
    Conflict,
    Operation,
    PlacedOperation,
    SectionPlaces,
    checked,
    chosen_rows,
    column_type,
    count_differs,
    found_place,
    inserted_rows,
    is_instead,
    read_room,
    rectangle_of,
    row_count,
    spliced,
    subject_of,
)
from .values import Json, Reader, plain


class Merge:
    """A level to which operations are applied."""

    def __init__(self, base: Level, *, is_exact: bool, version: int = tree.VERSION) -> None:
        self.level = base
        self.is_exact = is_exact
        self._version = version
        self._decoded = Decoded(base)
        self._game = base.game
        self._left_out: dict[tuple[str, int | None, int], Text] = {}
        self._start()

    def _start(self) -> None:
        self.level = self._decoded.level.copy()  #: the result.
        self.conflicts: list[Text] = []  #: what does not fit, by object and field.
        self.done = 0  #: the number of operations that were applied.
        self._maps: Maps = {}
        self._sections: dict[str, SectionPlaces] = {}

    def apply(self, changes: list[Json]) -> None:
        """Apply all changes, and note conflicts. Raises FormatError if the patch is damaged."""
        level = self.level
        by_section: dict[str, Reader] = {}
        by_room: dict[int, dict[str, Reader]] = {}
        names = tree.sections(level, self._version)
        for number, change in enumerate(changes):
            reader = Reader(change, f"changes[{number}]")
            name = reader.text("in")
            if name == "rooms" and reader.has("room"):
                fields = by_room.setdefault(reader.number("room"), {})
                key = "whole" if reader.has("whole") else reader.text("field")
            elif name in names or (name == "rooms" and level.has("rooms")):
                fields, key = by_section, name
            else:
                raise reader.error("a section of the level", name)
            if key in fields:
                raise reader.error("one change of each section", key)
            fields[key] = reader
        while True:
            count = len(self._left_out)
            self._apply(names, by_section, {room: dict(fields) for room, fields in by_room.items()})
            if len(self._left_out) == count:
                return
            self._start()  # rows that were inserted are left out, and others may refer to them

    def _apply(
        self, names: Sequence[str], by_section: dict[str, Reader], by_room: dict[int, dict[str, Reader]]
    ) -> None:
        level = self.level
        rooms = list(level.rooms) if level.has("rooms") else []
        new_rooms = self._rooms(rooms, by_section.get("rooms"))
        placed = {
            name: self._placed(name, tree.get(level, name), by_section[name], None)
            for name in names
            if name in by_section and isinstance(tree.get(level, name), np.ndarray)
        }
        for name in names:
            self._value(level, name, name, by_section.get(name), placed.get(name, []), None)
        for number, room in enumerate(rooms):
            self._room(rooms, number, room, by_room.pop(number, {}))
        for number, changes_of_room in by_room.items():
            for reader in changes_of_room.values():
                if self.is_exact:
                    raise reader.error("a room of the level", number)
                self._conflict(T("room {number}", number=number), T("this level has no such room"))
        if level.has("rooms"):
            level.rooms = [
                rooms[each] if isinstance(each, int) else self._new_room(each) for each in new_rooms
            ]

    def _conflict(self, subject: Text, problem: Text) -> None:
        self.conflicts.append(about(subject, problem))

    def _follows(self, path: str) -> tuple[Reference, ...]:
        return tree.follows(path, self._version)

    def _without(self, rows: NDArray[Any], path: str) -> NDArray[Any]:
        return without(rows, self._follows(path), self._game)

    # --- Sections and fields ----------------------------------------

    def _value(
        self,
        owner: Level | Room,
        name: str,
        path: str,
        change: Reader | None,
        operations: Sequence[Operation],
        room: int | None,
    ) -> None:
        """Change a section or a field, and move the numbers in it."""
        old = tree.get(owner, name)
        new = predicted(old, self._follows(path), self._maps, self._decoded)
        if change is not None and isinstance(old, np.ndarray):
            new = self._array(path, old, new, change, operations, room)
        elif change is not None:
            try:
                new = self._scalar(path, old, new, change)
                self.done += 1
            except Conflict as conflict:
                self._conflict(subject_of(path, room, None), conflict.problem)
        if new is not old:
            tree.put(owner, name, new)

    def _scalar(self, path: str, old: Any, new: Any, change: Reader) -> Any:
        before, after = (checked(change, name, old) for name in ("from", "to"))
        if self.is_exact:
            return after
        for each in self._follows(path):
            before = int(self._old(each, np.array([before]), np.array([old]))[0])
            after = int(self._new(each, np.array([after]))[0])
        if old not in (before, after):
            raise Conflict(is_instead(old, before))
        return after

    def _section(self, reference: Reference) -> SectionPlaces | None:
        return self._sections.get(tree.section_of(reference.target, self.level))

    def _old(self, reference: Reference, value: NDArray[Any], current_value: NDArray[Any]) -> NDArray[Any]:
        """Return a value of the patch's base in the level, or the one found there if it may be it, (1,)."""
        section = self._section(reference)
        number = int(reference.numbers(self._game, value)[0])
        if section is None or number < 0:
            return value
        current = int(reference.numbers(self._game, current_value)[0])
        first, last = section.old_range(number)
        number = current if first <= current <= last else first
        return reference.with_numbers(self._game, value, np.array([number]))

    def _new(self, reference: Reference, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the patch's result in the result, (n,) or (n, k)."""
        section = self._section(reference)
        if section is None or not values.size:
            return values
        moves, size = self._maps[tree.section_of(reference.target, self.level)]
        numbers, inverse = np.unique(reference.numbers(self._game, values), return_inverse=True)
        forward = mapped(np.arange(size + 1), moves, size)
        new = [section.new(each, forward) for each in numbers.tolist()]
        new_numbers = np.array(new, np.int64)[inverse].reshape(values.shape)
        try:
            return reference.with_numbers(self._game, values, new_numbers, ("", TOO_LARGE))
        except ExportError:
            raise Conflict(TOO_LARGE) from None

    def _renumbered(self, rows: NDArray[Any], path: str, only: Container[str] | None = None) -> NDArray[Any]:
        """Return new rows with the numbers that they have in the result, in some columns."""
        if self.is_exact or not len(rows):
            return rows
        rows = rows.copy()
        for each in self._follows(path):
            if not each.field:
                rows = self._new(each, rows)
            elif each.field in (rows.dtype.names or ()) and (only is None or each.field in only):
                rows[each.field] = self._new(each, rows[each.field])
        return rows

    # --- Arrays ----------------------------------------

    def _placed(self, path: str, old: NDArray[Any], change: Reader, room: int | None) -> list[Operation]:
        """Return the operations of a list with their places, and note conflicts."""
        old_count = change.number("of")
        if self.is_exact and old_count != len(old):
            raise change.error(f"{len(old)} elements", old_count)
        is_movable = tree.is_movable(path, self._version) and bool(old.dtype.names)
        section = SectionPlaces(old_count, len(old), path in tree.STREAMS or is_movable)
        keys = row_keys(self._without(old, path)) if section.is_stream and not self.is_exact else None
        operations: list[Operation] = []
        end = previous_end = 0
        for number, value in enumerate(change.items("do")):
            reader = Reader(value, f"{change.place}.do[{number}]")
            start = reader.number("at", end, old_count)
            count = row_count(reader)
            end = start + count
            if end > old_count:
                raise reader.error(f"rows below {old_count}", end)
            rows = inserted_rows(reader, old) if reader.has("insert") else None
            placed = PlacedOperation(start, end, count if rows is None else len(rows), None)
            if rows is not None and len(rows) != count:
                section.placed.append(placed)
            operations.append(Operation(reader, number, start, count, rows, placed))
            try:
                if (path, room, number) in self._left_out:
                    raise Conflict(self._left_out[path, room, number])
                row = start
                if not self.is_exact:
                    row = self._place(reader, path, section, old, keys, placed, previous_end)
                    if row + count > len(old):
                        raise Conflict(count_differs(len(old), old_count))
                if rows is not None:
                    self._check_rows(reader, path, old[row : row + count])
                placed.place, previous_end = row, row + count
            except Conflict as conflict:
                self._conflict(subject_of(path, room, start), conflict.problem)
        if room is None:
            self._maps[path], self._sections[path] = (section.hunks(), len(old)), section
        return operations

    def _array(
        self,
        path: str,
        old: NDArray[Any],
        expected: NDArray[Any],
        change: Reader,
        operations: Sequence[Operation],
        room: int | None,
    ) -> NDArray[Any]:
        new = np.array(expected)
        is_longer = len(old) != change.number("of")
        pieces: list[tuple[int, int, NDArray[Any]]] = []
        for each in operations:
            row = each.placed.place
            if row is None:
                continue
            stop = row + each.count
            try:
                if each.rows is None:
                    was = old[row:stop]
                    self._edit(each.reader, path, was, expected[row:stop], new[row:stop], is_longer)
                else:
                    pieces.append((row, stop, self._renumbered(each.rows, path)))
                self.done += 1
            except Conflict as conflict:
                if each.rows is not None:
                    self._left_out[path, room, each.number] = conflict.problem
                self._conflict(subject_of(path, room, each.start), conflict.problem)
        return spliced(new, pieces)

    def _place(
        self,
        reader: Reader,
        path: str,
        section: SectionPlaces,
        old: NDArray[Any],
        keys: Keys | None,
        placed: PlacedOperation,
        previous_end: int,
    ) -> int:
        """Return where an operation's rows are in a level that is not its base."""
        start, count = placed.start, placed.stop - placed.start
        if keys is not None and path in tree.STREAMS:
            return found_place(reader, keys, start, count, section.of, previous_end)
        if section.size == section.of:
            return start
        if start == section.of and path in tree.UNREFERENCED:
            return section.size
        if keys is not None and reader.has("beside"):
            return found_place(reader, keys, start, count, section.of, previous_end)
        if keys is not None and (reader.has("row") or not reader.has("fields")):
            return self._by_content(reader, path, section, old, start, count)
        if section.size < section.of or placed.rows != count:
            raise Conflict(count_differs(section.size, section.of))
        return start

    def _by_content(
        self, reader: Reader, path: str, section: SectionPlaces, old: NDArray[Any], start: int, count: int
    ) -> int:
        """Return the only place of rows near that in the patch's base."""
        digest = reader.text("row" if reader.has("row") else "was")
        reach = abs(section.size - section.of)
        rows = self._without(old[max(start - reach, 0) : start + reach + count], path)
        equal = [row for row in range(len(rows) - count + 1) if short(rows[row : row + count]) == digest]
        if len(equal) != 1:
            raise Conflict(NOT_FOUND if equal else DIFFERS)
        return max(start - reach, 0) + equal[0]

    def _check_rows(self, reader: Reader, path: str, was: NDArray[Any]) -> None:
        """Check rows that are replaced or removed."""
        if self.is_exact or not len(was):
            return
        if reader.has("from"):
            is_same = reader.items("from") == plain(was)
        else:
            is_same = reader.text("was") == short(self._without(was, path))
        if not is_same:
            raise Conflict(DIFFERS)

    def _edit(
        self,
        reader: Reader,
        path: str,
        was: NDArray[Any],
        expected: NDArray[Any],
        new: NDArray[Any],
        is_longer: bool,
    ) -> None:
        """Edit rows in place: ``new`` is changed. A list may be longer than that of the patch's base."""
        if reader.has("set"):
            self._set(reader, path, was, new, is_longer)
        elif reader.has("add"):
            for name, by in reader.table("add").items():
                dtype = column_type(reader, was, name)
                if type(by) is not int or dtype.shape or dtype.kind not in "iu":
                    raise reader.error("an integer to add", by)
                values = [each + by for each in expected[name].tolist()]
                limits = np.iinfo(dtype)
                if any(not limits.min <= each <= limits.max for each in values):
                    raise reader.error(f"numbers of the type {dtype}", by)
                self._check(reader, self._without(was, path))
                new[name] = values
        elif reader.has("fields"):
            self._columns(reader, path, was, new)
        else:
            self._mask(reader, was, new)

    def _check(self, reader: Reader, was: NDArray[Any] | bytes) -> None:
        if not self.is_exact and reader.text("was") != short(was):
            raise Conflict(DIFFERS)

    def _set(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any], is_longer: bool) -> None:
        follows = {each.field: each for each in self._follows(path)}
        values = {}
        for name, pair in reader.table("set").items():
            dtype = column_type(reader, was, name)
            if not isinstance(pair, list) or len(pair) != 2:
                raise reader.error("the old and the new value", pair)
            before, after = (reader.numbers(each, dtype.base, dtype.shape) for each in pair)
            if not self.is_exact:
                current = was[name][0]
                if name in follows:
                    before = self._old(follows[name], before.reshape(1), current.reshape(1))[0]
                    after = self._new(follows[name], after.reshape(1))[0]
                if not np.array_equal(before, current) and not np.array_equal(after, current):
                    field_name = as_message(name.replace("_", " "))
                    texts = as_message(str(plain(current))), as_message(str(plain(before)))
                    raise Conflict(about(field_name, is_instead(*texts)))
            values[name] = after
        if is_longer and reader.text("row") != short(self._without(was, path)):
            raise Conflict(DIFFERS)  # it may be another record
        for name, value in values.items():
            new[name][0] = value

    def _columns(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any]) -> None:
        follows = {each.field for each in self._follows(path)}
        names = reader.items("fields")
        if any(not isinstance(name, str) for name in names) or len(set(names)) != len(names):
            raise reader.error("names of fields", names)
        kinds = [column_type(reader, was, name) for name in names]
        is_chosen = chosen_rows(reader, len(was))
        was, rows = was[is_chosen], np.array(new[is_chosen])
        data = reader.data("data", len(was) * sum(kind.itemsize for kind in kinds))
        contents = (np.ascontiguousarray(was[name]).tobytes() for name in names if name not in follows)
        self._check(reader, b"".join(contents))
        offset = 0
        for name, kind in zip(names, kinds, strict=True):
            size = len(was) * kind.itemsize
            rows[name] = np.frombuffer(data[offset : offset + size], kind.base).reshape(len(was), *kind.shape)
            offset += size
        renumbered = self._renumbered(rows, path, names)
        for name in names:
            new[name][is_chosen] = renumbered[name]

    def _mask(self, reader: Reader, was: NDArray[Any], new: NDArray[Any]) -> None:
        if was.dtype.names:
            raise reader.error("an operation on records", "a mask")
        if reader.has("rectangle"):
            if was.ndim < 3:
                raise reader.error("an operation on numbers", "a rectangle")
            x, y, width, height = rectangle_of(reader, was.shape[2], was.shape[1])
            was, new = (each[0, y : y + height, x : x + width] for each in (was, new))
            count, depth = width * height, was.shape[2:]
        elif was.ndim == 1:
            count, depth = len(was), ()
        else:
            raise reader.error("an operation on rows", "a mask")
        is_chosen = chosen_rows(reader, count)
        values = reader.array("data", was.dtype, (int(is_chosen.sum()), *depth))
        self._check(reader, was.reshape(count, *depth)[is_chosen])
        new[is_chosen.reshape(new.shape[: new.ndim - len(depth)])] = values

    # --- Rooms ----------------------------------------

    def _rooms(self, rooms: list[Room], change: Reader | None) -> list[int | Room]:
        """Return the rooms of the result: numbers of rooms, and new ones."""
        result: list[int | Room] = list(range(len(rooms)))
        if change is None:
            self._maps["rooms"] = [], len(rooms)
            self._sections["rooms"] = SectionPlaces(len(rooms), len(rooms), False)
            return result
        old_count = change.number("of")
        if self.is_exact and old_count != len(rooms):
            raise change.error(f"{len(rooms)} rooms", old_count)
        section, end = SectionPlaces(old_count, len(rooms), False), 0
        splices: list[tuple[int, int, list[Room]]] = []
        for number, operation in enumerate(change.items("do")):
            reader = Reader(operation, f"{change.place}.do[{number}]")
            start = reader.number("at", end, old_count)
            end = start + reader.number("remove", 0, old_count - start)
            added = [
                read_room(self.level, Reader(each, f"{reader.place}.rooms[{index}]"), "data")
                for index, each in enumerate(reader.items("rooms") if reader.has("rooms") else [])
            ]
            placed = PlacedOperation(start, end, len(added), None)
            section.placed.append(placed)
            try:
                if not self.is_exact:
                    if len(rooms) != old_count:
                        raise Conflict(count_differs(len(rooms), old_count))
                    was = rooms[start:end]
                    if was and rooms_digest(was, self._game, self._version) != reader.text("was"):
                        raise Conflict(DIFFERS)
                placed.place = start
                splices.append((start, end, added))
                self.done += 1
            except Conflict as conflict:
                self._conflict(T("room {number}", number=start), conflict.problem)
        for start, stop, added in reversed(splices):
            result[start:stop] = added
        self._maps["rooms"], self._sections["rooms"] = (section.hunks(), len(rooms)), section
        return result

    def _new_room(self, room: Room) -> Room:
        """Return a room of the patch with the indices that it has in the result."""
        if self.is_exact:
            return room
        room = room.copy()
        try:
            for name in tree.fields(room):
                value, path = tree.get(room, name), f"rooms.{name}"
                if isinstance(value, np.ndarray):
                    tree.put(room, name, self._renumbered(value, path))
                elif self._follows(path):
                    tree.put(room, name, int(self._renumbered(np.array([value]), path)[0]))
        except Conflict as conflict:
            self._conflict(T("a new room"), conflict.problem)
        return room

    def _room(self, rooms: list[Room], number: int, room: Room, changes: dict[str, Reader]) -> None:
        whole = changes.pop("whole", None)
        if whole is not None:
            if room.block is None:
                raise whole.error("a field of a room", "a whole room")
            new = read_room(self.level, whole, "whole")
            if self.is_exact or whole.text("was") == short(bytes(room.block)):
                rooms[number] = self._new_room(new)
                self.done += 1
                return
            self._conflict(T("room {number}", number=number), DIFFERS)
        rooms[number] = room = room.copy()
        for name in tree.fields(room):
            path, change, old = f"rooms.{name}", changes.pop(name, None), tree.get(room, name)
            operations: list[Operation] = []
            if change is not None and isinstance(old, np.ndarray):
                operations = self._placed(path, old, change, number)
            self._value(room, name, path, change, operations, number)
        words = changes.pop("geometry_words", None)
        if words is not None and "geometry_words" in vars(room):
            pair = checked(words, "to", room.geometry_words)
            if self.is_exact or checked(words, "from", room.geometry_words) == room.geometry_words:
                room.geometry_words = pair
        for reader in changes.values():
            raise reader.error("a field of a room", reader.value.get("field"))
