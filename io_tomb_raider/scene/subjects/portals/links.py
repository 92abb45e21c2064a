"""Connections between rooms in an export: broken ones are closed with a warning.

Openings and portals of rooms that were moved, copied or rebuilt may no longer meet a room. Those are closed.
Connections of the original file are kept, even if broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....formats import ExportError, FormatError, Level, Room
from ....formats.base import LARA, T, plural
from ....formats.levels.collision import (
    OpeningKind,
    Openings,
    Uprights,
    decode_sectors,
    encode_sectors,
    find_openings,
    sector_name,
)
from ....formats.levels.rooms import LevelPortals, find_portals
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ..floor.floor_data import FloorExport
from ..rooms.location.plan import RoomPlan
from ..rooms.location.where import Whereabouts
from ..rooms.sector_edits import SECTOR_EDITS, close_edited, exported_uprights

_MOST_ALONG = 0x10000  # sectors along a side of a room; rooms
_NO_SOURCE = -2  # source of rooms without an original
_NAMED = 5  # unreachable rooms in one warning


def close_broken_connections(context: ExportContext, where: Whereabouts, floor: FloorExport) -> None:
    """Close connections that edits broke; warn of those, of one-way ones, and of unreachable rooms."""
    if not _is_touched(context, where.plan, floor):
        return
    _Portals(context, where.plan).run()
    try:
        before = context.decoded.floor_lists
        walls = _joined([before.walls(room.sectors["floor_data"]) for room in context.original.rooms])
        _Openings(context, where.plan, floor, walls).run()
        after = _joined([floor.walls(number) for number in range(len(context.level.rooms))])
        _warn_of_unreachable(context, where.plan, walls, after, exported_uprights(context, where.plan))
    except (ExportError, FormatError) as error:
        text = T("openings were not checked, because floor data is damaged ({error})", error=str(error))
        context.report.warn(T("Rooms"), text)


def _is_touched(context: ExportContext, plan: RoomPlan, floor: FloorExport) -> bool:
    """Return whether rooms, sectors, portals or floor data differ from the original."""
    pairs = zip(context.level.rooms, context.original.rooms, strict=False)
    return (
        plan.is_changed
        or floor.has_replaced
        or bool(SECTOR_EDITS.of(context))
        or any(_differs(room, before) for room, before in pairs)
    )


def _differs(room: Room, before: Room) -> bool:
    return (room.x, room.z, room.alternate_room) != (before.x, before.z, before.alternate_room) or any(
        new is not old and not np.array_equal(new, old)
        for new, old in ((room.sectors, before.sectors), (room.portals, before.portals))
    )


def _joined(parts: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate([np.zeros(0, np.int32), *parts])


class _Pair(NamedTuple):
    """The connections from one room to another: numbers and names of both rooms, and the count."""

    room: int
    target: int
    name: str
    other: str
    times: int


class _Sources:
    """Mapping from rooms of the export to rooms of the original file."""

    def __init__(self, context: ExportContext, plan: RoomPlan) -> None:
        self._plan = plan
        self._sources = np.array([source if source >= 0 else _NO_SOURCE for source in plan.sources], np.int64)
        self._after, self._before = (
            np.array([(room.x, room.z) for room in rooms], np.int64).reshape(-1, 2)
            for rooms in (context.level.rooms, context.original.rooms)
        )

    def of(self, rooms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the original numbers of rooms; numbers out of range are kept."""
        is_valid = (rooms >= 0) & (rooms < len(self._sources))
        return np.where(is_valid, self._sources[np.where(is_valid, rooms, 0)], rooms)

    def have_moved(self, rooms: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether the rooms of each pair have moved relative to each other."""
        moved = np.zeros(len(rooms), bool)
        sources, target_sources = self.of(rooms), self.of(targets)
        is_valid = (sources >= 0) & (target_sources >= 0) & (target_sources < len(self._before))
        is_valid &= targets < len(self._after)
        before = self._before[sources[is_valid]] - self._before[target_sources[is_valid]]
        after = self._after[rooms[is_valid]] - self._after[targets[is_valid]]
        moved[is_valid] = (after != before).any(axis=1)
        return moved

    def pairs(self, rooms: NDArray[np.int64], targets: NDArray[np.int64]) -> Iterator[_Pair]:
        """Yield each distinct pair of rooms with its count, sorted."""
        counts = Counter(zip(rooms.tolist(), targets.tolist(), strict=True))
        for (room, target), count in sorted(counts.items()):
            name: str = T("room {target}, which does not exist", target=target)
            if target < len(self._plan.objects):
                name = self._plan.name(target)
            yield _Pair(room, target, self._plan.name(room), name, count)


# --- Openings of collision ----------------------------------------


class _Openings:
    def __init__(
        self, context: ExportContext, plan: RoomPlan, floor: FloorExport, walls: NDArray[np.int32]
    ) -> None:
        self.context, self.floor, self.sources = context, floor, _Sources(context, plan)
        sectors, self.plan = context.decoded.sectors, plan
        uprights = Uprights(sectors.room_below, sectors.room_above)
        before = find_openings(context.original.rooms, walls, uprights)
        keys = self._keys(before, before.room, before.target)
        order = np.argsort(keys, kind="stable")
        self.keys = keys[order]
        self.was_dead, self.had_back = before.is_dead[order], before.has_back[order]

    @staticmethod
    def _keys(openings: Openings, rooms: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return unique keys of openings in 63 bits, -1 where there is no room."""
        key = rooms * len(OpeningKind) + openings.kind
        for part in (openings.x, openings.z, targets):
            key = key * _MOST_ALONG + part
        return np.where((rooms < 0) | (targets < 0), -1, key)

    def run(self) -> None:
        openings, closes, is_new = self._judge()
        while closes.any():
            self._warn_closed(openings, closes)
            self._close(openings, closes)
            # Openings to closed sectors now meet a wall.
            openings, closes, is_new = self._judge()
        one_way = is_new & ~openings.has_back & ~openings.is_dead
        self._warn_one_way(openings, one_way)

    def _judge(self) -> tuple[Openings, NDArray[np.bool_], NDArray[np.bool_]]:
        """Return all openings, which of them to close, and which are new or lost their counterpart."""
        rooms = self.context.level.rooms
        walls = _joined([self.floor.walls(number) for number in range(len(rooms))])
        openings = find_openings(rooms, walls, exported_uprights(self.context, self.plan))
        keys = self._keys(openings, self.sources.of(openings.room), self.sources.of(openings.target))
        positions = np.minimum(np.searchsorted(self.keys, keys), max(len(self.keys) - 1, 0))
        inherited = np.zeros(len(keys), bool)
        if len(self.keys):
            inherited = (keys >= 0) & (self.keys[positions] == keys)
        was_dead, had_back = np.zeros(len(keys), bool), np.zeros(len(keys), bool)
        was_dead[inherited] = self.was_dead[positions[inherited]]
        had_back[inherited] = self.had_back[positions[inherited]]
        has_moved = inherited & self.sources.have_moved(openings.room, openings.target)
        is_old = inherited & ~has_moved
        closes = (openings.is_dead & ~(is_old & was_dead)) | (has_moved & ~openings.has_back)
        return openings, closes, ~(is_old & ~had_back)

    def _close(self, openings: Openings, closes: NDArray[np.bool_]) -> None:
        game = self.context.original.game
        for number in np.unique(openings.room[closes]).tolist():
            room = self.context.level.rooms[number]
            lists = self.floor.functions(number)
            sectors = decode_sectors(room.sectors, lists, game)
            is_closed = closes & (openings.room == number)
            walls, floors, ceilings = (
                openings.place[is_closed & (openings.kind == kind)] for kind in OpeningKind
            )
            sectors.portal[walls], sectors.wall[walls] = -1, True
            sectors.room_below[floors], sectors.floor.open_triangle[floors] = -1, -1
            sectors.room_above[ceilings], sectors.ceiling.open_triangle[ceilings] = -1, -1
            name_of = partial(sector_name, number, z_sectors=room.z_sectors)
            encoded = encode_sectors(sectors, room.sectors, lists, game, name_of)
            differs = encoded.changed | (encoded.records != room.sectors)
            room.sectors = encoded.records
            for index in np.flatnonzero(encoded.changed).tolist():
                self.floor.replace(number, index, encoded.functions[index])
            self.context.rebuilt.count("sectors", int(differs.sum()))
            for name, indices in (("room_below", floors), ("room_above", ceilings)):
                for index in indices.tolist():
                    close_edited(self.context, self.plan, number, index, name)

    def _warn_closed(self, openings: Openings, mask: NDArray[np.bool_]) -> None:
        for pair in self.sources.pairs(openings.room[mask], openings.target[mask]):
            text = plural(
                "an opening of its collision to {other} no longer meets a sector, so it is closed",
                "{count} openings of its collision to {other} no longer meet sectors, so they are closed",
                pair.times,
                other=pair.other,
            )
            advice = T("open the collision of both rooms where they meet")
            self.context.report.warn(pair.name, T("{text}: {advice}", text=text, advice=advice))

    def _warn_one_way(self, openings: Openings, mask: NDArray[np.bool_]) -> None:
        for pair in self.sources.pairs(openings.room[mask], openings.target[mask]):
            text = plural(
                "an opening of its collision to {other} has none back: open that, too, or close it",
                "{count} openings of its collision to {other} have none back: open those, too, or close them",
                pair.times,
                other=pair.other,
            )
            self.context.report.warn(pair.name, text)


# --- Portals ----------------------------------------


class _Portals:
    def __init__(self, context: ExportContext, plan: RoomPlan) -> None:
        self.context, self.sources = context, _Sources(context, plan)
        before = find_portals(context.original.rooms)
        keys = self._keys(context.original.rooms, before.room, before.target)
        self.had_twin = dict(zip(keys, before.has_twin.tolist(), strict=True))

    @staticmethod
    def _keys(
        rooms: Sequence[Room], sources: NDArray[np.int64], targets: NDArray[np.int64]
    ) -> list[tuple[int, int, bytes]]:
        """Return unique keys of portals: both rooms, and the corners within the first."""
        shapes = [shape.tobytes() for room in rooms for shape in room.portals["vertices"]]
        return list(zip(sources.tolist(), targets.tolist(), shapes, strict=True))

    def run(self) -> None:
        rooms = self.context.level.rooms
        portals = find_portals(rooms)
        keys = self._keys(rooms, self.sources.of(portals.room), self.sources.of(portals.target))
        inherited = np.array([key in self.had_twin for key in keys], bool)
        had_twin = np.array([self.had_twin.get(key, True) for key in keys], bool)
        has_moved = inherited & self.sources.have_moved(portals.room, portals.target)
        closes = has_moved & ~portals.has_twin
        for number in np.unique(portals.room[closes]).tolist():
            kept = np.ones(len(rooms[number].portals), bool)
            kept[portals.row[closes & (portals.room == number)]] = False
            rooms[number].portals = rooms[number].portals[kept]
        self.context.rebuilt.count("portals", int(closes.sum()))
        for pair in self.sources.pairs(portals.room[closes], portals.target[closes]):
            text = plural(
                "a portal to {other} no longer meets that room, so it is left out",
                "{count} portals to {other} no longer meet that room, so they are left out",
                pair.times,
                other=pair.other,
            )
            self.context.report.warn(pair.name, T("{text}: use Make Portal where the rooms meet", text=text))
        alone = ~closes & ~portals.has_twin & (had_twin | has_moved)
        if not self.context.is_checked:
            self._warn_alone(portals, alone)

    def _warn_alone(self, portals: LevelPortals, is_alone: NDArray[np.bool_]) -> None:
        """Warn of portals without a counterpart that had one or have moved."""
        rooms = self.context.level.rooms
        exists = is_alone & (portals.target < len(rooms))
        for pair in self.sources.pairs(portals.room[exists], portals.target[exists]):
            text = T("it has a portal to {other}, which has none back", other=pair.other)
            if pair.room in rooms[pair.target].portals["room"]:
                text = plural(
                    "a portal to {other} is not at the place of the portal back: put both at the same place",
                    "{count} portals to {other} are not at the places of the portals back: put them at "
                    "the same places",
                    pair.times,
                    other=pair.other,
                )
            self.context.report.warn(pair.name, text)


# --- Unreachable rooms ----------------------------------------


def _warn_of_unreachable(
    context: ExportContext,
    plan: RoomPlan,
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    uprights: Uprights,
) -> None:
    """Warn of rooms that Lara cannot reach or see from her start, and that no camera shows.

    Rooms that were unreachable in the original are skipped.

    Args:
        before: (sectors,) of the original: the room to which a wall opens, or -1.
        after: likewise of the exported level.
    """
    reached = _reached(context.level, after, uprights)
    if reached is None:
        return
    sectors = context.decoded.sectors
    reached_before = _reached(context.original, before, Uprights(sectors.room_below, sectors.room_above))
    names = []
    for number, source in enumerate(plan.sources):
        is_old = source >= 0 and plan.map[source] == number
        if not reached[number] and not (is_old and (reached_before is None or not reached_before[source])):
            names.append(plan.name(number))
    if names:
        meets = T("it meets another room") if len(names) == 1 else T("they meet others")
        text = T(
            "it cannot be reached from Lara's start: use Make Portal, and open collision, where {meets}",
            meets=meets,
        )
        context.report.warn(first_few(names, _NAMED), text)


def _reached(level: Level, walls: NDArray[np.int32], uprights: Uprights) -> NDArray[np.bool_] | None:
    """Return whether each room is reachable, None where Lara is missing."""
    entities = level.entities
    start = entities["room"][entities["type"] == LARA].astype(np.int64)
    if not len(start):
        return None
    cameras = (getattr(level, name)["room"] for name in ("cameras", "flyby_cameras") if level.has(name))
    start_rooms = np.concatenate([each.astype(np.int64) for each in (start, *cameras)])
    sources, targets = _connections(level.rooms, walls, uprights)
    reached = np.zeros(len(level.rooms), bool)
    reached[start_rooms[(start_rooms >= 0) & (start_rooms < len(reached))]] = True
    count = 0
    while count != (count := int(reached.sum())):  # each time one room farther
        reached[targets[reached[sources]]] = True
    return reached


def _connections(
    rooms: Sequence[Room], walls: NDArray[np.int32], uprights: Uprights
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sources and targets of all connections: portals, openings and flipped rooms."""
    portals, openings = find_portals(rooms), find_openings(rooms, walls, uprights)
    numbers = np.arange(len(rooms))
    flipped = np.array([room.alternate_room for room in rooms], np.int64)
    sources = np.concatenate([portals.room, openings.room, numbers, flipped])
    targets = np.concatenate([portals.target, openings.target, flipped, numbers])
    exists = (sources >= 0) & (sources < len(rooms)) & (targets >= 0) & (targets < len(rooms))
    return sources[exists], targets[exists]
