"""Conversion of edits of lights in Blender to the game's values.

A value with a counterpart in Blender (type, color, direction, brightness, cone, radius) can be edited on
either side. If Blender's side differs from the display of the typed properties, it was edited, and is
converted back to the value; see :mod:`.light_sync`.
"""

from __future__ import annotations

from ....formats import Game
from ....formats.levels.lights import FOG, POINT, SHADOW, SPOT, SUN, Values, kind_of, type_of
from ...core.blender.color import to_screen
from .display import (
    EMPTY_SIZES,
    FULL_INTENSITY,
    LIGHT_KINDS,
    TURNED,
    LampDisplay,
    Triple,
    as_tuple,
    brightness_name,
    differ,
    look_of,
    max_difference,
    watts,
)
from .new_values import file_direction, set_cone, triple, values_as
from .values import same_value

_MOST = (1 << 31) - 1  # of a typed property


def read_edits(game: Game, typed: Values, before: Values | None, now: LampDisplay, scale: float) -> Values:
    """Return the values of a light after edits of its properties or of its display.

    ``before`` has the previous values, None for lights that are not from a file.
    """
    was = typed if before is None else before
    expected = look_of(game, was, scale)
    kind = _edited_kind(game, typed, was, now, expected)
    if kind != kind_of(game, was):
        # Values mean something else now. Blender keeps the power, which does so as well.
        edited = {name: value for name, value in typed.items() if not _is_same(typed, was, name)}
        converted = values_as(game, was, kind, now, scale)
        display = look_of(game, converted, scale)
        if not differ(as_tuple(now.energy), as_tuple(expected.energy)):
            now = now._replace(energy=display.energy)
        if not differ(now.color, expected.color):
            now = now._replace(color=display.color)
        typed, was, expected = converted | edited | {"type": type_of(game, kind)}, converted, display
    values = dict(typed)

    def is_free(*names: str) -> bool:
        return all(_is_same(typed, was, name) for name in names if name in typed)

    is_bright = is_free(brightness_name(game, kind)) and differ(
        as_tuple(now.energy), as_tuple(expected.energy)
    )
    is_colored = "color" in typed and is_free("color") and differ(now.color, expected.color)
    if is_colored and now.color is not None:
        values["color"] = triple(to_screen(now.color))
    if kind in (SUN, SPOT) and is_free("direction") and _is_turned(now.direction, expected):
        values["direction"] = file_direction(game, now.direction, was.get("direction"))
    in_color = brightness_name(game, kind) == "color"
    if now.energy is not None and now.color is not None and (is_bright or (in_color and is_colored)):
        _set_energy(game, values, was, now, kind, scale)
    if kind == SPOT and is_free("inner", "outer", "inner_angle", "outer_angle"):
        set_cone(values, now, expected)
    if kind in (SHADOW, FOG) and is_free("outer") and differ(as_tuple(now.size), as_tuple(expected.size)):
        values["outer"] = float(now.size or 0.0) / scale
        if expected.size == EMPTY_SIZES[1]:  # less than the light's, so the edit is relative
            values["outer"] *= was["outer"] * scale / expected.size
    return values


def _is_same(typed: Values, was: Values, name: str) -> bool:
    return name not in was or same_value(typed[name], was[name])


def _edited_kind(game: Game, typed: Values, was: Values, now: LampDisplay, expected: LampDisplay) -> str:
    """Return the kind of a light: of its properties or, if that was not edited, of Blender's light.

    Shadow lights and fog bulbs are never displayed as lamps, so a lamp cannot become one.
    """
    kind = kind_of(game, typed)
    is_free = "type" in typed and _is_same(typed, was, "type")
    if now.kind != expected.kind in LIGHT_KINDS and is_free and now.kind in LIGHT_KINDS:
        return kind if type_of(game, now.kind) is None else now.kind
    return kind


def _is_turned(now: Triple | None, expected: LampDisplay) -> bool:
    if now is None:
        return False
    if expected.kind == POINT or expected.direction is None:
        return True
    return max_difference(now, expected.direction) > TURNED


def _set_energy(game: Game, values: Values, was: Values, now: LampDisplay, kind: str, scale: float) -> None:
    """Convert Blender's power to brightness: the intensities, or in TR5, which has none, the color."""
    brightness = (now.energy or 0.0) / watts(game, was, kind, scale)
    if brightness_name(game, kind) == "color":
        values["color"] = triple(to_screen(now.color or (0.0, 0.0, 0.0)) * brightness)
        return
    was_same = values.get("intensity2") == values["intensity"]
    values["intensity"] = round(min(max(brightness * FULL_INTENSITY, -_MOST), _MOST))
    if was_same:
        values["intensity2"] = values["intensity"]
