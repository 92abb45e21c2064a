"""Transitions between the animations of object files in compiled levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.objects.transitions import own_transitions
from io_tomb_raider.formats.levels.animations.animations import (
    StateChange,
    decode_state_changes,
    model_animations,
)
from tests.sample_levels import sample_level
from tests.wad2_samples import ANGLES, bone, key, leaf, leb, mesh, node
from tests.wad_samples import sample_swd, sample_wad

from .compile_samples import compiled, lara, plain_room, project_of, texture_all, written

_ENEMY = 91  # three animations, the first with two state changes


def _made(folder: Path, *wads: str, keep: bool = False) -> Compiled:
    """Compile a project with object files."""
    room = plain_room(0)
    texture_all([room])
    room.objects.append(lara())
    project = project_of([room], Game.TR4, folder)
    project.settings.wads = list(wads)
    return compiled(project, folder, keep=keep)


def _write_wad(folder: Path, name: str = "own", *, foreign: bool = True) -> None:
    """Write a WAD in which the enemy changes to animations of others, and to one that does not exist."""
    wad = sample_wad(garbage=False)
    if foreign:
        wad.animations, wad.animation_dispatches = wad.animations.copy(), wad.animation_dispatches.copy()
        wad.animation_dispatches["next_animation"][10:12] = 1, 60
        wad.animation_dispatches["next_animation"][0] = 13
        wad.animations["next_animation"][14] = 16
    (folder / f"{name}.wad").write_bytes(wad.to_bytes())
    (folder / f"{name}.swd").write_bytes(sample_swd().to_bytes())


def _changes(level: Level, model: int) -> list[list[tuple[int, list[int]]]]:
    """Return the state changes of a model's animations: states, and the next animations in the model."""
    row = level.models["id"].tolist().index(model)
    first, count = (int(each[row]) for each in model_animations(level.models, level.animations))
    return [
        [_numbers(change, first) for change in _of(level, number)] for number in range(first, first + count)
    ]


def _of(level: Level, animation: int) -> tuple[StateChange, ...]:
    return decode_state_changes(level.animations, level.state_changes, level.animation_dispatches, animation)


def _numbers(change: StateChange, first: int) -> tuple[int, list[int]]:
    return change.state, [
        to.next_animation - first for to in change.dispatches if isinstance(to.next_animation, int)
    ]


def _warnings(made: Compiled) -> list[str]:
    return [text for each in made.log.warnings if (text := str(each)).startswith("model ")]


def test_transitions_of_a_wad_to_other_models_are_omitted(tmp_path: Path) -> None:
    _write_wad(tmp_path)
    made = _made(tmp_path, "own.wad")
    level = written(made.level)
    assert _changes(level, 0)[0] == [(2, [8]), (0, [7, 9])]
    assert _changes(level, 0)[1] == [(2, [2, 3]), (1, [4, 5])]
    assert _changes(level, _ENEMY) == [[], [], []]
    first = int(level.models["animation"][level.models["id"] == _ENEMY][0])
    assert level.animations["next_animation"][first : first + 3].tolist() == [first, first, first + 2]
    assert level.animations["next_frame"][first + 1] == level.animations["first_frame"][first] == 0
    assert _warnings(made) == [
        "model 0: one transition to an animation that the model lacks is omitted",
        f"model {_ENEMY}: 2 transitions to animations that the model lacks are omitted",
        f"model {_ENEMY}: the model lacks the next animation of one animation, so its first one follows",
    ]


def test_transitions_are_kept_for_edits(tmp_path: Path) -> None:
    _write_wad(tmp_path)
    made = _made(tmp_path, "own.wad", keep=True)
    assert _warnings(made) == []
    assert [len(each) for each in _changes(made.level, _ENEMY)] == [2, 0, 0]


def test_files_without_used_models_are_not_reported(tmp_path: Path) -> None:
    _write_wad(tmp_path, "first", foreign=False)
    _write_wad(tmp_path, "second")
    made = _made(tmp_path, "first.wad", "second.wad")
    assert _warnings(made) == []
    assert _changes(written(made.level), _ENEMY) == [[(2, [1]), (3, [2])], [], []]


def test_transitions_of_a_wad2_to_animations_beyond_are_omitted(tmp_path: Path) -> None:
    dispatches = [leaf("W2Disp", b"".join(map(leb, (0, 1, target, 0))), 4) for target in (0, 1, 7)]
    animation = node(
        "W2Ani2",
        leaf("W2AnmName", b"WAIT"),
        key((1.0, 2.0, 3.0), ANGLES[0]),
        node("W2StCh", *dispatches, numbers=(9,)),
        node("W2StCh", *dispatches[1:], numbers=(10,)),
        numbers=(3, 1, 1, 5, 4),
    )
    bones = bone(0, "root", (0, 0, 0), 0), bone(0, "head", (0, 10, 0), 1)
    moveable = node("W2Moveable", mesh("a", ()), mesh("b", ()), *bones, animation, numbers=(_ENEMY,))
    lists = (leaf("W2SuggestedGameVersion", leb(4)), leaf("W2SoundSystem", leb(1)))
    stream = b"".join((*lists, node("W2Moveables", moveable), b"\0"))
    (tmp_path / "own.wad2").write_bytes(b"WAD2" + bytes(4) + stream)
    made = _made(tmp_path, "own.wad2")
    level = written(made.level)
    assert _changes(level, _ENEMY) == [[(9, [0])]]
    first = int(level.models["animation"][level.models["id"] == _ENEMY][0])
    assert level.animations["next_animation"][first] == first
    assert _warnings(made) == [
        f"model {_ENEMY}: 4 transitions to animations that the model lacks are omitted",
        f"model {_ENEMY}: the model lacks the next animation of one animation, so its first one follows",
    ]


@pytest.mark.parametrize("game", Game)
def test_levels_with_own_transitions_stay(game: Game) -> None:
    level = sample_level(game)
    same, lost = own_transitions(level)
    assert same is level and not lost
