"""Rooms of an edited level that were cut: walls at their sides are omitted, as by the editor.

A room that was split from another room has all of its sectors, and those of the other part are walls. In the
editor, portals are at the borders of both rooms.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays.typing import Ints
from ....base.units import SECTOR_SIZE
from ....levels.rooms.rooms import Room
from ....levels.views.decoded import Decoded
from ..from_level.rooms.narrow import LEAST, size_of

_BORDER = 1
Margins = tuple[int, int, int, int]  # rows of walls at the sides: low x, high x, low z, high z


def without_cut_walls(before: Decoded, after: Decoded, sources: Ints) -> Decoded:
    """Return a level whose new and cut rooms end at their open sectors.

    `sources`: (rooms,) the room before of each room after, below 0 for new rooms.
    """
    cut: dict[int, Margins] = {}
    for number, source in enumerate(sources.tolist()):
        margins = _margins(after, number)
        room = after.level.rooms[number]
        if 0 <= source < len(before.level.rooms):
            old = before.level.rooms[source]
            if (old.x, old.z, size_of(old)) != (room.x, room.z, size_of(room)):
                continue
            margins = tuple(
                rows_after if rows_after > rows_before else _BORDER
                for rows_before, rows_after in zip(_margins(before, source), margins, strict=True)
            )  # type: ignore[assignment]
        if any(each > _BORDER for each in margins):
            cut[number] = margins
    if not cut:
        return after
    level = after.level.copy()
    level.rooms = [
        _cropped(room, cut[number]) if number in cut else room for number, room in enumerate(level.rooms)
    ]
    return Decoded(level, after.target)


def _margins(decoded: Decoded, number: int) -> Margins:
    """Return how many rows of walls are at each side of a room."""
    room = decoded.level.rooms[number]
    start, stop = (int(decoded.grid.starts[each]) for each in (number, number + 1))
    is_open = ~decoded.sectors.wall[start:stop].reshape(room.x_sectors, room.z_sectors)
    sides: list[int] = []
    for axis in (1, 0):
        rows = np.flatnonzero(is_open.any(axis=axis))
        count = is_open.shape[1 - axis]
        sides += [int(rows[0]), count - 1 - int(rows[-1])] if len(rows) else [_BORDER, _BORDER]
    return sides[0], sides[1], sides[2], sides[3]


def _cropped(room: Room, margins: Margins) -> Room:
    """Return a room without walls at its sides, except for its border."""
    low_x, high_x, low_z, high_z = (max(each - _BORDER, 0) for each in margins)
    if room.x_sectors - low_x - high_x < LEAST or room.z_sectors - low_z - high_z < LEAST:
        return room
    result = room.copy()
    sectors = room.sectors.reshape(room.x_sectors, room.z_sectors)
    kept = sectors[low_x : room.x_sectors - high_x, low_z : room.z_sectors - high_z]
    result.x_sectors, result.z_sectors, result.sectors = *kept.shape, kept.reshape(-1)
    result.x, result.z = room.x + low_x * SECTOR_SIZE, room.z + low_z * SECTOR_SIZE
    result.vertices, result.portals = room.vertices.copy(), room.portals.copy()
    result.vertices["x"] -= low_x * SECTOR_SIZE
    result.vertices["z"] -= low_z * SECTOR_SIZE
    result.portals["vertices"][..., 0] -= low_x * SECTOR_SIZE
    result.portals["vertices"][..., 2] -= low_z * SECTOR_SIZE
    return result
