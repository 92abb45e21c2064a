"""The rest animation of models."""

from __future__ import annotations

import pytest

from io_tomb_raider.catalogue.standing import idle_animation
from io_tomb_raider.formats import Game


@pytest.mark.parametrize(
    ("game", "model", "states", "names", "number"),
    [
        (Game.TR1, 0, [1] * 20, {}, 11),  # Lara, as the engines start her
        (Game.TR1, 0, [1] * 5, {}, 0),  # a cutscene actor has no such animation
        (Game.TR3, 53, [0] * 30, {}, 6),
        (Game.TR2, 53, [0] * 30, {}, 0),
        (Game.TR4, 200, [4, 7, 2, 2], {2: "Stop", 7: "Wait", 4: "Run"}, 2),
        (Game.TR4, 200, [4, 9], {4: "Run", 9: "Stop attack"}, 0),
        (Game.TR5, 39, [1, 1, 3], {3: "Stand"}, 2),  # fewer animations than the engine expects
    ],
)
def test_idle_animations_are_those_of_the_game(
    game: Game, model: int, states: list[int], names: dict[int, str], number: int
) -> None:
    assert idle_animation(game, model, states, names) == number
