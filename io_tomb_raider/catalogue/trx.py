"""Slots of models and entities that the engine TRX knows.

It does not start levels of TR1 with others. Entities of TR4 with others become targets of cameras there.
"""

from __future__ import annotations

from ..formats.base import Game


def _numbers(ranges: str) -> frozenset[int]:
    """Return the numbers of ranges: "1 3-5" are 1, 3, 4 and 5."""
    ends = (each.split("-") for each in ranges.split())
    return frozenset(number for each in ends for number in range(int(each[0]), int(each[-1]) + 1))


_SLOTS = {
    Game.TR1: frozenset(range(329)) - _numbers("92 107 174-175 195-200 226-240"),
    # As listed in its catalog of November 2026.
    Game.TR4: frozenset(range(542))
    - _numbers(
        "9-16 25-27 29 31-32 34-36 38 40-46 48-50 52-72 74-89 92 94-105 107-113 116 120-121 129 131 135-139 "
        "141 145 147 149 154-155 160-161 164-174 247-251 258-259 312-313 316 340-348 374 376-379 389-390 396 "
        "413-416 426 460 462 464"
    )
    - frozenset(range(428, 459, 2)),
}


def is_known(game: Game, slot: int) -> bool:
    """Return whether TRX knows a slot of a game. All slots of games without a list count as known."""
    return game not in _SLOTS or slot in _SLOTS[game]
