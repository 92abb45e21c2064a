"""Levels cut to pieces: wanted pieces are unchanged, and all others are removed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.edits.append.cut import PieceChoice, cut_to
from io_tomb_raider.formats.edits.new_levels.kit import kit_of
from io_tomb_raider.formats.levels.animations.animations import (
    PLAY_SOUND,
    decode_commands,
    decode_state_changes,
    model_animations,
)
from io_tomb_raider.formats.levels.level.level_pages import page_count
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.sounds.details import run_of
from io_tomb_raider.formats.levels.sounds.samples import SampleStorage, sample_storage, sample_waves
from tests.games import each_game
from tests.level_rules import broken_indices
from tests.real_levels import each_real_level
from tests.sample_levels import sample_level
from tests.sample_levels.models import model_id

NOTHING = frozenset[int]()
_POSE = 12  # words: a bounding box, the position of the model, and the first angles


def model(level: Level, identity: int) -> list[Any]:
    """Return the content of a model: the vertices of its meshes, and its animations with first poses."""
    (place,) = np.flatnonzero(level.models["id"] == identity).tolist()
    record = level.models[place]
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    pointers = block.pointers[int(record["first_mesh"]) :][: int(record["meshes"])]
    out: list[Any] = [block.meshes[each].vertices.tolist() for each in pointers]
    first, count = (each[place] for each in model_animations(level.models, level.animations))
    for number in range(first, first + count):
        each = level.animations[number]
        length = int(each["last_frame"]) - int(each["first_frame"])
        out.append((pose(level, number), int(each["state"]), length))
        out.append(pose(level, int(each["next_animation"])))
        for change in _changes(level, number):
            out.append((change.state, [pose(level, int(to.next_animation)) for to in change.dispatches]))
    return out


def pose(level: Level, number: int) -> list[int] | None:
    """Return the first pose of an animation, None without keys."""
    if number >= len(level.animations):
        return None
    start = int(level.animations["frame_offset"][number]) // 2
    return level.frames[start : start + _POSE].tolist()


def played(level: Level, wanted: frozenset[int]) -> set[int]:
    """Return the sounds of a level that animations of some models play."""
    found = set()
    for place, (first, count) in enumerate(
        zip(*model_animations(level.models, level.animations), strict=True)
    ):
        if int(level.models["id"][place]) in wanted:
            for each in level.animations[first : first + count]:
                start, size = int(each["first_command"]), int(each["commands"])
                commands = decode_commands(level.animation_commands, start, size)
                found |= {each.operands[1] & 0x3FFF for each in commands if each.type == PLAY_SOUND}
    return {each for each in found if each < len(level.sound_map) and level.sound_map[each] >= 0}


def _changes(level: Level, number: int) -> Any:
    return decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, number)


def waves(level: Level, sound: int) -> list[Any]:
    """Return the samples of a sound: waves, or numbers in MAIN.SFX."""
    row = int(level.sound_map[sound])
    run = run_of(level.sound_details[row])
    heard = (
        level.sample_indices.tolist()
        if sample_storage(level) is SampleStorage.MAIN_SFX
        else sample_waves(level)
    )
    return [heard[each] for each in run if each < len(heard)]


def written(level: Level) -> Level:
    return read_level(level.to_bytes(), name=".trc" if level.game is Game.TR5 else "")


@each_game
def test_chosen_pieces_are_unchanged(game: Game) -> None:
    level = sample_level(game)
    door, switch, enemy = (model_id(game, name) for name in ("door", "switch", "enemy"))
    statics = level.static_meshes["id"].tolist()
    sequence = int(level.sprite_sequences["id"][-1])
    sound = np.flatnonzero(level.sound_map >= 0).tolist()[-1]
    choice = PieceChoice(
        frozenset({0, door}), frozenset(statics[1:]), frozenset({sequence}), frozenset({sound})
    )
    part = written(cut_to(level, choice, follow=True))
    assert part.models["id"].tolist() == [0, door]
    assert switch in level.models["id"] and enemy in level.models["id"]
    assert broken_indices(part) == []
    for identity in (0, door):
        before, after = model(level, identity), model(part, identity)
        assert len(after) >= len(before) and after[: len(before)] == before
    assert part.static_meshes["id"].tolist() == statics[1:]
    vertices = [decode_meshes(game, each.mesh_data, each.mesh_pointers) for each in (level, part)]
    shown = [
        block.meshes[block.pointers[int(each.static_meshes["mesh"][-1])]].vertices.tolist()
        for block, each in zip(vertices, (level, part), strict=True)
    ]
    assert shown[0] == shown[1]
    assert len(vertices[1].meshes) < len(vertices[0].meshes)
    assert part.sprite_sequences["id"].tolist() == [sequence]
    assert len(part.sprite_textures) == -int(level.sprite_sequences["negative_length"][-1])
    if len(level.sound_details):
        assert waves(part, sound) == waves(level, sound)
        heard = set(np.flatnonzero(part.sound_map >= 0).tolist())
        assert heard == {sound} | played(level, frozenset({0, door}))
        assert len(part.sound_details) <= len(level.sound_details)
    # Unused textures are removed.
    whole = kit_of(level)
    assert len(part.object_textures) < len(whole.object_textures)
    assert page_count(part) <= page_count(whole)


@each_game
def test_the_default_choice_keeps_all_and_an_empty_one_nothing(game: Game) -> None:
    level = sample_level(game)
    assert cut_to(level, PieceChoice()).to_bytes() == kit_of(level).to_bytes()
    none = written(cut_to(level, PieceChoice(NOTHING, NOTHING, NOTHING, NOTHING)))
    for name in ("models", "animations", "static_meshes", "object_textures", "sprite_sequences"):
        assert len(getattr(none, name)) == 0, name
    assert (none.sound_map == -1).all() and len(none.sound_details) == 0


@each_real_level
@pytest.mark.parametrize("count", [0, 5])
def test_parts_of_real_levels(level_path: Path, count: int) -> None:
    """Lara and some others keep their meshes, animations and sounds, including those of the animations."""
    level = read_level(level_path)
    if not len(level.models):
        return
    wanted = frozenset([0, *level.models["id"].tolist()[7 : 7 + count]]) & set(level.models["id"].tolist())
    part = written(cut_to(level, PieceChoice(wanted, NOTHING, NOTHING, NOTHING), follow=True))
    assert sorted(part.models["id"].tolist()) == sorted(wanted)
    for identity in wanted:
        before, after = model(level, identity), model(part, identity)
        assert after[: len(before)] == before, identity
    heard = set(np.flatnonzero(part.sound_map >= 0).tolist())
    if len(kit_of(level).sound_details):
        assert heard >= played(level, wanted)
    for sound in heard:
        assert waves(part, sound) == waves(level, sound)


def test_targets_of_animations_are_kept_on_request() -> None:
    level = sample_level(Game.TR1)
    first, _ = model_animations(level.models, level.animations)
    places = {int(identity): place for place, identity in enumerate(level.models["id"])}
    door, enemy = (model_id(Game.TR1, name) for name in ("door", "enemy"))
    animations = level.animations.copy()
    animations["next_animation"][first[places[door]]] = first[places[enemy]]
    level.animations = animations
    part = written(cut_to(level, PieceChoice(frozenset({door})), follow=True))
    assert part.models["id"].tolist() == [door]
    assert model(part, door)[: len(model(level, door))] == model(level, door)
    # If they are not wanted, the animation repeats, and nothing else is kept.
    alone = written(cut_to(level, PieceChoice(frozenset({door}))))
    assert len(alone.animations) < len(part.animations) and len(alone.frames) < len(part.frames)
    assert int(alone.animations["next_animation"][0]) == 0
    assert int(alone.animations["next_frame"][0]) == int(alone.animations["first_frame"][0])
    assert pose(alone, 0) == pose(level, int(first[places[door]]))


def test_state_changes_to_removed_animations_have_no_target() -> None:
    level = sample_level(Game.TR4)
    lara = cut_to(level, PieceChoice(frozenset({0})))
    count = len(level.animation_dispatches)
    first, _ = model_animations(level.models, level.animations)
    leads_to = level.animation_dispatches["next_animation"].copy()
    level.animation_dispatches = level.animation_dispatches.copy()
    level.animation_dispatches["next_animation"][:] = first[level.models["id"] == model_id(Game.TR4, "enemy")]
    assert count and (leads_to >= 0).all() and len(lara.animation_dispatches)
    alone = cut_to(level, PieceChoice(frozenset({0})))
    assert (alone.animation_dispatches["next_animation"] == -1).all()
    assert len(alone.animations) == len(lara.animations)
