"""Arrays of the collision of rooms, which :mod:`.shape` fills.

Every sector has separate vertices, so that dragging one of its corners moves nothing else. Walls have no
vertices of their own: they join the corners of floors and ceilings, and follow them. Other values of a sector
are attributes of its floor, or, if it is a wall, of the mark above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...core.collision_faces import PART
from ...mesh.poly_mesh import PolyMesh

SECTOR_PLACE, SIDE = "tr_sector", "tr_side"
ROOM, ROOM_ABOVE, PORTAL = "tr_room", "tr_room_above", "tr_portal"
BOX, MATERIAL, CLIMB, MARKS = "tr_box", "tr_material", "tr_climb", "tr_marks"
ATTRIBUTES = (PART, SECTOR_PLACE, SIDE, ROOM, ROOM_ABOVE, PORTAL, BOX, MATERIAL, CLIMB, MARKS)
ROOM_ATTRIBUTES = (ROOM, ROOM_ABOVE, PORTAL)  # attributes with rooms

NOWHERE = 1 << 16  # the number of the target room of a triangle that is open to no room


class FaceColor(IntEnum):
    """Colors of faces: the indices of their materials."""

    FLOOR = 0
    SLOPE = 1
    CEILING = 2
    WALL = 3
    DEATH = 4
    OPENING = 5
    CLIMB = 6
    MONKEY_SWING = 7


MARK_BITS = {"death": 1, "deferred": 2, "beetle": 4, "monkey_swing": 8, "stopper": 16}


@dataclass(eq=False)
class RoomsCollision:
    """The collision of consecutive rooms as displayed in Blender."""

    #: (v, 3) int32, in units of the file from the corner of the vertex's room, y down.
    positions: NDArray[np.int32]
    corners: NDArray[np.int32]  #: (k,) int32, vertices, counted within their room.
    sizes: NDArray[np.int32]  #: (f,) int32, number of corners.
    #: by name, (f,) int32: :data:`ATTRIBUTES`, where rooms and boxes are their number plus one, and 0 for
    #: none; as index of the material a :class:`FaceColor`.
    face: dict[str, NDArray[np.int32]]
    points: NDArray[np.int64]  #: (rooms + 1,) int64, the first vertex of each room.
    faces: NDArray[np.int64]  #: (rooms + 1,) int64, the first face of each room.

    @classmethod
    def of(cls, arrays: PolyMesh) -> RoomsCollision:
        """Return the collision of one room."""
        bounds = (np.array([0, len(each)]) for each in (arrays.positions, arrays.sizes))
        return cls(arrays.positions, arrays.corners, arrays.sizes, arrays.face, *bounds)

    @cached_property
    def firsts(self) -> NDArray[np.int64]:
        """The first corner of each room, (rooms + 1,)."""
        return self._ends[self.faces].astype(np.int64)

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """The first corner of every face, counted within its room, (f,)."""
        return self._ends[:-1] - np.repeat(self._ends[self.faces[:-1]], np.diff(self.faces))

    @cached_property
    def _ends(self) -> NDArray[np.int32]:
        return np.append(np.int32(0), np.cumsum(self.sizes, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.faces) - 1

    def __iter__(self) -> Iterator[PolyMesh]:
        return (self[room] for room in range(len(self)))

    def __getitem__(self, room: int) -> PolyMesh:
        if not 0 <= room < len(self):
            raise IndexError(room)
        points, corners, faces = (
            slice(*bounds[room : room + 2].tolist()) for bounds in (self.points, self.firsts, self.faces)
        )
        face_values = {name: values[faces] for name, values in self.face.items()}
        return PolyMesh(self.positions[points], self.corners[corners], self.sizes[faces], face=face_values)
