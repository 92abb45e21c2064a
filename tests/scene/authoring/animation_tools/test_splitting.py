"""Animations split into two, as the games read them."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from bpy.types import Action, Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import EMPTY_HANDS, FRAME_COMMANDS, SET_POSITION
from io_tomb_raider.scene.authoring.animation_tools.splitting import split
from io_tomb_raider.scene.subjects.animations.changes.state_changes import rows_of
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import LARA, actions, animation_count, first_animation, model_keys
from tests.scene.scenes import exported, import_scene

from .helpers import (
    RUN,
    RUN_START,
    STAND,
    WALK_STOP,
    clip_of,
    commands,
    matrices,
    next_frame,
    record,
    speed,
    ticks_of,
)


def split_at(root: Collection, number: int, frame: int) -> Action:
    return split(clip_of(root, number), frame)


@each_game
def test_two_halves_are_the_whole(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    own = actions(root)
    own[RUN_START].tomb_raider.next_frame = 15  # of the run: in its second half
    own[STAND].tomb_raider.dispatches[0].action = own[RUN].name
    own[STAND].tomb_raider.dispatches[0].frame = 12
    old = exported(root)[0]
    made = split_at(root, RUN, 12)
    assert made.name == f"{own[RUN].name} end"
    new, warnings = exported(root)
    assert warnings == []
    end, first = animation_count(old), first_animation(new)
    assert animation_count(new) == end + 1
    assert (ticks_of(new, RUN), ticks_of(new, end)) == (12, 9)
    before = model_keys(old, LARA, RUN)
    halves = [model_keys(new, LARA, number) for number in (RUN, end)]
    for name in ("angles", "offsets", "boxes"):
        both = np.concatenate([getattr(half, name) for half in halves])
        assert np.array_equal(both, getattr(before, name)), name
    assert next_frame(new, RUN) == (end, 0) and next_frame(new, end) == (RUN, 0)  # the loop goes on
    assert next_frame(new, RUN_START) == (end, 3)
    assert speed(new, RUN) == 47 and speed(new, end) == 47 + 12 * 0.125
    assert speed(new, end, "acceleration") == 0.125 and record(new, end)["state"] == record(new, RUN)["state"]
    events = sorted(e.operands for e in commands(old, RUN) if e.type in FRAME_COMMANDS)
    assert sorted(e.operands for e in commands(new, RUN) if e.type in FRAME_COMMANDS) == events  # up to 11
    assert commands(new, end) == ()
    rows = rows_of(old, first + RUN)
    assert {(each.low, each.high) for each in rows} == {(0, 9), (10, 19)}
    kept, moved = rows_of(new, first + RUN), rows_of(new, first + end)
    assert [(e.state, e.low, e.high) for e in kept] == [(e.state, e.low, min(e.high, 11)) for e in rows]
    later = [e for e in rows if e.high >= 12]
    assert [(e.state, e.low, e.high) for e in moved] == [(e.state, 0, 7) for e in later]
    there = next(
        each for each in rows_of(new, first + STAND) if each.state == rows_of(old, first + STAND)[0].state
    )
    assert (there.target, there.frame) == (first + end, 0)


def test_commands_at_the_end_are_moved_to_the_second_half(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action = actions(root)[RUN]
    for name, frame in (("Lara footsteps", 15),):
        action.pose_markers.new(name).frame = frame
    split_at(root, RUN_START, 4)
    new, warnings = exported(root)
    assert warnings == []
    end = animation_count(new) - 1
    assert [e.type for e in commands(new, RUN_START)] == []
    assert [e.type for e in commands(new, end)] == [SET_POSITION, EMPTY_HANDS]
    assert next_frame(new, end) == (RUN, 0) and next_frame(new, RUN_START) == (end, 0)


def test_sounds_go_to_their_half_and_none_is_left_without_a_marker(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    old = exported(root)[0]
    split_at(root, RUN, 5)
    new, warnings = exported(root)
    assert warnings == []
    end = animation_count(new) - 1
    events = {e.operands for e in commands(old, RUN) if e.type in FRAME_COMMANDS}
    first = {e.operands for e in commands(new, RUN) if e.type in FRAME_COMMANDS}
    second = {(e.operands[0] + 5, e.operands[1]) for e in commands(new, end) if e.type in FRAME_COMMANDS}
    assert first | second == events and {frame for frame, _ in first} == {0}
    assert {frame for frame, _ in second} == {11}


@pytest.mark.parametrize("frame", [4, 3])
def test_between_two_keys_no_pose_changes(blender: ModuleType, frame: int) -> None:
    """At rate 2, a split at an odd tick needs a key at every tick of the second half."""
    root = import_scene(sample_bytes(Game.TR2))
    old = exported(root)[0]
    split_at(root, WALK_STOP, frame)
    new, warnings = exported(root)
    assert warnings == []
    end = animation_count(new) - 1
    assert (ticks_of(new, WALK_STOP), ticks_of(new, end)) == (frame, 10 - frame)
    assert record(new, WALK_STOP)["frame_rate"] == 2
    assert record(new, end)["frame_rate"] == (2 if frame == 4 else 1)
    poses, second = matrices(old, WALK_STOP), matrices(new, end)
    step = 1 if frame == 4 else 2
    keys = second[0 if frame == 4 else 1 :: step]
    assert np.array_equal(keys, poses[2:][: len(keys)])
    assert np.array_equal(matrices(new, WALK_STOP), poses[: len(matrices(new, WALK_STOP))])
