"""The control of the whole body, and the ring that turns the hips below a body that stays."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.animations import matrices_from_quaternions
from io_tomb_raider.scene.authoring.control_rig import baking, choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.authoring.control_rig.keys import KeyWriter, is_switched_on
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest, rig_actions, switch_off
from io_tomb_raider.scene.authoring.control_rig.parts import LimbBones, RigLimb, RigPart, figure_of
from io_tomb_raider.scene.authoring.control_rig.remove import remove_rig
from io_tomb_raider.scene.authoring.control_rig.seen import seen_poses, write_poses
from io_tomb_raider.scene.authoring.control_rig.space_keys import match_at
from io_tomb_raider.scene.authoring.control_rig.spaces import followed_bones
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.key_poses import read_key_poses
from io_tomb_raider.scene.subjects.models.limbs import LimbKind
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import SCALE, actions, armature, first_animation, with_skin
from tests.scene.scenes import import_scene

from .rigs import RUN, differing, exported, limb_of, make_wolf, rigged

_NEAR = 0.2 * SCALE
_KEY = 1


def pose(rig: RigAtRest, action: Action) -> tuple[Any, Any]:
    """Return how bones are turned from their rest, (n, m, 3, 3), and their joints, as Blender shows them."""
    frames = read_key_poses(action, rig.armature, rig.rest).frames
    with baking.staged(rig) as stage:
        shown = stage.poses(action, frames)
    whole, heads = rig.rest.pose(shown.turns, shown.places)
    at_rest = matrices_from_quaternions(rig.rest.turns)
    return matrices_from_quaternions(whole) @ at_rest.swapaxes(-1, -2), heads


def edit(rig: RigAtRest, action: Action, bone: str, channel: str, change: dict[int, float]) -> None:
    """Add to the values of a control's curves at one key; those before and after it stay."""
    curves = compat.find_channels(action, rig.armature).fcurves
    frames = read_key_poses(action, rig.armature, rig.rest).frames
    for index, amount in change.items():
        curve: Any = curves.find(f"{bone_path(bone)}.{channel}", index=index)
        values = {frame: curve.evaluate(frame) for frame in frames[_KEY - 1 : _KEY + 2].tolist()}
        values[frames[_KEY]] += amount
        for frame, value in values.items():
            curve.keyframe_points.insert(frame, value)


def crouch(rig: RigAtRest, action: Action) -> None:
    """Lower the body, so that the legs reach the ground wherever the hips turn."""
    edit(rig, action, parts_of(rig)[0].target, "location", {2: -40 * SCALE})


def parts_of(rig: RigAtRest) -> tuple[RigLimb, str]:
    """Return the limb of the body, and the ring around the hips."""
    body = next(limb for limb in rig.limbs if limb.is_body)
    return body, body.bones[RigPart.TILT]


def numbers(rig: RigAtRest, *names: str) -> list[int]:
    return [rig.rest.number(name) for name in names]


@pytest.mark.parametrize("data", [sample_bytes(Game.TR1), with_skin(Game.TR4)], ids=["model", "skin"])
def test_the_body_moves_and_the_feet_stay(blender: ModuleType, data: bytes) -> None:
    root = import_scene(data)
    rig, action = rigged(root), actions(root)[RUN]
    body, _ = parts_of(rig)
    turns, heads = pose(rig, action)
    edit(rig, action, body.target, "location", {1: 20 * SCALE, 2: -30 * SCALE})
    after_turns, after = pose(rig, action)
    moved = after[_KEY] - heads[_KEY]
    trunk = numbers(rig, "Hips", "Torso", "Head", "Upper Arm.L", "Thigh.R")
    assert np.allclose(moved[trunk], (0, 20 * SCALE, -30 * SCALE), atol=_NEAR)
    assert np.abs(moved[numbers(rig, "Foot.L", "Foot.R")]).max() < _NEAR
    assert np.allclose(turns[_KEY, trunk[:3]], after_turns[_KEY, trunk[:3]], atol=1e-3)
    assert np.abs(after - heads)[[0, 2]].max() < _NEAR


def test_the_body_turns_about_its_middle(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig, action = rigged(root), actions(root)[RUN]
    body, _ = parts_of(rig)
    rest = rig.armature.data.bones
    middle = np.array(rest[body.target].head_local) - np.array(rest["Hips"].head_local)
    assert middle[2] > 30 * SCALE  # above the joint of the hips, below the chest
    assert middle[2] < np.array(rest["Upper Arm.L"].head_local)[2] - np.array(rest["Hips"].head_local)[2]
    crouch(rig, action)
    turns, heads = pose(rig, action)
    edit(rig, action, body.target, "rotation_quaternion", {1: 0.12})
    after_turns, after = pose(rig, action)
    hips, _, head = trunk = numbers(rig, "Hips", "Torso", "Head")
    stays = heads[_KEY, hips] + turns[_KEY, hips] @ middle
    assert np.allclose(after[_KEY, hips] + after_turns[_KEY, hips] @ middle, stays, atol=_NEAR)
    assert np.abs(after[_KEY, hips] - heads[_KEY, hips]).max() > 5 * SCALE
    # The whole body turns as one.
    turned = after_turns[_KEY, trunk] @ turns[_KEY, trunk].swapaxes(-1, -2)
    assert np.allclose(turned, turned[0], atol=2e-3) and not np.allclose(turned[0], np.eye(3), atol=0.1)
    assert np.allclose(after[_KEY, head] - stays, turned[0] @ (heads[_KEY, head] - stays), atol=_NEAR)
    assert np.abs((after - heads)[_KEY, numbers(rig, "Foot.L", "Foot.R")]).max() < 1 * SCALE


def test_the_hips_tilt_below_a_body_that_stays(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig, action = rigged(root), actions(root)[RUN]
    _, ring = parts_of(rig)
    crouch(rig, action)
    turns, heads = pose(rig, action)
    edit(rig, action, ring, "rotation_quaternion", {2: 0.2})
    after_turns, after = pose(rig, action)
    hips, *above = numbers(rig, "Hips", "Torso", "Head")
    assert np.allclose(after[_KEY, hips], heads[_KEY, hips], atol=_NEAR)
    assert not np.allclose(after_turns[_KEY, hips], turns[_KEY, hips], atol=0.2)
    assert np.allclose(after_turns[_KEY, above], turns[_KEY, above], atol=2e-3)
    assert np.abs((after - heads)[_KEY, numbers(rig, "Foot.L", "Foot.R")]).max() < 1 * SCALE


@each_game
def test_a_moved_body_changes_one_key_of_one_animation(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    rig, action = rigged(root), actions(root)[RUN]
    body, ring = parts_of(rig)
    edit(rig, action, body.target, "location", {2: -20 * SCALE})
    live, plain = exported(root), read_level(data)
    assert differing(plain, live) == [first_animation(live) + RUN]
    edit(rig, action, ring, "rotation_quaternion", {2: 0.1})
    live = exported(root)
    keyed = read_key_poses(action, rig.armature, rig.rest)
    seen = seen_poses(action, rig.armature, rig.rest, keyed.frames.tolist())
    assert baking.bake(rig, [action]) == [action]
    baked = read_key_poses(action, rig.armature, rig.rest)
    assert np.allclose(baked.places, seen.places, atol=1e-6)
    assert np.array_equal(np.flatnonzero((baked.places != keyed.places).any(axis=1)), [_KEY])
    assert differing(live, exported(root)) == []
    assert remove_rig(figure_of(armature(root)), keep=True) == []
    assert differing(live, exported(root)) == []


def test_poses_snap_to_the_body_and_the_body_to_poses(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    rig, action = rigged(root), actions(root)[RUN]
    body, _ = parts_of(rig)
    times = read_key_poses(action, rig.armature, rig.rest).frames
    edit(rig, action, body.target, "location", {2: -20 * SCALE})
    seen = seen_poses(action, rig.armature, rig.rest, times.tolist())
    assert baking.snap_to_controls(rig, action, [body], times[_KEY : _KEY + 1])
    keyed = read_key_poses(action, rig.armature, rig.rest)
    assert np.allclose(keyed.places, seen.places, atol=1e-6)
    edit(rig, action, body.target, "location", {2: 50 * SCALE})
    match_at(rig, action, rig.limbs, times[_KEY : _KEY + 1])
    assert np.abs(pose(rig, action)[1] - rig.rest.pose(keyed.turns, keyed.places)[1]).max() < _NEAR


@pytest.mark.parametrize("alone", [False, True])
def test_tools_write_poses_that_the_body_shows(blender: ModuleType, alone: bool) -> None:
    """Poses between keys count, too: a body that turns far moves its hips along an arc."""
    root = import_scene(sample_bytes(Game.TR1))
    rig, action = rigged(root, matched=not alone), actions(root)[RUN]
    if alone:
        rig.match([action], [parts_of(rig)[0]])
    poses = read_key_poses(action, rig.armature, rig.rest)
    turns = poses.turns.copy()
    turns[::2, 0], turns[1::2, 0] = (0.9, 0.4, 0.0, 0.0), (0.9, -0.4, 0.1, 0.0)
    turns[:, 0] /= np.linalg.norm(turns[:, 0], axis=1, keepdims=True)
    wide = poses.moved(poses.frames * 10)
    write_poses(action, rig.armature, type(wide)(wide.frames, turns, poses.places), rig.rest)
    ticks = np.arange(wide.frames[0], wide.frames[-1] + 1)
    found = seen_poses(action, rig.armature, rig.rest, ticks.tolist())
    expected = type(wide)(wide.frames, turns, poses.places).at(ticks)
    assert np.abs(found.places - expected.places).max() < 4 * SCALE
    alike = np.abs((found.turns * expected.turns).sum(axis=-1))
    assert np.degrees(2 * np.arccos(alike.min())) < 2


@pytest.mark.parametrize("order", ["Hips,Torso,Head", "Torso,Hips,Head", "Hips Torso Head"])
def test_limbs_of_the_trunk_are_matched_one_by_one(blender: ModuleType, order: str) -> None:
    """The pose stays whichever of them follow their controls."""
    root = import_scene(sample_bytes(Game.TR1))
    rig, action = rigged(root, matched=False), actions(root)[RUN]
    edit(rig, action, "Hips", "rotation_quaternion", {1: 0.1, 3: -0.2})
    before, plain = pose(rig, action)[1], exported(root).to_bytes()
    for names in order.split(","):
        limbs = [limb_of(rig, name) for name in names.split()]
        rig.match([action], limbs)
        assert np.abs(pose(rig, action)[1] - before).max() < _NEAR, names
        assert all(is_switched_on(action, rig.armature, limb) for limb in limbs)
    with KeyWriter(rig.armature) as writer:
        writer.switch(action, [limb_of(rig, "Hips")], 0.0, 0.0)
    assert np.abs(pose(rig, action)[1] - before).max() < _NEAR
    assert exported(root).to_bytes() == plain != sample_bytes(Game.TR1)


def test_rigs_without_a_body_stay_as_they_are(blender: ModuleType) -> None:
    """Rigs of before have no such control: hips move by their own keys, and chest and head keep still."""
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    figure = figure_of(armature(root))
    limbs, facing = choice.recognized(figure[0])
    add_rig(figure, [limb for limb in limbs if limb.kind != LimbKind.BODY], facing)
    rig, action = RigAtRest.of(figure[-1]), actions(root)[RUN]
    own = rig_actions(figure[0])
    rig.match(own)
    switch_off(rig.armature, own, rig.limbs)
    assert exported(root).to_bytes() == data
    torso = limb_of(rig, "Torso")
    assert followed_bones(rig.armature, torso.target) == ["Control Root"]
    turns, heads = pose(rig, action)
    edit(rig, action, "Hips", "location", {2: -20 * SCALE})
    edit(rig, action, "Hips", "rotation_quaternion", {3: 0.3})
    after_turns, after = pose(rig, action)
    assert np.abs(after - heads)[_KEY, 0].max() > 10 * SCALE
    (chest,) = numbers(rig, "Torso")
    assert np.allclose(after_turns[_KEY, chest], turns[_KEY, chest], atol=2e-3)
    assert differing(read_level(data), exported(root)) == [first_animation(exported(root)) + RUN]


def test_an_animal_is_moved_by_its_body(blender: ModuleType) -> None:
    wolf = make_wolf()
    limbs, facing = choice.recognized(wolf)
    add_rig([wolf], limbs, facing)
    body = next(limb for limb in RigAtRest.of(wolf).limbs if limb.is_body)
    middle = wolf.data.bones[body.target].head_local
    legs = [wolf.data.bones[limb.names[0]].head_local for limb in limbs if len(limb.names) == 4]
    assert min(leg.y for leg in legs) < middle.y < max(leg.y for leg in legs)


def test_a_body_needs_the_first_bone(blender: ModuleType) -> None:
    lara = armature(import_scene(sample_bytes(Game.TR1)))
    with pytest.raises(ExportError, match="Hips"):
        add_rig([lara], [LimbBones(LimbKind.BODY, ("Torso",))], np.array([0.0, 1.0, 0.0]))


def test_models_without_hips_have_no_body(blender: ModuleType) -> None:
    data = bpy.data.armatures.new("Door")
    door = bpy.data.objects.new("Door", data)
    bpy.context.scene.collection.objects.link(door)
    bpy.context.view_layer.objects.active = door
    bpy.ops.object.mode_set(mode="EDIT")
    data.edit_bones.new("Leaf").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert choice.recognized(door)[0] == []
