"""Properties of entities and models in an injection: a name, a type and a value each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from ...base.schema.fields import Record
from .kinds import BlockId, ReferenceKind
from .trxj import Injection

_MODEL, _ITEM = 0, 1  # types of targets
_VERSION = 9  # of the engine's that reads properties


class PropertyType(IntEnum):
    """Types of properties."""

    INTEGER = 0
    FLOAT = 1
    DOUBLE = 2
    BOOLEAN = 3  # stored as an integer
    VECTOR = 4  # three integers
    COLOR = 5  # red, green and blue, 0 to 255


class Properties(NamedTuple):
    """The properties of a level: records with ``name``, ``type`` and ``value``."""

    items: Mapping[int, list[Record]]  #: by number of the entity.
    models: Mapping[int, list[Record]]  #: by id.


def level_properties(injection: Injection | None) -> Properties:
    """Return the properties of entities and models in an injection."""
    items: dict[int, list[Record]] = {}
    models: dict[int, list[Record]] = {}
    for record in [] if injection is None else injection.records(BlockId.PROPERTIES):
        if record["target"] == _ITEM:
            items.setdefault(record["item"], []).extend(record["properties"])
        elif record["object"]["kind"] == ReferenceKind.MODEL:
            models.setdefault(record["object"]["id"], []).extend(record["properties"])
    return Properties(items, models)


def put_properties(injection: Injection, properties: Properties, items: int, models: Iterable[int]) -> None:
    """Replace the properties of a level's entities and models.

    Args:
        injection: changed in place.
        properties: those of the level. Empty lists are left out.
        items: the number of entities. Properties of those that the injection adds are kept.
        models: the ids of the level's models. Properties of other models and of other objects are kept.
    """
    ids = set(models)
    kept = [
        record
        for record in injection.records(BlockId.PROPERTIES)
        if not (
            record["item"] < items
            if record["target"] == _ITEM
            else record["object"]["kind"] == ReferenceKind.MODEL and record["object"]["id"] in ids
        )
    ]
    new_records: list[Record] = [
        {
            "target": _MODEL,
            "object": {"kind": ReferenceKind.MODEL, "id": number},
            "properties": properties.models[number],
        }
        for number in sorted(properties.models)
        if properties.models[number]
    ]
    new_records += [
        {"target": _ITEM, "item": number, "properties": properties.items[number]}
        for number in sorted(properties.items)
        if properties.items[number]
    ]
    if new_records:
        injection.upgrade(_VERSION)
    injection.replace(BlockId.PROPERTIES, [*new_records, *kept])
