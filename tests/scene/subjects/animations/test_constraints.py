"""Poses of control rigs as arrays: they are those that Blender's constraints give."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.control_rig import choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions, switch_off
from io_tomb_raider.scene.authoring.control_rig.parts import LOOK, SWITCH, RigPart, figure_of
from io_tomb_raider.scene.authoring.control_rig.spaces import add_space, space_choices, space_path
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.baking import retarget_copy
from io_tomb_raider.scene.subjects.animations.keys.action_curves import ActionKeys
from io_tomb_raider.scene.subjects.animations.keys.constraints import ArrayPoses
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.stage import evaluated_bones, isolated_copy, played
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import SCALE, armature, curves, new_curve, with_skin
from ...scenes import import_scene

_FRAMES = np.array([0.0, 1.0, 2.5, 3.0, 4.75, 6.0])
# Blender's solver ends near the goal, and leaves a limb bent a bit where it should be straight.
_NEAR = 0.3  # units
_TURN = np.radians(0.1)


def rigged(data: bytes) -> RigAtRest:
    """Import a level, and give Lara a control rig that her first animation follows."""
    figure = figure_of(armature(import_scene(data)))
    add_rig(figure, *choice.recognized(figure[0]))
    rig = RigAtRest.of(figure[-1])
    switch_off(rig.armature, rig_actions(figure[0]), rig.limbs)
    return rig


def random_action(rig: RigAtRest, random: np.random.Generator, *, reach: float = 60.0) -> Action:
    """Return an action with random keys of all controls, also between whole frames."""
    action = bpy.data.actions.new("Random")
    compat.make_channels(action, rig.armature)
    for limb in rig.limbs:
        for name in limb.controls():
            turn(action, name, random)
            for axis in range(3):
                keys = [(frame, random.uniform(-reach, reach) * SCALE) for frame in (0.0, 3.0, 7.0)]
                new_curve(action, name, "location", axis, keys)
    for bone in rig.rest.names:
        turn(action, bone, random, 0.3)
    return action


def turn(action: Action, bone: str, random: np.random.Generator, amount: float = 0.6) -> None:
    """Add keys of a rotation."""
    values = np.array([1.0, 0.0, 0.0, 0.0]) + random.uniform(-amount, amount, (3, 4))
    for part in range(4):
        new_curve(
            action,
            bone,
            "rotation_quaternion",
            part,
            [(frame, values[row, part]) for row, frame in enumerate((0.0, 2.0, 6.0))],
        )


def set_property(action: Action, path: str, keys: list[tuple[float, float]], kind: str = "CONSTANT") -> None:
    """Add keys of a control's property."""
    curve = curves(action).new(path)
    for frame, value in keys:
        curve.keyframe_points.insert(frame, value).interpolation = kind


def both(
    rig: RigAtRest, action: Action, names: list[str] | None = None
) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Return the matrices that Blender gives, and those of arrays."""
    with isolated_copy(rig.armature) as (scene, copy):
        retarget_copy(copy, rig.armature)
        names = names or [bone.name for bone in copy.pose.bones]
        arrays = ArrayPoses.of(copy, names)
        found = arrays.poses([(ActionKeys(action, rig.armature), _FRAMES)])[0] if arrays is not None else None
        with played(copy, action, rig.armature):
            expected = evaluated_bones(scene, copy, names, _FRAMES)
    if found is not None:
        alike = np.abs((found[1] * expected[1]).sum(axis=-1))
        assert np.allclose(alike, 1.0, atol=1e-4)
    return expected[0], None if found is None else found[0]


def differences(expected: NDArray[Any], poses: NDArray[Any]) -> tuple[float, float]:
    """Return the greatest differences of joints, in units, and of the axes of bones."""
    difference = np.abs(poses - expected)
    return float(difference[..., :3, 3].max() / SCALE), float(difference[..., :3, :3].max())


@each_game
@pytest.mark.parametrize("reach", [10.0, 150.0])
def test_arrays_pose_limbs_as_blender_does(blender: ModuleType, game: Game, reach: float) -> None:
    rig = rigged(sample_bytes(game))
    action = random_action(rig, np.random.default_rng(int(reach)), reach=reach)
    for limb in rig.limbs:
        set_property(action, limb.switch, [(0.0, 1.0)])
        curves(action).find(f"{bone_path(limb.target)}.rotation_quaternion", index=2).mute = True
    expected, poses = both(rig, action)
    assert poses is not None
    distance, turn = differences(expected, poses)
    assert distance < _NEAR and turn < _TURN


def test_arrays_follow_spaces_looks_and_influences(blender: ModuleType) -> None:
    rig, random = rigged(with_skin(Game.TR4)), np.random.default_rng(1)
    figure = figure_of(rig.armature)
    moves = random_action(rig, random)
    for limb in rig.limbs:
        set_property(moves, limb.switch, [(0.0, 0.0), (3.0, 1.0), (6.0, 0.25)], "LINEAR")
        choices = space_choices(rig.armature, limb.target)
        assert len(choices) > (1 if limb.is_body else 2)
        for choice_ in choices[1:]:
            assert add_space(figure, limb.target, choice_.bone)
        keys = [(float(frame), float(index)) for frame, index in enumerate(random.permutation(len(choices)))]
        set_property(moves, space_path(limb.target), keys)
        if RigPart.LOOK in limb.bones:
            set_property(moves, limb.property_path(LOOK), [(0.0, 1.0), (4.0, 0.5)], "LINEAR")
    expected, poses = both(rig, moves)
    assert poses is not None
    distance, turn = differences(expected, poses)
    assert distance < _NEAR and turn < _TURN


def test_bones_without_keys_keep_their_pose(blender: ModuleType) -> None:
    rig = rigged(sample_bytes(Game.TR2))
    moved = [*rig.rest.names, *(name for limb in rig.limbs for name in limb.controls())]
    for number, name in enumerate(moved):
        posed: Any = rig.armature.pose.bones[name]
        posed.rotation_quaternion = (1.0, 0.1 * (number % 3), 0.2, 0.0)
        posed.location = (0.01, 0.0, 0.02 * (number % 2))
    for limb in rig.limbs:
        rig.armature.pose.bones[limb.target][SWITCH] = 1.0
    expected, poses = both(rig, bpy.data.actions.new("Empty"))
    assert poses is not None
    distance, turn = differences(expected, poses)
    assert distance < _NEAR and turn < _TURN


def _add_limit(rig: RigAtRest, action: Action) -> None:
    rig.armature.pose.bones[rig.limbs[0].name].constraints.new("LIMIT_ROTATION")


def _invert(rig: RigAtRest, action: Action) -> None:
    rotation: Any = rig.armature.pose.bones[rig.limbs[0].name].constraints[0]
    rotation.invert_x = True


def _lock_knee(rig: RigAtRest, action: Action) -> None:
    rig.armature.pose.bones[rig.limbs[0].bones[RigPart.IK_LOWER]].lock_ik_x = True


def _use_euler(rig: RigAtRest, action: Action) -> None:
    rig.armature.pose.bones[rig.limbs[0].target].rotation_mode = "XYZ"


def _drive(rig: RigAtRest, action: Action) -> None:
    driver: Any = rig.armature.driver_add(rig.limbs[0].switch).driver
    driver.type = "SUM"


def _drive_rotation(rig: RigAtRest, action: Action) -> None:
    pose: Any = rig.armature.pose
    pose.bones[rig.limbs[0].name].driver_add("rotation_quaternion", 1).driver.expression = "0.5"


def _drive_pole(rig: RigAtRest, action: Action) -> None:
    pose: Any = rig.armature.pose
    ik = next(each for bone in pose.bones for each in bone.constraints if each.type == "IK")
    ik.driver_add("pole_angle").driver.expression = "0.5"


def _key_scale(rig: RigAtRest, action: Action) -> None:
    new_curve(action, rig.limbs[0].name, "scale", 0, [(0.0, 2.0)])


def _key_influence(rig: RigAtRest, action: Action) -> None:
    path = f'{bone_path(rig.limbs[0].name)}.constraints["{SWITCH}"].influence'
    set_property(action, path, [(0.0, 0.5)])


@pytest.mark.parametrize(
    "change",
    [
        *(_add_limit, _invert, _lock_knee, _use_euler),
        *(_drive, _drive_rotation, _drive_pole, _key_scale, _key_influence),
    ],
)
def test_anything_else_is_left_to_blender(blender: ModuleType, change: Any) -> None:
    rig = rigged(sample_bytes(Game.TR1))
    action = random_action(rig, np.random.default_rng(2))
    own = rig.rest.names
    assert both(rig, action, own)[1] is not None
    change(rig, action)
    assert both(rig, action, own)[1] is None


def test_changes_of_other_bones_matter_not(blender: ModuleType) -> None:
    rig = rigged(sample_bytes(Game.TR1))
    action = random_action(rig, np.random.default_rng(3))
    rig.armature.pose.bones[rig.limbs[0].target].constraints.new("TRANSFORM")
    head = next(limb for limb in rig.limbs if RigPart.LOOK in limb.bones)
    assert both(rig, action, [head.bones[RigPart.LOOK]])[1] is not None
    assert both(rig, action, rig.limbs[0].own)[1] is None


def test_actions_together_have_the_poses_of_each_alone(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = rigged(sample_bytes(Game.TR1))
    moved = [random_action(rig, np.random.default_rng(seed)) for seed in range(3)]
    scaled = random_action(rig, np.random.default_rng(4))
    for action in (*moved, scaled):
        for limb in rig.limbs:
            set_property(action, limb.switch, [(0.0, 1.0)])
    _key_scale(rig, scaled)
    hand = curves(moved[1]).find(f"{bone_path(rig.limbs[0].target)}.location", index=1)
    hand.mute = True
    few = bpy.data.actions.new("Few")
    compat.make_channels(few, rig.armature)
    turn(few, rig.rest.names[0], np.random.default_rng(5))
    times = [_FRAMES, _FRAMES[:1], np.zeros(0), _FRAMES + 1, _FRAMES]
    played_actions = [
        (ActionKeys(action, rig.armature), frames)
        for action, frames in zip((few, moved[0], scaled, moved[1], moved[2]), times, strict=True)
    ]
    arrays = ArrayPoses.of(rig.armature, rig.rest.names)
    assert arrays is not None
    alone = [arrays.poses([each])[0] for each in played_actions]
    monkeypatch.setattr("io_tomb_raider.scene.subjects.animations.keys.constraints._AT_ONCE", 8)
    together = arrays.poses(played_actions)
    assert [each is None for each in alone] == [False, False, True, False, False]
    for one, other, frames in zip(alone, together, times, strict=True):
        assert (one is None) is (other is None)
        if one is not None and other is not None:
            assert len(other[0]) == len(frames)
            assert np.allclose(one[0], other[0]) and np.allclose(one[1], other[1])
