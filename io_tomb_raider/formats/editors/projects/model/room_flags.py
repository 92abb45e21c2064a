"""Flags and light modes of a level's rooms, and the corresponding properties of a project's rooms.

One table serves both directions: compiling a project, and converting a level to a project.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ....base.games import Game
from ....levels.rooms.rooms import WATER
from .rooms import LightEffect, ProjectRoom, RoomType

ALWAYS = 0x40  # levels for the editor's engines have it in all rooms
SKYBOX = 0x08


class RoomFlag(NamedTuple):
    """A flag of rooms."""

    mask: int
    #: attribute, value: the corresponding property of a :class:`.rooms.ProjectRoom`.
    attribute: str
    value: int = True
    games: tuple[Game, ...] = tuple(Game)  #: the games that know it.
    trng: bool = False  #: whether only TRNG knows it.


_OLD, _NEW = (Game.TR1, Game.TR2, Game.TR3), (Game.TR4, Game.TR5)
# Of several flags for one property, the first one counts.
_FLAGS = (
    RoomFlag(WATER, "kind", RoomType.WATER),
    RoomFlag(0x80, "kind", RoomType.QUICKSAND, _OLD),
    RoomFlag(0x04, "kind", RoomType.QUICKSAND, _NEW),
    RoomFlag(0x800, "kind", RoomType.RAIN, trng=True),
    RoomFlag(0x400, "kind", RoomType.SNOW, trng=True),
    RoomFlag(SKYBOX, "horizon"),
    RoomFlag(0x20, "outside"),
    RoomFlag(0x80, "no_lens_flare", games=_NEW),
    RoomFlag(0x10, "damage", trng=True),
    RoomFlag(0x1000, "cold", trng=True),
)
# Effects share flags and light modes; the first effect is the usual one.
_GLOWS, _REFLECTS = 0x100, 0x200
_EFFECT_FLAGS: dict[int, int] = {
    LightEffect.MIST: _GLOWS,
    LightEffect.GLOW: _GLOWS,
    LightEffect.BOTH: _GLOWS,
    LightEffect.REFLECTION: _REFLECTS,
}
# The water scheme of rooms with these effects depends on water below them.
SCHEMES_OF_SURFACES = (LightEffect.DEFAULT, LightEffect.REFLECTION, LightEffect.MIST)
_LIGHT_MODES: dict[int, int] = {
    LightEffect.MOVEMENT: 1,
    LightEffect.GLOW: 2,
    LightEffect.MIST: 2,
    LightEffect.REFLECTION: 2,
    LightEffect.BOTH: 3,
}


def _flags_of_game(game: Game, trng: bool) -> Iterator[RoomFlag]:
    return (each for each in _FLAGS if game in each.games and (trng or not each.trng))


def resolved_effect(game: Game, room: ProjectRoom) -> int:
    """Return the effect of a room; the default is replaced by the effect of the room's kind."""
    if room.effect != LightEffect.DEFAULT:
        return room.effect
    if room.kind == RoomType.WATER:
        return LightEffect.DEFAULT if game.traits.has_effect_strengths else LightEffect.GLOW
    return LightEffect.MOVEMENT if room.kind == RoomType.QUICKSAND else LightEffect.NONE


def flags_of(room: ProjectRoom, game: Game, *, trng: bool) -> int:
    """Return the flags of a project's room in a level. `trng`: whether the level has the parts of TRNG."""
    flags = ALWAYS | _EFFECT_FLAGS.get(resolved_effect(game, room), 0)
    for each in _flags_of_game(game, trng):
        if getattr(room, each.attribute) == each.value:
            flags |= each.mask
    return flags


def properties_of(flags: int, game: Game, *, trng: bool) -> dict[str, Any]:
    """Return the properties of a room that its flags give, by their name in :class:`.rooms.ProjectRoom`."""
    result: dict[str, Any] = {}
    for each in _flags_of_game(game, trng):
        if flags & each.mask:
            result.setdefault(each.attribute, each.value)
    return result


def effect_of_flags(flags: int) -> int:
    """Return the effect of a level's room by its flags, or the default."""
    return next((effect for effect, mask in _EFFECT_FLAGS.items() if flags & mask), LightEffect.DEFAULT)


def light_mode_of(game: Game, room: ProjectRoom) -> int:
    """Return the light mode of a room, which TR2 has."""
    return _LIGHT_MODES.get(resolved_effect(game, room), 0) if game.traits.has_effect_strengths else 0


def effect_of_mode(mode: int) -> int:
    """Return the effect of a level's room by its light mode, or the default."""
    return next((effect for effect, each in _LIGHT_MODES.items() if each == mode), LightEffect.DEFAULT)
