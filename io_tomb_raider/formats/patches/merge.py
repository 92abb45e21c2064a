"""Application of a patch's operations to a level: its base, or another one that differs elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.messages import T, Text, about, as_message
from ..errors import FormatError
from ..level.level import Level, section_noun
from ..rooms.rooms import Room
from . import tree
from .align import Hunk, Keys, row_keys, windows
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
    """An operation that changes the number of rows.

    Attributes:
        start, stop: the rows of the patch's base that it replaces.
        rows: the number of new rows.
        place: its first row in the level; None if it is left out.
    """

    start: int
    stop: int
    rows: int
    place: int | None


@dataclass
class _Section:
    """The places of a section's operations, by which indices in the patch become those of the result.

    Attributes:
        of: the number of rows in the patch's base.
        size: that in the level.
        is_stream: whether rows are found by their surroundings.
        placed: operations that change the number of rows.
    """

    of: int
    size: int
    is_stream: bool
    placed: list[_Placed] = field(default_factory=list)

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

    def new(self, index: int, forward: Callable[[int], int]) -> int:
        """Return where a row of the patch's result is in the result."""
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
        return forward(self.old(index - moved))


_LEFT_OUT = T("it refers to a change that conflicts")


class Merge:
    """A level to which operations are applied.

    Attributes:
        level: the result.
        conflicts: what does not fit, by object and field.
        done: the number of operations that were applied.
    """

    def __init__(self, base: Level, *, is_exact: bool) -> None:
        self.level = base.copy()
        self.is_exact = is_exact
        self.conflicts: list[Text] = []
        self.done = 0
        self._maps: Maps = {}
        self._sections: dict[str, _Section] = {}

    def apply(self, changes: list[Json]) -> None:
        """Apply all changes, and note conflicts.

        Raises:
            FormatError: if the patch is damaged.
        """
        level = self.level
        by_section: dict[str, Reader] = {}
        by_room: dict[int, dict[str, Reader]] = {}
        names = tree.sections(level)
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
        rooms = list(level.rooms) if level.has("rooms") else []
        made = self._rooms(rooms, by_section.pop("rooms", None))
        for name in names:
            self._value(level, name, name, by_section.get(name), None)
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

    # --- Sections and fields ----------------------------------------

    def _value(
        self, owner: Level | Room, name: str, path: str, change: Reader | None, room: int | None
    ) -> None:
        """Change a section or a field, and move the indices in it."""
        old = tree.get(owner, name)
        follows = tree.FOLLOWS.get(path, {})
        new = predicted(old, follows, self._maps)
        if change is not None and isinstance(old, np.ndarray):
            new = self._array(path, old, new, change, room)
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
        follows = tree.FOLLOWS.get(path, {})
        if self.is_exact:
            return after
        for target, _ in follows.values():
            before, after = self._old(target, before, 1, old), self._new(target, after, 1)
        if old not in (before, after):
            raise Conflict(_is(old, before))
        return after

    def _old(self, target: str, index: int, unit: int, found: int) -> int:
        """Return an index of the patch's base in the level, or the one found there if it may be it."""
        section = self._sections.get(target)
        if section is None or index < 0:
            return index
        row, rest = divmod(index, unit)
        first, last = (each * unit + rest for each in section.old_range(row))
        return found if first <= found <= last else first

    def _new(self, target: str, index: int, unit: int) -> int:
        section = self._sections.get(target)
        if section is None or index < 0:
            return index
        moves, size = self._maps[target]

        def forward(row: int) -> int:
            return int(predicted(row, {"": ("target", 1)}, {"target": (moves, size)}))

        row, rest = divmod(index, unit)
        return section.new(row, forward) * unit + rest

    def _renumbered(self, rows: NDArray[Any], path: str, only: Container[str] | None = None) -> NDArray[Any]:
        """Return new rows with the indices that they have in the result, in some columns."""
        follows = tree.FOLLOWS.get(path, {})
        if self.is_exact or not follows or not len(rows):
            return rows
        rows = rows.copy()
        for column, (target, unit) in follows.items():
            if column and (
                column not in (rows.dtype.names or ()) or (only is not None and column not in only)
            ):
                continue
            values = rows[column] if column else rows
            limits = np.iinfo(values.dtype)
            found = [self._new(target, each, unit) for each in values.tolist()]
            if any(not limits.min <= each <= limits.max for each in found):
                raise Conflict(T("its number is too large for this level"))
            values[:] = found
        return rows

    # --- Arrays ----------------------------------------

    def _array(
        self, path: str, old: NDArray[Any], expected: NDArray[Any], change: Reader, room: int | None
    ) -> NDArray[Any]:
        of = change.number("of")
        if self.is_exact and of != len(old):
            raise change.error(f"{len(old)} elements", of)
        section = _Section(of, len(old), path in tree.STREAMS)
        new = np.array(expected)
        pieces: list[tuple[int, int, NDArray[Any]]] = []
        keys = row_keys(old) if section.is_stream and not self.is_exact else None
        end = behind = 0
        for number, operation in enumerate(change.items("do")):
            reader = Reader(operation, f"{change.place}.do[{number}]")
            start = reader.number("at", end, of)
            count = _count(reader)
            end = start + count
            if end > of:
                raise reader.error(f"rows below {of}", end)
            splices = reader.has("insert")
            rows = _inserted(reader, old) if splices else None
            placed = _Placed(start, end, count if rows is None else len(rows), None)
            if rows is not None and len(rows) != count:
                section.placed.append(placed)
            try:
                place = start if self.is_exact else self._place(reader, path, section, keys, placed, behind)
                if not self.is_exact and place + count > len(old):
                    raise Conflict(_count_differs(len(old), of))
                was = old[place : place + count]
                if rows is None:
                    stop = place + count
                    self._edit(reader, path, was, expected[place:stop], new[place:stop], len(old) != of)
                else:
                    self._check_rows(reader, path, was)
                    pieces.append((place, place + count, self._renumbered(rows, path)))
                placed.place, behind = place, place + count
                self.done += 1
            except Conflict as conflict:
                self._conflict(_subject(path, room, start), conflict.problem)
        if room is None:
            self._maps[path], self._sections[path] = (section.hunks(), len(old)), section
        return _spliced(new, pieces)

    def _place(
        self, reader: Reader, path: str, section: _Section, keys: Keys | None, placed: _Placed, behind: int
    ) -> int:
        """Return where an operation's rows are in a level that is not its base."""
        start, count = placed.start, placed.stop - placed.start
        if keys is not None:
            return _found(reader, keys, start, count, section.of, behind)
        if section.size == section.of:
            return start
        if start == section.of and path in tree.UNREFERENCED:
            return section.size
        if section.size < section.of or placed.rows != count:
            raise Conflict(_count_differs(section.size, section.of))
        return start

    def _check_rows(self, reader: Reader, path: str, was: NDArray[Any]) -> None:
        """Check rows that are replaced or removed."""
        if self.is_exact or not len(was):
            return
        if reader.has("from"):
            if reader.items("from") != plain(was):
                raise Conflict(_DIFFERS)
        elif reader.text("was") != short(without(was, tree.FOLLOWS.get(path, {}))):
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
        follows = tree.FOLLOWS.get(path, {})
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
                self._check(reader, without(was, follows))
                new[name] = values
        elif reader.has("fields"):
            self._columns(reader, path, was, new)
        else:
            self._mask(reader, was, new)

    def _check(self, reader: Reader, was: NDArray[Any] | bytes) -> None:
        if not self.is_exact and reader.text("was") != short(was):
            raise Conflict(_DIFFERS)

    def _set(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any], is_longer: bool) -> None:
        follows = tree.FOLLOWS.get(path, {})
        values = {}
        for name, pair in reader.table("set").items():
            dtype = _column(reader, was, name)
            if not isinstance(pair, list) or len(pair) != 2:
                raise reader.error("the old and the new value", pair)
            before, after = (reader.numbers(each, dtype.base, dtype.shape) for each in pair)
            if not self.is_exact:
                found = was[name][0]
                if name in follows:
                    target, unit = follows[name]
                    before = np.asarray(self._old(target, int(before), unit, int(found)))
                    after = np.asarray(self._new(target, int(after), unit))
                if not np.array_equal(before, found) and not np.array_equal(after, found):
                    field_name = as_message(name.replace("_", " "))
                    shown = as_message(str(plain(found))), as_message(str(plain(before)))
                    raise Conflict(about(field_name, _is(*shown)))
            values[name] = after
        if is_longer and reader.text("row") != short(without(was, follows)):
            raise Conflict(_DIFFERS)  # it may be another record
        for name, value in values.items():
            new[name][0] = value

    def _columns(self, reader: Reader, path: str, was: NDArray[Any], new: NDArray[Any]) -> None:
        follows = tree.FOLLOWS.get(path, {})
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
                    if end > start and rooms_digest(rooms[start:end]) != reader.text("was"):
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
            for name in ("portals", "sectors"):
                setattr(room, name, self._renumbered(getattr(room, name), f"rooms.{name}"))
            room.alternate_room = self._new("rooms", room.alternate_room, 1)
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
            self._value(room, name, f"rooms.{name}", changes.pop(name, None), number)
        words = changes.pop("geometry_words", None)
        if words is not None and "geometry_words" in vars(room):
            pair = _checked(words, "to", room.geometry_words)
            if self.is_exact or _checked(words, "from", room.geometry_words) == room.geometry_words:
                room.geometry_words = pair
        for reader in changes.values():
            raise reader.error("a field of a room", reader.value.get("field"))


_DIFFERS = T("it was edited in this level, too")


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
        raise Conflict(T("its place was not found in this level"))
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
