"""Checks for damage of old levels that only their builders can repair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.games import LARA
from ...base.messages import T, plural
from ...base.units import SECTOR_SIZE
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Element, Finding, Severity

MANY_LARAS = "several Laras"
NO_RING = "no walls around"
FAR_AWAY = "far vertices"


def check_laras(checked: Decoded) -> Iterator[Finding]:
    """Find all Laras but the first one."""
    entities = checked.level.entities
    for number in np.flatnonzero(entities["type"] == LARA)[1:].tolist():
        x, y, z = (float(entities[axis][number]) for axis in "xyz")
        text = T("the level has another Lara, and the game can play only one. Delete all but one")
        yield Finding(MANY_LARAS, Severity.WARNING, Element("entity", number), text, place=(x, y, z))


def check_rings(checked: Decoded) -> Iterator[Finding]:
    """Find rooms whose outer sectors are open: games look up sectors outside of the room from there."""
    is_closed = checked.sectors.wall | (checked.sectors.portal >= 0)
    grid, rooms = checked.grid, checked.level.rooms
    sizes = np.array([(room.x_sectors, room.z_sectors) for room in rooms], np.int64).reshape(-1, 2)
    last = sizes[grid.room] - 1
    is_outer = (grid.x == 0) | (grid.z == 0) | (grid.x == last[:, 0]) | (grid.z == last[:, 1])
    open_outer = np.flatnonzero(is_outer & ~is_closed)
    numbers, firsts, counts = np.unique(grid.room[open_outer], return_index=True, return_counts=True)
    for number, first, count in zip(numbers.tolist(), firsts.tolist(), counts.tolist(), strict=True):
        text = plural(
            "one of its outer sectors is open without a room behind it, so Lara can leave the room."
            " Make it a wall",
            "{count} of its outer sectors are open without a room behind them, so Lara can leave the room."
            " Make them walls",
            count,
        )
        place = checked.middle(int(open_outer[first]))
        yield Finding(NO_RING, Severity.WARNING, Element("room", number), text, count=count, place=place)


def check_extents(checked: Decoded) -> Iterator[Finding]:
    """Find rooms with vertices more than a sector outside of their sectors."""
    for number, room in enumerate(checked.level.rooms):
        if not len(room.vertices):
            continue
        x, y, z = (room.vertices[axis].astype(np.float64) for axis in "xyz")
        far = np.zeros(len(x), bool)
        for values, size in ((x, room.x_sectors), (z, room.z_sectors)):
            far |= (values < -SECTOR_SIZE) | (values > (size + 1) * SECTOR_SIZE)
        if not far.any():
            continue
        row, count = int(np.flatnonzero(far)[0]), int(far.sum())
        text = plural(
            "one of its vertices is more than a sector outside of the room, so it may not be drawn",
            "{count} of its vertices are more than a sector outside of the room, so they may not be drawn",
            count,
        )
        place = float(x[row] + room.x), float(y[row]), float(z[row] + room.z)
        yield Finding(FAR_AWAY, Severity.WARNING, Element("room", number), text, count=count, place=place)
