"""Walls of a project's rooms.

A wall face belongs to the higher sector and is seen from the lower one. Between two sectors, the higher one
has a floor side from its own edge down to the neighbor's, divided by its splits, and likewise a ceiling
side. Walls have a middle face between both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from ....base.arrays.columns import Columns
from ....base.arrays.typing import Bools, Ints
from ....base.units import SECTOR_SIZE
from ..model.objects import Opacity
from ..model.rooms import ProjectRoom
from ..model.shape import MOST_SPLITS, XNZN, XNZP, XPZN, XPZP, Face, RoomShape, SectorSide, SectorSurface
from .faces import CORNERS, Faces
from .joined import JoinedSectors
from .openings import ProjectRooms
from .portal_sectors import UNLINKED, Behind

# By side: the step (x, z) to the neighbor; the own corners at the start and the end, the neighbor's there.
SIDES = {
    SectorSide.POSITIVE_Z: ((0, 1), (XPZP, XNZP), (XPZN, XNZN)),
    SectorSide.NEGATIVE_Z: ((0, -1), (XNZN, XPZN), (XNZP, XPZP)),
    SectorSide.NEGATIVE_X: ((-1, 0), (XNZP, XNZN), (XPZP, XPZN)),
    SectorSide.POSITIVE_X: ((1, 0), (XPZN, XPZP), (XNZN, XNZP)),
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
    """Floors or ceilings of all sectors; on wall portals, those of the sectors behind.

    Fields that begin with `own_` are those of the sectors themselves. Ceilings are turned upside down.
    """

    heights: Ints
    diagonal: Ints
    splits: Ints
    split_count: Ints
    own_heights: Ints
    own_diagonal: Ints
    own_splits: Ints
    own_split_count: Ints


@dataclass(eq=False)
class _Sectors:
    """The sectors of rooms, and of the rooms behind their wall portals, flat."""

    joined: JoinedSectors
    wall: Bools  #: walls that are not on the border.
    diagonal: Ints
    portal: Bools  #: sectors with a wall portal; `textured`: with faces.
    textured: Bools
    #: behind_wall, behind_diagonal: of the sector behind.
    behind_wall: Bools
    behind_diagonal: Ints
    behind_nothing: Bools  #: sectors with a wall portal to a position outside of the other room.
    floor: _Edges
    ceiling: _Edges


def _sectors(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> _Sectors:
    # A portal to a room that does not exist is none.
    behind = [(room, each) for room, each in rooms.behind_rooms(some) if each.room is not None]
    # Rooms that are only behind portals follow the others.
    all_rooms = {id(room): room for room in some}
    all_rooms |= {id(each.room): each.room for _, each in behind if each.room is not None}
    joined = JoinedSectors(list(all_rooms.values()))
    diagonals = joined.diagonals()
    count = len(joined.wall)
    sectors = _Sectors(
        joined,
        joined.wall & ~joined.border,
        diagonals[0],
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
        np.zeros(count, np.bool_),
        _edges(joined, lambda shape: shape.floor, diagonals[0], 1),
        _edges(joined, lambda shape: shape.ceiling, diagonals[1], -1),
    )
    if behind:
        _put_behind(sectors, dict(zip(all_rooms, joined.starts.tolist(), strict=False)), behind)
    return sectors


def _edges(
    joined: JoinedSectors, surface: Callable[[RoomShape], SectorSurface], diagonal: Ints, sign: int
) -> _Edges:
    heights = joined.of(lambda shape: surface(shape).heights)
    if sign < 0:
        heights = -heights
    split_count = joined.of(lambda shape: surface(shape).split_count)
    most = int(split_count.max(initial=0))
    splits = joined.of(lambda shape: surface(shape).splits[:, :, :most])
    if sign < 0:
        splits = -splits
    return _Edges(
        heights.copy(),
        diagonal.copy(),
        splits.copy(),
        split_count.copy(),
        heights,
        diagonal,
        splits,
        split_count,
    )


def _put_behind(
    sectors: _Sectors, starts: Mapping[int, int], behind: Sequence[tuple[ProjectRoom, Behind]]
) -> None:
    """Set the surfaces of sectors with wall portals to those of the sectors behind.

    `starts`: the first sector of each room, by its identity. `behind`: for each portal, with its room.
    """
    sector = np.concatenate([each.sectors + starts[id(room)] for room, each in behind])
    if len(behind) > 1 and len(np.unique(sector)) < len(sector):
        for portal in behind:  # of several portals at a sector, the last one counts
            _put_behind(sectors, starts, [portal])
        return
    counts = [len(each.sectors) for _, each in behind]
    behind_sector = np.concatenate(
        [
            np.where(each.others == UNLINKED, UNLINKED, each.others + starts.get(id(each.room), 0))
            for _, each in behind
        ]
    )
    drops = [0 if each.room is None else each.room.y - room.y for room, each in behind]
    sectors.portal[sector] = True
    sectors.textured[sector] = np.repeat([each.portal.opacity != Opacity.NONE for _, each in behind], counts)
    exists, drop = behind_sector != UNLINKED, np.repeat(drops, counts)
    sectors.behind_nothing[sector] = ~exists
    for edges, sign in ((sectors.floor, 1), (sectors.ceiling, -1)):
        edges.heights[sector], edges.diagonal[sector] = sign * drop[:, None], 0
    sector, behind_sector, drop = sector[exists], behind_sector[exists], drop[exists]
    sectors.behind_wall[sector] = sectors.wall[behind_sector]
    sectors.behind_diagonal[sector] = sectors.diagonal[behind_sector]
    _replace(sectors.floor, sector, behind_sector, drop)
    _replace(sectors.ceiling, sector, behind_sector, -drop)


def _replace(edges: _Edges, sector: Ints, behind_sector: Ints, drop: Ints) -> None:
    """Set the surfaces of sectors with wall portals to those of the sectors behind."""
    edges.heights[sector] = edges.own_heights[behind_sector] + drop[:, None]
    edges.diagonal[sector] = edges.own_diagonal[behind_sector]
    count = edges.own_split_count[behind_sector]
    if count.any():
        splits = edges.own_splits[behind_sector] + drop[:, None, None]
        is_used = (np.arange(splits.shape[1]) < count[:, None])[:, :, None]
        edges.splits[sector] = np.where(is_used, splits, edges.splits[sector])
        edges.split_count[sector] = np.maximum(edges.split_count[sector], count)


@dataclass(eq=False)
class _Lines(Columns):
    """Floor sides, or ceiling sides upside down, one row each."""

    top: Annotated[Ints, 2]  #: (m, 2): the own edge, at the start and the end.
    #: low, high: (m, 2): the neighbor's floor and ceiling (ceiling sides: ceiling and floor).
    low: Annotated[Ints, 2]
    high: Annotated[Ints, 2]
    splits: Ints  #: (m, s, 2); `split_count`: (m,).
    split_count: Ints
    over: Bools  #: geometry may cross the neighbor's.
    flat: Bools  #: below the flat triangle of a diagonal.


def wall_faces(rooms: ProjectRooms, some: Sequence[ProjectRoom]) -> list[Faces]:
    """Return the faces of all walls of rooms; sectors are numbered as in :class:`.joined.JoinedSectors`."""
    sectors = _sectors(rooms, some)
    count = sum(room.shape.wall.size for room in some)
    rows = [
        *(_straight(sectors, side, count) for side in SIDES),
        _diagonal(sectors, True, count),
        _diagonal(sectors, False, count),
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
        row, number, upper, lower = (values[keep[row]] for values in (row, number, upper, lower))
        if sign < 0:
            upper, lower = -lower, -upper
        result.append(
            _between(sectors.joined, sector[row], numbers[number] + side[row], corners[row], upper, lower)
        )
    row = np.flatnonzero(middle & _either(tops[0] != tops[1]))
    faces = Face.MIDDLE + side[row]
    result.append(_between(sectors.joined, sector[row], faces, corners[row], tops[1][row], tops[0][row]))
    return result


def old_wall_parts(rooms: ProjectRooms, room: ProjectRoom) -> Bools:
    """Return which parts of straight walls exist by the rule of the old room editor, (faces, sectors).

    It knows one split, and has the part at the edge wherever there is a wall, down to the split where that is
    between both floors. See :func:`.repair.parts_beyond`.
    """
    sectors = _sectors(rooms, [room])
    count = room.shape.wall.size
    result = np.zeros((Face.FLOOR, count), np.bool_)
    for side in SIDES:
        row = _straight(sectors, side, count)
        is_wall = (sectors.joined.border | sectors.wall)[row.sector]
        for lines, numbers in ((row.floor, FLOOR_SIDE), (row.ceiling, CEILING_SIDE)):
            for number, exists in zip(numbers[:2], _old_parts(lines, is_wall), strict=True):
                result[number + side, row.sector[exists]] = True
    return result


def _old_parts(lines: _Lines, is_wall: Bools) -> tuple[Bools, Bools]:
    """Return whether the part at the edge and the one below the first split exist, by the old rule."""
    top, low, high, split = lines.top, lines.low, lines.high, lines.splits[:, 0]
    top = np.where(_both(top >= high)[:, None], high, top)
    for limit in (low, high):
        crosses = _either(top > limit) & _either(top < limit)
        top = np.where((is_wall & crosses)[:, None], limit, top)
    exists = _either(top != low)
    below = exists & _both(split >= low) & _both(top >= split) & _either(split != low)
    bottom = np.where(below[:, None], split, low)
    return exists & _both(top >= bottom) & _either(top > bottom), below


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


def _straight(sectors: _Sectors, side: SectorSide, count: int) -> _Rows:
    """Return the walls of the first sectors that face a direction. The neighbor is never on the border."""
    (step_x, step_z), own_corners, corners = SIDES[side]
    neighbor = np.flatnonzero(~sectors.joined.border[:count])
    sector = neighbor - step_x - step_z * sectors.joined.x_sectors[neighbor]
    free = ~_blocked(sectors.wall[neighbor], sectors.diagonal[neighbor], corners)
    sector, neighbor = sector[free], neighbor[free]
    is_candidate = _may_have_walls(sectors, sector, neighbor, own_corners, corners)
    sector, neighbor = sector[is_candidate], neighbor[is_candidate]
    border, wall, portal, textured = (
        each[sector] for each in (sectors.joined.border, sectors.wall, sectors.portal, sectors.textured)
    )
    behind_wall, behind_diagonal = sectors.behind_wall[sector], sectors.behind_diagonal[sector]
    own_diagonal = sectors.diagonal[sector]
    passes = portal & ~textured
    over = np.where(
        portal,
        passes & ~sectors.behind_nothing[sector] & (~behind_wall | _is_one_of(behind_diagonal - 1, corners)),
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
        diagonal = edges.own_diagonal[sector]
        opposite = (diagonal + 1) % 4
        flat = (diagonal != 0) & _is_one_of(opposite, own_corners)
        lines.append(
            _Lines(
                _edge(edges.heights[sector], edges.diagonal[sector], own_corners),
                low,
                high,
                edges.splits[sector][:, :, list(own_corners)],
                edges.split_count[sector],
                over,
                flat,
            )
        )
    always = np.ones(len(sector), np.bool_)
    ends = np.broadcast_to(np.array(own_corners), (len(sector), 2))
    return _Rows(side, sector, ends, middle, always, always, *lines)


def _may_have_walls(
    sectors: _Sectors, sector: Ints, neighbor: Ints, own_corners: Sequence[int], corners: Sequence[int]
) -> Bools:
    """Return which sectors may have a wall towards a neighbor: not those whose edges are at equal heights."""
    result = sectors.joined.border[sector] | sectors.wall[sector] | sectors.portal[sector]
    for edges in (sectors.floor, sectors.ceiling):
        result |= (edges.split_count[sector] > 0) | (edges.own_diagonal[sector] != 0)
        result |= edges.own_diagonal[neighbor] != 0
        for own_corner, corner in zip(own_corners, corners, strict=True):
            result |= edges.own_heights[sector, own_corner] != edges.own_heights[neighbor, corner]
    return result


def _diagonal(sectors: _Sectors, floor: bool, count: int) -> _Rows:
    """Return the walls on the cuts of diagonal floors, with all parts of walls, or of diagonal ceilings.

    `count`: the number of sectors that count, the first ones.
    """
    cut = sectors.floor.own_diagonal if floor else sectors.ceiling.own_diagonal
    sector = np.flatnonzero(((cut != 0) & (floor | ~sectors.wall))[:count])
    diagonal, wall = cut[sector], sectors.wall[sector]
    ends = np.stack([(diagonal + 2) % 4, diagonal % 4], axis=1)
    opposite = np.repeat(((diagonal + 1) % 4)[:, None], 2, axis=1)
    never, always = np.zeros(len(sector), np.bool_), np.ones(len(sector), np.bool_)
    lines = [
        _Lines(
            np.take_along_axis(edges.own_heights[sector], ends, axis=1),
            np.take_along_axis(edges.own_heights[sector], opposite, axis=1),
            -np.take_along_axis(against.own_heights[sector], np.where(wall[:, None], opposite, ends), axis=1),
            np.take_along_axis(edges.splits[sector], ends[:, None], axis=2),
            edges.split_count[sector],
            never,
            never,
        )
        for edges, against in ((sectors.floor, sectors.ceiling), (sectors.ceiling, sectors.floor))
    ]
    return _Rows(
        SectorSide.DIAGONAL, sector, ends, wall, always if floor else never, wall if floor else always, *lines
    )


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
    return _Lines.join(replace(row, splits=_with_columns(row.splits, most)) for row in rows)


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
    is_cut = ~drawn & crossing & _both(values == top)
    lower_of_both = np.minimum(values, lower)
    lowest = np.minimum(lower_of_both[..., 0], lower_of_both[..., 1])
    lower = np.where(is_cut[..., None], lowest[..., None], lower)
    exists &= (drawn | is_cut) & _either(values > lower)
    row, number = np.nonzero(exists)
    return row, number, values[row, number], lower[row, number]


def _between(
    joined: JoinedSectors, sector: Ints, face: Ints, corners: Ints, upper: Ints, lower: Ints
) -> Faces:
    """Return faces between two lines, (n, 2) at the start and the end; where these meet, triangles."""
    # At the start and the end.
    positions = np.stack([joined.x[sector], joined.z[sector]], axis=1)[:, None] + CORNERS[corners]
    quads = _both(upper != lower)
    meets_at_end = upper[:, 1] == lower[:, 1]
    # Quads: bottom and top of the start, top and bottom of the end.
    ends = np.where(quads[:, None], [0, 0, 1, 1], [0, 1, 1, 1])
    ends[~quads & meets_at_end] = [0, 1, 0, 0]
    tops = np.where(quads[:, None], [False, True, True, False], [True, True, False, False])
    rows = np.arange(len(sector))[:, None]
    result = np.empty((len(sector), 4, 3), np.int64)
    result[:, :, ::2] = positions[rows, ends] * SECTOR_SIZE
    result[:, :, 1] = np.where(tops, upper[rows, ends], lower[rows, ends])
    return Faces(sector, face.astype(np.int64), np.where(quads, 4, 3), result)


def _is_one_of(corner: Ints, corners: Sequence[int]) -> Bools:
    """Return whether numbers are those of two corners: faster than a search among any number."""
    first, second = corners
    return (corner == first) | (corner == second)
