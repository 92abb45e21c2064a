"""The collision of rooms while they are connected: sectors, their places, and the rooms they lead to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from bpy.types import Collection, Object
from numpy.typing import NDArray

from ....formats import Game
from ....formats.base import SECTOR_SIZE
from ...core.membership import members_of
from ...core.space import Space, world_matrix
from ...core.subjects import Kind
from ...subjects.collision.edit import CollisionEdit, write_all
from .touching import Ground

ROOM_ATTRIBUTES = ("portal", "room_below", "room_above")


class CollisionGround:
    """The sectors of a room."""

    def __init__(self, collision: Object, game: Game, space: Space) -> None:
        self.edit = CollisionEdit(collision, game, space)
        position = space.to_file(np.array(world_matrix(collision).translation, np.float64), collision.name)
        x, y, z = np.rint(position).astype(int).tolist()
        size, sectors = self.edit.size, self.edit.sectors
        if y:  # the room was moved up or down as an object
            floor, ceiling = (
                replace(each, heights=each.heights + y) for each in (sectors.floor, sectors.ceiling)
            )
            sectors = replace(sectors, floor=floor, ceiling=ceiling)
        self.ground = Ground((x, z), (size.x_sectors, size.z_sectors), sectors)
        self.is_changed = False

    def middle(self, sector: int) -> tuple[int, int]:
        """Return x and z of the middle of a sector, in world units."""
        (x, z), half = self.ground.corner, SECTOR_SIZE // 2
        row, column = divmod(sector, self.ground.size[1])
        return x + row * SECTOR_SIZE + half, z + column * SECTOR_SIZE + half

    def is_open_at(self, place: tuple[int, int]) -> bool:
        """Return whether there is a sector at a place that is no wall."""
        (x, z), (corner_x, corner_z) = place, self.ground.corner
        row, column = (x - corner_x) // SECTOR_SIZE, (z - corner_z) // SECTOR_SIZE
        inside = 0 <= row < self.ground.size[0] and 0 <= column < self.ground.size[1]
        return inside and not self.ground.sectors.wall[row * self.ground.size[1] + column]

    def leads(self, name: str) -> NDArray[np.int32]:
        """Return the rooms that all sectors lead to: numbers of :meth:`CollisionEdit.place_of`, or -1."""
        result: NDArray[np.int32] = getattr(self.edit.sectors, name)
        return result

    def rooms(self) -> dict[int, Object]:
        """Return the rooms by their numbers in :meth:`leads`."""
        entries = self.edit.obj.tomb_raider.collision.rooms
        return {self.edit.place_of(entry.room): entry.room for entry in entries if entry.room is not None}

    def reached(self) -> set[Object]:
        """Return the rooms that any sector leads to."""
        used = set(np.unique(np.concatenate([self.leads(name) for name in ROOM_ATTRIBUTES])).tolist())
        return {room for number, room in self.rooms().items() if number in used}


class Collisions:
    """The sectors of all rooms of a level, each read once."""

    def __init__(self, root: Collection) -> None:
        self._space, self._game = Space.of(root), Game[root.tomb_raider.game]
        # Collected once, since Blender builds Object.children anew for each object.
        self._meshes: dict[Object, Object] = {}
        for obj in members_of(root, Kind.COLLISION):
            if obj.parent is not None:
                self._meshes.setdefault(obj.parent, obj)
        self._read: dict[Object, CollisionGround | None] = {}

    def of(self, room: Object) -> CollisionGround | None:
        """Return the sectors of a room, None if it has no collision.

        Raises:
            ExportError: with the sector, if it is invalid.
        """
        if room not in self._read:
            mesh = self._meshes.get(room)
            self._read[room] = None if mesh is None else CollisionGround(mesh, self._game, self._space)
        return self._read[room]

    def leads_inside(self, ground: CollisionGround, sector: int, room: Object) -> bool:
        """Return whether a sector leads to a place inside a room, unlike sectors of duplicates."""
        other = self.of(room)
        return other is not None and other.is_open_at(ground.middle(sector))

    def write(self) -> None:
        """Write the collision meshes with changed sectors."""
        grounds = (each for each in self._read.values() if each is not None)
        write_all([each.edit for each in grounds if each.is_changed])
