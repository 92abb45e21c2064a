"""Spread Edit: a change of the pose at one frame, over the keys around it, as the games read it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Quaternion

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.scene.authoring.animation_tools.clip import loop_frames
from io_tomb_raider.scene.authoring.animation_tools.spread import Spread, spread_edit
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.ui import handlers
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import LARA, actions, armature, curve, edit_bones, model_keys, show_library
from tests.scene.scenes import exported, import_scene

from .helpers import RUN, STAND, WALK, degrees_between, matrices

THIGH = 1
TURN = Quaternion((0.9, 0.3, 0.2, -0.1)).normalized()


@pytest.fixture(autouse=True)
def _handlers(blender: ModuleType) -> Any:
    """Register the handlers that note poses, if the extension is not enabled."""
    lists: list[Any] = [bpy.app.handlers.frame_change_post, bpy.app.handlers.depsgraph_update_post]
    missing = [each for each in lists if handlers._note_pose not in each]
    for each in missing:
        each.append(handlers._note_pose)
    yield
    for each in missing:
        each.remove(handlers._note_pose)


def pose_mode(root: Collection, number: int, frame: int) -> Any:
    """Show an animation of Lara at a frame, in pose mode."""
    arm = armature(root)
    show_library(root, LARA)
    compat.assign_action(arm, actions(root)[number])
    bpy.context.view_layer.objects.active = arm
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(frame)
    return arm


def turn(arm: Any, bone: str, *, key: bool) -> None:
    """Rotate a bone about axes of its parent, as a person does, with or without Autokey."""
    posed = arm.pose.bones[bone]
    posed.rotation_quaternion = TURN @ posed.rotation_quaternion
    if key:
        posed.keyframe_insert("rotation_quaternion", options={"INSERTKEY_NEEDED"} if key is None else set())


def select(arm: Any, *names: str) -> None:
    for bone in arm.pose.bones:
        compat.select_bone(bone, bone.name in names)


def spread(root: Collection, arm: Any, number: int, ticks: int, **options: Any) -> Spread | None:
    scene = bpy.context.scene
    found = spread_edit(arm, actions(root)[number], scene.frame_current, ticks, **options)
    scene.frame_set(scene.frame_current)
    return found


def turned_by(old: Level, new: Level, number: int, bone: int) -> np.ndarray:
    """Return by how many degrees a bone differs, key by key."""
    return degrees_between(matrices(new, number)[:, bone], matrices(old, number)[:, bone])


FULL = np.degrees(2 * np.arccos(TURN.w))


def fading(ticks: int, keys: int, at: int, rate: int = 1) -> np.ndarray:
    """Return the angles by which keys shall differ."""
    part = np.clip(1 - np.abs(np.arange(keys) - at) * rate / ticks, 0, 1)
    return np.asarray(FULL * part * part * (3 - 2 * part))


@each_game
@pytest.mark.parametrize("key", [False, True], ids=["posed", "keyed"])
def test_a_pose_fades_out_whether_it_was_keyed_or_not(blender: ModuleType, game: Game, key: bool) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 10)
    turn(arm, "Thigh.L", key=key)
    found = spread(root, arm, RUN, 5)
    assert found == Spread(["Thigh.L"], 9, 6.0, 14.0, is_guessed=False)
    new, warnings = exported(root)
    assert warnings == []
    wanted = fading(5, 21, 10)
    assert wanted[10] == pytest.approx(FULL) and wanted[5] == 0
    assert np.abs(turned_by(old, new, RUN, THIGH) - wanted).max() < 0.5
    others = [bone for bone in range(15) if bone != THIGH]
    before, after = model_keys(old, LARA, RUN), model_keys(new, LARA, RUN)
    assert np.array_equal(before.angles[:, others], after.angles[:, others])
    outside = [key for key in range(21) if abs(key - 10) >= 5]
    assert np.array_equal(before.angles[outside], after.angles[outside])
    assert np.array_equal(before.offsets, after.offsets)


def test_hips_move_and_several_bones_are_spread_at_once(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 10)
    turn(arm, "Hand.R", key=True)
    hips = arm.pose.bones["Hips"]
    matrix = hips.matrix.copy()
    matrix.translation.z += 64 / 512  # up
    hips.matrix = matrix
    hips.keyframe_insert("location")
    found = spread(root, arm, RUN, 4)
    assert found is not None and set(found.bones) == {"Hips", "Hand.R"} and found.keys == 7
    new = exported(root)[0]
    moved = model_keys(new, LARA, RUN).offsets - model_keys(old, LARA, RUN).offsets
    part = np.clip(1 - np.abs(np.arange(21) - 10) / 4, 0, 1)
    assert np.abs(moved[:, 1] + 64 * part * part * (3 - 2 * part)).max() <= 1  # y is down
    assert np.abs(moved[:, [0, 2]]).max() <= 1
    assert np.abs(turned_by(old, new, RUN, 10) - fading(4, 21, 10)).max() < 0.5


def test_the_change_goes_on_across_the_loop_by_choice(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 1)
    turn(arm, "Thigh.L", key=True)
    assert loop_frames(actions(root)[RUN]) == (0, 21)
    spread(root, arm, RUN, 4, loop=loop_frames(actions(root)[RUN]))
    away = turned_by(old, exported(root)[0], RUN, THIGH)
    around = np.minimum((np.arange(21) - 1) % 21, (1 - np.arange(21)) % 21)
    part = np.clip(1 - around / 4, 0, 1)
    assert part[20] > 0 and part[19] > 0 and part[18] == 0
    assert np.abs(away - FULL * part * part * (3 - 2 * part)).max() < 0.5


def test_without_the_loop_the_other_end_stays(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 1)
    turn(arm, "Thigh.L", key=True)
    spread(root, arm, RUN, 4)
    away = turned_by(old, exported(root)[0], RUN, THIGH)
    assert np.abs(away - fading(4, 21, 1)).max() < 0.5 and away[20] == 0


def test_a_second_edit_at_the_same_frame_is_spread_alone(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 10)
    turn(arm, "Thigh.L", key=True)
    spread(root, arm, RUN, 5)
    turn(arm, "Hand.L", key=False)
    found = spread(root, arm, RUN, 5)
    assert found is not None and found.bones == ["Hand.L"]
    away = turned_by(old, exported(root)[0], RUN, THIGH)
    assert np.abs(away - fading(5, 21, 10)).max() < 0.5  # once


def test_without_an_edit_nothing_is_spread(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    for number, frame in ((RUN, 10), (WALK, 0), (STAND, 41)):
        arm = pose_mode(root, number, frame)
        select(arm, "Hips", "Thigh.L", "Calf.L", "Head")
        assert spread(root, arm, number, 5) is None
    assert exported(root)[0].to_bytes() == data


def test_a_key_that_was_edited_before_is_compared_with_those_around_it(blender: ModuleType) -> None:
    """A person poses with Autokey, looks at other frames, comes back, and then wants to spread it."""
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    arm = pose_mode(root, RUN, 10)
    turn(arm, "Thigh.L", key=True)
    bpy.context.scene.frame_set(3)
    bpy.context.scene.frame_set(10)
    select(arm)
    assert spread(root, arm, RUN, 5) is None  # motions have sharp turns of their own
    select(arm, "Thigh.L", "Head")
    found = spread(root, arm, RUN, 5)
    assert found is not None and found.bones == ["Thigh.L"] and found.is_guessed
    away = turned_by(old, exported(root)[0], RUN, THIGH)
    assert np.abs(away - fading(5, 21, 10)).max() < 4  # the line between keys is not quite the old pose
    assert away[10] == pytest.approx(FULL, abs=0.5)


def test_only_chosen_bones_change(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    arm = pose_mode(root, RUN, 10)
    turn(arm, "Thigh.L", key=True)
    turn(arm, "Hand.L", key=True)
    found = spread(root, arm, RUN, 5, only={"Hand.L"})
    assert found is not None and found.bones == ["Hand.L"]


@pytest.mark.parametrize("mode", ["XYZ", "AXIS_ANGLE"])
def test_bones_that_turn_by_angles(blender: ModuleType, mode: str) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    arm = pose_mode(root, RUN, 10)
    bone, action = arm.pose.bones["Thigh.L"], actions(root)[RUN]
    channel = "rotation_euler" if mode == "XYZ" else "rotation_axis_angle"
    bone.rotation_mode = mode
    values = (0.1, 0.2, 0.3) if mode == "XYZ" else (0.3, 0.0, 0.0, 1.0)
    for index in range(4):
        channels = compat.find_channels(action, arm)
        channels.fcurves.remove(curve(action, "Thigh.L", "rotation_quaternion", index))
    for frame in range(21):
        setattr(bone, channel, values)
        bone.keyframe_insert(channel, frame=frame)
    bpy.context.scene.frame_set(11)
    bpy.context.scene.frame_set(10)
    old = exported(root)[0]
    before = bone.matrix_basis.to_quaternion()
    changed: Any = TURN @ before
    if mode == "XYZ":
        bone.rotation_euler = changed.to_euler("XYZ")
    else:
        axis, angle = changed.to_axis_angle()
        bone.rotation_axis_angle = (angle, *axis)
    bone.keyframe_insert(channel)
    assert spread(root, arm, RUN, 5) is not None
    assert np.abs(turned_by(old, exported(root)[0], RUN, THIGH) - fading(5, 21, 10)).max() < 0.5


def test_where_keys_are_far_apart_the_change_still_ends(blender: ModuleType) -> None:
    """A new animation has a key at its start and its end: keys of the old pose stop the change."""
    root = import_scene(sample_bytes(Game.TR1))
    arm = armature(root)
    action = bpy.data.actions.new("New")
    action.tomb_raider.model = arm
    channels = compat.make_channels(action, arm)
    for index, value in enumerate((1.0, 0.0, 0.0, 0.0)):
        made = channels.fcurves.new('pose.bones["Thigh.L"].rotation_quaternion', index=index)
        for frame in (0, 30):
            made.keyframe_points.insert(frame, value).interpolation = "LINEAR"
    show_library(root, LARA)
    compat.assign_action(arm, action)
    bpy.context.view_layer.objects.active = arm
    bpy.ops.object.mode_set(mode="POSE")
    bpy.context.scene.frame_set(15)
    turn(arm, "Thigh.L", key=True)
    spread_edit(arm, action, 15, 5)
    keys = [point.co.x for point in curve(action, "Thigh.L", "rotation_quaternion", 0).keyframe_points]
    assert keys == [0, 10, 15, 20, 30]
    for frame in (10, 20):
        bpy.context.scene.frame_set(frame)
        assert abs(arm.pose.bones["Thigh.L"].rotation_quaternion.w - 1) < 1e-5


def test_a_bone_without_curves_gets_some(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    arm = pose_mode(root, RUN, 10)
    action = actions(root)[RUN]
    for index in range(4):
        compat.find_channels(action, arm).fcurves.remove(
            curve(action, "Hand.L", "rotation_quaternion", index)
        )
    bpy.context.scene.frame_set(9)
    bpy.context.scene.frame_set(10)
    old = exported(root)[0]
    turn(arm, "Hand.L", key=False)
    assert spread(root, arm, RUN, 5) is not None
    away = turned_by(old, exported(root)[0], RUN, 13)
    assert away[10] == pytest.approx(FULL, abs=0.5) and away[5] == away[15] == 0 and away[8] > 5


def test_controls_of_rigs_are_spread_too(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    with edit_bones(root) as bones:
        made = bones.new("IK Foot.L")
        made.tail = (0.0, 0.0, 1.0)
    arm = armature(root)
    arm.data.bones["IK Foot.L"].tomb_raider.control = True
    pose_mode(root, RUN, 0)
    control = arm.pose.bones["IK Foot.L"]
    for frame in range(21):
        control.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(10)
    control.location.z += 0.5
    found = spread(root, arm, RUN, 4)
    assert found is not None and found.bones == ["IK Foot.L"] and found.keys == 7
    bpy.context.scene.frame_set(8)
    assert control.location.z == pytest.approx(0.25)
    assert exported(root)[0].to_bytes() == sample_bytes(Game.TR1)  # controls alone are not written
