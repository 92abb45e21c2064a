"""Tests of the triggers of compiled projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.compile.compiled import Compiled
from io_tomb_raider.formats.editors.projects.compile.rooms.triggers import sorted_triggers
from io_tomb_raider.formats.editors.projects.model.objects import (
    Camera,
    Parameter,
    ParameterKind,
    ProjectTrigger,
)
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.floor.lists import FloorLists

from .compile_samples import written
from .trigger_samples import CAMERA, FLYBY, SINK, STATIC, SWITCH, TRNG, made

NUMBER, OBJECT = ParameterKind.NUMBER, ParameterKind.OBJECT


def trigger(number: int, target_type: int, target: Parameter, **values: object) -> ProjectTrigger:
    area = values.pop("area", (1, 1, 1, 1))
    return ProjectTrigger(number, area, target_type=target_type, target=target, **values)  # type: ignore[arg-type]


def only(compiled_: Compiled, z: int = 1, x: int = 1) -> list[Trigger]:
    """Return the triggers of a sector."""
    level = written(compiled_.level)
    (functions,) = FloorLists.read(level).of(level.rooms[0].sectors["floor_data"][[x * 6 + z]])
    return [each for each in functions if isinstance(each, Trigger)]


def test_an_area_has_one_trigger_per_sector(tmp_path: Path) -> None:
    pad = trigger(1, 0, Parameter(OBJECT, SWITCH), area=(1, 2, 2, 3), type=1, timer=Parameter(NUMBER, 9))
    result = made(tmp_path, pad, trigger(2, 10, Parameter(NUMBER, 1), area=(2, 2, 2, 2), one_shot=True))
    (found,) = only(result, 3, 1)
    assert found == Trigger(TriggerType.PAD, timer=9, actions=(Action(ActionType.OBJECT, 1),))
    (both,) = only(result, 2, 2)
    assert [each.type for each in both.actions] == [ActionType.OBJECT, ActionType.SECRET]
    assert not only(result, 1, 1)
    assert result.origin.triggers[0][2, 2] == (1, 2) and len(result.origin.triggers[0]) == 4


def test_switches_refer_to_their_object(tmp_path: Path) -> None:
    door = trigger(1, 5, Parameter(NUMBER, 2))
    switch = trigger(2, 0, Parameter(OBJECT, SWITCH), type=2, timer=Parameter(NUMBER, 0xFFFF), code_bits=3)
    (found,) = only(made(tmp_path, door, switch))
    assert found == Trigger(
        TriggerType.SWITCH, timer=0xFF, mask=3, reference=1, actions=(Action(ActionType.FLIP_OFF, 2),)
    )
    assert only(made(tmp_path, switch)) == []


def test_cameras_and_flybys_have_a_second_word(tmp_path: Path) -> None:
    camera = trigger(1, 1, Parameter(OBJECT, CAMERA), timer=Parameter(NUMBER, 4), one_shot=True)
    look = trigger(2, 6, Parameter(OBJECT, SWITCH))
    flyby = trigger(3, 12, Parameter(OBJECT, FLYBY), one_shot=True)
    sink = trigger(4, 2, Parameter(OBJECT, SINK))
    (found,) = only(made(tmp_path, camera, look, flyby, sink))
    assert [(each.type, each.parameter, each.extra) for each in found.actions] == [
        (ActionType.CAMERA, 0, 4 | 0x100 | 5 << 9),
        (ActionType.FLYBY, 3, 0x100),
        (ActionType.SINK, 1, None),
        (ActionType.LOOK_AT, 1, None),
    ]
    assert found.one_shot and found.timer == 4


def test_the_deciding_trigger_leads(tmp_path: Path) -> None:
    plain = trigger(1, 0, Parameter(OBJECT, SWITCH))
    heavy = trigger(2, 10, Parameter(NUMBER, 0), type=5)
    look = trigger(3, 6, Parameter(OBJECT, SWITCH))
    assert [each.number for each in sorted_triggers([look, plain, heavy])] == [2, 1, 3]
    assert [each.number for each in sorted_triggers([look, plain])] == [3, 1]
    (found,) = only(made(tmp_path, plain, heavy))
    assert found.type == TriggerType.HEAVY


def test_camera_triggers_are_sorted_before_look_triggers() -> None:
    first, look = trigger(1, 10, Parameter(NUMBER, 0)), trigger(2, 6, Parameter(OBJECT, SWITCH))
    camera, sound = trigger(3, 1, Parameter(OBJECT, CAMERA)), trigger(4, 8, Parameter(NUMBER, 5))
    assert [each.number for each in sorted_triggers([first, look, camera, sound])] == [1, 4, 3, 2]


def test_sniper_cameras_have_no_move_timer(tmp_path: Path) -> None:
    sniper = Camera(30, (1536, 512, 1536), mode=2, move_timer=5)
    shot = trigger(1, 1, Parameter(OBJECT, 30), timer=Parameter(NUMBER, 4))
    (found,) = only(made(tmp_path, sniper, shot))
    assert [(each.parameter, each.extra) for each in found.actions] == [(1, 4)]


def test_timers_can_be_objects(tmp_path: Path) -> None:
    effect = trigger(1, 9, Parameter(NUMBER, 60), timer=Parameter(OBJECT, STATIC))
    other = trigger(2, 9, Parameter(NUMBER, 61), timer=Parameter(NUMBER, 1), extra=Parameter(OBJECT, SWITCH))
    (found,) = only(made(tmp_path, effect, other, version=TRNG))
    assert [(each.parameter, each.extra) for each in found.actions] == [(60, 44), (61, 1 | 1 << 8)]


def test_triggers_of_trng_have_extra_numbers(tmp_path: Path) -> None:
    effect = trigger(
        1, 9, Parameter(NUMBER, 60), timer=Parameter(NUMBER, 7), extra=Parameter(NUMBER, 5)
    )  # fmt: skip
    action = trigger(
        2, 11, Parameter(OBJECT, SWITCH), timer=Parameter(NUMBER, 17), extra=Parameter(NUMBER, 3)
    )
    parameter = trigger(3, 13, Parameter(OBJECT, STATIC))
    condition = trigger(
        4, 13, Parameter(NUMBER, 6), type=12, timer=Parameter(NUMBER, 8), extra=Parameter(NUMBER, 0x45),
        area=(2, 2, 2, 2),
    )  # fmt: skip
    monkey = trigger(5, 0, Parameter(OBJECT, SWITCH), type=17, area=(3, 3, 3, 3))
    result = made(tmp_path, effect, action, parameter, condition, monkey, version=TRNG)
    (found,) = only(result)
    assert found.timer == 0
    assert [(each.type, each.parameter, each.extra) for each in found.actions] == [
        (9, 60, 7 | 5 << 8),
        (11, 1, 17 | 3 << 8),
        (0, 44, None),
    ]
    (held,) = only(result, 2, 2)
    assert (held.type, held.timer, held.mask, held.setup_rest) == (TriggerType.MONKEY, 8, 5, 2)
    assert only(result, 3, 3) == []  # TRNG would take it for a condition
    assert any("type that the game does not have" in each for each in result.log.warnings)


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (trigger(1, 0, Parameter(OBJECT, 12345)), "does not exist"),
        (trigger(1, 16, Parameter(ParameterKind.STRING, "a")), "TombEngine"),
        (trigger(1, 11, Parameter(NUMBER, 1)), "action that the game does not have"),
        (trigger(1, 0, Parameter(OBJECT, SWITCH), type=14), "type that the game does not have"),
        (trigger(1, 13, Parameter(OBJECT, SWITCH), type=12), "type that the game does not have"),
        (trigger(1, 0, Parameter(OBJECT, CAMERA)), "does not exist"),
        (trigger(1, 1, Parameter(OBJECT, SWITCH)), "does not exist"),
        (trigger(1, 8, Parameter()), "does not exist"),
        (trigger(1, 9, Parameter(NUMBER, 3), type=2), ""),  # a switch alone
        (trigger(1, 0, Parameter(OBJECT, SWITCH), area=(0, 0, 0, 5)), ""),  # the border
    ],
)
def test_triggers_without_effect_are_omitted(bad: ProjectTrigger, text: str, tmp_path: Path) -> None:
    result = made(tmp_path, bad)
    assert only(result) == [] and result.origin.triggers == [{}]
    about = [each for each in result.log.warnings if "trigger" in each]
    assert len(about) == bool(text) and all(text in each for each in about)


def test_old_games_have_fewer_actions(tmp_path: Path) -> None:
    result = made(tmp_path, trigger(1, 12, Parameter(OBJECT, FLYBY)), game=Game.TR1)
    assert only(result) == [] and len(result.level.cinematic_frames) > 0
