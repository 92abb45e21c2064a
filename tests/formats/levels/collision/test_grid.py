"""Rectangles over sectors."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.levels.collision.grid import Rectangle, rectangles, rectangles_of_rows

_CELLS = st.tuples(st.integers(0, 7), st.integers(0, 7))


def test_rectangles_extend_along_z_first() -> None:
    keys = dict.fromkeys([(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)], True)
    assert rectangles(keys) == [Rectangle(0, 0, 2, 3), Rectangle(2, 0, 1, 2)]
    assert Rectangle(0, 1, 2, 2).cells == [(0, 1), (0, 2), (1, 1), (1, 2)]


def test_sectors_with_other_keys_are_borders_and_the_first_sectors_give_the_order() -> None:
    keys = {(0, 0): 1, (0, 1): 2, (1, 0): 1, (1, 1): 2, (2, 0): 2, (2, 1): 2}
    assert rectangles(keys) == [Rectangle(0, 0, 2, 1), Rectangle(0, 1, 3, 1), Rectangle(2, 0, 1, 1)]
    assert rectangles({}) == []


@given(st.dictionaries(_CELLS, st.integers(0, 2)))
def test_rectangles_cover_each_sector_once_and_have_one_key(keys: dict[tuple[int, int], int]) -> None:
    found = rectangles(keys)
    assert sorted(cell for each in found for cell in each.cells) == sorted(keys)
    assert all(len({keys[cell] for cell in each.cells}) == 1 for each in found)
    assert found == sorted(found)


@given(st.dictionaries(_CELLS, st.integers(0, 2)))
def test_rectangles_of_whole_rows_are_the_same(keys: dict[tuple[int, int], int]) -> None:
    rows = [[keys.get((x, z)) for z in range(9)] for x in range(8)]
    assert rectangles_of_rows(rows) == rectangles(keys)
