"""Seams of animations: measured, and closed."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.animation_tools.loops import (
    Seam,
    close_loop,
    note_seams,
    refresh_seams,
    seam_of,
)
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import LARA, actions, armature, curve, model_keys
from tests.scene.scenes import exported, import_scene

from .helpers import RUN, RUN_START, STAND, clip_of, degrees_between, matrices


def raise_hips(root: object, number: int, key: int, units: float) -> None:
    """Move Lara's hips at a key along the first bone's axes, as a person does."""
    found = curve(actions(root)[number], "Hips", "location", 2)  # type: ignore[arg-type]
    found.keyframe_points[key].co.y += units / 512
    found.update()


@each_game
def test_the_step_at_the_end_is_measured_in_units(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    level = exported(root)[0]
    smooth = seam_of(clip_of(root, RUN))
    raise_hips(root, RUN, 20, 300)
    seam = seam_of(clip_of(root, RUN))
    assert not smooth.is_jump and 295 < seam.distance < 330 and seam.fastest > 250
    assert model_keys(level, LARA, RUN).offsets.shape == (21, 3)


def test_a_move_at_the_end_counts_for_the_seam(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    before = seam_of(clip_of(root, RUN_START)).distance
    actions(root)[RUN_START].tomb_raider.commands[0].position = 0, 32, 1000  # up
    assert abs(seam_of(clip_of(root, RUN_START)).distance - 1000) < before + 60


def test_a_seam_stands_out_from_the_steps_inside() -> None:
    assert Seam(64.0, 31.0).is_jump and not Seam(64.0, 33.0).is_jump
    assert not Seam(9.0, 0.0).is_jump and Seam(11.0, 0.0).is_jump


def test_the_list_knows_which_animations_jump(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    own = actions(root)
    actions(root)[RUN_START].tomb_raider.commands[0].position = 0, 32, 1000
    assert note_seams(own, armature(root)) >= 1
    assert own[RUN_START].tomb_raider.is_jump and own[RUN_START].tomb_raider.seam > 900
    assert own[RUN].tomb_raider.seam >= 0 and not own[RUN].tomb_raider.is_jump
    own[RUN_START].tomb_raider.commands[0].position = 0, 32, 0
    refresh_seams(own[:RUN], armature(root))
    assert own[RUN_START].tomb_raider.seam > 900
    refresh_seams([own[RUN_START]], armature(root))
    assert own[RUN_START].tomb_raider.seam < 900


@each_game
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_closed_loop_goes_on_to_its_first_pose(blender: ModuleType, game: Game, share: float) -> None:
    root = import_scene(sample_bytes(game))
    action = actions(root)[RUN]
    for key in range(21):  # the left arm drifts away
        for index, value in enumerate((0.0, 0.02, 0.01, 0.0)):
            found = curve(action, "Hand.L", "rotation_quaternion", index)
            found.keyframe_points[key].co.y += value * key
    raise_hips(root, RUN, 20, 40)
    raise_hips(root, RUN, 19, 38)
    old = exported(root)[0]
    before = matrices(old, RUN)
    inside = degrees_between(before[1:], before[:-1]).max(axis=0)
    gap = degrees_between(before[-1], before[0])
    assert gap[13] > 30
    assert close_loop(clip_of(root, RUN), 0, at_start=share)
    new, warnings = exported(root)
    assert warnings == []
    after = matrices(new, RUN)
    assert (degrees_between(after[-1], after[0]) < 1.5 * inside + 3).all()
    is_same = degrees_between(after[0], before[0])[13] < 0.2
    assert is_same == (share == 0.0)
    moved = degrees_between(after, before)[:, 13]
    assert moved[20 if share == 0 else 0] == pytest.approx(moved.max(), abs=2) or share == 0.5
    offsets = model_keys(new, LARA, RUN).offsets
    assert np.abs(offsets[-1].astype(int) - offsets[0]).max() < 20


def test_only_the_last_ticks_change_if_asked(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    raise_hips(root, RUN_START, 9, 80)
    old = exported(root)[0]
    assert close_loop(clip_of(root, RUN_START), 4)
    new = exported(root)[0]
    before, after = (model_keys(each, LARA, RUN_START) for each in (old, new))
    assert np.array_equal(before.angles[:6], after.angles[:6])
    assert np.array_equal(before.offsets[:6], after.offsets[:6])
    assert (before.offsets[9] != after.offsets[9]).any()


def test_a_loop_that_is_closed_changes_little(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    old = exported(root)[0]
    close_loop(clip_of(root, STAND), 0)
    assert degrees_between(matrices(exported(root)[0], STAND), matrices(old, STAND)).max() < 0.5
