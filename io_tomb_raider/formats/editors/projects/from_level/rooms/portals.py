"""The portals of a level as those of a project.

A level has outlines of portals for rendering, and marks of sectors for movement. A project has
rectangles of sectors, one in each of the two rooms; whether floors and ceilings are open there follows from
their heights.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .....base.messages import T, plural
from .....levels.collision.grid import rectangles
from ...model.objects import OPPOSITE, Direction, Opacity, ProjectPortal
from ...model.rooms import ProjectRoom
from .ways import LEVEL_DIRECTIONS, TO_OTHER, Cell, Way, Ways

_NAMED = 3  # sectors


class LostPortal(NamedTuple):
    """Sectors of a portal of a level that a project cannot have."""

    room: int  #: the index of the room, the upper one or that on the side of lower coordinates.
    direction: Direction  #: in which it leads.
    other: int  #: the index of the other room.
    cells: frozenset[Cell]  #: the sectors, in the world.
    #: the room to which another portal leads there, None where the borders of both rooms do not meet.
    kept: int | None = None

    def text(self, room: ProjectRoom, names: Sequence[str]) -> str:
        """Return a message. `names`: the names of the rooms, in the order of the level."""
        if self.kept is None:
            return T("its portal to {other} is not at the border of both rooms", other=names[self.other])
        sectors = sorted((x - room.x, z - room.z) for x, z in self.cells)
        listed = ", ".join(f"({x}, {z})" for x, z in sectors[:_NAMED]) + ", …" * (len(sectors) > _NAMED)
        return plural(
            "its portal to {other} is left out in one sector, {sectors}, where the editor can have only that "
            "to {kept}",
            "its portal to {other} is left out in {count} sectors, {sectors}, where the editor can have only "
            "that to {kept}",
            len(sectors),
            other=names[self.other],
            kept=names[self.kept],
            sectors=listed,
        )


# The floors, ceilings or walls of a room of a project, of which each sector can have one portal: the number
# of the room, and the direction, the same for all walls.
_Side = tuple[int, Direction]


def add_portals(
    rooms: Sequence[ProjectRoom], ways: Ways, alternates: dict[int, int], next_number: Callable[[], int]
) -> list[LostPortal]:
    """Add the portals of a level to the rooms of a project, with their counterparts.

    The editor drops a portal where a floor, a ceiling or a border sector has another one already. There, the
    portal stays through which the sectors lead.

    Args:
        rooms: the project's rooms, in the order of the level; they may have portals.
        ways: the portals of the level.
        alternates: by base room the alternate one.
        next_number: returns the number of a new object.

    Returns:
        The portals that a project cannot have: those between rooms whose borders do not meet, and those at
        the position of others.
    """
    lost = []
    fitting = {way: _fitting(rooms, way, cells) for way, cells in ways.seen.items()}
    for way, cells in ways.seen.items():
        opened = set().union(*_states(way, ways, alternates, cells).values())
        if (cells and not fitting[way]) or opened - fitting[way]:
            lost.append(LostPortal(*way, frozenset(cells - fitting[way])))
    taken = _taken(rooms, alternates)
    kept = _without_conflicts(rooms, ways, fitting, taken)
    for way, cells in fitting.items():
        by_room: defaultdict[int, set[Cell]] = defaultdict(set)
        for cell in cells - kept[way]:
            targets = [taken.get(side, {}).get(at) for side, at in _ends(rooms, way, cell)]
            by_room[next(each for each in targets if each is not None)].add(cell)
        for number, room_cells in sorted(by_room.items()):
            index = next(at for at, room in enumerate(rooms) if room.number == number)
            lost.append(LostPortal(*way, frozenset(room_cells), index))
    for way, cells in kept.items():
        portal = _by_portal(rooms, way, ways, cells, taken)
        by_number: defaultdict[int, set[Cell]] = defaultdict(set)
        for cell, number in portal.items():
            by_number[number].add(cell)
        for number in sorted(by_number):
            states = _states(way, ways, alternates, by_number[number])
            # Each room has its own opacity. Floors and ceilings are closed sector by sector, walls are not.
            is_level = way.direction is Direction.FLOOR
            keys = {
                cell: tuple(bool(passed) if is_level else cell in passed for passed in states.values())
                for cell in by_number[number]
            }
            for area in rectangles(keys):
                cells_of = (area.x, area.z, area.x + area.width - 1, area.z + area.depth - 1)
                is_passed = dict(zip(states, keys[area.x, area.z], strict=True))
                _add_pair(rooms, way, cells_of, is_passed, alternates, next_number)
            if is_level:
                is_shut = not ways.outlined.get(way) and not any(states.values())
                _close(rooms, way, by_number[number], states, alternates, is_shut=is_shut)
    return lost


def _states(way: Way, ways: Ways, alternates: dict[int, int], cells: set[Cell]) -> dict[int, set[Cell]]:
    """Return by room, also alternate ones, which cells of a portal are open."""
    return {
        number: ways.passed.get((way, number), set()) & cells
        for base in (way.room, way.other)
        for number in (base, alternates.get(base))
        if number is not None
    }


# The rooms to which portals lead, by side and sector of the world.
_Taken = defaultdict[_Side, dict[Cell, int]]


def _taken(rooms: Sequence[ProjectRoom], alternates: dict[int, int]) -> _Taken:
    """Return where rooms have portals. Both rooms of a pair have the same ones, which count for the base."""
    taken: _Taken = defaultdict(dict)
    base = {alternate: number for number, alternate in alternates.items()}
    for index, room in enumerate(rooms):
        number = rooms[base.get(index, index)].number
        for each in room.each(ProjectPortal):
            x0, z0, x1, z1 = each.area
            cells = taken[_side(number, Direction(each.direction))]
            for x in range(x0, x1 + 1):
                for z in range(z0, z1 + 1):
                    cells[x + room.x, z + room.z] = each.room
    return taken


def _side(number: int, direction: Direction) -> _Side:
    return number, direction if direction in LEVEL_DIRECTIONS else Direction.POSITIVE_Z


def _ends(
    rooms: Sequence[ProjectRoom], way: Way, cell: Cell
) -> tuple[tuple[_Side, Cell], tuple[_Side, Cell]]:
    """Return the side and the sector of both rooms at which a way has a cell."""
    step = TO_OTHER[way.direction]
    here, there = _side(rooms[way.room].number, way.direction), rooms[way.other].number
    return (here, cell), (_side(there, OPPOSITE[way.direction]), (cell[0] + step[0], cell[1] + step[1]))


def _take(rooms: Sequence[ProjectRoom], way: Way, cells: set[Cell], taken: _Taken) -> None:
    """Note that a way has some cells."""
    for cell in cells:
        for (side, sector), other in zip(_ends(rooms, way, cell), (way.other, way.room), strict=True):
            taken[side][sector] = rooms[other].number


def _is_free(rooms: Sequence[ProjectRoom], way: Way, cells: set[Cell], taken: _Taken) -> bool:
    return not any(
        sector in taken.get(side, ()) for cell in cells for side, sector in _ends(rooms, way, cell)
    )


def _without_conflicts(
    rooms: Sequence[ProjectRoom], ways: Ways, fitting: dict[Way, set[Cell]], taken: _Taken
) -> dict[Way, set[Cell]]:
    """Return the cells of each way that can have its portal, and note them; passed ones come first."""
    passed: defaultdict[tuple[Way, Cell], int] = defaultdict(int)
    for (way, _), cells in ways.passed.items():
        for cell in cells:
            passed[way, cell] += 1
    order = {way: index for index, way in enumerate(fitting)}
    candidates = [(way, cell) for way, cells in fitting.items() for cell in cells]
    candidates.sort(key=lambda each: (-passed[each], order[each[0]], each[1]))
    kept: dict[Way, set[Cell]] = {way: set() for way in fitting}
    for way, cell in candidates:
        if _is_free(rooms, way, {cell}, taken):
            kept[way].add(cell)
            _take(rooms, way, {cell}, taken)
    return kept


def _by_portal(
    rooms: Sequence[ProjectRoom], way: Way, ways: Ways, cells: set[Cell], taken: _Taken
) -> dict[Cell, int]:
    """Return the number of the portal of each cell of a way.

    A portal in a floor covers the rectangle around its outlines; sectors in it can be closed. It extends to
    the walls from which Lara climbs through it.
    """
    numbers: dict[Cell, int] = {}
    ladders = ways.ladders.get(way, set())
    if not ways.outlined.get(way) and ladders:
        # All of the portal is closed, so the level has no outline of it.
        chosen: set[Cell] = set()
        for x, z in sorted(ladders):
            around = {(x + dx, z + dz) for dx, dz in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))}
            free = {cell for cell in _fitting(rooms, way, around) if _is_free(rooms, way, {cell}, taken)}
            chosen.update([min(free & chosen or free)] if free else [])
        area = _rectangle(chosen) if chosen else set()
        if _fitting(rooms, way, area) == area and _is_free(rooms, way, area, taken):
            chosen = area
        _take(rooms, way, chosen, taken)
        return dict.fromkeys(chosen, 0)
    for number, outline in enumerate(ways.outlined.get(way, [])):
        outline_cells = {cell for cell in outline if cell in cells and cell not in numbers}
        numbers |= dict.fromkeys(outline_cells, number)
        if way.direction is not Direction.FLOOR or not outline_cells or outline_cells != outline:
            continue
        added = (
            _rectangle(outline_cells | {_inwards(cell, outline_cells) for cell in ladders}) - outline_cells
        )
        if _fitting(rooms, way, added) == added and _is_free(rooms, way, added, taken):
            numbers |= dict.fromkeys(added, number)
            _take(rooms, way, added, taken)
            ladders = set()
    return numbers | {cell: -1 for cell in cells if cell not in numbers}


def _rectangle(cells: set[Cell]) -> set[Cell]:
    (low_x, high_x), (low_z, high_z) = ((min(each), max(each) + 1) for each in zip(*cells, strict=True))
    return {(x, z) for x in range(low_x, high_x) for z in range(low_z, high_z)}


def _inwards(cell: Cell, cells: set[Cell]) -> Cell:
    """Return a sector at a wall or next to it that is as near to the others as possible."""
    x, z = (
        position - (position > max(positions)) + (position < min(positions))
        for position, positions in zip(cell, zip(*cells, strict=True), strict=True)
    )
    return x, z


def _fitting(rooms: Sequence[ProjectRoom], way: Way, cells: set[Cell]) -> set[Cell]:
    """Return the cells at which both rooms have the sector that the portal needs."""
    if way.room == way.other:
        return set()
    step = TO_OTHER[way.direction]
    result = set()
    for x, z in cells:
        here = _is_place(rooms[way.room], way.direction, (x, z))
        other = x + step[0], z + step[1]
        if here and _is_place(rooms[way.other], OPPOSITE[way.direction], other):
            result.add((x, z))
    return result


def _is_place(room: ProjectRoom, direction: Direction, cell: Cell) -> bool:
    x, z = cell[0] - room.x, cell[1] - room.z
    last_x, last_z = room.shape.x_sectors - 1, room.shape.z_sectors - 1
    inner_x, inner_z = 0 < x < last_x, 0 < z < last_z
    if direction in {Direction.FLOOR, Direction.CEILING}:
        return inner_x and inner_z
    if direction in {Direction.POSITIVE_X, Direction.NEGATIVE_X}:
        return inner_z and x == (last_x if direction is Direction.POSITIVE_X else 0)
    return inner_x and z == (last_z if direction is Direction.POSITIVE_Z else 0)


def _add_pair(
    rooms: Sequence[ProjectRoom],
    way: Way,
    area: tuple[int, int, int, int],
    is_passed: dict[int, bool],
    alternates: dict[int, int],
    next_number: Callable[[], int],
) -> None:
    step = TO_OTHER[way.direction]
    moved = (area[0] + step[0], area[1] + step[1], area[2] + step[0], area[3] + step[1])
    ends = (
        (way.room, way.other, way.direction, area),
        (way.other, way.room, OPPOSITE[way.direction], moved),
    )
    for here, there, direction, cells in ends:
        for number in (here, alternates.get(here)):
            if number is None:
                continue
            room = rooms[number]
            local_area = (cells[0] - room.x, cells[1] - room.z, cells[2] - room.x, cells[3] - room.z)
            opacity = Opacity.NONE if is_passed[number] else Opacity.SOLID_FACES
            room.objects.append(
                ProjectPortal(next_number(), local_area, rooms[there].number, direction, opacity)
            )


def _close(
    rooms: Sequence[ProjectRoom],
    way: Way,
    cells: set[Cell],
    states: dict[int, set[Cell]],
    alternates: dict[int, int],
    *,
    is_shut: bool,
) -> None:
    """Close the floors of sectors that are shut although their portal is open elsewhere, or all of it."""
    below = set().union(*(states[each] for each in (way.other, alternates.get(way.other)) if each in states))
    for number in (way.room, alternates.get(way.room)):
        opened = below if number is None else states[number] or below
        if number is None or not (opened or is_shut):
            continue
        room = rooms[number]
        for x, z in cells - opened:
            room.shape.solid_floor[z - room.z, x - room.x] = True
