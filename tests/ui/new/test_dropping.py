"""Tests that objects dropped on a 3D view are placed on the visible floor."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.new.dropping import drop_to_floor, seen_place
from io_tomb_raider.ui.new import dropping
from tests.games import each_game
from tests.scene.scenes import objects

from ..user_actions import after_events, export_file, import_sample


def instance_of(model: Any, place: Vector) -> Any:
    """Add an instance of a model like Blender, and have it adopted by the level."""
    made = bpy.data.objects.new(model.name, None)
    made.instance_type, made.instance_collection, made.location = "COLLECTION", model, place
    bpy.context.collection.objects.link(made)
    after_events()
    assert made.tomb_raider.kind == "ENTITY"
    return made


@each_game
def test_a_dropped_enemy_stands_on_the_floor_under_the_mouse(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    enemy = next(each for each in objects(root, "ENTITY") if each.tomb_raider.index == 2)
    floor = enemy.location.z
    for step in (Vector((1.4, -0.3, 0)), Vector((0.2, 0.7, 0))):
        place = enemy.location + step
        eye = place + Vector((3, -7, 20))  # above the ceiling, whose back faces the view
        made = instance_of(enemy.instance_collection, place - Vector((0, 0, 9)))
        assert drop_to_floor(root, made, eye, (place - eye) * 3)
        # In the middle of the sector, like added enemies.
        middle = [place.x // 2 * 2 + 1, place.y // 2 * 2 + 1, floor]
        assert np.allclose(made.location, middle, atol=1e-4)
        assert made.tomb_raider.entity.room == enemy.tomb_raider.entity.room
    added = read_level(export_file(tmp_path / "out")).entities[-2:]
    assert added["type"].tolist() == [enemy.tomb_raider.entity.type] * 2
    assert added["room"].tolist() == [1, 1]


def test_redo_restores_the_place_of_a_dropped_object(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, "tr1")
    wolf = next(each for each in objects(root, "ENTITY") if each.name == "Wolf 2")
    place = wolf.location.copy()
    raw = place - Vector((0, 0, 9))  # where Blender places it
    bpy.ops.ed.undo_push(message="Imported")
    ray = (place + Vector((0, 0, 1)), Vector((0, 0, -1)))
    monkeypatch.setattr(dropping, "ray_of_drop", lambda: ray)  # only windows have a mouse
    made: Any = bpy.data.objects.new("Mine", None)
    made.instance_type, made.instance_collection, made.location = "COLLECTION", wolf.instance_collection, raw
    bpy.context.collection.objects.link(made)
    bpy.ops.ed.undo_push(message="Dropped")
    after_events()
    assert (made.location - place).length < 1e-4
    monkeypatch.undo()
    for step, is_landed in ((bpy.ops.ed.undo, False), (bpy.ops.ed.undo, None), (bpy.ops.ed.redo, False)):
        step()
        after_events()
        assert _has_landed("Mine", place) is is_landed
    bpy.ops.ed.redo()
    after_events()
    assert _has_landed("Mine", place)
    assert bpy.data.objects["Mine"].tomb_raider.kind == "ENTITY"


def _has_landed(name: str, place: Vector) -> bool | None:
    obj = bpy.data.objects.get(name)
    return None if obj is None else (obj.location - place).length < 1e-4


def test_objects_dropped_on_a_wall_are_placed_below_it(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    wolf = next(each for each in objects(root, "ENTITY") if each.name == "Wolf 1")  # in the hall
    made = instance_of(wolf.instance_collection, Vector((0, 0, 0)))
    eye = wolf.location + Vector((0, 0, 2))
    wall = seen_place(root, eye, Vector((-1, 0, 0)))
    assert wall is not None and abs(wall.z - eye.z) < 1e-4
    assert drop_to_floor(root, made, eye, Vector((-1, 0, 0)))
    away = made.location - Vector((wall.x, wall.y, 0))
    assert np.allclose(away, (1, 0, 0), atol=1)  # on that sector, which is 2 m wide
    assert abs(away.z) < 1e-4


def test_objects_dropped_outside_of_visible_rooms_are_not_moved(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    wolf = next(each for each in objects(root, "ENTITY") if each.name == "Wolf 2")
    made = instance_of(wolf.instance_collection, Vector((1, 2, 3)))
    assert not drop_to_floor(root, made, Vector((500, 500, 50)), Vector((0, 0, -1)))
    for room in objects(root, "ROOM"):
        room.hide_set(True)
    assert not drop_to_floor(root, made, wolf.location + Vector((0, 0, 1)), Vector((0, 0, -1)))
    assert made.location == Vector((1, 2, 3)) and made.tomb_raider.entity.room is None


def test_a_dropped_switch_hangs_on_the_nearest_wall(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    switch = next(each for each in objects(root, "ENTITY") if each.name.startswith("Wall switch"))
    made = instance_of(switch.instance_collection, Vector((0, 0, 0)))
    place = switch.location + Vector((0.2, 0.5, 0))
    assert drop_to_floor(root, made, place + Vector((0, 0, 1)), Vector((0, 0, -1)))
    assert np.allclose(made.location, list(switch.location), atol=1e-4)
    assert np.isclose(made.rotation_euler.z, switch.rotation_euler.z)
