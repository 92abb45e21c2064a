"""Tests of the repair command: copies are repaired, and damaged levels stay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.edits.repair.repair import DEFAULT, KINDS, repair_level
from io_tomb_raider.ui.command_line import main as cli
from tests.damaged_levels import damaged_level
from tests.sample_levels import sample_bytes

pytestmark = pytest.mark.once

Captured = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]


def results(capsys: Captured, *arguments: object, code: int = 0) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert cli.run(["repair", *map(str, arguments), "--json"]) == code
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_a_copy_is_repaired_and_each_repair_is_a_line(tmp_path: Path, capsys: Captured) -> None:
    level, out = damaged_level(tmp_path / "a.phd"), tmp_path / "b.phd"
    before = level.read_bytes()
    assert cli.run(["repair", str(level), str(out)]) == 0
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"{level}: 2 repairs, saved as {out}"
    assert [line.split(":")[0] for line in lines] == ["  room 1", "  entity 2"]
    assert level.read_bytes() == before
    assert repair_level(read_level(out))[1] == []
    assert cli.run(["repair", str(out), str(tmp_path / "c.phd")]) == 0
    assert "nothing to repair, saved as" in capsys.readouterr().out
    assert (tmp_path / "c.phd").read_bytes() == out.read_bytes()


def test_a_dry_run_writes_nothing_and_kinds_can_be_left_out(tmp_path: Path, capsys: Captured) -> None:
    level = damaged_level(tmp_path / "a.phd")
    (found,) = results(capsys, level, "--dry-run")
    assert found["saved"] == "" and not found["failed"]
    assert [(each["kind"], each["object"], each["count"]) for each in found["repairs"]] == [
        ("portals", "room 1", 1),
        ("entities", "entity 2", 1),
    ]
    assert list(tmp_path.iterdir()) == [level]
    (found,) = results(capsys, level, "--dry-run", "--leave-out", "portals")
    assert [each["kind"] for each in found["repairs"]] == ["entities"]
    (found,) = results(capsys, level, "--dry-run", "--leave-out", "portals", "entities")
    assert found["repairs"] == []
    words = {kind: kind.lower().replace("_", "-") for kind in KINDS}
    every = [words[kind] for kind in DEFAULT]
    assert results(capsys, level, "--dry-run", "--leave-out", *every)[0]["repairs"] == []
    also = [words[kind] for kind in KINDS if kind not in DEFAULT]
    assert len(results(capsys, level, "--dry-run", "--also", *also)[0]["repairs"]) == 2


def test_many_levels_go_to_a_folder(tmp_path: Path, capsys: Captured) -> None:
    home, out = tmp_path / "levels", tmp_path / "out"
    for folder in (home, out):
        folder.mkdir()
    damaged_level(home / "a.phd")
    damaged_level(home / "b.tr2", Game.TR2)
    (home / "bad.phd").write_bytes(sample_bytes(Game.TR1)[:5000])
    found = results(capsys, home, "--to", out, code=1)
    assert [each["failed"] for each in found] == [False, False, True]
    assert sorted(path.name for path in out.iterdir()) == ["a.phd", "b.tr2"]
    assert all(repair_level(read_level(path))[1] == [] for path in out.iterdir())


def test_game_flows_are_written_for_the_newest_engine(tmp_path: Path, capsys: Captured) -> None:
    home, out = tmp_path / "mod", tmp_path / "out"
    for folder in (home, out):
        folder.mkdir()
    flow, catalog = home / "gameflow.json5", home / "catalog_objects.csv"
    flow.write_text('{"levels": [\n{"path": "a.phd", "item_drops": [{"object_ids": ["key_1"]}]}]}')
    catalog.write_bytes(b"0, O_LARA # \xff\r\n")
    (home / "weapons.json5").write_text("{}")
    found = results(capsys, home, "--game-flow", "--dry-run")
    assert [each["path"] for each in found] == [str(catalog), str(flow)]
    assert found[1]["repairs"] == [
        {"kind": "game-flow", "object": "line 2", "count": 1, "text": "key_1 is key_item_1 now"}
    ]
    assert cli.run(["repair", "--game-flow", str(home), "--to", str(out)]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "  line 1: O_LARA is lara now"
    assert (out / "catalog_objects.csv").read_bytes() == b"0, lara # \xff\r\n"
    assert '"key_item_1"' in (out / "gameflow.json5").read_text()
    again = results(capsys, out / "gameflow.json5", tmp_path / "again.json5", "--game-flow")
    assert again[0]["repairs"] == []
    assert (tmp_path / "again.json5").read_bytes() == (out / "gameflow.json5").read_bytes()
    assert "add --game-flow" in results(capsys, flow, "--dry-run", code=1)[0]["error"]
    assert "would replace it" in results(capsys, flow, flow, "--game-flow", code=1)[0]["error"]
    flow.write_text("{")
    assert "line 1" in results(capsys, flow, "--dry-run", "--game-flow", code=1)[0]["error"]


def test_levels_are_never_replaced_by_their_repaired_copies(tmp_path: Path, capsys: Captured) -> None:
    level = damaged_level(tmp_path / "a.phd")
    before = level.read_bytes()
    for arguments in ((level, level), (level, "--to", tmp_path)):
        (found,) = results(capsys, *arguments, code=1)
        assert "the repaired file would replace it" in found["error"]
    for wrong in ((level,), (level, tmp_path), (level, level, level), (tmp_path, tmp_path / "out.phd")):
        assert cli.run(["repair", *map(str, wrong)]) == 2
    assert cli.run(["repair", str(level), "--dry-run", "--leave-out", "nothing"]) == 2
    assert level.read_bytes() == before and list(tmp_path.iterdir()) == [level]


def test_it_runs_without_blender_and_in_several_processes(tmp_path: Path) -> None:
    levels = [str(damaged_level(tmp_path / f"{number}.phd")) for number in range(2)]
    out = tmp_path / "out"
    out.mkdir()
    hidden = "import runpy, sys; sys.modules['bpy'] = None; "
    hidden += "runpy.run_module('io_tomb_raider', run_name='__main__')"
    command = [sys.executable, "-c", hidden]
    start = [sys.executable, "-m", "io_tomb_raider"]
    arguments = ["repair", *levels, "--to", str(out), "--leave-out", "portals", "--json"]
    for program, jobs in ((command, "1"), (start, "2")):
        run = subprocess.run(
            [*program, *arguments, "--jobs", jobs], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        assert [len(each["repairs"]) for each in json.loads(run.stdout)] == [1, 1]
