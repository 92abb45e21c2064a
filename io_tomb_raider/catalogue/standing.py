"""The idle animation of models, with which the games start their entities.

Entities begin with animation 0 of their model unless the code of their class sets another one.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..formats.base import Game

_LARA = {0: 11}
_STARTED: dict[Game, dict[int, int]] = {
    Game.TR1: _LARA,
    Game.TR2: _LARA | {38: 14, 47: 5},
    Game.TR3: _LARA
    | dict.fromkeys((22, 41), 8)
    | dict.fromkeys((37, 40, 51, 63), 12)
    | dict.fromkeys((53, 60, 62, 65), 6)
    | dict.fromkeys((44, 69, 71, 111), 2)
    | {27: 14, 29: 5, 64: 1, 70: 14, 108: 3, 282: 1},
    Game.TR4: _LARA
    | dict.fromkeys((41, 43), 18)
    | dict.fromkeys((55, 61, 65, 67, 106), 2)
    | dict.fromkeys((53, 91, 93), 8)
    | dict.fromkeys((59, 95), 12)
    | dict.fromkeys((37, 45, 75), 4)
    | dict.fromkeys((49, 172), 1)
    | dict.fromkeys((84, 165), 3)
    | {34: 14, 39: 11, 47: 19, 73: 6, 90: 5},
    Game.TR5: _LARA | dict.fromkeys((75, 79), 1) | {39: 6, 41: 10, 43: 14, 61: 16, 67: 4, 85: 8},
}
_STATES = ("Stand", "Stop", "Idle", "Wait")


def idle_animation(game: Game, model: int, states: list[int], names: Mapping[int, str]) -> int:
    """Return the number of a model's idle animation.

    Args:
        states: the state of each animation of the model, at least one.
        names: by state.
    """
    number = _STARTED[game].get(model, 0)
    if 0 < number < len(states):
        return number
    for name in _STATES:
        result = next((index for index, state in enumerate(states) if names.get(state) == name), None)
        if result is not None:
            return result
    return 0
