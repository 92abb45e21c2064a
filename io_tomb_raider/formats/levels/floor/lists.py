"""All functions of a level's floor data, by sector index (documentation, chapter 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..level.level import Level
from ..rooms.rooms import Room
from .columns import FunctionColumns, columns_of_row
from .floor_data import INDEX_LIMIT, FloorData, Functions, decode_lists, parse
from .functions import ActionType, Function, FunctionType, Portal, Trigger


class FloorLists:
    """The lists of functions of one floor data array. Functions are decoded on demand."""

    def __init__(self, data: FloorData) -> None:
        self.data = data  #: the parsed array.
        self._lists = _LazyLists(data)

    @classmethod
    def read(cls, level: Level) -> FloorLists:
        """Read the lists of a level. Raises FormatError if they are too damaged to be separated."""
        # All at once, which is faster than room by room.
        indices = [joined_indices(level.rooms)]
        return cls(parse(level.floor_data, indices, trng=level.has_trng_footer))

    def of(self, indices: NDArray[Any]) -> list[Functions]:
        """Return the functions of sectors, given their indices, in the order of the sectors."""
        return self._lists.of(indices.ravel().tolist())

    @property
    def lists(self) -> Mapping[int, Functions]:
        """The functions by the floor data index of sectors; none for unreadable lists."""
        return self._lists

    @cached_property
    def columns(self) -> FunctionColumns:
        """The functions of all lists as columns."""
        return columns_of_row(self.data.row)

    def numbered(self, indices: NDArray[Any]) -> NDArray[np.int64]:
        """Return the list number of sectors, given their indices, (n,); the last number means no list.

        Raises KeyError if no list has the index.
        """
        result = self._numbers[indices.ravel()]
        if result.min(initial=0) < 0:
            raise KeyError(int(indices.ravel()[result < 0][0]))
        return result

    @cached_property
    def _numbers(self) -> NDArray[np.int64]:
        starts = self.data.starts
        by_index = np.full(INDEX_LIMIT + 1, -1, np.int64)
        count = int(np.searchsorted(starts, len(by_index)))
        by_index[starts[:count]] = np.arange(count)
        by_index[0] = len(starts)
        return by_index

    def has_triggers(self, indices: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which sectors have triggers, given their indices, (n,)."""
        return self._triggers[self.numbered(indices)]

    @cached_property
    def _triggers(self) -> NDArray[np.bool_]:
        has_trigger = np.zeros(len(self.data.starts) + 1, np.bool_)
        has_trigger[self.columns.of(FunctionType.TRIGGER).lists] = True
        return has_trigger

    def walls(self, indices: NDArray[Any]) -> NDArray[np.int32]:
        """Return the target rooms of the wall portals of sectors, given their indices, (n,); -1 for none."""
        return self._walls[self.numbered(indices)]

    @cached_property
    def _walls(self) -> NDArray[np.int32]:
        return self.columns.walls(len(self.data.starts) + 1)

    def with_triggers(self) -> list[Functions]:
        """Return the lists that have triggers, including lists that no sector uses."""
        return self._lists.of(self.data.starts[self._triggers[:-1]].tolist())


class _LazyLists(Mapping[int, Functions]):
    """Functions by index, decoded on first use; equal lists share one object."""

    def __init__(self, data: FloorData) -> None:
        self._data = data
        self._decoded: dict[int, Functions] = {0: ()}
        self._by_words: dict[tuple[int, ...], Functions] = {}

    def __len__(self) -> int:
        return len(self._data.starts) + 1

    def __iter__(self) -> Iterator[int]:
        return iter((*self._data.starts.tolist(), 0))

    def __getitem__(self, index: int) -> Functions:
        return self.of([index])[0]

    def of(self, indices: list[int]) -> list[Functions]:
        """Return the functions of several lists. Raises KeyError if no list has the index."""
        decoded = self._decoded
        missing = sorted({index for index in indices if index not in decoded})
        if missing:
            numbers = np.searchsorted(self._data.starts, missing)
            exists = numbers < len(self._data.starts)
            exists[exists] = self._data.starts[numbers[exists]] == np.array(missing)[exists]
            if not exists.all():
                raise KeyError(missing[int(exists.argmin())])
            decoded.update(zip(missing, decode_lists(self._data, numbers, self._by_words), strict=True))
        return [decoded[index] for index in indices]


def wall_of(functions: Iterable[Function]) -> int:
    """Return the target room of a sector's wall portal, -1 for none; of several the last counts."""
    return ([-1, *(function.room for function in functions if isinstance(function, Portal))])[-1]


def distinct(lists: Sequence[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return a number for each list, (n,), and the distinct list objects by that number."""
    ids = list(map(id, lists))
    by_id = dict(zip(ids, lists, strict=True))
    numbers = {key: number for number, key in enumerate(by_id)}
    return np.fromiter(map(numbers.__getitem__, ids), np.int64, len(ids)), list(by_id.values())


def camera_uses(lists: Iterable[Functions]) -> tuple[set[int], set[int]]:
    """Return the numbers that triggers use as cameras, and those that they use as sinks."""
    cameras: set[int] = set()
    sinks: set[int] = set()
    for functions in distinct(list(lists))[1]:
        for function in functions:
            for action in function.actions if isinstance(function, Trigger) else ():
                if action.type == ActionType.CAMERA:
                    cameras.add(action.parameter)
                elif action.type == ActionType.SINK:
                    sinks.add(action.parameter)
    return cameras, sinks


def sector_indices(rooms: Sequence[Room]) -> list[NDArray[Any]]:
    """Return for each room its sectors' floor data indices, (x_sectors, z_sectors)."""
    return [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in rooms]


def joined_indices(rooms: Sequence[Room]) -> NDArray[np.uint16]:
    """Return the floor data indices of the sectors of all rooms, concatenated, (n,)."""
    return np.concatenate([np.zeros(0, np.uint16), *(room.sectors["floor_data"] for room in rooms)])
