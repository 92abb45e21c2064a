"""Animations: import as actions, and the effects of edits on exports."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Euler, Quaternion, Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.animations.animations import decode_commands, decode_state_changes, ticks
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.frames import X_AXIS, Keys, encode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles
from io_tomb_raider.formats.levels.models.bounding import posed_boxes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.membership import members
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.animations.changes.state_changes import rows_of
from io_tomb_raider.scene.subjects.animations.keys.action_curves import ActionCurves
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import (
    ENEMY,
    LARA,
    PISTOLS,
    SCALE,
    actions,
    animation_count,
    armature,
    curve,
    curves,
    edit_bones,
    first_animation,
    model_keys,
    model_vertices,
    new_curve,
    parts,
    posed,
    show_library,
    shown_vertices,
    turn_key,
    turned,
    with_skin,
)
from ...scenes import changes, export_scene, exported, import_scene, objects

some_games = pytest.mark.parametrize("game", [Game.TR1, Game.TR4])

RUN, WALK = 0, 1


def turned_about_x(degrees: float) -> Any:
    return Quaternion((1, 0, 0), np.radians(degrees))[:]


def ticks_of(level: Level, number: int, model: int = LARA) -> int:
    return int(ticks(level.animations)[first_animation(level, model) + number])


def box_of(level: Level, model: int, number: int, key: int) -> list[int]:
    """Return the box around a model's vertices in one key frame."""
    keys = model_keys(level, model, number)
    tree = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))[model]
    rotations = quaternions_from_angles(keys.angles[key : key + 1], np.float64)
    found: list[int] = posed_boxes(
        tree, rotations, keys.offsets[key : key + 1], model_vertices(level, model)
    ).tolist()[0]
    return found


# --- Import ----------------------------------------


@each_game
def test_every_animation_of_a_model_is_an_action_of_its_length(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    assert sum(each.tomb_raider.model is not None for each in bpy.data.actions) == len(level.animations)
    for number, action in enumerate(actions(root)):
        record = level.animations[first_animation(level) + number]
        assert action.use_frame_range
        assert (action.frame_start, action.frame_end) == (0, ticks_of(level, number))
        assert action.use_cyclic == (record["next_animation"] == first_animation(level) + number)
        assert action.users and not action.use_fake_user
        assert action.tomb_raider.frame_rate == record["frame_rate"]
        assert action.name.startswith(f"Lara {number:03} ")


@each_game
def test_keys_stand_at_the_ticks_of_the_key_frames_and_run_straight(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    for number, action in enumerate(actions(root)):
        rate = int(level.animations["frame_rate"][first_animation(level) + number])
        wanted = [key * rate for key in range(len(model_keys(level, LARA, number)))]
        for found in curves(action):
            assert [point.co.x for point in found.keyframe_points] == wanted
            assert {point.interpolation for point in found.keyframe_points} == {"LINEAR"}


@some_games
def test_curves_are_grouped_by_bone(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for found in curves(actions(root)[RUN]):
        assert f'"{found.group.name}"' in found.data_path
    assert [found.group.name for found in curves(actions(root)[RUN])][:7] == ["Hips"] * 7


@some_games
def test_rotations_take_the_short_way_from_key_to_key(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for action in actions(root):
        for bone in action.tomb_raider.model.data.bones:
            parts_of = [curve(action, bone.name, "rotation_quaternion", index) for index in range(4)]
            values = np.array([[point.co.y for point in found.keyframe_points] for found in parts_of])
            assert ((values[:, 1:] * values[:, :-1]).sum(axis=0) >= 0).all()
    assert objects(root, "MODEL")


@some_games
def test_models_are_imported_in_their_idle_animation(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    assert armature(root).animation_data.action == actions(root)[11]  # the games start with this one
    assert armature(root, ENEMY).animation_data.action == actions(root, ENEMY)[0]


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="before Blender 4.4 actions had no slots")
def test_switching_actions_keeps_the_slot(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    data = armature(root).animation_data
    for action in actions(root):
        data.action = action
        assert data.action_slot is not None
        assert data.action_slot.identifier == f"OB{armature(root).name}"


@some_games
def test_poses_between_keys_are_interpolated(blender: ModuleType, game: Game) -> None:
    """Keys are made without Blender's own sorting and handles, which sorted linear keys don't need."""
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    show_library(root)
    action = actions(root, ENEMY)[0]  # two ticks per key
    armature(root, ENEMY).animation_data.action = action
    keys = model_keys(level, ENEMY)
    before, after = (posed(level, ENEMY, keys, key)[2] for key in (3, 4))
    middle = shown_vertices(root, ENEMY, 7)[2]
    assert np.abs(middle - (before + after) / 2).max() < np.abs(after - before).max() / 4


def test_without_the_option_there_are_no_actions_and_the_export_is_complete(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_level(data, ImportOptions(animations=False)).root
    assert not list(bpy.data.actions)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


@each_real_level
def test_real_models_stand_as_in_the_game(blender: ModuleType, level_path: Any) -> None:
    root, level = import_level(level_path).root, read_level(level_path)
    for model in range(min(len(level.models), 6)):
        own = actions(root, model)
        number = min(3, len(own) - 1)
        if not own or not len(model_keys(level, model, number)):
            continue
        keys = model_keys(level, model, number)
        show_library(root, model)
        armature(root, model).animation_data.action = own[number]
        key = len(keys) // 2
        found = shown_vertices(root, model, key * own[number].tomb_raider.frame_rate)
        for seen, wanted in zip(found, posed(level, model, keys, key), strict=True):
            assert np.abs(seen - wanted).max(initial=0) < 0.25


# --- Export ----------------------------------------


@each_game
def test_a_turned_key_changes_that_rotation_and_the_box_alone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        turn_key(actions(root)[WALK], "Head", 4, turned_about_x(20))

    root = import_scene(data)
    edit(root)
    before, after = read_level(data), export_scene(root)
    row = first_animation(before) + WALK
    found = differences(before, after)
    assert ("animations", row, "keys", 4, "bone", 14) in found
    others = [path for path in found if path != ("animations", row, "keys", 4, "bone", 14)]
    assert {path[:4] for path in others} <= {("animations", row, "keys", "boxes")}
    one, two = model_keys(before, LARA, WALK), model_keys(after, LARA, WALK)
    assert [key for key in range(len(one)) if (one.boxes[key] != two.boxes[key]).any()] in ([], [4])
    assert two.boxes[4].tolist() == box_of(after, LARA, WALK, 4)


@each_game
def test_a_turn_in_blender_is_the_same_turn_in_the_game(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    show_library(root)
    action = actions(root)[WALK]
    armature(root).animation_data.action = action
    turn_key(action, "Upper Arm.R", 3, Euler((0.5, 0.25, -0.75)).to_quaternion()[:])
    after = export_scene(root)
    wanted = posed(after, LARA, model_keys(after, LARA, WALK), 3)
    # An angle of ten bits is a third of a degree: over an arm of 320 units two units.
    assert np.abs(shown_vertices(root, LARA, 3)[10] - wanted[10]).max() < 5


@each_game
def test_a_moved_root_changes_the_offset_of_that_key(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bone = armature(root).data.bones["Hips"]
    up = bone.matrix_local.to_3x3().inverted() @ Vector((0, 0, 12 * SCALE))
    for index in range(3):
        found = curve(actions(root)[RUN], "Hips", "location", index)
        found.keyframe_points[2].co.y += up[index]
        found.update()
    before, after = model_keys(read_level(data)), model_keys(export_scene(root))
    moved = after.offsets.astype(int) - before.offsets
    assert moved[2].tolist() == [0, -12, 0]
    assert not np.delete(moved, 2, axis=0).any()
    assert (after.angles == before.angles).all()
    assert after.boxes[2].tolist() == box_of(export_scene(root), LARA, RUN, 2)


def with_frames(level: Level, keys: Keys, number: int) -> Level:
    """Return a level with new key frames of one of the first model's animations, after all others."""
    words, size = encode_frames(level.game, keys)
    row, twin = first_animation(level) + number, level.copy()
    twin.animations = level.animations.copy()
    twin.animations["frame_offset"][row] = 2 * len(level.frames)
    twin.animations["frame_size"][row] = size
    twin.frames = np.concatenate([level.frames, words])
    return twin


def move_root(root: Collection, number: int, key: int) -> None:
    for index in range(3):
        found = curve(actions(root)[number], "Hips", "location", index)
        found.keyframe_points[key].co.y += 12 * SCALE
        found.update()


@each_game
def test_unedited_rotations_keep_their_encoding(blender: ModuleType, game: Game) -> None:
    """A word has bits that no game reads, and a zero rotation can be encoded about any axis."""
    level = read_level(sample_bytes(game))
    keys = model_keys(level)
    kinds = keys.kinds
    assert kinds is not None
    if game is Game.TR1:
        kinds = np.full_like(kinds, 3 << 2)
    else:
        kinds = np.where(keys.angles.any(axis=2), kinds | np.where(kinds, 1 << 2, 0), X_AXIS).astype(np.uint8)
    assert (kinds != keys.kinds).any()
    data = with_frames(level, replace(keys, kinds=kinds), RUN).to_bytes()
    assert (model_keys(read_level(data)).kinds == kinds).all()
    root = import_scene(data)
    move_root(root, RUN, 2)
    turn_key(actions(root)[RUN], "Head", 3, Euler((0.5, 0.25, -0.75)).to_quaternion()[:])
    found = model_keys(export_scene(root)).kinds
    assert found is not None
    edited = np.zeros(kinds.shape, bool)
    edited[3, -1] = True
    assert np.array_equal(found[~edited], kinds[~edited])


@each_game
def test_unedited_keys_keep_a_lower_number_of_rotations(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    keys = model_keys(level)
    few = np.full(len(keys), keys.angles.shape[1] - 1)
    level = with_frames(level, replace(keys, counts=few), RUN)
    before = model_keys(read_level(level.to_bytes()))
    assert not before.angles[:, -1].any()
    root = import_scene(level.to_bytes())
    move_root(root, RUN, 2)
    after = model_keys(export_scene(root))
    assert np.array_equal(after.angles, before.angles)
    if game is Game.TR1:  # the only game that stores their number
        assert before.counts is not None
        assert after.counts is not None
        assert np.delete(after.counts, 2).tolist() == before.counts[1:].tolist() == few[1:].tolist()


@some_games
def test_a_change_too_small_for_the_game_changes_nothing(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for point in curve(actions(root)[RUN], "Head", "rotation_quaternion", 1).keyframe_points:
        point.co.y += 1e-5
    assert export_level(root)[0].to_bytes() == data


@some_games
def test_curves_of_unedited_actions_are_not_evaluated(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch, game: Game
) -> None:
    """Exports would take many times as long."""
    data, evaluated = sample_bytes(game), []

    def evaluate(action: Any, *arguments: Any) -> ActionCurves:
        evaluated.append(action)
        return ActionCurves(action, *arguments)

    monkeypatch.setattr("io_tomb_raider.scene.subjects.animations.actions.ActionCurves", evaluate)
    root = import_scene(data)
    assert export_level(root)[0].to_bytes() == data and not evaluated
    edited = actions(root)[RUN]
    curve(edited, "Head", "rotation_quaternion", 2).keyframe_points[0].co.y += 0.5
    assert export_level(root)[0].to_bytes() != data and evaluated == [edited]


@some_games
def test_curve_edits_without_effect_on_keys_change_no_byte(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for point in curve(actions(root)[RUN], "Head", "rotation_quaternion", 2).keyframe_points:
        point.interpolation = "BEZIER"
    new_curve(actions(root)[WALK], "Head", "scale", 0, [(0, 1), (10, 1)])
    new_curve(actions(root)[WALK], "Head", "location", 0, [(0, 0), (10, 0)])
    # A key between two others, on the line between them.
    found = curve(actions(root, ENEMY)[0], "Bone 01", "rotation_quaternion", 1)
    found.keyframe_points.insert(3, found.evaluate(3))
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


def test_inverted_quaternions_are_the_same_rotations(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    for index in range(4):
        for point in curve(actions(root)[RUN], "Torso", "rotation_quaternion", index).keyframe_points:
            point.co.y *= -2  # the length of quaternions is irrelevant
    assert export_level(root)[0].to_bytes() == data


@pytest.mark.parametrize("mode", ["XYZ", "ZXY", "AXIS_ANGLE"])
def test_rotations_of_any_kind_are_read(blender: ModuleType, mode: Any) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    action, bone = actions(root)[WALK], "Thigh.L"
    old = [curve(action, bone, "rotation_quaternion", index) for index in range(4)]
    values = [
        Quaternion([found.keyframe_points[key].co.y for found in old])
        for key in range(len(old[0].keyframe_points))
    ]
    for found in old:
        curves(action).remove(found)
    armature(root).pose.bones[bone].rotation_mode = mode
    if mode == "AXIS_ANGLE":
        rows = [(angle, *axis[:]) for axis, angle in (value.to_axis_angle() for value in values)]
    else:
        rows = [value.to_euler(mode)[:] for value in values]
    channel = "rotation_axis_angle" if mode == "AXIS_ANGLE" else "rotation_euler"
    for index in range(len(rows[0])):
        new_curve(action, bone, channel, index, [(key, row[index]) for key, row in enumerate(rows)])
    assert export_level(root)[0].to_bytes() == data
    # The rotation is about x; these components of an axis and angle, and of Euler angles, change it.
    curve(action, bone, channel, 0 if mode == "AXIS_ANGLE" else 1).keyframe_points[7].co.y += 0.5
    found = differences(read_level(data), export_scene(root))
    row = first_animation(read_level(data)) + WALK
    assert {path[2:] for path in found if "bone" in path} == {("keys", 7, "bone", 1)}
    assert {path[:2] for path in found} == {("animations", row)}


@each_game
def test_keys_behind_the_last_one_lengthen_an_animation(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for index, value in enumerate(turned_about_x(30)):
        curve(actions(root)[RUN], "Head", "rotation_quaternion", index).keyframe_points.insert(25, value)
    before, after = read_level(data), export_scene(root)
    one, two = model_keys(before), model_keys(after)
    assert (len(one), len(two)) == (21, 26)
    assert (two.angles[:21] == one.angles).all()
    assert (two.boxes[:21] == one.boxes).all()
    assert ticks_of(after, RUN) == 25
    # Following animations are renumbered and keep their length.
    first = first_animation(before)
    shifts = after.animations["first_frame"].astype(int) - before.animations["first_frame"]
    assert shifts[first : first + animation_count(before)].tolist() == [0] + [5] * (
        animation_count(before) - 1
    )
    assert (ticks(after.animations)[1:] == ticks(before.animations)[1:]).all()
    for number in range(1, animation_count(before)):
        assert (model_keys(before, LARA, number).angles == model_keys(after, LARA, number).angles).all()
    # Targets that are frames of an animation are unchanged.
    for number in range(1, animation_count(before)):
        state_changes = [decode_state_changes(*tables(level), first + number) for level in (before, after)]
        assert state_changes[0] == state_changes[1]


def tables(level: Level) -> tuple[Any, Any, Any]:
    return level.animations, level.state_changes, level.animation_dispatches


@each_game
@pytest.mark.parametrize("end", [11, 40])
def test_the_frame_range_decides_how_long_an_animation_is(blender: ModuleType, game: Game, end: int) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    actions(root)[RUN].frame_end = end
    before, after = read_level(data), export_scene(root)
    one, two = model_keys(before), model_keys(after)
    assert len(two) == end + 1
    assert ticks_of(after, RUN) == end
    shared = min(len(one), len(two))
    assert (two.angles[:shared] == one.angles[:shared]).all()
    assert (two.angles[shared:] == one.angles[-1]).all()  # the last pose is kept


@some_games
def test_a_range_that_begins_later_drops_the_frames_before(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    actions(root)[RUN].frame_start = 5
    one, two = model_keys(read_level(data)), model_keys(export_scene(root))
    assert (two.angles == one.angles[5:]).all()
    assert (two.boxes == one.boxes[5:]).all()


@some_games
def test_deleting_the_last_keys_shortens_an_animation(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for found in curves(actions(root)[RUN]):
        while len(found.keyframe_points) > 10:
            found.keyframe_points.remove(found.keyframe_points[-1])
    one, two = model_keys(read_level(data)), model_keys(export_scene(root))
    assert (two.angles == one.angles[:10]).all()
    assert len(two) == 10


@some_games
def test_another_frame_rate_takes_poses_between_keys(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    action = actions(root, ENEMY)[0]
    assert action.tomb_raider.frame_rate == 2
    action.tomb_raider.frame_rate = 1
    before, after = read_level(data), export_scene(root)
    row = first_animation(before, ENEMY)
    assert int(after.animations["frame_rate"][row]) == 1
    assert ticks_of(after, 0, ENEMY) == ticks_of(before, 0, ENEMY)
    one, two = model_keys(before, ENEMY), model_keys(after, ENEMY)
    assert len(two) == ticks_of(before, 0, ENEMY) + 1
    for key in range(len(one) - 1):
        for mesh in range(3):
            assert np.abs(turned(two.angles[2 * key, mesh]) - turned(one.angles[key, mesh])).max() < 1e-3


@each_game
def test_a_new_action_is_a_new_animation_behind_the_others(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    new = bpy.data.actions.new("Nod")
    new.tomb_raider.model = armature(root)
    armature(root).animation_data.action = new
    if hasattr(new, "slots"):
        slot = new.slots.new("OBJECT", armature(root).name)
        new.layers.new("Layer").strips.new(type="KEYFRAME").channelbag(slot, ensure=True)
    # Blender's default first frame is 1.
    for index, value in enumerate(turned_about_x(40)):
        new_curve(new, "Head", "rotation_quaternion", index, [(1, 1.0 if index == 0 else 0.0), (6, value)])
    before, after = read_level(data), export_scene(root)
    count = animation_count(before)
    assert animation_count(after) == count + 1
    row = first_animation(before) + count
    record = after.animations[row]
    assert int(record["next_animation"]) == row  # it loops
    assert ticks_of(after, count) == 5
    assert int(record["state"]) == int(before.animations["state"][first_animation(before)])
    keys = model_keys(after, LARA, count)
    assert len(keys) == 6
    assert not keys.angles[0].any()
    assert not keys.angles[:, :14].any()
    assert np.abs(turned(keys.angles[5, 14]) - np.eye(3)).max() > 0.5
    assert keys.boxes[5].tolist() == box_of(after, LARA, count, 5)
    for number in range(count):
        assert (model_keys(before, LARA, number).angles == model_keys(after, LARA, number).angles).all()
    assert (model_keys(before, ENEMY).angles == model_keys(after, ENEMY).angles).all()


@each_game
def test_a_copied_action_does_as_its_original_does(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    copy: Any = actions(root)[WALK].copy()
    turn_key(copy, "Head", 0, turned_about_x(20))
    before, after = read_level(data), export_scene(root)
    count, row = animation_count(before), first_animation(before) + WALK
    made = first_animation(before) + count
    one, two = before.animations[row], after.animations[made]
    for name in ("state", "speed", "acceleration", "frame_rate"):
        assert one[name] == two[name]
    assert int(two["next_animation"]) == made  # the next animation of walking is walking
    assert decode_state_changes(*tables(before), row) == decode_state_changes(*tables(after), made)
    commands = [
        decode_commands(
            level.animation_commands,
            int(record["first_command"]),
            int(record["commands"]),
            first_frame=int(record["first_frame"]),
        )
        for level, record in ((before, one), (after, two))
    ]
    assert commands[0] == commands[1]
    old, new = model_keys(before, LARA, WALK), model_keys(after, LARA, count)
    assert (new.angles[1:] == old.angles[1:]).all()
    assert (new.boxes[1:] == old.boxes[1:]).all()
    assert not differences_of(before, after, row)


def differences_of(before: Level, after: Level, row: int) -> list[Any]:
    return [path for path in differences(before, after) if path[:2] == ("animations", row)]


def test_an_action_in_the_nla_is_written_too(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR5)
    root = import_scene(data)
    copy = actions(root)[WALK].copy()
    copy.tomb_raider.model, copy.tomb_raider.index = None, -1
    data_of = armature(root).animation_data
    strip = data_of.nla_tracks.new().strips.new("Strip", 0, copy)
    assert strip.action == copy
    before, after = read_level(data), export_scene(root)
    count = animation_count(before)
    assert animation_count(after) == count + 1
    assert (model_keys(after, LARA, count).angles == model_keys(before, LARA, WALK).angles).all()


def test_a_copy_with_another_name_is_the_new_animation(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    copy: Any = actions(root)[WALK].copy()
    copy.name, copy.tomb_raider.state = "A", 99
    before, after = read_level(data), export_scene(root)
    count = animation_count(before)
    assert after.animations["state"][[WALK, count]].tolist() == [int(before.animations["state"][WALK]), 99]


def test_an_action_of_another_model_is_only_borrowed(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    armature(root, PISTOLS).animation_data.action = actions(root, LARA)[WALK]
    assert export_level(root)[0].to_bytes() == data


@some_games
def test_the_last_animation_can_be_deleted_if_it_is_no_target(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    new = actions(root)[WALK].copy()
    armature(root).animation_data.action = new
    longer = export_scene(root).to_bytes()
    start_empty()
    root = import_scene(longer)
    bpy.data.actions.remove(actions(root)[-1])
    level, report = export_level(root)
    assert not differences(read_level(data), read_level(level.to_bytes()))
    assert not report.warnings


@each_game
@pytest.mark.parametrize("number", [WALK, -1], ids=["in the middle", "led to"])
def test_other_deleted_animations_stay_and_are_reported(blender: ModuleType, game: Game, number: int) -> None:
    """Other animations refer to the sample's last one, standing still. References to walking are lost."""
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.actions.remove(actions(root)[number])
    level, report = export_level(root)
    first = first_animation(level)
    to_walk = [(first + 11, "state_changes"), (first + 11, "state change", 1)] if number == WALK else []
    found = differences(read_level(data), read_level(level.to_bytes()))
    assert found == [("animations", *path) for path in to_walk]
    place = number % animation_count(read_level(data))
    assert any(f"its animation {place} was deleted, but" in message for message in report.warnings)


@some_games
def test_a_full_copy_of_the_scene_is_a_separate_level(blender: ModuleType, game: Game) -> None:
    """Blender copies only the current actions; their targets belong to the other level."""
    data = sample_bytes(game)
    root = import_scene(data)
    armature(root).animation_data.action = actions(root)[RUN]
    assert bpy.ops.scene.new(type="FULL_COPY") == {"FINISHED"}
    copy = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL" and each != root)
    for each in (root, copy):
        level, report = export_level(each)
        assert (level.to_bytes() == data, report.warnings) == (True, [])
    run = next(action for action in actions(copy) if action.tomb_raider.index == RUN)
    run.tomb_raider.dispatches.remove(0)
    level = export_scene(copy)
    before, after = (len(rows_of(each, 0)) for each in (read_level(data), level))
    assert after == before - 1
    assert export_level(root)[0].to_bytes() == data
    # A new animation of the other level is not part of this one, whichever model uses it.
    new = actions(root)[WALK].copy()
    run.tomb_raider.dispatches[0].action = new.name
    refused = f"{new.name}, is no animation of the level: choose an action of"
    for model in [each for each in members(root) if each.tomb_raider.kind == "MODEL"]:
        new.tomb_raider.model = model
        with pytest.raises(ExportError, match=refused):
            export_level(copy)


def test_animations_that_were_not_imported_are_not_reported_as_deleted(blender: ModuleType) -> None:
    root = import_level(sample_bytes(Game.TR1), options=ImportOptions(animations=False)).root
    action = bpy.data.actions.new("Own")
    action.tomb_raider.model = armature(root)
    level, report = export_level(root)
    assert not [text for text in report.warnings if "any more" in text]
    assert animation_count(level) == animation_count(read_level(sample_bytes(Game.TR1))) + 1


def test_actions_are_appended_with_their_level(blender: ModuleType, tmp_path: Any) -> None:
    data = sample_bytes(Game.TR3)
    name = import_scene(data).name
    count = len(bpy.data.actions)
    blend = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    start_empty()
    libraries: Any = bpy.data.libraries
    with libraries.load(blend) as (_, wanted):
        wanted.collections = [name]
    assert len(bpy.data.actions) == count
    level, report = export_level(bpy.data.collections[name])
    assert level.to_bytes() == data
    assert not report.warnings


def test_a_model_without_actions_keeps_its_animations(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    for action in actions(root, ENEMY):
        bpy.data.actions.remove(action)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert any(message.startswith(armature(root, ENEMY).name) for message in report.warnings)


def test_moved_and_scaled_bones_are_reported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    action = actions(root)[RUN]
    new_curve(action, "Head", "location", 1, [(0, 0), (5, 1)])
    new_curve(action, "Torso", "scale", 2, [(0, 1), (5, 2)])
    made = curves(action).new("location", index=0)
    made.keyframe_points.insert(0, 3)
    level, report = export_level(root)
    for text in ("the bone Head moves", "the bone Torso changes its size", "the armature moves"):
        assert any(action.name in message and text in message for message in report.warnings)
    assert level.to_bytes() == data


def record_of(level: Level, number: int) -> Any:
    return level.animations[first_animation(level) + number]


@each_game
def test_the_settings_of_an_animation_are_properties_of_its_action(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    own = actions(root)
    for number, action in enumerate(own):
        record, settings = record_of(level, number), action.tomb_raider
        assert settings.state == record["state"]
        assert settings.speed == record["speed"] / 65536
        following = int(record["next_animation"]) - first_animation(level)
        assert settings.next_action == ("" if following == number else own[following].name)


@each_game
def test_edited_settings_change_those_fields_alone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        settings = actions(root)[WALK].tomb_raider
        settings.state, settings.speed, settings.acceleration = 9, 12.5, -0.25
        settings.next_action = actions(root)[RUN].name
        settings.next_frame = 4

    row = first_animation(read_level(data)) + WALK
    names = ("state", "speed", "acceleration", "next_animation", "next_frame")
    assert set(changes(data, edit)) == {("animations", row, name) for name in names}
    root = next(obj for obj in bpy.data.collections if obj.tomb_raider.kind == "LEVEL")
    record = record_of(export_scene(root), WALK)
    assert (record["state"], record["speed"], record["acceleration"]) == (9, 12.5 * 65536, -16384)
    assert record["next_animation"] == row - 1
    assert record["next_frame"] == record_of(read_level(data), RUN)["first_frame"] + 4


def test_without_a_next_action_an_animation_repeats(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    stop = actions(root)[2].tomb_raider
    assert stop.next_action
    stop.next_action, stop.next_frame = "", 0
    level = export_scene(root)
    assert record_of(level, 2)["next_animation"] == first_animation(level) + 2
    assert record_of(level, 2)["next_frame"] == record_of(level, 2)["first_frame"]


def test_new_actions_can_follow_one_another(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    first, second = (actions(root)[WALK].copy() for _ in range(2))
    first.tomb_raider.next_action, second.tomb_raider.next_action = second.name, first.name
    level = export_scene(root)
    count = animation_count(read_level(data))
    row = first_animation(level) + count
    assert [int(record_of(level, count + new)["next_animation"]) for new in (0, 1)] == [row + 1, row]


def test_an_action_that_is_no_animation_cannot_follow(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    actions(root)[WALK].tomb_raider.next_action = bpy.data.actions.new("Stranger").name
    with pytest.raises(ExportError, match="Stranger") as caught:
        export_level(root)
    assert caught.value.subject == actions(root)[WALK].name


def events(level: Level, number: int) -> list[tuple[int, ...]]:
    """Return the commands of one of Lara's animations that have a frame: type, frame, operand."""
    record = record_of(level, number)
    found = decode_commands(
        level.animation_commands,
        int(record["first_command"]),
        int(record["commands"]),
        first_frame=int(record["first_frame"]),
    )
    return [(command.type, *command.operands) for command in found if command.type in (5, 6)]


@each_game
def test_sounds_and_effects_are_pose_markers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root, level = import_scene(data), read_level(data)
    markers = actions(root)[WALK].pose_markers
    assert [marker.frame for marker in markers] == [frame for _, frame, _ in events(level, WALK)]
    assert len(markers) > 1
    named = actions(root)[WALK].tomb_raider.events
    assert {marker.name for marker in markers} == {event.name for event in named}


@each_game
def test_a_sound_that_becomes_an_effect_is_a_new_one(blender: ModuleType, game: Game) -> None:
    """Numbers and flags mean something else, in both directions."""
    root = import_scene(sample_bytes(game))
    action = actions(root)[WALK]
    event = next(each for each in action.tomb_raider.events if each.command == "SOUND")
    for kind in ("EFFECT", "SOUND"):
        event.number, event.flags = 300, 1
        event.kind = kind
        assert (event.command, event.number, event.flags) == (kind, 0, 0)
        assert event.name in [marker.name for marker in action.pose_markers]
        assert (6 if kind == "EFFECT" else 5, 0) in [(k, n) for k, _, n in events(export_scene(root), WALK)]
        event.kind, event.number = kind, 7  # the same: nothing is reset
        event.kind = kind
        assert event.number == 7


@each_game
def test_a_moved_marker_moves_its_sound(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    marker = actions(root)[WALK].pose_markers[1]
    old = marker.frame
    marker.frame = 7
    before, after = events(read_level(data), WALK), events(export_scene(root), WALK)
    assert sorted(before)[1][1] == old
    assert sorted(after) == sorted([*before[:1], (*before[1][:1], 7, *before[1][2:]), *before[2:]])
    for number in (RUN, 2, 3):
        assert events(read_level(data), number) == events(export_scene(root), number)


@some_games
def test_markers_can_be_copied_and_deleted(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    action = actions(root)[WALK]
    sound = action.pose_markers[0].name
    for marker in list(action.pose_markers):
        if marker.name != sound:
            action.pose_markers.remove(marker)
    action.pose_markers.new(sound).frame = 20
    action.pose_markers.new("My own").frame = 3
    before = events(read_level(data), WALK)
    level, report = export_level(root)
    kept = [event for event in before if event[0] == 5]
    assert sorted(events(level, WALK)) == sorted([*kept, (5, 20, kept[0][2])])
    assert any(message.startswith(f"{action.name}: it has no marker") for message in report.warnings)


def test_a_root_too_far_away_is_an_error_that_names_the_action(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    action = actions(root)[RUN]
    for index in range(3):
        curve(action, "Hips", "location", index).keyframe_points[3].co.y += 33000 * SCALE
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == action.name
    assert caught.value.limit == 0x7FFF


def test_a_rotation_that_is_no_number_is_an_error_that_names_the_action(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    action = actions(root)[RUN]
    curve(action, "Head", "rotation_quaternion", 0).keyframe_points[3].co.y = float("nan")
    with pytest.raises(ExportError, match="not a number") as caught:
        export_level(root)
    assert caught.value.subject == action.name


def test_renamed_bones_keep_their_animations(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    armature(root).data.bones["Head"].name = 'He said: "so"\\'
    assert export_level(root)[0].to_bytes() == data


@pytest.mark.parametrize("stored", [13, 17])
def test_key_frames_of_tr1_may_store_more_or_fewer_rotations_than_there_are_meshes(
    blender: ModuleType, stored: int
) -> None:
    """Meshes without a rotation in a key frame are not rotated; surplus rotations are ignored."""
    level = read_level(sample_bytes(Game.TR1))
    old = model_keys(level)
    counts = np.full(len(old), 15)
    counts[3] = stored
    angles = np.zeros((len(old), max(stored, 15), 3), np.uint16)
    angles[:, :15] = old.angles
    angles[3, 15:] = 640
    frames = encode_frames(Game.TR1, Keys(old.boxes, old.offsets, angles, counts=counts))
    edited = edit_animations(Game.TR1, AnimationTables.of(level), {0: AnimationEdit(frames=frames)})
    edited.store(level)
    data = level.to_bytes()
    root = import_scene(data)
    assert export_level(root)[0].to_bytes() == data
    head = [curve(actions(root)[RUN], "Head", "rotation_quaternion", part) for part in range(4)]
    at_key = [abs(found.keyframe_points[3].co.y) for found in head]
    assert (at_key == [1, 0, 0, 0]) == (stored < 15)
    turn_key(actions(root)[RUN], "Hips", 3, turned_about_x(20))
    one, two = model_keys(read_level(data)), model_keys(export_scene(root))
    assert np.argwhere((two.angles[:, :15] != one.angles[:, :15]).any(axis=2)).tolist() == [[3, 0]]
    turn_key(actions(root)[RUN], "Hips", 3, (1.0, 0.0, 0.0, 0.0))
    rebuilt = export_scene(root, rebuild=True)
    assert model_keys(rebuilt).angles.shape[1] == 15


def test_an_edited_animation_of_a_model_with_another_bone_is_written(blender: ModuleType) -> None:
    """A key is rotated and a bone deleted at once."""
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    turn_key(actions(root)[WALK], "Torso", 2, turned_about_x(10))
    bpy.data.objects.remove(parts(root)[14])
    with edit_bones(root) as bones:
        bones.remove(bones["Head"])
    one, two = model_keys(read_level(data), LARA, WALK), model_keys(export_scene(root), LARA, WALK)
    differing = np.argwhere((two.angles != one.angles[:, :14]).any(axis=2))
    assert differing.tolist() == [[2, 7]]


@each_game
def test_rebuilt_animations_have_the_same_poses(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    before, after = read_level(data), export_scene(root, rebuild=True)
    assert not [path for path in differences(before, after, rebuilt=True) if path[0] == "animations"]
    for model in (LARA, ENEMY):
        for number in range(animation_count(before, model)):
            for key in range(len(model_keys(after, model, number))):
                assert model_keys(after, model, number).boxes[key].tolist() == box_of(
                    after, model, number, key
                )


def test_the_helper_changes_finds_nothing_without_an_edit(blender: ModuleType) -> None:
    assert changes(sample_bytes(Game.TR5), lambda root: None) == []


def full_copy(root: Collection) -> tuple[Collection, Any]:
    """Copy a scene with a level fully; return the level of the copy, and its Lara."""
    bpy.ops.scene.new(type="FULL_COPY")
    shown = bpy.context.scene.collection.children_recursive
    made = next(each for each in shown if each.tomb_raider.kind == "LEVEL" and each != root)
    return made, next(obj for obj in objects(made, "MODEL") if obj.tomb_raider.model.id == 0)


@each_game
def test_a_full_copy_of_a_scene_is_exported_with_the_same_bytes(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    made, _ = full_copy(import_scene(data))
    level, warnings = exported(made)
    assert warnings == []
    assert level.to_bytes() == data


@each_game
def test_edits_in_a_full_copy_change_the_same_animation(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    made, lara = full_copy(import_scene(data))
    lara.animation_data.action.frame_end += 1
    assert len(export_scene(made).animations) == len(read_level(data).animations)


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_an_edited_copy_that_only_the_skin_shows_is_a_new_animation(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    lara = next(obj for obj in objects(root, "MODEL") if obj.tomb_raider.model.id == 0)
    action = lara.animation_data.action
    skin = next(
        obj
        for obj in objects(root, "MODEL")
        if obj != lara and obj.animation_data and obj.animation_data.action == action
    )
    skin.animation_data.action = action.copy()
    skin.animation_data.action.frame_end += 1
    assert len(export_scene(root).animations) == len(read_level(data).animations) + 1
