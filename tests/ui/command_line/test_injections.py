"""Tests of injections on the command line: diff --injection, and apply."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level, write_level
from io_tomb_raider.ui.command_line import main as cli
from tests.formats.levels.injections.samples import trxj
from tests.sample_levels import sample_bytes

pytestmark = pytest.mark.once
Captured = pytest.CaptureFixture[str]


def edited() -> Level:
    level = read_level(sample_bytes(Game.TR1))
    level.entities = level.entities.copy()
    level.entities["x"][1] = 512
    return level


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A level, an edited one, and the path of an injection."""
    base, new = tmp_path / "base.phd", tmp_path / "new.phd"
    base.write_bytes(sample_bytes(Game.TR1))
    write_level(edited(), new)
    return base, new, tmp_path / "mod.bin"


def test_diff_writes_an_injection_and_apply_bakes_it(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Captured
) -> None:
    base, new, path = files
    assert cli.run(["diff", str(base), str(new), "--injection", str(path)]) == 0
    assert f"saved the injection {path} (1 edits" in capsys.readouterr().out
    out = tmp_path / "out.phd"
    assert cli.run(["apply", str(base), str(path), str(out)]) == 0
    assert out.read_bytes() == new.read_bytes()
    assert f"applied 1 edits of {path}, saved as {out}" in capsys.readouterr().out
    capsys.readouterr()
    assert cli.run(["check", str(path)]) == 0
    text = capsys.readouterr().out
    assert "(TRXI 1: 1 item positions)" in text and "TRX 1.10 and older do not read TRXI 1" in text
    assert cli.run(["diff", str(base), str(new), "--injection", str(path), "--old-trx"]) == 0
    capsys.readouterr()
    assert cli.run(["check", "--json", str(path)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["version"], found["problems"]) == (11, [])
    assert cli.run(["diff", str(base), str(new), "--old-trx"]) == 2


def test_unsupported_changes_are_printed_and_in_json(
    files: tuple[Path, Path, Path], capsys: Captured
) -> None:
    base, new, path = files
    level = edited()
    level.rooms[1].ambient += 5
    write_level(level, new)
    assert cli.run(["diff", str(base), str(new), "--injection", str(path)]) == 0
    assert "not in the injection: rooms 1: ambient" in capsys.readouterr().out
    assert cli.run(["diff", "--json", str(base), str(new), "--injection", str(path)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["injection"] == str(path) and found["left_out"][0]["element"] == 1
    path.unlink()
    assert cli.run(["diff", str(base), str(base), "--injection", str(path)]) == 0
    assert "no injection was saved" in capsys.readouterr().out and not path.exists()


def test_injections_for_other_levels_are_refused(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Captured
) -> None:
    base, new, path = files
    out = tmp_path / "out.phd"
    assert cli.run(["diff", str(base), str(new), "--injection", str(path)]) == 0
    other = read_level(sample_bytes(Game.TR1))
    other.entities = other.entities.copy()
    other.entities["x"][0] += 1024
    write_level(other, tmp_path / "other.phd")
    capsys.readouterr()
    arguments = ["apply", str(tmp_path / "other.phd"), str(path), str(out)]
    assert cli.run(arguments) == 1
    error = capsys.readouterr().err
    assert "the injection is for another level" in error and "entity 0 is another one" in error
    assert not out.exists()
    assert cli.run([*arguments, "--leave-out"]) == 0
    assert read_level(out).entities["x"].tolist() == [
        int(other.entities["x"][0]),
        512,
        *np.array(other.entities["x"][2:]).tolist(),
    ]
    assert cli.run(["diff", str(base), str(new), "--injection", str(new)]) == 1
    assert "would replace the level" in capsys.readouterr().err
    assert cli.run(["diff", str(tmp_path), str(tmp_path), "--injection", str(path)]) == 2


def test_edits_that_cannot_be_applied_are_written_as_a_block(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: Captured
) -> None:
    base, _, path = files
    path.write_bytes(trxj(9, [(36, 1, struct.pack("<4i", 0, 0, 0, 1))]))
    out = tmp_path / "out.phd"
    assert cli.run(["apply", "--json", str(base), str(path), str(out)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert len(found["conflicts"]) == 1 and found["saved"] == str(out)
    assert out.read_bytes()[: base.stat().st_size] == base.read_bytes()
    assert out.read_bytes()[base.stat().st_size :][:4] == b"TRXJ"
