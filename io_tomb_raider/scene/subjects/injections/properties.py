"""Properties of objects for TRX, and in Lua for TombEngine, in typed properties."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Collection, Object

from ....formats.base import Record, T, Target
from ....formats.editors.projects import CatalogProperty, find_property_catalogs, read_property_catalogs
from ....formats.levels.injections import ROOM_PROPERTIES, Properties, PropertyType
from ...core.context import ExportContext, ImportContext
from ...core.membership import level_of, members_of
from ...core.reporting.report import storable
from ...core.stages import ENTITY_NUMBERS
from ...core.subjects import Kind
from ..entities.shown import shown_type
from ..rooms.location.where import WHEREABOUTS

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
    _note_catalogs(context)
    properties = context.decoded.properties
    if not (properties.items or properties.models):
        return
    rooms = {int(room.tomb_raider.index): room for room in members_of(context.root, Kind.ROOM)}
    for obj in members_of(context.root, Kind.ENTITY):
        _show(obj, properties.items.get(int(obj.tomb_raider.index), ()), rooms)
    for obj in members_of(context.root, Kind.MODEL):
        _show(obj, properties.models.get(int(obj.tomb_raider.model.id), ()), rooms)


def _show(obj: Object, records: Iterable[Record], rooms: Mapping[int, Object]) -> None:
    for record in records:
        item = obj.tomb_raider.properties.add()
        kind, value = PropertyType(record["type"]), record["value"]
        item.name, item.type = storable(record["name"]), kind.name
        if kind == PropertyType.COLOR:
            item.color = [part / 255 for part in value]
        elif kind == PropertyType.BOOLEAN:
            item.is_on = bool(value)
        elif is_room_property(item) and value in rooms:
            item.room, item.integer = rooms[value], -1
        else:
            setattr(item, _FIELDS[kind], value)
        if kind in _INEXACT:
            item.exact = repr(value)


def is_room_property(item: Any) -> bool:
    """Return whether the value of a property is a room."""
    return item.type == "INTEGER" and item.name in ROOM_PROPERTIES


def properties_of(obj: Object, rooms: Mapping[Object, int]) -> list[Record]:
    """Return the properties of an entity or a model as records of a level's edits.

    Args:
        rooms: the numbers of the exported rooms.
    """
    return [
        {"name": item.name, "type": int(PropertyType[item.type]), "value": _value(item, rooms)}
        for item in obj.tomb_raider.properties
        if item.type != "LUA"
    ]


def _value(item: Any, rooms: Mapping[Object, int]) -> Any:
    kind = PropertyType[item.type]
    if is_room_property(item) and item.room in rooms:
        return rooms[item.room]
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
    plan = WHEREABOUTS.of(context).plan
    rooms, owners = plan.numbers, context.objects(Kind.MODEL)
    models = {int(obj.tomb_raider.model.id): properties_of(obj, rooms) for obj, _ in owners}
    properties = Properties({number: properties_of(obj, rooms) for obj, number in numbers.of.items()}, models)
    new = {old: int(numbers.map[old]) for old in original.items if 0 <= old < len(numbers.map)}
    items = {new[old]: records for old, records in original.items.items() if old in new}
    renumbered = plan.map.tolist()
    pairs = (properties.items, items), (properties.models, original.models)
    same = all(_is_same(now, before, renumbered) for now, before in pairs)
    return None if same else (properties, set(models))


def _is_same(
    now: Mapping[int, list[Record]], before: Mapping[int, list[Record]], rooms: Sequence[int]
) -> bool:
    """Return whether elements have the properties of the file. NaN equals itself here.

    Args:
        rooms: the new numbers of the file's rooms.
    """
    stored = {number: [_stored(record, rooms) for record in records] for number, records in before.items()}
    return all(repr(records) == repr(stored.get(number, [])) for number, records in now.items())


def _stored(record: Record, rooms: Sequence[int]) -> Record:
    """Return a record of the file as :func:`properties_of` does."""
    name, kind, value = storable(record["name"]), int(record["type"]), record["value"]
    if kind == PropertyType.INTEGER and name in ROOM_PROPERTIES and 0 <= value < len(rooms):
        value = int(rooms[value])
    return {"name": name, "type": kind, "value": list(value) if isinstance(value, (list, tuple)) else value}


# --- Catalogs ----------------------------------------


def _note_catalogs(context: ImportContext) -> None:
    """Store the folder of Tomb Editor's property catalogs above the level or in the game's folder."""
    if context.path is None or not context.level.game.traits.has_trx:
        return
    folder = find_property_catalogs(context.path.absolute().parent)
    if folder is None and context.root.tomb_raider.engine == "TRX":
        installed = context.options.game_folder(context.level.game)
        folder = None if installed is None else find_property_catalogs(installed)
    if folder is not None:
        context.root.tomb_raider.gameflow.catalogs = storable(str(folder))


def possible_properties(obj: Object) -> dict[str, CatalogProperty]:
    """Return the properties by name that the catalogs have for an entity or a model."""
    level = level_of(obj)
    folder = "" if level is None else level.tomb_raider.gameflow.catalogs
    if not folder:
        return {}
    slot = shown_type(obj) if obj.tomb_raider.kind == Kind.ENTITY else int(obj.tomb_raider.model.id)
    path = Path(bpy.path.abspath(folder))
    try:
        stamp = path.stat().st_mtime_ns
    except OSError:
        return {}
    return {each.name: each for each in _catalogs(path, stamp).get(slot, ())}


@lru_cache(4)  # panels ask with each redraw
def _catalogs(folder: Path, _stamp: int) -> dict[int, list[CatalogProperty]]:
    return read_property_catalogs(folder)


def set_default(item: Any, known: CatalogProperty) -> None:
    """Give a property the type and the default value that a catalog has for it."""
    item.type = known.type.name
    field = _FIELDS[known.type]
    if known.type == PropertyType.COLOR:
        item.color = [part / 255 for part in known.default]
    elif known.type == PropertyType.VECTOR:
        item.vector = [round(part) for part in known.default]
    else:
        kind: Any = {"integer": round, "is_on": bool}.get(field, float)
        setattr(item, field, kind(known.default[0]))


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
