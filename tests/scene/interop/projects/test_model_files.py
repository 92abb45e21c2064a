"""Tests of model files of imported geometry, as Blender's importers read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.formats.levels.textures.png import encode_png
from tests.formats.editors.projects.compile.compile_samples import IMAGE, image
from tests.ui.projects.model_projects import MODEL, read, write_project
from tests.ui.user_actions import all_datablocks

_POINTS = [(100, 200, 300), (400, 500, 600), (700, 800, 1000), (0, 100, 900)]
_UV = [(0.125, 0.25), (0.375, 0.5), (0.5, 0.625), (0.75, 0.875)]
_SHADES = [0.25, 0.5, 0.75]


def _make(folder: Path, name: str) -> Any:
    """Make a quad that is moved and turned, of a double-sided material."""
    (folder / IMAGE).write_bytes(encode_png(image(folder / IMAGE)))
    mesh: Any = bpy.data.meshes.new("Quad")
    mesh.from_pydata(_POINTS, [], [(0, 1, 2, 3)])
    mesh.uv_layers.new(name="UV").data.foreach_set("uv", np.array(_UV).ravel())
    colors: Any = mesh.color_attributes.new("Col", "BYTE_COLOR", "CORNER")
    colors.data.foreach_set("color_srgb", np.array([*_SHADES, 1] * 4))
    material: Any = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    material.use_backface_culling = True
    nodes = material.node_tree.nodes
    shown = nodes.new("ShaderNodeTexImage")
    shown.image = bpy.data.images.load(str(folder / IMAGE))
    principled = next(each for each in nodes if each.type == "BSDF_PRINCIPLED")
    material.node_tree.links.new(shown.outputs["Color"], principled.inputs["Base Color"])
    mesh.materials.append(material)
    obj = bpy.data.objects.new("Quad", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.location, obj.rotation_euler, obj.scale = (100, 0, 0), (1, 0, 0), (2, 2, 2)
    bpy.context.view_layer.update()
    return obj


def _fbx(path: Path) -> None:
    bpy.ops.export_scene.fbx(filepath=str(path), use_selection=True, path_mode="RELATIVE")


def _gltf(path: Path) -> None:
    kind = "GLB" if path.suffix == ".glb" else "GLTF_SEPARATE"
    export: Any = bpy.ops.export_scene.gltf
    export(filepath=str(path), export_format=kind, use_selection=True, export_vertex_color="ACTIVE")


def _dae(path: Path) -> None:
    if "collada_export" not in dir(bpy.ops.wm):
        pytest.skip("this version has no Collada")
    bpy.ops.wm.collada_export(filepath=str(path), selected=True)


_WRITERS: dict[str, Callable[[Path], None]] = {
    ".fbx": _fbx, ".glb": _gltf, ".gltf": _gltf, ".dae": _dae,
}  # fmt: skip


def _written(folder: Path, suffix: str, name: str = "TeAdditiveBlendDoubleSided") -> Path:
    obj = _make(folder, name)
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    _WRITERS[suffix](folder / f"quad{suffix}")
    bpy.data.batch_remove([obj, *bpy.data.meshes, *bpy.data.materials, *bpy.data.images])
    return folder / f"quad{suffix}"


@pytest.mark.once
@pytest.mark.parametrize("suffix", list(_WRITERS))
@pytest.mark.parametrize("inverted", [False, True])
def test_models_are_read_in_the_axes_of_their_file(
    blender: ModuleType, tmp_path: Path, suffix: str, inverted: bool
) -> None:
    from io_tomb_raider.scene.interop.projects.files import load_image
    from io_tomb_raider.scene.interop.projects.model_files import ModelFiles

    path = _written(tmp_path, suffix)
    before = all_datablocks(), bpy.context.scene.name, list(bpy.context.selected_objects)
    files = ModelFiles(load_image)
    model = files.load_model(path, inverted)
    assert (all_datablocks(), bpy.context.scene.name, list(bpy.context.selected_objects)) == before
    # glTF has y upwards.
    wanted = np.array([(x, z, -y) if suffix in (".glb", ".gltf") else (x, y, z) for x, y, z in _POINTS])
    corners = model.positions[model.triangles].reshape(-1, 3)
    assert len(model.triangles) == 2
    assert {tuple(row) for row in np.rint(corners).tolist()} == {tuple(row) for row in wanted.tolist()}
    across = np.cross(wanted[1] - wanted[0], wanted[2] - wanted[0])
    first = model.positions[model.triangles[0]]
    now = np.cross(first[1] - first[0], first[2] - first[0])
    assert (now @ across > 0) != inverted
    places = {tuple(np.rint(at)): tuple(uv) for at, uv in zip(corners, model.uv.reshape(-1, 2), strict=True)}
    for at, uv in zip(wanted, _UV, strict=True):
        assert places[tuple(at)] == pytest.approx(uv, abs=1e-5)
    assert model.double_sided == [True] and model.additive == [True]
    assert model.colors is not None
    if suffix != ".dae":  # its exporter writes other numbers
        shades = np.array(_SHADES)
        # glTF stores linear light.
        linear = np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)
        stored = linear if suffix in (".glb", ".gltf") else shades
        assert np.abs(model.colors - 2 * stored).max() < 0.02
    (shown,) = [files.load_image(each) for each in model.images if each is not None]
    assert np.array_equal(shown, image(tmp_path / IMAGE))


def test_unreadable_model_files_are_an_error_with_a_reason(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.scene.interop.projects.files import load_image
    from io_tomb_raider.scene.interop.projects.model_files import ModelFiles

    before = all_datablocks()
    for name in ("bad.fbx", "bad.glb", "bad.gltf", "lost.fbx", "bad.3ds", "bad.x"):
        if name.startswith("bad"):
            (tmp_path / name).write_bytes(b"bad")
        with pytest.raises((ValueError, OSError), match=r"."):
            ModelFiles(load_image).load_model(tmp_path / name, False)
    assert all_datablocks() == before


def test_projects_with_model_files_are_opened(blender: ModuleType, tmp_path: Path) -> None:
    from io_tomb_raider.scene.interop.projects.imports import import_project

    path = write_project(tmp_path, Game.TR4)
    _written(tmp_path, ".glb")
    project = read(path)
    (model,) = project.settings.imported_geometries
    assert model.number == MODEL
    model.path = "quad.glb"
    path.write_bytes(project.to_bytes())
    made = import_project(path)
    assert made.missing == []
    found = [obj for obj in made.context.root.all_objects if obj.tomb_raider.kind == "IMPORTED_GEOMETRY"]
    assert len(found) == 3 and {len(obj.data.polygons) for obj in found} == {2}
    assert not [each for each in made.context.report.warnings if "quad" in each]
