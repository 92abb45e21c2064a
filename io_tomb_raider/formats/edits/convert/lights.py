"""Conversion of room lights through values that are the same for all games (documentation, chapter 3.2.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import acos, cos, hypot, isfinite, radians
from typing import Any

from ...base.games import Game
from ...levels.lights.lights import FOG, POINT, SHADOW, SPOT, SUN, Values, kind_of, type_of

_FULL = 8191  # of an intensity
_SUN_LENGTH = 1024.0  # of the direction of TR3's suns
_NEAR = 0.0  # inner range of lights without one
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class NeutralLight:
    """A light independent of the game."""

    kind: str  #: POINT, SUN, SPOT, SHADOW or FOG.
    color: Triple = (1.0, 1.0, 1.0)  #: red, green and blue, 1 full.
    intensity: float = 1.0  #: 1 full; more is brighter.
    #: inner, outer: the distances at which it begins to fade, and ends.
    inner: float = _NEAR
    outer: float = 0.0
    #: unit vector towards a sun, or against the beam of a spot, in the file's axes.
    direction: Triple = (0.0, -1.0, 0.0)
    #: inner_cone, outer_cone: cosines of half the angles of a spot.
    inner_cone: float = 1.0
    outer_cone: float = 1.0
    #: length, cutoff: the distances at which a spot begins to fade, and ends.
    length: float = 0.0
    cutoff: float = 0.0
    density: float = 0.0  #: of fog, 1 full.


def neutral_light(game: Game, values: Values) -> NeutralLight:
    """Return the neutral light for a game's values, see :func:`~...levels.lights.lights.decode_light`."""
    kind = kind_of(game, values)
    light = NeutralLight(kind, color=_color(values.get("color", (1.0, 1.0, 1.0))))
    if "direction" in values:
        sign = -1 if game.traits.has_beam_directions else 1
        light = replace(light, direction=_direction(values["direction"], sign))
    if "intensity" in values and not (kind == SUN and not game.traits.has_light_ranges):
        intensity = values["intensity"]
        is_dark = not game.traits.has_light_types and intensity > 0x7FFF
        light = replace(light, intensity=0.0 if is_dark else intensity / _FULL)
    if not game.traits.has_light_ranges:
        return replace(light, outer=2.0 * abs(values["falloff"]))
    if kind == SPOT:
        light = replace(light, inner_cone=_cosine(values["inner"]), outer_cone=_cosine(values["outer"]))
        reach = values["cutoff" if "cutoff" in values else "range"]
        return replace(light, length=_finite(values.get("length", 0.0)), cutoff=_finite(reach))
    light = replace(light, inner=_finite(values["inner"]) if "inner" in values else 0.0)
    light = replace(light, outer=_finite(values["outer"]))
    if kind == FOG:
        is_red = "density" not in values
        light = replace(light, density=light.color[0] if is_red else _finite(values["density"]))
    if kind == SHADOW and "shadow" in values:
        light = replace(light, intensity=values["shadow"] % 256 / 255)
    return light


def light_values_of(game: Game, light: NeutralLight) -> Values | None:
    """Return a game's values of a light, or None if it has no such lights.

    The values of a kind are always complete; see :func:`~...levels.lights.lights.decode_light`.
    """
    number = type_of(game, light.kind)
    if number is None or (not game.traits.has_light_types and light.kind != POINT):
        return None
    values: Values = {"type": number, "color": light.color}
    intensity = min(max(round(light.intensity * _FULL), 0), 0x7FFF)
    if not game.traits.has_light_ranges:
        return values | _old_values(game, light, intensity)
    sign = -1 if game.traits.has_beam_directions else 1
    values |= {"direction": tuple(sign * part for part in light.direction)}
    values |= {"intensity": intensity, "inner": light.inner, "outer": light.outer}
    values |= {"length": light.length, "cutoff": light.cutoff, "density": light.density}
    if light.kind == SPOT:
        values |= {"inner": light.inner_cone, "outer": light.outer_cone, "range": light.cutoff}
        for name, cosine in (("inner_angle", light.inner_cone), ("outer_angle", light.outer_cone)):
            values[name] = 2 * acos(min(max(cosine, -1.0), 1.0))
    if not game.traits.has_light_intensity and light.kind in (POINT, SPOT, SUN):
        brightness = 1.0 if light.kind == SUN else light.intensity
        values["color"] = tuple(part * brightness for part in light.color)
    if not game.traits.has_light_intensity:
        del values["intensity"]  # the color includes it
    if light.kind == SHADOW:
        values["shadow"] = min(max(round(light.intensity * 255), 0), 255)
    if light.kind == FOG and not game.traits.has_fog_bulb_list:
        values["color"] = (min(max(light.density, 0.0), 1.0), light.color[1], light.color[2])
    return values


def _old_values(game: Game, light: NeutralLight, intensity: int) -> Values:
    """Return the values of TR1 to TR3, whose points fade by a falloff."""
    falloff = round(light.outer / 2)
    if not game.traits.has_color_light:
        intensity = min(round(intensity * luma(light.color)), _FULL)
    values: Values = {
        "intensity": intensity,
        "intensity2": intensity,
        "falloff": falloff,
        "falloff2": falloff,
    }
    length = _SUN_LENGTH if light.kind == SUN else 0.0
    return values | {"direction": tuple(float(round(length * part)) for part in light.direction)}


def luma(color: Any) -> float:
    """Return the perceived brightness of a color."""
    red, green, blue = color[:3]
    return float(0.299 * red + 0.587 * green + 0.114 * blue)


def _color(color: Any) -> Triple:
    red, green, blue = (_finite(part) for part in color)
    return red, green, blue


def _direction(direction: Any, sign: int) -> Triple:
    x, y, z = (_finite(part) for part in direction)
    size = hypot(x, y, z)
    return (0.0, -1.0, 0.0) if size < 1e-9 else (sign * x / size, sign * y / size, sign * z / size)


def _cosine(value: float) -> float:
    """Return the cosine of half a cone's angle, for values that some tools write in degrees."""
    value = _finite(value)
    return value if -1 <= value <= 1 else cos(min(radians(abs(value)), radians(90)))


def _finite(value: float) -> float:
    return float(value) if isfinite(value) else 0.0
