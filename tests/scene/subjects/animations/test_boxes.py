"""Boxes of key frames: stored with actions, edited, fitted, and followed by exports."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, Level
from io_tomb_raider.formats.levels.animations.frames import decode_frames
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.animations.keys.boxes import (
    box_at,
    edit_boxes,
    edited_boxes,
    fit_boxes,
    key_frames,
)
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import actions, armature, parts
from ...scenes import export_scene, import_scene

BOX = (-100, 110, -220, 20, -30, 40)


def boxes_of(level: Level, animation: int = 0) -> list[list[int]]:
    """Return the boxes of an animation's key frames in the file."""
    return [list(map(int, box)) for box in decoded(level).keys(animation).boxes]


def decoded(level: Level) -> Any:
    return decode_frames(level.game, level.frames, level.animations, level.models)


def moving(root: Collection) -> Any:
    """Return the first action of Lara with several key frames."""
    return next(each for each in actions(root) if len(key_frames(each)) > 1)


def show(root: Collection, action: Any) -> Any:
    """Make an action the one that the model plays, and show the library."""
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    model = armature(root)
    model.animation_data.action = action
    if hasattr(model.animation_data, "action_slot") and action.slots:
        model.animation_data.action_slot = action.slots[0]
    return model


@each_game
def test_actions_show_the_boxes_of_the_file(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    level = export_scene(root)
    for action in actions(root):
        index, rate = action.tomb_raider.index, action.tomb_raider.frame_rate
        for number, box in enumerate(boxes_of(level, index)):
            assert box_at(action, number * rate) == tuple(box)
    assert level.to_bytes() == data


@each_game
def test_an_edited_box_is_written_and_nothing_else(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    action = moving(root)
    index, last = action.tomb_raider.index, key_frames(action)[-1]
    before = boxes_of(export_scene(root), index)
    bpy.context.scene.frame_set(0)
    action.tomb_raider.key_box = BOX
    level, report = export_level(root)
    assert boxes_of(level, index) == [list(BOX), *before[1:]]
    assert not report.warnings
    edit_boxes(action, {last + 1000: BOX})
    assert f"its box at frame {last + 1000} is not exported" in str(export_level(root)[1].warnings)
    edit_boxes(action, {})
    assert export_scene(root).to_bytes() == sample_bytes(game)


def test_a_box_is_edited_in_meters_at_the_current_frame(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    action = moving(root)
    second = key_frames(action)[1]
    bpy.context.scene.frame_set(second)
    action.tomb_raider.key_box = BOX
    assert list(action.tomb_raider.key_box_measure) == pytest.approx(
        [each / 512 for each in (-100, 110, -30, 40, -20, 220)]
    )
    action.tomb_raider.key_box_measure[0] = -1.0
    assert edited_boxes(action) == {second: (-512, *BOX[1:])}


@each_game
def test_fitted_boxes_equal_those_of_the_export(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    action = moving(root)
    model = show(root, action)
    scene: Any = bpy.context.scene
    scene.frame_set(1)
    frames = key_frames(action)
    fit_boxes(scene, model, action, frames, Space.of(root))
    assert scene.frame_current == 1
    fitted = [edited_boxes(action)[each] for each in frames]
    # The export computes the same boxes, from the file's rotations.
    edit_boxes(action, {})
    model.tomb_raider.model.fit_boxes = True
    written = boxes_of(export_scene(root), action.tomb_raider.index)
    assert np.abs(np.array(fitted)[: len(written)] - written).max() <= 2
    # Scaled meshes have larger boxes.
    model.tomb_raider.model.fit_boxes = False
    for part in parts(root):
        for vertex in part.data.vertices:
            vertex.co *= 2
    bpy.context.view_layer.update()
    fit_boxes(scene, model, action, frames[:1], Space.of(root))
    (larger,) = edited_boxes(action).values()
    assert np.prod(np.subtract(larger[1::2], larger[0::2])) > np.prod(
        np.subtract(fitted[0][1::2], fitted[0][0::2])
    )


@each_game
def test_boxes_follow_scaled_meshes_by_choice(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    action = moving(root)
    index = action.tomb_raider.index
    before = boxes_of(export_scene(root), index)
    for part in parts(root):
        for vertex in part.data.vertices:
            vertex.co *= 3
    assert boxes_of(export_scene(root), index) == before
    armature(root).tomb_raider.model.fit_boxes = True
    after = boxes_of(export_scene(root), index)
    assert all(
        (np.array(new)[0::2] < np.array(old)[0::2]).any() or (np.array(new)[1::2] > np.array(old)[1::2]).any()
        for new, old in zip(after, before, strict=True)
    )
    action.tomb_raider.key_box = BOX  # an edit has precedence
    assert list(BOX) in boxes_of(export_scene(root), index)


def test_damaged_boxes_are_ignored(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    action: Any = moving(root)
    for damaged in ("text", [1, 2, 3], [0.5] * 7):
        action["tr_edited_boxes"] = damaged
        assert edited_boxes(action) == {}
    assert export_scene(root).to_bytes() == sample_bytes(Game.TR2)
