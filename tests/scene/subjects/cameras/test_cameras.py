"""Fixed cameras and sinks: one table of the file, two kinds of objects, and references of triggers."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import CAMERA
from io_tomb_raider.formats.levels.cameras.fixed import find_sinks
from io_tomb_raider.formats.levels.collision.sectors import split_boxes
from io_tomb_raider.formats.levels.floor.editing import edit
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger
from io_tomb_raider.formats.levels.floor.lists import FloorLists, sector_indices
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, objects


def used(level: Level) -> list[tuple[int, int]]:
    """Return the actions of triggers on cameras, with their numbers, in the order of the floor data."""
    return [
        (action.type, action.parameter)
        for functions in FloorLists.read(level).lists.values()
        for function in functions
        if isinstance(function, Trigger)
        for action in function.actions
        if action.type in (ActionType.CAMERA, ActionType.SINK)
    ]


def with_a_sink(game: Game) -> bytes:
    """Return a level whose first camera trigger also shows camera 1, and pulls Lara to sink 2."""
    level = read_level(sample_bytes(game))
    sectors = sector_indices(level.rooms)
    lists = FloorLists.read(level)
    for room, indices in enumerate(sectors):
        for place, functions in enumerate(lists.of(indices)):
            for number, function in enumerate(functions):
                if isinstance(function, Trigger) and function.actions[0].type == ActionType.CAMERA:
                    actions = (
                        *function.actions,
                        Action(ActionType.CAMERA, 1, extra=4),
                        Action(ActionType.SINK, 2),
                    )
                    made = [*functions]
                    made[number] = replace(function, actions=actions)
                    key = (room, *divmod(place, indices.shape[1]))
                    edited = edit(lists.data, sectors, {key: made})
                    level.floor_data = edited.words
                    for each, new in zip(level.rooms, edited.sectors, strict=True):
                        each.sectors = each.sectors.copy()
                        each.sectors["floor_data"] = new.ravel()
                    return level.to_bytes()
    raise AssertionError("no trigger shows a camera first")


def fixed(root: Collection) -> list[Any]:
    return sorted([*objects(root, "CAMERA"), *objects(root, "SINK")], key=lambda obj: obj.tomb_raider.index)


@each_game
def test_cameras_and_sinks_stand_where_the_game_puts_them(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    bpy.context.view_layer.update()
    objs = fixed(root)
    assert [obj.tomb_raider.kind for obj in objs] == ["CAMERA", "CAMERA", "SINK"]
    assert [obj.type for obj in objs] == ["CAMERA", "CAMERA", "EMPTY"]
    for obj, record in zip(objs, level.cameras, strict=True):
        place = Vector((record["x"], record["z"], -int(record["y"]))) * UNIT
        assert (obj.matrix_world.translation - place).length < 1e-5
    rooms = objects(root, "ROOM")
    assert [obj.tomb_raider.camera.room for obj in objs[:2]] == rooms[:2]
    assert [obj.tomb_raider.camera.is_persistent for obj in objs[:2]] == [False, True]
    assert (objs[2].tomb_raider.sink.strength, objs[2].tomb_raider.sink.box) == (5, 2)


@each_game
def test_cameras_move_along_with_their_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "ROOM")[1].location.x += 1024 * UNIT
    bpy.context.view_layer.update()
    moved = export_scene(root)
    assert moved.cameras["x"][1] == read_level(data).cameras["x"][1] + 1024
    assert moved.cameras["room"][1] == 1


EDITS = {
    "flags": (0, "CAMERA", "camera", "flags", 3, [("cameras", 0, "flags")]),
    "persistent": (0, "CAMERA", "camera", "is_persistent", True, [("cameras", 0, "flags")]),
    "strength": (0, "SINK", "sink", "strength", 12, [("cameras", 2, "room")]),
    "box": (0, "SINK", "sink", "box", 1, [("cameras", 2, "flags")]),
}


@each_game
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_property_changes_its_field_alone(blender: ModuleType, game: Game, name: str) -> None:
    number, kind, group, field, value, expected = EDITS[name]

    def change(root: Collection) -> None:
        setattr(getattr(objects(root, kind)[number].tomb_raider, group), field, value)

    assert changes(sample_bytes(game), change) == expected


@each_game
def test_a_moved_camera_changes_its_position_alone(blender: ModuleType, game: Game) -> None:
    def change(root: Collection) -> None:
        objects(root, "CAMERA")[0].location.z += 64 * UNIT
        objects(root, "CAMERA")[1].rotation_euler.z += 1  # which the game does not store

    assert changes(sample_bytes(game), change) == [("cameras", 0, "y")]


def test_a_camera_moved_into_another_room_belongs_to_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    first, second = objects(root, "CAMERA")
    bpy.context.view_layer.update()
    first.matrix_world = second.matrix_world
    bpy.context.view_layer.update()
    assert export_scene(root).cameras["room"].tolist()[:2] == [1, 1]


def test_the_room_that_the_user_chose_counts(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    objects(root, "CAMERA")[0].tomb_raider.camera.room = objects(root, "ROOM")[3]
    assert export_scene(root).cameras["room"][0] == 3


def test_a_camera_moved_out_of_all_rooms_keeps_its_room_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    objects(root, "CAMERA")[1].location.x += 500
    level, report = export_level(root)
    assert level.cameras["room"][1] == 1
    assert any(text.startswith("Camera 1: it is in no room") for text in report.warnings)


@each_game
def test_triggers_follow_the_numbers_of_cameras(blender: ModuleType, game: Game) -> None:
    data = with_a_sink(game)
    before = used(read_level(data))
    assert {number for _, number in before} == {0, 1, 2}
    root = import_scene(data)
    bpy.data.objects.remove(fixed(root)[0])
    after = export_scene(root)
    assert after.cameras.tolist() == read_level(data).cameras.tolist()[1:]
    assert used(after) == [(action, number - 1) for action, number in before if number]


@each_game
def test_copies_are_appended_with_their_kind(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for obj in fixed(root)[1:]:
        copy_of(obj)
    level, new = read_level(data), export_scene(root)
    assert new.cameras.tolist() == [*level.cameras.tolist(), *level.cameras.tolist()[1:]]
    assert used(new) == used(level)


@each_game
def test_a_moved_sink_takes_the_box_of_its_new_place(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    sink = objects(root, "SINK")[0]
    hall = read_level(sample_bytes(game)).rooms[0]
    boxes = split_boxes(hall.sectors["box"], game)[0].tolist()
    place = next(
        place
        for place, box in enumerate(boxes)
        if box not in (-1, 2) and hall.sectors["room_below"][place] == 255
    )
    x, z = divmod(place, hall.z_sectors)
    floor = int(hall.sectors["floor"][place]) * 256
    sink.parent = None
    sink.location = Vector((hall.x + x * 1024 + 512, hall.z + z * 1024 + 512, 64 - floor)) * UNIT
    found = export_scene(root).cameras["flags"][2]
    assert found == boxes[place]


def test_a_sink_above_deep_water_takes_the_box_at_its_ground(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    level = read_level(data)
    above = [
        (room, place)
        for room in level.rooms
        for place in range(len(room.sectors))
        if room.sectors["room_below"][place] != 255
    ]
    assert above
    room, place = above[0]
    level.rooms[level.rooms.index(room)] = room = room.copy()
    room.sectors = room.sectors.copy()
    room.sectors["box"][place] = 0xFFFF
    root = import_scene(level.to_bytes())
    x, z = divmod(place, room.z_sectors)
    surface = int(room.sectors["floor"][place]) * 256
    sink = objects(root, "SINK")[0]
    sink.location = Vector((room.x + x * 1024 + 512, room.z + z * 1024 + 512, 128 - surface)) * UNIT
    below = level.rooms[room.sectors["room_below"][place]]
    ground = (room.x - below.x) // 1024 * below.z_sectors + (room.z - below.z) // 1024
    expected = below.sectors["box"][ground + x * below.z_sectors + z]
    assert export_scene(root).cameras["flags"][2] == expected


def test_a_sink_without_a_box_at_its_position_keeps_its_box_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    objects(root, "SINK")[0].location.x += 5000
    level, report = export_level(root)
    assert level.cameras["flags"][2] == 2
    assert "Sink 2: there is no box at its position, so it keeps box 2" in report.warnings


def test_a_box_that_is_none_is_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    boxes = len(read_level(sample_bytes(Game.TR1)).boxes)
    for box in (999, boxes, boxes - 1):
        objects(root, "SINK")[0].tomb_raider.sink.box = box
        level, report = export_level(root)
        assert level.cameras["flags"][2] == box
        assert (f"Sink 2: the level has no box {box}" in report.warnings) == (box >= boxes)


def test_triggers_distinguish_cameras_from_sinks(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    level.cameras = np.repeat(level.cameras[:1], 4)
    assert find_sinks(level, {0, 1}, {1, 2}).tolist() == [False, False, True, False]


def test_values_distinguish_sinks_without_triggers(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    nowhere, boxes = (900000, 0, 0), len(level.boxes)
    rows = [
        tuple(level.cameras[0]),
        (*nowhere, 5, boxes - 1),  # a box, but no room
        (*nowhere, 99, boxes),  # neither
    ]
    level.cameras = np.array(rows, CAMERA)
    assert find_sinks(level, set(), set()).tolist() == [False, True, False]


@each_game
def test_odd_values_survive(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    rows = [
        (1 << 30, -(1 << 30), 7, -1, 0xFFFF),
        (0, 0, 0, 0x7FFF, 0x8000),
        (-5, 3, 1, -0x8000, 0xFFFF),
    ]
    level.cameras = np.array([*rows, *level.cameras.tolist()], CAMERA)
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    assert export_scene(root, rebuild=True).cameras.tolist() == level.cameras.tolist()


def test_a_strength_that_does_not_fit_is_an_error_that_names_the_sink(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    camera = objects(root, "CAMERA")[0]
    camera.tomb_raider.camera.flags = 0x12345
    with pytest.raises(ExportError, match=r"Camera 0: its flags does not fit the file: 74565"):
        export_scene(root)


@each_game
def test_cameras_that_were_not_imported_are_kept(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(cameras=False)).root
    assert not fixed(root)
    assert export_scene(root).to_bytes() == data


@each_game
def test_cameras_follow_their_rooms_when_one_is_deleted(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    rooms = objects(root, "ROOM")
    gone = next(room for room in reversed(rooms) if room.tomb_raider.index > 1)
    kept = [obj.tomb_raider.camera.room for obj in objects(root, "CAMERA")]
    bpy.data.objects.remove(gone)
    new = export_scene(root)
    order = objects(root, "ROOM")
    assert new.cameras["room"].tolist()[:2] == [order.index(room) for room in kept]
    assert new.cameras["room"][2] == 5


@each_game
def test_cameras_of_a_deleted_room_are_not_moved(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    kinds = {"CAMERA": "cameras", "FLYBY": "flyby_cameras", "AI_OBJECT": "ai_objects"}
    bpy.data.objects.remove(objects(root, "ROOM")[1])
    before, after = read_level(data), export_scene(root)
    for kind, section in kinds.items():
        for number, obj in enumerate(objects(root, kind)):
            old, new = (getattr(level, section)[number] for level in (before, after))
            assert [old[axis] for axis in "xyz"] == [new[axis] for axis in "xyz"], obj.name
            assert 0 <= new["room"] < len(after.rooms)
