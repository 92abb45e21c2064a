"""The library of static meshes: its records and their meshes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.static_meshes.new import box_of
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.ui import pending
from tests.compare import differences
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import UNIT, changes, copy_of, edit_bmesh, export_scene, import_scene, objects


def shown_mesh(level: Level, row: int) -> Mesh:
    """Return the mesh that a game draws for a static mesh."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return block.meshes[block.pointers[level.static_meshes["mesh"][row]]]


@each_game
def test_the_library_shares_the_meshes_of_the_mesh_block(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    library = objects(root, "STATIC_MESH")
    assert [obj.tomb_raider.static_mesh.id for obj in library] == level.static_meshes["id"].tolist()
    for row, obj in enumerate(library):
        points = np.array([vertex.co for vertex in obj.data.vertices])
        file_points = np.stack((points[:, 0], -points[:, 2], points[:, 1]), axis=1) / UNIT
        assert np.array_equal(file_points, shown_mesh(level, row).vertices)


@each_game
def test_an_edited_property_changes_that_field_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        settings = objects(root, "STATIC_MESH")[1].tomb_raider.static_mesh
        settings.visibility_box[3] += 1
        settings.flags = 3

    assert set(changes(sample_bytes(game), edit)) == {
        ("static_meshes", 1, "visibility_box"),
        ("static_meshes", 1, "flags"),
    }


@each_game
def test_a_static_mesh_may_show_another_mesh(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    first, second = objects(root, "STATIC_MESH")[:2]
    first.data = second.data
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(shown_mesh(new, 0).vertices, shown_mesh(old, 1).vertices)
    assert np.array_equal(shown_mesh(new, 1).vertices, shown_mesh(old, 1).vertices)


@each_game
def test_a_copy_in_the_library_is_new_with_a_free_id_and_a_mesh_of_its_own(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    added = copy_of(objects(root, "STATIC_MESH")[0])
    added.data = added.data.copy()
    added.data.vertices[0].co.x += 8 * UNIT
    old, new = read_level(data), export_scene(root)
    assert new.static_meshes[:-1]["id"].tolist() == old.static_meshes["id"].tolist()
    assert new.static_meshes["id"][-1] not in old.static_meshes["id"]
    assert new.static_meshes["collision_box"][-1].tolist() == old.static_meshes["collision_box"][0].tolist()
    expected = shown_mesh(old, 0).vertices.copy()
    expected[0, 0] += 8
    assert np.array_equal(shown_mesh(new, len(old.static_meshes)).vertices, expected)
    assert np.array_equal(shown_mesh(new, 0).vertices, shown_mesh(old, 0).vertices)


def test_placements_of_a_copy_are_written_with_its_id(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    added = copy_of(objects(root, "STATIC_MESH")[0])
    placement = objects(root, "PLACEMENT")[0]
    placement.tomb_raider.placement.static_mesh = added
    new = export_scene(root)
    assert new.rooms[0].static_meshes["static_mesh"][0] == new.static_meshes["id"][-1]


def test_a_static_mesh_without_a_mesh_is_an_error_that_names_it(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = bpy.data.objects.new("Nothing", None)
    obj.tomb_raider.kind = "STATIC_MESH"
    objects(root, "STATIC_MESH")[0].users_collection[0].objects.link(obj)
    with pytest.raises(ExportError, match="Nothing"):
        export_scene(root)


def test_a_box_beyond_the_files_range_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = objects(root, "STATIC_MESH")[0]
    obj.tomb_raider.static_mesh.collision_box[1] = 40000
    with pytest.raises(ExportError) as caught:
        export_scene(root)
    assert (caught.value.subject, caught.value.count, caught.value.limit) == (obj.name, 40000, 0x7FFF)


def test_a_record_with_an_invalid_mesh_pointer_is_kept(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.static_meshes = level.static_meshes.copy()
    level.static_meshes["mesh"][1] = 9999
    data = level.to_bytes()
    assert export_scene(import_scene(data)).to_bytes() == data


@each_real_level
def test_real_libraries_come_back_when_rebuilt(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    root = import_level(data).root
    result = export_result(root)
    assert np.array_equal(result.level.static_meshes, level.static_meshes)
    assert "static_meshes" not in result.rebuilt
    rebuilt, _ = export_level(root, rebuild=True)
    assert np.array_equal(rebuilt.static_meshes, level.static_meshes)


@each_game
def test_an_added_mesh_in_the_library_is_a_new_static_mesh(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.context.view_layer.update()
    library, placed = objects(root, "STATIC_MESH")[0].users_collection[0], objects(root, "PLACEMENT")[0]
    mesh = bpy.data.meshes.new("Crate")
    edit_bmesh(mesh, lambda bm: bmesh.ops.create_cube(bm, size=1.0, calc_uvs=True))
    mesh.materials.append(placed.data.materials[0])
    crate, copy = (bpy.data.objects.new(name, mesh) for name in ("Crate", "Placed"))
    library.objects.link(crate)
    root.objects.link(copy)  # so that it is found first
    copy.matrix_world = placed.matrix_world
    bpy.context.view_layer.update()
    pending.work()
    old = read_level(data)
    free = min(set(range(99)) - set(old.static_meshes["id"].tolist()))
    assert (crate.tomb_raider.kind, crate.tomb_raider.static_mesh.id) == ("STATIC_MESH", free)
    mesh.vertices[7].co.z = 1.0  # after it was adopted
    level, report = export_level(root)
    assert "Crate: it is new in the library: it is exported with the id " + str(free) in report.warnings
    new = read_level(level.to_bytes())
    record = new.static_meshes[-1]
    assert len(new.static_meshes) == len(old.static_meshes) + 1
    assert (record["id"], record["flags"]) == (free, 2)
    for name in ("visibility_box", "collision_box"):
        assert record[name].tolist() == [-256, 256, -512, 256, -256, 256]
    corners = shown_mesh(new, -1).vertices
    assert sorted(map(tuple, corners.tolist()))[0] == (-256, -256, -256)
    assert corners[:, 1].min() == -512
    added = new.rooms[0].static_meshes[-1]
    twin = old.rooms[0].static_meshes[0]
    assert added["static_mesh"] == free
    assert [added[axis] for axis in "xyz"] == [twin[axis] for axis in "xyz"]


@pytest.mark.parametrize("has_faces", [False, True], ids=["no faces", "no material"])
def test_meshes_without_faces_or_materials_are_left_out_with_a_warning(
    blender: ModuleType, has_faces: bool
) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = bpy.data.objects.new("Dot", bpy.data.meshes.new("Dot"))
    if has_faces:
        edit_bmesh(obj.data, lambda bm: bmesh.ops.create_cube(bm, size=1.0))
    objects(root, "STATIC_MESH")[0].users_collection[0].objects.link(obj)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert report.warnings == ["Dot: it is left out: give it faces and a material, to make it a static mesh"]


@each_game
def test_lara_walks_through_a_static_mesh_without_collision(blender: ModuleType, game: Game) -> None:
    """A flag in TR1 to TR3, a box without size in later games; see the documentation, chapter 5.3."""
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    obj = objects(root, "STATIC_MESH")[1]
    settings = obj.tomb_raider.static_mesh
    assert settings.has_collision
    settings.has_collision = False
    assert not settings.has_collision
    (changed,) = differences(level, new := export_scene(root))
    if game <= Game.TR3:
        assert changed == ("static_meshes", 1, "flags") and new.static_meshes["flags"][1] & 1
    else:
        assert changed == ("static_meshes", 1, "collision_box")
        assert new.static_meshes["collision_box"][1].tolist() == [1] * 6
    settings.has_collision = True
    assert export_level(root)[0].to_bytes() == data
    # A file's box without size gets the size of the mesh.
    settings.collision_box = [0] * 6
    settings.former_box = [0] * 6
    assert not settings.has_collision
    settings.has_collision = True
    assert list(settings.collision_box) == box_of(obj.data, Space.of(root), "", Report()).tolist()
    # A new static mesh has collision of that size, unless it is switched off.
    made = copy_of(obj)
    made.tomb_raider.index = -1
    made.tomb_raider.static_mesh.collision_box = [0] * 6
    assert made.tomb_raider.static_mesh.has_collision
    made.tomb_raider.static_mesh.has_collision = False
    record = export_scene(root).static_meshes[-1]
    assert bool(record["flags"] & 1) if game <= Game.TR3 else record["collision_box"].tolist() == [1] * 6


@pytest.mark.parametrize("source", Game)
@pytest.mark.parametrize("target", Game)
def test_collision_of_static_meshes_is_converted(blender: ModuleType, source: Game, target: Game) -> None:
    if source is target:
        return
    root = import_scene(sample_bytes(source))
    for obj in objects(root, "STATIC_MESH")[1:]:
        obj.tomb_raider.static_mesh.has_collision = False
    had = [obj.tomb_raider.static_mesh.has_collision for obj in objects(root, "STATIC_MESH")]
    convert_level(root, target)
    found = [obj.tomb_raider.static_mesh.has_collision for obj in objects(root, "STATIC_MESH")]
    assert found == had and set(had) == {True, False}
    if target <= Game.TR3:  # engines of TR1 and TR2 ask the flag alone
        flags = export_scene(root).static_meshes["flags"]
        assert [not flag & 1 for flag in flags.tolist()] == had
