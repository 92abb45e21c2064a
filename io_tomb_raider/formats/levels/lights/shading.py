"""The games' lighting of objects: entities by their room's lights, others by their own value.

Brightness is in the engines' unit, as a fraction of full (8191, or 255 for a color channel). Each game has
its own function from brightness to the factor of a texture. Positions are in the file's units and axes. The
formulas are those of the games' PC programs. There are few lights and each object has its own, so vectors are
plain numbers: arrays of three take ten times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import acos, cos, dist, hypot, isfinite, pi, radians
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.bytes.colors import DARKEST, NEUTRAL_SHADE, split_tint
from ...base.games import Game
from .lights import FOG, POINT, SHADOW, SPOT, SUN, Values, kind_of, reach_field

Triple = tuple[float, float, float]

_FULL = 255
_WHITE = (1.0, 1.0, 1.0)
_UP = (0.0, -1.0, 0.0)  # the direction of degenerate vectors
_SUN_LENGTH_TR3 = 4096.0  # of the direction of a sun at its full color
_SUN_TR4 = 0.75
_FIRST_ITEM = 108  # TR4: from this model on, points light all sides of an object
_FLAT_DEPTH = 4  # TR3 counts distances in steps of 4 units
# The average over all directions of a light's contribution: of max(0, x), and of ((1 + x) / 2) ** 2.
_MEAN_HARD, _MEAN_SOFT = 1 / 4, 1 / 3

# The number of separate lights in a game; for TR4 and TR5, the number kept here.
LAMPS = {Game.TR1: 1, Game.TR2: 1, Game.TR3: 2, Game.TR4: 3, Game.TR5: 3}
# The strongest lamps that are merged with one another; real rooms have fewer.
_MOST_MERGED = 48
# The absorption of red, green and blue by water, as seen from a dry room.
_WATER = {
    Game.TR1: (1 / 3, 1 / 3, 0.0),
    Game.TR2: (1 / 2, 1 / 8, 0.0),
    Game.TR3: (1 / 2, 1 / 8, 0.0),
}
EXPONENT_TR3 = 2.5 / 3  # of brightness, for the program's initial gamma option, 3
_SKY_EXPONENT_TR3 = 2.5 / 10  # of the sky, for gamma option 10


class LightSource(NamedTuple):
    """A light of a room."""

    kind: str  #: POINT, SUN, SPOT or SHADOW.
    place: Triple  #: its position.
    color: Triple  #: 1 full.
    strength: float  #: of the color, 1 full. For a TR3 sun, from the length of its direction.
    reach: float  #: its range, whose meaning depends on the game.
    inner: float  #: the range of full intensity of a shadow.
    direction: Triple  #: the unit vector towards a sun, or against the beam of a spot.
    cosine: float  #: of the angle at which a spot ends.


class Lamp(NamedTuple):
    """A light as it affects one object; x is the cosine between a normal and the direction to the light."""

    color: Triple  #: the brightness that it adds to surfaces that face it.
    direction: Triple  #: the unit vector towards it from the sample point of the object.
    #: its position, if direction and distance are computed per mesh of the object.
    place: Triple | None = None
    reach: float = 0.0  #: with a position, the distance at which ``color`` fades to 0; else 0.
    is_soft: bool = False  #: it adds (1 + x) / 2, in TR5 the square of it; else max(0, x).


@dataclass(frozen=True)
class Shading:
    """The light on an object."""

    #: brightness from all sides. Meshes with light instead of normals add it to theirs and subtract 1 (TR1,
    #: TR2), or multiply theirs with it.
    ambient: Triple
    lamps: list[Lamp] = field(default_factory=list)  #: at most ``LAMPS`` of the game.

    def at(self, game: Game, normal: Triple, place: Triple = (0.0, 0.0, 0.0)) -> NDArray[np.float64]:
        """Return the brightness (3,) of a vertex with a unit normal, given the origin of its mesh."""
        total = np.array(self.ambient)
        for lamp in self.lamps:
            direction, fade = lamp.direction, 1.0
            if lamp.place is not None:
                direction, distance = _direction(place, lamp.place)
                fade = max(1 - distance / lamp.reach, 0.0)
            cosine = _dot(direction, normal)
            soft = ((1 + cosine) / 2) ** (2 if game.traits.has_soft_points else 1)
            total += _times(lamp.color, fade * (soft if lamp.is_soft else max(cosine, 0.0)))
        return total


def texture_factor(game: Game, brightness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the factor of texture colors for some brightness, any shape; 1 leaves them unchanged.

    :func:`highlight` returns the color that TR4 and TR5 add afterwards.
    """
    if game.traits.has_light_curve:
        return np.asarray(256 / 255 * (np.clip(brightness, 0, 1) * 255 / 256) ** EXPONENT_TR3)
    if game.traits.has_light_ranges:
        return np.clip(brightness * (_FULL / 128), 0, 1)
    return np.asarray(2 * np.clip(brightness, 0, 1))


def highlight(game: Game, brightness: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the color added to textures, 1 full: in TR4 and TR5 half of the excess over 128 of 255."""
    if not game.traits.has_light_ranges:
        return np.zeros_like(brightness)
    return np.maximum(brightness - 128 / _FULL, 0) / 2


def sky_brightness(game: Game) -> float:
    """Return the brightness of the horizon: neutral, but in TR3 half light at the highest gamma."""
    if game.traits.has_light_curve:
        return 0.5 ** (_SKY_EXPONENT_TR3 / EXPONENT_TR3)
    return 128 / _FULL if game.traits.has_light_ranges else 0.5


def absorbed(game: Game, *, is_water: bool) -> Triple:
    """Return the absorption of red, green and blue by a room, for itself and its contents."""
    return _WATER.get(game, (0.0, 0.0, 0.0)) if is_water else (0.0, 0.0, 0.0)


# --- Lights of rooms -------------------------------------------------------------------------------


def source_of(game: Game, values: Values, place: Triple) -> LightSource | None:
    """Return a room light from its values, or None for fog bulbs and invalid lights."""
    kind = kind_of(game, values)
    vectors = (value if isinstance(value, tuple) else (value,) for value in values.values())
    if kind == FOG or not all(isfinite(part) for vector in vectors for part in vector):
        return None
    direction, length = _unit(values.get("direction", (0.0, 0.0, 0.0)))
    if game.traits.has_beam_directions:
        direction = _times(direction, -1.0)
    strength = _strength(game, kind, values, length)
    return LightSource(
        kind,
        place,
        values.get("color", _WHITE),
        strength,
        float(values[reach_field(game, kind)]),
        float(values.get("inner", 0.0)),
        direction,
        cos(half_angle(float(values["outer"]))) if kind == SPOT else -1.0,
    )


def half_angle(value: float) -> float:
    """Return half a cone's angle: files store its cosine, or from some tools degrees."""
    return acos(max(value, -1.0)) if value <= 1 else min(radians(value), pi / 2)


def _strength(game: Game, kind: str, values: Values, length: float) -> float:
    if not game.traits.has_light_intensity:
        return min(max(values["shadow"], 0), _FULL) / _FULL if kind == SHADOW else 1.0
    if game.traits.has_sun_lengths and kind == SUN:
        return length / _SUN_LENGTH_TR3
    intensity = values["intensity"]
    if not game.traits.has_light_types and intensity > 0x7FFF:
        intensity -= 0x10000
    return (abs(intensity) if game.traits.has_light_ranges else intensity) / DARKEST


# --- Vectors ---------------------------------------------------------------------------------------


def _unit(vector: Triple) -> tuple[Triple, float]:
    length = hypot(*vector)
    return (_times(vector, 1 / length) if length > 1e-9 else _UP), length


def _direction(start: Triple, end: Triple) -> tuple[Triple, float]:
    """Return the unit vector from one position to another, and the distance."""
    distance = dist(start, end)
    if distance <= 1e-9:
        return _UP, distance
    part = 1 / distance
    return ((end[0] - start[0]) * part, (end[1] - start[1]) * part, (end[2] - start[2]) * part), distance


def _times(vector: Triple, factor: float) -> Triple:
    return vector[0] * factor, vector[1] * factor, vector[2] * factor


def _plus(first: Triple, second: Triple) -> Triple:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]


def _dot(first: Triple, second: Triple) -> float:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


# --- Light on entities -----------------------------------------------------------------------------


def room_brightness(ambient: int) -> float:
    """Return the brightness of a room's ambient light, 0 bright to 8191 dark (TR1 to TR3)."""
    return (DARKEST - min(max(ambient, 0), DARKEST)) / DARKEST


def shade_entity(
    game: Game, ambient: int | Triple, sources: list[LightSource], sample: Triple, number: int = 0
) -> Shading:
    """Return the light on an entity that is lit by its room.

    Args:
        ambient: the room's file value (TR1 to TR3), or color, 1 full (TR4, TR5).
        sources: the lights of the room.
        sample: the sample point of the game.
        number: the entity's type.
    """
    if isinstance(ambient, int):
        shade = _shade_tr3 if game.traits.has_light_types else _shade_by_strongest
        return shade(ambient, sources, sample)
    return _shade_by_all(game, ambient, sources, sample, number)


def _shade_by_strongest(ambient: int, sources: list[LightSource], sample: Triple) -> Shading:
    """Return the light of TR1 and TR2: the strongest light; half of it also reaches the sides."""
    strongest, lamp = 0.0, None
    for source in sources:
        direction, distance = _direction(sample, source.place)
        reach = source.reach**2
        strength = source.strength * reach / max(reach + distance**2, 1e-9)
        if strength > strongest:
            strongest, lamp = strength, Lamp((strength,) * 3, direction, is_soft=True)
    return Shading((room_brightness(ambient),) * 3, [] if lamp is None else [lamp])


def _shade_tr3(ambient: int, sources: list[LightSource], sample: Triple) -> Shading:
    """Return the light of TR3: the brightest point and the last sun; all points raise the ambient light."""
    gray = ((DARKEST - min(max(ambient, 0), DARKEST)) >> 5) + 1
    strongest, point, sun = 0.0, None, None
    for source in sources:
        if source.kind == SUN:
            sun = Lamp(_times(source.color, source.strength), source.direction)
            continue
        direction, distance = _direction(sample, source.place)
        depth = distance / _FLAT_DEPTH
        if depth > source.reach or source.reach <= 0:
            continue
        shade = source.strength * (1 - depth / source.reach)
        gray += int(shade * DARKEST) >> 7
        if shade > strongest:
            strongest, point = shade, Lamp(_times(source.color, shade), direction)
    lamps = [lamp for lamp in (point, sun) if lamp is not None]
    return Shading((min(gray, _FULL) / _FULL,) * 3, lamps)


def _shade_by_all(
    game: Game, ambient: Triple, sources: list[LightSource], sample: Triple, number: int
) -> Shading:
    """Return the light of TR4 and TR5: all lights within range."""
    is_item = game.traits.has_doubled_light and number >= _FIRST_ITEM
    weighted: list[tuple[float, Lamp]] = []
    for source in sources:
        direction, distance = _direction(sample, source.place)
        full = _times(source.color, source.strength)
        if source.kind == SUN:
            weighted.append((_SUN_TR4 * max(full), Lamp(_times(full, _SUN_TR4), source.direction)))
            continue
        if distance > source.reach or source.reach <= 0:
            continue
        fade = 1 - distance / source.reach
        if source.kind == SHADOW:
            fade = min((source.reach - distance) / max(source.reach - source.inner, 1e-9), 1.0)
            ambient = _plus(ambient, (-source.strength / 2 * fade,) * 3)
            continue
        factor = 2.0 if game.traits.has_doubled_light and source.kind != SPOT else 1.0
        if is_item and source.kind == POINT:
            ambient, factor = _plus(ambient, _times(full, fade)), 1.0
        elif is_item:
            factor = 2.0
        if source.kind == SPOT and _dot(direction, source.direction) <= source.cosine:
            continue
        soft = game.traits.has_soft_points and source.kind == POINT
        lamp = Lamp(_times(full, factor), direction, source.place, source.reach, is_soft=soft)
        weighted.append((factor * max(full) * fade, lamp))
    weighted.sort(key=lambda entry: -entry[0])
    red, green, blue = ambient
    lit = max(red, 0.0), max(green, 0.0), max(blue, 0.0)
    lamps = [lamp for _, lamp in weighted]
    for lamp in lamps[_MOST_MERGED:]:
        lit = _plus(lit, _times(_without_place(lamp, sample).color, _mean(lamp)))
    return _merged(lit, lamps[:_MOST_MERGED], sample, LAMPS[game])


def _merged(ambient: Triple, lamps: list[Lamp], sample: Triple, most: int) -> Shading:
    """Merge the lamps with the most similar directions until few are left; lost light becomes ambient."""
    remaining = dict(enumerate(lamps))
    if len(remaining) <= most:
        return Shading(ambient, lamps)
    flat = {number: _without_place(lamp, sample) for number, lamp in remaining.items()}
    pairs = [(_loss(flat[first], flat[second]), second, first) for second in flat for first in range(second)]
    heapify(pairs)
    while len(remaining) > most:
        _, second, first = heappop(pairs)
        if first not in remaining or second not in remaining:
            continue  # already merged with another one
        color = _plus(flat[first].color, flat[second].color)
        weights = [max(flat[each].color) for each in (first, second)]
        direction, length = _unit(
            _plus(_times(flat[first].direction, weights[0]), _times(flat[second].direction, weights[1]))
        )
        similarity = min(length / sum(weights), 1.0) if length else 0.0
        ambient = _plus(ambient, _times(color, (1 - similarity) * _mean(flat[first])))
        del remaining[first], remaining[second]
        new = len(flat)
        flat[new] = Lamp(_times(color, similarity), direction, is_soft=flat[first].is_soft)
        for other in remaining:
            heappush(pairs, (_loss(flat[other], flat[new]), new, other))
        remaining[new] = flat[new]
    return Shading(ambient, list(remaining.values()))


def _mean(lamp: Lamp) -> float:
    """Return the average fraction of a lamp's light over all sides of an object."""
    return _MEAN_SOFT if lamp.is_soft else _MEAN_HARD


def _without_place(lamp: Lamp, sample: Triple) -> Lamp:
    """Return a lamp that gives all meshes the light at the sample point."""
    if lamp.place is None:
        return lamp
    fade = max(1 - _direction(sample, lamp.place)[1] / lamp.reach, 0.0)
    return Lamp(_times(lamp.color, fade), lamp.direction, is_soft=lamp.is_soft)


def _loss(first: Lamp, second: Lamp) -> float:
    """Return the light that is lost by merging two lamps."""
    weights = max(first.color), max(second.color)
    apart = 1 - _dot(first.direction, second.direction) + (first.is_soft != second.is_soft)
    return weights[0] * weights[1] / max(sum(weights), 1e-9) * apart


# --- Objects with their own value ------------------------------------------------------------------


def shade_by_value(game: Game, value: int) -> Shading:
    """Return the light on a placed static mesh, or an entity, with its own value.

    The value is 0 bright to 8191 dark (TR1, TR2), or a tint.
    """
    if game.traits.has_color_light:
        red, green, blue = split_tint(value)
        return Shading((8.0 * red / _FULL, 8.0 * green / _FULL, 8.0 * blue / _FULL))
    return Shading((1 + (NEUTRAL_SHADE - value) / DARKEST,) * 3)
