"""Places for new objects: the room at a place, and its floor there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from numpy.typing import NDArray

from ....formats import ExportError
from ....formats.base import SECTOR_SIZE, T
from ...core.collision_faces import PART, FacePart
from ...core.membership import collision_of
from ...core.space import world_matrix
from ...subjects.collision.build import ROOM
from ...subjects.collision.mesh import read_faces
from ...subjects.rooms.location.scene_rooms import SceneRooms

_MOST_STEPS = 8  # rooms below each other that openings in floors can lead through


class Spot(NamedTuple):
    """A place on a floor."""

    room: Object  #: the room of the floor.
    place: Vector  #: in the world.


def spot_at(root: Collection, place: Vector) -> Spot:
    """Return the floor below a place: that of the collision, else of the mesh.

    Openings lead on to the floors of rooms below. Without a floor it is the place itself.

    Raises:
        ExportError: if there is no room.
    """
    room = SceneRooms(root).find(place)
    if room is None:
        text = T("there is no room at the 3D cursor: put it into one (Shift and the right mouse button)")
        raise ExportError(root.name, text)
    start = place.copy()
    for _ in range(_MOST_STEPS):
        floor = floor_below(room, start, SECTOR_SIZE * root.tomb_raider.scale)
        if floor is None:
            return Spot(room, start)
        start, below = floor
        if below is None:
            return Spot(room, start)
        room = below
    return Spot(room, start)


def floor_below(room: Object, place: Vector, side: float) -> tuple[Vector, Object | None] | None:
    """Return the place of the floor below a place, and the room that it opens to; None without a floor.

    ``side`` is the length of a sector's side in the scene.
    """
    solid = solid_of(room, FacePart.FLOOR)
    if solid is None:
        return None
    matrix = world_matrix(solid.obj)
    # Objects on a floor may be slightly below it.
    local = matrix.inverted_safe() @ (place + Vector((0, 0, side / 16)))
    hit, _, row, _ = solid.tree.ray_cast(local, Vector((0, 0, -1)))
    if hit is None or row is None:
        return None
    number = int(solid.leads[row])
    rooms = solid.obj.tomb_raider.collision.rooms
    below = rooms[number - 1].room if 0 < number <= len(rooms) else None
    return matrix @ hit, below


class Solid(NamedTuple):
    """Faces of a room for ray casts: of its collision, else of its mesh."""

    obj: Object  #: their object.
    tree: BVHTree  #: the faces, relative to the object.
    leads: NDArray[np.int32]  #: (f,) int32, the number of the room that a face opens to, from 1; 0 for none.


def solid_of(room: Object, part: FacePart) -> Solid | None:
    """Return the floors or walls of a room's collision, else its whole mesh; None if it is empty."""
    collision = collision_of(room)
    obj = room if collision is None else collision
    if not isinstance(obj.data, Mesh) or not len(obj.data.polygons):
        return None
    faces = read_faces(obj.data)
    leads, indices = np.zeros(len(faces.sizes), np.int32), np.arange(len(faces.sizes))
    if collision is not None:
        leads, indices = faces.face[ROOM], np.flatnonzero(faces.face[PART] == part)
    ends = np.append(faces.starts, len(faces.corners))
    polygons = [faces.corners[ends[face] : ends[face + 1]].tolist() for face in indices.tolist()]
    return Solid(obj, BVHTree.FromPolygons(faces.positions.tolist(), polygons), leads[indices])
