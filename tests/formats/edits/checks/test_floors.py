"""The visible floor and the collision floor are compared at the same point."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import TRIANGLE
from io_tomb_raider.formats.edits.checks.floors import check_floors
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.sample_levels import sample_level

# The floor at the corners of a sector, y down, as it is in the file: -x-z, -x+z, +x-z, +x+z.
CORNERS = (0, 400, 1200, 2800)
# A triangle with its center at a quarter along x and three quarters along z: the floor there is a quarter
# between 300 (0 to 400) and 2400 (1200 to 2800).
DRAWN = ((0, 768), (256, 512), (512, 1024))  # x and z of its corners
HEIGHT = 825


@pytest.mark.parametrize(("away", "count"), [(0, 0), (128, 0), (129, 1), (-128, 0), (-129, 1)])
def test_a_floor_half_a_click_away_from_its_collision_is_found(away: int, count: int) -> None:
    level = sample_level(Game.TR1)
    checked = Decoded(level)
    sector = int(np.flatnonzero(checked.is_open & (checked.sectors.room_below < 0))[0])
    x, z = int(checked.grid.x[sector]) * 1024, int(checked.grid.z[sector]) * 1024
    surface = checked.sectors.floor
    heights = surface.heights.copy()
    heights[sector] = CORNERS
    sectors = replace(checked.sectors, floor=replace(surface, heights=heights))
    for room in level.rooms:
        room.quads, room.triangles = room.quads[:0], room.triangles[:0]
    room = level.rooms[int(checked.grid.room[sector])]
    room.vertices = np.zeros(3, room.vertices.dtype)
    room.vertices["x"] = [x + place[0] for place in DRAWN]
    room.vertices["z"] = [z + place[1] for place in DRAWN]
    room.vertices["y"] = HEIGHT + away
    room.triangles = np.array([((0, 1, 2), 0)], TRIANGLE)
    changed = Decoded(level)
    changed.sectors = sectors
    findings = list(check_floors(changed))
    assert sum(each.count for each in findings) == count
    middle = checked.middle(sector)
    assert [each.place for each in findings] == [(middle[0], sum(CORNERS) / 4, middle[2])] * count
