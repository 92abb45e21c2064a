"""The functions of many lists as arrays, for code that reads all sectors of a level at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.bytes.bits import signed
from .floor_data import MARK_FUNCTIONS, ListRow
from .functions import Climb, Function, FunctionType, Portal, Slant, Triangulation
from .grammar import WordRole

_WIDTH = 6  # the maximum number of values of a function


@dataclass(frozen=True, eq=False)
class FunctionColumns(Columns):
    """Functions of lists, list by list, in order."""

    lists: NDArray[np.int64]  #: (f,) int64, ascending: the index of each function's list.
    kinds: NDArray[np.uint8]  #: (f,) uint8, a :class:`.functions.FunctionType`, or a triangulation's number.
    #: (f, 6) int32: the room of a portal; the slopes of a slant along x and z; the directions of climbable
    #: walls; a triangulation's shifts, first that of the +x side, and its four corners. Unused values are 0.
    #: Actions of triggers are not included.
    values: Annotated[NDArray[np.int32], _WIDTH]

    def of(self, *kinds: int) -> FunctionColumns:
        """Return only the functions of some kinds."""
        is_selected = np.zeros(256, np.bool_)
        is_selected[list(kinds)] = True
        return self.take(np.flatnonzero(is_selected[self.kinds]))

    def walls(self, count: int) -> NDArray[np.int32]:
        """Return the target room of the wall portal of each list, (count,); -1 for none.

        If a list has several portals, the last one counts.
        """
        portals = self.of(FunctionType.PORTAL)
        rooms = np.full(count, -1, np.int32)
        rooms[portals.lists] = portals.values[:, 0]
        return rooms


def columns_of_row(row: ListRow) -> FunctionColumns:
    """Return the columns of the lists in a row."""
    functions = np.flatnonzero(row.roles == WordRole.FUNCTION)
    words = row.words[functions]
    kinds = (words & 0x1F).astype(np.uint8)
    columns = FunctionColumns(
        np.searchsorted(row.places, functions, side="right") - 1,
        kinds,
        np.zeros((len(functions), _WIDTH), np.int32),
    )
    values = columns.values

    def numbered(first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
        """Return the functions with numbers first to last: their indices, words and operands."""
        rows = np.flatnonzero((kinds >= first) & (kinds <= last))
        following = row.words[np.minimum(functions[rows] + 1, len(row.words) - 1)]
        return rows, words[rows].astype(np.int32), following.astype(np.int32)

    rows, _, following = numbered(FunctionType.PORTAL, FunctionType.PORTAL)
    values[rows, 0] = following
    rows, _, following = numbered(FunctionType.FLOOR_SLANT, FunctionType.CEILING_SLANT)
    values[rows, 0], values[rows, 1] = signed(following, 8), signed(following >> 8, 8)
    rows, first, _ = numbered(FunctionType.CLIMB, FunctionType.CLIMB)
    values[rows, 0] = first >> 8 & 0xF
    rows, first, following = numbered(FunctionType.TRIANGULATION_FIRST, FunctionType.TRIANGULATION_LAST)
    values[rows, 0] = signed(first >> 5, 5)
    values[rows, 1] = signed(first >> 10, 5)
    values[rows, 2:] = following[:, None] >> np.arange(0, 16, 4) & 0xF
    return columns


def columns_of(lists: Sequence[Sequence[Function]]) -> FunctionColumns:
    """Return the columns of decoded lists."""
    numbers: list[int] = []
    kinds: list[int] = []
    values: list[tuple[int, ...]] = []
    for number, functions in enumerate(lists):
        for function in functions:
            numbers.append(number)
            kind, function_values = _number_and_values(function)
            kinds.append(kind)
            values.append((*function_values, 0, 0, 0, 0, 0, 0)[:_WIDTH])
    return FunctionColumns(
        np.array(numbers, np.int64), np.array(kinds, np.uint8), np.array(values, np.int32).reshape(-1, _WIDTH)
    )


def _number_and_values(function: Function) -> tuple[int, tuple[int, ...]]:
    """Return a function's number and values."""
    if isinstance(function, Portal):
        return FunctionType.PORTAL, (function.room,)
    if isinstance(function, Slant):
        kind = FunctionType.CEILING_SLANT if function.ceiling else FunctionType.FLOOR_SLANT
        return kind, (function.x, function.z)
    if isinstance(function, Triangulation):
        return function.function, (function.height_x, function.height_other, *function.corners)
    if isinstance(function, Climb):
        return FunctionType.CLIMB, (function.directions,)
    return MARK_FUNCTIONS.get(type(function), FunctionType.TRIGGER), ()
