"""Tests of distinct rows against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from io_tomb_raider.formats.base.rows import dense, distinct_rows

pytestmark = pytest.mark.once

_SHAPES = st.tuples(st.integers(1, 40), st.integers(1, 6))
_FAR = st.sampled_from((-(1 << 62), -(1 << 40), -3, 0, 1, 2, 1 << 20, 1 << 40, (1 << 63) - 1))


@given(arrays(np.int64, _SHAPES, elements=st.integers(-2, 2)) | arrays(np.int64, _SHAPES, elements=_FAR))
def test_distinct_rows_are_those_of_numpy(rows: np.ndarray) -> None:
    unique, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    found = distinct_rows(rows)
    assert found.first.tolist() == first.tolist()
    assert found.inverse.tolist() == inverse.reshape(-1).tolist()
    assert (rows[found.first] == unique).all()


@given(arrays(np.int64, st.integers(0, 40), elements=_FAR | st.integers(0, 9)))
def test_dense_numbers_have_the_order_of_the_values(values: np.ndarray) -> None:
    unique, inverse = np.unique(values, return_inverse=True)
    numbers, count = dense(values)
    assert (numbers.tolist(), count) == (inverse.reshape(-1).tolist(), len(unique))


def test_no_rows() -> None:
    first, inverse = distinct_rows(np.zeros((0, 3), np.int64))
    assert first.shape == inverse.shape == (0,)
