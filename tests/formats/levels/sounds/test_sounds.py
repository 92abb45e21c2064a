"""Plain and compressed waves, MAIN.SFX, CDAUDIO.WAD and the Macintosh's list of tracks."""

from __future__ import annotations

from pathlib import Path
from struct import pack, pack_into, unpack_from

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError, Game, read_level
from io_tomb_raider.formats.levels.sounds.files import (
    CD_AUDIO_TRACKS,
    MainSfx,
    read_cd_audio,
    read_cd_audio_names,
    read_main_sfx,
    write_cd_audio_names,
)
from io_tomb_raider.formats.levels.sounds.waves import (
    ADPCM,
    PCM,
    adpcm_frames,
    decode_wave,
    decode_waves,
    encode_adpcm_wave,
    encode_wave,
    find_waves,
    read_wave,
)

from ....real_levels import each_real_level
from .samples import SOUNDS, TRACKS, cd_audio, main_sfx, noise, plain_wave

PAIRS = [(256, 0), (512, -256), (0, 0), (192, 64), (240, 0), (460, -208), (392, -232)]
STEPS = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230]


def decode_block(block: bytes, channels: int) -> list[list[int]]:
    """Decode a block of ADPCM sample by sample, as in its description."""
    pairs = [PAIRS[min(choice, 6)] for choice in block[:channels]]
    steps = list(unpack_from(f"<{channels}h", block, channels))
    latest = list(unpack_from(f"<{channels}h", block, 3 * channels))
    before = list(unpack_from(f"<{channels}h", block, 5 * channels))
    samples = [before[:], latest[:]]
    codes = [code for byte in block[7 * channels :] for code in (byte >> 4, byte & 15)]
    for place in range(0, len(codes), channels):
        row = []
        for channel, code in enumerate(codes[place : place + channels]):
            first, second = pairs[channel]
            predicted = (latest[channel] * first + before[channel] * second) >> 8
            value = max(-0x8000, min(0x7FFF, predicted + (code - 16 * (code > 7)) * steps[channel]))
            before[channel], latest[channel] = latest[channel], value
            steps[channel] = max(16, STEPS[code] * steps[channel] >> 8)
            row.append(value)
        samples.append(row)
    return samples


# --- Waves ----------------------------------------


def test_headers_are_read() -> None:
    data = plain_wave(7, bits=16, rate=22050)
    wave = read_wave(data)
    assert (wave.tag, wave.channels, wave.rate, wave.block_size, wave.bits) == (PCM, 1, 22050, 2, 16)
    assert (wave.content.offset, wave.content.size) == (44, 14)
    assert decode_wave(wave)[:, 0].tolist() == list(unpack_from("<7h", data, 44))
    odd = data.replace(b"data", b"LIST" + pack("<I", 3) + b"abc\0" + b"data")
    assert read_wave(odd).content.offset == 56


def test_eight_bits_are_widened_and_come_back() -> None:
    data = plain_wave(256, seed=1)
    samples = decode_wave(read_wave(data))
    assert samples[:, 0].tolist() == [(byte - 128) << 8 for byte in data[44:]]
    assert encode_wave(samples, 11025, bits=8) == data


@pytest.mark.parametrize("channels", [1, 2])
def test_sixteen_bits_come_back(channels: int) -> None:
    samples = noise(333, channels)
    data = encode_wave(samples, 22050)
    wave = read_wave(data)
    assert (wave.channels, wave.content.offset) == (channels, 44)
    assert np.array_equal(decode_wave(wave), samples)


@given(st.integers(0, 2**32), st.integers(1, 2), st.integers(1, 4))
def test_adpcm_is_decoded_as_described(seed: int, channels: int, count: int) -> None:
    random = np.random.default_rng(seed)
    size = 7 * channels + 2 * int(random.integers(1, 20))
    blocks = random.integers(0, 256, (count, size), np.uint8)
    body = encode_adpcm_wave(np.zeros((0, channels), np.int16), 22050, size)
    data = body[:-4] + pack("<I", blocks.size) + blocks.tobytes()
    data = data.replace(b"fact" + pack("<II", 4, 0), b"what" + pack("<II", 4, 0))
    decoded = decode_wave(read_wave(data))
    expected = [row for block in blocks for row in decode_block(block.tobytes(), channels)]
    assert decoded.tolist() == expected


@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("count", [0, 1, 1012, 1013, 5000])
def test_adpcm_comes_back_nearly(channels: int, count: int) -> None:
    samples = noise(count, channels, seed=count)
    data = encode_adpcm_wave(samples, 22050)
    wave = read_wave(data)
    assert (wave.tag, wave.block_size, wave.bits, len(wave.extra)) == (ADPCM, 512, 4, 34)
    assert wave.content.size % 512 == 0
    decoded = decode_wave(wave)
    assert decoded.shape == samples.shape
    if count:
        error = decoded.astype(float) - samples
        assert np.sqrt((error**2).mean()) < 0.05 * np.sqrt((samples.astype(float) ** 2).mean()) + 20


def test_many_waves_are_decoded_at_once() -> None:
    waves = [
        read_wave(encode_adpcm_wave(noise(2000, seed=1), 22050)),
        read_wave(plain_wave(30)),
        read_wave(encode_adpcm_wave(noise(1500, 2, seed=2), 44100)),
        read_wave(encode_adpcm_wave(noise(50, seed=3), 22050)),
    ]
    together = decode_waves(waves)
    assert [each.shape for each in together] == [(2000, 1), (30, 1), (1500, 2), (50, 1)]
    for wave, samples in zip(waves, together, strict=True):
        assert np.array_equal(decode_wave(wave), samples)


def test_a_truncated_block_is_decoded_as_far_as_possible() -> None:
    whole = encode_adpcm_wave(noise(1012), 22050)
    cut = whole[:-100]
    assert len(decode_wave(read_wave(cut))) == adpcm_frames(read_wave(cut)) == 1012 - 200
    assert np.array_equal(decode_wave(read_wave(cut)), decode_wave(read_wave(whole))[:812])


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [(20, 85, "coding 85 with 8 bits"), (34, 24, "coding 1 with 24 bits"), (22, 3, "1 or 2 channels")],
)
def test_other_codings_are_errors(place: int, value: int, problem: str) -> None:
    data = bytearray(plain_wave(8))
    pack_into("<H", data, place, value)
    with pytest.raises(FormatError, match=problem):
        decode_wave(read_wave(bytes(data)))


def test_samples_that_no_wave_can_contain_are_an_error() -> None:
    for samples in (np.zeros(4, np.int16), np.zeros((4, 3), np.int16)):
        with pytest.raises(ExportError, match="one or two channels"):
            encode_wave(samples, 22050)
    with pytest.raises(ExportError, match="8 or 16 bits"):
        encode_wave(noise(4), 22050, bits=24)
    with pytest.raises(ExportError, match="its blocks are too small"):
        encode_adpcm_wave(noise(4), 22050, 7)


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 120), st.integers(0, 255)), max_size=5), st.booleans())
def test_changed_waves_end_in_an_error_or_give_samples(changes: list[tuple[int, int]], packed: bool) -> None:
    data = bytearray(encode_adpcm_wave(noise(60), 22050, 64) if packed else plain_wave(80))
    for place, value in changes:
        data[place % len(data)] = value
    try:
        samples = decode_wave(read_wave(bytes(data)))
    except FormatError:
        return
    assert samples.ndim == 2 and len(samples) <= 4 * len(data)
    wave = read_wave(bytes(data))
    assert wave.tag != ADPCM or adpcm_frames(wave) == len(samples)


@each_real_level
def test_real_samples_are_decoded(level_path: Path) -> None:
    if not level_path.stat().st_size:
        return
    level = read_level(level_path)
    if level.game is Game.TR1:
        data = level.sample_data.tobytes()
        spans = find_waves(data) if data else []
        assert [span.offset for span in spans] == level.sample_indices.tolist()
        assert all(len(each) for each in decode_waves([read_wave(data[s.offset : s.end]) for s in spans]))
    elif level.game is Game.TR5:
        data, place = level.samples.tobytes(), 0
        for _ in range(level.sample_count):
            unpacked, size = unpack_from("<II", data, place)
            wave = read_wave(data[place + 8 : place + 8 + size])
            assert wave.tag == ADPCM
            assert 2 * len(decode_wave(wave)) == unpacked
            place += 8 + size


# --- MAIN.SFX ----------------------------------------


@pytest.mark.parametrize("padded", [False, True])
def test_sounds_are_counted_and_come_back(padded: bool) -> None:
    data = main_sfx(padded=padded)
    sounds = read_main_sfx(data)
    assert len(sounds) == 4
    assert sounds.to_bytes() == data
    assert [sounds.wave(number).content.size for number in range(4)] == [100, 7, 32, 1]


def test_wrong_sizes_of_waves_are_looked_through() -> None:
    data = bytearray(main_sfx())
    pack_into("<I", data, 4, 999999)
    assert len(read_main_sfx(bytes(data))) == 4
    assert read_main_sfx(bytes(data)).to_bytes() == data


def test_replacing_sounds_does_not_change_others() -> None:
    sounds = read_main_sfx(main_sfx())
    new = encode_wave(noise(55), 22050)
    sounds.replace(1, new)
    sounds.replace(4, new)
    again = read_main_sfx(sounds.to_bytes())
    assert len(again) == 5
    assert again.pieces[1] == again.pieces[4] == new
    assert again.pieces[0] == SOUNDS[0] and again.pieces[2] == SOUNDS[2]
    assert np.array_equal(decode_wave(again.wave(4)), noise(55))


@pytest.mark.parametrize(
    ("number", "wave", "problem"),
    [
        (0, encode_adpcm_wave(noise(5), 22050), "plays only plain waves"),
        (0, SOUNDS[0] + b"LIST" + bytes(8), "data after its samples"),
        (6, SOUNDS[0], "would skip numbers"),
        (-1, SOUNDS[0], "would skip numbers"),
    ],
)
def test_sounds_that_the_game_cannot_play_are_refused(number: int, wave: bytes, problem: str) -> None:
    sounds = read_main_sfx(main_sfx())
    with pytest.raises(ExportError, match=problem):
        sounds.replace(number, wave)
    assert sounds.to_bytes() == main_sfx()
    with pytest.raises(FormatError, match="sound 0"):
        sounds.replace(0, b"no wave")


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4), st.integers(0, 320))
def test_changed_or_cut_sounds_end_in_an_error_or_come_back(
    changes: list[tuple[int, int]], size: int
) -> None:
    data = bytearray(main_sfx())
    for place, value in changes:
        data[place % len(data)] = value
    for each in (bytes(data), bytes(data[:size])):
        try:
            sounds = read_main_sfx(each)
        except FormatError as error:
            assert error.offset is not None
            continue
        assert isinstance(sounds, MainSfx)
        assert sounds.to_bytes() == each


# --- CDAUDIO.WAD ----------------------------------------


@pytest.mark.parametrize("gap", [b"", b"gap"])
def test_tracks_are_listed_and_come_back(gap: bytes) -> None:
    data = cd_audio(gap=gap)
    audio = read_cd_audio(data)
    assert audio.tracks == {2: "track 2", 5: "track 5"}
    assert audio.bytes_of(5) == TRACKS[5]
    assert audio.bytes_of(6) == b""
    assert audio.wave(2).channels == 2
    assert audio.to_bytes() == data


@pytest.mark.parametrize("number", [2, 5, 0, 129])
@pytest.mark.parametrize("count", [10, 9000])
def test_replacing_tracks_does_not_change_others(number: int, count: int) -> None:
    new = encode_adpcm_wave(noise(count, 2, seed=9), 44100)
    audio = read_cd_audio(cd_audio(gap=b"gap"))
    audio.replace(number, new, "Mine")
    again = read_cd_audio(audio.to_bytes())
    assert again.tracks == {2: "track 2", 5: "track 5"} | {number: "Mine"}
    for each in (2, 5):
        assert again.bytes_of(each) == (new if each == number else TRACKS[each])
    assert again.bytes_of(number) == new
    assert again.entries["name"][3].tolist() == list(b"\0old".ljust(260, b"\xcc"))
    again.replace(number, new)
    assert again.to_bytes() == audio.to_bytes()


def test_tracks_that_the_game_cannot_play_are_refused() -> None:
    audio = read_cd_audio(cd_audio())
    for wave in (encode_adpcm_wave(noise(9, 2), 22050), encode_adpcm_wave(noise(9), 44100), plain_wave(9)):
        with pytest.raises(ExportError, match="track 2: its rate, channels or coding differ"):
            audio.replace(2, wave)
    with pytest.raises(ExportError, match="there is no such entry"):
        audio.replace(CD_AUDIO_TRACKS, TRACKS[2])
    with pytest.raises(ExportError, match="its name is too long"):
        audio.replace(2, TRACKS[2], "x" * 260)
    assert audio.to_bytes() == cd_audio()
    alone = read_cd_audio(cd_audio({7: TRACKS[2]}))
    alone.replace(7, plain_wave(9))  # the only one may have any format
    assert alone.wave(7).tag == PCM


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 129), st.integers(260, 267), st.integers(0, 255)), max_size=4))
def test_changed_directories_end_in_an_error_or_come_back(changes: list[tuple[int, int, int]]) -> None:
    data = bytearray(cd_audio())
    for entry, place, value in changes:
        data[268 * entry + place] = value
    try:
        audio = read_cd_audio(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert audio.to_bytes() == data
    assert all(audio.bytes_of(number) for number in audio.tracks)


@pytest.mark.parametrize("data", [b"", bytes(268 * 130 - 1), bytes(268 * 130), cd_audio()[:-1]])
def test_invalid_files_of_tracks_are_an_error(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_cd_audio(data)
    assert caught.value.offset is not None


def test_the_names_of_the_macintosh_come_back() -> None:
    names = ["BLANK", "Café", "x" * 32, ""]
    data = write_cd_audio_names(names)
    assert len(data) == 4 * 32
    assert data[:6] == b"BLANK\0"
    assert read_cd_audio_names(data) == names
    for bad in (b"", data[:-1], b"a\0b".ljust(32, b"\0")):
        with pytest.raises(FormatError):
            read_cd_audio_names(bad)
    with pytest.raises(ExportError, match="too long"):
        write_cd_audio_names(["x" * 33])
    with pytest.raises(ExportError, match="letters that the file cannot store"):
        write_cd_audio_names(["Łódź"])
