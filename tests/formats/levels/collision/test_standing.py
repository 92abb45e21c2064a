"""Lara is moved to where she can stand or swim, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.edits.checks.standing import move_lara
from io_tomb_raider.formats.levels.rooms.rooms import WATER
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_level

pytestmark = pytest.mark.once


def lara(level: Level) -> tuple[int, int, int, int, int]:
    record = level.entities[level.entities["type"] == 0][0]
    x, y, z, room, angle = (int(record[name]) for name in ("x", "y", "z", "room", "angle"))
    return x, y, z, room, angle % 0x10000


@each_game
def test_lara_is_moved_to_the_floor_of_the_room_and_turned(game: Game) -> None:
    level = sample_level(game)
    before = level.entities.copy()
    x, y, z, room, _ = lara(level)
    move_lara(level, (x + 100.4, y - 700.0, z), 0xC000)
    assert lara(level) == (x + 100, y, z, room, 0xC000)
    assert (level.entities[1:] == before[1:]).all() and (before == sample_level(game).entities).all()
    angle = lara(level)[4]
    move_lara(level, (x, y + 100.0, z))  # a little below the floor, as the cursor can be
    assert lara(level) == (x, y, z, room, angle)
    guard = level.entities[2]  # in another room
    assert guard["room"] != room
    move_lara(level, (float(guard["x"]), float(guard["y"]) - 300, float(guard["z"])))
    assert lara(level)[:4] == tuple(int(guard[name]) for name in ("x", "y", "z", "room"))


@each_game
def test_lara_is_kept_in_water_and_lowered_in_a_pit(game: Game) -> None:
    level = sample_level(game)
    decoded = Decoded(level)
    (sector,) = np.flatnonzero((decoded.sectors.room_below >= 0) & decoded.is_open)[:1]
    upper, lower = int(decoded.grid.room[sector]), int(decoded.sectors.room_below[sector])
    x, _, z = decoded.middle(int(sector))
    y = float(level.rooms[lower].y_top) - 512  # over the opening
    assert level.rooms[lower].flags & WATER
    move_lara(level, (x, y, z))
    assert lara(level)[1::2][:2] == (round(y), upper)  # she falls into the water
    move_lara(level, (x, float(level.rooms[lower].y_top) + 256, z))
    assert lara(level)[1::2][:2] == (level.rooms[lower].y_top + 256, lower)
    level.rooms[lower].flags &= ~WATER
    move_lara(level, (x, y, z))
    there = decoded.sector_at(np.array([lower]), np.array([int(x)]), np.array([int(z)]))[0]
    assert lara(level)[3] == lower
    heights = decoded.sectors.floor.heights[there]
    assert heights.min() <= lara(level)[1] <= heights.max()


@each_game
def test_moving_lara_needs_a_room_and_lara(game: Game) -> None:
    level = sample_level(game)
    x, y, z, _, _ = lara(level)
    for place in ((x, y + 5000.0, z), (x, y - 20000.0, z), (x + 1e6, y, z), (level.rooms[0].x + 512.0, y, z)):
        with pytest.raises(ExportError, match="there is no room at the 3D cursor"):
            move_lara(level, place)
    level.entities = level.entities[1:]
    with pytest.raises(ExportError, match="the level has no Lara"):
        move_lara(level, (x, y, z))


@each_real_level
def test_entities_on_the_floor_of_real_levels_are_found_in_their_rooms(level_path: Path) -> None:
    level = read_level(level_path)
    skip_without(level.entities if level.has("entities") else ())
    skip_without(level.entities[level.entities["type"] == 0])
    x, y, z, room, _ = lara(level)
    move_lara(level, (x, y - 100.0, z))
    assert lara(level)[3] == room and abs(lara(level)[1] - y) <= 256
