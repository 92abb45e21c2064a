"""Rooms of a project as rooms of a level: their records, flags and portals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .....base.arrays.typing import Records
from .....base.bytes.records import (
    FOG_BULB_TR5,
    LAYER_TR5,
    PORTAL,
    ROOM_LIGHT,
    ROOM_QUAD,
    ROOM_SPRITE,
    ROOM_STATIC,
    ROOM_TRIANGLE,
    ROOM_VERTEX,
)
from .....base.units import SECTOR_SIZE
from .....levels.rooms.rooms import Room
from .....levels.rooms.rooms_tr5 import new_header
from ...geometry.level_portals import LevelPortal
from ...light.shades import room_ambient
from ...model.objects import Direction, ProjectPortal
from ...model.room_flags import SCHEMES_OF_SURFACES, flags_of, light_mode_of, resolved_effect
from ...model.rooms import LIQUIDS, LightEffect, ProjectRoom, RoomType
from ..plan.plan import Plan

_EMPTY_HEIGHT = 3072


def ordered_portals(room: ProjectRoom) -> list[ProjectPortal]:
    """Return the portals of a room in the order in which its sectors have them: by x, then by z."""
    rank = {Direction.CEILING: 1, Direction.FLOOR: 2}
    return sorted(
        room.each(ProjectPortal),
        key=lambda portal: (*portal.area[:2], rank.get(Direction(portal.direction), 0)),
    )


def vertical_range(room: ProjectRoom) -> tuple[int, int]:
    """Return the top and the bottom of a room as levels store them: the extremes of its sectors."""
    shape = room.shape
    inner = ~(shape.wall | shape.border)
    highest = int(shape.ceiling.heights[inner].max()) if inner.any() else _EMPTY_HEIGHT
    lowest = int(shape.floor.heights[inner].min()) if inner.any() else 0
    return -(room.y + highest), -(room.y + lowest)


def _fluids_below(plan: Plan, room: ProjectRoom) -> Iterator[ProjectRoom]:
    for portal in ordered_portals(room):
        index = plan.index.get(portal.room)
        if portal.direction != Direction.FLOOR or index is None:
            continue
        if plan.rooms[index].kind in LIQUIDS:
            yield plan.rooms[index]


def water_scheme(plan: Plan, room: ProjectRoom) -> int:
    """Return the water scheme of a room, which the games from TR3 on read."""
    if room.kind == RoomType.WATER:
        return 0
    below = next(_fluids_below(plan, room), None)
    strength = room.effect_strength
    if below is not None and room.kind not in LIQUIDS and room.effect in SCHEMES_OF_SURFACES:
        return 4 * below.effect_strength + strength & 0xFF
    effect = resolved_effect(plan.target.game, room)
    if effect in (LightEffect.MOVEMENT, LightEffect.BOTH, LightEffect.NONE):
        return 5 * strength & 0xFF
    if effect in (LightEffect.GLOW, LightEffect.MIST):
        return strength + 1 if strength else 0
    return 0


def level_room(plan: Plan, room: ProjectRoom, portals: Sequence[LevelPortal]) -> Room:
    """Return a room of the level with its record and portals, without mesh, sectors, and objects."""
    game = plan.target.game
    shape = room.shape
    result = Room()
    result.x, result.z = room.x * SECTOR_SIZE, room.z * SECTOR_SIZE
    result.y_top, result.y_bottom = vertical_range(room)
    result.x_sectors, result.z_sectors = shape.x_sectors, shape.z_sectors
    ambient = room_ambient(game, room.ambient)
    result.ambient = result.ambient2 = result.color = ambient
    result.light_mode = light_mode_of(game, room)
    group = plan.group(room)
    result.alternate_room = -1 if room.alternate is None else plan.index.get(room.alternate[1], -1)
    result.alternate_group = 0 if group is None or not game.traits.has_flip_groups else group & 0xFF
    result.flags = flags_of(room, game, trng=plan.target.trng)
    result.water_scheme, result.reverb = water_scheme(plan, room), room.reverb & 0xFF
    result.portals = portal_records(plan, portals)
    result.vertices = np.zeros(0, ROOM_VERTEX[game])
    result.quads, result.triangles = np.zeros(0, ROOM_QUAD[game]), np.zeros(0, ROOM_TRIANGLE[game])
    result.sprites = np.zeros(0, ROOM_SPRITE)
    result.lights, result.static_meshes = np.zeros(0, ROOM_LIGHT[game]), np.zeros(0, ROOM_STATIC[game])
    if game.traits.has_room_layers:
        result.y = 0
        result.layers, result.fog_bulbs = np.zeros(0, LAYER_TR5), np.zeros(0, FOG_BULB_TR5)
        result.header = new_header()
    else:
        result.geometry_words = (1, -1)
    return result


def portal_records(plan: Plan, portals: Sequence[LevelPortal]) -> Records:
    """Return the portals of a room; those to rooms that do not exist are omitted."""
    existing = [each for each in portals if each.room in plan.index]
    records = np.zeros(len(existing), PORTAL)
    for row, each in enumerate(existing):
        records["room"][row] = plan.index[each.room]
        records["normal"][row] = each.normal
        records["vertices"][row] = np.clip(each.vertices, -0x8000, 0x7FFF)
    return records
