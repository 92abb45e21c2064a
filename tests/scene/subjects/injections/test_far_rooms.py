"""Openings to rooms above number 254 of levels for TRX: checked, followed, closed, and made where needed."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.collision.openings import OpeningKind
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.levels.injections.samples import sector, trxj
from tests.sample_levels import sample_bytes

from ...scenes import exported, objects
from ..collision.collision_meshes import FLOOR, HALL, PLAIN, collision, face_of, import_collision, sector_row
from .blocks import SECTOR, delete_room, edits, floor, whole_sector

COUNT = 258  # rooms
FAR = COUNT - 1
each_game = pytest.mark.parametrize("game", [Game.TR1, Game.TR3])


def level_of_many(game: Game, *, near: bool = False) -> Level:
    """Return a sample level with many rooms, the last of which is a copy of the hall below it.

    Args:
        game: the game.
        near: the level has as many rooms as sectors can name, one of which opens to the last.
    """
    level = read_level(sample_bytes(game))
    count = 255 if near else COUNT
    rooms = level.rooms
    for number in range(len(rooms), count):
        room = rooms[HALL if number == count - 1 else 1].copy()
        room.portals, room.alternate_room = room.portals[:0], -1
        room.sectors = room.sectors.copy()
        room.sectors["floor_data"] = 0
        room.sectors["room_below"] = room.sectors["room_above"] = 255
        if number < count - 1:
            room.x += 64 * 1024 * number
        rooms.append(room)
    if near:
        for number, name, other in ((HALL, "room_below", count - 1), (count - 1, "room_above", HALL)):
            rooms[number].sectors = rooms[number].sectors.copy()
            rooms[number].sectors[name][_row(level)] = other
    return level


def _row(level: Level) -> int:
    return PLAIN[0] * level.rooms[HALL].z_sectors + PLAIN[1]


def with_far(game: Game, *, back: bool = True) -> bytes:
    level = level_of_many(game)
    records = [sector(HALL, *PLAIN, whole_sector(level, HALL, PLAIN, FAR, -1))]
    if back:
        records.append(sector(FAR, *PLAIN, whole_sector(level, FAR, PLAIN, -1, HALL)))
    return level.to_bytes() + trxj(9, [floor(*records)])


def opened(level: Level) -> list[tuple[int, int, bool]]:
    """Return room, target and whether there is a way back, of openings of floors on the chosen sector."""
    found = Decoded(level).openings
    here = (found.kind == OpeningKind.FLOOR) & (found.room == HALL) & (found.place == _row(level))
    columns = (each[here].tolist() for each in (found.room, found.target, found.has_back))
    return list(zip(*columns, strict=True))


@each_game
@pytest.mark.parametrize("back", [True, False])
def test_openings_of_edits_count(game: Game, back: bool) -> None:
    assert opened(read_level(with_far(game, back=back))) == [(HALL, FAR, back)]


def test_a_room_behind_an_edit_is_reached() -> None:
    def unreached(data: bytes) -> set[int]:
        found = check_level(Decoded(read_level(data), Target.TRX))
        return {each.obj.number for each in found if each.check == "unreachable room"}

    assert FAR in unreached(level_of_many(Game.TR1).to_bytes())
    assert FAR not in unreached(with_far(Game.TR1))


@each_game
def test_a_far_opening_is_shown_and_stays(blender: ModuleType, game: Game) -> None:
    data = with_far(game)
    root = import_collision(data)
    obj = collision(root, HALL)
    shown = obj.data.attributes["tr_room"].data[face_of(obj, FLOOR, PLAIN)].value
    assert obj.tomb_raider.collision.rooms[shown - 1].room == objects(root, "ROOM")[FAR]
    assert exported(root)[0].to_bytes() == data


@each_game
def test_far_rooms_follow_a_deleted_room(blender: ModuleType, game: Game) -> None:
    root = import_collision(with_far(game))
    delete_room(root, 5)
    level, warnings = exported(root)
    assert opened(level) == [(HALL, FAR - 1, True)]
    assert [edit["room_below"] for _, _, _, edit in edits(level, kind=SECTOR)] == [FAR - 1]
    assert not [each for each in warnings if "has none back" in each]
    for number in (7, 6, 5):
        delete_room(root, number)
    level, _ = exported(root)
    assert not edits(level)
    assert level.rooms[HALL].sectors["room_below"][_row(level)] == FAR - 4


@each_game
def test_an_opening_to_a_deleted_far_room_is_closed(blender: ModuleType, game: Game) -> None:
    root = import_collision(with_far(game))
    delete_room(root, FAR)
    level, _ = exported(root)
    assert opened(level) == [] and not edits(level)


@each_game
def test_a_far_room_that_is_moved_away_is_closed(blender: ModuleType, game: Game) -> None:
    root = import_collision(with_far(game))
    objects(root, "ROOM")[FAR].location.x += 4096
    bpy.context.view_layer.update()
    level, warnings = exported(root)
    assert opened(level) == []
    assert any("no longer meets a sector, so it is closed" in each for each in warnings)


@each_game
@pytest.mark.parametrize("engine", ["TRX", "ORIGINAL"])
def test_openings_to_rooms_with_too_high_numbers_become_edits(
    blender: ModuleType, game: Game, engine: str
) -> None:
    root: Any = import_collision(level_of_many(game, near=True).to_bytes())
    root.tomb_raider.engine = engine
    last, new = objects(root, "ROOM")[-1], objects(root, "ROOM")[20]
    assert opened(exported(root)[0]) == [(HALL, 254, True)]
    copy = new.copy()
    copy.data = new.data.copy()
    new.users_collection[0].objects.link(copy)
    copy.tomb_raider.index, last.tomb_raider.index = 254, 255
    bpy.context.view_layer.update()
    if engine == "ORIGINAL":
        with pytest.raises(ExportError, match="254"):
            exported(root)
        return
    level, warnings = exported(root)
    number = opened(level)[0][1]
    assert number >= 255 and opened(level) == [(HALL, number, True)]
    assert level.rooms[HALL].sectors["room_below"][_row(level)] == 255
    assert not [each for each in warnings if "can open only to the first" in each]


@each_game
def test_sectors_of_a_level_without_edits_are_the_native_ones(game: Game) -> None:
    level = level_of_many(game, near=True)
    decoded = Decoded(level)
    row = sector_row(level, HALL, PLAIN)
    assert decoded.sectors.room_below[row] == 254
    assert np.array_equal(decoded.sectors.room_below, decoded.native_sectors.room_below)
