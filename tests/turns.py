"""Which of a test's cases are run where all of them would take too long: a few, by turns.

What a Blender does differently it does in every game, so in an older one a single case of a test is enough,
of another game in each test. What one subject does with a real level is asked of one level of each game, and
of another one in each test, so that all levels have their turns.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

import pytest

from io_tomb_raider.formats import FormatError, Game, read_level


class _Named(Protocol):
    @property
    def nodeid(self) -> str: ...


_Case = TypeVar("_Case", bound=_Named)


def add_options(parser: pytest.Parser) -> None:
    """Declare the options of pytest that ask for turns."""
    group = parser.getgroup("turns")
    group.addoption("--one-case", action="store_true", help="run one case of each test, by turns")
    group.addoption("--one-level", action="store_true", help="one real level of each game for a subject")


def choose(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out all cases whose turn it is not, where that was asked for."""
    left_out: set[pytest.Item] = set()
    if config.getoption("--one-case"):
        left_out |= not_their_turn(items, lambda item: None if item.get_closest_marker("everywhere") else "")
    if config.getoption("--one-level"):
        left_out |= not_their_turn(items, _game_of_real_level)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def not_their_turn(items: Iterable[_Case], group: Callable[[_Case], Hashable]) -> set[_Case]:
    """Return all cases but one of each test and group. Those of the group None are none of its business."""
    cases: defaultdict[tuple[str, Hashable], list[_Case]] = defaultdict(list)
    for item in items:
        of = group(item)
        if of is not None:
            cases[item.nodeid.partition("[")[0], of].append(item)
    # Not by hash(), which every process of a run salts with another value.
    turns = {key: zlib.crc32(key[0].encode()) % len(each) for key, each in cases.items()}
    return {item for key, each in cases.items() for turn, item in enumerate(each) if turn != turns[key]}


def _game_of_real_level(item: pytest.Item) -> Hashable:
    """Return the game of the real level that a test of one subject is about, else None."""
    callspec = getattr(item, "callspec", None)
    path = callspec.params.get("level_path") if callspec is not None else None
    return _game(path) if isinstance(path, Path) and item.get_closest_marker("once") else None


_games: dict[Path, Game | None] = {}


def _game(path: Path) -> Game | None:
    if path not in _games:
        try:
            _games[path] = read_level(path.read_bytes()).game
        except FormatError:
            _games[path] = None
    return _games[path]
