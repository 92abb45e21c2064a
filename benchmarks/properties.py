"""Recording of the extension's own properties of data-blocks, and setting them with one call each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import bpy
from bpy.types import ID

from io_tomb_raider.scene.core.blender.compat import property_store

_TYPED = "tomb_raider"
_KINDS = ("objects", "meshes", "materials", "images", "collections", "actions", "sounds")

_Place = tuple[str, int]  # of a data-block: its kind, and its number


@dataclass
class PropertyRecord:
    """The properties of all data-blocks.

    Attributes:
        values: per data-block the values of its typed properties, including groups and collections in them.
        plain: other custom properties, such as the original file: owner, name, value.
        holes: the places of data-blocks in ``values``: the group, the name, the data-block.
    """

    values: list[tuple[_Place, dict[str, Any]]] = field(default_factory=list)
    plain: list[tuple[_Place, str, Any]] = field(default_factory=list)
    holes: list[tuple[dict[str, Any], str, _Place]] = field(default_factory=list)

    def count(self) -> int:
        """Return the number of values, without those in groups."""
        return sum(len(values) for _, values in self.values) + len(self.plain)


def record_properties(places: Mapping[Any, int]) -> PropertyRecord:
    """Record the properties of all data-blocks; ``places`` has the number of each among its kind."""
    out = PropertyRecord()
    for kind in _KINDS:
        for place, owner in enumerate(getattr(bpy.data, kind)):
            store = property_store(owner)
            group = None if store is None else store.get(_TYPED)
            if group is not None:
                out.values.append(((kind, place), _plain(group, places, out)))
            for name in owner.keys():  # noqa: SIM118, data-blocks are no dictionaries
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
    """Set recorded properties on data-blocks without any; ``made`` are these by kind."""
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
