"""Portals of a project's room as a level has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .objects import Direction, Portal
from .openings import (
    ANY,
    CLICK,
    SECTOR,
    UNLINKED,
    Bools,
    Ints,
    Opening,
    ProjectRooms,
    Slice,
    clicks,
    is_plane,
    portal_area,
)
from .rooms import Room
from .shape import XNZN, XNZP, XPZN, XPZP, RoomShape, Surface

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
    """A portal of the level.

    Attributes:
        index: the index of the project's portal among the room's portals.
        room: the number of the other room in the project.
        normal: (3,) int64, y down.
        vertices: (4, 3) int64: x and z relative to the room, y in the world, y down.
    """

    index: int
    room: int
    normal: Ints
    vertices: Ints


def level_portals(rooms: ProjectRooms, room: Room) -> list[LevelPortal]:
    """Return the portals of a room in the level, in order.

    Portals are ordered by their first sector, z outer, x inner, and per sector wall, floor, ceiling. A
    floor or ceiling portal becomes a rectangle for each different slope of its open sectors.
    """
    links = rooms.links(room)
    each = np.stack([links.wall, links.floor, links.ceiling], axis=-1).reshape(-1)
    order, first = np.unique(each, return_index=True)
    result: list[LevelPortal] = []
    for index in order[np.argsort(first)]:
        if index == UNLINKED:
            continue
        portal = links.portals[index]
        if portal.direction in (Direction.FLOOR, Direction.CEILING):
            result += _surface_portals(rooms, room, int(index), portal)
        else:
            result += _wall_portal(rooms, room, int(index), portal)
    return result


def _wall_portal(rooms: ProjectRooms, room: Room, index: int, portal: Portal) -> Iterator[LevelPortal]:
    base = rooms.by_number.get(portal.room)
    if base is None:
        return
    behind = rooms.behind_portal(room, portal, base)
    inwards, own_corners, other_corners = ON_WALL[Direction(portal.direction)]
    own = behind.sectors + inwards[0] + inwards[1] * room.shape.x_sectors
    own = own[(own >= 0) & (own < room.shape.wall.size)]
    others = behind.others[behind.others != UNLINKED]
    every = np.concatenate(
        [
            room.y + _corner_heights(room.shape, own, own_corners),
            base.y + _corner_heights(base.shape, others, other_corners),
        ]
    )
    if not len(every):
        return
    low, high = -int(every.min()), -int(every.max())
    area = portal_area(room.shape, portal)
    (z0, z1), (x0, x1) = ((each.start * SECTOR, each.stop * SECTOR) for each in area)
    direction = portal.direction
    if direction in (Direction.POSITIVE_Z, Direction.NEGATIVE_Z):
        forwards = direction == Direction.POSITIVE_Z
        z = z1 - SECTOR if forwards else z0 + SECTOR - 1
        left, right = (x0, x1) if forwards else (x1, x0)
        vertices = [(left, high, z), (right, high, z), (right, low, z), (left, low, z)]
        normal = (0, 0, -1 if forwards else 1)
    else:
        forwards = direction == Direction.POSITIVE_X
        x = x1 - SECTOR if forwards else x0 + SECTOR - 1
        left, right = (z1, z0) if forwards else (z0, z1)
        vertices = [(x, low, left), (x, high, left), (x, high, right), (x, low, right)]
        normal = (-1 if forwards else 1, 0, 0)
    yield LevelPortal(index, portal.room, np.array(normal), np.array(vertices))


def _surface_portals(rooms: ProjectRooms, room: Room, index: int, portal: Portal) -> Iterator[LevelPortal]:
    is_floor = portal.direction == Direction.FLOOR
    openings = rooms.openings(room, ANY)
    shape, area = room.shape, portal_area(room.shape, portal)
    surface = shape.floor if is_floor else shape.ceiling
    open_ = (openings.floor if is_floor else openings.ceiling)[area]
    planes = _planes(surface, area, open_)
    slopes, first, which = np.unique(planes[:, 2:4], axis=0, return_index=True, return_inverse=True)
    for plane in np.argsort(first):
        sectors = planes[which.reshape(-1) == plane]
        slope_x, slope_z = slopes[plane]
        x0, z0 = sectors[:, :2].min(axis=0)
        x1, z1 = sectors[:, :2].max(axis=0) + 1
        start = int(clicks(np.array(room.y))) + planes[first[plane], 4]
        corners = [(x1, z1), (x0, z1), (x0, z0), (x1, z0)]
        if not is_floor:
            corners = [(x1, z0), (x0, z0), (x0, z1), (x1, z1)]
        lift = 0 if is_floor else 1
        vertices = [
            (x * SECTOR, -CLICK * (start + x * slope_x + z * slope_z) - lift, z * SECTOR) for x, z in corners
        ]
        normal = np.array([-slope_x, -4 if is_floor else 4, -slope_z])
        while not np.any(normal % 2):
            normal //= 2
        yield LevelPortal(index, portal.room, normal, np.array(vertices))


def _corner_heights(shape: RoomShape, sectors: Ints, corners: tuple[int, int]) -> Ints:
    """Return the heights of floors and ceilings at two corners, (n,)."""
    surfaces = (shape.floor.heights.reshape(-1, 4), shape.ceiling.heights.reshape(-1, 4))
    return np.concatenate([heights[sectors][:, list(corners)].reshape(-1) for heights in surfaces])


def _planes(surface: Surface, area: Slice, open_: Ints) -> Ints:
    """Return the planes of open sectors, (n, 5): x, z, slopes along x and z, height at (0, 0), in clicks."""
    heights = clicks(surface.heights[area])
    diagonal = surface.diagonal[area]
    x_equals_z = surface.x_equals_z[area]
    z, x = (axis.reshape(-1) for axis in np.indices(surface.diagonal.shape)[:, *area])
    open_, diagonal, x_equals_z, heights = (
        open_.reshape(-1),
        diagonal.reshape(-1),
        x_equals_z.reshape(-1),
        heights.reshape(-1, 4),
    )
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
    found, order = [], []
    for chosen, slope_x, slope_z, height, step in kinds:
        start = height - (x + step) * slope_x - (z + step) * slope_z
        found.append(np.stack([x, z, slope_x, slope_z, start], axis=1)[chosen])
        order.append(np.flatnonzero(chosen))
    result: Ints = np.concatenate(found)[np.argsort(np.concatenate(order), kind="stable")]
    return result
