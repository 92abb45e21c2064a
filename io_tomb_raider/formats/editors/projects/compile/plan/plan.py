"""The target of a compilation, and the numbers that rooms and objects get in the level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

from .....base.errors import ExportError
from .....base.games import Game
from .....base.messages import T
from .....base.targets import PROJECT_TARGETS, Target
from .....base.units import SECTOR_SIZE
from ...model.objects import Direction, PlacedObject, Positioned, ProjectPortal
from ...model.rooms import ProjectRoom
from ...model.settings import GameVersion
from .log import Log

_MOST_NATIVE_ROOMS = 255


class CompileTarget(NamedTuple):
    """What a project is compiled for."""

    game: Game  #: the game whose form the level has.
    engine: Target = Target.ORIGINAL
    trng: bool = False  #: whether the level has the parts of TRNG.
    #: for TRX, flyby cameras become the frames of a cutscene, as in the games without any.
    cinematic: bool = False

    @property
    def has_flybys(self) -> bool:
        """Whether the level has flyby cameras."""
        return self.game.traits.has_flybys or (self.engine is Target.TRX and not self.cinematic)


# By name, see PROJECT_TARGETS.
TARGETS = {
    name: CompileTarget(*target, name == GameVersion.TRNG.name) for name, target in PROJECT_TARGETS.items()
}


def target_of(version: int) -> CompileTarget:
    """Return the target of a project's version. Projects for TombEngine become levels of TRNG.

    Raises ExportError if the version is not known.
    """
    if version == GameVersion.TOMB_ENGINE:
        version = GameVersion.TRNG
    if version not in list(GameVersion):
        raise ExportError(T("Project"), unknown_target(version))
    return TARGETS[GameVersion(version).name]


def unknown_target(version: int) -> str:
    """Return what to do about a project whose version is not known."""
    return T(
        "its target, number {number}, is not known: choose one in the settings of the import, or with --game",
        number=version,
    )


@dataclass(eq=False)
class Plan:
    """The rooms of a level in order, and the numbers of objects."""

    target: CompileTarget
    rooms: Sequence[ProjectRoom]  #: the rooms in the order of the level.
    log: Log
    #: the index of each room by its number in the project.
    index: dict[int, int] = field(default_factory=dict)
    #: by number of an alternate room, the number of its base room.
    base: dict[int, int] = field(default_factory=dict)
    objects: dict[int, PlacedObject] = field(default_factory=dict)  #: all objects by number.
    #: by number of a moveable, its index among the entities or the AI objects.
    items: dict[int, int] = field(default_factory=dict)
    markers: set[int] = field(default_factory=set)  #: the numbers of AI objects.
    #: by number of a camera or sink, its index in the table of both.
    cameras: dict[int, int] = field(default_factory=dict)
    #: by id, the number of the object that scripts of TRNG name by it.
    script_ids: dict[int, int] = field(default_factory=dict)
    wide: bool = False  #: whether colors of vertices have 24 bits, in TRNG.

    def __post_init__(self) -> None:
        self.index = {room.number: index for index, room in enumerate(self.rooms)}
        self.objects = {each.number: each for room in self.rooms for each in room.objects}
        for room in self.rooms:
            if room.alternate is not None:
                self.base[room.alternate[1]] = room.number
        for each in self.objects.values():
            if isinstance(each, Positioned) and each.script_id >= 0:
                self.script_ids.setdefault(each.script_id, each.number)

    def script_id(self, obj: Positioned) -> int:
        """Return the script id of an object, a new one if it has none."""
        if obj.script_id >= 0:
            return obj.script_id
        script_id = next((number for number, each in self.script_ids.items() if each == obj.number), None)
        if script_id is None:
            script_id = next(number for number in count() if number not in self.script_ids)
            self.script_ids[script_id] = obj.number
        return script_id

    def group(self, room: ProjectRoom) -> int | None:
        """Return the flip map of a room, None if it is none of a pair."""
        if room.alternate is not None:
            return room.alternate[0]
        base = self.index.get(self.base.get(room.number, -1))
        alternate = None if base is None else self.rooms[base].alternate
        return None if alternate is None else alternate[0]


def in_order(rooms: Sequence[ProjectRoom], *, rearrange: bool) -> list[ProjectRoom]:
    """Return rooms in the order of the level: by number.

    `rearrange`: if there are too many rooms, those with floor or ceiling portals come first, since sectors
    name rooms in a byte.
    """
    ordered = sorted(rooms, key=lambda room: room.number)
    if not rearrange or len(ordered) < _MOST_NATIVE_ROOMS:
        return ordered
    if not any(map(_is_vertical, ordered[_MOST_NATIVE_ROOMS:])):
        return ordered
    return sorted(ordered, key=lambda room: not _is_vertical(room))


def _is_vertical(room: ProjectRoom) -> bool:
    return any(each.direction in (Direction.FLOOR, Direction.CEILING) for each in room.each(ProjectPortal))


def angle(degrees: float) -> int:
    """Return an angle in 65536ths of a turn, 0 to 65535; angles just below a whole turn do not become 0."""
    return min(round(degrees % 360 * 65536 / 360), 0xFFFF)


def world_position(room: ProjectRoom, position: Sequence[float]) -> tuple[int, int, int]:
    """Return a position in a room as levels store it, with y downwards."""
    x, y, z = position
    return round(room.x * SECTOR_SIZE + x), -round(room.y + y), round(room.z * SECTOR_SIZE + z)


def sector_at(room: ProjectRoom, position: Sequence[float]) -> tuple[int, int] | None:
    """Return the sector (z, x) at a position in a room, None outside."""
    x, z = int(position[0] // SECTOR_SIZE), int(position[2] // SECTOR_SIZE)
    return (z, x) if room.shape.has_sector(x, z) else None


Progress = Callable[[float, str], None]
