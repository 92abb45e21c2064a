"""What the games draw for Lara is what an entity of hers shows, and she stays what she is in the file."""

from __future__ import annotations

from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.exporter import export_level
from tests.sample_levels import sample_level

from ..scenes import import_scene, objects


def with_skin(game: Game) -> bytes:
    """A level in which another model of Lara's bones has the number of her skin."""
    level = sample_level(game)
    level.models = level.models.copy()
    level.models["id"][1] = 315 if game is Game.TR3 else 8
    return level.to_bytes()


late = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])


@late
def test_lara_shows_her_skin_and_stays_of_type_0(blender: ModuleType, game: Game) -> None:
    data = with_skin(game)
    root = import_scene(data)
    lara = next(thing for thing in objects(root, "ENTITY") if thing.tomb_raider.entity.type == 0)
    shown = [thing for thing in lara.instance_collection.all_objects if thing.type == "ARMATURE"]
    assert [thing.tomb_raider.model.id for thing in shown] == [315 if game is Game.TR3 else 8]
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


@late
def test_the_skin_takes_laras_pose(blender: ModuleType, game: Game) -> None:
    root = import_scene(with_skin(game))
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    bpy.context.view_layer.update()
    models = {thing.tomb_raider.model.id: thing for thing in objects(root, "MODEL")}
    skin, lara = models[315 if game is Game.TR3 else 8], models[0]
    poses = [np.array([bone.matrix for bone in thing.pose.bones]) for thing in (skin, lara)]
    assert np.allclose(poses[0], poses[1], atol=1e-5)


def test_a_level_without_a_skin_shows_lara_herself(blender: ModuleType) -> None:
    root = import_scene(sample_level(Game.TR4).to_bytes())
    lara = next(thing for thing in objects(root, "ENTITY") if thing.tomb_raider.entity.type == 0)
    assert lara.instance_collection.tomb_raider.model.tomb_raider.model.id == 0


def with_joints() -> bytes:
    """A level of TR4 whose Lara has a skin and joints: the same meshes as her own, all in one place."""
    level = sample_level(Game.TR4)
    lara = level.models[level.models["id"] == 0]
    models = [level.models]
    for number in (8, 9):
        copy = lara.copy()
        copy["id"] = number
        models.append(copy)
    level.models = np.concatenate(models)
    return level.to_bytes()


def test_joints_stay_with_the_vertices_that_they_share_with_limbs(blender: ModuleType) -> None:
    """Joints that have all vertices of the limbs below are where those are, however she is posed."""
    data = with_joints()
    root = import_scene(data)
    for layer in bpy.context.view_layer.layer_collection.children[root.name].children:
        layer.exclude = False
    models = {thing.tomb_raider.model.id: thing for thing in objects(root, "MODEL")}
    models[8].pose.bones[2].rotation_mode = "XYZ"
    models[8].pose.bones[2].rotation_euler.x = 0.7
    bpy.context.view_layer.update()
    graph = bpy.context.evaluated_depsgraph_get()
    joints = [each for each in objects(root, "FIGURE") if each.modifiers]
    assert len(joints) == 14  # none of the hips
    limbs = {each.data: each for each in objects(root, "MODEL_MESH") if each.parent == models[8]}
    knee = next(each for each in joints if limbs[each.data].tomb_raider.index == 2)
    for thing in (knee, limbs[knee.data]):
        assert len(thing.evaluated_get(graph).data.vertices) == len(knee.data.vertices) > 0
    seen, limb = (
        np.array([each.matrix_world @ vertex.co for vertex in each.evaluated_get(graph).data.vertices])
        for each in (knee, limbs[knee.data])
    )
    assert np.allclose(seen, limb, atol=1e-5)
    assert np.ptp(limb, axis=0).max() > 0.05
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert report.warnings == []
