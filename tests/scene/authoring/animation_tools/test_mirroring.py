"""Mirrored animations, as the games read them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import EVENT_FLAGS, FLIP_EFFECT, SET_POSITION
from io_tomb_raider.scene.authoring.animation_tools.copies import copy_animation
from io_tomb_raider.scene.authoring.animation_tools.mirroring import mirror, sided_numbers
from io_tomb_raider.scene.authoring.animation_tools.sides import partners_of
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import ENEMY, LARA, actions, animation_count, armature, edit_bones, model_keys
from tests.scene.scenes import exported, import_scene

from .helpers import (
    MIRROR,
    OTHER_SIDE,
    RUN,
    RUN_START,
    WALK,
    clip_of,
    commands,
    degrees_between,
    matrices,
    record,
)


def mirror_in_place(root: Collection, number: int, model: int = LARA) -> None:
    clip = clip_of(root, number, model)
    mirror(clip, partners_of(clip.rest), is_new=False)


@each_game
def test_left_and_right_are_swapped_exactly(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    before = exported(root)[0]
    for number in (RUN, WALK, RUN_START):
        mirror_in_place(root, number)
    after, warnings = exported(root)
    assert warnings == []
    for number in (RUN, WALK, RUN_START):
        old, new = model_keys(before, LARA, number), model_keys(after, LARA, number)
        wanted = MIRROR @ matrices(before, number)[:, OTHER_SIDE] @ MIRROR
        assert degrees_between(matrices(after, number), wanted).max() < 1e-5
        assert np.array_equal(new.offsets, old.offsets * (-1, 1, 1))
        assert np.array_equal(new.boxes, old.boxes[:, [1, 0, 2, 3, 4, 5]] * (-1, -1, 1, 1, 1, 1))
        assert record(after, number)["frame_rate"] == record(before, number)["frame_rate"]


@each_game
def test_mirrored_twice_all_bytes_are_as_before(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for _ in range(2):
        for model in (LARA, ENEMY):
            for number in range(len(actions(root, model))):
                mirror_in_place(root, number, model)
    assert exported(root)[0].to_bytes() == data


@each_game
def test_feet_lateral_speeds_and_positions_change_sides(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    row = actions(root)[RUN_START].tomb_raider.commands[0]
    row.position = 20, 32, 7
    before = exported(root)[0]
    has_lateral = "lateral_speed" in (before.animations.dtype.names or ())
    if has_lateral:
        actions(root)[RUN].tomb_raider.lateral_speed = 3.5
        actions(root)[RUN].tomb_raider.lateral_acceleration = -0.25
    mirror_in_place(root, RUN)
    mirror_in_place(root, RUN_START)
    after, warnings = exported(root)
    assert warnings == []

    def feet(level: object) -> list[tuple[int, int]]:
        found = [each.operands for each in commands(level, RUN) if each.type == FLIP_EFFECT]  # type: ignore[arg-type]
        return sorted((frame, EVENT_FLAGS.of(operand)) for frame, operand in found)

    assert feet(before) == [(0, 1), (11, 2)]
    assert feet(after) == [(0, 2), (11, 1)]
    assert [e.operands for e in commands(after, RUN_START) if e.type == SET_POSITION] == [(-20, -7, 32)]
    if has_lateral:
        assert record(after, RUN)["lateral_speed"] == -3.5 * 65536
        assert record(after, RUN)["lateral_acceleration"] == 0.25 * 65536
    assert record(after, RUN)["speed"] == record(before, RUN)["speed"]


def test_a_footstep_of_one_side_is_mirrored(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    action = actions(root)[RUN]
    for marker in list(action.pose_markers):
        if "right" in marker.name:
            action.pose_markers.remove(marker)
    events = action.tomb_raider.events
    events.remove(next(place for place, each in enumerate(events) if each.flags == 2))
    mirror_in_place(root, RUN)
    assert [(each.number, each.flags) for each in events if each.command == "EFFECT"] == [(32, 2)]
    level, warnings = exported(root)
    assert warnings == []  # of a row without a marker
    found = [each.operands for each in commands(level, RUN) if each.type == FLIP_EFFECT]
    assert [(frame, EVENT_FLAGS.of(operand)) for frame, operand in found] == [(0, 2)]


def test_effects_of_left_and_right_hand_are_paired() -> None:
    known = {14: "Draw right gun", 15: "Draw left gun", 16: "Shoot right gun", 20: "Bright light"}
    assert sided_numbers(known) == {14: 15, 15: 14}


@each_game
def test_a_copy_is_a_new_animation_and_its_original_stays(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    before = exported(root)[0]
    action = actions(root)[RUN]
    made = copy_animation(action, armature(root), "mirrored")
    assert made.name == f"{action.name} mirrored" and made.users
    clip = clip_of(root, 0)
    assert clip.action == made  # without an index it is the first
    mirror(clip, partners_of(clip.rest), is_new=True)
    after, warnings = exported(root)
    assert warnings == []
    count = animation_count(before)
    assert animation_count(after) == count + 1
    for number in range(count):
        assert np.array_equal(model_keys(after, LARA, number).angles, model_keys(before, LARA, number).angles)
    wanted = MIRROR @ matrices(before, RUN)[:, OTHER_SIDE] @ MIRROR
    assert degrees_between(matrices(after, count), wanted).max() < 1e-5
    boxes = model_keys(before, LARA, RUN).boxes[:, [1, 0, 2, 3, 4, 5]] * (-1, -1, 1, 1, 1, 1)
    assert np.array_equal(model_keys(after, LARA, count).boxes, boxes)
    for name in ("state", "speed", "acceleration", "frame_rate"):
        assert record(after, count)[name] == record(before, RUN)[name]


def test_bones_without_sides_are_mirrored_in_place(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    clip = clip_of(root, 0, ENEMY)
    assert partners_of(clip.rest).tolist() == [0, 1, 2]
    before = exported(root)[0]
    mirror_in_place(root, 0, ENEMY)
    after = exported(root)[0]
    wanted = MIRROR @ matrices(before, 0, ENEMY) @ MIRROR
    assert degrees_between(matrices(after, 0, ENEMY), wanted).max() < 1e-5


def pairs(root: Collection) -> list[int]:
    """Return the partners of bones with names such as "Bone 07", in the order of these."""
    rest = RestPose.of(armature(root))
    found = {int(rest.names[one][5:]): int(rest.names[two][5:]) for one, two in enumerate(partners_of(rest))}
    return [found[number] for number in sorted(found)]


def test_bones_without_names_are_pairs_by_their_place(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    for number, bone in enumerate(list(armature(root).data.bones)):
        bone.name = f"Bone {number:02}"
    assert pairs(root) == OTHER_SIDE
    with edit_bones(root) as bones:  # one leg is elsewhere
        bones["Bone 01"].head.x *= 3
    assert pairs(root) == [0, 1, 2, 3, 4, 5, 6, *OTHER_SIDE[7:]]


@each_real_level
def test_real_animations_of_lara_mirror_exactly(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    root = import_scene(data)
    if len(armature(root).data.bones) != len(OTHER_SIDE) or len(actions(root)) < 100:
        pytest.skip("it has no Lara")
    before = exported(root)[0]
    numbers = [number for number in range(0, 100, 9) if len(model_keys(before, LARA, number))]
    for number in numbers:
        mirror_in_place(root, number)
    after = exported(root)[0]
    for number in numbers:
        wanted = MIRROR @ matrices(before, number)[:, OTHER_SIDE] @ MIRROR
        assert degrees_between(matrices(after, number), wanted).max() < 1e-5, number
        old, new = model_keys(before, LARA, number), model_keys(after, LARA, number)
        assert np.array_equal(new.offsets, old.offsets * (-1, 1, 1))
        assert np.array_equal(new.boxes, old.boxes[:, [1, 0, 2, 3, 4, 5]] * (-1, -1, 1, 1, 1, 1))
        mirror_in_place(root, number)
    assert exported(root)[0].to_bytes() == data
