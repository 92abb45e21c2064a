"""Constraints and drivers act in the actions that they are meant for, and leave all others as they are."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Collection

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.core.context import Bake
from io_tomb_raider.scene.subjects.animations.actions import _ActionExport
from io_tomb_raider.scene.subjects.animations.keys.action_curves import ActionCurves
from io_tomb_raider.scene.subjects.animations.keys.curves import BonePaths
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import (
    LARA,
    PISTOLS,
    SCALE,
    actions,
    add_bone,
    animation_count,
    armature,
    curve,
    curves,
    model_keys,
    new_curve,
    with_skin,
)
from ...scenes import exported, import_scene

DATA = sample_bytes(Game.TR1)


def reach_for(root: Collection, model: int = LARA) -> Any:
    """Make the left hand of a model reach for an empty, and return the constraint."""
    rig = armature(root, model)
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = rig.location
    target.location.z += 700 * SCALE
    target.location.x += 300 * SCALE
    reach = rig.pose.bones["Hand.L"].constraints.new("IK")
    reach.target, reach.chain_count = target, 3
    return reach


def show(root: Collection, number: int, model: int = LARA) -> Action:
    """Assign one of Lara's animations to a model."""
    action = actions(root)[number]
    rig = armature(root, model)
    rig.animation_data_create().action = action
    if hasattr(rig.animation_data, "action_slot") and rig.animation_data.action_slot is None:
        rig.animation_data.action_slot = action.slots[0]
    return action


def changed(level: Level, data: bytes = DATA, model: int = LARA) -> list[int]:
    """Return the numbers of a model's animations with other keys than before."""
    before = read_level(data)
    return [
        number
        for number in range(animation_count(before, model))
        if not np.array_equal(
            model_keys(before, model, number).angles, model_keys(level, model, number).angles
        )
        or not np.array_equal(
            model_keys(before, model, number).offsets, model_keys(level, model, number).offsets
        )
    ]


def key_property(action: Action, path: str, *keys: tuple[float, float]) -> None:
    """Key a property by its data path, as a user does."""
    made = curves(action).new(path)
    for frame, value in keys:
        made.keyframe_points.insert(frame, value)


# --- Which actions ----------------------------------------


@pytest.mark.parametrize("shown", [0, 2])
def test_a_constraint_counts_in_the_action_in_use_alone(blender: ModuleType, shown: int) -> None:
    root = import_scene(DATA)
    reach_for(root)
    show(root, shown)
    level, warnings = exported(root)
    assert changed(level) == [shown]
    (message,) = warnings
    assert "Hand.L" in message
    assert "not for 11 others" in message
    assert "Bake Constraints: All" in message


def test_baking_can_be_chosen(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach_for(root)
    show(root, 1)
    level, warnings = exported(root, bake=Bake.ALL)
    assert changed(level) == list(range(12))
    assert not warnings
    level, warnings = exported(root, bake=Bake.NONE)
    assert level.to_bytes() == DATA
    assert "is not exported: export with Bake Constraints" in warnings[0]


def test_a_new_action_is_baked_while_it_is_not_in_use(blender: ModuleType) -> None:
    root = import_scene(DATA)
    show(root, 1)
    new = actions(root)[0].copy()
    new.tomb_raider.index = -1
    before, _ = exported(root)
    reach_for(root)
    level, _ = exported(root)
    assert animation_count(level) == 13
    assert changed(level) == [1]
    assert (model_keys(level, LARA, 12).angles != model_keys(before, LARA, 12).angles).any()


@pytest.mark.parametrize("shown", [0, 1, 2])
@pytest.mark.parametrize("left", [0.0, 1.0])
def test_a_keyed_influence_counts_in_its_action_alone(blender: ModuleType, shown: int, left: float) -> None:
    """Whichever action is shown, and whatever value it has left in the constraint."""
    root = import_scene(DATA)
    reach = reach_for(root)
    key_property(actions(root)[1], f"{reach.path_from_id()}.influence", (0, 1.0))
    reach.influence = left
    show(root, shown)
    level, warnings = exported(root)
    assert changed(level) == [1]
    assert not warnings
    assert changed(exported(root, bake=Bake.ALL)[0]) == [1]


def test_an_influence_that_is_keyed_0_changes_nothing(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach = reach_for(root)
    for action in actions(root):
        key_property(action, f"{reach.path_from_id()}.influence", (0, 0.0))
    show(root, 1)
    level, warnings = exported(root, bake=Bake.ALL)
    assert level.to_bytes() == DATA
    assert not warnings


# --- Switches ----------------------------------------


def switched(root: Collection) -> Any:
    """Drive the influence of a constraint by a custom property of a control; return the constraint."""
    add_bone(root, "IK Hand", control=True)
    reach = reach_for(root)
    control = armature(root).pose.bones["IK Hand"]
    control["IK"] = 0.0
    driver = reach.driver_add("influence").driver
    driver.type = "SUM"
    variable = driver.variables.new()
    variable.type = "SINGLE_PROP"
    variable.targets[0].id = armature(root)
    variable.targets[0].data_path = SWITCH
    return reach


SWITCH = 'pose.bones["IK Hand"]["IK"]'


@pytest.mark.parametrize("shown", [0, 1, 2])
@pytest.mark.parametrize("left", [0.0, 1.0])
def test_a_switch_does_not_leak_into_actions_without_keys_of_it(
    blender: ModuleType, shown: int, left: float
) -> None:
    root = import_scene(DATA)
    switched(root)
    key_property(actions(root)[2], SWITCH, (0, 1.0))
    key_property(actions(root)[0], SWITCH, (0, 0.0))
    show(root, shown)
    armature(root).pose.bones["IK Hand"]["IK"] = left
    level, warnings = exported(root)
    assert changed(level) == [2]
    assert not warnings


def test_a_switch_that_no_action_keys_counts_as_it_is_set(blender: ModuleType) -> None:
    root = import_scene(DATA)
    switched(root)
    show(root, 1)
    assert exported(root)[0].to_bytes() == DATA
    armature(root).pose.bones["IK Hand"]["IK"] = 1.0
    level, warnings = exported(root)
    assert changed(level) == [1]
    assert "not for 11 others" in warnings[0]


@pytest.mark.parametrize("left", ["property", "influence", "pose", "pose of a control"])
def test_baked_actions_do_not_depend_on_values_left_in_the_scene(blender: ModuleType, left: str) -> None:
    """What another action has keys of is at its default, whatever value is left in the scene."""
    root = import_scene(DATA)
    switched(root)
    rig = armature(root)
    head = rig.pose.bones["Head"]
    turn = head.constraints.new("LIMIT_ROTATION")
    turn.use_limit_x, turn.min_x, turn.max_x, turn.owner_space = True, 1.0, 1.0, "LOCAL"
    nod = head.constraints.new("COPY_ROTATION")
    nod.target, nod.subtarget, nod.influence = rig, "IK Hand", 0.0
    tilt = rig.pose.bones["Torso"].constraints.new("COPY_ROTATION")
    tilt.target, tilt.subtarget, tilt.mix_mode = rig, "IK Hand", "BEFORE"
    tilt.target_space = tilt.owner_space = "LOCAL"
    key_property(actions(root)[0], SWITCH, (0, 1.0))
    key_property(actions(root)[0], f"{nod.path_from_id()}.influence", (0, 1.0))
    new_curve(actions(root)[0], "IK Hand", "rotation_quaternion", 1, [(0, 0.5)])
    for part in range(4):
        curves(actions(root)[1]).remove(curve(actions(root)[1], "Hips", "rotation_quaternion", part))
    show(root, 1)
    before = model_keys(exported(root)[0], LARA, 1).angles
    if left == "property":
        rig.pose.bones["IK Hand"]["IK"] = 1.0
    elif left == "influence":
        nod.influence = 1.0
    else:
        bone = rig.pose.bones["Hips" if left == "pose" else "IK Hand"]
        bone.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    assert (model_keys(exported(root)[0], LARA, 1).angles == before).all()


# --- Controls ----------------------------------------


def test_keys_of_a_control_move_constrained_bones(blender: ModuleType) -> None:
    root = import_scene(DATA)
    add_bone(root, "Aim", control=True)
    follow = armature(root).pose.bones["Head"].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget, follow.mix_mode = armature(root), "Aim", "AFTER"
    follow.target_space = follow.owner_space = "LOCAL"
    show(root, 0)
    run = actions(root)[1]
    for index, value in enumerate((0.8, 0.6, 0.0, 0.0)):
        new_curve(run, "Aim", "rotation_quaternion", index, [(0, value)])
    level, warnings = exported(root)
    assert changed(level) == [1]
    before, after = model_keys(read_level(DATA), LARA, 1), model_keys(level, LARA, 1)
    bones = [bone.name for bone in armature(root).data.bones]
    turned = (before.angles != after.angles).any(axis=(0, 2))
    assert [bones[number] for number in np.flatnonzero(turned)] == ["Head"]
    # No action keys the influence, and in the others the control is at rest.
    assert all("not for 11 others" in each or "in use" in each for each in warnings)


def test_keys_of_controls_between_key_frames_are_not_lost(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    add_bone(root, "Aim", control=True)
    follow = armature(root).pose.bones["Head"].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget = armature(root), "Aim"
    action = next(each for each in actions(root) if each.tomb_raider.frame_rate > 1)
    rate = action.tomb_raider.frame_rate
    for index, value in enumerate((0.8, 0.6, 0.0, 0.0)):
        rest = 1.0 if index == 0 else 0.0
        new_curve(action, "Aim", "rotation_quaternion", index, [(0, rest), (1, value), (rate, rest)])
    level, warnings = exported(root)
    number = actions(root).index(action)
    assert any("between key frames" in text for text in warnings)
    assert len(model_keys(level, LARA, number)) > len(model_keys(read_level(data), LARA, number))


# --- Noise ----------------------------------------


def test_constraints_that_turn_bones_less_than_their_tolerance_change_nothing(blender: ModuleType) -> None:
    """A constraint that turns a bone by less than 0.1 degrees is the noise of a solver."""
    root = import_scene(DATA)
    turn = armature(root).pose.bones["Head"].constraints.new("TRANSFORM")
    turn.target, turn.subtarget = armature(root), "Hips"
    turn.target_space = turn.owner_space = "LOCAL"
    turn.map_to, turn.mix_mode_rot = "ROTATION", "ADD"
    turn.to_min_x_rot = turn.to_max_x_rot = np.radians(0.08)
    assert exported(root, bake=Bake.ALL)[0].to_bytes() == DATA
    turn.to_min_x_rot = turn.to_max_x_rot = np.radians(1.0)
    assert changed(exported(root, bake=Bake.ALL)[0]) == list(range(12))


# --- Figures ----------------------------------------


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_constraints_on_laras_skin_count_for_her_animations(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    reach_for(root, PISTOLS)
    show(root, 1)
    show(root, 1, PISTOLS)
    level, warnings = exported(root)
    assert changed(level, data) == [1]
    assert changed(level, data, PISTOLS) == []
    (message,) = warnings
    assert "not for 11 others" in message


@each_game
def test_other_curves_do_not_change_the_exported_level(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    add_bone(root, "IK Hand", control=True)
    armature(root).pose.bones["IK Hand"]["IK"] = 0.0
    for action in actions(root):
        key_property(action, SWITCH, (0, 0.0))
        new_curve(action, "IK Hand", "location", 0, [(0, 0.0), (1, 2.0)])
    assert exported(root)[0].to_bytes() == data


def test_an_action_without_curves_has_no_poses(blender: ModuleType) -> None:
    root = import_scene(DATA)
    empty = bpy.data.actions.new("Empty")
    curves_of = ActionCurves(empty, armature(root), BonePaths.of(["Hips", "Head"], ["", ""]))
    turns, places = curves_of.poses(np.zeros(0))
    assert (turns.shape, places.shape) == ((0, 2, 4), (0, 3))


def test_actions_with_other_curves_are_not_compared_key_by_key(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_scene(DATA)
    switched(root)
    for number, action in enumerate(actions(root)):
        key_property(action, SWITCH, (0, 0.0))
        if number % 2:  # Blender puts curves of a group next to each other
            group = next(iter(curves(action))).group
            curves(action).find(SWITCH).group = group
    compared: list[Any] = []
    monkeypatch.setattr(_ActionExport, "_edit", lambda *args: compared.append(args[2]))
    assert exported(root)[0].to_bytes() == DATA
    assert compared == []
