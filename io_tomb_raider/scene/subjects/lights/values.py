"""Values of lights as in the typed properties, :class:`~...properties.rooms.TombRaiderLight`.

This module does not access data-blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats.base import signed
from ....formats.levels.lights import Values, encode_light, light_columns, rows_of
from ...core.record_fields import as_float32s, same_float


def light_values(record: np.void) -> Values:
    """Return the values of a light's or fog bulb's record as in typed properties, by name."""
    return values_of_lights(np.array([record]))[0]


def values_of_lights(records: NDArray[np.void]) -> list[Values]:
    """Return :func:`light_values` of many records, (n,)."""
    return rows_of({name: _property_values(column) for name, column in light_columns(records).items()})


def _property_values(column: list[Any]) -> list[Any]:
    """Return integers, floats or tuples of floats with the precision of properties."""
    values = np.array(column)
    if values.dtype.kind in "iu":
        return signed(values, 32).tolist()
    floats = as_float32s(values).tolist()
    return list(map(tuple, floats)) if values.ndim > 1 else floats


def write_light(
    record: np.void, before: Values, values: Values, subject: str, *, rebuild: bool = False
) -> None:
    """Write changed values into a record; a rebuild writes all values that a file can hold.

    Raises:
        ExportError: if a value does not fit its field.
    """
    changed = {
        name
        for name, old in before.items()
        if (value := values.get(name, old)) != old and not same_value(value, old)
    }
    if rebuild:
        changed |= {name for name, value in values.items() if np.isfinite(value).all()}
    if changed:
        encode_light(record, values, changed, subject)


def same_value(a: Any, b: Any) -> bool:
    """Return whether two values of the same name are equal in a property's precision."""
    if isinstance(a, tuple):
        return isinstance(b, tuple) and all(map(same_float, a, b))
    return isinstance(b, int | float) and same_float(a, b)
