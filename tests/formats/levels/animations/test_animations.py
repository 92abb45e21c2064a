"""The animations of models, commands and state changes (documentation, chapters 6.2.2 to 6.2.6)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.bytes.records import (
    ANIMATION_DISPATCH,
    ANIMATION_RECORD,
    MODEL_RECORD,
    STATE_CHANGE,
)
from io_tomb_raider.formats.levels.animations.animations import (
    AnimationCommand,
    Dispatch,
    StateChange,
    animation_models,
    decode_commands,
    decode_state_changes,
    encode_commands,
    encode_dispatches,
    encode_state_changes,
    model_animations,
    ticks,
)

from ....real_levels import each_real_level
from .samples import records

words = st.integers(-0x8000, 0x7FFF)
any_command = st.one_of(
    st.builds(AnimationCommand, st.sampled_from([0, 3, 4, 7, -1])),
    st.builds(AnimationCommand, st.just(1), st.tuples(words, words, words)),
    st.builds(AnimationCommand, st.sampled_from([2, 5, 6]), st.tuples(words, words)),
)


def ranges(animations: list[int], total: int, meshes: list[int] | None = None) -> list[tuple[int, int]]:
    rows = [
        {"animation": animation, "meshes": 1 if meshes is None else meshes[model]}
        for model, animation in enumerate(animations)
    ]
    first, count = model_animations(
        records(MODEL_RECORD[Game.TR5], rows), records(ANIMATION_RECORD[Game.TR5], [{}] * total)
    )
    return list(zip(first.tolist(), count.tolist(), strict=True))


def test_a_model_has_the_animations_up_to_those_of_the_next_that_has_some() -> None:
    assert ranges([0, 0xFFFF, 3, 0xFFFF, 4], 9) == [(0, 3), (-1, 0), (3, 1), (-1, 0), (4, 5)]
    assert ranges([0xFFFF], 0) == [(-1, 0)]


def test_models_out_of_order_dummies_and_strays() -> None:
    assert ranges([5, 0, 2], 9) == [(5, 4), (0, 2), (2, 3)]
    assert ranges([0, 0, 4], 6, [0, 15, 1]) == [(-1, 0), (0, 4), (4, 2)]  # an all-zero dummy before Lara
    assert ranges([0, 6, 4], 6) == [(0, 4), (-1, 0), (4, 2)]  # there is no animation 6
    assert ranges([2, 2], 6) == [(2, 4), (2, 4)]


def test_an_animation_that_models_share_is_the_first_ones_with_meshes() -> None:
    rows = [{"animation": 2}, {"animation": 2, "meshes": 3}, {"animation": 2, "meshes": 1}]
    models = records(MODEL_RECORD[Game.TR1], rows)
    owners = animation_models(models, records(ANIMATION_RECORD[Game.TR1], [{}] * 4))
    assert owners.tolist() == [-1, -1, 1, 1]


def test_length_in_ticks_may_be_inverted() -> None:
    rows = [{"first_frame": 7, "last_frame": 9}, {"first_frame": 10, "last_frame": 9}]
    assert ticks(records(ANIMATION_RECORD[Game.TR4], rows)).tolist() == [2, -1]


# --- Commands -------------------------------------------------------------------------------------


def test_commands_are_read_with_their_operands_and_places() -> None:
    stream = np.array([9, 1, 10, -20, 30, 3, 5, 104, 0x4000 | 12, 6, 102, 32, 2, -70], "<i2")
    commands = decode_commands(stream, 1, 4, first_frame=100)
    assert commands == (
        AnimationCommand(1, (10, -20, 30)),
        AnimationCommand(3),
        AnimationCommand(5, (4, 0x4000 | 12)),
        AnimationCommand(6, (2, 32)),
    )
    assert [command.word for command in commands] == [1, 5, 6, 9]


def test_garbage_lists_of_commands_end_with_the_stream() -> None:
    stream = np.array([4, 0, 77, 3, 1, 5, 5], "<i2")
    assert [each.type for each in decode_commands(stream, 0, 0xAAAA)] == [4, 0, 77, 3]
    assert decode_commands(stream, 7, 0xFFFF) == ()
    assert decode_commands(stream, 60000, 3) == ()


@given(st.lists(any_command, max_size=8), st.integers(0, 3000))
def test_commands_survive_writing(commands: list[AnimationCommand], first_frame: int) -> None:
    relative = [command.moved(-first_frame) for command in commands]
    stream = encode_commands(relative, first_frame=first_frame)
    assert decode_commands(stream, 0, len(commands)) == tuple(commands)
    assert decode_commands(stream, 0, len(commands), first_frame=first_frame) == tuple(relative)


@given(st.binary(max_size=60), st.integers(0, 40), st.integers(0, 0xFFFF))
def test_any_stream_of_commands_survives_writing(content: bytes, first: int, count: int) -> None:
    stream = np.frombuffer(content[: len(content) // 2 * 2], "<i2")
    commands = decode_commands(stream, first, count)
    written = encode_commands(commands)
    np.testing.assert_array_equal(written, stream[first : first + len(written)])
    assert len(commands) <= count


@pytest.mark.parametrize(
    "command",
    [
        AnimationCommand(1, (1, 2)),
        AnimationCommand(3, (1,)),
        AnimationCommand(1, (0, 0, 70000)),
        AnimationCommand(5, (32760, 1)),
    ],
)
def test_commands_that_do_not_fit_are_refused_by_name(command: AnimationCommand) -> None:
    with pytest.raises(ExportError, match="RAPTOR bite"):
        encode_commands([command], first_frame=10, subject="RAPTOR bite")


# --- State changes --------------------------------------------------------------------------------

LEADING = records(
    ANIMATION_RECORD[Game.TR2],
    [
        {"last_frame": 9, "state_changes": 2, "first_state_change": 1},
        {"first_frame": 10, "last_frame": 30, "state_changes": 9, "first_state_change": 2},
        {"first_frame": 31, "state_changes": 4, "first_state_change": 500},
    ],
)
CHANGES = records(
    STATE_CHANGE,
    [
        {"state": 9},
        {"state": 5, "dispatches": 2},
        {"state": 6, "dispatches": 3, "first_dispatch": 2},
    ],
)
LEADS = records(
    ANIMATION_DISPATCH,
    [
        {"low": 2, "high": 4, "next_animation": 1, "next_frame": 15},
        {"low": 5, "high": 10, "next_animation": 0, "next_frame": 3},
        {"low": 12, "high": -1, "next_animation": -2, "next_frame": 44},
    ],
)


def test_state_changes_count_from_the_frames_of_their_animations() -> None:
    assert decode_state_changes(LEADING, CHANGES, LEADS, 0) == (
        StateChange(5, (Dispatch(2, 4, 1, 5), Dispatch(5, 10, 0, 3))),
        StateChange(6, (Dispatch(12, -1, 0xFFFE, 44),)),
    )


def test_state_changes_end_where_the_records_end() -> None:
    assert decode_state_changes(LEADING, CHANGES, LEADS, 1) == (
        StateChange(6, (Dispatch(2, -11, 0xFFFE, 44),)),
    )
    assert decode_state_changes(LEADING, CHANGES, LEADS, 2) == ()


def test_state_changes_survive_writing() -> None:
    changes = decode_state_changes(LEADING, CHANGES, LEADS, 0)
    written = [dispatch for change in changes for dispatch in change.dispatches]
    found = encode_dispatches(written, 0, [(1, 15), (0, 3), (0xFFFE, 44)])
    np.testing.assert_array_equal(found, LEADS)
    again = encode_state_changes(changes, 7)
    assert again["first_dispatch"].tolist() == [7, 9]
    assert again["dispatches"].tolist() == [2, 1]
    assert again["state"].tolist() == [5, 6]
    assert len(encode_dispatches([], 5, [])) == len(encode_state_changes([], 5)) == 0


def test_state_changes_that_do_not_fit_are_refused_by_name() -> None:
    with pytest.raises(ExportError, match=r"LARA run.*40000"):
        encode_dispatches([Dispatch(0, 39000, 0, 0)], 1000, [(0, 0)], "LARA run")
    with pytest.raises(ExportError, match=r"LARA run.*70000"):
        encode_state_changes([StateChange(70000)], 0, "LARA run")


@each_real_level
def test_animations_of_real_levels_belong_to_models_in_order(level_path: Path) -> None:
    level = read_level(level_path)
    first, count = model_animations(level.models, level.animations)
    has = first >= 0
    assert count[has].sum() == len(level.animations)
    assert (level.animations["first_frame"][first[has]] == 0).all()
    assert (level.animations["frame_offset"][first[has]] == level.models["frame_offset"][has]).all()
    owners = animation_models(level.models, level.animations)
    np.testing.assert_array_equal(owners, np.repeat(np.flatnonzero(has), count[has]))


@each_real_level
def test_commands_and_state_changes_of_real_levels_cover_their_records(level_path: Path) -> None:
    level = read_level(level_path)
    heard = np.zeros(len(level.animation_commands), int)
    led = 0
    for index, record in enumerate(level.animations):
        commands = decode_commands(
            level.animation_commands, int(record["first_command"]), int(record["commands"])
        )
        if commands:
            size = len(encode_commands(commands))
            heard[commands[0].word : commands[0].word + size] += 1
        changes = decode_state_changes(
            level.animations, level.state_changes, level.animation_dispatches, index
        )
        led += sum(len(change.dispatches) for change in changes)
    assert (heard[:-1] == 1).all()  # TR5 may end with a filler
    assert led == len(level.animation_dispatches)
