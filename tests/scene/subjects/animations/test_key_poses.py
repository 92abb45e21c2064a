"""Poses as arrays: compared with what Blender shows, and with what exports write."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.keys.key_poses import (
    KeyPoses,
    RestPose,
    read_key_poses,
    slerp,
    write_key_poses,
)
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import LARA, actions, armature, model_keys, show_library
from ...scenes import exported, import_scene

RUN = 0


def shown(root: Collection, frame: float) -> tuple[Any, Any]:
    """Return the matrices of the bones as Blender shows them at a frame, and their names."""
    arm = armature(root)
    bpy.context.scene.frame_set(int(frame), subframe=frame % 1)
    return {bone.name: np.array(bone.matrix) for bone in arm.pose.bones}, arm


@each_game
def test_forward_kinematics_are_blenders(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    action = actions(root)[RUN]
    arm, rest = armature(root), RestPose.of(armature(root))
    poses = read_key_poses(action, arm, rest)
    assert len(poses.frames) > 1
    compat.assign_action(arm, action)
    show_library(root)
    whole, heads = rest.pose(poses.turns, poses.places)
    for key, frame in enumerate(poses.frames):
        matrices, _ = shown(root, float(frame))
        for number, name in enumerate(rest.names):
            axes = matrices[name][:3, :3]
            turn = whole[key, number]
            back = np.array(_quaternion(turn).to_matrix())
            assert np.abs(axes - back).max() < 1e-5
            assert np.abs(matrices[name][:3, 3] - heads[key, number]).max() < 1e-5
    turns, places = rest.local(whole, heads[:, 0])
    assert np.abs(np.abs((turns * poses.turns).sum(axis=-1)) - 1).max() < 1e-9
    assert np.abs(places - poses.places).max() < 1e-9


def _quaternion(turn: Any) -> Any:
    from mathutils import Quaternion

    return Quaternion(turn.tolist())


@each_game
def test_poses_that_are_written_back_change_nothing(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for action in actions(root):
        write_key_poses(action, armature(root), read_key_poses(action, armature(root)))
    assert exported(root)[0].to_bytes() == data


def test_only_the_bones_keys_are_replaced(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action, arm = actions(root)[RUN], armature(root)
    rest = RestPose.of(arm)
    channels = compat.find_channels(action, arm)
    assert channels is not None
    other = channels.fcurves.new('pose.bones["Elsewhere"].location', index=1)
    other.keyframe_points.insert(3, 7.0)
    euler = channels.fcurves.new('pose.bones["Hand.L"].rotation_euler', index=0)  # dead: the mode is another
    euler.keyframe_points.insert(0, 1.0)
    poses = read_key_poses(action, arm, rest)
    turned = poses.turns.copy()
    turned[:, rest.number("Hand.L")] = (0.0, 1.0, 0.0, 0.0)
    frames = np.arange(2 * len(poses.frames) - 1, dtype=float)
    longer = KeyPoses(poses.frames, turned, poses.places).at(frames * poses.frames[1] / 2).moved(frames)
    write_key_poses(action, arm, longer, rest)
    assert [point.co[:] for point in other.keyframe_points] == [(3.0, 7.0)]
    assert not any(curve.data_path.endswith("rotation_euler") for curve in channels.fcurves)
    again = read_key_poses(action, arm, rest)
    assert again.frames.tolist() == frames.tolist()
    assert np.allclose(again.turns[:, rest.number("Hand.L")], (0.0, 1.0, 0.0, 0.0))
    level = exported(root)[0]
    assert len(model_keys(level, LARA, RUN)) == len(frames)


def test_euler_angles_are_kept(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action, arm = actions(root)[RUN], armature(root)
    rest = RestPose.of(arm)
    arm.pose.bones["Hand.L"].rotation_mode = "XZY"
    channels = compat.find_channels(action, arm)
    assert channels is not None
    for axis in range(3):
        channels.fcurves.new('pose.bones["Hand.L"].rotation_euler', index=axis).keyframe_points.insert(0, 0.5)
    poses = read_key_poses(action, arm, rest)
    write_key_poses(action, arm, poses, rest)
    again = read_key_poses(action, arm, rest)
    hand = rest.number("Hand.L")
    assert np.abs(np.abs((again.turns * poses.turns)[:, hand].sum(axis=-1)) - 1).max() < 1e-6
    assert abs(again.turns[0, hand, 0]) < 0.99
    paths = {curve.data_path for curve in channels.fcurves}
    assert 'pose.bones["Hand.L"].rotation_euler' in paths
    assert 'pose.bones["Hand.L"].rotation_quaternion' not in paths


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_slerp_is_on_the_shortest_arc(seed: int, part: float) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, 1, 3, 4))
    a, b = (each / np.linalg.norm(each, axis=-1, keepdims=True) for each in (a, b))
    found = slerp(a, b, np.array([[part]]))
    assert np.allclose(np.linalg.norm(found, axis=-1), 1)
    whole = np.arccos(np.clip(np.abs((a * b).sum(axis=-1)), 0, 1))
    to_a = np.arccos(np.clip(np.abs((a * found).sum(axis=-1)), 0, 1))
    assert to_a == pytest.approx(whole * part, abs=1e-5)
