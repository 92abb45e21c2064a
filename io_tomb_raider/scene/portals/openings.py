"""Connecting two rooms that meet: portals for what is seen, and openings of collision for who passes."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ...formats import ExportError, Game
from ...formats.base.units import SECTOR_SIZE
from ..base.members import members
from ..base.space import Space, world_matrix
from ..collision.edit import CollisionEdit
from ..meshes.placed import world_vertices
from ..rooms.tools import find_opening, home_of, world_points
from .clearing import clear_way
from .portals import add_portal

_NEAR = 2.0  # units: what is so far apart lies in one plane


class Connected(NamedTuple):
    """What was made of a connection.

    Attributes:
        portals: how many were made.
        stale: how many were removed, which led from one room to the other where these do not meet.
        sectors: how many sectors of both rooms were opened.
        faces: how many faces of both rooms were deleted that stood there.
    """

    portals: int
    stale: int
    sectors: int
    faces: int


def connect_rooms(root: Collection, one: Object, other: Object, *, clear: bool = True) -> Connected:
    """Make portals between two rooms where their meshes meet, and open the collision of both there.

    Portals between them that lie elsewhere, such as those of duplicates, are removed.

    Args:
        root: the level.
        one, other: the rooms.
        clear: delete faces of both where collision was opened and was not before.

    Raises:
        ExportError: where they do not meet in a plane along the axes.
    """
    space, game = Space(root.tomb_raider.scale), Game[root.tomb_raider.game]
    found = find_opening([world_points(space, room) for room in (one, other)])
    if found is None:
        raise ExportError(one.name, f"it does not meet {other.name} in a plane along the axes")
    corners, is_below = found
    kept, stale = _portals(root, space, (one, other), corners)
    home, shown = home_of(root, "PORTALS", "Portals"), space.to_blender(corners).astype(np.float64)
    made = 0
    for owner, target, turned in ((one, other, is_below), (other, one, not is_below)):
        if owner not in kept:
            add_portal(owner, target, shown[::-1] if turned else shown, home)
            made += 1
    root.tomb_raider.imported |= {"PORTALS"}
    for portal in stale:
        bpy.data.objects.remove(portal)
    axis = int(np.ptp(corners, axis=0).argmin())
    rooms = (one, other) if is_below else (other, one)  # that of smaller coordinates first
    grids = [_Grid(room, game, space) for room in rooms]
    opened, new = _open_floors(grids, corners) if axis == 1 else _open_walls(grids, corners, axis)
    for grid in grids:
        grid.write()
    cleared = sum(clear_way(room, space, corners, new) for room in rooms) if clear else 0
    return Connected(made, len(stale), opened, cleared)


def _portals(
    root: Collection, space: Space, rooms: tuple[Object, Object], corners: NDArray[np.float64]
) -> tuple[set[Object], list[Object]]:
    """Return which of two rooms have a portal to the other in a rectangle, and portals that lie elsewhere."""
    low, high = corners.min(axis=0) - _NEAR, corners.max(axis=0) + _NEAR
    kept, stale = set(), []
    for thing in members(root):
        if thing.tomb_raider.kind != "PORTAL" or {thing.parent, thing.tomb_raider.portal.room} != set(rooms):
            continue
        points = _points(space, thing)
        if len(points) and thing.parent is not None and ((low <= points) & (points <= high)).all():
            kept.add(thing.parent)
        else:
            stale.append(thing)
    return kept, stale


def _points(space: Space, thing: Object) -> NDArray[np.float64]:
    if not isinstance(thing.data, Mesh):
        return np.zeros((0, 3))
    return space.to_file(world_vertices(thing, thing.data), thing.name)


class _Grid:
    """The sectors of a room with where they lie in the world; without collision there are none."""

    def __init__(self, room: Object, game: Game, space: Space) -> None:
        self.room = room
        collision = next((each for each in room.children if each.tomb_raider.kind == "COLLISION"), None)
        self.edit = None if collision is None else CollisionEdit(collision, game, space)
        self.is_changed = False
        if collision is None or self.edit is None:
            self.middles = np.zeros((0, 2))
            return
        corner = space.to_file(np.array(world_matrix(collision).translation, np.float64), room.name)[[0, 2]]
        cells = np.stack([self.edit.grid.x, self.edit.grid.z], axis=1)
        self.middles = np.rint(corner) + cells * SECTOR_SIZE + SECTOR_SIZE / 2

    def within(self, low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell whose middles lie in a rectangle, (n,)."""
        return np.asarray(((low < self.middles) & (self.middles < high)).all(axis=1))

    def at(self, middles: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the sectors at the places of some middles, -1 where there is none."""
        places = {tuple(place): row for row, place in enumerate(self.middles.tolist())}
        return np.array([places.get(tuple(each), -1) for each in middles.tolist()], np.int64)

    def lead(self, sectors: NDArray[np.int64], target: Object) -> int:
        """Let walls lead to a room, and return how many did not before."""
        if self.edit is None:
            return 0
        number, portals = self.edit.place_of(target), self.edit.sectors.portal
        changed = int((portals[sectors] != number).sum())
        portals[sectors] = number
        self.is_changed |= changed > 0
        return changed

    def leads_on(self, sectors: NDArray[np.int64], target: Object) -> NDArray[np.bool_]:
        """Tell which walls lead to where another room is: not those of duplicates that were moved away."""
        found = np.zeros(len(sectors), bool)
        if self.edit is None:
            return found
        leads = self.edit.sectors.portal[sectors]
        for entry in list(self.edit.thing.tomb_raider.collision.rooms):
            if entry.room is None or entry.room == target:
                continue
            chosen = leads == self.edit.place_of(entry.room)
            if chosen.any():
                other = _Grid(entry.room, self.edit.game, self.edit.space)
                behind = other.at(self.middles[sectors])
                is_open = behind >= 0
                if other.edit is not None:
                    is_open &= ~other.edit.sectors.wall[np.maximum(behind, 0)]
                found |= chosen & is_open
        return found

    def write(self) -> None:
        """Write the mesh again, if its sectors have changed."""
        if self.edit is not None and self.is_changed:
            self.edit.write()


def _open_walls(
    grids: list[_Grid], corners: NDArray[np.float64], axis: int
) -> tuple[int, NDArray[np.float64]]:
    """Let the walls on both sides of the plane lead on, where both rooms have space and lead nowhere yet.

    Returns:
        How many were opened, and the middles of the first room's that are new.
    """
    first, second = grids
    if first.edit is None or second.edit is None:
        return 0, np.zeros((0, 2))
    place, along = corners[0, axis], 0 if axis == 0 else 1
    low, high = corners[:, [0, 2]].min(axis=0), corners[:, [0, 2]].max(axis=0)
    low[along], high[along] = place, place + SECTOR_SIZE
    back = np.zeros(2)
    back[along] = SECTOR_SIZE
    # Of the first room the walls beyond the plane, and of the second the walls that stand before it.
    walls = np.flatnonzero(first.within(low, high))
    beyond, here = second.at(first.middles[walls]), first.at(first.middles[walls] - back)
    others = second.at(first.middles[walls] - back)
    known = (beyond >= 0) & (here >= 0) & (others >= 0)
    walls, beyond, here, others = (each[known] for each in (walls, beyond, here, others))
    solid, solid2 = first.edit.sectors.wall, second.edit.sectors.wall
    free = solid[walls] & solid2[others] & ~solid[here] & ~solid2[beyond]
    walls, others = walls[free], others[free]
    free = ~first.leads_on(walls, second.room) & ~second.leads_on(others, first.room)
    walls, others = walls[free], others[free]
    new = first.edit.sectors.portal[walls] != first.edit.place_of(second.room)
    opened = first.lead(walls, second.room) + second.lead(others, first.room)
    return opened, first.middles[walls[new]]


def _open_floors(grids: list[_Grid], corners: NDArray[np.float64]) -> tuple[int, NDArray[np.float64]]:
    """Open the floors of the upper room and the ceilings of the lower one, where both lie in the plane.

    Returns:
        How many were opened, and the middles of those of the upper room that are new.
    """
    upper, lower = grids  # y points down
    if upper.edit is None or lower.edit is None:
        return 0, np.zeros((0, 2))
    plane = corners[0, 1]
    low, high = corners[:, [0, 2]].min(axis=0), corners[:, [0, 2]].max(axis=0)
    tops = np.flatnonzero(upper.within(low, high) & ~upper.edit.sectors.wall)
    below = lower.at(upper.middles[tops])
    floors, ceilings = upper.edit.sectors.floor.corners(), lower.edit.sectors.ceiling.corners()
    safe = np.maximum(below, 0)
    meets = (np.abs(floors[tops] - plane) <= _NEAR).all(axis=(1, 2))
    meets &= (below >= 0) & ~lower.edit.sectors.wall[safe]
    meets &= (np.abs(ceilings[safe] - plane) <= _NEAR).all(axis=(1, 2))
    tops, below = tops[meets], below[meets]
    down, up = upper.edit.place_of(lower.room), lower.edit.place_of(upper.room)
    new = (upper.edit.sectors.room_below[tops] != down) | (lower.edit.sectors.room_above[below] != up)
    upper.edit.sectors.room_below[tops], lower.edit.sectors.room_above[below] = down, up
    upper.is_changed = lower.is_changed = bool(new.any())
    return 2 * int(new.sum()), upper.middles[tops[new]]
