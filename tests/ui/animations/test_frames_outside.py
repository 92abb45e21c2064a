"""State changes and next frames outside of animations are named by exports and Check Level."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from tests.games import each_game
from tests.scene.rig_tools import actions

from ..user_actions import export_file, import_file, import_sample, sample_file

RUN, WALK = 0, 1


def told(root: Any, folder: Path) -> list[str]:
    """Return what both Check Level and an export tell of frames."""
    bpy.ops.tomb_raider.check_level()
    export_file(folder / "out")
    told_by: dict[str, list[str]] = {"CHECK": [], "EXPORT": []}
    for each in root.tomb_raider.findings:
        if "which has frames" in each.text or "is possible at" in each.text:
            told_by[each.found_by].append(f"{each.subject}: {each.text}")
    assert told_by["CHECK"] == told_by["EXPORT"]
    return told_by["CHECK"]


def last_of(action: Any) -> int:
    return round(action.frame_end)


@each_game
def test_frames_outside_of_animations_are_reported(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    run, walk = actions(root)[RUN], actions(root)[WALK]
    assert told(root, tmp_path) == []
    row = run.tomb_raider.dispatches[0]
    before = row.low, row.high, row.frame
    row.low, row.high = 2, last_of(run)
    assert told(root, tmp_path) == []
    row.high += 1  # as many of the games' ranges
    assert told(root, tmp_path) == []
    row.high += 1
    (line,) = told(root, tmp_path)
    assert line.startswith(f"{run.name}: state {row.state} is possible at frames 2 to {row.high}")
    row.low, row.high, row.frame = *before[:2], 900
    (line,) = told(root, tmp_path)
    assert line.startswith(f"{run.name}: state {row.state} goes on at frame 900 of ")
    row.frame = before[2]
    walk.tomb_raider.next_action, walk.tomb_raider.next_frame = run.name, last_of(run) + 1
    (line,) = told(root, tmp_path)
    assert line.startswith(f"{walk.name}: it goes on at frame {last_of(run) + 1} of {run.name}, which has")


def test_a_shorter_animation_leaves_frames_of_others_outside(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    run, walk = actions(root)[RUN], actions(root)[WALK]
    walk.tomb_raider.next_action, walk.tomb_raider.next_frame = run.name, last_of(run)
    assert told(root, tmp_path) == []
    run.frame_end -= 1
    assert f"of {run.name}, which has frames 0 to {last_of(run)}" in "".join(told(root, tmp_path))


@pytest.mark.parametrize("is_edited", [False, True])
def test_frames_outside_of_animations_in_the_file_are_not_reported(
    blender: ModuleType, tmp_path: Path, is_edited: bool
) -> None:
    path = sample_file(tmp_path, Game.TR1)
    level = read_level(path)
    level.animation_dispatches = level.animation_dispatches.copy()
    level.animation_dispatches["high"] += 500
    level.animation_dispatches["next_frame"] += 500
    path.write_bytes(level.to_bytes())
    root = import_file(path)
    if is_edited:
        actions(root)[RUN].tomb_raider.speed += 1
    assert told(root, tmp_path) == []
