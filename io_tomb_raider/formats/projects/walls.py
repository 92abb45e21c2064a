"""Walls of a project's rooms.

A wall face belongs to the higher sector and is seen from the lower one. Between two sectors, the higher one
has a floor side from its own edge down to the neighbor's, divided by its splits, and likewise a ceiling
side. Walls have a middle face between both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .faces import CORNERS, Faces
from .objects import Opacity
from .openings import SECTOR, UNLINKED, Bools, Ints, ProjectRooms, diagonals
from .rooms import Room
from .shape import MOST_SPLITS, XNZN, XNZP, XPZN, XPZP, Face, Side, Surface

# By side: the step (x, z) to the neighbor; the own corners at the start and the end, the neighbor's there.
SIDES = {
    Side.POSITIVE_Z: ((0, 1), (XPZP, XNZP), (XPZN, XNZN)),
    Side.NEGATIVE_Z: ((0, -1), (XNZN, XPZN), (XNZP, XPZP)),
    Side.NEGATIVE_X: ((-1, 0), (XNZP, XNZN), (XPZP, XPZN)),
    Side.POSITIVE_X: ((1, 0), (XPZN, XPZP), (XNZN, XNZP)),
}

# Faces of the floor side and the ceiling side, from the surface away.
FLOOR_SIDE = np.array(
    [Face.QA, Face.FLOOR_2, *(Face.FLOOR_3 + 10 * index for index in range(MOST_SPLITS - 1))]
)
CEILING_SIDE = np.array(
    [Face.WS, Face.CEILING_2, *(Face.CEILING_3 + 10 * index for index in range(MOST_SPLITS - 1))]
)


@dataclass(eq=False)
class _Edges:
    """Floors or ceilings of all sectors, where walls stand on wall portals: those of the sectors behind.

    `diagonal` belongs to `heights`, `own_diagonal` to the sector itself. Ceilings are turned upside down.
    """

    heights: Ints
    diagonal: Ints
    own_heights: Ints
    own_diagonal: Ints
    splits: Ints
    split_count: Ints


@dataclass(eq=False)
class _Sectors:
    """The sectors of a room, flat.

    Attributes:
        wall: walls that are not on the border.
        full_wall: without a diagonal.
        portal: with a wall portal; `textured`: that has faces.
        behind_wall, behind_diagonal: of the sector behind.
    """

    x_sectors: int
    border: Bools
    wall: Bools
    diagonal: Ints
    portal: Bools
    textured: Bools
    behind_wall: Bools
    behind_diagonal: Ints
    floor: _Edges
    ceiling: _Edges


def _sectors(rooms: ProjectRooms, room: Room) -> _Sectors:
    shape = room.shape
    count = shape.wall.size
    border = shape.border.reshape(-1)
    floor_diagonal, ceiling_diagonal = (each.reshape(-1) for each in diagonals(shape))
    sectors = _Sectors(
        shape.x_sectors,
        border,
        shape.wall.reshape(-1) & ~border,
        floor_diagonal,
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
        _edges(shape.floor, floor_diagonal, 1),
        _edges(shape.ceiling, ceiling_diagonal, -1),
    )
    for behind in rooms.behind(room):
        at = behind.sectors
        sectors.portal[at] = True
        sectors.textured[at] = behind.portal.opacity != Opacity.NONE
        for edges in (sectors.floor, sectors.ceiling):
            edges.heights[at], edges.diagonal[at] = 0, 0
        if behind.room is None:
            continue
        exists = behind.others != UNLINKED
        at, there = at[exists], behind.others[exists]
        other, drop = behind.room.shape, behind.room.y - room.y
        other_diagonals = [each.reshape(-1)[there] for each in diagonals(other)]
        sectors.behind_wall[at] = (other.wall & ~other.border).reshape(-1)[there]
        sectors.behind_diagonal[at] = other_diagonals[0]
        _replace(sectors.floor, at, other.floor, there, other_diagonals[0], drop, 1)
        _replace(sectors.ceiling, at, other.ceiling, there, other_diagonals[1], drop, -1)
    return sectors


def _edges(surface: Surface, diagonal: Ints, sign: int) -> _Edges:
    heights = sign * surface.heights.reshape(-1, 4)
    most = int(surface.split_count.max(initial=0))
    return _Edges(
        heights.copy(),
        diagonal.copy(),
        heights,
        diagonal,
        sign * surface.splits[:, :, :most].reshape(len(heights), most, 4),
        surface.split_count.reshape(-1).copy(),
    )


def _replace(
    edges: _Edges, at: Ints, surface: Surface, there: Ints, diagonal: Ints, drop: int, sign: int
) -> None:
    """Replace what walls on a wall portal show by the sectors behind it."""
    edges.heights[at] = sign * (surface.heights.reshape(-1, 4)[there] + drop)
    edges.diagonal[at] = diagonal
    count = surface.split_count.reshape(-1)[there]
    most = int(count.max(initial=0))
    if most > edges.splits.shape[1]:
        more = np.zeros((len(edges.splits), most - edges.splits.shape[1], 4), np.int64)
        edges.splits = np.concatenate([edges.splits, more], axis=1)
    splits = sign * (surface.splits.reshape(-1, MOST_SPLITS, 4)[there][:, :most] + drop)
    has = (np.arange(most) < count[:, None])[:, :, None]
    edges.splits[at, :most] = np.where(has, splits, edges.splits[at, :most])
    edges.split_count[at] = np.maximum(edges.split_count[at], count)


@dataclass(eq=False)
class _Lines:
    """Floor sides, or ceiling sides upside down, one row each.

    Attributes:
        top: (m, 2): the own edge, at the start and the end.
        low, high: (m, 2): the neighbor's floor and ceiling (ceiling sides: ceiling and floor).
        splits: (m, s, 2); `split_count`: (m,).
        over: geometry may cross the neighbor's.
        flat: below the flat triangle of a diagonal.
    """

    top: Ints
    low: Ints
    high: Ints
    splits: Ints
    split_count: Ints
    over: Bools
    flat: Bools


def wall_faces(rooms: ProjectRooms, room: Room) -> list[Faces]:
    """Return the faces of all walls of a room."""
    sectors = _sectors(rooms, room)
    rows = [
        *(_straight(sectors, side) for side in SIDES),
        _diagonal(sectors, True),
        _diagonal(sectors, False),
    ]
    sector = np.concatenate([row.sector for row in rows])
    side = np.concatenate([np.full(len(row.sector), row.side) for row in rows])
    corners = np.concatenate([row.corners for row in rows])
    middle = np.concatenate([row.middle for row in rows])
    keeps = [
        np.concatenate([row.floor_part for row in rows]),
        np.concatenate([row.ceiling_part for row in rows]),
    ]
    result: list[Faces] = []
    tops: list[Ints] = []
    lines = [_joined([row.floor for row in rows]), _joined([row.ceiling for row in rows])]
    for each, keep, sign, numbers in zip(lines, keeps, (1, -1), (FLOOR_SIDE, CEILING_SIDE), strict=True):
        tried, exists = _normalized(each)
        tops.append(_clamped(tried[:, 0], each.low) * sign)
        row, number, upper, lower = _side_parts(each, tried, exists)
        row, number, upper, lower = (what[keep[row]] for what in (row, number, upper, lower))
        if sign < 0:
            upper, lower = -lower, -upper
        result.append(
            _between(sectors.x_sectors, sector[row], numbers[number] + side[row], corners[row], upper, lower)
        )
    row = np.flatnonzero(middle & _either(tops[0] != tops[1]))
    faces = Face.MIDDLE + side[row]
    result.append(_between(sectors.x_sectors, sector[row], faces, corners[row], tops[1][row], tops[0][row]))
    return result


@dataclass(eq=False)
class _Rows:
    """Walls of one side: see `_Lines`; `corners` (m, 2): the sector's corners at the start and the end."""

    side: int
    sector: Ints
    corners: Ints
    middle: Bools
    floor_part: Bools
    ceiling_part: Bools
    floor: _Lines
    ceiling: _Lines


def _straight(sectors: _Sectors, side: Side) -> _Rows:
    """Return the walls that face a direction. The neighbor is never on the border."""
    (step_x, step_z), own_corners, corners = SIDES[side]
    neighbor = np.flatnonzero(~sectors.border)
    own = neighbor - step_x - step_z * sectors.x_sectors
    free = ~_blocked(sectors.wall[neighbor], sectors.diagonal[neighbor], corners)
    own, neighbor = own[free], neighbor[free]
    some = _may_have_walls(sectors, own, neighbor, own_corners, corners)
    own, neighbor = own[some], neighbor[some]
    border, wall, portal, textured = (
        each[own] for each in (sectors.border, sectors.wall, sectors.portal, sectors.textured)
    )
    behind_wall, behind_diagonal = sectors.behind_wall[own], sectors.behind_diagonal[own]
    own_diagonal = sectors.diagonal[own]
    passes = portal & ~textured
    over = np.where(
        portal,
        passes & (~behind_wall | _is_one_of(behind_diagonal - 1, corners)),
        ~wall & ~border,
    )
    middle = np.where(
        border,
        ~passes | _blocked(behind_wall, behind_diagonal, own_corners),
        (wall | textured) & ((own_diagonal == 0) | _is_one_of(own_diagonal - 1, own_corners)),
    )
    lines = []
    floors = _edge(sectors.floor.own_heights[neighbor], sectors.floor.own_diagonal[neighbor], corners)
    ceilings = -_edge(sectors.ceiling.own_heights[neighbor], sectors.ceiling.own_diagonal[neighbor], corners)
    for edges, low, high in ((sectors.floor, floors, ceilings), (sectors.ceiling, -ceilings, -floors)):
        diagonal = edges.own_diagonal[own]
        opposite = (diagonal + 1) % 4
        flat = (diagonal != 0) & _is_one_of(opposite, own_corners)
        lines.append(
            _Lines(
                _edge(edges.heights[own], edges.diagonal[own], own_corners),
                low,
                high,
                edges.splits[own][:, :, list(own_corners)],
                edges.split_count[own],
                over,
                flat,
            )
        )
    every = np.ones(len(own), np.bool_)
    place = np.broadcast_to(np.array(own_corners), (len(own), 2))
    return _Rows(side, own, place, middle, every, every, *lines)


def _may_have_walls(
    sectors: _Sectors, own: Ints, neighbor: Ints, own_corners: Sequence[int], corners: Sequence[int]
) -> Bools:
    """Return which sectors may have a wall towards a neighbor: not those whose edges are at equal heights."""
    result = sectors.border[own] | sectors.wall[own] | sectors.portal[own]
    for edges in (sectors.floor, sectors.ceiling):
        result |= (edges.split_count[own] > 0) | (edges.own_diagonal[own] != 0)
        result |= edges.own_diagonal[neighbor] != 0
        for one, other in zip(own_corners, corners, strict=True):
            result |= edges.own_heights[own, one] != edges.own_heights[neighbor, other]
    return result


def _diagonal(sectors: _Sectors, floor: bool) -> _Rows:
    """Return the walls on the cuts of diagonal floors, with all parts of walls, or of diagonal ceilings."""
    cut = sectors.floor.own_diagonal if floor else sectors.ceiling.own_diagonal
    own = np.flatnonzero((cut != 0) & (floor | ~sectors.wall))
    diagonal, wall = cut[own], sectors.wall[own]
    place = np.stack([(diagonal + 2) % 4, diagonal % 4], axis=1)
    opposite = np.repeat(((diagonal + 1) % 4)[:, None], 2, axis=1)
    none, every = np.zeros(len(own), np.bool_), np.ones(len(own), np.bool_)
    lines = [
        _Lines(
            np.take_along_axis(edges.own_heights[own], place, axis=1),
            np.take_along_axis(edges.own_heights[own], opposite, axis=1),
            -np.take_along_axis(against.own_heights[own], np.where(wall[:, None], opposite, place), axis=1),
            np.take_along_axis(edges.splits[own], place[:, None], axis=2),
            edges.split_count[own],
            none,
            none,
        )
        for edges, against in ((sectors.floor, sectors.ceiling), (sectors.ceiling, sectors.floor))
    ]
    return _Rows(Side.DIAGONAL, own, place, wall, every if floor else none, wall if floor else every, *lines)


def _blocked(wall: Bools, diagonal: Ints, corners: Sequence[int]) -> Bools:
    """Return whether walls fill the sector at an edge."""
    return wall & ((diagonal == 0) | _is_one_of(diagonal - 1, corners))


def _either(ends: Bools) -> Bools:
    """Return whether one of both ends (…, 2) holds. Reductions of so short an axis are slow."""
    return ends[..., 0] | ends[..., 1]


def _both(ends: Bools) -> Bools:
    """Return whether both ends (…, 2) hold."""
    return ends[..., 0] & ends[..., 1]


def _edge(heights: Ints, diagonal: Ints, corners: Sequence[int]) -> Ints:
    """Return the heights at two corners, (m, 2); a flat triangle has one height."""
    opposite = (diagonal + 1) % 4
    flat = (diagonal != 0) & _is_one_of(opposite, corners)
    level = np.take_along_axis(heights, opposite[:, None], axis=1)
    return np.where(flat[:, None], level, heights[:, list(corners)])


def _joined(rows: Sequence[_Lines]) -> _Lines:
    most = max(row.splits.shape[1] for row in rows)
    return _Lines(
        np.concatenate([row.top for row in rows]),
        np.concatenate([row.low for row in rows]),
        np.concatenate([row.high for row in rows]),
        np.concatenate([_with_columns(row.splits, most) for row in rows]),
        np.concatenate([row.split_count for row in rows]),
        np.concatenate([row.over for row in rows]),
        np.concatenate([row.flat for row in rows]),
    )


def _with_columns(splits: Ints, count: int) -> Ints:
    """Return splits (m, s, 2) with zeros up to a number of them."""
    more = count - splits.shape[1]
    return np.pad(splits, ((0, 0), (0, more), (0, 0))) if more else splits


def _normalized(lines: _Lines) -> tuple[Ints, Bools]:
    """Limit edges and splits to the space in front of them.

    Returns:
        The own edge and the splits, (m, 1 + s, 2), and which of them exist, (m, 1 + s).
    """
    top, low, high = lines.top[:, None], lines.low[:, None], lines.high[:, None]
    values = np.concatenate([top, lines.splits], axis=1)
    crossing = (lines.over | lines.flat)[:, None]
    exists = np.arange(values.shape[1]) <= lines.split_count[:, None]
    below = (_either(values < low) | _both(values == low)) & ~crossing
    ends = np.logical_or.accumulate(below, axis=1)
    top_covers = _both(top >= high)
    to_high = (_either(values > high) & (~lines.over[:, None] | top_covers) & ~lines.flat[:, None]) | _both(
        values >= high
    )
    to_top = _either(values > top)
    result = np.where(to_high[..., None], high, np.where(to_top[..., None], top, values))
    result[:, 0] = np.where(below[:, :1], lines.top, result[:, 0])
    exists[:, 1:] &= ~ends[:, 1:]
    return result, exists


def _clamped(top: Ints, low: Ints) -> Ints:
    """Return where a middle face meets a floor side."""
    below = _either(top < low)[:, None]
    return np.where(below, low, np.maximum(top, low))


def _side_parts(lines: _Lines, values: Ints, exists: Bools) -> tuple[Ints, Ints, Ints, Ints]:
    """Return the faces of floor sides: row, number from the top, upper line (n, 2), lower line (n, 2)."""
    top, low = values[:, :1], lines.low[:, None]
    crossing = (lines.over | lines.flat)[:, None]
    next_values = np.concatenate([values[:, 1:], values[:, :1]], axis=1)
    has_next = np.concatenate([exists[:, 1:], np.zeros_like(exists[:, :1])], axis=1)
    skipped = has_next & lines.flat[:, None] & _either(next_values > top)
    ends_there = has_next & _both(next_values >= low)
    lower = np.where(ends_there[..., None], next_values, low)
    exists = exists & ~skipped & _either(values > lower)
    # A line that crosses the neighbor's ends at the lowest point of both.
    difference = values - lower
    drawn = _both(difference >= 0)
    again = ~drawn & crossing & _both(values == top)
    lowest = np.minimum(values.min(axis=2), lower.min(axis=2))
    lower = np.where(again[..., None], lowest[..., None], lower)
    exists &= (drawn | again) & _either(values > lower)
    row, number = np.nonzero(exists)
    return row, number, values[row, number], lower[row, number]


def _between(x_sectors: int, sector: Ints, face: Ints, corners: Ints, upper: Ints, lower: Ints) -> Faces:
    """Return faces between two lines, (n, 2) at the start and the end; where these meet, triangles."""
    z, x = np.divmod(sector, x_sectors)
    places = np.stack([x, z], axis=1)[:, None] + CORNERS[corners]  # start, end
    quads = _both(upper != lower)
    meets_at_end = upper[:, 1] == lower[:, 1]
    # Quads: bottom and top of the start, top and bottom of the end.
    ends = np.where(quads[:, None], [0, 0, 1, 1], [0, 1, 1, 1])
    ends[~quads & meets_at_end] = [0, 1, 0, 0]
    tops = np.where(quads[:, None], [False, True, True, False], [True, True, False, False])
    rows = np.arange(len(sector))[:, None]
    result = np.empty((len(sector), 4, 3), np.int64)
    result[:, :, ::2] = places[rows, ends] * SECTOR
    result[:, :, 1] = np.where(tops, upper[rows, ends], lower[rows, ends])
    return Faces(sector, face.astype(np.int64), np.where(quads, 4, 3), result)


def _is_one_of(corner: Ints, corners: Sequence[int]) -> Bools:
    """Return whether numbers are those of two corners: faster than a search among any number."""
    one, other = corners
    return (corner == one) | (corner == other)
