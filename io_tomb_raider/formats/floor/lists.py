"""All functions of a level's floor data by the index that sectors have of them (documentation, chapter 4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from numpy.typing import NDArray

from ..level.level import Level
from ..rooms.rooms import Room
from .floor_data import FloorData, decode_all, parse
from .functions import ActionType, Function, Trigger

Functions = tuple[Function, ...]


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


def camera_uses(lists: Iterable[Functions]) -> tuple[set[int], set[int]]:
    """Return the numbers that triggers use as cameras, and those that they use as sinks."""
    cameras: set[int] = set()
    sinks: set[int] = set()
    for functions in lists:
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
