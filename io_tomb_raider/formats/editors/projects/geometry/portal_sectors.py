"""Sectors of portals, and the sectors behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....base.arrays.typing import Ints
from ..model.objects import Direction, ProjectPortal
from ..model.rooms import ProjectRoom

UNLINKED = -1


@dataclass(eq=False)
class Behind:
    """The sectors behind a wall portal."""

    portal: ProjectPortal
    #: the other room in the same state of its flip map; None if there is no such room.
    room: ProjectRoom | None
    sectors: Ints  #: (n,) int64: the portal's sectors, flat numbers of the room.
    others: Ints  #: (n,) int64: the flat numbers in the other room of the sectors behind them, -1 for none.


class PortalSectors(NamedTuple):
    """The sectors of several portals, limited to their rooms, see :func:`portal_area`."""

    areas: Ints  #: (p, 4): the first x and z, and those after the last.
    owner: Ints  #: (n,) the portal of each sector.
    #: x, z: (n,) its position.
    x: Ints
    z: Ints


def portal_sectors(portals: Sequence[tuple[ProjectRoom, ProjectPortal]]) -> PortalSectors:
    """Return the sectors of portals, z outer, x inner, each portal with its room."""
    raw = np.array([(*portal.area, *room.shape.wall.shape) for room, portal in portals], np.int64)
    x0, z0, x1, z1, z_sectors, x_sectors = raw.reshape(-1, 6).T
    areas = np.stack([x0, z0, x1 + 1, z1 + 1], axis=1)
    areas = np.minimum(areas.clip(0), np.stack([x_sectors, z_sectors, x_sectors, z_sectors], axis=1))
    return PortalSectors(areas, *area_sectors(areas))


def area_sectors(areas: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the area, x and z of each sector of areas (p, 4), see :class:`PortalSectors`."""
    columns, rows = (areas[:, 2:] - areas[:, :2]).clip(0).T
    counts = columns * rows
    owner = np.repeat(np.arange(len(areas)), counts)
    number = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    z, x = np.divmod(number, columns[owner])
    return owner, x + areas[owner, 0], z + areas[owner, 1]


def sectors_behind(portals: Sequence[tuple[ProjectRoom, ProjectPortal, ProjectRoom | None]]) -> list[Behind]:
    """Return the sectors behind wall portals, see :meth:`ProjectRooms.behind`.

    `portals`: the room of each, the portal, and the room behind it.
    """
    if not portals:
        return []
    owner, x, z = portal_sectors([(room, portal) for room, portal, _ in portals])[1:]
    rows = []
    for room, portal, other in portals:
        there = other or room
        size = (0, 0) if other is None else other.shape.wall.shape
        rows.append((portal.direction, room.shape.wall.shape[1], room.x - there.x, room.z - there.z, *size))
    direction, x_sectors, move_x, move_z, z_there, x_there = np.array(rows, np.int64).T
    sectors = x + z * x_sectors[owner]
    x, z = x + move_x[owner], z + move_z[owner]
    for way, values, there in (
        (Direction.POSITIVE_Z, z, np.ones_like(z_there)),
        (Direction.NEGATIVE_Z, z, z_there - 2),
        (Direction.POSITIVE_X, x, np.ones_like(x_there)),
        (Direction.NEGATIVE_X, x, x_there - 2),
    ):
        here = (direction == way)[owner]
        values[here] = there[owner][here]
    x_there, z_there = x_there[owner], z_there[owner]
    exists = (x >= 0) & (x < x_there) & (z >= 0) & (z < z_there)
    others = np.where(exists, x + z * x_there, UNLINKED)
    ends = np.searchsorted(owner, np.arange(len(portals) + 1)).tolist()
    return [
        Behind(portal, other, sectors[low:high], others[low:high])
        for (_, portal, other), low, high in zip(portals, ends[:-1], ends[1:], strict=True)
    ]
