"""Tests of projects that are opened between events."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from io_tomb_raider.ui.preferences.options import SETTINGS, ImportSettings
from io_tomb_raider.ui.projects.operators import IMPORT_SCENE_OT_tomb_raider_project
from tests.sample_projects import sample_project
from tests.ui.stepping import ESC, RUNNING, TICK, Window, pressed
from tests.ui.user_actions import all_datablocks


def test_esc_while_a_project_is_compiled_or_imported_leaves_the_scene(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "made.prj2"
    path.write_bytes(sample_project().to_bytes())
    declared: Any = ImportSettings.__annotations__
    settings = {name: declared[name].keywords["default"] for name in SETTINGS}
    own = {"filepath": str(path), "directory": "", "files": [], "search": "", "target": "PROJECT", **settings}
    own["cinematic"] = False
    before = all_datablocks()
    for text in ("Reading", "Pathfinding", "Collision", ""):
        window = Window()
        tool = pressed(monkeypatch, IMPORT_SCENE_OT_tomb_raider_project, **own)
        outcome = tool.execute(window)
        while outcome == RUNNING and (not text or f": {text}." not in str((window.texts or [""])[-1])):
            outcome = tool.modal(window, TICK)
        assert window.progress == [0, *sorted(window.progress[1:-1]), window.progress[-1]]
        if text:
            assert tool.modal(window, ESC) == {"CANCELLED"} and all_datablocks() == before
    assert outcome == {"FINISHED"} and all_datablocks() != before
