"""Repair of portals of flipped rooms that differ from those of the rooms that they replace."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.messages import plural
from ...base.units import SECTOR_SIZE
from ...levels.rooms.rooms import Room
from ...levels.views.decoded import Decoded
from ...levels.views.findings import Element
from .changes import Repairs

_SAME = ("floor", "ceiling", "room_below", "room_above")


def portals(repairs: Repairs) -> None:
    """Copy portals of rooms to the rooms that replace them, where the sectors of both are the same.

    Flipped rooms may have other openings, so only those are copied that their sectors have, too.
    """
    level = repairs.level
    rooms = level.rooms
    decoded = Decoded(level)
    for number, base in enumerate(rooms):
        if not 0 <= base.alternate_room < len(rooms) or base.alternate_room == number:
            continue
        other = rooms[base.alternate_room]
        if _place(base) != _place(other):
            continue
        walls = [decoded.sectors.portal[_rows(decoded, each)] for each in (number, base.alternate_room)]
        known = {_key(portal) for portal in other.portals}
        missing = [
            portal
            for portal in base.portals
            if _key(portal) not in known and _is_open_in_both(portal, base, other, walls)
        ]
        if missing:
            other.portals = _with(other.portals, missing)
            text = plural(
                "a portal differed from that of room {room}, which it replaces. It was copied from there",
                "{count} portals differed from those of room {room}, which it replaces."
                " They were copied from there",
                len(missing),
                room=number,
            )
            repairs.add(text, Element("room", base.alternate_room), len(missing))


def _place(room: Room) -> tuple[int, ...]:
    return room.x, room.z, room.x_sectors, room.z_sectors


def _rows(decoded: Decoded, room: int) -> slice:
    start = int(decoded.grid.starts[room])
    return slice(start, start + len(decoded.level.rooms[room].sectors))


def _key(portal: Any) -> tuple[int, frozenset[tuple[int, ...]]]:
    return int(portal["room"]), frozenset(map(tuple, portal["vertices"].tolist()))


def _is_open_in_both(portal: Any, base: Room, other: Room, walls: list[np.ndarray]) -> bool:
    """Return whether the sectors at a portal are the same in both rooms, and one opens to its target."""
    low, high = (
        portal["vertices"].min(axis=0).astype(np.int64),
        portal["vertices"].max(axis=0).astype(np.int64),
    )
    ranges = []
    for axis, size in ((0, base.x_sectors), (2, base.z_sectors)):
        is_flat = low[axis] == high[axis]
        first = (low[axis] - is_flat) // SECTOR_SIZE
        last = (high[axis] - (not is_flat)) // SECTOR_SIZE
        ranges.append(np.arange(max(first, 0), min(last, size - 1) + 1))
    rows = (ranges[0][:, None] * base.z_sectors + ranges[1]).ravel()
    one, two = base.sectors[rows], other.sectors[rows]
    if not all(np.array_equal(one[name], two[name]) for name in _SAME):
        return False
    if not np.array_equal(walls[0][rows], walls[1][rows]):
        return False
    target = int(portal["room"])
    leads = (one["room_below"] == target) | (one["room_above"] == target) | (walls[0][rows] == target)
    return bool(leads.any())


def _with(records: np.ndarray, missing: list[Any]) -> np.ndarray:
    """Return portals with those of another room. They replace those that overlap them in the same plane."""
    kept = [each for each in records if not any(_overlap(each, portal) for portal in missing)]
    result = np.zeros(len(kept) + len(missing), records.dtype)
    for row, portal in enumerate([*kept, *missing]):
        result[row] = portal
    return result


def _overlap(one: Any, two: Any) -> bool:
    """Return whether two portals lead to the same room in the same direction, and overlap."""
    same_way = np.array_equal(np.sign(one["normal"]), np.sign(two["normal"]))
    first, second = one["vertices"].astype(np.int64), two["vertices"].astype(np.int64)
    extent = np.minimum(first.max(axis=0), second.max(axis=0)) - np.maximum(
        first.min(axis=0), second.min(axis=0)
    )
    overlaps = bool((extent >= 0).all() and (extent > 0).sum() >= 2)
    return bool(one["room"] == two["room"]) and same_way and overlaps
