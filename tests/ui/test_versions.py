"""Scenes of older versions of the extension are upgraded when they are opened, saved or exported."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.upgrades import versions as versioning
from tests.compare import differences
from tests.sample_levels import sample_bytes

from .scenes import export_file, import_file, levels, sample_file, things

ALL = {"STATIC_MESHES", "PLACEMENTS", "LIGHTS", "SPRITES", "ENTITIES", "MODELS", "ANIMATIONS"}


def make_old(root: Any) -> None:
    """Turn a level's data into what version 0 stored: nothing about what was imported."""
    root.tomb_raider.data_version = 0
    root.tomb_raider.property_unset("imported")


def save_as_it_is(path: Path) -> None:
    """Save the scene as an older version of the extension would, which would upgrade nothing."""
    handlers = bpy.app.handlers.save_pre[:]
    bpy.app.handlers.save_pre.clear()
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
    finally:
        bpy.app.handlers.save_pre.extend(handlers)


def bring(level: str, blend: Path, *, link: bool) -> None:
    """Append or link a level of another .blend file."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(blend), link=link) as (_, target):
        target.collections = [level]


def check_upgraded(root: Any, tmp_path: Path) -> None:
    """See that edits of what version 0 did not mention are exported."""
    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported == ALL | {"ROOMS"}
    assert export_file(tmp_path / "out", collection=root.name) == sample_bytes(Game.TR4)
    things(root, "ENTITY")[0].location.x += 1
    assert export_file(tmp_path / "out", collection=root.name) != sample_bytes(Game.TR4)


def test_a_new_level_has_todays_version(blender: ModuleType, tmp_path: Path) -> None:
    root = import_file(sample_file(tmp_path, "tr4"))
    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported >= ALL | {"ROOMS"}


def test_every_version_has_its_step() -> None:
    assert sorted(versioning._STEPS) == list(range(versioning.DATA_VERSION))


def test_opening_an_old_scene_upgrades_it(blender: ModuleType, tmp_path: Path) -> None:
    make_old(import_file(sample_file(tmp_path, "tr4")))
    save_as_it_is(tmp_path / "old.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
    (root,) = levels()
    check_upgraded(root, tmp_path)


def test_saving_upgrades_what_opening_did_not_see(blender: ModuleType, tmp_path: Path) -> None:
    root = import_file(sample_file(tmp_path, "tr4"))
    make_old(root)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    check_upgraded(root, tmp_path)


def test_exporting_upgrades_what_was_appended(blender: ModuleType, tmp_path: Path) -> None:
    make_old(import_file(sample_file(tmp_path, "tr4")))
    save_as_it_is(tmp_path / "old.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bring("angkor1.tr4", tmp_path / "old.blend", link=False)
    (root,) = levels()
    bpy.context.scene.collection.children.link(root)
    bpy.context.view_layer.update()
    assert export_file(tmp_path / "out") == sample_bytes(Game.TR4)
    check_upgraded(root, tmp_path)


def test_steps_run_one_after_the_other_and_once(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_file(sample_file(tmp_path))
    done: list[int] = []
    steps = {version: lambda _root, version=version: done.append(version) for version in range(4)}
    monkeypatch.setattr(versioning, "_STEPS", steps)
    monkeypatch.setattr(versioning, "DATA_VERSION", 4)
    root.tomb_raider.data_version = 1
    versioning.upgrade_all()
    assert (done, root.tomb_raider.data_version) == ([1, 2, 3], 4)
    versioning.upgrade_all()
    assert done == [1, 2, 3]


def test_levels_of_the_future_and_of_other_files_are_left_alone(blender: ModuleType, tmp_path: Path) -> None:
    make_old(import_file(sample_file(tmp_path, "tr1")))
    save_as_it_is(tmp_path / "old.blend")
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    bring("LEVEL1.PHD", tmp_path / "old.blend", link=True)
    (linked,) = levels()
    future = import_file(sample_file(tmp_path, "tr4"))
    future.tomb_raider.data_version = 99
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    assert (linked.tomb_raider.data_version, future.tomb_raider.data_version) == (0, 99)
    with pytest.raises(ExportError, match="newer version"):
        versioning.upgrade(future)


# --- Scenes that older versions have made ----------------------------------------------------------

OLD_SCENES = Path(__file__).parent.parent / "old_scenes"
# The level that each was imported from.
ORIGINALS = {1: "6b5956b7f550a85cd1bc58d41dcc4f7068cdd350ee3acd1c9b6bd33f859ed68f"}


@pytest.mark.parametrize("version", ORIGINALS)
def test_scenes_of_older_versions_are_exported_as_they_were_and_edited(
    blender: ModuleType, tmp_path: Path, version: int
) -> None:
    bring("Old.phd", OLD_SCENES / f"version_{version}.blend", link=False)
    root = bpy.data.collections["Old.phd"]
    bpy.context.scene.collection.children.link(root)
    untouched = export_file(tmp_path / "out", collection=root.name)
    assert sha256(untouched).hexdigest() == ORIGINALS[version]
    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    before = read_level(untouched)
    entity = things(root, "ENTITY")[0]
    entity.location.x += 1
    place = entity.tomb_raider.index
    after = read_level(export_file(tmp_path / "out", collection=root.name))
    assert differences(before, after) == [("entities", place, "x")]
    room = things(root, "ROOM")[-1]
    bpy.data.objects.remove(room)
    fewer = read_level(export_file(tmp_path / "out", collection=root.name))
    assert len(fewer.rooms) == len(before.rooms) - 1
    action = next(each for each in bpy.data.actions if len(each.tomb_raider.dispatches))
    action.tomb_raider.dispatches.clear()
    changed = read_level(export_file(tmp_path / "out", collection=root.name))
    assert changed.animations["state_changes"].sum() < before.animations["state_changes"].sum()
