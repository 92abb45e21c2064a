"""Effects of a room's vertices: movement and glow, which stop where a room of another effect begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...games import Game
from ..level_portals import LevelPortal
from ..objects import Direction
from ..openings import Opening, ProjectRooms
from ..rooms import LightEffect, Room, RoomType
from .merged import GLOWS, MOVES
from .plan import SECTOR, Plan
from .rooms import resolved_effect

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_STILL = 0x8000  # TR2, TR3: the vertex does not move
_NOT_INTERPOLATED = 2


def vertex_effects(
    plan: Plan, rooms: ProjectRooms, room: Room, portals: Sequence[LevelPortal], places: Ints
) -> Ints:
    """Return the attributes of vertices of a room, (v,).

    Args:
        plan: the target.
        rooms: all rooms.
        room: the room.
        portals: its portals in the level.
        places: (v, 3) as levels store them.
    """
    game = plan.target.game
    result = np.zeros(len(places), np.int64)
    if not game.traits.has_vertex_attributes or not len(places):
        return result
    effect = resolved_effect(game, room)
    if game.traits.has_color_light:  # TR2 has other values there
        if effect in (LightEffect.MOVEMENT, LightEffect.BOTH):
            result |= MOVES
        if effect in (LightEffect.GLOW, LightEffect.BOTH):
            result |= GLOWS
    for portal in portals:
        other = rooms.by_number.get(portal.room)
        if other is None:
            continue
        inside, rim = _in_portal(places, portal.vertices)
        if not inside.any():
            continue
        if (resolved_effect(game, other), other.effect_strength) != (effect, room.effect_strength):
            result[inside] &= ~MOVES
            if room.interpolation != _NOT_INTERPOLATED:
                result[inside] &= ~GLOWS
        link = rooms.links(room).portals[portal.index]
        if link.direction in (Direction.FLOOR, Direction.CEILING):
            is_floor = link.direction == Direction.FLOOR
            surface = _at_surface(rooms, room, other, places, inside, rim, effect, is_floor=is_floor)
            result |= surface
        if game in (Game.TR2, Game.TR3):
            result[inside & (result & MOVES == 0)] |= _STILL
    return result


def _at_surface(
    rooms: ProjectRooms, room: Room, other: Room, places: Ints, inside: Bools, rim: Bools, effect: int,
    *, is_floor: bool,
) -> Ints:  # fmt: skip
    """Return the effects of vertices in a floor or ceiling portal."""
    result = np.zeros(len(places), np.int64)
    free = inside & ~rim & _open_around(rooms, room, places, is_floor=is_floor)
    wet, other_wet = room.kind == RoomType.WATER, other.kind == RoomType.WATER
    if is_floor and effect == LightEffect.MIST:
        result[free] |= GLOWS
    if is_floor and effect == LightEffect.REFLECTION and wet != other_wet:
        result[inside] |= GLOWS
    if wet != other_wet and (other_wet if is_floor else wet):
        result[free] |= MOVES
    return result


def _in_portal(places: Ints, vertices: Ints) -> tuple[Bools, Bools]:
    """Return which vertices are in the box of a portal, and which of them on the border of its area."""
    low, high = vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()
    inside, rim = np.ones(len(places), np.bool_), np.zeros(len(places), np.bool_)
    for axis, (along, first, last) in enumerate(zip(places.T, low, high, strict=True)):
        inside &= (along >= first - 1) & (along <= last + 1)
        if axis != 1:
            rim |= (along <= first) | (along >= last)
    return inside, inside & rim


def _open_around(rooms: ProjectRooms, room: Room, places: Ints, *, is_floor: bool) -> Bools:
    """Return which vertices are between four sectors that are fully open and no walls."""
    openings = rooms.face_openings(room)
    shape = room.shape
    is_open = (
        ((openings.floor if is_floor else openings.ceiling) == Opening.FULL) & ~shape.wall & ~shape.border
    )
    x, z = places[:, 0] // SECTOR, places[:, 2] // SECTOR
    at_corner = (places[:, 0] % SECTOR == 0) & (places[:, 2] % SECTOR == 0)
    known = at_corner & (x > 0) & (z > 0) & (x < shape.x_sectors) & (z < shape.z_sectors)
    x, z = np.where(known, x, 1), np.where(known, z, 1)
    around = is_open[z, x] & is_open[z - 1, x] & is_open[z, x - 1] & is_open[z - 1, x - 1]
    result: Bools = known & around
    return result
