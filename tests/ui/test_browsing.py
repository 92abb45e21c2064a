"""Tests of the folders in which file browsers start."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import pytest

from io_tomb_raider.ui.base.files import browsing

from .user_actions import import_sample

UI = Path(browsing.__file__).parents[2]


class Browser:
    """An operator with a path, and the window manager that opens its file browser."""

    def __init__(self, filepath: str = "") -> None:
        self.filepath = filepath
        self.opened: list[str] = []

    def fileselect_add(self, operator: Any) -> None:
        self.opened.append(operator.filepath)


def opened(filepath: str = "") -> str:
    """Return the path with which the file browser of an operator opens."""
    browser = Browser(filepath)
    context: Any = SimpleNamespace(
        window_manager=browser, scene=bpy.context.scene, view_layer=bpy.context.view_layer
    )
    assert browsing.browse(browser, context) == {"RUNNING_MODAL"}
    (path,) = browser.opened
    return path


def test_browsers_start_in_the_folder_of_the_level(blender: ModuleType, tmp_path: Path) -> None:
    assert opened() == ""  # as Blender does
    folder = tmp_path / "game"
    folder.mkdir()
    root = import_sample(folder)
    assert opened() == f"{folder}/" and opened("/chosen/file.pak") == "/chosen/file.pak"
    assert browsing.path_to_export(root, "a.wad") == str(folder / "a.wad")
    export = tmp_path / "export"
    export.mkdir()
    root.tomb_raider.target = str(export / "out.phd")
    assert opened() == f"{export}/"  # its last export
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    assert browsing.path_to_export(root, "a.wad") == str(tmp_path / "a.wad")
    root.tomb_raider.target, root.tomb_raider.folder = "", "/not/there"
    assert opened() == f"{tmp_path}/"


def test_dropped_files_open_no_browser(blender: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def popup(operator: Any, _context: Any, text: str) -> Any:
        asked.append(text)
        return {"RUNNING_MODAL"}

    monkeypatch.setattr(browsing.ImportHelper, "invoke_popup", popup)
    operator: Any = SimpleNamespace(properties=SimpleNamespace(is_property_set=lambda _name: True))
    method: Any = vars(browsing.FileBrowser)["invoke_popup"]
    kind = type("Dropped", (browsing.FileBrowser,), {**vars(operator), "files": ()})
    assert method(object.__new__(kind), None, "Import") == {"RUNNING_MODAL"} and asked == ["Import"]


def test_all_file_browsers_derive_from_the_shared_class() -> None:
    """If this fails: derive from `FileBrowser`, or open the browser by `browse`."""
    texts = {path: path.read_text("utf-8") for path in UI.rglob("*.py") if path.name != "browsing.py"}
    assert [path.name for path, text in texts.items() if "fileselect_add" in text] == []
    assert [path.name for path, text in texts.items() if "ImportHelper" in text] == []
