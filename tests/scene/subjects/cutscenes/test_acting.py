"""Actors that play animations of their models: what the file has of it, as the game would play them."""

from __future__ import annotations

from math import pi
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.cutscenes.cutscenes import ACTOR_SCALE
from io_tomb_raider.scene.subjects.animations.changes.chains import length
from io_tomb_raider.scene.subjects.animations.keys.key_poses import RestPose, read_key_poses
from io_tomb_raider.scene.subjects.cutscenes.acting import add_animation, extend
from io_tomb_raider.scene.subjects.cutscenes.new import new_cutscene
from tests.sample_levels import sample_level

from ...rig_tools import actions
from ...scenes import import_scene, objects
from .sample_cutscenes import SCALE, cutscene_objects, exported_cutscene

BEGIN = 5
QUARTER = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])  # counterclockwise from above


def on_stage(turn: float = 0.0) -> tuple[Any, Any, Any]:
    """Return a level, a cutscene of Lara alone, and her as its actor."""
    root = import_scene(sample_level(Game.TR4).to_bytes())
    lara = objects(root, "MODEL")[0]
    lara.animation_data.action = None
    collection = new_cutscene(root, 1, [lara], None, (0, 3))
    (actor,) = cutscene_objects(collection, "ACTOR")
    bpy.context.view_layer.update()
    actor.rotation_euler.z += turn
    bpy.context.view_layer.update()
    return root, collection, actor


def the_scene() -> Any:
    return bpy.context.scene


def hips_of(root: Any, action: Any) -> Any:
    """Return where an animation has the hips at its ticks, relative to where the game has moved her."""
    rest = RestPose.of(objects(root, "MODEL")[0])
    poses = read_key_poses(action, objects(root, "MODEL")[0], rest)
    poses = poses.at(np.arange(length(action) + 1, dtype=float))
    return rest.pose(poses.turns, poses.places)[1][:, 0]


def covered(action: Any, first: int) -> Any:
    """Return how far the game moves her from tick to tick, summed up, from a tick of an animation on."""
    ticks = np.arange(first, length(action) + 1)
    steps = np.floor(action.tomb_raider.speed + action.tomb_raider.acceleration * ticks)
    return np.cumsum(steps) * SCALE


def places(collection: Any) -> Any:
    """Return the places of the first actor in the file, along Blender's axes, relative to the origin."""
    x, y, z = (exported_cutscene(collection).actors[0].root.astype(float) * ACTOR_SCALE * SCALE).T
    return np.stack([x, z, -y], axis=1)


@pytest.mark.parametrize("turn", [0, 1])
def test_an_actor_runs_as_the_game_moves_her(blender: ModuleType, turn: int) -> None:
    root, collection, actor = on_stage(turn * pi / 2)
    run = actions(root)[0]
    assert run.tomb_raider.speed > 0
    last = add_animation(actor, run, BEGIN, SCALE)
    extend(collection, the_scene(), last)
    assert last == BEGIN + length(run) and the_scene().frame_end >= last
    found = places(collection)
    assert len(found) == last + 1
    wanted = hips_of(root, run)
    wanted[1:, 1] += covered(run, 1)
    if turn:
        wanted = wanted @ QUARTER.T
    assert np.abs(found[BEGIN:] - wanted).max() < 2 * ACTOR_SCALE * SCALE
    assert np.abs(np.diff(found[: BEGIN + 1], axis=0)[:-1]).max() < ACTOR_SCALE * SCALE  # she waits


def test_a_following_animation_begins_where_the_last_one_ended(blender: ModuleType) -> None:
    """Two at once, or one after the other, are the same; commands that set the position count."""
    files = []
    for at_once in (True, False):
        root, collection, actor = on_stage()
        run, other = actions(root)[:2]
        run.tomb_raider.next_action, run.tomb_raider.next_frame = other.name, 0
        row = run.tomb_raider.commands.add()
        row.command, row.position = "POSITION", (30, 200, -60)
        if at_once:
            last = add_animation(actor, run, BEGIN, SCALE, count=2)
        else:
            last = add_animation(actor, run, BEGIN, SCALE)
            last = add_animation(actor, other, last + 1, SCALE)
        assert last == BEGIN + length(run) + length(other) + 1
        extend(collection, the_scene(), last)
        files.append(exported_cutscene(collection).to_bytes())
        found = places(collection)
        there = np.array([30, 200, -60]) * SCALE
        there[1] += covered(run, 1)[-1] + covered(other, 0)[0]
        assert np.abs(found[BEGIN + length(run) + 1] - hips_of(root, other)[0] - there).max() < 0.02
    assert files[0] == files[1]


def test_on_the_spot_she_only_changes_her_pose(blender: ModuleType) -> None:
    root, collection, actor = on_stage()
    run = actions(root)[0]
    last = add_animation(actor, run, BEGIN, SCALE, moves=False)
    extend(collection, the_scene(), last)
    assert np.abs(places(collection)[BEGIN:] - hips_of(root, run)).max() < 2 * ACTOR_SCALE * SCALE


def test_an_inserted_animation_does_not_change_later_frames(blender: ModuleType) -> None:
    root, collection, actor = on_stage()
    run, other = actions(root)[:2]
    late = BEGIN + 2 * length(run) + 40
    end = add_animation(actor, other, late, SCALE, moves=False)
    before = exported_cutscene(collection).actors[0].rotations
    add_animation(actor, run, BEGIN, SCALE, moves=False)
    extend(collection, the_scene(), end)
    after = exported_cutscene(collection).actors[0].rotations
    assert np.array_equal(before[late:], after[late : len(before)])
    assert not np.array_equal(before[BEGIN : BEGIN + 3], after[BEGIN : BEGIN + 3])
