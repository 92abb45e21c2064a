"""Tests of saving: on a full disk, the previous file and the level are kept; originals stay originals."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import read_level
from io_tomb_raider.scene.core import original
from tests.full_disk import full_disk
from tests.scene.scenes import copy_of, objects

from ..user_actions import export_file, import_file, levels, sample_file


@pytest.mark.skipif(os.name == "nt", reason="limits of a process are Unix's")
@pytest.mark.parametrize("game", ["tr1", "tr4"])
def test_a_full_disk_loses_no_data(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr(original, "_SMALL", 0)  # pack small levels, too, on each save
    source = sample_file(tmp_path, game)
    scene = tmp_path / "scene.blend"
    import_file(source)
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    saved = scene.read_bytes()
    import_file(source)  # added to the scene, but not packed yet
    with full_disk(len(saved) // 2), pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    assert scene.read_bytes() == saved
    for root in levels():
        layers = bpy.context.view_layer.layer_collection.children
        bpy.context.view_layer.active_layer_collection = layers[root.name]
        assert export_file(tmp_path / "exported") == source.read_bytes()
    bpy.ops.wm.save_as_mainfile(filepath=str(scene))
    bpy.ops.wm.open_mainfile(filepath=str(scene))
    assert len(levels()) == 2


def test_an_original_with_a_longer_name_stays_the_original_in_a_saved_file(
    blender: ModuleType, tmp_path: Path
) -> None:
    source = sample_file(tmp_path, "tr1")
    import_file(source)
    entity = objects(levels()[0], "ENTITY")[0]
    entity.name = "Z, the one of the file"
    copy_of(entity).location.x += 2
    bpy.data.objects[f"{entity.name}.001"].name = "A"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    before, after = read_level(source).entities, read_level(export_file(tmp_path / "out")).entities
    assert after[:-1].tobytes() == before.tobytes() and len(after) == len(before) + 1
