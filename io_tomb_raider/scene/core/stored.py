"""Validation of stored values: files come from anywhere, and scripts bypass the limits of properties."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import ID, Collection, PropertyGroup

from ...formats import ExportError, FormatError
from ...formats.base import T, as_message
from .space import checked


def within(group: PropertyGroup, name: str, subject: str) -> Any:
    """Return the value of a property, if it is valid by the property's declaration.

    Args:
        name: a property of one or several numbers, or an enumeration.

    Raises:
        ExportError: if users could not choose the value.
    """
    field: Any = group.bl_rna.properties[name]
    value = getattr(group, name)
    if field.type == "ENUM":
        if value == "":
            raise ExportError(
                subject,
                T("its {field} is not one of the choices: choose it again", field=as_message(field.name)),
            )
        return value
    parts = list(value) if field.is_array else [value]
    if field.type == "FLOAT":
        checked(np.array(parts, np.float64), subject, T("its {field}", field=as_message(field.name)))
    for each in parts:
        if not field.hard_min <= each <= field.hard_max:
            limits = T("{ways:g} to {is_there:g}", ways=field.hard_min, is_there=field.hard_max)
            raise ExportError(
                subject,
                T(
                    "its {field} is {name:g}, and can be {limits}: set it again",
                    field=as_message(field.name),
                    name=each,
                    limits=limits,
                ),
            )
    return value


def check_level(root: Collection) -> None:
    """Check that a level's game, target and scale are valid. Raises ExportError if they are not."""
    for name in ("game", "engine", "scale"):
        within(root.tomb_raider, name, root.name)


def stored_bytes(owner: ID, key: str) -> bytes | None:
    """Return the bytes of a file that a data-block stores under a key, or None.

    Raises:
        FormatError: if the value is not bytes.
    """
    return as_bytes(owner.get(key), owner.name)


def as_bytes(stored: Any, name: str) -> bytes | None:
    """Return a stored value as bytes; see :func:`stored_bytes`."""
    if stored is None or isinstance(stored, bytes):
        return stored or None
    raise FormatError(f"{name}, packed", "the bytes of a file", type(stored).__name__)
