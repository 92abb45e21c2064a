"""Triggers of levels for TRNG by name."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.floor.functions import Action, Trigger
from io_tomb_raider.scene.subjects.triggers.trng import is_trng
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.ui.triggers import panels as triggers
from io_tomb_raider.ui.triggers.operators import action_label
from tests.scene.scenes import export_scene, objects
from tests.scene.subjects.triggers.sample_triggers import FREE, box_at, triggers_of, trng_level

from ..recorder import Layout, shown
from ..user_actions import import_file, import_sample


@pytest.fixture
def root(blender: ModuleType, tmp_path: Path) -> Any:
    path = tmp_path / "level.tr4"
    path.write_bytes(trng_level())
    return import_file(path)


def panel(obj: Any) -> Layout:
    return shown(triggers.OBJECT_PT_tomb_raider_trigger, object=obj)


def test_effects_and_their_values_have_names(root: Any) -> None:
    box = box_at(root, FREE)
    effect, action, _ = box.tomb_raider.trigger.actions
    effect.number_name = "trigger group: perform"
    assert effect.number == 118
    assert (effect.first, effect.second) == (1, 1)
    assert effect.second_name == "Once"
    effect.second_name = "each time"
    effect.first_name = "Trigger group 7"
    assert effect.extra == 7
    action.first_name = "Door: open or close"
    assert action.second_name == "Close"
    action.second_name = "Open"
    assert action.extra == 26 | 1 << 8
    assert action_label(effect, Game.TR4) == "Flipeffect: Trigger group: perform"
    assert action_label(action, Game.TR4) == "TRNG Action: Door: open or close"
    found = triggers_of(export_scene(root))[FREE][0].actions
    assert found[:2] == (Action(9, 118, 7), Action(11, 5, 26 | 1 << 8))


def test_items_and_slots_are_named(root: Any) -> None:
    effect = box_at(root, FREE).tomb_raider.trigger.actions[0]
    effect.number, effect.extra = 47, 0
    assert effect.first_name == "Puzzle item 1"
    effect.first_name = "crowbar"
    assert effect.first == 71
    effect.number = 10  # of the game itself
    effect.first_name = "Lara no"
    assert effect.first == 2


def test_unknown_numbers_stay(root: Any) -> None:
    effect, action, _ = box_at(root, FREE).tomb_raider.trigger.actions
    effect.number_name = "Flipeffect 777"
    assert effect.number_name == "Flipeffect 777"
    effect.extra = 0x7F33
    assert (effect.first_name, effect.second_name) == ("Value 51", "Value 127")
    action.extra = 0xFE
    assert action.first_name == "Action 254"
    found = triggers_of(export_scene(root))[FREE][0].actions
    assert found[:2] == (Action(9, 777, 0x7F33), Action(11, 5, 0xFE))


def test_conditions_have_names(root: Any) -> None:
    box = box_at(root, (0, 5, 3))
    settings = box.tomb_raider.trigger
    assert settings.bl_rna.properties["kind"] is not None
    settings.condition_name = "Inventory: at least a number of an item"
    assert settings.timer == 3
    settings.actions[0].raw_target_name = "Crowbar"
    assert settings.actions[0].raw_target == 246
    settings.mask = 5
    assert settings.mask_name == "Number 5"
    settings.condition_name = "Fragment: circle"
    settings.mask_name = "outside of it"
    assert settings.mask == 2
    settings.actions[0].raw_target_name = "Radius 100"
    settings.condition_name = "Condition 111"
    found = triggers_of(export_scene(root))[0, 5, 3][0]
    assert found == Trigger(12, timer=111, mask=2, actions=(Action(0, 100), Action(9, 3, 7)))


def test_the_panel_shows_effects_and_conditions(root: Any) -> None:
    box = box_at(root, FREE)
    settings = box.tomb_raider.trigger
    settings.actions[0].number, settings.actions[0].extra = 118, 1
    assert {"number_name", "first", "second_name", "second"} <= set(panel(box).names)
    assert {"first_name", "extra"}.isdisjoint(panel(box).names)
    settings.actions[0].number = 61  # without values
    settings.actions[0].extra = 0
    assert {"first", "second"}.isdisjoint(panel(box).names)
    settings.active_action = 1
    assert {"number", "first_name", "first"} <= set(panel(box).names)
    condition = box_at(root, (0, 5, 3))
    condition.tomb_raider.trigger.condition_name = "Inventory: item is present"
    names = set(panel(condition).names)
    assert {"condition_name", "timer", "raw_target_name"} <= names
    assert {"activation", "mask"}.isdisjoint(names)


def test_the_level_is_unchanged_until_edited(root: Any) -> None:
    data = trng_level()
    for box in objects(root, "TRIGGER"):
        for action in box.tomb_raider.trigger.actions:
            for name in ("first_name", "second_name", "number_name", "raw_target_name"):
                getattr(action, name)
    assert export_scene(root).to_bytes() == data
    assert read_level(data).has_trng_footer


def test_other_levels_of_tr4_have_no_effects_of_trng(blender: ModuleType, tmp_path: Path) -> None:
    other = import_sample(tmp_path, "tr4")
    box: Any = objects(other, "TRIGGER")[0]
    settings = box.tomb_raider.trigger
    assert not is_trng(other, settings)
    action = settings.actions.add()
    action.type = 9
    action.number_name = "Trigger group: perform"
    assert action.number == 0
    settings.active_action = len(settings.actions) - 1
    assert {"first", "second"}.isdisjoint(panel(box).names)
    action.extra = 5  # of a level that an older version imported
    assert is_trng(other, settings)
    convert_level(other, Game.TR5)
    assert not is_trng(other, settings)


def test_new_actions_of_trng_are_offered(root: Any) -> None:
    bpy.context.view_layer.objects.active = box_at(root, FREE)
    assert bpy.ops.tomb_raider.add_trigger_action(kind="CLEAR_BODIES") == {"FINISHED"}
    settings = box_at(root, FREE).tomb_raider.trigger
    settings.actions[-1].first_name = "Activate"
    settings.actions[-1].number = 2
    assert triggers_of(export_scene(root))[FREE][0].actions[-1] == Action(11, 2, 43)
