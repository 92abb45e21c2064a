"""Stored values of typed properties, in the form of all versions of the extension.

Enumerations are numbers, sets of them bits, pointers data-blocks, collections lists of groups. Values that
were never set are missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import ID, Collection, Object

from ..core.blender import compat

_GROUP = "tomb_raider"


def stored(owner: ID) -> Mapping[str, Any]:
    """Return the stored values of a data-block for reading."""
    home = compat.property_store(owner)
    group = None if home is None else home.get(_GROUP)
    return {} if group is None else group


def storing(owner: ID) -> Any:
    """Return the stored values of a data-block for writing."""
    home = compat.property_store(owner, create=True)
    if home.get(_GROUP) is None:
        home[_GROUP] = {}
    return home[_GROUP]


def objects_of(root: Collection) -> list[Object]:
    """Return the objects of a level, each once."""
    homes = (root, *root.children_recursive)
    return list(dict.fromkeys(obj for home in homes for obj in home.objects))


def kind_of(obj: Object) -> int:
    """Return the number of an object's kind, 0 for none."""
    return stored(obj).get("kind", 0)
