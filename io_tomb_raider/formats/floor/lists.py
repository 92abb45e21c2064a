"""All functions of a level's floor data by the index that sectors have of them (documentation, chapter 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..level.level import Level
from ..rooms.rooms import Room
from .floor_data import INDEX_LIMIT, FloorData, Functions, decode_all, parse
from .functions import ActionType, Function, Portal, Trigger


class FloorLists:
    """The lists of functions of one floor data array.

    Attributes:
        data: the parsed array.
        lists: the functions by the index that sectors have of them; none for lists that cannot be read.
    """

    def __init__(self, data: FloorData) -> None:
        self.data = data
        self.lists: dict[int, Functions] = dict(zip(data.starts.tolist(), decode_all(data), strict=True))
        self.lists[0] = ()

    @classmethod
    def read(cls, level: Level) -> FloorLists:
        """Read the lists of a level.

        Raises:
            FormatError: where they are too damaged to be told apart.
        """
        return cls(parse(level.floor_data, sector_indices(level.rooms), trng=level.has_trng_footer))

    def of(self, indices: NDArray[Any]) -> list[Functions]:
        """Return the functions that sectors have, by their indices, in the order of the sectors."""
        lists = self.lists
        return [lists[index] for index in indices.ravel().tolist()]

    def walls(self, indices: NDArray[Any]) -> NDArray[np.int32]:
        """Return the rooms that the walls of sectors lead to, by their indices, (n,); -1 for none."""
        return self._walls[indices.ravel()]

    def numbered(self, indices: NDArray[Any]) -> tuple[NDArray[np.int64], list[Functions]]:
        """Return what sectors have, by their indices, (n,), as :func:`distinct` does for lists.

        Raises:
            KeyError: where an index is that of no list.
        """
        numbers, different = self._numbers
        found = numbers[indices]
        if (found < 0).any():
            raise KeyError(int(indices[found < 0][0]))
        return found, different

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.int64], list[Functions]]:
        numbers, different = distinct(list(self.lists.values()))
        by_index = np.full(INDEX_LIMIT + 1, -1, np.int64)
        by_index[np.fromiter(self.lists, np.int64, len(self.lists))] = numbers
        return by_index, different

    def has_triggers(self, indices: NDArray[Any]) -> NDArray[np.bool_]:
        """Tell which sectors have triggers, by their indices, (n,)."""
        return self._triggers[indices.ravel()]

    @cached_property
    def _triggers(self) -> NDArray[np.bool_]:
        numbers, different = self._numbers
        is_there = [any(isinstance(function, Trigger) for function in each) for each in different]
        return np.array([*is_there, False], np.bool_)[numbers]

    @cached_property
    def _walls(self) -> NDArray[np.int32]:
        numbers, different = self._numbers
        rooms = np.array([*(wall_of(each) for each in different), -1], np.int32)
        return rooms[numbers]


def wall_of(functions: Iterable[Function]) -> int:
    """Return the room that a sector's wall leads to, -1 for none; of several the last counts."""
    return ([-1, *(each.room for each in functions if isinstance(each, Portal))])[-1]


def distinct(lists: Sequence[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return a number for each list, (n,), and the lists that are not the same object, by that number."""
    ids = list(map(id, lists))
    found = dict(zip(ids, lists, strict=True))
    places = dict(zip(found, range(len(found)), strict=True))
    return np.fromiter(map(places.__getitem__, ids), np.int64, len(ids)), list(found.values())


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
    """Return for every room its sectors' indices of floor data, (x_sectors, z_sectors)."""
    return [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in rooms]
