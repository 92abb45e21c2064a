"""Pitfalls of Blender's API that made other tools lose data, hang or crash."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.models import models
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import import_anew, mesh_of, objects

_ROOT = Path(__file__).parents[2]


def all_meshes(root: Collection) -> set[Any]:
    return {obj.data for obj in root.all_objects if isinstance(obj.data, bpy.types.Mesh)}


@each_game
def test_faces_of_the_same_vertices_are_all_there(blender: ModuleType, game: Game) -> None:
    # Mesh.validate() would delete the second of each pair, which real levels often have.
    data = sample_bytes(game)
    level = read_level(data)
    meshes = decode_meshes(game, level.mesh_data, level.mesh_pointers).meshes
    twice = 0
    for datablock in all_meshes(import_anew(data)):
        if not 0 <= datablock.tomb_raider.index < len(meshes):
            continue
        mesh = meshes[datablock.tomb_raider.index]
        lists = (mesh.quads, mesh.triangles, mesh.colored_quads, mesh.colored_triangles)
        whole = [set(face) for faces in lists for face in faces["vertices"].tolist()]
        whole = [face for face in whole if len(face) >= 3]
        shown = [set(polygon.vertices) for polygon in datablock.polygons]
        assert len(shown) >= len([face for face in whole if len(face) in (3, 4)]) - 1
        twice += len(shown) - len({frozenset(face) for face in shown})
    assert twice > 0


@each_game
def test_no_face_uses_a_vertex_twice(blender: ModuleType, game: Game) -> None:
    # Blender 5 hangs for ever in edit mode on such a face, and 4.2 crashes.
    for mesh in all_meshes(import_anew(sample_bytes(game))):
        for polygon in mesh.polygons:
            assert len(set(polygon.vertices)) == len(polygon.vertices)


_EDIT = """
import bpy, io_tomb_raider
from tests.sample_levels import sample_bytes
from io_tomb_raider.formats import Game
io_tomb_raider.register()
from io_tomb_raider.scene.pipeline.importer import import_level
data = sample_bytes(Game[{game!r}])
root = import_level(data).root
layers = bpy.context.view_layer.layer_collection.children[root.name].children
for layer in layers:
    layer.exclude = False
for thing in root.all_objects:
    if thing.type != "MESH" or not thing.visible_get():
        continue
    bpy.context.view_layer.objects.active = thing
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.object.mode_set(mode="OBJECT")
from io_tomb_raider.scene.pipeline.exporter import export_level
assert export_level(root).level.to_bytes() == data
io_tomb_raider.unregister()
print("all meshes were edited")
"""


@pytest.mark.parametrize("game", [Game.TR1, Game.TR5])
def test_every_mesh_can_be_taken_into_edit_mode_and_back(blender: ModuleType, game: Game) -> None:
    command = [sys.executable, "-c", _EDIT.format(game=game.name)]
    run = subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, text=True, timeout=120)
    assert "all meshes were edited" in run.stdout, run.stderr[-2000:]


def test_the_original_can_be_stored_again(blender: ModuleType) -> None:
    # Overwriting bytes in place gives an empty value in every Blender, and can crash.
    data = sample_bytes(Game.TR1)
    root = import_anew(data)
    for _ in range(3):
        original.store(root, original.compress(data))
    original.forget()
    decoded = original.load(root)
    assert decoded is not None
    assert decoded.level.to_bytes() == data


@each_game
def test_exports_do_not_change_the_shared_original(blender: ModuleType, game: Game) -> None:
    # All exports of a session share the decoded original.
    data = sample_bytes(game)
    root = import_anew(data)
    moved = [*objects(root, "ROOM")[:1], *objects(root, "ENTITY")[:1], mesh_of(root, 0)]
    vertex = moved[-1].vertices[0]
    for obj in moved[:-1]:
        obj.location.x += 2
    vertex.co.x += 1
    assert export_level(root)[0].to_bytes() != data
    for obj in moved[:-1]:
        obj.location.x -= 2
    vertex.co.x -= 1
    assert export_level(root)[0].to_bytes() == data
    assert export_level(root, rebuild=True)[0].game is game
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_actions_can_be_switched_and_taken_away(blender: ModuleType, game: Game) -> None:
    # Blender 5 crashes here on armatures whose pose was never built.
    root = import_anew(sample_bytes(game))
    for armature in objects(root, "MODEL"):
        assert armature.pose is not None
        if armature.animation_data is None:
            continue
        for action in [a for a in bpy.data.actions if a.tomb_raider.model == armature]:
            armature.animation_data.action = action
        armature.animation_data.action = None


@each_game
def test_another_action_moves_the_bones_without_a_slot_to_pick(blender: ModuleType, game: Game) -> None:
    root = import_anew(sample_bytes(game))
    layers = bpy.context.view_layer.layer_collection.children[root.name].children
    for layer in layers:
        layer.exclude = False
    armature = objects(root, "MODEL")[0]
    actions = sorted(
        (a for a in bpy.data.actions if a.tomb_raider.model == armature), key=lambda a: a.tomb_raider.index
    )
    poses = []
    for action in actions:
        armature.animation_data.action = action
        bpy.context.scene.frame_set(3)
        bones = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        poses.append(np.array([bone.matrix for bone in bones]))
    assert len(actions) > 1
    assert any(not np.allclose(poses[0], pose) for pose in poses[1:])


def test_all_armatures_are_made_in_one_edit_mode(
    blender: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One by one, a hundred of them would take twenty seconds.
    entered = []
    real = models.edit_mode

    def edit_mode(armatures: Sequence[Any]) -> AbstractContextManager[None]:
        entered.append(len(armatures))
        return real(armatures)

    monkeypatch.setattr(models, "edit_mode", edit_mode)
    root = import_anew(sample_bytes(Game.TR4))
    assert entered == [len(objects(root, "MODEL"))]


@each_game
def test_all_keys_are_interpolated_linearly(blender: ModuleType, game: Game) -> None:
    # Strings given to foreach_set raise and leave garbage in the data; numbers out of range pass.
    from io_tomb_raider.scene.core.blender import compat

    import_anew(sample_bytes(game))
    seen = set()
    for action in bpy.data.actions:
        channels = compat.find_channels(action, action.tomb_raider.model)
        for curve in channels.fcurves:
            seen |= {key.interpolation for key in curve.keyframe_points}
    assert seen == {"LINEAR"}


def test_layers_made_one_after_the_other_keep_their_values(blender: ModuleType) -> None:
    # References to a layer become invalid when another one is added.
    data = sample_bytes(Game.TR3)
    for _ in range(5):
        root = import_level(data).root
        textured = [mesh for mesh in all_meshes(root) if "UVMap" in mesh.attributes]
        assert len(textured) > 20
        for mesh in textured:
            assert len(mesh.uv_layers) == 1
            uvs = np.zeros(2 * len(mesh.loops), np.float32)
            mesh.uv_layers[0].uv.foreach_get("vector", uvs)
            assert np.isfinite(uvs).all()
            assert ((uvs >= 0) & (uvs <= 1)).all()
    assert export_level(root)[0].to_bytes() == data


_PIXELS = """
import sys, bpy
import numpy as np
for path in sys.argv[1:]:
    bpy.ops.wm.open_mainfile(filepath=path)
    for image in sorted(bpy.data.images, key=lambda image: image.name):
        if image.size[0] == 256:
            pixels = np.empty(256 * 256 * 4, np.float32)
            image.pixels.foreach_get(pixels)
            print("pixels", path, image.name, int(np.rint(pixels * 255).sum()))
"""


def test_pictures_are_not_black_after_saving_and_loading(blender: ModuleType, tmp_path: Path) -> None:
    expected, paths = [], []
    for game in Game:
        start_empty()
        import_anew(sample_bytes(game))
        path = str(tmp_path / f"{game.name}.blend")
        seen = []
        images: list[Any] = sorted(bpy.data.images, key=lambda image: image.name)
        for image in images:
            if image.size[0] == 256:
                pixels = np.empty(256 * 256 * 4, np.float32)
                image.pixels.foreach_get(pixels)
                seen.append(f"pixels {path} {image.name} {int(np.rint(pixels * 255).sum())}")
        assert seen
        expected += seen
        paths.append(path)
        bpy.ops.wm.save_as_mainfile(filepath=path)
    command = [sys.executable, "-c", _PIXELS, *paths]
    run = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True, timeout=120)
    assert [line for line in run.stdout.splitlines() if line.startswith("pixels ")] == expected


@each_game
def test_names_fit_every_blender(blender: ModuleType, game: Game) -> None:
    # Before 5.0, longer names are cut at 63 bytes, and lookups by name return a wrong object.
    import_level(sample_bytes(game), name="A level with a name far longer than Blender 4.2 can hold it.PHD")
    for blocks in (bpy.data.objects, bpy.data.meshes, bpy.data.actions, bpy.data.materials, bpy.data.images):
        for block in blocks:
            assert len(block.name.encode()) <= 63
