"""Sectors of a project's rooms as records and floor data of a level.

Arrays are (z, x, ...) as in projects; levels store sectors x-major. Heights are in clicks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.columns import Columns
from .....base.arrays.typing import Bools, Ints, Records
from .....base.games import Game
from .....base.messages import T, about
from .....base.targets import Target
from .....levels.collision.sectors import NO_ROOM, join_boxes, new_sectors
from .....levels.collision.surfaces import WALL
from .....levels.floor.functions import FunctionType
from ...geometry.openings import (
    PASSABLE,
    Opening,
    ProjectRooms,
    RoomOpenings,
    clicks,
    diagonals,
    highest,
    is_plane,
    lowest,
)
from ...geometry.portal_sectors import UNLINKED
from ...model.objects import GhostBlock, Opacity, ProjectPortal
from ...model.rooms import ProjectRoom
from ...model.shape import XNZN, XNZP, XPZN, XPZP, Diagonal, SectorFlag
from ..plan.plan import Plan
from .ladders import ladders_of

_WORDS = 12  # at most of a sector without its trigger
_NONE = -1
_AT_ONCE = 32  # rooms
_HIGHEST = 127  # clicks
_SHIFTS = (-16, 15)
_DEEPEST = 15
_CLIMB = {
    SectorFlag.CLIMB_POSITIVE_Z: 0x100,
    SectorFlag.CLIMB_POSITIVE_X: 0x200,
    SectorFlag.CLIMB_NEGATIVE_Z: 0x400,
    SectorFlag.CLIMB_NEGATIVE_X: 0x800,
}
# By ceiling, then by the open triangle (none, first, second), then by the direction of the split.
_SPLITS = np.array(
    [
        [[0x07, 0x08], [0x0B, 0x0D], [0x0C, 0x0E]],
        [[0x09, 0x0A], [0x0F, 0x11], [0x10, 0x12]],
    ]
)
_FIRST = (Diagonal.XNZN, Diagonal.XNZP)  # corners whose triangle is the first one
_BOTH = 3


@dataclass(frozen=True, eq=False)
class Triangles(Columns):
    """A surface as floor data stores it."""

    heights: Annotated[Ints, 4]  #: (n, 4) relative heights of the corners; a step is removed.
    stepped: Annotated[Ints, 4]  #: (n, 4) the same with the step.
    step: Ints  #: (n,): the second triangle is higher by this.
    x_equals_z: Bools  #: (n,): the direction of the split.
    open_triangle: Ints  #: (n,): 0 none, 1 the first, 2 the second.
    wall_triangle: Ints  #: (n,): likewise; 3 for both.
    split: Bools  #: (n,): whether it is stored as two triangles.
    flat: Bools  #: (n,): whether nothing is stored.


class CompiledSectors(NamedTuple):
    """The sectors of a room."""

    records: Records  #: (n,) x-major; their floor data and boxes are not set.
    words: NDArray[np.uint16]  #: (n, k) the floor data of each sector without its trigger.
    counts: Ints  #: (n,) the numbers of words.
    lasts: Ints  #: (n,) the index of the last function's word among them, -1 for none.
    #: below, above: (n,) int32, the rooms below and above, -1 for none; records have no room for all.
    below: NDArray[np.int32]
    above: NDArray[np.int32]


def compile_sectors(plan: Plan, rooms: ProjectRooms) -> list[CompiledSectors]:
    """Return the sectors of all rooms with their floor data."""
    result: list[CompiledSectors] = []
    for start in range(0, len(plan.rooms), _AT_ONCE):
        result += _compile(plan, rooms, plan.rooms[start : start + _AT_ONCE])
    return result


def _compile(plan: Plan, rooms: ProjectRooms, part: Sequence[ProjectRoom]) -> list[CompiledSectors]:
    """Return the sectors of some rooms; operations on many sectors are much faster than room by room."""
    game = plan.target.game
    shapes = [room.shape for room in part]
    links = [rooms.links(room) for room in part]
    openings = rooms.openings_of(part, PASSABLE, ghosts=True)
    diagonal = [diagonals(shape) for shape in shapes]
    solids = [
        shape.border | (shape.wall & (floor == 0)) for shape, (floor, _) in zip(shapes, diagonal, strict=True)
    ]
    ends = np.cumsum([0, *(each.size for each in solids)])
    # From here on, the sectors of all rooms are in the order of levels.
    solid = joined(solids)
    bare, surfaces = _surfaces(game, part, openings, ends, solid)
    y = np.repeat([int(clicks(np.array(room.y))) for room in part], np.diff(ends))
    floor = -y - highest(surfaces[0].heights)
    ceiling = -y - lowest(surfaces[1].heights)
    below, above = (
        joined(
            [
                _beyond(
                    plan,
                    (link.floor, link.ceiling)[side],
                    (opening.floor, opening.ceiling)[side],
                    link.portals,
                )
                for link, opening in zip(links, openings, strict=True)
            ]
        )
        for side in (0, 1)
    )
    is_beyond = (below >= NO_ROOM, above >= NO_ROOM)
    behind = np.where(solid, joined([_behind(plan, link.wall, link.portals) for link in links]), _NONE)
    ladders = joined(
        [
            ladders_of(plan, rooms, room, walls & (link.wall == UNLINKED), opening.ceiling)
            for room, walls, link, opening in zip(part, solids, links, openings, strict=True)
        ]
    )
    is_ladder = ladders >= 0
    ladder_height = -y - lowest(bare[1])
    floor = np.where(solid, np.where(is_ladder, ladder_height, WALL), floor)
    ceiling = np.where(solid, np.where(is_ladder, ladder_height, WALL), ceiling)
    behind = np.where(is_ladder, ladders, behind)
    below, above = (np.where(solid, _NONE, each) for each in (below, above))
    records = new_sectors(len(solid), game)
    for name, values in (("floor", floor), ("ceiling", ceiling)):
        records[name] = values.clip(-_HIGHEST, _HIGHEST)
    for name, numbers in (("room_below", below), ("room_above", above)):
        records[name] = np.where((numbers < 0) | (numbers >= NO_ROOM), NO_ROOM, numbers)
    flags = joined([shape.flags for shape in shapes])
    words, counts, lasts = _functions(game, flags, solid, behind, surfaces)
    too_far = np.maximum(np.abs(floor), np.abs(ceiling)) > _HIGHEST
    whole = CompiledSectors(records, words, counts, lasts, below.astype(np.int32), above.astype(np.int32))
    result = []
    for room, start, end in zip(part, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        rows = slice(start, end)
        _warn_of_limits(plan, room, [each[rows] for each in is_beyond], too_far[rows])
        result.append(CompiledSectors._make(each[rows] for each in whole))
    return result


def _warn_of_limits(plan: Plan, room: ProjectRoom, is_beyond: Sequence[Bools], too_far: Bools) -> None:
    for each in is_beyond:
        if each.any() and plan.target.engine is not Target.TRX:
            text = T("sectors cannot name rooms above or below them from number {limit} on", limit=NO_ROOM)
            plan.log.warn(about(room.name, text))
    if too_far.any():
        plan.log.warn(about(room.name, T("it is too high or too low for the sectors of the game")))


def joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays (z, x, ...), one of each room, in the order of levels, (n, ...)."""
    sizes = [each.shape[0] * each.shape[1] for each in arrays]
    return np.concatenate(
        [each.swapaxes(0, 1).reshape(size, *each.shape[2:]) for each, size in zip(arrays, sizes, strict=True)]
    )


# --- Rooms beyond openings ---------------------------------------------------------------------


def _beyond(plan: Plan, linked: Ints, opening: Ints, portals: Sequence[ProjectPortal]) -> Ints:
    """Return the index of the room behind the floor or ceiling of each sector, -1 for none."""
    numbers = np.array([plan.index.get(each.room, _NONE) for each in portals] + [_NONE])
    return np.where(opening != Opening.CLOSED, numbers[linked], _NONE)


def _behind(plan: Plan, linked: Ints, portals: Sequence[ProjectPortal]) -> Ints:
    """Return the index of the room behind the wall portal of each sector, -1 for none."""
    numbers = [
        _NONE if each.opacity == Opacity.SOLID_FACES else plan.index.get(each.room, _NONE) for each in portals
    ]
    return np.array([*numbers, _NONE])[linked]


# --- Shapes ------------------------------------------------------------------------------------


def _surfaces(
    game: Game, rooms: Sequence[ProjectRoom], openings: Sequence[RoomOpenings], ends: Ints, solid: Bools
) -> tuple[list[Ints], list[Triangles]]:
    """Return the heights of floors and ceilings without ghost blocks, and the surfaces with them.

    `ends`: the number of sectors before each room, and of all. `solid`: (n,) whether sectors are walls.
    """
    shapes = [room.shape for room in rooms]
    diagonal = [diagonals(shape) for shape in shapes]
    sides = [[shape.floor for shape in shapes], [shape.ceiling for shape in shapes]]
    opened = [each.floor for each in openings], [each.ceiling for each in openings]
    walls = joined([shape.wall for shape in shapes]) & ~solid
    bare = [clicks(joined([each.heights for each in side])) for side in sides]
    heights = _with_ghosts(rooms, ends, bare, walls)
    surfaces = [
        _triangles(
            bare[ceiling],
            heights[ceiling],
            joined([each[ceiling] for each in diagonal]),
            joined([each.x_equals_z for each in sides[ceiling]]),
            joined(opened[ceiling]),
            walls,
            splits=game.traits.has_triangulated_floors,
        )
        for ceiling in (0, 1)
    ]
    return bare, surfaces


def _with_ghosts(
    rooms: Sequence[ProjectRoom], ends: Ints, heights: Sequence[Ints], walls: Bools
) -> list[Ints]:
    """Return heights with the offsets of ghost blocks, which walls do not have."""
    result = list(heights)
    for room, start in zip(rooms, ends.tolist(), strict=False):
        for ghost in room.each(GhostBlock):
            index = start + ghost.x * room.shape.z_sectors + ghost.z
            if not room.shape.has_sector(ghost.x, ghost.z) or walls[index]:
                continue
            for surface, offsets in enumerate((ghost.floor, ghost.ceiling)):
                if result[surface] is heights[surface]:
                    result[surface] = heights[surface].copy()
                result[surface][index] = heights[surface][index] + clicks(np.array(offsets))
    return result


def _triangles(
    bare: Ints, heights: Ints, diagonal: Ints, x_equals_z: Bools, opening: Ints, walls: Bools,
    *, splits: bool,
) -> Triangles:  # fmt: skip
    """Return the shape of all floors or ceilings of sectors.

    Args:
        bare: (n, 4) without ghost blocks.
        heights: (n, 4) with them.
        diagonal: (n,) of this surface.
        x_equals_z: (n,) the stored direction.
        opening: (n,).
        walls: (n,), the walls with a diagonal.
        splits: whether the game has triangles.
    """
    level = lowest(heights) == highest(heights)
    half = np.where((opening != Opening.CLOSED) & (opening != Opening.FULL), opening, 0)
    if not (diagonal.any() or walls.any() or half.any()):
        none = np.zeros_like(diagonal)
        split = ~is_plane(heights) & splits
        return Triangles(heights, heights, none, x_equals_z, none, none, split, level)
    stepped = heights.copy()
    xnzp, xpzp, xpzn, xnzn = np.moveaxis(bare, -1, 0)
    step = np.zeros_like(xnzp)
    step = np.where(diagonal == Diagonal.XNZN, xpzp - xnzp, step)
    step = np.where(diagonal == Diagonal.XNZP, xpzn - xpzp, step)
    rise = np.where(diagonal == Diagonal.XPZN, xnzp - xnzn, 0)
    rise = np.where(diagonal == Diagonal.XPZP, xnzn - xpzn, rise)
    for raised, kind in (
        (XNZN, Diagonal.XPZN),
        (XPZP, Diagonal.XPZN),
        (XPZN, Diagonal.XPZP),
        (XNZP, Diagonal.XPZP),
    ):
        stepped[..., raised] += np.where(diagonal == kind, rise, 0)
    step = step - rise
    corner = np.where(half != 0, half, diagonal)  # the corner of one of the triangles
    direction = np.where(corner != 0, corner % 2 == 1, x_equals_z)
    lowered = stepped.copy()
    lowered[..., XPZN] -= np.where(direction, step, 0)
    lowered[..., XPZP] -= np.where(direction, 0, step)
    opened = np.where(half == 0, 0, np.where(np.isin(half, _FIRST), 1, 2))
    solid = np.where(diagonal == 0, _BOTH, np.where(np.isin(diagonal, _FIRST), 1, 2)) * walls
    divided = (step != 0) | (opened != 0) | (solid % _BOTH != 0)
    level = (lowest(stepped) == highest(stepped)) & ~divided
    split = (~is_plane(stepped) | divided) & splits
    return Triangles(lowered, stepped, step, direction, opened, solid, split, level)


def _split_words(surface: Triangles, opposite: Ints, *, ceiling: bool) -> tuple[Ints, Ints]:
    """Return both words of split surfaces, (n,) each.

    `opposite`: (n,) the extreme height of the surface on the other side.
    """
    # Floors are measured from their highest point, ceilings from their lowest: floors are inverted.
    sign = 1 if ceiling else -1
    heights = surface.heights * sign
    low = lowest(heights)
    first, second = (lowest(_extended(heights, surface.x_equals_z, triangle)) - low for triangle in (0, 1))
    second = second + surface.step * sign
    stepped = surface.stepped
    beyond = np.abs(np.stack([highest(stepped), lowest(stepped)]) - opposite).max(axis=0) // 2 + 1
    first, second = (
        np.where(surface.wall_triangle % 2 == 1, second - beyond, first),
        np.where(surface.wall_triangle == 2, first - beyond, second),
    )
    first, second = (np.clip(-each if ceiling else each, *_SHIFTS) for each in (first, second))
    opened = surface.open_triangle
    function = _SPLITS[int(ceiling)][opened, surface.x_equals_z.astype(np.int64)]
    depth = (highest(heights)[..., None] - heights).clip(0, _DEEPEST)
    order = (XPZP, XNZP, XNZN, XPZN) if ceiling else (XPZN, XNZN, XNZP, XPZP)
    nibbles = sum(depth[..., corner] << 4 * index for index, corner in enumerate(order))
    return function | (second & 31) << 5 | (first & 31) << 10, np.asarray(nibbles)


def _extended(heights: Ints, x_equals_z: Bools, triangle: int) -> Ints:
    """Return the heights (n, 4) of the first or the second triangle's plane, with the fourth corner."""
    result = heights.copy()
    if triangle == 0:
        corners_by_split = ((XPZN, XNZN, XPZP, XNZP), (XPZP, XNZP, XPZN, XNZN))
    else:
        corners_by_split = ((XNZP, XNZN, XPZP, XPZN), (XNZN, XNZP, XPZN, XPZP))
    for chosen, (corner, a, b, c) in zip((x_equals_z, ~x_equals_z), corners_by_split, strict=True):
        value = heights[..., a] + heights[..., b] - heights[..., c]
        result[..., corner] = np.where(chosen, value, result[..., corner])
    return result


def _functions(
    game: Game, flags: Ints, solid: Bools, behind: Ints, surfaces: Sequence[Triangles]
) -> tuple[NDArray[np.uint16], Ints, Ints]:
    """Return the words of sectors' functions but triggers, their number, and the last function's index."""
    traits = game.traits
    parts: list[tuple[Bools, list[Ints]]] = []
    extremes = (highest(surfaces[1].stepped), lowest(surfaces[0].stepped))
    parts.append((behind >= 0, [np.full_like(behind, FunctionType.PORTAL), behind]))
    for ceiling, (surface, kind) in enumerate(
        zip(surfaces, (FunctionType.FLOOR_SLANT, FunctionType.CEILING_SLANT), strict=True)
    ):
        xnzp, _, xpzn, xnzn = np.moveaxis(surface.stepped, -1, 0)
        slope_x = (xpzn - xnzn).clip(-_HIGHEST, _HIGHEST)
        slope_z = (xnzp - xnzn).clip(-_HIGHEST, _HIGHEST) * (-1 if ceiling else 1)
        slopes = slope_x & 0xFF | (slope_z & 0xFF) << 8
        is_split = ~solid & surface.split
        rows = np.flatnonzero(is_split)
        if len(rows):
            words = [np.zeros_like(slopes), np.zeros_like(slopes)]
            split_surfaces = surface.take(rows)
            split_words = _split_words(split_surfaces, extremes[ceiling][rows], ceiling=bool(ceiling))
            for word, values in zip(words, split_words, strict=True):
                word[rows] = values
            parts.append((is_split, words))
        is_plain = ~solid & ~surface.split & ~surface.flat
        parts.append((is_plain, [np.full_like(slopes, kind), slopes]))

    def flag(mark: SectorFlag) -> Bools:
        return ~solid & (flags & mark != 0)

    def mark(where: Bools, word: Ints | int) -> None:
        parts.append((where, [np.broadcast_to(np.asarray(word, np.int64), solid.shape)]))

    mark(flag(SectorFlag.DEATH), FunctionType.DEATH)
    if traits.has_climbable_walls:
        sides = sum(np.where(flags & each != 0, bit, 0) for each, bit in _CLIMB.items())
        mark(~solid & (np.asarray(sides) != 0), np.asarray(sides) | FunctionType.CLIMB)
    if traits.has_sector_marks:
        mark(flag(SectorFlag.MONKEY), FunctionType.MONKEY_SWING)
        mark(flag(SectorFlag.TRIGGER_TRIGGERER), FunctionType.DEFERRED)
        mark(flag(SectorFlag.BEETLE), FunctionType.BEETLE)
    size = solid.size
    content = np.zeros((size, _WORDS + 2), np.uint16)
    counts, lasts = np.zeros(size, np.int64), np.full(size, -1)
    for where, each in parts:
        rows = np.flatnonzero(where)
        if not len(rows):
            continue
        lasts[rows] = counts[rows]
        for word in each:
            content[rows, counts[rows]] = word[rows] & 0xFFFF
            counts[rows] += 1
    return content, counts, lasts


# --- Floor data --------------------------------------------------------------------------------


def put_materials(records: Records, materials: Ints, boxes: NDArray[np.int32], game: Game) -> None:
    """Set the box fields of sectors, (n,) x-major.

    `materials`: (z, x) the materials of footsteps. `boxes`: (n,), -1 for none.
    """
    none = np.zeros(len(records), np.bool_)
    records["box"] = join_boxes(boxes, (materials & 15).T.reshape(-1).astype(np.uint8), none, game)
