"""Tests of Mark as Assets: catalogs and reports."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.scene.assets.assets import assets_of
from io_tomb_raider.scene.assets.catalogs import FILE, read_catalogs
from io_tomb_raider.ui.assets import operators
from tests.abuse.watched import Console
from tests.scene.scenes import objects
from tests.ui.stepping import ESC, MOVED, RUNNING, TICK, Window, pressed
from tests.ui.user_actions import export_file, import_sample, in_view


def assets() -> list[str]:
    """Return the names of all assets in the file."""
    blocks = (*bpy.data.collections, *bpy.data.objects, *bpy.data.materials)
    return [each.name for each in blocks if each.asset_data is not None]


def test_marks_and_catalogs_of_a_saved_file(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    blend = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    kinds = {"MODELS", "ROOMS"}
    assert bpy.ops.tomb_raider.mark_as_assets(kinds=kinds, previews=False) == {"FINISHED"}
    found = read_catalogs(tmp_path)
    leaves = {f"Tomb Raider I/{kind}/{root.name}" for kind in ("Models", "Rooms")}
    assert set(found) == leaves | {"Tomb Raider I", "Tomb Raider I/Models", "Tomb Raider I/Rooms"}
    assert {each.asset_data.catalog_id for each in bpy.data.collections if each.asset_data} == set(
        found[each] for each in leaves
    )
    count = len(assets())
    assert count == sum(each.asset_data is not None for each in bpy.data.collections) > 4
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "copy.blend"), copy=True)
    libraries: Any = bpy.data.libraries
    with libraries.load(str(tmp_path / "copy.blend"), assets_only=True) as (there, _):
        assert len(there.collections) == count and not there.objects
    assert bpy.ops.tomb_raider.unmark_assets(kinds={"ROOMS"}) == {"FINISHED"}
    assert len(assets()) < count
    assert bpy.ops.tomb_raider.unmark_assets() == {"FINISHED"}
    assert not assets() and bpy.ops.tomb_raider.unmark_assets.poll()


def test_previews_need_no_renderer_and_are_left_out_on_request(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    pieces = assets_of(root, {"STATIC_MESHES"})
    bpy.ops.preferences.addon_disable(module="cycles")
    try:
        assert bpy.ops.tomb_raider.mark_as_assets(kinds={"STATIC_MESHES"}, previews=False) == {"FINISHED"}
        assert len(assets()) == len(pieces) > 1 and not drawn_blocks(pieces)
        assert bpy.ops.tomb_raider.mark_as_assets(kinds={"STATIC_MESHES"}) == {"FINISHED"}
    finally:
        bpy.ops.preferences.addon_enable(module="cycles")
    assert len(drawn_blocks(pieces)) == len(pieces)


def test_catalogs_are_written_to_the_library_that_contains_the_file(
    blender: ModuleType, tmp_path: Path
) -> None:
    import_sample(tmp_path)
    inner = tmp_path / "one" / "two"
    inner.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(inner / "level.blend"))
    kept: Any = bpy.context.preferences.filepaths.asset_libraries
    made = kept.new(name="Mine", directory=str(tmp_path))
    try:
        bpy.ops.tomb_raider.mark_as_assets(kinds={"STATIC_MESHES"}, previews=False)
    finally:
        kept.remove(made)
    assert (tmp_path / FILE).is_file() and not (inner / FILE).exists()


def test_only_selected_objects_are_marked(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path)
    wolf = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 7)
    for each in bpy.context.selected_objects:
        each.select_set(False)
    wolf.select_set(True)
    bpy.ops.tomb_raider.mark_as_assets(only_selected=True, previews=False)
    assert assets() == [wolf.instance_collection.name]
    obj: Any = wolf.instance_collection
    assert obj.asset_data.description.startswith("Wolf: model 7 of Tomb Raider I")


def test_a_room_that_was_just_added_is_marked_and_stays_where_it_is(
    blender: ModuleType, tmp_path: Path
) -> None:
    """What is new knows no level yet: it must not be taken for an asset that comes from elsewhere."""
    root = import_sample(tmp_path)
    before = {each.name for each in bpy.data.collections}
    with in_view():
        assert bpy.ops.tomb_raider.add_room() == {"FINISHED"}
    (home,) = {each for each in bpy.data.collections if each.name not in before}
    console = Console()
    try:
        assert bpy.ops.tomb_raider.mark_as_assets(kinds={"ROOMS"}, previews=False) == {"FINISHED"}
        assert export_file(tmp_path / "exported")  # new objects are adopted now, at the latest
    finally:
        console.close()
    console.check()
    assert home.asset_data is not None
    (collision,) = [each for each in objects(root, "COLLISION") if each.parent in home.objects[:]]
    assert [each.tomb_raider.kind for each in collision.users_collection] == ["COLLISION"]


def marking(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the operator as its dialog calls it."""
    app = SimpleNamespace(background=False)
    monkeypatch.setattr(operators, "bpy", SimpleNamespace(app=app, data=bpy.data))
    own = {"kinds": {"STATIC_MESHES", "SPRITES"}, "previews": True, "only_selected": False, "collection": ""}
    tool = pressed(monkeypatch, operators.TOMB_RAIDER_OT_mark_as_assets, **own)
    monkeypatch.setattr(operators, "popup_later", lambda _title, lines: tool.reports.extend(lines))
    return tool


def test_previews_are_drawn_between_events_with_progress(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path)
    pieces = assets_of(root, {"STATIC_MESHES", "SPRITES"})
    window: Any = Window()
    count, tool = len(pieces), marking(monkeypatch)
    assert tool.execute(window) == RUNNING and window.is_modal and window.timers == 1
    assert tool.modal(window, TICK) == RUNNING
    assert len(assets()) == count > 2  # all are marked at once
    assert window.texts[-1] == f"Drawing previews: 0 of {count}: {pieces[0].name}. Esc: cancel"
    scenes = len(bpy.data.scenes)
    for _ in range(count - 1):
        assert tool.modal(window, MOVED) == RUNNING
        assert tool.modal(window, TICK) == RUNNING
        assert len(bpy.data.scenes) == scenes  # nothing is left between events
    assert tool.modal(window, TICK) == {"FINISHED"}
    assert window.progress[-1] == -1 and window.timers == 0 and window.texts[-1] is None
    assert all(each.preview is not None for each in drawn_blocks(pieces))


def drawn_blocks(pieces: Any) -> list[Any]:
    """Return the data-blocks of assets whose preview has a picture."""
    blocks: list[Any] = [each.block for each in pieces]
    return [each for each in blocks if each.preview is not None and any(each.preview.image_size)]


def test_esc_stops_the_previews_and_keeps_the_marks(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path)
    pieces = assets_of(root, {"STATIC_MESHES", "SPRITES"})
    count, window, tool = len(pieces), Window(), marking(monkeypatch)
    assert [tool.execute(window), tool.modal(window, TICK), tool.modal(window, TICK)] == [RUNNING] * 3
    assert tool.modal(window, ESC) == {"FINISHED"}
    assert len(drawn_blocks(pieces)) == 1 and len(assets()) == count and window.timers == 0
    assert any(text.startswith(f"Stopped: {count - 1} previews were not drawn") for text in tool.reports)


def test_assets_that_are_removed_meanwhile_are_skipped(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path)
    pieces: list[Any] = assets_of(root, {"STATIC_MESHES", "SPRITES"})
    window, tool = Window(), marking(monkeypatch)
    assert [tool.execute(window), tool.modal(window, TICK)] == [RUNNING] * 2
    bpy.data.objects.remove(pieces.pop(1).block)  # before its faces are read
    assert tool.modal(window, TICK) == RUNNING
    bpy.data.objects.remove(pieces.pop().block)  # before its preview is drawn
    while (outcome := tool.modal(window, TICK)) == RUNNING:
        pass
    assert outcome == {"FINISHED"} and len(drawn_blocks(pieces)) == len(pieces) > 1
