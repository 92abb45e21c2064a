"""Sectors, floor data, boxes and portals of the sample levels (documentation, chapters 3, 4 and 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.base.bytes.records import BOX, PORTAL
from io_tomb_raider.formats.base.bytes.records import SECTOR as SECTOR_RECORD

from .plan import CAMERA, CLICK, ENTITIES, FLYBY, SECTOR, TRIGGERS, Cell, Corners, RoomPlan, TriggerPlan

_NONE = 0xFF
_NO_BOX = {Game.TR1: 0xFFFF, Game.TR2: 0xFFFF}
_MATERIAL = 6  # stone
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass
class Ground:
    """Data of all rooms: the floor data, and the boxes with their overlaps and zones."""

    floor_data: NDArray[np.uint16]
    sectors: dict[str, NDArray[Any]]
    boxes: NDArray[Any]
    overlaps: NDArray[np.uint16]
    zones: NDArray[np.uint16]


def is_planar(corners: Corners) -> bool:
    """Return whether four corners are in one plane, so that a slant can express them."""
    south_west, south_east, north_east, north_west = corners
    return south_west + north_east == south_east + north_west


def clicks(game: Game, corners: Corners) -> Corners:
    """Return the corners that the game supports: before TR3, surfaces are planes."""
    return corners if is_planar(corners) or game >= Game.TR3 else (max(corners),) * 4


def build_ground(game: Game, rooms: tuple[RoomPlan, ...]) -> Ground:
    """Return the sectors of all rooms, and the floor data and boxes that they refer to."""
    index = {room.name: number for number, room in enumerate(rooms)}
    areas = [area for room in rooms for area in _box_areas(room)]
    words = [0]
    sectors: dict[str, NDArray[Any]] = {}
    for room in rooms:
        columns, rows = room.size
        grid = np.zeros((columns, rows), SECTOR_RECORD)
        for x, z in np.ndindex(columns, rows):
            cell = room.cell(x, z)
            functions = _functions(game, room, (x, z), cell, index)
            start = len(words) if functions else 0
            words += functions
            box = next((n for n, area in enumerate(areas) if area.holds(room, x, z)), None)
            grid[x, z] = _sector(game, cell, start, box, index)
        sectors[room.name] = grid.reshape(-1)
    boxes, overlaps, zones = _build_boxes(game, areas)
    return Ground(np.array(words, "<u2"), sectors, boxes, overlaps, zones)


def _sector(
    game: Game, cell: Cell, floor_data: int, box: int | None, index: dict[str, int]
) -> tuple[int, int, int, int, int, int]:
    number = _NO_BOX.get(game, 0x7FF) if box is None else box
    packed = number if game <= Game.TR2 else number << 4 | _MATERIAL
    below, above = (index[name] if name else _NONE for name in (cell.below, cell.above))
    floor, ceiling = min(clicks(game, cell.floor)), max(clicks(game, cell.ceiling))
    if cell.is_wall:
        floor = ceiling = -127
    return (floor_data, packed, below, floor, above, ceiling)


# --- Floor data ---------------------------------------------------------------------------------------

_END = 0x8000


def _functions(
    game: Game, room: RoomPlan, place: tuple[int, int], cell: Cell, index: dict[str, int]
) -> list[int]:
    """Return the floor data of one sector, with its end mark."""
    functions: list[list[int]] = []
    if cell.portal:
        functions.append([0x01, index[cell.portal]])
    if not cell.is_wall:
        functions += _slopes(game, cell)
    simple = {"death": [0x05], "climb": [0x06 | 0b1000 << 8], "monkey": [0x13]}
    since = {"death": Game.TR1, "climb": Game.TR2, "monkey": Game.TR3}
    functions += [simple[name] for name in cell.functions if game >= since[name]]
    for trigger in TRIGGERS:
        if (trigger.room, trigger.sector) == (room.name, place) and game >= trigger.since:
            functions.append(_trigger(trigger))
    if functions:
        functions[-1][0] |= _END
    return [word for function in functions for word in function]


def _slopes(game: Game, cell: Cell) -> list[list[int]]:
    functions = []
    floor, ceiling = clicks(game, cell.floor), clicks(game, cell.ceiling)
    if not is_planar(floor):
        functions.append(_split(floor))
    elif len(set(floor)) > 1:
        functions.append([0x02, _slant(floor[0] - floor[1], floor[0] - floor[3])])
    if len(set(ceiling)) > 1:
        functions.append([0x03, _slant(ceiling[1] - ceiling[0], ceiling[0] - ceiling[3])])
    return functions


def _slant(x: int, z: int) -> int:
    return (x & 0xFF) | (z & 0xFF) << 8


def _split(corners: Corners) -> list[int]:
    """Return the function of a floor of two triangles, split from north-west to south-east."""
    south_west, south_east, north_east, north_west = corners
    lowest = max(corners)
    # The highest corner of each triangle's plane, extended over the whole sector.
    near = min(south_west, south_east, north_west, south_east + north_west - south_west)
    far = min(north_east, south_east, north_west, south_east + north_west - north_east)
    base = min(corners)
    shifts = ((far - base) & 0x1F) << 5 | ((near - base) & 0x1F) << 10
    depths = [lowest - corner for corner in (south_east, south_west, north_west, north_east)]
    return [0x07 | shifts, sum(depth << 4 * place for place, depth in enumerate(depths))]


def _trigger(trigger: TriggerPlan) -> list[int]:
    entities = [entity.name for entity in ENTITIES]
    words = [0x04 | trigger.kind << 8, trigger.setup]
    for action, parameter in trigger.actions:
        number = entities.index(parameter) if isinstance(parameter, str) else parameter
        words.append(action << 10 | number)
        if action in (CAMERA, FLYBY):
            words.append(4 if action == CAMERA else 0x100)  # seconds; once
    words[-1] |= _END
    return words


# --- Boxes ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Area:
    """A rectangle of sectors of one height: x and z in sectors of the room, the maxima exclusive."""

    room: RoomPlan
    x_min: int
    x_max: int
    z_min: int
    z_max: int
    height: int  # in clicks

    def holds(self, room: RoomPlan, x: int, z: int) -> bool:
        return room is self.room and self.x_min <= x < self.x_max and self.z_min <= z < self.z_max

    def world(self) -> tuple[int, int, int, int]:
        """Return z_min, z_max, x_min, x_max in sectors of the world."""
        x, z = self.room.origin
        return z + self.z_min, z + self.z_max, x + self.x_min, x + self.x_max


def _walkable(cell: Cell) -> int | None:
    return None if cell.is_wall or cell.below else round(sum(cell.floor) / 4)


def _box_areas(room: RoomPlan) -> list[Area]:
    """Return rectangles that cover the floors of a room, each as long as possible along x, then along z."""
    columns, rows = room.size
    heights = {(x, z): _walkable(room.cell(x, z)) for x, z in np.ndindex(columns, rows)}
    areas: list[Area] = []
    for (x, z), height in heights.items():
        if height is None or any(area.holds(room, x, z) for area in areas):
            continue
        x_max = x
        while heights.get((x_max, z)) == height and not any(area.holds(room, x_max, z) for area in areas):
            x_max += 1
        z_max = z + 1
        while all(heights.get((column, z_max)) == height for column in range(x, x_max)):
            z_max += 1
        areas.append(Area(room, x, x_max, z, z_max, height))
    return areas


def _touch(first: Area, second: Area) -> bool:
    """Return whether two boxes share an edge or overlap in the same part of the world."""
    a, b = first.world(), second.world()
    across_z, across_x = min(a[1], b[1]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[2], b[2])
    return (
        min(across_z, across_x) >= 0 and max(across_z, across_x) > 0 and abs(first.height - second.height) < 8
    )


def _build_boxes(
    game: Game, areas: list[Area]
) -> tuple[NDArray[Any], NDArray[np.uint16], NDArray[np.uint16]]:
    boxes = np.zeros(len(areas), BOX[game])
    overlaps: list[int] = []
    reach = {
        number: [m for m, b in enumerate(areas) if m != number and _touch(a, b)]
        for number, a in enumerate(areas)
    }
    for number, area in enumerate(areas):
        bounds = area.world()
        if game is Game.TR1:  # in units, the maxima inclusive
            bounds = tuple(edge * SECTOR - side % 2 for side, edge in enumerate(bounds))  # type: ignore[assignment]
        first = len(overlaps) if reach[number] else {1: 0xFFFF, 2: 0xFFFF}.get(game, 0x7FF)
        boxes[number] = (*bounds, area.height * CLICK, first)
        overlaps += reach[number]
        if reach[number]:
            overlaps[-1] |= _END
    kinds = 3 if game is Game.TR1 else 5
    # Walkers climb steps of one click, other kinds higher ones; flyers reach all boxes.
    steps = [*[1, 2, 4, 8][: kinds - 1], 99]
    zones = np.array([_zone_numbers(areas, reach, step) for step in steps], "<u2").reshape(kinds, len(areas))
    return boxes, np.array(overlaps, "<u2"), np.stack([zones, zones])


def _zone_numbers(areas: list[Area], reach: dict[int, list[int]], step: int) -> list[int]:
    """Return zone numbers from 1: boxes in one zone are reachable from each other."""
    numbers = [0] * len(areas)
    for start in range(len(areas)):
        pending = [start] if not numbers[start] else []
        zone = max(numbers) + 1
        while pending:
            number = pending.pop()
            numbers[number] = zone
            pending += [
                other
                for other in reach[number]
                if not numbers[other] and abs(areas[other].height - areas[number].height) <= step
            ]
    return numbers


# --- Portals ------------------------------------------------------------------------------------------


def build_portals(game: Game, room: RoomPlan, rooms: tuple[RoomPlan, ...]) -> NDArray[Any]:
    """Return the room's portals: one per opening in a wall, and one for its openings below or above."""
    index = {plan.name: number for number, plan in enumerate(rooms)}
    plans = {plan.name: plan for plan in rooms}
    rows = []
    columns, depth = room.size
    for x, z in np.ndindex(columns, depth):
        cell = room.cell(x, z)
        for dx, dz in _SIDES if cell.portal else ():
            inside = (x - dx, z - dz)
            if not (0 <= inside[0] < columns and 0 <= inside[1] < depth) or room.cell(*inside).is_wall:
                continue
            other = neighbor(plans, room, x, z)
            rows.append(_wall_portal(index[cell.portal], inside, (dx, dz), room.cell(*inside), other))
    for name, down in (("below", 1), ("above", -1)):
        open_cells = [(x, z) for x, z in np.ndindex(columns, depth) if getattr(room.cell(x, z), name)]
        if open_cells:
            cell = room.cell(*open_cells[0])
            height = cell.floor[0] if down == 1 else cell.ceiling[0]
            rows.append(_level_portal(index[getattr(cell, name)], open_cells, height, down))
    return np.array(rows, PORTAL)


def neighbor(plans: dict[str, RoomPlan], room: RoomPlan, x: int, z: int) -> Cell:
    """Return the cell at a place of a room, or that of the adjoining room if it is a portal."""
    columns, rows = room.size
    if not (0 <= x < columns and 0 <= z < rows):
        return Cell(is_wall=True)
    cell = room.cell(x, z)
    if not cell.portal:
        return cell
    other = plans[cell.portal]
    return other.cell(x + room.origin[0] - other.origin[0], z + room.origin[1] - other.origin[1])


def _wall_portal(
    target: int, inside: tuple[int, int], direction: tuple[int, int], cell: Cell, other: Cell
) -> tuple[Any, ...]:
    (x, z), (dx, dz) = inside, direction
    top, bottom = max(cell.ceiling[0], other.ceiling[0]) * CLICK, min(cell.floor[0], other.floor[0]) * CLICK
    corner_x, corner_z = (x + (dx > 0)) * SECTOR, (z + (dz > 0)) * SECTOR
    # To the right as seen through the opening.
    right_x, right_z = dz * SECTOR, -dx * SECTOR
    start_x = corner_x if dx or dz > 0 else corner_x + SECTOR
    start_z = corner_z if dz or dx < 0 else corner_z + SECTOR
    points = [
        (start_x, top, start_z),
        (start_x + right_x, top, start_z + right_z),
        (start_x + right_x, bottom, start_z + right_z),
        (start_x, bottom, start_z),
    ]
    return (target, (-dx, 0, -dz), points)


def _level_portal(target: int, cells: list[tuple[int, int]], height: int, down: int) -> tuple[Any, ...]:
    xs, zs = [x for x, _ in cells], [z for _, z in cells]
    low_x, high_x = min(xs) * SECTOR, (max(xs) + 1) * SECTOR
    low_z, high_z = min(zs) * SECTOR, (max(zs) + 1) * SECTOR
    y = height * CLICK
    points = [(low_x, y, high_z), (high_x, y, high_z), (high_x, y, low_z), (low_x, y, low_z)]
    return (target, (0, -down, 0), points if down == 1 else points[::-1])
