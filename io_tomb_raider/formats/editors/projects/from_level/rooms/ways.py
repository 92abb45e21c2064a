"""Ways between a level's rooms: portals, and sectors that lead to other rooms."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .....base.units import SECTOR_SIZE
from .....levels.rooms.portals import same_places
from .....levels.rooms.rooms import Room
from .....levels.views.decoded import Decoded
from ...model.objects import OPPOSITE, Direction
from .shapes import is_ladder

_NEAR = 8  # units: portals of compilers are up to this far from the border of their sector
Cell = tuple[int, int]  # x and z in sectors of the world
LeadingWall = tuple[Direction | None, int, Cell]  # see leading_walls
# How far the border sector of the other room is from that of this room, along x and z.
TO_OTHER = {
    Direction.FLOOR: (0, 0),
    Direction.CEILING: (0, 0),
    Direction.POSITIVE_Z: (0, -1),
    Direction.NEGATIVE_Z: (0, 1),
    Direction.POSITIVE_X: (-1, 0),
    Direction.NEGATIVE_X: (1, 0),
}
LEVEL_DIRECTIONS = (Direction.FLOOR, Direction.CEILING)
# The sides of borders along x and z, at the high and the low end; none last.
_SIDES = (
    Direction.POSITIVE_X, Direction.NEGATIVE_X, Direction.POSITIVE_Z, Direction.NEGATIVE_Z, None
)  # fmt: skip
_FORWARD = (Direction.FLOOR, Direction.POSITIVE_Z, Direction.POSITIVE_X)


class Way(NamedTuple):
    """A way between two rooms, from the one whose direction is in `_FORWARD`; both are base rooms."""

    room: int
    direction: Direction
    other: int


class Ways(NamedTuple):
    """The portals of a level by cells."""

    seen: dict[Way, set[Cell]]  #: the cells of each way where an outline or a sector is open.
    #: those where a sector is open, by way and by the room itself, base or alternate.
    passed: dict[tuple[Way, int], set[Cell]]
    #: the cells of each way that belong to one portal, in the order of the level.
    outlined: dict[Way, list[set[Cell]]]
    ladders: dict[Way, set[Cell]]  #: the cells of walls that lead to the upper room of a way, by way.


def find_ways(decoded: Decoded) -> Ways:
    """Return the portals of a level."""
    level = decoded.level
    base = same_places(level.rooms)
    seen: defaultdict[Way, set[Cell]] = defaultdict(set)
    passed: defaultdict[tuple[Way, int], set[Cell]] = defaultdict(set)
    outlined: defaultdict[Way, list[set[Cell]]] = defaultdict(list)
    ladders: defaultdict[Way, set[Cell]] = defaultdict(set)

    def forward(room: int, direction: Direction, other: int, cells: set[Cell]) -> tuple[Way, set[Cell]]:
        here, there = int(base[room]), int(base[other])
        if direction in _FORWARD:
            return Way(here, direction, there), cells
        step = TO_OTHER[direction]
        return Way(there, OPPOSITE[direction], here), {(x + step[0], z + step[1]) for x, z in cells}

    climbed: list[tuple[int, int, Cell]] = []
    for number, room in enumerate(level.rooms):
        corner = room.x // SECTOR_SIZE, room.z // SECTOR_SIZE
        for direction, other, cells in _outlined(room):
            if 0 <= other < len(level.rooms):
                way, world_cells = forward(number, direction, other, _moved(cells, corner))
                seen[way] |= world_cells
                outlined[way].append(world_cells)
        walls = leading_walls(decoded, number)
        for (direction, other), cells in _open_sectors(decoded, number, walls).items():
            if 0 <= other < len(level.rooms):
                way, world_cells = forward(number, direction, other, _moved(cells, corner))
                seen[way] |= world_cells
                passed[way, number] |= world_cells
        for side, other, cell in walls:
            if side is None and 0 <= other < len(level.rooms):
                climbed.append((number, other, (cell[0] + corner[0], cell[1] + corner[1])))
    sideways: defaultdict[int, list[Way]] = defaultdict(list)  # the ways through walls by room
    for way in seen if climbed else ():
        for number in {way.room, way.other} if way.direction is not Direction.FLOOR else ():
            sideways[number].append(way)
    for number, other, cell in climbed:
        above = int(base[other])
        ladders[_ladder_way(level.rooms, seen, sideways[above], int(base[number]), above, cell)].add(cell)
    for way in ladders:
        seen.setdefault(way, set())
    return Ways(dict(seen), dict(passed), dict(outlined), dict(ladders))


def _ladder_way(
    rooms: Sequence[Room],
    seen: Mapping[Way, set[Cell]],
    sideways: Sequence[Way],
    below: int,
    number: int,
    cell: Cell,
) -> Way:
    """Return the floor portal through which a ladder leads to a room.

    It is that of the room, or that of another one with the room behind its wall at this sector. `sideways`:
    the ways through the walls of the room.
    """
    candidates = [Way(number, Direction.FLOOR, below)] if _is_inner(rooms[number], cell) else []
    for way in sideways:
        step, cells = TO_OTHER[way.direction], seen[way]
        # The border sectors of the first room, and those of the other one.
        if way.other == number and cell in cells:
            candidates.append(Way(way.room, Direction.FLOOR, below))
        if way.room == number and (cell[0] - step[0], cell[1] - step[1]) in cells:
            candidates.append(Way(way.other, Direction.FLOOR, below))
    around = [(cell[0] + x, cell[1] + z) for x in (-1, 0, 1) for z in (-1, 0, 1)]
    possible = [
        way
        for way in candidates
        if any(_is_inner(rooms[below], each) and _is_inner(rooms[way.room], each) for each in around)
    ]
    existing = [way for way in possible if seen.get(way)]
    return (existing or possible or [Way(number, Direction.FLOOR, below)])[0]


def _is_inner(room: Room, cell: Cell) -> bool:
    """Return whether a room has a sector in the world that is not on its border."""
    x, z = cell[0] - room.x // SECTOR_SIZE, cell[1] - room.z // SECTOR_SIZE
    return 0 < x < room.x_sectors - 1 and 0 < z < room.z_sectors - 1


def _moved(cells: set[Cell], corner: Cell) -> set[Cell]:
    return {(x + corner[0], z + corner[1]) for x, z in cells}


def _outlined(room: Room) -> list[tuple[Direction, int, set[Cell]]]:
    """Return the portals of a room: the direction, the other room, and the sectors.

    The compiler makes an outline for each slope in a floor or ceiling portal: consecutive outlines with
    different slopes belong together.
    """
    result: list[tuple[Direction, int, set[Cell]]] = []
    slopes: set[tuple[int, ...]] = set()
    before: tuple[Direction, int] | None = None
    for record in room.portals:
        direction, cells = outline_cells(record, room.x_sectors, room.z_sectors)
        if direction is None:
            continue
        key, slope = (direction, int(record["room"])), tuple(record["normal"].tolist())
        if key == before and direction in LEVEL_DIRECTIONS and slope not in slopes:
            slopes.add(slope)
            result[-1] = (*key, result[-1][2] | cells)
        else:
            before, slopes = key, {slope}
            result.append((*key, cells))
    return result


def outline_cells(record: np.void, x_sectors: int, z_sectors: int) -> tuple[Direction | None, set[Cell]]:
    """Return the direction of a level's portal and the sectors of its room that it covers.

    The direction is None if the portal is neither level, sloped, nor on a border of sectors.
    """
    axes = list(zip(*record["vertices"].tolist(), strict=True))
    low, high = [min(each) for each in axes], [max(each) for each in axes]
    normal = record["normal"].tolist()
    if normal[1]:
        direction = Direction.FLOOR if normal[1] < 0 else Direction.CEILING
        xs, zs = (_cells(low[axis], high[axis]) for axis in (0, 2))
    else:
        axis = 0 if high[0] - low[0] <= _NEAR else 2
        if high[axis] - low[axis] > _NEAR or not normal[axis]:
            return None, set()
        line = round(low[axis] / SECTOR_SIZE)
        is_up = normal[axis] < 0
        border = [line if is_up else line - 1]
        along = _cells(low[2 - axis], high[2 - axis])
        if axis == 0:
            direction = Direction.POSITIVE_X if is_up else Direction.NEGATIVE_X
            xs, zs = border, along
        else:
            direction = Direction.POSITIVE_Z if is_up else Direction.NEGATIVE_Z
            xs, zs = along, border
    cells = {(x, z) for x in xs for z in zs if 0 <= x < x_sectors and 0 <= z < z_sectors}
    return direction, cells


def _cells(low: int, high: int) -> list[int]:
    return list(range(round(low / SECTOR_SIZE), round(high / SECTOR_SIZE)))


def _open_sectors(
    decoded: Decoded, number: int, walls: Sequence[LeadingWall]
) -> dict[tuple[Direction, int], set[Cell]]:
    """Return the open sectors of a room by direction and other room. `walls`: its leading walls."""
    room, sectors = decoded.level.rooms[number], decoded.sectors
    start = int(decoded.grid.starts[number])
    rows = slice(start, int(decoded.grid.starts[number + 1]))
    openings: defaultdict[tuple[Direction, int], set[Cell]] = defaultdict(set)
    for values, direction in ((sectors.room_below, Direction.FLOOR), (sectors.room_above, Direction.CEILING)):
        open_rows = np.flatnonzero((values[rows] >= 0) & ~sectors.wall[rows])
        for row, other in zip(open_rows.tolist(), values[rows][open_rows].tolist(), strict=True):
            openings[direction, other].add(divmod(row, room.z_sectors))
    for side, other, cell in walls:
        if side is not None:
            openings[side, other].add(cell)
    return openings


def ladder_sectors(decoded: Decoded, number: int) -> list[tuple[int, Cell]]:
    """Return the walls of a room that lead to a room above: that room, and the sector."""
    return [(other, cell) for side, other, cell in leading_walls(decoded, number) if side is None]


def leading_walls(decoded: Decoded, number: int) -> list[LeadingWall]:
    """Return the walls of a room that lead to another one: the direction, that room, and the sector.

    There is no direction, but a way up, in walls within the room, and where the other room has no border.
    """
    return decoded.once(_leading_walls)[number]


def _leading_walls(decoded: Decoded) -> list[list[LeadingWall]]:
    """Return the leading walls of each room."""
    grid, sectors, level_rooms = decoded.grid, decoded.sectors, decoded.level.rooms
    sizes = np.array([(each.x_sectors, each.z_sectors) for each in level_rooms], np.int64).reshape(-1, 2)
    rows = np.flatnonzero(sectors.portal >= 0)
    here, others = grid.room[rows], sectors.portal[rows]
    exists = others < len(level_rooms)
    there = np.where(exists, others, 0)
    cells = np.stack([grid.x[rows], grid.z[rows]], axis=1)
    inner = (cells > 0) & (cells < sizes[here] - 1)
    has_side, axis = inner[:, 0] != inner[:, 1], inner[:, 0].astype(np.int64)
    along = np.arange(len(rows)), axis
    is_low = cells[along] == 0
    apart = (decoded.corners[here] - decoded.corners[there]) // SECTOR_SIZE
    border = (cells + apart)[along] + np.where(is_low, 1, -1)
    meets = border == np.where(is_low, sizes[there][along] - 1, 0)
    cells_there = cells + decoded.corners[here] // SECTOR_SIZE - decoded.corners[there] // SECTOR_SIZE
    is_inside = ((cells_there > 0) & (cells_there < sizes[there] - 1)).all(axis=1)
    is_up = ~has_side | is_ladder(sectors)[rows] | (exists & ~meets & is_inside)
    sides = [_SIDES[each] for each in np.where(is_up, -1, 2 * axis + is_low).tolist()]
    walls = list(zip(sides, others.tolist(), map(tuple, cells.tolist()), strict=True))
    ends = np.searchsorted(rows, grid.starts).tolist()
    return [walls[low:high] for low, high in pairwise(ends)]
