"""Rooms of less than three sectors on a side, which the editor refuses to open."""

from __future__ import annotations

from collections.abc import Collection

from .....levels.collision.sectors import new_sectors
from .....levels.rooms.rooms import Room
from .....levels.views.decoded import Decoded

LEAST = 3  # sectors on a side of a room
Sizes = Collection[tuple[int, int]]


def widened(decoded: Decoded, kept: Sizes = ()) -> Decoded:
    """Return a level whose rooms have at least three sectors on a side: walls are added to smaller ones.

    `kept`: sizes that rooms keep, those of the project from which the level was compiled.
    """
    narrow = [
        number
        for number, room in enumerate(decoded.level.rooms)
        if min(size_of(room)) < LEAST and size_of(room) not in kept
    ]
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


def size_of(room: Room) -> tuple[int, int]:
    """Return the sectors of a room along x and z."""
    return room.x_sectors, room.z_sectors
