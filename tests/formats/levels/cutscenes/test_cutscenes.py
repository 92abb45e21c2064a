"""Cutscenes of TR4 and TR5: streams in every packing, whole cutscenes, and their files."""

from __future__ import annotations

import zlib
from random import Random
from struct import pack, pack_into
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, FormatError
from io_tomb_raider.formats.levels.cutscenes import delta_streams
from io_tomb_raider.formats.levels.cutscenes.cutscenes import (
    ACTOR_SCALE,
    Actor,
    Cutscene,
    read_cutscene,
    to_track,
)
from io_tomb_raider.formats.levels.cutscenes.cutseq import Cutseq, read_cutseq
from io_tomb_raider.formats.levels.cutscenes.delta_streams import (
    DeltaStream,
    decode_streams,
    encode_streams,
    stream_size,
)

from .samples import MARK, Sample, cutseq_file, pack_bits, random_stream, read_stream


def packed_streams(values: np.ndarray, wrap: int = 16) -> tuple[bytes, list[DeltaStream]]:
    """Streams one behind the other."""
    data, streams = b"", []
    for stream, content in encode_streams(values, wrap):
        assert len(content) == stream.size
        streams.append(stream._replace(offset=len(data)))
        data += content
    return data, streams


# --- Streams ----------------------------------------


@given(st.integers(0, 2**32), st.integers(1, 400), st.integers(1, 8))
def test_random_runs_are_read_as_the_engines_read_them(seed: int, frames: int, count: int) -> None:
    random = Random(seed)
    data, streams, expected = b"", [], []
    for _ in range(count):
        key, bits, words = random_stream(random, frames)
        content = pack_bits(words, bits)
        streams.append(DeltaStream(key, bits, len(words), len(data)))
        expected.append(read_stream(content, 0, bits, key, frames))
        data += content
    assert decode_streams(data, streams, frames).tolist() == expected


walks = st.tuples(
    st.integers(0, 2**32),  # seed
    st.integers(1, 300),  # frames
    st.sampled_from([0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 100, 511, 2000, 16383]),  # amplitude
    st.sampled_from([0.0, 0.02, 0.3, 0.8, 1.0]),  # how often the step changes
)


def walk(seed: int, frames: int, amplitude: int, change: float) -> np.ndarray:
    """Return a random walk with repeated steps, (2, frames)."""
    random = np.random.default_rng(seed)
    steps = random.integers(-amplitude, amplitude + 1, (2, frames))
    changes = np.where(random.random((2, frames)) < change, np.arange(frames), 0)
    steps = np.take_along_axis(steps, np.maximum.accumulate(changes, axis=1), axis=1)
    return np.cumsum(steps, axis=1).astype(np.int16)


@given(walks)
@example((1, 300, 16383, 1.0))
@example((1, 1, 5, 1.0))
@example((1, 2, 5, 1.0))
def test_random_walks_come_back_from_their_packing(parameters: tuple[int, int, int, float]) -> None:
    values = walk(*parameters)
    steps = np.diff(values.astype(int), axis=1)
    if np.abs((steps + 0x8000 & 0xFFFF) - 0x8000).max(initial=0) > 16383:
        return
    data, streams = packed_streams(values)
    frames = values.shape[1]
    assert decode_streams(data, streams, frames).tolist() == values.tolist()
    for stream, row in zip(streams, values, strict=True):
        assert read_stream(data, stream.offset, stream.bits, stream.key, frames) == row.tolist()


@given(st.lists(st.integers(0, 1023), min_size=1, max_size=200))
def test_any_angles_come_back_from_their_packing(angles: list[int]) -> None:
    data, streams = packed_streams(np.array([angles, angles[::-1]]), wrap=10)
    back = decode_streams(data, streams, len(angles)) & 1023
    assert back.tolist() == [angles, angles[::-1]]


@pytest.mark.parametrize(
    ("deltas", "bits", "words"),
    [
        ([0] * 50, 0, 0),
        ([5] * 1000, 6, 2),  # repeated to the end: a control word and the difference
        ([5] * 7 + [9] * 7 + [5] * 9, 5, 6),
        ([5] * 255 + [31] * 3, 6, 5),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], 6, 17),
        ([1, -2, 1, 0, -2, -1, 1, -1, 0, 1, -2, 0, 1, -1], 2, 15),  # words of two bits, runs of 14 or 15
        ([16383, -16384, 16383], 15, 4),
    ],
)
def test_the_smallest_packing_is_found(deltas: list[int], bits: int, words: int) -> None:
    values = np.cumsum([[0, *deltas]], axis=1)
    wrapped = ((values + 0x8000) & 0xFFFF) - 0x8000
    ((stream, content),) = encode_streams(wrapped)
    assert (stream.bits, stream.words) == (bits, words)
    assert len(content) == stream_size(words, bits)
    assert decode_streams(content, [stream], len(deltas) + 1).tolist() == wrapped.tolist()


def smallest(deltas: list[int], bits: int) -> int:
    """Return the fewest words of six bits or more, by exhaustive search."""
    best = [0] * (len(deltas) + 1)
    for at in range(len(deltas) - 1, -1, -1):
        same = next((n for n in range(len(deltas) - at) if deltas[at + n] != deltas[at]), len(deltas) - at)
        choices = [1 + n + best[at + n] for n in range(1, min(16, len(deltas) - at) + 1)]
        choices += [2 + best[at + n] for n in range(1, min(same, 7) + 1)]
        choices += [3 + best[at + n] for n in range(1, min(same, 255) + 1)]
        choices += [2] if at + same == len(deltas) else []
        best[at] = min(choices)
    assert bits >= 6
    return best[0]


@given(st.lists(st.tuples(st.integers(-300, 300), st.integers(1, 30)), min_size=1, max_size=12))
def test_no_smaller_packing_exists(runs: list[tuple[int, int]]) -> None:
    deltas = [100, *(delta for delta, count in runs for _ in range(count))]
    ((stream, _),) = encode_streams(np.cumsum([[0, *deltas]], axis=1))
    assert stream.words == smallest(deltas, stream.bits)


def test_streams_that_move_too_far_or_are_too_long_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ExportError, match="stream 1: moves too far between two frames") as caught:
        encode_streams(np.array([[0, 1, 2], [0, 5, 17000]]))
    assert (caught.value.count, caught.value.limit) == (16995, 16383)
    monkeypatch.setattr(delta_streams, "_MOST_WORDS", 10)
    with pytest.raises(ExportError, match="stream 0: has too many words"):
        encode_streams(np.array([range(0, 400, 9)]) ** 2 % 500)


def test_a_stream_with_too_few_words_continues_into_the_next() -> None:
    words = [0x22, 5, 6, 0x21, 7]
    data = pack_bits(words, 8)
    whole = decode_streams(data, [DeltaStream(0, 8, 5)], 4)
    assert whole.tolist() == [[0, 5, 11, 18]]
    assert decode_streams(data, [DeltaStream(0, 8, 2)], 4).tolist() == whole.tolist()
    with pytest.raises(FormatError, match=r"streams\[0\] .*numbers for 40 frames"):
        decode_streams(bytes([0x21] * 12), [DeltaStream(0, 8, 5)], 40)


def test_a_run_for_good_ends_after_a_whole_turn_of_its_counter() -> None:
    """Its count of 0 is decremented before it is tested, in 16 bits."""
    words, frames = [0x10, 0, 1, 2, 5], 0x10003
    data = pack_bits(words, 8)
    found = decode_streams(data, [DeltaStream(7, 8, 5)], frames)[0].tolist()
    assert found == read_stream(data, 0, 8, 7, frames)
    assert found[-4:] == [6, 7, 12, 17]


# --- Cutscenes ----------------------------------------


def as_lists(cutscene: Cutscene) -> list[list[list[list[int]]]]:
    """Return the numbers of a cutscene in the order of a sample's, angles without ignored bits."""
    blocks = [[cutscene.target.T.tolist(), cutscene.camera.T.tolist()]]
    for actor in cutscene.actors:
        blocks.append([actor.root.T.tolist(), *actor.rotations.transpose(1, 2, 0).tolist()])
    return blocks


def expected_lists(sample: Sample) -> list[list[list[list[int]]]]:
    camera, *actors = sample.values
    masked = [
        [root, *([[value & 1023 for value in axis] for axis in track] for track in tracks)]
        for root, *tracks in actors
    ]
    return [camera, *masked]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("frames", [1, 2, 40, 700])
def test_cutscenes_are_read_in_full_and_keep_their_bytes(seed: int, frames: int) -> None:
    sample = Sample(seed, frames)
    cutscene = read_cutscene(sample.data)
    assert (cutscene.origin, cutscene.audio_track, cutscene.num_frames) == ((10240, -512, 20480), -1, frames)
    assert [actor.slot for actor in cutscene.actors] == [0, 7]
    assert [actor.rotations.shape for actor in cutscene.actors] == [(frames, 15, 3), (frames, 3, 3)]
    assert as_lists(cutscene) == expected_lists(sample)
    assert cutscene.to_bytes() == sample.data


def test_arrays_of_a_cutscene_are_read_only() -> None:
    cutscene = read_cutscene(Sample(1).data)
    for array in (cutscene.target, cutscene.camera, cutscene.actors[1].root, cutscene.actors[1].rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_positions_are_in_world_units() -> None:
    cutscene = read_cutscene(Sample(1).data)
    target, camera = cutscene.camera_positions()
    x, y, z = cutscene.camera[3].tolist()
    assert camera[3].tolist() == [10240 + 2 * x, -512 + 2 * y, 20480 + 2 * z]
    x, y, z = cutscene.actors[1].root[3].tolist()
    assert cutscene.actors[1].positions()[3].tolist() == [3 * x, 3 * y, 3 * z]
    cutscene.set_camera(target + 1, camera)
    assert np.abs(cutscene.target.astype(int) * 2 + np.array(cutscene.origin) - target).max() <= 2
    assert np.array_equal(cutscene.camera_positions()[1], camera)
    with pytest.raises(ExportError, match="camera target: is too far"):
        cutscene.set_camera(target + 100000, camera)
    assert to_track(np.array([[4, -4, 5]]), ACTOR_SCALE, "actor 0").tolist() == [[1, -1, 2]]


def test_header_edits_leave_all_else_as_it_is() -> None:
    sample = Sample(2)
    cutscene = read_cutscene(sample.data)
    cutscene.audio_track = 19
    cutscene.origin = (1, -2, 3)
    cutscene.actors[1].slot = 100
    data = cutscene.to_bytes()
    assert len(data) == len(sample.data)
    assert {place for place, byte in enumerate(sample.data) if data[place] != byte} <= {*range(4, 20), 36, 37}
    again = read_cutscene(data)
    assert (again.origin, again.audio_track, again.actors[1].slot) == ((1, -2, 3), 19, 100)
    assert as_lists(again) == expected_lists(sample)


def test_only_an_edited_track_is_packed_again() -> None:
    sample = Sample(3, nodes=(15, 3, 2))
    cutscene = read_cutscene(sample.data)
    assert cutscene.source is not None
    rotations = cutscene.actors[1].rotations.copy()
    rotations[5:, 2] = (rotations[5:, 2] + 300) % 1024
    cutscene.actors[1].rotations = rotations
    data = cutscene.to_bytes()
    again = read_cutscene(data)
    expected = expected_lists(sample)
    expected[2][3] = rotations[:, 2].T.tolist()
    assert as_lists(again) == expected
    assert again.source is not None
    for old, new in zip(cutscene.source.blocks, again.source.blocks, strict=True):
        for place, (before, after) in enumerate(zip(old.streams, new.streams, strict=True)):
            if old.values is cutscene.source.blocks[2].values and place // 3 == 3:
                continue
            assert (
                data[after.offset : after.offset + after.size]
                == sample.data[before.offset : before.offset + before.size]
            )
    assert again.source.blocks[1].offset < again.source.blocks[0].offset  # in the original order


def test_cutscenes_can_be_made_from_nothing_and_change_their_length() -> None:
    random = np.random.default_rng(4)
    camera = np.cumsum(random.integers(-90, 90, (60, 3)), axis=0).astype(np.int16)
    actors = [
        Actor(0, camera[:, ::-1], random.integers(0, 1024, (60, 15, 3)).astype(np.uint16)),
        Actor(61, np.zeros((60, 3), np.int16), np.zeros((60, 0, 3), np.uint16)),
    ]
    made = Cutscene((0, 0, 0), 5, camera + 7, camera, actors)
    again = read_cutscene(made.to_bytes())
    assert as_lists(again) == as_lists(made)
    assert again.to_bytes() == made.to_bytes()
    again.target, again.camera = again.target[:20], again.camera[:20]
    with pytest.raises(ExportError, match="actor 0: has a different number of frames") as caught:
        again.to_bytes()
    assert (caught.value.count, caught.value.limit) == (60, 20)
    for actor in again.actors:
        actor.root, actor.rotations = actor.root[:20], actor.rotations[:20]
    shorter = read_cutscene(again.to_bytes())
    assert as_lists(shorter) == as_lists(again)
    again.actors.pop()
    assert len(read_cutscene(again.to_bytes()).actors) == 1


def test_a_track_read_beyond_its_end_is_packed_completely_when_others_change() -> None:
    sample = Sample(5, frames=60, nodes=(2,))
    data = bytearray(sample.data)
    cutscene = read_cutscene(bytes(data))
    assert cutscene.source is not None
    block = cutscene.source.blocks[1]
    moving = next(place for place, stream in enumerate(block.streams) if stream.words > 8)
    pack_into("<h", data, block.offset + 14 * (moving // 3) + 8 + 2 * (moving % 3), 4)
    damaged = read_cutscene(bytes(data))
    before = as_lists(damaged)
    assert damaged.to_bytes() == data
    damaged.camera = damaged.camera + np.int16(1)
    after = as_lists(read_cutscene(damaged.to_bytes()))
    assert after[1:] == before[1:]


JUMPS = np.array([[0], [20000]], np.int16)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda c: c.actors.extend(c.actors * 5), "too many actors: 12 .the limit is 10."),
        (
            lambda c: setattr(c, "target", c.target[:3]),
            "camera: its target has a different number of frames: 3",
        ),
        (lambda c: setattr(c, "camera", c.camera.astype(int) + 40000), "camera: is too far"),
        (lambda c: setattr(c.actors[0], "root", c.actors[0].root.astype(int) - 90000), "actor 0: is too far"),
        (lambda c: setattr(c.actors[1], "slot", 40000), "actor 1: has no possible model id"),
        (lambda c: setattr(c, "audio_track", 1 << 40), "its origin or audio track does not fit"),
        (lambda c: setattr(c, "camera", np.tile(JUMPS, (20, 3))), "camera, position, x: moves too far"),
    ],
)
def test_values_that_do_not_fit_in_a_cutscene_are_an_error(change: Any, problem: str) -> None:
    cutscene = read_cutscene(Sample(6).data)
    change(cutscene)
    with pytest.raises(ExportError, match=problem):
        cutscene.to_bytes()
    empty = Cutscene((0, 0, 0), -1, np.zeros((0, 3), np.int16), np.zeros((0, 3), np.int16))
    with pytest.raises(ExportError, match="has no frames"):
        empty.to_bytes()


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4), st.integers(0, 3))
def test_changed_cutscenes_end_in_an_error_or_keep_their_bytes(
    changes: list[tuple[int, int]], seed: int
) -> None:
    data = bytearray(Sample(seed, frames=12, nodes=(2, 1)).data)
    for place, value in changes:
        data[place % len(data)] = value
    try:
        cutscene = read_cutscene(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert cutscene.to_bytes() == data


@pytest.mark.fuzz
def test_every_cut_of_a_cutscene_is_an_error_or_whole() -> None:
    data = Sample(7, frames=12, nodes=(2, 1)).data
    for size in range(len(data)):
        with pytest.raises(FormatError) as caught:
            read_cutscene(data[:size])
        assert caught.value.offset is not None


def test_more_numbers_than_any_cutscene_has_are_an_error() -> None:
    headers = pack("<3hH3h", 0, 0, 0, 0, 0, 0, 0) + bytes(12)
    data = pack("<hh3iii", 1, 0x7FFF, 0, 0, 0, -1, 32) + pack("<ihh", 32, 0, 999) + headers * 1000
    with pytest.raises(FormatError, match="at most 2097152 numbers"):
        read_cutscene(data)


# --- Files of cutscenes ----------------------------------------

SAMPLES = {number: Sample(number, frames=20, nodes=(2,)).data for number in (1, 2, 4)}


@pytest.mark.parametrize("size", [4, 30, 44])
@pytest.mark.parametrize("is_packed", [False, True])
def test_files_of_each_game_are_read_and_come_back(size: int, is_packed: bool) -> None:
    plain = cutseq_file(SAMPLES, size)
    data = pack("<I", len(plain)) + zlib.compress(plain, 3) if is_packed else plain
    cutseq = read_cutseq(data)
    assert len(cutseq.spans) == size
    assert cutseq.numbers == [1, 2, 4]
    assert cutseq.to_bytes() == data
    assert cutseq.bytes_of(4) == SAMPLES[4]
    assert cutseq.cutscene(2).to_bytes() == SAMPLES[2]
    with pytest.raises(KeyError):
        cutseq.bytes_of(3)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("frames", [5, 20, 900])
def test_a_replaced_cutscene_moves_others_and_changes_none(number: int, frames: int) -> None:
    new = Sample(99, frames, nodes=(2,)).data
    data = cutseq_file(SAMPLES, 30)
    packed_data = pack("<I", len(data)) + zlib.compress(data)
    cutseq = read_cutseq(packed_data)
    cutseq.replace(number, new)
    again = read_cutseq(cutseq.to_bytes())
    assert again.data[248:2048] == data[248:2048]  # the author's text
    assert len(again.spans) == 30
    for each in (1, 2, 3, 4):
        if each in again.numbers:
            assert again.bytes_of(each) == (new if each == number else SAMPLES[each])
            assert again.spans[each - 1].offset % 2048 == 0
    again.replace(number, new)
    assert again.to_bytes() == cutseq.to_bytes()
    if number in SAMPLES:
        again.replace(number, SAMPLES[number])
        assert again.data == data


def test_a_cutscene_that_two_numbers_share_stays_with_the_other() -> None:
    data = bytearray(cutseq_file(SAMPLES, 4))
    data[16:24] = data[8:16]
    cutseq = read_cutseq(bytes(data))
    cutseq.replace(2, SAMPLES[4])
    assert cutseq.bytes_of(1) == SAMPLES[1]
    assert cutseq.bytes_of(2) == SAMPLES[4]
    assert read_cutseq(cutseq.to_bytes()).bytes_of(1) == SAMPLES[1]


def test_numbers_behind_the_directory_are_an_error() -> None:
    cutseq = read_cutseq(cutseq_file(SAMPLES, 4))
    with pytest.raises(ExportError) as caught:
        cutseq.replace(5, SAMPLES[1])
    assert (caught.value.count, caught.value.limit) == (5, 4)


@pytest.mark.fuzz
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 255)), max_size=4))
def test_changed_files_end_in_an_error_or_keep_their_bytes(changes: list[tuple[int, int]]) -> None:
    data = bytearray(cutseq_file({1: SAMPLES[1], 3: SAMPLES[2]}, 30))
    for place, value in changes:
        data[place] = value
    try:
        cutseq = read_cutseq(bytes(data))
    except FormatError as error:
        assert error.offset is not None
        return
    assert cutseq.to_bytes() == data
    assert all(cutseq.spans[number - 1].end <= len(data) for number in cutseq.numbers)


@pytest.mark.fuzz
@pytest.mark.parametrize("data", [b"", b"(C) DEL", MARK, MARK + bytes(5000), b"\xff\xff\xff\xffxx" * 9])
def test_invalid_files_of_cutscenes_are_an_error(data: bytes) -> None:
    with pytest.raises(FormatError) as caught:
        read_cutseq(data)
    assert caught.value.offset is not None


def test_a_size_that_cannot_be_is_not_trusted() -> None:
    stream = zlib.compress(cutseq_file(SAMPLES, 4))
    for size in (0, 1, 0xFFFFFFFF):
        with pytest.raises(FormatError):
            read_cutseq(pack("<I", size) + stream)
    bomb = zlib.compress(bytes(1 << 26))
    with pytest.raises(FormatError, match="at most"):
        read_cutseq(pack("<I", 1 << 26) + bomb)
    assert isinstance(read_cutseq(cutseq_file(SAMPLES, 4)), Cutseq)
