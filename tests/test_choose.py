"""Tests of the choice of tests: by the lines that they execute, for their time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import build
from tools.choose.__main__ import Function, choose, functions
from tools.choose.recorder import PACKAGE, read

pytestmark = pytest.mark.once


def _function(name: str, seconds: float, *lines: int) -> Function:
    return Function(name, seconds, np.array(lines, np.int32))


def test_cases_of_a_function_count_together() -> None:
    cases = {
        "a.py::test_x[TR1]": (1.0, np.array([1, 2], np.int32)),
        "a.py::test_x[TR2]": (2.0, np.array([2, 3], np.int32)),
        "a.py::test_y": (0.5, np.array([4], np.int32)),
    }
    found = [(each.name, each.seconds, each.lines.tolist()) for each in functions(cases)]
    assert found == [("a.py::test_x", 3.0, [1, 2, 3]), ("a.py::test_y", 0.5, [4])]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0, ["text"]),
        (12.0, ["text", "fast", "again"]),
        (19.0, ["text", "fast", "again", "only"]),
        (100.0, ["text", "fast", "again", "only", "slow"]),
    ],
)
def test_lines_are_executed_in_the_least_time_and_then_once_more(seconds: float, expected: list[str]) -> None:
    candidates = [
        _function("slow", 50.0, 0, 1, 2),
        _function("fast", 1.0, 0, 1, 2),
        _function("again", 2.0, 0, 1),
        _function("only", 9.0, 3),
        _function("text", 7.0),
    ]
    assert [each.name for each in choose(candidates, 4, seconds)] == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12")
@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_lines_are_recorded_for_each_test(tmp_path: Path, processes: str) -> None:
    module = tmp_path / "test_them.py"
    module.write_text(
        "from io_tomb_raider.formats.base.bytes.bits import Bits\n"
        "def test_one(): assert Bits(3).of(8) == 1\n"
        "def test_two(): assert Bits(3).of(8) == 1\n"
        "def test_none(): pass\n"
    )
    folder = tmp_path / "executed"
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path), str(module)]
    options = ["-p", "tools.choose.recorder", "--executed", str(folder), processes]
    answer = subprocess.run([*command, *options], cwd=build.ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    tests, lines = read(folder)
    executed = {name.partition("::")[2]: {lines[each] for each in of} for name, (_, of) in tests.items()}
    assert executed["test_one"] == executed["test_two"] != set()
    assert executed["test_none"] == set()
    assert all((PACKAGE / name).is_file() for name, _ in lines)
