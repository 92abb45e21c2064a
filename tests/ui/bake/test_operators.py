"""Tests of Bake Light, from the dialog and from scripts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.ui.bake.operators import TOMB_RAIDER_OT_bake_light
from tests.scene.scenes import objects

from ..user_actions import export_file, import_file, import_sample, sample_file

_HALL, _CORRIDOR = range(2)


def _light(path: Path, root: Any) -> list[Any]:
    return [
        room.vertices["light"].tolist() for room in read_level(export_file(path, collection=root.name)).rooms
    ]


@pytest.mark.parametrize("method", ["FORMULA", "CYCLES"])
def test_light_is_baked_and_undo_takes_it_back(blender: ModuleType, tmp_path: Path, method: str) -> None:
    source = sample_file(tmp_path, "tr1")
    name = import_file(source).name
    bpy.ops.ed.undo_push(message="before")
    options: dict[str, Any] = {
        "method": method,
        "samples": 1,
        "targets": {"ROOMS", "STATIC_MESHES", "AMBIENT"},
    }

    assert bpy.ops.tomb_raider.bake_light("EXEC_DEFAULT", True, **options) == {"FINISHED"}

    path = tmp_path / "out.phd"
    export_file(path, collection=name)
    assert path.read_bytes() != source.read_bytes()
    bpy.ops.ed.undo()
    export_file(path, collection=name)
    assert path.read_bytes() == source.read_bytes()


def test_only_selected_rooms_are_baked(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    before = _light(tmp_path / "before.phd", root)
    bpy.ops.object.select_all(action="DESELECT")
    with pytest.raises(RuntimeError, match="No room is selected"):
        bpy.ops.tomb_raider.bake_light(rooms="SELECTED")
    objects(root, "ROOM")[_CORRIDOR].select_set(True)

    assert bpy.ops.tomb_raider.bake_light(rooms="SELECTED") == {"FINISHED"}

    after = _light(tmp_path / "after.phd", root)
    assert [one != other for one, other in zip(before, after, strict=True)] == [False, True, False, False]


class _Dialog:
    """Blender's window manager, and an operator whose dialog it opens."""

    def __init__(self, **options: Any) -> None:
        self.window_manager, self.properties, self.options = self, self, options
        self.rooms = options.get("rooms", "ALL")

    def invoke_props_dialog(self, _operator: object) -> set[str]:
        return {"RUNNING_MODAL"}

    def is_property_set(self, name: str) -> bool:
        return name in self.options

    def open(self) -> str:
        self.selected_objects, self.object = bpy.context.selected_objects, bpy.context.object
        invoke: Any = TOMB_RAIDER_OT_bake_light.invoke
        assert invoke(self, self, None) == {"RUNNING_MODAL"}
        return str(self.rooms)


def test_the_dialog_offers_the_rooms_of_the_selection(blender: ModuleType, tmp_path: Path) -> None:
    """A light in the corridor, as in the panel of a light: only the corridor gets other light."""
    root = import_sample(tmp_path, "tr1")
    bpy.ops.tomb_raider.toggle_library(kind="LIGHTS")
    before = _light(tmp_path / "before.phd", root)
    corridor = objects(root, "ROOM")[_CORRIDOR]
    lights = [each for each in objects(root, "LIGHT") if each.parent == corridor]
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None
    assert _Dialog().open() == "ALL"
    with pytest.raises(RuntimeError, match="The active object is in no room"):
        bpy.ops.tomb_raider.bake_light(rooms="ACTIVE")
    bpy.context.view_layer.objects.active = lights[0]
    lights[0].select_set(True)
    assert _Dialog(rooms="ALL").open() == "ALL"
    objects(root, "ROOM")[_CORRIDOR + 1].select_set(True)
    assert _Dialog().open() == "SELECTED"
    objects(root, "ROOM")[_CORRIDOR + 1].select_set(False)
    assert _Dialog().open() == "ACTIVE"
    assert bpy.ops.tomb_raider.bake_light(rooms="ACTIVE") == {"FINISHED"}
    after = _light(tmp_path / "after.phd", root)
    assert [one != other for one, other in zip(before, after, strict=True)] == [False, True, False, False]
