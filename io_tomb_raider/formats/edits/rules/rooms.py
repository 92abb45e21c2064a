"""Rules of rooms and portals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.typing import Bools, Ints
from ...base.messages import N_
from ...base.units import SECTOR_SIZE
from ...levels.collision.sectors import NO_ROOM
from ...levels.lights.lights import FOG, type_of
from ...levels.views.decoded import Decoded
from .rooms_tr5 import TR5_RULES
from .rule import (
    ALL,
    CROFTENGINE,
    ENGINES,
    EVERYONE,
    NO_PLACES,
    OPENLARA,
    OPENTOMB,
    ORIGINAL,
    TR1,
    TR2,
    TR3,
    TR4,
    TR5,
    Harm,
    Places,
    Rule,
    where,
)
from .view import Portals, portals_of, room_values, static_places

_WORLD = 27 * 4  # sectors of the engine's table of rooms
_CELL = 4  # sectors of a cell of that table
_MOST_IN_CELL = 63
_MOST_VERTICES = {3: 12000, 4: 8192, 5: 1024}  # of a room; in TR5 of a layer
_MOST_SCHEME, _MOST_REVERB, _MOST_FLIP_GROUP, _MOST_BULBS = 21, 4, 9, 20
_LEAST_SECTORS = 3


def _inner(checked: Decoded) -> tuple[Ints, Ints]:
    """Return the first sector inside of each room's border and the one after the last, each (rooms, 2)."""
    corners = checked.corners // SECTOR_SIZE
    sizes = np.stack([room_values(checked, "x_sectors"), room_values(checked, "z_sectors")], axis=1)
    return corners + 1, corners + sizes - 1


def _outside_world(checked: Decoded) -> Places:
    low, high = _inner(checked)
    return np.flatnonzero((low < 0).any(axis=1) | (high > _WORLD).any(axis=1))


def _crowded(checked: Decoded) -> Places:
    low, high = _inner(checked)
    is_flipped = np.zeros(len(low), np.bool_)
    if checked.level.game.traits.has_flip_groups:
        alternate = room_values(checked, "alternate_room")
        is_flipped[alternate[(alternate >= 0) & (alternate < len(low))]] = True
    counts = np.zeros((_WORLD // _CELL, _WORLD // _CELL), np.int64)
    first = np.clip(low // _CELL, 0, len(counts))
    last = np.clip((high - 1) // _CELL + 1, 0, len(counts))
    for (x0, z0), (x1, z1) in zip(first[~is_flipped].tolist(), last[~is_flipped].tolist(), strict=True):
        counts[x0:x1, z0:z1] += 1
    return where(counts.reshape(-1) > _MOST_IN_CELL)


def _many_vertices(checked: Decoded) -> Places:
    level = checked.level
    most = _MOST_VERTICES[level.game]
    if level.game.traits.has_room_layers:
        counts = [int(room.layers["vertices"].max(initial=0)) for room in level.rooms]
    else:
        counts = [len(room.vertices) for room in level.rooms]
    return np.flatnonzero(np.array(counts, np.int64) > most)


def _skewed(portals: Portals) -> Bools:
    return (np.abs(portals.normal).sum(axis=1) != 1) | (np.abs(portals.normal) > 1).any(axis=1)


def _normals(checked: Decoded) -> Places:
    portals = portals_of(checked)
    return portals.room[_skewed(portals)]


def _not_flat(checked: Decoded) -> Places:
    portals = portals_of(checked)
    on_axis = np.where(np.abs(portals.normal)[:, None] > 0, portals.corners, 0)
    spread = on_axis.max(axis=1) - on_axis.min(axis=1)
    return portals.room[(spread > 0).any(axis=1) & ~_skewed(portals)]


def _sense(checked: Decoded) -> Places:
    portals = portals_of(checked)
    first, second, third = (portals.corners[:, corner] for corner in range(3))
    turn = (np.cross(second - first, third - first) * portals.normal).sum(axis=1)
    return portals.room[turn > 0]


def _first_corner(checked: Decoded) -> Places:
    portals = portals_of(checked)
    corners = portals.corners[:, :, [0, 2]]
    low, high = corners.min(axis=1), corners.max(axis=1)
    is_right = (
        (corners[:, 0] == low).all(axis=1)
        & (corners[:, 1, 1] == high[:, 1])
        & (corners[:, 2, 0] == high[:, 0])
    )
    is_floor = portals.normal[:, 1] < 0
    return portals.room[is_floor & ~is_right]


def _follow(checked: Decoded, target: NDArray[np.int32]) -> Ints:
    """Return the sector at the same place in the target room of each sector, (n,), -1 for none."""
    grid = checked.grid
    x = checked.corners[grid.room, 0] + grid.x * SECTOR_SIZE
    z = checked.corners[grid.room, 1] + grid.z * SECTOR_SIZE
    return checked.sector_at(target.astype(np.int64), x, z)


def _endless(checked: Decoded, target: NDArray[np.int32]) -> Places:
    """Return the rooms of sectors from which following a target never ends."""
    step = np.append(_follow(checked, target), -1)
    # By pointer doubling: after more steps than there are sectors, only circles go on.
    for _ in range(len(step).bit_length()):
        step = step[step]
    return checked.grid.room[step[:-1] >= 0]


def _endless_columns(checked: Decoded) -> Places:
    sectors = checked.sectors
    return np.concatenate([_endless(checked, sectors.room_below), _endless(checked, sectors.room_above)])


def _endless_walls(checked: Decoded) -> Places:
    return _endless(checked, checked.sectors.portal)


def _statics_outside(checked: Decoded) -> Places:
    room, x, z = static_places(checked)
    return room[checked.sector_at(room, x, z) < 0]


def _reverb(checked: Decoded) -> Places:
    return where(room_values(checked, "reverb") > _MOST_REVERB)


def _flip_group(checked: Decoded) -> Places:
    return where(room_values(checked, "alternate_group") > _MOST_FLIP_GROUP)


def _bulbs(checked: Decoded) -> Places:
    game = checked.level.game
    types = np.concatenate([np.asarray(room.lights["type"]) for room in checked.level.rooms] or [NO_PLACES])
    return where(np.arange(int((types == type_of(game, FOG)).sum())) >= _MOST_BULBS)


def _off_grid(checked: Decoded) -> Places:
    return where((checked.corners % SECTOR_SIZE != 0).any(axis=1))


def _bad_columns(checked: Decoded) -> Places:
    sectors, grid = checked.sectors, checked.grid
    result = []
    for target in (sectors.room_below, sectors.room_above):
        targets = _follow(checked, target)
        safe = np.maximum(targets, 0)
        room = grid.room[safe]
        x_sectors, z_sectors = (room_values(checked, name)[room] for name in ("x_sectors", "z_sectors"))
        inside = (grid.x[safe] > 0) & (grid.z[safe] > 0)
        inside &= (grid.x[safe] < x_sectors - 1) & (grid.z[safe] < z_sectors - 1)
        result.append(grid.room[(target >= 0) & (target != NO_ROOM) & ~((targets >= 0) & inside)])
    return np.concatenate(result)


def _small(checked: Decoded) -> Places:
    sizes = np.minimum(room_values(checked, "x_sectors"), room_values(checked, "z_sectors"))
    return where(sizes < _LEAST_SECTORS)


_DRAWERS = (*ENGINES, CROFTENGINE)

RULES = (
    Rule(
        "room number",
        Harm.CRASH,
        ALL,
        (ORIGINAL,),
        "the original game takes its number for no room: there can be 255 rooms",
        None,
        "room",
    ),
    Rule(
        "world size",
        Harm.CRASH,
        TR3 | TR4 | TR5,
        (ORIGINAL,),
        N_(
            "the original game reads other memory: it is outside of the world of 108 by 108 sectors. "
            "Move all rooms"
        ),
        _outside_world,
        "room",
    ),
    Rule(
        "crowded place",
        Harm.CRASH,
        TR3 | TR4 | TR5,
        (ORIGINAL,),
        N_("the original game has memory for 63 rooms above each other"),
        _crowded,
    ),
    Rule(
        "room vertices",
        Harm.CRASH,
        TR3 | TR4 | TR5,
        (ORIGINAL,),
        N_("the original game has no memory for so many vertices. Split the room"),
        _many_vertices,
        "room",
    ),
    Rule(
        "portal direction",
        Harm.WRONG,
        ALL,
        (*_DRAWERS,),
        N_("engines draw the room behind {count} of its portals wrongly: they do not follow an axis"),
        _normals,
        "room",
    ),
    Rule(
        "flat portal",
        Harm.WRONG,
        ALL,
        _DRAWERS,
        N_("engines cut off the view through {count} of its portals: their corners are not in a plane"),
        _not_flat,
        "room",
    ),
    Rule(
        "portal side",
        Harm.MISSING,
        ALL,
        _DRAWERS,
        "engines do not draw the room behind {count} of its portals: they face away from it. Flip them",
        None,
        "room",
    ),
    Rule(
        "corner sense",
        Harm.COSMETIC,
        ALL,
        (OPENTOMB,),
        N_("OpenTomb draws black behind {count} of its portals: their corners run in the other sense"),
        _sense,
        "room",
    ),
    Rule(
        "first corner of floor portals",
        Harm.COSMETIC,
        TR5,
        (ORIGINAL,),
        N_(
            "the original game draws no mist and no reflections at {count} of its floor portals: "
            "their first corner is another one"
        ),
        _first_corner,
        "room",
    ),
    Rule(
        "closed border",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "Lara can leave its grid: {count} sectors of its border are neither walls nor portals",
        None,
        "room",
    ),
    Rule(
        "endless column",
        Harm.CRASH,
        ALL,
        _DRAWERS,
        N_("the game hangs: rooms above each other return to it at {count} sectors"),
        _endless_columns,
        "room",
    ),
    Rule(
        "endless walls",
        Harm.CRASH,
        ALL,
        _DRAWERS,
        N_("the game hangs: wall portals return to it at {count} sectors"),
        _endless_walls,
        "room",
    ),
    Rule(
        "static mesh outside",
        Harm.CRASH,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game overwrites other memory: {count} of its static meshes are outside of its grid"),
        _statics_outside,
        "room",
    ),
    Rule(
        "unknown static mesh",
        Harm.MISSING,
        ALL,
        (*ENGINES, CROFTENGINE),
        (
            "OpenLara shows another mesh for {count} of its static meshes, other engines none: "
            "the level has no such static mesh"
        ),
        None,
        "room",
    ),
    Rule(
        "water scheme",
        Harm.WRONG,
        TR3 | TR4 | TR5,
        (ORIGINAL,),
        "the original game makes wild waves: its water scheme is above 21",
        None,
        "room",
    ),
    Rule(
        "reverberation",
        Harm.WRONG,
        TR4 | TR5,
        (ORIGINAL,),
        N_("the original game has no such reverberation: there are 0 to 4"),
        _reverb,
        "room",
    ),
    Rule(
        "flip group",
        Harm.CRASH,
        TR4,
        (ORIGINAL,),
        N_("the original game overwrites other memory: its flip group is above 9"),
        _flip_group,
        "room",
    ),
    Rule(
        "alternate room",
        Harm.CRASH,
        ALL,
        ENGINES,
        (
            "the game swaps rooms wrongly: its alternate room has another shape, an alternate room of its "
            "own, or is shared"
        ),
        None,
        "room",
    ),
    Rule(
        "fog bulbs",
        Harm.MISSING,
        TR4,
        (ORIGINAL,),
        N_("the original game shows 20 fog bulbs of a level: {count} are left out"),
        _bulbs,
    ),
    *TR5_RULES,
    Rule(
        "room on the grid",
        Harm.WRONG,
        ALL,
        EVERYONE,
        N_("rooms have to begin at multiples of 1024 units. Use Snap to Grid"),
        _off_grid,
        "room",
    ),
    Rule(
        "column target",
        Harm.CRASH,
        ALL,
        EVERYONE,
        N_("Lara falls out of the world: above or below {count} of its sectors the other room has a border"),
        _bad_columns,
        "room",
    ),
    Rule(
        "least room",
        Harm.WRONG,
        ALL,
        ENGINES,
        N_("engines take its border for its inside: a room has at least 3 by 3 sectors"),
        _small,
        "room",
    ),
    Rule(
        "faces of rooms",
        Harm.CRASH,
        ALL,
        EVERYONE,
        "engines read other memory: its faces have vertices or textures that do not exist",
        None,
        "room",
    ),
    Rule(
        "sprites of rooms",
        Harm.MISSING,
        TR1 | TR2 | TR3 | TR4,
        (OPENLARA, OPENTOMB, ORIGINAL),
        "engines leave out its sprites: they have vertices or pictures that do not exist",
        None,
        "room",
    ),
)
