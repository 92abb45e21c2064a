"""The light of rooms as levels store it: packed shades, shades at portals, and the lights for objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import acos, cos, radians
from typing import Any, NamedTuple

import numpy as np

from ....base.arrays.distinct import sorted_rows
from ....base.arrays.typing import Bools, Floats, Ints, Records
from ....base.bytes.colors import DARKEST
from ....base.bytes.records import FOG_BULB_TR5, ROOM_LIGHT, ROOM_VERTEX
from ....base.games import Game
from ....base.units import SECTOR_SIZE
from ....levels.lights.baking import pack_light
from ....levels.lights.lights import FOG, POINT, SHADOW, SPOT, SUN, new_light, type_of
from ..model.objects import Light, LightKind, Opacity, Vector
from ..model.rooms import ProjectRoom
from .light import direction_of

# --- Packing -----------------------------------------------------------------------------------

_LUMINANCE = np.array((0.2126, 0.7152, 0.0722), np.float32)
_GRAYS, _GRAY_SHIFT = np.float32(255), 5


def pack_gray(brightness: Floats) -> Ints:
    """Return brightness (n, 3) as uncolored light, (n,), 0 bright to 8160 dark in steps of 32.

    It is computed in single precision, as by Tomb Editor: its color dialog has 255 steps, too, so grays are
    at the border of two steps, and the error decides between them.
    """
    red, green, blue = (brightness.astype(np.float32) / np.float32(2) * _LUMINANCE).T
    luma = np.clip(red + green + blue, np.float32(0), np.float32(1))
    return ((np.float32(1) - luma) * _GRAYS).astype(np.int64) << _GRAY_SHIFT


def pack_shades(game: Game, brightness: Floats, *, wide: bool = False) -> Ints:
    """Return brightness (n, 3), 1 for normal, as vertices store it.

    (n, 1), 0 bright to 8160 dark (TR1, TR2), or (n, 3) in 5 bits (TR3, TR4) or 8 (TR5, or `wide` ones of
    TRNG).
    """
    if not game.traits.has_color_light:
        return pack_gray(brightness)[:, None]
    return pack_light(Game.TR5 if wide else game, brightness).astype(np.int64)


def put_shades(vertices: Records, game: Game, packed: Ints, *, wide: bool = False) -> None:
    """Set the light of vertices of a room. `packed`: (n, 1 or 3), from :func:`pack_shades`."""
    if game.traits.has_room_layers:
        vertices["color"] = 0xFF << 24 | packed @ (1 << 16, 1 << 8, 1)
        return
    first = second = packed[:, 0]
    if game.traits.has_color_light:
        five = packed >> 3 if wide else packed
        first = second = five @ (1 << 10, 1 << 5, 1)
        if wide:
            first = (packed & 7) @ (1 << 6, 1 << 3, 1)
    vertices["light"] = first
    names = ROOM_VERTEX[game].names or ()
    if "light2" in names:
        vertices["light2"] = second
    if "color" in names:
        vertices["color"] = second


def room_ambient(game: Game, ambient: Vector) -> int:
    """Return a room's ambient light as levels store it: 0 bright to 8160 dark, or a color."""
    color = np.array([ambient], np.float64)
    if not game.traits.has_room_color:
        return int(pack_gray(color)[0])
    red, green, blue = pack_light(Game.TR5, color)[0].tolist()
    return int(red << 16 | green << 8 | blue)


# --- Shades at portals -------------------------------------------------------------------------


class ShadedPortal(NamedTuple):
    """A portal of a level."""

    room: int  #: the index of the other room.
    vertices: Ints  #: (4, 3) as levels store them.
    opacity: int = Opacity.NONE  #: see :class:`~..model.objects.Opacity`.


@dataclass(eq=False)
class ShadedRoom:
    """A room of a level whose shades are to meet those of its neighbors."""

    corner: tuple[int, int]  #: its position (x, z).
    positions: Ints  #: (n, 3) int64, the vertices as levels store them.
    packed: Ints  #: (n, c) int64, their packed shades; replaced.
    portals: list[ShadedPortal] = field(default_factory=list)
    interpolation: int = 0  #: 0 default, 1 yes, 2 no.
    water: bool = False  #: whether it is a room of water.
    alternate: int = -1  #: the index of its alternate room, or -1.
    is_alternate: bool = False  #: whether it is an alternate room.
    group: int = 0  #: the number of its flip map, if it is one of a pair.


_YES, _NO = 1, 2  # of the interpolation
_BITS = 21
_AWAY = 1 << 20  # positions are above its negative
_BRIGHT = 8160

# A position in the world, whether it is in water, and the flip map of its alternate room, or -1.
_PositionKey = tuple[int, bool, int]
_Shade = tuple[int, ...]


def meet_at_portals(rooms: Sequence[ShadedRoom]) -> None:
    """Make shades of vertices at portals equal on both sides.

    Rooms are visited in order, so of several rooms at a position the last ones count most. Alternate rooms
    are visited after all others.
    """
    keys = [_keys(room) for room in rooms]
    order = [np.argsort(each, kind="stable") for each in keys]
    ordered = [each[by_key] for each, by_key in zip(keys, order, strict=True)]
    marked = [np.zeros(len(each), np.bool_) for each in keys]
    met = _Met.of(rooms, keys, list(_meetings(rooms, False, keys, order, ordered, marked)))
    flipped_shades = met.as_dict() if any(room.is_alternate for room in rooms) else {}
    for number, other, mine, theirs in _meetings(rooms, True, keys, order, ordered, marked):
        _meet(rooms[number], rooms[other], keys[number], mine.tolist(), theirs.tolist(), flipped_shades)
    for number, room in enumerate(rooms):
        rows = np.flatnonzero(marked[number])
        packed = room.packed.copy()
        if room.is_alternate:
            for row, key in zip(rows.tolist(), keys[number][rows].tolist(), strict=True):
                packed[row] = flipped_shades.get(_position_key(room, key), packed[row])
        else:
            index = met.rows(keys[number][rows], room.water)
            packed[rows[index >= 0]] = met.shades[index[index >= 0]]
        room.packed = packed


def _meetings(
    rooms: Sequence[ShadedRoom],
    flipped: bool,
    keys: Sequence[Ints],
    order: Sequence[Ints],
    ordered: Sequence[Ints],
    marked: Sequence[Bools],
) -> Iterator[tuple[int, int, Ints, Ints]]:
    """Yield two rooms and the vertices of both that meet at a portal of the first one.

    Args:
        flipped: whether the first one is an alternate room.
        keys, order, ordered: by room, the positions of vertices, their order, and they in it.
        marked: by room, which vertices are at portals; changed.
    """
    for number, room in enumerate(rooms):
        if room.interpolation == _NO or room.is_alternate is not flipped:
            continue
        for portal in room.portals:
            other = _partner(rooms, room, portal, flipped)
            if other is None:
                continue
            rows = np.flatnonzero(_inside(room.positions, portal.vertices))
            marked[number][rows] = True
            yield number, other, *_pairs(keys[number], rows, ordered[other], order[other])


class _Met(NamedTuple):
    """Shades at portals, without those of alternate rooms."""

    keys: Ints  #: (k,) int64, the positions, in order.
    shades: Ints  #: (2 * k, c) int64, the shades of each position, without and in water.
    exists: Bools  #: (2 * k,) bool.

    @classmethod
    def of(
        cls,
        rooms: Sequence[ShadedRoom],
        keys: Sequence[Ints],
        meetings: Sequence[tuple[int, int, Ints, Ints]],
    ) -> _Met:
        """Return the shades after all meetings, in order."""
        parts = [each for each in meetings if len(each[2])]
        if not parts:
            return cls(np.zeros(0, np.int64), np.zeros((0, 1), np.int64), np.zeros(0, np.bool_))
        positions = np.concatenate([keys[number][mine] for number, _, mine, _ in parts])
        water = np.repeat([rooms[each[0]].water for each in parts], [len(each[2]) for each in parts])
        mine = np.concatenate([rooms[number].packed[rows] for number, _, rows, _ in parts])
        theirs = np.concatenate([rooms[other].packed[other_rows] for _, other, _, other_rows in parts])
        distinct, row = np.unique(positions, return_inverse=True)
        row = row.reshape(-1) * 2 + water
        # Each shade depends on those before it at the same place: all places at once, meeting by meeting.
        order = sorted_rows(row)
        count = np.bincount(row, minlength=2 * len(distinct))
        start = np.cumsum(count) - count
        exists = count > 0
        shades = np.zeros((len(count), mine.shape[1]), np.int64)
        shades[exists] = mine[order[start[exists]]]
        for turn in range(int(count.max())):
            current = np.flatnonzero(count > turn)
            shades[current] = _mean(shades[current], theirs[order[start[current] + turn]])
        return cls(distinct, shades, exists)

    def rows(self, keys: Ints, water: bool) -> Ints:
        """Return the rows of shades at positions (n,), -1 for none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        index = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        row = index * 2 + water
        return np.where((self.keys[index] == keys) & self.exists[row], row, -1)

    def as_dict(self) -> dict[_PositionKey, _Shade]:
        """Return the shades by place."""
        rows = np.flatnonzero(self.exists)
        positions = zip(self.keys[rows // 2].tolist(), (rows % 2).astype(np.bool_).tolist(), strict=True)
        return {
            (key, water, -1): tuple(shade)
            for (key, water), shade in zip(positions, self.shades[rows].tolist(), strict=True)
        }


def _keys(room: ShadedRoom) -> Ints:
    """Return the positions of vertices in the world, each as one number."""
    x, z = room.corner
    positions = room.positions + np.array((x + _AWAY, _AWAY, z + _AWAY))
    keys: Ints = (positions[:, 0] << 2 * _BITS) + (positions[:, 1] << _BITS) + positions[:, 2]
    return keys


def _position_key(room: ShadedRoom, key: int) -> _PositionKey:
    return key, room.water, room.group if room.is_alternate else -1


def _partner(
    rooms: Sequence[ShadedRoom], room: ShadedRoom, portal: ShadedPortal, flipped: bool
) -> int | None:
    """Return the room whose shades meet those of a room at a portal, or None."""
    if portal.opacity == Opacity.SOLID_FACES and room.interpolation != _YES:
        return None
    number = portal.room
    other = rooms[number]
    if flipped and other.alternate >= 0 and rooms[other.alternate].group == room.group:
        number, other = other.alternate, rooms[other.alternate]
    if other.is_alternate and (not flipped or other.group != room.group):
        return None
    if other.interpolation == _NO:
        return None
    if room.water != other.water and _YES not in (room.interpolation, other.interpolation):
        return None
    return number


def _inside(positions: Ints, vertices: Ints) -> Bools:
    """Return which positions are in the box around a portal; its far sides are one unit further.

    Not if they are only one unit from the first vertex: so does the editor.
    """
    low, high = vertices.min(axis=0).tolist(), []
    for values in vertices.T.tolist():
        end = values[0] + 1
        for value in values[1:]:
            end = value + 1 if value > end else end
        high.append(end)
    inside = np.ones(len(positions), np.bool_)
    for axis, first, last in zip(positions.T, low, high, strict=True):
        inside &= (axis >= first) & (axis <= last)
    return inside


def _pairs(keys: Ints, rows: Ints, ordered: Ints, order: Ints) -> tuple[Ints, Ints]:
    """Return the pairs of vertices of two rooms at the same positions, in the order of the first room."""
    start = np.searchsorted(ordered, keys[rows])
    count = np.searchsorted(ordered, keys[rows], side="right") - start
    index = np.repeat(start - np.cumsum(count) + count, count) + np.arange(count.sum())
    return np.repeat(rows, count), order[index]


def _meet(
    room: ShadedRoom,
    other: ShadedRoom,
    keys: Ints,
    mine: list[int],
    theirs: list[int],
    shades: dict[_PositionKey, _Shade],
) -> None:
    """Add the shades of an alternate room's vertices that meet those of another one: few, one by one."""
    for row, other_row in zip(mine, theirs, strict=True):
        key = _position_key(room, int(keys[row]))
        shade = other.packed[other_row]
        if not other.is_alternate:
            shades[key] = shades.get((key[0], room.water, -1), tuple(shade.tolist()))
            continue
        shade_before = np.array(shades[key], np.int64) if key in shades else room.packed[row]
        shades[key] = tuple(_mean(shade_before, shade).tolist())


def _mean(first: Ints, second: Ints) -> Ints:
    """Return the shades (..., c) between two."""
    if first.shape[-1] == 1:
        return np.asarray(_BRIGHT - ((_BRIGHT - second) // 2 + (_BRIGHT - first) // 2))
    return np.asarray((first + second) >> 1)


# --- Lights of the level -----------------------------------------------------------------------

_KINDS: dict[int, str] = {
    LightKind.POINT: POINT,
    LightKind.SHADOW: SHADOW,
    LightKind.SPOT: SPOT,
    LightKind.SUN: SUN,
    LightKind.FOG_BULB: FOG,
}
_FULL = 255
_SUN_LENGTH = 1024  # of the direction of suns of TR3
_FOG_STEPS = 65535  # of the density of fog bulbs of TR5
_DIRECTION_STEPS = 16384  # of the integers of TR5's directions
_MOST_BRIGHTNESS = 2.0


class LevelLights(NamedTuple):
    """The lights of a room of a level."""

    lights: Records  #: (n,) records of the game.
    fog_bulbs: Records  #: (k,) records of TR5; other games have theirs among the lights.
    origins: list[Light]  #: the project's light of each of ``lights``, then of each of ``fog_bulbs``.


def level_lights(game: Game, room: ProjectRoom) -> LevelLights:
    """Return the lights that shine on objects: those that are dynamic, visible, and known to the game."""
    lights: list[tuple[Any, Light]] = []
    bulbs: list[tuple[Any, Light]] = []
    for light in room.each(Light):
        kind = _KINDS.get(light.kind)
        if kind is None or not (light.enabled and light.dynamic) or type_of(game, kind) is None:
            continue
        color, intensity = _color(game, light)
        if not intensity or not color.any():
            continue
        record = new_light(game, kind)
        for axis, number in zip("xyz", _position(room, light), strict=True):
            record[axis] = number
        if record.dtype == FOG_BULB_TR5:
            _fill_fog_bulb(record, light, color)
            bulbs.append((record, light))
            continue
        _fill(game, record, kind, light, color, intensity)
        lights.append((record, light))
    return LevelLights(
        np.array([record for record, _ in lights], ROOM_LIGHT[game]),
        np.array([record for record, _ in bulbs], FOG_BULB_TR5),
        [light for _, light in lights + bulbs],
    )


def _position(room: ProjectRoom, light: Light) -> list[int]:
    corner = np.array((room.x * SECTOR_SIZE, room.y, room.z * SECTOR_SIZE), np.float32)
    # As the editor: halves go to the even number.
    x, y, z = np.rint(corner + np.array(light.position, np.float32)).astype(np.int64).tolist()
    return [x, -y, z]


def _color(game: Game, light: Light) -> tuple[Ints, int]:
    """Return color (3,) in 8 bits, and intensity, 8191 full."""
    color = light.color
    if light.kind == LightKind.FOG_BULB:
        if not game.traits.has_fog_bulb_list:
            color = (min(max(light.intensity, 0.0), _MOST_BRIGHTNESS),) * 3
        intensity = DARKEST
    else:
        # As precise as the editor is, since the number is cut.
        intensity = min(int(np.float32(abs(light.intensity)) * np.float32(DARKEST)), 0xFFFF)
    return pack_light(Game.TR5, np.array([color], np.float64))[0].astype(np.int64), intensity


def _fill(game: Game, record: Any, kind: str, light: Light, color: Ints, intensity: int) -> None:
    names = record.dtype.names
    inner, outer = light.inner_range * SECTOR_SIZE, light.outer_range * SECTOR_SIZE
    x, y, z = direction_of(light)
    direction = np.array((-x, y, -z), np.float32)  # as precise as the compiler is
    if "type" in names:
        record["type"] = type_of(game, kind)
        record["color"] = color if game.traits.has_light_intensity else color / _FULL
    if "parameters" in names:  # TR3
        if kind == SUN:
            record["parameters"][:3] = np.trunc(direction * _SUN_LENGTH)
        else:
            record["parameters"] = np.array([intensity, int(outer / 2)], np.int32).view(np.int16)
        return
    for name in {"intensity", "intensity2"}.intersection(names):
        record[name] = intensity
    for name in {"falloff", "falloff2"}.intersection(names):
        record[name] = int(outer / 2)
    if not game.traits.has_light_ranges:
        return
    if kind in (SUN, SPOT):
        record["direction"] = -direction if game.traits.has_beam_directions else direction
    if kind == SPOT:
        cosines = [cos(radians(angle)) for angle in (light.inner_angle, light.outer_angle)]
        record["inner"], record["outer"] = cosines
        record[game.traits.spot_reach] = outer
        if "inner_angle" not in names:
            record["length"] = inner
        else:
            angles = [2 * acos(float(np.float32(each))) for each in cosines]
            record["inner_angle"], record["outer_angle"] = angles
    elif kind != SUN:
        record["inner"], record["outer"] = inner, outer
    if kind == FOG:
        record["length"] = light.intensity
    if "direction2" in names:
        record["position"] = [int(record[axis]) for axis in "xyz"]
        record["direction2"] = np.trunc(record["direction"].astype(np.float64) * _DIRECTION_STEPS)
        if kind == SHADOW:
            record["shadow"] = int(intensity / DARKEST * _FULL)


def _fill_fog_bulb(record: Any, light: Light, color: Ints) -> None:
    outer = light.outer_range * SECTOR_SIZE
    record["radius"], record["radius2"] = outer, outer * outer
    record["density"] = light.intensity * _FOG_STEPS
    record["color"] = color / _FULL
