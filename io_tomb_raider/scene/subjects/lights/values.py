"""The values of lights as the typed properties hold them, :class:`~...properties.rooms.TombRaiderLight`.

Nothing here touches a datablock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....formats.base.bits import signed
from ....formats.lights.lights import Values, encode_light, light_columns, rows_of
from ...core.record_fields import as_float32s, same_float


def light_values(record: np.void) -> Values:
    """Return the values of a light's or fog bulb's record as properties hold them, by name."""
    return values_of_lights(np.array([record]))[0]


def values_of_lights(records: NDArray[np.void]) -> list[Values]:
    """Return what :func:`light_values` does of many records, (n,)."""
    return rows_of({name: _held(column) for name, column in light_columns(records).items()})


def _held(column: list[Any]) -> list[Any]:
    """Return whole numbers, numbers or tuples of numbers as properties hold them."""
    values = np.array(column)
    if values.dtype.kind in "iu":
        return signed(values, 32).tolist()
    held = as_float32s(values).tolist()
    return list(map(tuple, held)) if values.ndim > 1 else held


def write_light(
    record: np.void, before: Values, values: Values, subject: str, *, rebuild: bool = False
) -> None:
    """Write values into a record, where they are not what it holds.

    Args:
        record: one element of an array of any of the lights' types.
        before: the values that it holds.
        values: what it shall be.
        subject: the object's name, for errors.
        rebuild: write whatever a file can hold in any case.

    Raises:
        ExportError: where a value does not fit its field.
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


def same_value(one: Any, other: Any) -> bool:
    """Tell whether two values of the same name are the same to the last bit that a property holds."""
    if isinstance(one, tuple):
        return isinstance(other, tuple) and all(map(same_float, one, other))
    return isinstance(other, int | float) and same_float(one, other)
