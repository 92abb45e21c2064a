"""Figures for Lara: entities show what the games draw, and the file is unchanged."""

from __future__ import annotations

from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from tests.sample_levels import sample_level
from tests.scene.exporting import export_level
from tests.scene.rig_tools import with_joints

from ...rig_tools import with_skin
from ...scenes import import_scene, objects

late = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])


@late
def test_lara_shows_her_skin_and_stays_of_type_0(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    lara = next(obj for obj in objects(root, "ENTITY") if obj.tomb_raider.entity.type == 0)
    shown = [obj for obj in lara.instance_collection.all_objects if obj.type == "ARMATURE"]
    assert [obj.tomb_raider.model.id for obj in shown] == [315 if game is Game.TR3 else 8]
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


@late
def test_the_skin_takes_laras_pose(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_skin(game))
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    bpy.context.view_layer.update()
    models = {obj.tomb_raider.model.id: obj for obj in objects(root, "MODEL")}
    skin, lara = models[315 if game is Game.TR3 else 8], models[0]
    poses = [np.array([bone.matrix for bone in obj.pose.bones]) for obj in (skin, lara)]
    assert np.allclose(poses[0], poses[1], atol=1e-5)


def test_a_level_without_a_skin_shows_lara_herself(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    lara = next(obj for obj in objects(root, "ENTITY") if obj.tomb_raider.entity.type == 0)
    assert lara.instance_collection.tomb_raider.model.tomb_raider.model.id == 0


def test_joints_share_vertices_with_limbs_in_every_pose(blender: ModuleType) -> None:
    """Joints with all vertices of the limbs below coincide with those in every pose."""
    data = with_joints()
    root = import_scene(data)
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    models = {obj.tomb_raider.model.id: obj for obj in objects(root, "MODEL")}
    models[8].pose.bones[2].rotation_mode = "XYZ"
    models[8].pose.bones[2].rotation_euler.x = 0.7
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    joints = [each for each in objects(root, "FIGURE") if each.modifiers]
    assert len(joints) == 14  # without one for the hips
    limbs = {each.data: each for each in objects(root, "MODEL_MESH") if each.parent == models[8]}
    knee = next(each for each in joints if limbs[each.data].tomb_raider.index == 2)
    for obj in (knee, limbs[knee.data]):
        assert len(obj.evaluated_get(graph).data.vertices) == len(knee.data.vertices) > 0
    seen, limb = (
        np.array([each.matrix_world @ vertex.co for vertex in each.evaluated_get(graph).data.vertices])
        for each in (knee, limbs[knee.data])
    )
    assert np.allclose(seen, limb, atol=1e-5)
    assert np.ptp(limb, axis=0).max() > 0.05
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert report.warnings == []


@pytest.mark.parametrize("game", list(Game), ids=lambda game: game.name)
def test_lara_has_her_pistols_in_holsters_up_to_tr3(blender: ModuleType, game: Game) -> None:
    level = sample_level(game)
    lara = level.models[level.models["id"] == 0]
    pistols = lara.copy()
    pistols["id"] = 1
    # Pistols in her hands where her thighs were, to distinguish them.
    pistols["first_mesh"] += 1
    level.models = np.concatenate([level.models[level.models["id"] != 1], pistols])
    data = level.to_bytes()
    root = import_scene(data)
    shown = next(
        each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0
    ).instance_collection
    own = {part.tomb_raider.index: part for part in objects(root, "MODEL_MESH") if _model(part) == 0}
    other = {part.tomb_raider.index: part for part in objects(root, "MODEL_MESH") if _model(part) == 1}
    seen = [obj for obj in shown.all_objects if obj.type == "MESH"]
    thighs = {1, 4} if game < Game.TR4 else set()
    assert {part for part in own.values() if part not in seen} == {own[limb] for limb in thighs}
    for limb in thighs:
        drawn = [obj for obj in seen if obj.data == other[limb].data and obj.tomb_raider.kind == "FIGURE"]
        bpy.context.view_layer.update()
        assert drawn
        for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
            layer.exclude = False
        bpy.context.view_layer.update()
        graph = bpy.context.evaluated_depsgraph_get()
        holster, thigh = (np.array(each.evaluated_get(graph).matrix_world) for each in (drawn[0], own[limb]))
        assert np.allclose(holster, thigh, atol=1e-5)
    written, report = export_level(root)
    assert written.to_bytes() == data
    assert not report.warnings


def _model(part: bpy.types.Object) -> int:
    assert part.parent is not None
    return int(part.parent.tomb_raider.model.id)
