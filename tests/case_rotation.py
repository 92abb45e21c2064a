"""Rotation of test cases, for runs in which all cases would take too long.

Differences between Blender versions do not depend on the game, so in an older version one case of every
second test is sufficient, with another game in each test. In the newest version, every combination of a
test's other arguments runs, each with another game; of many combinations, every second one runs. A bug in one
game only fails several tests. Fuzzing damages one file of each game. A number, such as that of the commit,
selects the cases, so that each commit runs others.

Tests whose lines other tests execute in less time are listed in `left_out.txt` (`tools/choose` writes it). Of
those, a few run in each turn.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from io_tomb_raider.formats import Game

from .sample_levels import SAMPLES


class _Named(Protocol):
    @property
    def nodeid(self) -> str: ...


class _Marked(_Named, Protocol):
    def get_closest_marker(self, name: str) -> object: ...


_Case = TypeVar("_Case", bound=_Named)


# Tests without Blender are fast, and all others rely on them.
_IN_BLENDER = ("tests/scene/", "tests/ui/")
_MANY = 3  # groups of cases
LEFT_OUT = Path(__file__).with_name("left_out.txt")
_TURNS = 20  # until each test that is left out has run


def add_options(parser: pytest.Parser) -> None:
    """Declare the pytest options of the rotation."""
    group = parser.getgroup("turns")
    group.addoption("--one-case", action="store_true", help="run one case of every second test, by turns")
    group.addoption(
        "--one-game", action="store_true", help="run what is tried in Blender with one game, by turns"
    )
    group.addoption(
        "--chosen", action="store_true", help="leave the tests in left_out.txt out, but some by turns"
    )
    group.addoption(
        "--turn", type=int, default=0, help="whose turn it is: with the next number, it is others'"
    )


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the cases that the rotation leaves out, if enabled."""
    left_out: set[pytest.Item] = set()
    turn = config.getoption("--turn")
    if config.getoption("--one-case"):
        left_out |= not_their_turn(items, _together, turn)
        left_out |= every_other_test(items, _together, turn)
    if config.getoption("--one-game"):
        left_out |= not_their_turn(items, with_another_level, turn)
        left_out |= not_their_turn(items, damaged_game, turn)
    if config.getoption("--chosen"):
        left_out |= redundant(items, LEFT_OUT.read_text(encoding="utf-8").splitlines(), turn)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def print_turn(reporter: pytest.TerminalReporter) -> None:
    """Print how to repeat a failed run with deselected cases, since the next commit selects other cases."""
    config = reporter.config
    chosen = [name for name in ("--one-case", "--one-game", "--chosen") if config.getoption(name)]
    if chosen and (reporter.stats.get("failed") or reporter.stats.get("error")):
        turn = config.getoption("--turn")
        reporter.write_line(
            f"This was turn {turn}: {' '.join(chosen)} --turn {turn} repeats this choice of cases.", red=True
        )


def not_their_turn(items: Iterable[_Case], group: Callable[[_Case], Hashable], turn: int = 0) -> set[_Case]:
    """Return all cases but one of each test and group. Cases with the group None are ignored."""
    tests: defaultdict[str, dict[Hashable, list[_Case]]] = defaultdict(dict)
    for item in items:
        of = group(item)
        if of is not None:
            tests[item.nodeid.partition("[")[0]].setdefault(of, []).append(item)
    left_out: set[_Case] = set()
    for name, groups in tests.items():
        # hash() would differ between the processes of a run.
        start = zlib.crc32(name.encode()) + turn
        for number, cases in enumerate(groups.values()):
            left_out.update(cases)
            if len(groups) <= _MANY or (start + number) % 2:
                # Of many groups, each runs in every second turn, with its next case.
                turns = start // 2 if len(groups) > _MANY else start
                left_out.remove(cases[(turns + number) % len(cases)])
    return left_out


def every_other_test(items: Iterable[_Case], group: Callable[[_Case], Hashable], turn: int = 0) -> set[_Case]:
    """Return the cases of every second test, except those with the group None."""
    names = ((item, item.nodeid.partition("[")[0]) for item in items if group(item) is not None)
    return {item for item, name in names if (zlib.crc32(name.encode()) // 2 + turn) % 2}


def redundant(items: Iterable[_Case], names: Iterable[str], turn: int = 0) -> set[_Case]:
    """Return the cases of the tests with these names, except those whose turn it is."""
    listed = {name for name in names if (zlib.crc32(name.encode()) + turn) % _TURNS}
    return {item for item in items if item.nodeid.partition("[")[0] in listed}


def _together(item: pytest.Item) -> Hashable:
    return None if item.get_closest_marker("everywhere") else ""


def with_another_level(item: _Marked) -> Hashable:
    """Return the arguments of a case without its level, or None if it runs with every level."""
    callspec = getattr(item, "callspec", None)
    if callspec is None or not item.nodeid.startswith(_IN_BLENDER):
        return None
    levels = {name for name, value in callspec.params.items() if _is_level(value)}
    # Tests of whole real levels, unlike those of one subject, run with each level.
    real = any(isinstance(callspec.params[name], Path) for name in levels)
    whole = real and not item.get_closest_marker("once")
    if whole or item.get_closest_marker("everywhere") or not levels:
        return None
    return tuple((name, repr(value)[:200]) for name, value in callspec.params.items() if name not in levels)


def damaged_game(item: _Marked) -> Hashable:
    """Return the game whose file a case damages, or None."""
    name = item.nodeid.partition("[")[2]
    return name[:3].lower() if item.get_closest_marker("fuzz") and name[:2].lower() == "tr" else None


def _is_level(value: object) -> bool:
    return isinstance(value, (Game, Path)) or (isinstance(value, str) and value in SAMPLES)
