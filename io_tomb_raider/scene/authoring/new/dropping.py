"""Dropping of entities onto the floor below the mouse in a 3D view."""

from __future__ import annotations

from math import inf

from bpy.types import Collection, Object
from mathutils import Vector

from ....formats import ExportError
from ...core.membership import members
from ...core.space import angle_to_blender, world_matrix
from ...subjects.meshes.placed import rooms_with_vertices
from .floor_height import EntityPlace, entity_place
from .place import spot_at

_MOST_BACKS = 16  # back faces of one room that a line of sight can pass
_BEHIND = 0.05  # units: a line continues behind a back face
_PRECISION = 1e-6  # of 32-bit floats


def drop_to_floor(root: Collection, obj: Object, eye: Vector, direction: Vector) -> bool:
    """Place an entity where a line of sight hits a room. Return whether it hits one.

    Like new entities, switches are placed on the nearest wall, and doors on a border.

    Args:
        eye: the start of the line, in the world.
    """
    position = seen_place(root, eye, direction.normalized())
    if position is None:
        return False
    try:
        spot = spot_at(root, position)
    except ExportError:
        return False  # rotated rooms have no floor at a place that they show
    try:
        placement = entity_place(root, int(obj.tomb_raider.entity.type), spot)
    except ExportError:
        placement = EntityPlace(spot.place, 0)  # no wall is near: leave it to the user
    obj.location, obj.rotation_euler.z = placement.place, float(angle_to_blender(placement.angle))
    obj.tomb_raider.entity.room = spot.room
    return True


def seen_place(root: Collection, eye: Vector, direction: Vector) -> Vector | None:
    """Return where a line of sight hits the first front face of a visible room, or None.

    Args:
        eye: the start of the line, in the world.
        direction: of the line, of length 1.
    """
    nearest, nearest_hit = inf, None
    for room in rooms_with_vertices(members(root)):
        hit = _front(room, eye, direction, root.tomb_raider.scale) if room.visible_get() else None
        if hit is not None and (hit - eye).length < nearest:
            nearest, nearest_hit = (hit - eye).length, hit
    return nearest_hit


def _front(room: Object, eye: Vector, direction: Vector, unit: float) -> Vector | None:
    """Return where a line hits the front of a room's faces. Back faces are ceilings seen from above."""
    matrix = world_matrix(room)
    inverse = matrix.inverted_safe()
    start, along = inverse @ eye, (inverse.to_3x3() @ direction).normalized()
    for _ in range(_MOST_BACKS):
        is_hit, hit, normal, _ = room.ray_cast(start, along)
        if not is_hit:
            return None
        if normal.dot(along) < 0:
            return matrix @ hit
        start = hit + along * max(_BEHIND * unit, hit.length * _PRECISION)
    return None
