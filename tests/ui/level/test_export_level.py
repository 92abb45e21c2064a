"""Tests of the export operator for levels."""

from __future__ import annotations

import os
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.pipeline import exporter
from io_tomb_raider.ui.base.levels import chosen_level, file_name, with_suffix
from io_tomb_raider.ui.base.text.words import ToolError
from io_tomb_raider.ui.level.export_level import EXPORT_SCENE_OT_tomb_raider
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import UNIT, objects

from ..user_actions import (
    FILE_NAMES,
    add_cube,
    export_file,
    fails,
    import_file,
    import_sample,
    sample_file,
    state,
)


def export_fails(path: Path, **options: Any) -> str:
    """Export what must not be exported; return the report. No file may change by it."""
    folder = sorted(path.parent.iterdir()) if path.parent.is_dir() else []
    old = path.read_bytes() if path.is_file() else None
    text = fails(bpy.ops.export_scene.tomb_raider, filepath=str(path), **options)
    assert (path.read_bytes() if path.is_file() else None) == old
    assert (sorted(path.parent.iterdir()) if path.parent.is_dir() else []) == folder
    return text


def move_vertex(root: Collection) -> None:
    objects(root, "ROOM")[1].data.vertices[2].co.z += 8 * UNIT


# --- Choice of the level --------------------------------------------------------------------------


def test_the_active_objects_level_is_exported(blender: ModuleType, tmp_path: Path) -> None:
    roots = [import_sample(tmp_path, sample) for sample in ("tr1", "tr2", "tr4")]
    for root, game in zip(roots, (Game.TR1, Game.TR2, Game.TR4), strict=True):
        room = objects(root, "ROOM")[0]
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active = room
        room.select_set(True)
        assert export_file(tmp_path / "out") == sample_bytes(game)


def test_the_active_collections_level_is_exported(blender: ModuleType, tmp_path: Path) -> None:
    first, second = import_sample(tmp_path, "tr1"), import_sample(tmp_path, "tr5")
    assert export_file(tmp_path / "out") == sample_bytes(Game.TR5)  # the last one that was imported
    layer = bpy.context.view_layer
    bpy.ops.object.select_all(action="DESELECT")  # as does a click on a collection in the outliner
    for root, game in ((first, Game.TR1), (second, Game.TR5)):
        whole = layer.layer_collection.children[root.name]
        for part in (whole, whole.children[0]):
            layer.active_layer_collection = part
            assert export_file(tmp_path / "out") == sample_bytes(game)


def test_the_only_level_is_exported_regardless_of_the_active_object(
    blender: ModuleType, tmp_path: Path
) -> None:
    import_sample(tmp_path, "tr3")
    add_cube()
    layer = bpy.context.view_layer
    layer.active_layer_collection, layer.objects.active = layer.layer_collection, None
    assert export_file(tmp_path / "out") == sample_bytes(Game.TR3)


def test_several_possible_levels_are_listed(blender: ModuleType, tmp_path: Path) -> None:
    names = sorted(import_sample(tmp_path, sample).name for sample in ("tr1", "tr4"))
    layer = bpy.context.view_layer
    layer.active_layer_collection, layer.objects.active = layer.layer_collection, None
    assert f"choose a level: Levels: {names[0]}, {names[1]}" in export_fails(tmp_path / "out")


def test_an_export_without_a_level_is_refused(blender: ModuleType, tmp_path: Path) -> None:
    assert "there is no level in this file: import one first" in export_fails(tmp_path / "out")


def test_a_level_can_be_named_also_by_a_part_of_it(blender: ModuleType, tmp_path: Path) -> None:
    first = import_sample(tmp_path, "tr1")
    import_sample(tmp_path, "tr2")
    rooms = next(child for child in first.children if child.tomb_raider.kind == "ROOMS")
    for name in (first.name, rooms.name, rooms.children[0].name):
        assert export_file(tmp_path / "out", collection=name) == sample_bytes(Game.TR1)


def test_a_name_that_is_no_level_is_an_error(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    other = bpy.data.collections.new("Furniture")
    bpy.context.scene.collection.children.link(other)
    for name in ("Furniture", "Nothing"):
        assert f"{name}: no level has this name. Levels: {root.name}" in export_fails(
            tmp_path / "out", collection=name
        )


def test_a_deleted_level_is_not_chosen(blender: ModuleType, tmp_path: Path) -> None:
    gone, kept = import_sample(tmp_path, "tr1"), import_sample(tmp_path, "tr2")
    gone.use_fake_user = False
    bpy.context.scene.collection.children.unlink(gone)
    layer = bpy.context.view_layer
    layer.active_layer_collection, layer.objects.active = layer.layer_collection, None
    assert chosen_level(bpy.context) == kept


def test_levels_of_the_scene_come_before_those_of_other_scenes(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path, "tr1")
    other = bpy.data.scenes.new("Other")
    first = import_sample(tmp_path, "tr2")
    bpy.context.scene.collection.children.unlink(first)
    other.collection.children.link(first)
    layer = bpy.context.view_layer
    layer.active_layer_collection, layer.objects.active = layer.layer_collection, None
    assert export_file(tmp_path / "out") == sample_bytes(Game.TR1)
    assert export_file(tmp_path / "out", collection=first.name) == sample_bytes(Game.TR2)


# --- File name ------------------------------------------------------------------------------------


@each_game
def test_file_names_have_the_suffix_of_the_game(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    assert file_name(root) == FILE_NAMES[game]
    suffix = FILE_NAMES[game][-4:]
    assert with_suffix("/a.b/new", root) == f"/a.b/new{suffix}"
    assert with_suffix("new.PHD" if game is not Game.TR1 else "new.trc", root) == f"new{suffix}"
    assert with_suffix("my.level", root) == f"my.level{suffix}"
    for fitting in (suffix.upper(), suffix.lower()):
        assert with_suffix(f"new{fitting}", root) == f"new{fitting}"


@each_game
def test_a_suffix_of_another_game_is_refused(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    other = tmp_path / ("new.phd" if game is not Game.TR1 else "new.tr4")
    text = fails(bpy.ops.export_scene.tomb_raider, filepath=str(other))
    assert f"this is a {game.name} level. Use Convert to Another Game" in text and not other.exists()
    check: Any = EXPORT_SCENE_OT_tomb_raider.check
    browser = SimpleNamespace(filepath=str(other), collection=root.name, _shown=root.name)
    assert not check(browser, bpy.context) and browser.filepath == str(other)


def test_levels_with_the_suffix_tub_keep_it(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1", "EGYPT.TUB")
    assert file_name(root) == "EGYPT.TUB"
    assert with_suffix("new.phd", root) == "new.phd"
    assert with_suffix("new", root) == "new.TUB"


def test_a_level_that_came_without_a_suffix_gets_one(blender: ModuleType, tmp_path: Path) -> None:
    assert file_name(import_sample(tmp_path, "tr5", "unnamed")) == "unnamed.TRC"


class Browser:
    """Replaces an operator that waits in the file browser, which needs a window."""

    invoke: Any = EXPORT_SCENE_OT_tomb_raider.invoke
    check: Any = EXPORT_SCENE_OT_tomb_raider.check

    def __init__(self) -> None:
        self.collection = self.filepath = self._shown = ""
        self.reports: list[str] = []
        self.is_open = False

    def fileselect_add(self, operator: Any) -> None:
        self.is_open = operator is self

    def report(self, _kind: set[str], text: str) -> None:
        self.reports.append(text)

    def open(self) -> Any:
        real = bpy.context
        context: Any = SimpleNamespace(scene=real.scene, view_layer=real.view_layer, window_manager=self)
        return self.invoke(context, None)

    def changes(self, **values: Any) -> bool:
        for name, value in values.items():
            setattr(self, name, value)
        return bool(self.check(bpy.context))


def test_the_file_browser_opens_in_the_folder_of_the_blend_file_with_the_levels_name(
    blender: ModuleType, tmp_path: Path
) -> None:
    import_sample(tmp_path, "tr4")
    browser = Browser()
    assert browser.open() == {"RUNNING_MODAL"} and browser.is_open
    # Before the .blend file has a folder, it is that of the level.
    assert (browser.filepath, browser.collection) == (str(tmp_path / "angkor1.tr4"), "angkor1.tr4")
    folder = tmp_path / "scenes"
    folder.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    browser = Browser()
    browser.open()
    assert browser.filepath == str(folder / "angkor1.tr4")


def test_the_file_browser_shows_where_the_level_went_last(blender: ModuleType, tmp_path: Path) -> None:
    first, second = import_sample(tmp_path, "tr1"), import_sample(tmp_path, "tr2")
    export_file(tmp_path / "one.phd", collection=first.name)
    export_file(tmp_path / "two.tr2", collection=second.name)
    for root, name in ((first, "one.phd"), (second, "two.tr2")):
        layer = bpy.context.view_layer
        layer.active_layer_collection = layer.layer_collection.children[root.name]
        bpy.ops.object.select_all(action="DESELECT")  # as does a click in the outliner
        browser = Browser()
        browser.open()
        assert browser.filepath == str(tmp_path / name)


def test_another_level_in_the_file_browser_is_another_file(blender: ModuleType, tmp_path: Path) -> None:
    first, second = import_sample(tmp_path, "tr1"), import_sample(tmp_path, "tr5")
    browser = Browser()
    browser.open()
    assert browser.filepath == str(tmp_path / "Andrea1.trc")
    assert browser.changes(collection=first.name) and browser.filepath == str(tmp_path / "LEVEL1.PHD")
    assert browser.changes(filepath="/x/mine") and browser.filepath == "/x/mine.PHD"
    assert not browser.changes(collection=first.name)
    assert not browser.changes(collection="Nothing") and browser.filepath == "/x/mine.PHD"
    assert browser.changes(collection=second.name) and browser.filepath == str(tmp_path / "Andrea1.trc")
    assert not browser.changes(filepath="/x/")


def test_of_several_levels_the_user_chooses_in_the_file_browser(blender: ModuleType, tmp_path: Path) -> None:
    names = {import_sample(tmp_path, sample).name for sample in ("tr1", "tr2")}
    layer = bpy.context.view_layer
    layer.active_layer_collection, layer.objects.active = layer.layer_collection, None
    browser = Browser()
    assert browser.open() == {"RUNNING_MODAL"} and browser.collection in names


def test_without_a_level_the_file_browser_stays_closed(blender: ModuleType) -> None:
    browser = Browser()
    with pytest.raises(ToolError, match="import one first"):
        browser.open()
    assert not browser.is_open


# --- Content --------------------------------------------------------------------------------------


@each_game
def test_rebuilt_parts_are_reported(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_sample(tmp_path, game)
    export_file(tmp_path / "same")
    assert "same: same as the original" in capfd.readouterr().out
    move_vertex(root)
    export_file(tmp_path / "other")
    assert "other: changed 1 room\n" in capfd.readouterr().out


@each_game
def test_edits_in_edit_mode_count(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[1]
    bpy.context.view_layer.objects.active = room
    bpy.ops.object.mode_set(mode="EDIT")
    import bmesh  # importable only after bpy

    data: Any = room.data
    edited = bmesh.from_edit_mesh(data)
    edited.verts.ensure_lookup_table()
    edited.verts[2].co.z += 8 * UNIT
    bmesh.update_edit_mesh(data)
    exported = read_level(export_file(tmp_path / "out"))
    assert room.mode == "EDIT"
    assert differences(read_level(sample_bytes(game)), exported) == [("rooms", 1, "vertices", 2, "y")]


def test_edits_of_bones_in_edit_mode_count(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr2")
    library = next(child for child in root.children if child.tomb_raider.kind == "MODELS")
    bpy.context.view_layer.layer_collection.children[root.name].children[library.name].exclude = False
    rig = max(objects(root, "MODEL"), key=lambda obj: len(obj.data.bones))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = next(each for each in rig.data.edit_bones if each.parent and not each.children)
    bone.head.x += 16 * UNIT
    bone.tail.x += 16 * UNIT
    exported = read_level(export_file(tmp_path / "out"))
    changed = {path[0] for path in differences(read_level(sample_bytes(Game.TR2)), exported)}
    assert "mesh_trees" in changed or "models" in changed


@pytest.mark.parametrize("succeeds", [True, False])
def test_an_export_keeps_edit_mode_and_selection(blender: ModuleType, tmp_path: Path, succeeds: bool) -> None:
    root = import_sample(tmp_path)
    first, second, third = objects(root, "ROOM")[:3]
    for room in (first, second):
        room.select_set(True)
    bpy.context.view_layer.objects.active = first
    bpy.ops.object.mode_set(mode="EDIT")
    second.select_set(False)
    third.select_set(True)
    before = state()
    path = tmp_path / ("out" if succeeds else "nowhere/out")
    if succeeds:
        export_file(path)
    else:
        assert "the folder is not there" in export_fails(path)
    assert state() == before
    assert [room.mode for room in (first, second, third)] == ["EDIT", "EDIT", "OBJECT"]


@pytest.mark.parametrize("mode", ["SCULPT", "VERTEX_PAINT", "TEXTURE_PAINT"])
def test_edits_in_other_modes_count(blender: ModuleType, tmp_path: Path, mode: Any) -> None:
    root = import_sample(tmp_path)
    bpy.context.view_layer.objects.active = objects(root, "ROOM")[1]
    bpy.ops.object.mode_set(mode=mode)
    move_vertex(root)
    exported = read_level(export_file(tmp_path / "out"))
    assert objects(root, "ROOM")[1].mode == mode
    assert differences(read_level(sample_bytes(Game.TR1)), exported) == [("rooms", 1, "vertices", 2, "y")]


def test_an_object_that_is_edited_elsewhere_is_named(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    room = objects(root, "ROOM")[1]
    bpy.context.view_layer.objects.active = room
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.view_layer.objects.active = None
    assert f"{room.name}: it is in Edit Mode" in export_fails(tmp_path / "out")
    bpy.context.view_layer.objects.active = room
    bpy.ops.object.mode_set(mode="OBJECT")


@each_game
def test_everything_can_be_rebuilt(
    blender: ModuleType, tmp_path: Path, game: Game, capfd: pytest.CaptureFixture[str]
) -> None:
    import_sample(tmp_path, game)
    exported = read_level(export_file(tmp_path / "out", rebuild=True))
    assert len(exported.rooms) == len(read_level(sample_bytes(game)).rooms)
    assert "same as the original" not in capfd.readouterr().out


def test_collections_own_exporters_export_their_levels(blender: ModuleType, tmp_path: Path) -> None:
    layer = bpy.context.view_layer
    targets = {}
    for sample, game in (("tr1", Game.TR1), ("tr4", Game.TR4)):
        root = import_sample(tmp_path, sample)
        layer.active_layer_collection = layer.layer_collection.children[root.name]
        bpy.ops.collection.exporter_add(name="IO_FH_tomb_raider")
        added: Any = root.exporters[0]
        place = added if hasattr(added, "filepath") else added.export_properties
        place.filepath = str(tmp_path / f"{sample}.out")
        targets[tmp_path / f"{sample}.out"] = sample_bytes(game)
    assert bpy.ops.wm.collection_export_all() == {"FINISHED"}
    for path, content in targets.items():
        assert path.read_bytes() == content


# --- Failures -------------------------------------------------------------------------------------


@each_game
def test_a_refused_export_leaves_the_old_file_unchanged(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    obj: Any = objects(root, "MODEL_MESH")[0]
    obj.name = "Long Nose"
    obj.data.vertices[0].co.x = 1e4
    (tmp_path / "old").write_bytes(b"as it was")
    told = export_fails(tmp_path / "old")
    assert (
        "old was not exported: Long Nose: a vertex is too far from the origin: 5120000 (the limit is" in told
    )


def test_a_place_that_cannot_be_written_to_is_reported(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path)
    assert "the folder is not there" in export_fails(tmp_path / "nowhere" / "level.phd")
    (tmp_path / "folder").mkdir()
    assert re.search(r"folder was not exported: [^:]+: \S+folder$", export_fails(tmp_path / "folder").strip())
    with pytest.raises(RuntimeError, match="No file was chosen to export to"):
        bpy.ops.export_scene.tomb_raider(filepath="")


def test_a_path_that_blender_cuts_off_is_an_error(blender: ModuleType, tmp_path: Path) -> None:
    import_sample(tmp_path)
    before = sorted(os.listdir(tmp_path))
    path = tmp_path / "/".join(["folder" * 20] * 9) / "level.phd"
    path.parent.mkdir(parents=True)
    message = export_fails(path)
    assert "the path is too long for Blender" in message
    assert os.listdir(path.parent) == []
    assert sorted(set(os.listdir(tmp_path)) - {"folder" * 20}) == before


def test_a_damaged_original_is_reported(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    del root["tr_original"]
    assert f"{root.name}: " in export_fails(tmp_path / "out")


def test_warnings_are_printed(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    work = exporter.export_level_settings

    def warn(context: Any) -> None:
        work(context)
        context.report.warn("Page 3", "it has faded")

    monkeypatch.setattr(exporter, "export_level_settings", warn)
    import_sample(tmp_path)
    export_file(tmp_path / "out")
    assert "Warning: Page 3: it has faded" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("version", "text"),
    [
        (1000, "a newer version of the extension made this level"),
        (4, "a version before the first release made this level"),
    ],
)
def test_a_level_of_a_version_without_steps_is_not_exported(
    blender: ModuleType, tmp_path: Path, version: int, text: str
) -> None:
    root = import_sample(tmp_path)
    root.tomb_raider.data_version = version
    assert text in export_fails(tmp_path / "out")


def test_an_unknown_level_is_refused(blender: ModuleType) -> None:
    with pytest.raises(ExportError, match="There are no levels"):
        chosen_level(bpy.context, "LEVEL1.PHD")


@pytest.mark.parametrize("sample", ["tr1", "tr4"])
def test_the_file_of_a_level_is_packed_as_the_scene_is_saved(
    blender: ModuleType, tmp_path: Path, sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(original, "_SMALL", 1000)
    path = sample_file(tmp_path, sample)
    root, data = import_file(path), path.read_bytes()
    assert root["tr_original"] == data
    blend = str(tmp_path / "scene.blend")
    for _ in range(2):
        bpy.ops.wm.save_as_mainfile(filepath=blend)
        packed = root["tr_original"]
        # Files of TR4 are already compressed.
        assert (packed[:1] == b"\x78" and len(packed) < len(data)) == (sample == "tr1")
        assert exporter.export_level(root).level.to_bytes() == data
    bpy.ops.wm.open_mainfile(filepath=blend)
    original.forget()
    opened = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert opened["tr_original"] == packed
    assert exporter.export_level(opened).level.to_bytes() == data
