"""Animations of Lara fitted to other joints: where her feet are, and what is exported."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.animations import matrices_from_quaternions
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.scene.authoring.control_rig import choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.subjects.animations.keys.boxes import known_boxes
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses, write_key_poses
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.transfer.append.replace import ANIMATIONS, models_of, replace_model
from io_tomb_raider.scene.transfer.fitting.animations import FittedAnimations, fit_animations
from io_tomb_raider.scene.transfer.fitting.joints import Joints, fit_joints
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import export_scene, import_anew, import_scene
from .stretching import FEET, UNITS, lara_of, stretch, tracks

FACTORS = (0.9, 1.25)
SOLE = 50  # units from the ankles of samples down to the soles
RUN, WALK, STAND = 0, 1, 11


def fitted(lara: Any, root: Any, *, contact: bool) -> FittedAnimations:
    models = fit_joints(root, lara, Joints.MEETING).models
    return fit_animations(root, models, Report(), contact=contact)


def contact_errors(
    before: NDArray[np.float64], after: NDArray[np.float64], size: float, depth: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how high feet are above or below where they belong, and how far aside, in units.

    Soles are as high as before in proportion to the legs, and places on the floor are the same.

    Args:
        size: of the legs.
        depth: how far soles are below the ankles now.
    """
    old, new = before[:, FEET], after[:, FEET]
    return (new[..., 2] - depth) - size * (old[..., 2] - SOLE), np.linalg.norm(
        new[..., :2] - old[..., :2], axis=-1
    )


def is_low(track: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return when each foot is near its lowest place, (n, 2)."""
    heights = track[:, FEET, 2]
    return np.asarray(heights < heights.min() + 20)


def depth_of(lara: Any) -> float:
    """Return how far the lowest vertex of the left foot is below the ankle at rest, in units."""
    foot = next(each for each in lara.children if each.parent_bone == "Foot.L")
    return -min(vertex.co.z for vertex in foot.data.vertices) * UNITS


@pytest.mark.parametrize("factor", FACTORS)
@each_game
def test_feet_stay_where_they_were_on_the_floor(blender: ModuleType, game: Game, factor: float) -> None:
    root = import_scene(sample_bytes(game))
    lara = lara_of(root)
    actions = own_animations(lara)
    before = [tracks(each, lara) for each in actions]
    stretch(lara, factor)
    result = fitted(lara, root, contact=True)
    assert len(result.actions) >= 12 and result.legs == pytest.approx(factor, abs=0.02)
    for number in (WALK, STAND):  # in the run of samples, feet are in the air
        heights, aside = contact_errors(
            before[number], tracks(actions[number], lara), result.legs, depth_of(lara)
        )
        low = is_low(before[number])
        # Between keys, games pose limbs along arcs.
        assert np.abs(heights[low]).max() < 3 and aside[low].max() < 3


@pytest.mark.parametrize("factor", FACTORS)
def test_without_contact_limbs_keep_their_rotations(blender: ModuleType, factor: float) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara = lara_of(root)
    before = export_scene(root)
    rest = RestPose.of(lara)
    action = own_animations(lara)[RUN]
    old = tracks(action, lara, rest)
    stretch(lara, factor)
    result = fitted(lara, root, contact=False)
    after = export_scene(root)
    one, two = (
        decode_frames(level.game, level.frames, level.animations, level.models).keys(RUN)
        for level in (before, after)
    )
    assert np.array_equal(one.angles, two.angles)
    assert np.array_equal(one.offsets[:, [0, 2]], two.offsets[:, [0, 2]])
    assert not np.array_equal(one.offsets[:, 1], two.offsets[:, 1])
    heights, _ = contact_errors(old, tracks(action, lara), result.legs, depth_of(lara))
    low = is_low(old)
    assert np.abs(heights[low]).max() < 6


def test_boxes_follow_the_outermost_joints(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara = lara_of(root)
    action = own_animations(lara)[STAND]
    old, before = known_boxes(action), tracks(action, lara)
    stretch(lara, 1.25)
    fitted(lara, root, contact=True)
    new, after = known_boxes(action), tracks(action, lara)
    assert old.keys() == new.keys()
    for frame, box in old.items():
        if frame >= len(before):
            continue  # after the end
        higher = after[frame, :, 2].max() - before[frame, :, 2].max()
        assert higher > 50
        assert new[frame][2] - box[2] == pytest.approx(-higher, abs=1)  # the top: y points down
        assert abs(new[frame][3] - box[3]) <= 2  # soles stay on the floor


def test_a_climb_ends_on_the_upper_floor(blender: ModuleType) -> None:
    """Heights above the floor have the size of the legs, the way up is that of the game."""
    root = import_scene(sample_bytes(Game.TR1))
    lara = lara_of(root)
    action: Any = own_animations(lara)[STAND]
    _raise(action, lara, 700 / UNITS)
    row = action.tomb_raider.commands.add()
    row.command, row.position = "POSITION", (0, 0, 700)
    before = tracks(action, lara)
    stretch(lara, 1.25)
    result = fitted(lara, root, contact=True)
    after = tracks(action, lara)
    for tick, floor in ((0, 0), (-1, 700)):
        wanted = floor + depth_of(lara) + result.legs * (before[tick, FEET, 2] - floor - SOLE)
        assert after[tick, FEET, 2] == pytest.approx(wanted, abs=4)  # she breathes


@pytest.mark.parametrize("factor", FACTORS)
def test_legs_in_the_air_are_bent_as_before(blender: ModuleType, factor: float) -> None:
    """Feet that touch no floor are as far from the hips as before, in proportion, as of swimmers."""
    root = import_scene(sample_bytes(Game.TR1))
    lara = lara_of(root)
    action: Any = own_animations(lara)[STAND]
    _raise(action, lara, 700 / UNITS)
    before = tracks(action, lara)
    stretch(lara, factor)
    result = fitted(lara, root, contact=True)
    after = tracks(action, lara)
    for thigh, calf, foot in ((1, 2, 3), (4, 5, 6)):
        for start, end in ((thigh, calf), (calf, foot)):
            one, two = (each[-1, end] - each[-1, start] for each in (before, after))
            lengths = [np.linalg.norm(each) for each in (one, two)]
            assert np.abs(one / lengths[0] - two / lengths[1]).max() < 0.05  # no leg is quite straight
        assert after[-1, thigh, 2] == pytest.approx(
            result.legs * (before[-1, thigh, 2] - SOLE) + depth_of(lara), abs=2
        )


def _raise(action: Any, model: Any, height: float) -> None:
    """Raise a model steadily in an animation, by a height in Blender units."""
    rest = RestPose.of(model)
    poses = read_key_poses(action, model, rest)
    up = np.zeros((len(poses.frames), 3))
    up[:, 2] = height * poses.frames / poses.frames[-1]
    axes = matrices_from_quaternions(rest.turns[0])
    write_key_poses(action, model, replace(poses, places=poses.places + up @ axes), rest)


def test_animations_fit_once_and_in_two_steps(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    lara = lara_of(root)
    stretch(lara, 1.25)
    fitted(lara, root, contact=True)
    once = export_scene(root).to_bytes()
    assert fit_animations(root, [lara], Report()).actions == []
    assert export_scene(root).to_bytes() == once
    other = import_anew(data)
    again = lara_of(other)
    stretch(again, 1.25)
    models = fit_joints(other, again, Joints.MEETING).models
    middle = export_scene(other).to_bytes()
    assert middle != once
    fit_animations(other, models, Report())
    assert export_scene(other).to_bytes() == once


def test_animations_of_another_model_fit_its_joints(blender: ModuleType) -> None:
    """Replaced animations were made for the joints of the other model."""
    root, other = import_anew(sample_bytes(Game.TR1)), import_anew(sample_bytes(Game.TR1))
    lara, longer = lara_of(root), lara_of(other)
    stretch(lara, 1.25)
    fitted(lara, root, contact=True)
    wanted = [tracks(each, lara) for each in own_animations(lara)]
    replace_model(root, lara, longer, ANIMATIONS, Report())
    result = fit_animations(root, [lara], Report())
    assert len(result.actions) == 12
    for action, track in zip(own_animations(lara), wanted, strict=True):
        assert np.abs(tracks(action, lara) - track).max() < 1


def test_rigs_are_refused_and_models_without_legs_stay(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara, enemy = lara_of(root), models_of(root)[model_id(Game.TR1, "enemy")]
    stretch(lara, 1.25)
    models = fit_joints(root, lara, Joints.MEETING).models
    add_rig([lara], *choice.recognized(lara))
    before = tracks(own_animations(lara)[RUN], lara)
    with pytest.raises(ExportError, match="control rig"):
        fit_animations(root, models, Report())
    assert np.array_equal(tracks(own_animations(lara)[RUN], lara), before)
    enemy["tr_animated_joints"] = [0.0] * 3 * len(enemy.data.bones)
    report = Report()
    assert fit_animations(root, [enemy], report).actions == []
    assert report.warnings == [f"{enemy.name}: its legs are unknown, so its animations stay as they are"]
