"""The lists of names of the level editor's WADs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError
from io_tomb_raider.formats.editors.wads.wad.names import Was, WasLine, read_was


def test_slots_are_read_and_kept_byte_for_byte() -> None:
    data = b"LARA:C:\\wads\\lara.wad\r\n\r\nDOOR_TYPE1:x.wad\nPLANT0: \xe9.wad"
    was = read_was(data)
    assert was.slots == [
        WasLine("LARA", "C:\\wads\\lara.wad"),
        WasLine("DOOR_TYPE1", "x.wad"),
        WasLine("PLANT0", "\xe9.wad"),
    ]
    assert was.to_bytes() == data
    assert was.with_slots(was.slots) is was
    assert was.with_slots(was.slots[1:]).to_bytes() == b"DOOR_TYPE1:x.wad\nPLANT0:\xe9.wad\n"


@pytest.mark.parametrize("name", ["", "two\nlines", "\u0416.wav"])
def test_names_that_do_not_fit_in_a_line_are_refused(name: str) -> None:
    with pytest.raises(ExportError):
        Was("").with_slots([WasLine(name, "good.wad")])


line = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=":"), min_size=1)


@given(st.lists(st.tuples(line, line)))
def test_any_slots_round_trip(pairs: list[tuple[str, str]]) -> None:
    slots = [WasLine(*pair) for pair in pairs]
    assert read_was(Was("").with_slots(slots).to_bytes()).slots == slots


@given(st.binary(max_size=80))
def test_any_bytes_are_a_list_that_is_kept(data: bytes) -> None:
    assert read_was(data).to_bytes() == data
