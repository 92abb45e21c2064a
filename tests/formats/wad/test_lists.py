"""What lies beside the level editor's WADs: SFX, SAM and WAS."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.wad.names import Sam, Slot, Was, read_sam, read_was
from io_tomb_raider.formats.wad.sounds import read_sfx

from ...wad_samples import sample_sfx

# --- SFX ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sounds", [370, 2048])
@pytest.mark.parametrize("slack", [0, 12])
def test_sounds_come_back_byte_for_byte(sounds: int, slack: int, tmp_path: Path) -> None:
    original = sample_sfx(sounds, slack=slack)
    data = original.to_bytes()
    (tmp_path / "sample.sfx").write_bytes(data)
    for sfx in (read_sfx(data), read_sfx(tmp_path / "sample.sfx")):
        assert sfx.to_bytes() == data
        assert sfx.sound_map.tolist() == original.sound_map.tolist()
        assert sfx.sound_details.tobytes() == original.sound_details.tobytes()
        assert sfx.sample_indices.tolist() == [7, 9]
        assert len(sfx.footer) == slack


def test_the_smallest_file_has_a_map_and_nothing_else() -> None:
    data = b"\xff" * 740 + bytes(8)
    sfx = read_sfx(data)
    assert (len(data), len(sfx.sound_map), len(sfx.sound_details)) == (748, 370, 0)
    assert sfx.to_bytes() == data


def test_sounds_that_end_early_are_refused() -> None:
    data = sample_sfx().to_bytes()
    for size in range(len(data)):
        with pytest.raises(FormatError):
            read_sfx(data[:size])


@given(st.binary(min_size=8, max_size=8), st.binary(max_size=60))
def test_any_counts_are_refused_or_kept(counts: bytes, rest: bytes) -> None:
    data = bytes(740) + counts + rest
    try:
        sfx = read_sfx(data)
    except FormatError as error:
        assert error.section in ("sound_details", "sample_indices", "sound_map")
    else:
        assert sfx.to_bytes() == data


# --- Lists of names ----------------------------------------------------------------------------


def test_slots_are_read_and_kept_byte_for_byte() -> None:
    data = b"LARA:C:\\wads\\lara.wad\r\n\r\nDOOR_TYPE1:x.wad\nPLANT0: \xe9.wad"
    was = read_was(data)
    assert was.slots == [
        Slot("LARA", "C:\\wads\\lara.wad"),
        Slot("DOOR_TYPE1", "x.wad"),
        Slot("PLANT0", "\xe9.wad"),
    ]
    assert was.to_bytes() == data
    assert was.with_slots(was.slots) is was
    assert was.with_slots(was.slots[1:]).to_bytes() == b"DOOR_TYPE1:x.wad\nPLANT0:\xe9.wad\n"


def test_names_of_samples_are_read_and_kept_byte_for_byte() -> None:
    data = b"footstep.wav\nsplash.wav\n"
    sam = read_sam(data)
    assert sam.names == ["footstep.wav", "splash.wav"]
    assert sam.to_bytes() == data
    assert sam.with_names(["a.wav"]).to_bytes() == b"a.wav\n"


@pytest.mark.parametrize("name", ["", "two\nlines", "\u0416.wav"])
def test_names_that_no_line_holds_are_refused(name: str) -> None:
    with pytest.raises(ExportError):
        Sam("").with_names([name, "good.wav"])
    with pytest.raises(ExportError):
        Was("").with_slots([Slot(name, "good.wad")])


line = st.text(st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=":"), min_size=1)


@given(st.lists(st.tuples(line, line)))
def test_any_slots_come_back(pairs: list[tuple[str, str]]) -> None:
    slots = [Slot(*pair) for pair in pairs]
    assert read_was(Was("").with_slots(slots).to_bytes()).slots == slots


@given(st.binary(max_size=80))
def test_any_bytes_are_a_list_that_is_kept(data: bytes) -> None:
    assert read_was(data).to_bytes() == data
    assert read_sam(data).to_bytes() == data
    assert read_sam(data).with_names(read_sam(data).names).to_bytes() == data
