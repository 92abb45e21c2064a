"""Animations of another length, as the games read them."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import example, given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.animations.animations import FRAME_COMMANDS
from io_tomb_raider.scene.authoring.animation_tools.retiming import Retiming, retime
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import ENEMY, LARA, actions, curve, curves, model_keys
from tests.scene.scenes import exported, import_scene

from .helpers import (
    RUN,
    RUN_START,
    STAND,
    WALK,
    WALK_STOP,
    changes_of,
    clip_of,
    commands,
    degrees_between,
    matrices,
    next_frame,
    record,
    speed,
    ticks_of,
)


def retime_to(root: Collection, number: int, ticks: int, model: int = LARA) -> int:
    return retime(clip_of(root, number, model), ticks)


@each_game
def test_twice_as_long_is_exact(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    own = actions(root)
    own[RUN_START].tomb_raider.next_frame = 4  # of the run
    own[STAND].tomb_raider.dispatches[1].frame = 5  # of the walk
    has_lateral = "lateral_speed" in (old.animations.dtype.names or ())
    if has_lateral:
        own[RUN].tomb_raider.lateral_speed, own[RUN].tomb_raider.lateral_acceleration = 3.0, 0.5
    old = exported(root)[0]
    assert retime_to(root, RUN, 42) == 1  # the start of the run leads here, at another frame than 0
    assert retime_to(root, WALK, 58) == 1
    new, warnings = exported(root)
    assert warnings == []
    assert ticks_of(new, RUN) == 42 and record(new, RUN)["frame_rate"] == 2
    assert speed(new, RUN) == 47 / 2 and speed(new, RUN, "acceleration") == 0.125 / 4
    if has_lateral:
        assert (speed(new, RUN, "lateral_speed"), speed(new, RUN, "lateral_acceleration")) == (1.5, 0.125)
    before, after = model_keys(old, LARA, RUN), model_keys(new, LARA, RUN)
    assert len(after) == len(before) + 1  # a key after its last tick, on the way to its first one
    for name in ("angles", "offsets", "boxes"):
        assert np.array_equal(getattr(after, name)[:-1], getattr(before, name)), name
    assert degrees_between(matrices(new, RUN)[-1], matrices(old, RUN)[0]).max() < 0.2
    frames = [(2 * e.operands[0], e.operands[1]) for e in commands(old, RUN) if e.type in FRAME_COMMANDS]
    assert sorted(e.operands for e in commands(new, RUN) if e.type in FRAME_COMMANDS) == sorted(frames)
    for one, two in zip(changes_of(old, RUN), changes_of(new, RUN), strict=True):
        wanted = [(2 * each.low, 2 * each.high + 1) for each in one.dispatches]
        assert [(each.low, each.high) for each in two.dispatches] == wanted
    assert next_frame(old, RUN_START) == (RUN, 4) and next_frame(new, RUN_START) == (RUN, 8)
    assert [each.dispatches[0].next_frame for each in changes_of(new, STAND)] == [0, 10]
    assert next_frame(new, WALK_STOP) == next_frame(old, WALK_STOP)


@each_game
def test_lengthening_and_shortening_restores_all_bytes(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for model in (LARA, ENEMY):
        for number, action in enumerate(actions(root, model)):
            ticks = clip_of(root, number, model).ticks
            retime_to(root, number, 3 * ticks, model)
            assert action.frame_end == 3 * ticks - 1
            retime_to(root, number, ticks, model)
    assert exported(root)[0].to_bytes() == data


@pytest.mark.parametrize("ticks", [31, 32, 14])
def test_other_lengths_move_at_the_same_pace(blender: ModuleType, ticks: int) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    old = exported(root)[0]
    retime_to(root, RUN, ticks)
    new, warnings = exported(root)
    assert warnings == []
    assert ticks_of(new, RUN) == ticks and record(new, RUN)["frame_rate"] == 1
    # The run covers the same distance.
    assert speed(new, RUN) * ticks == pytest.approx(47 * 21, abs=0.01)
    poses = np.concatenate([matrices(old, RUN), matrices(old, RUN)[:1]])  # a loop
    shown = matrices(new, RUN)
    for tick in range(ticks):
        source = tick * 21 / ticks
        low, part = int(source), source % 1
        mixed = poses[low] * (1 - part) + poses[low + 1] * part
        assert degrees_between(shown[tick], mixed).max() < 1.5, tick


def test_a_key_that_is_at_no_tick_keeps_the_rate_high_enough(blender: ModuleType) -> None:
    """At rate 2, half as long again is exact at rate 3; a third longer is not, and no key gets lost."""
    root = import_scene(sample_bytes(Game.TR2))
    old = exported(root)[0]
    retime_to(root, STAND, 120)  # of 80
    new = exported(root)[0]
    assert record(new, STAND)["frame_rate"] == 3 and ticks_of(new, STAND) == 120
    assert np.array_equal(model_keys(new, LARA, STAND).angles, model_keys(old, LARA, STAND).angles)
    retime_to(root, STAND, 100)
    new = exported(root)[0]
    assert record(new, STAND)["frame_rate"] == 2 and ticks_of(new, STAND) == 100


def test_a_retimed_animation_with_another_target_keeps_its_last_pose(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    retime_to(root, RUN_START, 30)  # of 10
    new = exported(root)[0]
    assert record(new, RUN_START)["frame_rate"] == 3
    assert degrees_between(matrices(new, RUN_START)[-1], matrices(old, RUN_START)[-1]).max() < 1e-5
    assert next_frame(new, RUN_START) == next_frame(old, RUN_START)


def test_curves_that_bend_and_those_of_other_properties_move_too(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    action = actions(root)[STAND]
    for each in curves(action):
        for point in each.keyframe_points:
            point.interpolation = "BEZIER"
    made = curves(action).new('pose.bones["Hips"].scale', index=0)
    made.keyframe_points.insert(10, 1.0)
    shape = curve(action, "Hips", "rotation_quaternion", 1)
    before = [shape.evaluate(frame) for frame in np.arange(0, 79, 0.5)]
    retime_to(root, STAND, 160)
    assert [round(point.co.x) for point in made.keyframe_points] == [20]
    after = [shape.evaluate(frame) for frame in np.arange(0, 158, 1)]
    assert np.abs(np.array(before) - after).max() < 1e-4


def test_no_game_counts_as_many_ticks(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    with pytest.raises(ExportError, match="too long for the game"):
        retime_to(root, RUN, 70000)
    assert ticks_of(exported(root)[0], RUN) == 21


# --- Numbers ----------------------------------------


@given(st.integers(1, 400), st.data())
@example(22, None)
def test_frames_round_trip_through_longer_animations(ticks: int, data: st.DataObject | None) -> None:
    new = 33 if data is None else data.draw(st.integers(ticks, 5 * ticks))
    there, back = Retiming(ticks, new), Retiming(new, ticks)
    assert there.factor == Fraction(new, ticks)
    for frame in range(ticks):
        moved = there.frame(frame)
        assert 0 <= moved < new and back.frame(moved) == frame
        for high in range(frame, min(frame + 7, ticks)):
            low, end = there.range(frame, high)
            assert 0 <= low <= end < new and back.range(low, end) == (frame, high)


@given(st.integers(1, 400), st.integers(1, 400))
def test_frames_stay_in_the_animation_and_in_order(ticks: int, new: int) -> None:
    retiming = Retiming(ticks, new)
    moved = [retiming.frame(frame) for frame in range(ticks)]
    assert moved == sorted(moved) and 0 <= moved[0] and moved[-1] < new
    for frame in range(ticks):
        low, high = retiming.range(frame, frame)
        assert 0 <= low <= high < new
    assert retiming.range(0, ticks - 1) == (0, new - 1)
