"""Openings of the portals between the rooms of a project.

A portal in a floor or ceiling is open only in the sectors where the surfaces of both rooms touch. It can be
open in a whole sector, or in one of its two triangles. A wall portal is always open; its sectors show the
other room's sectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints
from ....base.units import CLICK
from ..model.objects import Direction, GhostBlock, Opacity, ProjectPortal
from ..model.rooms import ProjectRoom
from ..model.shape import XNZN, XNZP, XPZN, XPZP, RoomShape
from .portal_sectors import UNLINKED, Behind, area_sectors, sectors_behind

Slice = tuple[slice, slice]


class Opening(IntEnum):
    """The open part of a sector in a portal: the triangle at a corner has the number of its `Diagonal`."""

    CLOSED = 0
    XNZP = 1
    XPZP = 2
    XPZN = 3
    XNZN = 4
    FULL = 5


# Opacities for which a portal counts as open.
ANY = (Opacity.NONE, Opacity.SOLID_FACES, Opacity.TRAVERSABLE_FACES)
UNTEXTURED = (Opacity.NONE,)  # no faces are built
PASSABLE = (Opacity.NONE, Opacity.TRAVERSABLE_FACES)  # collision is open


@dataclass(eq=False)
class RoomOpenings:
    """The openings of a room. `floor`, `ceiling`: (z, x) int64, see :class:`Opening`."""

    floor: Ints
    ceiling: Ints


@dataclass(eq=False)
class Links:
    """The portals of a room by sector."""

    portals: list[ProjectPortal]  #: the room's portals, in the order of the file.
    #: floor, ceiling, wall: (z, x) int64: the index in `portals`, -1 for none.
    floor: Ints
    ceiling: Ints
    wall: Ints


def clicks(heights: Ints) -> Ints:
    """Return heights in clicks: rounded to the nearest, halves to even."""
    return np.rint(np.asarray(heights) / CLICK).astype(np.int64)


def is_plane(heights: Ints) -> Bools:
    """Return for (..., 4) heights whether each four are in a plane."""
    flat: Bools = heights[..., XPZP] - heights[..., XPZN] == heights[..., XNZP] - heights[..., XNZN]
    return flat


def lowest(heights: NDArray[Any]) -> NDArray[Any]:
    """Return the lowest of the values (..., 4) of four corners; much faster than a minimum along an axis."""
    a, b, c, d = np.moveaxis(heights, -1, 0)
    result: NDArray[Any] = np.minimum(np.minimum(a, b), np.minimum(c, d))
    return result


def highest(heights: NDArray[Any]) -> NDArray[Any]:
    """Return the highest of the values (..., 4) of four corners."""
    a, b, c, d = np.moveaxis(heights, -1, 0)
    result: NDArray[Any] = np.maximum(np.maximum(a, b), np.maximum(c, d))
    return result


def diagonals(shape: RoomShape) -> tuple[Ints, Ints]:
    """Return the diagonals of the floors and the ceilings, (z, x); the border has none."""
    border = shape.border
    return np.where(border, 0, shape.floor.diagonal), np.where(border, 0, shape.ceiling.diagonal)


def collision_heights(room: ProjectRoom) -> tuple[Ints, Ints]:
    """Return the heights of floors and ceilings with the offsets of ghost blocks, (z, x, 4)."""
    shape = room.shape
    floor, ceiling = shape.floor.heights, shape.ceiling.heights
    ghosts = [ghost for ghost in room.each(GhostBlock) if shape.has_sector(ghost.x, ghost.z)]
    if ghosts:
        floor, ceiling = floor.copy(), ceiling.copy()
        for ghost in ghosts:
            sector = ghost.z, ghost.x  # a later one replaces the one before
            floor[sector] = shape.floor.heights[sector] + ghost.floor
            ceiling[sector] = shape.ceiling.heights[sector] + ghost.ceiling
    return floor, ceiling


class ProjectRooms:
    """The rooms of a project, with data that depend on several rooms.

    Results are cached: make a new object after changes.
    """

    def __init__(self, rooms: Iterable[ProjectRoom]) -> None:
        """Index the rooms by number; of equal numbers, the first wins."""
        self.by_number: dict[int, ProjectRoom] = {}
        self._has_ghosts = False
        for room in rooms:
            self.by_number.setdefault(room.number, room)
            self._has_ghosts |= any(True for _ in room.each(GhostBlock))
        self._partner: dict[int, int] = {}
        self._group: dict[int, int] = {}
        self._alternates: set[int] = set()
        for room in self.by_number.values():
            if room.alternate is None or room.alternate[1] not in self.by_number:
                continue
            group, other = room.alternate
            self._partner[room.number], self._partner[other] = other, room.number
            self._group[room.number] = self._group[other] = group
            self._alternates.add(other)
        self._links: dict[int, Links] = {}
        self._tested: dict[tuple[int, bool], RoomOpenings] = {}

    # --- Flip maps -----------------------------------------------------------------------------

    def partner(self, room: ProjectRoom) -> ProjectRoom | None:
        """Return the other room of a flip pair."""
        return self.by_number.get(self._partner.get(room.number, UNLINKED))

    def is_alternate(self, room: ProjectRoom) -> bool:
        """Return whether a room is the alternate room of a pair."""
        return room.number in self._alternates

    def group(self, room: ProjectRoom) -> int:
        """Return the number of the flip map of a room of a pair, -1 for other rooms."""
        return self._group.get(room.number, -1)

    def other(self, room: ProjectRoom, portal: ProjectPortal) -> ProjectRoom | None:
        """Return the room behind a portal of a room, in the same state of its flip map."""
        base = self.by_number.get(portal.room)
        return self._in_state(room, base) if base is not None else None

    def _in_state(self, room: ProjectRoom, other: ProjectRoom) -> ProjectRoom:
        partner = self.partner(other)
        return (
            partner if partner is not None and self.is_alternate(room) != self.is_alternate(other) else other
        )

    def _pairs(
        self, below: ProjectRoom, above: ProjectRoom, state: ProjectRoom
    ) -> Iterator[tuple[ProjectRoom, ProjectRoom]]:
        """Yield the pairs of rooms that can be in the world at the same time."""
        states = [(room, self.partner(room)) for room in (below, above)]
        if states[0][1] and states[1][1] and self.group(below) == self.group(above):
            yield self._in_state(state, below), self._in_state(state, above)
            return
        for second in states[1]:
            for first in states[0]:
                if first is not None and second is not None:
                    yield first, second

    # --- Portals by sector ---------------------------------------------------------------------

    def links(self, room: ProjectRoom) -> Links:
        """Return the portals of a room by sector."""
        if room.number not in self._links:
            self._links[room.number] = _links(room)
        return self._links[room.number]

    def behind(self, room: ProjectRoom) -> list[Behind]:
        """Return the sectors behind each wall portal of a room.

        They are moved along the wall by the rooms' positions, in the other room's row next to its border.
        """
        return [each for _, each in self.behind_rooms([room])]

    def behind_rooms(self, some: Sequence[ProjectRoom]) -> list[tuple[ProjectRoom, Behind]]:
        """Return the sectors behind each wall portal of rooms, see :meth:`behind`, with its room."""
        portals = [
            (room, portal, self.other(room, portal))
            for room in some
            for portal in self.links(room).portals
            if portal.direction not in (Direction.FLOOR, Direction.CEILING)
        ]
        return [(room, each) for (room, _, _), each in zip(portals, sectors_behind(portals), strict=True)]

    # --- Openings ------------------------------------------------------------------------------

    def openings(
        self, room: ProjectRoom, opacities: Sequence[int] = UNTEXTURED, ghosts: bool = False
    ) -> RoomOpenings:
        """Return the openings in the floors and ceilings of a room.

        `opacities`: those for which a portal counts as open. `ghosts`: add the offsets of ghost blocks, as
        collision does. Faces are without.
        """
        return self.openings_of([room], opacities, ghosts)[0]

    def openings_of(
        self, some: Sequence[ProjectRoom], opacities: Sequence[int] = UNTEXTURED, ghosts: bool = False
    ) -> list[RoomOpenings]:
        """Return the openings of each of some rooms, see :meth:`openings`."""
        ghosts = ghosts and self._has_ghosts
        new = [room for room in some if (room.number, ghosts) not in self._tested]
        for room, tested in zip(new, self._test(new, ghosts), strict=True):
            self._tested[room.number, ghosts] = tested
        result = []
        for room in some:
            tested, links = self._tested[room.number, ghosts], self.links(room)
            if all(portal.opacity in opacities for portal in links.portals):
                result.append(tested)
                continue
            counts = np.array([portal.opacity in opacities for portal in links.portals] + [False])
            result.append(
                RoomOpenings(
                    np.where(counts[links.floor], tested.floor, Opening.CLOSED),
                    np.where(counts[links.ceiling], tested.ceiling, Opening.CLOSED),
                )
            )
        return result

    def collision_openings(self, room: ProjectRoom) -> RoomOpenings:
        """Return where moving objects pass through a room's floors and ceilings."""
        return self.openings(room, PASSABLE, ghosts=True)

    def _test(self, some: Sequence[ProjectRoom], ghosts: bool) -> list[RoomOpenings]:
        """Return the openings of rooms whatever the opacity, all portals at once."""
        result = [
            RoomOpenings(*(np.zeros(room.shape.wall.shape, np.int64) for _ in range(2))) for room in some
        ]
        tests: list[_Test] = []
        for room, openings in zip(some, result, strict=True):
            for portal in self.links(room).portals:
                other = self.by_number.get(portal.room)
                if other is None or portal.direction not in (Direction.FLOOR, Direction.CEILING):
                    continue
                area, other_area = _overlap(room, other, portal)
                floor = portal.direction == Direction.FLOOR
                where = (other_area, area) if floor else (area, other_area)
                pairs = list(self._pairs(*((other, room) if floor else (room, other)), state=room))
                if all(_contains(*each) for pair in pairs for each in zip(pair, where, strict=True)):
                    counterpart = self.links(other).ceiling if floor else self.links(other).floor
                    surface = openings.floor if floor else openings.ceiling
                    tests.append(_Test(pairs, where, surface[area], counterpart[other_area] != UNLINKED))
        _run(tests, ghosts)
        return result


def portal_area(shape: RoomShape, portal: ProjectPortal) -> Slice:
    """Return the sectors of a portal, limited to the room."""
    x0, z0, x1, z1 = portal.area
    return (
        slice(min(max(z0, 0), shape.z_sectors), min(max(z1 + 1, 0), shape.z_sectors)),
        slice(min(max(x0, 0), shape.x_sectors), min(max(x1 + 1, 0), shape.x_sectors)),
    )


def _overlap(room: ProjectRoom, other: ProjectRoom, portal: ProjectPortal) -> tuple[Slice, Slice]:
    """Return the sectors of a floor or ceiling portal that exist in both rooms, for each."""
    area, other_area = [], []
    starts = ((room.z, other.z), (room.x, other.x))
    for each, size, (here, there) in zip(
        portal_area(room.shape, portal), other.shape.wall.shape, starts, strict=True
    ):
        move = here - there
        low = max(each.start, -move)
        high = max(low, min(each.stop, size - move))
        area.append(slice(low, high))
        other_area.append(slice(low + move, high + move))
    return (area[0], area[1]), (other_area[0], other_area[1])


def _contains(room: ProjectRoom, area: Slice) -> bool:
    return all(part.stop <= size for part, size in zip(area, room.shape.wall.shape, strict=True))


def _links(room: ProjectRoom) -> Links:
    size = room.shape.wall.shape
    portals = list(room.each(ProjectPortal))
    links = Links(portals, *(np.full(size, UNLINKED, np.int64) for _ in range(3)))
    for index, portal in enumerate(portals):
        target = {Direction.FLOOR: links.floor, Direction.CEILING: links.ceiling}.get(
            Direction(portal.direction), links.wall
        )
        target[portal_area(room.shape, portal)] = index
    return links


def _combined(first: Ints, second: Ints) -> Ints:
    """Return the openings for several pairs of rooms.

    Different openings are closed, except that a triangle after a full opening stays, as in the editor.
    """
    return np.where((first == second) | (first == Opening.FULL), second, Opening.CLOSED)


@dataclass(eq=False)
class _Test:
    """A portal in a floor or ceiling to be tested."""

    #: the rooms below and above that can be there at the same time.
    pairs: Sequence[tuple[ProjectRoom, ProjectRoom]]
    where: tuple[Slice, Slice]  #: the sectors of the portal in the rooms below and above.
    result: Ints  #: (z, x), see :class:`Opening`; set.
    linked: Bools  #: (z, x): the other room has a portal there, too.


def _run(tests: Sequence[_Test], ghosts: bool) -> None:
    """Set the results of tests."""
    if not tests:
        return
    pairs = [(pair, test.where) for test in tests for pair in test.pairs]
    sides = []
    for number, floor in ((0, False), (1, True)):
        rooms = {id(pair[number]): pair[number] for pair, _ in pairs}
        starts = dict(zip(rooms, first_sectors(rooms.values()), strict=False))
        areas = np.array(
            [(where[number][1].start, where[number][0].start, where[number][1].stop, where[number][0].stop)
             for _, where in pairs], np.int64,
        )  # fmt: skip
        owner, x, z = area_sectors(areas)
        firsts = [(starts[id(pair[number])], pair[number].shape.x_sectors) for pair, _ in pairs]
        first, x_sectors = np.array(firsts)[owner].T
        sides.append(_side(list(rooms.values()), floor, ghosts, first + x + z * x_sectors))
    opened = _open_parts(*sides)
    end = 0
    for test in tests:
        opening: Ints | None = None
        for _ in test.pairs:
            start, end = end, end + test.result.size
            tested = opened[start:end].reshape(test.result.shape)
            opening = tested if opening is None else _combined(opening, tested)
        if opening is not None:
            test.result[...] = np.where(test.linked, opening, Opening.CLOSED)


def first_sectors(rooms: Iterable[ProjectRoom]) -> list[int]:
    """Return the first sectors of rooms in a row, and the number of all."""
    return np.cumsum([0, *(room.shape.wall.size for room in rooms)]).tolist()


def _open_parts(below: _Side, above: _Side) -> Ints:
    """Return the openings between ceilings below and floors above, by sector."""
    closed = above.solid | below.full_wall | above.full_wall
    closed |= below.wall & above.wall & (below.diagonal != above.diagonal)
    closed |= ~below.plane & ~above.plane & (below.x_equals_z != above.x_equals_z)
    match = below.heights == above.heights
    wall = below.wall | above.wall
    diagonal = np.where(above.diagonal != 0, above.diagonal, below.diagonal)
    result = np.zeros(closed.shape, np.int64)
    for corner in (XNZN, XPZP, XPZN, XNZP):  # the last one wins: the editor's order reversed
        x_equals_z = corner in (XNZP, XPZN)
        possible = (below.plane | (below.x_equals_z == x_equals_z)) & (
            above.plane | (above.x_equals_z == x_equals_z)
        )
        opposite = (corner + 2) % 4
        touches = np.delete(match, opposite, axis=-1).all(axis=-1)
        opens = possible & touches & (~wall | (diagonal == opposite + 1))
        result[opens] = corner + 1
    result[match.all(axis=-1) & ~wall] = Opening.FULL
    result[closed] = Opening.CLOSED
    return result


@dataclass(eq=False)
class _Side:
    """The sectors on one side of portals, (n, ...). Heights are in the world, as they are compared."""

    heights: Ints
    wall: Bools
    full_wall: Bools
    solid: Bools
    diagonal: Ints
    plane: Bools
    x_equals_z: Bools


def _side(rooms: Sequence[ProjectRoom], floor: bool, ghosts: bool, rows: Ints) -> _Side:
    """Return some of the sectors of rooms in a row."""

    def joined(values: Callable[[ProjectRoom], NDArray[Any]]) -> NDArray[Any]:
        arrays = [values(room) for room in rooms]
        return np.concatenate([each.reshape(-1, *each.shape[2:]) for each in arrays])[rows]

    side = 0 if floor else 1
    heights = joined(
        lambda room: (
            collision_heights(room)[side] if ghosts else (room.shape.floor, room.shape.ceiling)[side].heights
        )
    )
    border = joined(lambda room: room.shape.border)
    wall = joined(lambda room: room.shape.wall) | border
    diagonal = np.where(border, 0, joined(lambda room: (room.shape.floor, room.shape.ceiling)[side].diagonal))
    cut = diagonal != 0
    # The corners on the cut count with the nearer of their own height and the flat triangle's.
    opposite = np.take_along_axis(heights, ((diagonal + 1) % 4)[..., None], axis=-1)
    nearer = np.minimum(heights, opposite) if floor else np.maximum(heights, opposite)
    on_cut = cut[..., None] & ((np.arange(4) - diagonal[..., None]) % 2 == 0)
    y = np.repeat([room.y for room in rooms], [room.shape.wall.size for room in rooms])[rows]
    return _Side(
        np.where(on_cut, nearer, heights) + y[:, None],
        wall,
        wall & ~cut,
        joined(lambda room: room.shape.solid_floor),
        diagonal,
        is_plane(heights) & ~cut,
        np.where(
            cut,
            diagonal % 2 == 1,
            joined(lambda room: (room.shape.floor, room.shape.ceiling)[side].x_equals_z),
        ),
    )
