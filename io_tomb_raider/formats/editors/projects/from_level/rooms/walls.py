"""The heights of walls, from the lines between the faces of a level's room.

A level does not store where walls are divided. In a project that is a list of heights at each corner of a
sector; the walls of a sector share them, so what differs between two walls at their corner is approximated:
faces that do not fit the result become imported geometry.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


Place = tuple[int, int]  # z and x


def edge(surface: SectorSurface, place: Place, corners: tuple[int, int]) -> tuple[int, int]:
    """Return the heights of a surface at two corners of a sector, as a side of it sees them."""
    heights = surface.heights[place]
    opposite = OPPOSITE.get(Diagonal(int(surface.diagonal[place])))
    if opposite in corners:
        return int(heights[opposite]), int(heights[opposite])
    return int(heights[corners[0]]), int(heights[corners[1]])


def raise_walls(shape: RoomShape, parts: WallParts, behind: Mapping[Place, WallOpening]) -> None:
    """Set the heights of a room's walls, and the divisions of all its vertical faces, in place.

    Args:
        parts: its vertical faces.
        behind: by border sector what is behind its wall portal, relative to this room's height.
    """
    rest_on_neighbors(shape)
    floors: defaultdict[Place, list[set[float]]] = defaultdict(lambda: [set(), set(), set(), set()])
    ceilings: defaultdict[Place, list[set[float]]] = defaultdict(lambda: [set(), set(), set(), set()])
    for (z, x, side), lines in _lines(parts).items():
        step, own, other = SIDES[SectorSide(side)]
        place, neighbor = (z, x), (z + step[1], x + step[0])
        if not all(0 <= at[0] < shape.z_sectors and 0 <= at[1] < shape.x_sectors for at in (place, neighbor)):
            continue
        low, high = edge(shape.floor, neighbor, other), edge(shape.ceiling, neighbor, other)
        if place in behind:
            floor, ceiling = behind[place]
        elif is_full_wall(shape, place):
            floor, ceiling = high, high
        else:
            floor, ceiling = edge(shape.floor, place, own), edge(shape.ceiling, place, own)
        for line in lines:
            if _is_between(line, low, floor):
                found = floors
            elif _is_between(line, ceiling, high):
                found = ceilings
            else:
                continue
            for corner, height in zip(own, line, strict=True):
                found[place][corner].add(height)
    for place, by_corner in floors.items():
        solid = is_full_wall(shape, place) and place not in behind
        _divide(shape.floor, place, [sorted(each, reverse=True) for each in by_corner], solid)
    for place, by_corner in ceilings.items():
        _divide(shape.ceiling, place, [sorted(each) for each in by_corner], False, sign=-1)


class PortalSide(NamedTuple):
    """The sectors of a room at a wall portal."""

    shape: RoomShape
    places: Sequence[Place]  #: z and x of the sectors.
    corners: tuple[int, int]  #: their two corners at the portal.
    y: int  #: the height of the room.
    fixed: Set[Place]  #: the walls whose lowest corner of the ceiling must stay.


def fit_portal(sides: Sequence[PortalSide], low: int, high: int) -> None:
    """Change the heights of walls so that a wall portal reaches from a height to another, in place.

    It reaches from the lowest floor to the highest ceiling on both of its sides, also of walls.

    Args:
        sides: the sectors on both sides.
        low, high: in the world, upwards.
    """
    for is_ceiling, bound in ((False, low), (True, high)):
        sign = -1 if is_ceiling else 1
        lowest: list[int] = []
        walls: list[tuple[bool, NDArray[np.int64], int, int]] = []
        for side in sides:
            shape = side.shape
            surface = shape.ceiling if is_ceiling else shape.floor
            for place in side.places:
                heights, limit = surface.heights[place], sign * (bound - side.y)
                for corner in side.corners:
                    if is_full_wall(shape, place):
                        heights[corner] = sign * max(sign * int(heights[corner]), limit)
                        if not is_ceiling or place not in side.fixed:
                            walls.append((_is_free(shape, place), heights, corner, bound - side.y))
                    lowest.append(sign * int(heights[corner]) - limit)
        if lowest and min(lowest) > 0 and walls:
            _, heights, corner, height = max(walls, key=lambda each: each[0])
            heights[corner] = height


def _is_free(shape: RoomShape, place: Place) -> bool:
    """Return whether no face is at a wall, since all sectors next to it are walls."""
    z, x = place
    return bool(shape.wall[max(z - 1, 0) : z + 2, x].all() and shape.wall[z, max(x - 1, 0) : x + 2].all())


def is_full_wall(shape: RoomShape, place: Place) -> bool:
    """Return whether a sector is a wall without known heights."""
    return bool(shape.wall[place]) and not shape.floor.diagonal[place]


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
    size = shape.wall.shape
    low = np.full((*size, 4), np.iinfo(np.int64).max)
    high = np.full((*size, 4), np.iinfo(np.int64).min)
    full = shape.wall & (shape.floor.diagonal == Diagonal.NONE)
    for (step_x, step_z), own, other in SIDES.values():
        here = tuple(
            slice(max(-step, 0), length - max(step, 0))
            for step, length in zip((step_z, step_x), size, strict=True)
        )
        there = tuple(
            slice(max(step, 0), length - max(-step, 0))
            for step, length in zip((step_z, step_x), size, strict=True)
        )
        is_open = ~full[there]
        for corner, facing in zip(own, other, strict=True):
            floor, ceiling = (
                shape.floor.heights[there][..., facing],
                shape.ceiling.heights[there][..., facing],
            )
            low[here][..., corner] = np.where(
                is_open, np.minimum(low[here][..., corner], floor), low[here][..., corner]
            )
            high[here][..., corner] = np.where(
                is_open, np.maximum(high[here][..., corner], ceiling), high[here][..., corner]
            )
    alone = low == np.iinfo(np.int64).max
    inner = ~full
    lowest = int(shape.floor.heights[inner].min()) if inner.any() else 0
    highest = int(shape.ceiling.heights[inner].max()) if inner.any() else lowest
    shape.floor.heights[full] = np.where(alone, lowest, low)[full]
    shape.ceiling.heights[full] = np.where(alone, highest, high)[full]


def _divide(
    surface: SectorSurface, place: Place, lines: list[list[float]], solid: bool, sign: int = 1
) -> None:
    """Store lines in the list of a sector's divisions; the first one is the edge itself for solid walls."""
    count = max(len(each) for each in lines)
    beyond = surface.heights[place].copy()
    lowest = beyond - sign * _BELOW
    rows = np.array(
        [
            [each[row] if row < len(each) else lowest[corner] for corner, each in enumerate(lines)]
            for row in range(count)
        ]
    )
    if solid:
        first = [each[0] if each else beyond[corner] for corner, each in enumerate(lines)]
        surface.heights[place] = first
        rows = rows[1:]
    rows = rows[:MOST_SPLITS]
    surface.splits[place][: len(rows)] = rows
    surface.split_count[place] = len(rows)
