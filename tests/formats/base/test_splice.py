"""Removing and inserting elements of arrays that others index."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError
from io_tomb_raider.formats.base.bytes.splice import (
    Insert,
    Splice,
    block_position,
    coverage,
    fit_indices,
    outside_ranges,
    shared_value,
    sums_over_ranges,
)

some_ranges = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=5)
SIZE = 9


def columns(ranges: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(ranges, np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@given(
    st.lists(st.booleans(), min_size=SIZE, max_size=SIZE),
    st.lists(st.tuples(st.integers(0, SIZE), st.integers(0, 3)), max_size=4),
)
def test_splices_equal_deletions_and_insertions_in_a_list(
    removed: list[bool], blocks: list[tuple[int, int]]
) -> None:
    inserts = [
        Insert(position, order, np.full(length, 100 + order))
        for order, (position, length) in enumerate(blocks)
    ]
    splice = Splice(np.arange(SIZE), np.array(removed), inserts)
    expected: list[int] = []
    starts = {}
    for place in range(SIZE + 1):
        for order, (position, length) in enumerate(blocks):
            if position == place:
                starts[order] = len(expected)
                expected += [100 + order] * length
        if place < SIZE and not removed[place]:
            expected.append(place)
    assert splice.array.tolist() == expected
    assert splice.starts == starts
    moved = splice.move(np.arange(SIZE + 1))
    assert [expected[moved[old]] for old in range(SIZE) if not removed[old]] == [
        old for old in range(SIZE) if not removed[old]
    ]
    assert moved[SIZE] == len(expected)
    assert (np.diff(moved) >= 0).all()


def test_positions_beyond_the_end_are_moved_beyond_the_new_end() -> None:
    splice = Splice(np.arange(3), np.zeros(3, bool), [Insert(1, 0, np.zeros(4))])
    assert splice.move(np.array([4, 9, 0xFFFF])).tolist() == [7, 9, 0xFFFF]


@given(some_ranges)
def test_coverage_of_ranges_equals_that_of_a_loop(ranges: list[tuple[int, int]]) -> None:
    first, count = columns(ranges)
    weights = np.arange(1, len(ranges) + 1)
    inside = [[i for i, (a, n) in enumerate(ranges) if a <= place < a + n] for place in range(SIZE)]
    assert coverage(first, count, SIZE).tolist() == [len(each) for each in inside]
    assert coverage(first, count, SIZE, weights).tolist() == [sum(i + 1 for i in each) for each in inside]
    values = np.array([index % 2 * 7 - 3 for index in range(len(ranges))], np.int64)
    agreed, clash = shared_value(first, count, SIZE, values)
    for place, each in enumerate(inside):
        found = {int(values[i]) for i in each}
        assert clash[place] == (len(found) > 1)
        if len(found) == 1:
            assert agreed[place] == found.pop()
    sums = sums_over_ranges(first, count, np.arange(SIZE))
    assert sums.tolist() == [sum(range(SIZE)[a : a + n]) for a, n in ranges]


@given(some_ranges, st.integers(0, SIZE))
def test_blocks_part_no_range(ranges: list[tuple[int, int]], start: int) -> None:
    first, count = columns(ranges)
    free = outside_ranges(first, count, SIZE)
    at = block_position(free, start, start, np.zeros(SIZE, bool))
    assert not any(a < at < a + n and a <= SIZE for a, n in ranges)


def test_a_block_is_placed_after_kept_elements() -> None:
    free = np.arange(6)
    kept = np.array([False, True, True, False, False])
    assert block_position(free, 1, 3, kept) == 3
    assert block_position(free, 3, 5, kept) == 3
    assert block_position(free, 5, 5, kept) == 5


def test_indices_that_do_not_fit_are_refused_unless_unchanged() -> None:
    old = np.array([1, 70000])
    assert fit_indices(np.array([2, 70000]), old, "dispatches").tolist() == [2, 70000]
    with pytest.raises(ExportError, match=r"too many dispatches: 70001 \(the limit is 65535\)"):
        fit_indices(np.array([1, 70001]), old, "dispatches")
