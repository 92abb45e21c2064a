"""A .blend with a level as a kit: edits are included, and nothing of the file remains."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.sample_levels import sample_bytes

from ..scenes import export_scene, meshes_of, objects


def _library(folder: Path, *games: Game) -> Path:
    """Save a .blend with a level of each game, each with the first vertex of a static mesh moved."""
    for game in games:
        root = import_level(sample_bytes(game), name=f"Level {game.name}").root
        mesh: Any = objects(root, "STATIC_MESH")[0].data
        mesh.vertices[0].co.z += 0.5  # 256 units
        root.name = f"Mine {game.name}"
    path = folder / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def _all() -> set[str]:
    return {f"{each.id_type} {each.name}" for each in bpy.data.user_map()}


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_level_of_a_blend_is_a_kit_with_its_edits(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    beside = tmp_path / "kit.phd"
    beside.write_bytes(sample_bytes(game))
    path = _library(tmp_path, game)
    context = new_level(None, "Home", path)
    assert context.report.warnings == [] and context.root.tomb_raider.game == game.name
    names = _all()
    assert not [each for each in names if "Mine" in each] and len(bpy.data.libraries) == 0
    made = export_scene(context.root)
    bpy.ops.wm.read_homefile(use_empty=True)
    plain = export_scene(new_level(game, "Home", beside).root)
    assert names == _all()  # the same as from a kit file
    # One vertex of all meshes differs.
    moved = [
        (place, (mine.vertices - theirs.vertices)[0].tolist())
        for place, (mine, theirs) in enumerate(zip(meshes_of(made), meshes_of(plain), strict=True))
        if not np.array_equal(mine.vertices, theirs.vertices)
    ]
    assert [shift for _, shift in moved] == [[0, -256, 0]]
    for name in ("models", "animations", "frames", "sprite_sequences", "sound_details"):
        assert np.array_equal(getattr(made, name), getattr(plain, name)), name


def test_one_of_several_levels_is_chosen_by_name(blender: ModuleType, tmp_path: Path) -> None:
    path = _library(tmp_path, Game.TR2, Game.TR1)
    before = _all()
    with pytest.raises(ExportError, match="no level named Theirs; it has Mine TR1, Mine TR2"):
        new_level(None, "Home", path, kit_level="Theirs")
    broken = tmp_path / "broken.blend"
    broken.write_bytes(b"BLENDER?")
    with pytest.raises(ExportError, match="Blender cannot read it"):
        new_level(Game.TR2, "Home", broken)
    assert _all() == before
    named = new_level(Game.TR2, "Home", path, kit_level="Mine TR2")
    assert named.report.warnings == [] and named.root.tomb_raider.game == "TR2"
    first = new_level(None, "Other", path)
    assert first.root.tomb_raider.game == "TR1"
    assert first.report.warnings == [
        "library.blend: it has several levels, and Mine TR1 is the kit; the others are Mine TR2"
    ]


def shape_of(level: Level, number: int) -> Any:
    """Return the vertices of a static mesh of a level."""
    (record,) = level.static_meshes[level.static_meshes["id"] == number]
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return block.meshes[block.pointers[int(record["mesh"])]].vertices.astype(int)


def test_pieces_of_a_blend_are_appended_with_its_edits(blender: ModuleType, tmp_path: Path) -> None:
    path = _library(tmp_path, Game.TR3)
    root = import_level(sample_bytes(Game.TR3), name="Level").root
    before = _all()
    static = objects(root, "STATIC_MESH")[0]
    number = str(static.tomb_raider.static_mesh.id)
    plain = export_scene(root)
    with pytest.raises(ExportError, match="nothing was chosen"):
        append(root, path, PieceSelection())
    assert _all() == before
    got = append(root, path, PieceSelection(static_meshes=number), on_conflict="REPLACE")
    assert got.report.warnings == [] and got.pieces["static"] == 1
    points = [shape_of(level, int(number)) for level in (plain, export_scene(root))]
    assert (points[1] - points[0])[0].tolist() == [0, -256, 0]
    assert np.array_equal(points[0][1:], points[1][1:])
    assert [each.name for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"] == [root.name]
