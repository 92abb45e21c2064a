"""Application of a patch's operations to a level: its base, or another one that differs elsewhere."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.errors import ExportError, FormatError
from ...base.messages import T, Text, about, as_message
from ...levels.level.level import Level, section_noun
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ..references.references import Reference
from . import tree
from .align import Hunk, Keys, mapped, row_keys, windows
from .make import BESIDE, Maps, predicted, rooms_digest, short, surroundings, without
from .values import Json, Reader, plain

_MOST_ROWS = 1 << 26
_MOST_NUMBER = 1 << 32


class Conflict(Exception):  # noqa: N818  a signal within this package, not an error
    """An operation does not fit the level, which was edited at the same place."""

    def __init__(self, problem: Text) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass
class _Placed:
    """An operation that changes the number of rows."""

    #: start, stop: the rows of the patch's base that it replaces.
    start: int
    stop: int
    rows: int  #: the number of new rows.
    place: int | None  #: its first row in the level; None if it is left out.


@dataclass
class _Section:
    """The places of a section's operations, by which indices in the patch become those of the result."""

    of: int  #: the number of rows in the patch's base.
    size: int  #: that in the level.
    is_stream: bool  #: whether rows are found by their surroundings.
    placed: list[_Placed] = field(default_factory=list)  #: operations that change the number of rows.

    def hunks(self) -> list[Hunk]:
        """Return the placed operations from the level to the result."""
        found, moved = [], 0
        for each in self.placed:
            if each.place is None:
                continue
            start, stop = each.place, each.place + each.stop - each.start
            found.append(Hunk(start, stop, start + moved, start + moved + each.rows))
            moved += each.rows - (each.stop - each.start)
        return found

    def old(self, index: int) -> int:
        """Return where a row of the patch's base is in the level."""
        first, last = self.old_range(index)
        if first != last:
            raise Conflict(T("it refers to a part that was edited in this level, too"))
        return first

    def old_range(self, index: int) -> tuple[int, int]:
        """Return the first and the last place at which a row of the patch's base may be in the level."""
        if not 0 <= index <= self.of:
            return index, index
        before = 0
        for each in self.placed:
            here = None if each.place is None else each.place - each.start
            if index < each.start:
                return self._between(index, before, here)
            if here is None:
                raise Conflict(_LEFT_OUT)
            before = here
            if index < each.stop:
                return index + before, index + before
        return self._between(index, before, self.size - self.of)

    def _between(self, index: int, before: int, after: int | None) -> tuple[int, int]:
        if not self.is_stream or not index:  # the first word stands for none
            after = before
        if after is None:
            raise Conflict(_LEFT_OUT)
        return index + min(before, after), index + max(before, after)

    def new(self, index: int, forward: NDArray[np.int64]) -> int:
        """Return where a row of the patch's result is in the result, given where those of the level are."""
        if index < 0:
            return index
        moved = 0  # by operations before, within the patch
        moved_here = 0
        for each in self.placed:
            if index < each.start + moved:
                break
            if index < each.start + moved + each.rows:
                if each.place is None:
                    raise Conflict(_LEFT_OUT)
                return each.place + moved_here + index - (each.start + moved)
            more = each.rows - (each.stop - each.start)
            moved += more
            moved_here += 0 if each.place is None else more
        if index - moved > self.of:
            return index
        place = self.old(index - moved)
        return int(forward[place]) if place < len(forward) else place


_LEFT_OUT = T("it refers to a change that conflicts")


@dataclass
class _Operation:
    """An operation of a list, and its place in the level."""

    reader: Reader  #: the operation.
    number: int  #: its number in the list of operations.
    start: int  #: its first row in the patch's base.
    count: int  #: the number of its rows there.
    rows: NDArray[Any] | None  #: the rows that replace them; None if they are edited in place.
    placed: _Placed  #: its first row in the level; None if it is left out.


class Merge:
    """A level to which operations are applied.

    Attributes:
        level: the result.
        conflicts: what does not fit, by object and field.
        done: the number of operations that were applied.
    """

    def __init__(self, base: Level, *, is_exact: bool, version: int = tree.VERSION) -> None:
        self.level = base
        self.is_exact = is_exact
        self._version = version
        self._decoded = Decoded(base)
        self._game = base.game
        self._left_out: dict[tuple[str, int | None, int], Text] = {}
        self._start()

    def _start(self) -> None:
        self.level = self._decoded.level.copy()
        self.conflicts: list[Text] = []
        self.done = 0
        self._maps: Maps = {}
        self._sections: dict[str, _Section] = {}

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
        made = self._rooms(rooms, by_section.get("rooms"))
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
            level.rooms = [rooms[each] if isinstance(each, int) else self._new_room(each) for each in made]

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
        operations: Sequence[_Operation],
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
                self._conflict(_subject(path, room, None), conflict.problem)
        if new is not old:
            tree.put(owner, name, new)

    def _scalar(self, path: str, old: Any, new: Any, change: Reader) -> Any:
        before, after = (_checked(change, name, old) for name in ("from", "to"))
        if self.is_exact:
            return after
        for each in self._follows(path):
            before = int(self._old(each, np.array([before]), np.array([old]))[0])
            after = int(self._new(each, np.array([after]))[0])
        if old not in (before, after):
            raise Conflict(_is(old, before))
        return after

    def _section(self, reference: Reference) -> _Section | None:
        return self._sections.get(tree.section_of(reference.target, self.level))

    def _old(self, reference: Reference, value: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
        """Return a value of the patch's base in the level, or the one found there if it may be it, (1,)."""
        section = self._section(reference)
        number = int(reference.numbers(self._game, value)[0])
        if section is None or number < 0:
            return value
        here = int(reference.numbers(self._game, found)[0])
        first, last = section.old_range(number)
        return reference.with_numbers(self._game, value, np.array([here if first <= here <= last else first]))

    def _new(self, reference: Reference, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the patch's result in the result, (n,) or (n, k)."""
        section = self._section(reference)
        if section is None or not values.size:
            return values
        moves, size = self._maps[tree.section_of(reference.target, self.level)]
        numbers, places = np.unique(reference.numbers(self._game, values), return_inverse=True)
        forward = mapped(np.arange(size + 1), moves, size)
        new = [section.new(each, forward) for each in numbers.tolist()]
        new_numbers = np.array(new, np.int64)[places].reshape(values.shape)
        try:
            return reference.with_numbers(self._game, values, new_numbers, ("", _TOO_LARGE))
        except ExportError:
            raise Conflict(_TOO_LARGE) from None

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

    def _placed(self, path: str, old: NDArray[Any], change: Reader, room: int | None) -> list[_Operation]:
        """Return the operations of a list with their places, and note conflicts."""
        of = change.number("of")
        if self.is_exact and of != len(old):
            raise change.error(f"{len(old)} elements", of)
        is_movable = tree.is_movable(path, self._version) and bool(old.dtype.names)
        section = _Section(of, len(old), path in tree.STREAMS or is_movable)
        keys = row_keys(self._without(old, path)) if section.is_stream and not self.is_exact else None
        operations: list[_Operation] = []
        end = behind = 0
        for number, value in enumerate(change.items("do")):
            reader = Reader(value, f"{change.place}.do[{number}]")
            start = reader.number("at", end, of)
            count = _count(reader)
            end = start + count
            if end > of:
                raise reader.error(f"rows below {of}", end)
            rows = _inserted(reader, old) if reader.has("insert") else None
            placed = _Placed(start, end, count if rows is None else len(rows), None)
            if rows is not None and len(rows) != count:
                section.placed.append(placed)
            operations.append(_Operation(reader, number, start, count, rows, placed))
            try:
                if (path, room, number) in self._left_out:
                    raise Conflict(self._left_out[path, room, number])
                place = (
                    start if self.is_exact else self._place(reader, path, section, old, keys, placed, behind)
                )
                if not self.is_exact and place + count > len(old):
                    raise Conflict(_count_differs(len(old), of))
                if rows is not None:
                    self._check_rows(reader, path, old[place : place + count])
                placed.place, behind = place, place + count
            except Conflict as conflict:
                self._conflict(_subject(path, room, start), conflict.problem)
        if room is None:
            self._maps[path], self._sections[path] = (section.hunks(), len(old)), section
        return operations

    def _array(
        self,
        path: str,
        old: NDArray[Any],
        expected: NDArray[Any],
        change: Reader,
        operations: Sequence[_Operation],
        room: int | None,
    ) -> NDArray[Any]:
        new = np.array(expected)
        is_longer = len(old) != change.number("of")
        pieces: list[tuple[int, int, NDArray[Any]]] = []
        for each in operations:
            place = each.placed.place
            if place is None:
                continue
            stop = place + each.count
            try:
                if each.rows is None:
                    was = old[place:stop]
                    self._edit(each.reader, path, was, expected[place:stop], new[place:stop], is_longer)
                else:
                    pieces.append((place, stop, self._renumbered(each.rows, path)))
                self.done += 1
            except Conflict as conflict:
                if each.rows is not None:
                    self._left_out[path, room, each.number] = conflict.problem
                self._conflict(_subject(path, room, each.start), conflict.problem)
        return _spliced(new, pieces)

    def _place(
        self,
        reader: Reader,
        path: str,
        section: _Section,
        old: NDArray[Any],
        keys: Keys | None,
        placed: _Placed,
        behind: int,
    ) -> int:
        """Return where an operation's rows are in a level that is not its base."""
        start, count = placed.start, placed.stop - placed.start
        if keys is not None and path in tree.STREAMS:
            return _found(reader, keys, start, count, section.of, behind)
        if section.size == section.of:
            return start
        if start == section.of and path in tree.UNREFERENCED:
            return section.size
        if keys is not None and reader.has("beside"):
            return _found(reader, keys, start, count, section.of, behind)
        if keys is not None and (reader.has("row") or not reader.has("fields")):
            return self._by_content(reader, path, section, old, start, count)
        if section.size < section.of or placed.rows != count:
            raise Conflict(_count_differs(section.size, section.of))
        return start

    def _by_content(
        self, reader: Reader, path: str, section: _Section, old: NDArray[Any], start: int, count: int
    ) -> int:
        """Return the only place of rows near that in the patch's base."""
        wanted = reader.text("row" if reader.has("row") else "was")
        far = abs(section.size - section.of)
        rows = self._without(old[max(start - far, 0) : start + far + count], path)
        found = [at for at in range(len(rows) - count + 1) if short(rows[at : at + count]) == wanted]
        if len(found) != 1:
            raise Conflict(_NOT_FOUND if found else _DIFFERS)
        return max(start - far, 0) + found[0]

    def _check_rows(self, reader: Reader, path: str, was: NDArray[Any]) -> None:
        """Check rows that are replaced or removed."""
        if self.is_exact or not len(was):
            return
        if reader.has("from"):
            if reader.items("from") != plain(was):
                raise Conflict(_DIFFERS)
        elif reader.text("was") != short(self._without(was, path)):
            raise Conflict(_DIFFERS)

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
                dtype = _column(reader, was, name)
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
            raise Conflict(_DIFFERS)

    def _set(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any], is_longer: bool) -> None:
        follows = {each.field: each for each in self._follows(path)}
        values = {}
        for name, pair in reader.table("set").items():
            dtype = _column(reader, was, name)
            if not isinstance(pair, list) or len(pair) != 2:
                raise reader.error("the old and the new value", pair)
            before, after = (reader.numbers(each, dtype.base, dtype.shape) for each in pair)
            if not self.is_exact:
                found = was[name][0]
                if name in follows:
                    before = self._old(follows[name], before.reshape(1), found.reshape(1))[0]
                    after = self._new(follows[name], after.reshape(1))[0]
                if not np.array_equal(before, found) and not np.array_equal(after, found):
                    field_name = as_message(name.replace("_", " "))
                    shown = as_message(str(plain(found))), as_message(str(plain(before)))
                    raise Conflict(about(field_name, _is(*shown)))
            values[name] = after
        if is_longer and reader.text("row") != short(self._without(was, path)):
            raise Conflict(_DIFFERS)  # it may be another record
        for name, value in values.items():
            new[name][0] = value

    def _columns(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any]) -> None:
        follows = {each.field for each in self._follows(path)}
        names = reader.items("fields")
        if any(not isinstance(name, str) for name in names) or len(set(names)) != len(names):
            raise reader.error("names of fields", names)
        kinds = [_column(reader, was, name) for name in names]
        chosen = _chosen(reader, len(was))
        was, made = was[chosen], np.array(new[chosen])
        data = reader.data("data", len(was) * sum(kind.itemsize for kind in kinds))
        checked = (np.ascontiguousarray(was[name]).tobytes() for name in names if name not in follows)
        self._check(reader, b"".join(checked))
        offset = 0
        for name, kind in zip(names, kinds, strict=True):
            size = len(was) * kind.itemsize
            made[name] = np.frombuffer(data[offset : offset + size], kind.base).reshape(len(was), *kind.shape)
            offset += size
        renumbered = self._renumbered(made, path, names)
        for name in names:
            new[name][chosen] = renumbered[name]

    def _mask(self, reader: Reader, was: NDArray[Any], new: NDArray[Any]) -> None:
        if was.dtype.names:
            raise reader.error("an operation on records", "a mask")
        if reader.has("rectangle"):
            if was.ndim < 3:
                raise reader.error("an operation on numbers", "a rectangle")
            x, y, width, height = _rectangle(reader, was.shape[2], was.shape[1])
            was, new = (each[0, y : y + height, x : x + width] for each in (was, new))
            count, depth = width * height, was.shape[2:]
        elif was.ndim == 1:
            count, depth = len(was), ()
        else:
            raise reader.error("an operation on rows", "a mask")
        chosen = _chosen(reader, count)
        values = reader.array("data", was.dtype, (int(chosen.sum()), *depth))
        self._check(reader, was.reshape(count, *depth)[chosen])
        new[chosen.reshape(new.shape[: new.ndim - len(depth)])] = values

    # --- Rooms ----------------------------------------

    def _rooms(self, rooms: list[Room], change: Reader | None) -> list[int | Room]:
        """Return the rooms of the result: numbers of rooms, and new ones."""
        made: list[int | Room] = list(range(len(rooms)))
        if change is None:
            self._maps["rooms"], self._sections["rooms"] = (
                ([], len(rooms)),
                _Section(len(rooms), len(rooms), False),
            )
            return made
        of = change.number("of")
        if self.is_exact and of != len(rooms):
            raise change.error(f"{len(rooms)} rooms", of)
        section = _Section(of, len(rooms), False)
        end = 0
        splices: list[tuple[int, int, list[Room]]] = []
        for number, operation in enumerate(change.items("do")):
            reader = Reader(operation, f"{change.place}.do[{number}]")
            start = reader.number("at", end, of)
            end = start + reader.number("remove", 0, of - start)
            added = [
                self._read_room(Reader(each, f"{reader.place}.rooms[{index}]"), "data")
                for index, each in enumerate(reader.items("rooms") if reader.has("rooms") else [])
            ]
            placed = _Placed(start, end, len(added), None)
            section.placed.append(placed)
            try:
                if not self.is_exact:
                    if len(rooms) != of:
                        raise Conflict(_count_differs(len(rooms), of))
                    if end > start and rooms_digest(
                        rooms[start:end], self._game, self._version
                    ) != reader.text("was"):
                        raise Conflict(_DIFFERS)
                placed.place = start
                splices.append((start, end, added))
                self.done += 1
            except Conflict as conflict:
                self._conflict(T("room {number}", number=start), conflict.problem)
        for start, stop, added in reversed(splices):
            made[start:stop] = added
        self._maps["rooms"], self._sections["rooms"] = (section.hunks(), len(rooms)), section
        return made

    def _read_room(self, reader: Reader, name: str) -> Room:
        try:
            return tree.read_room(self.level, reader.data(name, reader.number("size")))
        except FormatError as error:
            raise FormatError(reader.place, error.expected, error.found) from None

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
            new = self._read_room(whole, "whole")
            if self.is_exact or whole.text("was") == short(bytes(room.block)):
                rooms[number] = self._new_room(new)
                self.done += 1
                return
            self._conflict(T("room {number}", number=number), _DIFFERS)
        rooms[number] = room = room.copy()
        for name in tree.fields(room):
            path, change, old = f"rooms.{name}", changes.pop(name, None), tree.get(room, name)
            operations: list[_Operation] = []
            if change is not None and isinstance(old, np.ndarray):
                operations = self._placed(path, old, change, number)
            self._value(room, name, path, change, operations, number)
        words = changes.pop("geometry_words", None)
        if words is not None and "geometry_words" in vars(room):
            pair = _checked(words, "to", room.geometry_words)
            if self.is_exact or _checked(words, "from", room.geometry_words) == room.geometry_words:
                room.geometry_words = pair
        for reader in changes.values():
            raise reader.error("a field of a room", reader.value.get("field"))


_DIFFERS = T("it was edited in this level, too")
_NOT_FOUND = T("its place was not found in this level")
_TOO_LARGE = T("its number is too large for this level")


def _count_differs(found: int, expected: int) -> Text:
    return T("this level has {count} of them, the patch is for {expected}", count=found, expected=expected)


def _is(found: Any, expected: Any) -> Text:
    return T(
        "it is {found} in this level, the patch expects {expected}", found=str(found), expected=str(expected)
    )


def _subject(path: str, room: int | None, row: int | None) -> Text:
    section = path.removeprefix("rooms.")
    noun = section_noun(section, 2 if row is None else 1)
    part = noun if row is None else T("{section} {row}", section=noun, row=row)
    return part if room is None else T("room {number}, {part}", number=room, part=part)


def _checked(change: Reader, name: str, like: Any) -> Any:
    """Return a value of the type of another one: a number, a switch, or a pair of numbers."""
    found = change.value.get(name)
    if isinstance(like, tuple):
        if isinstance(found, list) and len(found) == len(like) and all(map(_is_unsigned, found)):
            return tuple(found)
    elif isinstance(like, bool):
        if isinstance(found, bool):
            return found
    elif (type(found) is int and abs(found) < _MOST_NUMBER) or (
        found is None and change.text("in") == "ends_at"
    ):
        return found
    raise change.error(f"a value ({name})", found)


def _is_unsigned(value: Json) -> bool:
    return type(value) is int and 0 <= value < _MOST_NUMBER


def _count(reader: Reader) -> int:
    """Return the number of old rows that an operation covers."""
    if reader.has("insert"):
        return reader.number("remove")
    return reader.number("count") if reader.has("count") else 1


def _inserted(reader: Reader, like: NDArray[Any]) -> NDArray[Any]:
    count = reader.number("insert", 0, _MOST_ROWS)
    shape = (count, *like.shape[1:])
    if not count:
        return np.zeros(shape, like.dtype)
    if reader.has("data"):
        return reader.array("data", like.dtype, shape)
    if not like.dtype.names:
        return reader.numbers(reader.value.get("rows"), like.dtype, shape)
    rows = reader.items("rows")
    if len(rows) != count:
        raise reader.error(f"{count} rows", len(rows))
    made = np.zeros(count, like.dtype)
    for index, row in enumerate(rows):
        record = Reader(row, f"{reader.place}.rows[{index}]")
        if record.value.keys() != set(like.dtype.names):
            raise record.error(f"the fields {', '.join(like.dtype.names)}", sorted(record.value))
        for name in like.dtype.names:
            kind = like.dtype[name]
            made[name][index] = record.numbers(record.value[name], kind.base, kind.shape)
    return made


def _column(reader: Reader, rows: NDArray[Any], name: str) -> np.dtype:
    if name not in (rows.dtype.names or ()):
        raise reader.error("a field of the record", name)
    found: np.dtype = rows.dtype[name]
    return found


def _chosen(reader: Reader, count: int) -> NDArray[np.bool_]:
    """Return which elements an operation changes, (count,)."""
    if not reader.has("mask"):
        return np.ones(count, bool)
    bits = np.frombuffer(reader.data("mask", -(-count // 8)), np.uint8)
    return np.unpackbits(bits, count=count).astype(bool)


def _rectangle(reader: Reader, width: int, height: int) -> tuple[int, int, int, int]:
    found = reader.items("rectangle")
    if len(found) != 4 or any(type(each) is not int or each < 0 for each in found):
        raise reader.error("x, y, width and height", found)
    if found[0] + found[2] > width or found[1] + found[3] > height:
        raise reader.error("a rectangle within the page", found)
    return found[0], found[1], found[2], found[3]


def _found(reader: Reader, keys: Keys, start: int, count: int, of: int, behind: int) -> int:
    """Return the place of an operation on plain numbers, found by the numbers before and after it."""
    beside = reader.items("beside")
    if len(beside) != 2 or any(not isinstance(each, str) for each in beside):
        raise reader.error("keys of the numbers before and after", beside)
    here = start <= len(keys) - count and list(surroundings(keys, start, start + count)) == beside
    if here and len(keys) == of and start >= behind:
        return start
    try:
        wanted = np.array([int(each or "0", 16) for each in beside], np.uint64)
    except (ValueError, OverflowError):
        raise reader.error("keys of the numbers before and after", beside) from None
    before, after = min(BESIDE, start), min(BESIDE, of - start - count)
    places = np.arange(before, len(keys) - count - after + 1)
    if before:
        places = places[windows(keys, before)[places - before] == wanted[0]]
    if after and len(places):
        places = places[windows(keys, after)[places + count] == wanted[1]]
    places = places[places >= behind]
    if len(places) != 1:
        raise Conflict(_NOT_FOUND)
    return int(places[0])


def _spliced(array: NDArray[Any], pieces: list[tuple[int, int, NDArray[Any]]]) -> NDArray[Any]:
    """Return an array with rows replaced, ascending."""
    if not pieces:
        return array
    made, end = [], 0
    for start, stop, rows in pieces:
        made += [array[end:start], rows]
        end = stop
    return np.concatenate([*made, array[end:]])
