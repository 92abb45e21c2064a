"""Portals of a project's rooms as portals of a level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.distinct import equal_rows, sorted_rows
from ....base.arrays.typing import Bools, Ints
from ....base.units import CLICK, SECTOR_SIZE
from ..model.objects import Direction, ProjectPortal
from ..model.rooms import ProjectRoom
from ..model.shape import XNZN, XNZP, XPZN, XPZP, SectorSurface
from .openings import ANY, Opening, ProjectRooms, clicks, first_sectors, is_plane
from .portal_sectors import UNLINKED, portal_sectors, sectors_behind

_FAR = 1 << 62

# By the direction of a wall portal: the step (x, z) into the room, and the corners on the wall of the own
# inner sectors and of the sectors behind.
ON_WALL = {
    Direction.POSITIVE_Z: ((0, -1), (XNZP, XPZP), (XNZN, XPZN)),
    Direction.NEGATIVE_Z: ((0, 1), (XNZN, XPZN), (XNZP, XPZP)),
    Direction.POSITIVE_X: ((-1, 0), (XPZP, XPZN), (XNZP, XNZN)),
    Direction.NEGATIVE_X: ((1, 0), (XNZP, XNZN), (XPZP, XPZN)),
}


@dataclass(eq=False)
class LevelPortal:
    """A portal of the level."""

    index: int  #: the index of the project's portal among the room's portals.
    room: int  #: the number of the other room in the project.
    normal: Ints  #: (3,) int64, y down.
    vertices: Ints  #: (4, 3) int64: x and z relative to the room, y in the world, y down.


def level_portals(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> list[list[LevelPortal]]:
    """Return the portals of each of some rooms in the level, in order.

    Portals are ordered by their first sector, z outer, x inner, and per sector wall, floor, ceiling, as Tomb
    Editor orders them. A floor or ceiling portal becomes a rectangle for each different slope of its open
    sectors.
    """
    linked = [
        _Linked(room_index, room, index, portal)
        for room_index, room in enumerate(some)
        for index, portal in enumerate(rooms.links(room).portals)
    ]
    ordered = [linked[number] for number in _order(rooms, some)]
    kinds: tuple[list[_Linked], list[_Linked]] = ([], [])
    for each in ordered:
        kinds[each.portal.direction in (Direction.FLOOR, Direction.CEILING)].append(each)
    level_portals_of = _wall_portals(rooms, kinds[0]) | _surface_portals(rooms, kinds[1])
    result: list[list[LevelPortal]] = [[] for _ in some]
    for each in ordered:
        result[each.room_index] += level_portals_of.get(each, ())
    return result


@dataclass(frozen=True, eq=False)
class _Linked:
    """A portal of the project: its room, the place of the room, and its index in the room."""

    room_index: int
    room: ProjectRoom
    index: int
    portal: ProjectPortal

    def in_level(self, normals: Ints, vertices: Ints) -> list[LevelPortal]:
        """Return the level's portals, given their normals (n, 3) and vertices (n, 4, 3)."""
        return [
            LevelPortal(self.index, self.portal.room, *each) for each in zip(normals, vertices, strict=True)
        ]


def _order(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> list[int]:
    """Return the numbers of the portals of all rooms in a row that have sectors, in order."""
    links = [rooms.links(room) for room in some]
    counts = [len(each.portals) for each in links]
    ends = np.cumsum([0, *counts])
    by_sector = np.concatenate(
        [np.zeros(0, np.int64)]
        + [np.stack([each.wall, each.floor, each.ceiling], axis=-1).reshape(-1) for each in links]
    )
    starts = np.repeat(ends[:-1], [3 * each.wall.size for each in links])
    by_sector = np.where(by_sector == UNLINKED, ends[-1], by_sector + starts)
    first = np.full(ends[-1] + 1, len(by_sector))
    first[by_sector[::-1]] = np.arange(len(by_sector))[::-1]
    order = np.argsort(first[:-1])
    return order[first[order] < len(by_sector)].tolist()


def _wall_portals(rooms: ProjectRooms, portals: Sequence[_Linked]) -> dict[_Linked, list[LevelPortal]]:
    pairs = [(each, rooms.by_number.get(each.portal.room)) for each in portals]
    linked = [(each, base) for each, base in pairs if base is not None]
    if not linked:
        return {}
    joined = list({id(room): room for each, base in linked for room in (each.room, base)}.values())
    starts = dict(zip(map(id, joined), first_sectors(joined), strict=False))
    surfaces = [
        np.concatenate([surface.heights.reshape(-1, 4) for surface in surfaces])
        for surfaces in zip(*((room.shape.floor, room.shape.ceiling) for room in joined), strict=True)
    ]
    behind = sectors_behind([(each.room, each.portal, base) for each, base in linked])
    number = np.arange(len(linked))
    direction = np.array([each.portal.direction for each, _ in linked])
    owner = np.repeat(number, [len(each.sectors) for each in behind])
    steps = [ON_WALL[Direction(each.portal.direction)][0] for each, _ in linked]
    moves = [x + z * each.room.shape.x_sectors for (x, z), (each, _) in zip(steps, linked, strict=True)]

    def at_wall(side: int, sectors: Ints) -> tuple[Bools, Ints, Ints]:
        """Return which sectors exist, (m,), and their world floors and ceilings at the wall, (m, 2)."""
        side_rooms = [(each.room, base)[side] for each, base in linked]
        exists = (sectors >= 0) & (sectors < np.array([room.shape.wall.size for room in side_rooms])[owner])
        corners = np.array([ON_WALL[Direction(each.portal.direction)][1 + side] for each, _ in linked])[owner]
        rows = np.array([starts[id(room)] for room in side_rooms])[owner] + np.where(exists, sectors, 0)
        y = np.array([room.y for room in side_rooms])[owner, None]
        floor, ceiling = (each[rows[:, None], corners] + y for each in surfaces)
        return exists, floor, ceiling

    sectors_at_wall = np.concatenate([each.sectors for each in behind]) + np.array(moves)[owner]
    exists, floor, ceiling = at_wall(0, sectors_at_wall)
    exists_behind, other_floor, other_ceiling = at_wall(1, np.concatenate([each.others for each in behind]))
    floor = np.where(exists_behind[:, None], np.minimum(floor, other_floor), floor)
    ceiling = np.where(exists_behind[:, None], np.maximum(ceiling, other_ceiling), ceiling)
    # Floors above ceilings count, too.
    low, high = np.full(len(linked), _FAR), np.full(len(linked), -_FAR)
    np.minimum.at(low, owner[exists], np.minimum(floor, ceiling)[exists].min(axis=1))
    np.maximum.at(high, owner[exists], np.maximum(floor, ceiling)[exists].max(axis=1))
    vertices, normals = _rectangles(
        direction,
        portal_sectors([(each.room, each.portal) for each, _ in linked]).areas * SECTOR_SIZE,
        -low,
        -high,
    )
    return {
        each: each.in_level(normals[index, None], vertices[index, None])
        for (each, _), index in zip(linked, number.tolist(), strict=True)
        if low[index] != _FAR
    }


def _rectangles(direction: Ints, areas: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return the vertices (n, 4, 3) and normals (n, 3) of wall portals.

    `areas`: (n, 4) in units, see :class:`.portal_sectors.PortalSectors`. `low`, `high`: (n,) heights, y down.
    """
    x0, z0, x1, z1 = areas.T
    forwards = (direction == Direction.POSITIVE_Z) | (direction == Direction.POSITIVE_X)
    along_z = (direction == Direction.POSITIVE_Z) | (direction == Direction.NEGATIVE_Z)
    z = np.where(forwards, z1 - SECTOR_SIZE, z0 + SECTOR_SIZE - 1)
    left, right = np.where(forwards, x0, x1), np.where(forwards, x1, x0)
    across_z = np.stack([left, high, z, right, high, z, right, low, z, left, low, z], axis=1)
    x = np.where(forwards, x1 - SECTOR_SIZE, x0 + SECTOR_SIZE - 1)
    left, right = np.where(forwards, z1, z0), np.where(forwards, z0, z1)
    across_x = np.stack([x, low, left, x, high, left, x, high, right, x, low, right], axis=1)
    normals = np.zeros((len(direction), 3), np.int64)
    normals[np.arange(len(direction)), np.where(along_z, 2, 0)] = np.where(forwards, -1, 1)
    return np.where(along_z[:, None], across_z, across_x).reshape(-1, 4, 3), normals


def _surface_portals(rooms: ProjectRooms, portals: Sequence[_Linked]) -> dict[_Linked, list[LevelPortal]]:
    if not portals:
        return {}
    some = list({id(each.room): each.room for each in portals}.values())
    starts = dict(zip(map(id, some), first_sectors(some), strict=False))
    openings = rooms.openings_of(some, ANY)
    sectors_of_portals = portal_sectors([(each.room, each.portal) for each in portals])
    is_floor = np.array([each.portal.direction == Direction.FLOOR for each in portals])
    first = np.array([starts[id(each.room)] for each in portals])[sectors_of_portals.owner]
    x_sectors = np.array([each.room.shape.x_sectors for each in portals])[sectors_of_portals.owner]
    sectors = first + sectors_of_portals.x + sectors_of_portals.z * x_sectors

    def of(values: Callable[[SectorSurface, Ints], NDArray[Any]]) -> NDArray[Any]:
        """Return values (z, x, ...) of the floors and ceilings, of each portal's sectors (n, ...)."""
        sides = [
            np.concatenate([each.reshape(-1, *each.shape[2:]) for each in side])[sectors]
            for side in (
                [values(room.shape.floor, each.floor) for room, each in zip(some, openings, strict=True)],
                [values(room.shape.ceiling, each.ceiling) for room, each in zip(some, openings, strict=True)],
            )
        ]
        is_own = is_floor[sectors_of_portals.owner].reshape(-1, *(1,) * (sides[0].ndim - 1))
        return np.where(is_own, sides[0], sides[1])

    row, slope_x, slope_z, height = _planes(
        sectors_of_portals.x,
        sectors_of_portals.z,
        clicks(of(lambda surface, opening: surface.heights)),
        of(lambda surface, opening: surface.diagonal),
        of(lambda surface, opening: surface.x_equals_z),
        of(lambda surface, opening: opening),
    )
    if not len(row):
        return {}
    owner, x, z = sectors_of_portals.owner[row], sectors_of_portals.x[row], sectors_of_portals.z[row]
    # The sectors of each rectangle, in the order of their first sector.
    begin, number = equal_rows([owner, slope_x, slope_z])
    order = sorted_rows(number)
    ends = np.searchsorted(number[order], np.arange(len(begin)))
    (x0, z0), (x1, z1) = (
        [function.reduceat(values[order], ends) for values in (x, z)] for function in (np.minimum, np.maximum)
    )
    owner, slope_x, slope_z = owner[begin], slope_x[begin], slope_z[begin]
    floors = is_floor[owner]
    start = clicks(np.array([each.room.y for each in portals]))[owner] + height[begin]
    # The sense of the games' own levels, in which the corners run against the normal. Tomb Editor writes the
    # other one, in which OpenTomb draws nothing behind the portal.
    right, back = x1 + 1, z1 + 1
    corner_x = np.stack([x0, np.where(floors, x0, right), right, np.where(floors, right, x0)], axis=1)
    corner_z = np.stack([z0, np.where(floors, back, z0), back, np.where(floors, z0, back)], axis=1)
    planes = start[:, None] + corner_x * slope_x[:, None] + corner_z * slope_z[:, None]
    y = -CLICK * planes - np.where(floors, 0, 1)[:, None]
    vertices = np.stack([corner_x * SECTOR_SIZE, y, corner_z * SECTOR_SIZE], axis=2)
    normals = _surface_normals(slope_x, slope_z, floors)
    bounds = np.searchsorted(owner, np.arange(len(portals) + 1)).tolist()
    return {
        each: each.in_level(normals[low:high], vertices[low:high])
        for each, low, high in zip(portals, bounds[:-1], bounds[1:], strict=True)
    }


def _surface_normals(slope_x: Ints, slope_z: Ints, floors: Bools) -> Ints:
    """Return the normals of floors and ceilings, (n, 3), with numbers as small as those of the games."""
    normals = np.stack([-slope_x, np.where(floors, -4, 4), -slope_z], axis=1)
    for _ in range(2):
        normals[(normals % 2 == 0).all(axis=1)] //= 2
    return normals


def _planes(
    x: Ints, z: Ints, heights: Ints, diagonal: Ints, x_equals_z: Bools, open_: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the planes of open sectors: their rows, slopes along x and z, and heights at (0, 0), in clicks.

    `heights`: (n, 4) in clicks. `diagonal`, `x_equals_z`, `open_`: (n,), see :class:`SectorSurface` and
    :class:`Opening`.
    """
    xnzp, xpzp, xpzn, xnzn = heights.T
    opposite = np.take_along_axis(heights, ((diagonal + 1) % 4)[:, None], axis=1)[:, 0]
    cut = diagonal != 0
    whole = cut | is_plane(heights)

    def triangle(corner: Opening, split: Bools) -> Bools:
        return (open_ != Opening.CLOSED) & ~whole & split & np.isin(open_, (corner, Opening.FULL))

    zero = np.zeros_like(x)
    kinds = (
        ((open_ != Opening.CLOSED) & cut, zero, zero, opposite, 0),
        ((open_ != Opening.CLOSED) & whole & ~cut, xpzn - xnzn, xnzp - xnzn, xnzn, 0),
        (triangle(Opening.XNZP, x_equals_z), xpzp - xnzp, xnzp - xnzn, xnzn, 0),
        (triangle(Opening.XPZN, x_equals_z), xpzn - xnzn, xpzp - xpzn, xnzn, 0),
        (triangle(Opening.XNZN, ~x_equals_z), xpzn - xnzn, xnzp - xnzn, xnzn, 0),
        (triangle(Opening.XPZP, ~x_equals_z), xpzp - xnzp, xpzp - xpzn, xpzp, 1),
    )
    rows = [np.flatnonzero(chosen) for chosen, *_ in kinds]
    order = np.argsort(np.concatenate(rows), kind="stable")
    parts = [
        np.stack([slope_x, slope_z, height - (x + step) * slope_x - (z + step) * slope_z])[:, row]
        for row, (_, slope_x, slope_z, height, step) in zip(rows, kinds, strict=True)
    ]
    slope_x, slope_z, height = np.concatenate(parts, axis=1)[:, order]
    return np.concatenate(rows)[order], slope_x, slope_z, height
