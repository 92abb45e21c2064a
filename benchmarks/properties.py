"""The extension's own properties of datablocks as plain data, and set again from it, in one call for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
from bpy.types import ID

from io_tomb_raider.scene.core.compat import property_store

_TYPED = "tomb_raider"
_KINDS = ("objects", "meshes", "materials", "images", "collections", "actions", "sounds")

_Place = tuple[str, int]  # of a datablock: its kind, and which


@dataclass
class PropertyRecord:
    """What all datablocks carry.

    Attributes:
        values: per datablock the values of its typed properties, groups and collections within included.
        plain: other custom properties, such as the original file: whose, name, value.
        holes: where datablocks belong in ``values``: the group, the name, which datablock.
    """

    values: list[tuple[_Place, dict[str, Any]]] = field(default_factory=list)
    plain: list[tuple[_Place, str, Any]] = field(default_factory=list)
    holes: list[tuple[dict[str, Any], str, _Place]] = field(default_factory=list)

    def count(self) -> int:
        """Return how many values there are, without those in groups."""
        return sum(len(values) for _, values in self.values) + len(self.plain)


def record_properties(places: Mapping[Any, int]) -> PropertyRecord:
    """Read the properties of all datablocks; ``places`` tells the number of each among its kind."""
    out = PropertyRecord()
    for kind in _KINDS:
        for place, owner in enumerate(getattr(bpy.data, kind)):
            store = property_store(owner)
            group = None if store is None else store.get(_TYPED)
            if group is not None:
                out.values.append(((kind, place), _plain(group, places, out)))
            for name in owner.keys():  # noqa: SIM118, datablocks are no dictionaries
                if name != _TYPED:
                    value = owner[name]
                    plain = value.to_list() if hasattr(value, "to_list") else value
                    out.plain.append(((kind, place), name, plain))
    return out


def _plain(group: Any, places: Mapping[Any, int], out: PropertyRecord) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in group.items():
        if isinstance(value, ID):
            home = type(value).__name__
            found[name] = None
            out.holes.append((found, name, (_HOMES[home], places[value])))
        elif isinstance(value, list):
            found[name] = [_plain(each, places, out) for each in value]
        elif hasattr(value, "to_list"):
            found[name] = value.to_list()
        elif hasattr(value, "items"):
            found[name] = _plain(value, places, out)
        else:
            found[name] = value
    return found


_HOMES = {
    "Object": "objects",
    "Mesh": "meshes",
    "Material": "materials",
    "Image": "images",
    "Collection": "collections",
    "Action": "actions",
    "Sound": "sounds",
    "ShaderNodeTree": "groups",
}


def set_properties(record: PropertyRecord, made: Mapping[str, Sequence[Any]]) -> None:
    """Set what was recorded on datablocks that have no properties yet; ``made`` are these by their kinds."""
    for group, name, (kind, place) in record.holes:
        group[name] = made[kind][place]
    for (kind, place), values in record.values:
        store = property_store(made[kind][place], create=True)
        if _TYPED in store:  # as somebody has asked for them
            store[_TYPED].update(values)
        else:
            store[_TYPED] = values
    for (kind, place), name, value in record.plain:
        made[kind][place][name] = value
