"""Ladders of a project's rooms: the rooms into which they lead."""

from __future__ import annotations

import numpy as np

from .....base.arrays.typing import Bools, Ints
from ...geometry.openings import Opening, ProjectRooms, diagonals
from ...geometry.portal_sectors import UNLINKED
from ...model.rooms import ProjectRoom
from ..plan.plan import Plan

_NO_LADDER = -1


def ladder_rooms(plan: Plan, rooms: ProjectRooms, room: ProjectRoom) -> Ints:
    """Return the rooms into which ladders on a room's walls lead, (z, x), -1 for none."""
    shape = room.shape
    walls = shape.border | (shape.wall & (diagonals(shape)[0] == 0))
    walls &= rooms.links(room).wall == UNLINKED
    return ladders_of(plan, rooms, room, walls, rooms.collision_openings(room).ceiling)


def ladders_of(
    plan: Plan, rooms: ProjectRooms, room: ProjectRoom, walls: Bools, ceiling_opening: Ints
) -> Ints:
    """Return the rooms into which ladders on walls lead, by sector, -1 for none.

    Lara climbs up along a wall and through a ceiling portal next to it: the wall's sector leads into the room
    above.
    """
    shape = room.shape
    result = np.full(shape.wall.shape, _NO_LADDER)
    links = rooms.links(room)
    used = np.unique(links.ceiling, return_index=True)
    order = [
        number for _, number in sorted(zip(used[1].tolist(), used[0].tolist(), strict=True)) if number >= 0
    ]
    if not order:
        return result
    air = ~(shape.wall | shape.border)
    next_to = np.zeros_like(air)
    next_to[1:] |= air[:-1]
    next_to[:-1] |= air[1:]
    next_to[:, 1:] |= air[:, :-1]
    next_to[:, :-1] |= air[:, 1:]
    remaining = walls & next_to
    for number in order:
        portal = links.portals[number]
        x0, z0, x1, z1 = portal.area
        inside = np.zeros_like(remaining)
        inside[max(z0 - 1, 0) : z1 + 2, max(x0 - 1, 0) : x1 + 2] = True
        for z, x in np.argwhere(remaining & inside).tolist():  # few sectors per room
            ladder = _ladder(plan, rooms, room, portal.room, z, x, ceiling_opening)
            if ladder >= 0:
                result[z, x], remaining[z, x] = ladder, False
    return result


def _ladder(
    plan: Plan, rooms: ProjectRooms, room: ProjectRoom, above: int, z: int, x: int, ceiling_opening: Ints
) -> int:
    links = rooms.links(room)
    if not room.shape.border[z, x] and ceiling_opening[z, x] == Opening.CLOSED:
        portal = links.ceiling[z, x]
        sector_above = _sector_in(
            rooms, room, above if portal == UNLINKED else links.portals[portal].room, z, x
        )
        if sector_above is None or _is_wall(*sector_above):
            return _NO_LADDER
    sector = _sector_in(rooms, room, above, z, x)
    if sector is None:
        return _NO_LADDER
    other, other_z, other_x = sector
    if not _is_wall(other, other_z, other_x):
        return plan.index.get(above, _NO_LADDER)
    if room.shape.border[z, x] and other.shape.border[other_z, other_x]:
        linked = rooms.links(other).wall[other_z, other_x]
        if linked != UNLINKED:
            return plan.index.get(rooms.links(other).portals[linked].room, _NO_LADDER)
    return _NO_LADDER


def _is_wall(room: ProjectRoom, z: int, x: int) -> bool:
    return bool(room.shape.wall[z, x] or room.shape.border[z, x])


def _sector_in(
    rooms: ProjectRooms, room: ProjectRoom, number: int, z: int, x: int
) -> tuple[ProjectRoom, int, int] | None:
    """Return another room, and the place there of a room's sector, None outside."""
    other = rooms.by_number.get(number)
    if other is None:
        return None
    other_z, other_x = z + room.z - other.z, x + room.x - other.x
    return (other, other_z, other_x) if other.shape.has_sector(other_x, other_z) else None
