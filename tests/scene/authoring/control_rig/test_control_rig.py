"""Control rigs: controls match the keys of a model, edits change one animation, removal leaves no trace."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.editors.animation_files.anim import read_anim
from io_tomb_raider.scene.authoring.control_rig import baking, choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.keys import control_curves, has_keys, is_switched_on
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions
from io_tomb_raider.scene.authoring.control_rig.parts import (
    LimbBones,
    RigPart,
    figure_of,
    has_rig,
    rig_limbs,
)
from io_tomb_raider.scene.authoring.control_rig.remove import remove_rig
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.animation_files.imports import LoadedFile, Placement, import_files
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.key_poses import read_key_poses
from io_tomb_raider.scene.subjects.cutscenes.new import new_cutscene
from io_tomb_raider.scene.subjects.models.limbs import LimbKind
from io_tomb_raider.scene.transfer.append.replace import ANIMATIONS, replace_model
from tests.animation_samples import anim_file
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import (
    SCALE,
    actions,
    armature,
    first_animation,
    model_keys,
    show_library,
    with_joints,
    with_skin,
)
from tests.scene.scenes import import_anew, import_scene, objects

from .rigs import RUN, differing, exported, limb_of, make_wolf, rigged


def move(rig: RigAtRest, action: Action, name: str, key: int, axis: int, units: float) -> None:
    """Move the control of a limb at one key."""
    path = f"{bone_path(limb_of(rig, name).target)}.location"
    curve: Any = compat.find_channels(action, rig.armature).fcurves.find(path, index=axis)
    curve.keyframe_points[key].co.y += units * SCALE
    curve.update()


def seen(rig: RigAtRest, action: Action) -> tuple[Any, Any]:
    """Return the joints that Blender shows at an action's keys, and those of the keys alone."""
    poses = read_key_poses(action, rig.armature, rig.rest)
    with baking.staged(rig) as stage:
        shown = stage.poses(action, poses.frames)
    return rig.rest.pose(shown.turns, shown.places)[1], rig.rest.pose(poses.turns, poses.places)[1]


# --- Matching ----------------------------------------


@each_game
def test_matched_controls_give_the_pose_of_the_keys(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    rig = rigged(root)
    assert [limb.name for limb in rig.limbs] == [
        "Foot.L",
        "Foot.R",
        "Hand.L",
        "Hand.R",
        "Hips",
        "Torso",
        "Head",
    ]
    for action in actions(root)[:4]:
        assert all(is_switched_on(action, rig.armature, limb) for limb in rig.limbs)
        shown, keyed = seen(rig, action)
        assert np.abs(shown - keyed).max() < 0.2 * SCALE


def test_a_moved_control_takes_the_foot_with_it_and_bends_the_knee_forward(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    before, _ = seen(rig, action)
    move(rig, action, "Foot.L", 1, 2, 60)
    after, _ = seen(rig, action)
    foot, knee = rig.rest.number("Foot.L"), rig.rest.number("Calf.L")
    assert np.allclose(after[1, foot] - before[1, foot], (0, 0, 60 * SCALE), atol=1 * SCALE)
    assert after[1, knee, 1] > before[1, knee, 1]  # Lara faces +y
    others = [number for number in range(15) if rig.rest.names[number] not in ("Foot.L", "Calf.L")]
    assert np.abs((after - before)[:, others]).max() < 0.2 * SCALE
    assert np.abs((after - before)[[0, 2]]).max() < 0.2 * SCALE


def test_elbows_bend_backward(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    before, _ = seen(rig, action)
    move(rig, action, "Hand.R", 1, 2, 60)
    after, _ = seen(rig, action)
    hand, elbow = rig.rest.number("Hand.R"), rig.rest.number("Lower Arm.R")
    assert np.allclose(after[1, hand] - before[1, hand], (0, 0, 60 * SCALE), atol=1 * SCALE)
    assert after[1, elbow, 1] < before[1, elbow, 1]


def test_poles_are_before_knees_and_behind_elbows(blender: ModuleType) -> None:
    """They show straight limbs which way to bend."""
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root, matched=False)
    bones = rig.armature.data.bones
    for name, sign in (("Foot.L", 1), ("Foot.R", 1), ("Hand.L", -1), ("Hand.R", -1)):
        limb = limb_of(rig, name)
        pole, joint = bones[limb.bones[RigPart.POLE]], bones[limb.bones[RigPart.LOWER]]
        assert sign * (pole.head_local.y - joint.head_local.y) > 100 * SCALE


def test_heels_and_toes_roll_the_foot(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    before, _ = seen(rig, action)
    limb = limb_of(rig, "Foot.L")
    path = f"{bone_path(limb.bones[RigPart.TOE])}.rotation_quaternion"
    curve: Any = compat.find_channels(action, rig.armature).fcurves.find(path, index=1)
    curve.keyframe_points[0].co.y = -0.2  # the toes stay, the heel goes up
    curve.update()
    after, _ = seen(rig, action)
    foot = rig.rest.number("Foot.L")
    assert after[0, foot, 2] > before[0, foot, 2]


# --- Exports ----------------------------------------


@each_game
def test_a_rig_changes_nothing_until_a_control_moves(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    rig = rigged(root)
    assert exported(root).to_bytes() == data
    move(rig, actions(root)[RUN], "Foot.L", 1, 2, 40)
    changed = exported(root)
    assert differing(read_level(data), changed) == [first_animation(changed) + RUN]
    one, two = model_keys(read_level(data), number=RUN), model_keys(changed, number=RUN)
    assert set(np.flatnonzero((one.angles != two.angles).any(axis=(1, 2)))) == {1}
    assert set(np.flatnonzero((one.angles != two.angles).any(axis=(0, 2)))) <= {1, 2, 3}


@each_game
def test_match_bake_and_remove_leave_no_trace(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    before = [bone.name for bone in armature(root).data.bones]
    groups = [group.name for group in armature(root).data.collections_all]
    curves = {
        action.name: len(compat.find_channels(action, armature(root)).fcurves) for action in actions(root)
    }
    rig = rigged(root)
    assert baking.bake(rig, actions(root)) == []
    assert exported(root).to_bytes() == data
    assert remove_rig(figure_of(armature(root)), keep=True) == []
    lara = armature(root)
    assert [bone.name for bone in lara.data.bones] == before
    assert [group.name for group in lara.data.collections_all] == groups
    assert not has_rig(lara) and not any(bone.constraints for bone in lara.pose.bones)
    assert not any(bone.tomb_raider.part for bone in lara.data.bones)
    assert not lara.animation_data.drivers
    assert curves == {each.name: len(compat.find_channels(each, lara).fcurves) for each in actions(root)}
    assert not [obj for obj in bpy.data.objects if obj.name.startswith("Tomb Raider Control")]
    assert all(bone.custom_shape is None for bone in lara.pose.bones)
    assert exported(root).to_bytes() == data


@pytest.mark.parametrize("keep", [True, False])
def test_removal_keeps_or_discards_the_result(blender: ModuleType, keep: bool) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    rig = rigged(root)
    move(rig, actions(root)[RUN], "Hand.L", 1, 0, -40)
    live = exported(root)
    changed = remove_rig(figure_of(armature(root)), keep=keep)
    after = exported(root)
    assert [action.name for action in changed] == ([actions(root)[RUN].name] if keep else [])
    assert differing(live, after) == ([] if keep else [first_animation(after) + RUN])
    assert (after.to_bytes() == data) is not keep


def test_baking_one_limb_leaves_the_others_to_their_controls(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    move(rig, action, "Foot.L", 1, 2, 40)
    move(rig, action, "Hand.R", 1, 2, 40)
    live = exported(root)
    foot, hand = limb_of(rig, "Foot.L"), limb_of(rig, "Hand.R")
    assert baking.bake(rig, [action], [foot]) == [action]
    assert not is_switched_on(action, rig.armature, foot) and is_switched_on(action, rig.armature, hand)
    assert not has_keys(action, rig.armature, foot)
    assert differing(live, exported(root)) == []


def test_keys_of_controls_between_keys_of_bones_are_baked(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    times = read_key_poses(action, rig.armature, rig.rest).frames
    between = float(times[0] + times[1]) / 2
    path = f"{bone_path(limb_of(rig, 'Foot.L').target)}.location"
    curve: Any = compat.find_channels(action, rig.armature).fcurves.find(path, index=2)
    curve.keyframe_points.insert(between, curve.evaluate(between) + 50 * SCALE)
    baking.bake(rig, [action])
    assert between in read_key_poses(action, rig.armature, rig.rest).frames


# --- Snapping ----------------------------------------


def test_bones_snap_to_controls_and_controls_to_bones(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    action = actions(root)[RUN]
    foot = limb_of(rig, "Foot.L")
    times = read_key_poses(action, rig.armature, rig.rest).frames
    original = read_key_poses(action, rig.armature, rig.rest).turns
    move(rig, action, "Foot.L", 1, 2, 50)
    shown, _ = seen(rig, action)
    assert baking.snap_to_controls(rig, action, [foot], times[1:2])
    after, keyed = seen(rig, action)
    assert np.abs(after - shown).max() < 0.2 * SCALE
    assert np.abs(keyed[1] - shown[1]).max() < 1 * SCALE  # the keys are the pose of the controls
    turns = read_key_poses(action, rig.armature, rig.rest).turns
    assert np.allclose(turns[[0, 2]], original[[0, 2]], atol=1e-6)
    # The other way: back to the keys of the bones at another frame.
    move(rig, action, "Foot.L", 2, 2, 50)
    rig.match([action], [foot], times[2:3])
    after, keyed = seen(rig, action)
    assert np.abs(after - keyed).max() < 0.5 * SCALE


# --- Which models ----------------------------------------


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_the_rig_is_in_every_model_of_the_figure(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    figure = figure_of(armature(root))
    if len(figure) < 2:
        pytest.skip("the sample's skin has other bones")
    assert figure_of(figure[1]) == figure
    rig = rigged(root)
    assert all(has_rig(obj) for obj in figure)
    assert len({len(rig_limbs(obj)) for obj in figure}) == 1
    move(rig, actions(root)[RUN], "Foot.L", 1, 2, 40)
    assert first_animation(exported(root)) + RUN in differing(read_level(data), exported(root))
    remove_rig(figure, keep=False)
    assert exported(root).to_bytes() == data


def test_an_animal_is_posed_by_its_paws(blender: ModuleType) -> None:
    wolf = make_wolf()
    limbs, facing = choice.recognized(wolf)
    assert [len(limb.names) for limb in limbs] == [4, 4, 4, 4, 1, 1, 1, 1]
    add_rig([wolf], limbs, facing)
    rig = RigAtRest.of(wolf)
    action = bpy.data.actions.new("Walk")
    action.tomb_raider.model = wolf
    rng = np.random.default_rng(3)
    for name in rig.rest.names:
        wolf.pose.bones[name].rotation_mode = "QUATERNION"
        for index in range(4):
            curve: Any = compat.find_channels(action, wolf) or compat.make_channels(action, wolf)
            made = curve.fcurves.new(f"{bone_path(name)}.rotation_quaternion", index=index)
            for frame in range(0, 30, 10):
                made.keyframe_points.insert(frame, (index == 0) + rng.normal(0, 0.1))
    rig.match([action])
    shown, keyed = seen(rig, action)
    assert np.abs(shown - keyed).max() < 0.2 * SCALE
    path = f"{bone_path(rig.limbs[0].target)}.location"
    curve = compat.find_channels(action, wolf).fcurves.find(path, index=2)
    curve.keyframe_points[1].co.y += 20 * SCALE
    curve.update()
    after, _ = seen(rig, action)
    paw = rig.rest.number(rig.limbs[0].own[-1])
    assert np.allclose(after[1, paw] - shown[1, paw], (0, 0, 20 * SCALE), atol=1 * SCALE)


def test_wrong_limbs_are_refused(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara = armature(root)
    facing = np.array([0.0, 1.0, 0.0])
    for names in (("Thigh.L", "Calf.L", "Tail"), ("Thigh.L", "Calf.R", "Foot.R"), ("Thigh.L", "Calf.L")):
        with pytest.raises(ExportError):
            add_rig([lara], [LimbBones(LimbKind.LEG, names)], facing)
    twice = [LimbBones(LimbKind.LEG, ("Thigh.L", "Calf.L", "Foot.L"))] * 2
    with pytest.raises(ExportError):
        add_rig([lara], twice, facing)
    assert not has_rig(lara) and len(objects(root, "MODEL")[0].data.bones) == 15


def test_controls_are_disabled_in_other_actions(blender: ModuleType) -> None:
    """Blender keeps the last value of a property that an action has no keys of."""
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root, matched=False)
    rig.match(actions(root)[:1])
    for action in actions(root)[1:]:
        assert control_curves(action, rig.armature, rig.limbs)
        assert not any(is_switched_on(action, rig.armature, limb) for limb in rig.limbs)


# --- Animations for other models ----------------------------------------


@pytest.mark.parametrize("is_rigged", [False, True])
def test_animations_by_controls_can_replace_those_of_another_model(
    blender: ModuleType, is_rigged: bool
) -> None:
    other = import_scene(sample_bytes(Game.TR4))
    rig = rigged(other, matched=False)
    action, still = actions(other)[:2]
    rig.match([action, still])
    move(rig, action, "Foot.L", 1, 2, 60)
    wanted = exported(other)
    root = import_anew(sample_bytes(Game.TR4))
    plain = exported(root)
    lara = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 0)
    if is_rigged:
        limbs, facing = choice.recognized(lara)
        add_rig(figure_of(lara), limbs, facing)
        RigAtRest.of(lara).match(rig_actions(lara))
    replace_model(root, lara, rig.armature, ANIMATIONS, Report())
    found = exported(root)
    assert differing(wanted, found) == [] and differing(plain, found) == [RUN]
    copies = [row.action for row in lara.tomb_raider.model.animations]
    # The other model's controls are not these: nothing is posed by them.
    for each in copies:
        assert not any(is_switched_on(each, lara, limb) for limb in rig_limbs(lara))
        assert len(control_curves(each, lara, rig.limbs)) == (len(rig.limbs) if is_rigged else 0)
    assert is_switched_on(action, rig.armature, rig.limbs[0]) and has_keys(action, rig.armature, rig.limbs[0])


def test_files_count_on_a_rigged_model(blender: ModuleType) -> None:
    """The keys of an imported animation are seen, although controls pose the animation that was shown."""
    root = import_scene(sample_bytes(Game.TR1))
    rig = rigged(root)
    lara, shown = rig.armature, actions(root)[RUN]
    show_library(root)
    compat.assign_action(lara, shown)
    data = anim_file(bones=15, name="WAVE")
    file = LoadedFile(Path("WAVE.anim"), data, read_anim(data))
    for placement in (Placement.NEW, Placement.REPLACE):
        bpy.context.scene.frame_set(1)
        (made,) = import_files(root, lara, [file], placement, replaced=shown, report=Report())
        compat.assign_action(lara, made)
        bpy.context.scene.frame_set(0)
        poses = read_key_poses(made, lara, rig.rest, [0.0])
        joints = rig.rest.pose(poses.turns, poses.places)[1][0]
        heads: Any = [lara.pose.bones[name].head for name in rig.rest.names]
        assert np.allclose(heads, joints, atol=1e-4), placement


@pytest.mark.parametrize("by_entity", [False, True])
def test_actors_of_cutscenes_start_in_the_pose_that_controls_give(
    blender: ModuleType, by_entity: bool
) -> None:
    root = import_scene(with_joints())
    rig = rigged(root, matched=False)
    lara = armature(root)
    skin = figure_of(lara)[-1]
    action = actions(root)[RUN]
    rig.match([action])
    for obj in figure_of(lara) if by_entity else [lara]:
        compat.assign_action(obj, action)
    if by_entity:
        lara.animation_data.action = None
    else:
        show_library(root)
    bpy.context.scene.frame_set(int(action.frame_start))
    shown: Any = skin if by_entity else lara  # the game draws her skin
    foot = shown.pose.bones["Foot.L"]
    before = foot.head.copy()
    move(rig, action, "Foot.L", 0, 2, 60)
    bpy.context.scene.frame_set(int(action.frame_start))
    assert np.allclose(foot.head - before, (0, 0, 60 * SCALE), atol=SCALE)
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    collection = new_cutscene(root, 1, [entity if by_entity else lara], None, (0, 9))
    (actor,) = [each for each in collection.objects if each.tomb_raider.kind == "CUTSCENE_ACTOR"]
    bpy.context.view_layer.update()
    for name in rig.rest.names:
        found: Any = actor.pose.bones[name].matrix
        assert np.allclose(found, shown.pose.bones[name].matrix, atol=1e-4), name
