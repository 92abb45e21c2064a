"""The treadmill: lines of the floor that run back as far as games move the model."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.authoring.animation_views.timeline import Belt, Timeline
from io_tomb_raider.scene.authoring.animation_views.treadmill import grid_lines
from io_tomb_raider.scene.subjects.animations.changes import chains
from io_tomb_raider.scene.subjects.animations.showing import show_animation
from tests.sample_levels import sample_bytes

from ...rig_tools import LARA, SCALE, actions, armature, show_library
from ...scenes import import_scene

RUN, START = 0, 6


def running(number: int) -> Any:
    root = import_scene(sample_bytes(Game.TR1))
    show_library(root, LARA)
    show_animation(armature(root), actions(root)[number])
    return root


def timeline_of(root: Any) -> Timeline:
    found = Timeline.of(armature(root))
    assert found is not None
    return found


def test_the_belt_runs_on_while_an_animation_is_repeated(blender: ModuleType) -> None:
    """Running: 47 units in the first tick, and an eighth more in each; 21 frames, then the first again."""
    root = running(RUN)
    timeline, belt = timeline_of(root), Belt()
    step = [47 + tick // 8 for tick in range(21)]
    once = sum(step[1:])
    assert belt.place((1, 1), timeline, 0)[1] == 0
    assert belt.place((1, 1), timeline, 5)[1] == sum(step[1:6])
    assert belt.place((1, 1), timeline, 20)[1] == once
    assert belt.place((1, 1), timeline, 0)[1] == once + step[0]
    assert belt.place((1, 1), timeline, 3)[1] == once + step[0] + sum(step[1:4])
    assert belt.place((1, 1), timeline, 1)[1] == once + step[0] + step[1]  # dragged back: no new round
    assert belt.place((1, 2), timeline, 1)[1] == step[1]  # another animation


def test_positions_that_are_set_at_the_end_count(blender: ModuleType) -> None:
    """START has a speed of 20 units, and moves the model 32 units forward at its end."""
    root = running(START)
    timeline = timeline_of(root)
    own = actions(root)[START].tomb_raider
    own.acceleration = 0
    assert timeline.round_trip().tolist() == [0, 20 * (timeline.frames - 1) + 32 + 20, 0]


def test_the_treadmill_follows_a_chain(blender: ModuleType) -> None:
    root = running(RUN)
    scene: Any = bpy.context.scene
    chains.play(armature(root), scene, chains.chain_of(actions(root)[RUN]), SCALE)
    timeline, belt = timeline_of(root), Belt()
    assert timeline.is_chain and timeline.moves and timeline.frames == 42
    scene.frame_set(30)
    moved = armature(root).matrix_world.translation.y
    scene.frame_set(0)
    moved -= armature(root).matrix_world.translation.y
    assert abs(belt.place((1, 1), timeline, 30)[1] * SCALE - moved) < 1e-5
    assert belt.place((1, 1), timeline, 0)[1] == 0  # it starts again


def test_the_grid_stands_on_the_floor_of_the_game(blender: ModuleType) -> None:
    """Whatever the place, lines are at whole clicks of the floor, and those of sectors are marked."""
    for place in ([0.0, 0, 0], [0, 100, 0], [-333, 5000, 70]):
        points, opacity = grid_lines(np.array(place))
        ends = points.reshape(-1, 2, 3)
        assert (points[:, 2] == 0).all() and len(opacity) == len(points)
        along = np.abs(ends[:, 1] - ends[:, 0])
        assert np.allclose(along.max(axis=1), 256)
        absolute = points[:, :2] + np.array(place)[:2]
        assert np.abs(absolute - np.rint(absolute / 256) * 256).max() < 1e-6
        across = np.where(along[:, 0] > 1, 1, 0)
        lines = ends[np.arange(len(ends)), 0, across] + np.array(place)[across]
        is_sector = np.rint(lines / 256) % 4 == 0
        nearest = np.linalg.norm(ends, axis=2).min(axis=1) < 600
        bright = opacity.reshape(-1, 2).max(axis=1) > 0.4
        assert (is_sector[nearest] == bright[nearest]).all() and bright.any()
        assert np.linalg.norm(points, axis=1)[opacity > 0].max() < 4096
