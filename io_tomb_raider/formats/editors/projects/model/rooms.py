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
    """A room. `x`, `z`: the position of its corner in sectors."""

    number: int  #: numbers can have gaps.
    name: str
    x: int
    y: int  #: its height in units, upwards; heights and positions in the room are relative to it.
    z: int
    shape: RoomShape
    ambient: Vector = (0.25, 0.25, 0.25)  #: 1 for normal.
    tags: str = ""
    cold: bool = False
    no_caustics: bool = False
    damage: bool = False
    horizon: bool = False
    outside: bool = False
    no_lens_flare: bool = False
    no_pathfinding: bool = False
    kind: int = RoomType.NORMAL  #: see :class:`RoomType`.
    kind_strength: int = 0  #: of rain and snow, 0 to 3.
    effect: int = LightEffect.DEFAULT  #: see :class:`LightEffect`.
    effect_strength: int = 1  #: 0 to 4.
    reverb: int = 0
    interpolation: int = 0  #: of shades at portals: 0 default, 1 yes, 2 no.
    locked: bool = False
    hidden: bool = False  #: its own faces are not compiled.
    #: the number of the flip map and of the alternate room, in the base room of a pair.
    alternate: tuple[int, int] | None = None
    objects: list[PlacedObject] = field(default_factory=list)  #: in the order of the file.
    #: the chunk that it was read from.
    source: Chunk | None = field(default=None, repr=False, compare=False)
    #: the digest of the sectors in that chunk, see :func:`.merged_sectors.digest_of`.
    source_digest: bytes = field(default=b"", repr=False, compare=False)

    def each(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Yield the objects of a class."""
        return (each for each in self.objects if isinstance(each, kind))
