"""Rules of Tomb Editor for the portals of a project, or it drops them when it loads the file."""

from __future__ import annotations

from collections.abc import Sequence

from io_tomb_raider.formats.editors.projects.model.objects import OPPOSITE, Direction, ProjectPortal
from io_tomb_raider.formats.editors.projects.model.rooms import ProjectRoom

_STEPS = {
    Direction.POSITIVE_Z: (0, -1),
    Direction.NEGATIVE_Z: (0, 1),
    Direction.POSITIVE_X: (-1, 0),
    Direction.NEGATIVE_X: (1, 0),
}


def portal_faults(rooms: Sequence[ProjectRoom]) -> list[str]:
    """Return what is wrong with the portals of a project's rooms.

    Each sector has at most one portal in its floor, one in its ceiling and one in its wall; each portal is
    inside of its room, leads to another base room, and has its counterpart at the same place there.
    """
    by_number = {room.number: room for room in rooms}
    alternates = {room.alternate[1]: room.number for room in rooms if room.alternate is not None}
    places: dict[tuple[int, int, int, int], tuple[int, int]] = {}
    faults = []
    for room in rooms:
        base = alternates.get(room.number, room.number)
        for portal in room.each(ProjectPortal):
            direction = Direction(portal.direction)
            name = f"{room.number} to {portal.room} {direction.name} {portal.area}"
            if portal.room not in by_number or portal.room in alternates or portal.room == base:
                faults.append(f"{name}: leads nowhere")
            x0, z0, x1, z1 = portal.area
            if not (0 <= x0 <= x1 < room.shape.x_sectors and 0 <= z0 <= z1 < room.shape.z_sectors):
                faults.append(f"{name}: outside")
            slot = 2 if direction in _STEPS else int(direction is Direction.CEILING)
            for x in range(x0, x1 + 1):
                for z in range(z0, z1 + 1):
                    key = room.number, slot, x + room.x, z + room.z
                    if key in places:
                        faults.append(f"{name}: overlaps at {x}, {z}")
                    places[key] = portal.room, direction
    for (number, slot, x, z), (other, side) in places.items():
        step = _STEPS.get(Direction(side), (0, 0))
        back = places.get((other, slot if slot == 2 else 1 - slot, x + step[0], z + step[1]))
        wanted = alternates.get(number, number), OPPOSITE[Direction(side)]
        if back != wanted:
            faults.append(f"{number} to {other} at {x}, {z}: no counterpart")
    return faults
