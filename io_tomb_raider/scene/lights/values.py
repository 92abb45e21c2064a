"""Lights of rooms (documentation, chapter 3.2.4): records of all games <-> values under the same names.

The values are those of the typed properties, :class:`~..properties.TombRaiderLight`; a game that lacks one
lacks the name. Nothing here touches a datablock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...formats import ExportError, Game
from ...formats.base.records import FOG_BULB_TR5, ROOM_LIGHT
from ..base.record_fields import as_float32, as_int32, put, same_float

Values = dict[str, Any]

POINT, SUN, SPOT, SHADOW, FOG = "POINT", "SUN", "SPOT", "SHADOW", "FOG"
PLACEHOLDER_TYPE = 0xCD  # genuine TR5 rooms list one such light, all filler, for every fog bulb

_TYPES_TR4 = {0: SUN, 1: POINT, 2: SPOT, 3: SHADOW, 4: FOG}
_UNSET = 0xCDCDCDCD
_DIRECTION_SCALE = 16384  # of directions in integers

_INTEGERS = ("type", "intensity", "intensity2", "falloff", "falloff2", "shadow")
_FLOATS = ("inner", "outer", "length", "cutoff", "inner_angle", "outer_angle", "range", "density")


def kind_of(game: Game, values: Values) -> str:
    """Return what a light is. Types that no game knows count as points."""
    if game <= Game.TR2:
        return POINT
    if game is Game.TR3:
        return SUN if values["type"] else POINT
    return _TYPES_TR4.get(values["type"], POINT)


def type_of(game: Game, kind: str) -> int | None:
    """Return the type of a kind of light, or None where the game has no such lights."""
    if game <= Game.TR2:
        return 0 if kind == POINT else None
    if game is Game.TR3:
        return {POINT: 0, SUN: 1}.get(kind)
    return next(number for number, name in _TYPES_TR4.items() if name == kind)


# --- Records to values -----------------------------------------------------------------------------------


def decode_light(record: Any) -> Values:
    """Return the values of a light or fog bulb as properties hold them.

    Args:
        record: one element of an array of any of the lights' types.
    """
    names = record.dtype.names
    values: Values = {name: as_int32(record[name]) for name in _INTEGERS if name in names}
    values |= {name: as_float32(record[name]) for name in _FLOATS if name in names}
    if "direction" in names:
        values["direction"] = _vector(record["direction"])
    if "color" in names:
        values["color"] = _vector(_unit(record["color"]))
    if "parameters" in names:
        values |= _decode_parameters(record)
    if record.dtype == FOG_BULB_TR5:
        values |= {"type": type_of(Game.TR5, FOG), "outer": as_float32(record["radius"])}
    return values


def _unit(color: NDArray[Any]) -> NDArray[Any]:
    return color / 255 if color.dtype == np.uint8 else color


def _vector(parts: NDArray[Any]) -> tuple[float, ...]:
    return tuple(as_float32(part) for part in parts)


def _decode_parameters(record: Any) -> Values:
    """Decode TR3's union: every light has all values, so that its type can be changed."""
    parameters = record["parameters"]
    if record["type"]:
        return {"intensity": 0, "falloff": 0, "direction": _vector(parameters[:3])}
    intensity, falloff = parameters.view("<i4").tolist()
    return {"intensity": intensity, "falloff": falloff, "direction": (0.0, 0.0, 0.0)}


# --- Values to records -----------------------------------------------------------------------------------


def new_light(game: Game, kind: str) -> Any:
    """Return the record of a light that no file held before; TR5's fog bulbs have one of their own."""
    if game is Game.TR5 and kind == FOG:
        return np.zeros(1, FOG_BULB_TR5)[0]
    record = np.zeros(1, ROOM_LIGHT[game])[0]
    if game is Game.TR5:
        record["shadow"], record["filler"] = _UNSET, 0xCD
    return record


def encode_light(record: Any, values: Values, subject: str, *, rebuild: bool = False) -> None:
    """Write values into a record, where they are not what it decodes to.

    Args:
        record: one element of an array of any of the lights' types.
        values: what it shall be.
        subject: the object's name, for errors.
        rebuild: write whatever a file can hold in any case.

    Raises:
        ExportError: where a value does not fit its field.
    """
    names, before = record.dtype.names, decode_light(record)
    changed = {name for name, value in values.items() if not same_value(value, before.get(name))}
    if "parameters" in names and bool(record["type"]) != bool(values["type"]):
        record["parameters"] = 0
    if rebuild:
        changed |= {name for name, value in values.items() if np.isfinite(value).all()}
    for name in changed & set(_INTEGERS) & set(names):
        put(record, name, values[name], subject)
    for name in changed & set(_FLOATS) & set(names):
        record[name] = _finite(values[name], name, subject)
    if "color" in changed and "color" in names:
        _put_color(record, values["color"], subject)
    if "parameters" in names and changed & {"type", "intensity", "falloff", "direction"}:
        _encode_parameters(record, values, subject)
    if "direction" in changed and "direction" in names:
        _put_direction(record, [_finite(part, "direction", subject) for part in values["direction"]])
    if record.dtype == FOG_BULB_TR5 and "outer" in changed:
        radius = np.float32(_finite(values["outer"], "radius", subject))
        if radius != record["radius"]:
            record["radius"], record["radius2"] = radius, float(radius) ** 2


def same_value(one: Any, other: Any) -> bool:
    """Tell whether two values of the same name are the same to the last bit that a property holds."""
    if isinstance(one, tuple):
        return isinstance(other, tuple) and all(map(same_float, one, other))
    return isinstance(other, int | float) and same_float(one, other)


def _finite(value: float, name: str, subject: str) -> float:
    if not np.isfinite(value):
        raise ExportError(subject, f"its {name.replace('_', ' ')} is not a number")
    return value


def _put_color(record: Any, color: tuple[float, ...], subject: str) -> None:
    parts = [_finite(part, "color", subject) for part in color]
    if record["color"].dtype == np.uint8:
        parts = [round(min(max(part, 0.0), 1.0) * 255) for part in parts]
    record["color"] = parts


def _put_direction(record: Any, direction: list[float]) -> None:
    exact = np.array(direction, np.float32)
    if np.array_equal(exact, record["direction"]):
        return
    record["direction"] = exact
    if "direction2" in record.dtype.names:
        record["direction2"] = np.trunc(exact * _DIRECTION_SCALE)


def _encode_parameters(record: Any, values: Values, subject: str) -> None:
    if not values["type"]:
        pair = np.zeros(1, [("intensity", "<i4"), ("falloff", "<i4")])
        for name in ("intensity", "falloff"):
            put(pair[0], name, values[name], subject)
        record["parameters"] = pair.view("<i2")
        return
    for axis, part in enumerate(values["direction"]):
        whole = round(_finite(part, "direction", subject))
        if not -0x8000 <= whole <= 0x7FFF:
            raise ExportError(subject, "its direction does not fit the file", count=whole, limit=0x7FFF)
        record["parameters"][axis] = whole


def is_placeholder(record: Any) -> bool:
    """Tell whether a light's record is all filler, as TR5 has one for every fog bulb."""
    names = record.dtype.names
    return "direction2" in names and int(record["type"]) == PLACEHOLDER_TYPE


def put_integer_position(record: Any) -> None:
    """Write a TR5 light's position once more, in integers."""
    if "position" in record.dtype.names:
        record["position"] = [int(record[axis]) for axis in "xyz"]
