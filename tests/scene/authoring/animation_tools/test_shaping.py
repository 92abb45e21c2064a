"""Animations played backwards, smoothed, and with other rates, as the games read them."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.animations.animations import FRAME_COMMANDS, SET_POSITION
from io_tomb_raider.scene.authoring.animation_tools.shaping import resample, reverse, smooth
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import ENEMY, LARA, actions, armature, model_keys, turn_key
from tests.scene.scenes import exported, import_scene

from .helpers import (
    RUN,
    RUN_START,
    STAND,
    changes_of,
    clip_of,
    commands,
    degrees_between,
    matrices,
    record,
    speed,
    ticks_of,
)


def reverse_in_place(root: Collection, number: int, model: int = LARA) -> None:
    reverse(clip_of(root, number, model), is_new=False)


@each_game
def test_backwards(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    reverse_in_place(root, RUN)
    new, warnings = exported(root)
    assert warnings == []
    before, after = model_keys(old, LARA, RUN), model_keys(new, LARA, RUN)
    for name in ("angles", "offsets", "boxes"):
        assert np.array_equal(getattr(after, name), getattr(before, name)[::-1]), name
    # At tick t it has the speed of tick 20 - t, the other way.
    assert speed(new, RUN) == -(47 + 20 * 0.125) and speed(new, RUN, "acceleration") == 0.125
    frames = sorted(
        (20 - e.operands[0], e.operands[1]) for e in commands(old, RUN) if e.type in FRAME_COMMANDS
    )
    assert sorted(e.operands for e in commands(new, RUN) if e.type in FRAME_COMMANDS) == frames
    for one, two in zip(changes_of(old, RUN), changes_of(new, RUN), strict=True):
        wanted = [(20 - each.high, 20 - each.low) for each in one.dispatches]
        assert [(each.low, each.high) for each in two.dispatches] == wanted


@each_game
def test_twice_backwards_all_bytes_are_as_before(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for _ in range(2):
        for model in (LARA, ENEMY):
            for number in range(len(actions(root, model))):
                reverse_in_place(root, number, model)
    assert exported(root)[0].to_bytes() == data


def test_reversing_reverses_the_move_at_the_end(blender: ModuleType) -> None:
    """Lara climbs away from her place, and is put there at the end. Backwards, she goes down."""
    root = import_scene(sample_bytes(Game.TR1))
    actions(root)[RUN_START].tomb_raider.commands[0].position = 10, 300, 700
    old = exported(root)[0]
    reverse_in_place(root, RUN_START)
    new = exported(root)[0]
    before, after = model_keys(old, LARA, RUN_START).offsets, model_keys(new, LARA, RUN_START).offsets
    end = np.array([10, -700, 300])  # in the file's axes
    assert np.array_equal(after[::-1] + end, before)
    assert [e.operands for e in commands(new, RUN_START) if e.type == SET_POSITION] == [tuple(-end)]


def test_smoothing_takes_out_a_jerk_and_keeps_the_ends(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    turn_key(actions(root)[RUN], "Hand.L", 10, (0.9, 0.4, 0.1, 0.1))
    jerk = degrees_between(matrices(exported(root)[0], RUN)[10, 13], matrices(old, RUN)[10, 13])
    assert jerk > 20
    smooth(clip_of(root, RUN), 0.5, 4, {"Hand.L"}, wraps=False)
    new = exported(root)[0]
    away = degrees_between(matrices(new, RUN), matrices(old, RUN))
    assert away[10, 13] < jerk / 2
    assert away[[0, 20]].max() == 0
    others = [bone for bone in range(15) if bone != 13]
    assert np.array_equal(
        model_keys(new, LARA, RUN).angles[:, others], model_keys(old, LARA, RUN).angles[:, others]
    )
    assert np.array_equal(model_keys(new, LARA, RUN).offsets, model_keys(old, LARA, RUN).offsets)


def test_smoothing_goes_on_across_the_loop(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    action = actions(root)[RUN]
    for key in (0, 20):
        turn_key(action, "Hand.L", key, (0.9, 0.4, 0.1, 0.1))
    away = [degrees_between(matrices(exported(root)[0], RUN), matrices(old, RUN))[key, 13] for key in (0, 20)]
    smooth(clip_of(root, RUN), 1.0, 6, None, wraps=True)
    new = degrees_between(matrices(exported(root)[0], RUN), matrices(old, RUN))
    assert new[0, 13] < away[0] / 2 and new[20, 13] < away[1] / 2


def test_one_step_of_smoothing_is_the_middle_of_both_sides(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    old = model_keys(exported(root)[0], LARA, RUN).offsets.astype(float)
    smooth(clip_of(root, RUN), 1.0, 1, {"Hips"}, wraps=False)
    new = model_keys(exported(root)[0], LARA, RUN).offsets
    assert np.abs(new[1:-1] - (old[:-2] + old[2:]) / 2).max() <= 0.5
    assert np.array_equal(new[[0, -1]], old[[0, -1]])


@each_game
def test_keys_at_another_rate(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    old = exported(root)[0]
    found = resample(clip_of(root, RUN), 4)
    new, warnings = exported(root)
    assert warnings == []
    assert (found.before, found.after) == (21, 6)
    assert record(new, RUN)["frame_rate"] == 4 and ticks_of(new, RUN) == 21
    before, after = model_keys(old, LARA, RUN), model_keys(new, LARA, RUN)
    assert np.array_equal(after.angles, before.angles[::4]) and np.array_equal(after.boxes, before.boxes[::4])
    for name in ("speed", "acceleration"):
        assert record(new, RUN)[name] == record(old, RUN)[name]
    # The report says how far the poses between the keys are off.
    poses, shown = matrices(old, RUN), matrices(new, RUN)
    worst = max(
        degrees_between(
            poses[tick], shown[tick // 4] * (1 - tick % 4 / 4) + shown[-(-tick // 4)] * (tick % 4 / 4)
        ).max()
        for tick in range(21)
    )
    assert 0.5 < found.degrees == pytest.approx(worst, abs=0.7)


def test_denser_keys_change_nothing_that_is_shown(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    found = resample(clip_of(root, STAND), 1)
    assert found.degrees < 1e-3 and found.units < 0.5
    new = exported(root)[0]
    assert record(new, STAND)["frame_rate"] == 1 and ticks_of(new, STAND) == 80
    resample(clip_of(root, STAND), 2)
    clip = clip_of(root, STAND)
    assert len(clip.poses.frames) == 41 and clip.armature == armature(root)
    assert exported(root)[0].to_bytes() == data
