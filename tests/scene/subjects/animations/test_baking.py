"""Constraints, inverse kinematics and drivers on bones: exported as evaluated, or with a warning."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.scene.core.context import Bake
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import (
    LARA,
    SCALE,
    actions,
    armature,
    curves,
    first_animation,
    model_keys,
    posed,
    show_library,
    shown_vertices,
)
from ...scenes import exported, import_scene

DATA = sample_bytes(Game.TR1)
RUN, WALK = 0, 1


def bone(root: Collection, name: str) -> Any:
    return armature(root).pose.bones[name]


def reach_for(root: Collection) -> Object:
    """Make Lara's left hand reach for an empty next to her."""
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    target.location = armature(root).location
    target.location.z += 700 * SCALE
    target.location.x += 300 * SCALE
    reach = bone(root, "Hand.L").constraints.new("IK")
    reach.target, reach.chain_count = target, 3
    bpy.context.view_layer.update()
    return target


def assert_as_shown(root: Collection, level: Level, number: int, limit: float = 4) -> None:
    keys = model_keys(level, LARA, number)
    rate = int(level.animations["frame_rate"][first_animation(level) + number])
    armature(root).animation_data.action = actions(root)[number]
    for key in range(0, len(keys), 3):
        for one, two in zip(
            posed(level, LARA, keys, key), shown_vertices(root, LARA, key * rate), strict=True
        ):
            assert np.abs(one - two).max() < limit


def test_inverse_kinematics_are_baked(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach_for(root)
    level, warnings = exported(root, bake=Bake.ALL)
    assert not warnings
    assert (model_keys(level).angles != model_keys(read_level(DATA)).angles).any()
    show_library(root, LARA)
    for number in (RUN, WALK):
        assert_as_shown(root, level, number)


def test_a_hidden_armature_at_rest_is_baked_as_any(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach_for(root)
    expected = exported(root, bake=Bake.ALL)[0].to_bytes()
    armature(root).data.pose_position = "REST"
    armature(root).hide_viewport = True
    assert exported(root, bake=Bake.ALL)[0].to_bytes() == expected


def test_only_constrained_bones_are_baked(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach_for(root)
    one, two = model_keys(read_level(DATA)), model_keys(exported(root, bake=Bake.ALL)[0])
    bones = armature(root).data.bones
    same = (one.angles == two.angles).all(axis=(0, 2))
    changed = {each.name for each, stays in zip(bones, same, strict=True) if not stays}
    assert changed <= {"Hand.L", "Forearm.L", "Arm.L", "Lower Arm.L", "Upper Arm.L"}
    assert changed
    assert (one.offsets == two.offsets).all()


def test_constraints_that_do_nothing_change_nothing(blender: ModuleType) -> None:
    root = import_scene(DATA)
    limit = bone(root, "Head").constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    level, report = export_level(root, bake=Bake.ALL)
    assert level.to_bytes() == DATA
    assert not report.warnings


def test_drivers_are_baked(blender: ModuleType) -> None:
    root = import_scene(DATA)
    bone(root, "Head").rotation_mode = "XYZ"
    driver = bone(root, "Head").driver_add("rotation_euler", 0).driver
    variable = driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id = armature(root)
    variable.targets[0].bone_target = "Torso"
    variable.targets[0].transform_type, variable.targets[0].transform_space = "ROT_X", "LOCAL_SPACE"
    driver.expression = "0.4 + var"
    level, _ = exported(root, bake=Bake.ALL)
    show_library(root, LARA)
    assert_as_shown(root, level, RUN)


def test_baking_does_not_change_the_scene(blender: ModuleType) -> None:
    root = import_scene(DATA)
    target, scene, lara = reach_for(root), bpy.context.scene, armature(root)
    show_library(root, LARA)
    scene.frame_set(5)
    action = lara.animation_data.action = actions(root)[WALK]
    bone(root, "Torso").rotation_quaternion = (0.8, 0.6, 0, 0)  # without a key
    before = {name: len(getattr(bpy.data, name)) for name in ("objects", "scenes", "armatures", "actions")}
    exported(root, bake=Bake.ALL)
    assert before == {name: len(getattr(bpy.data, name)) for name in before}
    assert scene.frame_current == 5
    assert lara.animation_data.action == action
    assert np.allclose(bone(root, "Torso").rotation_quaternion[:], (0.8, 0.6, 0, 0))
    assert bone(root, "Hand.L").constraints["IK"].target == target


def test_constraints_that_are_not_baked_are_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    reach_for(root)
    level, report = export_level(root, bake=Bake.NONE)
    assert level.to_bytes() == DATA  # even if no key has changed
    assert any("Hand.L" in text and "Bake Constraints" in text for text in report.warnings)
    bone(root, "Hand.L").constraints[0].mute = True
    assert not export_level(root, bake=Bake.NONE)[1].warnings


def test_moved_and_scaled_bones_are_reported(blender: ModuleType) -> None:
    root = import_scene(DATA)
    for name, kind in (("Head", "COPY_LOCATION"), ("Torso", "LIMIT_SCALE")):
        constraint = bone(root, name).constraints.new(kind)
        if kind == "COPY_LOCATION":
            constraint.target, constraint.subtarget = armature(root), "Hand.L"
        else:
            constraint.use_min_x, constraint.min_x = True, 2.0
    _, warnings = exported(root, bake=Bake.ALL)
    assert any("move the bone Head" in text for text in warnings)
    assert any("change the size of the bone Torso" in text for text in warnings)


def test_warnings_name_the_action_that_moves_a_bone(blender: ModuleType) -> None:
    root = import_scene(DATA)
    for name, kind in (("Torso", "COPY_ROTATION"), ("Head", "COPY_LOCATION")):
        constraint = bone(root, name).constraints.new(kind)
        constraint.target, constraint.subtarget = armature(root), "Hand.L"
    path = f'{bone_path("Head")}.constraints["{constraint.name}"].influence'
    curves(actions(root)[WALK]).new(path).keyframe_points.insert(0.0, 1.0)
    _, warnings = exported(root, bake=Bake.ALL)
    (warning,) = [text for text in warnings if "move the bone Head" in text]
    assert warning.startswith(actions(root)[WALK].name)


def test_constraints_mean_the_model_that_is_baked(blender: ModuleType) -> None:
    """A constraint on the armature itself follows each action, not only the current one."""
    root = import_scene(DATA)
    copy = bone(root, "Head").constraints.new("COPY_ROTATION")
    copy.target, copy.subtarget = armature(root), "Hand.R"
    level, _ = exported(root, bake=Bake.ALL)
    show_library(root, LARA)
    assert_as_shown(root, level, WALK)
    assert_as_shown(root, level, RUN)
