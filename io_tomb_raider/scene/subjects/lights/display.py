"""Display of lights of rooms in Blender; :mod:`.edits` converts edits of it to the game's values."""

from __future__ import annotations

from functools import lru_cache
from math import isclose, isfinite, pi, radians
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Light, Object, SpotLight
from mathutils import Matrix, Quaternion, Vector

from ....formats import Game
from ....formats.base import T
from ....formats.levels.lights import POINT, SPOT, SUN, Values, kind_of, reach_field
from ...core.blender import compat
from ...core.blender.color import to_linear
from ...core.space import checked, direction_to_blender, world_matrix
from .cones import half_angle

FULL_INTENSITY = 8191
WATTS = 10.0  # at full brightness, per square of the reach
SUN_STRENGTH = 3.0  # at full brightness
_LEAST_REACH = 0.25
LIGHT_KINDS = (POINT, SUN, SPOT)
TURNED = 1e-4  # a smaller difference of directions is rounding
_EMPTY_SIZE = 0.25
EMPTY_SIZES = (0.0001, 1000.0)  # Blender's range
DOWN = (0.0, 0.0, -1.0)
WHITE = (1.0, 1.0, 1.0)  # the color of new lights

Triple = tuple[float, float, float]


class LampDisplay(NamedTuple):
    """Blender's display of a light; None for properties that it does not have."""

    kind: str  #: POINT, SUN or SPOT for Blender's lights, "EMPTY" for a sphere.
    direction: Triple | None = None  #: direction of the light, a unit vector in Blender's axes.
    color: Triple | None = None  #: linear.
    energy: float | None = None
    spot_size: float | None = None  #: the whole angle of the cone, radians.
    spot_blend: float | None = None  #: 0 sharp to 1 soft.
    size: float | None = None  #: the radius of an empty's sphere.


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
        return LampDisplay("EMPTY", size=min(max(size, EMPTY_SIZES[0]), EMPTY_SIZES[1]))
    energy = watts(game, values, kind, scale) * _brightness(game, values, kind)
    parts: dict[str, Any] = {"direction": DOWN, "energy": energy}
    if "direction" in values:
        parts["direction"] = _shine(game, values["direction"])
    if kind == SPOT:
        outer, inner = (half_angle(values[name]) for name in ("outer", "inner"))
        size = min(max(2 * outer, radians(1)), pi)
        blend = min(max(1 - inner / max(size / 2, 1e-6), 0.0), 1.0)
        parts |= {"spot_size": size, "spot_blend": blend}
    return LampDisplay(kind, color=_linear(values.get("color", (1.0, 1.0, 1.0))), **parts)


def _finite_or(value: float, default: float) -> float:
    return value if isfinite(value) else default


@lru_cache(maxsize=1024)  # most lights of a level have one of a few colors
def _linear(color: Triple) -> Triple:
    finite = np.nan_to_num(np.array(color, np.float64), posinf=1.0, neginf=0.0)
    red, green, blue = np.clip(to_linear(np.clip(finite, 0, 1e6)), 0, None).tolist()
    return red, green, blue


def _shine(game: Game, direction: Triple) -> Triple:
    """Return the direction of a light; TR3 and TR4 store the opposite direction."""
    if not any(direction):
        return DOWN
    vector = direction_to_blender(np.array(direction, np.float64)).astype(np.float64)
    length = float(np.linalg.norm(vector))
    if not isfinite(length) or length < 1e-12:
        return DOWN
    x, y, z = (vector / length * (1 if game.traits.has_beam_directions else -1)).tolist()
    return x, y, z


def watts(game: Game, values: Values, kind: str, scale: float) -> float:
    """Return the power of a light at full brightness."""
    if kind == SUN:
        return SUN_STRENGTH
    reach = _finite_or(abs(values[reach_field(game, kind)]) * scale, _LEAST_REACH)
    return WATTS * min(max(reach, _LEAST_REACH), 1e4) ** 2


def brightness_name(game: Game, kind: str) -> str:
    """Return the name of the value for a light's brightness: the color if there is no intensity."""
    is_length = game.traits.has_sun_lengths and kind == SUN
    return "intensity" if game.traits.has_light_intensity and not is_length else "color"


def _brightness(game: Game, values: Values, kind: str) -> float:
    """Return the intensity, 1 at full; in TR1 and TR2 more than 32767 is negative, and counts as 0."""
    if brightness_name(game, kind) == "color":
        return 1.0
    intensity = values["intensity"]
    return 0.0 if not game.traits.has_light_types and intensity > 0x7FFF else intensity / FULL_INTENSITY


# --- Onto objects and back -------------------------------------------------------------------------------


def show(obj: Object, display: LampDisplay) -> None:
    """Apply a display to an object and its light; properties that already match are not set."""
    matrix = world_matrix(obj)
    now = read_display(obj, matrix)
    if display.kind not in LIGHT_KINDS and isinstance(obj.data, Light):
        return  # Blender's lights cannot show lights without emission
    if display.size is not None and differ(as_tuple(now.size), as_tuple(display.size)):
        obj.empty_display_type = "SPHERE"
        obj.empty_display_size = display.size / max(abs(part) for part in matrix.to_scale())
    if display.direction is not None and (
        now.direction is None or max_difference(now.direction, display.direction) > TURNED
    ):
        _turn(obj, Vector(display.direction).to_track_quat("-Z", "Y"))
    if not isinstance(obj.data, Light):
        return
    if obj.data.type != display.kind:
        obj.data.type = display.kind  # type: ignore[assignment]
    light = obj.data  # of another class now
    if display.color is not None and differ(now.color, display.color):
        compat.set_light_color(light, display.color)
    if display.energy is not None and differ(as_tuple(now.energy), as_tuple(display.energy)):
        compat.set_light_energy(light, display.energy)
    if display.spot_size is not None:
        light.spot_size, light.spot_blend = display.spot_size, display.spot_blend


def apply_to_new(obj: Object, display: LampDisplay) -> None:
    """Apply a display to a new object of its kind, without rotation or scale, without comparing."""
    if display.size is not None:
        obj.empty_display_type, obj.empty_display_size = "SPHERE", display.size
    if display.direction is not None and display.direction != DOWN:
        _turn(obj, Vector(display.direction).to_track_quat("-Z", "Y"))
    light: Any = obj.data
    if not isinstance(light, Light):
        return
    if display.color is not None and display.color != WHITE:
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
    x, y, z = (matrix.to_3x3() @ Vector(DOWN)).normalized()
    direction = (x, y, z)
    if not isinstance(light, Light):
        scale = max(abs(part) for part in matrix.to_scale())
        size = float(checked(np.array(obj.empty_display_size * scale), obj.name, "its size"))
        return LampDisplay("EMPTY", direction, size=size)
    if not isfinite(light.energy + sum(light.color[:])):
        checked(np.array([light.energy, *light.color[:]]), obj.name, T("its power or color"))
    color, energy = compat.light_emission(light)
    display = LampDisplay(light.type, direction, color=color, energy=energy)
    if light.type == SPOT:
        checked(np.array([light.spot_size, light.spot_blend]), obj.name, "its cone")
        display = display._replace(spot_size=light.spot_size, spot_blend=light.spot_blend)
    return display


def as_tuple(value: float | None) -> tuple[float] | None:
    return None if value is None else (value,)


def differ(now: tuple[float, ...] | None, expected: tuple[float, ...] | None) -> bool:
    """Return whether values of a display differ beyond the precision of 32-bit floats; False for None."""
    if now is None or expected is None:
        return False
    pairs = zip(now, expected, strict=True)
    return not all(isclose(a, b, rel_tol=1e-5, abs_tol=1e-6) for a, b in pairs)


def max_difference(first: Triple, second: Triple) -> float:
    return max(abs(a - b) for a, b in zip(first, second, strict=True))
