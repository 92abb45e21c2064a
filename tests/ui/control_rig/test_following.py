"""Controls that follow bones and objects, hold still, and look at a target, as a user calls the operators."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.control_rig import baking
from io_tomb_raider.scene.authoring.control_rig.match import RigAtRest
from io_tomb_raider.scene.authoring.control_rig.parts import RigLimb, RigPart, rig_limbs
from io_tomb_raider.scene.authoring.control_rig.seen import seen_poses
from io_tomb_raider.scene.authoring.control_rig.space_keys import spaces_at
from io_tomb_raider.scene.authoring.control_rig.spaces import followed_bones
from io_tomb_raider.scene.authoring.motion.ground import contacts
from io_tomb_raider.scene.authoring.motion.ticks import Ticks
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.new_levels.example import example_of
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.scene.subjects.animations.keys.key_poses import read_key_poses
from io_tomb_raider.ui.control_rig import panels
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import SCALE

from ..recorder import shown
from ..user_actions import export_file, fails, import_file, sample_file
from .posing import FINISHED, pose_lara, posing, select


def rigged(folder: Path, game: Game = Game.TR1) -> tuple[Any, Any, Action]:
    """Import a sample and add a control rig to Lara, who runs."""
    root, rig, own = posing(folder, game)
    assert bpy.ops.tomb_raider.add_control_rig() == FINISHED
    return root, rig, own[0]


def limb_of(rig: Any, name: str) -> RigLimb:
    return next(limb for limb in rig_limbs(rig) if limb.name == name)


def activate(rig: Any, bone: str) -> None:
    rig.data.bones.active = rig.data.bones[bone]
    select(rig, bone)


def pose(rig: Any, action: Action) -> tuple[Any, Any]:
    """Return the orientations and joints that Blender shows at all ticks."""
    at_rest = RigAtRest.of(rig, action)
    frames = np.arange(action.frame_range[0], action.frame_range[1] + 1).astype(np.float64)
    with baking.staged(at_rest) as stage:
        poses = stage.poses(action, frames)
    return at_rest.rest.pose(poses.turns, poses.places)


def turned(one: Any, other: Any) -> float:
    """Return the largest angle between orientations, in degrees."""
    return float(np.degrees(2 * np.arccos(np.clip(np.abs((one * other).sum(axis=-1)), 0, 1))).max())


@each_game
def test_a_change_of_the_space_keeps_the_pose_and_the_file(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    _, rig, action = rigged(tmp_path, game)
    before = pose(rig, action)
    for name, bone in (("Hand.L", "Torso"), ("Head", "Torso"), ("Foot.R", "Hips"), ("Hand.R", "Hand.L")):
        activate(rig, limb_of(rig, name).target)
        assert bpy.ops.tomb_raider.change_space(space=bone) == FINISHED
        assert followed_bones(rig, limb_of(rig, name).target)[-1] == bone
    after = pose(rig, action)
    assert turned(before[0], after[0]) < 0.1
    assert np.abs(before[1] - after[1]).max() < 0.1 * SCALE
    assert export_file(tmp_path / "out.tr") == sample_bytes(game)


def test_a_hand_moves_with_the_chest_that_it_follows(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    hand, chest = limb_of(rig, "Hand.L"), limb_of(rig, "Torso")
    names = RigAtRest.of(rig, action).rest.names
    moved = []
    for space in ("", "Torso"):
        if space:
            activate(rig, hand.target)
            bpy.ops.tomb_raider.change_space(space=space)
        before = pose(rig, action)[1]
        curve = compat.find_channels(action, rig).fcurves.find(
            f"{bone_path(chest.target)}.rotation_quaternion", index=3
        )
        for point in curve.keyframe_points:
            point.co.y += 0.1
        curve.update()
        after = pose(rig, action)[1]
        moved.append(np.linalg.norm(after - before, axis=-1)[:, names.index("Hand.L")].max() / SCALE)
    assert moved[0] < 2 and moved[1] > 20


def test_all_selected_controls_follow(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    limbs = [limb_of(rig, name) for name in ("Hand.L", "Hand.R", "Torso")]
    for limb in limbs:
        activate(rig, limb.target)
    activate(rig, limbs[0].target)
    assert bpy.ops.tomb_raider.change_space(space="Torso") == FINISHED
    times = np.array([0.0, 5.0])
    # The torso cannot follow itself: it follows the control of the body as before.
    spaces = [spaces_at(action, rig, limb.target, times) for limb in limbs]
    followed = [
        followed_bones(rig, limb.target)[index] for limb, (index, _) in zip(limbs, spaces, strict=True)
    ]
    assert followed == ["Torso", "Torso", "Body"] and all(first == last for first, last in spaces)


def test_the_head_keeps_its_direction_when_the_chest_turns(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    names = RigAtRest.of(rig, action).rest.names
    before = pose(rig, action)[0]
    curve = compat.find_channels(action, rig).fcurves.find(
        f"{bone_path(limb_of(rig, 'Torso').target)}.rotation_quaternion", index=3
    )
    for point in curve.keyframe_points:
        point.co.y += 0.1
    after = pose(rig, action)[0]
    head, torso = names.index("Head"), names.index("Torso")
    assert turned(before[:, torso], after[:, torso]) > 5
    assert turned(before[:, head], after[:, head]) < 0.1


def test_a_control_follows_a_selected_object_from_a_frame_on(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    crate = bpy.data.objects.new("Crate", None)
    bpy.context.scene.collection.objects.link(crate)
    crate.location = (1, 2, 0.5)
    crate.select_set(True)
    hand = limb_of(rig, "Hand.R")
    activate(rig, hand.target)
    before = pose(rig, action)[1]
    bpy.context.scene.frame_set(4)
    assert bpy.ops.tomb_raider.change_space(space="OBJECT:Crate", frames="ON") == FINISHED
    assert bpy.context.mode == "POSE"
    assert np.abs(pose(rig, action)[1] - before).max() < 0.1 * SCALE
    assert spaces_at(action, rig, hand.target, np.array([3.0, 4.0, 5.0])) == [0, 1, 1]
    crate.location.z += 20 * SCALE
    bpy.context.view_layer.update()
    names = RigAtRest.of(rig, action).rest.names
    moved = (pose(rig, action)[1] - before)[:, names.index("Hand.R"), 2] / SCALE
    assert np.abs(moved[:4]).max() < 0.1 and moved[5:].min() > 15
    # The object is offered by its name, and not a second time.
    choices = [choice for choice, *_ in _choices()]
    assert choices.count("OBJECT:Crate") == 0 and "Space Crate" in choices


def _choices() -> list[Any]:
    from io_tomb_raider.ui.control_rig.following import _spaces

    return list(_spaces(None, bpy.context))


def test_what_follows_a_control_cannot_be_followed_by_it(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = rigged(tmp_path)
    activate(rig, limb_of(rig, "Hand.R").target)
    bpy.ops.tomb_raider.change_space(space="Hand.L")
    activate(rig, limb_of(rig, "Hand.L").target)
    choices = [choice for choice, *_ in _choices()]
    assert "Hand.R" not in choices and "Torso" in choices


@pytest.mark.parametrize("by", ["keys", "range"])
def test_a_foot_stays_on_the_ground_in_the_file(blender: ModuleType, tmp_path: Path, by: str) -> None:
    _, rig, action = rigged(tmp_path)
    foot = limb_of(rig, "Foot.L")
    activate(rig, foot.target)
    scene = bpy.context.scene
    scene.frame_set(5)
    curves = [
        curve
        for curve in compat.find_channels(action, rig).fcurves
        if curve.data_path.startswith(bone_path(foot.target))
    ]
    for curve in curves:
        for point in curve.keyframe_points:
            point.select_control_point = by == "keys" and 3 <= point.co.x <= 7
    if by == "range":
        scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 3, 7
    before = pose(rig, action)[1]
    assert bpy.ops.tomb_raider.hold_control() == FINISHED
    after = pose(rig, action)[1]
    names = RigAtRest.of(rig, action).rest.names
    number, speed = names.index("Foot.L"), action.tomb_raider.speed * SCALE
    held = after[3:8, number] + np.arange(5)[:, None] * (0, speed, 0)
    assert np.abs(held - held[0]).max() < 0.1 * SCALE
    assert np.abs(held[2] - before[5, number] - (0, 2 * speed, 0)).max() < 0.1 * SCALE
    # Other limbs and the rest of the animation stay.
    assert np.abs((after - before)[:, names.index("Hand.L")]).max() < 0.1 * SCALE
    assert np.abs((after - before)[12:, number]).max() < 0.1 * SCALE
    assert export_file(tmp_path / "out.tr") != sample_bytes(Game.TR1)


def test_a_hand_holds_still_where_it_is(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    hand = limb_of(rig, "Hand.L")
    activate(rig, hand.target)
    assert "preview range" in fails(bpy.ops.tomb_raider.hold_control)
    bpy.context.scene.frame_set(4)
    before = pose(rig, action)
    assert bpy.ops.tomb_raider.hold_control(first=2, last=6) == FINISHED
    after = pose(rig, action)
    number = RigAtRest.of(rig, action).rest.names.index("Hand.L")
    assert np.abs(after[1][2:7, number] - before[1][4, number]).max() < 0.5 * SCALE
    assert turned(after[0][2:7, number], before[0][4, number][None]) < 0.2


def exploring(folder: Path, game: Game) -> tuple[Any, Any, list[Action]]:
    """Import the example, and go to pose mode on its explorer, who runs."""
    path = sample_file(folder, game)
    path.write_bytes(example_of(game))
    return pose_lara(import_file(path))


@each_game
def test_planted_feet_slide_by_less_than_a_unit_per_tick_in_the_file(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    _, rig, own = exploring(tmp_path, game)
    bpy.ops.tomb_raider.add_control_rig()
    model = own[0].tomb_raider.model
    held = {}
    for number in (0, 1):
        rig.animation_data.action = own[number]
        ticks = Ticks.of(own[number], model)
        held[number] = [
            (limb.name, *each) for limb in rig_limbs(model) if limb.stands for each in contacts(ticks, limb)
        ]
        bpy.ops.tomb_raider.switch_limbs(target="IK")
        assert bpy.ops.tomb_raider.plant_on_ground() == FINISHED
    assert len(held[0]) >= 2 and len(held[1]) >= 2
    path = sample_file(tmp_path, game)
    path.write_bytes(export_file(tmp_path / "planted"))
    bpy.ops.object.mode_set(mode="OBJECT")
    _, _, own = pose_lara(import_file(path))
    for number, rows in held.items():
        ticks = Ticks.of(own[number], own[number].tomb_raider.model)
        heads = ticks.around()[1][len(ticks) :] if ticks.is_loop else ticks.heads
        for name, first, last in rows:
            places = heads[first : last + 1, ticks.rest.number(name)] / ticks.scale
            assert np.linalg.norm(np.diff(places, axis=0), axis=1).max() < 1.0, (number, name, first, last)


def test_a_foot_holds_still_for_its_contact_with_the_ground(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = exploring(tmp_path, Game.TR1)
    bpy.ops.tomb_raider.add_control_rig()
    limb = limb_of(rig, "Foot.L")
    activate(rig, limb.target)
    ticks = Ticks.of(own[0], rig)
    first, last = contacts(ticks, limb)[0]
    count = len(ticks)
    bpy.context.scene.frame_set((first + 1) % count)
    assert bpy.ops.tomb_raider.hold_control() == FINISHED
    spaces = spaces_at(own[0], rig, limb.target, np.arange(count).astype(np.float64))
    inside = {tick % count for tick in range(first, last + 1)}
    assert {tick for tick, space in enumerate(spaces) if space} == inside
    bpy.context.scene.frame_set((last + 6) % count)
    assert "preview range" in fails(bpy.ops.tomb_raider.hold_control)


def test_the_head_looks_at_its_target(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    head = limb_of(rig, "Head")
    look = head.bones[RigPart.LOOK]
    activate(rig, look)
    before = pose(rig, action)
    assert bpy.ops.tomb_raider.look_at() == FINISHED
    assert turned(pose(rig, action)[0], before[0]) < 0.1
    assert export_file(tmp_path / "out.tr") == sample_bytes(Game.TR1)
    curve = compat.find_channels(action, rig).fcurves.find(f"{bone_path(look)}.location", index=0)
    for point in curve.keyframe_points:
        point.co.y += 300 * SCALE
    curve.update()
    number = RigAtRest.of(rig, action).rest.names.index("Head")
    after = pose(rig, action)[0]
    assert turned(after[:, number], before[0][:, number]) > 10
    assert turned(np.delete(after, number, axis=1), np.delete(before[0], number, axis=1)) < 0.1
    bpy.context.scene.frame_set(1)
    assert bpy.ops.tomb_raider.look_at() == FINISHED
    assert turned(pose(rig, action)[0], after) < 0.1


def test_other_animations_do_not_keep_the_space(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig(animations="ALL")
    hand = limb_of(rig, "Hand.L")
    activate(rig, hand.target)
    bpy.ops.tomb_raider.change_space(space="Torso")
    rig.animation_data.action = own[1]
    bpy.context.scene.frame_set(1)
    assert rig.pose.bones[hand.target]["Space"] == 0
    assert export_file(tmp_path / "out.tr") == sample_bytes(Game.TR1)


def test_controls_that_do_not_pose_are_reported(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig(animations="NONE")
    activate(rig, limb_of(rig, "Hand.L").target)
    assert "Use Controls" in fails(bpy.ops.tomb_raider.change_space, space="Torso")
    assert "Use Controls" in fails(bpy.ops.tomb_raider.plant_on_ground)
    assert len(own) > 1


def test_the_panel_shows_what_the_active_control_follows(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = rigged(tmp_path)
    activate(rig, limb_of(rig, "Foot.L").target)
    layout = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    names = {name for name, _ in layout.operators}
    assert {"tomb_raider.hold_control", "tomb_raider.plant_on_ground"} <= names
    assert "tomb_raider.look_at" not in names
    activate(rig, limb_of(rig, "Head").target)
    layout = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    assert "tomb_raider.look_at" in {name for name, _ in layout.operators}


# --- The body ----------------------------------------


def test_the_chest_follows_the_body_or_the_model(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    names = RigAtRest.of(rig, action).rest.names
    body, torso = limb_of(rig, "Hips"), limb_of(rig, "Torso")
    turns = compat.find_channels(action, rig).fcurves
    turn = turns.find(f"{bone_path(body.target)}.rotation_quaternion", index=3)
    moved = []
    for space in ("", "Control Root"):
        activate(rig, torso.target)
        if space:
            before = pose(rig, action)
            assert bpy.ops.tomb_raider.change_space(space=space) == FINISHED
            assert turned(pose(rig, action)[0], before[0]) < 0.1
        before = pose(rig, action)[0]
        for point in turn.keyframe_points:
            point.co.y += 0.1
        turn.update()
        after = pose(rig, action)[0]
        assert turned(after[:, names.index("Hips")], before[:, names.index("Hips")]) > 5
        moved.append(turned(after[:, names.index("Torso")], before[:, names.index("Torso")]))
    assert moved[0] > 5 and moved[1] < 0.1


def test_hands_can_follow_the_body(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, action = rigged(tmp_path)
    body = limb_of(rig, "Hips")
    number = RigAtRest.of(rig, action).rest.names.index("Hand.L")
    activate(rig, limb_of(rig, "Hand.L").target)
    assert bpy.ops.tomb_raider.change_space(space=body.target) == FINISHED
    before = pose(rig, action)[1]
    curve = compat.find_channels(action, rig).fcurves.find(f"{bone_path(body.target)}.location", index=2)
    for point in curve.keyframe_points:
        point.co.y -= 30 * SCALE
    curve.update()
    moved = pose(rig, action)[1] - before
    assert np.allclose(moved[:, number], (0, 0, -30 * SCALE), atol=0.3 * SCALE)


def test_controls_on_others_follow_these_alone(blender: ModuleType, tmp_path: Path) -> None:
    """A ring or a heel that followed something else as well would be moved twice."""
    _, rig, action = rigged(tmp_path)
    body, foot = limb_of(rig, "Hips"), limb_of(rig, "Foot.L")
    for control, above in (
        (body.bones[RigPart.TILT], body.target),
        (foot.bones[RigPart.HEEL], foot.target),
    ):
        bpy.ops.pose.select_all(action="DESELECT")
        activate(rig, control)
        assert [choice for choice, *_ in _choices()] == [above]
    bpy.ops.pose.select_all(action="DESELECT")
    activate(rig, body.bones[RigPart.TILT])
    before = pose(rig, action)
    assert bpy.ops.tomb_raider.hold_control(first=2, last=2) == FINISHED
    after = pose(rig, action)
    assert turned(after[0], before[0]) < 0.1 and np.abs(after[1] - before[1]).max() < 0.3 * SCALE


def test_a_new_animation_is_exported_as_its_trunk_is_shown(blender: ModuleType, tmp_path: Path) -> None:
    """It has no keys of what the chest follows: that is what was shown when the user keyed it."""
    _, rig, _ = rigged(tmp_path)
    body, torso = limb_of(rig, "Hips"), limb_of(rig, "Torso")
    new = bpy.data.actions.new("Bow")
    rig.animation_data.action = new
    bpy.context.view_layer.update()
    control, chest = rig.pose.bones[body.target], rig.pose.bones[torso.target]
    control.rotation_quaternion = (0.9, 0.4, 0.0, 0.0)
    for each in (control, chest):
        for frame in (0, 10):
            each.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.view_layer.update()
    shown_turn = rig.pose.bones["Torso"].matrix.to_quaternion()
    rig_at_rest = RigAtRest.of(rig, new)
    number = rig_at_rest.rest.names.index("Torso")
    assert np.degrees(shown_turn.rotation_difference(rest_turn(rig, "Torso")).angle) > 20
    assert turned(pose(rig, new)[0][0, number], np.array(shown_turn)) < 0.1


def rest_turn(rig: Any, bone: str) -> Any:
    return rig.data.bones[bone].matrix_local.to_quaternion()


def test_a_moved_body_is_exported(blender: ModuleType, tmp_path: Path) -> None:
    """As a user does it: the button of the picker, a move, a key."""
    _, rig, action = rigged(tmp_path)
    scene = bpy.context.scene
    scene.frame_set(4)
    feet = [rig.pose.bones[name].head.copy() for name in ("Foot.L", "Foot.R")]
    hips = rig.pose.bones["Hips"].head.copy()
    assert bpy.ops.tomb_raider.select_control(bone=limb_of(rig, "Hips").target) == FINISHED
    control = bpy.context.active_pose_bone
    control.location.z -= 30 * SCALE
    control.keyframe_insert("location")
    bpy.context.view_layer.update()
    assert np.allclose(rig.pose.bones["Hips"].head - hips, (0, 0, -30 * SCALE), atol=0.3 * SCALE)
    for name, before in zip(("Foot.L", "Foot.R"), feet, strict=True):
        assert (rig.pose.bones[name].head - before).length < 0.3 * SCALE
    place = seen_poses(action, rig, frames=[4.0]).places[0]
    path = sample_file(tmp_path, Game.TR1)
    path.write_bytes(export_file(tmp_path / "out"))
    bpy.ops.object.mode_set(mode="OBJECT")
    _, other, own = pose_lara(import_file(path))
    assert np.allclose(read_key_poses(own[0], other, frames=[4.0]).places[0], place, atol=1.0 * SCALE)
