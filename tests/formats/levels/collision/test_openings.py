"""Targets of openings: the documentation's chapters 3.2.3 and 4.4.1 on minimal rooms."""

from __future__ import annotations

import numpy as np
import pytest

from io_tomb_raider.formats import Room
from io_tomb_raider.formats.base.bytes.records import SECTOR
from io_tomb_raider.formats.levels.collision.openings import OpeningKind, Openings, find_openings

NONE = 255
SOLID = -127


def room(x: int = 0, z: int = 0, size: tuple[int, int] = (1, 1)) -> Room:
    """Return a room of open sectors without any opening."""
    made = Room()
    made.x, made.z, made.alternate_room = x, z, -1
    made.x_sectors, made.z_sectors = size
    made.sectors = np.zeros(size[0] * size[1], SECTOR)
    made.sectors["room_below"] = made.sectors["room_above"] = NONE
    made.sectors["ceiling"] = -4
    return made


def found(openings: Openings) -> list[tuple[object, ...]]:
    """Return the description of each opening: kind, room, target, end, dead, with an opening back."""
    names = ("kind", "room", "target", "end", "is_dead", "has_back")
    return list(zip(*(getattr(openings, name).tolist() for name in names), strict=True))


def test_openings_into_the_very_first_sector_are_alive() -> None:
    below, above, beside = room(), room(), room(0, -1024, (1, 2))
    above.sectors["room_below"], below.sectors["room_above"] = 0, 1
    # From the first sector of the last room into the room to the north, and back into it through its wall.
    walls = np.array([-1, -1, -1, 0], np.int32)
    assert found(find_openings([below, above, beside], walls)) == [
        (OpeningKind.WALL, 2, 0, 0, False, False),
        (OpeningKind.FLOOR, 1, 0, 0, False, True),
        (OpeningKind.CEILING, 0, 1, 1, False, True),
    ]


@pytest.mark.parametrize("kind", list(OpeningKind))
def test_openings_into_walls_or_outside_of_rooms_are_dead(kind: OpeningKind) -> None:
    def opened(target: int, *, solid: bool = False, apart: int = 0) -> Openings:
        rooms = [room(x=apart), room()]
        walls = np.full(2, -1, np.int32)
        if kind is OpeningKind.WALL:
            walls[1] = target
        else:
            rooms[1].sectors["room_below" if kind is OpeningKind.FLOOR else "room_above"] = target
        if solid:
            rooms[0].sectors["floor"] = rooms[0].sectors["ceiling"] = SOLID
        return find_openings(rooms, walls)

    assert found(opened(0)) == [(kind, 1, 0, 0, False, False)]
    assert found(opened(0, solid=True)) == [(kind, 1, 0, 0, True, False)]
    assert found(opened(2)) == [(kind, 1, 2, -1, True, False)]
    for apart in (1024, -1024):
        assert found(opened(0, apart=apart)) == [(kind, 1, 0, -1, True, False)]


def test_wall_portals_through_walls_are_one_way_and_circles_are_dead() -> None:
    rooms = [room() for _ in range(3)]
    # From 2 through 1 into 0, where the opening is.
    assert found(find_openings(rooms, np.array([-1, 0, 1], np.int32))) == [
        (OpeningKind.WALL, 1, 0, 0, False, False),
        (OpeningKind.WALL, 2, 1, 0, False, True),
    ]
    assert all(find_openings(rooms, np.array([1, 2, 0], np.int32)).is_dead)
    assert len(find_openings([], np.zeros(0, np.int32)).kind) == 0
