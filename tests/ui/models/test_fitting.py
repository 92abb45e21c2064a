"""The operator that fits joints to a skin and animations to joints: steps of users, reports, and undo."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.ui.models import panels
from io_tomb_raider.ui.models.fitting import TOMB_RAIDER_OT_fit_outfit as FitOutfit
from io_tomb_raider.ui.tool_menus import VIEW3D_MT_tomb_raider_models
from tests.games import each_game
from tests.scene.rig_tools import armature
from tests.scene.scenes import objects
from tests.scene.transfer.fitting.stretching import stretch

from ..recorder import draw, shown
from ..user_actions import export_file, import_sample, sample_file


def with_lara(folder: Path, game: Game = Game.TR1) -> tuple[Any, Any]:
    """Import a sample with Lara's entity active; return the level and her armature."""
    root = import_sample(folder, game)
    lara = next(each for each in objects(root, "ENTITY") if each.name.startswith("Lara"))
    bpy.context.view_layer.objects.active = lara
    return root, armature(root)


@each_game
def test_both_steps_are_one_and_are_reported(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    _, lara = with_lara(tmp_path, game)
    stretch(lara, 1.25)
    capfd.readouterr()
    assert bpy.ops.tomb_raider.fit_outfit() == {"FINISHED"}
    line = capfd.readouterr().out
    assert "4 joints moved by up to 9" in line and ", in 2 models; " in line
    assert "animations were fitted to legs 1.2" in line and "; feet are off by up to 0." in line
    once = export_file(tmp_path / "once.lev")
    assert bpy.ops.tomb_raider.fit_outfit() == {"CANCELLED"}
    assert "its joints did not move, so nothing was changed" in capfd.readouterr().out
    assert export_file(tmp_path / "again.lev") == once


def test_the_steps_one_by_one_give_the_same_level(blender: ModuleType, tmp_path: Path) -> None:
    files = []
    for steps in (("BOTH",), ("JOINTS", "ANIMATIONS")):
        bpy.ops.wm.read_homefile(use_empty=True)
        _, lara = with_lara(tmp_path)
        stretch(lara, 1.25)
        for fits in steps:
            assert bpy.ops.tomb_raider.fit_outfit(fits=fits) == {"FINISHED"}
        files.append(export_file(tmp_path / "fitted.phd"))
    assert files[0] == files[1]


def test_an_untouched_level_stays_as_it_is(blender: ModuleType, tmp_path: Path) -> None:
    with_lara(tmp_path)
    assert bpy.ops.tomb_raider.fit_outfit() == {"CANCELLED"}
    assert export_file(tmp_path / "out.phd") == sample_file(tmp_path).read_bytes()


def test_joints_of_a_model_are_chosen_by_name(blender: ModuleType, tmp_path: Path) -> None:
    root, lara = with_lara(tmp_path)
    before = lara.data.bones["Foot.L"].head_local.copy()
    stretch(lara, 1.25)
    bpy.ops.tomb_raider.fit_outfit(fits="JOINTS")
    entity = bpy.context.object
    other = import_sample(tmp_path, Game.TR2)
    bpy.context.view_layer.objects.active = entity
    assert bpy.ops.tomb_raider.fit_outfit(fits="JOINTS", joints="MODEL", model=armature(other).name) == {
        "FINISHED"
    }
    assert (lara.data.bones["Foot.L"].head_local - before).length < 1e-5
    with pytest.raises(RuntimeError, match="choose a model with the same bones"):
        bpy.ops.tomb_raider.fit_outfit(joints="MODEL", model=armature(root, 2).name)


def test_the_panel_and_the_menu_have_the_tools(blender: ModuleType, tmp_path: Path) -> None:
    with_lara(tmp_path)
    panel = shown(panels.OBJECT_PT_tomb_raider_replace, object=bpy.context.object, mode="OBJECT")
    assert "tomb_raider.fit_outfit" in [each[0] for each in panel.operators]
    menu = draw(VIEW3D_MT_tomb_raider_models)
    assert menu is not None
    assert {"Fit Joints to Skin", "Fit Animations to Joints"} <= set(menu.texts)
    assert FitOutfit.bl_label == "Fit Joints and Animations"
