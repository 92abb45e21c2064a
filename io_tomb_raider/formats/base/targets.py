"""Engines that a level can be for, and their limits."""

from enum import Enum
from typing import NamedTuple

from .games import Game

MOST_ROOMS = 1024  # in the engine with the largest array of rooms


class Target(Enum):
    """The engine that a level is for."""

    ORIGINAL = "the original game"
    TRX = "TRX"


class Limits(NamedTuple):
    """What an engine has room for; None where only memory and the file format limit it."""

    rooms: int | None  #: rooms of a level.
    entities: int | None  #: entities, with those that the game creates.
    static_meshes: int | None  #: the number of ids of static meshes.
    sprites: int | None  #: pictures of sprites.
    boxes: int | None  #: boxes of the ways of enemies.
    object_textures: int | None
    pages: int | None  #: texture pages.
    samples: int | None  #: samples of a level.
    vertices: int | None = None  #: vertices of a room.
    lights: int = 20  #: lights of a room that are safe, in the engines' lists and in level editors.
    flip_maps: int = 10  #: numbers of flip maps.
    flybys: int | None = 0  #: flyby cameras of a level.
    flyby_sequences: int | None = None  #: numbers of flyby sequences.
    placements: int | None = None  #: static meshes in all rooms together.
    trigger_type: int | None = None  #: the highest type of triggers, None for that of the game.
    #: the fields above whose excess stops the engine with an error message. Others may work.
    refused: frozenset[str] = frozenset()


_TRX = Limits(
    rooms=MOST_ROOMS,
    entities=10240,
    static_meshes=None,
    sprites=None,
    boxes=None,
    object_textures=0x7FFF,
    pages=128,
    samples=1000,
    vertices=0x7FFF,
    placements=10240,
    trigger_type=0x10,
    refused=frozenset({"rooms", "entities", "placements", "object_textures", "vertices"}),
)

# Rooms: sectors store those above and below in a byte, with one value for none.
_LIMITS = {
    Target.ORIGINAL: {
        Game.TR1: Limits(255, 256, 50, 512, 0x7FFF, 2048, 16, 256, vertices=1500),
        Game.TR2: Limits(255, 256, 50, 512, 0x7FFF, 2048, 32, 370, vertices=1500),
        Game.TR3: Limits(255, 256, 50, 512, 0x7FF, 4096, 32, 500, vertices=1500),
        Game.TR4: Limits(255, 256, 60, None, 0x7FF, 0x7FFF, 0x7FFF, 256, flybys=128, flyby_sequences=8),
        Game.TR5: Limits(255, 256, 70, None, 0x7FF, 0x3FFF, 0x7FFF, 256, flybys=256, flip_maps=255),
    },
    Target.TRX: {
        **{game: _TRX for game in Game if game.traits.has_trx},
        # Sectors name rooms in a byte, and no edits have others.
        Game.TR4: _TRX._replace(rooms=255, pages=None, trigger_type=None, flybys=None),
    },
}


def limits_of(target: Target, game: Game) -> Limits:
    """Return the limits of a target for a game; those of the original where the target lacks the game."""
    return _LIMITS[target].get(game, _LIMITS[Target.ORIGINAL][game])


def is_for_trx(target: Target, game: Game) -> bool:
    """Return whether a level of a game is for TRX, and has edits that TRX makes."""
    return target is Target.TRX and game.traits.has_trx


def sector_game(game: Game, target: Target) -> Game:
    """Return the game whose shapes and marks of sectors a level can have: for TRX, those of TR3."""
    return Game.TR3 if is_for_trx(target, game) else game


def flyby_game(game: Game) -> Game:
    """Return the game whose rules the flyby cameras of a game follow: TRX has those of TR4."""
    return Game.TR4 if game.traits.has_trx else game


# The targets of projects of level editors. The number that Tomb Editor gives TR3X is not known.
PROJECT_TARGETS = {
    **{game.name: (game, Target.ORIGINAL) for game in Game},
    **{f"{game.name}X": (game, Target.TRX) for game in (Game.TR1, Game.TR2, Game.TR3)},
    "TRNG": (Game.TR4, Target.ORIGINAL),
}
