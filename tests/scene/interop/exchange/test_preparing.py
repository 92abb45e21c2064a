"""Prepare for Exchange: exports of models, static meshes and rooms by Blender's own exporters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.core.membership import members
from io_tomb_raider.scene.interop.exchange.files import export, write
from io_tomb_raider.scene.interop.exchange.preparing import (
    PreparedObjects,
    PrepareOptions,
    discard,
    prepare,
)
from io_tomb_raider.scene.transfer.engine.motion import bones_of
from tests.compare import differences
from tests.sample_levels import sample_bytes

from ...rig_tools import actions, add_bone, armature, curve, curves, new_curve, parts, with_joints
from ...scenes import export_scene, import_scene, objects
from .glb import Glb

# After the glTF exporter, the module of Blender 4.2 sometimes crashes in a long run.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]
GAMES = [Game.TR1, Game.TR3, Game.TR4]


def prepared(*objects: Any, **wanted: Any) -> PreparedObjects:
    layer: Any = bpy.context.view_layer
    return prepare(objects, layer, bpy.context.scene.collection, PrepareOptions(**wanted))


def export_to(path: Path, *objects: Any, **wanted: Any) -> None:
    layer: Any = bpy.context.view_layer
    export(objects, path, layer, bpy.context.scene.collection, PrepareOptions(**wanted))


def placed_vertices(obj: Any) -> np.ndarray:
    """Return the evaluated world places of an object's vertices, (n, 3)."""
    graph = bpy.context.evaluated_depsgraph_get()
    shown = obj.evaluated_get(graph)
    mesh = shown.to_mesh()
    return np.array([shown.matrix_world @ vertex.co for vertex in mesh.vertices])


@pytest.mark.parametrize("game", GAMES)
def test_a_model_becomes_one_mesh_that_moves_as_it_does(game: Game) -> None:
    root = import_scene(sample_bytes(game))
    model, own = armature(root), parts(root)
    made = prepared(model)
    rig = next(each for each in made.objects if each.type == "ARMATURE")
    body = next(each for each in made.objects if each.type == "MESH")
    assert {group.name for group in body.vertex_groups} == {bone.name for bone in model.data.bones}
    # A face on top of another one has its own vertices.
    assert len(body.data.vertices) == sum(len(part.data.vertices) for part in own) + 4
    assert len(body.data.polygons) == sum(len(part.data.polygons) for part in own)
    layer = bpy.context.view_layer
    for home in root.children_recursive:
        shown = _layer_of(layer.layer_collection, home)
        if shown is not None:
            shown.exclude = False
    for action in actions(root)[:3]:
        for obj in (model, rig):
            obj.animation_data.action = action
        for frame in (0, 3, 7):
            bpy.context.scene.frame_set(frame)
            away = np.array(model.matrix_world.translation)
            wanted = np.concatenate([placed_vertices(part) for part in own]) - away
            found = placed_vertices(body)
            assert np.abs(_distinct(found) - _distinct(wanted)).max() < 2e-3


def _layer_of(layer: Any, home: Any) -> Any:
    if layer.collection == home:
        return layer
    return next((f for f in (_layer_of(each, home) for each in layer.children) if f is not None), None)


def _distinct(points: np.ndarray) -> np.ndarray:
    """Return the distinct places in a fixed order, (n, 3)."""
    return points[np.unique(np.rint(points * 100), axis=0, return_index=True)[1]]


@pytest.mark.parametrize("game", GAMES)
def test_glb_files_have_skin_textures_and_their_animations_by_name(game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    path = tmp_path / "lara.glb"
    export_to(path, armature(root))
    glb = Glb(path)
    (skin,) = glb.json["skins"]
    nodes = glb.names("nodes")
    assert {nodes[joint] for joint in skin["joints"]} == {b.name for b in armature(root).data.bones}
    assert sorted(glb.names("animations")) == sorted(action.name for action in actions(root))
    assert glb.json["images"]
    (mesh,) = glb.json["meshes"]
    for primitive in mesh["primitives"]:
        assert {"POSITION", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0"} <= primitive["attributes"].keys()
        weights = glb.array(primitive["attributes"]["WEIGHTS_0"])
        assert (np.sort(weights, axis=1) == (0, 0, 0, 1)).all()


def test_the_level_is_exported_as_before(tmp_path: Path) -> None:
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    before = export_scene(root)
    prepared(armature(root), objects(root, "ROOM")[0], objects(root, "STATIC_MESH")[0], pieces=True)
    assert not differences(before, export_scene(root))
    export_to(tmp_path / "all.glb", armature(root), objects(root, "ROOM")[0])
    assert export_scene(root).to_bytes() == data


@pytest.mark.parametrize("game", list(Game))
def test_rooms_are_exported_with_their_light_on_request(game: Game, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(game))
    room = objects(root, "ROOM")[0]
    path = tmp_path / "room.glb"
    export_to(path, room)
    (mesh,) = Glb(path).json["meshes"]
    assert all("COLOR_0" in primitive["attributes"] for primitive in mesh["primitives"])
    export_to(path, room, light=False)
    (mesh,) = Glb(path).json["meshes"]
    assert not any("COLOR_0" in primitive["attributes"] for primitive in mesh["primitives"])


def test_contents_of_a_room_are_included_on_request() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = objects(root, "ROOM")[0]
    bare, full = (prepared(room, contents=each).objects[0] for each in (False, True))
    assert len(bare.data.polygons) == len(room.data.polygons)
    assert len(full.data.polygons) > len(bare.data.polygons)
    assert full.matrix_world == room.matrix_world != Matrix()


@pytest.mark.parametrize("pieces", [False, True])
def test_faces_show_the_same_texels(pieces: bool) -> None:
    """Compare each face's first corner, as a color, in the level and in the prepared copy."""
    root = import_scene(sample_bytes(Game.TR2))
    obj = objects(root, "STATIC_MESH")[0]
    (copy,) = prepared(obj, pieces=pieces).objects
    assert _texels(obj) == _texels(copy)
    sizes = {_image(material).size[0] for material in copy.data.materials if _image(material) is not None}
    assert max(sizes) <= 256 and (not pieces or min(sizes) < 256)


def _image(material: Any) -> Any:
    return next((node.image for node in material.node_tree.nodes if node.type == "TEX_IMAGE"), None)


def _texels(obj: Any) -> list[Any]:
    mesh, found = obj.data, []
    pixels = {}
    for face in mesh.polygons:
        image = _image(mesh.materials[face.material_index])
        if image not in pixels:
            width, height = image.size
            pixels[image] = np.array(image.pixels[:]).reshape(height, width, 4)
        uvs = np.array([mesh.uv_layers.active.uv[loop].vector for loop in face.loop_indices])
        middle = uvs.mean(axis=0)
        height, width, _ = pixels[image].shape
        u, v = np.floor(middle * (width, height)).astype(int)
        places = sorted(tuple(np.round(mesh.vertices[v].co, 4)) for v in face.vertices)
        found.append((places, tuple(np.round(pixels[image][v, u], 3))))
    return sorted(found)


@pytest.mark.parametrize("suffix", [".fbx", ".obj"])
def test_images_are_written_next_to_files_that_cannot_contain_them(suffix: str, tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    path = tmp_path / f"lara{suffix}"
    export_to(path, armature(root), animations=False)
    assert path.stat().st_size
    images = list((tmp_path / "lara textures").glob("*.png"))
    assert images
    if suffix == ".obj":
        named = [line for line in path.with_suffix(".mtl").read_text().splitlines() if "map_Kd" in line]
        assert named and all((tmp_path / line.split(" ", 1)[1]).exists() for line in named)
        faces = [line for line in path.read_text().splitlines() if line.startswith("f ")]
        assert len(faces) == sum(len(part.data.polygons) for part in parts(root))


def test_fbx_files_have_the_animations_by_name_and_no_others(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    names = sorted(action.name for action in actions(root))
    export_to(tmp_path / "lara.fbx", armature(root))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_scene.fbx(filepath=str(tmp_path / "lara.fbx"))
    found = sorted(action.name.split("|")[1] for action in bpy.data.actions)
    assert found == names
    body = next(each for each in bpy.data.objects if each.type == "MESH")
    image = _image(body.data.materials[0])
    assert image is not None and image.has_data


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    kinds = ("objects", "meshes", "armatures", "materials", "images", "collections", "scenes", "actions")
    before = {kind: set(getattr(bpy.data, kind).keys()) for kind in kinds}
    export_to(tmp_path / "lara.glb", armature(root), *members(root)[:3], pieces=True)
    assert {kind: set(getattr(bpy.data, kind).keys()) for kind in kinds} == before
    with pytest.raises(ExportError, match="end with"):
        export_to(tmp_path / "lara.xyz", armature(root))
    with pytest.raises(ExportError, match="select a model"):
        export_to(tmp_path / "lara.glb", bpy.data.objects.new("Mine", None))
    assert not list(tmp_path.glob("*.xyz"))


def test_prepared_objects_can_be_exported_and_discarded(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    made = prepared(armature(root))
    write(made, tmp_path / "lara.gltf")
    assert (tmp_path / "lara.gltf").exists() and list(tmp_path.glob("*.png"))
    count = len(bpy.data.actions)
    discard(made)
    assert len(bpy.data.actions) == count


def test_joints_are_exported_with_an_entity_and_bend() -> None:
    data = with_joints()
    root = import_scene(data)
    entity = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    joints = [each for each in objects(root, "FIGURE") if each.modifiers]
    (rig,) = (each for each in prepared(entity).objects if each.type == "ARMATURE")
    (body,) = rig.children
    skin = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 8)
    limbs = [each for each in objects(root, "MODEL_MESH") if each.parent == skin]
    shown = sum(len(each.data.polygons) for each in (*limbs, *joints))
    assert len(joints) == 14 and len(body.data.polygons) == shown
    for home in root.children_recursive:
        layer = _layer_of(bpy.context.view_layer.layer_collection, home)
        if layer is not None:
            layer.exclude = False
    for obj in (skin, rig):
        obj.animation_data_create().action = actions(root)[0]
    bpy.context.scene.frame_set(5)
    found = placed_vertices(body)
    for joint in joints:
        wanted = placed_vertices(joint) - np.array(skin.matrix_world.translation)
        assert np.linalg.norm(found[:, None] - wanted, axis=2).min(axis=0).max() < 1e-3
    assert export_scene(root).to_bytes() == data


# --- Control rigs ----------------------------------------


def test_a_rigged_model_is_prepared_without_controls_and_as_it_is_seen() -> None:
    root = import_scene(sample_bytes(Game.TR1))
    model, own = armature(root), bones_of(armature(root))
    add_bone(root, "Aim", control=True)
    follow = model.pose.bones["Head"].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget = model, "Aim"
    follow.target_space = follow.owner_space = "LOCAL"
    follow.influence = 0.0
    action, still = actions(root)[1], actions(root)[2]
    aim = model.pose.bones["Aim"]
    for index, keys in enumerate((((0, 1.0), (3, 0.8)), ((0, 0.0), (3, 0.6)), ((0, 0.0),), ((0, 0.0),))):
        new_curve(action, "Aim", "rotation_quaternion", index, [*keys])
    made_curve = curves(action).new(f"{follow.path_from_id()}.influence")
    made_curve.keyframe_points.insert(0, 1.0)
    before = {*bpy.data.actions}
    made = prepared(model)
    rig = next(each for each in made.objects if each.type == "ARMATURE")
    assert bones_of(rig) == own == [bone.name for bone in rig.data.bones]
    tracks = {track.name: track.strips[0].action for track in rig.animation_data.nla_tracks}
    assert tracks[still.name] == still
    copy: Any = tracks[action.name]
    assert copy not in before
    assert copy.tomb_raider.model is None
    found = [curve(copy, "Head", "rotation_quaternion", index).evaluate(3) for index in range(4)]
    assert np.allclose(found, (0.8, 0.6, 0.0, 0.0), atol=1e-4)
    assert aim.name not in {group.name for each in made.objects for group in each.vertex_groups}
    discard(made)
    assert {*bpy.data.actions} == before
