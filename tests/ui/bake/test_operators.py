"""Tests of Bake Light, from the dialog and from scripts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.ui.bake.panels import VIEW3D_PT_tomb_raider_baking
from tests.scene.scenes import objects

from ..recorder import draw
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
        bpy.ops.tomb_raider.bake_light(selected=True)
    objects(root, "ROOM")[_CORRIDOR].select_set(True)

    assert bpy.ops.tomb_raider.bake_light(selected=True) == {"FINISHED"}

    after = _light(tmp_path / "after.phd", root)
    assert [one != other for one, other in zip(before, after, strict=True)] == [False, True, False, False]


def test_what_cannot_be_baked_is_told(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    with pytest.raises(RuntimeError, match="choose what to bake"):
        bpy.ops.tomb_raider.bake_light(targets=set())
    bpy.context.view_layer.objects.active = objects(root, "ROOM")[_HALL]
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.tomb_raider.bake_light.poll()


def test_the_sidebar_offers_it(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    assert "tomb_raider.bake_light" in str(draw(VIEW3D_PT_tomb_raider_baking).operators)
