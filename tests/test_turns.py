"""Each test has a case that is run, and each game its turn."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from .turns import not_their_turn

pytestmark = pytest.mark.once


@dataclass(frozen=True)
class Case:
    nodeid: str


GAMES = ["TR1", "TR2", "TR3", "TR4", "TR5"]
CASES = [Case(f"tests/test_a.py::test_{number}[{game}]") for number in range(40) for game in GAMES]


def chosen(cases: list[Case]) -> list[str]:
    left_out = not_their_turn(cases, lambda case: "")
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
