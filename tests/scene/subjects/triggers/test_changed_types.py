"""Triggers and actions that get another type: no value keeps the meaning that it had for the old one."""

from __future__ import annotations

from itertools import permutations
from types import ModuleType

from io_tomb_raider.catalogue.roles import Role, role_of
from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.floor.functions import Action, ActionType, Trigger, TriggerType
from io_tomb_raider.scene.subjects.triggers.unset import NO_NUMBER, NO_SOURCE
from io_tomb_raider.scene.subjects.triggers.values import action_items, refers, type_items
from tests.games import each_game

from ...scenes import export_scene, import_scene, objects
from .sample_triggers import (
    DOOR,
    FREE,
    SWITCH,
    WOLF,
    box_at,
    sample_with,
    triggers_of,
    trng_level,
    with_functions,
)

_ENTITIES = {ActionType.OBJECT, ActionType.LOOK_AT}
_FLIPS = {ActionType.FLIP_MAP, ActionType.FLIP_ON, ActionType.FLIP_OFF}
_WITH_EXTRA = {ActionType.CAMERA, ActionType.FLYBY}


def names_of(items: list[tuple[str, str, str, int]]) -> list[str]:
    return [name for name, *_ in items if name != "OTHER"]


@each_game
def test_every_action_becomes_every_other(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_with(game))
    actions, entity = box_at(root, FREE).tomb_raider.trigger.actions, objects(root, "ENTITY")[WOLF]
    camera = objects(root, "CAMERA")[0]
    pairs = [*permutations(names_of(action_items(game)), 2)]
    actions.clear()
    expected = []
    for old, new in pairs:
        action = actions.add()
        action.kind = old
        action.number, action.extra = 300, 0x3FF
        action.target = entity if ActionType[old] in _ENTITIES else camera
        action.kind = new
        kind, was = ActionType[new], ActionType[old]
        keeps = any({kind, was} <= same for same in (_ENTITIES, _FLIPS))
        assert (action.target is None) != keeps
        assert (action.raw_target, action.number, action.extra) == (NO_NUMBER, 300 if keeps else 0, 0)
        number = action.number
        if kind in (*_ENTITIES, ActionType.CAMERA, ActionType.SINK):
            number = WOLF if keeps else 0
            action.raw_target = NO_NUMBER if keeps else 0  # as a user picks one
        expected.append(Action(kind, number, 0 if kind in _WITH_EXTRA else None))
    level = export_scene(root)
    assert triggers_of(level)[FREE][0].actions == tuple(expected)
    assert export_scene(import_scene(level.to_bytes())).to_bytes() == level.to_bytes()


@each_game
def test_every_trigger_becomes_every_other(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_with(game))
    settings = box_at(root, FREE).tomb_raider.trigger
    switch = objects(root, "ENTITY")[SWITCH]
    assert role_of(game, switch.tomb_raider.entity.type) is Role.SWITCH
    for old, new in permutations(names_of(type_items(game)), 2):
        settings.kind = old
        settings.source, settings.raw_source = switch, NO_SOURCE
        settings.kind = new
        assert (settings.source is None) == (new in ("KEY", "PICKUP"))
        assert (settings.raw_source, settings.timer, settings.mask) == (NO_NUMBER, 5, 21)
        settings.raw_source = 0
        if old not in ("TRIGGER", "SWITCH"):  # the exported values of the others are these
            continue
        found = triggers_of(export_scene(root))[FREE][0]
        wanted = None if not refers(TriggerType[new]) else SWITCH if new == "SWITCH" else 0
        assert (found.type, found.reference) == (TriggerType[new], wanted)


def test_a_condition_of_trng_becomes_a_trigger_of_its_own(blender: ModuleType) -> None:
    """Its timer was the number of a condition, its mask a value and its first action a parameter."""
    condition = Trigger(TriggerType.MONKEY, timer=30, mask=3, actions=(Action(0, 700), Action(0, DOOR)))
    root = import_scene(with_functions(trng_level(), {FREE: [condition]}))
    settings = box_at(root, FREE).tomb_raider.trigger
    settings.kind = "PAD"
    assert (settings.timer, settings.mask, settings.actions[0].raw_target) == (0, 31, NO_NUMBER)
    assert triggers_of(export_scene(root))[FREE][0] == Trigger(
        TriggerType.PAD, timer=0, mask=31, actions=(Action(0, DOOR),)
    )
    settings.timer = 10
    settings.kind = "MONKEY"
    assert (settings.timer, settings.mask) == (0, 31)
