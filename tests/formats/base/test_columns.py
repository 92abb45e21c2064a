"""Tests of tables of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from io_tomb_raider.formats.base.arrays.columns import Columns
from io_tomb_raider.formats.base.arrays.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class Inner(Columns):
    """A table within another one."""

    height: Annotated[Floats, 2]


@dataclass(frozen=True, eq=False)
class Table(Columns):
    """A table with all kinds of columns."""

    number: Ints
    inner: Inner
    label: Ints | None = None
    size: int = 0


def table(*numbers: int, label: bool = False) -> Table:
    """Return a table with these numbers, and heights that follow from them."""
    column = np.array(numbers, np.int64)
    heights = np.stack([column, column + 0.5], axis=1)
    return Table(column, Inner(heights), column * 10 if label else None, 7)


def test_rows_are_taken_from_all_columns() -> None:
    whole = table(3, 4, 5, label=True)
    for rows in (np.array([2, 0]), np.array([True, False, True]), slice(1, None)):
        some = whole.take(rows)
        assert some.number.tolist() == whole.number[rows].tolist() and len(some) == 2
        assert some.inner.height.tolist() == whole.inner.height[rows].tolist()
        assert some.label is not None and some.label.tolist() == (some.number * 10).tolist()
        assert some.size == 7
    assert table(1).take(np.array([0])).label is None


def test_tables_are_joined_in_order() -> None:
    joined = Table.join([table(1, 2), table(), table(3)])
    assert joined.number.tolist() == [1, 2, 3] and joined.inner.height[:, 1].tolist() == [1.5, 2.5, 3.5]
    assert joined.size == 7
    assert Table.join([table(1, label=True), table(2)]).label is None
    assert Table.join(iter([table(1, label=True), table(2, label=True)])).take(np.array([1])).size == 7


def test_joining_nothing_is_empty() -> None:
    for empty in (Inner.join([]), Inner.empty(), table().inner):
        assert len(empty) == 0 and empty.height.shape == (0, 2) and empty.height.dtype == np.float64


def test_wrong_shapes_are_refused() -> None:
    heights = np.zeros((2, 2))
    with pytest.raises(ValueError, match="2 rows of inner, not 3"):
        Table(np.zeros(3, np.int64), Inner(heights))
    with pytest.raises(ValueError, match="rows of height are"):
        Inner(np.zeros((2, 3)))


def test_different_rows_are_found_also_in_empty_tables() -> None:
    assert table(1, 2, 3, label=True).differs(table(1, 5, 3, label=True)).tolist() == [False, True, False]
    assert table().differs(table()).tolist() == []
