"""Display of lights of rooms in Blender, and conversion of edits in Blender to the game's values.

A value with a counterpart in Blender (color, direction, brightness, cone, radius) can be edited on either
side. If Blender's side differs from the display of the typed properties, it was edited, and is converted back
to the value; see :mod:`.light_sync`.
"""

from __future__ import annotations

from functools import lru_cache
from math import hypot, isclose, isfinite, pi, radians, sqrt
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Light, Object, SpotLight
from mathutils import Matrix, Quaternion, Vector

from ....formats import Game
from ....formats.base.messages import T
from ....formats.lights.lights import FOG, POINT, SHADOW, SPOT, SUN, Values, kind_of, type_of
from ...core import compat
from ...core.color import to_linear, to_screen
from ...core.space import checked, direction_to_blender, direction_to_file, world_matrix
from .cones import cone_value, half_angle
from .values import same_value

_FULL_INTENSITY = 8191
_MOST = (1 << 31) - 1  # of a typed property
_USUAL_INTENSITY = 4096
_WATTS = 10.0  # at full brightness, per square of the reach
_SUN = 3.0
_SUN_LENGTH_TR3 = 4096.0  # length of a sun's direction at the brightness of its color; longer is brighter
_LEAST_REACH = 0.25
LIGHT_KINDS = (POINT, SUN, SPOT)
_TURNED = 1e-4
_EMPTY_SIZE = 0.25
_EMPTY_SIZES = (0.0001, 1000.0)  # Blender's range
_DOWN = (0.0, 0.0, -1.0)
_WHITE = (1.0, 1.0, 1.0)  # the color of new lights

Triple = tuple[float, float, float]


class LampDisplay(NamedTuple):
    """Blender's display of a light; None for properties that it does not have.

    Attributes:
        kind: POINT, SUN or SPOT for Blender's lights, "EMPTY" for a sphere.
        direction: direction of the light, a unit vector in Blender's axes.
        color: linear.
        spot_size: the whole angle of the cone, radians.
        spot_blend: 0 sharp to 1 soft.
        size: the radius of an empty's sphere.
    """

    kind: str
    direction: Triple | None = None
    color: Triple | None = None
    energy: float | None = None
    spot_size: float | None = None
    spot_blend: float | None = None
    size: float | None = None


# The properties of the display that depend on a value; all depend on the type.
_PARTS = {
    "intensity": {"energy"},
    "falloff": {"energy"},
    "cutoff": {"energy"},
    "range": {"energy"},
    "outer": {"energy", "spot_size", "spot_blend", "size"},
    "inner": {"spot_size", "spot_blend"},
    "direction": {"direction"},
    "color": {"color", "energy"},
}


# --- Values to display -----------------------------------------------------------------------------------


def look_of(game: Game, values: Values, scale: float) -> LampDisplay:
    """Return the display of a light with these values."""
    kind = kind_of(game, values)
    if kind not in LIGHT_KINDS:
        size = _finite_or(values["outer"] * scale, _EMPTY_SIZE)
        return LampDisplay("EMPTY", size=min(max(size, _EMPTY_SIZES[0]), _EMPTY_SIZES[1]))
    energy = _watts(game, values, kind, scale) * _brightness(game, values, kind)
    parts: dict[str, Any] = {"direction": _DOWN, "energy": energy}
    if "direction" in values:
        parts["direction"] = _shine(game, values["direction"])
    if kind == SPOT:
        outer, inner = (half_angle(values[name]) for name in ("outer", "inner"))
        size = min(max(2 * outer, radians(1)), pi)
        blend = min(max(1 - inner / max(size / 2, 1e-6), 0.0), 1.0)
        parts |= {"spot_size": size, "spot_blend": blend}
    return LampDisplay(kind, color=_linear(values.get("color", (1.0, 1.0, 1.0))), **parts)


def _finite_or(value: float, other: float) -> float:
    return value if isfinite(value) else other


@lru_cache(maxsize=1024)  # most lights of a level have one of a few colors
def _linear(color: Triple) -> Triple:
    finite = np.nan_to_num(np.array(color, np.float64), posinf=1.0, neginf=0.0)
    red, green, blue = np.clip(to_linear(np.clip(finite, 0, 1e6)), 0, None).tolist()
    return red, green, blue


def _shine(game: Game, direction: Triple) -> Triple:
    """Return the direction of a light; TR3 and TR4 store the opposite direction."""
    if not any(direction):
        return _DOWN
    vector = direction_to_blender(np.array(direction, np.float64)).astype(np.float64)
    length = float(np.linalg.norm(vector))
    if not isfinite(length) or length < 1e-12:
        return _DOWN
    x, y, z = (vector / length * (1 if game.traits.has_beam_directions else -1)).tolist()
    return x, y, z


def _reach(game: Game, values: Values, kind: str, scale: float) -> float:
    """Return the reach of a light, in Blender's units, always positive."""
    name = _reach_name(game, kind)
    return min(max(_finite_or(abs(values[name]) * scale, _LEAST_REACH), _LEAST_REACH), 1e4)


def _reach_name(game: Game, kind: str) -> str:
    if not game.traits.has_light_ranges:
        return "falloff"
    if kind == SPOT:
        return "cutoff" if game is Game.TR4 else "range"
    return "outer"


def _watts(game: Game, values: Values, kind: str, scale: float) -> float:
    """Return the power of a light at full brightness."""
    return _SUN if kind == SUN else _WATTS * _reach(game, values, kind, scale) ** 2


def _brightness_name(game: Game, kind: str) -> str:
    """Return the name of the value for a light's brightness: the color if there is no intensity."""
    return "color" if game is Game.TR5 or (game is Game.TR3 and kind == SUN) else "intensity"


def _brightness(game: Game, values: Values, kind: str) -> float:
    """Return the intensity, 1 at full; in TR1 and TR2 more than 32767 is negative, and counts as 0."""
    if _brightness_name(game, kind) == "color":
        return 1.0
    intensity = values["intensity"]
    return 0.0 if not game.traits.has_light_types and intensity > 0x7FFF else intensity / _FULL_INTENSITY


# --- Onto objects and back -------------------------------------------------------------------------------


def show(obj: Object, display: LampDisplay) -> None:
    """Apply a display to an object and its light; properties that already match are not set."""
    matrix = world_matrix(obj)
    now = read_display(obj, matrix)
    if display.kind not in LIGHT_KINDS and isinstance(obj.data, Light):
        return  # Blender's lights cannot show lights without emission
    if display.size is not None and _differ(_as_tuple(now.size), _as_tuple(display.size)):
        obj.empty_display_type = "SPHERE"
        obj.empty_display_size = display.size / max(abs(part) for part in matrix.to_scale())
    if display.direction is not None and (
        now.direction is None or _max_difference(now.direction, display.direction) > _TURNED
    ):
        _turn(obj, Vector(display.direction).to_track_quat("-Z", "Y"))
    if not isinstance(obj.data, Light):
        return
    if obj.data.type != display.kind:
        obj.data.type = display.kind  # type: ignore[assignment]
    light = obj.data  # of another class now
    if display.color is not None and _differ(now.color, display.color):
        compat.set_light_color(light, display.color)
    if display.energy is not None and _differ(_as_tuple(now.energy), _as_tuple(display.energy)):
        compat.set_light_energy(light, display.energy)
    if display.spot_size is not None:
        light.spot_size, light.spot_blend = display.spot_size, display.spot_blend


def apply_to_new(obj: Object, display: LampDisplay) -> None:
    """Apply a display to a new object of its kind, without rotation or scale, without comparing."""
    if display.size is not None:
        obj.empty_display_type, obj.empty_display_size = "SPHERE", display.size
    if display.direction is not None and display.direction != _DOWN:
        _turn(obj, Vector(display.direction).to_track_quat("-Z", "Y"))
    light: Any = obj.data
    if not isinstance(light, Light):
        return
    if display.color is not None and display.color != _WHITE:
        compat.set_light_color(light, display.color)
    if display.energy is not None:
        compat.set_light_energy(light, display.energy)
    if isinstance(light, SpotLight) and display.spot_size is not None:
        light.spot_size, light.spot_blend = display.spot_size, display.spot_blend or 0.0


def _turn(obj: Any, turn: Quaternion) -> None:
    """Set the rotation of an object in the world."""
    if obj.parent is not None:
        above = world_matrix(obj.parent) @ obj.matrix_parent_inverse
        turn = above.to_quaternion().inverted() @ turn
    if obj.rotation_mode == "QUATERNION":
        obj.rotation_quaternion = turn
    elif obj.rotation_mode == "AXIS_ANGLE":
        axis, angle = turn.to_axis_angle()
        obj.rotation_axis_angle = (angle, *axis)
    else:
        obj.rotation_euler = turn.to_euler(obj.rotation_mode)


def parts_for(display: LampDisplay, value: str) -> LampDisplay:
    """Return the properties of a display that depend on a value; all others are None."""
    parts = {"kind", *_PARTS.get(value, ())}
    return display if value == "type" else LampDisplay(**{name: getattr(display, name) for name in parts})


def read_display(obj: Object, matrix: Matrix) -> LampDisplay:
    """Return the display of an object; its kind is Blender's type for lights that no game has.

    Exposure and temperature are included in brightness and color.

    Raises:
        ExportError: if a property is not finite.
    """
    light = obj.data
    if not isinstance(light, Light):
        scale = max(abs(part) for part in matrix.to_scale())
        size = obj.empty_display_size * scale
        return LampDisplay("EMPTY", size=float(checked(np.array(size), obj.name, "its size")))
    if not isfinite(light.energy + sum(light.color[:])):
        checked(np.array([light.energy, *light.color[:]]), obj.name, T("its power or color"))
    x, y, z = (matrix.to_3x3() @ Vector(_DOWN)).normalized()
    direction = (x, y, z)
    color, energy = compat.light_emission(light)
    display = LampDisplay(light.type, direction, color=color, energy=energy)
    if light.type == SPOT:
        checked(np.array([light.spot_size, light.spot_blend]), obj.name, "its cone")
        display = display._replace(spot_size=light.spot_size, spot_blend=light.spot_blend)
    return display


# --- Display to values -----------------------------------------------------------------------------------


def read_edits(game: Game, typed: Values, before: Values | None, now: LampDisplay, scale: float) -> Values:
    """Return the values of a light after edits of its properties or of its display.

    Args:
        game: the game.
        typed: the typed properties.
        before: their previous values, None for lights that are not from a file.
        now: the display of the light.
        scale: Blender's units per unit of the file.
    """
    values, was = dict(typed), typed if before is None else before
    expected = look_of(game, was, scale)

    def is_free(*names: str) -> bool:
        return all(same_value(typed[name], was[name]) for name in names if name in typed)

    # Lights without emission are never displayed as lamps, so a lamp cannot become one.
    if now.kind != expected.kind in LIGHT_KINDS and "type" in typed and is_free("type"):
        number = type_of(game, now.kind) if now.kind in LIGHT_KINDS else None
        values["type"] = typed["type"] if number is None else number
    kind = kind_of(game, values)
    is_bright = is_free(_brightness_name(game, kind)) and _differ(
        _as_tuple(now.energy), _as_tuple(expected.energy)
    )
    is_colored = "color" in typed and is_free("color") and _differ(now.color, expected.color)
    if is_colored and now.color is not None:
        values["color"] = _triple(to_screen(now.color))
    if kind in (SUN, SPOT) and is_free("direction") and _is_turned(now.direction, expected):
        values["direction"] = _direction(game, now.direction, was.get("direction"))
    in_color = _brightness_name(game, kind) == "color"
    if now.energy is not None and now.color is not None and (is_bright or (in_color and is_colored)):
        _set_energy(game, values, was, now, kind, scale)
    if kind == SPOT and is_free("inner", "outer", "inner_angle", "outer_angle"):
        _set_cone(values, now, expected)
    if kind in (SHADOW, FOG) and is_free("outer") and _differ(_as_tuple(now.size), _as_tuple(expected.size)):
        values["outer"] = float(now.size or 0.0) / scale
        if expected.size == _EMPTY_SIZES[1]:  # less than the light's, so the edit is relative
            values["outer"] *= was["outer"] * scale / expected.size
    return values


def _as_tuple(value: float | None) -> tuple[float] | None:
    return None if value is None else (value,)


def _triple(parts: np.ndarray) -> Triple:
    red, green, blue = parts.tolist()
    return red, green, blue


def _differ(now: tuple[float, ...] | None, expected: tuple[float, ...] | None) -> bool:
    """Return whether values of a display differ beyond the precision of 32-bit floats; False for None."""
    if now is None or expected is None:
        return False
    pairs = zip(now, expected, strict=True)
    return not all(isclose(one, other, rel_tol=1e-5, abs_tol=1e-6) for one, other in pairs)


def _is_turned(now: Triple | None, expected: LampDisplay) -> bool:
    if now is None:
        return False
    if expected.kind == POINT or expected.direction is None:
        return True
    return _max_difference(now, expected.direction) > _TURNED


def _max_difference(one: Triple, other: Triple) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _direction(game: Game, shine: Triple | None, before: Triple | None) -> Triple:
    """Return the file's direction of a light, with the previous length."""
    length = hypot(*before) if before is not None else 0.0
    if not isfinite(length) or length < 1e-6:
        length = _SUN_LENGTH_TR3 if game is Game.TR3 else 1.0
    vector = direction_to_file(np.array(shine, np.float64)) * length * (1 if game.traits.has_beam_directions else -1)
    return _triple(vector)


def _set_energy(game: Game, values: Values, was: Values, now: LampDisplay, kind: str, scale: float) -> None:
    """Convert Blender's power to brightness: the intensities, or in TR5, which has none, the color."""
    brightness = (now.energy or 0.0) / _watts(game, was, kind, scale)
    if _brightness_name(game, kind) == "color":
        values["color"] = _triple(to_screen(now.color or (0.0, 0.0, 0.0)) * brightness)
        return
    was_same = values.get("intensity2") == values["intensity"]
    values["intensity"] = round(min(max(brightness * _FULL_INTENSITY, -_MOST), _MOST))
    if was_same:
        values["intensity2"] = values["intensity"]


def _set_cone(values: Values, now: LampDisplay, expected: LampDisplay) -> None:
    if now.spot_size is None or now.spot_blend is None:
        return
    if expected.spot_size is not None and not _differ(
        (now.spot_size, now.spot_blend), (expected.spot_size, expected.spot_blend or 0.0)
    ):
        return
    outer = now.spot_size / 2
    inner = outer * (1 - now.spot_blend)
    like = values["outer"]
    values["outer"], values["inner"] = cone_value(outer, like), cone_value(inner, like)
    if "outer_angle" in values:
        values["outer_angle"], values["inner_angle"] = 2 * outer, 2 * inner


def values_of_new(game: Game, now: LampDisplay, scale: float, empty: Values) -> Values | None:
    """Return the values for a light added in Blender, None if the game has no such lights.

    The reach of points and spots is set by their power, at half of the full brightness.

    Args:
        game: the game.
        now: the display of the light.
        scale: Blender's units per unit of the file.
        empty: the values of an empty record.
    """
    number = type_of(game, now.kind) if now.kind in LIGHT_KINDS else None
    if number is None:
        return None
    values = dict(empty)
    if "type" in values:
        values["type"] = number
    energy = max(now.energy or 0.0, 0.0)
    brightness = energy / _SUN if now.kind == SUN else _USUAL_INTENSITY / _FULL_INTENSITY
    for name in ("intensity", "intensity2"):
        if name in values:
            values[name] = min(round(brightness * _FULL_INTENSITY), 0x7FFF)
    if "color" in values and now.color is not None:
        in_color = _brightness_name(game, now.kind) == "color"
        values["color"] = _triple(to_screen(now.color) * (brightness if in_color else 1))
    if now.kind == SUN:
        values["direction"] = _direction(game, now.direction, None)
        return values
    reach = sqrt(energy / (_WATTS * brightness)) / scale
    _set_reach(game, values, now.kind, reach)
    if now.kind == SPOT:
        values["direction"] = _direction(game, now.direction, None)
        _set_cone(values, now, LampDisplay(POINT))
    return values


def _set_reach(game: Game, values: Values, kind: str, reach: float) -> None:
    if not game.traits.has_light_ranges:
        for name in ("falloff", "falloff2"):
            if name in values:
                values[name] = round(reach)
        return
    values[_reach_name(game, kind)] = reach
    if kind == POINT:
        values["inner"] = reach / 2
    elif game is Game.TR4:
        values["length"] = reach / 2
