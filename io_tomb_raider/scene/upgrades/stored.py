"""What datablocks store of typed properties, as all versions of the extension have found it.

Enumerations are numbers, sets of them are bits, pointers are datablocks, collections are lists of groups.
What was never set is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bpy.types import ID, Collection, Object

from ..core import compat

_GROUP = "tomb_raider"


def stored(owner: ID) -> Mapping[str, Any]:
    """Return what a datablock stores, to be read."""
    home = compat.property_store(owner)
    group = None if home is None else home.get(_GROUP)
    return {} if group is None else group


def storing(owner: ID) -> Any:
    """Return what a datablock stores, to be written."""
    home = compat.property_store(owner, create=True)
    if home.get(_GROUP) is None:
        home[_GROUP] = {}
    return home[_GROUP]


def objects_of(root: Collection) -> list[Object]:
    """Return the objects of a level, each once."""
    homes = (root, *root.children_recursive)
    return list(dict.fromkeys(obj for home in homes for obj in home.objects))


def kind_of(obj: Object) -> int:
    """Return the number of what an object is in its level, 0 for nothing."""
    return stored(obj).get("kind", 0)
