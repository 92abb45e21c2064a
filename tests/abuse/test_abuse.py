"""Whatever people do, one thing after another: levels stay whole, and what is not touched as it was."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from io_tomb_raider.formats import Game
from tests.games import each_game

from .machine import Person


@each_game
def test_a_level_survives_what_people_do(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    machine = type(f"Person{game.name}", (Person,), {"game": game, "folder": tmp_path})
    # What fails is reported in at most 25 steps. Shrinking that would try a hundred others first.
    chosen = settings(
        stateful_step_count=25,
        max_examples=max(1, settings().max_examples // 20),
        phases=(Phase.explicit, Phase.reuse, Phase.generate),
    )
    run_state_machine_as_test(machine, settings=chosen)
