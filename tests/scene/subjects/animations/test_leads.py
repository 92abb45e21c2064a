"""Transitions between animations, and that Blender can open saved files with them."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Action, Object
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.animations.changes.transitions import (
    Transitions,
    next_of,
    set_next,
    set_target,
    target_of,
)
from io_tomb_raider.scene.transfer.append.deleting import delete_level
from io_tomb_raider.scene.transfer.engine.copies import copy_model
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import ENEMY, actions, armature, first_animation
from ...scenes import export_scene, import_scene

RUN, WALK = 0, 1
_PATIENCE = 120  # seconds; Blender needs less than one if it terminates at all
# Blender follows references when it opens a file and when users search for unused data.
_OPEN = """
import sys, bpy
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
print("actions", len(bpy.data.actions))
bpy.ops.outliner.orphans_purge(do_local_ids=True, do_recursive=True)
print("left", len(bpy.data.actions))
"""


def opened_elsewhere(path: Path) -> tuple[int, int]:
    """Open a file in another Blender. Return the number of its actions, and of those with users."""
    run = subprocess.run(
        [sys.executable, "-c", _OPEN, str(path)],
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=True,
    )
    words = [line.split() for line in run.stdout.splitlines()]
    numbers = {line[0]: int(line[1]) for line in words if line and line[0] in ("actions", "left")}
    return numbers["actions"], numbers["left"]


def saved(path: Path) -> Path:
    bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=False)
    return path


def connect_all(own: list[Any]) -> None:
    """Add animations to a model, with transitions from each to each."""
    own += [own[RUN].copy() for _ in range(30)]
    for action, other in product(own, own):
        row = action.tomb_raider.dispatches.add()
        row.high = 1
        set_target(row, other)
    for action, other in zip(own, own[::-1], strict=True):
        set_next(action, other)


# --- Files that can be opened again ----------------------------------------


@pytest.mark.everywhere
def test_a_file_with_all_animations_connected_can_be_opened(blender: ModuleType, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    connect_all(actions(root))
    count = len(bpy.data.actions)
    assert opened_elsewhere(saved(tmp_path / "level.blend")) == (count, count)


@pytest.mark.everywhere
def test_a_model_that_was_deleted_by_hand_opens_again_and_is_purged(
    blender: ModuleType, tmp_path: Path
) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    own = actions(root)
    connect_all(own)
    for home in list(rig.users_collection):
        bpy.data.collections.remove(home)
    count = len(bpy.data.actions)
    assert opened_elsewhere(saved(tmp_path / "level.blend")) == (count, count - len(own))


@pytest.mark.everywhere
@each_game
def test_no_action_is_used_by_another(blender: ModuleType, game: Game) -> None:
    import_scene(sample_bytes(game))
    users = bpy.data.user_map(subset=list(bpy.data.actions))
    assert any(users.values())
    assert not [user for by in users.values() for user in by if isinstance(user, Action)]


@each_real_level
def test_real_levels_open_again(blender: ModuleType, tmp_path: Path, level_path: Path) -> None:
    import_scene(level_path.read_bytes())
    count = len(bpy.data.actions)
    assert opened_elsewhere(saved(tmp_path / "level.blend")) == (count, count)


# --- Transitions ----------------------------------------


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_targets_that_were_set_are_found(blender: ModuleType, data: st.DataObject) -> None:
    """For all values set, on several objects in turn, in both kinds of lists."""
    start_empty()
    homes: list[Object] = [bpy.data.objects.new(name, None) for name in ("One", "Two")]
    made: list[Any] = [bpy.data.actions.new(f"{number}") for number in range(8)]
    for action in made:
        action.tomb_raider.model = data.draw(st.sampled_from(homes))
        if data.draw(st.booleans()):
            rows: Any = action.tomb_raider.model.tomb_raider.model.animations
            rows.add().action = action
        action.tomb_raider.dispatches.add()
    wanted: dict[tuple[Action, bool], Action | None] = dict.fromkeys(product(made, (False, True)))
    steps = st.tuples(st.sampled_from(made), st.booleans(), st.none() | st.sampled_from(made))
    for action, is_next, other in data.draw(st.lists(steps, max_size=20)):
        if is_next:
            set_next(action, other)
        else:
            set_target(action.tomb_raider.dispatches[0], other)
        wanted[action, is_next] = other
        leads = Transitions()
        for (each, on), target in wanted.items():
            row = each.tomb_raider.dispatches[0]
            assert ([leads.next(each)] if on else leads.targets(each)) == [target]
            assert (next_of(each) if on else target_of(row)) == target
            assert (each.tomb_raider.next_action if on else row.action) == (target.name if target else "")


@pytest.mark.everywhere
def test_targets_follow_renamed_actions(blender: ModuleType, tmp_path: Path) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    own = actions(root)
    names = [row.action for row in own[WALK].tomb_raider.dispatches]
    for action in own:
        action.name = f"Renamed {action.name}"
    assert [row.action for row in own[WALK].tomb_raider.dispatches] == [f"Renamed {name}" for name in names]
    bpy.ops.wm.open_mainfile(filepath=str(saved(tmp_path / "level.blend")))
    root = next(each for each in bpy.data.collections if each.tomb_raider.kind == "LEVEL")
    assert export_level(root)[0].to_bytes() == data


def test_names_that_are_no_actions_change_nothing(blender: ModuleType) -> None:
    own = actions(import_scene(sample_bytes(Game.TR1)))
    settings = own[WALK].tomb_raider
    settings.next_action = own[RUN].name
    settings.next_action = "No such action"
    assert (settings.next_action, next_of(own[WALK])) == (own[RUN].name, own[RUN])
    settings.next_action = ""
    assert next_of(own[WALK]) is None


def test_an_action_without_a_model_can_have_an_action_of_a_model_as_target(blender: ModuleType) -> None:
    own = actions(import_scene(sample_bytes(Game.TR3)))
    new: Any = bpy.data.actions.new("New")
    new.tomb_raider.next_action = own[WALK].name
    assert next_of(new) == own[WALK]


@pytest.mark.everywhere
def test_deleted_actions_are_no_longer_targets(blender: ModuleType) -> None:
    own = actions(import_scene(sample_bytes(Game.TR2)))
    stranger = bpy.data.actions.new("Stranger")
    row = own[WALK].tomb_raider.dispatches[0]
    set_next(own[WALK], own[RUN])
    set_target(row, stranger)
    assert (next_of(own[WALK]), target_of(row)) == (own[RUN], stranger)
    bpy.data.actions.remove(stranger)
    bpy.data.actions.remove(own[RUN])
    assert (next_of(own[WALK]), target_of(row)) == (None, None)


@pytest.mark.parametrize("number", [-2147483648, -3, -2, 50, 2147483647])
def test_numbers_without_an_animation_have_no_target(blender: ModuleType, number: int) -> None:
    action = actions(import_scene(sample_bytes(Game.TR5)))[WALK]
    action.tomb_raider.next_number = action.tomb_raider.dispatches[0].number = number
    assert (next_of(action), target_of(action.tomb_raider.dispatches[0])) == (None, None)


def test_animations_can_have_targets_of_another_model(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    lara, enemy = actions(root), actions(root, ENEMY)
    set_next(lara[WALK], enemy[0])
    level = export_scene(root)
    first = first_animation(read_level(data), ENEMY)
    assert level.animations["next_animation"][first_animation(level) + WALK] == first
    start_empty()
    root = import_scene(level.to_bytes())
    assert next_of(actions(root)[WALK]) == actions(root, ENEMY)[0]
    assert export_level(root)[0].to_bytes() == level.to_bytes()


def test_targets_in_a_copied_model_are_its_own_actions(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    own, enemy = actions(root), actions(root, ENEMY)
    extra: Any = own[RUN].copy()  # not an imported one
    set_next(own[WALK], extra)
    set_target(extra.tomb_raider.dispatches.add(), own[WALK])
    set_next(extra, enemy[0])
    before = [*own, extra]
    made = copy_model(armature(root)).tomb_raider.model
    copies = {each: each.tomb_raider for each in bpy.data.actions if each.tomb_raider.model == made}
    assert len(copies) == len(before)
    inside = {*copies, enemy[0]}
    led = [next_of(each) for each in copies]
    led += [target_of(row) for settings in copies.values() for row in settings.dispatches]
    assert {each for each in led if each is not None} <= inside
    was = [next_of(each) for each in before]
    was += [target_of(row) for each in before for row in each.tomb_raider.dispatches]
    assert sum(each is not None for each in led) == sum(each is not None for each in was)


def test_a_level_can_be_deleted_if_another_refers_to_its_animations(blender: ModuleType) -> None:
    root, other = (import_scene(sample_bytes(Game.TR2)) for _ in range(2))
    set_next(actions(other)[WALK], actions(root)[RUN])
    count = len(bpy.data.actions)
    delete_level(root)
    assert len(bpy.data.actions) == count // 2
    assert next_of(actions(other)[WALK]) is None
