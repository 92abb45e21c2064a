"""References of models keep their meaning after additions, deletions and reordering.

Objects are identified by meaning, never by number: a model by its id, an animation by its model and its index
within the model.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Level, read_level
from io_tomb_raider.formats.levels.animations.animations import (
    FRAME_COMMANDS,
    animation_models,
    decode_commands,
    decode_state_changes,
    model_animations,
)
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.formats.levels.models.mesh_trees import decode_mesh_trees
from tests.games import each_game

from ....real_levels import each_real_level
from ....sample_levels import sample_bytes
from ...scenes import copy_of, export_scene, import_scene, objects

Meaning = dict[Any, Any]


def models_by_id(level: Level) -> Meaning:
    """Return what every model of a level means, by its id."""
    first, count = model_animations(level.models, level.animations)
    owners = animation_models(level.models, level.animations)
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    trees = decode_mesh_trees(level.models, level.mesh_trees, len(level.mesh_pointers))
    keys = decode_frames(level.game, level.frames, level.animations, level.models)

    def name(animation: Any) -> Any:
        if not 0 <= animation < len(owners) or owners[animation] < 0:
            return animation
        model = int(owners[animation])
        return int(level.models["id"][model]), animation - int(first[model])

    def start(animation: int) -> int:
        known = 0 <= animation < len(level.animations)
        return int(level.animations["first_frame"][animation]) if known else 0

    def of_animation(index: int) -> Any:
        record = level.animations[index]
        following = int(record["next_animation"])
        changes = [
            (change.state, each.low, each.high, name(each.next_animation), each.next_frame)
            for change in decode_state_changes(
                level.animations, level.state_changes, level.animation_dispatches, index
            )
            for each in change.dispatches
        ]
        commands = decode_commands(
            level.animation_commands,
            int(record["first_command"]),
            int(record["commands"]),
            first_frame=start(index),
        )
        frames = keys.keys(index)
        return {
            "next": (name(following), int(record["next_frame"]) - start(following)),
            "state": int(record["state"]),
            "changes": changes,
            "sounds": sorted((each.type, each.operands) for each in commands if each.type in FRAME_COMMANDS),
            "angles": frames.angles.tobytes(),
        }

    found: Meaning = {}
    for model, record in enumerate(level.models):
        numbers = range(int(record["first_mesh"]), int(record["first_mesh"]) + int(record["meshes"]))
        own = range(int(first[model]), int(first[model] + count[model])) if first[model] >= 0 else ()
        found[int(record["id"])] = {
            "meshes": [block.meshes[block.pointers[number]].vertices.tobytes() for number in numbers],
            "tree": np.asarray(trees[model].parents).tolist(),
            "animations": [of_animation(index) for index in own if owners[index] == model],
        }
    return found


def with_animations(root: Collection) -> list[Any]:
    """Return the models that have actions, in the order of the file."""
    owners = {action.tomb_raider.model for action in bpy.data.actions}
    return [obj for obj in objects(root, "MODEL") if obj in owners]


def make_a_model_anew(before: Meaning, root: Collection) -> Meaning:
    """Mark a model as new: it replaces the one with its id."""
    with_animations(root)[0].tomb_raider.index = -1
    return before


def add_a_model(before: Meaning, root: Collection) -> Meaning:
    """Copy a model with its meshes, under an unused id."""
    source = with_animations(root)[0]
    made = copy_of(source)
    for child in source.children:
        copy_of(child).parent = made
    made.animation_data_clear()
    made.tomb_raider.model.id = new = 3 + max(before)
    old = before[source.tomb_raider.model.id]
    return {**before, new: {**old, "animations": []}}


def delete_an_action(before: Meaning, root: Collection) -> Meaning:
    """Delete the last animation of a model, which nothing else refers to, so that later ones move up."""
    for armature in with_animations(root)[:-1]:
        identity = armature.tomb_raider.model.id
        number = len(before[identity]["animations"]) - 1
        name = identity, number
        led_to = any(
            animation["next"][0] == name or any(change[3] == name for change in animation["changes"])
            for model, other in before.items()
            for place, animation in enumerate(other["animations"])
            if (model, place) != name
        )
        if number > 0 and not led_to:
            actions = [each for each in bpy.data.actions if each.tomb_raider.model == armature]
            bpy.data.actions.remove(max(actions, key=lambda action: action.tomb_raider.index))
            kept = {**before[identity], "animations": before[identity]["animations"][:-1]}
            return {**before, identity: kept}
    return before


EDITS = (make_a_model_anew, add_a_model, delete_an_action)


def check_edit(data: bytes, edit: Callable[[Meaning, Collection], Meaning]) -> None:
    before = models_by_id(read_level(data))
    root = import_scene(data)
    expected = edit(before, root)
    bpy.context.view_layer.update()
    after = models_by_id(export_scene(root))
    assert after.keys() == expected.keys()
    for identity, model in expected.items():
        assert after[identity]["meshes"] == model["meshes"]
        assert after[identity]["tree"] == model["tree"]
        assert len(after[identity]["animations"]) == len(model["animations"])
        for number, (one, other) in enumerate(
            zip(after[identity]["animations"], model["animations"], strict=True)
        ):
            for what, value in other.items():
                assert one[what] == value, (identity, number, what)


@each_game
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_references_of_models_are_kept_after_edits(
    blender: ModuleType, game: Any, edit: Callable[[Meaning, Collection], Meaning]
) -> None:
    check_edit(sample_bytes(game), edit)


@each_real_level
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_references_of_models_hold_in_real_levels(
    blender: ModuleType, level_path: Path, edit: Callable[[Meaning, Collection], Meaning]
) -> None:
    check_edit(level_path.read_bytes(), edit)
