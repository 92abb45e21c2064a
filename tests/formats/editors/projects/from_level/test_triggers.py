"""Tests of triggers from levels: they have the parameters with which the editor compiles them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.editors.projects.from_level.triggers import (
    ObjectNumbers,
    RoomTriggers,
    _triggers,
    room_triggers,
    without_foreign,
)
from io_tomb_raider.formats.editors.projects.model.objects import Parameter, ParameterKind, ProjectTrigger
from io_tomb_raider.formats.editors.projects.model.parameters import is_compiled, set_word
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.formats.levels.views.decoded import Decoded
from tests.formats.editors.projects.compile.compile_samples import written
from tests.formats.editors.projects.compile.trigger_samples import SWITCH, TRNG, made

NONE = Parameter(ParameterKind.NONE)
EFFECT, ACTION, CONDITION, TIMER_FIELD = 9, 11, 13, 15


def trigger(own: int, kind: int, on: Parameter, **values: Any) -> ProjectTrigger:
    return ProjectTrigger(own, (1, 1, 1, 1), target_type=kind, target=on, **values)


def number(value: int) -> Parameter:
    return Parameter(ParameterKind.NUMBER, value)


# The target, the timer and the extra parameter of triggers as the editor writes them.
_OF_TRNG = [
    (EFFECT, 31, NONE, NONE),  # neither
    (EFFECT, 45, number(7), NONE),  # an old one
    (EFFECT, 127, number(0x1234), NONE),  # a number of 15 bits
    (EFFECT, 371, number(5), NONE),
    (EFFECT, 48, number(3), number(2)),
    (EFFECT, 320, number(1), number(4)),
    (EFFECT, 96, number(1), NONE),
    (ACTION, SWITCH, number(14), number(2)),
    (ACTION, SWITCH, number(28), NONE),
    (TIMER_FIELD, 12, NONE, NONE),
]


@pytest.mark.parametrize(("kind", "target", "timer", "extra"), _OF_TRNG)
def test_parameters_of_trng_are_those_of_the_catalog(
    tmp_path: Path, kind: int, target: int, timer: Parameter, extra: Parameter
) -> None:
    on = Parameter(ParameterKind.OBJECT, target) if kind == ACTION else number(target)
    compiled = made(tmp_path, trigger(50, kind, on, timer=timer, extra=extra), version=TRNG)
    numbers = ObjectNumbers({}, {}, {})
    ((found,),) = room_triggers(Decoded(written(compiled.level)), 0, numbers).cells.values()
    assert (found.target_type, found.timer, found.extra) == (kind, timer, extra)


@pytest.mark.parametrize(("condition", "extra"), [(7, number(1)), (15, NONE)])
def test_conditions(tmp_path: Path, condition: int, extra: Parameter) -> None:
    leading = trigger(50, CONDITION, number(4), type=12, timer=number(condition), extra=extra)
    other = trigger(51, EFFECT, number(31), timer=NONE)
    compiled = made(tmp_path, leading, other, version=TRNG)
    ((found, _),) = room_triggers(
        Decoded(written(compiled.level)), 0, ObjectNumbers({}, {}, {})
    ).cells.values()
    assert (found.type, found.target_type, found.timer, found.extra) == (12, 13, number(condition), extra)


@pytest.mark.parametrize(
    ("game", "effect", "timer"),
    [(Game.TR4, 31, NONE), (Game.TR4, 45, number(9)), (Game.TR4, 33, NONE), (Game.TR5, 31, number(9))],
)
def test_timers_of_flip_effects_without_trng(game: Game, effect: int, timer: Parameter) -> None:
    made = ProjectTrigger(0, target_type=EFFECT, target=number(effect), timer=number(9))
    set_word(made, None, game, trng=False)
    assert (made.timer, made.extra) == (timer, NONE)


def test_triggers_that_the_editor_lacks_for_a_game_are_left_out_and_reported() -> None:
    bodies = ProjectTrigger(0, target_type=int(ActionType.CLEAR_BODIES), target=number(0), timer=number(0))
    flip = ProjectTrigger(0, target_type=int(ActionType.FLIP_MAP), target=number(2), timer=number(0))
    found = RoomTriggers({(1, 1): (bodies, flip), (1, 2): (bodies,)}, [])
    kept = without_foreign(found, 3, Game.TR2, trng=False, trx=False)
    assert kept.cells == {(1, 1): (flip,)}
    assert [(each.room, each.cell, each.type, each.has_target) for each in kept.lost] == [
        (3, (1, 1), 11, True),
        (3, (1, 2), 11, True),
    ]


@pytest.mark.parametrize(
    ("game", "trng", "kind", "target", "expected"),
    [
        (Game.TR1, False, 9, 0, True),
        (Game.TR3, False, 10, 0, False),
        (Game.TR4, False, 11, 12, True),
        (Game.TR3, False, 0, 12, False),
        (Game.TR4, False, 17, 0, True),
        (Game.TR4, True, 17, 0, False),
        (Game.TR4, True, 12, 13, True),
        (Game.TR4, True, 12, 9, False),
        (Game.TR4, False, 0, 11, False),
        (Game.TR4, True, 0, 11, True),
        (Game.TR4, False, 13, 0, False),
        (Game.TR5, False, 13, 0, True),
        (Game.TR5, False, 0, 13, False),
    ],
)
def test_types_and_targets_by_game(game: Game, trng: bool, kind: int, target: int, expected: bool) -> None:
    found = ProjectTrigger(0, type=kind, target_type=target, target=number(0))
    assert is_compiled(found, game, trng=trng) is expected


def test_timers_of_other_actions_stay() -> None:
    function = Trigger(
        type=int(TriggerType.TRIGGER), timer=3, mask=31, actions=(Action(int(ActionType.SECRET), 1),)
    )
    ((made,), lost) = _triggers([function], ObjectNumbers({}, {}, {}), Game.TR4, trng=True)
    assert (made.timer, made.extra, lost) == (number(3), NONE, ())
