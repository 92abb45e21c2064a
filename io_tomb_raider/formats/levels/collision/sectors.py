"""Decoding and encoding of a room's sectors: heights, walls, openings, and marks.

Documentation, chapters 3.2.3 and 4.4. :func:`decode_sectors` returns the sector records and the functions of
their floor data as arrays. :func:`encode_sectors` converts such arrays back; unchanged sectors keep their
records and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays.columns import Columns
from ...base.arrays.distinct import distinct_rows
from ...base.bytes.bits import Bits, join_records
from ...base.bytes.records import SECTOR
from ...base.errors import ExportError
from ...base.games import Game, Traits
from ...base.messages import T, as_message
from ..floor.columns import FunctionColumns, columns_of
from ..floor.floor_data import MARK_FUNCTIONS
from ..floor.functions import (
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    FunctionType,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
)
from ..floor.lists import FloorLists, distinct
from ..level.level import Level
from .surfaces import WALL, Split, Surface, decode_surface, encode_shapes, round_surface, shaping

NO_ROOM = 0xFF
NO_BOX = 0xFFFF  # TR1, TR2
NO_BOX_11 = 0x7FF  # TR3 and later
# The box field, TR3 and later.
_MATERIAL, BOX_11, _STOPPER = Bits(0, 4), Bits(4, 11), Bits(15)
STONE = 6  # the material of new sectors, TR3 and later
_LIMITS = {  # the largest values; the smallest is -1 where "none" is possible
    "room_below": NO_ROOM - 1,
    "room_above": NO_ROOM - 1,
    "portal": 0xFFFF,
    "box": NO_BOX - 1,
    "material": 15,
    "climb": 15,
}


@dataclass
class Sectors(Columns):
    """The n sectors of a room, x-major as in the file."""

    floor: Surface  #: heights of the floors.
    ceiling: Surface  #: heights of the ceilings.
    #: (n,) bool. The heights of walls are the flat ones of the record and are not exported.
    wall: NDArray[np.bool_]
    room_below: NDArray[np.int32]  #: (n,) int32, the room below the floor, or -1.
    room_above: NDArray[np.int32]  #: (n,) int32, the room above the ceiling, or -1.
    portal: NDArray[np.int32]  #: (n,) int32, the target room of a wall, or -1.
    box: NDArray[np.int32]  #: (n,) int32, the box for pathfinding, or -1.
    #: (n,) uint8, 0..15, the material for footstep sounds; TR3 and later, otherwise 0.
    material: NDArray[np.uint8]
    #: (n,) bool, the highest bit of the box field; TR3 and later, otherwise false.
    stopper: NDArray[np.bool_]
    climb: NDArray[np.uint8]  #: (n,) uint8, climbable walls: the sum of 1 (+z), 2 (+x), 4 (-z) and 8 (-x).
    monkey_swing: NDArray[np.bool_]  #: (n,) bool, Lara can swing along the ceiling; TR3 and later.
    death: NDArray[np.bool_]  #: (n,) bool, the floor kills.
    deferred: NDArray[np.bool_]  #: (n,) bool, TR4, TR5: the trigger waits. TR3: the mine cart turns left.
    #: (n,) bool, TR4: a stop of the mechanical beetle. TR3: the mine cart turns right.
    beetle: NDArray[np.bool_]

    def climbs(self, side: int) -> NDArray[np.bool_]:
        """Return which sectors have a climbable wall on a side, see :data:`.grid.SIDE_STEPS`, (n,)."""
        return Bits(side).of(self.climb) != 0


class EncodedSectors(NamedTuple):
    """The encoded sectors of one or more rooms."""

    #: (n,) :data:`.records.SECTOR`. Their ``floor_data`` is the original one; the caller sets it after
    #: placing the changed lists.
    records: NDArray[np.void]
    functions: list[tuple[Function, ...]]  #: per sector its functions.
    changed: NDArray[np.bool_]  #: (n,) bool, which sectors' functions differ from the original ones.


_FLAGS: dict[str, type[MonkeySwing] | type[Death] | type[Deferred] | type[Beetle]] = {
    "death": Death,
    "monkey_swing": MonkeySwing,
    "deferred": Deferred,
    "beetle": Beetle,
}
_KEPT = -1  # the number of a shape that does not change
# Attributes that only some games have.
_IS_SUPPORTED: dict[str, Callable[[Traits], bool]] = {
    "climb": lambda traits: traits.has_climbable_walls,
    "monkey_swing": lambda traits: traits.has_sector_marks,
    "deferred": lambda traits: traits.has_sector_marks,
    "beetle": lambda traits: traits.has_sector_marks,
    "stopper": lambda traits: traits.has_materials,
    "material": lambda traits: traits.has_materials,
}


def supports(game: Game, name: str) -> bool:
    """Return whether a game supports an attribute of :class:`Sectors`."""
    return name not in _IS_SUPPORTED or _IS_SUPPORTED[name](game.traits)


def decode_sectors(records: NDArray[np.void], lists: Sequence[Sequence[Function]], game: Game) -> Sectors:
    """Return the sectors of a room as arrays.

    Args:
        records: (n,) :data:`.records.SECTOR`.
        lists: per sector the functions of its floor data (:func:`..floor.floor_data.decode`).
    """
    # Many sectors share one list of functions or have none, so decode each list once.
    numbers, different = distinct(lists)
    return _decode(records, numbers, len(different), columns_of(different), game)


def _decode(
    records: NDArray[np.void], numbers: NDArray[np.int64], count: int, columns: FunctionColumns, game: Game
) -> Sectors:
    """Return sectors as arrays, given the list number of each, the number of lists, and their functions."""
    wall = (records["floor"] == WALL) & (records["ceiling"] == WALL)
    climbs = columns.of(FunctionType.CLIMB)
    climb = np.zeros(count, np.uint8)
    climb[climbs.lists] = climbs.values[:, 0]
    flags = {name: np.zeros(count, np.bool_) for name in _FLAGS}
    for name, mark in _FLAGS.items():
        flags[name][columns.lists[columns.kinds == MARK_FUNCTIONS[mark]]] = True
    box, material, stopper = split_boxes(records["box"], game)
    return Sectors(
        floor=decode_surface(records["floor"], numbers, count, columns, wall, False),
        ceiling=decode_surface(records["ceiling"], numbers, count, columns, wall, True),
        wall=wall,
        room_below=_rooms(records["room_below"]),
        room_above=_rooms(records["room_above"]),
        portal=columns.walls(count)[numbers],
        box=box,
        material=material,
        stopper=stopper,
        climb=climb[numbers],
        **{name: flag[numbers] for name, flag in flags.items()},
    )


def level_sectors(level: Level, lists: FloorLists | None) -> Sectors:
    """Return the sectors of all rooms of a level, room by room.

    Without lists, if its floor data is too damaged, sectors have no functions.
    """
    records = join_records([np.zeros(0, SECTOR), *(room.sectors for room in level.rooms)])
    if lists is None:
        return _decode(records, np.zeros(len(records), np.int64), 1, columns_of([()]), level.game)
    numbers, count = lists.numbered(records["floor_data"]), len(lists.data.starts) + 1
    return _decode(records, numbers, count, lists.columns, level.game)


def put_sectors(sectors: Sectors, others: Sectors, mask: NDArray[np.bool_]) -> None:
    """Replace some sectors, (n,), by others, in place."""
    for field in fields(Sectors):
        column, replacement = getattr(sectors, field.name), getattr(others, field.name)
        for name in ("heights", "split", "open_triangle") if isinstance(column, Surface) else ("",):
            values, new = (getattr(source, name) if name else source for source in (column, replacement))
            values[mask] = new[mask]


def changed_sectors(now: Sectors, before: Sectors) -> NDArray[np.bool_]:
    """Return which sectors, (n,), differ in any attribute.

    Heights of walls have no meaning, and neither has the split of a plane.
    """
    now, before = (
        replace(each, floor=_without_flat_splits(each.floor), ceiling=_without_flat_splits(each.ceiling))
        for each in (now, before)
    )
    differs = _differs(now, before)
    for name in ("room_below", "room_above", "box", "material", "stopper"):
        differs |= getattr(now, name) != getattr(before, name)
    return differs


def _without_flat_splits(surface: Surface) -> Surface:
    is_flat = (surface.open_triangle < 0) & (surface.heights[:, 0] == surface.heights[:, 1]).all(axis=1)
    return replace(surface, split=np.where(is_flat, Split.NONE, surface.split).astype(np.uint8))


_ROOMS = np.arange(NO_ROOM + 1, dtype=np.int32)
_ROOMS[NO_ROOM] = -1


def _rooms(values: NDArray[np.uint8]) -> NDArray[np.int32]:
    return _ROOMS.take(values)


def no_box(game: Game) -> int:
    """Return the number that means no box."""
    return NO_BOX_11 if game.traits.has_materials else NO_BOX


def split_boxes(
    values: NDArray[np.uint16], game: Game
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return box (-1 for none), material and stopper bit of box fields, each (n,)."""
    if not game.traits.has_materials:
        box = np.where(values == NO_BOX, -1, values.astype(np.int32)).astype(np.int32)
        return box, np.zeros(len(values), dtype=np.uint8), np.zeros(len(values), dtype=bool)
    number = BOX_11.of(values).astype(np.int32)
    box = np.where(number == NO_BOX_11, -1, number).astype(np.int32)
    return box, _MATERIAL.of(values).astype(np.uint8), _STOPPER.of(values) != 0


def join_boxes(
    box: NDArray[np.int32], material: NDArray[np.uint8], stopper: NDArray[np.bool_], game: Game
) -> NDArray[np.uint16]:
    """Return the box fields that :func:`split_boxes` splits."""
    if not game.traits.has_materials:
        return np.where(box < 0, NO_BOX, box).astype(np.uint16)
    number = np.where(box < 0, NO_BOX_11, box)
    return _STOPPER.put(_MATERIAL.put(BOX_11.put(np.zeros(len(box), np.uint16), number), material), stopper)


def new_sectors(count: int, game: Game) -> NDArray[np.void]:
    """Return the records of walls, (count,), without box, openings or floor data."""
    records = np.zeros(count, SECTOR)
    none, material = np.full(count, -1, np.int32), np.full(count, STONE, np.uint8)
    records["box"] = join_boxes(none, material, np.zeros(count, bool), game)
    records["room_below"] = records["room_above"] = NO_ROOM
    records["floor"] = records["ceiling"] = WALL
    return records


def wall_sectors(count: int, game: Game) -> Sectors:
    """Return the decoded sectors of :func:`new_sectors`."""
    return decode_sectors(new_sectors(count, game), [()] * count, game)


def encode_sectors(
    sectors: Sectors,
    records: NDArray[np.void],
    lists: Sequence[Sequence[Function]],
    game: Game,
    name_of: Callable[[int], str],
    *,
    rebuild: bool = False,
) -> EncodedSectors:
    """Encode the sectors of one or more rooms to records and functions.

    Args:
        sectors: the new sectors. Heights are rounded to steps of 256 units.
        records: (n,) :data:`.records.SECTOR`, the original records; zeros for new sectors.
        lists: per sector its original functions. Triggers and other functions not in ``sectors`` stay.
        name_of: names a sector by its index, for errors.
        rebuild: encode all shapes of floors and ceilings again, including unchanged ones.

    Raises:
        ExportError: with room and sector, if the game cannot express a value.
    """
    before = decode_sectors(records, lists, game)
    floor, ceiling = round_surface(sectors.floor, game), round_surface(sectors.ceiling, game)
    now = replace(sectors, floor=floor, ceiling=ceiling)
    _check(now, before, game, name_of)
    encoded = records.copy()
    for name in ("room_below", "room_above"):
        encoded[name] = np.where(getattr(now, name) < 0, NO_ROOM, getattr(now, name)).astype(np.uint8)
    is_new = (now.box != before.box) | (now.material != before.material) | (now.stopper != before.stopper)
    encoded["box"] = np.where(is_new, join_boxes(now.box, now.material, now.stopper, game), records["box"])
    functions = [tuple(functions) for functions in lists]
    # Only changed sectors, unless all are rebuilt.
    rows = np.flatnonzero(_differs(now, before) | rebuild)
    numbers, shapes = _encode_surfaces(now, before, encoded, rows, game, name_of, rebuild=rebuild)
    # Most sectors have the same functions as some others.
    marks = [getattr(now, name)[rows] for name in ("portal", "climb", *_FLAGS)]
    first, same = distinct_rows([distinct(functions)[0][rows], *numbers[:, rows], *marks])
    results, is_changed = [], np.zeros(len(first), bool)
    for place, index in enumerate(rows[first].tolist()):
        both = [
            shaping(functions[index], bool(side)) if number == _KEPT else shapes[side][number]
            for side, number in enumerate(numbers[:, index].tolist())
        ]
        # TR4 searches open triangles in the first functions only, hence the order.
        shaped = (shape for shape in both if shape is not None)
        results.append((*shaped, *_other_functions(now, index, functions[index])))
        is_changed[place] = results[place] != functions[index]
    changed = np.zeros(len(records), dtype=bool)
    changed[rows] = is_changed[same]
    for index, number in zip(rows.tolist(), same.tolist(), strict=True):
        functions[index] = results[number]
    return EncodedSectors(encoded, functions, changed)


def _encode_surfaces(
    now: Sectors,
    before: Sectors,
    encoded: NDArray[np.void],
    rows: NDArray[np.int64],
    game: Game,
    name_of: Callable[[int], str],
    *,
    rebuild: bool,
) -> tuple[NDArray[np.int64], list[Sequence[Slant | Triangulation | None]]]:
    """Write the floors and ceilings of some sectors to their records.

    Returns:
        (2, n) the numbers of the functions of floors and ceilings for their shapes, and both lists of these.
    """
    encoded["floor"][rows[now.wall[rows]]] = encoded["ceiling"][rows[now.wall[rows]]] = WALL
    shapes: list[Sequence[Slant | Triangulation | None]] = []
    # Shapes of walls have no meaning and are kept; those of new walls are removed.
    numbers = np.repeat(np.where(now.wall & ~before.wall, 0, _KEPT)[None], 2, axis=0)
    for side, name in enumerate(("floor", "ceiling")):
        surface, old = getattr(now, name), getattr(before, name)
        is_new = ~now.wall & (_surface_differs(surface, old) | before.wall | rebuild)
        new = rows[is_new[rows]]
        encoded[name][new], numbers[side, new], functions_of = encode_shapes(
            surface, new, game, bool(side), name_of
        )
        shapes.append(functions_of)
    return numbers, shapes


def sector_name(room: int, index: int, z_sectors: int) -> str:
    """Return the name of a sector for messages, given its index in the room's array."""
    return T("Room {room:03}, sector ({x}, {z})", room=room, x=index // z_sectors, z=index % z_sectors)


def _surface_differs(now: Surface, before: Surface) -> NDArray[np.bool_]:
    heights = (now.heights != before.heights).any(axis=(1, 2))
    return heights | (now.split != before.split) | (now.open_triangle != before.open_triangle)


def _differs(now: Sectors, before: Sectors) -> NDArray[np.bool_]:
    """Return which sectors differ in any attribute that floor data, floor or ceiling express."""
    differs = now.wall != before.wall
    shaped = _surface_differs(now.floor, before.floor) | _surface_differs(now.ceiling, before.ceiling)
    differs = differs | (shaped & ~now.wall)
    for name in ("portal", "climb", *_FLAGS):
        differs |= getattr(now, name) != getattr(before, name)
    return differs


def _other_functions(now: Sectors, index: int, old: tuple[Function, ...]) -> tuple[Function, ...]:
    """Return the functions of a sector without shapes, in their old order. New functions are appended."""
    marks: dict[type, Any] = {}
    if now.portal[index] >= 0:
        marks[Portal] = Portal(int(now.portal[index]))
    if now.climb[index]:
        marks[Climb] = Climb(int(now.climb[index]))
    for name, kind in _FLAGS.items():
        if getattr(now, name)[index]:
            marks[kind] = kind()
    others: list[Function] = []
    for function in old:
        if isinstance(function, Portal | Climb | MonkeySwing | Death | Deferred | Beetle):
            new = marks.pop(type(function), None)
            if new is not None:
                others.append(replace(new, rest=function.rest))
        elif not isinstance(function, Slant | Triangulation):
            others.append(function)
    return (*others, *marks.values())


def _check(now: Sectors, before: Sectors, game: Game, name_of: Callable[[int], str]) -> None:
    """Raise an ExportError for new numbers that exceed their field, and new marks that the game lacks."""
    for name, limit in _LIMITS.items():
        values = getattr(now, name).astype(np.int64)
        largest = NO_BOX_11 - 1 if name == "box" and game.traits.has_materials else limit
        smallest = 0 if name in ("material", "climb") else -1
        for index in np.flatnonzero((values < smallest) | (values > largest))[:1].tolist():
            problem = T("its {name} is out of range", name=as_message(name.replace("_", " ")))
            raise ExportError(name_of(index), problem, count=int(values[index]), limit=largest)
    for name in _IS_SUPPORTED:
        if supports(game, name):
            continue
        is_new = getattr(now, name).astype(bool) & (getattr(now, name) != getattr(before, name))
        for index in np.flatnonzero(is_new)[:1].tolist():
            label = as_message(name.replace("_", " "))
            raise ExportError(name_of(index), T("{game} has no {name}", game=game.name, name=label))


def crossed(sectors: Sectors) -> NDArray[np.bool_]:
    """Return which sectors, (n,), have a floor above the ceiling at some corner, so that nobody fits in."""
    floor, ceiling = sectors.floor.span()[1], sectors.ceiling.span()[0]
    return np.asarray(~sectors.wall & (floor < ceiling).any(axis=1))
