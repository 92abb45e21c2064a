"""Poses between key frames, lengths, muted channels: exports match Blender's evaluation."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Collection
from mathutils import Quaternion

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.subjects.animations.keys.timing import Timing, timing_of
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import (
    ENEMY,
    LARA,
    actions,
    armature,
    curve,
    curves,
    first_animation,
    model_keys,
    posed,
    show_library,
    shown_vertices,
    turn_key,
)
from ...scenes import exported, import_scene

DATA = sample_bytes(Game.TR1)
HEAD = 2  # of the enemy, whose first action has a key every 2 ticks


def enemy_action(root: Collection) -> Action:
    action = actions(root, ENEMY)[0]
    assert action.tomb_raider.frame_rate == 2
    return action


def bone_of(action: Action, number: int = HEAD) -> str:
    return str(action.tomb_raider.model.data.bones[number].name)


def key_turn(action: Action, frame: float, degrees: float, kind: str = "LINEAR") -> None:
    """Insert a key of a rotation about a bone's x axis, as a user does."""
    quaternion: Any = Quaternion((1, 0, 0), np.radians(degrees))
    for index, value in enumerate(quaternion):
        found = curve(action, bone_of(action), "rotation_quaternion", index)
        point = found.keyframe_points.insert(frame, value)
        point.interpolation = kind


def rate_of(level: Level, model: int = ENEMY) -> int:
    return int(level.animations["frame_rate"][first_animation(level, model)])


def has_warning(warnings: list[str], *texts: str) -> bool:
    return any(all(text in warning for text in texts) for warning in warnings)


def test_a_pose_between_key_frames_is_written(blender: ModuleType) -> None:
    root = import_scene(DATA)
    action = enemy_action(root)
    key_turn(action, 3, 55)
    show_library(root, ENEMY)
    level, warnings = exported(root)
    assert rate_of(level) == 1
    assert has_warning(warnings, action.name, "Frame Rate", "Resample")
    keys = model_keys(level, ENEMY)
    assert len(keys) == int(action.frame_end) + 1
    for frame in range(len(keys)):
        for one, two in zip(
            posed(level, ENEMY, keys, frame), shown_vertices(root, ENEMY, frame), strict=True
        ):
            assert np.abs(one - two).max() < 4


def test_a_finer_rate_changes_only_keys_of_its_animation(blender: ModuleType) -> None:
    root = import_scene(DATA)
    key_turn(enemy_action(root), 3, 55)
    before, (after, _) = read_level(DATA), exported(root)
    for name in ("first_frame", "last_frame", "speed", "next_animation", "next_frame"):
        assert (before.animations[name] == after.animations[name]).all()
    assert (before.animation_dispatches == after.animation_dispatches).all()
    assert before.animation_commands.tolist() == after.animation_commands.tolist()
    one, two = model_keys(before, ENEMY), model_keys(after, ENEMY)
    # Poses that the file had before keep their encoding.
    assert (two.angles[6::2] == one.angles[3:-1]).all()
    assert (two.boxes[6::2] == one.boxes[3:-1]).all()


def test_a_key_between_others_halves_the_rate(blender: ModuleType) -> None:
    root = import_scene(DATA)
    action = enemy_action(root)
    action.tomb_raider.frame_rate = 4
    for found in curves(action):
        for point in reversed(found.keyframe_points):
            if point.co.x % 4:
                found.keyframe_points.remove(point)
        found.update()
    assert rate_of(exported(root)[0]) == 4
    key_turn(action, 6, 55)
    level, warnings = exported(root)
    assert rate_of(level) == 2
    assert has_warning(warnings, action.name, "4 ticks", "2 ticks")


def test_redundant_keys_do_not_change_the_rate(blender: ModuleType) -> None:
    root = import_scene(DATA)
    for found in curves(enemy_action(root)):
        point = found.keyframe_points.insert(3, found.evaluate(3))
        point.interpolation = "LINEAR"
    level, report = export_level(root)
    assert level.to_bytes() == DATA
    assert not report.warnings


@pytest.mark.parametrize(("kind", "rate"), [("CONSTANT", 1), ("LINEAR", 2)])
def test_the_shape_of_curves_counts(blender: ModuleType, kind: str, rate: int) -> None:
    """Keys with constant interpolation, as the dope sheet sets them; no key changes."""
    root = import_scene(DATA)
    action = enemy_action(root)
    key_turn(action, 4, 60)
    for found in curves(action):
        for point in found.keyframe_points:
            point.interpolation = kind
    level, warnings = exported(root)
    assert rate_of(level) == rate
    assert has_warning(warnings, action.name) == (rate == 1)
    if kind == "CONSTANT":
        keys = model_keys(level, ENEMY)
        assert (keys.angles[5] == keys.angles[4]).all()


def test_a_changed_interpolation_is_an_edit(blender: ModuleType) -> None:
    root = import_scene(DATA)
    key_turn(enemy_action(root), 4, 60)
    data = exported(root)[0].to_bytes()
    start_empty()
    again = import_scene(data)
    for found in curves(enemy_action(again)):
        for point in found.keyframe_points:
            point.interpolation = "CONSTANT"
    assert rate_of(exported(again)[0]) == 1


def test_keys_between_ticks_are_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    action = enemy_action(root)
    key_turn(action, 3, 55)
    key_turn(action, 5.5, -55)
    _, warnings = exported(root)
    assert has_warning(warnings, action.name, "frame 5.50", "whole frame")


@pytest.mark.parametrize("of_group", [False, True])
def test_muted_channels_and_muted_groups_count_alike(blender: ModuleType, of_group: bool) -> None:
    root = import_scene(DATA)
    action = actions(root)[0]
    found: Any = curve(action, "Head", "rotation_quaternion", 0)
    if of_group:
        found.group.mute = True
    else:
        for index in range(4):
            curve(action, "Head", "rotation_quaternion", index).mute = True
    level, warnings = exported(root)
    keys, before = model_keys(level), model_keys(read_level(DATA))
    head = armature(root).data.bones.find("Head")
    assert not keys.angles[:, head].any()
    assert before.angles[:, head].any()
    assert has_warning(warnings, action.name, "4 of its channels are muted")


def test_the_length_stays_without_a_manual_frame_range(blender: ModuleType) -> None:
    root = import_scene(DATA)
    for action in bpy.data.actions:
        action.use_frame_range = False
    level, report = export_level(root)
    assert level.to_bytes() == DATA
    assert not report.warnings


@pytest.mark.parametrize(
    ("first", "last", "ticks"), [(0, 6.6, 7), (0, 6.4, 6), (1.5, 8.25, 7), (3, 3, 0), (4, 2, 0)]
)
def test_lengths_between_ticks_become_the_nearest(
    blender: ModuleType, first: float, last: float, ticks: int
) -> None:
    action = bpy.data.actions.new("Walk")
    imported = Timing.over(0, 2, 20)
    for keys in (None, (0.0, 20.0)):
        action.use_frame_range, action.frame_start, action.frame_end = True, first, last
        action.tomb_raider.frame_rate = 2
        expected = Timing(action.frame_start, 2, (ticks + 1) // 2 + 1, max(ticks, 0))
        assert timing_of(action, keys, imported) == expected
    action.use_frame_range = False
    if last > first:
        assert timing_of(action, (first, last), None) == Timing(first, 2, (ticks + 1) // 2 + 1, ticks)


def test_keys_moved_by_less_than_half_a_frame_are_unchanged(blender: ModuleType) -> None:
    action = bpy.data.actions.new("Walk")
    action.tomb_raider.frame_rate = 2
    imported = Timing.over(0, 2, 19)  # its last key is after its end
    for span in ((0.0, 20.0), (0.0, 20.4), (0.0, 19.6), (0.4, 20.0), (-0.4, 20.4)):
        assert timing_of(action, span, imported) == imported, span
    assert timing_of(action, (0.0, 20.6), imported) == Timing.over(0, 2, 21)
    assert timing_of(action, (0.0, 19.4), imported) == Timing.over(0, 2, 19)
    assert timing_of(action, (0.6, 20.0), imported) == Timing.over(0.6, 2, 19)


def test_keys_give_the_length_without_a_manual_frame_range(blender: ModuleType) -> None:
    root = import_scene(DATA)
    action = actions(root)[0]
    action.use_frame_range = False
    for found in curves(action):
        while found.keyframe_points[-1].co.x > 6:
            found.keyframe_points.remove(found.keyframe_points[-1])
    level, _ = exported(root)
    row = first_animation(level, LARA)
    assert int(level.animations["last_frame"][row] - level.animations["first_frame"][row]) == 6
    assert len(model_keys(level)) == 7


def test_an_action_of_another_model_is_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    run, enemy = actions(root)[0], armature(root, ENEMY)
    enemy.animation_data.action = run
    level, report = export_level(root)
    assert level.to_bytes() == DATA
    assert has_warning(report.warnings, enemy.name, run.name, "copy", "Model")


def test_nla_strips_are_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    lara = armature(root)
    track = lara.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, actions(root)[1])
    _, warnings = exported(root)
    assert has_warning(warnings, lara.name, "NLA")
    track.mute = True
    assert not exported(root)[1]


def test_untouched_rates_stay(blender: ModuleType) -> None:
    """One edited action of a model does not change the rates of the others."""
    root = import_scene(DATA)
    turn_key(enemy_action(root), bone_of(enemy_action(root)), 1, Quaternion((1, 0, 0), 0.3)[:])
    before, (after, warnings) = read_level(DATA), exported(root)
    assert (before.animations["frame_rate"] == after.animations["frame_rate"]).all()
    assert not warnings
