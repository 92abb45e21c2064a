"""A project for rules, and the rules' form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...edits.rules.rule import TOMB_EDITOR, Harm, Places, Requirement
from ...levels.views.findings import THE_LEVEL
from ..projects.model.objects import Direction, PlacedObject, ProjectPortal
from ..projects.model.project import Project
from ..projects.model.rooms import ProjectRoom
from ..projects.model.settings import GameVersion

ALL_TARGETS = frozenset(GameVersion)
CLASSIC = ALL_TARGETS - {GameVersion.TOMB_ENGINE}

# The step (x, z) from a wall portal's sector to that of its counterpart, in the world.
STEPS = {
    Direction.POSITIVE_Z: (0, -1),
    Direction.NEGATIVE_Z: (0, 1),
    Direction.POSITIVE_X: (-1, 0),
    Direction.NEGATIVE_X: (1, 0),
}
KNOWN_DIRECTIONS = frozenset(Direction)


class PlacedPortal(NamedTuple):
    """A portal and its room."""

    room: ProjectRoom
    portal: ProjectPortal

    @property
    def is_inside(self) -> bool:
        """Whether its area is in order, and in the room."""
        x0, z0, x1, z1 = self.portal.area
        shape = self.room.shape
        return 0 <= x0 <= x1 < shape.x_sectors and 0 <= z0 <= z1 < shape.z_sectors

    @property
    def slot(self) -> int:
        """The place of a sector that it takes: 0 the floor's, 1 the ceiling's, 2 that of all walls."""
        return min(self.portal.direction, 2)

    def sectors(self) -> Iterator[tuple[int, int]]:
        """Yield its sectors (x, z), relative to the room."""
        x0, z0, x1, z1 = self.portal.area
        return ((x, z) for x in range(x0, x1 + 1) for z in range(z0, z1 + 1))


class CheckedProject:
    """A project, and views of it that several rules share."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.rooms = project.rooms

    @cached_property
    def by_number(self) -> dict[int, ProjectRoom]:
        """The room that a number names: the first one of it."""
        return {room.number: room for room in reversed(self.rooms)}

    @cached_property
    def base(self) -> dict[int, int]:
        """By number of a flipped room, that of its base room."""
        return {room.alternate[1]: room.number for room in reversed(self.rooms) if room.alternate is not None}

    def base_of(self, number: int) -> int:
        """Return the number of a room's base room, its own if it is not a flipped one."""
        return self.base.get(number, number)

    @cached_property
    def pairs(self) -> list[tuple[ProjectRoom, ProjectRoom]]:
        """Base rooms, and their flipped rooms, of which both exist."""
        rooms = ((self.by_number.get(base), self.by_number.get(flip)) for flip, base in self.base.items())
        return [(base, flip) for base, flip in rooms if base is not None and flip is not None]

    @cached_property
    def portals(self) -> list[PlacedPortal]:
        """All portals, in the order of the file."""
        return [PlacedPortal(room, portal) for room in self.rooms for portal in room.each(ProjectPortal)]

    @cached_property
    def portals_at(self) -> dict[tuple[int, int, int, int], list[ProjectPortal]]:
        """The portals inside of their rooms, by number of the room, slot, x and z in the world."""
        result: dict[tuple[int, int, int, int], list[ProjectPortal]] = defaultdict(list)
        for each in self.portals:
            if each.is_inside:
                for x, z in each.sectors():
                    key = each.room.number, each.slot, x + each.room.x, z + each.room.z
                    result[key].append(each.portal)
        return dict(result)

    @cached_property
    def objects(self) -> dict[int, PlacedObject]:
        """The object that a number names: the first one of it."""
        return {obj.number: obj for room in reversed(self.rooms) for obj in reversed(room.objects)}


@dataclass(frozen=True)
class ProjectRule(Requirement[CheckedProject]):
    """A requirement of Tomb Editor for projects; elements are rooms by their number in the project."""

    def applies(self, checked: CheckedProject) -> bool:
        """Return whether a project has to keep the rule: by its target."""
        return checked.project.settings.game_version in self.games


def rule(
    name: str,
    harm: Harm,
    targets: frozenset[int],
    text: str,
    find: Callable[[CheckedProject], Places | list[int]],
    kind: str = THE_LEVEL.kind,
) -> ProjectRule:
    """Return a rule of Tomb Editor."""
    return ProjectRule(name, harm, targets, (TOMB_EDITOR,), text, find, kind)
