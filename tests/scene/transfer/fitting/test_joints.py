"""Joints that move to where the meshes of a skin meet: what is exported then."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.authoring.control_rig import choice
from io_tomb_raider.scene.authoring.control_rig.build import add_rig
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.transfer.append.replace import MESHES, models_of, replace_model
from io_tomb_raider.scene.transfer.fitting.animations import fit_animations
from io_tomb_raider.scene.transfer.fitting.joints import Joints, fit_joints
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.scene.exporting import export_level

from ...rig_tools import with_joints
from ...scenes import export_scene, import_anew, import_scene
from .stretching import at_rest, joints, lara_of, split_meshes, stretch

HIPS = 20  # units from the first joint down to those of the thighs, in samples
LENGTH = 180  # of thighs and calves
NEAR = 6  # units: rings that are stretched along the leg are not wider


@each_game
def test_joints_follow_longer_legs_and_vertices_stay_at_rest(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    lara, pistols = lara_of(root), models_of(root)[model_id(game, "pistols")]
    stretch(lara, 1.25)
    before = export_scene(root)
    result = fit_joints(root, lara, Joints.MEETING)
    assert result.models == [lara, pistols] and result.count == 4
    assert result.farthest == pytest.approx(2 * LENGTH * 0.25, abs=NEAR)
    after = export_scene(root)
    for model in (0, model_id(game, "pistols")):
        for one, other in zip(at_rest(before, model), at_rest(after, model), strict=True):
            assert np.array_equal(one, other)
        now = joints(after, model)
        for side in (1, 4):
            assert np.abs(now[side : side + 3, 1] - [HIPS, HIPS + 225, HIPS + 450]).max() <= NEAR
        rest = [each for each in range(15) if each not in (2, 3, 5, 6)]
        assert np.array_equal(now[rest], joints(before, model)[rest])
    assert fit_joints(root, lara, Joints.MEETING).count == 0  # they are where meshes meet


@each_game
def test_an_untouched_model_keeps_its_joints_and_its_file(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    result = fit_joints(root, lara_of(root))
    made = fit_animations(root, result.models, Report())
    assert (result.count, result.farthest, made.actions) == (0, 0.0, [])
    assert export_level(root)[0].to_bytes() == data


def test_skins_with_joints_of_their_own_move_together(blender: ModuleType) -> None:
    """In TR4, Lara, her skin and her joints are three models."""
    root = import_scene(with_joints())
    models = models_of(root)
    stretch(models[8], 1.25)  # all three have the same meshes here
    result = fit_joints(root, models[0], Joints.MEETING)
    assert {each.tomb_raider.model.id for each in result.models} == {0, 2, 8, 9}
    level = export_scene(root)
    for model in (0, 2, 8, 9):
        assert abs(joints(level, model)[3, 1] - (HIPS + 450)) <= NEAR
    joint = next(
        each
        for each in root.all_objects
        if each.tomb_raider.kind == "FIGURE" and "Calf.L" in each.name and each.modifiers.get("Welds")
    )
    # The joint of the knee is drawn where it hangs now.
    head = models[8].data.bones["Calf.L"].head_local
    assert np.abs(np.array(joint.location) - np.array(models[8].location + head)).max() < 1e-5


def test_a_mesh_of_several_bones_is_copied_where_it_moves_in_several_ways(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara = lara_of(root)
    parts = {part.parent_bone: part for part in lara.children}
    parts["Calf.R"].data = parts["Thigh.R"].data
    stretch(lara, 1.5, ("Calf", "Foot"))
    before = export_scene(root)
    fit_joints(root, lara, Joints.MEETING)
    after = export_scene(root)
    for one, other in zip(at_rest(before, 0), at_rest(after, 0), strict=True):
        assert np.array_equal(one, other)


def test_joints_of_another_model_and_of_an_outfit(blender: ModuleType) -> None:
    """An outfit of another level: its meshes are made for joints that are known."""
    root, other = import_anew(sample_bytes(Game.TR1)), import_anew(sample_bytes(Game.TR1))
    lara, longer = lara_of(root), lara_of(other)
    stretch(longer, 1.25)
    fit_joints(other, longer, Joints.MEETING)
    there = export_scene(other)
    shapes = at_rest(there, 0)
    replace_model(root, lara, longer, MESHES, Report())
    assert not np.array_equal(at_rest(export_scene(root), 0)[3], shapes[3])  # on joints of shorter legs
    assert fit_joints(root, lara).count == 4
    here = export_scene(root)
    assert np.array_equal(joints(here, 0), joints(there, 0))
    for one, two in zip(at_rest(here, 0), shapes, strict=True):
        assert np.array_equal(one, two)
    assert fit_joints(root, lara).count == 0
    short = import_anew(sample_bytes(Game.TR1))
    assert fit_joints(root, lara, Joints.MODEL, lara_of(short)).count == 4
    assert np.array_equal(joints(export_scene(root), 0), joints(export_scene(short), 0))


def test_other_bones_and_control_rigs_are_refused(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    lara, enemy = lara_of(root), models_of(root)[model_id(Game.TR1, "enemy")]
    with pytest.raises(ExportError, match="same bones"):
        fit_joints(root, lara, Joints.MODEL, enemy)
    stretch(lara, 1.25)
    add_rig([lara], *choice.recognized(lara))
    with pytest.raises(ExportError, match="control rig"):
        fit_joints(root, lara, Joints.MEETING)
    objects: list[Any] = list(root.all_objects)
    assert not any("tr_animated_joints" in each for each in objects)


@each_real_level
def test_longer_legs_of_real_outfits(blender: ModuleType, level_path: Path) -> None:
    """The joints of knees and ankles follow the legs, in the skin that the game draws."""
    root = import_anew(level_path.read_bytes())
    models = models_of(root)
    skip_without([each for each in models if each == 0])
    lara = models[0]
    skip_without(own_animations(lara))
    assert fit_joints(root, lara).count == 0
    before = {bone.name: bone.head_local.copy() for bone in lara.data.bones}
    for number in (315, 8, 9) if root.tomb_raider.game in ("TR3", "TR4", "TR5") else (0,):
        if number in models and models[number].data.bones.get("Calf.L"):
            split_meshes(models[number])
            stretch(models[number], 1.2)
    assert fit_joints(root, lara, Joints.MEETING).count >= 4
    for side in "LR":
        hip = before[f"Thigh.{side}"].z
        for limb in ("Calf", "Foot"):
            wanted = hip + (before[f"{limb}.{side}"].z - hip) * 1.2
            assert abs(lara.data.bones[f"{limb}.{side}"].head_local.z - wanted) * 512 < NEAR
