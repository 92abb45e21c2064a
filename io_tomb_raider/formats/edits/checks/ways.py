"""Checks of portals, openings, and the reachability of rooms and sectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays.typing import Bools, Floats, Ints
from ...base.bytes.records import PORTAL
from ...base.games import LARA
from ...base.messages import T, plural
from ...base.units import SECTOR_SIZE
from ...levels.collision.openings import OpeningKind
from ...levels.rooms.portals import doubled_portals, find_portals, same_places
from ...levels.views.decoded import Decoded
from ...levels.views.findings import OTHER, Element, Finding, Severity, grouped

WRONG_WAY = "portal the wrong way"
ALONE = "portal without twin"
LOST = "lost portal"
DOUBLED = "doubled portal"
_PROBES = 32  # sample points along a portal: rooms have no more sectors per side
_WAYS = {
    OpeningKind.WALL: T("through a wall"),
    OpeningKind.FLOOR: T("through a floor"),
    OpeningKind.CEILING: T("through a ceiling"),
}


def check_portals(checked: Decoded) -> Iterator[Finding]:
    """Find portals with a missing target, without a portal back, or with the wrong orientation."""
    rooms = checked.level.rooms
    portals = find_portals(rooms)
    is_missing = portals.target >= len(rooms)
    is_turned = ~is_missing & _is_wrong_way(checked, portals.room, portals.target)
    is_alone = ~is_missing & ~portals.has_twin
    for row in np.flatnonzero(is_missing | is_turned | is_alone).tolist():
        room, target = int(portals.room[row]), int(portals.target[row])
        obj, others = Element("portal", room), (Element("room", target),)
        center = rooms[room].portals[int(portals.row[row])]["vertices"].astype(np.float64).mean(axis=0)
        place = (float(center[0] + rooms[room].x), float(center[1]), float(center[2] + rooms[room].z))
        if is_missing[row]:
            text = T(
                "it has a portal to room {room}, but there are only {count} rooms",
                room=target,
                count=len(rooms),
            )
            yield Finding(LOST, Severity.ERROR, obj, text, place=place)
        if is_turned[row]:
            text = T(
                "a portal to {other} faces away from its own room, so nothing is visible through it: flip it",
                other=OTHER,
            )
            yield Finding(WRONG_WAY, Severity.WARNING, obj, text, others, place=place)
        if is_alone[row]:
            text = T(
                "a portal to {other} has no portal back at the same place, so that room does not "
                "show this one",
                other=OTHER,
            )
            yield Finding(ALONE, Severity.WARNING, obj, text, others, place=place)


def check_doubled(checked: Decoded) -> Iterator[Finding]:
    """Find portals that a room has twice, so that engines draw the other room endlessly."""
    rooms = checked.level.rooms
    for number, room in enumerate(rooms):
        for row in np.flatnonzero(doubled_portals(rooms, number)).tolist():
            target = int(room.portals["room"][row])
            text = T(
                "it has two portals to {other} at the same place, so engines can draw them endlessly: "
                "delete one",
                other=OTHER if target < len(rooms) else T("room {room}", room=target),
            )
            x, y, z = room.portals["vertices"][row].astype(np.float64).mean(axis=0).tolist()
            others = (Element("room", target),) if target < len(rooms) else ()
            place = (x + room.x, y, z + room.z)
            yield Finding(DOUBLED, Severity.WARNING, Element("portal", number), text, others, place=place)


def _is_wrong_way(checked: Decoded, owner: Ints, target: Ints) -> Bools:
    """Return which portals point away from the room that they belong to, (n,).

    Vertical ones do if more open space of their room is behind them than in front; horizontal ones, if both
    rooms are on the opposite sides.
    """
    rooms = checked.level.rooms
    records = np.concatenate([np.zeros(0, PORTAL), *(room.portals for room in rooms)])
    if not len(records):
        return np.zeros(0, bool)
    normals = records["normal"].astype(np.int64)
    axis = np.abs(normals).argmax(axis=1)
    sign = np.sign(np.take_along_axis(normals, axis[:, None], axis=1)[:, 0])
    step = np.zeros((len(records), 3), np.int64)
    np.put_along_axis(step, axis[:, None], sign[:, None] * (SECTOR_SIZE // 2), axis=1)
    corners = records["vertices"].astype(np.float64)
    low, high = corners.min(axis=1)[:, [0, 2]], corners.max(axis=1)[:, [0, 2]]
    middle = corners.mean(axis=1)
    counts = np.zeros((2, len(records)), np.int64)
    for along in (np.arange(_PROBES) + 0.5) / _PROBES:
        points = low + (high - low) * along + checked.corners[owner]
        for row, direction in enumerate((1, -1)):
            counts[row] += _open_at(checked, owner, points + direction * step[:, [0, 2]])
    top, bottom = (np.array([getattr(room, name) for room in rooms]) for name in ("y_top", "y_bottom"))
    heights = (top + bottom) / 2
    known_target = np.minimum(target, len(rooms) - 1)
    is_behind = (heights[owner] - middle[:, 1]) * step[:, 1] < 0
    is_before = (heights[known_target] - middle[:, 1]) * step[:, 1] > 0
    return np.asarray(np.where(axis == 1, is_behind & is_before, counts[1] > counts[0]) & (sign != 0))


def _open_at(checked: Decoded, room: Ints, points: Floats) -> Bools:
    sector = checked.sector_at(room, *np.floor(points).astype(np.int64).T)
    # A sector with a wall portal may have the heights of the other room.
    is_free = ~checked.sectors.wall & (checked.sectors.portal < 0)
    return np.asarray((sector >= 0) & is_free[np.maximum(sector, 0)])


def check_openings(checked: Decoded) -> Iterator[Finding]:
    """Find openings of collision that lead nowhere."""
    openings, rooms = checked.openings, len(checked.level.rooms)
    rows = np.flatnonzero(openings.is_dead)
    for (room, target, kind), group in grouped(
        openings.room[rows], openings.target[rows], openings.kind[rows]
    ):
        exists = target < rooms
        room_name = OTHER if exists else T("room {room}, which does not exist,", room=target)
        where = T("{way} to {room}", way=_WAYS[OpeningKind(kind)], room=room_name)
        others = (Element("room", target),) if exists else ()
        text = plural(
            "one opening {where} has no free sector behind it",
            "{count} openings {where} have no free sector behind them",
            len(group),
            where=where,
        )
        place = checked.middle(int(openings.sector[rows[group[0]]]))
        obj = Element("room", room)
        yield Finding(f"dead opening {kind}", Severity.WARNING, obj, text, others, len(group), place)


def check_reach(checked: Decoded) -> Iterator[Finding]:
    """Find rooms, and sectors of other rooms, that cannot be reached from Lara's start."""
    start = _start(checked)
    if start < 0:
        return
    group = _connected(checked)
    reached = group == group[start]
    room, is_open = checked.grid.room, checked.is_open
    count = len(checked.level.rooms)
    total = np.bincount(room[is_open], minlength=count)
    unreachable = np.bincount(room[is_open & ~reached], minlength=count)
    # Alternate rooms are as reachable as the rooms that they replace.
    for number in np.flatnonzero(unreachable).tolist():
        first = int(np.flatnonzero((room == number) & is_open & ~reached)[0])
        obj, missing = Element("room", number), int(unreachable[number])
        if missing == total[number]:
            text = T("its collision cannot be reached from Lara's start")
            yield Finding("unreachable room", Severity.WARNING, obj, text, place=checked.middle(first))
            continue
        text = plural(
            "one of its sectors cannot be reached from Lara's start",
            "{count} of its sectors cannot be reached from Lara's start",
            missing,
        )
        place = checked.middle(first)
        yield Finding("unreachable sectors", Severity.INFO, obj, text, count=missing, place=place)


def _start(checked: Decoded) -> int:
    """Return the sector in which Lara starts, -1 for none."""
    entities = checked.level.entities
    laras = entities[entities["type"] == LARA][:1]
    if not len(laras):
        return -1
    return int(checked.sector_at(*(laras[name].astype(np.int64) for name in ("room", "x", "z")))[0])


def _connected(checked: Decoded) -> Ints:
    """Return for each sector the number of its connected component, (n,)."""
    first, second = _steps(checked)
    groups = np.arange(len(checked.grid))
    while True:
        lowest = np.minimum(groups[first], groups[second])
        joined = groups.copy()
        np.minimum.at(joined, groups[first], lowest)
        np.minimum.at(joined, groups[second], lowest)
        while not np.array_equal(joined, joined[joined]):
            joined = joined[joined]
        if np.array_equal(joined, groups):
            return groups
        groups = joined


def _steps(checked: Decoded) -> tuple[Ints, Ints]:
    """Return pairs of connected sectors: neighbors, the ends of openings, or flipped rooms."""
    grid, is_open = checked.grid, checked.is_open
    is_passable = is_open | (checked.sectors.portal >= 0)
    floor, ceiling = checked.floor_bottom, checked.ceiling_top
    firsts, seconds = [], []
    for side in range(2):  # the other two sides give the same pairs
        beside = grid.neighbors(side)
        start = np.flatnonzero((beside >= 0) & is_passable & is_passable[np.maximum(beside, 0)])
        end = beside[start]
        # A wall portal of this room has its heights in the other one.
        overlaps = np.minimum(floor[start], floor[end]) > np.maximum(ceiling[start], ceiling[end])
        meets = overlaps | ~is_open[start] | ~is_open[end]
        firsts.append(start[meets])
        seconds.append(end[meets])
    openings = checked.openings
    alive = ~openings.is_dead
    firsts.append(openings.sector[alive])
    seconds.append(openings.end[alive])
    base = same_places(checked.level.rooms)[grid.room]
    middles = checked.corners[grid.room] + np.stack([grid.x, grid.z], axis=1) * SECTOR_SIZE + SECTOR_SIZE // 2
    at_base = checked.sector_at(base, *middles.T)
    flipped = np.flatnonzero((base != grid.room) & (at_base >= 0))
    firsts.append(flipped)
    seconds.append(at_base[flipped])
    return np.concatenate(firsts), np.concatenate(seconds)
