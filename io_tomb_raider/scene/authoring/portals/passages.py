"""Openings in the collision of rooms where they meet: walls, floors and ceilings that lead to a room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Object
from numpy.typing import NDArray

from ...subjects.portals.states import RoomStates
from .collisions import ROOM_ATTRIBUTES, CollisionGround, Collisions
from .touching import Contacts

_WALL, _FLOOR, _CEILING = range(len(ROOM_ATTRIBUTES))
_MOST = 1 << 20  # sectors of a room


class Passages(NamedTuple):
    """The result of opening collision."""

    is_open: NDArray[np.bool_]  #: (n,) the contacts that are open now.
    is_new: NDArray[np.bool_]  #: (n,) the contacts that were not open before.
    sectors: int  #: the number of changed sectors.


class _Ends(NamedTuple):
    """One side of n contacts."""

    room: NDArray[np.int64]  #: (n,) the number of the room.
    lead: NDArray[np.int64]  #: (n,) the kind of opening, an index of :data:`.collisions.ROOM_ATTRIBUTES`.
    sector: NDArray[np.int64]  #: (n,) the sector.
    target: NDArray[np.int64]  #: (n,) the number of the room that it should lead to.

    @property
    def keys(self) -> NDArray[np.int64]:
        """Numbers that identify sectors and kinds of openings, (n,)."""
        return (self.room * len(ROOM_ATTRIBUTES) + self.lead) * _MOST + self.sector


class _Opening:
    """Contacts of rooms with collision, and numbers of all rooms that sectors lead to."""

    def __init__(
        self, collisions: Collisions, rooms: Sequence[Object], states: RoomStates, contacts: Contacts
    ) -> None:
        self.collisions = collisions
        self.grounds: list[CollisionGround] = [
            ground for ground in map(collisions.of, rooms) if ground is not None
        ]
        self.rooms, self.numbers = list(rooms), {room: number for number, room in enumerate(rooms)}
        named = np.array([self._number(states.named(room)) for room in rooms], np.int64)
        floors = contacts.axis == 1
        self.ends = (
            _Ends(
                contacts.one,
                np.where(floors, _FLOOR, _WALL),
                np.where(floors, contacts.here, contacts.wall),
                named[contacts.other],
            ),
            _Ends(
                contacts.other,
                np.where(floors, _CEILING, _WALL),
                np.where(floors, contacts.there, contacts.back),
                named[contacts.one],
            ),
        )

    def _number(self, room: Object) -> int:
        if room not in self.numbers:
            self.numbers[room] = len(self.rooms)
            self.rooms.append(room)
        return self.numbers[room]

    def leads(self, end: _Ends) -> NDArray[np.int64]:
        """Return the current target of one side of every contact, -1 for none."""
        result = np.full(len(end.room), -1)
        for room in np.unique(end.room).tolist():
            ground = self.grounds[room]
            rooms = ground.rooms()
            numbers, targets = (
                np.array(list(rooms)),
                np.array([self._number(each) for each in rooms.values()]),
            )
            for lead, name in enumerate(ROOM_ATTRIBUTES):
                rows = np.flatnonzero((end.room == room) & (end.lead == lead))
                if len(rows) and len(numbers):
                    values = ground.leads(name)[end.sector[rows]]
                    indices = np.minimum(np.searchsorted(numbers, values), len(numbers) - 1)
                    result[rows] = np.where(numbers[indices] == values, targets[indices], -1)
        return result

    def is_free(self, end: _Ends, current: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which contacts have a side without a target, or with the wanted or an invalid one."""
        result = (current < 0) | (current == end.target)
        for row in np.flatnonzero(~result).tolist():  # few: existing targets in third rooms
            ground = self.grounds[int(end.room[row])]
            result[row] = not self.collisions.leads_inside(
                ground, int(end.sector[row]), self.rooms[int(current[row])]
            )
        return result

    def without_rivals(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the contacts of some that can all be open; of those that share a sector, the first."""
        keys_by_end = [end.keys[rows] for end in self.ends]
        targets = np.concatenate([end.target[rows] for end in self.ends])
        keys, inverse = np.unique(np.concatenate(keys_by_end), return_inverse=True)
        lowest, highest = np.full(len(keys), len(self.rooms)), np.full(len(keys), -1)
        np.minimum.at(lowest, inverse, targets)
        np.maximum.at(highest, inverse, targets)
        has_rival = (lowest != highest)[inverse].reshape(2, -1).any(axis=0)
        is_chosen = ~has_rival
        assigned = dict(zip(inverse.tolist(), targets.tolist(), strict=True)) if has_rival.any() else {}
        assigned = {key: target for key, target in assigned.items() if lowest[key] == highest[key]}
        pairs = inverse.reshape(2, -1), targets.reshape(2, -1)
        for row in np.flatnonzero(has_rival).tolist():  # few, and each depends on those before
            ends = [(int(pairs[0][side, row]), int(pairs[1][side, row])) for side in (0, 1)]
            if all(assigned.get(key, target) == target for key, target in ends):
                assigned.update(ends)
                is_chosen[row] = True
        return rows[is_chosen]

    def write(self, rows: NDArray[np.int64], triangle: NDArray[np.int64]) -> None:
        """Open both sides of contacts to each other."""
        for end in self.ends:
            kinds = end.room[rows] * len(ROOM_ATTRIBUTES) + end.lead[rows]
            groups = kinds * len(self.rooms) + end.target[rows]
            order = np.argsort(groups, kind="stable")
            for group in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
                if not len(group):
                    continue
                own, row = rows[group], int(rows[group[0]])
                ground, name = self.grounds[int(end.room[row])], ROOM_ATTRIBUTES[int(end.lead[row])]
                sector = end.sector[own]
                ground.leads(name)[sector] = ground.edit.place_of(self.rooms[int(end.target[row])])
                ground.is_changed = True
                if name != "portal":
                    sectors = ground.edit.sectors
                    surface = sectors.floor if name == "room_below" else sectors.ceiling
                    surface.open_triangle[sector] = triangle[own]


def open_passages(
    collisions: Collisions,
    rooms: Sequence[Object],
    states: RoomStates,
    contacts: Contacts,
    chosen: NDArray[np.int64],
) -> Passages:
    """Open the collision of rooms on both sides of contacts.

    A sector leads to one room only, so existing openings stay. Of several contacts that share a sector, the
    one with the highest opening is opened.

    Args:
        collisions: of the level; changes are not written yet.
        rooms: the rooms of the contacts, all with collision.
    """
    opening = _Opening(collisions, rooms, states, contacts)
    current = [opening.leads(end) for end in opening.ends]
    are_free = [opening.is_free(end, leads)[chosen] for end, leads in zip(opening.ends, current, strict=True)]
    rows = chosen[are_free[0] & are_free[1]]
    height = np.where(contacts.axis[rows] == 1, 0, contacts.plane[rows, 2] - contacts.plane[rows, 1])
    rows = opening.without_rivals(rows[np.argsort(-height, kind="stable")])
    is_open, is_new = np.zeros(len(contacts), bool), np.zeros(len(contacts), bool)
    is_open[rows] = True
    changed = []
    for end, leads in zip(opening.ends, current, strict=True):
        differs = rows[leads[rows] != end.target[rows]]
        is_new[differs] = True
        changed.append(end.keys[differs])
    opening.write(np.flatnonzero(is_new), contacts.triangle)
    return Passages(is_open, is_new, len(np.unique(np.concatenate(changed))))
