"""Numbers of models with a meaning of their own, as in the catalogs of Tomb Editor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .....base.games import Game

Ranges = tuple[tuple[int, int], ...]  # first and last, inclusive

# The slots of AI objects, which have a list of their own.
AI_OBJECTS: Mapping[Game, range] = {Game.TR4: range(398, 407), Game.TR5: range(378, 387)}

# The models that levels have even if they are not placed.
_ESSENTIAL: Mapping[Game, Ranges] = {
    Game.TR1: (
        (0, 5), (39, 39), (71, 73), (81, 81), (83, 83), (95, 106), (108, 109), (114, 125), (127, 127),
        (145, 146), (150, 150), (166, 166), (169, 169), (172, 173), (189, 189), (207, 207),
    ),
    Game.TR2: (
        (0, 12), (61, 61), (91, 91), (97, 100), (120, 134), (152, 155), (157, 173), (182, 189), (201, 204),
        (207, 211), (218, 219), (223, 223), (225, 225), (235, 235), (240, 241), (245, 245), (247, 249),
        (254, 254), (262, 264),
    ),
    Game.TR3: (
        (0, 11), (13, 13), (48, 48), (90, 90), (123, 124), (145, 156), (158, 159), (179, 179), (181, 204),
        (209, 212), (217, 220), (228, 231), (238, 239), (244, 247), (272, 273), (276, 279), (285, 285),
        (300, 301), (306, 306), (309, 311), (315, 315), (317, 317), (355, 355), (357, 358), (366, 367),
    ),
    Game.TR4: ((0, 459), (461, 462), (465, 469), (471, 519)),
    Game.TR5: ((0, 454), (456, 457)),
}  # fmt: skip

# By the model with Lara's body, those that have the same skeleton.
_BODIES: Mapping[Game, Mapping[int, Ranges]] = {
    Game.TR1: {0: ((1, 5),)},
    Game.TR2: {0: ((1, 1), (3, 12), (225, 225), (263, 263)), 248: ((120, 121), (133, 133))},
    Game.TR3: {315: ((0, 1), (3, 11), (13, 13)), 71: ((123, 124),)},
    Game.TR4: {8: ((0, 7), (10, 20), (25, 29), (33, 33))},
    Game.TR5: {8: ((0, 7), (17, 20), (28, 29))},
}


def essential(game: Game) -> frozenset[int]:
    """Return the models that levels have even if they are not placed."""
    return frozenset(_members(_ESSENTIAL[game]))


def bodies(game: Game) -> dict[int, int]:
    """Return by model the one whose skeleton it has, if both have the same number of meshes."""
    return {slot: body for body, ranges in _BODIES[game].items() for slot in _members(ranges)}


def _members(ranges: Iterable[tuple[int, int]]) -> Iterator[int]:
    for first, last in ranges:
        yield from range(first, last + 1)
