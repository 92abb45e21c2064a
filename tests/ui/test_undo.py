"""Tests of the extension's automatic changes during undo and redo."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.blender.handler_suspension import handlers_suspended
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.lights.object_lighting import LitLevel, light_level
from io_tomb_raider.scene.transfer.adoption import reconciling as reconciling
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import import_scene, objects

from .user_actions import after_events


def test_undo_and_redo_search_each_level_once_for_new_objects(
    blender: ModuleType, extension: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for game in (Game.TR1, Game.TR4):
        import_level(sample_bytes(game), name=game.name)
    layer = bpy.context.view_layer
    layer.update()
    layer.active_layer_collection = layer.layer_collection.children["TR1"]
    bpy.ops.ed.undo_push(message="Imported")
    bpy.ops.object.light_add(type="POINT", location=(1, 1, 1))
    name = bpy.context.object.name
    bpy.ops.ed.undo_push(message="Added")
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Selected")

    looked: list[str] = []
    reconcile = reconciling.reconcile

    def counted(root: Any, *others: Any) -> Any:
        looked.append(root.name)
        return reconcile(root, *others)

    monkeypatch.setattr(reconciling, "reconcile", counted)
    # Redo must have no steps, since a claim would discard them.
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo):
        step()
        after_events()
        assert looked == []
    bpy.ops.ed.redo()
    after_events()
    assert sorted(looked) == ["TR1", "TR4"]
    assert bpy.data.objects[name].tomb_raider.kind == "LIGHT"


def lit_values(root: Collection) -> dict[str, dict[str, tuple[float, ...]]]:
    """Return the stored light of each object of a level, by its name."""
    result: dict[str, dict[str, tuple[float, ...]]] = {}
    for obj in root.all_objects:
        if obj.tomb_raider.is_property_set("lit"):
            lit = obj.tomb_raider.lit
            names = [each.identifier for each in lit.bl_rna.properties if each.type == "FLOAT"]
            result[obj.name] = {name: tuple(getattr(lit, name)) for name in names}
    return result


def move(obj: Any, by: tuple[float, float, float]) -> None:
    """Move an object as users do: the undo step is pushed before the handlers run."""
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.transform.translate("EXEC_DEFAULT", True, value=by)
    after_events()


@each_game
def test_light_on_objects_is_right_after_undo_and_redo(
    blender: ModuleType, extension: Any, game: Game
) -> None:
    root = import_scene(sample_bytes(game))
    name = root.name
    after_events()
    bpy.ops.ed.undo_push(message="Imported")
    entity = objects(root, "ENTITY")[1]
    room = entity.tomb_raider.entity.room
    lights = objects(root, "LIGHT")
    light = next(each for each in lights if each.parent == room)
    elsewhere = next(each for each in lights if each.parent != room)
    far = elsewhere.matrix_world.translation - light.matrix_world.translation - Vector((0.5, 0, 0.25))
    light_name = light.name
    steps = [lit_values(root)]
    for obj, by in ((light, (0.5, 0, 0.25)), (entity, (0.5, 0.5, 0)), (light, far), (entity, (0, 0.5, 0))):
        move(obj, by)
        steps.append(lit_values(root))
    assert steps[0] != steps[1] != steps[2] != steps[3]
    place = len(steps) - 1
    for way in (*[-1] * 4, *[1] * 3, *[-1] * 2):
        (bpy.ops.ed.undo if way < 0 else bpy.ops.ed.redo)()
        after_events()
        place += way
        root = bpy.data.collections[name]
        assert lit_values(root) == steps[place], place
        light_level(root)
        assert lit_values(root) == steps[place], place
    # Undo moved the light back, so the room where it is gets darker.
    bpy.data.objects[light_name].location += far
    after_events()
    moved = lit_values(root)
    light_level(root)
    assert lit_values(root) == moved != steps[place]


def test_undo_lights_only_objects_whose_light_has_changed(
    blender: ModuleType, extension: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    after_events()
    bpy.ops.ed.undo_push(message="Imported")
    moved = objects(root, "ENTITY")[1]
    name, root_name = moved.name, root.name
    move(moved, (0.5, 0.5, 0))
    lit: list[str] = []
    light = LitLevel.light

    def counted(self: LitLevel, obj: Any) -> None:
        lit.append(obj.name)
        light(self, obj)

    monkeypatch.setattr(LitLevel, "light", counted)
    bpy.ops.ed.undo()
    assert set(lit) == {name}
    # The next change is an edit again.
    lit.clear()
    other = objects(bpy.data.collections[root_name], "ENTITY")[0]
    other.location.x += 0.5
    after_events()
    assert set(lit) == {other.name}


def test_undo_restores_values_of_lights_that_were_set_after_their_step(
    blender: ModuleType, extension: Any
) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    after_events()
    bpy.ops.ed.undo_push(message="Imported")
    sun = next(each for each in objects(root, "LIGHT") if each.data and each.data.type == "SUN")
    name = sun.name

    def direction() -> tuple[float, ...]:
        return tuple(bpy.data.objects[name].tomb_raider.light.direction)

    before = direction()
    bpy.ops.object.select_all(action="DESELECT")
    sun.select_set(True)
    bpy.context.view_layer.objects.active = sun
    bpy.ops.transform.rotate("EXEC_DEFAULT", True, value=1.0, orient_axis="X")
    after_events()
    turned = direction()
    assert turned != before
    move(objects(root, "ENTITY")[1], (0.5, 0, 0))
    bpy.ops.ed.undo()
    after_events()
    assert direction() == turned
    bpy.ops.ed.undo()
    after_events()
    assert direction() == before


def test_undo_restores_the_sky_that_was_hidden_after_its_step(blender: ModuleType, extension: Any) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    after_events()
    rooms, name = objects(root, "ROOM"), objects(root, "SKY")[0].name
    with handlers_suspended():  # as in a step that is pushed before the update
        for room in rooms:
            room.tomb_raider.room.shows_sky = False
        bpy.ops.ed.undo_push(message="Without sky")
    rooms[0].update_tag()
    after_events()
    assert bpy.data.objects[name].hide_render
    bpy.ops.ed.undo_push(message="Another step")
    with handlers_suspended():
        bpy.ops.ed.undo()
        assert not bpy.data.objects[name].hide_render
    bpy.ops.ed.redo()
    bpy.ops.ed.undo()
    after_events()
    assert bpy.data.objects[name].hide_render
