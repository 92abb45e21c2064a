"""Static meshes placed in rooms: moved, rotated, added, deleted, exchanged."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, matrix_of, objects


def statics(level: Level, room: int = 0) -> Any:
    return level.rooms[room].static_meshes


@each_game
def test_placements_stand_where_the_game_draws_them(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    bpy.context.view_layer.update()
    records = np.concatenate([room.static_meshes for room in level.rooms])
    objs = objects(root, "PLACEMENT")
    assert len(objs) == len(records) > 0
    for obj, record in zip(objs, records, strict=True):
        x, y, z = (int(record[axis]) for axis in "xyz")
        assert tuple(matrix_of(obj).translation) == (x * UNIT, z * UNIT, -y * UNIT)
        # Angles of the file are clockwise, seen from above.
        turned = matrix_of(obj).to_3x3() @ Vector((0, 1, 0))
        angle = record["angle"] * np.pi / 0x8000
        assert np.allclose(turned, (np.sin(angle), np.cos(angle), 0), atol=1e-6)
        library = obj.tomb_raider.placement.static_mesh
        assert library.tomb_raider.static_mesh.id == record["static_mesh"]
        assert obj.data == library.data


@each_game
@pytest.mark.parametrize("rebuild", [False, True])
def test_a_placement_that_a_constraint_holds_in_another_room_is_in_that_room(
    blender: ModuleType, game: Game, rebuild: bool
) -> None:
    level, root = read_level(sample_bytes(game)), import_scene(sample_bytes(game))
    entity = next(
        obj
        for obj, record in zip(objects(root, "ENTITY"), level.entities, strict=True)
        if record["room"] == 1
    )
    objects(root, "PLACEMENT")[0].constraints.new("COPY_LOCATION").target = entity
    bpy.context.view_layer.update()
    written, _ = export_level(root, rebuild=rebuild)
    assert len(statics(written)) == len(statics(level)) - 1
    assert len(statics(written, 1)) == len(statics(level, 1)) + 1


@each_game
def test_a_moved_placement_changes_its_position_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        objects(root, "PLACEMENT")[1].location.x += 5 * UNIT
        objects(root, "PLACEMENT")[1].location.z += 3 * UNIT

    data = sample_bytes(game)
    assert set(changes(data, edit)) == {("rooms", 0, "static_meshes", 1, axis) for axis in "xy"}


@each_game
def test_a_moved_placement_moves_by_as_much_as_in_blender(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "PLACEMENT")[0].location += Vector((2, 3, 4)) * UNIT
    old, new = statics(read_level(data))[0], statics(export_scene(root))[0]
    assert [int(new[axis]) - int(old[axis]) for axis in "xyz"] == [2, -4, 3]


@each_game
def test_a_turned_placement_turns_like_in_blender(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "PLACEMENT")[0].rotation_euler.z -= np.pi / 2
    old, new = statics(read_level(data))[0], statics(export_scene(root))[0]
    assert (int(new["angle"]) - int(old["angle"])) % 0x10000 == 0x4000


@each_game
def test_a_copy_is_added_behind_the_others_and_a_deleted_one_is_gone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objs = objects(root, "PLACEMENT")
    added = copy_of(objs[0])
    added.location.y += 100 * UNIT
    bpy.data.objects.remove(objs[1])
    old, new = statics(read_level(data)), statics(export_scene(root))
    assert np.array_equal(new[:-1], np.delete(old, 1))
    expected = old[0].copy()
    expected["z"] += 100
    assert new[-1] == expected


@each_game
def test_a_placement_moved_to_another_room_is_listed_there(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj, room = objects(root, "PLACEMENT")[0], objects(root, "ROOM")[1]
    bpy.context.view_layer.update()
    place = obj.matrix_world.copy()
    obj.parent = room
    bpy.context.view_layer.update()
    obj.matrix_world = place
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(statics(new, 0), statics(old, 0)[1:])
    assert np.array_equal(statics(new, 1)[:-1], statics(old, 1))
    assert statics(new, 1)[-1] == statics(old, 0)[0]


@each_game
def test_a_placement_without_a_parent_belongs_to_its_collections_room(
    blender: ModuleType, game: Game
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = objects(root, "PLACEMENT")[0]
    bpy.context.view_layer.update()
    place = obj.matrix_world.copy()
    obj.parent = None
    obj.matrix_basis = place
    assert export_scene(root).to_bytes() == data


@each_game
def test_exchanging_the_mesh_or_the_static_mesh_exchanges_the_id(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    for by_mesh in (True, False):
        start_empty()

        def edit(root: Collection, by_mesh: bool = by_mesh) -> None:
            obj, other = objects(root, "PLACEMENT")[0], objects(root, "STATIC_MESH")[1]
            assert obj.tomb_raider.placement.static_mesh != other
            if by_mesh:
                obj.data = other.data
            else:
                obj.tomb_raider.placement.static_mesh = other
                obj.data = other.data

        assert changes(data, edit) == [("rooms", 0, "static_meshes", 0, "static_mesh")]


@each_game
def test_light_and_tint_are_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    settings = objects(root, "PLACEMENT")[0].tomb_raider.placement
    settings.intensity, settings.color = 1234, (1.0, 0.5, 0.0)
    record = statics(export_scene(root))[0]
    if game <= Game.TR2:
        assert record["intensity"] == 1234
    else:
        assert record["color"] == 31 | 16 << 5  # red is in the low bits, unlike in vertices


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_every_tint_survives(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    records = np.repeat(statics(level)[:1], 64)
    records["color"] = np.linspace(0, 0xFFFF, 64).astype(np.uint16)
    records["unused"] = np.arange(64) * 1000
    level.rooms[0].static_meshes = records
    data = level.to_bytes()
    root = import_scene(data)
    assert np.array_equal(statics(export_scene(root)), records)
    assert np.array_equal(statics(export_scene(root, rebuild=True)), records)


@each_game
def test_every_angle_survives(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    records = np.repeat(statics(level)[:1], 300)
    records["angle"] = np.random.default_rng(int(game)).integers(0, 0x10000, 300)
    level.rooms[0].static_meshes = records
    root = import_scene(level.to_bytes())
    assert np.array_equal(statics(export_scene(root)), records)


@pytest.mark.parametrize("scale", [1 / 1000, 1 / 512, 0.0017, 1.0])
def test_every_scale_is_exact(blender: ModuleType, scale: float) -> None:
    data = sample_bytes(Game.TR4)
    root = import_level(data, ImportOptions(scale=scale)).root
    assert export_scene(root).to_bytes() == data


def test_the_id_of_an_unknown_static_mesh_is_kept(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4))
    level.rooms[0].static_meshes = statics(level).copy()
    level.rooms[0].static_meshes["static_mesh"][0] = 77
    data = level.to_bytes()
    root = import_scene(data)
    assert objects(root, "PLACEMENT")[0].data is None
    assert export_scene(root).to_bytes() == data


def test_placements_of_a_deleted_static_mesh_are_left_out_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    library = objects(root, "STATIC_MESH")[0]
    number = library.tomb_raider.static_mesh.id
    gone = [each for each in objects(root, "PLACEMENT") if each.tomb_raider.placement.static_mesh == library]
    names = [each.name for each in gone]
    bpy.data.objects.remove(library)
    level, report = export_level(root)
    assert number not in [int(each) for room in level.rooms for each in room.static_meshes["static_mesh"]]
    told = [each for each in report.warnings if "removed from the library" in each]
    assert names and [each.partition(":")[0] for each in told] == names


def test_a_placement_without_a_static_mesh_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = objects(root, "PLACEMENT")[0]
    obj.data = bpy.data.meshes.new("Own")
    obj.tomb_raider.placement.static_mesh = None
    obj.tomb_raider.placement.id = 99
    with pytest.raises(ExportError, match="no static mesh 99") as caught:
        export_scene(root)
    assert caught.value.subject == obj.name


def test_scaled_and_tilted_placements_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    scaled, tilted, other = objects(root, "PLACEMENT")[:3]
    scaled.scale = (2, 2, 2)
    tilted.rotation_euler.x = 0.5
    other.data = other.data.copy()
    _, report = export_level(root)
    text = "\n".join(report.warnings)
    assert f"{scaled.name}: it is scaled" in text
    assert f"{tilted.name}: it is tilted" in text
    assert f"{other.name}: its mesh" in text


def test_an_untouched_level_gives_no_warning(blender: ModuleType) -> None:
    for game in Game:
        start_empty()
        result = export_result(import_scene(sample_bytes(game)))
        assert (result.report.warnings, dict(result.rebuilt)) == ([], {})


def test_subjects_that_are_not_imported_are_kept(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    for option in ("static_meshes", "rooms", "lights", "sprites", "entities", "models"):
        start_empty()
        left_out: dict[str, Any] = {option: False}
        root = import_level(data, ImportOptions(**left_out)).root
        assert export_scene(root).to_bytes() == data, option


@each_real_level
def test_real_placements_come_back_when_rebuilt(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    root = import_level(data).root
    rebuilt, _ = export_level(root, rebuild=True)
    for old, new in zip(level.rooms, rebuilt.rooms, strict=True):
        assert np.array_equal(new.static_meshes, old.static_meshes)
