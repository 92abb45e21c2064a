"""Boxes, overlaps and zones of a project, the same as those of the editor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .....base.arrays.typing import Bools, Ints
from .....base.bytes.records import BOX
from .....base.errors import ExportError
from .....base.messages import T
from .....base.units import CLICK, SECTOR_SIZE
from .....levels.pathfinding.boxes import Pathfinding
from .....levels.pathfinding.overlaps import END, components
from ...geometry.openings import ProjectRooms
from ..plan.plan import Plan
from .box_growth import GrownBoxes, find_boxes
from .box_world import World
from .overlaps import find_overlaps

_NO_WORDS = 0x3FFF
_ALONE = 0x8000
_BOX_LIMIT, _BOX_LIMIT_OLD = 0x7FF, 0x7FFF
_WORD_LIMIT = 0x3FFF - 1
_GROUND_STEP, _CLIMB_STEP = 1, 4
_GROUND, _GROUND_2, _SWIMMERS, _CLIMBERS, _FLYERS = range(1, 6)
_KINDS = (_GROUND, _GROUND_2, _SWIMMERS, _CLIMBERS, _FLYERS)
_KINDS_TR1 = (_GROUND, _GROUND_2, _FLYERS)


def _zones(world: World, boxes: GrownBoxes, pairs: Ints, kinds: Sequence[int]) -> NDArray[np.uint16]:
    """Return (2, kinds, boxes) the numbers of the areas that enemies of a kind can reach."""
    wet, count = world.water[boxes.room], len(boxes.height)
    result = np.zeros((2, len(kinds), count), np.uint16)
    start, end = pairs.T
    step, same = np.abs(boxes.height[start] - boxes.height[end]), wet[start] == wet[end]
    level = ~boxes.slope[end]
    passable = {
        _GROUND: level & same & (step <= _GROUND_STEP),
        _GROUND_2: level & same & (step <= _GROUND_STEP),
        _SWIMMERS: level & (wet[end] | (step <= _GROUND_STEP)),
        _CLIMBERS: level & same & ((step <= _CLIMB_STEP) | boxes.monkey[end]),
        _FLYERS: np.ones(len(start), np.bool_),
    }
    areas: dict[bytes, NDArray[np.uint16]] = {}
    for state in (0, 1):
        exists = boxes.states[state][end]
        for row, kind in enumerate(kinds):
            chosen = passable[kind] & exists
            key = chosen.tobytes() + bytes([kind == _SWIMMERS])
            if key not in areas:
                areas[key] = _areas(pairs[chosen], wet, dry_seeds=kind == _SWIMMERS)
            result[state, row] = areas[key]
    return result


def _areas(pairs: Ints, wet: Bools, *, dry_seeds: bool) -> NDArray[np.uint16]:
    """Return the area of each box, (count,), from 1: all boxes reached from the first box without an area.

    Args:
        pairs: (n, 2) boxes, and the boxes that can be reached from them.
        wet: (count,).
        dry_seeds: whether areas that start in water stay in it.
    """
    count = len(wet)
    is_one_way = dry_seeds and bool((wet[pairs[:, 0]] != wet[pairs[:, 1]]).any())
    keys = pairs[:, 0] * count + pairs[:, 1]
    if not is_one_way and np.array_equal(np.sort(keys), np.sort(pairs[:, 1] * count + pairs[:, 0])):
        return (components(pairs, count) + 1).astype(np.uint16)
    reached: list[set[int]] = [set() for _ in range(count)]
    for start, end in pairs.tolist():
        reached[start].add(end)
    is_wet = wet.tolist()
    in_water = [{each for each in ends if is_wet[each]} for ends in reached] if dry_seeds else reached
    areas, number = [0] * count, 0
    for first in range(count):
        if areas[first]:
            continue
        number += 1
        areas[first] = number
        ways = in_water if is_wet[first] else reached
        inside, stack = {first}, [first]
        while stack:
            beyond = ways[stack.pop()] - inside
            inside |= beyond
            stack += beyond
        for each in inside:
            areas[each] = areas[each] or number
    return np.array(areas, np.uint16)


def project_paths(plan: Plan, rooms: ProjectRooms) -> Pathfinding:
    """Return boxes, overlaps and zones of a project.

    Raises:
        ExportError: if there are more boxes or overlaps than the game can number.
    """
    game = plan.target.game
    kinds = _KINDS if game.traits.ground_zones > 2 else _KINDS_TR1
    if not plan.rooms:
        none = np.zeros(0, np.uint16)
        return Pathfinding(np.zeros(0, BOX[game]), none, np.zeros((2, len(kinds), 0), np.uint16), [], 0)
    world = World(plan, rooms, game)
    boxes = find_boxes(world)
    count, limit = len(boxes.height), _BOX_LIMIT if game.traits.has_materials else _BOX_LIMIT_OLD
    if count > limit:
        raise ExportError(T("Pathfinding"), T("too many boxes"), count=count, limit=limit)
    pairs, flags = find_overlaps(world, boxes, game)
    if len(pairs) > _WORD_LIMIT:
        raise ExportError(
            T("Pathfinding"), T("too many overlaps of boxes"), count=len(pairs), limit=_WORD_LIMIT
        )
    words = (pairs[:, 1] | flags).astype(np.uint16)
    lengths = np.bincount(pairs[:, 0], minlength=count)
    ends = np.cumsum(lengths)
    words[ends[lengths > 0] - 1] |= END
    records = np.zeros(count, BOX[game])
    for name, side in zip(("x_min", "z_min", "x_max", "z_max"), boxes.sides.T, strict=True):
        records[name] = side & 0xFF if game.traits.has_box_sectors else side * SECTOR_SIZE
    records["floor"] = -CLICK * boxes.height
    starts = np.where(lengths > 0, ends - lengths, _NO_WORDS)
    records["overlap"] = starts | np.where(boxes.alone, _ALONE, 0)
    outside = (boxes.sides < 0) | (boxes.sides > (0xFF if game.traits.has_box_sectors else 1 << 21))
    far: Bools = np.asarray(outside.any(axis=1))
    per_room = np.split(boxes.sectors.astype(np.int32), world.first[1:])
    beyond_map = int(far[boxes.sectors[boxes.sectors >= 0]].sum()) if count else 0
    return Pathfinding(records, words, _zones(world, boxes, pairs, kinds), per_room, beyond_map)
