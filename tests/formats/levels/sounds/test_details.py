"""Sound details, samples one by one, and users' waves in the forms of the games."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from pathlib import Path
from struct import pack, unpack_from
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, Game, Variant, read_level
from io_tomb_raider.formats.levels.game_files.beside import find_game_file
from io_tomb_raider.formats.levels.sounds.arrangement import Copied, arrange_samples
from io_tomb_raider.formats.levels.sounds.details import put_run, run_of
from io_tomb_raider.formats.levels.sounds.forms import (
    SoundForm,
    convert_sound,
    decode_sound,
    decoded_size,
    encode_sound,
    form_of,
    resample,
    usual_form,
)
from io_tomb_raider.formats.levels.sounds.samples import (
    SampleStorage,
    replace_samples,
    sample_count,
    sample_storage,
    sample_waves,
)
from io_tomb_raider.formats.levels.sounds.waves import (
    ADPCM,
    PCM,
    decode_wave,
    encode_adpcm_wave,
    encode_wave,
    read_wave,
)
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, named_sample
from tests.sample_levels.world import build_waves

# --- Runs of samples ----------------------------------------


def played_entries(arrangement: Any, number: int) -> list[Hashable]:
    """What a sound plays by a new list: old entries, and copies of them, by their numbers."""
    first, count = arrangement.runs[number]
    found = arrangement.entries[first : first + count]
    return [each.index if isinstance(each, Copied) else each for each in found]


def test_unchanged_sounds_keep_their_samples() -> None:
    before = [range(0, 1), range(1, 3), range(3, 4), range(3, 5), range(9, 11), range(4, 4)]
    made = arrange_samples(6, before, [(at, list(run)) for at, run in enumerate(before)])
    assert made.entries == list(range(6))
    assert made.runs == [(run.start, len(run)) for run in before]


def test_a_longer_sound_stays_at_its_place() -> None:
    made = arrange_samples(
        4, [range(0, 1), range(1, 3), range(3, 4)], [(0, [0]), (1, [2, "new", 1]), (2, [3])]
    )
    assert made.entries == [0, 2, "new", 1, 3]
    assert made.runs == [(0, 1), (1, 3), (4, 1)]


def test_samples_of_a_longer_sound_are_appended_to_an_ascending_list() -> None:
    before = [range(0, 1), range(1, 3), range(3, 4)]
    made = arrange_samples(4, before, [(0, [0]), (1, [1, 2, "new"]), (2, [3])], ascending=True)
    assert made.entries == [0, 3, Copied(1), Copied(2), "new"]
    assert made.runs == [(0, 1), (2, 3), (1, 1)]
    shorter = arrange_samples(4, before, [(0, [0]), (1, [2]), (2, [3])], ascending=True)
    assert (shorter.entries, shorter.runs) == ([0, 2, 3], [(0, 1), (1, 1), (2, 1)])


def test_samples_that_another_sound_plays_are_kept() -> None:
    made = arrange_samples(3, [range(0, 2), range(1, 3)], [(0, [1]), (1, [1, 2])])
    assert (made.entries, made.runs) == ([1, 2], [(0, 1), (0, 2)])
    made = arrange_samples(3, [range(0, 2), range(1, 3)], [(0, ["new", 1]), (1, [1, 2])])
    assert (made.entries, made.runs) == ([1, 2, "new", 1], [(2, 2), (0, 2)])


def test_samples_of_deleted_sounds_go_and_others_stay() -> None:
    made = arrange_samples(6, [range(0, 2), range(2, 3), range(4, 5)], [(2, [4])])
    assert (made.entries, made.runs) == ([3, 4, 5], [(1, 1)])


def test_new_sounds_reuse_runs_of_samples() -> None:
    wanted: list[tuple[int, Sequence[Hashable]]] = [
        (0, [0, 1]),
        (-1, [1]),
        (-1, ["a", "b"]),
        (-1, ["b"]),
        (-1, []),
    ]
    made = arrange_samples(2, [range(0, 2)], wanted)
    assert (made.entries, made.runs) == ([0, 1, "a", "b"], [(0, 2), (1, 1), (2, 2), (3, 1), (2, 0)])


def test_runs_beyond_the_end_of_the_list_stay_beyond_it() -> None:
    before = [range(0, 1), range(1, 4), range(7, 9)]
    made = arrange_samples(2, before, [(0, [0]), (1, [1, 2, 3]), (2, [7, 8]), (-1, ["new"])])
    assert made.entries == [0, 1, "new"]
    assert made.runs == [(0, 1), (1, 1), (8, 2), (2, 1)]
    fewer = arrange_samples(2, before, [(1, [1, 2, 3]), (2, [7, 8])])
    assert (fewer.entries, fewer.runs) == ([1], [(0, 3), (6, 2)])


runs = st.builds(lambda first, count: range(first, first + count), st.integers(0, 12), st.integers(0, 4))
samples = st.one_of(st.integers(0, 9), st.sampled_from(["a", "b", "c"]))


@given(st.lists(runs, max_size=6), st.data(), st.booleans())
def test_every_sound_plays_its_requested_samples(
    before: list[range], data: st.DataObject, ascending: bool
) -> None:
    count = 10
    wanted: list[tuple[int, list[Hashable]]] = []
    for at, run in enumerate(before):
        change = data.draw(st.sampled_from(["keep", "keep", "edit", "delete"]))
        if change != "delete":
            wanted.append((at, list(run) if change == "keep" else data.draw(st.lists(samples, max_size=4))))
    for new in data.draw(st.lists(st.lists(samples, max_size=3), max_size=3)):
        wanted.append((-1, list(new)))
    made = arrange_samples(count, before, wanted, ascending=ascending)
    for number, (_, keys) in enumerate(wanted):
        heard = [key for key in keys if not isinstance(key, int) or key < count]
        assert played_entries(made, number) == heard
    if ascending:
        old = [each for each in made.entries if isinstance(each, int)]
        assert old == sorted(set(old))
        assert made.entries[: len(old)] == old


def test_runs_are_read_and_written() -> None:
    record = np.zeros(1, [("sample", "<u2"), ("flags", "<u2")])[0]
    record["flags"] = 0x6003
    put_run(record, 7, 63, "Bell")
    assert (record["sample"], record["flags"]) == (7, 0x60FF)
    assert run_of(record) == range(7, 70)
    with pytest.raises(ExportError, match=r"Bell: too many samples: 64 \(the limit is 63\)"):
        put_run(record, 0, 64, "Bell")
    with pytest.raises(ExportError, match="too many samples: 65536"):
        put_run(record, 65536, 1, "Bell")


# --- Samples of levels ----------------------------------------


HOMES = {
    "tr1": SampleStorage.BLOCK,
    "tr1-demo": SampleStorage.BLOCK,
    "tr2": SampleStorage.MAIN_SFX,
    "tr2-demo": SampleStorage.WAVES,
    "tr3": SampleStorage.MAIN_SFX,
    "tr3-textiles": SampleStorage.NONE,
    "tr5": SampleStorage.CHUNKS,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_found_where_the_game_has_them(name: str) -> None:
    level = read_level(named_sample(name))
    home = HOMES.get(name, SampleStorage.CHUNKS)
    assert sample_storage(level) is home
    expected = build_waves(level.game)
    if home is SampleStorage.NONE:
        assert sample_count(level) == 0
    elif home is SampleStorage.MAIN_SFX:
        assert sample_waves(level) == [b""] * 5
    else:
        assert sample_waves(level) == expected


EMBEDDED = [
    name
    for name in SAMPLES
    if HOMES.get(name, SampleStorage.CHUNKS)
    in (SampleStorage.BLOCK, SampleStorage.WAVES, SampleStorage.CHUNKS)
]


@pytest.mark.parametrize("name", EMBEDDED)
def test_samples_are_replaced_moved_and_left_out(name: str) -> None:
    level = read_level(named_sample(name))
    old = sample_waves(level)
    new = encode_wave(np.arange(-500, 500, dtype=np.int16)[:, None], 11025)
    replace_samples(level, [4, new, 1, 2])
    again = read_level(level.to_bytes(), name="x.trc" if level.game is Game.TR5 else "")
    assert sample_waves(again) == [old[4], new, old[1], old[2]]
    assert sample_count(again) == 4
    if level.game >= Game.TR4:
        assert len(again.sample_indices) == 4


@pytest.mark.parametrize("name", EMBEDDED)
def test_the_same_samples_are_the_same_bytes(name: str) -> None:
    level = read_level(named_sample(name))
    before = level.to_bytes()
    replace_samples(level, range(sample_count(level)))
    assert level.to_bytes() == before


def test_samples_at_the_same_offset_keep_the_same_offset() -> None:
    level = read_level(named_sample("tr1"))
    offsets, size = level.sample_indices, len(level.sample_data)
    level.sample_indices = np.array([offsets[1], offsets[0], offsets[1], size + 6], "<u4")
    waves = sample_waves(level)
    assert waves[0] == waves[2] and waves[3] == b""
    assert waves[1] == level.sample_data[: offsets[1]].tobytes()
    replace_samples(level, [1, 0, 2, b"RIFF", 3])
    found = level.sample_indices.tolist()
    assert found[1] == found[2] == offsets[1]
    assert found[4] == len(level.sample_data) + 6
    assert level.sample_data[found[3] :].tobytes() == b"RIFF"


def test_samples_in_a_file_of_their_own_can_be_moved_only() -> None:
    level = read_level(named_sample("tr4-trng"))
    level.samples = np.frombuffer(pack("<6I", 0, 10, 10, 20, 30, 5), np.uint8)
    level.sample_count = 3
    level = read_level(level.to_bytes())
    assert sample_storage(level) is SampleStorage.ELSEWHERE
    assert sample_waves(level) == [b""] * 3
    replace_samples(level, [2, 0])
    assert unpack_from("<4I", level.samples.tobytes()) == (30, 5, 0, 10)
    with pytest.raises(ExportError, match="none can be added"):
        replace_samples(level, [0, b"RIFF"])
    with pytest.raises(ExportError, match="none can be added"):
        replace_samples(read_level(named_sample("tr2")), [0])


def test_samples_that_are_cut_are_an_error() -> None:
    level = read_level(named_sample("tr4"))
    level.sample_count += 1
    with pytest.raises(FormatError, match=r"samples\[5\]"):
        sample_waves(level)


@each_real_level
def test_samples_of_real_levels_come_back(level_path: Path) -> None:
    level = read_level(level_path)
    home = sample_storage(level)
    waves = sample_waves(level)
    assert len(waves) == sample_count(level)
    if home in (SampleStorage.BLOCK, SampleStorage.CHUNKS):
        assert all(len(decode_wave(read_wave(wave))) for wave in waves)
        replace_samples(level, range(len(waves)))
        assert level.to_bytes() == level_path.read_bytes()


def test_main_sfx_is_found_next_to_the_level_or_one_folder_up(tmp_path: Path) -> None:
    level = tmp_path / "data" / "level.tr2"
    level.parent.mkdir()
    assert find_game_file(level, "MAIN.SFX") is None
    (tmp_path / "Main.sfx").write_bytes(b"")
    assert find_game_file(level, "MAIN.SFX") == tmp_path / "Main.sfx"
    (level.parent / "main.SFX").write_bytes(b"")
    assert find_game_file(level, "MAIN.SFX") == level.parent / "main.SFX"
    assert find_game_file(tmp_path / "nowhere" / "x" / "level.tr2", "MAIN.SFX") is None


# --- Users' waves ----------------------------------------


def fading_tone(rate: int, seconds: float = 0.4, pitch: float = 440) -> np.ndarray:
    """A tone that fades in and out, (samples, 1) from -1 to 1."""
    time = np.arange(round(rate * seconds)) / rate
    return (0.8 * np.sin(2 * np.pi * pitch * time) * np.sin(np.pi * time / seconds)).astype(np.float32)[
        :, None
    ]


def raw_wave(
    tag: int, rate: int, bits: int, channels: int, content: bytes, *, extensible: bool = False
) -> bytes:
    """Return a wave as users' tools write it, with a chunk before its samples."""
    form = pack("<HHIIHH", tag, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    if extensible:
        form = pack("<H", 0xFFFE) + form[2:] + pack("<HHIH", 22, bits, 0, tag) + bytes(14)
    body = b"WAVEfmt " + pack("<I", len(form)) + form + b"LIST" + pack("<I", 4) + b"abcd"
    body += b"data" + pack("<I", len(content)) + content
    return b"RIFF" + pack("<I", len(body)) + body


def as_content(values: np.ndarray, tag: int, bits: int) -> bytes:
    if tag == 3:
        return values.astype("<f4" if bits == 32 else "<f8").tobytes()
    if bits == 8:
        return np.clip(np.rint(values * 128 + 128), 0, 255).astype(np.uint8).tobytes()
    whole = np.rint(values.astype(float) * (2.0 ** (bits - 1) - 1)).astype("<i4")
    if bits == 24:
        return whole.reshape(-1, 1).view(np.uint8)[:, :3].tobytes()
    return whole.astype(f"<i{bits // 8}").tobytes()


def rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values.astype(float)))))


@pytest.mark.parametrize(("tag", "bits"), [(1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)])
@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("extensible", [False, True])
def test_all_plain_waves_are_understood(tag: int, bits: int, channels: int, extensible: bool) -> None:
    sound = np.repeat(fading_tone(48000), channels, axis=1)
    data = raw_wave(tag, 48000, bits, channels, as_content(sound, tag, bits), extensible=extensible)
    decoded, rate = decode_sound(data)
    assert rate == 48000
    assert decoded.shape == sound.shape
    assert np.abs(decoded - sound).max() < (0.005 if bits == 8 else 1e-4)


FORMS = [
    SoundForm(PCM, 11025, 8),
    SoundForm(PCM, 22050, 16),
    SoundForm(ADPCM, 22050, 4, block_size=512),
    SoundForm(ADPCM, 44100, 4, channels=2, block_size=2048),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("channels", [1, 2])
def test_converted_waves_sound_the_same(form: SoundForm, rate: int, channels: int) -> None:
    sound = np.repeat(fading_tone(rate), channels, axis=1)
    data = convert_sound(raw_wave(1, rate, 24, channels, as_content(sound, 1, 24)), form)
    wave = read_wave(data)
    assert form_of(wave) == form
    decoded = decode_wave(wave) / 32768
    expected = np.repeat(fading_tone(form.rate), form.channels, axis=1)
    assert decoded.shape == expected.shape
    assert rms(decoded - expected) < 0.02 * rms(expected)
    if form.tag == PCM:
        assert (wave.content.offset, wave.content.end + wave.content.size % 2) == (44, len(data))
    else:
        assert wave.content.offset == 90  # where the games expect the first block


def test_resampling_removes_frequencies_above_the_limit() -> None:
    low, high = fading_tone(44100, pitch=400), fading_tone(44100, pitch=9000)
    made = resample(low + high, 44100, 11025)
    assert made.shape == (round(len(low) / 4), 1)
    assert rms(made - fading_tone(11025, pitch=400)[: len(made)]) < 0.02 * rms(low)
    assert resample(low, 44100, 44100) is low
    # The nearest number for the same duration, and never none.
    assert [len(resample(low[:count], 11025, 8000)) for count in (1, 2, 100, 101)] == [1, 1, 73, 73]
    assert len(resample(low[:1], 44100, 8000)) == 1
    assert resample(np.zeros((0, 2), np.float32), 44100, 11025).shape == (0, 2)


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_sounds_of_the_target_format_are_not_converted(form: SoundForm) -> None:
    sound = np.repeat(fading_tone(form.rate), form.channels, axis=1)
    data = encode_sound(sound, form.rate, form)
    assert convert_sound(data, form) == data
    more = data + b"LIST" + pack("<I", 4) + b"abcd"
    assert convert_sound(b"RIFF" + pack("<I", len(more) - 8) + more[8:], form) == data


def test_loud_sounds_are_cut_and_silent_ones_refused() -> None:
    loud = encode_sound(2 * fading_tone(22050), 22050, FORMS[1])
    assert decode_wave(read_wave(loud)).max() == 32767
    with pytest.raises(ExportError, match="mine: has no samples"):
        encode_sound(np.zeros((0, 1), np.float32), 22050, FORMS[1], "mine")
    with pytest.raises(ExportError, match=r"mine: too many seconds: 3601 \(the limit is 3600\)"):
        encode_sound(np.zeros((3601, 1), np.float32), 1, FORMS[1], "mine")


@pytest.mark.parametrize(
    ("tag", "bits", "channels", "rate"),
    [(85, 16, 1, 22050), (1, 12, 1, 22050), (1, 16, 0, 22050), (3, 16, 1, 8000), (1, 16, 1, 0)],
)
def test_unsupported_waves_are_an_error(tag: int, bits: int, channels: int, rate: int) -> None:
    with pytest.raises(FormatError, match="mine"):
        decode_sound(raw_wave(tag, rate, bits, channels, bytes(64)), "mine")


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 255)), max_size=5), st.sampled_from([1, 3]))
def test_damaged_waves_end_in_an_error_or_give_samples(changes: list[tuple[int, int]], tag: int) -> None:
    data = bytearray(raw_wave(tag, 22050, 32, 1, bytes(range(256))))
    for place, value in changes:
        data[place] = value
    try:
        decoded, rate = decode_sound(bytes(data))
    except FormatError:
        return
    assert rate > 0
    assert np.isfinite(decoded).all()


def test_the_usual_form_is_that_of_most() -> None:
    waves = [*build_waves(Game.TR1), *build_waves(Game.TR3)[:2], b"no wave"]
    assert usual_form(waves, Game.TR1) == SoundForm(PCM, 11025, 8)
    assert usual_form(build_waves(Game.TR5), Game.TR4) == SoundForm(ADPCM, 22050, 4, block_size=512)
    assert usual_form([], Game.TR1) == SoundForm(PCM, 22050, 8)
    assert form_of(read_wave(raw_wave(3, 22050, 32, 1, bytes(8)))) is None


def test_sizes_of_samples() -> None:
    assert decoded_size(encode_wave(np.zeros((100, 1), np.int16), 22050, 8)) == 200
    assert decoded_size(encode_adpcm_wave(np.zeros((3000, 1), np.int16), 22050)) == 6000
    level: Any = read_level(named_sample("tr5"))
    replace_samples(level, [encode_adpcm_wave(np.zeros((3000, 1), np.int16), 22050)])
    assert unpack_from("<II", level.samples) == (6000, 90 + 3 * 512)
    assert level.variant is Variant.RETAIL
