"""Tests that scenes of older versions are upgraded when they are opened, saved or exported."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.upgrades import versions as versioning
from io_tomb_raider.scene.upgrades.stored import storing
from tests.compare import differences
from tests.sample_levels import sample_level
from tests.scene.scenes import objects

from .user_actions import export_file, import_sample, levels

ALL = {"STATIC_MESHES", "PLACEMENTS", "LIGHTS", "SPRITES", "ENTITIES", "MODELS", "ANIMATIONS"}
OLD_SCENES = Path(__file__).parent.parent / "old_scenes"
# By version: the root collection, and the hash of the level that it was imported from. Blender 4.2 wrote
# these with the extension of that time.
OLD = {5: ("Old3.tr2", "6ef1e3a274236f0cf6d24b5f1c4cab29ea5fb32deef07958ad7cea6ddd891f7d")}
pytestmark = pytest.mark.everywhere
each_old_scene = pytest.mark.parametrize("version", OLD)


@contextmanager
def without_handlers() -> Iterator[None]:
    """Disable the extension's handlers temporarily."""
    names = [
        name for name in ("load_post", "save_pre", "blend_import_post") if hasattr(bpy.app.handlers, name)
    ]
    kept = {name: getattr(bpy.app.handlers, name)[:] for name in names}
    for name in names:
        getattr(bpy.app.handlers, name).clear()
    try:
        yield
    finally:
        for name, handlers in kept.items():
            getattr(bpy.app.handlers, name).extend(handlers)


def open_old(version: int) -> Any:
    """Open the scene of a version and return its level."""
    bpy.ops.wm.open_mainfile(filepath=str(OLD_SCENES / f"version_{version}.blend"))
    (root,) = levels()
    return root


def load_old_level(version: int, *, link: bool = False) -> Any:
    """Append or link the level of an old scene, and return it."""
    libraries: Any = bpy.data.libraries
    with libraries.load(str(OLD_SCENES / f"version_{version}.blend"), link=link) as (_, target):
        target.collections = [OLD[version][0]]
    root = bpy.data.collections[OLD[version][0]]
    bpy.context.scene.collection.children.link(root)
    bpy.context.view_layer.update()
    return root


def check_upgraded(root: Any, version: int, folder: Path) -> None:
    """Check that a level is current, exports unchanged, and that edits of converted values count."""

    def export() -> bytes:
        return export_file(folder / "out", collection=root.name)

    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported == ALL | {"ROOMS"}
    untouched = export()
    assert sha256(untouched).hexdigest() == OLD[version][1]
    before = read_level(untouched)
    entity = objects(root, "ENTITY")[0]
    entity.location.x += 1
    place = entity.tomb_raider.index
    assert differences(before, read_level(export())) == [("entities", place, "x")]
    bpy.data.objects.remove(objects(root, "ROOM")[-1])
    assert len(read_level(export()).rooms) == len(before.rooms) - 1
    action = next(each for each in bpy.data.actions if len(each.tomb_raider.dispatches))
    action.tomb_raider.dispatches.clear()
    changed = read_level(export())
    assert changed.animations["state_changes"].sum() < before.animations["state_changes"].sum()


# --- The steps -----------------------------------------------------------------------------------------


def test_every_version_has_its_step_and_its_scene() -> None:
    versions = range(versioning._OLDEST, versioning.DATA_VERSION)
    modules = [step.__module__.rpartition(".")[2] for step in versioning._STEPS]
    assert modules == [f"to_{version + 1}" for version in versions]
    assert list(OLD) == list(versions)
    assert sorted(path.name for path in OLD_SCENES.iterdir()) == [
        f"version_{number}.blend" for number in versions
    ]


def test_steps_use_nothing_that_changes_with_the_extension() -> None:
    folder = Path(versioning.__file__).parent
    allowed = {"bpy", "typing", "collections", "__future__", "..core.blender.compat", ".stored"}
    for path in (*folder.glob("to_*.py"), folder / "stored.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                used = {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom):
                source = "." * node.level + (node.module or "")
                joint = "" if source.endswith(".") else "."
                names = {f"{source}{joint}{each.name}" for each in node.names}
                own = node.level == 1 or not node.level
                used = {source if node.level == 1 else source.partition(".")[0]} if own else names
            else:
                continue
            assert used <= allowed, (path.name, used - allowed)


def test_step_6_makes_drawn_rooms_follow_their_sectors(blender: ModuleType) -> None:
    root = import_level(sample_level(Game.TR3).to_bytes()).root
    drawn, plain, other = objects(root, "ROOM")[:3]
    for room, follows in ((drawn, True), (plain, False)):  # as in version 5
        collision: Any = collision_of(room)
        collision.tomb_raider.collision.drawing.digest = "of the sectors"
        storing(collision)["collision"]["drawing"]["follows"] = follows
    root.tomb_raider.data_version = 5
    versioning.upgrade(root)
    settings = [each.tomb_raider.room.mesh_and_sectors for each in (drawn, plain, other)]
    assert settings == ["MESH", "INDEPENDENT", "INDEPENDENT"]
    drawn_from: Any = collision_of(drawn)
    assert "follows" not in storing(drawn_from)["collision"]["drawing"]
    assert drawn_from.tomb_raider.collision.drawing.digest == "of the sectors"


def test_steps_run_one_after_the_other_and_once(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path)
    done: list[int] = []

    def step(version: int) -> Callable[[Any], None]:
        return lambda _root: done.append(version)

    monkeypatch.setattr(versioning, "_STEPS", [step(version) for version in range(4)])
    oldest = versioning._OLDEST
    monkeypatch.setattr(versioning, "DATA_VERSION", oldest + 4)
    root.tomb_raider.data_version = oldest + 1
    versioning.upgrade_all()
    assert (done, root.tomb_raider.data_version) == ([1, 2, 3], oldest + 4)
    versioning.upgrade_all()
    assert done == [1, 2, 3]


# --- When scenes are upgraded --------------------------------------------------------------------------


def test_a_new_level_has_todays_version(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    assert root.tomb_raider.data_version == versioning.DATA_VERSION
    assert root.tomb_raider.imported >= ALL | {"ROOMS"}


@each_old_scene
def test_opening_an_old_scene_upgrades_it(blender: ModuleType, tmp_path: Path, version: int) -> None:
    check_upgraded(open_old(version), version, tmp_path)


def test_saving_upgrades_old_levels(blender: ModuleType, tmp_path: Path) -> None:
    with without_handlers():
        root = load_old_level(5)
    assert root.tomb_raider.data_version == 5
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "new.blend"))
    check_upgraded(root, 5, tmp_path)


@each_old_scene
def test_exporting_upgrades_old_levels(blender: ModuleType, tmp_path: Path, version: int) -> None:
    with without_handlers():
        root = load_old_level(version)
    assert root.tomb_raider.data_version == version
    assert sha256(export_file(tmp_path / "out")).hexdigest() == OLD[version][1]
    check_upgraded(root, version, tmp_path)


@pytest.mark.parametrize(
    ("version", "text"),
    [(99, "newer version"), *((old, "before the first release") for old in (-1, 0, 4))],
)
def test_levels_of_other_versions_and_of_other_files_are_left_alone(
    blender: ModuleType, tmp_path: Path, version: int, text: str
) -> None:
    linked = load_old_level(5, link=True)
    other = import_sample(tmp_path, "tr4")
    other.tomb_raider.data_version = version
    path = str(tmp_path / "new.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert (linked.tomb_raider.data_version, other.tomb_raider.data_version) == (5, version)
    bpy.ops.wm.open_mainfile(filepath=path)
    (other,) = (each for each in levels() if each.library is None)
    assert other.tomb_raider.data_version == version
    with pytest.raises(ExportError, match=text):
        versioning.upgrade(other)
