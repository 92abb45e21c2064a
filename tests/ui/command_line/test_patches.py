"""Tests of patches on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from io_tomb_raider.formats import Game, read_level, write_level
from io_tomb_raider.ui.command_line import main as cli
from tests.sample_levels import sample_bytes

Captured = pytest.CaptureFixture[str]


def _levels(folder: Path, **values: int) -> Path:
    """Write a sample level, with one field of an entity changed if one is given."""
    level = read_level(sample_bytes(Game.TR4))
    level.entities = level.entities.copy()
    for name, value in values.items():
        level.entities[name][1] = value
    path = folder / f"{''.join(values) or 'base'}{''.join(map(str, values.values()))}.tr4"
    write_level(level, path)
    return path


def test_diff_writes_a_patch_and_apply_gives_the_level(tmp_path: Path, capsys: Captured) -> None:
    base, new, patch, out = (
        _levels(tmp_path),
        _levels(tmp_path, x=512),
        tmp_path / "a.trpatch",
        tmp_path / "out.tr4",
    )
    assert cli.run(["diff", str(base), str(new), "--patch", str(patch)]) == 0
    assert f"saved the patch {patch} ({patch.stat().st_size} bytes)" in capsys.readouterr().out
    assert cli.run(["apply", str(base), str(patch), str(out)]) == 0
    assert f"applied {patch}, saved as {out}" in capsys.readouterr().out
    assert out.read_bytes() == new.read_bytes()
    # Another base is merged.
    assert cli.run(["apply", str(_levels(tmp_path, ocb=7)), str(patch), str(out)]) == 0
    assert f"merged with {patch}" in capsys.readouterr().out
    record = read_level(out).entities[1]
    assert (record["x"], record["ocb"]) == (512, 7)
    assert cli.run(["apply", "--json", str(base), str(patch), str(out)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["saved"], found["merged"], found["conflicts"]) == (str(out), False, [])


def test_conflicts_prevent_writing_unless_left_out(tmp_path: Path, capsys: Captured) -> None:
    base, new, other = _levels(tmp_path), _levels(tmp_path, x=512), _levels(tmp_path, x=1024)
    patch, out = tmp_path / "a.trpatch", tmp_path / "out.tr4"
    assert cli.run(["diff", str(base), str(new), "--patch", str(patch)]) == 0
    arguments = ["apply", str(other), str(patch), str(out)]
    capsys.readouterr()
    assert cli.run(arguments) == 1
    error = capsys.readouterr().err
    assert "nothing was written" in error and "conflict: entity 1: x: it is 1024 in this level" in error
    assert not out.exists()
    assert cli.run([*arguments, "--leave-out"]) == 0
    assert read_level(out).entities["x"][1] == 1024 and "conflict: entity 1" in capsys.readouterr().out


def test_files_that_cannot_be_patched_are_reported(tmp_path: Path, capsys: Captured) -> None:
    base, new = _levels(tmp_path), _levels(tmp_path, x=512)
    patch, out = tmp_path / "a.trpatch", tmp_path / "out.tr4"
    assert cli.run(["apply", str(base), str(new), str(out)]) == 1
    assert "this is no patch of a level" in capsys.readouterr().err
    assert cli.run(["diff", str(base), str(tmp_path), "--patch", str(patch)]) == 2
    assert cli.run(["diff", str(base), str(new), "--patch", str(new)]) == 1
    assert read_level(new).entities["x"][1] == 512
    (tmp_path / "other.phd").write_bytes(sample_bytes(Game.TR1))
    assert cli.run(["diff", str(base), str(new), "--patch", str(patch)]) == 0
    capsys.readouterr()
    assert cli.run(["apply", str(tmp_path / "other.phd"), str(patch), str(out)]) == 1
    assert "the patch is for a level of TR4, this is one of TR1" in capsys.readouterr().err
    # The result never replaces the patch.
    assert cli.run(["apply", str(base), str(patch), str(patch)]) == 1 and patch.read_bytes().startswith(b"{")


def test_a_patch_between_games_contains_the_whole_level(tmp_path: Path, capsys: Captured) -> None:
    base, other, patch = _levels(tmp_path), tmp_path / "other.phd", tmp_path / "a.trpatch"
    other.write_bytes(sample_bytes(Game.TR1))
    assert cli.run(["diff", str(base), str(other), "--patch", str(patch)]) == 0
    assert "holds the whole level" in capsys.readouterr().out
