"""Sounds, demos and footers of the golden files."""

from __future__ import annotations

import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.level.demo import demo_frames, demo_start
from io_tomb_raider.formats.levels.level.footer import FooterChunk, TrngFooter, find_footer, split_footer
from io_tomb_raider.formats.levels.sounds.details import LOOP, LOOP_MODES, RANDOM_PITCH, run_of
from io_tomb_raider.formats.levels.sounds.samples import (
    SampleStorage,
    replace_samples,
    sample_count,
    sample_storage,
    sample_waves,
)

from . import tr1, tr4
from .levels import GOLDEN, each_game

_HOMES = {
    "tr1": (SampleStorage.BLOCK, 4),
    "tr1-demo": (SampleStorage.BLOCK, 4),
    "tr2": (SampleStorage.MAIN_SFX, 3),
    "tr2-demo": (SampleStorage.WAVES, 4),
    "tr3": (SampleStorage.MAIN_SFX, 3),
    "tr4": (SampleStorage.CHUNKS, 4),
    "tr4-plain-demo": (SampleStorage.CHUNKS, 4),
    "tr4-trng": (SampleStorage.CHUNKS, 4),
    "tr4-trng-sounds-elsewhere": (SampleStorage.ELSEWHERE, 4),
    "tr5": (SampleStorage.CHUNKS, 4),
}
each_home = pytest.mark.parametrize("name", _HOMES)


@each_home
def test_samples_are_where_the_game_has_them(name: str) -> None:
    level = GOLDEN[name].level
    home, count = _HOMES[name]
    assert (sample_storage(level), sample_count(level)) == (home, count)
    within = home in (SampleStorage.BLOCK, SampleStorage.WAVES, SampleStorage.CHUNKS)
    assert sample_waves(level) == (list(tr1.WAVES) if within else [b""] * count)


@each_home
def test_samples_that_stay_keep_their_bytes(name: str) -> None:
    if _HOMES[name][0] is not SampleStorage.MAIN_SFX:
        level = GOLDEN[name].level.copy()
        replace_samples(level, range(4))
        assert level.to_bytes() == GOLDEN[name].content


@each_game
def test_sound_details_name_a_run_of_samples_and_how_it_is_played(name: str) -> None:
    level = GOLDEN[name].level
    record = level.sound_details[0]
    assert run_of(record) == range(1, 3)
    flags = int(record["flags"])
    assert LOOP_MODES[level.game][LOOP.of(flags)] == {
        Game.TR1: "RESTART", Game.TR2: "WAIT", Game.TR3: "LOOP", Game.TR4: "LOOP", Game.TR5: "LOOP",
    }[level.game]  # fmt: skip
    assert flags & RANDOM_PITCH


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("tr1", 256),
        ("tr2", 370),
        ("tr2-demo", 370),
        ("tr3", 370),
        ("tr4", 370),
        ("tr4-trng", 600),
        ("tr5", 450),
    ],
)
def test_the_sound_map_has_as_many_sounds_as_the_game_knows(name: str, length: int) -> None:
    level = GOLDEN[name].level
    assert len(level.sound_map) == length
    assert level.sound_map[-1] == length - 101


@pytest.mark.parametrize("name", ["tr1", "tr1-demo", "tr2", "tr2-demo", "tr3"])
def test_demos_begin_in_a_room_and_end_with_their_inputs(name: str) -> None:
    level = GOLDEN[name].level
    start = demo_start(level)
    assert start is not None
    assert (start.position.tolist(), start.room) == ([10752, -256, 20992], 5)
    assert demo_frames(level) == 2


@pytest.mark.parametrize("name", ["tr4-trng", "tr4-trng-sounds-elsewhere"])
def test_trngs_footer_is_chunks_with_ids(name: str) -> None:
    level = GOLDEN[name].level
    content = level.footer.tobytes()
    before, footer = split_footer(content)
    assert (before, find_footer(content)) == (b"", 0)
    assert footer is not None
    assert footer.chunks == tuple(FooterChunk(*each) for each in tr4.FOOTER_CHUNKS)
    assert footer.rest == bytes(4)
    assert footer.get(0x800D) == b"\x05\x03\x02\x81"
    assert footer.to_bytes() == content
    assert TrngFooter(footer.chunks).to_bytes() == content  # same as a new one
    assert len(level.demo_data) == 0


def test_a_file_without_trngs_footer_has_none() -> None:
    assert split_footer(GOLDEN["tr4"].content) == (GOLDEN["tr4"].content, None)
