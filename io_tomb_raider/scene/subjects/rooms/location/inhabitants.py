"""Inhabitants of rooms: entities, AI objects, cameras, sinks and sound sources."""

from __future__ import annotations

from bpy.types import Collection, Object

from .....formats.base import SECTOR_SIZE
from ....core.membership import members
from ....core.space import world_matrix
from ....core.subjects import Kind
from .scene_rooms import SceneRooms
from .where import parents_of

# Their kinds, and the settings with a pointer to the room, "" for none.
INHABITANTS: dict[str, str] = {
    Kind.ENTITY: "entity",
    Kind.AI_OBJECT: "ai_object",
    Kind.CAMERA: "camera",
    Kind.FLYBY: "flyby",
    Kind.SINK: "",
    Kind.SOUND_SOURCE: "",
}
_NEAR = 2.0  # units: tolerated distance of objects on the floor from the room


def own_room(obj: Object) -> Object | None:
    """Return the room to which an inhabitant is parented, else the one of its settings."""
    room = next((parent for parent in parents_of(obj) if parent.tomb_raider.kind == Kind.ROOM), None)
    group = INHABITANTS.get(obj.tomb_raider.kind)
    return getattr(obj.tomb_raider, group).room if room is None and group else room


def rooms_of_inhabitants(root: Collection) -> dict[Object, Object | None]:
    """Return the room of each inhabitant of a level, found by position, or None."""
    objects = members(root)
    rooms = SceneRooms(root, objects)
    residents = (obj for obj in objects if obj.tomb_raider.kind in INHABITANTS)
    return {obj: _where(rooms, obj, own_room(obj)) for obj in residents}


def inhabitants(root: Collection, room: Object) -> tuple[list[Object], list[Object]]:
    """Return the inhabitants in a room, and those that belong to it, but are outside, both sorted by name.

    An object up to a sector outside of its own room and in no other room counts as inside.
    """
    inside, outside = [], []
    for obj, current_room in rooms_of_inhabitants(root).items():
        if current_room == room:
            inside.append(obj)
        elif own_room(obj) == room:
            outside.append(obj)
    return sorted(inside, key=lambda obj: obj.name), sorted(outside, key=lambda obj: obj.name)


def _where(rooms: SceneRooms, obj: Object, room: Object | None) -> Object | None:
    position = world_matrix(obj).translation
    if rooms.holds(room, position, _NEAR):
        return room
    containing = rooms.find(position)
    # Doors are within walls, and sounds above ceilings.
    return room if containing is None and rooms.holds(room, position, SECTOR_SIZE) else containing
