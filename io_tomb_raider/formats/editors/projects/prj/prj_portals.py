"""Portals in floors and ceilings of the old room editor's projects.

The old editor has flags for each sector of a portal, the new one an opacity for the whole portal, and for
each sector a floor that is solid or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....base.arrays.typing import Bools, Ints, Records
from ..geometry.openings import ANY, Opening, ProjectRooms, portal_area
from ..model.objects import Direction, Opacity, ProjectPortal
from ..model.rooms import ProjectRoom
from .prj import INVISIBLE, TEXTURED, PrjRoom

_FREE = {Direction.FLOOR: 0x06, Direction.CEILING: 0x18}  # flags of a triangle without collision
_TRIANGLES = {Direction.FLOOR: (0, 8), Direction.CEILING: (1, 9)}  # faces


def set_opacities(sources: Mapping[int, PrjRoom], rooms: Sequence[ProjectRoom]) -> None:
    """Set opacities and solid floors of sectors in which a portal opens only a triangle, as in the file.

    The triangle has collision, thus a solid floor, unless the sector has a flag against it. If a triangle
    without collision has a texture, its portal has faces and can be passed; fully open sectors have no faces.

    Args:
        sources: the rooms of the file by number. Faces that the old editor does not show become invisible.
        rooms: the rooms that they were converted to, with their portals; changed in place.
    """
    for room, openings in zip(rooms, ProjectRooms(rooms).openings_of(rooms, ANY), strict=True):
        sectors = sources[room.number].sectors
        for portal in room.each(ProjectPortal):
            direction = Direction(portal.direction)
            if direction in _TRIANGLES and portal.opacity == Opacity.NONE:
                area = portal_area(room.shape, portal)
                opening = (openings.floor if direction == Direction.FLOOR else openings.ceiling)[area]
                if _show_triangles(sectors[area], opening, direction):
                    portal.opacity = int(Opacity.TRAVERSABLE_FACES)
        is_free = sectors["flags2"] & _FREE[Direction.FLOOR] != 0
        room.shape.solid_floor |= _is_triangle(openings.floor) & ~is_free


def _is_triangle(opening: Ints) -> Bools:
    result: Bools = (opening != Opening.CLOSED) & (opening != Opening.FULL)
    return result


def _show_triangles(sectors: Records, opening: Ints, direction: Direction) -> bool:
    """Hide the faces of fully open sectors of a portal if a triangle without collision has a texture.

    Return whether there is such a triangle.
    """
    types = sectors["faces"]["type"]
    first, second = _TRIANGLES[direction]
    at_high_x = (opening == Opening.XPZP) | (opening == Opening.XPZN)
    textured = np.where(at_high_x, types[..., first], types[..., second]) == TEXTURED
    is_free = sectors["flags2"] & _FREE[direction] != 0
    if not (_is_triangle(opening) & is_free & textured).any():
        return False
    for face in (first, second):
        types[..., face][opening == Opening.FULL] = INVISIBLE
    return True
