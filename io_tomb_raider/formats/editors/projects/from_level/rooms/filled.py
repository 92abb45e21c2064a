"""Portals with faces, such as water surfaces: portals whose opening is filled by faces of a level."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .....base.arrays.typing import Bools, Ints
from .....base.units import SECTOR_SIZE
from ...geometry.openings import Opening, RoomOpenings
from ...geometry.walls import SIDES
from ...model.objects import Direction, Opacity, ProjectPortal
from ...model.rooms import ProjectRoom
from ...model.shape import RoomShape, SectorSide, SectorSurface
from .faces import LevelFaces, wall_parts
from .shapes import CORNER_NUMBERS
from .walls import SectorPosition, WallOpening, edge

_NEAR = 1.5  # units
# The side of a border sector that looks into its room, by the direction of its wall portal.
INNER_SIDES = {
    Direction.POSITIVE_Z: SectorSide.NEGATIVE_Z,
    Direction.NEGATIVE_Z: SectorSide.POSITIVE_Z,
    Direction.POSITIVE_X: SectorSide.NEGATIVE_X,
    Direction.NEGATIVE_X: SectorSide.POSITIVE_X,
}


def fill_portals(
    room: ProjectRoom,
    faces: LevelFaces,
    shown: Bools,
    openings: RoomOpenings,
    behind: Mapping[SectorPosition, WallOpening],
) -> None:
    """Give open portals of a project's room the opacity with faces if the level has faces in their opening.

    `shown`: (n,) the faces to use. `behind`: by border sector the opening of its wall portal.
    """
    shape = room.shape
    levels = {
        Direction.FLOOR: _level(openings.floor, shape.floor, faces, shown & (faces.normals[:, 1] > 0)),
        Direction.CEILING: _level(openings.ceiling, shape.ceiling, faces, shown & (faces.normals[:, 1] < 0)),
    }
    upright = _upright(shape, faces, shown, behind)
    for portal in room.each(ProjectPortal):
        if portal.opacity == Opacity.NONE:
            filled = levels.get(Direction(portal.direction), upright)
            x0, z0, x1, z1 = portal.area
            if any((z, x) in filled for z in range(z0, z1 + 1) for x in range(x0, x1 + 1)):
                portal.opacity = Opacity.TRAVERSABLE_FACES


def _level(opened: Ints, surface: SectorSurface, faces: LevelFaces, is_facing: Bools) -> set[SectorPosition]:
    """Return the fully open sectors with a face at the height of a surface."""
    ends = faces.points[..., [2, 0]]
    cells = np.floor(ends.mean(axis=1) / SECTOR_SIZE).astype(np.int64)
    ends = ends - cells[:, None] * SECTOR_SIZE
    inside = ((cells >= 0) & (cells < np.array(opened.shape))).all(axis=1)
    chosen = np.flatnonzero(is_facing & inside & np.isin(ends, (0, SECTOR_SIZE)).all(axis=(1, 2)))
    numbers = CORNER_NUMBERS[(ends[chosen, :, 0] > 0).astype(int), (ends[chosen, :, 1] > 0).astype(int)]
    z, x = cells[chosen].T
    heights = surface.heights[z[:, None], x[:, None], numbers]
    near = (opened[z, x] == Opening.FULL) & (np.abs(heights - faces.points[chosen, :, 1]) <= _NEAR).all(
        axis=1
    )
    return set(zip(z[near].tolist(), x[near].tolist(), strict=True))


def _upright(
    shape: RoomShape, faces: LevelFaces, shown: Bools, behind: Mapping[SectorPosition, WallOpening]
) -> set[SectorPosition]:
    """Return the border sectors with a face in the opening of their wall portal."""
    parts = wall_parts(faces)
    result: set[SectorPosition] = set()
    # Imported geometry, such as doors, is made of triangles.
    for row in np.flatnonzero((shown & ~faces.triangle)[parts.face]).tolist():
        z, x = parts.sector[row].tolist()
        if (z, x) not in behind:
            continue
        step, _, corners = SIDES[SectorSide(int(parts.side[row]))]
        inner = z + step[1], x + step[0]
        if not (0 < inner[0] < shape.z_sectors - 1 and 0 < inner[1] < shape.x_sectors - 1):
            continue
        floor, ceiling = behind[z, x]
        low = max(*edge(shape.floor, inner, corners), *floor)
        high = min(*edge(shape.ceiling, inner, corners), *ceiling)
        if low < (parts.bottom[row] + parts.top[row]).mean() / 2 < high:
            result.add((z, x))
    return result
