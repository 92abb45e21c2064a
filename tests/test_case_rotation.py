"""Tests of the rotation of cases: each test has a case that runs, and each game has its turn."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest

import build
from io_tomb_raider.formats import Game

from .case_rotation import (
    LEFT_OUT,
    damaged_game,
    every_other_test,
    not_their_turn,
    redundant,
    with_another_level,
)

pytestmark = pytest.mark.once


@dataclass(frozen=True)
class Case:
    nodeid: str


GAMES = ["TR1", "TR2", "TR3", "TR4", "TR5"]
CASES = [Case(f"tests/test_a.py::test_{number}[{game}]") for number in range(40) for game in GAMES]


def chosen(cases: list[Case], turn: int = 0) -> list[str]:
    left_out = not_their_turn(cases, lambda case: "", turn)
    return [case.nodeid for case in cases if case not in left_out]


def test_one_case_of_each_test_is_run_and_every_game_has_its_turn() -> None:
    names = [name.partition("[") for name in chosen(CASES)]
    assert [name for name, _, _ in names] == [f"tests/test_a.py::test_{number}" for number in range(40)]
    assert {game for _, _, game in names} == {f"{game}]" for game in GAMES}


def test_a_test_without_cases_is_run() -> None:
    assert chosen([Case("tests/test_a.py::test_alone")]) == ["tests/test_a.py::test_alone"]


def test_all_processes_choose_the_same() -> None:
    assert chosen(CASES[:5]) == ["tests/test_a.py::test_0[TR4]"]


def test_groups_have_turns_of_their_own_and_those_without_a_group_stay() -> None:
    old, none = CASES[:2], CASES[4]
    left_out = not_their_turn(CASES[:5], lambda case: None if case is none else case in old)
    assert [len(left_out.intersection(each)) for each in (old, CASES[2:4])] == [1, 1]
    assert none not in left_out


def test_every_case_runs_within_a_rotation() -> None:
    ten = [chosen(CASES[:10], turn) for turn in range(5)]
    assert sorted(name for names in ten for name in names) == sorted(case.nodeid for case in CASES[:10])


@dataclass(frozen=True)
class Callspec:
    params: dict[str, object]


@dataclass(frozen=True)
class Item:
    """The part of a pytest item that the rotation uses."""

    nodeid: str
    callspec: Callspec
    marks: tuple[str, ...] = ()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None

    def __hash__(self) -> int:
        return hash(self.nodeid)


def items(test: str, *marks: str, **arguments: Sequence[object]) -> list[Item]:
    """Return the cases of a test with all combinations of some arguments."""
    combined = [dict(zip(arguments, values, strict=True)) for values in product(*arguments.values())]
    return [Item(f"{test}[{number}]", Callspec(each), marks) for number, each in enumerate(combined)]


def test_every_second_test_is_run_in_turns() -> None:
    left_out = [every_other_test(CASES, lambda case: "", turn) for turn in range(2)]
    assert left_out[0] | left_out[1] == set(CASES) and not left_out[0] & left_out[1]
    assert 10 < len({case.nodeid.partition("[")[0] for case in left_out[0]}) < 30
    assert every_other_test(CASES, lambda case: None) == set()


def test_tests_that_are_left_out_have_their_turn() -> None:
    names = sorted({case.nodeid.partition("[")[0] for case in CASES})[:30]
    left_out = [redundant(CASES, names, turn) for turn in range(20)]
    listed = {case for case in CASES if case.nodeid.partition("[")[0] in names}
    assert all(each <= listed and len(each) > len(listed) / 2 for each in left_out)
    assert set.intersection(*left_out) == set()


def test_the_tests_that_are_left_out_exist() -> None:
    names = LEFT_OUT.read_text(encoding="utf-8").splitlines()
    assert len(names) == len(set(names)) and names == sorted(names)
    for name in names:
        path, _, function = name.partition("::")
        code = (build.ROOT / path).read_text(encoding="utf-8")
        assert f"def {function.rpartition('::')[2]}(" in code, name


def test_damage_is_done_to_a_file_of_each_game() -> None:
    files = ("tr1", "tr1-demo", "tr4", "tr4-trng", "tr4_test1.tr4", "CUTSEQ")
    cases = [Item(f"tests/a.py::test_damage[{name}]", Callspec({}), ("fuzz",)) for name in files]
    tried = [set(cases) - not_their_turn(cases, damaged_game, turn) for turn in range(3)]
    assert [sorted(str(damaged_game(case) or "") for case in each) for each in tried] == [
        ["", "tr1", "tr4"]
    ] * 3
    assert set().union(*tried) == set(cases)


@pytest.mark.parametrize(
    ("cases", "run"),
    [
        (items("tests/scene/test_a.py::test_edits", edit=[len, max], game=list(Game)), 2),
        (items("tests/scene/test_a.py::test_many", edit=[*range(6)], game=list(Game)), 3),
        (items("tests/ui/test_a.py::test_samples", sample=["tr1", "tr4-trng"]), 1),
        (items("tests/scene/test_a.py::test_words", word=["one", "two"]), 2),
        (items("tests/scene/test_a.py::test_kept", "everywhere", game=list(Game)), 5),
        (items("tests/formats/test_a.py::test_edits", edit=[len, max], game=list(Game)), 10),
        (items("tests/scene/test_a.py::test_subject", "once", level_path=[Path("a.phd"), Path("b.phd")]), 1),
        (items("tests/scene/test_a.py::test_whole", level_path=[Path("a.phd"), Path("b.phd")]), 2),
    ],
    ids=lambda value: value[0].nodeid.partition("[")[0] if isinstance(value, list) else str(value),
)
def test_each_edit_is_tried_with_one_game_and_in_the_end_with_all(cases: list[Item], run: int) -> None:
    tried = [set(cases) - not_their_turn(cases, with_another_level, turn) for turn in range(10)]
    assert [len(each) for each in tried] == [run] * 10
    assert set().union(*tried) == set(cases)


_CONFTEST = """
from tests import case_rotation
pytest_addoption = case_rotation.add_options

def pytest_terminal_summary(terminalreporter):
    case_rotation.print_turn(terminalreporter)
"""


@pytest.mark.parametrize(
    ("options", "passes", "printed"),
    [
        (["--one-case", "--turn", "7"], False, "turn 7: --one-case --turn 7 repeats"),
        (["--one-game", "--turn", "8", "-n1"], False, "turn 8: --one-game --turn 8 repeats"),
        (["--one-game", "--turn", "8"], True, ""),
        (["--turn", "8"], False, ""),
    ],
)
def test_a_failing_run_prints_its_turn(
    tmp_path: Path, options: list[str], passes: bool, printed: str
) -> None:
    (tmp_path / "conftest.py").write_text(_CONFTEST)
    (tmp_path / "test_it.py").write_text(f"def test_it(): assert {passes}")
    environ = {**os.environ, "PYTHONPATH": str(build.ROOT)}
    command = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path), str(tmp_path), *options]
    answer = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert answer.returncode == (0 if passes else 1), answer.stderr
    assert printed in answer.stdout and ("turn" in answer.stdout) == bool(printed)
