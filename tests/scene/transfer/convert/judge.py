"""Comparison of two levels of different games, both read as a game would."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Level, Room
from io_tomb_raider.formats.levels.collision.sectors import Sectors, level_sectors
from io_tomb_raider.formats.levels.collision.surfaces import Split
from io_tomb_raider.formats.levels.floor.lists import FloorLists
from io_tomb_raider.formats.levels.level.level_pages import pages_of
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.coordinates import RAW_PER_PIXEL
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask, texture_index
from io_tomb_raider.formats.levels.textures.textiles import decode_pages
from tests import level_rules

Point = tuple[int, ...]


def broken(level: Level) -> list[Any]:
    """Return the findings that would break the level in its game."""
    return [
        *level_rules.broken_indices(level),
        *level_rules.lost_openings(level),
        *level_rules.sectors_without_box(level),
    ]


def vertices(room: Room) -> set[Point]:
    """Return the vertices of the faces of a room in world coordinates."""
    points = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(np.float64)
    return {tuple(each) for each in np.rint(points + np.array((room.x, 0, room.z))).astype(int).tolist()}


def portals(room: Room) -> set[tuple[int, frozenset[Point]]]:
    """Return the adjoining rooms and the corners of the portals of a room."""
    return {
        (int(each["room"]), frozenset(tuple(corner) for corner in each["vertices"].tolist()))
        for each in room.portals
    }


def face_colors(level: Level) -> dict[tuple[int, frozenset[Point]], NDArray[np.float64]]:
    """Return the mean colors of the middles of room faces, (3,), by room and corners."""
    pages, mask = decode_pages(pages_of(level)), room_texture_mask(level.game)
    found: dict[tuple[int, frozenset[Point]], NDArray[np.float64]] = {}
    for number, room in enumerate(level.rooms):
        points = np.stack([room.vertices[axis] for axis in "xyz"], axis=1)
        points = np.rint(points.astype(np.float64)).astype(int)
        for faces in decode_faces(level.game, room):
            for corners, word in zip(faces.corners.tolist(), faces.texture.tolist(), strict=True):
                key = frozenset(tuple(points[each].tolist()) for each in corners)
                index = int(texture_index(np.array(word), mask))
                if len(key) == len(corners) and index < len(level.object_textures):
                    found.setdefault((number, key), _shown(level, pages, index, len(corners)))
    return found


def _shown(level: Level, pages: NDArray[np.uint8], index: int, count: int) -> NDArray[np.float64]:
    """Return the mean of the opaque texels in the inner half of a texture, or black."""
    record = level.object_textures[index]
    page = pages[int(record["page"]) & 0x7FFF]
    corners = record["uv"][:count].astype(np.float64) / RAW_PER_PIXEL
    middle = corners.mean(axis=0)
    low = np.floor(middle - (middle - corners.min(axis=0)) / 2).astype(int)
    high = np.ceil(middle + (corners.max(axis=0) - middle) / 2).astype(int)
    window = page[low[1] : high[1] + 1, low[0] : high[0] + 1].reshape(-1, 4)
    opaque = window[window[:, 3] >= 128, :3]
    return opaque.mean(axis=0) if len(opaque) else np.zeros(3)


def sectors(level: Level) -> Sectors:
    """Return all sectors of a level."""
    return level_sectors(level, FloorLists.read(level))


def entity_places(level: Level) -> list[Point]:
    """Return where entities stand, with their angles."""
    entities = level.entities
    return [tuple(int(each[name]) for name in ("x", "y", "z", "angle")) for each in entities]


def differing_parts(before: Level, after: Level, texels: float) -> list[str]:
    """Return what of rooms, textures, portals and sectors is not as it was.

    Args:
        before, after: the levels.
        texels: the tolerance of colors, of 255.
    """
    found: list[str] = []
    if len(before.rooms) != len(after.rooms):
        return ["rooms"]
    for number, (old, new) in enumerate(zip(before.rooms, after.rooms, strict=True)):
        found += [f"vertices of room {number}"] if vertices(old) != vertices(new) else []
        found += [f"portals of room {number}"] if portals(old) != portals(new) else []
        found += [f"size of room {number}"] if _size(old) != _size(new) else []
    shown, drawn = face_colors(before), face_colors(after)
    found += [f"face of room {room}" for room, _ in shown.keys() ^ drawn.keys()]
    off = [each for each in shown.keys() & drawn.keys() if np.abs(shown[each] - drawn[each]).max() > texels]
    found += [f"colors of room {room}" for room, _ in off]
    return found + _differing_sectors(before, after)


def _size(room: Room) -> tuple[int, ...]:
    return room.x, room.z, room.x_sectors, room.z_sectors


def _differing_sectors(before: Level, after: Level) -> list[str]:
    old, new = sectors(before), sectors(after)
    found = [
        name
        for name in ("wall", "room_below", "room_above", "portal", "death")
        if not np.array_equal(getattr(old, name), getattr(new, name))
    ]
    for name in ("floor", "ceiling"):
        one, other = getattr(old, name), getattr(new, name)
        same = (one.heights == other.heights).all(axis=(1, 2)) & (one.split == other.split)
        if not after.game.traits.has_triangulated_floors:
            same |= one.split != Split.NONE
        found += [f"{int((~same & ~old.wall).sum())} {name}s"] if (~same & ~old.wall).any() else []
    return found
