"""Rows of bytes of different lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats.base.arrays.ragged import Ragged, joined, leb_rows, read_lebs, stacked
from io_tomb_raider.formats.base.bytes.chunks import leb, leb_bytes
from io_tomb_raider.formats.base.bytes.cursor import Cursor

pytestmark = pytest.mark.once

i64 = st.integers(-(1 << 63), (1 << 63) - 1)


def _ragged(rows: list[bytes]) -> Ragged:
    return Ragged(np.frombuffer(b"".join(rows), np.uint8), np.array([len(row) for row in rows], np.int64))


@given(st.lists(i64, min_size=1, max_size=9), st.integers(0, 10))
def test_numbers_are_those_of_single_chunks(values: list[int], width: int) -> None:
    rows = leb_rows(np.array(values, np.int64), width)
    assert rows.rows() == [leb_bytes(value, width, grows=True) for value in values]
    data = np.append(rows.data, np.zeros(16, np.uint8))
    found, after = read_lebs(data, rows.starts, 1)
    assert found[:, 0].tolist() == values
    assert after.tolist() == np.cumsum(rows.lengths).tolist()
    found, after = read_lebs(data, np.zeros(1, np.int64), len(values))
    assert found.tolist() == [values] and after.tolist() == [len(rows.data)]


@given(st.binary(min_size=1, max_size=12))
def test_any_bytes_are_the_number_that_a_single_reader_finds(data: bytes) -> None:
    padded = data + b"\0"
    cursor = Cursor(padded)
    if len(padded) > 10 and min(padded[:10]) >= 0x80:
        return  # the single reader refuses it
    value = leb(cursor)
    found, after = read_lebs(np.frombuffer(padded + bytes(16), np.uint8), np.zeros(1, np.int64), 1)
    assert after[0] == cursor.offset
    assert found[0, 0] == (value + (1 << 63)) % (1 << 64) - (1 << 63)


@given(st.lists(st.binary(max_size=5), min_size=1, max_size=8), st.randoms())
def test_rows_are_joined_stacked_and_taken_like_lists(rows: list[bytes], random: object) -> None:
    other = [row[::-1] + b"!" for row in rows]
    one, two = _ragged(rows), _ragged(other)
    assert one.rows() == rows
    assert joined(one, two).rows() == [first + second for first, second in zip(rows, other, strict=True)]
    assert stacked(one, two).rows() == rows + other
    order = np.arange(len(rows))[::-2]
    assert one.take(order).rows() == rows[::-2]
    counts = np.array([len(rows) // 2, 0, len(rows) - len(rows) // 2])
    assert one.merged(counts).rows() == [
        b"".join(rows[: counts[0]]),
        b"",
        b"".join(rows[counts[0] :]),
    ]


def test_empty_arrays_have_no_rows() -> None:
    none = leb_rows(np.zeros(0, np.int64))
    assert joined(none, none).rows() == [] and none.take(np.zeros(0, np.int64)).rows() == []
    assert Ragged.repeated(b"ab", 0).rows() == []
