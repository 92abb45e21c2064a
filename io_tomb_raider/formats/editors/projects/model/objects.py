"""Objects in the rooms of a project.

Positions are (x, y, z) in units, relative to the room's corner and height, with y upwards. Angles are in
degrees: y turns around the vertical, from z to x; x tilts upwards. Colors are (red, green, blue), 1 for
normal. Script ids are numbers for scripts of TRNG, -1 for none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple

from ....base.bytes.chunks import Chunk

Vector = tuple[float, float, float]
Properties = tuple[tuple[str, str], ...]  # names and values in Lua, for the scripts of TombEngine
WHITE: Vector = (1.0, 1.0, 1.0)
NO_OBJECT = -1


@dataclass
class PlacedObject:
    """Base of all objects."""

    number: int  #: unique in the project; triggers refer to it.
    #: the chunk that it was read from; an object that equals it is written as it was.
    source: Chunk | None = field(default=None, repr=False, compare=False, kw_only=True)

    @property
    def noun(self) -> str:
        """The word for the object in texts: its class name, without the prefix "Project"."""
        return type(self).__name__.removeprefix("Project")


@dataclass
class Positioned(PlacedObject):
    """Base of objects at a point."""

    position: Vector = (0.0, 0.0, 0.0)
    script_id: int = NO_OBJECT
    lua_name: str = ""


@dataclass
class Moveable(Positioned):
    """A moveable, an entity of the level."""

    slot: int = 0
    y: float = 0.0
    x: float = 0.0
    roll: float = 0.0
    ocb: int = 0
    invisible: bool = False
    clear_body: bool = False
    code_bits: int = 0
    color: Vector = WHITE
    properties: Properties = ()


@dataclass
class Static(Positioned):
    """A placed static mesh."""

    slot: int = 0
    y: float = 0.0
    x: float = 0.0
    roll: float = 0.0
    scale: float = 1.0
    ocb: int = 0
    color: Vector = WHITE
    properties: Properties = ()


@dataclass
class Camera(Positioned):
    """A fixed camera. `mode`: 0, 1 locked, 2 sniper."""

    mode: int = 0
    move_timer: int = 0
    glide_out: bool = False


@dataclass
class Sink(Positioned):
    """A current under water."""

    strength: int = 0


@dataclass
class SoundSource(Positioned):
    """A sound. `play_mode`: 0 always, 1 base room only, 2 alternate room only, 3 by the room's flip state."""

    sound: int = -1
    play_mode: int = 3


@dataclass
class Sprite(Positioned):
    """A sprite of a room, in TR1 and TR2."""

    slot: int = 0
    frame: int = 0
    color: Vector = WHITE


@dataclass
class Flyby(Positioned):
    """A point of a flyby's path. `field_of_view` in degrees."""

    y: float = 0.0
    x: float = 0.0
    roll: float = 0.0
    speed: float = 1.0
    field_of_view: float = 80.0
    flags: int = 0
    index: int = 0
    sequence: int = 0
    timer: int = 0


@dataclass
class Memo(Positioned):
    """A note."""

    text: str = ""
    always_shown: bool = False


@dataclass
class UnknownObject(Positioned):
    """An object in a chunk with an unknown name, which begins with a number and a position."""


class LightKind(IntEnum):
    """Kinds of lights."""

    POINT = 0
    SHADOW = 1
    SPOT = 2
    EFFECT = 3
    SUN = 4
    FOG_BULB = 5


@dataclass
class Light(Positioned):
    """A light. Ranges in sectors, angles of the cone's half in degrees."""

    kind: int = LightKind.POINT
    y: float = 0.0
    x: float = 0.0
    intensity: float = 0.5
    color: Vector = WHITE
    inner_range: float = 1.0
    outer_range: float = 5.0
    inner_angle: float = 20.0
    outer_angle: float = 25.0
    enabled: bool = True
    obstructed: bool = True
    dynamic: bool = True
    static: bool = True
    imported_geometry: bool = True
    quality: int = 0
    casts_shadows: bool = False


@dataclass
class Volume(Positioned):
    """A volume of TombEngine. `shape`: 0 box, 1 sphere; `scale` of spheres: diameter / 128."""

    shape: int = 0
    size: Vector = (1024.0, 1024.0, 1024.0)
    y: float = 0.0
    x: float = 0.0
    roll: float = 0.0
    scale: float = 1.0
    enabled: bool = True
    detects_adjacent_rooms: bool = False
    event_set: int = -1


@dataclass
class ImportedGeometry(Positioned):
    """A model of another file. `lighting`: 0 none, 1 vertex colors, 2 room lights, 3 color as ambient."""

    model: int = -1
    y: float = 0.0
    x: float = 0.0
    roll: float = 0.0
    scale: float = 1.0
    color: Vector = WHITE
    lighting: int = 2
    sharp_edges: bool = False
    hidden: bool = False
    alpha_test: bool = False


@dataclass
class SectorArea(PlacedObject):
    """Base of objects of whole sectors: `area` is (x0, z0, x1, z1), inclusive, of the room's sectors."""

    area: tuple[int, int, int, int] = (0, 0, 0, 0)


class Direction(IntEnum):
    """Directions of portals."""

    FLOOR = 0
    CEILING = 1
    POSITIVE_Z = 2
    NEGATIVE_Z = 3
    POSITIVE_X = 4
    NEGATIVE_X = 5


OPPOSITE = {
    Direction.FLOOR: Direction.CEILING,
    Direction.CEILING: Direction.FLOOR,
    Direction.POSITIVE_Z: Direction.NEGATIVE_Z,
    Direction.NEGATIVE_Z: Direction.POSITIVE_Z,
    Direction.POSITIVE_X: Direction.NEGATIVE_X,
    Direction.NEGATIVE_X: Direction.POSITIVE_X,
}


class Opacity(IntEnum):
    """The faces that fill a portal."""

    NONE = 0
    SOLID_FACES = 1
    TRAVERSABLE_FACES = 2


@dataclass
class ProjectPortal(SectorArea):
    """A portal; `room` is the number of the other room, of the base room if it is one of a pair."""

    room: int = 0
    direction: int = Direction.FLOOR
    opacity: int = Opacity.NONE
    effect: int = 0
    mirrored: tuple[bool, bool, bool, bool, bool] | None = None  # Lara, moveables, statics, sprites, lights


@dataclass
class GhostBlock(PlacedObject):
    """Offsets of the collision of a sector, by corner in the order XnZp, XpZp, XpZn, XnZn."""

    x: int = 0
    z: int = 0
    floor: tuple[int, int, int, int] = (0, 0, 0, 0)
    ceiling: tuple[int, int, int, int] = (0, 0, 0, 0)


class ParameterKind(IntEnum):
    """Kinds of a trigger's parameters."""

    NONE = -1
    NUMBER = 0
    OBJECT = 1
    ROOM = 2
    STRING = 3


class Parameter(NamedTuple):
    """A parameter of a trigger: a number, the number of an object or of a room, or a text."""

    kind: int = ParameterKind.NONE
    value: int | str = 0


@dataclass
class ProjectTrigger(SectorArea):
    """A trigger. See the format's tables of types and target types."""

    type: int = 0
    target_type: int = 0
    target: Parameter = field(default_factory=Parameter)
    timer: Parameter = field(default_factory=Parameter)
    extra: Parameter = field(default_factory=Parameter)
    plugin: Parameter = field(default_factory=Parameter)
    code_bits: int = 31
    one_shot: bool = False
