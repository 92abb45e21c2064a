"""Export Addon as users do it: a selected model, a pickup, or Lara's outfit."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.edits.injections import apply_injection
from io_tomb_raider.formats.levels.injections.trxj import read_trxj
from tests.sample_levels import sample_bytes
from tests.scene.scenes import objects
from tests.trxi_reader import read

from ..user_actions import FILE_NAMES, error_of, import_file, import_sample, select


def model(root: Any, number: int) -> Any:
    return next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == number)


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_the_selected_model_is_exported_under_its_name(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    lara = model(root, 0)
    lara.name = "Bacon Lara"
    select(lara)
    path = tmp_path / "mymod.bin"
    assert bpy.ops.export_scene.tomb_raider_addon(filepath=str(path), prefix="me") == {"FINISHED"}
    found = read(path.read_bytes())
    assert [each["name"] for each in found.blocks[40]] == ["me:bacon_lara"]
    assert found.tests == [(4, int(game))]


def test_an_entity_is_exported_as_its_model(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    select(objects(root, "ENTITY")[0])
    path = tmp_path / "a.bin"
    bpy.ops.export_scene.tomb_raider_addon(filepath=str(path), content="PICKUPS", any_game=True, prefix="")
    found = read(path.read_bytes())
    assert len(found.blocks[13]) == 1 and ":" not in found.blocks[40][0]["name"] and found.tests == []


def test_an_outfit_needs_no_selection_and_is_no_change_of_the_scene(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_sample(tmp_path, Game.TR2)
    select()
    before = len(bpy.data.texts), len(bpy.data.objects)
    path = tmp_path / "dress.bin"
    bpy.ops.export_scene.tomb_raider_addon(filepath=str(path), content="OUTFIT", number=30)
    assert read(path.read_bytes()).blocks[40][0]["name"] == "lara_skin_swap_30"
    assert (len(bpy.data.texts), len(bpy.data.objects)) == before
    assert root.name in bpy.data.collections


def test_without_models_nothing_is_written(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, Game.TR1)
    select()
    path = tmp_path / "none.bin"
    assert "select the models" in error_of(bpy.ops.export_scene.tomb_raider_addon, filepath=str(path))
    assert not path.exists()


def test_import_bakes_an_addon_into_a_level(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR1)
    select(model(root, 0))
    path = tmp_path / "mymod.bin"
    bpy.ops.export_scene.tomb_raider_addon(filepath=str(path))
    other = tmp_path / "other" / FILE_NAMES[Game.TR1]
    other.parent.mkdir()
    other.write_bytes(sample_bytes(Game.TR1))
    bpy.ops.wm.read_homefile(use_empty=True)
    import_file(other)
    assert bpy.ops.import_scene.tomb_raider_injection(filepath=str(path)) == {"FINISHED"}
    (level,) = [each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"]
    slots = {each.tomb_raider.model.id for each in objects(level, "MODEL")}
    baked = apply_injection(read_trxj(path.read_bytes()), read_level(sample_bytes(Game.TR1))).slots
    assert {*baked.values()} <= slots and len(baked) == 1
