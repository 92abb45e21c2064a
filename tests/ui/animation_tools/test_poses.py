"""Poses of other animations of a model, applied as a user does."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.animation_tools import pose_at
from io_tomb_raider.scene.authoring.control_rig.parts import rig_limbs
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose

from ..control_rig.posing import FINISHED, posing, select
from ..user_actions import export_file

FRAME = 3


def between(one: Any, other: Any) -> Any:
    """Return the angles between the m bones of two poses, in degrees."""
    return np.degrees(2 * np.arccos(np.clip(np.abs((one * other).sum(axis=-1)), 0, 1)))[0]


@pytest.mark.parametrize("is_rigged", [False, True])
def test_a_pose_of_another_animation_is_keyed_at_the_frame(
    blender: ModuleType, tmp_path: Path, is_rigged: bool
) -> None:
    _, rig, own = posing(tmp_path)
    if is_rigged:
        bpy.ops.tomb_raider.add_control_rig()
    wanted = pose_at(own[1], rig, own[1].frame_range[0] + 2)
    before = pose_at(own[0], rig, FRAME + 2)
    bpy.context.scene.frame_set(FRAME)
    assert bpy.ops.tomb_raider.apply_pose(animation=own[1].name, tick=2) == FINISHED
    now = pose_at(own[0], rig, FRAME)
    assert between(now.turns, wanted.turns).max() < 0.1
    assert np.allclose(now.places, wanted.places, atol=1e-4)
    assert between(pose_at(own[0], rig, FRAME + 2).turns, before.turns).max() < 0.1
    assert len(export_file(tmp_path / "posed.phd")) > 1000


def test_selected_bones_alone_are_posed_and_half_way(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path)
    bpy.ops.tomb_raider.add_control_rig()
    rest = RestPose.of(rig)
    hand = next(limb for limb in rig_limbs(rig) if limb.name == "Hand.L")
    select(rig, hand.target)
    bpy.context.scene.frame_set(FRAME)
    before = pose_at(own[0], rig, FRAME)
    wanted = pose_at(own[1], rig, own[1].frame_range[0])
    assert bpy.ops.tomb_raider.apply_pose(animation=own[1].name, factor=0.5) == FINISHED
    now = pose_at(own[0], rig, FRAME)
    turned, whole = between(now.turns, before.turns), between(wanted.turns, before.turns)
    numbers = [rest.number(name) for name in hand.own]
    assert np.allclose(turned[numbers], whole[numbers] / 2, atol=0.2) and whole[numbers].max() > 3
    assert np.delete(turned, numbers).max() < 0.1


def test_a_mirrored_pose_has_left_and_right_swapped(blender: ModuleType, tmp_path: Path) -> None:
    _, rig, own = posing(tmp_path, Game.TR2)
    rest = RestPose.of(rig)
    bpy.context.scene.frame_set(FRAME)
    bpy.ops.tomb_raider.apply_pose(animation=own[1].name, tick=1, is_mirrored=True)
    now = pose_at(own[0], rig, FRAME)
    source = pose_at(own[1], rig, own[1].frame_range[0] + 1)
    _, heads = rest.pose(now.turns, now.places)
    _, other = rest.pose(source.turns, source.places)
    left, right = rest.number("Foot.L"), rest.number("Foot.R")
    assert np.abs(heads[0, left] - other[0, right] * (-1, 1, 1)).max() < 0.05
    assert np.abs(heads[0, left] - other[0, left]).max() > 0.05
