"""Tests of distinct rows against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from io_tomb_raider.formats.base.arrays.distinct import distinct_rows, equal_rows, sorted_rows

pytestmark = pytest.mark.once

_SHAPES = st.tuples(st.integers(0, 40), st.integers(1, 6))
_FAR = st.sampled_from((-(1 << 60), -(1 << 40), -3, 0, 1, 2, 1 << 20, 1 << 40, 1 << 60))
_PARTS = st.sampled_from((-0.5, -0.0, 0.0, 1 / 256, 1 / 3, 63.75, 64.0, 1e12))


@given(
    arrays(np.int64, _SHAPES, elements=st.integers(-2, 2))
    | arrays(np.int64, _SHAPES, elements=_FAR)
    | arrays(np.float64, _SHAPES, elements=_PARTS)
)
def test_distinct_rows_are_those_of_numpy(rows: np.ndarray) -> None:
    first, number = distinct_rows(rows.T)
    if not len(rows):
        assert first.shape == number.shape == (0,)
        assert [each.shape for each in distinct_rows(rows.T, is_sorted=True)] == [(0,), (0,)]
        return
    unique, firsts, inverse = np.unique(rows + 0, axis=0, return_index=True, return_inverse=True)
    assert sorted(first.tolist()) == sorted(firsts.tolist())
    assert (rows[first][number] == rows).all() and len(first) == len(unique)
    assert (first[number] == firsts[inverse.reshape(-1)]).all()
    first, number = distinct_rows(rows.T, is_sorted=True)
    assert (first == firsts).all() and (number == inverse.reshape(-1)).all()


@given(arrays(np.int64, _SHAPES, elements=st.integers(-2, 2)) | arrays(np.int64, _SHAPES, elements=_FAR))
def test_equal_rows_are_in_the_order_of_their_first_ones(rows: np.ndarray) -> None:
    first, number = equal_rows(list(rows.T))
    seen: dict[tuple[int, ...], int] = {}
    expected = [seen.setdefault(tuple(row), len(seen)) for row in rows.tolist()]
    assert number.tolist() == expected
    assert first.tolist() == [expected.index(each) for each in range(len(seen))]


@given(st.lists(st.integers(0, 5)) | st.lists(st.integers(0, (1 << 62) - 1)))
def test_sorted_rows_are_in_a_stable_order(keys: list[int]) -> None:
    assert sorted_rows(np.array(keys, np.int64)).tolist() == sorted(range(len(keys)), key=keys.__getitem__)
