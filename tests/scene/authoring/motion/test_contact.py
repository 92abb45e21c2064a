"""Contact of retargeted models: limbs that reach, and feet on the floor, with legs of other proportions."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.motion.bringing import RetargetOptions, retarget_action
from io_tomb_raider.scene.authoring.motion.feet import lengths, reach
from io_tomb_raider.scene.authoring.motion.paths import PathKind, PathSpeeds, Speeds
from io_tomb_raider.scene.authoring.motion.skeletons import Skeleton
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.subjects.models.models import move_bones
from tests.sample_levels import sample_bytes

from ...rig_tools import armature
from ...scenes import import_anew
from .reading import joints_of, on_way, soles_of

AHEAD = np.array([0.0, 1.0, 0.0])
PARTS = st.floats(-1.0, 1.0)
DIRECTIONS = st.tuples(PARTS, PARTS, PARTS).filter(lambda each: np.linalg.norm(each) > 0.1)
LENGTHS = st.floats(0.1, 2.0)


def limb_of(upper: float, lower: float) -> Skeleton:
    heads = np.array([[0.0, 0, 0], [0, 0, -upper], [0, 0, -upper - lower]])
    turns = np.tile(np.eye(3), (3, 1, 1))
    return Skeleton(["Thigh.L", "Calf.L", "Foot.L"], np.array([-1, 0, 1]), turns, heads, heads, is_model=True)


def turned_to(direction: tuple[float, float, float]) -> NDArray[np.float64]:
    """Return a rotation, (3, 3), whose -z axis points in a direction."""
    down = np.array(direction) / np.linalg.norm(direction)
    other = np.eye(3)[int(np.abs(down).argmin())]
    x = np.cross(other, down)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(-down, x), -down], axis=1)


@given(
    upper=LENGTHS, lower=LENGTHS, first=DIRECTIONS, second=DIRECTIONS, way=DIRECTIONS, share=st.floats(0, 1.3)
)
def test_limbs_reach_whatever_they_can(
    upper: float,
    lower: float,
    first: tuple[float, float, float],
    second: tuple[float, float, float],
    way: tuple[float, float, float],
    share: float,
) -> None:
    skeleton = limb_of(upper, lower)
    whole = np.stack([turned_to(first), turned_to(second), np.eye(3)])[None]
    heads = np.zeros((1, 3, 3))
    heads[0, 1] = whole[0, 0] @ (0, 0, -upper)
    heads[0, 2] = heads[0, 1] + whole[0, 1] @ (0, 0, -lower)
    aim = np.array([way]) / np.linalg.norm(way) * share * (upper + lower)
    before = whole.copy()
    reach(skeleton, whole, heads, [0, 1, 2], aim, AHEAD)
    # Bones are rotated, not stretched, and joints are where the bones end.
    assert np.abs(whole @ whole.swapaxes(-1, -2) - np.eye(3)).max() < 1e-6
    ends = [heads[0, 0] + whole[0, 0] @ (0, 0, -upper), heads[0, 1] + whole[0, 1] @ (0, 0, -lower)]
    assert np.abs(heads[0, 1:] - ends).max() < 1e-3  # half turns are not exact
    assert np.array_equal(whole[0, 2], before[0, 2])
    distance = np.linalg.norm(heads[0, 2] - aim[0])
    nearest = max(abs(upper - lower) - share * (upper + lower), (share - 1) * (upper + lower), 0.0)
    assert distance <= nearest + 1e-3 * (upper + lower)
    assert lengths(skeleton, [0, 1, 2]) == pytest.approx([upper, lower])


def with_other_legs(root: Any, thigh: float, calf: float) -> Any:
    """Return Lara of a level with thighs and calves of other lengths."""
    lara = armature(root)
    heads = {}
    for side in "LR":
        start, knee, foot = (
            np.array(lara.data.bones[f"{each}.{side}"].head_local) for each in ("Thigh", "Calf", "Foot")
        )
        heads[f"Calf.{side}"] = start + (knee - start) * thigh
        heads[f"Foot.{side}"] = heads[f"Calf.{side}"] + (foot - knee) * calf
    move_bones(lara, heads)
    return lara


@pytest.mark.parametrize(("thigh", "calf"), [(1.4, 1.0), (0.8, 1.1), (1.2, 1.2)])
@pytest.mark.parametrize("number", [1, 11])  # straight legs, as in the run of samples, do not reach
def test_feet_keep_their_heights_and_ways_in_proportion(
    blender: ModuleType, thigh: float, calf: float, number: int
) -> None:
    theirs, root = import_anew(sample_bytes(Game.TR1)), import_anew(sample_bytes(Game.TR4))
    source, target = armature(theirs), with_other_legs(root, thigh, calf)
    action = own_animations(source)[number]
    errors = {}
    for contact in (False, True):
        options = RetargetOptions(path=PathKind.AUTO, contact=contact, rate=1)
        made = retarget_action(source, action, target, options)
        assert made.report.warnings == []
        size = made.size
        assert size == pytest.approx((thigh + calf) / 2)
        one, two = joints_of(action, source), joints_of(made.action, target)
        foot = (on_way(action, one["Foot.L"]) * size, on_way(made.action, two["Foot.L"]))
        steps = np.linalg.norm(np.diff(foot[0] - foot[1], axis=0)[:, :2], axis=1)
        floor = np.abs(soles_of(made.action, target) - size * soles_of(action, source))
        errors[contact] = max(steps.max(), floor.max())
        if contact:
            for side in "LR":
                # Arms are the same.
                ways = [each[f"Hand.{side}"] - each[f"Upper Arm.{side}"] for each in (one, two)]
                assert np.abs(ways[0] - ways[1]).max() < 0.5
    assert errors[True] < 0.5
    assert thigh == calf or number == 11 or errors[False] > 4 * errors[True]


def test_speeds_of_a_model_are_kept_in_proportion(blender: ModuleType) -> None:
    theirs, root = import_anew(sample_bytes(Game.TR4)), import_anew(sample_bytes(Game.TR5))
    source, target = armature(theirs), with_other_legs(root, 1.5, 1.5)
    action: Any = own_animations(source)[0]
    settings = action.tomb_raider
    settings.acceleration, settings.lateral_speed = 0.5, 4.0
    made = retarget_action(source, action, target, RetargetOptions(path=PathKind.AUTO, contact=True))
    found = made.action.tomb_raider
    speeds = (found.speed, found.acceleration, found.lateral_speed)
    assert speeds == pytest.approx((settings.speed * 1.5, 0.75, 6.0), abs=1e-3)
    early = with_other_legs(import_anew(sample_bytes(Game.TR2)), 1.5, 1.5)
    made = retarget_action(source, action, early, RetargetOptions(path=PathKind.AUTO, contact=True, rate=1))
    assert made.action.tomb_raider.lateral_speed == 0  # the way is in the key frames
    hips = joints_of(made.action, early)["Hips"][:, 0]
    old = joints_of(action, source)["Hips"][:, 0]
    assert hips[-1] - hips[0] == pytest.approx(1.5 * (4 * (len(old) - 1) + old[-1] - old[0]), abs=2)


def test_ways_of_the_same_size_are_the_same() -> None:
    ways = PathSpeeds(Speeds(47.3, 0.1), Speeds(0.0, 0.0))
    assert ways.scaled(1.0) is ways
    assert ways.scaled(2.0).forward.speed == pytest.approx(94.6, abs=1e-4)


def test_models_without_known_legs_are_reported(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR1))
    lara, wolf = armature(root), armature(root, 2)
    names = {wolf.data.bones[0].name: "Hips"}
    made = retarget_action(lara, own_animations(lara)[0], wolf, RetargetOptions(contact=True, names=names))
    text = "its feet and hands keep no contact: both skeletons need two known legs"
    assert made.report.warnings == [f"{wolf.name}: {text}"]
    assert bpy.data.actions[made.action.name].tomb_raider.model == wolf
