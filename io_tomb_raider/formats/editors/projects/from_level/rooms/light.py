"""The light of a level's vertices in a project: an effect light at each vertex that differs from the ambient.

An effect light reaches the corners of sectors at its own position only, so it gives one vertex exactly its
light. Lights of a level shine on objects only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .....base.arrays.typing import Bools, Floats, Ints
from .....base.bytes.bits import Bits
from .....base.bytes.colors import argb_to_bytes
from .....base.games import Game
from .....base.units import SECTOR_SIZE
from .....levels.rooms.rooms import WATER, Room
from ...model.objects import Light, LightKind, Vector
from .faces import LevelFaces
from .placed import gray_of

_REACH = 65 / SECTOR_SIZE  # the least range of lights is 64 units
_SHARE = 4  # effect lights count a fourth
_RGB555 = (Bits(10, 5), Bits(5, 5), Bits(0, 5))
_HALF_BYTE, _HALF_5 = 128, 16
_NONE = 1 / 64  # smaller differences are invisible
_SEEN = 1 / 12  # larger differences are visible
_STEPS = 64  # of light that counts as equal


def vertex_light(game: Game, room: Room) -> Floats:
    """Return the light of a room's vertices, (n, 3), 1 for normal."""
    vertices = room.vertices
    if game.traits.has_room_layers:
        return argb_to_bytes(vertices["color"]) / _HALF_BYTE
    if game.traits.has_color_light:
        word = vertices["color"].astype(np.int64)
        return np.stack([part.of(word) for part in _RGB555], axis=1) / _HALF_5
    gray = np.array([gray_of(shade) for shade in vertices["light"].tolist()], np.float64)
    return np.repeat(gray[:, None], 3, axis=1)


def ambient_light(game: Game, room: Room) -> Vector:
    """Return the ambient light of a room."""
    if game.traits.has_room_color:
        red, green, blue = (argb_to_bytes(np.array([room.color], np.int64))[0] / _HALF_BYTE).tolist()
        return red, green, blue
    return (gray_of(room.ambient),) * 3


def differing(points: Floats, colors: Floats, used: Bools) -> Bools:
    """Return which faces, (n,), have another light at a corner than most faces at that position.

    `points`, `colors`: (n, 4, 3) the corners and their light. `used`: (n, 4), the corners that exist.
    """
    _, number, usual = _at_positions(points[used], colors[used])
    differs = np.zeros(used.shape, np.bool_)
    differs[used] = np.abs(colors[used] - usual[number]).max(axis=1) > _SEEN
    return np.asarray(differs.any(axis=1))


def has_seams(game: Game, room: Room, faces: LevelFaces, is_chosen: Bools) -> bool:
    """Return whether some faces, (n,), have a corner where the room's vertices differ in light.

    Imported geometry keeps such light only if its vertices are not shared.
    """
    used = np.ones(faces.corners.shape, np.bool_)
    used[faces.triangle, 3] = False
    if not is_chosen.any():
        return False
    colors = vertex_light(game, room)[faces.corners[used]]
    _, number, usual = _at_positions(np.rint(faces.points[used]), colors)
    differs = np.abs(colors - usual[number]).max(axis=1) > _NONE
    is_corner_chosen = np.repeat(is_chosen, used.sum(axis=1))
    return bool(np.isin(number[is_corner_chosen], number[differs]).any())


def _at_positions(points: Floats, colors: Floats) -> tuple[Floats, Ints, Floats]:
    """Return distinct positions, the index of each point's position, and the most frequent light of each."""
    positions, number = np.unique(points, axis=0, return_inverse=True)
    number = number.reshape(-1)
    steps = np.rint(colors * _STEPS).astype(np.int64)
    rows, first, counts = np.unique(
        np.column_stack([number, steps]), axis=0, return_index=True, return_counts=True
    )
    order = np.lexsort((-counts, rows[:, 0]))
    _, best = np.unique(rows[order, 0], return_index=True)
    return positions, number, colors[first[order[best]]]


def uneven_rooms(game: Game, rooms: Sequence[Room]) -> set[int]:
    """Return the rooms that have, at a portal, another light than the room behind it at the same place.

    The compiler would give both the same. Portals between water and air are left as they are.
    """
    corners = [
        np.array([room.x, 0, room.z])
        + np.column_stack([room.vertices[axis] for axis in "xyz"]).astype(np.int64)
        for room in rooms
    ]
    packed = [np.rint(vertex_light(game, room) * _STEPS).astype(np.int64) for room in rooms]
    lights: dict[int, dict[tuple[int, ...], list[int]]] = {}
    result = set()
    for number, room in enumerate(rooms):
        for record in room.portals:
            other = int(record["room"])
            if not 0 <= other < len(rooms) or (room.flags ^ rooms[other].flags) & WATER:
                continue
            if other not in lights:
                positions = map(tuple, corners[other].tolist())
                lights[other] = dict(zip(positions, packed[other].tolist(), strict=True))
            outline = record["vertices"].astype(np.int64) + np.array([room.x, 0, room.z])
            low, high = outline.min(axis=0) - 1, outline.max(axis=0) + 1
            for row in np.flatnonzero(
                ((corners[number] >= low) & (corners[number] <= high)).all(axis=1)
            ).tolist():
                other_light = lights[other].get(tuple(corners[number][row].tolist()))
                if other_light is not None and other_light != packed[number][row].tolist():
                    result.add(number)
    return result


def effect_lights(
    points: Floats, colors: Floats, ambient: Vector, next_number: Callable[[], int]
) -> list[Light]:
    """Return the lights that give positions in a room their light.

    `points`: (n, 3) corners of sectors, with y upwards. Repeated positions get the most frequent light.
    `colors`: (n, 3) their light.
    """
    if not len(points):
        return []
    positions, _, usual = _at_positions(points, colors)
    difference = usual - np.array(ambient)
    result = []
    for sign in (1, -1):
        part = np.maximum(sign * difference, 0)
        for row in np.flatnonzero((part > _NONE).any(axis=1)).tolist():
            red, green, blue = part[row].tolist()
            x, y, z = positions[row].tolist()
            result.append(
                Light(
                    next_number(),
                    (x, y, z),
                    kind=LightKind.EFFECT,
                    intensity=float(sign * _SHARE),
                    color=(red, green, blue),
                    inner_range=0.0,
                    outer_range=_REACH,
                    obstructed=False,
                    dynamic=False,
                    imported_geometry=False,
                )
            )
    return result
