"""Portals: quads that face their room and point at another one, and their export."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.space import world_matrix
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.compare import Path, differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, objects, room_object
from ...subjects.rooms.sample_rooms import CORRIDOR, FLOODED, HALL, WATER, portal_to


def row_of(data: bytes, number: int, other: int) -> int:
    """Return which of a room's portals leads to another."""
    return int(read_level(data).rooms[number].portals["room"].tolist().index(other))


@each_game
def test_portals_have_the_place_and_direction_of_the_file(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    layers = bpy.context.view_layer.layer_collection.children[root.name].children
    assert layers["Portals"].exclude
    layers["Portals"].exclude = False
    bpy.context.view_layer.update()
    objs = iter(objects(root, "PORTAL"))
    for number, room in enumerate(level.rooms):
        for record in room.portals:
            obj = next(objs)
            assert obj.parent == room_object(root, number)
            assert obj.tomb_raider.portal.room == room_object(root, int(record["room"]))
            for vertex, (x, y, z) in zip(obj.data.vertices, record["vertices"].tolist(), strict=True):
                place = ((x + room.x) * UNIT, (z + room.z) * UNIT, -y * UNIT)
                # Portals of hidden alternate rooms are not evaluated.
                assert tuple(world_matrix(obj) @ vertex.co) == place
            x, y, z = record["normal"].tolist()
            assert tuple(obj.data.polygons[0].normal) == (x, z, -y)
    assert next(objs, None) is None


@each_game
def test_every_portal_has_bounds_of_its_own(blender: ModuleType, game: Game) -> None:
    root = import_level(sample_bytes(game)).root  # not from a file, as that stores no bounds
    objs = objects(root, "PORTAL")
    assert len(objs) > 1
    for obj in objs:
        points, bounds = np.array([vertex.co for vertex in obj.data.vertices]), np.array(obj.bound_box)
        assert bounds.min(0).tolist() == points.min(0).tolist()
        assert bounds.max(0).tolist() == points.max(0).tolist()


def moved(root: Collection) -> None:
    portal_to(root, HALL, WATER).location.z -= 256 * UNIT


def moved_corner(root: Collection) -> None:
    portal_to(root, HALL, WATER).data.vertices[0].co.x -= 1024 * UNIT


def flipped(root: Collection) -> None:
    portal_to(root, HALL, WATER).data.flip_normals()


def turned_by_its_object(root: Collection) -> None:
    portal_to(root, HALL, WATER).scale.z = -1.0  # flat along z: only the side changes


def led_elsewhere(root: Collection) -> None:
    portal_to(root, HALL, WATER).tomb_raider.portal.room = room_object(root, FLOODED)


PLACE = ("rooms", HALL, "portals")


@each_game
@pytest.mark.parametrize(
    ("edit", "fields"),
    [
        (moved, {"vertices"}),
        (moved_corner, {"vertices"}),
        (flipped, {"vertices", "normal"}),
        (turned_by_its_object, {"vertices", "normal"}),
        (led_elsewhere, {"room"}),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_an_edit_changes_that_portal_alone(
    blender: ModuleType, game: Game, edit: Any, fields: set[str]
) -> None:
    data = sample_bytes(game)
    row = row_of(data, HALL, WATER)
    found = [path for path in changes(data, edit) if path[2] == "portals"]
    assert {path[:4] for path in found} <= {(*PLACE, row)}
    assert {path[4] for path in found} == fields


@each_game
def test_a_flipped_portal_looks_the_other_way(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    flipped(root)
    row = row_of(data, HALL, WATER)
    before, after = read_level(data).rooms[HALL].portals[row], export_scene(root).rooms[HALL].portals[row]
    assert after["normal"].tolist() == (-before["normal"]).tolist()
    assert sorted(after["vertices"].tolist()) == sorted(before["vertices"].tolist())


@each_game
def test_a_turned_portal_has_the_normal_of_its_new_side(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj, row = portal_to(root, HALL, CORRIDOR), row_of(data, HALL, CORRIDOR)
    obj.rotation_euler.z = np.pi / 2
    before, after = read_level(data).rooms[HALL].portals[row], export_scene(root).rooms[HALL].portals[row]
    x, y, z = before["normal"].tolist()
    assert after["normal"].tolist() == [-z, y, x]


@each_game
def test_a_deleted_portal_is_gone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.objects.remove(portal_to(root, HALL, WATER))
    level, report = export_level(root)
    old, new = read_level(data), read_level(level.to_bytes())
    expected = np.delete(old.rooms[HALL].portals, row_of(data, HALL, WATER))
    assert np.array_equal(new.rooms[HALL].portals, expected)
    assert np.array_equal(new.rooms[WATER].portals, old.rooms[WATER].portals)
    # Now no room sees the water, which is reported.
    assert len([text for text in report.warnings if "none back" in text]) == 1


@each_game
def test_a_copied_portal_is_one_more(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = portal_to(root, HALL, WATER)
    made = obj.copy()
    made.data = obj.data.copy()
    obj.users_collection[0].objects.link(made)
    made.location.x += 2048 * UNIT
    old, new = read_level(data).rooms[HALL].portals, export_scene(root).rooms[HALL].portals
    assert np.array_equal(new[:-1], old)
    source = old[row_of(data, HALL, WATER)]
    assert new[-1]["room"] == source["room"]
    assert (new[-1]["vertices"] - source["vertices"]).tolist() == [[2048, 0, 0]] * 4


@each_game
def test_a_portal_to_a_room_that_never_was_is_kept(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    for room in level.rooms[:1]:
        room.portals = room.portals.copy()
        room.portals["room"][0] = 999
        room.portals["normal"][0] = (5, -7, 300)
    data = level.to_bytes()
    assert export_level(import_scene(data))[0].to_bytes() == data
    assert differences(read_level(data), export_scene(import_scene(data), rebuild=True), rebuilt=True) == []


@each_game
def test_a_portal_without_a_room_is_left_out_with_a_warning(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = portal_to(root, HALL, WATER)
    obj.tomb_raider.portal.room = None
    level, report = export_level(root)
    assert any(obj.name in text for text in report.warnings)
    assert len(level.rooms[HALL].portals) == len(read_level(sample_bytes(game)).rooms[HALL].portals) - 1


@pytest.mark.parametrize("problem", ["vertices", "far", "flat"])
def test_invalid_portals_are_refused_by_name(blender: ModuleType, problem: str) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = portal_to(root, HALL, WATER)
    if problem == "vertices":
        obj.data.vertices.add(1)
    elif problem == "far":
        obj.location.x += 1e5 * UNIT
    else:
        obj.scale = (0.0, 0.0, 0.0)
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == obj.name


def test_a_portal_to_a_room_of_another_level_is_left_out_with_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    obj = portal_to(root, HALL, WATER)
    obj.tomb_raider.portal.room = room_object(import_scene(sample_bytes(Game.TR2)), 0)
    level, report = export_level(root)
    assert len(level.rooms[HALL].portals) == len(read_level(data).rooms[HALL].portals) - 1
    assert any(each.startswith(f"{obj.name}: ") and "left out" in each for each in report.warnings)


@each_game
def test_portals_that_are_not_imported_are_kept(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(portals=False)).root
    assert not objects(root, "PORTAL")
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_portals_follow_a_deleted_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    room = room_object(root, WATER)
    bpy.data.batch_remove([room, *room.children_recursive])
    found: list[Path] = []
    old, new = read_level(data), export_scene(root)
    found += [("count", len(new.rooms) - len(old.rooms))]
    assert found == [("count", -1)]
    assert new.rooms[HALL].portals["room"].tolist() == [CORRIDOR]
    assert new.rooms[2].portals["room"].tolist() == [HALL]  # the flooded corridor, which was the fourth


def test_a_portal_that_is_not_planar_is_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    assert not any("not in a plane" in text for text in export_level(root)[1].warnings)
    obj = portal_to(root, HALL, WATER)
    obj.data.vertices[0].co.z += 512 * UNIT
    warnings = export_level(root)[1].warnings
    assert any(text.startswith(f"{obj.name}: its corners are not in a plane") for text in warnings)


@pytest.mark.parametrize("is_new", [False, True], ids=["edited", "added"])
def test_a_portal_that_is_no_rectangle_is_reported(blender: ModuleType, is_new: bool) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = portal_to(root, HALL, WATER)
    if is_new:
        obj = copy_of(obj)
        obj.data = obj.data.copy()
    for vertex in obj.data.vertices:
        vertex.co.z += 256 * UNIT
    assert not any("not a rectangle" in text for text in export_level(root)[1].warnings)
    obj.data.vertices[0].co.x += 512 * UNIT
    warnings = export_level(root)[1].warnings
    assert any(text.startswith(f"{obj.name}: it is not a rectangle") for text in warnings)
