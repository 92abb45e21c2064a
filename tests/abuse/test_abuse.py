"""Tests of random user actions: levels stay valid, and everything that is not edited stays unchanged."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from io_tomb_raider.formats import Game, read_level
from tests.games import each_game
from tests.real_levels import LEVEL_SUFFIXES, each_real_level, real_injections

from .fuzz_session import FuzzSession
from .machine import UserSession
from .watched import RandomSession


def live(kind: type[RandomSession], name: str, among: int, **facts: object) -> None:
    """Run random sequences on a level: the profile's number of examples, divided by ``among``."""
    counts: Counter[str] = Counter()
    machine = type(f"{kind.__name__}{name}", (kind,), {**facts, "counts": counts})
    # Failures are reported in at most 25 steps. Shrinking them would first try a hundred other sequences.
    chosen = settings(
        stateful_step_count=25,
        max_examples=max(1, settings().max_examples // among),
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
    )
    try:
        run_state_machine_as_test(machine, settings=chosen)
    finally:
        print(f"{name}: {counts['steps']} steps in {counts['sequences']} sequences")  # shown with -rP


@each_game
def test_a_level_survives_random_edits(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    live(UserSession, game.name, 20, game=game, folder=tmp_path)


@each_real_level
def test_a_real_level_survives_random_edits(blender: ModuleType, tmp_path: Path, level_path: Path) -> None:
    live(UserSession, "OfRealLevel", 100, game=read_level(level_path).game, folder=tmp_path, level=level_path)


_FOR_TRX = [each for each in real_injections() if each.suffix.lower() in LEVEL_SUFFIXES]


@pytest.mark.parametrize("level_path", _FOR_TRX, ids=[each.name for each in _FOR_TRX])
def test_a_level_for_trx_survives_random_edits(blender: ModuleType, tmp_path: Path, level_path: Path) -> None:
    live(UserSession, "ForTrx", 50, game=read_level(level_path).game, folder=tmp_path, level=level_path)


@each_game
def test_changed_bytes_are_imported_or_refused_with_a_message(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    live(FuzzSession, game.name, 20, game=game, folder=tmp_path)


@each_real_level
def test_changed_bytes_of_real_levels_are_imported_or_refused_with_a_message(
    blender: ModuleType, tmp_path: Path, level_path: Path
) -> None:
    live(FuzzSession, "OfRealLevel", 100, game=read_level(level_path).game, folder=tmp_path, level=level_path)
