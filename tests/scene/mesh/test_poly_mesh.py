"""Polygon meshes as arrays: operations, and exchange with Blender."""

from __future__ import annotations

from types import ModuleType

import bmesh
import bpy
import numpy as np
import pytest

from io_tomb_raider.scene.mesh.blender_mesh import read_all, read_shape, rewrite_mesh, write_mesh
from io_tomb_raider.scene.mesh.poly_mesh import MATERIAL_INDEX, PolyMesh, join, transformed


def strip() -> PolyMesh:
    """Return a quad in the plane z = 0 that faces up, an adjacent triangle, and a loose vertex."""
    positions = [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0), (3, 0, 0), (9, 9, 9)]
    return PolyMesh(
        np.array(positions, np.float32),
        np.array([0, 1, 2, 3, 1, 4, 2], np.int32),
        np.array([4, 3], np.int32),
        point={"number": np.arange(6, dtype=np.int32)},
        corner={"UVMap": np.arange(14, dtype=np.float32).reshape(7, 2)},
        face={"name": np.array([7, 8], np.int32)},
    )


def test_faces_are_chosen_in_any_order_with_their_corners_and_vertices() -> None:
    mesh = strip()
    chosen = mesh.take_faces(np.array([1, 0]))
    assert chosen.vertex_rows().tolist() == [[1, 4, 2, -1], [0, 1, 2, 3]]
    assert chosen.corner["UVMap"][:, 0].tolist() == [8, 10, 12, 0, 2, 4, 6]
    assert chosen.face["name"].tolist() == [8, 7] and len(chosen.positions) == 6
    alone = mesh.take_faces(np.array([False, True])).without_loose()
    assert alone.point["number"].tolist() == [1, 2, 4] and alone.corners.tolist() == [0, 2, 1]
    assert not mesh.take_faces(np.array([False, False])).without_loose().positions.size


def test_flipped_faces_keep_their_first_corner_and_face_the_other_way() -> None:
    mesh = strip()
    flipped = mesh.flipped()
    assert flipped.corners.tolist() == [0, 3, 2, 1, 1, 2, 4]
    assert flipped.corner["UVMap"][:, 0].tolist() == [0, 6, 4, 2, 8, 12, 10]
    assert np.array_equal(mesh.normals_by_area, [(0, 0, 4), (0, 0, 1)])
    assert np.array_equal(flipped.normals_by_area, -mesh.normals_by_area)
    assert flipped.flipped().equals(mesh) and not flipped.equals(mesh)


def test_normals_are_exact_far_from_the_origin() -> None:
    mesh = strip()
    mesh.positions = mesh.positions.astype(np.float64) + 2.0**30
    assert np.array_equal(mesh.normals_by_area, [(0, 0, 4), (0, 0, 1)])


def test_joined_meshes_have_the_attributes_of_all_and_zeros_without() -> None:
    mesh, other = strip(), strip()
    mesh.face["mark"] = np.array([1, 2], np.int32)
    other.point = {"mark": np.ones(6, np.int32)}
    other.face = {"name": np.array([1.5, 2.5], np.float32)}
    other.corner["Second"] = np.ones((7, 2), np.float32)
    joined = join([mesh, other])
    assert joined.vertex_rows()[2:].tolist() == [[6, 7, 8, 9], [7, 10, 8, -1]]
    assert joined.point.keys() == {"number"} and joined.point["number"][6:].tolist() == [0] * 6
    assert joined.face["mark"].tolist() == [1, 2, 0, 0]
    assert joined.face["name"].tolist() == [7, 8, 0, 0]  # an attribute of another type is a different one
    assert joined.corner["Second"][:, 0].tolist() == [0] * 7 + [1] * 7


def test_merged_vertices_are_named_by_their_new_numbers() -> None:
    merged = strip().merge(np.array([4, 0, 1]), np.array([1, 2, 2, 1, 0, 0]))
    assert merged.corners.tolist() == [1, 2, 2, 1, 2, 0, 2]
    assert merged.point["number"].tolist() == [4, 0, 1]


def test_points_are_moved_by_a_matrix() -> None:
    matrix = [(0, -1, 0, 5), (1, 0, 0, 0), (0, 0, 2, 0), (0, 0, 0, 1)]
    assert transformed(np.array([(1, 2, 3)], np.float32), matrix).tolist() == [[3, 1, 6]]


def test_a_mesh_comes_back_from_blender_as_it_was(blender: ModuleType) -> None:
    mesh, made = strip(), bpy.data.meshes.new("Strip")
    mesh.point["Light"] = np.ones((6, 4), np.float32)
    write_mesh(made, mesh)
    mesh.face[MATERIAL_INDEX] = np.zeros(2, np.int32)
    assert read_all(made).equals(mesh)
    assert made.uv_layers["UVMap"] and made.color_attributes["Light"].data_type == "FLOAT_COLOR"
    assert read_shape(made).vertex_rows().tolist() == mesh.vertex_rows().tolist()


@pytest.mark.parametrize("edited", [False, True])
def test_a_rewritten_mesh_keeps_the_types_and_roles_of_its_layers(blender: ModuleType, edited: bool) -> None:
    made = bpy.data.meshes.new("Strip")
    write_mesh(made, strip())
    made.uv_layers.new(name="Second").active_render = True
    made.color_attributes.new("Bytes", "BYTE_COLOR", "CORNER")
    obj = bpy.data.objects.new("Strip", made)
    bpy.context.scene.collection.objects.link(obj)
    if edited:
        bpy.context.view_layer.objects.active = obj
        bpy.ops.object.mode_set(mode="EDIT")
    rewrite_mesh(made, read_all(made).take_faces(np.array([1])))
    if edited:
        assert len(bmesh.from_edit_mesh(made).faces) == 1
        bpy.ops.object.mode_set(mode="OBJECT")
    assert (len(made.polygons), made.color_attributes["Bytes"].data_type) == (1, "BYTE_COLOR")
    assert edited or made.uv_layers["Second"].active_render
    assert made.attributes["name"].data[0].value == 8
