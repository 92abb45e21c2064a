"""Places where Lara can stand or swim."""

from __future__ import annotations

import numpy as np

from ...base.errors import ExportError
from ...base.games import LARA
from ...base.messages import T
from ...base.units import CLICK, SECTOR_SIZE
from ...levels.collision.surfaces import Surface
from ...levels.level.level import Level
from ...levels.rooms.portals import same_places
from ...levels.rooms.rooms import WATER
from ...levels.views.decoded import Decoded
from .floors import heights_at

_DEEPEST = 64  # rooms below one another


def move_lara(level: Level, position: tuple[float, float, float], angle: int | None = None) -> None:
    """Move Lara to a place, down to the floor, and into the room there. In water she stays at its height.

    Args:
        position: in world units, y down.
        angle: her yaw, 65536 per turn; None for her own.

    Raises:
        ExportError: there is no Lara, or no room at the place.
    """
    laras = np.flatnonzero(level.entities["type"] == LARA)
    if not len(laras):
        raise ExportError(T("Lara"), T("the level has no Lara to play with. Add one"))
    room, y = _standing(Decoded(level), position)
    entities = np.array(level.entities)
    for name, value in (
        ("x", round(position[0])),
        ("y", round(y)),
        ("z", round(position[2])),
        ("room", room),
    ):
        entities[name][laras] = value
    if angle is not None:
        entities["angle"][laras] = np.array(angle % 0x10000, np.int64).astype(entities.dtype["angle"])
    level.entities = entities


def _standing(decoded: Decoded, position: tuple[float, float, float]) -> tuple[int, float]:
    """Return the room and the height at which Lara stands or swims at or below a place."""
    room = _room_around(decoded, position)
    if room < 0:
        raise ExportError(T("Lara"), T("there is no room at the 3D cursor. Put it where she can stand"))
    y = position[1]
    for _ in range(_DEEPEST):
        sector = int(_sectors(decoded, np.array([room]), position)[0])
        floor = float(_heights(decoded.sectors.floor, sector, position).min())
        if decoded.level.rooms[room].flags & WATER:
            return room, min(y, floor)
        below = int(decoded.sectors.room_below[sector])
        lower = _sectors(decoded, np.array([below]), position)
        if below < 0 or lower[0] < 0 or not decoded.is_open[lower[0]]:
            return room, floor
        if decoded.level.rooms[below].flags & WATER:  # she falls into it
            return room, min(y, floor)
        room = below
    return room, y


def _sectors(decoded: Decoded, rooms: np.ndarray, position: tuple[float, float, float]) -> np.ndarray:
    """Return the sectors of rooms at a place, also of rooms that do not exist, (n,), -1 for none."""
    x, z = (np.full(len(rooms), int(np.floor(position[axis]))) for axis in (0, 2))
    return decoded.sector_at(rooms, x, z)


def _heights(surface: Surface, sector: int, position: tuple[float, float, float]) -> np.ndarray:
    inside = np.array([[position[0], position[2]]]) % SECTOR_SIZE
    return heights_at(surface, np.array([sector]), inside)[0]


def _room_around(decoded: Decoded, position: tuple[float, float, float]) -> int:
    """Return the room with the most space around a place, or -1.

    Rooms that exist only while flipped do not count.
    """
    rooms = decoded.level.rooms
    base = same_places(rooms)
    sectors = _sectors(decoded, np.arange(len(rooms)), position)
    best, result = -float(CLICK), -1
    for room in np.flatnonzero((sectors >= 0) & (base == np.arange(len(rooms)))).tolist():
        sector = int(sectors[room])
        if not decoded.is_open[sector] or decoded.sectors.portal[sector] >= 0:
            continue
        floor = _heights(decoded.sectors.floor, sector, position).max()
        ceiling = _heights(decoded.sectors.ceiling, sector, position).min()
        space = min(float(floor) - position[1], position[1] - float(ceiling))
        if space >= best:
            best, result = space, room
    return result
