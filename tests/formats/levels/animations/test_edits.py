"""Changing, adding and deleting animations, with all references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.base.bytes.splice import coverage
from io_tomb_raider.formats.levels.animations.animations import (
    AddedAnimation,
    AnimationCommand,
    Dispatch,
    StateChange,
    decode_commands,
    decode_state_changes,
    ticks,
)
from io_tomb_raider.formats.levels.animations.edits import edit_animations
from io_tomb_raider.formats.levels.animations.frames import EncodedKeys, Keys, decode_frames, encode_frames
from io_tomb_raider.formats.levels.animations.plan import AnimationEdit, AnimationTables

from ....real_levels import each_real_level
from .samples import describe, make_tables, members_of
from .scenarios import Scenario, key_values, some_keys

ALL_GAMES = pytest.mark.parametrize("game", list(Game))
games = st.sampled_from(list(Game))
seeds = st.integers(0, 2**32 - 1)


@given(games, seeds, st.booleans())
def test_edits_change_only_their_animations(game: Game, seed: int, sharing: bool) -> None:
    scenario = Scenario(game, seed, sharing)
    result = scenario.run()
    members = members_of(result)
    assert [len(each) for each in members] == [len(each) for each in scenario.models]
    names: dict[int, object] = {}
    for indices, owned in zip(members, scenario.models, strict=True):
        names |= dict(zip(indices, owned, strict=True))
    assert sorted(names) == list(range(len(result.animations)))
    assert describe(game, result, [names[index] for index in sorted(names)]) == scenario.expected


@given(games, seeds)
def test_edited_tables_are_contiguous_like_those_of_the_original_tools(game: Game, seed: int) -> None:
    result = Scenario(game, seed).run()
    animations, models = result.animations, result.models
    first = animations["first_frame"].astype(int)
    for indices in members_of(result):
        begins = 0
        for index in indices:
            assert first[index] == begins
            begins = int(animations["last_frame"][index]) + 1
    has = models["animation"] != 0xFFFF
    owned = models["animation"][has]
    assert (np.diff(owned.astype(int)) > 0).all()
    np.testing.assert_array_equal(models["frame_offset"][has], animations["frame_offset"][owned])
    assert (np.diff(animations["frame_offset"].astype(int)) >= 0).all()

    keys = decode_frames(game, result.frames, animations, models)
    used = np.zeros(len(result.frames), int)
    for start, length in zip(keys.words.tolist(), keys.lengths.tolist(), strict=True):
        used[start : start + length] += 1
    changes = result.state_changes
    wide = {name: animations[name].astype(np.int64) for name in animations.dtype.names or ()}
    covered = coverage(wide["first_state_change"], wide["state_changes"], len(changes))
    led = coverage(
        changes["first_dispatch"].astype(np.int64),
        changes["dispatches"].astype(np.int64),
        len(result.animation_dispatches),
    )
    heard = np.zeros(len(result.animation_commands), int)
    for index in range(len(animations)):
        start, number = int(wide["first_command"][index]), int(wide["commands"][index])
        for command in decode_commands(result.animation_commands, start, number):
            heard[command.word : command.word + 1 + len(command.operands)] += 1
    if game == Game.TR5:
        assert len(result.frames) % 2 == len(result.animation_commands) % 2 == 0
        used, heard = (each[: len(each) - int(len(each) > 0 and each[-1] == 0)] for each in (used, heard))
    for tight in (used, covered, led, heard):
        assert (tight == 1).all()


@given(games, seeds)
def test_without_edits_the_same_arrays_are_returned(game: Game, seed: int) -> None:
    tables = make_tables(game, seed)
    result = edit_animations(game, tables, {0: AnimationEdit(name="touched")})
    assert all(getattr(result, each.name) is getattr(tables, each.name) for each in fields(tables))


@given(games, seeds)
def test_writing_everything_as_it_is_gives_the_same_bytes(game: Game, seed: int) -> None:
    tables = make_tables(game, seed)
    result = edit_animations(game, tables, as_it_is(game, tables))
    assert all(getattr(result, each.name) is getattr(tables, each.name) for each in fields(tables))


def as_it_is(game: Game, tables: AnimationTables) -> dict[int, AnimationEdit]:
    """Return edits that set every animation to its current values."""
    keys = decode_frames(game, tables.frames, tables.animations, tables.models)
    first = tables.animations["first_frame"].astype(int).tolist()
    edits = {}
    for index, record in enumerate(tables.animations):
        own = keys.keys(index)
        target = int(record["next_animation"])
        base = first[target] if target < len(first) else 0
        edits[index] = AnimationEdit(
            frames=encode_frames(game, own) if len(own) else None,
            frame_rate=int(record["frame_rate"]),
            ticks=int(ticks(tables.animations)[index]),
            state=int(record["state"]),
            next_animation=target,
            next_frame=int(record["next_frame"]) - base,
            state_changes=decode_state_changes(
                tables.animations, tables.state_changes, tables.animation_dispatches, index
            ),
            commands=decode_commands(
                tables.animation_commands,
                int(record["first_command"]),
                int(record["commands"]),
                first_frame=first[index],
            ),
        )
    return edits


# --- Shared records -------------------------------------------------------------------------------


def in_words(keys: Keys, game: Game = Game.TR4) -> EncodedKeys:
    return encode_frames(game, keys)


def lengthened(tables: AnimationTables, index: int, by: int) -> AnimationEdit:
    """Return an edit that lengthens an animation without another key frame."""
    return AnimationEdit(ticks=int(ticks(tables.animations)[index]) + by)


def changed(tables: AnimationTables, name: str, values: Mapping[int, int] | Sequence[int]) -> AnimationTables:
    """Return tables with a field of some animations set."""
    animations = tables.animations.copy()
    for index, value in values.items() if isinstance(values, Mapping) else enumerate(values):
        animations[name][index] = value
    return replace(tables, animations=animations)


def shared_state_changes(seed: int) -> AnimationTables:
    """Return a level whose third animation shares state changes and commands with the first."""
    tables = make_tables(Game.TR2, seed, (3, 2))
    animations = tables.animations.copy()
    for name in ("state_changes", "first_state_change", "commands", "first_command"):
        animations[name][2] = animations[name][0]
    return replace(tables, animations=animations)


@given(seeds)
def test_shared_state_changes_are_copied_if_only_one_animation_moves(seed: int) -> None:
    tables = shared_state_changes(seed)
    names: list[object] = list(range(5))
    expected = describe(Game.TR2, tables, names)
    result = edit_animations(Game.TR2, tables, {1: lengthened(tables, 1, 100)})
    found = describe(Game.TR2, result, names)
    expected[1]["ticks"] += 100
    assert found == expected
    assert result.animations["first_state_change"][0] == tables.animations["first_state_change"][0]
    if tables.animations["state_changes"][0]:
        assert result.animations["first_state_change"][2] != result.animations["first_state_change"][0]


@given(seeds)
def test_shared_lists_stay_for_those_that_are_not_edited(seed: int) -> None:
    tables = shared_state_changes(seed)
    names: list[object] = list(range(5))
    expected = describe(Game.TR2, tables, names)
    edit = AnimationEdit(state_changes=(StateChange(77),), commands=(AnimationCommand(3),))
    found = describe(Game.TR2, edit_animations(Game.TR2, tables, {0: edit}), names)
    expected[0] |= {"changes": [(77, [])], "commands": [(3, ())]}
    assert found == expected


@ALL_GAMES
@pytest.mark.parametrize("edited", [0, 1])
def test_shared_frames_stay_for_the_animation_that_is_not_edited(game: Game, edited: int) -> None:
    rng = np.random.default_rng(5)
    tables = make_tables(game, 11, (2, 1))
    keys = decode_frames(game, tables.frames, tables.animations, tables.models)
    start = int(tables.animations["frame_offset"][1])
    tables = changed(tables, "frame_offset", {0: start})
    for name in ("frame_size", "frame_rate"):
        tables = changed(tables, name, {0: int(tables.animations[name][1])})
    shared = key_values(keys.keys(1))
    new = some_keys(game, rng, 1, int(tables.models["meshes"][0]))
    edit = AnimationEdit(frames=encode_frames(game, new), frame_rate=200)
    result = edit_animations(game, tables, {edited: edit})
    found = decode_frames(game, result.frames, result.animations, result.models)
    assert key_values(found.keys(edited)) == key_values(new)
    other = key_values(found.keys(1 - edited))
    assert other[2] and other[2] == shared[2][: len(other[2])]
    assert key_values(found.keys(2)) == key_values(keys.keys(2))


def test_new_frames_of_an_animation_without_any_precede_the_next_animation() -> None:
    tables = make_tables(Game.TR4, 3, (2, 2))
    size, offset = (int(tables.animations[name][1]) for name in ("frame_size", "frame_offset"))
    # Animation 0 loses its own frames: its offset becomes that of animation 1.
    tables = changed(changed(tables, "frame_size", {0: 0}), "frame_offset", {0: offset})
    models = tables.models.copy()
    models["frame_offset"][0] = offset
    tables = replace(tables, models=models)
    new = some_keys(Game.TR4, np.random.default_rng(1), 1, int(tables.models["meshes"][0]))
    result = edit_animations(Game.TR4, tables, {0: AnimationEdit(frames=in_words(new), ticks=0)})
    assert result.animations["frame_offset"][0] == offset
    assert result.models["frame_offset"][0] == offset
    assert result.animations["frame_offset"][1] == offset + 2 * result.animations["frame_size"][0]
    assert result.animations["frame_size"][1] == size


# --- Garbage of real levels -----------------------------------------------------------------------


@ALL_GAMES
def test_garbage_references_are_kept_while_others_move(game: Game) -> None:
    tables = make_tables(game, 8, (3, 3))
    end = len(tables.animation_commands)
    tables = changed(tables, "next_animation", {1: 0xFFFE})
    tables = changed(tables, "next_frame", {1: 65000})
    tables = changed(tables, "commands", {2: 0xAAAA, 4: 0xFFFF, 5: 0})
    tables = changed(tables, "first_command", {2: end, 4: end + 7, 5: 0})
    tables = changed(tables, "first_state_change", {3: 60000})
    dispatches = np.append(tables.animation_dispatches, tables.animation_dispatches[:1])
    dispatches[-1] = (-5, 32767, -3, 31000)  # an unused one with an invalid target
    tables = replace(tables, animation_dispatches=dispatches)
    rng = np.random.default_rng(2)
    new = encode_frames(game, some_keys(game, rng, 1, int(tables.models["meshes"][0])))
    commands = (AnimationCommand(4), AnimationCommand(3))
    result = edit_animations(
        game,
        tables,
        {0: AnimationEdit(ticks=40, commands=commands)},
        added={0: [AnimationEdit(frames=new)]},
    )
    at = [0, 1, 2, 4, 5, 6]  # the new one is number 3
    moved = result.animations[at]
    assert (moved["next_animation"][1], moved["next_frame"][1]) == (0xFFFE, 65000)
    assert moved["commands"].tolist()[1:] == tables.animations["commands"].tolist()[1:]
    assert moved["first_command"][2] == len(result.animation_commands)
    assert moved["first_command"][4] == end + 7
    assert moved["first_state_change"][3] == 60000
    assert result.animation_dispatches[-1].tolist() == (-5, 32767, -3, 31000)


def test_lengths_change_only_numbers_that_run_on() -> None:
    tables = make_tables(Game.TR3, 4, (3,))
    tables = changed(tables, "last_frame", ticks(tables.animations).tolist())
    tables = changed(tables, "first_frame", [0, 0, 0])  # some tools number every animation from 0
    tables = changed(tables, "first_frame", {1: 1})
    tables = changed(tables, "last_frame", {1: 0})  # and inverts one
    result = edit_animations(Game.TR3, tables, {0: lengthened(tables, 0, 9)})
    assert result.animations["first_frame"].tolist()[2] == 0
    again = edit_animations(Game.TR3, tables, {1: AnimationEdit(ticks=3)})
    assert (again.animations["first_frame"][1], again.animations["last_frame"][1]) == (1, 4)


def test_empty_models_are_not_changed() -> None:
    tables = make_tables(Game.TR5, 6, (2, 0, 2))
    models = np.insert(tables.models, 0, np.zeros(1, tables.models.dtype))
    tables = replace(tables, models=models)
    new = in_words(some_keys(Game.TR5, np.random.default_rng(3), 2, int(models["meshes"][1])), Game.TR5)
    edits = {0: AnimationEdit(frames=new, ticks=1, frame_rate=1)}
    result = edit_animations(Game.TR5, tables, edits, added={3: [AnimationEdit(frames=new)]})
    assert result.models[0].tobytes() == bytes(result.models.dtype.itemsize)
    assert result.models["animation"].tolist() == [0, 0, 0xFFFF, 2]


# --- Errors --------------------------------------------------------------------------------------


def test_targets_of_animations_cannot_be_deleted() -> None:
    tables = make_tables(Game.TR1, 21, (2, 2))
    tables = changed(tables, "state_changes", [0, 0, 0, 0])
    tables = changed(tables, "next_animation", [0, 0, 2, 2])
    with pytest.raises(ExportError, match=r"animation 0: .* while animation 1 refers to it"):
        edit_animations(Game.TR1, tables, deleted=[0])
    assert len(edit_animations(Game.TR1, tables, deleted=[1]).animations) == 3
    with pytest.raises(ExportError, match=r"animation 0: .* while WOLF run refers to it"):
        edit_animations(
            Game.TR1, tables, {3: AnimationEdit(next_animation=0, name="WOLF run")}, deleted=[0, 1]
        )
    lead = StateChange(1, (Dispatch(0, 1, 1, 0),))
    with pytest.raises(ExportError, match=r"animation 1: .* while new animation 0 of model 1 refers to it"):
        edit_animations(Game.TR1, tables, added={1: [AnimationEdit(state_changes=(lead,))]}, deleted=[1])


def test_targets_of_dispatches_cannot_be_deleted() -> None:
    tables = make_tables(Game.TR1, 21, (3,))
    tables = changed(tables, "next_animation", [0, 0, 0])
    tables = edit_animations(
        Game.TR1,
        tables,
        {
            0: AnimationEdit(state_changes=(StateChange(4, (Dispatch(0, 1, 2, 0),)),)),
            1: AnimationEdit(state_changes=()),
            2: AnimationEdit(state_changes=()),
        },
    )
    with pytest.raises(ExportError, match=r"animation 2: .* while animation 0 refers to it"):
        edit_animations(Game.TR1, tables, deleted=[2])


def test_all_animations_of_a_model_can_be_deleted_or_replaced() -> None:
    tables = make_tables(Game.TR2, 30, (1, 2, 0, 1))
    tables = changed(tables, "state_changes", [0] * 4)
    tables = changed(tables, "next_animation", [0, 1, 1, 3])
    gone = edit_animations(Game.TR2, tables, deleted=[1, 2])
    assert gone.models["animation"].tolist() == [0, 0xFFFF, 0xFFFF, 1]
    new = encode_frames(Game.TR2, some_keys(Game.TR2, np.random.default_rng(1), 1, 1))
    swapped = edit_animations(
        Game.TR2, tables, added={1: [AnimationEdit(frames=new)], 2: [AnimationEdit()]}, deleted=[1, 2]
    )
    assert swapped.models["animation"].tolist() == [0, 1, 2, 3]
    assert swapped.animations["first_frame"][1] == 0
    assert swapped.animations["next_animation"].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (AnimationEdit(ticks=70000, name="LARA walk"), r"LARA walk: .*70000.*65535"),
        (AnimationEdit(frame_rate=256, name="LARA walk"), r"LARA walk: the frame rate.*256.*255"),
        (AnimationEdit(lateral_speed=1, name="LARA walk"), r"LARA walk: .* no lateral speed"),
        (AnimationEdit(next_animation=AddedAnimation(0, 0), name="LARA walk"), r"LARA walk: .*not exist"),
        (AnimationEdit(next_animation=70000, name="LARA walk"), r"LARA walk: the next animation"),
        (
            AnimationEdit(commands=(AnimationCommand(3),) * 65536, name="LARA walk"),
            r"too many animation commands",
        ),
    ],
)
def test_values_that_do_not_fit_are_refused_by_name(edit: AnimationEdit, message: str) -> None:
    with pytest.raises(ExportError, match=message):
        edit_animations(Game.TR3, make_tables(Game.TR3, 1), {0: edit})


def test_frames_too_high_for_dispatches_and_commands_are_refused() -> None:
    tables = make_tables(Game.TR3, 1, (2,))
    lead = (StateChange(1, (Dispatch(0, 0, 1, 0),)),)
    for edit in (AnimationEdit(state_changes=lead), AnimationEdit(commands=(AnimationCommand(5, (0, 1)),))):
        with pytest.raises(ExportError, match="too high for the game"):
            edit_animations(
                Game.TR3, edit_animations(Game.TR3, tables, {1: edit}), {0: AnimationEdit(ticks=40000)}
            )


def test_negative_frames_of_commands_move_with_their_animation() -> None:
    tables = make_tables(Game.TR3, 1, (2,))
    early = AnimationEdit(commands=(AnimationCommand(5, (-30000, 1)),))
    before = edit_animations(Game.TR3, tables, {1: early})
    after = edit_animations(Game.TR3, before, {0: AnimationEdit(ticks=9)})
    moved = int(after.animations["first_frame"][1]) - int(before.animations["first_frame"][1])
    assert moved > 0
    assert after.animation_commands[-2] == before.animation_commands[-2] + moved < -20000


def test_unknown_animations_cannot_be_edited_or_deleted() -> None:
    for edits, deleted in (({9: AnimationEdit()}, []), ({}, [-1])):
        with pytest.raises(ExportError, match="no such animation"):
            edit_animations(Game.TR3, make_tables(Game.TR3, 1), edits, deleted=deleted)


# --- Real levels ----------------------------------------------------------------------------------


@each_real_level
def test_real_levels_without_edits_and_rewritten_are_the_same(level_path: Path) -> None:
    level = read_level(level_path)
    tables = AnimationTables.of(level)
    for edits in ({}, as_it_is(level.game, tables)):
        result = edit_animations(level.game, tables, edits)
        assert result.store(level) == []


@each_real_level
def test_an_edit_of_a_real_level_changes_nothing_else(level_path: Path) -> None:
    level = read_level(level_path)
    game, tables = level.game, AnimationTables.of(level)
    before = describe(game, tables, range(len(tables.animations)))
    sizes = [len(each) for each in members_of(tables)]
    model = int(np.argmax(sizes))
    index = members_of(tables)[model][sizes[model] // 2]
    length, rate = before[index]["ticks"] + 30, 100
    number = -(-length // rate) + 1
    keys = some_keys(game, np.random.default_rng(1), number, int(tables.models["meshes"][model]))
    edit = AnimationEdit(frames=encode_frames(game, keys), ticks=length, frame_rate=rate)
    result = edit_animations(game, tables, {index: edit}, added={model: [edit]})
    names: list[object] = list(range(len(tables.animations)))
    names.insert(members_of(tables)[model][-1] + 1, "new")
    new = {"keys": key_values(keys), "ticks": length, "frame_rate": rate}
    expected = before | {index: before[index] | new}
    expected["new"] = Scenario.nothing("new") | new
    assert describe(game, result, names) == expected
    twin = level.copy()
    assert set(result.store(twin)) >= {"animations", "frames", "models"}
    again = AnimationTables.of(read_level(twin.to_bytes()))
    assert describe(game, again, names) == expected
