"""Warnings of rooms that became unreachable."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....formats import Level, Room
from ....formats.base import LARA, T
from ....formats.levels.collision import Uprights, find_openings
from ....formats.levels.rooms import find_portals
from ...core.context import ExportContext
from ...core.reporting.report import first_few
from ..rooms.location.plan import RoomPlan

_NAMED = 5


def warn_of_unreachable(
    context: ExportContext,
    plan: RoomPlan,
    before: NDArray[np.int32],
    now: NDArray[np.int32],
    uprights: Uprights,
) -> None:
    """Warn of rooms that Lara cannot reach or see from her start, and that no camera shows.

    Rooms that were unreachable in the original are skipped.

    Args:
        before: (sectors,) of the original: the room to which a wall opens, or -1.
        now: likewise of the exported level.
        uprights: the rooms below and above its sectors.
    """
    found = _reached(context.level, now, uprights)
    if found is None:
        return
    sectors = context.decoded.sectors
    old = _reached(context.original, before, Uprights(sectors.room_below, sectors.room_above))
    names = []
    for number, source in enumerate(plan.sources):
        is_old = source >= 0 and plan.map[source] == number
        if not found[number] and not (is_old and (old is None or not old[source])):
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
    rooms = np.concatenate([each.astype(np.int64) for each in (start, *cameras)])
    one, other = _connections(level.rooms, walls, uprights)
    reached = np.zeros(len(level.rooms), bool)
    reached[rooms[(rooms >= 0) & (rooms < len(reached))]] = True
    count = 0
    while count != (count := int(reached.sum())):  # each time one room farther
        reached[other[reached[one]]] = True
    return reached


def _connections(
    rooms: Sequence[Room], walls: NDArray[np.int32], uprights: Uprights
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return sources and targets of all connections: portals, openings and flipped rooms."""
    portals, openings = find_portals(rooms), find_openings(rooms, walls, uprights)
    numbers = np.arange(len(rooms))
    flipped = np.array([room.alternate_room for room in rooms], np.int64)
    one = np.concatenate([portals.room, openings.room, numbers, flipped])
    other = np.concatenate([portals.target, openings.target, flipped, numbers])
    known = (one >= 0) & (one < len(rooms)) & (other >= 0) & (other < len(rooms))
    return one[known], other[known]
