"""What datablocks may store that nobody can set: files come from anywhere, and scripts write past bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from bpy.types import ID, Collection, PropertyGroup

from ...formats import ExportError, FormatError
from .space import checked


def within(group: PropertyGroup, name: str, subject: str) -> Any:
    """Return the value of a property that is as its declaration says.

    Args:
        group: what has the property: of numbers, one or several, or an enumeration.
        name: the property's.
        subject: the name of the object that it belongs to, for errors.

    Raises:
        ExportError: where the value is none that users could choose.
    """
    field: Any = group.bl_rna.properties[name]
    value = getattr(group, name)
    if field.type == "ENUM":
        if value == "":
            raise ExportError(subject, f"its {field.name} is none of the choices: choose it again")
        return value
    parts = list(value) if field.is_array else [value]
    if field.type == "FLOAT":
        checked(np.array(parts, np.float64), subject, f"its {field.name}")
    for each in parts:
        if not field.hard_min <= each <= field.hard_max:
            limits = f"{field.hard_min:g} to {field.hard_max:g}"
            raise ExportError(subject, f"its {field.name} is {each:g}, and can be {limits}: set it again")
    return value


def check_level(root: Collection) -> None:
    """See that a level's game and scale are what a level can have: nothing of it can be understood without.

    Raises:
        ExportError: where they are not.
    """
    for name in ("game", "scale"):
        within(root.tomb_raider, name, root.name)


def stored_bytes(owner: ID, key: str) -> bytes | None:
    """Return what a datablock keeps of a file under a key, None where it keeps nothing.

    Raises:
        FormatError: where that is none of a file.
    """
    return as_bytes(owner.get(key), owner.name)


def as_bytes(kept: Any, name: str) -> bytes | None:
    """Return what is kept of a file as bytes; see :func:`stored_bytes`."""
    if kept is None or isinstance(kept, bytes):
        return kept or None
    raise FormatError(f"{name}, packed", "the bytes of a file", type(kept).__name__)
