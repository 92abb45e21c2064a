"""Lights of rooms (documentation, chapter 3.2.4): conversion of all games' records to named values, and back.

A game that lacks a value lacks its name. TR5's fog bulbs have their own record; here they are a kind of
light, and their radius is the value ``outer``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.bytes.bits import put
from ...base.bytes.records import F32, FOG_BULB_TR5, I32, ROOM_LIGHT
from ...base.errors import ExportError
from ...base.games import Game
from ...base.messages import T, as_message

if TYPE_CHECKING:
    from numpy.typing import NDArray

Values = dict[str, Any]

POINT, SUN, SPOT, SHADOW, FOG = "POINT", "SUN", "SPOT", "SHADOW", "FOG"
PLACEHOLDER_TYPE = 0xCD  # original TR5 rooms list one such light, all filler, for every fog bulb

_TYPES_TR4 = {0: SUN, 1: POINT, 2: SPOT, 3: SHADOW, 4: FOG}
_UNSET = 0xCDCDCDCD
_DIRECTION_SCALE = 16384  # of directions in integers
# TR3's ``parameters`` of lights other than suns.
_POINT_TR3 = np.dtype([("intensity", I32), ("falloff", I32)])

INTEGERS = ("type", "intensity", "intensity2", "falloff", "falloff2", "shadow")
FLOATS = ("inner", "outer", "length", "cutoff", "inner_angle", "outer_angle", "range", "density")


def reach_field(game: Game, kind: str) -> str:
    """Return the name of the value with the distance at which a light of a kind ends."""
    if not game.traits.has_light_ranges:
        return "falloff"
    return game.traits.spot_reach if kind == SPOT else "outer"


def kind_of(game: Game, values: Values) -> str:
    """Return the kind of a light. Unknown types are points."""
    if not game.traits.has_light_types:
        return POINT
    if not game.traits.has_light_ranges:
        return SUN if values["type"] else POINT
    return _TYPES_TR4.get(values["type"], POINT)


def type_of(game: Game, kind: str) -> int | None:
    """Return the type of a kind of light, or None if the game has no such lights."""
    if not game.traits.has_light_types:
        return 0 if kind == POINT else None
    if not game.traits.has_light_ranges:
        return {POINT: 0, SUN: 1}.get(kind)
    return next(number for number, name in _TYPES_TR4.items() if name == kind)


def new_light(game: Game, kind: str) -> Any:
    """Return the record of a new light; TR5's fog bulbs have their own record."""
    if game.traits.has_fog_bulb_list and kind == FOG:
        return np.zeros(1, FOG_BULB_TR5)[0]
    record = np.zeros(1, ROOM_LIGHT[game])[0]
    if "filler" in (record.dtype.names or ()):
        record["shadow"], record["filler"] = _UNSET, 0xCD
    return record


def decode_light(record: Any) -> Values:
    """Return the values of the record of a light or fog bulb, see :func:`light_columns`."""
    return rows_of(light_columns(np.array([record])))[0]


def rows_of(columns: dict[str, list[Any]]) -> list[Values]:
    """Convert columns of values by name to one dictionary per light."""
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def light_columns(records: NDArray[np.void]) -> dict[str, list[Any]]:
    """Return the values of lights or fog bulbs: :data:`INTEGERS`, :data:`FLOATS`, color and direction.

    Returns:
        By name, a list of whole numbers, numbers, or tuples of three numbers. Colors are 0 to 1, more is
            brighter.
    """
    names = records.dtype.names or ()
    columns: dict[str, list[Any]] = {name: records[name].tolist() for name in INTEGERS if name in names}
    columns |= {name: list(map(float, records[name].tolist())) for name in FLOATS if name in names}
    if "shadow" in names:
        columns["shadow"] = np.where(_is_filler(records), 0, records["shadow"]).tolist()
    if "direction" in names:
        columns["direction"] = _vectors(records["direction"])
    if "color" in names:
        color = records["color"]
        columns["color"] = _vectors(color / 255 if color.dtype == np.uint8 else color)
    if "parameters" in names:
        columns |= _decode_parameters(records)
    if records.dtype == FOG_BULB_TR5:
        columns |= {"type": [type_of(Game.TR5, FOG)] * len(records), "outer": records["radius"].tolist()}
    return columns


def _is_filler(records: Any) -> Any:
    """Return whether TR5 lights that are no shadows have filler as the strength of a shadow."""
    is_shadow = records["type"] == type_of(Game.TR5, SHADOW)
    return (records["shadow"] == _UNSET) & ~is_shadow


def _vectors(parts: NDArray[Any]) -> list[tuple[float, ...]]:
    return [tuple(map(float, row)) for row in parts.tolist()]


def _decode_parameters(records: NDArray[np.void]) -> dict[str, list[Any]]:
    """Decode TR3's union: every light gets all values, so that its type can be changed."""
    is_sun = records["type"] != 0
    point = np.ascontiguousarray(records["parameters"]).view(_POINT_TR3)[:, 0]
    columns: dict[str, list[Any]] = {}
    for name in ("intensity", "falloff"):
        columns[name] = np.where(is_sun, 0, point[name]).tolist()
    columns["direction"] = _vectors(np.where(is_sun[:, None], records["parameters"][:, :3], 0))
    return columns


def encode_light(record: Any, values: Values, changed: Collection[str], subject: str) -> None:
    """Write the values of a light into its record.

    Args:
        values: the new values, see :func:`decode_light`. Values without a field are ignored.
        changed: the names of the values to write; all others keep those of the record.

    Raises:
        ExportError: if a value does not fit its field.
    """
    names = record.dtype.names
    is_union = "parameters" in names
    if is_union and bool(record["type"]) != bool(values["type"]):
        record["parameters"] = 0
    for name in INTEGERS:
        if name in changed and name in names and not (name == "shadow" and _stays_filler(record, values)):
            put(record, name, values[name], subject)
    for name in FLOATS:
        if name in changed and name in names:
            record[name] = _finite(values[name], name, subject)
    if "color" in changed and "color" in names:
        _put_color(record, values["color"], subject)
    if is_union and not {"type", "intensity", "falloff", "direction"}.isdisjoint(changed):
        _encode_parameters(record, values, subject)
    if "direction" in changed and "direction" in names:
        _put_direction(record, [_finite(part, "direction", subject) for part in values["direction"]])
    if record.dtype == FOG_BULB_TR5 and "outer" in changed:
        radius = np.float32(_finite(values["outer"], "radius", subject))
        if radius != record["radius"]:
            record["radius"], record["radius2"] = radius, float(radius) ** 2


def _stays_filler(record: Any, values: Values) -> bool:
    return not values["shadow"] and values["type"] != type_of(Game.TR5, SHADOW) and record["shadow"] == _UNSET


def _finite(value: float, name: str, subject: str) -> float:
    if not np.isfinite(value):
        raise ExportError(subject, T("its {name} is not a number", name=as_message(name.replace("_", " "))))
    return value


def _put_color(record: np.void, color: tuple[float, ...], subject: str) -> None:
    parts = [_finite(part, "color", subject) for part in color]
    if record["color"].dtype == np.uint8:
        parts = [round(min(max(part, 0.0), 1.0) * 255) for part in parts]
    record["color"] = parts


def _put_direction(record: Any, direction: list[float]) -> None:
    exact = np.array(direction, F32)
    if np.array_equal(exact, record["direction"]):
        return
    record["direction"] = exact
    if "direction2" in record.dtype.names:
        # An invalid direction must still fit its integers.
        limits, steps = np.iinfo(record["direction2"].dtype), exact.astype(np.float64) * _DIRECTION_SCALE
        record["direction2"] = np.trunc(np.nan_to_num(steps)).clip(limits.min, limits.max)


def _encode_parameters(record: np.void, values: Values, subject: str) -> None:
    if not values["type"]:
        (point,) = record["parameters"].view(_POINT_TR3)
        for name in ("intensity", "falloff"):
            put(point, name, values[name], subject)
        return
    for axis, part in enumerate(values["direction"]):
        whole = round(_finite(part, "direction", subject))
        if not -0x8000 <= whole <= 0x7FFF:
            raise ExportError(subject, T("its direction does not fit the file"), count=whole, limit=0x7FFF)
        record["parameters"][axis] = whole


def is_placeholder(record: Any) -> bool:
    """Return whether a light's record is all filler, as TR5 has one for every fog bulb."""
    names = record.dtype.names
    return "direction2" in names and int(record["type"]) == PLACEHOLDER_TYPE


def put_integer_position(record: Any) -> None:
    """Set the integer copy of a TR5 light's position."""
    if "position" in record.dtype.names:
        record["position"] = [round(float(record[axis])) for axis in "xyz"]
