"""The room at a point: one rule for exports, light and tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Point = Sequence[float] | NDArray[Any]  # (3,), in world units


class RoomLocator:
    """Finds rooms by points, in world units, y down.

    Rooms overlap: neighbors share their outer sectors, which are walls, rooms above each other share a plane,
    and alternate rooms overlap base rooms. Of the rooms that contain a point, the first one counts by

    1. base rooms,
    2. rooms with an open sector at the point,
    3. rooms of which the point is below the ceiling, as objects stand on floors,
    4. the number of the room.

    Args:
        boxes: (n, 2, 3), the least and greatest x, y, z of the sectors of each room, walls included.
        is_alternate: (n,), whether each is an alternate room.
        is_wall: returns whether the sector of a room at a point within its box is a wall.
    """

    def __init__(
        self,
        boxes: NDArray[np.int64],
        is_alternate: NDArray[np.bool_],
        is_wall: Callable[[int, NDArray[Any]], bool],
    ) -> None:
        self._boxes, self._is_alternate, self._is_wall = boxes, is_alternate, is_wall
        # For single points plain numbers are ten times as fast as arrays.
        self._bounds: list[list[list[int]]] = boxes.tolist()

    def holds(self, number: int, point: Point, margin: float = 0) -> bool:
        """Return whether the box of a room, extended by a margin, contains a point."""
        if not 0 <= number < len(self._bounds):
            return False
        return all(
            low - margin <= value <= high + margin
            for low, value, high in zip(self._bounds[number][0], point, self._bounds[number][1], strict=True)
        )

    def find(self, point: Point) -> int | None:
        """Return the room that contains a point, or None; see the class for overlapping rooms."""
        position = np.asarray(point)
        inside = ((self._boxes[:, 0] <= position) & (position <= self._boxes[:, 1])).all(axis=1)
        numbers = np.flatnonzero(inside).tolist()
        if len(numbers) < 2:
            return numbers[0] if numbers else None
        return min(
            numbers,
            key=lambda room: (
                bool(self._is_alternate[room]),
                self._is_wall(room, position),
                bool(position[1] <= self._boxes[room, 0, 1]),
                room,
            ),
        )

    def nearest(self, point: Point) -> int:
        """Return the room whose box is nearest to a point."""
        position = np.asarray(point)
        outside = np.maximum(self._boxes[:, 0] - position, position - self._boxes[:, 1]).clip(min=0)
        return int((outside.astype(np.float64) ** 2).sum(axis=1).argmin())


def is_outer(cell: Sequence[int], size: Sequence[int]) -> bool:
    """Return whether a sector (x, z) of a room is one of the outer ones, which are walls, or outside."""
    return not (0 < cell[0] < size[0] - 1 and 0 < cell[1] < size[1] - 1)
