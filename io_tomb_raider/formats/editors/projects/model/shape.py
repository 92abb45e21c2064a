"""The sectors of a project's room as arrays.

Arrays begin with the axes z and x; the number of a sector is x + z * (number of x sectors). The outermost
sectors are the room's border. Heights are in units, upwards, relative to the room's own height.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ....base.arrays.typing import Bools, Ints, Records

MOST_SPLITS = 8  # of the floor's side or the ceiling's side of a wall

# Corners of four heights, named by x and z: n = low, p = high.
XNZP, XPZP, XPZN, XNZN = range(4)

# A textured face, in the order of the file. `corners` and `parent` are in pixels of the texture's image.
FACE = np.dtype(
    [
        ("sector", "<i4"),
        ("face", "<i4"),  # see `Face`
        ("texture", "<i4"),  # the number of a level texture, -1: invisible
        ("corners", "<f4", (4, 2)),  # triangles repeat the third
        ("parent", "<f4", (2, 2)),  # start and end of the area that is packed whole; 0 for none
        ("double_sided", "?"),
        ("blend", "u1"),
    ]
)


def face_keys(sector: NDArray[np.integer], face: NDArray[np.integer]) -> Ints:
    """Return the numbers of sectors and faces as one number each, (n,)."""
    return sector.astype(np.int64) * 256 + face


class Diagonal(IntEnum):
    """The corner that a diagonal separates from the other three."""

    NONE = 0
    XNZP = 1
    XPZP = 2
    XPZN = 3
    XNZN = 4


class SectorFlag(IntFlag):
    """Marks of sectors."""

    MONKEY = 1
    BOX = 2
    DEATH = 4
    LAVA = 8
    ELECTRICITY = 16
    BEETLE = 32
    TRIGGER_TRIGGERER = 64
    NOT_WALKABLE = 128
    CLIMB_POSITIVE_Z = 256
    CLIMB_NEGATIVE_Z = 512
    CLIMB_POSITIVE_X = 1024
    CLIMB_NEGATIVE_X = 2048


class Face(IntEnum):
    """Numbers of faces. Those of walls are a base with the :class:`SectorSide` added.

    Floor sides after the second are at `29 + 10 * n`, ceiling sides at `34 + 10 * n`, n from 0 to 6.
    """

    QA = 0
    FLOOR_2 = 5
    MIDDLE = 10
    WS = 15
    CEILING_2 = 20
    FLOOR = 25
    FLOOR_TRIANGLE_2 = 26
    CEILING = 27
    CEILING_TRIANGLE_2 = 28
    FLOOR_3 = 29
    CEILING_3 = 34


class SectorSide(IntEnum):
    """The direction that a wall faces."""

    POSITIVE_Z = 0
    NEGATIVE_Z = 1
    NEGATIVE_X = 2
    POSITIVE_X = 3
    DIAGONAL = 4


@dataclass(eq=False)
class SectorSurface:
    """The floors or ceilings of a room's sectors."""

    heights: Ints  #: (z, x, 4) int64, by corner.
    x_equals_z: Bools  #: (z, x) bool: the edge between both triangles is from XnZn to XpZp.
    diagonal: Ints  #: (z, x) int64, see :class:`Diagonal`.
    splits: Ints  #: (z, x, 8, 4) int64: subdivisions of the walls, from the surface away.
    split_count: Ints  #: (z, x) int64: the number of them.

    @classmethod
    def flat(cls, size: tuple[int, ...], height: int) -> SectorSurface:
        """Return a level surface. `size`: (z, x)."""
        return cls(
            np.full((*size, 4), height, np.int64),
            np.zeros(size, np.bool_),
            np.zeros(size, np.int64),
            np.zeros((*size, MOST_SPLITS, 4), np.int64),
            np.zeros(size, np.int64),
        )


@dataclass(eq=False)
class RoomShape:
    """The sectors of a room."""

    wall: Bools  #: (z, x) bool: walls, also with a diagonal, and the border.
    solid_floor: Bools  #: (z, x) bool: a floor portal is closed here ("force floor solid").
    flags: Ints  #: (z, x) int64, see :class:`SectorFlag`.
    #: floor, ceiling: the surfaces.
    floor: SectorSurface
    ceiling: SectorSurface
    faces: Records = field(default_factory=lambda: np.zeros(0, FACE))  #: (n,) :data:`FACE`.
    #: the file has floors or ceilings in the form of before January 2024: the textures of walls need
    #: :func:`..geometry.repair.repaired_rooms`.
    old_walls: bool = False

    @property
    def z_sectors(self) -> int:
        """The number of sectors along z, with the border."""
        return int(self.wall.shape[0])

    @property
    def x_sectors(self) -> int:
        """The number of sectors along x, with the border."""
        return int(self.wall.shape[1])

    @property
    def border(self) -> Bools:
        """(z, x) bool: the outermost sectors; read-only."""
        return _border(*self.wall.shape)

    def has_sector(self, x: int, z: int) -> bool:
        """Return whether a sector is in the room."""
        return 0 <= x < self.x_sectors and 0 <= z < self.z_sectors

    @classmethod
    def empty(cls, x_sectors: int, z_sectors: int, height: int = 3072) -> RoomShape:
        """Return a box-shaped room of a height."""
        size = (z_sectors, x_sectors)
        shape = cls(
            np.zeros(size, np.bool_),
            np.zeros(size, np.bool_),
            np.zeros(size, np.int64),
            SectorSurface.flat(size, 0),
            SectorSurface.flat(size, height),
        )
        shape.wall |= shape.border
        return shape


@lru_cache
def _border(z_sectors: int, x_sectors: int) -> Bools:
    """Return the outermost sectors of rooms of a size, (z, x), which the compiler asks for many times."""
    border = np.ones((z_sectors, x_sectors), np.bool_)
    border[1:-1, 1:-1] = False
    border.flags.writeable = False
    return border
