"""Skins of models that come from another file: written to a WAD2, and reported in levels."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.wads.object_files import blank_files
from io_tomb_raider.formats.editors.wads.wad2.level import Wad2Level, wad2_to_level
from io_tomb_raider.formats.editors.wads.wad2.objects import Wad2Moveable
from io_tomb_raider.formats.editors.wads.wad2.skins import is_hidden, vertex_pairs, weights_of
from io_tomb_raider.formats.editors.wads.wad2.wad2 import TOMB_ENGINE, read_wad2
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.interop.exchange.skin_parts import split_skin
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.models.models import own_collection
from io_tomb_raider.scene.transfer.adoption.reconciling import reconcile
from io_tomb_raider.scene.transfer.append.appending import append
from io_tomb_raider.scene.transfer.append.from_file import replace_from_file
from io_tomb_raider.scene.transfer.append.replace import ALL, models_of, replace_model
from io_tomb_raider.scene.transfer.engine.choice import PieceSelection
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.wad2_samples import sample_wad2

from ...scenes import collection_of, export_scene, import_anew, objects
from ...subjects.skins.skin_files import skin_in, skins_in, written
from ..adoption.dragging import appended

_SLOT = 70  # of the sample's model with a skin
_REMEDY = "use Split Skin into Bone Meshes"


@pytest.fixture
def source(blender: ModuleType, tmp_path: Path) -> Path:
    path = tmp_path / "source.wad2"
    path.write_bytes(sample_wad2())
    return path


def empty_wad2(folder: Path) -> Collection:
    """Open an empty file for TombEngine."""
    path = folder / "empty.wad2"
    path.write_bytes(blank_files(".wad2", TOMB_ENGINE)[".wad2"])
    return import_level(path).root


def moveable_of(data: bytes, slot: int | None = None) -> tuple[Wad2Level, Wad2Moveable]:
    """Return a model of a file with a skin."""
    library = wad2_to_level(read_wad2(data))
    (found,) = [each for each in library.moveables if each.skin is not None]
    assert slot is None or found.id == slot
    return library, found


def same_skins(one: bytes, other: bytes) -> None:
    """Check that two files have the same skin: faces, exact vertices, weights, and what it hides."""
    (_, before), (_, after) = moveable_of(one), moveable_of(other)
    assert before.skin is not None and after.skin is not None
    assert np.array_equal(before.skin.vertices, after.skin.vertices)
    faces = [
        sorted(sorted(set(row)) for row in each.skin.polygons["vertices"].tolist())
        for each in (before, after)
        if each.skin is not None
    ]
    assert faces[0] == faces[1]
    weights = [
        weights_of(vertex_pairs(each.skin), len(each.bones))
        for each in (before, after)
        if each.skin is not None
    ]
    first, second = (each / each.sum(axis=1, keepdims=True) for each in weights)
    assert np.allclose(first, second, atol=1e-6)
    hidden = [[is_hidden(mesh) for mesh in each.meshes] for each in (before, after)]
    assert hidden[0] == hidden[1] and any(hidden[0])


def model_with_skin(path: Path) -> int:
    return moveable_of(path.read_bytes())[1].id


def test_an_appended_model_keeps_its_skin(source: Path, tmp_path: Path) -> None:
    root = empty_wad2(tmp_path)
    number = model_with_skin(source)
    result = append(root, source, PieceSelection(models=str(number)))
    assert not [each for each in result.report.warnings if each.startswith("Skins")]
    skin = skin_in(root)
    assert skin.parent == models_of(root)[number] and [each.object for each in skin.modifiers] == [
        skin.parent
    ]
    assert not objects(root, "STATIC_MESH"), "it came as one"
    data, warnings = written(root, tmp_path)
    same_skins(source.read_bytes(), data)
    assert not any("Skin" in each for each in warnings)


def test_a_model_of_a_blend_keeps_its_skin(source: Path, tmp_path: Path) -> None:
    """By *Append from Level*, and by Blender's own *Append* of its collection."""
    number = model_with_skin(source)
    other = import_level(source).root
    name = own_collection(models_of(other)[number]).name
    blend = tmp_path / "source.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend), copy=True)
    for is_own in (False, True):
        start_empty()
        root = empty_wad2(tmp_path)
        if is_own:
            collection_of(root, "MODELS").children.link(appended(blend, "collections", name))
            reconcile(root)
        else:
            append(root, blend, PieceSelection(models=str(number)))
        same_skins(source.read_bytes(), written(root, tmp_path)[0])


def test_a_replaced_model_gets_the_skin_of_the_new_one(source: Path, tmp_path: Path) -> None:
    number = model_with_skin(source)
    root = import_level(source).root
    replace_from_file(root, models_of(root)[number], source, str(number), ALL)
    same_skins(source.read_bytes(), written(root, tmp_path)[0])
    other = import_level(source).root
    model = models_of(root)[number]
    replace_model(other, models_of(other)[number], model, ALL, Report())
    (skin,) = skins_in(other)
    assert skin != skin_in(root) and [each.object for each in skin.modifiers] == [models_of(other)[number]]
    same_skins(source.read_bytes(), written(other, tmp_path)[0])


@each_game
def test_a_level_reports_skins_and_split_ones_are_written(source: Path, game: Game) -> None:
    root: Any = import_anew(sample_bytes(game))
    number = model_with_skin(source)
    result = append(root, source, PieceSelection(models=str(number)), on_conflict="FREE_ID")
    (told,) = [each for each in result.report.warnings if each.startswith("Skins")]
    assert _REMEDY in told
    skin = skin_in(root)
    armature = skin.parent
    split_skin(root, skin)
    level = export_scene(root)
    row = level.models["id"].tolist().index(armature.tomb_raider.model.id)
    assert level.models["meshes"][row] == len(armature.data.bones)
    assert not skins_in(root)
