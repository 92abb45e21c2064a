"""Who stands in a room without being a part of it: entities, AI objects, cameras, sinks and sound sources."""

from __future__ import annotations

from bpy.types import Collection, Object

from ....formats.base.units import SECTOR_SIZE
from ...core.members import members
from ...core.space import world_matrix
from ...core.subjects import Kind
from .scene_rooms import SceneRooms

# Their kinds, and the settings that name the room, where there are some.
INHABITANTS: dict[str, str] = {
    Kind.ENTITY: "entity",
    Kind.AI_OBJECT: "ai_object",
    Kind.CAMERA: "camera",
    Kind.FLYBY: "flyby",
    Kind.SINK: "",
    Kind.SOUND_SOURCE: "",
}
_NEAR = 2.0  # units: what is at most so far outside of a room stands on its floor


def own_room(obj: Object) -> Object | None:
    """Return the room that an inhabitant hangs on, else the one that its settings name."""
    parent = obj.parent
    while parent is not None and parent.tomb_raider.kind != Kind.ROOM:
        parent = parent.parent
    group = INHABITANTS.get(obj.tomb_raider.kind)
    if parent is None and group:
        parent = getattr(obj.tomb_raider, group).room
    return parent


def rooms_of_inhabitants(root: Collection) -> dict[Object, Object | None]:
    """Return for every inhabitant of a level the room that it stands in, or None."""
    objects = members(root)
    rooms = SceneRooms(root, objects)
    kept = (obj for obj in objects if obj.tomb_raider.kind in INHABITANTS)
    return {obj: _where(rooms, obj, own_room(obj)) for obj in kept}


def inhabitants(root: Collection, room: Object) -> tuple[list[Object], list[Object]]:
    """Return who stands in a room, and who belongs to it, but has been moved out of it; both by name.

    What has a room stands there for as long as it is not farther than a sector outside of it, and in no
    other room.
    """
    staying, gone = [], []
    for obj, found in rooms_of_inhabitants(root).items():
        if found == room:
            staying.append(obj)
        elif own_room(obj) == room:
            gone.append(obj)
    return sorted(staying, key=lambda obj: obj.name), sorted(gone, key=lambda obj: obj.name)


def _where(rooms: SceneRooms, obj: Object, own: Object | None) -> Object | None:
    place = world_matrix(obj).translation
    if rooms.holds(own, place, _NEAR):
        return own
    found = rooms.find(place)
    # Doors stand within walls, and sounds above ceilings.
    return own if found is None and rooms.holds(own, place, SECTOR_SIZE) else found
