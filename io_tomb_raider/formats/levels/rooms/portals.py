"""Portals of all rooms (documentation, chapter 3.2.2): their targets and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.records import PORTAL
from .rooms import Room

_NEAR = 4  # units: the maximum distance of two portals at one place


@dataclass(frozen=True, eq=False)
class LevelPortals:
    """The portals of some rooms."""

    room: NDArray[np.int64]  #: (n,) int64, the number of the room that it belongs to.
    row: NDArray[np.int64]  #: (n,) int64, its index among the portals of that room.
    target: NDArray[np.int64]  #: (n,) int64, the number of the target room, which may not exist.
    #: (n,) bool: a portal at its place leads back to its room, or to the one that this replaces.
    has_twin: NDArray[np.bool_]


def same_places(rooms: Sequence[Room]) -> NDArray[np.int64]:
    """Return for each room the one that it replaces when the level is flipped, else itself, (rooms,).

    A room that was moved away replaces no other. Of two rooms that name each other, the second one replaces
    the first.
    """
    result = np.arange(len(rooms))
    for number, room in enumerate(rooms):
        if 0 <= room.alternate_room < len(rooms) and room.alternate_room != number:
            alternate = rooms[room.alternate_room]
            is_back = alternate.alternate_room == number and room.alternate_room < number
            if (alternate.x, alternate.z) == (room.x, room.z) and not is_back:
                result[room.alternate_room] = number
    return result


def find_portals(rooms: Sequence[Room]) -> LevelPortals:
    """Find all portals of rooms, and which of them have one on the other side."""
    counts = [len(room.portals) for room in rooms]
    owner = np.repeat(np.arange(len(rooms)), counts)
    row = np.concatenate([np.zeros(0, np.int64), *(np.arange(count) for count in counts)])
    records = np.concatenate([np.zeros(0, PORTAL), *(room.portals for room in rooms)])
    target = records["room"].astype(np.int64)
    corners = np.array([(room.x, 0, room.z) for room in rooms], np.int64).reshape(-1, 3)
    points = records["vertices"].astype(np.int64) + corners[owner][:, None]
    first, second = _facing(same_places(rooms), owner, target)
    low = np.maximum(points.min(axis=1)[first], points.min(axis=1)[second])
    high = np.minimum(points.max(axis=1)[first], points.max(axis=1)[second])
    extent = high - low
    coincide = (extent >= -_NEAR).all(axis=1) & ((extent > _NEAR).sum(axis=1) >= 2)
    has_twin = np.zeros(len(owner), bool)
    has_twin[first[coincide]] = True
    return LevelPortals(owner, row, target, has_twin)


def _facing(
    room_ids: NDArray[np.int64], owner: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of portals whose rooms are each other's targets."""
    existing = np.flatnonzero(target < len(room_ids))
    own_place, target_place = room_ids[owner[existing]], room_ids[target[existing]]
    keys, backs = own_place * len(room_ids) + target_place, target_place * len(room_ids) + own_place
    order = np.argsort(keys, kind="stable")
    first = np.searchsorted(keys[order], backs, side="left")
    counts = np.searchsorted(keys[order], backs, side="right") - first
    rows = np.repeat(np.arange(len(existing)), counts)
    step = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    return existing[rows], existing[order[first[rows] + step]]


def doubled_portals(rooms: Sequence[Room], number: int) -> NDArray[np.bool_]:
    """Return which portals of a room lie on others that lead to the same room, (n,).

    Of several, the first one stays that does not face a portal back in the same direction.
    """
    room = rooms[number]
    groups: dict[tuple[int, frozenset[tuple[int, ...]]], list[int]] = {}
    for row, portal in enumerate(room.portals):
        corners = frozenset(map(tuple, portal["vertices"].tolist()))
        groups.setdefault((int(portal["room"]), corners), []).append(row)
    doubled = np.zeros(len(room.portals), bool)
    for (target, corners), rows in groups.items():
        if len(rows) > 1:
            back = _normals_back(rooms, number, target, corners)
            kept = next((row for row in rows if _normal(room.portals[row]) not in back), rows[0])
            doubled[[row for row in rows if row != kept]] = True
    return doubled


def _normals_back(
    rooms: Sequence[Room], number: int, target: int, corners: frozenset[tuple[int, ...]]
) -> set[tuple[int, ...]]:
    """Return the normals of the portals of another room that lie on corners of a room and lead to it."""
    room, target_room = rooms[number], rooms[target]
    x, z = room.x - target_room.x, room.z - target_room.z
    moved = {(corner[0] + x, corner[1], corner[2] + z) for corner in corners}
    return {
        _normal(portal)
        for portal in target_room.portals
        if portal["room"] == number and set(map(tuple, portal["vertices"].tolist())) == moved
    }


def _normal(portal: Any) -> tuple[int, ...]:
    return tuple(np.sign(portal["normal"]).tolist())
