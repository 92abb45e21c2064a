"""Temporary copies of armatures that play actions: Blender evaluates little, and nothing stays behind."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.subjects.animations.keys.stage import evaluated_bones, isolated_copy, played
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...rig_tools import actions, armature, curves, turn_key
from ...scenes import import_scene


def blocks() -> dict[str, tuple[int, bool]]:
    """Return the users of all data-blocks that animations lead to."""
    kinds = ("actions", "armatures", "meshes", "objects", "scenes", "sounds")
    return {
        repr(each): (each.users, each.use_fake_user) for kind in kinds for each in getattr(bpy.data, kind)
    }


def turn_of(root: Collection, name: str, frame: float, action: Any) -> Any:
    """Return how a bone stands on the stage, as a quaternion."""
    with isolated_copy(armature(root)) as (scene, copy), played(copy, action, armature(root)):
        return evaluated_bones(scene, copy, [name], np.array([frame]))[1][0, 0]


@each_game
def test_only_the_copy_and_its_action_are_evaluated(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    model = armature(root)
    bone: Any = model.pose.bones[0]
    bone.custom_shape = bpy.data.objects.new("Shape", bpy.data.meshes.new("Shape"))
    with isolated_copy(model) as (scene, copy), played(copy, actions(root)[0], model):
        evaluated_bones(scene, copy, [model.pose.bones[0].name], np.zeros(1))
        graph: Any = scene.view_layers[0].depsgraph
        kinds = Counter(each.id_type for each in graph.ids)
    assert (kinds["ACTION"], kinds["ARMATURE"], kinds["OBJECT"], kinds["MESH"]) == (1, 1, 1, 0)
    assert bone.custom_shape is not None and len(model.tomb_raider.model.animations)


def test_a_stage_changes_no_data_blocks(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    before = blocks()
    for action in actions(root):
        turn_of(root, "Hips", 0, action)
    assert blocks() == before


def test_a_stage_that_fails_is_removed_too(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    before = blocks()
    with pytest.raises(KeyError):
        turn_of(root, "no such bone", 0, actions(root)[0])
    assert blocks() == before


def test_an_action_with_two_slots_is_played_as_its_user_plays_it(blender: ModuleType) -> None:
    if not hasattr(bpy.types, "ActionSlot"):
        pytest.skip("actions of this Blender have no slots")
    root = import_scene(sample_bytes(Game.TR1))
    action: Any = actions(root)[0]
    data: Any = armature(root).animation_data
    data.action = action
    first = data.action_slot
    second = action.slots.new("OBJECT", "Second")
    channels = action.layers[0].strips[0].channelbag(second, ensure=True)
    for index, value in enumerate((0.0, 1.0, 0.0, 0.0)):
        made = channels.fcurves.new('pose.bones["Hips"].rotation_quaternion', index=index)
        made.keyframe_points.insert(0, value)
    assert len(curves(action)) > 4
    turn_key(action, "Hips", 0, (1.0, 0.0, 0.0, 0.0))
    data.action_slot = second
    other = turn_of(root, "Hips", 0, action)
    data.action_slot = first
    own = turn_of(root, "Hips", 0, action)
    assert abs(float(own @ other)) < 1e-3
