"""Tests of the zip in Blender: it is valid, can be installed and used, and leaves nothing after removal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

import build
from docs.manual import write_manual
from docs.reference import reference
from io_tomb_raider.formats import Game

from .real_levels import REAL_LEVELS
from .sample_levels import sample_bytes


@pytest.fixture(scope="module")
def extension_zip(extension: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the zip for users."""
    folder = tmp_path_factory.mktemp("dist")
    write_manual(folder / "manual", reference())
    return build.build_zip(folder, manual=folder / "manual")


def test_blenders_own_validator_accepts_the_zip(extension_zip: Path) -> None:
    (validator,) = Path(bpy.utils.system_resource("SCRIPTS")).glob("addons_core/bl_pkg/cli/blender_ext.py")
    command = [sys.executable, str(validator), "validate", str(extension_zip)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "error" not in (answer.stdout + answer.stderr).lower()


def _live(
    extension_zip: Path, folder: Path, levels: list[Path], *options: str
) -> tuple[dict[str, Any], list[Path]]:
    """Install and use the zip in a new Blender. Returns the report, and the exported levels."""
    report = folder / "report.json"
    exported = [folder / f"exported {level.name}" for level in levels]
    pairs = [str(path) for pair in zip(levels, exported, strict=True) for path in pair]
    script = Path(__file__).with_name("installed_extension.py")
    # -P excludes the checkout's own package.
    command = [sys.executable, "-P", str(script), str(extension_zip), str(report), *options, *pairs]
    environ = {**os.environ, "BLENDER_USER_RESOURCES": str(folder / "blender")}
    environ.pop("PYTHONPATH", None)
    answer = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    printed = answer.stdout + answer.stderr
    assert answer.returncode == 0, printed
    assert options or re.search("warning|error|traceback", printed, re.IGNORECASE) is None, printed
    return json.loads(report.read_text(encoding="utf-8")), exported


def test_the_zip_installs_works_and_leaves_no_trace(extension_zip: Path, tmp_path: Path) -> None:
    levels = sorted(REAL_LEVELS, key=lambda path: path.stat().st_size)[:1]
    seen, exported = _live(extension_zip, tmp_path, levels)
    assert seen["install"] == ["FINISHED"]
    assert seen["installed"] == ["io_tomb_raider"]
    assert seen["enabled"]
    assert seen["operators"] == ["import_scene.tomb_raider", "export_scene.tomb_raider"]
    assert seen["manual"] == "index.html"
    # Everything that is compared after disabling was there before.
    kinds = {"class", "operator", "property", "handler", "entry", "key", "keymap", "preset", "manual"}
    assert {*seen["registered"]} == kinds
    assert seen["violations"] == {}
    assert seen["presets"] == ["Everything", "Geometry_Only", "Models_Only", "To_Look_At"]
    assert seen["conversions"] == [["FINISHED"]] * len(levels)
    for level, export in zip(levels, exported, strict=True):
        assert export.read_bytes() == level.read_bytes()
    assert seen["files_changed"] == []
    assert seen["disabled"]
    assert seen["left"] == seen["left_again"] == []
    assert seen["operators_again"] == seen["operators"]
    assert seen["uninstall"] == ["FINISHED"]
    assert seen["installed_after"] == []


def test_copies_with_both_ids_are_enabled_one_at_a_time(extension_zip: Path, tmp_path: Path) -> None:
    second = build.build_zip(tmp_path / "dist", development=True)
    level = tmp_path / "level.phd"
    level.write_bytes(sample_bytes(Game.TR1))
    seen, (exported,) = _live(extension_zip, tmp_path, [level], "--and", str(second))
    assert seen["installed"] == ["io_tomb_raider", "io_tomb_raider_dev"]
    assert seen["first"] == "" and seen["second_alone"] == ""
    for refused in (seen["second"], seen["first_again"]):
        assert "Another copy of Tomb Raider Levels is enabled. Disable it" in refused
        assert "Traceback" not in refused
    assert seen["enabled"] == ["bl_ext.user_default.io_tomb_raider"]
    assert seen["enabled_at_the_end"] == ["bl_ext.user_default.io_tomb_raider_dev"]
    assert seen["changed"] == [] and seen["left"] == []
    assert seen["conversions"] == seen["conversions_of_second"] == [["FINISHED"]]
    assert exported.read_bytes() == level.read_bytes()
