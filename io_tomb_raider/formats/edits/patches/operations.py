"""Operations of patches: what they replace, and their places in a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.errors import FormatError
from ...base.messages import T, Text
from ...levels.level.level import Level, section_noun
from ...levels.rooms.rooms import Room
from . import tree
from .align import Hunk, Keys, windows
from .make import BESIDE, surroundings
from .values import Json, Reader

_MOST_ROWS = 1 << 26
_MOST_NUMBER = 1 << 32
DIFFERS = T("it was edited in this level, too")
NOT_FOUND = T("its place was not found in this level")
TOO_LARGE = T("its number is too large for this level")
_LEFT_OUT = T("it refers to a change that conflicts")


class Conflict(Exception):  # noqa: N818  a signal within this package, not an error
    """An operation does not fit the level, which was edited at the same place."""

    def __init__(self, problem: Text) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass
class PlacedOperation:
    """An operation that changes the number of rows."""

    #: start, stop: the rows of the patch's base that it replaces.
    start: int
    stop: int
    rows: int  #: the number of new rows.
    place: int | None  #: its first row in the level; None if it is left out.


@dataclass
class SectionPlaces:
    """The places of a section's operations, by which indices in the patch become those of the result."""

    of: int  #: the number of rows in the patch's base.
    size: int  #: that in the level.
    is_stream: bool  #: whether rows are found by their surroundings.
    placed: list[PlacedOperation] = field(default_factory=list)  #: operations that change the number of rows.

    def hunks(self) -> list[Hunk]:
        """Return the placed operations from the level to the result."""
        result, shift = [], 0
        for each in self.placed:
            if each.place is None:
                continue
            start, stop = each.place, each.place + each.stop - each.start
            result.append(Hunk(start, stop, start + shift, start + shift + each.rows))
            shift += each.rows - (each.stop - each.start)
        return result

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
        shift = 0
        for each in self.placed:
            next_shift = None if each.place is None else each.place - each.start
            if index < each.start:
                return self._between(index, shift, next_shift)
            if next_shift is None:
                raise Conflict(_LEFT_OUT)
            shift = next_shift
            if index < each.stop:
                return index + shift, index + shift
        return self._between(index, shift, self.size - self.of)

    def _between(self, index: int, low: int, high: int | None) -> tuple[int, int]:
        if not self.is_stream or not index:  # the first word stands for none
            high = low
        if high is None:
            raise Conflict(_LEFT_OUT)
        return index + min(low, high), index + max(low, high)

    def new(self, index: int, forward: Ints) -> int:
        """Return where a row of the patch's result is in the result, given where those of the level are."""
        if index < 0:
            return index
        shift = 0  # by operations before, within the patch
        shift_in_level = 0
        for each in self.placed:
            if index < each.start + shift:
                break
            if index < each.start + shift + each.rows:
                if each.place is None:
                    raise Conflict(_LEFT_OUT)
                return each.place + shift_in_level + index - (each.start + shift)
            growth = each.rows - (each.stop - each.start)
            shift += growth
            shift_in_level += 0 if each.place is None else growth
        if index - shift > self.of:
            return index
        row = self.old(index - shift)
        return int(forward[row]) if row < len(forward) else row


@dataclass
class Operation:
    """An operation of a list, and its place in the level."""

    reader: Reader  #: the operation.
    number: int  #: its number in the list of operations.
    start: int  #: its first row in the patch's base.
    count: int  #: the number of its rows there.
    rows: NDArray[Any] | None  #: the rows that replace them; None if they are edited in place.
    placed: PlacedOperation  #: its first row in the level; None if it is left out.


def checked(change: Reader, name: str, like: Any) -> Any:
    """Return a value of the type of another one: a number, a switch, or a pair of numbers."""
    result = change.value.get(name)
    if isinstance(like, tuple):
        if isinstance(result, list) and len(result) == len(like) and all(map(_is_unsigned, result)):
            return tuple(result)
    elif isinstance(like, bool):
        if isinstance(result, bool):
            return result
    elif (type(result) is int and abs(result) < _MOST_NUMBER) or (
        result is None and change.text("in") == "ends_at"
    ):
        return result
    raise change.error(f"a value ({name})", result)


def _is_unsigned(value: Json) -> bool:
    return type(value) is int and 0 <= value < _MOST_NUMBER


def row_count(reader: Reader) -> int:
    """Return the number of old rows that an operation covers."""
    if reader.has("insert"):
        return reader.number("remove")
    return reader.number("count") if reader.has("count") else 1


def inserted_rows(reader: Reader, like: NDArray[Any]) -> NDArray[Any]:
    """Return the new rows of an operation."""
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
    result = np.zeros(count, like.dtype)
    for index, row in enumerate(rows):
        record = Reader(row, f"{reader.place}.rows[{index}]")
        if record.value.keys() != set(like.dtype.names):
            raise record.error(f"the fields {', '.join(like.dtype.names)}", sorted(record.value))
        for name in like.dtype.names:
            kind = like.dtype[name]
            result[name][index] = record.numbers(record.value[name], kind.base, kind.shape)
    return result


def column_type(reader: Reader, rows: NDArray[Any], name: str) -> np.dtype:
    """Return the type of a field of records."""
    if name not in (rows.dtype.names or ()):
        raise reader.error("a field of the record", name)
    result: np.dtype = rows.dtype[name]
    return result


def chosen_rows(reader: Reader, count: int) -> Bools:
    """Return which elements an operation changes, (count,)."""
    if not reader.has("mask"):
        return np.ones(count, bool)
    bits = np.frombuffer(reader.data("mask", -(-count // 8)), np.uint8)
    return np.unpackbits(bits, count=count).astype(bool)


def rectangle_of(reader: Reader, width: int, height: int) -> tuple[int, int, int, int]:
    """Return x, y, width and height of the part of a page that an operation changes."""
    rectangle = reader.items("rectangle")
    if len(rectangle) != 4 or any(type(each) is not int or each < 0 for each in rectangle):
        raise reader.error("x, y, width and height", rectangle)
    x, y, part_width, part_height = rectangle
    if x + part_width > width or y + part_height > height:
        raise reader.error("a rectangle within the page", rectangle)
    return x, y, part_width, part_height


def found_place(reader: Reader, keys: Keys, start: int, count: int, of: int, previous_end: int) -> int:
    """Return the place of an operation on plain numbers, found by the numbers before and after it."""
    beside = reader.items("beside")
    if len(beside) != 2 or any(not isinstance(each, str) for each in beside):
        raise reader.error("keys of the numbers before and after", beside)
    is_unmoved = start <= len(keys) - count and list(surroundings(keys, start, start + count)) == beside
    if is_unmoved and len(keys) == of and start >= previous_end:
        return start
    try:
        beside_keys = np.array([int(each or "0", 16) for each in beside], np.uint64)
    except (ValueError, OverflowError):
        raise reader.error("keys of the numbers before and after", beside) from None
    before, after = min(BESIDE, start), min(BESIDE, of - start - count)
    rows = np.arange(before, len(keys) - count - after + 1)
    if before:
        rows = rows[windows(keys, before)[rows - before] == beside_keys[0]]
    if after and len(rows):
        rows = rows[windows(keys, after)[rows + count] == beside_keys[1]]
    rows = rows[rows >= previous_end]
    if len(rows) != 1:
        raise Conflict(NOT_FOUND)
    return int(rows[0])


def read_room(level: Level, reader: Reader, name: str) -> Room:
    """Return a room of a patch."""
    try:
        return tree.read_room(level, reader.data(name, reader.number("size")))
    except FormatError as error:
        raise FormatError(reader.place, error.expected, error.found) from None


def spliced(array: NDArray[Any], pieces: list[tuple[int, int, NDArray[Any]]]) -> NDArray[Any]:
    """Return an array with rows replaced, ascending."""
    if not pieces:
        return array
    parts, end = [], 0
    for start, stop, rows in pieces:
        parts += [array[end:start], rows]
        end = stop
    return np.concatenate([*parts, array[end:]])


def count_differs(count: int, expected: int) -> Text:
    """Return the conflict of levels with different numbers of elements."""
    return T("this level has {count} of them, the patch is for {expected}", count=count, expected=expected)


def is_instead(found: Any, expected: Any) -> Text:
    """Return the conflict of a value that is another one."""
    return T(
        "it is {found} in this level, the patch expects {expected}", found=str(found), expected=str(expected)
    )


def subject_of(path: str, room: int | None, row: int | None) -> Text:
    """Return the name of a part of the level."""
    section = path.removeprefix("rooms.")
    noun = section_noun(section, 2 if row is None else 1)
    part = noun if row is None else T("{section} {row}", section=noun, row=row)
    return part if room is None else T("room {number}, {part}", number=room, part=part)
