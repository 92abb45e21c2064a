"""Models, meshes, animations, states and sprites that the code of the games names.

The numbers are those that the games' code uses without asking whether they exist: bones to turn, meshes to
swap, animations to set. One table for checks, conversions, new levels and compilers.
"""

from __future__ import annotations

from typing import NamedTuple

from ...base.games import Game

PISTOLS, HAIR, JOINTS = 1, 30, 9
LARAS_ANIMATIONS = {Game.TR1: 160, Game.TR2: 217, Game.TR3: 312, Game.TR4: 445, Game.TR5: 474}
LARAS_MESHES = 15
# The numbers of states that the code of Lara knows.
STATES = {Game.TR1: 56, Game.TR2: 71, Game.TR3: 89, Game.TR4: 118, Game.TR5: 138}
SKIN = {Game.TR3: 315, Game.TR4: 8, Game.TR5: 8}
SKIES: dict[Game, tuple[int, ...]] = {
    Game.TR1: (),
    Game.TR2: (254,),
    Game.TR3: (355,),
    Game.TR4: (459,),
    Game.TR5: (454,),
}
# Games that draw the mesh of the sky without the key frames of its animation.
STILL_SKIES = frozenset({Game.TR4, Game.TR5})
WATERFALLS: dict[Game, tuple[int, ...]] = {
    Game.TR4: tuple(range(423, 426)),
    Game.TR5: tuple(range(410, 416)),
}
# Models without meshes that TR5 needs in some levels, and entities of these types far away.
HELPERS: dict[Game, tuple[int, ...]] = {Game.TR5: (434, 446)}
# Models that are never drawn.
CAMERA_TARGETS = {Game.TR1: 169, Game.TR2: 243}
# Doors that shut the sector next to them, and blocks that Lara pushes.
DOORS = {
    Game.TR1: range(57, 65),
    Game.TR2: range(106, 111),
    Game.TR3: range(131, 139),
    Game.TR4: range(322, 330),
    Game.TR5: range(284, 312, 2),
}
PUSHABLES = {
    Game.TR1: range(48, 52),
    Game.TR2: range(67, 71),
    Game.TR3: range(97, 101),
    Game.TR4: range(156, 161),
    Game.TR5: range(137, 142),
}


class EffectSprites(NamedTuple):
    """The sprites that effects take by their number in a sequence."""

    #: the ids of the sequence: that of the game, then those that its levels have instead.
    sequences: tuple[int, ...]
    least: int  #: the least number of sprites.


EFFECT_SPRITES = {
    Game.TR3: EffectSprites((296,), 19),
    Game.TR4: EffectSprites((463,), 29),
    Game.TR5: EffectSprites((458, 463), 29),
}

# The models of items in the inventory of which levels have the sprites: first and last, and the distance to
# the slots of the sprites.
_PICKUPS: dict[Game, tuple[tuple[int, int, int], ...]] = {
    Game.TR1: (
        (99, 102, -15), (104, 106, -15), (108, 109, -15), (114, 117, -4), (127, 127, -1), (133, 136, -4),
        (148, 150, -7),
    ),
    Game.TR2: (
        (120, 121, 70), (133, 133, 59), (157, 163, -22), (165, 173, -22), (178, 181, -4), (197, 200, -4),
        (207, 208, -2),
    ),
}  # fmt: skip

# Games that show an item that is picked up with the first animation of its model in the menu.
SHOWN_ANIMATED = frozenset({Game.TR1})

# Models that come with others: the model, and any of the models that it needs.
COMPANIONS: dict[Game, tuple[tuple[int, tuple[int, ...]], ...]] = {
    Game.TR2: ((17, (16,)), (18, (16,)), (41, (42,)), (43, (44,)), (50, (49,)), (22, (23,))),
    Game.TR3: ((71, (123,)), (70, (122,))),
    Game.TR4: ((39, (417,)), (40, (417,)), (37, (418,)), (38, (418,))),
}

# The states of Lara's animations 0 to 159 in all games; TR1 and TR2 have state 10 at 150.
_LARAS_STATES = """
1 0 0 0 0 0 1 0 1 0 1 2 6 7 2 2 3 3 3 3 0 0 9 9 2 8 19 28 28 10 9 2 9 9 3 3 9 9 16 16 16 16 2 1 20 9 3
45 45 9 2 2 1 2 2 1 1 0 0 0 0 16 16 40 41 22 22 21 21 20 24 24 24 15 25 25 3 3 27 27 26 26 2 9 9 9 17 18
5 5 5 28 1 29 11 11 10 19 9 2 11 11 19 2 32 32 32 13 13 17 33 55 35 35 33 35 34 33 34 35 38 38 37 36 44
0 0 0 0 40 39 42 44 8 43 39 30 31 8 46 47 47 47 48 49 8 45 23 2 8 10 45 35 53 35 8 52 52 52 54
"""
LARAS_STATES = tuple(map(int, _LARAS_STATES.split()))
HANG_START = 150  # the animation whose state differs between games
# Its values in TR1 and TR2: the state, the next animation, and its frame.
HANG_STATE, HANG, HANG_FRAME = 10, 96, 21

# Models that a game's code takes apart: slot, least number of meshes, least number of animations.
_MODELS = {
    Game.TR1: """
    7:4:21 8:15:0 15:15:20 18:13:0 19:23:10 20:4:0 23:12:9 24:4:0 27:8:16 28:8:13 30:2:14 31:2:8 32:2:15
    33:4:0 34:3:14
    """,
    Game.TR2: """
    11:0:19 15:21:14 16:2:0 17:2:0 18:2:0 19:10:24 20:0:33 21:5:10 22:12:0 25:11:5 26:0:4 27:0:3 28:8:7
    29:16:17 30:15:19 31:15:20 32:0:31 34:15:20 36:0:3 37:0:3 39:23:12 41:14:49 43:18:0 45:16:36 46:16:21
    48:10:15 49:10:0 50:10:0 80:0:4 81:0:3 82:0:4 214:13:0
    """,
    Game.TR3: """
    0:2:0 7:0:2 10:0:5 15:3:0 18:0:3 19:0:14 20:15:0 21:15:0 22:4:0 23:5:10 26:0:17 27:0:15 28:23:12 29:0:9
    32:9:5 34:4:0 35:11:32 36:9:0 37:9:13 39:15:29 40:9:13 41:4:0 42:11:0 44:0:6 45:9:0 46:9:0 50:9:0
    51:9:0 53:15:31 56:15:20 57:15:22 60:15:31 61:15:20 62:15:31 63:9:0 64:3:2 65:15:28 69:8:0 70:27:15
    71:9:23 73:15:0 111:0:3 287:24:0 288:27:0 361:0:17
    """,
    Game.TR4: """
    0:2:91 4:0:3 6:0:4 8:2:0 9:2:0 29:0:3 30:2:0 31:9:0 32:14:0 34:14:0 35:0:48 37:22:62 39:22:53 41:24:0
    43:24:0 45:0:26 47:20:21 49:0:2 51:12:18 53:0:30 55:0:8 59:9:29 61:16:3 63:9:0 65:0:11 67:0:32 73:15:7
    75:0:6 77:22:0 79:22:0 81:22:0 84:0:6 90:0:6 91:4:0 93:11:9 95:9:29 97:0:4 102:11:8 104:2:0 106:0:6
    112:5:0 138:0:2 162:5:0 172:0:2 316:0:7
    """,
    Game.TR5: """
    0:2:0 5:11:0 8:2:0 9:2:0 29:0:3 30:2:0 31:15:0 33:15:12 35:15:0 37:15:63 39:9:7 41:21:14 43:21:15
    45:9:16 47:12:13 49:15:0 51:15:0 53:15:0 55:15:0 57:21:0 59:15:17 61:15:17 63:10:16 67:15:70 69:15:0
    71:11:0 73:10:0 75:0:2 77:11:0 79:11:2 81:3:0 83:15:6 85:21:0 87:15:12 89:11:46 91:3:0 97:10:0 274:0:2
    277:0:7
    """,
}


class Needs(NamedTuple):
    """The parts of a model that the code of its slot names."""

    #: meshes, animations: the least numbers, 0 for any.
    meshes: int
    animations: int


def _parse(text: str) -> dict[int, Needs]:
    rows = (tuple(map(int, each.split(":"))) for each in text.split())
    return {slot: Needs(meshes, animations) for slot, meshes, animations in rows}


MODELS: dict[Game, dict[int, Needs]] = {game: _parse(text) for game, text in _MODELS.items()}


def pickups(game: Game) -> dict[int, int]:
    """Return the types of the entities of items, by those of their models in the menu.

    Levels of TR1 and TR2 have a sprite and a model for each, with two types; other games have one type.
    """
    return {
        slot: slot + shift for first, last, shift in _PICKUPS.get(game, ()) for slot in range(first, last + 1)
    }
