"""Tests of the sounds of projects from levels: compiled from their sound catalogs, they are the same."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import SOUND_DETAILS, U32
from io_tomb_raider.formats.base.targets import Target
from io_tomb_raider.formats.editors.projects.compile.compile import compile_project
from io_tomb_raider.formats.editors.projects.compile.plan.resources import Resources, paths_of
from io_tomb_raider.formats.editors.projects.compile.sounds.catalogs import (
    CatalogSound,
    read_catalog,
    write_catalog,
)
from io_tomb_raider.formats.editors.projects.from_level.from_level import project_of
from io_tomb_raider.formats.editors.projects.from_level.sounds import level_catalog
from io_tomb_raider.formats.editors.projects.model.project import read_project
from io_tomb_raider.formats.levels.injections.block import read_block
from io_tomb_raider.formats.levels.injections.kinds import BlockId
from io_tomb_raider.formats.levels.sounds.details import most_volume, run_of
from io_tomb_raider.formats.levels.sounds.samples import (
    SampleStorage,
    replace_samples,
    sample_storage,
    sample_waves,
)
from io_tomb_raider.formats.levels.sounds.waves import (
    PCM,
    decode_wave,
    encode_adpcm_wave,
    encode_wave,
    read_wave,
)
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compiling import load_png, write_files
from tests.real_levels import real_levels
from tests.sample_levels import named_sample

_NAMES = ("tr1", "tr2", "tr3", "tr4", "tr4-trng", "tr5")


def _compiled(decoded: Decoded, folder: Path) -> Level:
    """Return the level that is compiled from the project of a level, with the sounds of its catalog only."""
    made = project_of(decoded, "made")
    write_files(made, folder)
    project = read_project(made.project.to_bytes())
    resources = Resources(paths_of(project.settings, folder / "made.prj2"), load_png)
    return compile_project(project, resources, keep_missing=True).level


def _sounds(level: Level) -> dict[int, tuple[Any, list[bytes] | list[int]]]:
    """Return the details and the decoded samples, or their numbers in MAIN.SFX, by number."""
    found: dict[int, tuple[Any, list[bytes] | list[int]]] = {}
    separate = sample_storage(level) is SampleStorage.MAIN_SFX
    waves = [] if separate else [decode_wave(read_wave(each)).tobytes() for each in sample_waves(level)]
    for number in np.flatnonzero(level.sound_map >= 0).tolist():
        record = level.sound_details[level.sound_map[number]]
        run = run_of(record)
        content = (
            level.sample_indices[run.start : run.stop].tolist() if separate else waves[run.start : run.stop]
        )
        found[number] = record, content
    return found


def _same(before: Level, after: Level, left_out: Sequence[int] = ()) -> None:
    most = most_volume(before.game)
    was, now = _sounds(before), _sounds(after)
    assert sorted(now) == sorted(was.keys() - set(left_out))
    for number, (record, content) in now.items():
        other = was[number][0]
        assert content == was[number][1]
        assert record["flags"] == other["flags"]
        for name in ("volume", "chance"):  # a catalog has percent
            values = [int(each[name]) for each in (record, other)]
            if name == "chance":  # 0 always plays
                values = [each or most for each in values]
            assert abs(values[0] - values[1]) <= most / 100
        if "range" in (record.dtype.names or ()):
            assert record["range"] == other["range"] and abs(int(record["pitch"]) - int(other["pitch"])) <= 1


def _wave(seed: int, game: Game, rate: int) -> bytes:
    tone = np.random.default_rng(seed).integers(-9000, 9000, (1500, 1)).astype(np.int16)
    if game is Game.TR5:
        return encode_adpcm_wave(tone, rate, 512)
    return encode_wave(tone, rate, 8 if game is Game.TR1 else 16)


@pytest.mark.parametrize("name", _NAMES)
def test_sounds_are_the_same(name: str, tmp_path: Path) -> None:
    before = read_level(named_sample(name))
    # Sounds 1 and 5 have the same samples: in MAIN.SFX, only one of them can be counted.
    shared = [1] if before.game in (Game.TR2, Game.TR3) else []
    _same(before, _compiled(Decoded(before), tmp_path), shared)


@pytest.mark.parametrize("path", real_levels(), ids=lambda path: path.name)
def test_sounds_of_real_levels_are_in_catalogs(path: Path) -> None:
    level = read_level(path)
    found = level_catalog(Decoded(level), "made")
    assert not found.lost
    assert found.selected == sorted(_sounds(level)) if level.has("sound_details") else not found.selected


@settings(max_examples=6, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@pytest.mark.parametrize("name", _NAMES)
@given(st.integers(0, 1 << 16))
def test_any_sounds_are_the_same(name: str, seed: int) -> None:
    before = _with_sounds(read_level(named_sample(name)), np.random.default_rng(seed))
    with tempfile.TemporaryDirectory() as folder:
        _same(before, _compiled(Decoded(before), Path(folder)))


def _with_sounds(level: Level, random: np.random.Generator) -> Level:
    """Replace the sounds of a level by any others; those of MAIN.SFX in the order of its samples."""
    game, separate = level.game, sample_storage(level) is SampleStorage.MAIN_SFX
    numbers = np.sort(random.choice(200, 9, replace=False)) + 1
    counts = random.integers(1, 5, len(numbers))
    rows = np.zeros(len(numbers), SOUND_DETAILS[game])
    rows["sample"] = np.cumsum(counts) - counts
    most = most_volume(game)
    rows["volume"], rows["chance"] = random.integers(0, most + 1, (2, len(rows)))
    loops = random.integers(0, 3 if game is Game.TR1 else 4, len(rows))
    rows["flags"] = loops | counts << 2 | random.integers(0, 8, len(rows)) << 12
    if "range" in (rows.dtype.names or ()):
        rows["range"], rows["pitch"] = (
            random.integers(0, 256, len(rows)),
            random.integers(-127, 128, len(rows)),
        )
    level.sound_map = np.full_like(level.sound_map, -1)
    level.sound_map[numbers] = np.arange(len(rows))
    level.sound_details = rows
    if separate:
        gaps = random.integers(0, 4, len(rows)) * (np.diff(numbers, prepend=-1) > 1)
        level.sample_indices = (np.repeat(np.cumsum(gaps), counts) + np.arange(counts.sum())).astype(U32)
    else:
        rate = int(random.choice([11025, 22050]))
        replace_samples(
            level, [_wave(int(each), game, rate) for each in random.integers(0, 99, counts.sum())]
        )
    return level


def test_plain_samples_replace_adpcm(tmp_path: Path) -> None:
    level = read_level(named_sample("tr4"))
    replace_samples(level, [_wave(number, Game.TR5, 22050) for number in range(5)])
    made = level_catalog(Decoded(level), "made")
    assert {read_wave(each).tag for each in made.files.values()} == {PCM}
    _same(level, _compiled(Decoded(level), tmp_path))


def test_sounds_of_main_sfx_have_their_order() -> None:
    level = read_level(named_sample("tr2"))
    level.sound_map = np.full_like(level.sound_map, -1)
    level.sound_map[[2, 3, 9, 20, 21]] = [0, 1, 2, 3, 4]
    rows = np.zeros(5, SOUND_DETAILS[Game.TR2])
    rows["sample"], rows["flags"] = np.arange(5), 1 << 2
    level.sound_details = rows
    # The samples of sound 9 come before those of sound 3, and no number is free between sounds 20 and 21.
    level.sample_indices = np.array([4, 5, 1, 10, 90], U32)
    found = level_catalog(Decoded(level), "made")
    assert found.selected == [2, 3, 20] and found.lost == [9, 21]
    assert [(each.number, len(each.samples)) for each in found.sounds] == [
        (0, 4),
        (2, 1),
        (3, 1),
        (4, 4),
        (20, 1),
    ]
    level.sample_indices = np.array([4, 5, 1, 10, 0xFFFFFFFF], U32)
    assert len(level_catalog(Decoded(level), "made").sounds) == 5


def test_samples_elsewhere_are_no_catalog() -> None:
    made = project_of(Decoded(read_level(named_sample("tr2-demo"))), "made")
    assert made.lost_sounds == made.project.settings.selected_sounds == [0, 1, 5, 8]
    assert not made.project.settings.catalogs


def test_sounds_for_trx_are_the_same(tmp_path: Path) -> None:
    before = _compiled(Decoded(read_level(named_sample("tr1")), Target.TRX), tmp_path)
    before = read_level(before.to_bytes(), name="level.phd")
    after = _compiled(Decoded(before, Target.TRX), tmp_path)
    blocks = read_block(before), read_block(after)
    was, now = (each.records(BlockId.SOUNDS) if each is not None else [] for each in blocks)
    assert [each["sound"] for each in was] == [0, 1, 5, 8]
    assert was == now


@given(
    st.lists(
        st.builds(
            CatalogSound,
            st.integers(0, 2047),
            st.integers(0, 100),
            st.integers(0, 255),
            st.integers(0, 100),
            st.integers(-100, 100),
            st.integers(0, 3),
            st.sampled_from([0, 0x1000, 0x2000, 0x4000, 0x7000]),
            st.lists(st.text("aé&<>'\" .\\", min_size=1).map(str.strip).filter(bool), max_size=4).map(tuple),
            st.booleans(),
            st.booleans(),
        ),
        max_size=5,
    )
)
def test_written_catalogs_are_read(sounds: list[CatalogSound]) -> None:
    assert read_catalog(write_catalog(sounds, "<&{}>".format)) == sounds
