"""Tests of the operators on meshes and on whole levels."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.base.bytes.colors import light_to_gray
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes
from io_tomb_raider.ui.meshes import panels as mesh_panels
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import meshes_of, objects

from ..recorder import draw
from ..user_actions import add_cube, export_file, import_file, import_sample, levels, sample_file, select


def normals(mesh: Any) -> np.ndarray:
    values = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.attributes["tr_normal"].data.foreach_get("vector", values.ravel())
    return values


def lit_by_normals(root: Any) -> Any:
    """Return an object whose mesh has normals, and faces in all directions."""
    found = (obj for obj in objects(root, "MODEL_MESH") if "tr_normal" in obj.data.attributes)
    return max(found, key=lambda obj: len(obj.data.polygons))


# --- Normals --------------------------------------------------------------------------------------


@each_game
def test_recalculated_normals_stand_on_the_faces(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    obj = lit_by_normals(root)
    mesh = obj.data
    mesh.attributes["tr_normal"].data.foreach_set("vector", np.full(len(mesh.vertices) * 3, 1, np.float32))
    select(obj)
    assert bpy.ops.tomb_raider.recalculate_normals() == {"FINISHED"}
    found = normals(mesh)
    lengths = np.linalg.norm(found, axis=1)
    assert np.all(np.abs(lengths - 16300) < 2)
    expected = np.array([vertex.normal for vertex in mesh.vertices])
    assert ((found / lengths[:, None]) * expected).sum(axis=1).min() > 0.99
    exported = read_level(export_file(tmp_path / "out"))
    changed = differences(read_level(sample_bytes(game)), exported)
    assert {path[:2] for path in changed} == {("meshes", mesh.tomb_raider.index)}


def test_normals_follow_a_turned_mesh(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr2")
    obj = lit_by_normals(root)
    select(obj)
    bpy.ops.tomb_raider.recalculate_normals()
    before = normals(obj.data)
    obj.data.transform(Matrix.Rotation(np.pi / 2, 4, "Z"))
    bpy.ops.tomb_raider.recalculate_normals()
    turned = np.stack([-before[:, 1], before[:, 0], before[:, 2]], axis=1)
    assert np.abs(normals(obj.data) - turned).max() <= 1


def test_loose_vertices_keep_their_normals(blender: ModuleType, tmp_path: Path) -> None:
    obj = lit_by_normals(import_sample(tmp_path))
    mesh = obj.data
    mesh.vertices.add(1)
    mesh.attributes["tr_normal"].data[len(mesh.vertices) - 1].vector = (7, 8, 9)
    select(obj)
    bpy.ops.tomb_raider.recalculate_normals()
    assert normals(mesh)[-1].tolist() == [7, 8, 9]
    assert np.abs(np.linalg.norm(normals(mesh)[:-1], axis=1) - 16300).max() < 2


def test_meshes_without_normals_are_left_alone(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = sample_file(tmp_path, "tr1")
    root = import_file(path)
    lit = [obj for obj in objects(root, "STATIC_MESH") if "tr_normal" not in obj.data.attributes]
    select(*lit)
    assert bpy.ops.tomb_raider.recalculate_normals() == {"CANCELLED"}
    assert "light of their own" in capfd.readouterr().out
    assert export_file(tmp_path / "out") == path.read_bytes()


# --- Light ----------------------------------------------------------------------------------------


def _shading(level: Any, number: int) -> tuple[Any, Any]:
    """Return the normals and the light of a mesh in a file."""
    mesh = meshes_of(level)[number]
    return mesh.normals, mesh.lights


@each_game
def test_meshes_have_their_own_light_or_normals(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    obj = lit_by_normals(root)
    mesh, number = obj.data, obj.data.tomb_raider.index
    before = normals(mesh)
    select(obj)
    layout = draw(mesh_panels.DATA_PT_tomb_raider_mesh, object=obj, mesh=mesh)
    assert layout is not None
    offered = [settings.light for name, settings in layout.operators if name.endswith("set_mesh_light")]
    assert offered == ["OWN", "NORMALS"]
    assert bpy.ops.tomb_raider.set_mesh_light(light="OWN") == {"FINISHED"}
    exported = read_level(export_file(tmp_path / "own"))
    changed = differences(read_level(sample_bytes(game)), exported)
    assert {path[:2] for path in changed} == {("meshes", number)}
    found, light = _shading(exported, number)
    assert found is None and len(light) == len(before) and np.ptp(light) == 0
    assert light_to_gray(light[:1])[0] == 128  # leaves the texture as it is
    # Painted light is written.
    mesh.color_attributes[0].data.foreach_set("color", np.ones(4 * len(before), np.float32))
    assert not _shading(read_level(export_file(tmp_path / "bright")), number)[1].any()
    assert bpy.ops.tomb_raider.set_mesh_light(light="NORMALS") == {"FINISHED"}
    found, light = _shading(read_level(export_file(tmp_path / "normals")), number)
    assert light is None and np.abs(np.linalg.norm(found, axis=1) - 16300).max() < 2
    mesh.attributes["tr_normal"].data.foreach_set("vector", before.ravel())
    assert export_file(tmp_path / "back") == sample_bytes(game)


def test_a_mesh_that_has_the_light_already_stays(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    root = import_file(path)
    lit = [obj for obj in objects(root, "STATIC_MESH") if "tr_light" in obj.data.attributes]
    for chosen, light in ((lit, "OWN"), ([lit_by_normals(root)], "NORMALS")):
        select(*chosen)
        assert chosen and bpy.ops.tomb_raider.set_mesh_light(light=light) == {"FINISHED"}
    assert export_file(tmp_path / "out") == path.read_bytes()


@pytest.mark.parametrize("tool", ["recalculate_normals", "recalculate_sphere", "set_mesh_light"])
def test_tools_for_meshes_want_meshes_of_a_level(blender: ModuleType, tmp_path: Path, tool: str) -> None:
    operator = getattr(bpy.ops.tomb_raider, tool)
    root = import_sample(tmp_path)
    for chosen in ([], [add_cube()], objects(root, "ROOM")[:1]):
        select(*chosen)
        assert not operator.poll()
    select(lit_by_normals(root))
    assert operator.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not operator.poll()


# --- The collision sphere -------------------------------------------------------------------------


@each_game
def test_the_collision_sphere_encloses_the_mesh(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game, scale=1 / 1000)
    obj = lit_by_normals(root)
    obj.data.vertices[0].co.z += 2000 / 1000
    obj.data.tomb_raider.radius = 1
    select(obj)
    assert bpy.ops.tomb_raider.recalculate_sphere() == {"FINISHED"}
    level = read_level(export_file(tmp_path / "out"))
    mesh = decode_meshes(game, level.mesh_data, level.mesh_pointers).meshes[obj.data.tomb_raider.index]
    distances = np.linalg.norm(mesh.vertices - np.array(mesh.center, np.float64), axis=1)
    assert mesh.radius - 2 < distances.max() <= mesh.radius
    assert mesh.radius >= 1000


def test_a_mesh_that_reaches_too_far_is_named(blender: ModuleType, tmp_path: Path) -> None:
    obj = lit_by_normals(import_sample(tmp_path))
    obj.data.name = "Long Nose"
    obj.data.vertices[0].co.x = 1e4
    before = (*obj.data.tomb_raider.center, obj.data.tomb_raider.radius)
    select(obj)
    with pytest.raises(RuntimeError, match="Long Nose: a vertex is too far from the origin"):
        bpy.ops.tomb_raider.recalculate_sphere()
    assert (*obj.data.tomb_raider.center, obj.data.tomb_raider.radius) == before


# --- Selecting, showing and hiding ----------------------------------------------------------------


def test_a_level_can_be_selected_as_a_whole(blender: ModuleType, tmp_path: Path) -> None:
    first, second = import_sample(tmp_path, "tr1"), import_sample(tmp_path, "tr2")
    cube = add_cube()
    assert bpy.ops.tomb_raider.select_level(collection=first.name) == {"FINISHED"}
    selected = set(bpy.context.selected_objects)
    assert selected <= set(first.all_objects)
    assert not selected & set(second.all_objects) and cube not in selected
    visible = {obj for obj in first.all_objects if obj.visible_get()}
    assert selected == visible and objects(first, "ROOM")[0] in selected


def test_a_level_of_another_file_can_be_selected(blender: ModuleType, tmp_path: Path) -> None:
    library = tmp_path / "level.blend"
    root = import_sample(tmp_path, "tr1")
    bpy.data.libraries.write(str(library), {root}, fake_user=True)
    start_empty()
    libraries: Any = bpy.data.libraries
    with libraries.load(str(library), link=True) as (found, wanted):
        wanted.collections = list(found.collections)
    (linked,) = levels()
    bpy.context.scene.collection.children.link(linked)
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.select_level() == {"FINISHED"}
    assert objects(linked, "ROOM")[0].select_get()


@pytest.mark.parametrize("kind", ["MODELS", "STATIC_MESHES", "SPRITES"])
def test_libraries_are_shown_and_hidden(blender: ModuleType, tmp_path: Path, kind: str) -> None:
    path = sample_file(tmp_path, "tr4")
    root = import_file(path)
    (library,) = (child for child in root.children if child.tomb_raider.kind == kind)
    layer = bpy.context.view_layer.layer_collection.children[root.name].children[library.name]
    for hidden in (False, True, False):
        assert bpy.ops.tomb_raider.toggle_library(collection=root.name, kind=kind) == {"FINISHED"}
        assert layer.exclude == hidden
        bpy.context.view_layer.update()
        assert export_file(tmp_path / "out") == path.read_bytes()


def test_tools_for_levels_are_refused_without_a_level(blender: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="there is no level in this file"):
        bpy.ops.tomb_raider.select_level()
    root = import_sample(tmp_path, sprites=False)
    with pytest.raises(RuntimeError, match="has none of these in this view layer"):
        bpy.ops.tomb_raider.toggle_library(collection=root.name, kind="SPRITES")
