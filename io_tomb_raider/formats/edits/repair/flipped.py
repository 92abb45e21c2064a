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
        flipped = rooms[base.alternate_room]
        if _place(base) != _place(flipped):
            continue
        walls = [decoded.sectors.portal[_rows(decoded, each)] for each in (number, base.alternate_room)]
        keys = {_key(portal) for portal in flipped.portals}
        missing = [
            portal
            for portal in base.portals
            if _key(portal) not in keys and _is_open_in_both(portal, base, flipped, walls)
        ]
        if missing:
            flipped.portals = _with(flipped.portals, missing)
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


def _is_open_in_both(portal: Any, base: Room, flipped: Room, walls: list[np.ndarray]) -> bool:
    """Return whether the sectors at a portal are the same in both rooms, and one opens to its target."""
    vertices = portal["vertices"].astype(np.int64)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    ranges = []
    for axis, size in ((0, base.x_sectors), (2, base.z_sectors)):
        is_flat = low[axis] == high[axis]
        first = (low[axis] - is_flat) // SECTOR_SIZE
        last = (high[axis] - (not is_flat)) // SECTOR_SIZE
        ranges.append(np.arange(max(first, 0), min(last, size - 1) + 1))
    rows = (ranges[0][:, None] * base.z_sectors + ranges[1]).ravel()
    base_sectors, flipped_sectors = base.sectors[rows], flipped.sectors[rows]
    if not all(np.array_equal(base_sectors[name], flipped_sectors[name]) for name in _SAME):
        return False
    if not np.array_equal(walls[0][rows], walls[1][rows]):
        return False
    target = int(portal["room"])
    is_open = (
        (base_sectors["room_below"] == target)
        | (base_sectors["room_above"] == target)
        | (walls[0][rows] == target)
    )
    return bool(is_open.any())


def _with(records: np.ndarray, missing: list[Any]) -> np.ndarray:
    """Return portals with those of another room. They replace those that overlap them in the same plane."""
    kept = [record for record in records if not any(_overlap(record, portal) for portal in missing)]
    return np.array([*kept, *missing], records.dtype)


def _overlap(first: Any, second: Any) -> bool:
    """Return whether two portals lead to the same room in the same direction, and overlap."""
    same_way = np.array_equal(np.sign(first["normal"]), np.sign(second["normal"]))
    first_corners, second_corners = first["vertices"].astype(np.int64), second["vertices"].astype(np.int64)
    extent = np.minimum(first_corners.max(axis=0), second_corners.max(axis=0)) - np.maximum(
        first_corners.min(axis=0), second_corners.min(axis=0)
    )
    overlaps = bool((extent >= 0).all() and (extent > 0).sum() >= 2)
    return bool(first["room"] == second["room"]) and same_way and overlaps
