"""The heights of walls, from the lines between the faces of a level's room.

A level does not store the divisions of walls. In a project they are a list of heights at each corner of a
sector, which the walls of the sector share. So differences between two walls at their corner are
approximated: faces that do not fit the result become imported geometry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np

from .....base.arrays.typing import Ints
from ...geometry.walls import SIDES
from ...model.shape import MOST_SPLITS, XNZN, XNZP, XPZN, XPZP, Diagonal, RoomShape, SectorSide, SectorSurface
from .faces import WallParts

# By diagonal: the corner opposite to the separated one.
OPPOSITE = {
    Diagonal.XNZP: XPZN,
    Diagonal.XPZP: XNZN,
    Diagonal.XPZN: XNZP,
    Diagonal.XNZN: XPZP,
}
_BELOW = 256  # units: lines that end this far below the neighbor's floor are dropped by the editor
_EVEN = 0.5


class WallOpening(NamedTuple):
    """The floor and the ceiling behind a wall portal, at the start and the end of the border's inner side."""

    floor: tuple[int, int]
    ceiling: tuple[int, int]


SectorPosition = tuple[int, int]  # z and x


def edge(surface: SectorSurface, sector: SectorPosition, corners: tuple[int, int]) -> tuple[int, int]:
    """Return the heights of a surface at two corners of a sector, for the side between them."""
    heights = surface.heights[sector]
    opposite = OPPOSITE.get(Diagonal(int(surface.diagonal[sector])))
    if opposite in corners:
        return int(heights[opposite]), int(heights[opposite])
    return int(heights[corners[0]]), int(heights[corners[1]])


def raise_walls(shape: RoomShape, parts: WallParts, behind: Mapping[SectorPosition, WallOpening]) -> None:
    """Set the heights of a room's walls, and the divisions of all its vertical faces, in place.

    `parts`: its vertical faces. `behind`: by border sector the opening of its wall portal, relative to this
    room's height.
    """
    rest_on_neighbors(shape)
    floors: defaultdict[SectorPosition, list[set[float]]] = defaultdict(lambda: [set(), set(), set(), set()])
    ceilings: defaultdict[SectorPosition, list[set[float]]] = defaultdict(
        lambda: [set(), set(), set(), set()]
    )
    for (z, x, side), lines in _lines(parts).items():
        step, corners, facing_corners = SIDES[SectorSide(side)]
        sector, neighbor = (z, x), (z + step[1], x + step[0])
        if not all(shape.has_sector(cell_x, cell_z) for cell_z, cell_x in (sector, neighbor)):
            continue
        low, high = edge(shape.floor, neighbor, facing_corners), edge(shape.ceiling, neighbor, facing_corners)
        if sector in behind:
            floor, ceiling = behind[sector]
        elif is_full_wall(shape, sector):
            floor, ceiling = high, high
        else:
            floor, ceiling = edge(shape.floor, sector, corners), edge(shape.ceiling, sector, corners)
        for line in lines:
            if _is_between(line, low, floor):
                divisions = floors
            elif _is_between(line, ceiling, high):
                divisions = ceilings
            else:
                continue
            for corner, height in zip(corners, line, strict=True):
                divisions[sector][corner].add(height)
    for sector, by_corner in floors.items():
        solid = is_full_wall(shape, sector) and sector not in behind
        _divide(shape.floor, sector, [sorted(each, reverse=True) for each in by_corner], solid)
    for sector, by_corner in ceilings.items():
        _divide(shape.ceiling, sector, [sorted(each) for each in by_corner], False, sign=-1)


class PortalSide(NamedTuple):
    """The sectors of a room at a wall portal."""

    shape: RoomShape
    places: Sequence[SectorPosition]  #: z and x of the sectors.
    corners: tuple[int, int]  #: their two corners at the portal.
    y: int  #: the height of the room.
    fixed: Set[SectorPosition]  #: the walls whose lowest corner of the ceiling must stay.


def fit_portal(sides: Sequence[PortalSide], low: int, high: int) -> None:
    """Change the heights of walls so that a wall portal reaches from a height to another, in place.

    It reaches from the lowest floor to the highest ceiling on both of its sides, also of walls.

    `sides`: the sectors on both sides. `low`, `high`: in the world, upwards.
    """
    for is_ceiling, bound in ((False, low), (True, high)):
        sign = -1 if is_ceiling else 1
        lowest: list[int] = []
        walls: list[tuple[bool, Ints, int, int]] = []
        for side in sides:
            shape = side.shape
            surface = shape.ceiling if is_ceiling else shape.floor
            for sector in side.places:
                heights, limit = surface.heights[sector], sign * (bound - side.y)
                for corner in side.corners:
                    if is_full_wall(shape, sector):
                        heights[corner] = sign * max(sign * int(heights[corner]), limit)
                        if not is_ceiling or sector not in side.fixed:
                            walls.append((_is_free(shape, sector), heights, corner, bound - side.y))
                    lowest.append(sign * int(heights[corner]) - limit)
        if lowest and min(lowest) > 0 and walls:
            _, heights, corner, height = max(walls, key=lambda each: each[0])
            heights[corner] = height


def _is_free(shape: RoomShape, sector: SectorPosition) -> bool:
    """Return whether no face is at a wall, since all sectors next to it are walls."""
    z, x = sector
    return bool(shape.wall[max(z - 1, 0) : z + 2, x].all() and shape.wall[z, max(x - 1, 0) : x + 2].all())


def is_full_wall(shape: RoomShape, sector: SectorPosition) -> bool:
    """Return whether a sector is a wall without known heights."""
    return bool(shape.wall[sector]) and not shape.floor.diagonal[sector]


def _lines(parts: WallParts) -> dict[tuple[int, int, int], set[tuple[float, float]]]:
    """Return the lower and upper lines of faces by z, x and side."""
    result: defaultdict[tuple[int, int, int], set[tuple[float, float]]] = defaultdict(set)
    rows = zip(
        parts.sector.tolist(), parts.side.tolist(), parts.bottom.tolist(), parts.top.tolist(), strict=True
    )
    for (z, x), side, bottom, top in rows:
        for line in (bottom, top):
            result[z, x, side].add((round(line[0]), round(line[1])))
    return result


def _is_between(line: tuple[float, float], low: tuple[float, float], high: tuple[float, float]) -> bool:
    above = [height - each for height, each in zip(line, low, strict=True)]
    under = [each - height for height, each in zip(line, high, strict=True)]
    return min(above) >= 0 and max(above) > _EVEN and min(under) >= 0 and max(under) > _EVEN


def rest_on_neighbors(shape: RoomShape) -> None:
    """Give walls the lowest floor and the highest ceiling of their neighbors at each corner, in place."""
    size, limits = shape.wall.shape, np.iinfo(np.int64)
    low, high = np.full((*size, 4), limits.max), np.full((*size, 4), limits.min)
    full = shape.wall & (shape.floor.diagonal == Diagonal.NONE)
    for (step_x, step_z), corners, facing_corners in SIDES.values():
        here = tuple(
            slice(max(-step, 0), length - max(step, 0))
            for step, length in zip((step_z, step_x), size, strict=True)
        )
        there = tuple(
            slice(max(step, 0), length - max(-step, 0))
            for step, length in zip((step_z, step_x), size, strict=True)
        )
        is_open = ~full[there]
        for corner, facing in zip(corners, facing_corners, strict=True):
            floor = np.where(is_open, shape.floor.heights[there][..., facing], limits.max)
            ceiling = np.where(is_open, shape.ceiling.heights[there][..., facing], limits.min)
            low[here][..., corner] = np.minimum(low[here][..., corner], floor)
            high[here][..., corner] = np.maximum(high[here][..., corner], ceiling)
    alone = low == limits.max
    inner = ~full
    lowest = int(shape.floor.heights[inner].min()) if inner.any() else 0
    highest = int(shape.ceiling.heights[inner].max()) if inner.any() else lowest
    shape.floor.heights[full] = np.where(alone, lowest, low)[full]
    shape.ceiling.heights[full] = np.where(alone, highest, high)[full]


def _divide(
    surface: SectorSurface, sector: SectorPosition, lines: list[list[float]], solid: bool, sign: int = 1
) -> None:
    """Store lines in the list of a sector's divisions; the first one is the edge itself for solid walls."""
    count = max(len(each) for each in lines)
    heights = surface.heights[sector].copy()
    lowest = heights - sign * _BELOW
    rows = np.array(
        [
            [each[row] if row < len(each) else lowest[corner] for corner, each in enumerate(lines)]
            for row in range(count)
        ]
    )
    if solid:
        first = [each[0] if each else heights[corner] for corner, each in enumerate(lines)]
        surface.heights[sector] = first
        rows = rows[1:]
    rows = rows[:MOST_SPLITS]
    surface.splits[sector][: len(rows)] = rows
    surface.split_count[sector] = len(rows)
