"""The sectors of a level's room as those of a project.

A level has planes of triangles, a project the heights of four corners. Both express the same floors and
ceilings, except where both triangles of a step are sloped: the editor has no such sectors. Walls have no
heights in a level; :mod:`.walls` takes them from the faces.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Ints
from .....base.units import CLICK, SECTOR_SIZE
from .....levels.collision.sectors import Sectors
from .....levels.collision.surfaces import TRIANGLES, Split, Surface
from ...model.shape import MOST_SPLITS, XNZN, XNZP, XPZN, XPZP, Diagonal, RoomShape, SectorFlag, SectorSurface
from .faces import LevelFaces
from .halves import half_walls

_LEVEL = 1e-3  # y of the normal of a wall
# Corners of a project's heights by whether they are at the upper end along z and x.
CORNER_NUMBERS = np.array([[XNZN, XPZN], [XNZP, XPZP]])
# Corners of a project's heights (XnZp, XpZp, XpZn, XnZn) by their numbers in a level.
CORNERS = np.array([1, 3, 2, 0])
# The diagonal that separates each corner of a level.
_DIAGONAL = np.array([Diagonal.XNZN, Diagonal.XNZP, Diagonal.XPZN, Diagonal.XPZP])
# By the bits of a level's climbable walls: +z, +x, -z, -x.
_CLIMBS = (
    SectorFlag.CLIMB_POSITIVE_Z,
    SectorFlag.CLIMB_POSITIVE_X,
    SectorFlag.CLIMB_NEGATIVE_Z,
    SectorFlag.CLIMB_NEGATIVE_X,
)
_MARKS = {
    "monkey_swing": SectorFlag.MONKEY,
    "death": SectorFlag.DEATH,
    "deferred": SectorFlag.TRIGGER_TRIGGERER,
    "beetle": SectorFlag.BEETLE,
}


class _Corners(NamedTuple):
    """A surface of n sectors by corners of a level, heights upwards."""

    heights: Ints  #: (n, 4) int64.
    #: (n,) int64, the corner on the higher side of a step (of ceilings: on the lower side), or -1.
    separated: Ints
    is_lost: Bools  #: (n,) bool: a step whose other triangle is sloped, too.


class Shaped(NamedTuple):
    """The sectors of a room."""

    shape: RoomShape  #: the room; the heights of its walls are 0.
    is_lost: Bools  #: (z, x) bool, the sectors that a project cannot express.


def shape_of(
    sectors: Sectors,
    x_sectors: int,
    z_sectors: int,
    y: int,
    bases: Ints | None = None,
    covered: Bools | None = None,
) -> Shaped:
    """Return the sectors of a room, without the heights of walls.

    Args:
        sectors: x-major as in levels.
        y: the height of the room upwards; heights become relative to it.
        bases: see :func:`.halves.half_walls`.
        covered: (n, 4), see :func:`covered_corners`.
    """
    if covered is None:
        covered = np.zeros((len(sectors.wall), 4), np.bool_)
    floor, ceiling = (
        _corners(planes, y, is_ceiling=number == 1)
        for number, planes in enumerate((sectors.floor, sectors.ceiling))
    )
    shape = RoomShape.empty(x_sectors, z_sectors)
    # Sectors of wall portals can have the heights of the room behind in a level.
    border = shape.border.swapaxes(0, 1).reshape(-1)
    wall = sectors.wall | border | (sectors.portal >= 0)
    halves = half_walls(sectors, bases, covered)
    halved = (halves.corner >= 0) & ~wall
    floor, ceiling = (
        _Corners(
            np.where(halved[:, None], heights - y, surface.heights),
            np.where(halved, halves.corner, surface.separated),
            surface.is_lost & ~halved,
        )
        for surface, heights in ((floor, halves.floor), (ceiling, halves.ceiling))
    )
    flags = np.zeros(len(wall), np.int64)
    for bit, flag in enumerate(_CLIMBS):
        flags |= np.where(sectors.climbs(bit), int(flag), 0)
    for name, mark in _MARKS.items():
        flags |= np.where(getattr(sectors, name), int(mark), 0)

    def arranged(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return np.ascontiguousarray(values.reshape(x_sectors, z_sectors, *values.shape[1:]).swapaxes(0, 1))

    shape.wall = arranged(wall | halved)  # type: ignore[assignment]
    shape.flags = arranged(flags)  # type: ignore[assignment]
    shape.floor, shape.ceiling = (
        _surface(surface, planes.split, wall, arranged)
        for surface, planes in ((floor, sectors.floor), (ceiling, sectors.ceiling))
    )
    is_lost = ((floor.is_lost | ceiling.is_lost) & ~wall) | (border & ~sectors.wall & (sectors.portal < 0))
    return Shaped(shape, np.asarray(arranged(is_lost), np.bool_))


def covered_corners(faces: LevelFaces, x_sectors: int, z_sectors: int) -> Bools:
    """Return which corners of sectors, (n, 4), belong to a floor or ceiling without the opposite corner.

    Sectors are x-major, and corners have the numbers of levels.
    """
    result = np.zeros((x_sectors * z_sectors, 4), np.bool_)
    seen = faces.triangle & (np.abs(faces.normals[:, 1]) > _LEVEL) & (faces.areas > 0)
    ends = faces.points[seen][..., [0, 2]]
    cells = np.floor(ends.mean(axis=1) / SECTOR_SIZE).astype(np.int64)
    ends = ends - cells[:, None] * SECTOR_SIZE
    inside = ((cells >= 0) & (cells < (x_sectors, z_sectors))).all(axis=1)
    inside &= np.isin(ends, (0, SECTOR_SIZE)).all(axis=(1, 2))
    corners = (ends[..., 0] > 0) * 2 + (ends[..., 1] > 0)
    for corner in range(4):
        of_half = inside & (corners == corner).any(axis=1) & (corners != 3 - corner).all(axis=1)
        x, z = cells[of_half].T
        result[x * z_sectors + z, corner] = True
    return result


def follow_faces(shape: RoomShape, faces: LevelFaces) -> None:
    """Move corners of floors and ceilings to those of the faces there, in place, by less than a click.

    Sectors of levels have heights in whole clicks, projects any.
    """
    count = np.where(faces.triangle, 3, 4)
    cells = np.floor(faces.points[..., [2, 0]].mean(axis=1) / SECTOR_SIZE).astype(np.int64)
    ends = faces.points[..., [2, 0]] - cells[:, None] * SECTOR_SIZE
    at_corners = np.isin(ends, (0, SECTOR_SIZE)).all(axis=(1, 2))
    size = np.array(shape.wall.shape)
    inside = ((cells >= 0) & (cells < size)).all(axis=1)
    numbers = CORNER_NUMBERS[(ends[..., 0] > 0).astype(int), (ends[..., 1] > 0).astype(int)]
    heights = np.rint(faces.points[..., 1])
    for surface, faced in ((shape.floor, faces.normals[:, 1] > 0), (shape.ceiling, faces.normals[:, 1] < 0)):
        rows = np.flatnonzero(at_corners & inside & faced & (faces.areas > 0))
        z, x = cells[rows].T
        free = ~shape.wall[z, x] & (surface.diagonal[z, x] == 0)
        rows, z, x = rows[free], z[free], x[free]
        steps = np.abs(heights[rows] - surface.heights[z[:, None], x[:, None], numbers[rows]])
        steps[faces.triangle[rows], 3] = 0
        follows = steps.any(axis=1) & (steps <= CLICK // 2).all(axis=1)
        # Both triangles of a sector move corners, one after the other.
        key = z * size[1] + x
        for face in rows[np.isin(key, key[follows])].tolist():
            sector = tuple(cells[face].tolist())
            corners, own_heights = numbers[face, : count[face]], heights[face, : count[face]]
            step = np.abs(own_heights - surface.heights[sector][corners])
            if step.any() and (step <= CLICK // 2).all():
                surface.heights[sector][corners] = own_heights.astype(np.int64)


def is_ladder(sectors: Sectors) -> Bools:
    """Return which sectors, (n,), are walls that lead to the room above, whose floor is their height."""
    flat = sectors.floor.heights[:, 0] == sectors.floor.heights[:, 0, :1]
    same = sectors.floor.heights[:, 0] == sectors.ceiling.heights[:, 0]
    return np.asarray(~sectors.wall & (sectors.portal >= 0) & flat.all(axis=1) & same.all(axis=1))


def _surface(corners: _Corners, split: NDArray[np.uint8], wall: Bools, arranged) -> SectorSurface:  # type: ignore[no-untyped-def]
    heights = np.where(wall[:, None], 0, corners.heights[:, CORNERS])
    separated = np.where(wall, -1, corners.separated)
    diagonal = np.where(separated >= 0, _DIAGONAL[separated], Diagonal.NONE)
    rising = np.where(separated >= 0, (separated == 1) | (separated == 2), split == Split.RISING)
    size = len(wall)
    return SectorSurface(
        arranged(heights),
        arranged(rising & ~wall),
        arranged(diagonal.astype(np.int64)),
        arranged(np.zeros((size, MOST_SPLITS, 4), np.int64)),
        arranged(np.zeros(size, np.int64)),
    )


def _corners(planes: Surface, y: int, *, is_ceiling: bool) -> _Corners:
    """Return the heights at the corners, and where the triangles do not meet."""
    up = -planes.heights.astype(np.int64) - y
    rows = np.arange(len(up))
    triangles = TRIANGLES[planes.split]
    # By triangle: at the right angle, then on the line.
    triangle_heights = np.take_along_axis(up, triangles, axis=2)
    right = triangles[:, :, 0]
    heights = up[:, 0].copy()
    divided = planes.split != Split.NONE
    heights[rows, right[:, 1]] = np.where(divided, triangle_heights[:, 1, 0], heights[rows, right[:, 1]])
    line = triangles[:, 0, 1:]
    meets = ~divided | (up[rows[:, None], 0, line] == up[rows[:, None], 1, line]).all(axis=1)
    can_be_low = _along_edge(triangle_heights, planes.split)
    is_flat = (triangle_heights == triangle_heights[:, :, :1]).all(axis=2)
    higher = np.where(triangle_heights.mean(axis=2)[:, 1] > triangle_heights.mean(axis=2)[:, 0], 1, 0)
    preferred = 1 - higher if is_ceiling else higher
    # The triangle that keeps its heights; the other one is level in the editor.
    flat = np.where(is_flat.all(axis=1) | ~is_flat.any(axis=1), preferred, np.where(is_flat[:, 0], 1, 0))
    kept = np.where(can_be_low.all(axis=1), flat, np.where(can_be_low[:, 0], 1, 0))
    stepped = ~meets & can_be_low.any(axis=1)
    corners = np.where(stepped[:, None], up[rows, kept], heights)
    opposite = right[rows, 1 - kept]
    corners[rows[stepped], opposite[stepped]] = triangle_heights[rows, 1 - kept, 0][stepped]
    separated = np.where(stepped, right[rows, kept], -1)
    return _Corners(corners, separated, ~meets & ~can_be_low.any(axis=1))


def _along_edge(heights: Ints, split: NDArray[np.uint8]) -> Bools:
    """Return which triangles can be the level one of a step, (n, 2).

    The compiler derives the height of a step from one end of its cut: the triangle is level along that edge
    of the sector, and slopes as the cut does. `heights`: (n, 2, 3) of the triangles at their corners.
    """
    end_heights = np.where(split == Split.RISING, heights[:, :, 2].T, heights[:, :, 1].T).T
    return np.asarray(heights[:, :, 0] == end_heights)
