"""New triggers."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

import bpy
from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, T
from ....formats.levels.floor import ActionType
from ...core.membership import home_of
from ...core.new_names import name_new
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...subjects.rooms.location.scene_rooms import SceneRooms
from ...subjects.triggers.places import HEIGHT, place_on_sectors

ACTIONS_ON: dict[str, ActionType] = {
    Kind.ENTITY: ActionType.OBJECT,
    Kind.CAMERA: ActionType.CAMERA,
    Kind.SINK: ActionType.SINK,
    Kind.FLYBY: ActionType.FLYBY,
}


def add_trigger(
    root: Collection, place: Vector, targets: Iterable[Object] = (), room: Object | None = None
) -> Object:
    """Add a trigger to the sector at a place, and return it.

    Args:
        place: in the world, on the floor or slightly above.
        targets: of its actions: entities, cameras, sinks, flyby cameras; others are skipped.
        room: the sector's room; by default the room at the place.

    Raises:
        ExportError: if there is no room, or triggers were not imported.
    """
    if "TRIGGERS" not in root.tomb_raider.imported:
        raise ExportError(
            root.name, T("triggers were left out when the level was imported, so it would be lost")
        )
    room = room or SceneRooms(root).find(place)
    if room is None:
        raise ExportError(T("Trigger"), T("there is no room at this place"))
    space = Space.of(root)
    obj = bpy.data.objects.new("Trigger", None)
    obj.tomb_raider.kind, obj.tomb_raider.trigger.room = Kind.TRIGGER, room
    obj.parent = room
    side = SECTOR_SIZE * space.scale
    local = world_matrix(room).inverted() @ place
    obj.location = (
        (floor(local.x / side) + 0.5) * side,
        (floor(local.y / side) + 0.5) * side,
        local.z + HEIGHT / 2 * space.scale,
    )
    place_on_sectors(obj, space, 1, 1)
    for target in targets:
        add_action(obj, target)
    name_new(root, obj, "Trigger", Kind.TRIGGER)
    home_of(root, Kind.TRIGGERS).objects.link(obj)
    return obj


def add_action(trigger: Object, target: Object) -> bool:
    """Add an action on an object to a trigger. Return whether there are actions on such objects."""
    kind = ACTIONS_ON.get(target.tomb_raider.kind)
    if kind is None:
        return False
    action = trigger.tomb_raider.trigger.actions.add()
    action.type, action.target = kind, target
    if kind == ActionType.FLYBY:
        action.number = target.tomb_raider.flyby.sequence
    return True
