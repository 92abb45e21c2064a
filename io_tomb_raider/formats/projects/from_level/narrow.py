"""Rooms of less than three sectors on a side, which the editor refuses to open."""

from __future__ import annotations

from ...collision.sectors import new_sectors
from ...level.decoded import Decoded
from ...rooms.rooms import Room

LEAST = 3  # sectors on a side of a room


def widened(decoded: Decoded) -> Decoded:
    """Return a level whose rooms have at least three sectors on a side: walls are added to smaller ones."""
    narrow = [number for number, room in enumerate(decoded.level.rooms) if _is_narrow(room)]
    if not narrow:
        return decoded
    level = decoded.level.copy()
    for number in narrow:
        room = level.rooms[number]
        width, depth = max(room.x_sectors, LEAST), max(room.z_sectors, LEAST)
        sectors = new_sectors(width * depth, level.game).reshape(width, depth)
        sectors[: room.x_sectors, : room.z_sectors] = room.sectors.reshape(room.x_sectors, room.z_sectors)
        room.x_sectors, room.z_sectors, room.sectors = width, depth, sectors.reshape(-1)
    return Decoded(level, decoded.target)


def _is_narrow(room: Room) -> bool:
    return min(room.x_sectors, room.z_sectors) < LEAST
