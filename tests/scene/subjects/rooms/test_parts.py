"""Separated parts of rooms: one room in the file, until they are connected as rooms."""

from __future__ import annotations

from types import ModuleType

import bmesh
import bpy
import pytest
from mathutils import Matrix

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.subjects.rooms.parts import join_back
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import UNIT, copy_of, edit_bmesh, exported, import_scene, objects, room_object
from .sample_rooms import CORRIDOR, HALL, SECTOR, beyond, separate


@each_game
def test_a_separated_part_is_written_as_a_part_of_its_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    part = separate(room_object(root, HALL), beyond(6))
    level, warnings = exported(root)
    assert differences(read_level(data), level) == []
    assert any(each.startswith(f"{part.name}: it was separated from Room 000") for each in warnings)


def test_a_part_of_a_room_without_collision_belongs_to_it(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    hall = room_object(root, HALL)
    for child in hall.children:
        if child.tomb_raider.kind == "COLLISION":
            bpy.data.objects.remove(child)
    part = separate(hall, beyond(6))
    level, warnings = exported(root)
    assert len(level.rooms) == len(read_level(data).rooms)
    assert [each.partition(":")[0] for each in warnings if "was separated from" in each] == [part.name]


@each_game
def test_separated_parts_are_exported_as_one_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    hall = room_object(root, HALL)
    separate(hall, beyond(8))
    separate(hall, beyond(5))
    middle = next(iter(hall.data.polygons)).center.copy()
    separate(hall, lambda each: (each - middle).length < 1e-3)
    level, _ = exported(root)
    assert len(objects(root, "ROOM")) == len(level.rooms) + 3
    assert differences(read_level(data), level) == []


@each_game
def test_a_part_that_was_edited_is_written_as_it_is(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    part = separate(room_object(root, HALL), beyond(6))
    vertex = max(part.data.vertices, key=lambda each: each.co.x)
    number = part.data.attributes["tr_vertex"].data[vertex.index].value
    vertex.co.z += 256 * UNIT
    level, _ = exported(root)
    found = [path for path in differences(read_level(data), level) if path[2] == "vertices"]
    assert found == [("rooms", HALL, "vertices", number, "y")]


def test_faces_that_are_new_in_a_part_are_the_last_ones(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    part = separate(room_object(root, HALL), beyond(6))
    edit_bmesh(part.data, lambda edited: bmesh.ops.duplicate(edited, geom=[edited.faces[0]]))
    level, _ = exported(root)
    before, after = (each.rooms[HALL].quads["vertices"].tolist() for each in (read_level(data), level))
    assert after[:-1] == before and after[-1] in before


def test_a_part_of_a_copy_belongs_to_the_copy(blender: ModuleType) -> None:
    from io_tomb_raider.scene.subjects.portals.room_tools import duplicate_room

    root = import_scene(sample_bytes(Game.TR4))
    made = duplicate_room(root, room_object(root, CORRIDOR))
    made.location.x += 20 * SECTOR
    bpy.context.view_layer.update()
    separate(made, beyond(3))
    level, _ = exported(root)
    assert len(level.rooms) == 5
    assert (level.rooms[-1].vertices == level.rooms[CORRIDOR].vertices).all()
    assert len(level.rooms[-1].quads) == len(level.rooms[CORRIDOR].quads)


def test_rooms_that_the_file_does_not_have_are_no_parts(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    for _ in range(2):
        made = copy_of(room_object(root, HALL))
        made.data = made.data.copy()
        made.location.x += 20 * SECTOR
        made.tomb_raider.index = 4  # as many as it has
    level, warnings = exported(root)
    assert len(level.rooms) == 6
    assert not any("separated" in each for each in warnings)


def test_a_copy_without_collision_is_no_part(blender: ModuleType) -> None:
    for half in (False, True):
        root = import_scene(sample_bytes(Game.TR3))
        made = copy_of(room_object(root, HALL))
        made.data = made.data.copy()
        made.location.x += 20 * SECTOR
        if half:
            bpy.context.view_layer.update()
            bpy.data.objects.remove(separate(made, beyond(6)))
        level, warnings = exported(root)
        assert len(level.rooms) == 5
        assert not any("separated" in each for each in warnings)
        for obj in list(bpy.data.collections):
            bpy.data.collections.remove(obj)


@each_game
def test_a_part_is_joined_back_without_a_seam(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    hall = room_object(root, HALL)
    count = len(hall.data.vertices), len(hall.data.polygons)
    part = separate(hall, beyond(6))
    part.location.x += SECTOR  # and back
    part.data.transform(Matrix.Translation((-SECTOR, 0, 0)))
    own = bpy.data.materials.new("Own")
    part.data.materials[0] = own
    used = sum(polygon.material_index == 0 for polygon in part.data.polygons)
    assert join_back(root, part) == hall
    assert (len(hall.data.vertices), len(hall.data.polygons)) == count
    shown = [hall.data.materials[polygon.material_index] for polygon in hall.data.polygons]
    assert shown.count(own) == used
    assert len(objects(root, "ROOM")) == len(read_level(data).rooms)
    with pytest.raises(ExportError):
        join_back(root, hall)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_lights_of_a_separated_part_stay_in_the_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    part = separate(room_object(root, HALL), beyond(6))
    for light in [each for each in objects(root, "LIGHT") if each.parent == room_object(root, HALL)][:1]:
        light.parent = part
    level, _ = exported(root)
    assert len(level.rooms[HALL].lights) == len(read_level(data).rooms[HALL].lights)
