"""Tests of putting models and animations into WADs and WAD2s, and of exporting levels as such files."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats.editors.wads.object_files import open_objects, read_files
from io_tomb_raider.formats.editors.wads.wad2.level import wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.wad2 import read_wad2
from tests.scene.scenes import objects
from tests.wad2_samples import differences, sample_wad2
from tests.wad_samples import sample_swd, sample_wad

from ..user_actions import import_file, import_sample, select


def _wad2(folder: Path) -> Any:
    path = folder / "sample.wad2"
    path.write_bytes(sample_wad2())
    return import_file(path)


def _armature(root: Any, model: int) -> Any:
    return next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == model)


def test_a_wad2_is_exported_under_its_own_ending(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    target = tmp_path / "new.wad2"
    assert bpy.ops.export_scene.tomb_raider(filepath=str(target)) == {"FINISHED"}
    assert target.read_bytes() == sample_wad2()
    from io_tomb_raider.ui.base.levels import file_name, with_suffix

    assert (file_name(root), file_name(root, playable=True)) == ("sample.wad2", "sample.TR4")
    assert with_suffix("a.WAD", root) == "a.WAD" and with_suffix("a", root) == "a.TR4"


def test_a_model_goes_into_a_file_and_nothing_else_changes_there(blender: ModuleType, tmp_path: Path) -> None:
    root = _wad2(tmp_path)
    target = tmp_path / "mine.wad2"
    target.write_bytes(sample_wad2())
    select(_armature(root, 0))
    assert bpy.ops.tomb_raider.put_model(filepath=str(target), model=71) == {"FINISHED"}
    assert differences(sample_wad2(), target.read_bytes()) == ["W2Moveables[0].W2Moveable 2 -> 3"]
    made = wad2_to_level(read_wad2(target.read_bytes())).moveables
    assert [each.id for each in made] == [0, 70, 71]
    assert [each.name for each in made[2].animations] == ["RUN", "STOP", "old"]


def test_an_animation_goes_into_a_file_in_place_of_another_or_as_a_new_one(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = _wad2(tmp_path)
    target = tmp_path / "mine.wad2"
    target.write_bytes(sample_wad2())
    armature = _armature(root, 0)
    select(armature)
    new = armature.animation_data.action.copy()  # a copy of animation 1 by Blender's own tools
    new.name = "Wave"
    armature.animation_data.action = new
    bone = armature.pose.bones[-1]
    bpy.context.scene.frame_set(0)
    bone.rotation_quaternion = 0, 1, 0, 0
    bone.keyframe_insert("rotation_quaternion", frame=0)
    assert bpy.ops.tomb_raider.put_animation(filepath=str(target)) == {"FINISHED"}
    made = wad2_to_level(read_wad2(target.read_bytes())).moveables[0].animations
    assert len(made) == 4
    assert np.abs(made[3].angles[0, 1] - (180, 0, 0)).max() < 0.01
    assert bpy.ops.tomb_raider.put_animation(filepath=str(target), model=0, animation=2) == {"FINISHED"}
    made = wad2_to_level(read_wad2(target.read_bytes())).moveables[0].animations
    assert len(made) == 4 and made[2].name == "old"
    assert np.abs(made[2].angles[0, 1] - (180, 0, 0)).max() < 0.01


def test_a_model_of_a_level_goes_into_a_wad(blender: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.wad").write_bytes(sample_wad().to_bytes())
    (tmp_path / "a.swd").write_bytes(sample_swd().to_bytes())
    root = import_sample(tmp_path, "tr4")
    model = objects(root, "MODEL")[0]
    select(model)
    assert bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / "a.wad"), model=999) == {"FINISHED"}
    made = open_objects(read_files(tmp_path / "a.wad")).level
    assert made.models["id"].tolist() == sorted([*sample_wad().models["id"].tolist(), 999])
    assert (tmp_path / "a.swd").read_bytes() == sample_swd().to_bytes()


def test_invalid_target_files_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    _wad2(tmp_path)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = None
    assert not bpy.ops.tomb_raider.put_model.poll()
    root = import_sample(tmp_path, "tr2")
    select(objects(root, "MODEL")[0])
    for path, words in (
        ("a.tr4", "Choose a .wad or .wad2"),
        ("none.wad2", "none.wad2 was not written"),
        ("sample.wad2", "it is for TR2, and such files are for TR4"),
    ):
        with pytest.raises(RuntimeError, match=words):
            bpy.ops.tomb_raider.put_model(filepath=str(tmp_path / path))
    assert (tmp_path / "sample.wad2").read_bytes() == sample_wad2()
