"""Overlaps of a project's boxes, the same as those of the editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....base.arrays.columns import Columns
from .....base.arrays.typing import Bools, Ints
from .....base.games import Game
from .....levels.pathfinding.overlaps import JUMP, MONKEY
from .box_growth import GrownBoxes
from .box_world import World

_DEEPER = 2  # sectors of a gap are lower by this to be jumped over
_WIDEST_GAP = 2
_AT_ONCE = 1 << 20  # pairs of boxes


@dataclass(frozen=True, eq=False)
class Tests(Columns):
    """Pairs of boxes, one of which may be reached from the other over sectors, in the order of the editor."""

    #: source, target: (n,) boxes, and the box to reach from each.
    source: Ints
    target: Ints
    state: Ints  #: (n,) 0 normal, 1 flipped.
    along_x: Bools  #: (n,) whether they are apart along x.
    gap: Ints  #: (n,) the sectors between them; -1 if they overlap.


def _tests(boxes: GrownBoxes, *, jumps: bool) -> Tests:
    x0, z0, x1, z1 = boxes.sides.astype(np.int32).T
    count, height = len(x0), boxes.height
    parts = []
    for first in range(0, count, max(_AT_ONCE // max(count, 1), 1)):
        rows = slice(first, first + max(_AT_ONCE // max(count, 1), 1))
        gap_x = np.maximum(x0[None] - x1[rows, None], x0[rows, None] - x1[None])
        gap_z = np.maximum(z0[None] - z1[rows, None], z0[rows, None] - z1[None])
        near = (np.minimum(gap_x, gap_z) < 0) & (np.maximum(gap_x, gap_z) <= _WIDEST_GAP)
        source, target = np.nonzero(near)
        gaps = np.stack([gap_x[source, target], gap_z[source, target]])
        source += first
        along_x, gap = gaps[0] >= 0, gaps.max(axis=0).astype(np.int64)
        gap = np.maximum(gap, -1)
        level = height[source] == height[target]
        states = boxes.states
        common = states[:, source] & states[:, target]
        useful = (source != target) & common.any(axis=0) & (level | (gap == 0)) & ((gap < 1) | jumps)
        state = np.where(common[0], 0, 1)
        chosen = np.flatnonzero(useful)
        chosen = chosen[np.lexsort((target[chosen], state[chosen], source[chosen]))]
        parts.append(Tests(*(each[chosen] for each in (source, target, state, along_x, gap))))
    return Tests.join(parts)


@dataclass(frozen=True, eq=False)
class Probes(Columns):
    """The sectors that tests examine, in the order of the editor."""

    test: Ints  #: (n,).
    reached: Bools  #: (n,) whether the sector can be examined; otherwise the test fails here.
    seen: Ints  #: (n,) the sector.
    fits: Bools  #: (n,) whether its height is right.


def _in_test_order(probes: Sequence[Probes]) -> Probes:
    """Return probes in the order of their tests."""
    joined = Probes.join(probes)
    return joined.take(np.argsort(joined.test, kind="stable"))


def _edge_probes(world: World, boxes: GrownBoxes, tests: Tests, rows: Ints) -> Probes:
    """Return the probes of boxes that touch: all sectors beyond their common edge."""
    source, target, along_x = tests.source[rows], tests.target[rows], tests.along_x[rows]
    swap = boxes.height[target] > boxes.height[source]
    source, target = np.where(swap, target, source), np.where(swap, source, target)  # from the higher one
    source_sides, target_sides = _turned(boxes.sides[source], along_x), _turned(boxes.sides[target], along_x)
    forwards = source_sides[:, 2] == target_sides[:, 0]
    inside = np.where(forwards, source_sides[:, 2] - 1, source_sides[:, 0])
    outside = inside + np.where(forwards, 1, -1)
    low, high = (
        np.maximum(source_sides[:, 1], target_sides[:, 1]),
        np.minimum(source_sides[:, 3], target_sides[:, 3]),
    )
    index = np.repeat(np.arange(len(rows)), high - low)
    across = np.arange(len(index)) - np.repeat(np.cumsum(high - low) - high + low, high - low) + low[index]
    x, z = _turned_back(inside[index], across, along_x[index])
    reached, room = world.reach(boxes.room[source[index]], x, z)
    seen = world.at(room, *_turned_back(outside[index], across, along_x[index]))
    return Probes(rows[index], reached, seen, world.height[seen] == boxes.height[target[index]])


def _jump_probes(world: World, boxes: GrownBoxes, tests: Tests, rows: Ints) -> Probes:
    """Return the probes of the gaps between boxes, sector by sector."""
    source, target, gap, along_x = (
        tests.source[rows],
        tests.target[rows],
        tests.gap[rows],
        tests.along_x[rows],
    )
    source_sides, target_sides = _turned(boxes.sides[source], along_x), _turned(boxes.sides[target], along_x)
    is_forwards = source_sides[:, 0] < target_sides[:, 0]
    end = np.where(is_forwards, source_sides[:, 2], target_sides[:, 2])
    low, high = (
        np.maximum(source_sides[:, 1], target_sides[:, 1]),
        np.minimum(source_sides[:, 3], target_sides[:, 3]),
    )
    across, height = (low + high) >> 1, boxes.height[source]
    ok, room = world.reach(
        boxes.room[np.where(is_forwards, source, target)], *_turned_back(end - 1, across, along_x)
    )
    parts: list[Probes] = []
    live = np.arange(len(rows))
    for step in range(_WIDEST_GAP):
        live = live[gap[live] > step]
        position = _turned_back(end[live] + step, across[live], along_x[live])
        is_reached, next_room = world.reach(room[live], *position)
        seen = world.at(next_room, *position)
        fits = world.height[seen] <= height[live] - _DEEPER
        parts.append(Probes(rows[live], ok[live] & is_reached, seen, fits))
        room[live] = world.into[seen]
    return _in_test_order(parts)


def _turned(sides: Ints, along_x: Bools) -> Ints:
    """Return sides (n, 4) with the axis first along which boxes are apart."""
    return np.where(along_x[:, None], sides, sides[:, [1, 0, 3, 2]])


def _turned_back(along: Ints, across: Ints, along_x: Bools) -> tuple[Ints, Ints]:
    return np.where(along_x, along, across), np.where(along_x, across, along)


def find_overlaps(world: World, boxes: GrownBoxes, game: Game) -> tuple[Ints, Ints]:
    """Return (n, 2) boxes, and the boxes that can be reached from them, in order, and flags."""
    tests = _tests(boxes, jumps=game.traits.has_overlap_flags)
    edges, gaps = np.flatnonzero(tests.gap == 0), np.flatnonzero(tests.gap > 0)
    probes = _in_test_order(
        [_edge_probes(world, boxes, tests, edges), _jump_probes(world, boxes, tests, gaps)]
    )
    passed, monkey = _answers(world, boxes, tests, probes)
    has_monkey_swings = boxes.monkey[tests.source] & boxes.monkey[tests.target] & (tests.gap < 1)
    flags = np.where((has_monkey_swings | monkey) & game.traits.has_materials, MONKEY, 0)
    flags = flags | np.where(tests.gap > 0, JUMP, 0)
    return np.stack([tests.source, tests.target], axis=1)[passed], flags[passed]


def _answers(world: World, boxes: GrownBoxes, tests: Tests, probes: Probes) -> tuple[Bools, Bools]:
    """Return which tests pass, and whether their last sector has a monkey swing.

    The editor keeps two states from one probe to the next: whether shallow water was seen, after which
    slopes count, and whether the last sector was gray, after which jumps over gray sectors fail.
    """
    test, seen = probes.test, probes.seen
    jump = tests.gap[test] > 0
    possible = probes.reached & ~world.nothing[seen]
    shallow = world.is_shallow(seen, tests.state[test]) & probes.reached
    steep, gray = world.steep[seen] & possible, world.gray[seen] & possible
    wet = np.full(len(test), boxes.wet)
    if boxes.wet and shallow.any() and steep.any():
        done = _performed(test, probes.fits & possible & ~steep)
        water = np.flatnonzero(done & shallow)
        if len(water):
            wet[water[0] + 1 :] = False
    has_height = possible & ~(steep & wet)
    good = probes.fits & has_height
    if (gray & jump).any():
        good = _with_gray(boxes.gray, test, probes.reached, gray & has_height, jump, good)
    passed = np.ones(len(tests.source), np.bool_)
    passed[test[~good]] = False
    monkey = np.zeros(len(tests.source), np.bool_)
    monkey[test] = world.monkey[seen]  # the last one stays
    return passed, monkey


def _performed(test: Ints, good: Bools) -> Bools:
    """Return which probes the editor makes: those of a test up to the first that fails."""
    failed: Ints = np.cumsum(~good) - ~good  # before each
    first = np.ones(len(test), np.bool_)
    first[1:] = test[1:] != test[:-1]
    return failed == failed[np.flatnonzero(first)][np.cumsum(first) - 1]


def _with_gray(start: bool, test: Ints, reached: Bools, gray: Bools, jump: Bools, good: Bools) -> Bools:
    """Return which probes pass if jumps over gray sectors fail after a gray one."""
    good, is_gray, failed = good.copy(), start, -1
    rows = zip(test.tolist(), reached.tolist(), gray.tolist(), jump.tolist(), strict=True)
    for index, (number, is_reached, is_box, is_jump) in enumerate(rows):
        if number == failed or not is_reached:
            continue
        if is_jump:
            good[index] &= not (is_box and is_gray)
            is_gray |= is_box
        else:
            is_gray = is_box
        if not good[index]:
            failed = number
    return good
