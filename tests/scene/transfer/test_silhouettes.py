"""Silhouettes of Lara and of enemies in another game: at rest, in five animations, and with pistols drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.catalogue import names
from io_tomb_raider.catalogue.outfits import HEAD, JOINTS, SKINS
from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.arrays.typing import Bools
from io_tomb_raider.formats.base.games import LARA
from io_tomb_raider.scene.subjects.models.models import own_collection
from io_tomb_raider.scene.subjects.models.transfer import delete_models
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.append.from_file import OUTFIT, replace_from_file
from io_tomb_raider.scene.transfer.append.replace import models_of
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.empty_scene import start_empty
from tests.real_levels import each_real_level
from tests.sample_levels.models import model_id

from ..scenes import collection_of, export_scene, import_anew, import_scene
from .adoption.dragging import appended
from .append.judging import enemy_of
from .append.reading import model_meshes
from .lara_levels import PISTOLS, level_with_outfit, rifle_id
from .silhouettes import animations_of, outline, reach_of, uncovered, unlike

_MOST = 0.05  # of the pixels: without joints in the game, one of two limbs has them

each_pair = pytest.mark.parametrize(
    ("source", "game"), [(source, game) for source in Game for game in Game if source is not game]
)


def other_outlines(
    before: Level, one: int, after: Level, other: int, measure: Callable[[Bools, Bools], float] = unlike
) -> list[str]:
    """Return the poses in which two models look different; Lara's with weapons in her holsters and hands."""
    reach, found = reach_of(before, one), []
    for animation in (None, *animations_of(before, one)):
        for armed in (False, True) if one == LARA else (False,):
            views = (
                outline(level, model, animation, reach, PISTOLS, armed=armed)
                for level, model in ((before, one), (after, other))
            )
            share = measure(*views)
            if share > _MOST:
                found.append(f"model {one}, animation {animation}, armed {armed}: {share:.1%}")
    return found


def judge_conversion(before: Level, game: Game, enemy: int | None) -> list[str]:
    """Convert a level; return the poses in which Lara and an enemy look different."""
    root = import_scene(before.to_bytes())
    rig = None if enemy is None else models_of(root)[enemy]
    warnings = convert_level(root, game).report.warnings
    after = export_scene(root)
    number = next((number for number, each in models_of(root).items() if each == rig), None)
    found = other_outlines(before, LARA, after, LARA) if LARA in before.models["id"] else []
    if enemy is None:
        return found
    if number is None:
        assert any("left out" in each for each in warnings if names(before.game).model(enemy) in each)
        return found
    return found + other_outlines(before, enemy, after, number)


@each_pair
def test_converted(blender: ModuleType, source: Game, game: Game) -> None:
    assert judge_conversion(level_with_outfit(source), game, model_id(source, "enemy")) == []


@each_pair
def test_appended(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    """An enemy; and Lara with her pistols, if the game draws the model that moves."""
    there = level_with_outfit(source)
    path = tmp_path / "there.lev"
    path.write_bytes(there.to_bytes())
    root = import_scene(level_with_outfit(game).to_bytes())
    enemy = model_id(source, "enemy")
    got = append(root, path, PieceSelection(models=str(enemy)), on_conflict="FREE_ID")
    models = [(enemy, int(got.objects[0].tomb_raider.model.id))]
    if game not in SKINS:
        append(root, path, PieceSelection(models=f"{LARA},{PISTOLS}"), on_conflict="REPLACE")
        models.append((LARA, LARA))
    after = export_scene(root)
    assert [text for one, other in models for text in other_outlines(there, one, after, other)] == []


def _drag_model(other: Collection, root: Collection, number: int) -> None:
    """Drag a model into another level in place of the one with its id."""
    old = models_of(root).get(number)
    if old is not None:
        delete_models([old])
    model = own_collection(models_of(other)[number])
    collection_of(other, "MODELS").children.unlink(model)
    collection_of(root, "MODELS").children.link(model)


@each_pair
def test_dragged(blender: ModuleType, source: Game, game: Game) -> None:
    """Lara and her pistols are drawn as before, and what she is drawn with in her former level stays."""
    there = level_with_outfit(source)
    root = import_scene(level_with_outfit(game).to_bytes())
    other = import_anew(there.to_bytes())
    _drag_model(other, root, PISTOLS)
    if game not in SKINS:
        _drag_model(other, root, LARA)
    reconcile(root)
    after = export_scene(root)
    if game not in SKINS:
        assert other_outlines(there, LARA, after, LARA) == []
    else:
        thighs = [model_meshes(after, PISTOLS)[limb].vertices for limb in (1, 4)]
        assert all(np.ptp(each, axis=0).all() for each in thighs)
    assert not any(not mesh.users for mesh in bpy.data.meshes)
    if source in SKINS:
        kept = export_scene(other)
        for one, two in zip(
            model_meshes(there, SKINS[source]), model_meshes(kept, SKINS[source]), strict=True
        ):
            assert np.array_equal(one.vertices, two.vertices)


@pytest.mark.parametrize(("source", "game"), [(Game.TR4, Game.TR1), (Game.TR5, Game.TR2)])
def test_pasted_without_her_body(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    """Pistols of another file get the thighs of the level's Lara."""
    start_empty()
    home = own_collection(models_of(import_anew(level_with_outfit(source).to_bytes()))[PISTOLS]).name
    path = tmp_path / "other.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    start_empty()
    root = import_anew(level_with_outfit(game).to_bytes())
    delete_models([models_of(root)[PISTOLS]])
    collection_of(root, "MODELS").children.link(appended(path, "collections", home))
    reconcile(root)
    after = export_scene(root)
    for limb in (1, 4):
        thighs = [model_meshes(after, model)[limb].vertices for model in (LARA, PISTOLS)]
        assert np.array_equal(thighs[0], thighs[1])


def test_changes_to_laras_outfit_are_reported(blender: ModuleType) -> None:
    for source, game, told, untold in (
        (
            Game.TR4,
            Game.TR1,
            "Lara skin (model 8): left out: her body and weapons now have these meshes",
            "no counterpart",
        ),
        (Game.TR1, Game.TR4, "it is not visible on her back", "Lara skin"),
        (Game.TR2, Game.TR1, "it is not visible on her back", "Lara skin"),
        (Game.TR2, Game.TR3, "", "on her back"),
    ):
        root = import_anew(level_with_outfit(source).to_bytes())
        warnings = [each for each in convert_level(root, game).report.warnings if "animations" not in each]
        assert any(told in each for each in warnings)
        assert not [each for each in warnings if untold in each and ("Lara" in each or "otgun" in each)]


@each_pair
def test_in_another_outfit(blender: ModuleType, tmp_path: Path, source: Game, game: Game) -> None:
    there = level_with_outfit(source)
    path = tmp_path / "there.lev"
    path.write_bytes(there.to_bytes())
    root = import_scene(level_with_outfit(game).to_bytes())
    replace_from_file(root, None, path, "", OUTFIT)
    after = export_scene(root)
    # Joints and holsters that the other outfit does not have stay.
    measure = uncovered if game in JOINTS and source not in JOINTS else unlike
    assert other_outlines(there, LARA, after, LARA, measure) == []


def test_no_head_on_her_back(blender: ModuleType) -> None:
    """TR1 has the shotgun on her back as a torso, later games at the place of the head."""
    root = import_scene(level_with_outfit(Game.TR1).to_bytes())
    convert_level(root, Game.TR2)
    after = export_scene(root)
    on_back = model_meshes(after, rifle_id(Game.TR2))[HEAD].vertices
    assert len(on_back) and not np.ptp(on_back, axis=0).any()
    root = import_scene(level_with_outfit(Game.TR2).to_bytes())
    convert_level(root, Game.TR1)
    after = export_scene(root)
    torso, worn = (model_meshes(after, model)[7].vertices for model in (LARA, rifle_id(Game.TR1)))
    assert np.array_equal(torso, worn)


@pytest.mark.parametrize("step", [1, 2, 3, 4])
@each_real_level
def test_converted_real_levels(blender: ModuleType, level_path: Path, step: int) -> None:
    before = read_level(level_path.read_bytes())
    game = list(Game)[(before.game - 1 + step) % len(Game)]
    assert judge_conversion(before, game, enemy_of(before)) == []
