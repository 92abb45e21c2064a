"""The footer of TRNG's tools."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError
from io_tomb_raider.formats.levels.floor.floor_data import parse
from io_tomb_raider.formats.levels.floor.remapping import remap
from io_tomb_raider.formats.levels.level.footer import (
    FLOOR_DATA_PLUGINS,
    FooterChunk,
    TrngFooter,
    find_footer,
    move_floor_data_plugins,
    split_footer,
)

payloads = st.binary(max_size=20).map(lambda data: data[: len(data) // 2 * 2])
chunks = st.builds(FooterChunk, st.integers(0, 0xFFFF), payloads)

TWO_CHUNKS = (
    b"NG"
    + pack("<HHI", 4, 0x800D, 5)
    + pack("<HH", 3, 0x8025) + b"\x01\x02"
    + bytes(4)
    + b"NGLE"
    + pack("<I", 2 + 8 + 6 + 4 + 8)
)  # fmt: skip


def test_chunks_are_found_by_their_id() -> None:
    before, footer = split_footer(b"samples" + TWO_CHUNKS)
    assert before == b"samples"
    assert footer is not None
    assert footer.get(0x800D) == b"\x05\x00\x00\x00"
    assert footer.get(0x8025) == b"\x01\x02"
    assert footer.get(0x8048) is None
    assert footer.to_bytes() == TWO_CHUNKS


@given(st.binary(max_size=30), st.lists(chunks, max_size=5))
def test_footers_are_split_off_and_put_back(before: bytes, some: list[FooterChunk]) -> None:
    footer = TrngFooter(tuple(some))
    data = before + footer.to_bytes()
    assert find_footer(data) == len(before)
    assert split_footer(data) == (before, footer)
    assert split_footer(memoryview(data)) == (before, footer)


@given(st.binary(max_size=60), st.integers(0, 0xFFFFFFFF) | st.integers(0, 80))
@example(b"", 8)
@example(b"NG", 10)
@example(b"NG\xff\xff\x09\x80", 14)
@example(b"NG\x01\x00\x09\x80", 14)
@example(b"NG\x00\x00\x09\x80", 14)
def test_hostile_footers_are_kept_byte_for_byte(body: bytes, total: int) -> None:
    for data in (
        body + b"NGLE" + pack("<I", total),
        b"NG" + body + b"NGLE" + pack("<I", len(body) + 10),
        body,
    ):
        before, footer = split_footer(data)
        assert before + (b"" if footer is None else footer.to_bytes()) == data


def test_files_without_a_footer_have_none() -> None:
    assert split_footer(b"RIFF and so on") == (b"RIFF and so on", None)
    assert find_footer(b"NGLE") is None


def test_a_changed_chunk_keeps_its_place() -> None:
    footer = split_footer(TWO_CHUNKS)[1]
    assert footer is not None
    changed = footer.with_chunk(0x800D, b"\x07").with_chunk(0x9000, b"new.")
    assert [chunk.id for chunk in changed.chunks] == [0x800D, 0x8025, 0x9000]
    assert changed.get(0x800D) == b"\x07\x00"
    assert split_footer(changed.to_bytes()) == (b"", changed)
    assert changed.with_chunk(0x9000, None).with_chunk(0x800D, b"\x05\0\0\0").to_bytes() == TWO_CHUNKS


def test_chunks_that_their_size_field_cannot_hold_are_an_error() -> None:
    largest = TrngFooter((FooterChunk(1, bytes(2 * 0xFFFF - 4)),))
    assert split_footer(largest.to_bytes()) == (b"", largest)
    with pytest.raises(ExportError, match="0x0001") as caught:
        TrngFooter((FooterChunk(1, bytes(2 * 0xFFFF - 3)),)).to_bytes()
    assert (caught.value.count, caught.value.limit) == (0x10000, 0xFFFF)


def test_plugins_follow_their_words_of_floor_data() -> None:
    words = [0, 0x8004, 0x3E00, 0x0000, 0x8001, 0x8005, 0x8013]
    sectors = [np.array([[1, 5, 6]], dtype=np.uint16)]
    footer = TrngFooter().with_chunk(FLOOR_DATA_PLUGINS, bytes([0, 1, 2, 3, 4, 5, 6]))
    edited = remap(parse(words, sectors, trng=True), sectors, [-1, 0], [])
    assert edited.words.tolist() == [0, 0x8004, 0x3E00, 0x8000, 0x8005, 0x8013]
    moved = move_floor_data_plugins(footer, len(words), edited.origins)
    assert moved.get(FLOOR_DATA_PLUGINS) == bytes([0, 1, 2, 4, 5, 6])
    added = move_floor_data_plugins(footer, len(words), np.array([0, 5, -1]))
    assert added.get(FLOOR_DATA_PLUGINS) == bytes([0, 5, 0, 0])


def test_plugins_of_another_size_are_left_alone() -> None:
    footer = TrngFooter().with_chunk(FLOOR_DATA_PLUGINS, bytes(6))
    assert move_floor_data_plugins(footer, 9, np.arange(3)) is footer
    assert move_floor_data_plugins(TrngFooter(), 9, np.arange(3)) == TrngFooter()
