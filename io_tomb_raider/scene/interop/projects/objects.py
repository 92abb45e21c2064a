"""Values and objects of projects that levels do not store: Lua properties, and objects of unknown kinds."""

from __future__ import annotations

from itertools import accumulate, chain

import bpy
import numpy as np
from bpy.types import Collection, Object

from ....formats import Level
from ....formats.base import SECTOR_SIZE
from ....formats.editors.projects import Origin, Project, ProjectRoom, UnknownObject, Updated
from ...core.membership import PROJECT_OBJECT, members, members_of
from ...core.order import ordered
from ...core.reporting.results import ExportResult
from ...core.space import Space
from ...core.subjects import Kind
from ...subjects.injections.properties import lua_of, show_lua

_CLOSE = 0.1  # units: half of the precision of places at the far end of a level
_SECTIONS: dict[str, str] = {
    Kind.ENTITY: "entities",
    Kind.AI_OBJECT: "ai_objects",
    Kind.PLACEMENT: "static_meshes",
}


def show_objects(root: Collection, project: Project, origin: Origin) -> None:
    """Show the Lua properties of the objects of an imported project, and its unknown objects."""
    objects = {each.number: each for _, each in project.objects()}
    origins = {
        Kind.ENTITY: origin.entities,
        Kind.AI_OBJECT: origin.ai_objects,
        Kind.PLACEMENT: list(chain.from_iterable(origin.statics)),
    }
    for kind, numbers in origins.items():
        for obj in members_of(root, kind):
            source = objects.get(numbers[obj.tomb_raider.index])
            show_lua(obj, getattr(source, "properties", ()))
    rooms = {number: obj for (obj, _), number in zip(_rooms(root), origin.rooms, strict=False)}
    space = Space.of(root)
    for room, each in project.objects():
        if isinstance(each, UnknownObject) and each.source is not None and room.number in rooms:
            parent = rooms[room.number]
            obj = bpy.data.objects.new(f"{each.source.name} {each.number}", None)
            obj.parent, obj[PROJECT_OBJECT] = parent, each.number
            parent.users_collection[0].objects.link(obj)
            obj.location = space.in_world(space.to_blender(_point(room, each))) - parent.location


def _rooms(root: Collection) -> list[tuple[Object, int]]:
    return ordered(members_of(root, Kind.ROOM))


def _point(room: ProjectRoom, obj: UnknownObject) -> tuple[float, float, float]:
    """Return the place of an object in a level."""
    x, y, z = obj.position
    return room.x * SECTOR_SIZE + x, -(room.y + y), room.z * SECTOR_SIZE + z


def put_objects(root: Collection, project: Project, exported: ExportResult, updated: Updated) -> None:
    """Write Lua properties, and the places of unknown objects, into the edited project of a level.

    Raises ExportError if a place is not a number.
    """
    owners = {each.number: (room, each) for room, each in project.objects()}
    starts = _starts(exported.level)
    for obj, place in exported.places.items():
        if _SECTIONS.get(obj.tomb_raider.kind) == place.section:
            row = place.number + (starts[place.room] if place.room >= 0 else 0)
            target = owners.get(updated.numbers[place.section].get(row, -1))
            if target is not None and hasattr(target[1], "properties"):
                target[1].properties = lua_of(obj, target[1].properties)
    space = Space.of(root)
    for obj in members(root):
        room, each = owners.get(obj.get(PROJECT_OBJECT, -1), (None, None))
        if room is None or not isinstance(each, UnknownObject):
            continue
        point = space.to_file(np.array(space.matrix_of(obj).translation), obj.name)
        if np.abs(point - _point(room, each)).max() > _CLOSE:
            x, y, z = point.tolist()
            each.position = x - room.x * SECTOR_SIZE, -y - room.y, z - room.z * SECTOR_SIZE


def _starts(level: Level) -> list[int]:
    """Return the number of the static meshes in all rooms before each room."""
    return [0, *accumulate(len(room.static_meshes) for room in level.rooms)]
