"""Tests of File > New > Tomb Raider Level, from the dialog and from scripts."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.ui.new_levels.operators import VIEW3D_PT_tomb_raider_start
from tests.games import each_game
from tests.scene.scenes import objects

from ..user_actions import export_file, levels, sample_file, state


@each_game
def test_a_level_is_started_and_exported(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    assert VIEW3D_PT_tomb_raider_start.poll(bpy.context)
    kit = sample_file(tmp_path, game)
    assert bpy.ops.tomb_raider.new_level(game=game.name, kit=str(kit), level_name="Home") == {"FINISHED"}
    (root,) = levels()
    assert (root.name, root.tomb_raider.game) == ("Home", game.name)
    told = capfd.readouterr().out
    assert "Home: 1 room, " in told and " models, " in told and ", 1 entity" in told
    (lara,) = objects(root, "ENTITY")
    assert bpy.context.object == lara and bpy.context.selected_objects == [lara]
    assert not VIEW3D_PT_tomb_raider_start.poll(bpy.context)
    level = read_level(export_file(tmp_path / "out"), name=kit.name)
    assert "changed 1 room, " in capfd.readouterr().out
    assert (level.game, len(level.rooms), len(level.entities)) == (game, 1, 1)


def test_the_file_browser_gives_kit_and_game(blender: ModuleType, tmp_path: Path) -> None:
    kit = sample_file(tmp_path, "tr4")
    assert bpy.ops.tomb_raider.new_level(from_kit=True, filepath=str(kit)) == {"FINISHED"}
    (root,) = levels()
    assert (root.name, root.tomb_raider.game, len(objects(root, "ENTITY"))) == ("New Level", "TR4", 1)


def test_some_of_a_kit(blender: ModuleType, tmp_path: Path) -> None:
    kit = sample_file(tmp_path, "tr1")
    with pytest.raises(RuntimeError, match=r"Dragon: the file has none with this name.*Lara \(0\)"):
        bpy.ops.tomb_raider.new_level(game="TR1", kit=str(kit), models="Door*, Dragon")
    options = {"models": "door *, 55", "static_meshes": "-", "sprites": "Small medipack"}
    assert bpy.ops.tomb_raider.new_level(game="TR1", kit=str(kit), **options) == {"FINISHED"}
    level = read_level(export_file(tmp_path / "out"))
    # Lara's own models are included, and so are menu models of pickups.
    assert level.models["id"].tolist() == [0, 1, 55, 57, 108]
    assert len(level.static_meshes) == 0 and level.sprite_sequences["id"].tolist() == [93]
    assert len(level.entities) == 1 and len(level.sound_details) > 0


def test_a_new_level_can_be_undone(blender: ModuleType) -> None:
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.tomb_raider.new_level("EXEC_DEFAULT", True, game="TR2") == {"FINISHED"}
    assert len(levels()) == 1
    bpy.ops.ed.undo()
    assert levels() == []


def test_a_missing_kit_is_refused(blender: ModuleType, tmp_path: Path) -> None:
    before = state()
    with pytest.raises(RuntimeError, match="No kit was chosen"):
        bpy.ops.tomb_raider.new_level(from_kit=True)
    with pytest.raises(RuntimeError, match="No level was started"):
        bpy.ops.tomb_raider.new_level(game="TR1", kit=str(tmp_path / "nowhere.phd"))
    assert state() == before
