"""Keys that are scaled with Blender's own tools: the export says what they leave as it is."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from bpy.types import Action

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.animation_tools.clip import read_clip
from io_tomb_raider.scene.authoring.animation_tools.retiming import retime
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import ENEMY, actions, armature, curves, turn_key
from ...scenes import exported, import_scene

RUN, WALK, STOP = 0, 1, 2


def scale_keys(action: Action, factor: float, *, snap: bool = True) -> None:
    """Scale all keys from frame 0 on, as S does in the dope sheet; the frame range follows."""
    for each in curves(action):
        points = np.empty((len(each.keyframe_points), 2), np.float32)
        each.keyframe_points.foreach_get("co", points.ravel())
        points[:, 0] = np.rint(points[:, 0] * factor) if snap else points[:, 0] * factor
        each.keyframe_points.foreach_set("co", points.ravel())
        each.update()
    action.frame_end = round(action.frame_end * factor)


def told(warnings: list[str]) -> list[str]:
    return [each for each in warnings if "Retime" in each]


@each_game
def test_scaled_keys_are_written_and_reported_once_per_animation(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    own = actions(root)
    scale_keys(own[RUN], 2)
    scale_keys(own[WALK], 1.5)
    scale_keys(own[STOP], 2)  # no state changes, but a speed
    level, warnings = exported(root)
    found = told(warnings)
    assert [each.split(":")[0] for each in found] == [own[number].name for number in (RUN, WALK, STOP)]
    assert "lasts 41 ticks instead of 21" in found[0]
    assert int(level.animations[RUN]["last_frame"]) - int(level.animations[RUN]["first_frame"]) == 40


def test_retimed_animations_are_not_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    for number in (RUN, WALK, STOP):
        retime(read_clip(actions(root)[number], armature(root)), 60)
    assert exported(root)[1] == []


@pytest.mark.parametrize("change", ["speed", "range", "pose", "end"])
def test_other_edits_of_the_length_are_not_reported(blender: ModuleType, change: str) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action = actions(root)[RUN]
    if change == "end":  # the last keys are cut
        action.frame_end = 12
    else:
        scale_keys(action, 2)
    if change == "speed":
        action.tomb_raider.speed = 23.5
    elif change == "range":
        action.tomb_raider.dispatches[0].high = 19
    elif change == "pose":
        turn_key(action, "Thigh.L", 3, (0.9, 0.3, 0.1, 0.1))
    assert told(exported(root)[1]) == []


def test_scaled_animations_without_ticks_are_not_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    action = actions(root, ENEMY + 1)[0]  # a switch
    scale_keys(action, 2)
    assert exported(root)[1] == []


def test_scaled_copies_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    copy: Any = actions(root)[RUN].copy()
    scale_keys(copy, 2)
    assert [each.split(":")[0] for each in told(exported(root)[1])] == [copy.name]
