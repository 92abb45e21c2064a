"""Layers of animations: poses on a few keys that are added to all others, as users make them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action
from mathutils import Quaternion

from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations import (
    action_in_use,
    drop_unused_tracks,
    layered_action,
    show_animation,
)
from tests.scene.scenes import exported

from ..control_rig.posing import FINISHED, posing
from ..user_actions import export_file

POSED = 4
TURN = Quaternion((0.0, 0.0, 1.0), 0.6)


def matrices(rig: Any, frames: range) -> Any:
    """Return what Blender shows of all bones at some frames, (n, m, 4, 4)."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown: Any = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bones = [bone for bone in shown.pose.bones if not bone.bone.tomb_raider.control]
        found.append(np.array([bone.matrix for bone in bones]))
    return np.array(found)


def pose(rig: Any, name: str, frame: int) -> None:
    """Turn a bone or move a control at a frame, and key it."""
    bpy.context.scene.frame_set(frame)
    bone = rig.pose.bones[name]
    bone.rotation_quaternion = bone.rotation_quaternion @ TURN
    bone.keyframe_insert("rotation_quaternion")


def keys(action: Action, rig: Any) -> dict[tuple[str, int], list[tuple[float, ...]]]:
    found = {}
    for curve in compat.find_channels(action, rig).fcurves:
        found[curve.data_path, curve.array_index] = [tuple(point.co) for point in curve.keyframe_points]
    return found


@pytest.mark.parametrize("is_rigged", [False, True])
@pytest.mark.parametrize("influence", [1.0, 0.5])
def test_a_baked_layer_gives_the_pose_that_was_shown(
    blender: ModuleType, tmp_path: Path, is_rigged: bool, influence: float
) -> None:
    _, rig, own = posing(tmp_path)
    if is_rigged:
        bpy.ops.tomb_raider.add_control_rig()
    frames = range(int(own[0].frame_range[0]), int(own[0].frame_range[1]) + 1)
    before = matrices(rig, frames)
    assert bpy.ops.tomb_raider.add_layer() == FINISHED
    assert layered_action(rig) == own[0] and action_in_use(rig) == own[0]
    assert np.allclose(matrices(rig, frames), before, atol=1e-4)
    head, hand = "Head", next(bone.name for bone in rig.pose.bones if bone.name.endswith("Hand.L"))
    for name, frame in ((head, POSED), (head, POSED + 4), (hand, POSED + 2)):
        pose(rig, "Control Head" if is_rigged and name == head else name, frame)
    rig.animation_data.action_influence = influence
    layered = matrices(rig, frames)
    assert np.abs(layered - before).max(axis=(1, 2, 3)).min() > 0.05  # one key holds over all frames
    assert bpy.ops.tomb_raider.bake_layer() == FINISHED
    assert layered_action(rig) is None and rig.animation_data.action == own[0]
    assert own[0].tomb_raider.layer is None and not len(rig.animation_data.nla_tracks)
    assert np.allclose(matrices(rig, frames), layered, atol=2e-3)
    assert len(export_file(tmp_path / "layered.phd")) > 1000


def test_keys_without_change_end_a_layer(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    first, last = (int(frame) for frame in own[0].frame_range)
    before, old = matrices(rig, range(first, last + 1)), keys(own[0], rig)
    bpy.ops.tomb_raider.add_layer()
    pose(rig, "Head", POSED)
    for frame in (POSED - 2, POSED + 2):
        bpy.context.scene.frame_set(frame)
        assert bpy.ops.tomb_raider.key_rest() == FINISHED
    bpy.ops.tomb_raider.bake_layer()
    change = np.abs(matrices(rig, range(first, last + 1)) - before).max(axis=(1, 2, 3))
    assert (change[POSED - 1 - first : POSED + 2 - first] > 0.05).all()
    assert change[: POSED - 1 - first].max() < 1e-4 and change[POSED + 2 - first :].max() < 1e-4
    changed = {path for path, points in keys(own[0], rig).items() if points != old.get(path)}
    assert {path for path, _ in changed} == {'pose.bones["Head"].rotation_quaternion'}


def test_a_layer_stays_with_its_animation_while_another_is_shown(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    assert show_animation(rig, own[1])
    other = matrices(rig, range(3))
    show_animation(rig, own[0])
    bpy.ops.tomb_raider.add_layer()
    pose(rig, "Head", POSED)
    layer = rig.animation_data.action
    show_animation(rig, own[1])
    assert action_in_use(rig) == own[1] and np.allclose(matrices(rig, range(3)), other, atol=1e-5)
    show_animation(rig, own[0])
    assert rig.animation_data.action == layer and layered_action(rig) == own[0]
    compat.assign_action(rig, own[1])  # in the Action Editor
    assert drop_unused_tracks(rig)
    assert np.allclose(matrices(rig, range(3)), other, atol=1e-5)


def test_other_tools_and_exports_ask_to_bake_a_layer(blender: ModuleType, tmp_path: Path) -> None:
    root, rig, _ = posing(tmp_path)
    untouched = export_file(tmp_path / "before.phd")
    bpy.ops.tomb_raider.add_layer()
    assert not bpy.ops.tomb_raider.mirror_animation.poll()
    assert export_file(tmp_path / "empty.phd") == untouched
    pose(rig, "Head", POSED)
    assert export_file(tmp_path / "layer.phd") == untouched
    warnings = [text for text in exported(root)[1] if "Run" in text or "Lara" in text]
    assert len(warnings) == 1 and "its layer is not exported" in warnings[0]
    bpy.ops.tomb_raider.bake_layer(discard=True)
    assert bpy.ops.tomb_raider.mirror_animation.poll() and not bpy.ops.tomb_raider.bake_layer.poll()
    assert export_file(tmp_path / "after.phd") == untouched
