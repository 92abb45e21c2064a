"""Zones of each game by kind of character, in the order of the file (documentation, chapter 7.3)."""

from __future__ import annotations

from ....formats import Game
from ....formats.base import T

Item = tuple[str, str, str, int]

_FLYERS = T("Flying and swimming characters")
_TR1: list[Item] = [
    ("GROUND_1", "Walkers, One Step", "Wolves, bears and most other animals: steps of one click", 0),
    ("GROUND_2", "Walkers, Two Steps", "Lara's human enemies: steps of two clicks", 1),
    ("FLY_1", "Flyers and Swimmers", _FLYERS, 2),
]
_TR2: list[Item] = [
    ("GROUND_1", "Walkers, One Step", "Characters who take steps of one click: most of them", 0),
    ("GROUND_2", "Walkers, Two Steps", "Characters who take steps of two clicks", 1),
    ("GROUND_3", "Walkers, Three Steps", "Characters who take steps of three clicks", 3),
    ("GROUND_4", "Climbers, Four Steps", "Characters who climb steps of four clicks", 4),
    ("FLYER", "Flyers and Swimmers", _FLYERS, 14),
]
_TR4: list[Item] = [
    ("SKELETON", "Skeletons", "Characters of the first kind: skeletons", 10),
    ("BASIC", "Walkers", "Characters of the second kind: most of them", 11),
    ("CROCODILE", "Crocodiles", "Characters of the third kind: crocodiles", 12),
    ("HUMAN", "Climbers", "Characters of the fourth kind, which climb", 13),
    ("FLYER", "Flyers and Swimmers", _FLYERS, 14),
]
ZONE_KINDS = {Game.TR1: _TR1, Game.TR2: _TR2, Game.TR3: _TR2, Game.TR4: _TR4, Game.TR5: _TR4}
# Shown by default: the zones of most characters.
USUAL_ZONES = {
    Game.TR1: "GROUND_1",
    Game.TR2: "GROUND_1",
    Game.TR3: "GROUND_1",
    Game.TR4: "BASIC",
    Game.TR5: "BASIC",
}
