"""Small files made to exhaust time or memory.

Each would take hours, or more memory than there is, if it were read naively. The tests pass because it is
not.
"""

from __future__ import annotations

import tracemalloc
import zlib
from collections.abc import Callable
from functools import cache
from struct import pack
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import FormatError, Game, Level, Variant, read_level
from io_tomb_raider.formats.levels.floor.floor_data import decode_all, parse
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level

from .decoders import DECODERS
from .mutations import Specimen, stored

pytestmark = pytest.mark.fuzz

_MANY = 20_000


def peak_of(action: Callable[[], Any]) -> int:
    """Return the peak memory of an action in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def read_and_decode(content: bytes) -> None:
    level = read_level(content)
    for decoder in DECODERS:
        decoder.decode(level)


def refused(content: bytes) -> FormatError:
    """Return the error for a file, after checking that little memory was used."""
    errors: list[FormatError] = []

    def attempt() -> None:
        with pytest.raises(FormatError) as caught:
            read_and_decode(content)
        errors.append(caught.value)

    # Streams may inflate to 32 MB and a multiple of the file; inflating briefly takes twice that.
    assert peak_of(attempt) < 80e6 + 16 * len(content)
    return errors[0]


# --- Compressed ----------------------------------------------------------------------------


@cache
def bomb(size: int) -> bytes:
    """Return a small zlib stream of many zeros."""
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    return b"".join([*(packer.compress(block) for _ in range(size >> 20)), packer.flush()])


@pytest.mark.parametrize("size", [1 << 28, 0xFFFFFFFF])
def test_a_chunk_that_inflates_to_far_more_than_the_file(size: int) -> None:
    stream = bomb(1 << 28)
    content = pack("<IHHH", 0x00345254, 1, 0, 0) + pack("<II", size, len(stream)) + stream + bytes(64)
    error = refused(content)
    assert error.section == "textiles32"
    assert "inflated" in error.expected


def test_a_chunk_that_inflates_to_more_than_its_size_is_refused() -> None:
    stream = bomb(1 << 27)
    content = pack("<IHHH", 0x00345254, 1, 0, 0) + pack("<II", 4096, len(stream)) + stream + bytes(64)
    assert refused(content).expected == "a zlib stream of 4096 bytes"


def test_a_stream_around_a_file_that_never_ends() -> None:
    assert refused(bomb(1 << 28)).section == "file"


def test_a_small_file_with_blank_pages_is_read() -> None:
    """Blank pages inflate to hundreds of times their stream, and real levels have them."""
    level = sample_level(Game.TR4)
    level.textiles32 = np.zeros((40, 256, 256, 4), np.uint8)
    level.textiles16 = np.zeros((40, 256, 256), np.uint16)
    again = read_level(level.to_bytes())
    assert again.textiles32.shape == (40, 256, 256, 4)


# --- Repeated references ------------------------------------------------------------------


def test_overlapping_meshes_are_refused() -> None:
    mesh = pack("<hhhhHh", 0, 0, 0, 0, 0, 0x4000)
    data = np.frombuffer(mesh * (6 * _MANY // len(mesh)) + bytes(0x4000 * 12), np.uint8)
    pointers = np.arange(0, 6 * _MANY // len(mesh) * len(mesh), len(mesh), dtype="<u4")
    level = sample_level(Game.TR1)
    level.mesh_data, level.mesh_pointers = data, pointers
    error = refused(level.to_bytes())
    assert error.section.startswith("meshes/")
    with pytest.raises(FormatError, match="at most 4 times"):
        decode_meshes(Game.TR1, data, pointers)


@pytest.mark.parametrize("is_closed", [False, True])
def test_lists_of_floor_data_that_all_run_to_the_end(is_closed: bool) -> None:
    words = np.full(0xFFFF, 0x0004, "<u2")  # a trigger, a setup and an action in one
    words[-1] = 0x8004 if is_closed else 0x0004
    words[100] = 0
    starts = [np.arange(1, 0xFFFF, dtype="<u2")]
    with pytest.raises(FormatError, match="sparingly") as caught:
        parse(words, starts)
    assert caught.value.section == "floor_data"


def test_endless_lists_of_floor_data_are_refused() -> None:
    words = np.full(0xFFFE, 0x0005, "<u2")
    with pytest.raises(FormatError, match="sparingly"):
        parse(words, [np.arange(1, 0xFFFE, dtype="<u2")])


def test_lists_of_floor_data_that_some_sectors_enter_in_the_middle_are_read() -> None:
    """Original levels have such lists, whose tail another sector uses."""
    words = np.array([0, 0x0005, 0x0006, 0x8013, 0x0001, 7, 0x8005], "<u2")
    data = parse(words, [np.array([1, 2, 4, 6])])
    assert [len(functions) for functions in decode_all(data)] == [3, 2, 2, 1]


def _without_claims(level: Level, count: int) -> None:
    """Return copies of the first animation that refer only to their frames."""
    level.animations = np.repeat(level.animations[:1], count)
    level.animations["state_changes"] = level.animations["commands"] = 0


def _of_state_changes(level: Level) -> None:
    _without_claims(level, _MANY)
    level.animations["state_changes"], level.animations["first_state_change"] = _MANY, 0
    level.state_changes = np.repeat(level.state_changes[:1], _MANY)


def _of_dispatches(level: Level) -> None:
    level.state_changes = np.repeat(level.state_changes[:1], _MANY)
    level.state_changes["dispatches"], level.state_changes["first_dispatch"] = _MANY, 0
    level.animation_dispatches = np.repeat(level.animation_dispatches[:1], _MANY)
    level.animations = level.animations.copy()
    level.animations["state_changes"][0], level.animations["first_state_change"][0] = _MANY, 0


def _of_commands(level: Level) -> None:
    _without_claims(level, _MANY)
    level.animations["commands"], level.animations["first_command"] = 0xFFFF, 0
    level.animation_commands = np.full(0xFFFF, 4, "<i2")


def _of_frames(level: Level) -> None:
    _without_claims(level, 0xFF00)
    level.animations["first_frame"], level.animations["last_frame"] = 0, 0xFFFF
    level.animations["frame_offset"] = 0
    level.frames = np.tile(level.frames, 10)


def _of_meshes(level: Level) -> None:
    level.models = np.repeat(level.models[:1], _MANY)
    level.models["meshes"], level.models["first_mesh"] = len(level.mesh_pointers), 0


CLAIMS = {
    "state changes": _of_state_changes,
    "dispatches": _of_dispatches,
    "commands": _of_commands,
    "frames": _of_frames,
    "meshes": _of_meshes,
}


@each_game
@pytest.mark.parametrize("of", CLAIMS)
def test_claims_that_would_take_hours(of: str, game: Game) -> None:
    level = sample_level(game)
    CLAIMS[of](level)
    error = refused(level.to_bytes())
    assert error.section.removeprefix("level_data/") in ("animations", "models")
    assert "at most" in error.expected
    assert {"meshes": "mesh pointers", "frames": "frames"}.get(of, of).split()[-1] in error.expected


@each_game
def test_counts_beyond_the_end_of_a_table_are_ignored(game: Game) -> None:
    """Original levels have animations with 65535 commands, all beyond the end of the table."""
    level = sample_level(game)
    level.animations = np.repeat(level.animations, 20)
    level.animations["commands"][::2] = 0xFFFF
    level.animations["first_command"][::2] = len(level.animation_commands)
    level.animations["state_changes"][::2] = 0xFFFF
    level.animations["first_state_change"][::2] = len(level.state_changes)
    again = read_level(level.to_bytes())
    assert len(again.animations) == len(level.animations)


# --- Counts without content --------------------------------------------------------------------


@each_game
def test_counts_that_the_file_is_too_short_for_are_refused_before_memory_is_taken(game: Game) -> None:
    specimen = Specimen(sample_bytes(game))
    counts = [place for place in specimen.places if place.is_number and place.size == 4]
    counts = [
        place for place in counts if "rooms" not in place.section and "level_number" not in place.section
    ]
    assert len(counts) > 15
    for place in counts:
        content = specimen.buffer(place.buffer)
        huge = content[: place.offset] + b"\xff\xff\xff\xff" + content[place.offset + 4 :]
        built = specimen.build(place.buffer, huge)

        def attempt(built: bytes = built) -> None:
            try:
                read_level(built)
            except FormatError as error:
                assert error.offset is not None

        assert peak_of(attempt) < 4e6 + 4 * len(built), place


@pytest.mark.parametrize("count", [0xFFFF, 0xFFFFFFFF])
def test_missing_rooms_of_tr5_are_refused(count: int) -> None:
    level = sample_level(Game.TR5)
    content = level.to_bytes()
    start = content.index(b"XELA") - 4
    error = refused(content[:start] + pack("<I", count) + content[start + 4 :])
    assert error.section == "rooms" or error.element == len(level.rooms)


def test_a_room_of_tr5_that_claims_to_be_larger_than_the_file() -> None:
    content = sample_bytes(Game.TR5)
    start = content.index(b"XELA") + 4
    error = refused(content[:start] + b"\xff\xff\xff\x7f" + content[start + 4 :])
    assert (error.section, error.element) == ("rooms/header", 0)


def test_an_early_demo_of_zeros_is_refused() -> None:
    error = refused(stored(bytes(64)))
    assert error.offset is not None


def test_errors_in_compressed_files_have_offsets_in_the_inflated_data() -> None:
    plain = zlib.decompress(sample_bytes(Game.TR4, Variant.EARLY_DEMO, early_layout=1))
    error = refused(stored(plain[: len(plain) // 2]))
    assert error.offset is not None and error.offset <= len(plain) // 2


def test_errors_name_section_element_offset_and_the_expected_value() -> None:
    specimen = Specimen(sample_bytes(Game.TR3))
    portals = [place for place in specimen.places if place.section == "rooms/portals" and place.is_number]
    place = portals[1]
    content = bytearray(specimen.buffer(place.buffer))
    content[place.offset : place.offset + 2] = b"\xff\xff"
    error = refused(bytes(content))
    assert error.section.startswith("rooms/")
    assert error.element is not None and error.element >= 1
    assert error.offset is not None and error.offset >= place.offset
    assert str(error).startswith(f"{error.section}[{error.element}] at byte {error.offset}: expected ")
