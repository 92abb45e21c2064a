"""Tests of Copy Report: what the report of an error contains, and what it never contains."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.scene.pipeline import exporter
from io_tomb_raider.ui.base.error_report import last_report, without_folders
from io_tomb_raider.ui.checks.copying import TOMB_RAIDER_OT_copy_report
from tests.other_add_on import add_on
from tests.ui.recorder import Layout
from tests.ui.user_actions import error_of, export_file, import_file, import_sample, sample_file

NAMES = st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters=" -_.'"), min_size=1)


@pytest.fixture(autouse=True)
def _blender(blender: ModuleType) -> None:
    """Every test starts in an empty scene and without an error."""


def test_the_report_has_versions_game_counts_message_and_traceback(tmp_path: Path) -> None:
    import_sample(tmp_path, "tr4")
    assert last_report() == ""
    message = error_of(bpy.ops.export_scene.tomb_raider, filepath=str(tmp_path / "no folder" / "a b.tr4"))
    report = last_report()
    assert bpy.app.version_string in report and "Tomb Raider Levels " in report
    assert "Operator: Export Tomb Raider Level (export_scene.tomb_raider)" in report
    assert "Level: TR4, target" in report
    rooms = sum(obj.tomb_raider.kind == "ROOM" for obj in bpy.data.objects)
    assert f" {rooms} ROOM," in report
    assert f"{len(bpy.data.objects)} objects" in report
    assert "a b.tr4 was not exported" in message and "a b.tr4 was not exported" in report
    assert 'File "io_tomb_raider/ui/level/export_level.py", line' in report
    assert str(tmp_path) not in report and "no folder" not in report and str(Path.home()) not in report


def test_a_failed_import_without_a_level_is_reported_too(tmp_path: Path) -> None:
    folder = tmp_path / "Jane Doe's files"
    folder.mkdir()
    path = folder / "level.phd"
    path.write_bytes(b"content of the file" * 10)
    error_of(bpy.ops.import_scene.tomb_raider, filepath=str(path))
    report = last_report()
    assert "level.phd was not imported" in report and "FormatError" in report
    assert "Level: " not in report
    assert "Jane" not in report and "content of the file" not in report


def test_an_unexpected_error_is_reported_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_sample(tmp_path, "tr4")

    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("missing")

    monkeypatch.setattr(exporter, "export_level", broken)
    message = error_of(bpy.ops.export_scene.tomb_raider, filepath=str(tmp_path / "new.tr4"))
    assert message.startswith("Error: Export Tomb Raider Level: an unexpected error, KeyError: 'missing'")
    assert "Traceback" not in message and "Copy" in message
    assert "line" in last_report() and "in broken" in last_report()
    assert "KeyError: 'missing'" in capfd.readouterr().err  # for developers
    monkeypatch.undo()
    assert export_file(tmp_path / "new.tr4") == (tmp_path / root.name).read_bytes()


def test_methods_of_a_base_class_report_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = []

    class Base:
        bl_label = "Tool"

        def execute(self, context: Any) -> Any:
            raise ValueError("a b")

    class Tool(Base):
        def execute(self, context: Any) -> Any:
            super().execute(context)
            return {"FINISHED"}

        def report(self, kind: set[str], text: str) -> None:
            reports.append(text)

    from io_tomb_raider.ui.base import guard

    for each in (Base, Tool, Tool):
        guard._guard(each)
    assert Tool().execute(bpy.context) == {"CANCELLED"}
    assert len(reports) == 1 and "ValueError: a b" in reports[0]


def test_every_operator_is_guarded(extension: ModuleType) -> None:
    from io_tomb_raider.ui import manual

    for operator in manual.operators():
        for name in ("execute", "invoke", "modal"):
            method = getattr(operator, name, None)
            if method is not None and "io_tomb_raider" in (getattr(method, "__module__", "") or ""):
                assert hasattr(method, "is_guarded"), (operator, name)


def test_errors_of_hooks_can_be_copied(tmp_path: Path) -> None:
    class Hooks:
        def after_import(self, context: Any) -> None:
            raise RuntimeError("in a hook")

    path = sample_file(tmp_path, "tr1")
    with add_on(Hooks):
        import_file(path)
    assert "RuntimeError: in a hook" in last_report() and "Other Add-on" in last_report()
    assert str(Path(__file__).parents[2]) not in last_report()


def test_the_operator_copies_the_report_and_is_shown_after_an_error(tmp_path: Path) -> None:
    assert not bpy.ops.tomb_raider.copy_report.poll()
    assert "copy_report" not in str(_panel())
    import_sample(tmp_path, "tr1")
    error_of(bpy.ops.export_scene.tomb_raider, filepath=str(tmp_path / "level.tr4"))
    assert bpy.ops.tomb_raider.copy_report.poll()
    assert "copy_report" in str(_panel())
    manager, lines = SimpleNamespace(clipboard=""), []  # Blender has none without a window
    operator = SimpleNamespace(report=lambda _, text: lines.append(text))
    execute: Any = TOMB_RAIDER_OT_copy_report.execute
    assert execute(operator, SimpleNamespace(window_manager=manager)) == {"FINISHED"}
    assert manager.clipboard == last_report() != ""
    assert len(lines) == 1


def _panel() -> list[str]:
    from io_tomb_raider.ui.checks.panels import VIEW3D_PT_tomb_raider_check

    level = next((each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL"), None)
    layout: Any = Layout()
    if level is not None:
        panel: Any = VIEW3D_PT_tomb_raider_check
        panel.draw_level(None, layout, bpy.context, level)
    return [str(each) for each in layout.operators]


@given(
    folders=st.lists(NAMES, min_size=1, max_size=4), name=NAMES, drive=st.sampled_from(("", "C:", "//srv"))
)
def test_folders_are_removed_from_any_text(folders: list[str], name: str, drive: str) -> None:
    for slash in ("/", "\\"):
        folder = drive + slash + slash.join(folders)
        text = f'the file "{folder}{slash}{name}" of TR4/TR5 (1/512) is missing'
        assert without_folders(text, [folder]) == f'the file "{name}" of TR4/TR5 (1/512) is missing'


@pytest.mark.parametrize(
    ("text", "left"),
    (
        ("there is no /home/Jane/My Levels/LEVEL1.PHD", "there is no LEVEL1.PHD"),
        (r"C:\Users\Jane\LEVEL1.PHD is missing", "LEVEL1.PHD is missing"),
        (r"KeyError: 'C:\\Users\\Jane\\LEVEL1.PHD'", "KeyError: 'LEVEL1.PHD'"),
        ('File "/opt/blender/5.2/scripts/startup/a.py", line 3', 'File "a.py", line 3'),
        ("~/levels/LEVEL1.PHD", "LEVEL1.PHD"),
        ("TR4/TR5: 3 / 4 of io_tomb_raider/ui", "TR4/TR5: 3 / 4 of io_tomb_raider/ui"),
    ),
)
def test_folders_of_unknown_paths_are_found_by_their_form(text: str, left: str) -> None:
    assert without_folders(text) == left
