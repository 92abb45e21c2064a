"""Bisection of faces along sectors and where pictures repeat, without visible changes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.subjects.bisect.tools import cut_mesh
from tests.sample_levels import sample_bytes

from ..collision.collision_meshes import import_collision
from .textured_floors import SECTOR, brick_material, quad


@pytest.fixture
def root(blender: ModuleType) -> Collection:
    return import_collision(sample_bytes(Game.TR3))


def shown_at(obj: Any, places: Any) -> Any:
    """Return the positions on the picture that a flat mesh shows at places (x, y), by triangles."""
    mesh = obj.data
    mesh.calc_loop_triangles()
    found = np.full((len(places), 2), np.nan)
    for triangle in mesh.loop_triangles:
        a, b, c = (np.array(mesh.vertices[each].co)[:2] for each in triangle.vertices)
        uvs = np.array([mesh.uv_layers[0].uv[loop].vector for loop in triangle.loops])
        weights = np.linalg.solve(np.column_stack([b - a, c - a]), (places - a).T).T
        inside = (weights >= 0).all(axis=1) & (weights.sum(axis=1) <= 1)
        found[inside] = (uvs[0] + weights @ (uvs[1:] - uvs[0]))[inside]
    return found


def pieces(obj: Any) -> Any:
    """Return the least and greatest UVs of each face, (n, 2, 2)."""
    uvs = [
        [obj.data.uv_layers[0].uv[loop].vector[:] for loop in face.loop_indices] for face in obj.data.polygons
    ]
    return np.array([(np.min(each, axis=0), np.max(each, axis=0)) for each in uvs])


def area(obj: Any) -> float:
    return sum(face.area for face in obj.data.polygons)


PLACES = np.random.default_rng(1).random((60, 2)) * (3 * SECTOR, 2 * SECTOR) * 0.999


def test_faces_are_cut_between_sectors_and_look_the_same(root: Collection) -> None:
    obj = quad(3, 2, 0.7, 1, brick_material())
    before = shown_at(obj, PLACES)
    obj.location.x = 0.5 * SECTOR  # the grid is in world space
    made = cut_mesh(root, obj, grid=True, repeats=False)
    assert made == (7, 0)
    assert len(obj.data.polygons) == 8
    assert area(obj) == pytest.approx(6 * SECTOR**2)
    np.testing.assert_allclose(shown_at(obj, PLACES), before, atol=1e-5)
    for face in obj.data.polygons:
        at = np.array([obj.data.vertices[each].co[:2] for each in face.vertices]) / SECTOR + (0.5, 0)
        assert (np.floor(at.min(axis=0) + 1e-4) == np.ceil(at.max(axis=0) - 1e-4) - 1).all()
    for vertex, color in zip(obj.data.vertices, obj.data.color_attributes[0].data, strict=True):
        assert color.color[0] == pytest.approx(vertex.co.x / 100)
    assert {each.value for each in obj.data.attributes["mine"].data} == {7}
    assert cut_mesh(root, obj, grid=True, repeats=True) == (0, 0)


@pytest.mark.parametrize("extension", ["REPEAT", "MIRROR"])
def test_pictures_that_repeat_are_cut_into_faces_within_them(root: Collection, extension: str) -> None:
    obj = quad(3, 2, 2.5, 2, brick_material(extension=extension))
    before = shown_at(obj, PLACES)
    made = cut_mesh(root, obj, grid=False, repeats=True)
    assert made == (0, 5)
    assert ((pieces(obj) > -1e-5) & (pieces(obj) < 1 + 1e-5)).all()
    inside = before % 1 if extension == "REPEAT" else 1 - abs(before % 2 - 1)
    np.testing.assert_allclose(shown_at(obj, PLACES), inside, atol=1e-4)
    assert area(obj) == pytest.approx(6 * SECTOR**2)


def test_bent_uvs_and_mappings_look_the_same_after_cutting(root: Collection) -> None:
    material = brick_material()
    tree = material.node_tree
    image = next(node for node in tree.nodes if node.type == "TEX_IMAGE")
    mapping, source = tree.nodes.new("ShaderNodeMapping"), tree.nodes.new("ShaderNodeTexCoord")
    mapping.inputs["Scale"].default_value = (2, 1, 1)
    tree.links.new(source.outputs["UV"], mapping.inputs[0])
    tree.links.new(mapping.outputs[0], image.inputs[0])
    obj = quad(3, 2, 1, 1, material)
    obj.data.uv_layers[0].uv[2].vector = (2.25, 1.5)
    before = shown_at(obj, PLACES) * (2, 1)
    cut_mesh(root, obj, grid=False, repeats=True)
    found = shown_at(obj, PLACES) * (2, 1)
    assert ((pieces(obj) * (2, 1) > -1e-4) & (pieces(obj) * (2, 1) < 1 + 1e-4)).all()
    np.testing.assert_allclose(found, before % 1, atol=2e-3)


def test_faces_without_repetition_are_not_cut(root: Collection) -> None:
    page = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PAGE")
    for material in (brick_material(extension="EXTEND"), brick_material(extension="CLIP"), page):
        obj = quad(3, 2, 3, 2, material)
        assert cut_mesh(root, obj, grid=False, repeats=True) == (0, 0)
    moved = quad(1, 1, 0.5, 1, brick_material())
    layer = moved.data.uv_layers[0]
    for each in layer.uv:
        each.vector = (each.vector[0] + 5, each.vector[1] - 3)
    assert cut_mesh(root, moved, grid=False, repeats=True) == (0, 0)
    assert pieces(moved).min() >= 0  # although it is moved into the picture


def test_too_many_pieces_are_refused_and_nothing_changes(root: Collection) -> None:
    obj = quad(3, 2, 400, 400, brick_material())
    with pytest.raises(ExportError, match="repeat too often") as caught:
        cut_mesh(root, obj, grid=True, repeats=True)
    assert caught.value.subject == obj.name
    assert len(obj.data.polygons) == 1
