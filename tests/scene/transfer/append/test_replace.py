"""Replacement of a model, its meshes or its animations, and of Lara's outfit."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.catalogue.outfits import BODY, outfit
from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.append.from_file import OUTFIT, replace_from_file
from io_tomb_raider.scene.transfer.append.replace import ALL, ANIMATIONS, MESHES, models_of, replace_model
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from io_tomb_raider.scene.transfer.engine.contents import Piece
from io_tomb_raider.scene.transfer.engine.plan import REPLACE, Numbering, UsedIds
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id
from tests.scene.exporting import export_level

from ...scenes import export_scene, import_scene
from .judging import other_looks
from .reading import model_meshes, poses

KEYS = (0.0, 0.25, 0.5, 0.75, 1.0)
PAIRS = [(Game.TR1, Game.TR1), (Game.TR4, Game.TR1), (Game.TR1, Game.TR5), (Game.TR3, Game.TR2)]


def file_of(folder: Path, game: Game) -> Path:
    path = folder / f"{game.name}.lev"
    path.write_bytes(sample_bytes(game))
    return path


def turns(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rotations of meshes."""
    return found[..., :3]


def same_looks(there: Level, one: int, here: Level, other: int) -> None:
    """Check that the meshes of two models are the same, and show the same."""
    for before, after in zip(model_meshes(there, one), model_meshes(here, other), strict=True):
        assert np.array_equal(before.vertices, after.vertices)
    assert other_looks(there, one, here, other) == []


@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_replacing_meshes_keeps_skeleton_and_animations(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    """Use meshes of another game's dog for an enemy: skeleton and animations are unchanged."""
    data = sample_bytes(game)
    root = import_scene(data)
    ours, theirs = model_id(game, "enemy"), model_id(source, "enemy")
    got = replace_from_file(root, models_of(root)[ours], file_of(tmp_path, source), str(theirs), MESHES)
    assert got.report.warnings == []
    old, new, there = read_level(data), export_scene(root), read_level(sample_bytes(source))
    same_looks(there, theirs, new, ours)
    for animation in (0, 1, 2):
        assert np.array_equal(poses(old, ours, animation, KEYS), poses(new, ours, animation, KEYS))
    for name in ("animations", "frames", "mesh_trees", "models", "state_changes"):
        before, after = getattr(old, name), getattr(new, name)
        fields = [each for each in before.dtype.names or () if each != "first_mesh"]
        assert np.array_equal(before[fields], after[fields]) if fields else np.array_equal(before, after)
    assert len(models_of(root)) == len(old.models)


@pytest.mark.parametrize(("source", "game"), PAIRS)
def test_replacing_animations_keeps_meshes_and_skeleton(
    blender: ModuleType, tmp_path: Path, source: Game, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    ours, theirs = model_id(game, "enemy"), model_id(source, "enemy")
    armature = models_of(root)[ours]
    # The rest poses of the models differ.
    replace_from_file(root, armature, file_of(tmp_path, source), str(theirs), ANIMATIONS)
    old, new, there = read_level(data), export_scene(root), read_level(sample_bytes(source))
    assert models_of(root)[ours] == armature
    for animation in (0, 1, 2):
        before, after = poses(there, theirs, animation, KEYS), poses(new, ours, animation, KEYS)
        assert np.abs(turns(before) - turns(after)).max() < 0.008
        assert np.abs(before[:, 0, :, 3] - after[:, 0, :, 3]).max() <= 1
    assert np.array_equal(old.mesh_trees, new.mesh_trees)
    kept = zip(model_meshes(old, ours), model_meshes(new, ours), strict=True)
    assert all(one.raw == other.raw for one, other in kept)
    assert len(new.animations) == len(old.animations)
    found = {path[0] for path in differences(old, new)}
    assert found <= {"animations", "models"}


def test_animations_of_a_different_skeleton_keep_world_rotations(blender: ModuleType) -> None:
    """Use Lara's animations for an enemy of three bones, and back: rotations in the world are the same."""
    root = import_scene(sample_bytes(Game.TR4))
    models, report = models_of(root), Report()
    enemy, lara = models[model_id(Game.TR4, "enemy")], models[0]
    replace_model(root, enemy, lara, ANIMATIONS, report)
    old, new = read_level(sample_bytes(Game.TR4)), export_scene(root)
    number = model_id(Game.TR4, "enemy")
    before, after = poses(old, 0, 0, KEYS), poses(new, number, 0, KEYS)
    assert np.abs(turns(before)[:, 0] - turns(after)[:, 0]).max() < 0.008
    assert np.abs(before[:, 0, :, 3] - after[:, 0, :, 3]).max() <= 1
    assert any("has no bones for these" in text for text in report.warnings)


def test_new_animations_of_the_other_model_replace_none_of_the_first_ones(blender: ModuleType) -> None:
    """The game and other animations refer to those by number."""
    root = import_scene(sample_bytes(Game.TR1))
    models = models_of(root)
    enemy, lara = models[model_id(Game.TR1, "enemy")], models[0]
    first, count = own_animations(lara)[0], len(own_animations(enemy))
    new: Any = first.copy()
    new.name, new.tomb_raider.index = "A New One", -1
    replace_model(root, enemy, lara, ANIMATIONS, Report())
    replaced = [each.name for each in own_animations(enemy) if each.tomb_raider.index >= 0]
    assert len(replaced) == count
    assert replaced[0].startswith(first.name) and not any(each.startswith("A New") for each in replaced)


@each_game
def test_a_model_can_be_replaced_by_another_of_the_level(blender: ModuleType, game: Game) -> None:
    """The other model does not change."""
    data = sample_bytes(game)
    root = import_scene(data)
    models, door = models_of(root), model_id(game, "door")
    enemy = model_id(game, "enemy")
    replace_model(root, models[door], models[enemy], ALL, Report())
    old, (new, report) = read_level(data), export_level(root)
    new = read_level(new.to_bytes(), name=".trc" if game is Game.TR5 else "")
    assert not [text for text in report.warnings if "relative to the bone" in text]
    same_looks(old, enemy, new, door)
    same_looks(old, enemy, new, enemy)
    for number in (door, enemy):
        assert np.abs(poses(old, enemy, 0, KEYS) - poses(new, number, 0, KEYS)).max() < 1e-9
    assert sorted(new.models["id"].tolist()) == sorted(old.models["id"].tolist())
    assert {path[0] for path in differences(old, new)} <= {
        *("animations", "models", "meshes", "mesh_pointers", "static_meshes")
    }
    with pytest.raises(ExportError, match="cannot replace itself"):
        replace_model(root, models_of(root)[door], models_of(root)[door], ALL, Report())


def test_a_model_can_be_replaced_by_one_of_another_level(blender: ModuleType) -> None:
    """Use a model of another level of the scene, whose export does not change."""
    data, other_data = sample_bytes(Game.TR3), sample_bytes(Game.TR1)
    root, other = import_scene(data), import_scene(other_data)
    door, enemy = model_id(Game.TR3, "door"), model_id(Game.TR1, "enemy")
    for part in (MESHES, ALL):
        replace_model(root, models_of(root)[door], models_of(other)[enemy], part, Report())
    new = export_scene(root)
    there = read_level(other_data)
    same_looks(there, enemy, new, door)
    assert np.abs(turns(poses(there, enemy, 1, KEYS)) - turns(poses(new, door, 1, KEYS))).max() < 0.008
    assert export_scene(other).to_bytes() == other_data


@pytest.mark.parametrize(
    ("source", "game"), [*((game, game) for game in Game), (Game.TR1, Game.TR4), (Game.TR5, Game.TR2)]
)
def test_lara_in_another_outfit(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    data = changed_lara(source)
    path = tmp_path / "other.lev"
    path.write_bytes(data)
    root = import_scene(sample_bytes(game))
    got = replace_from_file(root, None, path, "", OUTFIT)
    old, new, there = read_level(sample_bytes(game)), export_scene(root), read_level(data)
    ours, theirs = (outfit(each.game, set(each.models["id"].tolist())) for each in (old, there))
    both = [part for part in ours if part in theirs]
    assert BODY in both and len(got.objects) >= 15
    for part in both:
        same_looks(there, theirs[part], new, ours[part])
    for name in ("animations", "frames", "mesh_trees"):
        assert np.array_equal(getattr(old, name), getattr(new, name))
    shown = {each.data for each in bpy.data.objects if each.tomb_raider.kind == "FIGURE"}
    parts = {each.data for each in bpy.data.objects if each.tomb_raider.kind == "MODEL_MESH"}
    assert shown <= parts  # drawn meshes are those of the outfit


def changed_lara(game: Game) -> bytes:
    """Return a sample level with other meshes of Lara."""
    root: Collection = import_scene(sample_bytes(game))
    level = read_level(sample_bytes(game))
    for number in outfit(game, set(level.models["id"].tolist())).values():
        for part in models_of(root)[number].children:
            mesh: Any = part.data
            if len(mesh.vertices):
                mesh.vertices[0].co.z += 0.125
    data = export_scene(root).to_bytes()
    bpy.ops.wm.read_homefile(use_empty=True)
    return data


def test_names_that_match_several_or_no_models_are_refused(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    path, old = file_of(tmp_path, Game.TR2), models_of(root)[0]
    with pytest.raises(ExportError, match="one model is needed, but 2 match"):
        replace_from_file(root, old, path, "Lara*", ALL)
    with pytest.raises(ExportError, match="none with this name"):
        replace_from_file(root, old, path, "Unicorn", ALL)
    assert export_scene(root).to_bytes() == data


def test_two_models_of_one_number_in_this_game_do_not_replace_each_other() -> None:
    number, report = model_id(Game.TR1, "enemy"), Report()
    used = UsedIds({number}, set(), set(), set())
    numbering = Numbering(Game.TR1, Game.TR1, used, REPLACE, 256, report)
    one, other = (numbering.plan(Piece("model", number, name), is_asked=True) for name in ("one", "other"))
    assert one is not None and other is not None
    assert one[1:] == (number, True)
    assert other.number not in (number, -1) and not other[2]
    assert any("its number" in str(text) for text in report.warnings)


def test_a_model_with_several_root_bones_is_joined_and_exported(blender: ModuleType, tmp_path: Path) -> None:
    source = read_level(sample_bytes(Game.TR4))
    enemy = model_id(Game.TR4, "enemy")
    (row,) = np.flatnonzero(source.models["id"] == enemy)
    trees = source.mesh_trees.copy()
    trees[int(source.models["mesh_tree"][row])] = 3  # a pop from an empty stack
    source.mesh_trees = trees
    path = tmp_path / "source.tr4"
    path.write_bytes(source.to_bytes())
    root = import_scene(sample_bytes(Game.TR1))
    got = append(root, path, PieceSelection(models=str(enemy)), on_conflict="FREE_ID")
    assert any("parented to the first bone" in text for text in map(str, got.report.warnings))
    assert len(export_scene(root).models) == len(read_level(sample_bytes(Game.TR1)).models) + 1
