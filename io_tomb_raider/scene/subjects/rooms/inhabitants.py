"""Who stands in a room without being a part of it: entities, AI objects, cameras, sinks and sound sources."""

from __future__ import annotations

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats.base.units import SECTOR_SIZE
from ...core.members import members
from ...core.space import Space, world_matrix
from ..meshes.placed import world_vertices

# Their kinds, and the settings that name the room, where there are some.
INHABITANTS = {
    "ENTITY": "entity",
    "AI_OBJECT": "ai_object",
    "CAMERA": "camera",
    "FLYBY": "flyby",
    "SINK": "",
    "SOUND_SOURCE": "",
}
_NEAR = 2.0  # units: what is at most so far outside of a room stands on its floor


def own_room(thing: Object) -> Object | None:
    """Return the room that an inhabitant hangs on, else the one that its settings name."""
    parent = thing.parent
    while parent is not None and parent.tomb_raider.kind != "ROOM":
        parent = parent.parent
    group = INHABITANTS.get(thing.tomb_raider.kind)
    if parent is None and group:
        parent = getattr(thing.tomb_raider, group).room
    return parent


def rooms_of_inhabitants(root: Collection) -> dict[Object, Object | None]:
    """Return for every inhabitant of a level the room that it stands in, None where that is none alone."""
    space = Space(root.tomb_raider.scale)
    things = members(root)
    boxes = {thing: _box(space, thing) for thing in things if thing.tomb_raider.kind == "ROOM"}
    kept = (thing for thing in things if thing.tomb_raider.kind in INHABITANTS)
    return {thing: _where(space, thing, own_room(thing), boxes) for thing in kept}


def inhabitants(root: Collection, room: Object) -> tuple[list[Object], list[Object]]:
    """Return who stands in a room, and who belongs to it, but has been moved out of it; both by name.

    Rooms overlap where they take one another's place. What has a room stands there for as long as it is not
    farther than a sector outside of it, and in no other room.
    """
    staying, gone = [], []
    for thing, found in rooms_of_inhabitants(root).items():
        if found == room:
            staying.append(thing)
        elif own_room(thing) == room:
            gone.append(thing)
    return sorted(staying, key=lambda thing: thing.name), sorted(gone, key=lambda thing: thing.name)


def _where(
    space: Space, thing: Object, own: Object | None, boxes: dict[Object, NDArray[np.float64] | None]
) -> Object | None:
    """Return the room that a thing stands in, None where that is none, or not one alone."""
    point = space.to_file(np.array(world_matrix(thing).translation, np.float64), thing.name)
    around = [room for room, box in boxes.items() if box is not None and _holds(box, point, _NEAR)]
    if own in around:
        return own
    # A room that takes another's place when the level is flipped has only what is its own.
    alternates = {room.tomb_raider.room.alternate_room for room in boxes}
    around = [room for room in around if room not in alternates]
    if around:
        return around[0] if len(around) == 1 else None
    box = None if own is None else boxes.get(own)
    # Doors stand within walls, and sounds above ceilings.
    return own if box is None or _holds(box, point, SECTOR_SIZE) else None


def _holds(box: NDArray[np.float64], point: NDArray[np.float64], margin: float) -> bool:
    return bool(((box[0] - margin <= point) & (point <= box[1] + margin)).all())


def _box(space: Space, room: Object) -> NDArray[np.float64] | None:
    """Return the least and greatest x, y, z of a room's mesh in world units, (2, 3), or None."""
    mesh = room.data
    if not isinstance(mesh, Mesh) or not len(mesh.vertices):
        return None
    points = space.to_file(world_vertices(room, mesh), room.name, "a vertex")
    return np.stack([points.min(axis=0), points.max(axis=0)])
