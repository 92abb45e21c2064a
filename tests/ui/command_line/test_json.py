"""Tests of --json for every command, and of the exit codes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from io_tomb_raider.formats import Game, read_level, write_level
from io_tomb_raider.ui.command_line import commands, importing
from io_tomb_raider.ui.command_line import main as cli
from tests.animation_samples import trw_file
from tests.sample_levels import sample_bytes
from tests.sample_projects import old_project, sample_project

from ..user_actions import sample_file

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
DAMAGED = sample_bytes(Game.TR1)[:5000]


def results(capsys: Captured, *arguments: object, code: int = 0) -> list[dict[str, Any]]:
    """Run a command with --json, and return what it prints."""
    capsys.readouterr()
    assert cli.run([*map(str, arguments), "--json"]) == code
    output = capsys.readouterr()
    found: list[dict[str, Any]] = json.loads(output.out)
    for each in found:
        assert each["failed"] == ("error" in each)
    return found


@pytest.fixture
def level(blender: ModuleType, tmp_path: Path) -> Path:
    return sample_file(tmp_path, "tr1", "a.phd")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    path = tmp_path / "bad.phd"
    path.write_bytes(DAMAGED)
    return path


def test_info(level: Path, bad: Path, capsys: Captured) -> None:
    good, failed = results(capsys, "info", level, bad, code=1)
    assert good["path"] == str(level) and good["game"] == "TR1" and good["rooms"] == 4
    assert "the file ends too early" in failed["error"] and failed["path"] == str(bad)


def test_check(level: Path, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    changed = read_level(sample_bytes(Game.TR1))
    changed.entities = changed.entities.copy()
    changed.entities["type"][2] = 999
    write_level(changed, level)
    other = tmp_path / "other.phd"
    changed.entities["room"][2] = 99
    write_level(changed, other)
    animation = tmp_path / "a.trw"
    animation.write_bytes(trw_file())
    project = tmp_path / "a.prj2"
    project.write_bytes(old_project())
    found = results(capsys, "check", level, other, bad, animation, project, "--jobs", 1, code=1)
    first = {"severity": "warning", "object": "entity 2", "text": "the level has no model and no sprite"}
    assert any({**each, "text": each["text"][:36]} == first for each in found[0]["findings"])
    assert found[1]["error"].startswith("writing gives the same")
    assert [each["object"] for each in found[1]["findings"] if each["severity"] == "error"] == ["entity 2"]
    assert "findings" not in found[2] and found[3]["problems"] == []
    assert found[4]["content"]["rooms"] == 4 and found[4]["problems"] == []


def test_diff(level: Path, tmp_path: Path, capsys: Captured) -> None:
    changed = read_level(level)
    changed.entities = changed.entities.copy()
    changed.entities["x"] += 512
    new = tmp_path / "new.phd"
    write_level(changed, new)
    (found,) = results(capsys, "diff", level, new)
    assert found["old"] == str(level) and len(found["differences"]) == len(changed.entities)
    assert found["differences"][2]["section"] == "entities" and found["differences"][2]["element"] == 2
    assert results(capsys, "diff", level, level)[0]["differences"] == []


def test_import_and_export(level: Path, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    good, failed = results(capsys, "import", level, bad, "--to", tmp_path, code=1)
    blend = tmp_path / "a.blend"
    assert good == {"path": str(level), "failed": False, "saved": str(blend), "warnings": []}
    assert failed["failed"] and not (tmp_path / "bad.blend").exists()
    again = tmp_path / "again.phd"
    (found,) = results(capsys, "export", blend, again)
    assert found == {
        "path": str(again),
        "failed": False,
        "saved": str(again),
        "changed": {},
        "warnings": [],
    }
    (found,) = results(capsys, "export", blend, tmp_path)
    assert Path(found["saved"]).suffix == ".phd" and found["path"] == str(blend)
    (found,) = results(capsys, "check", blend)
    assert {"severity", "object", "text"} == set(found["findings"][0])


def test_render(level: Path, tmp_path: Path, capsys: Captured) -> None:
    (found,) = results(capsys, "render", level, "--rooms", tmp_path / "rooms")
    assert [Path(each).name for each in found["pictures"]] == [f"room_{n:03}.png" for n in range(4)]


def test_convert(level: Path, tmp_path: Path, capsys: Captured) -> None:
    (found,) = results(capsys, "convert", level, "--game", "TR2", "--to", tmp_path)
    assert found["game"] == "TR2" and Path(found["saved"]).exists() and found["warnings"]
    (found,) = results(capsys, "convert", level, "--game", "TR1", code=1)
    assert "TR1" in found["error"]


@pytest.mark.once
def test_convert_to_gltf(level: Path, capsys: Captured) -> None:
    (found,) = results(capsys, "convert", level, "--only", "lights")
    assert found["saved"] == str(level.with_suffix(".glb"))


def test_library(level: Path, bad: Path, tmp_path: Path, capsys: Captured) -> None:
    out = tmp_path / "library"
    found = results(capsys, "library", tmp_path, out, "--only", "models", "--no-previews", code=1)
    assert [each["failed"] for each in found] == [False, True]
    assert found[0]["new"] == 7 and found[0]["known"] == 0 and found[0]["saved"] == str(out)
    assert list(out.glob("*.blend"))


def test_json_is_the_only_output_also_with_blender_and_several_processes(level: Path, bad: Path) -> None:
    for arguments in (["--jobs", "1"], ["--jobs", "2"]):
        command = [sys.executable, "-m", "io_tomb_raider", "import", str(level), str(bad), "--json"]
        run = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        assert run.returncode == 1, run.stderr
        found = json.loads(run.stdout)
        assert [each["path"] for each in found] == [str(level), str(bad)]
        assert "the file ends too early" in found[1]["error"] and found[0]["saved"]


def test_every_command_has_it_and_the_page_names_its_keys() -> None:
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([a-z]+)` \| (`.*)\|$", page, re.MULTILINE))
    assert set(rows) == {command.name for command in cli.COMMANDS}
    keys = {
        "info": "game variant bytes rooms",
        "check": "equal findings problems",
        "diff": "old differences injection left_out",
        "apply": "saved merged conflicts",
        "repair": "saved repairs kind object count text",
        "import": "saved warnings",
        "export": "saved changed warnings",
        "render": "pictures",
        "convert": "saved game warnings",
        "compile": "saved game log warnings",
        "library": "saved new known warnings",
    }
    for command in cli.COMMANDS:
        _, parsers = cli._parser("program")
        assert "--json" in parsers[command.name].format_help()
        assert all(f"`{key}`" in rows[command.name] for key in keys[command.name].split())


def test_exit_codes(
    level: Path, bad: Path, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.run(["info", str(level)]) == 0
    assert cli.run(["info", "--help"]) == 0
    assert cli.run(["info", str(level), str(bad)]) == 1
    assert cli.run(["import", str(level)], start_blender=lambda: "no Blender") == 1
    assert "no Blender" in capsys.readouterr().err
    assert cli.run(["nothing"]) == cli.run([]) == cli.run(["info"]) == cli.run(["info", "--unknown"]) == 2
    assert cli.run(["render", str(level)]) == 2

    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importing, "import_to_empty_file", interrupted)
    assert cli.run(["import", str(level), "--to", str(tmp_path)]) == commands.INTERRUPTED == 130
    page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (\d+) \|", page, re.MULTILINE) == ["0", "1", "2", "130"]


def test_compile(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    project = sample_project()
    (tmp_path / "hall.prj2").write_bytes(project.to_bytes())
    out = tmp_path / "hall.tr4"
    (found,) = results(capsys, "compile", tmp_path / "hall.prj2", out, code=1)
    assert "without the objects of missing files" in found["error"] and found["missing"]
    assert found["saved"] == str(out) and out.exists()
    arguments = ("compile", tmp_path / "hall.prj2", out, "--game", "TRNG", "--allow-missing")
    (found,) = results(capsys, *arguments)
    assert found["saved"] == str(out) and found["game"] == "TR4" and read_level(out).has_trng_footer
    assert found["log"] and any("not found" in each for each in found["warnings"])
    (found,) = results(capsys, "compile", tmp_path / "lost.prj2", out, code=1)
    assert "lost.prj2" in found["path"]


def test_compile_finds_moved_folders(blender: ModuleType, tmp_path: Path, capsys: Captured) -> None:
    project = sample_project()
    project.settings.wads = ["C:\\trle\\wads\\objects.tr4"]
    (tmp_path / "hall.prj2").write_bytes(project.to_bytes())
    wads = tmp_path / "elsewhere"
    wads.mkdir()
    (wads / "OBJECTS.TR4").write_bytes(sample_bytes(Game.TR4))
    arguments = ("compile", tmp_path / "hall.prj2", tmp_path / "hall.tr4", "--moved", "c:\\trle\\wads", wads)
    (found,) = results(capsys, *arguments)
    assert "Objects of OBJECTS.TR4" in found["log"] and len(read_level(tmp_path / "hall.tr4").models)
