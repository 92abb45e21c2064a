"""New actions by Blender's own tools, and what the export dialog does with constraints."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import LARA, actions, animation_count, armature, model_keys, show_library

from ..user_actions import export_file, import_sample

COUNT = 12  # animations of Lara in the sample


def pose_lara(root: Collection) -> Any:
    """Put Lara's armature into pose mode, and return it."""
    show_library(root, LARA)
    rig = armature(root)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="POSE")
    return rig


def test_bake_action_makes_an_animation_that_is_kept(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    rig = pose_lara(root)
    before = rig.animation_data.action
    bpy.ops.nla.bake(frame_start=0, frame_end=6, only_selected=False, visual_keying=True, bake_types={"POSE"})
    made = rig.animation_data.action
    assert made != before
    bpy.context.view_layer.update()
    assert made.tomb_raider.model == rig
    assert made.users > 1
    rig.animation_data.action = before  # by Blender's own selector
    bpy.ops.object.mode_set(mode="OBJECT")
    level = read_level(export_file(tmp_path / "out"))
    assert animation_count(level) == COUNT + 1
    assert len(model_keys(level, LARA, COUNT)) == 7


def test_a_keyed_new_action_is_in_the_list_after_saving(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    rig = pose_lara(root)
    before = rig.animation_data.action
    made = rig.animation_data.action = bpy.data.actions.new("Wave")
    bpy.context.view_layer.update()
    assert made.tomb_raider.model is None  # it has no keys yet
    rig.pose.bones["Head"].keyframe_insert("rotation_quaternion", frame=0)
    bpy.context.view_layer.update()
    rig.animation_data.action = before
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert bpy.data.actions["Wave"].tomb_raider.model.tomb_raider.model.id == 0


def test_the_choice_of_baked_actions(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    rig = armature(root)
    turn = rig.pose.bones["Head"].constraints.new("LIMIT_ROTATION")
    turn.use_limit_x, turn.min_x, turn.max_x, turn.owner_space = True, 1.0, 1.0, "LOCAL"
    shown = rig.animation_data.action.tomb_raider.index - actions(root)[0].tomb_raider.index
    before = [model_keys(read_level(sample_bytes(Game.TR1)), LARA, n) for n in range(COUNT)]

    def changed(**options: Any) -> list[int]:
        level = read_level(export_file(tmp_path / "out", **options))
        keys = [model_keys(level, LARA, number) for number in range(COUNT)]
        return [n for n in range(COUNT) if (keys[n].angles != before[n].angles).any()]

    assert changed() == [shown]
    assert changed(bake_constraints="ALL") == [*range(COUNT)]
    assert changed(bake_constraints="NONE") == []
    assert changed(bake=False) == []  # as scripts and presets of earlier versions say it


def test_a_new_action_of_a_hidden_model_is_kept_by_saving(blender: ModuleType, tmp_path: Path) -> None:
    """Blender evaluates no hidden models, so handlers do not notice what a script keys on them."""
    root = import_sample(tmp_path, "tr1")
    rig = armature(root)
    rig.animation_data.action = bpy.data.actions.new("Wave")
    rig.pose.bones["Head"].keyframe_insert("rotation_quaternion", frame=0)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert bpy.data.actions["Wave"].tomb_raider.model == rig
