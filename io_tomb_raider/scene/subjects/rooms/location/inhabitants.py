"""Inhabitants of rooms: entities, AI objects, cameras, sinks and sound sources."""

from __future__ import annotations

from bpy.types import Collection, Object

from .....formats.base import SECTOR_SIZE
from ....core.membership import members
from ....core.space import world_matrix
from ....core.subjects import Kind
from .scene_rooms import SceneRooms

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
    parent = obj.parent
    while parent is not None and parent.tomb_raider.kind != Kind.ROOM:
        parent = parent.parent
    group = INHABITANTS.get(obj.tomb_raider.kind)
    if parent is None and group:
        parent = getattr(obj.tomb_raider, group).room
    return parent


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
    for obj, found in rooms_of_inhabitants(root).items():
        if found == room:
            inside.append(obj)
        elif own_room(obj) == room:
            outside.append(obj)
    return sorted(inside, key=lambda obj: obj.name), sorted(outside, key=lambda obj: obj.name)


def _where(rooms: SceneRooms, obj: Object, own: Object | None) -> Object | None:
    place = world_matrix(obj).translation
    if rooms.holds(own, place, _NEAR):
        return own
    found = rooms.find(place)
    # Doors are within walls, and sounds above ceilings.
    return own if found is None and rooms.holds(own, place, SECTOR_SIZE) else found
