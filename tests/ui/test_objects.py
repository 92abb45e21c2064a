"""Tests of WADs: imported like a level, and into a level."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from tests.sample_levels import sample_level
from tests.scene.scenes import objects
from tests.wad_samples import sample_swd, sample_wad

from .user_actions import export_file


def write_objects(folder: Path) -> Path:
    (folder / "Sample.WAD").write_bytes(sample_wad().to_bytes())
    (folder / "sample.swd").write_bytes(sample_swd().to_bytes())
    return folder / "Sample.WAD"


def root_of(name: str) -> bpy.types.Collection:
    return next(each for each in bpy.data.collections if each.name.startswith(name))


def test_objects_are_imported_as_a_level_of_tr4(blender: ModuleType, tmp_path: Path) -> None:
    path = write_objects(tmp_path)
    assert bpy.ops.import_scene.tomb_raider(filepath=str(path)) == {"FINISHED"}
    root = root_of("Sample.WAD")
    original = sample_level(Game.TR4)
    assert root.tomb_raider.game == "TR4"
    assert len(objects(root, "MODEL")) == len(original.models)
    assert len(objects(root, "STATIC_MESH")) == len(original.static_meshes)
    assert objects(root, "SPRITE_TEXTURE")
    armature = objects(root, "MODEL")[0]
    assert armature.visible_get()
    assert any(action.tomb_raider.model == armature for action in bpy.data.actions)
    level = read_level(export_file(tmp_path / "objects", collection=root.name))
    assert len(level.rooms) == 0
    assert len(level.models) == len(original.models)


def test_objects_without_sprites_can_be_imported(blender: ModuleType, tmp_path: Path) -> None:
    path = write_objects(tmp_path)
    (tmp_path / "sample.swd").unlink()
    assert bpy.ops.import_scene.tomb_raider(filepath=str(path)) == {"FINISHED"}
    assert not objects(root_of("Sample.WAD"), "SPRITE_TEXTURE")


def test_damaged_objects_are_reported_in_plain_words(blender: ModuleType, tmp_path: Path) -> None:
    path = write_objects(tmp_path)
    collections = len(bpy.data.collections)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RuntimeError, match=r"Sample\.WAD was not imported: the file ends too early"):
        bpy.ops.import_scene.tomb_raider(filepath=str(path))
    path.write_bytes(sample_wad().to_bytes())
    (tmp_path / "sample.swd").write_bytes(b"damaged")
    with pytest.raises(RuntimeError, match=r"Sample\.WAD was not imported: this is no file of the level"):
        bpy.ops.import_scene.tomb_raider(filepath=str(path))
    assert len(bpy.data.collections) == collections
