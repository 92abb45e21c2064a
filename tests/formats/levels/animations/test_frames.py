"""Conversion of key frames to boxes, offsets and rotations, and back (documentation, chapter 6.2.7)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, FormatError, Game, read_level
from io_tomb_raider.formats.base.bytes.records import ANIMATION_RECORD, MODEL_RECORD
from io_tomb_raider.formats.levels.animations.frames import (
    ANY_KIND,
    X_AXIS,
    Y_AXIS,
    Z_AXIS,
    Keys,
    LevelKeys,
    decode_frames,
    encode_frames,
)
from io_tomb_raider.formats.levels.animations.plan import AnimationTables
from io_tomb_raider.formats.levels.animations.rotations import round_angles

from ....real_levels import each_real_level
from .samples import make_tables, members_of, read_rotations, records, spell_rotation

ALL_GAMES = pytest.mark.parametrize("game", list(Game))
games = st.sampled_from(list(Game))
seeds = st.integers(0, 2**32 - 1)

HEAD = [-100, 100, -700, 5, -200, 200, 1, -350, 32767]


def one_animation(game: Game, words: list[int], meshes: int, size: int = 0, keys: int = 1) -> LevelKeys:
    """Decode the words of a single animation of a single model."""
    row = {
        "frame_rate": 1,
        "frame_size": 0 if game == Game.TR1 else size or len(words),
        "last_frame": keys - 1,
    }
    return decode_frames(
        game,
        np.array(words, np.int64).astype(np.uint16),
        records(ANIMATION_RECORD[game], [row]),
        records(MODEL_RECORD[game], [{"meshes": meshes}]),
    )


def head_words(game: Game, count: int) -> list[int]:
    return [value & 0xFFFF for value in HEAD] + ([count] if game == Game.TR1 else [])


def plain_keys(angles: NDArray[Any]) -> Keys:
    number = len(angles)
    return Keys(np.zeros((number, 6), np.int16), np.zeros((number, 3), np.int16), angles)


def decode_tables(game: Game, tables: AnimationTables) -> LevelKeys:
    return decode_frames(game, tables.frames, tables.animations, tables.models)


def assert_encodes_to_itself(game: Game, frames: NDArray[np.uint16], level: LevelKeys) -> NDArray[np.int64]:
    """Assert that all encoded keys equal their original words; return how often each word was used."""
    used = np.zeros(len(frames), np.int64)
    for animation in np.flatnonzero(level.key_counts).tolist():
        first = int(level.first_keys[animation])
        start = int(level.words[first])
        size = int(level.lengths[first : first + int(level.key_counts[animation])].sum())
        words, frame_size = encode_frames(game, level.keys(animation))
        np.testing.assert_array_equal(words, frames[start : start + size])
        assert frame_size == level.frame_sizes[animation]
        used[start : start + size] += 1
    return used


# --- The words of single key frames ---------------------------------------------------------------


@ALL_GAMES
def test_a_key_frame_is_read_as_documented(game: Game) -> None:
    rotations = [(0, 16384, 0), (64, 128, 65536 - 64)]
    spelled = {
        Game.TR1: [0, 0x10, 0xBFF & 0x3FF | 2 << 10, 0x10],
        Game.TR2: [0x8100, 0x10, 2 << 10 | 0x3FF],
        Game.TR3: [0x8100, 0x10, 2 << 10 | 0x3FF],
        Game.TR4: [0x8400, 0x10, 2 << 10 | 0x3FF],
        Game.TR5: [0x8400, 0x10, 2 << 10 | 0x3FF],
    }[game]
    if game == Game.TR1:  # y of 256 is 4 in the high word and 0 in the low one
        spelled[1] = 4
    level = one_animation(game, head_words(game, 2) + spelled, meshes=2)
    keys = level.keys(0)
    assert keys.boxes.tolist() == [HEAD[:6]]
    assert keys.offsets.tolist() == [HEAD[6:]]
    assert keys.angles.tolist() == [[list(each) for each in rotations]]
    assert not level.problems


def test_the_last_games_have_12_bits_about_a_single_axis() -> None:
    words = [0x4001, 0x8FFF, 0xC800]
    for game, expected in {
        Game.TR3: [[64, 0, 0], [0, 0x3FF << 6, 0], [0, 0, 0]],
        Game.TR4: [[16, 0, 0], [0, 0xFFF0, 0], [0, 0, 0x8000]],
    }.items():
        level = one_animation(game, head_words(game, 3) + words, meshes=3)
        assert level.keys(0).angles.tolist() == [expected]
        assert encode_frames(game, level.keys(0)).words[9:].tolist() == words


@ALL_GAMES
def test_a_zero_rotation_is_encoded_about_the_given_axis(game: Game) -> None:
    keys = plain_keys(np.zeros((1, 2, 3), np.uint16))
    spelled = {axis: encode_frames(game, keys, zero_axis=axis).words for axis in (X_AXIS, Y_AXIS, Z_AXIS)}
    if game == Game.TR1:
        assert spelled[X_AXIS].tolist() == [0] * 9 + [2] + [0] * 4
    else:
        assert [words[9:].tolist() for words in spelled.values()] == [
            [0x4000, 0x4000],
            [0x8000, 0x8000],
            [0xC000, 0xC000],
        ]


@given(games, seeds, st.integers(1, 4), st.integers(1, 5))
def test_any_words_are_read_mesh_after_mesh_and_written_back(
    game: Game, seed: int, number: int, meshes: int
) -> None:
    rng = np.random.default_rng(seed)
    size = 9 + int(rng.integers(0, 2 * meshes + 2))
    words: list[int] = []
    expected = []
    for _ in range(number):
        count = int(rng.integers(0, 2 * meshes)) if game == Game.TR1 else meshes
        body = rng.integers(0, 65536, 2 * count if game == Game.TR1 else size - 9).tolist()
        words += head_words(game, count) + body
        expected.append(read_rotations(game, body, count))
    level = one_animation(game, words, meshes, size, number)
    keys = level.keys(0)
    assert len(keys) == number
    for key, rotations in enumerate(expected):
        stored = keys.angles[key, : len(rotations)]
        assert [tuple(each) for each in stored.tolist()] == rotations
        assert not keys.angles[key, len(rotations) :].any()
    assert keys.angles.shape[1] >= meshes
    assert assert_encodes_to_itself(game, np.array(words, np.uint16), level).all()


@given(games, seeds, st.integers(0, 5), st.integers(1, 6))
def test_angles_survive_encoding_as_the_game_rounds_them(
    game: Game, seed: int, number: int, meshes: int
) -> None:
    rng = np.random.default_rng(seed)
    angles = rng.integers(-65536, 65536, (number, meshes, 3)) * rng.integers(0, 2, (number, meshes, 3))
    keys = replace(
        plain_keys(angles),
        boxes=rng.integers(-0x8000, 0x8000, (number, 6)),
        offsets=rng.integers(-0x8000, 0x8000, (number, 3)),
    )
    words, size = encode_frames(game, keys)
    if not number:
        assert (len(words), size) == (0, 0)
        return
    found = one_animation(game, words.tolist(), meshes, size, number).keys(0)
    np.testing.assert_array_equal(found.boxes, keys.boxes)
    np.testing.assert_array_equal(found.offsets, keys.offsets)
    np.testing.assert_array_equal(found.angles, round_angles(angles, game.traits.single_axis_bits))
    expected = [
        [word for x, y, z in row for word in spell_rotation(game, (x, y, z))] for row in found.angles.tolist()
    ]
    if game == Game.TR1:
        assert words.tolist() == [
            word
            for head, row in zip(words.reshape(number, -1)[:, :10].tolist(), expected, strict=True)
            for word in [*head[:9], meshes, *row]
        ]
    else:
        assert size == 9 + max(map(len, expected))
        padded = [row + [0] * (size - 9 - len(row)) for row in expected]
        assert words.reshape(number, size)[:, 9:].tolist() == padded


def test_the_encoding_of_a_rotation_is_kept_if_possible() -> None:
    # Two words for a rotation about x alone, a zero rotation in the form for y, and unused bits set.
    words = [*head_words(Game.TR2, 3), 0x0010, 0x0000, 0x8000, 0x4000 | 5 << 10 | 7]
    keys = one_animation(Game.TR2, words, meshes=3).keys(0)
    assert encode_frames(Game.TR2, keys).words.tolist() == words
    turned = keys.angles.copy()
    turned[0, 0] = (64, 64, 0)
    turned[0, 1] = (0, 0, 640)
    turned[0, 2] = (0, 128, 0)
    found = encode_frames(Game.TR2, replace(keys, angles=turned)).words.tolist()
    assert found[9:] == [0x0010, 1 << 10, 0xC00A, 0x8002]
    free = replace(keys, kinds=np.full((1, 3), ANY_KIND, np.uint8))
    assert encode_frames(Game.TR2, free).words[9:].tolist() == [0x4001, 0xC000, 0x4007]


def test_unused_bits_of_the_first_game_are_kept() -> None:
    words = [*head_words(Game.TR1, 2), 0x1234, 0xC234, 0x0001, 0x8000]
    keys = one_animation(Game.TR1, words, meshes=2).keys(0)
    assert encode_frames(Game.TR1, keys).words.tolist() == words
    free = replace(keys, kinds=np.full((1, 2), ANY_KIND, np.uint8))
    assert encode_frames(Game.TR1, free).words[10:].tolist() == [0x1234, 0x0234, 0x0001, 0]


def test_three_axis_encoding_is_dropped_for_12_bit_angles() -> None:
    keys = one_animation(Game.TR4, [*head_words(Game.TR4, 1), 0x0010, 0], meshes=1).keys(0)
    finer = replace(keys, angles=np.array([[[80, 0, 0]]]))
    assert encode_frames(Game.TR4, finer).words[9:].tolist() == [0x4005]


def test_padding_is_kept_only_where_it_still_fits() -> None:
    head = head_words(Game.TR3, 1)
    words = [*head, 0x4001, 0xDEAD, *head, 0x0010, 0x0400]
    keys = one_animation(Game.TR3, words, meshes=1, size=11, keys=2).keys(0)
    again = encode_frames(Game.TR3, keys)
    assert (again.words.tolist(), again.frame_size) == (words, 11)
    turned = keys.angles.copy()
    turned[1, 0] = (64, 0, 0)
    kinds = np.array([[X_AXIS], [ANY_KIND]], np.uint8)
    found = encode_frames(Game.TR3, replace(keys, angles=turned, kinds=kinds))
    assert (found.words.tolist(), found.frame_size) == ([*head, 0x4001, *head, 0x4001], 10)


# --- Limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Game.TR2, Game.TR5])
def test_a_key_frame_of_255_words_is_the_longest(game: Game) -> None:
    angles = np.full((1, 123, 3), 64)
    assert encode_frames(game, plain_keys(angles)).frame_size == 255
    angles = np.full((2, 124, 3), 64)
    with pytest.raises(ExportError, match=r"DRAGON fly: .*257 \(the limit is 255\)"):
        encode_frames(game, plain_keys(angles), subject="DRAGON fly")
    assert len(encode_frames(Game.TR1, plain_keys(angles)).words) == 2 * (10 + 248)


@ALL_GAMES
def test_boxes_and_positions_out_of_range_are_refused_by_name(game: Game) -> None:
    keys = plain_keys(np.zeros((2, 1, 3), np.uint16))
    offsets = np.zeros((2, 3), np.int64)
    offsets[1, 2] = -32769
    with pytest.raises(ExportError, match=r"BOAT drift.*-32769"):
        encode_frames(game, replace(keys, offsets=offsets), subject="BOAT drift")


# --- The key frames of animations -----------------------------------------------------------------


@given(games, seeds)
def test_frames_of_generated_levels_round_trip(game: Game, seed: int) -> None:
    tables = make_tables(game, seed)
    level = decode_tables(game, tables)
    assert not level.problems
    filler = int(game == Game.TR5 and bool(len(tables.frames)) and tables.frames[-1] == 0x7777)
    used = assert_encodes_to_itself(game, tables.frames, level)
    assert (used[: len(used) - filler] == 1).all()
    rate = tables.animations["frame_rate"].astype(int)
    length = tables.animations["last_frame"].astype(int) - tables.animations["first_frame"]
    assert level.key_counts.tolist() == [-(-t // r) + 1 for t, r in zip(length, rate, strict=True)]
    for model, members in enumerate(members_of(tables)):
        assert all(level.keys(index).angles.shape[1] == tables.models["meshes"][model] for index in members)


@ALL_GAMES
def test_an_extra_key_frame_and_a_frame_rate_of_zero(game: Game) -> None:
    key = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    level = one_animation(game, key * 4, meshes=1, size=len(key), keys=3)
    assert level.key_counts.tolist() == [4]  # one more than by the frame numbers, and it exists
    assert not level.problems
    animations = records(ANIMATION_RECORD[game], [{"frame_size": level.frame_sizes[0], "last_frame": 1}])
    models = records(MODEL_RECORD[game], [{"meshes": 1}])
    assert decode_frames(game, np.array(key * 2, np.uint16), animations, models).key_counts.tolist() == [2]


@pytest.mark.parametrize("counts", [[1, 2, 0], [2, 1, 3], [1, 1, 2], [0, 0, 0], [1, 0]])
def test_key_frames_of_tr1_can_have_different_lengths(counts: list[int]) -> None:
    # Three of the lengths of the first take as many words as some of these.
    words = [word for count in counts for word in (*head_words(Game.TR1, count), *[1, 1] * count)]
    level = one_animation(Game.TR1, words, meshes=3, keys=len(counts))
    assert level.rotation_counts.tolist() == counts
    assert level.lengths.tolist() == [10 + 2 * count for count in counts]
    assert not level.problems


@ALL_GAMES
def test_truncated_frames_are_reported_and_complete_ones_read(game: Game) -> None:
    key = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    words = np.array((key * 3)[:-1], np.uint16)
    animations = records(
        ANIMATION_RECORD[game],
        [{"frame_rate": 1, "frame_size": 0 if game == Game.TR1 else len(key), "last_frame": 2}],
    )
    level = decode_frames(game, words, animations, records(MODEL_RECORD[game], [{"meshes": 1}]))
    assert level.key_counts.tolist() == [2]
    assert [(each.section, each.element) for each in level.problems] == [("animations", 0)]
    assert "3 key frames" in str(level.problems[0])


@ALL_GAMES
def test_invalid_frame_offsets_affect_only_their_animation(game: Game) -> None:
    key = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    size = 0 if game == Game.TR1 else len(key)
    rows = [{"frame_offset": offset, "frame_size": size} for offset in (0, 3, 2 * len(key) - 2, 0xFFFFFFFE)]
    frames = np.array(key, np.uint16)
    animations = records(ANIMATION_RECORD[game], rows)
    models = records(MODEL_RECORD[game], [{"meshes": 1}])
    level = decode_frames(game, frames, animations, models)
    assert level.key_counts.tolist() == [1, 0, 0, 0]
    assert {each.element for each in level.problems} == {1, 2, 3}
    assert level.keys(3).angles.shape == (0, 1, 3)


def test_frame_sizes_too_small_for_a_box_are_named() -> None:
    rows = [{"frame_size": 8}, {"frame_size": 9}]
    animations = records(ANIMATION_RECORD[Game.TR2], rows)
    models = records(MODEL_RECORD[Game.TR2], [{"meshes": 4}])
    level = decode_frames(Game.TR2, np.arange(9, dtype=np.uint16), animations, models)
    assert level.key_counts.tolist() == [0, 1]
    assert [each.element for each in level.problems] == [0]
    assert level.keys(1).angles.tolist() == [[[0, 0, 0]] * 4]  # no room for any rotation


@ALL_GAMES
def test_meshes_without_number_are_refused(game: Game) -> None:
    words = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    assert one_animation(game, words, meshes=256).keys(0).angles.shape == (1, 256, 3)
    with pytest.raises(FormatError, match=r"animations\[0\]: expected rotations of 65535 meshes, found 1"):
        one_animation(game, words, meshes=65535)


def test_animations_without_frames_or_model_have_no_keys_and_no_problem() -> None:
    rows = [{"frame_size": 10}, {"frame_size": 0}, {"frame_size": 10, "frame_offset": 20}]
    animations = records(ANIMATION_RECORD[Game.TR4], rows)
    frames = np.array([*range(9), 0xC000] * 2, np.uint16)
    models = records(MODEL_RECORD[Game.TR4], [{"meshes": 1, "animation": 1}])
    level = decode_frames(Game.TR4, frames, animations, models)
    assert level.key_counts.tolist() == [0, 0, 1]
    assert not level.problems


@ALL_GAMES
def test_animations_that_begin_at_one_place_share_its_frames(game: Game) -> None:
    key = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    size = 0 if game == Game.TR1 else len(key)
    rows = [{"frame_size": size, "frame_rate": 1, "last_frame": last} for last in (0, 2)]
    models = records(MODEL_RECORD[game], [{"meshes": 1}])
    level = decode_frames(game, np.array(key * 3, np.uint16), records(ANIMATION_RECORD[game], rows), models)
    assert level.key_counts.tolist() == [1, 3]
    np.testing.assert_array_equal(level.keys(0).angles, level.keys(1).angles[:1])


@ALL_GAMES
def test_excessive_sharing_of_frames_is_refused(game: Game) -> None:
    key = head_words(game, 1) + ([1, 1] if game == Game.TR1 else [0xC001])
    row = {"frame_size": 0 if game == Game.TR1 else len(key), "frame_rate": 1, "last_frame": 65535}
    animations = records(ANIMATION_RECORD[game], [row] * 40)
    models = records(MODEL_RECORD[game], [{"meshes": 1}])
    with pytest.raises(FormatError, match="animations") as caught:
        decode_frames(game, np.array(key * 1000, np.uint16), animations, models)
    assert caught.value.element in (8, 9)


@given(games, st.data())
def test_arbitrary_records_are_decoded_or_refused(game: Game, data: st.DataObject) -> None:
    def arbitrary(dtype: np.dtype, most: int) -> NDArray[Any]:
        number = data.draw(st.integers(0, most))
        size = number * dtype.itemsize
        return np.frombuffer(data.draw(st.binary(min_size=size, max_size=size)), dtype)

    frames = arbitrary(np.dtype("<u2"), 80)
    animations = arbitrary(ANIMATION_RECORD[game], 4).copy()
    models = arbitrary(MODEL_RECORD[game], 3).copy()
    if data.draw(st.booleans()):  # more often valid
        animations["frame_offset"] %= 200
        animations["frame_size"] %= 20
        models["animation"] %= 5
    try:
        level = decode_frames(game, frames, animations, models)
    except FormatError:
        return
    assert (level.words >= 0).all()
    assert (level.words + level.lengths <= len(frames)).all()
    for animation in range(len(animations)):
        assert len(level.keys(animation)) == level.key_counts[animation]
    assert_encodes_to_itself(game, frames, level)


def test_no_animations_at_all() -> None:
    none = np.zeros(0, np.uint16)
    models = records(MODEL_RECORD[Game.TR1], [])
    level = decode_frames(Game.TR1, none, records(ANIMATION_RECORD[Game.TR1], []), models)
    assert len(level.words) == 0
    assert level.angles.shape == (0, 3)


# --- Real levels ----------------------------------------------------------------------------------


@each_real_level
def test_real_frames_are_read_whole_and_written_back(level_path: Path) -> None:
    level = read_level(level_path)
    keys = decode_frames(level.game, level.frames, level.animations, level.models)
    assert not keys.problems
    used = assert_encodes_to_itself(level.game, level.frames, keys)
    assert used.max() == 1
    assert (used[:-1] == 1).all()  # TR5 may end with a filler
    np.testing.assert_array_equal(round_angles(keys.angles, level.game.traits.single_axis_bits), keys.angles)
    repeated = np.repeat(keys.meshes, keys.key_counts)
    np.testing.assert_array_equal(keys.rotation_counts, repeated)
