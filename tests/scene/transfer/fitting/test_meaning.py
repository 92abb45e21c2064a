"""Sounds, effects, commands, states and transitions of retargeted animations, between games."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest
from bpy.types import Action

from io_tomb_raider.catalogue import equivalent_state, names
from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.motion.bringing import RetargetOptions, retarget_action
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.subjects.animations.changes.transitions import next_of, target_of
from io_tomb_raider.scene.subjects.animations.showing import own_animations
from io_tomb_raider.scene.transfer.append.replace import models_of
from io_tomb_raider.scene.transfer.fitting.meaning import copy_meaning
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ...scenes import export_scene, exported, import_anew
from .stretching import lara_of

RUN, WALK, START, STAND = 0, 1, 6, 11
LARA = 0


def copied(
    source: Any, target: Any, numbers: list[int], size: float = 1.0, **settings: Any
) -> tuple[dict[Action, Any], list[str]]:
    """Retarget animations with what they do; return the new ones by the originals, and the warnings."""
    options, report = RetargetOptions(**settings), Report()
    actions = own_animations(source)
    made = {actions[each]: retarget_action(source, actions[each], target, options).action for each in numbers}
    copy_meaning(source, target, made, size, report, options.first)
    return made, report.warnings


def events(action: Any) -> set[tuple[int, str, int, int]]:
    rows = {each.name: (each.command, each.number, each.flags) for each in action.tomb_raider.events}
    return {(marker.frame, *rows[marker.name]) for marker in action.pose_markers if marker.name in rows}


@pytest.mark.parametrize(
    ("source", "game"), [(Game.TR4, Game.TR5), (Game.TR3, Game.TR4), (Game.TR5, Game.TR3)]
)
def test_sounds_and_effects_are_those_with_the_same_names(
    blender: ModuleType, source: Game, game: Game
) -> None:
    theirs, root = import_anew(sample_bytes(source)), import_anew(sample_bytes(game))
    before = len(export_scene(root).animations)
    made, warnings = copied(lara_of(theirs), lara_of(root), [RUN])
    (run,), (new,) = made.keys(), made.values()
    assert warnings == []
    expected = set()
    for frame, command, number, flags in events(run):
        kind = "sound" if command == "SOUND" else "flipeffect"
        name = names(source).known(kind)[number]
        expected.add(
            (frame, command, next(k for k, v in names(game).known(kind).items() if v == name), flags)
        )
    assert expected and events(new) == expected
    level, messages = exported(root)
    assert messages == [] and len(level.animations) == before + 1


def test_effects_without_a_counterpart_are_reported(blender: ModuleType) -> None:
    theirs, root = import_anew(sample_bytes(Game.TR4)), import_anew(sample_bytes(Game.TR1))
    made, warnings = copied(lara_of(theirs), lara_of(root), [RUN])
    assert warnings == [
        f"{lara_of(root).name}: this game has no counterparts of these sounds and effects: Footprint. "
        "They are left out"
    ]
    assert {each[1] for each in events(next(iter(made.values())))} == {"SOUND"}


def test_targets_are_retargeted_animations_or_those_of_the_same_name(
    blender: ModuleType,
) -> None:
    theirs, root = import_anew(sample_bytes(Game.TR3)), import_anew(sample_bytes(Game.TR4))
    lara = lara_of(root)
    own = own_animations(lara)
    made, warnings = copied(lara_of(theirs), lara, [RUN, STAND, START])
    run, stand, start = made.values()
    assert warnings == []
    assert run.tomb_raider.state == own[RUN].tomb_raider.state
    assert next_of(run) is None and next_of(start) == run
    # Made animations come first, then those that the model has.
    assert [target_of(each) for each in run.tomb_raider.dispatches] == [own[10], own[8], own[7], own[9]]
    assert [target_of(each) for each in stand.tomb_raider.dispatches] == [start, own[WALK]]
    old = own_animations(lara_of(theirs))[RUN].tomb_raider.dispatches
    for one, other in zip(old, run.tomb_raider.dispatches, strict=True):
        assert (one.state, one.low, one.high, one.frame) == (other.state, other.low, other.high, other.frame)


def test_what_another_model_does_not_have_is_reported(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR4))
    dog = models_of(root)[model_id(Game.TR4, "enemy")]
    own_animations(lara_of(root))[RUN].tomb_raider.dispatches[0].state = 10
    bones = {dog.data.bones[0].name: "Hips"}  # that of the samples has no legs
    made, warnings = copied(lara_of(root), dog, [RUN, WALK], size=2.0, names=bones)
    run, walk = made.values()
    states = names(Game.TR4).known("state", model_id(Game.TR4, "enemy"))
    assert (states[walk.tomb_raider.state], states[run.tomb_raider.state]) == ("Walk", "Run")
    assert any("its states have none of these names: Hang. They are left out" in each for each in warnings)
    assert any("it has no animations of these names to change to: " in each for each in warnings)


def test_distances_have_the_size_of_the_target_and_jumps_their_height(blender: ModuleType) -> None:
    theirs, root = import_anew(sample_bytes(Game.TR1)), import_anew(sample_bytes(Game.TR2))
    row = own_animations(lara_of(theirs))[START].tomb_raider.commands.add()
    row.command, row.vertical, row.horizontal = "JUMP", 90, 40
    other = own_animations(lara_of(theirs))[START].tomb_raider.commands.add()
    other.command, other.number = "OTHER", 13
    made, warnings = copied(lara_of(theirs), lara_of(root), [START], size=1.5)
    commands = next(iter(made.values())).tomb_raider.commands
    assert [each.command for each in commands] == ["POSITION", "HANDS", "JUMP"]
    assert commands[0].position[:] == (0, 48, 0)
    assert (commands[2].vertical, commands[2].horizontal) == (90, 60)
    assert any("this game does not have these commands: 13" in each for each in warnings)


def test_a_part_of_an_animation_has_the_events_of_that_part(blender: ModuleType) -> None:
    root = import_anew(sample_bytes(Game.TR4))
    lara = lara_of(root)
    pistols = models_of(root)[model_id(Game.TR4, "pistols")]
    whole, _ = copied(lara, pistols, [RUN])
    part, _ = copied(lara, pistols, [RUN], first=8)
    ((run, all_of_it),), (new,) = whole.items(), part.values()
    assert events(all_of_it) == events(run)
    assert events(new) == {(frame - 8, *rest) for frame, *rest in events(run) if frame >= 8}
    assert len(events(new)) < len(events(run))


@pytest.mark.parametrize(
    ("state", "source", "target", "expected"),
    [
        (1, (Game.TR1, LARA), (Game.TR5, LARA), 1),
        (0, (Game.TR1, LARA), (Game.TR4, 91), 2),  # walk forward: walk
        (2, (Game.TR1, LARA), (Game.TR1, 15), 1),  # stop: idle
        (10, (Game.TR1, LARA), (Game.TR1, 15), None),  # hang
        (3, (Game.TR1, 600), (Game.TR1, 600), 3),
        (3, (Game.TR1, 600), (Game.TR2, 601), None),
    ],
)
def test_states_with_the_same_meaning(
    state: int, source: tuple[Game, int], target: tuple[Game, int], expected: int | None
) -> None:
    found = equivalent_state(state, source, target)
    assert found == expected
