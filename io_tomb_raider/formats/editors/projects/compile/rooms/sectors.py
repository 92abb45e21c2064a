"""Sectors of a project's rooms as records and floor data of a level.

Arrays are (z, x, ...) as in projects; levels store sectors x-major. Heights are in clicks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.columns import Columns
from .....base.arrays.distinct import equal_rows
from .....base.arrays.typing import Bools, Ints
from .....base.errors import ExportError
from .....base.games import Game
from .....base.messages import T, about
from .....base.targets import Target
from .....levels.collision.sectors import NO_ROOM, join_boxes, new_sectors
from .....levels.collision.surfaces import WALL
from .....levels.floor.floor_data import INDEX_LIMIT, encode
from .....levels.floor.functions import FunctionType
from .....levels.floor.functions import Trigger as FloorTrigger
from .....levels.floor.grammar import END, Rules
from ...geometry.openings import (
    PASSABLE,
    UNLINKED,
    Opening,
    ProjectRooms,
    diagonals,
    highest,
    is_plane,
    lowest,
)
from ...model.objects import GhostBlock, Opacity, Portal
from ...model.rooms import Room
from ...model.shape import XNZN, XNZP, XPZN, XPZP, Diagonal, SectorFlag
from ..plan.plan import Plan, clicks

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


class RoomSectors(NamedTuple):
    """The sectors of a room."""

    records: NDArray[np.void]  #: (n,) x-major; their floor data and boxes are not set.
    words: NDArray[np.uint16]  #: (n, k) uint16, the floor data of each sector without its trigger, and
    counts: Ints  #: (n,) the numbers of words.
    lasts: Ints  #: (n,) the index of the last function's word among them, -1 for none.
    #: below, above: (n,) int32, the rooms below and above, -1 for none; records have no room for all.
    below: NDArray[np.int32]
    above: NDArray[np.int32]


def compile_sectors(plan: Plan, rooms: ProjectRooms) -> list[RoomSectors]:
    """Return the sectors of all rooms with their floor data.

    Args:
        plan: the rooms, and their numbers; warnings go to its log.
    """
    result: list[RoomSectors] = []
    for start in range(0, len(plan.rooms), _AT_ONCE):
        result += _compile(plan, rooms, plan.rooms[start : start + _AT_ONCE])
    return result


def _compile(plan: Plan, rooms: ProjectRooms, some: Sequence[Room]) -> list[RoomSectors]:
    """Return the sectors of some rooms; operations on many sectors are much faster than room by room."""
    game = plan.target.game
    shapes = [room.shape for room in some]
    links = [rooms.links(room) for room in some]
    openings = rooms.openings_of(some, PASSABLE, ghosts=True)
    diagonal = [diagonals(shape) for shape in shapes]
    solids = [
        shape.border | (shape.wall & (own[0] == 0)) for shape, own in zip(shapes, diagonal, strict=True)
    ]
    ends = np.cumsum([0, *(each.size for each in solids)])
    # From here on, the sectors of all rooms are in the order of levels.
    solid = joined(solids)
    cuts = [joined([own[ceiling] for own in diagonal]) for ceiling in (0, 1)]
    bare = [
        clicks(joined([(shape.floor, shape.ceiling)[ceiling].heights for shape in shapes]))
        for ceiling in (0, 1)
    ]
    opened = [joined([(each.floor, each.ceiling)[ceiling] for each in openings]) for ceiling in (0, 1)]
    directions = [
        joined([(shape.floor, shape.ceiling)[ceiling].x_equals_z for shape in shapes]) for ceiling in (0, 1)
    ]
    walls = joined([shape.wall for shape in shapes]) & ~solid
    heights = _with_ghosts(some, ends, bare, walls)
    surfaces = [
        _triangles(
            bare[ceiling], heights[ceiling], cuts[ceiling], directions[ceiling], opened[ceiling], walls,
            splits=game.traits.has_triangulated_floors,
        )
        for ceiling in (0, 1)
    ]  # fmt: skip
    y = np.repeat([int(clicks(np.array(room.y))) for room in some], np.diff(ends))
    floor = -y - highest(surfaces[0].heights)
    ceiling = -y - lowest(surfaces[1].heights)
    below, above = (
        joined(
            [
                _beyond(plan, (link.floor, link.ceiling)[side], (own.floor, own.ceiling)[side], link.portals)
                for link, own in zip(links, openings, strict=True)
            ]
        )
        for side in (0, 1)
    )
    is_beyond = (below >= NO_ROOM, above >= NO_ROOM)
    behind = np.where(solid, joined([_behind(plan, link.wall, link.portals) for link in links]), _NONE)
    ladders = joined(
        [
            _ladders(plan, rooms, room, own & (link.wall == UNLINKED), opening.ceiling)
            for room, own, link, opening in zip(some, solids, links, openings, strict=True)
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
    below, above = below.astype(np.int32), above.astype(np.int32)
    too_far = np.maximum(np.abs(floor), np.abs(ceiling)) > _HIGHEST
    result = []
    for room, start, end in zip(some, ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        own = slice(start, end)
        for each in is_beyond:
            if each[own].any() and plan.target.engine is not Target.TRX:
                _warn_of_rooms_beyond(plan, room)
        if too_far[own].any():
            plan.log.warn(about(room.name, T("it is too high or too low for the sectors of the game")))
        result.append(RoomSectors(records[own], words[own], counts[own], lasts[own], below[own], above[own]))
    return result


def joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays (z, x, ...), one of each room, in the order of levels, (n, ...)."""
    sizes = [each.shape[0] * each.shape[1] for each in arrays]
    return np.concatenate(
        [each.swapaxes(0, 1).reshape(size, *each.shape[2:]) for each, size in zip(arrays, sizes, strict=True)]
    )


def _major(values: NDArray[Any]) -> NDArray[Any]:
    """Return values (z, x) in the order of levels, (n,)."""
    return np.ascontiguousarray(values.T).reshape(-1)


# --- Rooms beyond openings ---------------------------------------------------------------------


def _beyond(plan: Plan, linked: Ints, opening: Ints, portals: Sequence[Portal]) -> Ints:
    """Return the index of the room behind the floor or ceiling of each sector, -1 for none."""
    numbers = np.array([plan.index.get(each.room, _NONE) for each in portals] + [_NONE])
    return np.where(opening != Opening.CLOSED, numbers[linked], _NONE)


def _warn_of_rooms_beyond(plan: Plan, room: Room) -> None:
    plan.log.warn(
        about(
            room.name,
            T("sectors cannot name rooms above or below them from number {limit} on", limit=NO_ROOM),
        )
    )


def _behind(plan: Plan, linked: Ints, portals: Sequence[Portal]) -> Ints:
    """Return the index of the room behind the wall portal of each sector, -1 for none."""
    numbers = [
        _NONE if each.opacity == Opacity.SOLID_FACES else plan.index.get(each.room, _NONE) for each in portals
    ]
    return np.array([*numbers, _NONE])[linked]


def ladder_rooms(plan: Plan, rooms: ProjectRooms, room: Room) -> Ints:
    """Return the rooms into which ladders on a room's walls lead, (z, x), -1 for none."""
    shape = room.shape
    walls = shape.border | (shape.wall & (diagonals(shape)[0] == 0))
    walls &= rooms.links(room).wall == UNLINKED
    return _ladders(plan, rooms, room, walls, rooms.collision_openings(room).ceiling)


def _ladders(plan: Plan, rooms: ProjectRooms, room: Room, walls: Bools, ceiling_opening: Ints) -> Ints:
    """Return the rooms into which ladders on walls lead, by sector, -1 for none.

    Lara climbs up along a wall and through a ceiling portal next to it: the wall's sector leads into the room
    above.
    """
    shape = room.shape
    result = np.full(shape.wall.shape, _NONE)
    links = rooms.links(room)
    used = np.unique(links.ceiling, return_index=True)
    order = [
        number for _, number in sorted(zip(used[1].tolist(), used[0].tolist(), strict=True)) if number >= 0
    ]
    if not order:
        return result
    air = ~(shape.wall | shape.border)
    next_to = np.zeros_like(air)
    next_to[1:] |= air[:-1]
    next_to[:-1] |= air[1:]
    next_to[:, 1:] |= air[:, :-1]
    next_to[:, :-1] |= air[:, 1:]
    left = walls & next_to
    for number in order:
        portal = links.portals[number]
        x0, z0, x1, z1 = portal.area
        inside = np.zeros_like(left)
        inside[max(z0 - 1, 0) : z1 + 2, max(x0 - 1, 0) : x1 + 2] = True
        for z, x in np.argwhere(left & inside).tolist():  # few sectors per room
            found = _ladder(plan, rooms, room, portal.room, z, x, ceiling_opening)
            if found >= 0:
                result[z, x], left[z, x] = found, False
    return result


def _ladder(
    plan: Plan, rooms: ProjectRooms, room: Room, above: int, z: int, x: int, ceiling_opening: Ints
) -> int:
    links = rooms.links(room)
    if not room.shape.border[z, x] and ceiling_opening[z, x] == Opening.CLOSED:
        own = links.ceiling[z, x]
        over = _sector_in(rooms, room, above if own == UNLINKED else links.portals[own].room, z, x)
        if over is None or _is_wall(*over):
            return _NONE
    found = _sector_in(rooms, room, above, z, x)
    if found is None:
        return _NONE
    other, oz, ox = found
    if not _is_wall(other, oz, ox):
        return plan.index.get(above, _NONE)
    if room.shape.border[z, x] and other.shape.border[oz, ox]:
        linked = rooms.links(other).wall[oz, ox]
        if linked != UNLINKED:
            return plan.index.get(rooms.links(other).portals[linked].room, _NONE)
    return _NONE


def _is_wall(room: Room, z: int, x: int) -> bool:
    return bool(room.shape.wall[z, x] or room.shape.border[z, x])


def _sector_in(rooms: ProjectRooms, room: Room, number: int, z: int, x: int) -> tuple[Room, int, int] | None:
    """Return another room, and the place there of a room's sector, None outside."""
    other = rooms.by_number.get(number)
    if other is None:
        return None
    oz, ox = z + room.z - other.z, x + room.x - other.x
    inside = 0 <= oz < other.shape.z_sectors and 0 <= ox < other.shape.x_sectors
    return (other, oz, ox) if inside else None


# --- Shapes ------------------------------------------------------------------------------------


def _with_ghosts(rooms: Sequence[Room], ends: Ints, heights: Sequence[Ints], walls: Bools) -> list[Ints]:
    """Return heights with the offsets of ghost blocks, which walls do not have."""
    result = list(heights)
    for room, start in zip(rooms, ends.tolist(), strict=False):
        for ghost in room.each(GhostBlock):
            inside = 0 <= ghost.x < room.shape.x_sectors and 0 <= ghost.z < room.shape.z_sectors
            place = start + ghost.x * room.shape.z_sectors + ghost.z
            if not inside or walls[place]:
                continue
            for surface, offsets in enumerate((ghost.floor, ghost.ceiling)):
                if result[surface] is heights[surface]:
                    result[surface] = heights[surface].copy()
                result[surface][place] = heights[surface][place] + clicks(np.array(offsets))
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
    part = np.where((opening != Opening.CLOSED) & (opening != Opening.FULL), opening, 0)
    if not (diagonal.any() or walls.any() or part.any()):
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
    for raised, which in (
        (XNZN, Diagonal.XPZN),
        (XPZP, Diagonal.XPZN),
        (XPZN, Diagonal.XPZP),
        (XNZP, Diagonal.XPZP),
    ):
        stepped[..., raised] += np.where(diagonal == which, rise, 0)
    step = step - rise
    corner = np.where(part != 0, part, diagonal)  # the corner of one of the triangles
    direction = np.where(corner != 0, corner % 2 == 1, x_equals_z)
    lowered = stepped.copy()
    lowered[..., XPZN] -= np.where(direction, step, 0)
    lowered[..., XPZP] -= np.where(direction, 0, step)
    opened = np.where(part == 0, 0, np.where(np.isin(part, _FIRST), 1, 2))
    solid = np.where(diagonal == 0, _BOTH, np.where(np.isin(diagonal, _FIRST), 1, 2)) * walls
    divided = (step != 0) | (opened != 0) | (solid % _BOTH != 0)
    level = (lowest(stepped) == highest(stepped)) & ~divided
    split = (~is_plane(stepped) | divided) & splits
    return Triangles(lowered, stepped, step, direction, opened, solid, split, level)


def _split_words(surface: Triangles, opposite: Ints, *, ceiling: bool) -> tuple[Ints, Ints]:
    """Return both words of split surfaces, (n,) each.

    Args:
        opposite: (n,) the extreme height of the surface on the other side.
        ceiling: whether it is a ceiling.
    """
    # Floors stand on their highest point, ceilings hang from their lowest: floors are turned round.
    sign = 1 if ceiling else -1
    heights = surface.heights * sign
    low = lowest(heights)
    first, second = (lowest(_extended(heights, surface.x_equals_z, which)) - low for which in (0, 1))
    second = second + surface.step * sign
    own = surface.stepped
    away = np.abs(np.stack([highest(own), lowest(own)]) - opposite).max(axis=0) // 2 + 1
    first, second = (
        np.where(surface.wall_triangle % 2 == 1, second - away, first),
        np.where(surface.wall_triangle == 2, first - away, second),
    )
    first, second = (np.clip(-each if ceiling else each, *_SHIFTS) for each in (first, second))
    opened = surface.open_triangle
    function = _SPLITS[int(ceiling)][opened, surface.x_equals_z.astype(np.int64)]
    depth = (highest(heights)[..., None] - heights).clip(0, _DEEPEST)
    order = (XPZP, XNZP, XNZN, XPZN) if ceiling else (XPZN, XNZN, XNZP, XPZP)
    nibbles = sum(depth[..., corner] << 4 * place for place, corner in enumerate(order))
    return function | (second & 31) << 5 | (first & 31) << 10, np.asarray(nibbles)


def _extended(heights: Ints, x_equals_z: Bools, which: int) -> Ints:
    """Return the heights (n, 4) of the first or the second triangle's plane, with the fourth corner."""
    made = heights.copy()
    if which == 0:
        apart = ((XPZN, XNZN, XPZP, XNZP), (XPZP, XNZP, XPZN, XNZN))
    else:
        apart = ((XNZP, XNZN, XPZP, XPZN), (XNZN, XNZP, XPZN, XPZP))
    for chosen, (corner, one, other, across) in zip((x_equals_z, ~x_equals_z), apart, strict=True):
        value = heights[..., one] + heights[..., other] - heights[..., across]
        made[..., corner] = np.where(chosen, value, made[..., corner])
    return made


def _functions(
    game: Game, flags: Ints, solid: Bools, behind: Ints, surfaces: Sequence[Triangles]
) -> tuple[NDArray[np.uint16], Ints, Ints]:
    """Return the words of sectors' functions but triggers, their number, and the last function's place."""
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
            some = surface.take(rows)
            found = _split_words(some, extremes[ceiling][rows], ceiling=bool(ceiling))
            for word, values in zip(words, found, strict=True):
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

# By sector (z, x), the trigger and the numbers of its objects.
SectorTriggers = Mapping[tuple[int, int], tuple[FloorTrigger, tuple[int, ...]]]


@dataclass
class FloorWriter:
    """Writes the floor data of a level."""

    rules: Rules  #: the rules for triggers.
    shared: bool  #: whether equal lists are stored once.

    def write(
        self, rooms: Sequence[RoomSectors], triggers: Sequence[SectorTriggers], z_sectors: Sequence[int]
    ) -> NDArray[np.uint16]:
        """Return the floor data of all rooms, and set that of their sectors.

        Lists are shared if there would be too many words otherwise.

        Args:
            triggers: by room.
            z_sectors: by room, the number of sectors along z.

        Raises:
            ExportError: if even shared lists have too many words.
        """
        lists = _Lists.of(rooms, triggers, z_sectors, self.rules)
        number = np.arange(len(lists.lengths))
        first = number
        if self.shared or 1 + int(lists.lengths.sum()) > INDEX_LIMIT:
            first, number = lists.distinct()
        lengths = lists.lengths[first]
        starts = 1 + np.cumsum(lengths) - lengths
        if len(starts) and int(starts[-1]) > INDEX_LIMIT:
            raise ExportError(
                T("floor data"),
                T("a list starts at too high a position"),
                count=int(starts[-1]),
                limit=INDEX_LIMIT,
            )
        content = np.zeros(1 + int(lengths.sum()), np.uint16)
        used = np.arange(lists.words.shape[1]) < lists.counts[first, None]
        content[(starts[:, None] + np.arange(lists.words.shape[1]))[used]] = lists.words[first][used]
        for place in np.flatnonzero(lists.trigger[first] >= 0).tolist():
            row = first[place]
            words = lists.triggers[lists.trigger[row]]
            after = starts[place] + lists.counts[row]
            content[after : after + len(words)] = words
        ends = np.cumsum([0, *map(len, lists.rows)]).tolist()
        for room, own, low, high in zip(rooms, lists.rows, ends[:-1], ends[1:], strict=True):
            room.records["floor_data"][own] = starts[number[low:high]]
        return content


class _Lists(NamedTuple):
    """The lists of functions of all sectors that have some."""

    rows: list[Ints]  #: by room, the sectors.
    words: NDArray[np.uint16]  #: (n, k) uint16, the words without triggers, 0 at the end, and
    counts: Ints  #: (n,) the numbers of words.
    trigger: Ints  #: (n,) the index of the trigger's words, -1 for none.
    triggers: list[NDArray[np.uint16]]  #: different words of triggers.
    lengths: Ints  #: (n,) the words of each list.

    @classmethod
    def of(
        cls,
        rooms: Sequence[RoomSectors],
        triggers: Sequence[SectorTriggers],
        z_sectors: Sequence[int],
        rules: Rules,
    ) -> _Lists:
        """Return the lists, see :meth:`FloorWriter.write`."""
        known: dict[bytes, int] = {}
        every, parts, counts, found = [], [], [], []
        width = max((room.words.shape[1] for room in rooms), default=0)
        for room, own, depth in zip(rooms, triggers, z_sectors, strict=True):
            trigger = np.full(len(room.counts), _NONE)
            for (z, x), (each, _) in own.items():
                words = np.array(encode([each], rules), np.uint16).tobytes()
                trigger[x * depth + z] = known.setdefault(words, len(known))
            rows = np.flatnonzero((room.counts > 0) | (trigger >= 0))
            count, content = room.counts[rows], np.zeros((len(rows), width), np.uint16)
            used = np.arange(room.words.shape[1]) < count[:, None]
            content[:, : used.shape[1]] = np.where(used, room.words[rows], 0)
            alone = np.flatnonzero(trigger[rows] < 0)
            content[alone, room.lasts[rows[alone]]] |= END
            every.append(rows)
            parts.append(content)
            counts.append(count)
            found.append(trigger[rows])
        words_of = [np.frombuffer(words, np.uint16) for words in known]
        count, trigger = (np.concatenate([np.zeros(0, np.int64), *each]) for each in (counts, found))
        sizes = np.array([*map(len, words_of), 0], np.int64)
        words = np.concatenate([np.zeros((0, width), np.uint16), *parts])
        return cls(every, words, count, trigger, words_of, count + sizes[trigger])

    def distinct(self) -> tuple[Ints, Ints]:
        """Return the first of equal lists, in order, and the number of each list among them."""
        count, width = self.words.shape
        padded = np.zeros((count, -(-width // 4) * 4), np.uint16)
        padded[:, :width] = self.words
        return equal_rows([self.counts, self.trigger, *padded.view(np.int64).T])


def put_materials(records: NDArray[np.void], materials: Ints, boxes: NDArray[np.int32], game: Game) -> None:
    """Set the box fields of sectors.

    Args:
        records: (n,) x-major; changed in place.
        materials: (z, x) the materials of footsteps.
        boxes: (n,) the boxes, -1 for none.
    """
    none = np.zeros(len(records), np.bool_)
    records["box"] = join_boxes(boxes, _major(materials & 15).astype(np.uint8), none, game)
