"""Room locator for the scene."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from bpy.types import Collection, Mesh, Object
from mathutils import Vector
from numpy.typing import NDArray

from .....formats.base import SECTOR_SIZE
from ....core.collision_faces import PART, FacePart
from ....core.membership import members
from ....core.order import ordered
from ....core.space import Space, checked, has_finite_place, whole, world_matrix
from ....core.subjects import Kind
from ....mesh.blender_mesh import read_values
from ...meshes.placed import world_corners
from .locator import RoomLocator, is_outer


class _Grid(NamedTuple):
    """The sectors of a room."""

    corner: tuple[int, int]  #: x and z of the first sector, in world units.
    size: tuple[int, int]  #: the number of sectors along x and z.
    collision: Object | None  #: the room's collision, or None.


class SceneRooms:
    """The rooms of a level in the scene, located as an export locates them.

    The sectors of a room are those of its collision, or without collision those around its mesh. The mesh
    decides its top and bottom. Rooms without vertices or with an invalid transform are skipped.
    """

    def __init__(self, root: Collection, objects: Iterable[Object] | None = None) -> None:
        """Collect the rooms. `objects`: its objects, if the caller has them; rooms and collision suffice."""
        self._space = Space.of(root)
        objects = members(root) if objects is None else list(objects)
        collision = {obj.parent: obj for obj in objects if obj.tomb_raider.kind == Kind.COLLISION}
        shapes: dict[Object, Object] = {}
        for room, _ in ordered(obj for obj in objects if obj.tomb_raider.kind == Kind.ROOM):
            shape = _shape(room, collision.get(room))
            if shape is not None and has_finite_place(room):
                shapes[room] = shape
        self.rooms = list(shapes)  #: the objects in the order of the export, by their numbers in the locator.
        self.numbers = {room: number for number, room in enumerate(self.rooms)}  #: the number of each.
        corners = self._to_file(world_corners(list(shapes.values())))
        boxes = np.stack([corners.min(axis=1), corners.max(axis=1)], axis=1)
        positions = np.array([world_matrix(room).translation for room in self.rooms], np.float64)
        origins = self._to_file(positions.reshape(-1, 3))
        self._grids = [
            _grid(collision.get(room), origin, box)
            for room, origin, box in zip(self.rooms, origins, boxes, strict=True)
        ]
        for box, grid in zip(boxes, self._grids, strict=True):
            box[0, [0, 2]] = grid.corner
            box[1, [0, 2]] = np.add(grid.corner, np.multiply(grid.size, SECTOR_SIZE))
        alternates = {room.tomb_raider.room.alternate_room for room in self.rooms}
        self._walls: dict[int, set[tuple[int, int]]] = {}
        is_alternate = np.array([room in alternates for room in self.rooms], bool)
        self.locator = RoomLocator(boxes, is_alternate, self._is_wall)  #: locates points, in world units.

    def find(self, position: Vector) -> Object | None:
        """Return the room that contains a point of Blender's world, or None."""
        number = self.locator.find(self.point(position))
        return None if number is None else self.rooms[number]

    def nearest(self, position: Vector) -> Object | None:
        """Return the room at a point of Blender's world, else the nearest one; None without rooms."""
        if not self.rooms:
            return None
        return self.find(position) or self.rooms[self.locator.nearest(self.point(position))]

    def holds(self, room: Object | None, position: Vector, margin: float = 0) -> bool:
        """Return whether a room, extended by a margin in world units, contains a point of Blender's world."""
        number = -1 if room is None else self.numbers.get(room, -1)
        return self.locator.holds(number, self.point(position), margin)

    def point(self, position: Vector) -> tuple[int, int, int]:
        """Return a point of Blender's world in world units of the locator."""
        if not isfinite(sum(position)):
            checked(np.array(position), "Rooms", "its place")
        # For single points plain numbers are ten times as fast as arrays.
        x, y, z = (
            round((part - start) / self._space.scale)
            for part, start in zip(position, self._space.offset, strict=True)
        )
        return x, -z, y

    def _to_file(self, positions: NDArray[np.float64]) -> NDArray[np.int64]:
        return whole(self._space.to_file(positions - np.array(self._space.offset), "Rooms"))

    def _is_wall(self, number: int, point: NDArray[Any]) -> bool:
        grid = self._grids[number]
        x, z = (int((point[axis] - grid.corner[axis // 2]) // SECTOR_SIZE) for axis in (0, 2))
        if is_outer((x, z), grid.size):
            return True
        if number not in self._walls:
            self._walls[number] = _walls(grid.collision, self._space)
        return (x, z) in self._walls[number]


def _shape(room: Object, collision: Object | None) -> Object | None:
    """Return the object that decides the extent of a room: its mesh, else its collision, or None."""
    return next((each for each in (room, collision) if each is not None and _has_vertices(each)), None)


def _has_vertices(obj: Object) -> bool:
    # Blender's own property first: it is ten times as fast.
    return obj.type == "MESH" and isinstance(obj.data, Mesh) and len(obj.data.vertices) > 0


def _grid(collision: Object | None, origin: NDArray[np.int64], box: NDArray[np.int64]) -> _Grid:
    corner = int(origin[0]), int(origin[2])
    if collision is not None:
        settings = collision.tomb_raider.collision
        return _Grid(corner, (settings.x_sectors, settings.z_sectors), collision)
    # One sector of wall on each side, as in new rooms.
    x, z = (-(-int(box[1, axis] - origin[axis]) // SECTOR_SIZE) + 1 for axis in (0, 2))
    return _Grid(corner, (x, z), None)


def _walls(collision: Object | None, space: Space) -> set[tuple[int, int]]:
    """Return the sectors (x, z) that a collision marks as walls."""
    mesh: Any = None if collision is None else collision.data
    layer = None if mesh is None else mesh.attributes.get(PART)
    if layer is None or len(layer.data) != len(mesh.polygons):
        return set()
    parts, centers = read_values(layer, len(layer.data)), np.empty((len(layer.data), 3), np.float32)
    mesh.polygons.foreach_get("center", centers.ravel())
    points = space.to_file(centers[parts == FacePart.SOLID], mesh.name)
    x, _, z = np.floor(points / SECTOR_SIZE).astype(np.int64).T.tolist()
    return set(zip(x, z, strict=True))
