"""Edits of meshes: exactly what was edited differs in the exported level."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.formats.levels.meshes.meshes import decode_meshes, encode_block, encode_mesh
from io_tomb_raider.scene.subjects.meshes.arrays import LIGHT
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import (
    UNIT,
    changes,
    edit_bmesh,
    export_scene,
    exported,
    import_scene,
    mesh_of,
    meshes_of,
    objects,
    shown_by,
)


@each_game
def test_a_moved_vertex_changes_that_vertex_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        mesh_of(root, 2).vertices[1].co.z += 3 * UNIT

    assert changes(sample_bytes(game), edit) == [("meshes", 2, "vertices", 1, "value")]


def test_the_number_of_edited_meshes_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    assert export_result(root).rebuilt["meshes"] == 0
    for number in (1, 2):
        mesh_of(root, number).vertices[1].co.z += 3 * UNIT
    assert export_result(root).rebuilt["meshes"] == 2


@each_game
def test_the_moved_vertex_moves_by_as_much_as_in_blender(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    vertex = mesh_of(root, 2).vertices[1]
    vertex.co.x, vertex.co.y, vertex.co.z = vertex.co.x + UNIT, vertex.co.y + 2 * UNIT, vertex.co.z + 3 * UNIT
    before, after = meshes_of(read_level(data))[2], meshes_of(export_scene(root))[2]
    # Blender's z is up, the file's y is down; Blender's y is the file's z.
    assert (after.vertices[1].astype(int) - before.vertices[1]).tolist() == [1, -3, 2]


@each_game
def test_a_deleted_face_is_gone_and_the_others_stand(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        edit_bmesh(mesh_of(root, 2), lambda bm: bm.faces.remove(bm.faces[0]))

    root = import_scene(data)
    edit(root)
    before, after = meshes_of(read_level(data))[2], meshes_of(export_scene(root))[2]
    assert np.array_equal(after.vertices, before.vertices)
    assert len(after.quads) == len(before.quads) - 1
    assert np.array_equal(after.quads["vertices"], before.quads["vertices"][1:])
    assert np.array_equal(after.triangles, before.triangles)


@each_game
def test_a_deleted_vertex_takes_its_faces_and_renumbers_the_rest(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    edit_bmesh(mesh_of(root, 2), lambda bm: bm.verts.remove(bm.verts[0]))
    before, after = meshes_of(read_level(data))[2], meshes_of(export_scene(root))[2]
    assert np.array_equal(after.vertices, before.vertices[1:])
    kept = ~(before.quads["vertices"] == 0).any(axis=1)
    assert np.array_equal(after.quads["vertices"], before.quads["vertices"][kept] - 1)


@each_game
def test_a_duplicated_face_has_new_vertices_and_the_same_texture(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(bm: bmesh.types.BMesh) -> None:
        bmesh.ops.duplicate(bm, geom=[bm.faces[0]])

    root = import_scene(data)
    edit_bmesh(mesh_of(root, 2), edit)
    old, new = read_level(data), export_scene(root)
    before, after = meshes_of(old)[2], meshes_of(new)[2]
    assert len(after.vertices) == len(before.vertices) + 4
    assert len(after.quads) == len(before.quads) + 1
    shown = after.vertices[after.quads["vertices"][-1]]
    assert sorted(map(tuple, shown.tolist())) == sorted(
        map(tuple, before.vertices[before.quads["vertices"][0]].tolist())
    )
    assert after.quads["texture"][-1] == before.quads["texture"][0]
    assert len(new.object_textures) == len(old.object_textures)


@each_game
def test_a_face_of_five_corners_comes_as_triangles(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(bm: bmesh.types.BMesh) -> None:
        face = bm.faces[0]
        corner = face.verts[0].co
        ring = [bm.verts.new(corner + type(corner)((np.cos(a), np.sin(a), 1.0))) for a in np.arange(5) * 1.2]
        bm.verts.index_update()
        bm.faces.new(ring, face)

    root = import_scene(data)
    edit_bmesh(mesh_of(root, 2), edit)
    before, after = meshes_of(read_level(data))[2], meshes_of(export_scene(root))[2]
    assert len(after.vertices) == len(before.vertices) + 5
    assert len(after.triangles) == len(before.triangles) + 3
    used = after.triangles["vertices"][-3:]
    assert set(used.ravel().tolist()) == set(range(len(before.vertices), len(before.vertices) + 5))


@each_game
def test_the_collision_sphere_is_exported(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        mesh_of(root, 1).tomb_raider.radius += 5

    assert changes(sample_bytes(game), edit) == [("meshes", 1, "radius")]


@each_game
def test_painted_light_changes_the_light_of_that_vertex(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    lit = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if mesh.normals is None)

    def edit(root: Collection) -> None:
        mesh_of(root, lit).color_attributes["Color"].data[0].color_srgb = (0.5, 0.5, 0.5, 1.0)

    assert changes(data, edit) == [("meshes", lit, "lights", 0, "value")]


def test_painted_color_is_the_light_nearest_to_its_mean(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    lit = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if mesh.normals is None)
    root = import_scene(data)
    colors = mesh_of(root, lit).color_attributes["Color"].data
    colors[0].color_srgb = (101 / 255, 102 / 255, 102 / 255, 1.0)
    colors[1].color_srgb = (102 / 255, 102 / 255, 102 / 255, 1.0)
    one, other = meshes_of(export_scene(root))[lit].lights[:2].tolist()
    assert one == other


@each_game
def test_light_painted_per_corner_is_exported_too(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    lit = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if mesh.normals is None)
    root = import_scene(data)
    mesh = mesh_of(root, lit)
    mesh.color_attributes.remove(mesh.color_attributes["Color"])
    mesh.color_attributes.new("Color", "BYTE_COLOR", "CORNER")
    layer = mesh.color_attributes["Color"]
    layer.data.foreach_set("color_srgb", np.ones(4 * len(layer.data), np.float32))
    corners = np.unique([loop.vertex_index for loop in mesh.loops])
    assert not meshes_of(export_scene(root))[lit].lights[corners].any()


@each_game
def test_an_edited_normal_is_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        mesh = mesh_of(root, 2)
        layer = mesh.attributes["tr_normal"].data
        layer[0].vector = (0.0, 0.0, 16000.0)

    assert changes(data, edit) == [("meshes", 2, "normals", 0, "value")]


@each_game
def test_normals_set_by_blenders_own_tools_are_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    mesh.normals_split_custom_set_from_vertices([(0.0, 0.0, 1.0)] * len(mesh.vertices))
    after = meshes_of(export_scene(root))[2]
    used = np.unique(after.quads["vertices"])
    directions = after.normals[used] / np.linalg.norm(after.normals[used], axis=1)[:, None]
    assert np.allclose(directions, (0, -1, 0), atol=0.02)


@each_game
def test_only_edited_custom_normals_are_exported(blender: ModuleType, game: Game) -> None:
    """Blender sets custom normals of all vertices together, including unedited ones."""
    level = read_level(sample_bytes(game))
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    assert block.meshes[2].normals is not None
    before = block.meshes[2].normals.copy()
    before[2] = (9000, 9000, -9000)  # not a result of the faces around it
    raw = [mesh.raw for mesh in block.meshes]
    raw[2] = encode_mesh(game, replace(block.meshes[2], normals=before))
    level.mesh_data, level.mesh_pointers = encode_block(raw, block.pointers)
    root = import_scene(level.to_bytes())
    mesh = mesh_of(root, 2)
    normals = [vertex.normal.copy() for vertex in mesh.vertices]  # Blender's automatic ones
    normals[1] = Vector((0, 0, 1))
    normals[2] = Vector((1, -1, -1)).normalized()  # the file's
    mesh.normals_split_custom_set_from_vertices(normals)
    after = meshes_of(export_scene(root))[2].normals
    length = float(np.linalg.norm(before[1]))
    assert np.allclose(after[1], (0.0, -length, 0.0), atol=0.02 * length)
    assert np.linalg.norm(after[1]) == pytest.approx(length, abs=1)
    assert np.array_equal(np.delete(after, 1, axis=0), np.delete(before, 1, axis=0))


@each_game
def test_bytes_between_meshes_are_kept_when_another_mesh_is_edited(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    block = decode_meshes(game, level.mesh_data, level.mesh_pointers)
    gaps = {1: b"\x11\x22\x33\x44", 3: b"\x55\x66"}
    raw = [mesh.raw + gaps.get(number, b"") for number, mesh in enumerate(block.meshes)]
    level.mesh_data, level.mesh_pointers = encode_block(raw, block.pointers)
    root = import_scene(level.to_bytes())
    mesh_of(root, 2).vertices[1].co.z += 3 * UNIT
    found = export_scene(root)
    assert np.array_equal(found.mesh_pointers, level.mesh_pointers)
    (word,) = np.flatnonzero(found.mesh_data.view("<i2") != level.mesh_data.view("<i2"))
    start = int(level.mesh_pointers[block.pointers.tolist().index(2)])
    assert 2 * word == start + 12 + 6 + 2  # after the mesh's header and its first vertex: the second one's y


@each_game
def test_a_copy_of_a_mesh_becomes_a_mesh_of_its_own(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    user = next(obj for obj in root.all_objects if obj.data == mesh)
    user.data = mesh.copy()
    user.data.vertices[0].co.x += UNIT
    others = [obj for obj in root.all_objects if obj.data == mesh]
    before, after = meshes_of(read_level(data)), meshes_of(export_scene(root))
    # If others share it, the original is kept and the copy is new; else the copy replaces it.
    assert len(after) == len(before) + bool(others)
    moved = before[2].vertices + np.array([[1, 0, 0]] + [[0, 0, 0]] * (len(before[2].vertices) - 1))
    assert [np.array_equal(each.vertices, moved) for each in after].count(True) == 1


@each_game
def test_a_vertex_too_far_away_is_an_error_that_names_the_object(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    mesh.vertices[0].co.x = 70.0
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == shown_by(root, mesh)
    assert (caught.value.count, caught.value.limit) == (70 * 512, 32767)


@each_game
def test_a_face_without_a_material_is_an_error(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    mesh.materials.clear()
    mesh.vertices[0].co.x += UNIT
    with pytest.raises(ExportError, match="faces have no material: assign one"):
        export_level(root)


def test_unrepresentable_faces_are_stored_and_exported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    before = meshes_of(read_level(data))
    number, place = next(
        (i, row)
        for i, mesh in enumerate(before)
        for row, face in enumerate(mesh.quads["vertices"].tolist())
        if len(set(face)) < 4
    )
    root = import_scene(data)
    mesh = mesh_of(root, number)
    assert len(mesh.polygons) < sum(
        len(faces) for faces in (before[number].quads, before[number].triangles,
                                 before[number].colored_quads, before[number].colored_triangles)
    )  # fmt: skip
    quad = before[number].quads[place]
    # Scenes of all versions store: list, index, corners, texture, effects, layer.
    parked = list(mesh["tr_parked_faces"])
    assert parked[:9] == [0, place, *quad["vertices"].tolist(), quad["texture"], 0, 0]
    mesh.vertices[0].co.x += UNIT
    after = meshes_of(export_scene(root))[number]
    assert np.array_equal(after.quads["vertices"][place], before[number].quads["vertices"][place])
    assert len(after.quads) == len(before[number].quads)


def test_effects_of_unrepresentable_faces_are_stored(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4))
    block = decode_meshes(Game.TR4, level.mesh_data, level.mesh_pointers)
    number = next(
        i
        for i, mesh in enumerate(block.meshes)
        if any(len(set(face)) < 4 for face in mesh.quads["vertices"].tolist())
    )
    quads = block.meshes[number].quads.copy()
    quads["effects"] = 5
    raw = [mesh.raw for mesh in block.meshes]
    raw[number] = encode_mesh(Game.TR4, replace(block.meshes[number], quads=quads))
    level.mesh_data, level.mesh_pointers = encode_block(raw, block.pointers)
    mesh = mesh_of(import_scene(level.to_bytes()), number)
    assert list(mesh["tr_parked_faces"])[6:9] == [quads["texture"][-1], 5, 0]


def test_editing_and_leaving_edit_mode_changes_nothing(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    mesh = mesh_of(root, 2)
    edit_bmesh(mesh, lambda bm: None)
    assert export_level(root)[0].to_bytes() == data
    assert bpy.data.meshes[mesh.name] == mesh


def test_a_mesh_that_the_game_lights_is_neither_brighter_nor_darker(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    number = next(i for i, mesh in enumerate(meshes_of(read_level(data))) if mesh.normals is not None)
    colors = mesh_of(import_scene(data), number).color_attributes["Color"].data
    assert {round(255 * part) for each in colors for part in each.color_srgb[:3]} == {128}


@each_game
def test_light_painted_on_a_mesh_that_the_game_lights_is_a_warning(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    shown = shown_by(root, mesh)
    for color in ((1.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 1.0)):
        mesh.color_attributes["Color"].data[0].color_srgb = color
        warnings = exported(root)[1]
        assert any(warning.startswith(f"{shown}: painted light") for warning in warnings)


@pytest.mark.parametrize("way", ["joined", "drawn", "added"])
@each_game
def test_unpainted_new_vertices_are_no_painted_light(blender: ModuleType, game: Game, way: str) -> None:
    root = import_scene(sample_bytes(game))
    part = next(
        obj for obj in objects(root, "MODEL_MESH") if obj.data.polygons and LIGHT not in obj.data.attributes
    )
    before = len(part.data.vertices)
    if way == "joined":
        other = bpy.data.meshes.new("Triangle")
        other.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
        other.materials.append(part.data.materials[0])
        cube = bpy.data.objects.new("Triangle", other)
        bpy.context.collection.objects.link(cube)
        with bpy.context.temp_override(
            active_object=part, selected_editable_objects=[part, cube], object=part
        ):
            bpy.ops.object.join()
    else:

        def draw(bm: bmesh.types.BMesh) -> None:
            if way == "drawn":
                bm.faces.new([*next(iter(bm.edges)).verts, bm.verts.new((0.1, 0.2, 0.3))])
            else:
                bmesh.ops.create_cube(bm, size=0.1)

        edit_bmesh(part.data, draw)
    assert len(part.data.vertices) > before
    assert not [each for each in exported(root)[1] if "painted light" in each]


def test_unrepresentable_faces_of_deleted_vertices_are_removed_with_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    number = next(
        i
        for i, mesh in enumerate(meshes_of(read_level(data)))
        if any(len(set(face)) < 4 for face in mesh.quads["vertices"].tolist())
    )
    root = import_scene(data)
    mesh = mesh_of(root, number)
    edit_bmesh(mesh, lambda bm: bm.clear())
    level, report = export_level(root)
    text = f"{shown_by(root, mesh)}: 2 faces that Blender could not show were removed with their vertices"
    assert report.warnings == [text]
    assert not len(meshes_of(level)[number].quads)


def test_unrepresentable_faces_of_a_deleted_first_vertex_are_removed(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    number = next(
        i
        for i, mesh in enumerate(meshes_of(read_level(data)))
        if any(len(set(face)) < 4 and 0 in face for face in mesh.quads["vertices"].tolist())
    )
    root = import_scene(data)
    mesh = mesh_of(root, number)
    edit_bmesh(mesh, lambda bm: bm.verts.remove(bm.verts[0]))
    _, report = export_level(root)
    assert any(
        text.startswith(f"{shown_by(root, mesh)}: ") and "removed with their vertices" in text
        for text in report.warnings
    )
