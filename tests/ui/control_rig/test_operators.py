"""Operators and panel of control rigs, as a user calls them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.authoring.control_rig.keys import is_switched_on
from io_tomb_raider.scene.authoring.control_rig.parts import SWITCH, RigPart, has_rig, rig_limbs
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.keys.curves import bone_path
from io_tomb_raider.ui.control_rig import panels, reach
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import SCALE, with_skin
from tests.scene.scenes import objects

from ..recorder import shown
from ..user_actions import export_file
from .posing import FINISHED, posing, select


def move_foot(rig: Any, action: Action, units: float = 40) -> None:
    path = f"{bone_path(rig_limbs(rig)[0].target)}.location"
    curve: Any = compat.find_channels(action, rig).fcurves.find(path, index=2)
    curve.keyframe_points[1].co.y += units * SCALE
    curve.update()


def switches(rig: Any, action: Action) -> list[bool]:
    return [is_switched_on(action, rig, limb) for limb in rig_limbs(rig)]


def test_the_rig_is_added_in_pose_mode_for_the_animation_that_is_shown(
    blender: ModuleType, tmp_path: Path
) -> None:
    _, rig, own = posing(tmp_path)
    assert bpy.ops.tomb_raider.add_control_rig() == FINISHED
    assert rig.mode == "POSE" and has_rig(rig)
    assert switches(rig, own[0]) == [True] * 7
    assert switches(rig, own[1]) == [False] * 7
    assert not bpy.ops.tomb_raider.add_control_rig.poll()
    foot = rig_limbs(rig)[0]
    control, bone = rig.pose.bones[foot.target], rig.pose.bones[foot.bones[RigPart.END]]
    assert (control.head - bone.head).length < 0.2 * SCALE  # shown at once


def test_the_level_is_the_same_until_a_control_moves(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig(animations="ALL")
    assert all(switches(rig, own[1]))
    assert export_file(tmp_path / "new.phd") == sample_bytes(Game.TR1)
    move_foot(rig, own[0])
    assert export_file(tmp_path / "new.phd") != sample_bytes(Game.TR1)
    assert bpy.ops.tomb_raider.remove_control_rig(keep=False) == FINISHED
    assert rig.mode == "POSE" and not has_rig(rig)
    assert export_file(tmp_path / "new.phd") == sample_bytes(Game.TR1)


def test_only_legs_or_only_arms(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig(arms=False, trunk=False)
    assert [limb.name for limb in rig_limbs(rig)] == ["Foot.L", "Foot.R"]
    layout = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    bones = [settings.bone for name, settings in layout.operators if name == "tomb_raider.select_control"]
    assert "Hips" in bones and "Body" not in bones  # the hips have keys of their own


def test_limbs_can_be_corrected_before(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    settings = rig.tomb_raider.model
    assert bpy.ops.tomb_raider.list_limbs() == FINISHED
    assert [limb.end for limb in settings.limbs] == ["Foot.L", "Foot.R", "Hand.L", "Hand.R", "", "", ""]
    assert [limb.upper for limb in settings.limbs][4:] == ["Hips", "Torso", "Head"]
    for _ in range(3):
        bpy.ops.tomb_raider.edit_limbs(change="REMOVE")
    for name in ("Lower Arm.L", "Hand.L", "Upper Arm.L"):
        select(rig, name)
    bpy.ops.tomb_raider.edit_limbs(change="ADD")
    added = settings.limbs[-1]
    assert (added.upper, added.lower, added.end) == ("Upper Arm.L", "Lower Arm.L", "Hand.L")
    added.kind = "ARM"
    bpy.ops.tomb_raider.add_control_rig()
    assert [limb.name for limb in rig_limbs(rig)] == ["Hand.R", "Hips", "Torso", "Head", "Hand.L"]


def test_corrections_count_for_the_same_model_of_another_level(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.list_limbs()
    settings = rig.tomb_raider.model
    settings.limbs.remove(3)
    settings.limbs.remove(2)
    settings.limbs[0].kind = "ARM"
    bpy.ops.object.mode_set(mode="OBJECT")
    for game, expected in ((Game.TR1, ["Foot.L", "Foot.R", "Hips", "Torso", "Head"]), (Game.TR2, None)):
        folder = tmp_path / game.name
        folder.mkdir()
        _, other, _ = posing(folder, game)
        bpy.ops.tomb_raider.add_control_rig()
        found = [limb.name for limb in rig_limbs(other)]
        assert found == expected or (expected is None and len(found) == 7)
        assert other.tomb_raider.model.limbs[0].kind == ("LEG" if expected is None else "ARM")
        bpy.ops.object.mode_set(mode="OBJECT")
    # A list of its own counts.
    folder = tmp_path / "own"
    folder.mkdir()
    _, own, _ = posing(folder)
    bpy.ops.tomb_raider.list_limbs()
    bpy.ops.tomb_raider.add_control_rig()
    assert len(rig_limbs(own)) == 7


def test_limbs_with_other_bones_are_not_taken(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.list_limbs()
    rig.tomb_raider.model.limbs.remove(3)
    rig.data.bones["Foot.L"].name = "Left Foot"
    rig.tomb_raider.model.limbs[0].end = "Left Foot"
    bpy.ops.object.mode_set(mode="OBJECT")
    folder = tmp_path / "other"
    folder.mkdir()
    _, other, _ = posing(folder)
    bpy.ops.tomb_raider.add_control_rig()
    assert len(rig_limbs(other)) == 7


def test_wrong_bones_are_reported(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.list_limbs()
    rig.tomb_raider.model.limbs[0].lower = "Calf.R"
    with pytest.raises(RuntimeError, match=r"Calf\.R"):
        bpy.ops.tomb_raider.add_control_rig()
    assert rig.mode == "POSE" and not has_rig(rig)


def test_limbs_of_selected_bones_are_switched(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig(animations="NONE")
    assert switches(rig, own[0]) == [False] * 7
    select(rig, rig_limbs(rig)[1].target)
    assert bpy.ops.tomb_raider.switch_limbs(target="IK") == FINISHED
    assert switches(rig, own[0]) == [False, True, *[False] * 5]
    move_foot_before = len(compat.find_channels(own[0], rig).fcurves)
    bpy.ops.tomb_raider.switch_limbs(target="FK")
    assert switches(rig, own[0]) == [False] * 7
    assert len(compat.find_channels(own[0], rig).fcurves) == move_foot_before  # its keys are kept
    bpy.ops.tomb_raider.switch_limbs(target="IK", limb=0)
    assert switches(rig, own[0]) == [True, *[False] * 6]


@pytest.mark.parametrize("frames", ["FRAME", "RANGE", "ALL"])
def test_snapping_both_ways(blender: ModuleType, tmp_path: Path, frames: str) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    move_foot(rig, own[0])
    times = sorted(
        {point.co.x for curve in compat.find_channels(own[0], rig).fcurves for point in curve.keyframe_points}
    )
    bpy.context.scene.frame_set(int(times[1]))
    bpy.context.scene.use_preview_range = True
    bpy.context.scene.frame_preview_start = bpy.context.scene.frame_preview_end = int(times[1])
    moved = rig.pose.bones["Foot.L"].head.copy()
    assert bpy.ops.tomb_raider.snap_pose(frames=frames) == FINISHED
    bpy.ops.tomb_raider.switch_limbs(target="FK")
    assert (rig.pose.bones["Foot.L"].head - moved).length < 1 * SCALE
    assert bpy.ops.tomb_raider.snap_controls(frames=frames) == FINISHED
    bpy.ops.tomb_raider.switch_limbs(target="IK")
    assert (rig.pose.bones["Foot.L"].head - moved).length < 1 * SCALE


def test_baking_keeps_the_edit(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    move_foot(rig, own[0])
    live = export_file(tmp_path / "new.phd")
    assert bpy.ops.tomb_raider.bake_controls(animations="CURRENT") == FINISHED
    assert switches(rig, own[0]) == [False] * 7
    baked = export_file(tmp_path / "new.phd")
    assert baked == live
    bpy.ops.tomb_raider.remove_control_rig(keep=True)
    assert export_file(tmp_path / "new.phd") == live


@pytest.mark.parametrize("keyed", ["location", "rotation_quaternion"])
def test_new_animations_that_are_keyed_by_controls_follow_them(
    blender: ModuleType, tmp_path: Path, keyed: str
) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    new = bpy.data.actions.new("Kick")
    rig.animation_data.action = new
    bpy.context.view_layer.update()
    foot, *others, body, _, _ = rig_limbs(rig)
    for limb, channel in ((foot, "location"), (body, keyed)):
        control = rig.pose.bones[limb.target]
        for frame, amount in ((0, 0.1), (10, 0.4)):
            control.location.z = control.rotation_quaternion.x = amount
            control.keyframe_insert(channel, frame=frame)
    bpy.context.view_layer.update()
    assert new.tomb_raider.model == rig
    assert is_switched_on(new, rig, foot) and is_switched_on(new, rig, body)
    assert not any(is_switched_on(new, rig, limb) for limb in others)
    rig.animation_data.action = own[1]
    bpy.context.view_layer.update()
    assert switches(rig, own[1]) == [False] * 7


def test_the_figure_of_later_games_has_one_rig(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "skin.tr4"
    path.write_bytes(with_skin(Game.TR4))
    bpy.ops.import_scene.tomb_raider(filepath=str(path))
    models = [obj for obj in bpy.data.objects if obj.tomb_raider.kind == "MODEL"]
    skin = next(obj for obj in models if obj.tomb_raider.model.id == 8)
    lara = next(obj for obj in models if obj.tomb_raider.model.id == 0)
    layer = bpy.context.view_layer
    for part in layer.layer_collection.children[0].children:
        part.exclude = False
    layer.objects.active = skin
    assert bpy.ops.tomb_raider.add_control_rig() == FINISHED
    assert has_rig(skin) and has_rig(lara)
    bpy.ops.tomb_raider.remove_control_rig()
    assert not has_rig(skin) and not has_rig(lara)


@pytest.mark.parametrize("animations", ["CURRENT", "ALL"])
def test_an_untouched_rig_changes_nothing_where_the_skin_has_other_joints(
    blender: ModuleType, tmp_path: Path, animations: str
) -> None:
    level = read_level(with_skin(Game.TR4))
    trees = level.mesh_trees.copy()
    lara, skin = (int(tree) for tree in level.models["mesh_tree"][:2])
    assert lara != skin
    for node in (0, 3, 6):  # thighs and torso
        trees[lara + 4 * node + 3] += 5
    level.mesh_trees = trees
    path = tmp_path / "skin.tr4"
    path.write_bytes(level.to_bytes())
    bpy.ops.import_scene.tomb_raider(filepath=str(path))
    assert bpy.ops.tomb_raider.animate_model() == FINISHED
    assert bpy.context.object.tomb_raider.model.id == 8
    assert bpy.ops.tomb_raider.add_control_rig(animations=animations) == FINISHED
    assert export_file(tmp_path / "out.tr4") == path.read_bytes()
    assert bpy.ops.tomb_raider.bake_controls(animations="ALL") == FINISHED
    assert export_file(tmp_path / "out.tr4") == path.read_bytes()


@pytest.mark.parametrize(("control", "name"), [("IK Foot.L", "Foot.L"), ("Control Hips", "Hips")])
def test_deleted_controls_are_reported(
    blender: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], control: str, name: str
) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones[control])
    bpy.ops.object.mode_set(mode="POSE")
    capsys.readouterr()
    export_file(tmp_path / "out.phd")
    assert f"controls of {name} were deleted" in capsys.readouterr().out
    assert bpy.ops.tomb_raider.remove_control_rig(keep=False) == FINISHED
    assert not any(len(bone.constraints) for bone in rig.pose.bones)
    assert export_file(tmp_path / "out.phd") == sample_bytes(Game.TR1)


def test_changes_by_tools_are_no_edit_to_spread(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Controls get their places from the tools, not from the user: only what is moved later is spread."""
    _, rig, own = posing(tmp_path)
    bpy.context.scene.frame_set(3)
    foot = f"{bone_path('IK Foot.L')}.location"
    for tool, options in (
        ("add_control_rig", {}),
        ("switch_limbs", {"target": "FK"}),
        ("switch_limbs", {"target": "IK"}),
        ("snap_controls", {"frames": "FRAME"}),
        ("snap_pose", {"frames": "FRAME"}),
        ("bake_controls", {}),
    ):
        assert getattr(bpy.ops.tomb_raider, tool)(**options) == FINISHED
        bpy.context.view_layer.update()
        capfd.readouterr()
        assert bpy.ops.tomb_raider.spread_edit() == {"CANCELLED"}, tool
        assert "nothing was posed at this frame" in "".join(capfd.readouterr())
    bpy.ops.tomb_raider.switch_limbs(target="IK")
    before = {(c.data_path, c.array_index): heights_of(c) for c in compat.find_channels(own[0], rig).fcurves}
    rig.pose.bones["IK Foot.L"].location.z += 0.1
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.spread_edit() == FINISHED
    after = {(c.data_path, c.array_index): heights_of(c) for c in compat.find_channels(own[0], rig).fcurves}
    assert {key for key in before if before[key] != after[key]} == {(foot, 2)}


def heights_of(curve: Any) -> list[float]:
    return [round(point.co.y, 5) for point in curve.keyframe_points]


# --- Panel ----------------------------------------


def test_the_panel_offers_the_rig_and_then_its_limbs(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    before = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    assert [name for name, _ in before.operators] == ["tomb_raider.add_control_rig"]
    bpy.ops.tomb_raider.add_control_rig()
    layout = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    names = [name for name, _ in layout.operators]
    assert {"tomb_raider.switch_limbs", "tomb_raider.bake_controls", "tomb_raider.remove_control_rig"} <= {
        *names
    }
    layout = shown(panels.VIEW3D_PT_tomb_raider_limbs, object=rig, mode="POSE")
    assert [name for name, _ in layout.operators].count("tomb_raider.switch_limbs") == 7


def test_buttons_in_the_form_of_a_body_select_controls(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, _ = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    layout = shown(panels.VIEW3D_PT_tomb_raider_control_rig, object=rig, mode="POSE")
    bones = [settings.bone for name, settings in layout.operators if name == "tomb_raider.select_control"]
    limbs = rig_limbs(rig)
    assert len(bones) == len(set(bones))
    controls = {limb.target for limb in limbs}
    assert [bone for bone in bones if bone in controls] == [
        *("Control Head", "IK Hand.L", "Control Torso", "IK Hand.R", "Body", "IK Foot.L", "IK Foot.R")
    ]
    assert {
        "Control Hips",
        "Look Head",
        *(limb.bones[RigPart.POLE] for limb in limbs if not limb.is_trunk),
    } <= {*bones}
    select(rig, "Head")
    for bone, extend in (("IK Foot.L", False), ("Body", True)):
        assert bpy.ops.tomb_raider.select_control(bone=bone, extend=extend) == FINISHED
    assert {bone.name for bone in bpy.context.selected_pose_bones} == {"IK Foot.L", "Body"}
    assert bpy.context.active_pose_bone.name == "Body"


def test_controls_out_of_reach_are_marked(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    limb = rig_limbs(rig)[0]
    assert not panels.is_out_of_reach(rig, limb)
    assert reach.reach_lines(bpy.context) is None
    move_foot(rig, own[0], -900)
    times = sorted(point.co.x for point in compat.find_channels(own[0], rig).fcurves[0].keyframe_points)
    bpy.context.scene.frame_set(int(times[1]))
    assert panels.is_out_of_reach(rig, limb)
    # The 3D view shows the leg, and the way on to its control.
    lines = reach.reach_lines(bpy.context)
    assert lines is not None and lines.shape == (6, 3)
    joints = [
        rig.matrix_world @ rig.pose.bones[name].head for name in (*limb.own, limb.bones[RigPart.IK_END])
    ]
    assert np.allclose(lines[[0, 1, 3, 5]], joints, atol=1e-5)
    assert np.allclose(lines[[2, 4]], lines[[1, 3]])
    rig.hide_set(True)
    assert reach.reach_lines(bpy.context) is None
    rig.hide_set(False)
    limb_switch = rig.pose.bones[limb.target]
    limb_switch[SWITCH] = 0.0
    assert reach.reach_lines(bpy.context) is None


def test_an_entity_shows_the_limb_where_it_stands(blender: ModuleType, tmp_path: Path) -> None:
    root, rig, own = posing(tmp_path, Game.TR4)
    bpy.ops.tomb_raider.add_control_rig()
    move_foot(rig, own[0], -900)
    times = sorted(point.co.x for point in compat.find_channels(own[0], rig).fcurves[0].keyframe_points)
    bpy.ops.object.mode_set(mode="OBJECT")
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    bpy.context.view_layer.objects.active = entity
    bpy.context.scene.frame_set(int(times[1]))
    lines = reach.reach_lines(bpy.context)
    assert lines is not None
    foot = entity.matrix_world.translation - rig.matrix_world.translation
    assert np.allclose(lines[3] - foot, rig.matrix_world @ rig.pose.bones["Foot.L"].head, atol=1e-4)


def test_animations_are_matched_to_the_controls_when_shown_on_request(
    blender: ModuleType, tmp_path: Path
) -> None:
    root, rig, own = posing(tmp_path)
    before = export_file(tmp_path / "before.phd", collection=root.name)
    bpy.ops.tomb_raider.add_control_rig(animations="NONE")
    settings, model = bpy.context.scene.tomb_raider, rig.tomb_raider.model
    layout = shown(panels.VIEW3D_PT_tomb_raider_limbs, object=rig, mode="POSE")
    assert (settings, "match_controls") in layout.shown
    model.shown_animation = bpy.data.actions.find(own[1].name)
    assert rig.animation_data.action == own[1] and switches(rig, own[1]) == [False] * 7
    settings.match_controls = True
    model.shown_animation = bpy.data.actions.find(own[2].name)
    assert switches(rig, own[2]) == [True] * 7 and switches(rig, own[1]) == [False] * 7
    assert "Scratch" not in bpy.data.actions
    # Whoever switched to the keys of the bones wants these.
    bpy.ops.tomb_raider.switch_limbs(target="FK")
    model.shown_animation = bpy.data.actions.find(own[3].name)
    model.shown_animation = bpy.data.actions.find(own[2].name)
    assert switches(rig, own[2]) == [False] * 7 and switches(rig, own[3]) == [True] * 7
    assert export_file(tmp_path / "after.phd", collection=root.name) == before
    bpy.ops.tomb_raider.play_animation(action=own[4].name)
    assert switches(rig, own[4]) == [True] * 7
