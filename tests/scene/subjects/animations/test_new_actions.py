"""New actions that users key on a model become its animations, and poses of pose libraries do not."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Collection, Object

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.subjects.animations.new_actions import claim_new_action
from io_tomb_raider.scene.subjects.animations.showing import own_animations, show_animation
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes

from ...rig_tools import (
    LARA,
    PISTOLS,
    actions,
    animation_count,
    armature,
    model_keys,
    show_library,
    with_skin,
)
from ...scenes import exported, import_scene, objects

DATA = sample_bytes(Game.TR1)
COUNT = 12  # animations of Lara in it


def key_new(rig: Object, name: str, *, frames: tuple[int, ...] = (0, 4)) -> Any:
    """Key a new action on a model, as Bake Action or a script does."""
    made = bpy.data.actions.new(name)
    rig.animation_data_create().action = made
    head = rig.pose.bones["Head"]
    for frame in frames:
        head.rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
        head.keyframe_insert("rotation_quaternion", frame=frame)
    return made


def _actions_in_use(root: Collection, but: Object) -> dict[str, str]:
    """Return the actions that other models show."""
    models = [obj for obj in objects(root, "MODEL") if obj != but and obj.animation_data is not None]
    return {obj.name: getattr(obj.animation_data.action, "name", "") for obj in models}


def test_a_new_action_is_kept_when_another_one_is_shown(blender: ModuleType) -> None:
    root = import_scene(DATA)
    rig = armature(root)
    made = key_new(rig, "Wave")
    shown_by_others = _actions_in_use(root, rig)
    assert show_animation(rig, actions(root)[1])
    assert _actions_in_use(root, rig) == shown_by_others
    assert made in own_animations(rig)
    assert made.users
    level, warnings = exported(root)
    assert animation_count(level) == COUNT + 1
    assert len(model_keys(level, LARA, COUNT)) == 5
    assert not warnings
    bpy.data.orphans_purge(do_recursive=True)
    assert "Wave" in bpy.data.actions


def test_the_last_animations_can_still_be_deleted_afterwards(blender: ModuleType) -> None:
    root = import_scene(DATA)
    armature(root).animation_data.action = actions(root)[1].copy()
    longer = exported(root)[0].to_bytes()
    start_empty()
    root = import_scene(longer)
    last = actions(root)[COUNT]
    key_new(armature(root), "Wave")
    assert claim_new_action(armature(root))
    bpy.data.actions.remove(last)
    level, warnings = exported(root)
    assert not warnings
    assert animation_count(level) == COUNT + 1
    assert len(model_keys(level, LARA, COUNT)) == 5


def test_an_export_claims_the_new_action_in_use(blender: ModuleType) -> None:
    root = import_scene(DATA)
    made = key_new(armature(root), "Wave")
    level, _ = exported(root)
    assert made.tomb_raider.model == armature(root)
    assert animation_count(level) == COUNT + 1
    assert exported(root)[0].to_bytes() == level.to_bytes()


def test_an_action_without_keys_of_bones_is_none_of_the_model(blender: ModuleType) -> None:
    root = import_scene(DATA)
    rig = armature(root)
    made = bpy.data.actions.new("Empty")
    rig.animation_data.action = made
    assert not claim_new_action(rig)
    rig.keyframe_insert("location", frame=0)
    assert not claim_new_action(rig)


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4])
def test_an_action_keyed_on_laras_skin_is_an_animation_of_lara(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    show_library(root)
    skin = armature(root, PISTOLS)
    made = key_new(skin, "Wave")
    before = read_level(data)
    level, _ = exported(root)
    assert made.tomb_raider.model == armature(root)
    assert animation_count(level, LARA) == animation_count(before, LARA) + 1
    assert animation_count(level, PISTOLS) == animation_count(before, PISTOLS)


# --- Poses ----------------------------------------


def pose_asset(root: Collection) -> Any:
    """Make a pose asset that stays the action in use, as Blender 4.2 does."""
    made = key_new(armature(root), "Hang", frames=(7,))
    made.asset_mark()
    return made


def test_a_pose_asset_is_no_animation(blender: ModuleType) -> None:
    root = import_scene(DATA)
    made = pose_asset(root)
    level, warnings = exported(root)
    assert level.to_bytes() == DATA
    (message,) = warnings
    assert "Hang, a pose of a pose library" in message
    assert made.tomb_raider.model is None
    show_animation(armature(root), actions(root)[1])
    level, warnings = exported(root)
    assert level.to_bytes() == DATA
    assert not warnings


def test_animations_that_are_marked_as_assets_are_written(blender: ModuleType) -> None:
    root = import_scene(DATA)
    for action in actions(root):
        action.asset_mark()
    key_new(armature(root), "Wave").asset_mark()
    level, warnings = exported(root)
    assert animation_count(level) == COUNT + 1
    assert not warnings


def test_the_slot_stays_with_a_claimed_action(blender: ModuleType) -> None:
    """Showing another animation and the new one again leaves it moving the model."""
    root = import_scene(DATA)
    rig = armature(root)
    made = key_new(rig, "Wave")
    show_animation(rig, actions(root)[1])
    show_animation(rig, made)
    show_library(root, LARA)
    bpy.context.scene.frame_set(0)
    assert compat.find_channels(made, rig) is not None
    assert abs(rig.pose.bones["Head"].rotation_quaternion.x - 0.6) < 1e-5
