"""Rooms that are moved, copied and deleted: no opening leads to a missing room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.order import ordered
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.portals.room_tools import delete_room, duplicate_room, make_room
from tests.games import each_game
from tests.level_rules import broken_indices, lonely_portals, lost_openings, one_way_openings
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_result

from ...scenes import UNIT, copy_of, export_scene, exported, import_scene, objects, room_object
from ...subjects.collision.collision_meshes import set_face
from ...subjects.rooms.sample_rooms import CORRIDOR, FLOODED, HALL, WATER, imported_room, portal_to

SECTOR = 1024 * UNIT
FAR = 32 * SECTOR  # 64 m
DOOR = (10, 4)  # the sector of the hall that leads to the corridor
POOL = 4  # sectors of the hall that open to the water


def sector(level: Level, room: int, at: tuple[int, int]) -> Any:
    return level.rooms[room].sectors[at[0] * level.rooms[room].z_sectors + at[1]]


def move_far(root: Collection, number: int) -> None:
    imported_room(root, number).location.x += FAR


@each_game
def test_a_room_moved_away_and_its_neighbors_are_closed(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    move_far(root, CORRIDOR)
    level, warnings = exported(root)
    assert (sector(level, HALL, DOOR)["floor"], sector(level, HALL, DOOR)["floor_data"]) == (-127, 0)
    assert level.rooms[HALL].portals["room"].tolist() == [WATER]
    assert level.rooms[CORRIDOR].portals["room"].tolist() == []
    # Its alternate room stayed.
    assert level.rooms[FLOODED].portals["room"].tolist() == [HALL]
    assert (lost_openings(level), broken_indices(level)) == ([], [])
    text = "an opening of its collision to {} no longer meets a sector, so it is closed"
    assert any(each.startswith(f"Room 000: {text.format('Room 001')}") for each in warnings)
    assert any(each.startswith(f"Room 001: {text.format('Room 000')}") for each in warnings)
    assert any("Room 001: a portal to Room 000 no longer meets" in each for each in warnings)


@each_game
@pytest.mark.parametrize("by_hand", [False, True], ids=["tool", "Shift+D"])
def test_a_room_copied_far_away_has_no_openings(blender: ModuleType, game: Game, by_hand: bool) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    made: Any
    if by_hand:
        made = copy_of(room_object(root, HALL))
        made.data = made.data.copy()
    else:
        made = duplicate_room(root, room_object(root, HALL))
    made.location.x += FAR
    old = read_level(data)
    level, warnings = exported(root)
    copy = level.rooms[-1]
    assert (copy.sectors["room_below"] == 255).all()
    assert (lost_openings(level), one_way_openings(level), broken_indices(level)) == ([], set(), [])
    assert copy.portals["room"].tolist() == ([] if not by_hand else copy.portals["room"].tolist())
    for number, room in enumerate(old.rooms):
        assert (level.rooms[number].sectors["room_below"] == room.sectors["room_below"]).all()
        assert (level.rooms[number].portals == room.portals).all()
    assert sum(f"{POOL} openings of its collision to Room 002" in each for each in warnings) == 1


@each_game
def test_rooms_moved_together_keep_their_openings(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for room in objects(root, "ROOM"):
        room.location.y += 4 * SECTOR
    before = read_level(data)
    level, warnings = exported(root)
    assert not any("opening" in each or "portal" in each for each in warnings)
    for old, new in zip(before.rooms, level.rooms, strict=True):
        assert (new.sectors["room_below"] == old.sectors["room_below"]).all()
        assert (new.sectors["floor"] == old.sectors["floor"]).all()
        assert (new.portals == old.portals).all()


@each_game
def test_an_alternate_room_has_the_openings_of_its_original(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    hall = room_object(root, HALL)
    hall.tomb_raider.room.alternate_room = duplicate_room(root, hall)
    level, warnings = exported(root)
    assert level.rooms[-1].portals["room"].tolist() == level.rooms[HALL].portals["room"].tolist()
    assert (level.rooms[-1].sectors["room_below"] == WATER).sum() == POOL
    assert not any("opening" in each or "portal" in each for each in warnings)


def lost(warnings: Sequence[str]) -> list[str]:
    """Return the rooms that are reported as unreachable."""
    return [text.partition(": ")[0] for text in warnings if "cannot be reached" in text]


def test_unreachable_rooms_are_reported_once(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    made = duplicate_room(root, room_object(root, WATER))
    made.location.x += FAR
    assert lost(exported(root)[1]) == [made.name]
    move_far(root, WATER)
    level, warnings = exported(root)
    assert lost(warnings) == [f"{imported_room(root, WATER).name}, {made.name}"]
    root = import_scene(level.to_bytes())
    move_far(root, FLOODED)
    assert lost(exported(root)[1]) == []


def test_invalid_openings_of_the_file_are_kept(blender: ModuleType) -> None:
    for game in (Game.TR1, Game.TR4):
        level = read_level(sample_bytes(game))
        level.rooms[WATER].sectors = level.rooms[WATER].sectors.copy()
        level.rooms[WATER].sectors["room_above"][8] = CORRIDOR  # it has no sector there
        data = level.to_bytes()
        root = import_scene(data)
        move_far(root, FLOODED)
        found, warnings = exported(root)
        assert found.rooms[WATER].sectors["room_above"][8] == CORRIDOR
        assert lost_openings(found) == [(WATER, CORRIDOR)]
        assert not any(each.startswith("Room 002") for each in warnings)


def test_an_opening_closed_on_one_side_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    for x in (7, 8):
        for z in (2, 3):
            set_face(objects(root, "COLLISION")[HALL], 1, (x, z), "tr_room", 0)
    level, warnings = exported(root)
    assert one_way_openings(level) == {(WATER, HALL)}
    text = f"Room 002: {POOL} openings of its collision to Room 000 have none back"
    assert any(each.startswith(text) for each in warnings)


def test_collision_that_is_not_in_the_scene_is_closed_too(blender: ModuleType) -> None:
    root = import_level(sample_bytes(Game.TR5), ImportOptions(collision=False, portals=False)).root
    move_far(root, WATER)
    level, _ = exported(root)
    assert (level.rooms[HALL].sectors["room_below"] == 255).all()
    assert level.rooms[HALL].portals["room"].tolist() == [CORRIDOR]
    assert lost_openings(level) == []


def test_rooms_without_collision_are_reported_with_their_sectors(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    made = copy_of(room_object(root, HALL))
    made.data = made.data.copy()
    made.location.x += FAR
    mesh = bpy.data.meshes.new("Chamber")
    mesh.from_pydata([(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 2)], [], [(0, 1, 2, 3)])
    mesh.materials.append(room_object(root, HALL).data.materials[0])
    chamber = bpy.data.objects.new("Chamber", mesh)
    chamber.location = (90.0, 90.0, 0.0)
    make_room(root, chamber)
    result = export_result(root)
    text = "it is a copy without a collision mesh, so it gets the imported sectors of Room 000"
    assert any(each.startswith(f"{made.name}: {text}") for each in result.report.warnings)
    assert any(each.startswith("Chamber: it has no collision mesh") for each in result.report.warnings)
    # Lists that the copy shares with its original do not count negatively.
    assert min(result.rebuilt.values()) > 0
    assert len(result.level.rooms) == 6


# --- User actions ----------------------------------------


def move_by_a_sector(root: Collection) -> None:
    imported_room(root, CORRIDOR).location.x += SECTOR


def copy_and_move_a_little(root: Collection) -> None:
    duplicate_room(root, imported_room(root, WATER)).location.y += 2 * SECTOR


def copy_of_a_copy(root: Collection) -> None:
    made = duplicate_room(root, imported_room(root, HALL))
    made.location.x -= FAR
    duplicate_room(root, made).location.y -= FAR


def delete_the_middle(root: Collection) -> None:
    delete_room(root, imported_room(root, HALL), with_inhabitants=True)


def delete_the_water(root: Collection) -> None:
    delete_room(root, imported_room(root, WATER), with_inhabitants=False)


def drop_portals(root: Collection) -> None:
    bpy.data.objects.remove(portal_to(root, HALL, WATER))


def move_a_portal(root: Collection) -> None:
    portal_to(root, HALL, CORRIDOR).location.y += 2 * SECTOR


SEQUENCES: list[Sequence[Callable[[Collection], None]]] = [
    (move_by_a_sector,),
    (copy_and_move_a_little, move_by_a_sector),
    (copy_of_a_copy, delete_the_water),
    (move_by_a_sector, copy_of_a_copy, delete_the_middle),
    (drop_portals, move_a_portal, copy_and_move_a_little),
]


@each_game
@pytest.mark.parametrize("edits", SEQUENCES, ids=lambda edits: " and ".join(e.__name__ for e in edits))
def test_every_opening_and_portal_has_a_counterpart_or_a_warning(
    blender: ModuleType, game: Game, edits: Sequence[Callable[[Collection], None]]
) -> None:
    root = import_scene(sample_bytes(game))
    for edit in edits:
        edit(root)
    bpy.context.view_layer.update()
    names = [obj.name for obj, _ in ordered(objects(root, "ROOM"))]
    level, warnings = exported(root)
    assert len(level.rooms) == len(names)
    assert (lost_openings(level), broken_indices(level)) == ([], [])
    for what, pairs in (("opening", one_way_openings(level)), ("portal", lonely_portals(level))):
        for room, target in pairs:
            told = [each for each in warnings if each.startswith(f"{names[room]}: ") and what in each]
            assert any(names[target] in each for each in told), (what, names[room], names[target])
    assert export_scene(root, rebuild=True).to_bytes()


@each_real_level
def test_moved_rooms_of_real_levels_leave_no_invalid_openings(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    old = read_level(data)
    skip_without(old.rooms)
    count = len(old.rooms)
    root = import_scene(data)
    duplicate_room(root, imported_room(root, count // 2)).location.x += FAR
    imported_room(root, count // 3).location.y -= FAR
    bpy.context.view_layer.update()
    names = [obj.name for obj, _ in ordered(objects(root, "ROOM"))]
    level, warnings = exported(root)
    assert set(lost_openings(level)) <= set(lost_openings(old))
    assert broken_indices(level) == broken_indices(old)
    for room, target in one_way_openings(level) - one_way_openings(old):
        told = [each for each in warnings if each.startswith(f"{names[room]}: ") and "opening" in each]
        assert any(names[target] in each for each in told), (names[room], names[target])
    for room in set(range(count)) - {count // 3}:
        assert (level.rooms[room].vertices == old.rooms[room].vertices).all()
