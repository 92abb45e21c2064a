"""Single animations as files: imported onto models, exported, and what levels get of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.editors.animation_files.anim import read_anim, write_anim
from io_tomb_raider.formats.editors.animation_files.animation import (
    AnimationFile,
    Blending,
    FileCommand,
    same_numbers,
)
from io_tomb_raider.formats.editors.animation_files.files import read_animation
from io_tomb_raider.formats.editors.animation_files.game import keys_of
from io_tomb_raider.formats.levels.animations.animations import decode_commands, decode_state_changes
from io_tomb_raider.formats.levels.animations.frames import Keys
from io_tomb_raider.formats.levels.animations.rotations import quaternions_from_angles, round_angles
from io_tomb_raider.formats.levels.level.level import Level
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.animation_files.exports import export_animations, write_files
from io_tomb_raider.scene.interop.animation_files.imports import (
    LoadedFile,
    Placement,
    check_bones,
    import_files,
)
from io_tomb_raider.scene.interop.animation_files.other_bones import find_other_bones
from io_tomb_raider.scene.subjects.animations.changes.transitions import next_of, target_of
from io_tomb_raider.scene.subjects.animations.from_files import forget_source
from tests.animation_samples import (
    anim_change,
    anim_command,
    anim_dispatch,
    anim_file,
    anim_key,
    anim_text,
    trw_file,
)
from tests.compare import differences
from tests.games import each_game
from tests.real_levels import each_real_level, real_motions, skip_without
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import edit_bones, with_joints
from tests.scene.scenes import exported, import_scene, lara, objects

LARA_BONES, LARA_ANIMATIONS = 15, 12
_TURNS = [(3.5 * bone, 0.3515625 * bone, 358.9453) for bone in range(LARA_BONES)]


def full(name: str = "WAVE", **changes: Any) -> bytes:
    """Return an .anim of Lara with everything: fractions, a key after the end, unknown targets."""
    options: dict[str, Any] = {
        "name": name,
        "rate": 3,
        "state": 5,
        "last": 5,
        "following": (3, 2),
        "speeds": (18.23683, 1.75276, 0, 0),
        "changes": [
            anim_change(1, anim_dispatch(0, 4, 2, 1), anim_dispatch(5, 6, 400, 7)),
            anim_change(9, anim_dispatch(0, 65535, 500, 0)),
        ],
        "commands": [
            anim_command("PlaySound", 4, 10, 1),
            anim_command("DisableInterpolation", 2),
            anim_command("SetPosition", 1, -2, 3),
            anim_command("PlaySound", 1, 11, 0),
            anim_command("FlipEffect", 3, 5, 2),
        ],
    }
    keys = [anim_key((-8.25, 400 + place, 10.5 * place), _TURNS, 90 + place) for place in range(4)]
    # A quarter turn and more about x: another spelling of the rotation would have other angles.
    keys[1] = anim_key((0.4, 401, 3), [(120, 10.5, 200), *_TURNS[1:]])
    return anim_text(keys, **options | changes).encode()


def load(data: bytes, name: str = "0200_WAVE.anim") -> LoadedFile:
    path = Path(name)
    return LoadedFile(path, data, read_animation(data, path.suffix))


def add(root: Any, *files: LoadedFile, **options: Any) -> tuple[list[Any], list[str]]:
    """Import files onto Lara, by default as new animations."""
    report = Report()
    placement = options.pop("placement", Placement.NEW)
    actions = import_files(root, lara(root), files, placement, report=report, **options)
    return actions, report.warnings


def back(root: Any, action: Any, **options: Any) -> tuple[AnimationFile, list[str]]:
    """Export one animation of Lara."""
    report = Report()
    (found,) = export_animations(root, lara(root), [action], report=report, **options)
    return read_anim(write_anim(found.animation)), report.warnings


def level_keys(level: Level, number: int) -> Keys:
    """Return the key frames of an animation of Lara, the first model."""
    return Decoded(level).keys.keys(number)


def same_rotations(one: Any, other: Any, limit: float) -> bool:
    a, b = (quaternions_from_angles(each, np.float64) for each in (one, other))
    return bool((np.abs((a * b).sum(axis=-1)) > 1 - limit).all())


@each_game
def test_an_imported_animation_is_exported_to_the_level_and_unchanged_to_its_file(
    blender: ModuleType, game: Game
) -> None:
    root = import_scene(sample_bytes(game))
    data = full()
    (action,), warnings = add(root, load(data))
    assert action.name == "Lara 012 WAVE" and action.tomb_raider.model == lara(root)
    assert "0200_WAVE.anim: Lara lacks its target animations: 400, 500." in warnings[0]
    assert next_of(action) == lara(root).tomb_raider.model.animations[3].action
    report = Report()
    (found,) = export_animations(root, lara(root), [action], report=report)
    assert found.file_name() == "0012_WAVE.anim" and write_anim(found.animation) == data
    assert report.warnings == []

    level, _ = exported(root)
    origin = read_anim(data)
    expected, keys = keys_of(origin), level_keys(level, LARA_ANIMATIONS)
    record = level.animations[LARA_ANIMATIONS]
    assert np.array_equal(keys.boxes, expected.boxes) and np.array_equal(keys.offsets, expected.offsets)
    bits = game.traits.single_axis_bits
    assert np.array_equal(keys.angles, round_angles(expected.angles, bits))
    assert (record["frame_rate"], record["state"], record["next_animation"]) == (3, 5, 3)
    assert record["last_frame"] - record["first_frame"] == 5
    assert record["next_frame"] - level.animations["first_frame"][3] == 2
    assert record["speed"] == round(np.float32(18.23683) * 65536)
    changes = decode_state_changes(
        level.animations, level.state_changes, level.animation_dispatches, LARA_ANIMATIONS
    )
    assert [(each.state, len(each.dispatches)) for each in changes] == [(1, 1)]
    commands = decode_commands(
        level.animation_commands,
        int(record["first_command"]),
        int(record["commands"]),
        first_frame=int(record["first_frame"]),
    )
    sound = 10 | (1 << 14 if game.traits.has_sound_conditions else 0)
    effect = 5 | (2 << 14 if game.traits.has_foot_conditions else 0)
    assert sorted((each.type, *(word & 0xFFFF for word in each.operands)) for each in commands) == [
        (1, 1, 0xFFFE, 3),
        (5, 1, 11),
        (5, 4, sound),
        (6, 3, effect),
    ]


@each_game
def test_only_edited_values_differ_from_the_file(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    data = full()
    (action,), _ = add(root, load(data))
    origin = read_anim(data)
    channels = action.layers[0].strips[0].channelbags[0] if hasattr(action, "layers") else action
    path = f'pose.bones["{lara(root).data.bones[3].name}"].rotation_quaternion'
    for part, value in enumerate((0.5, 0.5, 0.5, 0.5)):
        channels.fcurves.find(path, index=part).keyframe_points[2].co[1] = value
    found, _ = back(root, action)
    edited = np.argwhere((found.angles != origin.angles).any(axis=2)).tolist()
    assert edited == [[2, 3]]
    assert np.flatnonzero((found.boxes != origin.boxes).any(axis=(1, 2))).tolist() == [2]
    assert same_numbers(replace(found, angles=origin.angles, boxes=origin.boxes), origin)

    settings = action.tomb_raider
    settings.state, settings.acceleration = 77, 0.5
    settings.dispatches[0].low = 1
    settings.dispatches.remove(2)
    action.pose_markers[0].frame += 1
    found, _ = back(root, action)
    assert (found.state, found.velocities[0]) == (77, np.float32(18.23683))
    assert np.isclose(found.velocities[1], 18.23683 + 0.5 * 9)
    assert [len(each.dispatches) for each in found.state_changes] == [2]
    assert found.state_changes[0].dispatches[0][:4] == (1, 4, 2, 1)
    assert found.state_changes[0].dispatches[1] == origin.state_changes[0].dispatches[1]
    assert sorted(found.commands) == sorted(
        [*(each for each in origin.commands if each != FileCommand(5, 4, 10, 1)), found.commands[-1]]
    )
    assert found.commands[-1][:3] == (5, 5, 10)


def test_replacing_keeps_the_number_and_the_file_of_an_animation_changes_nothing(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    action = lara(root).tomb_raider.model.animations[5].action
    lara(root).animation_data.action = action
    report = Report()
    (found,) = export_animations(root, lara(root), [action], report=report)
    written = write_anim(found.animation)
    (same,), _ = add(root, load(written), placement=Placement.REPLACE, replaced=action)
    assert same == action
    level, _ = exported(root)
    before, _ = exported(import_scene(data))
    assert differences(before, level) == []

    root = import_scene(data)
    action = lara(root).tomb_raider.model.animations[5].action
    name = action.name
    add(root, load(full(name="Animation")), placement=Placement.REPLACE, replaced=action)
    assert action.name == name
    add(root, load(full()), placement=Placement.REPLACE, replaced=action)
    assert action.name == f"{lara(root).name} 005 WAVE" and action.tomb_raider.index == 5
    level, _ = exported(root)
    assert len(level.animations) == len(before.animations)
    assert level.animations["state"][5] == 5 and len(level_keys(level, 5)) == 4
    assert np.array_equal(level_keys(level, 5).boxes, keys_of(read_anim(full())).boxes)
    others = [number for number in range(LARA_ANIMATIONS) if number != 5]
    for number in others:
        assert np.array_equal(level_keys(level, number).angles, level_keys(before, number).angles)
    assert back(root, action)[0].commands == read_anim(full()).commands


def test_boxes_of_a_file_count_even_if_its_poses_are_those_of_the_level(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    before, _ = exported(root)
    action = lara(root).tomb_raider.model.animations[5].action
    found, _ = back(root, action)
    boxes = found.boxes.copy()
    boxes[0, 1, 0] += 50
    written = write_anim(replace(found, boxes=boxes))
    add(root, load(written), placement=Placement.REPLACE, replaced=action)
    now, old = level_keys(exported(root)[0], 5), level_keys(before, 5)
    assert np.argwhere(now.boxes != old.boxes).tolist() == [[0, 1]]
    assert np.array_equal(now.angles, old.angles)


def test_keys_only_keeps_state_transitions_and_commands(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    action = lara(root).tomb_raider.model.animations[5].action
    before, _ = back(root, action)
    name = action.name
    add(root, load(full()), placement=Placement.KEYS, replaced=action)
    assert action.name == name
    found, origin = back(root, action)[0], read_anim(full())
    assert found.state == before.state and found.commands == before.commands
    assert found.state_changes == before.state_changes
    assert (found.next_animation, found.next_frame) == (before.next_animation, before.next_frame)
    for part in ("boxes", "offsets", "angles", "velocities"):
        assert np.array_equal(getattr(found, part), getattr(origin, part)), part
    assert (found.frame_rate, found.last_frame) == (3, 5)


def test_blending_of_newer_files_is_shown_edited_and_written(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    curve = (0.0, 0.0, 1.0, 1.0, 0.25, 0.1, 0.75, 0.9)
    origin = read_anim(full(changes=[anim_change(1, anim_dispatch(0, 4, 2, 1))]))
    (change,) = origin.state_changes
    dispatch = change.dispatches[0]._replace(last_frame=3, blending=Blending(7, curve))
    file = replace(
        origin, blending=Blending(5, curve), state_changes=(change._replace(dispatches=(dispatch,)),)
    )
    file = read_anim(write_anim(file))  # its numbers have 32 bits
    dispatch = file.state_changes[0].dispatches[0]
    (action,), _ = add(root, load(write_anim(file)))
    settings = action.tomb_raider
    row = settings.dispatches[0]
    assert (settings.blend_frames, row.blend_frames, row.last_target) == (5, 7, 3)
    assert np.allclose(settings.blend_curve, curve) and np.allclose(row.blend_curve, curve)
    found, _ = back(root, action)
    assert (found.blending, found.state_changes) == (file.blending, file.state_changes)
    settings.blend_frames, row.last_target = 6, 4
    found, _ = back(root, action)
    assert found.blending is not None and found.blending.frames == 6
    assert found.state_changes[0].dispatches == (dispatch._replace(last_frame=4),)
    # A file without blending gets some only if it is set.
    add(root, load(full()), placement=Placement.REPLACE, replaced=action)
    assert settings.blend_frames == 0 and back(root, action)[0].blending is None


def test_files_of_one_batch_are_linked_as_targets(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    first = load(full("A", following=(301, 0), changes=[]), "0300_A.anim")
    second = load(
        full("B", following=(301, 1), changes=[anim_change(1, anim_dispatch(0, 1, 300, 0))]), "0301_B.anim"
    )
    (one, other), warnings = add(root, first, second)
    assert next_of(one) == other and next_of(other) is None and other.use_cyclic
    assert target_of(other.tomb_raider.dispatches[0]) == one
    assert not any("lacks" in text for text in warnings)
    found, _ = back(root, other)
    assert (found.next_animation, found.state_changes[0].dispatches[0].next_animation) == (13, 12)


def test_targets_of_binary_files_are_relative_to_their_number(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    box, turn = (-10, 10, -20, 0, -30, 30), (256, 10, 0)
    keys = [(box, (0, -100, 4), (turn,) * LARA_BONES)] * 2
    (action,), warnings = add(root, load(trw_file(keys, dispatches=((0, 1, -11, 2), (0, 2, 3, 0))), "w.trw"))
    assert action.name == "Lara 012 w"
    assert next_of(action) == lara(root).tomb_raider.model.animations[10].action
    rows = action.tomb_raider.dispatches
    assert target_of(rows[0]) == lara(root).tomb_raider.model.animations[1].action
    assert target_of(rows[1]) is None and "animations: 15" in warnings[0]
    found, _ = back(root, action)
    assert found.next_animation == 10
    assert [each.next_animation for each in found.state_changes[0].dispatches] == [1, 15]
    assert found.velocities.tolist() == [3, 2.5, 0.5, 0.5]


def test_ranges_without_an_end_fit_levels_and_are_exported_unchanged(blender: ModuleType) -> None:
    data = full(following=(3, 65535), changes=[anim_change(1, anim_dispatch(0, 65535, 2, 0))])
    root = import_scene(sample_bytes(Game.TR4))
    (action,), _ = add(root, load(data))
    level, _ = exported(root)
    (change,) = decode_state_changes(
        level.animations, level.state_changes, level.animation_dispatches, LARA_ANIMATIONS
    )
    assert (change.dispatches[0].low, change.dispatches[0].next_animation) == (0, 2)
    assert change.dispatches[0].high > 5
    assert write_anim(export_animations(root, lara(root), [action], report=Report())[0].animation) == data


def test_long_and_foreign_names_are_exported_unchanged(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    for name in ("A very long name " * 6, "Größe " * 15, "日本 " * 20, "a/b.001", "x 012 y"):
        data = full(name=name)
        (action,), _ = add(root, load(data))
        assert back(root, action)[0].name == name, name
        action.name = f"{lara(root).name} 012 Renamed"
        assert back(root, action)[0].name == "Renamed"


def test_commands_without_a_meaning_are_left_out(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    box, turn = (-10, 10, -20, 0, -30, 30), (256, 10, 0)
    data = trw_file([(box, (0, -100, 4), (turn,) * LARA_BONES)] * 2)
    at = data.index(b"\x05\0\x03\0\x11\0")
    (action,), _ = add(root, load(data[:at] + b"\x09" + data[at + 1 :], "w.trw"))
    assert back(root, action)[0].commands == ()


def test_sounds_of_another_game_get_the_numbers_of_this_one(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    data = full(commands=[anim_command("PlaySound", 1, 4, 2), anim_command("PlaySound", 2, 360, 0)])
    (action,), warnings = add(root, load(data), game=Game.TR4)
    assert [(each.number, each.flags) for each in action.tomb_raider.events] == [(4, 0)]
    assert any("this game does not have effects that it starts" in text for text in warnings)
    assert (
        write_anim(export_animations(root, lara(root), [action], game=Game.TR4, report=Report())[0][1])
        == data
    )
    own, _ = back(root, action)
    assert own.commands == (FileCommand(5, 1, 4, 0),)


def test_speeds_to_the_side_are_lost_with_a_warning_where_games_lack_them(blender: ModuleType) -> None:
    data = full(speeds=(1, 1, 4, 4))
    root = import_scene(sample_bytes(Game.TR1))
    (action,), warnings = add(root, load(data))
    assert any("has no lateral speeds" in text for text in warnings)
    assert exported(root)[0].animations["speed"][LARA_ANIMATIONS] == 1 << 16
    assert back(root, action)[0].velocities.tolist() == [1, 1, 4, 4]


def test_models_with_other_bones_are_refused_with_both_numbers(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    with pytest.raises(ExportError, match="a model with 2 bones, and Lara has 15"):
        check_bones(lara(root), load(anim_file()))
    with pytest.raises(ExportError, match="it has no key frames"):
        check_bones(lara(root), load(anim_text([]).encode()))


def with_tail(root: Any) -> Any:
    """Give Lara a bone more, with a mesh on it, and return her skin, which has her own bones still."""
    armature = lara(root)
    last = armature.data.bones[-1].name
    with edit_bones(root) as bones:
        tip = bones.new("Tip")
        tip.parent = bones[last]
        tip.head = bones[last].head + Vector((0, -0.2, 0))
        tip.tail = tip.head + Vector((0, -0.2, 0))
    part = bpy.data.objects.new("Tip", next(each for each in objects(root, "MODEL_MESH")).data)
    armature.users_collection[0].objects.link(part)
    part.parent, part.parent_type, part.parent_bone = armature, "BONE", "Tip"
    bone = armature.data.bones["Tip"]
    place = bone.matrix_local @ Matrix.Translation((0, bone.length, 0))
    part.matrix_parent_inverse = place.inverted() @ Matrix.Translation(bone.head_local)
    return next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 8)


def test_files_of_models_with_other_bones_are_matched_by_limbs(blender: ModuleType) -> None:
    root = import_scene(with_joints())
    skin = with_tail(root)
    data = full(commands=[], changes=[])
    check_bones(lara(root), load(data))
    (action,), warnings = add(root, load(data))
    text = "15 bones as Lara skin has, matched by limbs. Bones of Lara that get no keys: Tip"
    assert skin.name == "Lara skin" and warnings == [f"0200_WAVE.anim: {text}"]
    origin, found = keys_of(read_anim(data)), level_keys(exported(root)[0], LARA_ANIMATIONS)
    assert found.angles.shape == (3, LARA_BONES + 1, 3)  # the last key of the file is after its end
    # Limbs are rounded together, so some angles are some steps from the nearest one.
    assert same_rotations(found.angles[:, :LARA_BONES], round_angles(origin.angles[:3], 10), 2e-4)
    assert not found.angles[:, LARA_BONES].any()
    assert np.array_equal(found.offsets, origin.offsets[:3])
    # Boxes are those of this model's meshes.
    assert not (found.boxes == origin.boxes[:3]).all(axis=1).any()
    assert action.tomb_raider.speed == np.float32(18.23683)
    # Bones of the file are no longer those of the model: it is written with one more.
    assert back(root, action)[0].bones == LARA_BONES + 1


def test_models_of_the_name_of_a_file_have_its_bones(blender: ModuleType) -> None:
    root = import_scene(with_joints())
    skin = with_tail(root)
    twin = skin.copy()
    skin.users_collection[0].objects.link(twin)
    for name in ("Tiger", "Wolf"):
        twin.name = name
        other = find_other_bones(lara(root), LARA_BONES, Path("tiger_10.anim"))
        assert other is not None and other.source == (twin if name == "Tiger" else skin)
    twin.name = "Tiger"
    other = find_other_bones(lara(root), LARA_BONES, Path("TIGER/0010_Animation 10.anim"))
    assert other is not None and other.source == twin


def test_keys_of_a_smaller_model_are_as_large_as_the_model(blender: ModuleType) -> None:
    root = import_scene(with_joints())
    skin = with_tail(root)
    with edit_bones(root, objects(root, "MODEL").index(skin)) as bones:
        for bone in bones:
            for end in ("head", "tail"):
                setattr(bone, end, getattr(bone, end) / 2)
    (action,), _ = add(root, load(full(changes=[])))
    found, origin = level_keys(exported(root)[0], LARA_ANIMATIONS), keys_of(read_anim(full()))
    assert np.abs(found.offsets - 2 * origin.offsets[:3]).max() <= 1
    assert np.isclose(action.tomb_raider.speed, 2 * 18.23683, rtol=1e-3)


def test_all_animations_of_a_model_are_written_and_import_without_a_difference(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    actions = [row.action for row in lara(root).tomb_raider.model.animations]
    report = Report()
    found = export_animations(root, lara(root), actions, report=report)
    paths = write_files(found, tmp_path)
    assert [path.name[:5] for path in paths] == [f"{number:04}_" for number in range(LARA_ANIMATIONS)]
    before, _ = exported(root)
    for action, path in zip(actions, paths, strict=True):
        file = load(path.read_bytes(), path.name)
        add(root, file, placement=Placement.REPLACE, replaced=action)
    assert differences(before, exported(root)[0]) == []


@each_real_level
def test_animations_of_lara_come_back_with_the_same_numbers(blender: ModuleType, level_path: Path) -> None:
    root = import_scene(level_path.read_bytes())
    skip_without([each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 0])
    before, _ = exported(root)
    actions = [
        row.action
        for row in lara(root).tomb_raider.model.animations
        if row.action is not None and not row.action.tomb_raider.is_helper
    ]
    found = export_animations(root, lara(root), actions, report=Report())
    for action, each in zip(actions, found, strict=True):
        file = load(each.encoded())
        if file.animation.keys:  # TR4 and TR5 have animations without any
            check_bones(lara(root), file)
            add(root, file, placement=Placement.REPLACE, replaced=action)
    again = export_animations(root, lara(root), actions, report=Report())
    assert [one.file_name() for one in found] == [other.file_name() for other in again]
    assert all(same_numbers(one.animation, other.animation) for one, other in zip(found, again, strict=True))
    # The numbers are in the curves, not only in the files that are stored with the actions.
    for action in actions:
        forget_source(action)
    assert differences(before, exported(root)[0]) == []


def test_an_export_bakes_constraints(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    armature = lara(root)
    (action,), _ = add(root, load(full()))
    armature.animation_data.action = action
    if hasattr(armature.animation_data, "action_slot"):
        armature.animation_data.action_slot = action.slots[0]
    name = armature.data.bones[-1].name
    constraint = armature.pose.bones[name].constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.use_limit_x = constraint.use_limit_y = constraint.use_limit_z = True
    found, _ = back(root, action)
    number = next(place for place, bone in enumerate(armature.data.bones) if bone.name == name)
    origin = read_anim(full())
    assert np.abs(found.angles[:, number]).max() == 0
    others = [place for place in range(LARA_BONES) if place != number]
    assert same_rotations(
        np.rint(found.angles[:, others]).astype(int), np.rint(origin.angles[:, others]).astype(int), 1e-5
    )


def test_a_saved_file_still_has_the_fractions(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    data = full()
    (action,), _ = add(root, load(data))
    name = action.name
    path = str(tmp_path / "a.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    found = export_animations(root, lara(root), [bpy.data.actions[name]], report=Report())[0]
    assert write_anim(found.animation) == data
    bpy.data.actions[name]["tr_animation_file"]["content"] = b"damaged"
    assert back(root, bpy.data.actions[name])[0].offsets[:, 1].tolist() == [-400, -401, -402]


_REAL = [
    path
    for path in real_motions()
    if path.suffix == ".anim" and read_anim(path.read_bytes()).bones == LARA_BONES
]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.name) for path in _REAL])
@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_real_files_are_exported_unchanged(blender: ModuleType, path: Path, game: Game) -> None:
    data = path.read_bytes()
    file = load(data, path.name)
    root = import_scene(sample_bytes(game))
    (action,), _ = add(root, file)
    found = export_animations(root, lara(root), [action], report=Report())[0]
    assert write_anim(found.animation) == data
