"""Tests of Export Patch and Import Patch."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level, write_level
from io_tomb_raider.formats.edits.patches.patch import apply_patch, make_patch, read_patch
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import UNIT, objects

from ..user_actions import export_file, import_file, import_sample, levels, select


def _export(path: Path, **options: str) -> None:
    assert bpy.ops.export_scene.tomb_raider_patch(filepath=str(path), **options) == {"FINISHED"}


@each_game
def test_an_exported_patch_gives_the_exported_level(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    path = tmp_path / "edit.trpatch"
    _export(path)
    assert read_patch(path.read_bytes()).is_empty
    objects(root, "ENTITY")[1].location.x += 512 * UNIT
    _export(path, collection=root.name)
    patch = read_patch(path.read_bytes())
    assert apply_patch(sample_bytes(game), patch).data == export_file(tmp_path / f"out{_suffix(root)}")
    assert [each["in"] for each in patch.document["changes"]] == ["entities"]
    assert patch.base_name == root.tomb_raider.source and path.stat().st_size < 1100


def _suffix(root: bpy.types.Collection) -> str:
    return Path(root.tomb_raider.source).suffix


@each_game
def test_an_imported_patch_is_a_level_next_to_its_base(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    x = objects(root, "ENTITY")[1].location.x
    level = read_level(sample_bytes(game))
    level.entities = level.entities.copy()
    level.entities["x"][1] += 512
    patch = make_patch(sample_bytes(game), level.to_bytes())
    (tmp_path / "a.trpatch").write_bytes(patch.to_bytes())
    other = import_sample(tmp_path, Game.TR1 if game is not Game.TR1 else Game.TR2)  # active, not the base
    before = set(levels())
    assert bpy.ops.import_scene.tomb_raider_patch(filepath=str(tmp_path / "a.trpatch")) == {"FINISHED"}
    (made,) = set(levels()) - before
    assert {root, other} < set(levels()) and objects(root, "ENTITY")[1].location.x == x
    assert export_file(tmp_path / f"out{_suffix(root)}", collection=made.name) == level.to_bytes()
    assert made.tomb_raider.source == root.tomb_raider.source


def test_conflicts_prevent_importing_unless_left_out(blender: ModuleType, tmp_path: Path) -> None:
    base = read_level(sample_bytes(Game.TR2))
    edited, other = base.copy(), base.copy()
    for level, x in ((edited, 512), (other, 1024)):
        level.entities = level.entities.copy()
        level.entities["x"][1] = x
    edited.entities["angle"][2] = 77
    write_level(other, tmp_path / "other.tr2")
    import_file(tmp_path / "other.tr2")
    path = tmp_path / "a.trpatch"
    path.write_bytes(make_patch(base.to_bytes(), edited.to_bytes()).to_bytes())
    with pytest.raises(RuntimeError, match="entity 1: x: it is 1024 in this level, the patch expects"):
        bpy.ops.import_scene.tomb_raider_patch(filepath=str(path))
    assert len(levels()) == 1
    done = bpy.ops.import_scene.tomb_raider_patch(filepath=str(path), without_conflicts=True)
    assert done == {"FINISHED"} and len(levels()) == 2
    merged = read_level(export_file(tmp_path / "out.tr2", collection=levels()[1].name)).entities
    assert (merged["x"][1], merged["angle"][2]) == (1024, 77)


def test_edits_of_the_scene_are_mentioned(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_sample(tmp_path, Game.TR1)
    path = tmp_path / "a.trpatch"
    _export(path)
    select(objects(root, "ENTITY")[0])
    objects(root, "ENTITY")[0].location.x += 512 * UNIT
    assert bpy.ops.import_scene.tomb_raider_patch(filepath=str(path)) == {"FINISHED"}
    assert f"{root.name} has edits, which the patched level does not contain" in "".join(capfd.readouterr())


def test_patches_without_a_base_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "a.trpatch"
    with pytest.raises(RuntimeError, match="no level in this file"):
        bpy.ops.export_scene.tomb_raider_patch(filepath=str(path))
    assert bpy.ops.tomb_raider.new_level(game="TR2") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="this level comes from no file"):
        bpy.ops.export_scene.tomb_raider_patch(filepath=str(path))
    assert not path.exists()
    path.write_bytes(b"no patch")
    with pytest.raises(RuntimeError, match="this is no patch of a level"):
        bpy.ops.import_scene.tomb_raider_patch(filepath=str(path))
