"""Boxes and spheres: drawn for selected objects, and fitted to meshes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.scene.subjects.animations.keys.boxes import edited_boxes, key_frames
from io_tomb_raider.ui.animations.panels import CLASSES
from io_tomb_raider.ui.meshes.boxes import shapes_of
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.rig_tools import actions, armature, parts
from tests.scene.scenes import objects

from ..recorder import shown
from ..user_actions import export_file, import_sample, select


def show_libraries(root: Any) -> None:
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    bpy.context.view_layer.update()


def reach(points: Any) -> np.ndarray:
    """Return the minimum and the maximum of lines' ends."""
    array = np.array(points)
    return np.array((array.min(axis=0), array.max(axis=0)))


@each_game
def test_static_meshes_show_their_boxes(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    placed = objects(root, "PLACEMENT")[0]
    library = placed.tomb_raider.placement.static_mesh
    library.tomb_raider.static_mesh.collision_box = (-512, 1024, -256, 0, -100, 200)
    library.tomb_raider.static_mesh.visibility_box = (0,) * 6  # empty boxes are not drawn
    placed.rotation_euler = (0, 0, 0)
    bpy.context.view_layer.update()
    (shape,) = shapes_of([placed, placed], 0)
    assert len(shape.points) == 24
    assert reach(shape.points) - np.array(placed.matrix_world.translation) == pytest.approx(
        np.array([(-1, -100 / 512, 0), (2, 200 / 512, 0.5)])
    )


@each_game
def test_models_show_the_box_of_the_key_frame_and_spheres(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    show_libraries(root)
    model = armature(root)
    action: Any = model.animation_data.action
    (box,) = shapes_of([model], 0)
    measure = action.tomb_raider.key_box_measure
    assert reach(box.points) - np.array(model.matrix_world.translation) == pytest.approx(
        np.array(measure).reshape(3, 2).T, abs=1e-4
    )
    assert len(shapes_of([parts(root)[0]], 0)) == 2
    lara = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    assert len(shapes_of([lara], 0)) == 1


@each_game
def test_boxes_and_spheres_of_scaled_static_meshes_are_fitted(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    show_libraries(root)
    obj = objects(root, "STATIC_MESH")[0]
    for vertex in obj.data.vertices:
        vertex.co *= 2
    select(obj)
    assert bpy.ops.tomb_raider.fit_boxes() == {"FINISHED"}
    low, high = reach([vertex.co for vertex in obj.data.vertices])
    for name in ("collision", "visibility"):
        box = getattr(obj.tomb_raider.static_mesh, f"{name}_box_measure")
        assert list(box) == pytest.approx([low[0], high[0], low[1], high[1], low[2], high[2]], abs=1e-3)
    assert obj.data.tomb_raider.radius_measure >= np.linalg.norm(high - low) / 2 - 0.01
    before, after = read_level(sample_bytes(game)), read_level(export_file(tmp_path / "out"))
    assert {path[0] for path in differences(before, after)} <= {"static_meshes", "meshes"}
    assert (before.static_meshes["collision_box"][0] != after.static_meshes["collision_box"][0]).any()


def test_each_choice_is_fitted_alone(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    show_libraries(root)
    obj = objects(root, "STATIC_MESH")[0]
    settings = obj.tomb_raider.static_mesh
    settings.collision_box = settings.visibility_box = (0,) * 6
    obj.data.tomb_raider.radius = 7
    select(obj)
    bpy.ops.tomb_raider.fit_boxes(visibility=False, sphere=False)
    assert any(settings.collision_box) and not any(settings.visibility_box)
    assert obj.data.tomb_raider.radius == 7


@each_game
def test_one_button_fits_one_key_frame_and_another_all(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    show_libraries(root)
    model = armature(root)
    action: Any = next(each for each in actions(root) if len(key_frames(each)) > 1)
    model.animation_data.action = action
    if hasattr(model.animation_data, "action_slot"):
        model.animation_data.action_slot = action.slots[0]
    select(model)
    bpy.context.scene.frame_set(0)
    assert bpy.ops.tomb_raider.fit_key_boxes() == {"FINISHED"}
    assert list(edited_boxes(action)) == [0]
    assert bpy.ops.tomb_raider.fit_key_boxes(frames="ALL") == {"FINISHED"}
    assert list(edited_boxes(action)) == key_frames(action)
    assert bpy.ops.tomb_raider.reset_key_boxes() == {"FINISHED"}
    assert not edited_boxes(action)
    assert export_file(tmp_path / "out") == sample_bytes(game)


def test_fitting_boxes_can_be_undone(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    show_libraries(root)
    select(armature(root))
    name, data = root.name, sample_bytes(Game.TR4)
    bpy.ops.ed.undo_push(message="Before")
    bpy.ops.tomb_raider.fit_key_boxes("EXEC_DEFAULT", True, frames="ALL")
    bpy.ops.tomb_raider.fit_boxes("EXEC_DEFAULT", True)
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    model: Any = armature(bpy.data.collections[name])
    assert not model.tomb_raider.model.fit_boxes
    assert not edited_boxes(model.animation_data.action)
    assert export_file(tmp_path / "out") == data


def test_panels_show_the_box_of_the_current_frame(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    show_libraries(root)
    model = armature(root)
    select(model)
    (panel,) = (each for each in CLASSES if each.__name__ == "DATA_PT_tomb_raider_boxes")
    layout = shown(panel, object=model)
    assert {"key_box_measure", "fit_boxes", "tomb_raider_boxes"} <= {name for _, name in layout.shown}
    assert {"Fit All", "Box X"} <= {*layout.texts}


def test_models_follow_their_meshes(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR4)
    show_libraries(root)
    select(parts(root)[0])
    bpy.ops.tomb_raider.fit_boxes(follow=False)
    assert not armature(root).tomb_raider.model.fit_boxes
    bpy.ops.tomb_raider.fit_boxes()
    assert armature(root).tomb_raider.model.fit_boxes
