"""Faces of rooms that stand where a way has been opened, so that nobody sees through."""

from __future__ import annotations

from typing import Any

import bmesh
import numpy as np
from bpy.types import Mesh, Object
from numpy.typing import NDArray

from ...formats.base.units import SECTOR_SIZE
from ..base.space import Space
from ..meshes.placed import world_vertices

_NEAR = 2.0  # units


def clear_way(room: Object, space: Space, corners: NDArray[np.float64], middles: NDArray[np.float64]) -> int:
    """Delete the faces of a room that lie in an opening, over sectors. Those that reach out of it stay.

    Args:
        room: the room's object.
        space: where units of the game are in the scene.
        corners: (4, 3), the opening: a rectangle in a plane along the axes, in world units.
        middles: (n, 2), x and z of the sectors behind it.

    Returns:
        How many were deleted.
    """
    mesh = room.data
    if not isinstance(mesh, Mesh) or not len(mesh.polygons) or not len(middles):
        return 0
    points = space.to_file(world_vertices(room, mesh), room.name, "a vertex")
    low, high = corners.min(axis=0) - _NEAR, corners.max(axis=0) + _NEAR
    inside = ((low <= points) & (points <= high)).all(axis=1)
    axis = int(np.ptp(corners, axis=0).argmin())
    # A wall belongs to the sectors along it, a floor to those that it lies over.
    along = [number for number, part in enumerate((0, 2)) if part != axis]
    edited: Any = bmesh.new()
    try:
        edited.from_mesh(mesh)
        chosen = []
        for face in edited.faces:  # BMesh has no arrays, and a room has some hundred faces
            rows = [vertex.index for vertex in face.verts]
            if inside[rows].all():
                middle = points[rows].mean(axis=0)[[0, 2]][along]
                if (np.abs(middles[:, along] - middle) < SECTOR_SIZE / 2).all(axis=1).any():
                    chosen.append(face)
        bmesh.ops.delete(edited, geom=chosen, context="FACES")
        if chosen:
            edited.to_mesh(mesh)
            mesh.update()
    finally:
        edited.free()
    return len(chosen)
