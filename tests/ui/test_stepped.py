"""Tests of operators that handle events between steps: progress, Esc, and the scene afterwards."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.ui.checks.operators import TOMB_RAIDER_OT_check_level
from io_tomb_raider.ui.level.import_level import IMPORT_SCENE_OT_tomb_raider
from io_tomb_raider.ui.preferences.options import SETTINGS
from io_tomb_raider.ui.projects.operators import EXPORT_SCENE_OT_tomb_raider_project

from .stepping import ESC, MOVED, RUNNING, TICK, Window, pressed
from .user_actions import all_datablocks, import_sample, levels, sample_file


def importer(monkeypatch: pytest.MonkeyPatch, path: Path) -> Any:
    """Return the import of a level, as the file browser calls it."""
    imports: Any = bpy.ops.import_scene.tomb_raider.get_rna_type().properties
    settings = {name: imports[name].default for name in (*SETTINGS, "main_sfx", "script")}
    own = {"filepath": str(path), "directory": "", "files": [], **settings}
    return pressed(monkeypatch, IMPORT_SCENE_OT_tomb_raider, **own)


def undo_handlers() -> list[Any]:
    return [*bpy.app.handlers.undo_pre, *bpy.app.handlers.redo_pre]


def test_an_import_takes_its_steps_between_events(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, window, handlers = sample_file(tmp_path, "tr4"), Window(), undo_handlers()
    tool = importer(monkeypatch, path)
    assert tool.execute(window) == RUNNING and window.is_modal and window.timers == 1
    ticks = 0
    while (outcome := tool.modal(window, TICK)) == RUNNING:
        assert tool.modal(window, MOVED) == RUNNING
        ticks += 1
    assert outcome == {"FINISHED"} and ticks > 10 and len(levels()) == 1
    assert window.progress == [*sorted(window.progress[:-1]), -1] and window.timers == 0
    assert f"Importing {path.name}: Meshes. Esc: cancel" in window.texts and window.texts[-1] is None
    assert undo_handlers() == handlers and any(path.name in text for text in tool.reports)


@pytest.mark.parametrize("ticks", [0, 3, 8, 15, 20])
def test_esc_removes_data_blocks_of_an_import(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ticks: int
) -> None:
    window, before, handlers = Window(), all_datablocks(), undo_handlers()
    tool = importer(monkeypatch, sample_file(tmp_path, "tr4"))
    assert tool.execute(window) == RUNNING
    for _ in range(ticks):
        assert tool.modal(window, TICK) == RUNNING
    assert tool.modal(window, ESC) == {"CANCELLED"}
    assert all_datablocks() == before and window.timers == 0 and undo_handlers() == handlers
    assert tool.reports == ["Import Tomb Raider Level: canceled"]


def test_undo_in_another_window_cancels_the_import_first(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, before = Window(), all_datablocks()
    tool = importer(monkeypatch, sample_file(tmp_path, "tr4"))
    assert tool.execute(window) == RUNNING
    for _ in range(15):
        tool.modal(window, TICK)
    assert all_datablocks() != before
    for handler in undo_handlers():
        if handler == tool._on_undo:
            handler(bpy.context.scene)
            break
    assert all_datablocks() == before and tool.modal(window, TICK) == {"CANCELLED"}


def test_errors_end_the_steps_too(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, window = tmp_path / "broken.tr4", Window()
    path.write_bytes(sample_file(tmp_path, "tr4").read_bytes()[:5000])
    tool = importer(monkeypatch, path)
    assert tool.execute(window) == RUNNING
    assert tool.modal(window, TICK) == {"CANCELLED"} and window.timers == 0
    assert tool.reports[0].startswith("broken.tr4 was not imported: ")


def test_a_call_of_a_script_or_a_repetition_runs_at_once(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for is_invoke, is_repeat in ((False, False), (True, True)):
        window = Window()
        tool = importer(monkeypatch, sample_file(tmp_path, "tr4"))
        tool.options = SimpleNamespace(is_invoke=is_invoke, is_repeat=is_repeat)
        assert tool.execute(window) == {"FINISHED"} and not window.is_modal


def test_a_canceled_export_has_written_nothing(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, folder = import_sample(tmp_path, "tr4"), tmp_path / "out"
    folder.mkdir()
    own = {"filepath": str(folder / "a.prj2"), "collection": root.name, "keep_light": True}
    for ticks, is_written in ((0, False), (1, False), (2, True)):
        window = Window()
        tool = pressed(monkeypatch, EXPORT_SCENE_OT_tomb_raider_project, **own)
        assert tool.execute(window) == RUNNING
        outcomes = [tool.modal(window, TICK) for _ in range(ticks)]
        if is_written:
            assert outcomes[-1] == {"FINISHED"}
        else:
            assert tool.modal(window, ESC) == {"CANCELLED"}
        assert bool(list(folder.iterdir())) == is_written


def test_a_canceled_check_keeps_the_findings(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, window = import_sample(tmp_path, "tr4"), Window()
    own = {"collection": root.name, "all_rooms": False, "seams": False}
    tool = pressed(monkeypatch, TOMB_RAIDER_OT_check_level, **own)
    assert tool.execute(window) == RUNNING and tool.modal(window, TICK) == RUNNING
    assert tool.modal(window, ESC) == {"CANCELLED"}
    assert not len(root.tomb_raider.findings)
