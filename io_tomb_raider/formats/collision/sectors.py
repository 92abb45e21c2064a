"""What the sectors of a room are: heights, walls, ways to other rooms, and marks; from records and back.

Documentation, chapters 3.2.3 and 4.4. :func:`decode_sectors` lays the sector records and the functions of
their floor data out as arrays; :func:`encode_sectors` turns such arrays back, and gives sectors that say
the same as before their very records and functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..base.bits import Bits, join_records
from ..base.records import SECTOR
from ..errors import ExportError
from ..floor.columns import Columns, columns_of
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
from ..games import Game, Traits
from ..level.level import Level
from .surfaces import WALL, Surface, decode_surface, encode_shape, settle, shaping

NO_ROOM = 0xFF
NO_BOX = 0xFFFF  # TR1, TR2
NO_BOX_11 = 0x7FF  # TR3 on
# The box field, TR3 on.
_MATERIAL, _BOX, _STOPPER = Bits(0, 4), Bits(4, 11), Bits(15)
STONE = 6  # the material of new sectors, TR3 on
_LIMITS = {  # the largest values; where there can be none, -1 is the smallest
    "room_below": NO_ROOM - 1,
    "room_above": NO_ROOM - 1,
    "portal": 0xFFFF,
    "box": NO_BOX - 1,
    "material": 15,
    "climb": 15,
}


@dataclass
class Sectors:
    """The n sectors of a room, x-major as in the file.

    Attributes:
        floor: heights of the floors.
        ceiling: heights of the ceilings.
        wall: (n,) bool. Walls have no heights: theirs are the flat ones of the record and are not exported.
        room_below: (n,) int32, the room that the floor opens to, or -1.
        room_above: (n,) int32, the room that the ceiling opens to, or -1.
        portal: (n,) int32, the room that a wall leads to, or -1.
        box: (n,) int32, the box for pathfinding, or -1.
        material: (n,) uint8, 0..15, what footsteps sound like; TR3 on, otherwise 0.
        stopper: (n,) bool, the highest bit of the box field; TR3 on, otherwise false.
        climb: (n,) uint8, walls that can be climbed: the sum of 1 (+z), 2 (+x), 4 (-z) and 8 (-x).
        monkey_swing: (n,) bool, Lara can swing along the ceiling; TR3 on.
        death: (n,) bool, the floor kills.
        deferred: (n,) bool, TR4, TR5: the trigger waits. TR3: the mine cart turns left.
        beetle: (n,) bool, TR4: a stop of the mechanical beetle. TR3: the mine cart turns right.
    """

    floor: Surface
    ceiling: Surface
    wall: NDArray[np.bool_]
    room_below: NDArray[np.int32]
    room_above: NDArray[np.int32]
    portal: NDArray[np.int32]
    box: NDArray[np.int32]
    material: NDArray[np.uint8]
    stopper: NDArray[np.bool_]
    climb: NDArray[np.uint8]
    monkey_swing: NDArray[np.bool_]
    death: NDArray[np.bool_]
    deferred: NDArray[np.bool_]
    beetle: NDArray[np.bool_]

    def climbs(self, side: int) -> NDArray[np.bool_]:
        """Tell of which sectors the wall on a side, see :data:`.grid.SIDE_STEPS`, can be climbed, (n,)."""
        return Bits(side).of(self.climb) != 0


class EncodedSectors(NamedTuple):
    """The sectors of a room as the file has them.

    Attributes:
        records: (n,) :data:`.records.SECTOR`. Their ``floor_data`` is the original one and has to be set
            by whoever places the changed lists.
        functions: per sector its functions.
        changed: (n,) bool, which sectors' functions differ from the original ones.
    """

    records: NDArray[np.void]
    functions: list[tuple[Function, ...]]
    changed: NDArray[np.bool_]


_FLAGS: dict[str, type[MonkeySwing] | type[Death] | type[Deferred] | type[Beetle]] = {
    "death": Death,
    "monkey_swing": MonkeySwing,
    "deferred": Deferred,
    "beetle": Beetle,
}
_FLAG_KINDS = {
    "death": FunctionType.DEATH,
    "monkey_swing": FunctionType.MONKEY_SWING,
    "deferred": FunctionType.DEFERRED,
    "beetle": FunctionType.BEETLE,
}
# What not all games know.
_IS_KNOWN: dict[str, Callable[[Traits], bool]] = {
    "climb": lambda traits: traits.has_climbable_walls,
    "monkey_swing": lambda traits: traits.has_sector_marks,
    "deferred": lambda traits: traits.has_sector_marks,
    "beetle": lambda traits: traits.has_sector_marks,
    "stopper": lambda traits: traits.has_materials,
    "material": lambda traits: traits.has_materials,
}


def knows(game: Game, name: str) -> bool:
    """Tell whether a game knows what an attribute of :class:`Sectors` says."""
    return name not in _IS_KNOWN or _IS_KNOWN[name](game.traits)


def decode_sectors(records: NDArray[np.void], lists: Sequence[Sequence[Function]], game: Game) -> Sectors:
    """Lay the sectors of a room out as arrays.

    Args:
        records: (n,) :data:`.records.SECTOR`.
        lists: per sector the functions of its floor data (:func:`..floor.floor_data.decode`).
        game: TR3 on, the box field holds a material as well.
    """
    # Functions are objects of different kinds; many sectors have the same ones, or none.
    numbers, different = distinct(lists)
    return _decode(records, numbers, len(different), columns_of(different), game)


def _decode(
    records: NDArray[np.void], numbers: NDArray[np.int64], count: int, columns: Columns, game: Game
) -> Sectors:
    """Lay sectors out, given which of so many lists each has, and what the lists say."""
    wall = (records["floor"] == WALL) & (records["ceiling"] == WALL)
    climbs = columns.of(FunctionType.CLIMB)
    climb = np.zeros(count, np.uint8)
    climb[climbs.lists] = climbs.values[:, 0]
    flags = {name: np.zeros(count, np.bool_) for name in _FLAGS}
    for name, kind in _FLAG_KINDS.items():
        flags[name][columns.lists[columns.kinds == kind]] = True
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
    """Return the sectors of all rooms of a level, one room after the other.

    Args:
        level: the level.
        lists: those of its floor data; None where that is too damaged, then no sector has functions.
    """
    records = join_records([np.zeros(0, SECTOR), *(room.sectors for room in level.rooms)])
    if lists is None:
        return _decode(records, np.zeros(len(records), np.int64), 1, columns_of([()]), level.game)
    numbers, count = lists.numbered(records["floor_data"]), len(lists.data.starts) + 1
    return _decode(records, numbers, count, lists.columns, level.game)


_ROOMS = np.arange(NO_ROOM + 1, dtype=np.int32)
_ROOMS[NO_ROOM] = -1


def _rooms(values: NDArray[np.uint8]) -> NDArray[np.int32]:
    return _ROOMS.take(values)


def no_box(game: Game) -> int:
    """Return the number that stands for no box."""
    return NO_BOX_11 if game.traits.has_materials else NO_BOX


def split_boxes(
    values: NDArray[np.uint16], game: Game
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.bool_]]:
    """Return box (-1 for none), material and stopper bit of box fields, each (n,)."""
    if not game.traits.has_materials:
        box = np.where(values == NO_BOX, -1, values.astype(np.int32)).astype(np.int32)
        return box, np.zeros(len(values), dtype=np.uint8), np.zeros(len(values), dtype=bool)
    number = _BOX.of(values).astype(np.int32)
    box = np.where(number == NO_BOX_11, -1, number).astype(np.int32)
    return box, _MATERIAL.of(values).astype(np.uint8), _STOPPER.of(values) != 0


def join_boxes(
    box: NDArray[np.int32], material: NDArray[np.uint8], stopper: NDArray[np.bool_], game: Game
) -> NDArray[np.uint16]:
    """Return the box fields that :func:`split_boxes` splits."""
    if not game.traits.has_materials:
        return np.where(box < 0, NO_BOX, box).astype(np.uint16)
    number = np.where(box < 0, NO_BOX_11, box)
    return _STOPPER.put(_MATERIAL.put(_BOX.put(np.zeros(len(box), np.uint16), number), material), stopper)


def new_sectors(count: int, game: Game) -> NDArray[np.void]:
    """Return the records of sectors that are walls, (count,): without a box, a way out or floor data."""
    records = np.zeros(count, SECTOR)
    none, material = np.full(count, -1, np.int32), np.full(count, STONE, np.uint8)
    records["box"] = join_boxes(none, material, np.zeros(count, bool), game)
    records["room_below"] = records["room_above"] = NO_ROOM
    records["floor"] = records["ceiling"] = WALL
    return records


def wall_sectors(count: int, game: Game) -> Sectors:
    """Return the sectors of :func:`new_sectors`."""
    return decode_sectors(new_sectors(count, game), [()] * count, game)


def encode_sectors(
    sectors: Sectors,
    records: NDArray[np.void],
    lists: Sequence[Sequence[Function]],
    game: Game,
    room: int,
    z_sectors: int,
    *,
    rebuild: bool = False,
) -> EncodedSectors:
    """Turn the sectors of a room into records and functions.

    Args:
        sectors: what the sectors are now. Heights are rounded to steps of 256 units.
        records: (n,) :data:`.records.SECTOR`, what they were; zeros for new ones.
        lists: per sector the functions that it had. Triggers and what else is not in ``sectors`` stay.
        game: whose limits count.
        room: the room's index, for errors.
        z_sectors: the sectors along z, for errors.
        rebuild: encode all shapes of floors and ceilings again, even those that say the same as before.

    Raises:
        ExportError: naming room and sector, where the game cannot express what is asked.
    """
    before = decode_sectors(records, lists, game)
    floor, ceiling = settle(sectors.floor, game), settle(sectors.ceiling, game)
    now = replace(sectors, floor=floor, ceiling=ceiling)
    _check(now, before, game, room, z_sectors)
    encoded = records.copy()
    for name in ("room_below", "room_above"):
        encoded[name] = np.where(getattr(now, name) < 0, NO_ROOM, getattr(now, name)).astype(np.uint8)
    fresh = (now.box != before.box) | (now.material != before.material) | (now.stopper != before.stopper)
    encoded["box"] = np.where(fresh, join_boxes(now.box, now.material, now.stopper, game), records["box"])
    functions = [tuple(functions) for functions in lists]
    changed = np.zeros(len(records), dtype=bool)
    # Only sectors that differ, unless all are to be rebuilt: their lists are made one by one.
    for place in np.flatnonzero(_differs(now, before) | rebuild).tolist():
        subject = sector_name(room, place, z_sectors)
        shapes: list[Slant | Triangulation | None] = [None, None]
        if now.wall[place]:
            encoded["floor"][place] = encoded["ceiling"][place] = WALL
            if before.wall[place]:  # what shapes a wall means nothing, and stays
                shapes = [shaping(functions[place], side) for side in (False, True)]
        else:
            for number, name in enumerate(("floor", "ceiling")):
                surface, old = getattr(now, name), getattr(before, name)
                same = not rebuild and not before.wall[place] and not _surface_differs(surface, old)[place]
                if same:
                    shapes[number] = shaping(functions[place], bool(number))
                else:
                    base, shapes[number] = encode_shape(surface, place, game, bool(number), subject)
                    encoded[name][place] = base
        rebuilt = _functions(now, place, shapes, functions[place])
        changed[place] = rebuilt != functions[place]
        functions[place] = rebuilt
    return EncodedSectors(encoded, functions, changed)


def sector_name(room: int, place: int, z_sectors: int) -> str:
    """Return what messages call a sector, given its place in the room's array."""
    return f"Room {room}, sector ({place // z_sectors}, {place % z_sectors})"


def _surface_differs(now: Surface, before: Surface) -> NDArray[np.bool_]:
    heights = (now.heights != before.heights).any(axis=(1, 2))
    return heights | (now.split != before.split) | (now.open_triangle != before.open_triangle)


def _differs(now: Sectors, before: Sectors) -> NDArray[np.bool_]:
    """Tell of each sector whether anything differs that floor data, floor or ceiling express."""
    differs = now.wall != before.wall
    shaped = _surface_differs(now.floor, before.floor) | _surface_differs(now.ceiling, before.ceiling)
    differs = differs | (shaped & ~now.wall)
    for name in ("portal", "climb", *_FLAGS):
        differs |= getattr(now, name) != getattr(before, name)
    return differs


_Mark = TypeVar("_Mark", bound=Portal | Climb | MonkeySwing | Death | Deferred | Beetle)


def _functions(
    now: Sectors, place: int, shapes: Sequence[Slant | Triangulation | None], old: tuple[Function, ...]
) -> tuple[Function, ...]:
    """Return the functions of a sector: the floor's shape, the ceiling's, then the rest in its old order.

    TR4 looks for open triangles in the first functions only, hence the order. A function that is new
    follows the old ones.
    """
    wanted: dict[type, Function] = {}
    if now.portal[place] >= 0:
        wanted[Portal] = Portal(int(now.portal[place]))
    if now.climb[place]:
        wanted[Climb] = Climb(int(now.climb[place]))
    for name, kind in _FLAGS.items():
        if getattr(now, name)[place]:
            wanted[kind] = kind()
    rest: list[Function] = []
    for function in old:
        if isinstance(function, Portal | Climb | MonkeySwing | Death | Deferred | Beetle):
            new = wanted.pop(type(function), None)
            if new is not None:
                rest.append(_with_rest(new, function.rest))
        elif not isinstance(function, Slant | Triangulation):
            rest.append(function)
    return (*(shape for shape in shapes if shape is not None), *rest, *wanted.values())


def _with_rest(function: Any, rest: int) -> Function:
    return replace(function, rest=rest)


def _check(now: Sectors, before: Sectors, game: Game, room: int, z_sectors: int) -> None:
    """Refuse new numbers that the file has no room for, and new marks that the game does not know."""
    for name, limit in _LIMITS.items():
        values = getattr(now, name).astype(np.int64)
        largest = NO_BOX_11 - 1 if name == "box" and game.traits.has_materials else limit
        smallest = 0 if name in ("material", "climb") else -1
        for place in np.flatnonzero((values < smallest) | (values > largest))[:1].tolist():
            raise ExportError(
                sector_name(room, place, z_sectors),
                f"its {name.replace('_', ' ')} is out of range",
                count=int(values[place]),
                limit=largest,
            )
    for name in _IS_KNOWN:
        if knows(game, name):
            continue
        new = getattr(now, name).astype(bool) & (getattr(now, name) != getattr(before, name))
        for place in np.flatnonzero(new)[:1].tolist():
            subject = sector_name(room, place, z_sectors)
            raise ExportError(subject, f"{game.name} knows no {name.replace('_', ' ')}")


def crossed(sectors: Sectors) -> NDArray[np.bool_]:
    """Tell of which sectors, (n,), the floor is above the ceiling at some corner: nobody can stand there."""
    floor, ceiling = sectors.floor.span()[1], sectors.ceiling.span()[0]
    return np.asarray(~sectors.wall & (floor < ceiling).any(axis=1))
