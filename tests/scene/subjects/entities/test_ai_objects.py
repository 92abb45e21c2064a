"""AI objects: markers that are moved, rotated, added and deleted."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.bytes.records import AI_OBJECT
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, objects

each_late_game = pytest.mark.parametrize("game", [Game.TR4, Game.TR5])


def with_objects(game: Game, rows: list[tuple[Any, ...]]) -> bytes:
    level = read_level(sample_bytes(game))
    level.ai_objects = np.array([*level.ai_objects.tolist(), *rows], AI_OBJECT)
    return level.to_bytes()


@each_late_game
def test_ai_objects_stand_where_the_game_puts_them(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    bpy.context.view_layer.update()
    for obj, record in zip(objects(root, "AI_OBJECT"), level.ai_objects, strict=True):
        place = Vector((record["x"], record["z"], -int(record["y"]))) * UNIT
        assert (obj.matrix_world.translation - place).length < 1e-5
        assert obj.tomb_raider.ai_object.room == objects(root, "ROOM")[record["room"]]
        assert obj.parent == objects(root, "ROOM")[record["room"]]


def test_start_positions_of_lara_are_named(blender: ModuleType) -> None:
    for game, number in ((Game.TR4, 406), (Game.TR5, 386)):
        root = import_scene(with_objects(game, [(number, 0, 1536, 0, 1536, 3, 0, 0, 0)]))
        mark = objects(root, "AI_OBJECT")[-1]
        assert mark.name.startswith("Lara start position")
        assert mark.show_name
        assert mark.tomb_raider.ai_object.ocb == 3


EDITS: dict[str, tuple[str, Any, str]] = {
    "type": ("type", 406, "type"),
    "ocb": ("ocb", -3, "ocb"),
    "flags": ("flags", 0x3E, "flags"),
    "activation": ("activation", (True, False, True, False, False), "flags"),
    "box": ("box", 1, "box"),
}


@each_late_game
@pytest.mark.parametrize("name", EDITS)
def test_an_edited_property_changes_its_field_alone(blender: ModuleType, game: Game, name: str) -> None:
    field, value, changed = EDITS[name]

    def edit(root: Collection) -> None:
        setattr(objects(root, "AI_OBJECT")[1].tomb_raider.ai_object, field, value)

    assert changes(sample_bytes(game), edit) == [("ai_objects", 1, changed)]


@each_late_game
def test_moves_and_turns_change_position_and_angle_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        first, second = objects(root, "AI_OBJECT")
        first.location.x += 16 * UNIT
        second.rotation_euler.z += np.pi / 2

    assert changes(sample_bytes(game), edit) == [("ai_objects", 0, "x"), ("ai_objects", 1, "angle")]


@each_late_game
def test_copies_are_appended_and_deleted_objects_removed(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    first, second = objects(root, "AI_OBJECT")
    copy_of(second)
    bpy.data.objects.remove(first)
    before = read_level(data).ai_objects
    assert export_scene(root).ai_objects.tolist() == [before[1].tolist(), before[1].tolist()]


@each_late_game
def test_an_ai_object_moved_into_another_room_belongs_to_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mark, camera = objects(root, "AI_OBJECT")[0], objects(root, "CAMERA")[0]
    bpy.context.view_layer.update()
    mark.matrix_world.translation = camera.matrix_world.translation
    assert export_scene(root).ai_objects["room"][0] == 0


def test_an_ai_object_moved_out_of_all_rooms_keeps_its_room_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mark = objects(root, "AI_OBJECT")[0]
    mark.location.x += 5000
    level, report = export_level(root)
    assert level.ai_objects["room"][0] == 1
    assert any(text.startswith(f"{mark.name}: it is in no room") for text in report.warnings)


@each_late_game
def test_odd_values_survive(blender: ModuleType, game: Game) -> None:
    rows = [
        (0xFFFF, 0xFFFF, 1 << 30, -(1 << 30), 5, -0x8000, 0xFFFF, -0x8000, -0x8000),
        (400, 200, -1, 2, -3, 0x7FFF, 0x8000, 0x7FFF, 0x7FFF),
    ]
    data = with_objects(game, rows)
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    assert export_scene(root, rebuild=True).ai_objects.tolist() == read_level(data).ai_objects.tolist()


def test_a_value_that_does_not_fit_is_an_error_that_names_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    mark = objects(root, "AI_OBJECT")[0]
    mark.tomb_raider.ai_object.flags = 0x10000
    with pytest.raises(ExportError, match="its flags does not fit the file: 65536"):
        export_scene(root)


@each_late_game
def test_ai_objects_are_kept_if_entities_were_not_imported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(entities=False)).root
    assert not objects(root, "AI_OBJECT")
    assert export_scene(root).to_bytes() == data
