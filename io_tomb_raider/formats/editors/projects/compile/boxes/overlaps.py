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
    """The pairs of boxes whose way from one to the other depends on sectors, in the order of the editor."""

    #: one, two: (n,) the box that asks, and the other.
    one: Ints
    two: Ints
    state: Ints  #: (n,) 0 normal, 1 flipped.
    along_x: Bools  #: (n,) whether they are apart along x.
    gap: Ints  #: (n,) the sectors between them; -1 if they overlap.


def _tests(boxes: GrownBoxes, *, jumps: bool) -> Tests:
    x0, z0, x1, z1 = boxes.sides.astype(np.int32).T
    count, height = len(x0), boxes.height
    found = []
    for first in range(0, count, max(_AT_ONCE // max(count, 1), 1)):
        rows = slice(first, first + max(_AT_ONCE // max(count, 1), 1))
        gap_x = np.maximum(x0[None] - x1[rows, None], x0[rows, None] - x1[None])
        gap_z = np.maximum(z0[None] - z1[rows, None], z0[rows, None] - z1[None])
        near = (np.minimum(gap_x, gap_z) < 0) & (np.maximum(gap_x, gap_z) <= _WIDEST_GAP)
        one, two = np.nonzero(near)
        gaps = np.stack([gap_x[one, two], gap_z[one, two]])
        one += first
        along_x, gap = gaps[0] >= 0, gaps.max(axis=0).astype(np.int64)
        gap = np.maximum(gap, -1)
        level = height[one] == height[two]
        states = boxes.states
        both = states[:, one] & states[:, two]
        useful = (one != two) & both.any(axis=0) & (level | (gap == 0)) & ((gap < 1) | jumps)
        state = np.where(both[0], 0, 1)
        chosen = np.flatnonzero(useful)
        chosen = chosen[np.lexsort((two[chosen], state[chosen], one[chosen]))]
        found.append(Tests(*(each[chosen] for each in (one, two, state, along_x, gap))))
    return Tests.join(found)


@dataclass(frozen=True, eq=False)
class Probes(Columns):
    """Looks at sectors to answer tests, in the order of the editor."""

    test: Ints  #: (n,).
    reached: Bools  #: (n,) whether the sector is looked at; otherwise the test fails here.
    seen: Ints  #: (n,) the sector.
    fits: Bools  #: (n,) whether its height is right.


def _joined(probes: Sequence[Probes]) -> Probes:
    """Return probes in the order of their tests."""
    joined = Probes.join(probes)
    return joined.take(np.argsort(joined.test, kind="stable"))


def _edge_probes(world: World, boxes: GrownBoxes, tests: Tests, rows: Ints) -> Probes:
    """Return the looks over the common edge of boxes that touch: at each sector beyond it."""
    one, two, along_x = tests.one[rows], tests.two[rows], tests.along_x[rows]
    swap = boxes.height[two] > boxes.height[one]
    one, two = np.where(swap, two, one), np.where(swap, one, two)  # from the higher one
    own, other = _turned(boxes.sides[one], along_x), _turned(boxes.sides[two], along_x)
    forwards = own[:, 2] == other[:, 0]
    inside = np.where(forwards, own[:, 2] - 1, own[:, 0])
    outside = inside + np.where(forwards, 1, -1)
    low, high = np.maximum(own[:, 1], other[:, 1]), np.minimum(own[:, 3], other[:, 3])
    each = np.repeat(np.arange(len(rows)), high - low)
    across = np.arange(len(each)) - np.repeat(np.cumsum(high - low) - high + low, high - low) + low[each]
    x, z = _turned_back(inside[each], across, along_x[each])
    reached, room = world.reach(boxes.room[one[each]], x, z)
    seen = world.at(room, *_turned_back(outside[each], across, along_x[each]))
    return Probes(rows[each], reached, seen, world.height[seen] == boxes.height[two[each]])


def _jump_probes(world: World, boxes: GrownBoxes, tests: Tests, rows: Ints) -> Probes:
    """Return the looks into the gaps between boxes, one sector after the other."""
    one, two, gap, along_x = tests.one[rows], tests.two[rows], tests.gap[rows], tests.along_x[rows]
    own, other = _turned(boxes.sides[one], along_x), _turned(boxes.sides[two], along_x)
    from_own = own[:, 0] < other[:, 0]
    end = np.where(from_own, own[:, 2], other[:, 2])
    low, high = np.maximum(own[:, 1], other[:, 1]), np.minimum(own[:, 3], other[:, 3])
    across, height = (low + high) >> 1, boxes.height[one]
    ok, room = world.reach(boxes.room[np.where(from_own, one, two)], *_turned_back(end - 1, across, along_x))
    found: list[Probes] = []
    live = np.arange(len(rows))
    for step in range(_WIDEST_GAP):
        live = live[gap[live] > step]
        place = _turned_back(end[live] + step, across[live], along_x[live])
        there, own_room = world.reach(room[live], *place)
        seen = world.at(own_room, *place)
        fits = world.height[seen] <= height[live] - _DEEPER
        found.append(Probes(rows[live], ok[live] & there, seen, fits))
        room[live] = world.into[seen]
    return _joined(found)


def _turned(sides: Ints, along_x: Bools) -> Ints:
    """Return sides (n, 4) with the axis first along which boxes are apart."""
    return np.where(along_x[:, None], sides, sides[:, [1, 0, 3, 2]])


def _turned_back(along: Ints, across: Ints, along_x: Bools) -> tuple[Ints, Ints]:
    return np.where(along_x, along, across), np.where(along_x, across, along)


def find_overlaps(world: World, boxes: GrownBoxes, game: Game) -> tuple[Ints, Ints]:
    """Return (n, 2) boxes, and the ones that can be reached from them, in order, and flags."""
    modern, jumps = game.traits.has_materials, game.traits.has_overlap_flags
    tests = _tests(boxes, jumps=jumps)
    edges, gaps = np.flatnonzero(tests.gap == 0), np.flatnonzero(tests.gap > 0)
    both = [_edge_probes(world, boxes, tests, edges), _jump_probes(world, boxes, tests, gaps)]
    probes = _joined(both)
    passed, monkey = _answers(world, boxes, tests, probes)
    either = boxes.monkey[tests.one] & boxes.monkey[tests.two] & (tests.gap < 1)
    flags = np.where((either | monkey) & modern, MONKEY, 0) | np.where(tests.gap > 0, JUMP, 0)
    return np.stack([tests.one, tests.two], axis=1)[passed], flags[passed]


def _answers(world: World, boxes: GrownBoxes, tests: Tests, probes: Probes) -> tuple[Bools, Bools]:
    """Return which tests pass, and whether their last sector has a monkey swing.

    The editor remembers two facts from one look to the next: whether shallow water was seen, after which
    slopes count, and whether the last sector was gray, after which jumps over gray sectors fail.
    """
    test, seen = probes.test, probes.seen
    jump = tests.gap[test] > 0
    possible = probes.reached & ~world.nothing[seen]
    shallow = (
        np.where(tests.state[test] == 0, world.shallow[0][seen], world.shallow[1][seen]) & probes.reached
    )
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
    passed = np.ones(len(tests.one), np.bool_)
    passed[test[~good]] = False
    monkey = np.zeros(len(tests.one), np.bool_)
    monkey[test] = world.monkey[seen]  # the last one stays
    return passed, monkey


def _performed(test: Ints, good: Bools) -> Bools:
    """Return which probes are made: those of a test up to the first that fails."""
    failed: Ints = np.cumsum(~good) - ~good  # before each
    first = np.ones(len(test), np.bool_)
    first[1:] = test[1:] != test[:-1]
    return failed == failed[np.flatnonzero(first)][np.cumsum(first) - 1]


def _with_gray(start: bool, test: Ints, reached: Bools, gray: Bools, jump: Bools, good: Bools) -> Bools:
    """Return which probes pass if jumps over gray sectors fail after a gray one."""
    good, is_gray, failed = good.copy(), start, -1
    rows = zip(test.tolist(), reached.tolist(), gray.tolist(), jump.tolist(), strict=True)
    for place, (number, is_reached, is_box, is_jump) in enumerate(rows):
        if number == failed or not is_reached:
            continue
        if is_jump:
            good[place] &= not (is_box and is_gray)
            is_gray |= is_box
        else:
            is_gray = is_box
        if not good[place]:
            failed = number
    return good


# --- Zones and records -------------------------------------------------------------------------
