"""What is dropped on a 3D view lands on the floor that is seen under the mouse."""

from __future__ import annotations

from math import inf

from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import ExportError
from ...core.members import members
from ...core.space import angle_to_blender, world_matrix
from ...subjects.meshes.placed import rooms_with_vertices
from .floor_height import Stand, stand_of
from .place import spot_at

_MOST_BACKS = 16  # faces of one room that a line of sight passes from behind


def land(root: Collection, obj: Object, eye: Vector, way: Vector) -> bool:
    """Let an entity stand where a line of sight meets a room; tell whether it meets one.

    Switches hang on the nearest wall then and doors close a way, as they do where they are added.

    Args:
        root: the level of the entity.
        object: the entity.
        eye: where the line begins, in the world.
        way: where it leads.
    """
    place = seen_place(root, eye, way.normalized())
    if place is None:
        return False
    try:
        spot = spot_at(root, place)
    except ExportError:
        return False  # rooms that lie on their side have none of a place that they show
    try:
        stand = stand_of(root, int(obj.tomb_raider.entity.type), spot)
    except ExportError:
        stand = Stand(spot.place, 0)  # no wall is near: the user may hang it where they like
    obj.location, obj.rotation_euler.z = stand.place, float(angle_to_blender(stand.angle))
    obj.tomb_raider.entity.room = spot.room
    return True


def seen_place(root: Collection, eye: Vector, way: Vector) -> Vector | None:
    """Return where a line of sight meets the first face of a visible room that shows it its front.

    Args:
        root: the level.
        eye: where the line begins, in the world.
        way: where it leads, of length 1.
    """
    nearest, found = inf, None
    for room in rooms_with_vertices(members(root)):
        hit = _front(room, eye, way) if room.visible_get() else None
        if hit is not None and (hit - eye).length < nearest:
            nearest, found = (hit - eye).length, hit
    return found


def _front(room: Object, eye: Vector, way: Vector) -> Vector | None:
    """Return where a line meets the front of a room's faces. Their backs are ceilings, seen from above."""
    matrix = world_matrix(room)
    inverse = matrix.inverted_safe()
    start, along = inverse @ eye, (inverse.to_3x3() @ way).normalized()
    for _ in range(_MOST_BACKS):
        is_hit, place, normal, _ = room.ray_cast(start, along)
        if not is_hit:
            return None
        if normal.dot(along) < 0:
            return matrix @ place
        start = place + along * 1e-4
    return None
