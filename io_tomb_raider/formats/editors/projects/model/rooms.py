"""The rooms of a project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeVar

from ....base.bytes.chunks import Chunk
from .objects import PlacedObject, Vector
from .shape import RoomShape

_Kind = TypeVar("_Kind", bound=PlacedObject)


class RoomType(IntEnum):
    """Kinds of rooms."""

    NORMAL = 0
    RAIN = 1
    SNOW = 2
    WATER = 3
    QUICKSAND = 4


LIQUIDS = (RoomType.WATER, RoomType.QUICKSAND)


class LightEffect(IntEnum):
    """Effects on the light or the vertices of a room."""

    NONE = 0
    DEFAULT = 1
    REFLECTION = 2
    GLOW = 3
    MOVEMENT = 4
    BOTH = 5
    MIST = 6


@dataclass
class ProjectRoom:
    """A room.

    Attributes:
        number: the number by which others name it; numbers can have gaps.
        x, z: the position of its corner in sectors.
        y: its height in units, upwards; heights and positions in the room are relative to it.
        shape: its sectors.
        ambient: its ambient light, 1 for normal.
        kind: see :class:`RoomType`.
        kind_strength: of rain and snow, 0 to 3.
        effect: see :class:`LightEffect`.
        effect_strength: 0 to 4.
        interpolation: of shades at portals: 0 default, 1 yes, 2 no.
        hidden: its own faces are not compiled.
        alternate: the number of the flip map and of the alternate room, in the base room of a pair.
        objects: in the order of the file.
        source: the chunk that it was read from.
    """

    number: int
    name: str
    x: int
    y: int
    z: int
    shape: RoomShape
    ambient: Vector = (0.25, 0.25, 0.25)
    tags: str = ""
    cold: bool = False
    no_caustics: bool = False
    damage: bool = False
    horizon: bool = False
    outside: bool = False
    no_lens_flare: bool = False
    no_pathfinding: bool = False
    kind: int = RoomType.NORMAL
    kind_strength: int = 0
    effect: int = LightEffect.DEFAULT
    effect_strength: int = 1
    reverb: int = 0
    interpolation: int = 0
    locked: bool = False
    hidden: bool = False
    alternate: tuple[int, int] | None = None
    objects: list[PlacedObject] = field(default_factory=list)
    source: Chunk | None = field(default=None, repr=False, compare=False)

    def each(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Yield the objects of a class."""
        return (each for each in self.objects if isinstance(each, kind))
