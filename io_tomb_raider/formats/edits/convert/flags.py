"""Conversion of flags: those with the same meaning are kept (chapters 3.2.1, 7.4 and 9.5 to 9.8)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.games import Game
from ...base.targets import flyby_game

_DRAWN = 2  # of static meshes: games that read the flags draw nothing without it
_NO_COLLISION = 1  # of static meshes
_CLEARS_BODY, _INVISIBLE, _MASK = 0x80, 0x100, 0x3E00  # of entities
_LOWER = 8  # how many bits lower the mask of AI objects is than that of entities
_LOCKED, _SNIPER = 1, 2  # of fixed cameras, the second one in TR5 only
_OTHER_FLYBY = 0x2 | 0x10 | 0x100 | 0x3000  # of flyby cameras: TR4 and TR5 give these other meanings
_WAVES = 0x6000  # of vertices in TR3 and TR4: movement and glow


def entity_flags(flags: int, source: Game, target: Game) -> int:
    """Return the flags of an entity: mask and visibility have the same meaning in all games."""
    mask = _MASK | _INVISIBLE
    if source.traits.clears_bodies and target.traits.clears_bodies:
        mask |= _CLEARS_BODY
    return flags & mask


def is_invisible(flags: int) -> bool:
    """Return whether an entity appears when it is activated."""
    return flags & _INVISIBLE != 0


def is_active(flags: int) -> bool:
    """Return whether an entity is active when the level starts."""
    return flags & _MASK == _MASK


def ai_object_flags(flags: int) -> int:
    """Return the flags of an entity that becomes an AI object."""
    return (flags & _MASK) >> _LOWER


def flags_of_ai_object(flags: int) -> int:
    """Return the flags of an AI object that becomes an entity."""
    return (flags << _LOWER) & _MASK


def static_mesh_flags(flags: int, target: Game) -> int:
    """Return the flags of a static mesh with which the game draws it."""
    return flags | _DRAWN if target.traits.has_static_mesh_flags else flags


def is_walked_through(flags: int, game: Game) -> bool:
    """Return whether the flags of a static mesh say that it has no collision."""
    return bool(game.traits.has_static_mesh_flags and flags & _NO_COLLISION)


def collision_flags(flags: int, on: bool) -> int:
    """Return the flags of a static mesh with or without collision."""
    return flags & ~_NO_COLLISION | (0 if on else _NO_COLLISION)


def camera_flags(flags: int, target: Game) -> int:
    """Return the flags of a fixed camera."""
    return flags & (_LOCKED | _SNIPER if target.traits.has_sniper_cameras else _LOCKED)


def flyby_flags(flags: int, source: Game, target: Game) -> int:
    """Return the flags of a flyby camera without those that have another meaning in the target game."""
    return flags if flyby_game(source) is flyby_game(target) else flags & ~_OTHER_FLYBY


def has_waves(game: Game) -> bool:
    """Return whether vertices of rooms can move and glow."""
    return game.traits.has_vertex_attributes and game.traits.has_color_light


def vertex_flags(flags: NDArray[Any], source: Game, target: Game) -> tuple[NDArray[np.int32], bool]:
    """Return the flags of vertices, (n,), and whether movement or glow is lost. `flags`: (n,) of a room."""
    waves = (flags & _WAVES).astype(np.int32)
    if has_waves(source) and has_waves(target):
        return waves, False
    return np.zeros_like(waves), has_waves(source) and bool(waves.any())
