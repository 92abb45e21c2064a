"""Edited portals of a level written into the rooms of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..from_level.rooms.parts import LevelParts
from ..from_level.rooms.portals import LostPortal, add_portals
from ..from_level.rooms.ways import Ways
from ..geometry.openings import Opening, ProjectRooms
from ..model.objects import OPPOSITE, Direction, Opacity, ProjectPortal
from ..model.project import Project
from ..model.rooms import ProjectRoom

# The number of a room, the direction, and the number of the other room.
WayKey = tuple[int, Direction, int]
# A level, and the project's rooms in its order.
_State = tuple[LevelParts, Sequence[ProjectRoom]]


def update_portals(
    project: Project, before: _State, after: _State, next_number: Callable[[], int]
) -> list[LostPortal]:
    """Remove the portals of ways that changed, and add them again.

    Return the portals that a project cannot have, see :func:`..from_level.rooms.portals.add_portals`.
    `before`: the level as it was compiled. `after`: the edited level, with rooms whose sectors are updated.
    """
    (parts, rooms), ways = after, after[0].ways
    before_ways, after_ways = _by_numbers(before[0].ways, before[1]), _by_numbers(ways, rooms)
    changed = {
        way for way in before_ways.keys() | after_ways.keys() if before_ways.get(way) != after_ways.get(way)
    }
    changed -= _following(parts, rooms, changed)
    if not changed:
        return []
    removed = _removed(project, changed)
    changed_ways = {way for way in ways.seen if _key(rooms, way) in changed}
    chosen = Ways(
        {way: cells for way, cells in ways.seen.items() if way in changed_ways},
        {key: cells for key, cells in ways.passed.items() if key[0] in changed_ways},
        ways.outlined,
        ways.ladders,
    )
    lost = add_portals(rooms, chosen, parts.alternates, next_number)
    for room, old in removed:
        _keep_values(room, old)
    return lost


def _key(rooms: Sequence[ProjectRoom], way: Any) -> WayKey:
    return rooms[way.room].number, way.direction, rooms[way.other].number


def _removed(project: Project, changed: set[WayKey]) -> list[tuple[ProjectRoom, ProjectPortal]]:
    """Remove the portals of ways from both rooms and their alternate ones; return them with their room."""
    by_number = {room.number: room for room in project.rooms}
    removed: list[tuple[ProjectRoom, ProjectPortal]] = []
    for number, direction, other in changed:
        for here, there, side in ((number, other, direction), (other, number, OPPOSITE[direction])):
            for room in _states(by_number, here):
                portals = [
                    each for each in room.each(ProjectPortal) if (each.room, each.direction) == (there, side)
                ]
                removed += [(room, each) for each in portals]
                room.objects = [each for each in room.objects if each not in portals]
    return removed


def _states(by_number: dict[int, ProjectRoom], number: int) -> list[ProjectRoom]:
    """Return a room and its alternate one."""
    room = by_number.get(number)
    if room is None:
        return []
    other = None if room.alternate is None else by_number.get(room.alternate[1])
    return [room] if other is None else [room, other]


def _following(parts: LevelParts, rooms: Sequence[ProjectRoom], changed: set[WayKey]) -> set[WayKey]:
    """Return the changed ways through floors whose portals are as before: only the sectors differ.

    Whether a portal is open in a sector follows from the heights and walls of both rooms.
    """
    project, ways = ProjectRooms(rooms), parts.ways
    result = set()
    for way, cells in ways.seen.items():
        key = _key(rooms, way)
        if way.direction is not Direction.FLOOR or key not in changed:
            continue
        covered: set[tuple[int, int]] = set()
        is_same = True
        sides = (way.room, way.other, Direction.FLOOR), (way.other, way.room, Direction.CEILING)
        for base, there, direction in sides:
            for number in (base, parts.alternates.get(base, base)):
                area, opened = _portal_cells(project, rooms[number], rooms[there].number, direction)
                covered |= area
                is_same &= opened == ways.passed.get((way, number), set())
        if is_same and cells <= covered:
            result.add(key)
    return result


def _portal_cells(
    project: ProjectRooms, room: ProjectRoom, other: int, direction: Direction
) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Return the sectors of the world that floor or ceiling portals to a room cover, and those open there."""
    links, openings = project.links(room), project.collision_openings(room)
    is_floor = direction is Direction.FLOOR
    index = links.floor if is_floor else links.ceiling
    leads = np.array([each.room == other for each in links.portals] + [False])[index]
    opened = leads & ((openings.floor if is_floor else openings.ceiling) != Opening.CLOSED)
    covered, passed = (
        {(x + room.x, z + room.z) for z, x in np.argwhere(each).tolist()} for each in (leads, opened)
    )
    return covered, passed


def _keep_values(room: ProjectRoom, old: ProjectPortal) -> None:
    """Give new portals the values of a portal that they replace."""
    x0, z0, x1, z1 = old.area
    for each in room.each(ProjectPortal):
        low_x, low_z, high_x, high_z = each.area
        meets = low_x <= x1 and high_x >= x0 and low_z <= z1 and high_z >= z0
        if each.room == old.room and each.direction == old.direction and meets:
            is_solid = Opacity.SOLID_FACES in (each.opacity, old.opacity)
            each.opacity = each.opacity if is_solid else old.opacity
            each.effect, each.mirrored = old.effect, old.mirrored


def _by_numbers(ways: Ways, rooms: Sequence[ProjectRoom]) -> dict[WayKey, Any]:
    """Return the cells of ways by the numbers of their rooms."""
    result: defaultdict[WayKey, list[Any]] = defaultdict(list)
    for way, cells in ways.seen.items():
        result[_key(rooms, way)].append(frozenset(cells))
    for (way, room), cells in sorted(ways.passed.items(), key=lambda each: rooms[each[0][1]].number):
        result[_key(rooms, way)].append((rooms[room].number, frozenset(cells)))
    return dict(result)
