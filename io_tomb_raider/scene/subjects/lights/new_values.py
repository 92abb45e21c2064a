"""Values of new lights, and of lights that become another kind."""

from __future__ import annotations

from math import hypot, isfinite, pi, sqrt
from typing import NamedTuple

import numpy as np

from ....formats import Game
from ....formats.base import SECTOR_SIZE
from ....formats.levels.lights import (
    FOG,
    POINT,
    SHADOW,
    SPOT,
    SUN,
    Values,
    kind_of,
    new_light,
    reach_field,
    type_of,
)
from ...core.blender.color import to_screen
from ...core.space import direction_to_file
from .cones import cone_value
from .display import (
    DOWN,
    FULL_INTENSITY,
    LIGHT_KINDS,
    SUN_STRENGTH,
    WATTS,
    WHITE,
    LampDisplay,
    Triple,
    brightness_name,
    differ,
)
from .values import light_values

NEW_POWER = {POINT: 100.0, SPOT: 100.0, SUN: SUN_STRENGTH}  # of new lights, by kind
_USUAL_INTENSITY = 4096
_SUN_LENGTH_TR3 = 4096.0  # length of a sun's direction at the brightness of its color; longer is brighter
_SPOT_SIZE, _SPOT_BLEND = pi / 4, 0.15  # Blender's defaults
# Values of new shadow lights and fog bulbs: half strength, five sectors wide, as in the games.
_NEW_UNLIT: Values = {
    "color": (0.5, 0.5, 0.5),
    "intensity": 4096,
    "shadow": 127,
    "density": 32767.5,
    "inner": float(SECTOR_SIZE),
    "outer": 5.0 * SECTOR_SIZE,
}


def values_of_new(game: Game, kind: str, now: LampDisplay, scale: float) -> Values | None:
    """Return the values of a new light, None if the game has no such lights.

    The reach of points and spots is set by their power, at half of the full brightness.
    """
    number = type_of(game, kind) if kind in (*LIGHT_KINDS, SHADOW, FOG) else None
    if number is None:
        return None
    values = light_values(new_light(game, kind))
    if "type" in values:
        values["type"] = number
    if kind not in LIGHT_KINDS:
        return values | {name: value for name, value in _NEW_UNLIT.items() if name in values}
    energy = max(now.energy or 0.0, 0.0)
    brightness = energy / SUN_STRENGTH if kind == SUN else _USUAL_INTENSITY / FULL_INTENSITY
    for name in ("intensity", "intensity2"):
        if name in values:
            values[name] = min(round(brightness * FULL_INTENSITY), 0x7FFF)
    if "color" in values and now.color is not None:
        in_color = brightness_name(game, kind) == "color"
        values["color"] = triple(to_screen(now.color) * (brightness if in_color else 1))
    if kind != POINT:
        values["direction"] = file_direction(game, now.direction, None)
    if kind != SUN:
        reach = sqrt(energy / (WATTS * brightness)) / scale
        _set_reach(game, values, kind, _Reach(reach / 2, reach))
    if kind == SPOT:
        set_cone(values, now, LampDisplay(POINT))
    return values


def values_as(game: Game, values: Values, kind: str, now: LampDisplay, scale: float) -> Values:
    """Return the values of a light that becomes another kind, which uses them differently.

    They are those of a new light of that kind, in the direction of the object. Its color is kept, the
    distances between kinds that have any, and the brightness between points and spots.
    """
    old = kind_of(game, values)
    size, blend = now.spot_size, now.spot_blend
    new = LampDisplay(
        kind,
        now.direction or DOWN,
        color=WHITE,
        energy=NEW_POWER.get(kind),
        spot_size=_SPOT_SIZE if size is None else size,
        spot_blend=_SPOT_BLEND if blend is None else blend,
    )
    result = values_of_new(game, kind, new, scale)
    if result is None:
        return values
    is_color = not any(each == FOG and not game.traits.has_fog_bulb_list for each in (old, kind))
    if is_color and "color" in values and "color" in result:
        result["color"] = values["color"]
    if {old, kind} == {POINT, SPOT} and "intensity" in values:
        result["intensity"] = values["intensity"]
    reach = None if SUN in (old, kind) else _reach_of(game, values, old)
    if reach is not None:
        _set_reach(game, result, kind, reach)
    return result


class _Reach(NamedTuple):
    """The distances at which a light begins to fade, and ends."""

    near: float
    far: float


def _reach_of(game: Game, values: Values, kind: str) -> _Reach | None:
    """Return the distances of a light that is no sun; None where they are unusable."""
    far = abs(values[reach_field(game, kind)])
    if not isfinite(far) or not far:
        return None
    near = values.get("length" if kind == SPOT else "inner", far / 2)
    return _Reach(near if 0 <= near <= far else far / 2, far)


def _set_reach(game: Game, values: Values, kind: str, reach: _Reach) -> None:
    if not game.traits.has_light_ranges:
        for name in ("falloff", "falloff2"):
            if name in values:
                values[name] = round(reach.far)
        return
    values[reach_field(game, kind)] = reach.far
    near = "length" if kind == SPOT else "inner"
    if near in values:
        values[near] = reach.near


def triple(parts: np.ndarray) -> Triple:
    red, green, blue = parts.tolist()
    return red, green, blue


def file_direction(game: Game, shine: Triple | None, before: Triple | None) -> Triple:
    """Return the file's direction of a light, with the previous length."""
    length = hypot(*before) if before is not None else 0.0
    if not isfinite(length) or length < 1e-6:
        length = _SUN_LENGTH_TR3 if game.traits.has_sun_lengths else 1.0
    sign = 1 if game.traits.has_beam_directions else -1
    return triple(direction_to_file(np.array(shine, np.float64)) * length * sign)


def set_cone(values: Values, now: LampDisplay, expected: LampDisplay) -> None:
    """Set the cone of a spot to that of its display, if it is not the expected one."""
    if now.spot_size is None or now.spot_blend is None:
        return
    if expected.spot_size is not None and not differ(
        (now.spot_size, now.spot_blend), (expected.spot_size, expected.spot_blend or 0.0)
    ):
        return
    outer = now.spot_size / 2
    inner = outer * (1 - now.spot_blend)
    like = values["outer"]
    values["outer"], values["inner"] = cone_value(outer, like), cone_value(inner, like)
    if "outer_angle" in values:
        values["outer_angle"], values["inner_angle"] = 2 * outer, 2 * inner
