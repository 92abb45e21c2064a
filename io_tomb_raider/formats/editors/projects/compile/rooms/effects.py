"""Effects of a room's vertices: movement and glow, which stop where a room of another effect begins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Bools, Ints
from .....base.games import Game
from .....base.units import SECTOR_SIZE
from .....levels.rooms.effects import NEUTRAL
from ...geometry.openings import ANY, PASSABLE, Opening, ProjectRooms
from ...model.objects import Direction, ProjectPortal
from ...model.room_flags import resolved_effect
from ...model.rooms import LIQUIDS, LightEffect, ProjectRoom, RoomType
from ..plan.plan import Plan
from .merged import GLOWS, MOVES
from .rooms import ordered_portals, vertical_range

_STILL = 0x8000  # TR2, TR3: the vertex does not move
_DEFAULT, _NOT_INTERPOLATED = 0, 2  # of the interpolation
_MOVING = (LightEffect.MOVEMENT, LightEffect.BOTH)
_GLOWING = (LightEffect.GLOW, LightEffect.BOTH)
# The four sectors around a corner (steps in x and z), and their triangles at it.
_AROUND = (
    ((0, 0), Opening.XNZN),
    ((-1, 0), Opening.XPZN),
    ((0, -1), Opening.XNZP),
    ((-1, -1), Opening.XPZP),
)
# TR2: strengths from 0 to 30 of a sunset, which grows, and of flickering light, which shrinks.
_SUNSET, _SUNSET_STEP, _FLICKER_STEP = 17, 3.25, 3


class _Surface(NamedTuple):
    """The surroundings of the vertices of a room in its floor."""

    inside: Bools  #: (v,) bool, vertices at which four sectors of the room can meet.
    open: Bools  #: (v,) bool, those between four sectors whose floor is fully open.
    moves: Bools  #: (v,) bool, those at which a surface of water moves, if they are at its height.


def vertex_effects(plan: Plan, rooms: ProjectRooms, room: ProjectRoom, positions: Ints, merged: Ints) -> Ints:
    """Return the attributes of vertices of a room, (v,).

    `positions`: (v, 3) as levels store them. `merged`: (v,) the attributes of merged static meshes, which
    count only in rooms without an effect.
    """
    game = plan.target.game
    if not game.traits.has_vertex_attributes or not len(positions):
        return np.zeros(len(positions), np.int64)
    effect, strength = resolved_effect(game, room), room.effect_strength
    has_still = game.traits.has_light_mode
    flags = np.zeros(len(positions), np.int64)
    can_move, can_glow = (np.ones(len(positions), np.bool_) for _ in range(2))
    portals = _neighbors(rooms, room)
    is_above_water = any(
        each.direction == Direction.FLOOR and other.kind in LIQUIDS for each, other in portals
    )
    if effect == LightEffect.NONE and not has_still and not is_above_water:
        return merged.astype(np.int64)
    surface = _surface(rooms, room, positions) if portals else None
    remaining = surface.inside.copy() if surface is not None else can_move
    for portal, other in portals:
        assert surface is not None
        plane, edge, within = _on_portal(room, portal, positions)
        touches = remaining & plane & (edge | within)
        is_floor = portal.direction == Direction.FLOOR
        if is_floor and other.kind in LIQUIDS:
            flags[remaining & plane & ~edge & surface.moves] |= MOVES
        rest = remaining
        if is_floor and effect == LightEffect.MIST:
            hit = remaining & surface.open & plane & within
            flags[hit] |= GLOWS
            rest, remaining = remaining & ~surface.open, remaining & ~hit
        elif (
            is_floor
            and effect == LightEffect.REFLECTION
            and (room.kind in LIQUIDS) != (other.kind in LIQUIDS)
        ):
            flags[touches] |= GLOWS
            rest, remaining = np.zeros_like(remaining), remaining & ~touches
        other_effect = resolved_effect(Game.TR3, other)  # that of water does not depend on the game here
        same_strength = other.effect_strength == strength
        if (effect in _MOVING or has_still) and not (other_effect == effect and same_strength):
            can_move &= ~(rest & touches)
        if _is_interpolated(room) and not (other_effect in _GLOWING and same_strength):
            can_glow &= ~touches
    if effect in _MOVING:
        flags[can_move] |= MOVES
    if effect in _GLOWING:
        flags[can_glow] |= GLOWS
    if game.traits.has_effect_strengths:
        flags = _strengths(room, flags, can_move)
    if has_still:
        flags[~can_move] |= _STILL
    return np.where(merged != 0, merged, flags) if effect == LightEffect.NONE else flags


def _neighbors(rooms: ProjectRooms, room: ProjectRoom) -> list[tuple[ProjectPortal, ProjectRoom]]:
    """Return the portals of a room with the rooms behind them, in order."""
    return [
        (each, rooms.by_number[each.room]) for each in ordered_portals(room) if each.room in rooms.by_number
    ]


def _strengths(room: ProjectRoom, flags: Ints, can_move: Bools) -> Ints:
    """Return the strengths of the light modes of TR2 in place of movement and glow."""
    if room.effect == LightEffect.NONE:
        return np.zeros_like(flags)
    if room.effect == LightEffect.BOTH:
        return np.where(can_move, int(_SUNSET + room.effect_strength * _SUNSET_STEP), NEUTRAL)
    return np.where(flags != 0, NEUTRAL - room.effect_strength * _FLICKER_STEP & 0xFFFF, NEUTRAL)


def _is_interpolated(room: ProjectRoom) -> bool:
    """Return whether a room's light meets that of its neighbors; that of water does not by default."""
    if room.interpolation == _DEFAULT:
        return room.kind != RoomType.WATER
    return room.interpolation != _NOT_INTERPOLATED


def _on_portal(room: ProjectRoom, portal: ProjectPortal, positions: Ints) -> tuple[Bools, Bools, Bools]:
    """Return which vertices are at the height of a portal, on the edge of its area, and inside of it.

    The height of all floor portals is that of the lowest floor of the room, that of ceiling portals that of
    its highest ceiling; walls have none.
    """
    x0, z0, x1, z1 = portal.area
    direction = portal.direction
    x1, z1 = x1 + (direction != Direction.POSITIVE_X), z1 + (direction != Direction.POSITIVE_Z)
    x0, z0 = x0 + (direction == Direction.NEGATIVE_X), z0 + (direction == Direction.NEGATIVE_Z)
    x, y, z = positions.T
    low_x, high_x, low_z, high_z = (value * SECTOR_SIZE for value in (x0, x1, z0, z1))
    top, bottom = vertical_range(room)
    if direction == Direction.FLOOR:
        plane = y == bottom
    elif direction == Direction.CEILING:
        plane = y == top
    else:
        plane = np.ones(len(positions), np.bool_)
    end_x, end_z = (x == low_x) | (x == high_x), (z == low_z) | (z == high_z)
    in_x, in_z = (x >= low_x) & (x <= high_x), (z >= low_z) & (z <= high_z)
    edge = (end_x & in_z) | (in_x & end_z)
    within = (in_x & (~end_x | (low_x == high_x))) & (in_z & (~end_z | (low_z == high_z))) & ~(end_x & end_z)
    return plane, edge, within


def _surface(rooms: ProjectRooms, room: ProjectRoom, positions: Ints) -> _Surface:
    shape = room.shape
    anywhere, passable = (rooms.openings(room, opacities).floor for opacities in (ANY, PASSABLE))
    x, z = positions[:, 0] // SECTOR_SIZE, positions[:, 2] // SECTOR_SIZE
    inside = (x > 0) & (z > 0) & (x < shape.x_sectors) & (z < shape.z_sectors)
    x, z = np.where(inside, x, 1), np.where(inside, z, 1)
    is_open, all_known = inside.copy(), inside.copy()
    full, half = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    for (step_x, step_z), triangle in _AROUND:
        at = z + step_z, x + step_x
        is_open &= passable[at] == Opening.FULL
        all_known &= (anywhere[at] != Opening.CLOSED) & ~shape.wall[at]
        full += anywhere[at] == Opening.FULL
        half += passable[at] == triangle
    return _Surface(inside, is_open, all_known & (is_open | ((full == 3) & (half == 1))))
