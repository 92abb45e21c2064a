"""Export for WadTool, and files made for WadTool as skins."""

from __future__ import annotations

from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.core.blender.compat import material_nodes
from io_tomb_raider.scene.interop.exchange.files import export
from io_tomb_raider.scene.interop.exchange.preparing import PrepareOptions
from io_tomb_raider.scene.interop.exchange.wadtool import importable
from tests.empty_scene import start_empty
from tests.sample_levels import sample_bytes
from tests.scene.interop.exchange.characters import character
from tests.scene.interop.exchange.wadtool import LEAST, import_skin
from tests.scene.rig_tools import actions, armature, curves, parts
from tests.scene.scenes import UNIT, import_scene, objects
from tests.scene.subjects.skins.random_skins import SkinnedModel, skinned_models
from tests.scene.subjects.skins.skin_files import imported, skin_in
from tests.wad2_samples import sample_wad2

from ..user_actions import add_object, export_file, select, state

# After the glTF exporter, the module of Blender 4.2 sometimes crashes in a long run.
pytestmark = [pytest.mark.usefixtures("blender"), pytest.mark.once]


def export_skin(rig: Any, path: Path) -> None:
    """Export the skin of a model."""
    select(rig)
    assert bpy.ops.tomb_raider.export_for_wadtool(filepath=str(path)) == {"FINISHED"}


def expected(model: SkinnedModel) -> list[dict[int, float]]:
    """Return the weights of a model's vertices as WadTool keeps them."""
    result = []
    for pairs in model.pairs:
        shares = {bone: weight / sum(each for _, each in pairs) for bone, weight in pairs if weight > 0}
        assume(not any(0.9 * LEAST < share < 1.1 * LEAST for share in shares.values()))
        kept = {bone: share for bone, share in shares.items() if share >= LEAST} or {0: 1.0}
        result.append({bone: share / sum(kept.values()) for bone, share in kept.items()})
    return result


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(skinned_models())
def test_wadtool_reads_any_skin_as_it_is(
    tmp_path_factory: pytest.TempPathFactory, model: SkinnedModel
) -> None:
    weights = expected(model)
    folder = tmp_path_factory.mktemp("wadtool")
    root = imported(model.to_bytes(), folder)
    export_skin(skin_in(root).parent, folder / "skin.glb")
    found = import_skin(folder / "skin.glb")
    assert len(found.bones) == len(model.operations) and not found.skipped
    assert [polygon.image for polygon in found.polygons] == [(16, 16)] * 2
    moved = {bone for vertex in range(4) for bone in weights[vertex]}
    idle = set(range(len(model.operations))) - moved
    faces = [(0, 1, 2), (1, 2, 3)]
    for polygon, vertices in zip(found.polygons, faces, strict=True):
        # The first corner may be another one.
        first = [each.uv for each in polygon.corners].index((0.0, 0.0))
        corners = polygon.corners[first:] + polygon.corners[:first]
        assert [each.uv for each in corners] == [(0.0, 0.0), (16.0, 0.0), (16.0, 16.0)]
        for corner, vertex in zip(corners, vertices, strict=True):
            assert found.places[corner.vertex] == pytest.approx(model.vertices[vertex], abs=2e-3)
            pairs = found.weights[corner.vertex]
            added = {bone: value for bone, value in pairs.items() if bone in idle}
            assert all(LEAST < value < 0.0051 for value in added.values())
            rest = {
                bone: value / (1 - sum(added.values())) for bone, value in pairs.items() if bone not in added
            }
            assert rest == pytest.approx(weights[vertex], abs=1e-5)
    assert {bone for pairs in found.weights for bone in pairs} == moved | idle
    assert len(found.places) <= 4, "normals split no vertex"


def raw_vertices(path: Path) -> np.ndarray:
    """Return the vertices in an FBX file as they are stored, (n, 3)."""
    parser: Any = import_module("io_scene_fbx.parse_fbx")

    def find(element: Any, name: bytes) -> Any:
        inner = (find(each, name) for each in element.elems)
        return element if element.id == name else next((each for each in inner if each is not None), None)

    return np.array(find(parser.parse(str(path))[0], b"Vertices").props[0]).reshape(-1, 3)


def test_fbx_files_have_the_same_vertices_and_weights(tmp_path: Path) -> None:
    skin = skin_in(imported(sample_wad2(), tmp_path, 0.0137))
    rig = skin.parent
    places = np.array([vertex.co for vertex in skin.data.vertices]) / 0.0137
    weights = [{each.group: each.weight for each in vertex.groups} for vertex in skin.data.vertices]
    heads = np.array([bone.head_local for bone in rig.data.bones]) / 0.0137
    export_skin(rig, tmp_path / "skin.fbx")
    used = sorted({vertex for face in skin.data.polygons for vertex in face.vertices})
    wanted = places[used][:, [0, 2, 1]] * (1, 1, -1)
    assert np.abs(raw_vertices(tmp_path / "skin.fbx") * 1024 - wanted).max() < 2e-3
    assert [each.name for each in (tmp_path / "skin textures").iterdir()] == ["Page_00_Piece_000.png"]
    start_empty()
    bpy.ops.import_scene.fbx(filepath=str(tmp_path / "skin.fbx"))
    bpy.context.view_layer.update()
    rig, body = (
        next(each for each in bpy.data.objects if each.type == kind) for kind in ("ARMATURE", "MESH")
    )
    assert [bone.name for bone in rig.data.bones] == ["000_Bone 00", "001_Bone 01"]
    assert np.abs(np.array([bone.head_local for bone in rig.data.bones]) * 1024 - heads).max() < 2e-3
    found = np.array([body.matrix_world @ vertex.co for vertex in body.data.vertices]) * 1024
    assert np.abs(found - places[used]).max() < 2e-3
    for vertex, source in zip(body.data.vertices, used, strict=True):
        total = sum(weights[source].values())
        wanted_weights = {bone: value / total for bone, value in weights[source].items()}
        assert {each.group: each.weight for each in vertex.groups} == pytest.approx(wanted_weights, abs=1e-5)
    assert all(face.use_smooth for face in body.data.polygons)


@pytest.mark.parametrize("suffix", [".glb", ".gltf", ".fbx"])
def test_the_scene_is_the_same_after_an_export(tmp_path: Path, suffix: str) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    select(rig)
    keys = [[point.co[:] for point in curve.keyframe_points] for curve in curves(actions(root)[0])]
    for mode in ("OBJECT", "POSE", "EDIT"):
        bpy.ops.object.mode_set(mode=mode)
        before = state()
        path = tmp_path / f"{mode}{suffix}"
        assert bpy.ops.tomb_raider.export_for_wadtool(filepath=str(path)) == {"FINISHED"}
        assert state() == before and bpy.context.mode.startswith(mode)
        assert path.stat().st_size
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [[point.co[:] for point in curve.keyframe_points] for curve in curves(actions(root)[0])] == keys
    assert export_file(tmp_path / "same.tr4") == sample_bytes(Game.TR4)


def import_rig(path: Path) -> Any:
    """Import a file with Blender, and return its mesh with an armature."""
    before = set(bpy.data.objects)
    importer: Any = bpy.ops.import_scene.fbx if path.suffix == ".fbx" else bpy.ops.import_scene.gltf
    importer(filepath=str(path))
    bpy.context.view_layer.update()
    return next(each for each in set(bpy.data.objects) - before if each.find_armature())


def corners(obj: Any, count: int) -> list[list[tuple[float, ...]]]:
    """Return the place in units and the weights of the corners of each triangle of an object."""
    obj.data.calc_loop_triangles()
    rows = []
    for vertex in obj.data.vertices:
        weights = dict.fromkeys(range(count), 0.0) | {each.group: each.weight for each in vertex.groups}
        rows.append(
            (*np.rint(np.array(vertex.co) / UNIT).tolist(), *np.round(list(weights.values()), 3).tolist())
        )
    return sorted(sorted(rows[vertex] for vertex in face.vertices) for face in obj.data.loop_triangles)


@pytest.mark.parametrize("suffix", [".glb", ".fbx"])
def test_a_skin_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    count = len(rig.data.bones)
    select(rig)
    assert bpy.ops.tomb_raider.make_skin(smoothing=3) == {"FINISHED"}
    (skin,) = objects(root, "SKIN")
    for vertex in skin.data.vertices:
        (own,) = [each.group for each in vertex.groups]
        other = (own + vertex.index) % count
        skin.vertex_groups[own].add([vertex.index], 0.625, "REPLACE")
        skin.vertex_groups[other].add([vertex.index], 0.375, "ADD")
    before, vertices = corners(skin, count), len(skin.data.vertices)
    export_skin(skin, tmp_path / f"lara{suffix}")
    body = import_rig(tmp_path / f"lara{suffix}")
    select(body)
    assert bpy.ops.tomb_raider.use_as_skin(model=rig.name) == {"FINISHED"}
    (skin,) = objects(root, "SKIN")
    assert corners(skin, count) == before and len(skin.data.vertices) == vertices


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_model_without_a_skin_is_exported_as_one_mesh(tmp_path: Path, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    rig = armature(root)
    export_skin(rig, tmp_path / "lara.glb")
    found = import_skin(tmp_path / "lara.glb")
    names = [bone.name for bone in rig.data.bones]
    assert found.bones == [f"{number:03}_{name}" for number, name in enumerate(names)] and not found.skipped
    wanted = []
    for part in parts(root):
        bone = names.index(part.parent_bone)
        part.data.calc_loop_triangles()
        head = rig.data.bones[bone].head_local
        rows = [tuple(np.rint(np.array(v.co + head)[[0, 2, 1]] / UNIT).tolist()) for v in part.data.vertices]
        wanted += [(bone, *sorted(rows[each] for each in face.vertices)) for face in part.data.loop_triangles]
    triangles = []
    for polygon in found.polygons:
        ((bone, weight),) = {pair for each in polygon.corners for pair in found.weights[each.vertex].items()}
        places = sorted(tuple(map(float, np.rint(found.places[each.vertex]))) for each in polygon.corners)
        triangles.append((bone, *places))
        uvs = np.array([each.uv for each in polygon.corners])
        assert weight == 1 and np.linalg.det(np.c_[uvs, np.ones(3)]) != 0, "a texture needs an area"
    assert sorted(triangles) == sorted(wanted)


def weighted_bones(root: Any, body: Any) -> list[list[str]]:
    """Make a mesh the skin of Lara; return her bones that move its vertices, in their order."""
    select(body)
    assert bpy.ops.tomb_raider.use_as_skin(model=armature(root).name) == {"FINISHED"}
    (skin,) = objects(root, "SKIN")
    names = [group.name for group in skin.vertex_groups]
    return [sorted(names[each.group] for each in vertex.groups) for vertex in skin.data.vertices]


def without_order(rig: Any, body: Any) -> None:
    """Parent a mesh to an armature of bones without parents, in another order, and one without vertices."""
    data = bpy.data.armatures.new("Flat")
    flat = add_object("Flat", data)
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in sorted(rig.data.bones, key=lambda each: each.name[::-1]):
        copy = data.edit_bones.new(bone.name)
        copy.head, copy.tail = bone.head_local, bone.tail_local
    data.edit_bones.new("000").tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    body.parent = body.modifiers[0].object = flat


@pytest.mark.parametrize(
    ("order", "is_flat"),
    [("mixamo", False), *product(("numbers", "front", "roles", "letters", "exact"), (False, True))],
)
def test_bones_of_skins_are_matched_by_name_number_or_role(order: str, is_flat: bool) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    own = [bone.name for bone in armature(root).data.bones]
    wanted = weighted_bones(root, character(root)[1])
    names = {
        "numbers": [f"Mesh_{number + 3}" for number in range(len(own))],  # Mesh_10 is after Mesh_9
        "front": [f"{number:03}_{name[::-1]}" for number, name in enumerate(own)],
        "roles": [f"{number:03}_{name}" for number, name in enumerate(own[::-1])],  # numbers count more
        "letters": ["abcdefghijklmnopqrstuvwxyz"[number] * 2 for number in range(len(own))],
        "exact": own,
        "mixamo": [f"mixamorig:{name.replace(' ', '')}" for name in own],
    }[order]
    rig, body = character(root, dict(zip(own, names, strict=True)))
    if is_flat:
        without_order(rig, body)
    assert weighted_bones(root, body) == wanted


def test_a_skin_of_another_size_gets_that_of_its_model() -> None:
    root = import_scene(sample_bytes(Game.TR4))
    sizes = []
    for size in (1.0, 0.5):
        body = character(root, size=size)[1]
        weighted_bones(root, body)
        sizes.append(np.array([vertex.co for vertex in objects(root, "SKIN")[0].data.vertices]))
    assert np.abs(sizes[0] - sizes[1]).max() < 1e-4


def warnings_of(rig: Any, path: Path) -> list[str]:
    """Export a model, and return the warnings."""
    layer: Any = bpy.context.view_layer
    options = PrepareOptions(light=False, animations=False, wadtool=True)
    return list(map(str, export([rig], path, layer, bpy.context.scene.collection, options).report.warnings))


def test_what_wadtool_lacks_is_reported(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    rig = armature(root)
    known = warnings_of(rig, tmp_path / "lara.glb")
    assert known == [f"{parts(root)[7].name}: 2 faces that only the game can draw are left out"]
    first, second = parts(root)[:2]
    first.data.materials.clear()
    first.data.materials.append(bpy.data.materials.new("Bare"))
    second.data.materials.clear()
    second.data.materials.append(tiled_material())
    second.data.uv_layers.active.data[0].uv = (1.5, 0.5)
    second.data.uv_layers.active.data[-1].uv = (1.00001, -0.00001)
    parts(root)[2].data.clear_geometry()
    new = [
        f"{rig.name}: these materials have no image, so each gets one of its color: Bare",
        f"{rig.name} Rig: these bones move no vertex, so the nearest vertex of each follows it a little: "
        f"{parts(root)[2].parent_bone}",
        f"{rig.name} Skinned: 1 faces repeat their image, which WadTool cannot import",
    ]
    assert sorted(warnings_of(rig, tmp_path / "lara.glb")) == sorted(known + new)
    found = import_skin(tmp_path / "lara.glb")
    assert len(found.bones) == len(rig.data.bones)
    tiled = [each.uv for face in found.polygons if face.material == "TeOpDS_Tiled" for each in face.corners]
    assert (8.0, 8.0) in tiled, "from the upper left, at the border of the image"
    with pytest.raises(ExportError, match=r"end with \.glb, \.gltf, \.fbx$"):
        warnings_of(rig, tmp_path / "lara.obj")
    for part in parts(root):
        part.data.clear_geometry()
    with pytest.raises(ExportError, match="it has no faces"):
        warnings_of(rig, tmp_path / "lara.glb")


def test_names_of_materials_say_how_wadtool_draws_them(tmp_path: Path) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    kinds = ["", " Additive", " Additive Double-Sided", " Alpha", " Alpha Double-Sided"]
    for part, kind in zip(parts(root), kinds, strict=False):
        part.data.materials[0] = bpy.data.materials[f"Level Page 00{kind}"]
    export_skin(armature(root), tmp_path / "lara.glb")
    names = {face.material.split("_")[0] for face in import_skin(tmp_path / "lara.glb").polygons}
    assert names == {"TeOp", "TeBl", "TeBlDS", "TeOpDS"}


def tiled_material() -> Any:
    """Return a material with an image of its own."""
    material = bpy.data.materials.new("Tiled")
    tree = material_nodes(material)
    node: Any = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.new("Tiled", 8, 8)
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    return material


@settings(max_examples=200)
@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_importable_weights_are_few_and_of_all_bones(vertices: int, bones: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    weights = (random.random((vertices, bones)) ** 8).astype(np.float32)
    weights[(weights < 1e-4) | (random.random(weights.shape) < 0.5)] = 0
    points = random.random((vertices, 3))
    try:
        found, idle = importable(weights, points, random.random((bones, 3)))
    except ExportError:
        assert bones > vertices, "there are four weights for each"
        return
    assert ((found > 0).sum(axis=1) <= 4).all() and found.sum(axis=1) == pytest.approx(1)
    assert found[found > 0].min() >= LEAST and (found > 0).any(axis=0).all()
    for vertex in np.flatnonzero(weights.any(axis=1)).tolist():
        largest = np.argsort(-weights[vertex])[:4]
        shares = np.where(np.isin(np.arange(bones), largest), weights[vertex], 0)
        assert np.abs(found[vertex] - shares / shares.sum())[~np.isin(np.arange(bones), idle)].max() < 0.03


def test_a_bone_without_vertices_gets_the_nearest_one_that_is_free() -> None:
    weights = np.array([[0.25, 0.25, 0.25, 0.25, 0], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], np.float32)
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0]], float)
    found, idle = importable(weights, points, np.zeros((5, 3)))
    assert idle == [4] and np.flatnonzero(found[:, 4]).tolist() == [1]
