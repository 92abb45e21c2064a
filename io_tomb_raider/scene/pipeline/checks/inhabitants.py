"""Checks of entities by the roles of their types in the catalogue: enemies, switches, items and doors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....catalogue import Role, acts_untriggered, carries, has_fixed_place, is_known, is_on_floor, role_of
from ....formats import Game, Level
from ....formats.base import CLICK, LARA, SECTOR_SIZE, TURN, T, Target
from ....formats.edits.checks import Fault, check_level, find_faults, heights_at
from ....formats.edits.convert import is_active, is_invisible
from ....formats.edits.rules import target_of
from ....formats.levels.collision import SIDE_STEPS
from ....formats.levels.floor import ActionType, Function, Trigger, TriggerType
from ....formats.levels.views import OTHER, Check, Decoded, Element, Finding, Severity

IN_THE_AIR, IN_A_WALL = "in the air", "in a wall"
MISPLACED_DOOR = "misplaced door"
UNKNOWN_SLOT = "unknown slot"
_DEEPEST = 32  # rooms below one another
_SOLID = frozenset({Role.ENEMY, Role.SWITCH, Role.KEYHOLE, Role.PICKUP})  # have no place in walls
_PASSIVE = frozenset(
    {TriggerType.ANTIPAD, TriggerType.ANTITRIGGER, TriggerType.HEAVY_ANTITRIGGER, TriggerType.DUMMY}
)
_QUARTER = TURN // 4
_AWAY = 256  # units from a door's middle to that of its box, if it closes a border of its sector
_GAP = 128  # units of a sector's side that a door may leave open


def check_places(checked: Decoded) -> Iterator[Finding]:
    """Find entities in walls, floors or ceilings, and entities in the air that belong on the floor.

    Invisible ones in the air are left out: original levels have many, which appear there.
    """
    return (each for each, is_hidden in _misplaced(checked) if not is_hidden)


def check_invisible(checked: Decoded) -> Iterator[Finding]:
    """Find invisible entities in the air that belong on the floor."""
    return (each for each, is_hidden in _misplaced(checked) if is_hidden)


def _misplaced(checked: Decoded) -> Iterator[tuple[Finding, bool]]:
    """Yield entities in wrong places, each with whether it is invisible and in the air."""
    level = checked.level
    game, entities = level.game, level.entities
    room, x, y, z = (entities[name].astype(np.int64) for name in ("room", "x", "y", "z"))
    sector = _through_walls(checked, checked.sector_at(room, x, z), x, z)
    below = _lowest(checked, sector, x, z)
    cells = list(zip((x // SECTOR_SIZE).tolist(), (z // SECTOR_SIZE).tolist(), strict=True))
    types = entities["type"].tolist()
    supports, enemies = (
        {cell for cell, number in zip(cells, types, strict=True) if is_one(game, number)}
        for is_one in (carries, _is_enemy)
    )
    for number in np.flatnonzero(sector >= 0).tolist():
        kind = types[number]
        if role_of(game, kind) not in _SOLID or not has_fixed_place(game, kind):
            continue
        inside = np.array([[x[number], z[number]]]) % SECTOR_SIZE
        here, there = sector[number : number + 1], below[number : number + 1]
        floor = heights_at(checked.sectors.floor, there, inside)[0]
        ceiling = heights_at(checked.sectors.ceiling, here, inside)[0]
        has_above = checked.sectors.room_above[here[0]] >= 0
        place = float(x[number]), float(y[number]), float(z[number])
        obj, rooms = Element("entity", number), (Element("room", int(room[number])),)
        is_inside = y[number] > floor.max() + CLICK or (not has_above and y[number] < ceiling.min() - CLICK)
        if not checked.is_open[there[0]] or is_inside:
            text = T(
                "it is inside a wall, a floor or a ceiling of {other}. Move it into the open", other=OTHER
            )
            yield Finding(IN_A_WALL, Severity.WARNING, obj, text, rooms, place=place), False
        elif (
            y[number] < floor.min() - CLICK
            and is_on_floor(game, kind)
            and cells[number] not in supports
            # Enemies have items, and leave them when they die.
            and not (role_of(game, kind) is Role.PICKUP and cells[number] in enemies)
        ):
            height = (floor.min() - y[number]) / CLICK
            text = T("it is {height:.3g} clicks above the floor. Move it down", height=height)
            ground = place[0], float(floor.min()), place[2]
            finding = Finding(IN_THE_AIR, Severity.WARNING, obj, text, place=ground)
            yield finding, is_invisible(int(entities["flags"][number]))


def _is_enemy(game: Game, number: int) -> bool:
    return role_of(game, number) is Role.ENEMY


def _through_walls(
    checked: Decoded, sector: NDArray[np.int64], x: NDArray[np.int64], z: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the sectors of the rooms that wall portals of sectors lead to, else the same, (n,)."""
    target = np.where(sector >= 0, checked.sectors.portal[np.maximum(sector, 0)], -1).astype(np.int64)
    beyond = checked.sector_at(target, x, z)
    return np.where(beyond >= 0, beyond, sector)


def _lowest(
    checked: Decoded, sector: NDArray[np.int64], x: NDArray[np.int64], z: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the sectors at the bottom of the rooms below sectors, (n,)."""
    for _ in range(_DEEPEST):
        target = np.where(sector >= 0, checked.sectors.room_below[np.maximum(sector, 0)], -1).astype(np.int64)
        beyond = checked.sector_at(target, x, z)
        if not (beyond >= 0).any():
            break
        sector = np.where(beyond >= 0, beyond, sector)
    return sector


def check_activation(checked: Decoded) -> Iterator[Finding]:
    """Find enemies that no trigger activates. Levels of TRNG are left out: its scripts activate entities."""
    level = checked.level
    if level.has_trng_footer:
        return
    activated = {
        action.parameter
        for functions in checked.floor_lists.with_triggers()
        for trigger in functions
        if isinstance(trigger, Trigger) and trigger.type not in _PASSIVE
        for action in trigger.actions
        if action.type == ActionType.OBJECT
    }
    for number, entity in enumerate(level.entities):
        kind = int(entity["type"])
        if role_of(level.game, kind) is not Role.ENEMY or acts_untriggered(level.game, kind):
            continue
        if number not in activated and not is_active(int(entity["flags"])):
            text = T("no trigger activates it, so it never moves. Add one, or set its whole Activation Mask")
            place = float(entity["x"]), float(entity["y"]), float(entity["z"])
            obj = Element("entity", number)
            yield Finding("never activated", Severity.WARNING, obj, text, place=place)


# What sets off triggers of a type, and texts for other sources.
_SOURCES = {
    TriggerType.SWITCH: (
        Role.SWITCH,
        T("a trigger of the type Switch that {other} sets off, which is no switch", other=OTHER),
    ),
    TriggerType.KEY: (
        Role.KEYHOLE,
        T("a trigger of the type Key that {other} sets off, which is no keyhole", other=OTHER),
    ),
    TriggerType.PICKUP: (
        Role.PICKUP,
        T("a trigger of the type Pickup that {other} sets off, which is no item", other=OTHER),
    ),
}


def check_sources(checked: Decoded) -> Iterator[Finding]:
    """Find triggers that are set off by entities of the wrong role; types without a role may be right."""
    game, types = checked.level.game, checked.level.entities["type"].tolist()

    def faults(trigger: Trigger, _sector: int, _functions: Sequence[Function]) -> Iterator[Fault]:
        number = trigger.reference
        if number is None or number >= len(types) or trigger.type not in _SOURCES:
            return
        expected, text = _SOURCES[TriggerType(trigger.type)]
        role = role_of(game, types[number])
        if types[number] == LARA or role not in (expected, Role.OTHER):
            yield (
                T("{fault}. Choose another in Set Off By", fault=text),
                (Element("entity", number),),
            )

    return find_faults(checked, faults)


class _Border(NamedTuple):
    """The side of a sector that a door closes."""

    side: int  #: 0 to 3, see :data:`SIDE_STEPS`.
    line: int  #: the coordinate of the border across it, in sectors.
    #: low, high: how far the door reaches along it, and
    low: int
    high: int
    #: top, bottom: its heights, in units.
    top: int
    bottom: int
    cell: tuple[int, int]  #: the door's sector, x and z in the world.


def check_doors(checked: Decoded) -> Iterator[Finding]:
    """Find doors that close only a part of the opening to another room, or are next to one of their width.

    Other doors, and static meshes in front of or behind a sector's border, close the rest of it.
    """
    level = checked.level
    doors = {
        number: border
        for number, kind in enumerate(level.entities["type"].tolist())
        if role_of(level.game, kind) is Role.DOOR and (border := _border(checked, number)) is not None
    }
    fences = {
        (int(each["x"]) // SECTOR_SIZE, int(each["z"]) // SECTOR_SIZE)
        for room in level.rooms
        for each in room.static_meshes
    }
    for number, door in doors.items():
        room = int(level.entities["room"][number])
        target, cells = _opening(checked, room, door)
        step = SIDE_STEPS[door.side]
        uncovered = [
            cell
            for cell in cells
            if not any(_covers(other, door, cell) for other in doors.values())
            and cell not in fences
            and (cell[0] + step[0], cell[1] + step[1]) not in fences
        ]
        distance = _distance(door, cells, [other for other in doors.values() if other is not door])
        if distance and len({*cells} & fences) == 0:
            entity = level.entities[number]
            along = "x" if step[0] == 0 else "z"
            x, y, z = (float(entity[axis]) + distance * (axis == along) for axis in "xyz")
            text = T(
                "it is next to the opening to {other}, which has the same width. Move it there", other=OTHER
            )
            obj, others = Element("entity", number), (Element("room", target),)
            yield Finding(MISPLACED_DOOR, Severity.WARNING, obj, text, others, place=(x, y, z))
        elif uncovered and door.cell not in uncovered:
            text = T(
                "it closes only a part of the opening to {other}."
                " Add doors for the other sectors, or narrow the opening",
                other=OTHER,
            )
            entity = level.entities[number]
            place = float(entity["x"]), float(entity["y"]), float(entity["z"])
            obj, others = Element("entity", number), (Element("room", target),)
            yield Finding("partial door", Severity.WARNING, obj, text, others, len(uncovered), place)


def _distance(door: _Border, cells: list[tuple[int, int]], others: list[_Border]) -> int:
    """Return how far a door has to move along its border to close an opening that is as wide; 0 for none.

    Args:
        cells: the sectors of the opening, in order.
        others: the other doors; 0 is returned if one of them closes a part.
    """
    if not cells or any(_covers(other, door, cell) for other in others for cell in cells):
        return 0
    start, width = cells[0][0 if SIDE_STEPS[door.side][0] == 0 else 1] * SECTOR_SIZE, len(cells) * SECTOR_SIZE
    offset = start + width // 2 - (door.low + door.high) // 2
    is_as_wide = abs(door.high - door.low - width) <= _GAP
    return offset if is_as_wide and _GAP < abs(offset) < width else 0


def _border(checked: Decoded, number: int) -> _Border | None:
    """Return the border that a door closes while it is shut, None if it closes none."""
    level = checked.level
    entity = level.entities[number]
    quarter, rest = divmod(int(entity["angle"]) % TURN, _QUARTER)
    rows = np.flatnonzero(level.models["id"] == entity["type"])
    animation = int(level.models["animation"][rows[0]]) if len(rows) else -1
    keys = checked.keys
    if rest or not 0 <= animation < len(keys.first_keys) or not keys.key_counts[animation]:
        return None
    left, right, top, bottom, near, far = map(int, keys.boxes[keys.first_keys[animation]].tolist())
    if abs(near + far) < 2 * _AWAY:
        return None
    side = quarter if near + far > 0 else (quarter + 2) % 4
    x, y, z = (int(entity[name]) for name in "xyz")
    cell = x // SECTOR_SIZE, z // SECTOR_SIZE
    step = SIDE_STEPS[side]
    line = (cell[1] + (step[1] > 0)) if step[0] == 0 else cell[0] + (step[0] > 0)
    # The x axis of the door runs along +x, -z, -x, +z for each of its quarters.
    middle, sign = (x if step[0] == 0 else z), (1, -1, -1, 1)[quarter]
    low, high = sorted((middle + sign * left, middle + sign * right))
    return _Border(side, line, low, high, y + top, y + bottom, cell)


def _opening(checked: Decoded, room: int, door: _Border) -> tuple[int, list[tuple[int, int]]]:
    """Return the room that a door closes, and the sectors beside one another from which that is entered."""
    step, along = SIDE_STEPS[door.side], SIDE_STEPS[(door.side + 1) % 4]
    target = _entered(checked, room, door, door.cell, step)
    if target < 0:
        return target, []
    cells = [door.cell]
    for direction in (1, -1):
        cell = door.cell
        while True:
            cell = cell[0] + direction * along[0], cell[1] + direction * along[1]
            if _entered(checked, room, door, cell, step) != target:
                break
            cells.append(cell)
    return target, sorted(cells)


def _entered(checked: Decoded, room: int, door: _Border, cell: tuple[int, int], step: tuple[int, int]) -> int:
    """Return the room that a step from a sector enters at the height of a door, -1 for none."""
    middles = np.array([cell, (cell[0] + step[0], cell[1] + step[1])]) * SECTOR_SIZE + SECTOR_SIZE // 2
    here, border = checked.sector_at(np.array([room, room]), *middles.T).tolist()
    if here < 0 or border < 0 or not checked.is_open[here]:
        return -1
    target = int(checked.sectors.portal[border])
    beyond = int(checked.sector_at(np.array([target]), *middles[1:].T)[0])
    if beyond < 0 or not checked.is_open[beyond]:
        return -1
    top = max(door.top, *(int(checked.ceiling_top[each]) for each in (here, beyond)))
    bottom = min(door.bottom, *(int(checked.floor_bottom[each]) for each in (here, beyond)))
    return target if bottom - top >= CLICK else -1


def _covers(other: _Border, door: _Border, cell: tuple[int, int]) -> bool:
    """Return whether a door closes the border of a sector that another door is at."""
    axis = 0 if SIDE_STEPS[door.side][0] == 0 else 1
    is_parallel = (SIDE_STEPS[other.side][0] == 0) == (axis == 0)
    start = cell[axis] * SECTOR_SIZE
    return (
        is_parallel
        and other.line == door.line
        and other.low <= start + _GAP
        and other.high >= start + SECTOR_SIZE - _GAP
        and other.top < door.bottom
        and other.bottom > door.top
    )


def check_slots(checked: Decoded) -> Iterator[Finding]:
    """Find entities and models in slots that TRX does not know, in levels for it."""
    level = checked.level
    if target_of(checked) is not Target.TRX:
        return
    lists = [("entity", "type", level.entities), ("model", "id", level.models)]
    starts = level.game.traits.has_trx
    for kind, field, records in lists if starts else lists[:1]:
        for row, slot in enumerate(records[field].tolist()):
            if is_known(level.game, slot):
                continue
            text = T(
                "TRX does not know its slot, {slot}, and does not start the level."
                " Use another slot, or add a line to the catalog of the mod",
                slot=slot,
            )
            if not starts:
                text = T(
                    "TRX does not know its slot, {slot}, and makes a target of cameras of it."
                    " Use another slot, or add a line to the catalog of the mod",
                    slot=slot,
                )
            obj = Element(kind, row if kind == "entity" else slot)
            yield Finding(UNKNOWN_SLOT, Severity.WARNING, obj, text)


_CHECKS: tuple[Check, ...] = (check_places, check_activation, check_sources, check_doors, check_slots)


def check_with_roles(level: Level | Decoded) -> list[Finding]:
    """Return all findings of a level, including those that depend on the roles of its entities.

    Raises:
        FormatError: as :func:`~....formats.edits.checks.check.check_level` does.
    """
    return check_level(level, _CHECKS)
