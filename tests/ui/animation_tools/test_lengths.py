"""Lengths of copied animations: their keys set them, unless users set a frame range themselves."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.animations.animations import model_animations, ticks
from tests.scene.authoring.motion.recordings import Recording

from ..user_actions import export_file
from .posing import RUN, STAND, in_use, own, posing


def lengths(path: Path) -> list[int]:
    """Return the last ticks of Lara's animations in a file."""
    level = read_level(path)
    first, count = (int(each[0]) for each in model_animations(level.models, level.animations))
    return [int(last) for last in ticks(level.animations[first : first + count])]


def key_hips(rig: Any, frame: int) -> None:
    bone = rig.pose.bones[0]
    bone.location.z += 0.05
    bone.keyframe_insert("location", frame=frame)


def exported(folder: Path) -> list[int]:
    export_file(folder / "out.phd")
    return lengths(folder / "out.phd")


@pytest.mark.parametrize("number", [RUN, STAND])
@pytest.mark.parametrize("tool", ["duplicate_animation", "mirror_animation", "reverse_animation", "motion"])
def test_keys_after_the_end_of_a_copy_make_it_longer(
    blender: ModuleType, tmp_path: Path, number: int, tool: str
) -> None:
    _, rig = posing(tmp_path, number=number)
    before = exported(tmp_path)
    if tool == "motion":
        path = Recording().save(tmp_path / "walk.bvh")
        assert bpy.ops.tomb_raider.import_motion(filepath=str(path)) == {"FINISHED"}
    else:
        options = {} if tool.startswith("duplicate") else {"result": "COPY"}
        assert getattr(bpy.ops.tomb_raider, tool)(**options) == {"FINISHED"}
    made = in_use(rig)
    assert made not in own(rig)[: len(before)]
    end = round(made.frame_end)
    assert exported(tmp_path) == [*before, end]  # as it is
    key_hips(rig, end + 12)
    key_hips(rig, end + 30)
    assert exported(tmp_path) == [*before, end + 30]


def test_a_range_that_users_set_on_a_copy_stays_and_keys_outside_are_named(
    blender: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, rig = posing(tmp_path, number=RUN)
    before = exported(tmp_path)
    bpy.ops.tomb_raider.duplicate_animation()
    made = in_use(rig)
    made.frame_end = 9
    key_hips(rig, 40)
    capsys.readouterr()
    assert exported(tmp_path) == [*before, 9]
    printed = capsys.readouterr().out
    assert f"{made.name}: " in printed and "outside of its Manual Frame Range" in printed
    made.frame_end = 40
    assert exported(tmp_path) == [*before, 40]
    assert "Manual Frame Range" not in capsys.readouterr().out


def test_the_length_of_a_copy_follows_its_keys(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.scene.subjects.animations.changes.chains import length

    _, rig = posing(tmp_path, number=STAND)
    bpy.ops.tomb_raider.duplicate_animation()
    made = in_use(rig)
    last = length(made)
    key_hips(rig, last + 20)
    assert length(made) == last + 20
    bpy.ops.tomb_raider.duplicate_animation()
    assert length(in_use(rig)) == last + 20
    made.frame_end = last + 5
    assert length(made) == last + 5


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_keys_after_the_end_of_an_edited_original_make_it_longer(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    _, rig = posing(tmp_path, game, number=RUN)
    bpy.ops.tomb_raider.retime_animation(ticks=30)
    export_file(tmp_path / "out")
    assert lengths(tmp_path / "out")[RUN] == 29
    key_hips(rig, 45)
    export_file(tmp_path / "out")
    assert lengths(tmp_path / "out")[RUN] == 45
