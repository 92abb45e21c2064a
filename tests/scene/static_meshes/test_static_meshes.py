"""The library of static meshes: its records, and the meshes that they lead to."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.meshes.meshes import Mesh, decode_meshes
from io_tomb_raider.scene.exporter import export_level
from io_tomb_raider.scene.importer import import_level
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes

from ..scenes import UNIT, changes, copy_of, export_scene, import_scene, objects


def shown_mesh(level: Level, row: int) -> Mesh:
    """Return the mesh that a game draws for a static mesh."""
    block = decode_meshes(level.game, level.mesh_data, level.mesh_pointers)
    return block.meshes[block.pointers[level.static_meshes["mesh"][row]]]


@each_game
def test_the_library_shares_the_meshes_of_the_mesh_block(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    library = objects(root, "STATIC_MESH")
    assert [thing.tomb_raider.static_mesh.id for thing in library] == level.static_meshes["id"].tolist()
    for row, thing in enumerate(library):
        points = np.array([vertex.co for vertex in thing.data.vertices])
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
    thing = bpy.data.objects.new("Nothing", None)
    thing.tomb_raider.kind = "STATIC_MESH"
    objects(root, "STATIC_MESH")[0].users_collection[0].objects.link(thing)
    with pytest.raises(ExportError, match="Nothing"):
        export_scene(root)


def test_a_box_beyond_the_files_range_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    thing = objects(root, "STATIC_MESH")[0]
    thing.tomb_raider.static_mesh.collision_box[1] = 40000
    with pytest.raises(ExportError) as caught:
        export_scene(root)
    assert (caught.value.subject, caught.value.count, caught.value.limit) == (thing.name, 40000, 0x7FFF)


def test_a_record_whose_pointer_leads_nowhere_stays(blender: ModuleType) -> None:
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
    untouched, report = export_level(root)
    assert np.array_equal(untouched.static_meshes, level.static_meshes)
    assert "static_meshes" not in report.rebuilt
    rebuilt, _ = export_level(root, rebuild=True)
    assert np.array_equal(rebuilt.static_meshes, level.static_meshes)
