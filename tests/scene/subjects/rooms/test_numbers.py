"""Added and deleted rooms: references by number still refer to the same rooms."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.level.footer import ROOM_FLAGS, split_footer
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.portals.room_tools import delete_room as remove_room
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import SAMPLES, named_sample, sample_bytes
from tests.scene.exporting import export_level

from ...scenes import export_scene, import_scene, objects, room_object
from .sample_rooms import CORRIDOR, FLOODED, HALL, WATER, assert_rooms_mean_the_same, imported_room, room_map

PARTS = ("LIGHT", "PLACEMENT", "SPRITE", "PORTAL", "COLLISION", "TRIGGER")
SINK = 2  # the sample levels' third camera


def delete_room(root: Collection, number: int) -> None:
    """Delete a room and its parts, but not its inhabitants."""
    remove_room(root, imported_room(root, number), with_inhabitants=False)


def duplicate_room(root: Collection, number: int) -> Any:
    """Duplicate a room and its parts, as Shift+D does: parents of copies are copies."""
    room = imported_room(root, number)
    parts = [t for t in room.children_recursive if t.tomb_raider.kind in PARTS]
    copies = {obj: obj.copy() for obj in (room, *parts)}
    for obj, made in copies.items():
        made.parent = copies.get(obj.parent)
        for collection in obj.users_collection:
            collection.objects.link(made)
    copies[room].data = room.data.copy()
    return copies[room]


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "tr3-textiles"])
@pytest.mark.parametrize("number", [HALL, CORRIDOR, WATER, FLOODED])
def test_a_duplicated_room_leaves_all_others_alone(blender: ModuleType, name: str, number: int) -> None:
    data = named_sample(name)
    root = import_scene(data)
    duplicate_room(root, number)
    old, new = read_level(data), export_scene(root)
    count = len(old.rooms)
    assert_rooms_mean_the_same(old, new, room_map(count), [number], [SINK])
    copy, source = new.rooms[-1], old.rooms[number]
    for section in ("vertices", "quads", "triangles", "sprites", "lights", "static_meshes"):
        assert np.array_equal(getattr(copy, section), getattr(source, section)), section
    assert (copy.x, copy.z, copy.flags) == (source.x, source.z, source.flags)


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "tr3-textiles"])
@pytest.mark.parametrize("number", [WATER, FLOODED])
def test_a_deleted_room_leaves_all_others_alone(blender: ModuleType, name: str, number: int) -> None:
    data = named_sample(name)
    root = import_scene(data)
    delete_room(root, number)
    old, new = read_level(data), export_scene(root)
    assert_rooms_mean_the_same(old, new, room_map(len(old.rooms), [number]), sinks=[SINK])


def is_above(room: Any, record: Any) -> bool:
    """Return whether a record is above the sectors of a room."""
    x, z = int(record["x"]) - room.x, int(record["z"]) - room.z
    return bool(0 <= x < room.x_sectors * 1024 and 0 <= z < room.z_sectors * 1024)


@each_game
def test_entities_of_a_deleted_room_get_another_with_a_warning(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    delete_room(root, CORRIDOR)
    delete_room(root, FLOODED)
    level, report = export_level(root)
    old, new = read_level(data), read_level(level.to_bytes())
    names = [obj.name for obj in objects(root, "ENTITY")]
    for row, (before, after) in enumerate(zip(old.entities, new.entities, strict=True)):
        assert 0 <= after["room"] < len(new.rooms)
        assert [before[axis] for axis in "xyz"] == [after[axis] for axis in "xyz"]
        if before["room"] == CORRIDOR:
            warned = any(text.startswith(f"{names[row]}: ") for text in report.warnings)
            assert warned or is_above(new.rooms[int(after["room"])], after)
    assert any("closed" in text for text in report.warnings)


def test_a_copied_room_does_not_need_sound_floor_data(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.rooms[0].sectors = level.rooms[0].sectors.copy()
    level.rooms[0].sectors["floor_data"][7] = 60000
    root = import_scene(level.to_bytes())
    root.tomb_raider.pathfinding = "NEVER"
    duplicate_room(root, CORRIDOR)
    assert len(export_scene(root).rooms) == len(level.rooms) + 1


@each_game
def test_two_rooms_deleted_and_one_copied_at_once(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    duplicate_room(root, HALL)
    delete_room(root, FLOODED)
    old, new = read_level(data), export_scene(root)
    assert_rooms_mean_the_same(old, new, room_map(len(old.rooms), [3]), [HALL], [SINK])


@each_real_level
def test_rooms_of_real_levels_can_be_duplicated_and_deleted(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    old = read_level(data)
    skip_without(old.rooms)
    count = len(old.rooms)
    standing = {int(r) for s in ("entities",) for r in getattr(old, s)["room"].tolist()}
    empty = [n for n in range(1, count - 1) if n not in standing and n != count // 2]
    root = import_scene(data)
    duplicate_room(root, count // 2)
    numbers, deleted = room_map(count), empty[len(empty) // 2 : len(empty) // 2 + 1]
    if deleted:
        delete_room(root, deleted[0])
        numbers = room_map(count, deleted)
    new = export_scene(root)
    assert_rooms_mean_the_same(old, new, numbers, [count // 2])


@each_game
def test_references_to_a_deleted_room_are_cleared(blender: ModuleType, game: Game) -> None:
    # Like the operator of the viewport: the data-block persists while pointers use it.
    data = sample_bytes(game)
    root = import_scene(data)
    room = room_object(root, FLOODED)
    for obj in (room, *room.children_recursive):
        for collection in list(obj.users_collection):
            collection.objects.unlink(obj)
    assert room_object(root, CORRIDOR).tomb_raider.room.alternate_room == room
    new = export_scene(root)
    assert new.rooms[CORRIDOR].alternate_room == -1
    assert len(new.rooms) == len(read_level(data).rooms) - 1


@each_game
def test_contents_of_a_deleted_room_are_left_out(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.objects.remove(room_object(root, WATER))
    level, report = export_level(root)
    old, new = read_level(data), read_level(level.to_bytes())
    assert_rooms_mean_the_same(old, new, room_map(len(old.rooms), [WATER]), sinks=[SINK])
    for section in ("lights", "static_meshes", "sprites"):
        counts = [len(getattr(room, section)) for room in old.rooms]
        counts.pop(WATER)
        assert [len(getattr(room, section)) for room in new.rooms] == counts
    assert any("its room was deleted" in text for text in report.warnings)


@each_game
def test_all_rooms_deleted_are_an_error(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for obj in objects(root, "ROOM"):
        bpy.data.objects.remove(obj)
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == "Rooms"


@each_game
def test_rooms_that_were_not_imported_stay(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(rooms=False)).root
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_records_that_are_not_in_the_scene_follow(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(entities=False, lights=False, static_meshes=False)).root
    delete_room(root, WATER)
    old, new = read_level(data), export_scene(root)
    assert_rooms_mean_the_same(old, new, room_map(len(old.rooms), [WATER]), sinks=[SINK])


@pytest.mark.parametrize("game", list(Game)[:3])
def test_the_demo_begins_in_the_same_room(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    demo = level.demo_data.copy()
    demo[24:28] = np.frombuffer(pack("<i", FLOODED), np.uint8)
    level.demo_data = demo
    root = import_scene(level.to_bytes())
    delete_room(root, WATER)
    assert export_scene(root).demo_data[24:28].tobytes() == pack("<i", FLOODED - 1)


def test_flags_of_rooms_in_a_trng_footer_follow(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4, trng=True))
    head, footer = split_footer(level.footer.tobytes())
    assert footer is not None
    rows = [bytes([number] * 8) for number in range(len(level.rooms))]
    with_flags = footer.with_chunk(ROOM_FLAGS, pack("<H", len(rows)) + b"".join(rows))
    level.footer = np.frombuffer(head + with_flags.to_bytes(), np.uint8)
    root = import_scene(level.to_bytes())
    duplicate_room(root, FLOODED)
    delete_room(root, WATER)
    result, report = export_level(root)
    found = split_footer(read_level(result.to_bytes()).footer.tobytes())[1]
    assert found is not None
    assert found.get(ROOM_FLAGS) == pack("<H", 4) + rows[0] + rows[1] + rows[3] + rows[3]
    assert any("TRNG script" in text for text in report.warnings)


def test_contents_that_were_not_imported_move_with_a_duplicated_room(blender: ModuleType) -> None:
    for game in Game:
        data = sample_bytes(game)
        root = import_level(data, ImportOptions(lights=False, static_meshes=False)).root
        made = duplicate_room(root, HALL)
        made.location.x += 2.0 * 16
        old, new = read_level(data).rooms[HALL], export_scene(root).rooms[-1]
        assert new.x == old.x + 16 * 1024
        for section in ("lights", "static_meshes"):
            before, after = getattr(old, section), getattr(new, section)
            assert after["x"].tolist() == [x + 16 * 1024 for x in before["x"].tolist()]
            assert np.array_equal(before["z"], after["z"])


def test_a_room_too_far_behind_cannot_be_opened_to(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    level = read_level(data)
    level.rooms = [*(level.rooms[CORRIDOR].copy() for _ in range(253)), *level.rooms]
    for room in level.rooms:
        room.portals, room.alternate_room = room.portals[:0], -1
        room.sectors = room.sectors.copy()
        room.sectors["room_below"] = room.sectors["room_above"] = 255
    level.rooms[0].sectors["room_below"][8] = 254
    for section in ("entities", "ai_objects", "flyby_cameras"):
        records = getattr(level, section).copy()
        records["room"] += 253
        setattr(level, section, records)
    root = import_scene(level.to_bytes())
    made = duplicate_room(root, 1)
    assert made is not None
    level, report = export_level(root)
    assert any("the first 255" in text for text in report.warnings) == (len(level.rooms) > 257)
    assert len(level.rooms) == 258
