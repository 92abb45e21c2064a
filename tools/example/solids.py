"""Meshes of the example level under construction: vertices in units of the game, and faces with tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

# A place on a tile in its pixels: (0, 0) is the top left corner of a tile, (64, 64) the other.
Uv = tuple[float, float]


@dataclass(frozen=True)
class Face:
    """A triangle or quad: its corners clockwise as seen from outside, its tile, and a place on it each.

    Attributes:
        shine: 0 to 31, how much it reflects; games before TR4 ignore it.
        both_sides: whether it is seen from behind, too.
    """

    corners: tuple[int, ...]
    tile: str
    uvs: tuple[Uv, ...]
    shine: int = 0
    both_sides: bool = False


@dataclass
class Solid:
    """A mesh: vertices (n, 3) in units of the game (1024 per sector, y down, +z is the front), and its faces.

    Attributes:
        lit: whether the game lights it by vertex colors (static meshes) instead of by normals (models).
        shades: light of each vertex from 0 to 1 where `lit`; empty for full light.
    """

    vertices: list[tuple[float, float, float]] = field(default_factory=list)
    faces: list[Face] = field(default_factory=list)
    lit: bool = False
    shades: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Joint:
    """The joint of a mesh but the first: pop the last joint from the stack, push this one, its offset."""

    pop: bool
    push: bool
    offset: tuple[float, float, float]


# A pose: the offset of the root in units, and rotations (meshes, 3) around x, y, z in degrees, as games apply
# them (y, then x, then z).
Pose = tuple[tuple[float, float, float], NDArray[np.float64]]


@dataclass(frozen=True)
class Motion:
    """An animation: a pose for each key, ticks (30 per second) between keys, state, speed, and the next one.

    Attributes:
        name: unique in its figure.
        speed: units per tick forwards.
        changes: (state, first tick, last tick, name of the animation, its tick): where a wanted state leads.
        sounds: (tick, name of the sound).
        follows_tick: the tick at which the one that follows begins.
    """

    name: str
    poses: Sequence[Pose]
    rate: int
    state: int
    follows: str
    speed: float = 0.0
    changes: tuple[tuple[int, int, int, str, int], ...] = ()
    sounds: tuple[tuple[int, str], ...] = ()
    follows_tick: int = 0


@dataclass(frozen=True)
class Figure:
    """A model: a name ("lara", "bat", "door", …), meshes, the joints of all but the first, animations."""

    name: str
    meshes: tuple[Solid, ...]
    joints: tuple[Joint, ...] = ()
    motions: tuple[Motion, ...] = ()


# Tiles by name: 64 x 64 pixels of RGBA, uint8. Alpha is 0 or 255.
Tiles = dict[str, NDArray[np.uint8]]
# What a module of figures offers: the tiles that its figures use, and the figures.
FigureMaker = Callable[[], tuple[Tiles, tuple[Figure, ...]]]
