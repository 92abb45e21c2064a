"""Users' meshes that are joined to a room."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Matrix

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.subjects.rooms.parts import join_to_room
from io_tomb_raider.ui.rooms.panels import OBJECT_PT_tomb_raider_loose_mesh as Panel
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import export_scene, import_scene, objects


def cube_in(root: Collection, number: int) -> Any:
    """Return a cube of half a unit in the middle of a room, in the level's collection."""
    room = objects(root, "ROOM")[number]
    mesh = bpy.data.meshes.new("Crate")
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=0.5)
    shape.to_mesh(mesh)
    shape.free()
    obj = bpy.data.objects.new("Crate", mesh)
    root.objects.link(obj)
    points = np.array([room.matrix_world @ vertex.co for vertex in room.data.vertices])
    obj.matrix_world = Matrix.Translation(((points.min(axis=0) + points.max(axis=0)) / 2).tolist())
    bpy.context.view_layer.update()
    return obj


@each_game
def test_a_mesh_becomes_a_part_of_the_room_that_it_stands_in(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = cube_in(root, 0)
    place = obj.matrix_world @ obj.data.vertices[0].co
    assert [text for text in export_level(root)[1].warnings if "Join to Room" in text]
    room = join_to_room(root, obj)
    assert room == objects(root, "ROOM")[0]
    old, new = read_level(data), export_scene(root)
    assert len(new.rooms) == len(old.rooms)
    counts = [(len(each.vertices), len(each.quads)) for level in (old, new) for each in level.rooms[:1]]
    assert counts[1] == (counts[0][0] + 8, counts[0][1] + 6)
    assert {path[1] for path in differences(old, new) if path[0] == "rooms"} == {0}
    again = import_scene(new.to_bytes()) if game is Game.TR1 else None
    if again is not None:
        shown = [each.matrix_world @ v.co for each in objects(again, "ROOM")[:1] for v in each.data.vertices]
        assert min((point - place).length for point in shown) < 1e-3


def test_a_joined_mesh_gets_the_light_of_its_room(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    before = read_level(data).rooms[0].vertices["light"].astype(int)
    join_to_room(root, cube_in(root, 0))
    lights = export_scene(root).rooms[0].vertices["light"][-8:]
    # The mean of displayed colors: light in the file decreases with brightness.
    assert len(set(lights.tolist())) == 1
    assert before.min() < lights[0] < before.max()


def test_the_panel_of_a_foreign_mesh_joins_it_to_its_room(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    room = objects(root, "ROOM")[0]
    bpy.context.view_layer.objects.active = room
    assert not Panel.poll(bpy.context)
    obj = cube_in(root, 0)
    bpy.context.view_layer.objects.active = obj
    assert Panel.poll(bpy.context)
    assert bpy.ops.tomb_raider.join_to_room() == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == room
    assert "Crate" not in bpy.data.objects


def test_a_mesh_outside_of_all_rooms_is_joined_to_the_nearest(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    obj = cube_in(root, 0)
    far = max(objects(root, "ROOM"), key=lambda room: room.location.x)
    obj.location.x += 10000
    bpy.context.view_layer.update()
    assert join_to_room(root, obj) == far


@pytest.mark.parametrize("kind", ["empty mesh", "part"])
def test_other_objects_cannot_be_joined(blender: ModuleType, kind: str) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, "ENTITY")[0]
    if kind == "empty mesh":
        obj = bpy.data.objects.new("Nothing", bpy.data.meshes.new("Nothing"))
        root.objects.link(obj)
    with pytest.raises(ExportError):
        join_to_room(root, obj)
