"""Objects moved by constraints, drivers and keys: exported where they are seen, hidden or not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level, read_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import UNIT, export_scene, import_scene, objects


def exclude(root: Collection, kind: str) -> None:
    """Exclude a collection of a level from the view layer, so that Blender no longer evaluates it."""

    def visit(layer: Any) -> None:
        if layer.collection.tomb_raider.kind == kind:
            layer.exclude = True
        for child in layer.children:
            visit(child)

    visit(bpy.context.view_layer.layer_collection)
    bpy.context.view_layer.update()


def entity_place(level: Level, number: int) -> list[int]:
    return [int(level.entities[axis][number]) for axis in "xyz"]


def keep_at(obj: Any, target: Any) -> None:
    obj.constraints.new("COPY_LOCATION").target = target


def drive(obj: Any, target: Any) -> None:
    for axis in range(3):
        driver = obj.driver_add("location", axis).driver
        driver.type = "SUM"
        variable = driver.variables.new()
        variable.targets[0].id, variable.targets[0].data_path = target, f"location[{axis}]"


@pytest.mark.parametrize("move", [keep_at, drive])
@pytest.mark.parametrize("hidden", ["excluded", "disabled", "shown"])
def test_constrained_objects_are_exported_at_their_evaluated_position(
    blender: ModuleType, move: Any, hidden: str
) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    first, second = objects(root, "ENTITY")[:2]
    if hidden == "excluded":
        exclude(root, "ENTITIES")
    first.hide_viewport = hidden == "disabled"
    move(first, second)
    second.location.x += 32 * UNIT
    bpy.context.view_layer.update()
    level, report = export_level(root)
    assert entity_place(level, 0) == entity_place(level, 1)
    assert not [text for text in report.warnings if "animated" in text]


def test_children_of_a_constrained_object_follow_it(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    first = objects(root, "ENTITY")[0]
    exclude(root, "ENTITIES")
    target, handle = (bpy.data.objects.new(name, None) for name in ("Target", "Handle"))
    for each in (target, handle):
        objects(root, "ENTITY")[0].users_collection[0].objects.link(each)
    target.location.x = 64 * UNIT
    keep_at(handle, target)
    first.parent = handle
    x, y, z = entity_place(read_level(data), 0)
    assert entity_place(export_level(root)[0], 0) == [x + 64, y, z]


@pytest.mark.parametrize("is_excluded", [False, True])
def test_animated_objects_are_exported_at_the_current_frame_with_a_warning(
    blender: ModuleType, is_excluded: bool
) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    obj = objects(root, "ENTITY")[0]
    x = obj.location.x
    for frame, shift in ((1, 0), (11, 100)):
        obj.location.x = x + shift * UNIT
        obj.keyframe_insert("location", frame=frame)
    if is_excluded:
        exclude(root, "ENTITIES")
    bpy.context.scene.frame_set(6)
    level, report = export_level(root)
    before = entity_place(read_level(data), 0)
    assert abs(entity_place(level, 0)[0] - before[0] - 50) <= 1
    assert entity_place(level, 0)[1:] == before[1:]
    told = [text for text in report.warnings if text.startswith(f"{obj.name}: it is animated")]
    assert told and told[0].endswith("at frame 6")


def test_an_evaluation_runs_no_handlers_of_others(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    first, second = objects(root, "ENTITY")[:2]
    exclude(root, "ENTITIES")
    keep_at(first, second)
    calls: list[str] = []

    def note(*_: object) -> None:
        calls.append("update")

    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        export_scene(root)
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)
    assert calls == []
    assert [scene.name for scene in bpy.data.scenes] == [bpy.context.scene.name]
