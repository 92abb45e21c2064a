"""Shapes of rooms for baking: distinct places, and the normals around each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from bpy.types import Collection, Mesh, Object
from numpy.typing import NDArray

from ....formats.base import Floats
from ...core import original
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...mesh.blender_mesh import triangles_of
from ...subjects.meshes.placed import world_vertices
from ...subjects.rooms.parts import find_parts


@dataclass(frozen=True, eq=False)
class BakeShape:
    """The shape of a room in the file's units and axes, in world coordinates."""

    room: Object
    objects: list[Object]  #: the room's object and its separated parts.
    counts: list[int]  #: their numbers of vertices.
    points: Floats  #: (v, 3), the vertices of all objects.
    triangles: NDArray[np.int64]  #: (t, 3), their vertices, counterclockwise from the front.
    normals: Floats  #: (t, 3), their unit normals.

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct places in whole units, (p, 3), and the place of each vertex, (v,)."""
        whole, of_vertex = np.unique(np.rint(self.points), axis=0, return_inverse=True)
        return whole.astype(np.int64), of_vertex.reshape(-1)

    @property
    def places(self) -> NDArray[np.int64]:
        """The distinct places of vertices, (p, 3), in whole units."""
        return self._distinct[0]

    @property
    def of_vertex(self) -> NDArray[np.int64]:
        """The place of each vertex, (v,)."""
        return self._distinct[1]

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The place of each corner of a triangle, (3 t,)."""
        return self.of_vertex[self.triangles].reshape(-1)

    @cached_property
    def corner_normals(self) -> Floats:
        """The normal of the triangle of each corner, (3 t, 3)."""
        return self.normals.repeat(3, axis=0)

    @cached_property
    def outward(self) -> Floats:
        """The mean normal of the faces at each place, (p, 3), toward the open room."""
        count = len(self.places)
        sums = [np.bincount(self.rows, part, minlength=count) for part in self.corner_normals.T]
        total = np.stack(sums, axis=1)
        return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1), 1e-9)[:, None])


def room_shapes(root: Collection, rooms: Iterable[Object], space: Space) -> dict[Object, BakeShape]:
    """Return the shapes of a level's rooms, including separated parts.

    Args:
        rooms: all of its room objects, and its imported geometry.

    Raises:
        ExportError: if a vertex is at no finite place.
    """
    objects = [obj for obj in rooms if isinstance(obj.data, Mesh)]
    decoded = original.load(root)
    parts: Mapping[Object, Object] = {}
    if decoded is not None:
        parts = find_parts(objects, decoded.level.rooms, decoded.level.game)
    whole = [obj for obj in objects if obj not in parts and obj.tomb_raider.kind == Kind.ROOM]
    return {
        room: _shape([room, *(part for part, its_room in parts.items() if its_room == room)], space)
        for room in whole
    }


def _shape(objects: list[Object], space: Space) -> BakeShape:
    points, triangles, normals = [], [], []
    counts: list[int] = []
    for obj in objects:
        mesh: Any = obj.data
        vertices = space.to_file(world_vertices(obj, mesh), obj.name, "a vertex")
        corners = triangles_of(mesh)
        if world_matrix(obj).is_negative:
            corners = corners[:, ::-1]
        crossed = np.cross(
            vertices[corners[:, 1]] - vertices[corners[:, 0]],
            vertices[corners[:, 2]] - vertices[corners[:, 0]],
        )
        lengths = np.linalg.norm(crossed, axis=1)
        has_area = lengths > 1e-6
        triangles.append(corners[has_area] + sum(counts))
        normals.append(crossed[has_area] / lengths[has_area, None])
        points.append(vertices)
        counts.append(len(vertices))
    return BakeShape(
        objects[0],
        objects,
        counts,
        np.concatenate(points),
        np.concatenate(triangles).astype(np.int64),
        np.concatenate(normals),
    )
