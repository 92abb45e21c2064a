"""Tests of folders and several processes on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from io_tomb_raider.formats import read_level, write_level
from io_tomb_raider.ui.command_line import main as cli
from io_tomb_raider.ui.command_line import processes
from tests.sample_levels import SAMPLES, sample_bytes

from ..user_actions import sample_file

Captured = pytest.CaptureFixture[str]
FOLDER = Path(__file__).parents[3]

# A program that answers like a worker process, with its id. Some files end it.
ANSWERS = f"""
import json, os, sys
task = json.loads(sys.stdin.readline())
for line in sys.stdin:
    path = json.loads(line)
    if path == "crash":
        print("a crash", file=sys.stderr)
        sys.stderr.flush()
        os._exit(7)
    print("Info: Blender says something", end="")
    said = f"{{task['options']['word']}} {{path}} {{os.getpid()}}"
    answer = {{"text": said, "failed": path == "bad", "data": {{}}}}
    print("\\n" + {processes.ANSWER!r} + json.dumps(answer), flush=True)
"""
PROGRAM = [sys.executable, "-c", ANSWERS]
TASK = {"command": "x", "options": {"word": "did"}, "needs_blender": False}


def game(folder: Path) -> list[Path]:
    """Write a sample level of each game, and return their paths."""
    folder.mkdir()
    return [sample_file(folder, name, f"{name}.{end}") for name, end in ENDINGS.items()]


ENDINGS = {"tr1": "PHD", "tr2": "TR2", "tr3": "TR2", "tr4": "TR4", "tr5": "TRC"}


def run(*words: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-m", "io_tomb_raider", *words]
    return subprocess.run(program, cwd=FOLDER, capture_output=True, text=True, check=False, timeout=300)


def test_several_processes_print_the_same_as_one(tmp_path: Path) -> None:
    files = game(tmp_path / "data")
    bad = files[0].with_name("tr2 bad.TR2")
    bad.write_bytes(sample_bytes(SAMPLES["tr2"][0])[:-1000])
    (files[0].with_name("readme.txt")).write_text("not a level")
    one, several = (run("check", str(tmp_path / "data"), "--jobs", jobs) for jobs in ("1", "3"))
    assert one.returncode == several.returncode == 1
    assert [line for line in several.stdout.splitlines() if line.startswith(str(tmp_path))] == [
        line for line in one.stdout.splitlines() if line.startswith(str(tmp_path))
    ]
    assert several.stdout == one.stdout and several.stderr == one.stderr
    # The samples have too few animations: that is an error of each.
    assert one.stderr.count("writing gives the same") == len(files)
    assert f"{bad}: the file ends too early" in one.stderr


def test_a_folder_becomes_blend_files_at_once_and_levels_again(
    blender: ModuleType, tmp_path: Path, capsys: Captured
) -> None:
    files = game(tmp_path / "data")[:2]
    blends, again = tmp_path / "blends", tmp_path / "again"
    blends.mkdir()
    again.mkdir()
    made = run("import", *map(str, files), "--to", str(blends), "--jobs", "2")
    assert made.returncode == 0, made.stderr
    assert [line.split(": ")[1] for line in made.stdout.splitlines() if "saved as" in line] == [
        f"saved as {blends / path.stem}.blend" for path in files
    ]
    assert cli.run(["export", str(blends), str(again)]) == 0
    assert f"saved as {again / files[0].name}: same as the original" in capsys.readouterr().out
    assert [(again / path.name).read_bytes() for path in files] == [path.read_bytes() for path in files]


def test_a_crashed_process_fails_only_its_file() -> None:
    shown: list[str] = []
    paths = ["a", "b", "crash", "bad", "c", "d"]
    found = list(processes.run_in_processes(PROGRAM, TASK, paths, 2, shown.append))
    assert [each.number for each in found] == list(range(6)) and sorted(shown) == sorted(paths)
    assert [each.failed for each in found] == [False, False, True, True, False, False]
    assert found[2].text == "its process ended with code 7: a crash"
    assert [each.text.split()[:2] for each in found if each.number != 2] == [
        ["did", path] for path in paths if path != "crash"
    ]


def test_processes_are_restarted_after_some_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_FILES", 2)
    found = list(processes.run_in_processes(PROGRAM, TASK, list("abcde"), 1, lambda _: None))
    numbers = [each.text.split()[2] for each in found]
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3] != numbers[4]


def test_a_missing_program_is_reported_for_each_file() -> None:
    found = list(processes.run_in_processes(["/nowhere/blender"], TASK, ["a", "b"], 2, lambda _: None))
    assert all(each.failed and "could not be started" in each.text for each in found) and len(found) == 2


def test_stopping_early_ends_all_processes() -> None:
    found = processes.run_in_processes(PROGRAM, TASK, [*"abc", *["crash"] * 20], 2, lambda _: None)
    assert next(found).text.startswith("did a")
    found.close()


def test_the_number_of_processes_depends_on_cores_and_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "usable_cores", lambda: 4)
    asked = ((None, 3), (None, 5), (None, 4), (8, 3), (1, 9), (2, 9))
    assert [processes.processes_for(*each) for each in asked] == [1, 4, 4, 3, 1, 2]


def test_folders_are_compared_by_names(tmp_path: Path, capsys: Captured) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    files = game(old)
    for path in game(new)[1:]:
        path.rename(path.with_name(path.name.lower()))
    (new / files[0].name).unlink()
    level = read_level(files[3])
    level.entities = level.entities.copy()
    level.entities["x"][2] += 512
    write_level(level, new / files[3].name.lower())
    assert cli.run(["diff", str(old), str(new)]) == 1
    output = capsys.readouterr()
    assert output.err.startswith(f"{new / files[0].name}: No such file")
    lines = [line for line in output.out.splitlines() if line.startswith(str(new))]
    assert lines == [
        f"{new / files[1].name.lower()}: the levels have the same contents",
        f"{new / files[2].name.lower()}: the levels have the same contents",
        f"{new / files[3].name.lower()}: differs from {files[3]} in entities",
        f"{new / files[4].name.lower()}: the levels have the same contents",
    ]


def test_a_folder_without_files_is_an_error(tmp_path: Path, capsys: Captured) -> None:
    assert cli.run(["info", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{tmp_path}: there is no level in this folder\n"
    assert cli.run(["export", str(tmp_path), str(tmp_path)]) == 1
    assert "there is no .blend file in this folder" in capsys.readouterr().err
    assert cli.run(["export", str(tmp_path), str(tmp_path / "none")]) == 2
    assert cli.run(["check", str(tmp_path), "--jobs", "0"]) == 2
