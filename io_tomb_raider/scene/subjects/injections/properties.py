"""Properties of objects for TRX, and in Lua for TombEngine, in typed properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from bpy.types import Collection, Object

from ....formats.base import Record, T, Target
from ....formats.levels.injections import Properties, PropertyType
from ...core.context import ExportContext, ImportContext
from ...core.membership import members_of
from ...core.reporting.report import storable
from ...core.stages import ENTITY_NUMBERS
from ...core.subjects import Kind

_FIELDS: Mapping[int, str] = {
    PropertyType.INTEGER: "integer",
    PropertyType.FLOAT: "number",
    PropertyType.DOUBLE: "number",
    PropertyType.BOOLEAN: "is_on",
    PropertyType.VECTOR: "vector",
    PropertyType.COLOR: "color",
}
_NUMBERS = frozenset({PropertyType.FLOAT, PropertyType.DOUBLE})
_INEXACT = _NUMBERS | {PropertyType.BOOLEAN}  # properties of Blender cannot hold all of their values
LuaProperties = tuple[tuple[str, str], ...]  # names and values
_LARGEST = np.finfo(np.float32).max


def import_properties(context: ImportContext) -> None:
    """Store the properties in a level's edits on its entities and models."""
    properties = context.decoded.properties
    if not (properties.items or properties.models):
        return
    for obj in members_of(context.root, Kind.ENTITY):
        _show(obj, properties.items.get(int(obj.tomb_raider.index), ()))
    for obj in members_of(context.root, Kind.MODEL):
        _show(obj, properties.models.get(int(obj.tomb_raider.model.id), ()))


def _show(obj: Object, records: Iterable[Record]) -> None:
    for record in records:
        item = obj.tomb_raider.properties.add()
        kind, value = PropertyType(record["type"]), record["value"]
        item.name, item.type = storable(record["name"]), kind.name
        if kind == PropertyType.COLOR:
            item.color = [part / 255 for part in value]
        elif kind == PropertyType.BOOLEAN:
            item.is_on = bool(value)
        else:
            setattr(item, _FIELDS[kind], value)
        if kind in _INEXACT:
            item.exact = repr(value)


def properties_of(obj: Object) -> list[Record]:
    """Return the properties of an entity or a model as records of a level's edits."""
    return [
        {"name": item.name, "type": int(PropertyType[item.type]), "value": _value(item)}
        for item in obj.tomb_raider.properties
        if item.type != "LUA"
    ]


def _value(item: Any) -> Any:
    kind = PropertyType[item.type]
    value = getattr(item, _FIELDS[kind])
    if kind == PropertyType.COLOR:
        return [round(part * 255) for part in value]
    if kind == PropertyType.VECTOR:
        return list(value)
    if kind in _NUMBERS and item.exact and repr(_as_float32(float(item.exact))) == repr(value):
        return float(item.exact)
    if kind == PropertyType.BOOLEAN:
        return int(item.exact) if item.exact and bool(int(item.exact)) == value else int(value)
    return value


def _as_float32(exact: float) -> float:
    """Return a number as Blender's properties of 32 bits have it."""
    with np.errstate(over="ignore"):
        return float(np.clip(np.float32(exact), -_LARGEST, _LARGEST))


def changed_properties(context: ExportContext) -> tuple[Properties, set[int]] | None:
    """Return the properties of exported entities and models, and the ids of these models.

    None if they are those of the file, or not for TRX.
    """
    if context.target is not Target.TRX or "ENTITIES" not in context.root.tomb_raider.imported:
        return None
    numbers, original = ENTITY_NUMBERS.of(context), context.decoded.properties
    for obj in context.level_objects.of((Kind.ENTITY, Kind.MODEL)):
        if any(item.type == "LUA" for item in obj.tomb_raider.properties):
            context.report.warn(obj.name, T("TRX reads no properties of the type Lua: choose another type"))
    models = {int(obj.tomb_raider.model.id): properties_of(obj) for obj, _ in context.objects(Kind.MODEL)}
    properties = Properties({number: properties_of(obj) for obj, number in numbers.of.items()}, models)
    new = {old: int(numbers.map[old]) for old in original.items if 0 <= old < len(numbers.map)}
    items = {new[old]: records for old, records in original.items.items() if old in new}
    same = _is_same(properties.items, items) and _is_same(properties.models, original.models)
    return None if same else (properties, set(models))


def _is_same(now: Mapping[int, list[Record]], before: Mapping[int, list[Record]]) -> bool:
    """Return whether elements have the properties of the file. NaN equals itself here."""
    return all(repr(records) == repr(_stored(before.get(number, ()))) for number, records in now.items())


def _stored(records: Iterable[Record]) -> list[Record]:
    """Return records of the file as :func:`properties_of` does."""
    return [
        {"name": storable(record["name"]), "type": int(record["type"]), "value": _plain(record["value"])}
        for record in records
    ]


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple)) else value


# --- Lua ----------------------------------------


def show_lua(obj: Object, properties: LuaProperties) -> None:
    """Add Lua properties to an object."""
    for name, value in map(_as_stored, properties):
        item = obj.tomb_raider.properties.add()
        item.name, item.type, item.text = name, "LUA", value


def lua_of(obj: Object, before: LuaProperties) -> LuaProperties:
    """Return the Lua properties of an object: those before, if it shows them."""
    items = obj.tomb_raider.properties
    after = tuple((item.name, item.text) for item in items if item.type == "LUA")
    return before if after == tuple(map(_as_stored, before)) else after


def _as_stored(pair: tuple[str, str]) -> tuple[str, str]:
    """Return texts as Blender stores them."""
    name, value = (storable(text).partition("\0")[0] for text in pair)
    return name, value


def lua_keys(root: Collection) -> dict[Object, tuple[str, int]]:
    """Return the models and static meshes of a level, each with "model" or "static" and its id."""
    models = {obj: ("model", int(obj.tomb_raider.model.id)) for obj in members_of(root, Kind.MODEL)}
    statics = members_of(root, Kind.STATIC_MESH)
    return models | {obj: ("static", int(obj.tomb_raider.static_mesh.id)) for obj in statics}
