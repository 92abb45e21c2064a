"""Tools that make, duplicate, delete and connect rooms, and show them flipped."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, read_level
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.portals.room_tools import (
    delete_room,
    duplicate_room,
    make_room,
    open_portals,
)
from io_tomb_raider.scene.subjects.rooms.flipping import (
    ALL,
    flip_groups,
    flip_pairs,
    is_flipped,
    show_flipped,
)
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, export_scene, import_scene, objects, room_object
from .sample_rooms import (
    CORRIDOR,
    FLOODED,
    HALL,
    WATER,
    assert_rooms_mean_the_same,
    imported_room,
    portal_to,
    room_map,
)

SECTOR = 1024 * UNIT


def add_box(place: tuple[float, float, float], size: tuple[float, float, float]) -> Any:
    """Add a box that is visible from within, by its least corner and size, both in sectors."""
    mesh = bpy.data.meshes.new("Chamber")
    low, high = np.zeros(3), np.array(size) * SECTOR
    corners = [[(low, high)[n >> axis & 1][axis] for axis in range(3)] for n in range(8)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], faces)
    mesh.uv_layers.new(name="UVMap")
    mesh.materials.append(next(m for m in bpy.data.materials if m.tomb_raider.kind == "PAGE"))
    obj = bpy.data.objects.new("Chamber", mesh)
    obj.location = [each * SECTOR for each in place]
    bpy.context.scene.collection.objects.link(obj)
    return obj


# --- Making rooms ----------------------------------------


@each_game
def test_a_mesh_becomes_a_room_with_walls_around(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = add_box((40.0, 30.0, 2.0), (3.0, 2.0, 1.5))
    seen = {tuple(round(part, 4) for part in obj.matrix_basis @ v.co) for v in obj.data.vertices}
    make_room(root, obj)
    assert {tuple(round(part, 4) for part in obj.matrix_basis @ v.co) for v in obj.data.vertices} == seen
    old, new = read_level(data), export_scene(root)
    room = new.rooms[-1]
    assert len(new.rooms) == len(old.rooms) + 1
    assert (room.x, room.z, room.x_sectors, room.z_sectors) == (39 * 1024, 29 * 1024, 5, 4)
    assert (room.y_bottom, room.y_top) == (-2048, -3584)
    grid = room.sectors.reshape(5, 4)
    assert (grid["floor"][1:-1, 1:-1] == -8).all()
    assert (grid["ceiling"][1:-1, 1:-1] == -14).all()
    border = np.ones((5, 4), bool)
    border[1:-1, 1:-1] = False
    assert (grid["floor"][border] == -127).all()
    assert (grid["room_below"] == 255).all()
    assert (grid["room_above"] == 255).all()
    assert len(room.vertices) == 8
    assert len(room.quads) == 6
    assert room.alternate_room == -1
    for before, after in zip(old.rooms, new.rooms[:-1], strict=True):
        assert np.array_equal(before.quads["vertices"], after.quads["vertices"])


def test_sectors_of_a_new_room_are_as_near_as_steps_allow(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    make_room(root, add_box((40.0, 30.0, 1.93), (3.0, 2.0, 1.5)))
    room = export_scene(root).rooms[-1]
    assert (room.y_bottom, room.y_top) == (-1976, -3512)
    inner = room.sectors[room.sectors["floor"] != -127]
    assert set(inner["floor"].tolist()) == {-8} and set(inner["ceiling"].tolist()) == {-14}


@each_game
def test_lights_and_entities_in_a_new_room_belong_to_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = add_box((40.0, 30.0, 0.0), (3.0, 3.0, 2.0))
    make_room(root, obj)
    light = objects(root, "LIGHT")[0]
    made: Any = light.copy()
    made.data = light.data.copy()
    made.tomb_raider.index = -1
    made.parent = None
    made.location = (41.5 * SECTOR, 31.5 * SECTOR, SECTOR)
    made.parent = obj
    made.matrix_parent_inverse = obj.matrix_basis.inverted()
    obj.users_collection[0].objects.link(made)
    entity = objects(root, "ENTITY")[1]
    entity.parent = None
    entity.tomb_raider.entity.room = obj
    entity.location = (41.5 * SECTOR, 31.5 * SECTOR, 0.0)
    new = export_scene(root)
    assert len(new.rooms[-1].lights) == 1
    assert int(new.rooms[-1].lights["x"][0]) == 41 * 1024 + 512
    assert int(new.entities["room"][1]) == len(new.rooms) - 1


def test_only_a_plain_mesh_becomes_a_room(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    empty = bpy.data.objects.new("Empty", None)
    for obj in (room_object(root, 0), empty):
        with pytest.raises(ExportError) as caught:
            make_room(root, obj)
        assert caught.value.subject == obj.name


def test_a_new_room_may_not_outgrow_its_corner(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = add_box((40.0, 30.0, 0.0), (3.0, 3.0, 2.0))
    make_room(root, obj)
    obj.data.vertices[0].co.x -= SECTOR
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert caught.value.subject == obj.name


# --- Duplicating and deleting ----------------------------------------


@each_game
@pytest.mark.parametrize("number", [HALL, CORRIDOR])
def test_a_duplicated_room_holds_the_same(blender: ModuleType, game: Game, number: int) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    made = duplicate_room(root, room_object(root, number))
    assert made.users_collection[0] != imported_room(root, number).users_collection[0]
    old, new = read_level(data), export_scene(root)
    assert_rooms_mean_the_same(old, new, room_map(len(old.rooms)), [number], [2])
    for section in ("lights", "static_meshes", "sprites", "fog_bulbs", "portals"):
        before, after = getattr(old.rooms[number], section, None), getattr(new.rooms[-1], section, None)
        assert np.array_equal(before, after), section  # type: ignore[arg-type]


@each_game
def test_a_duplicate_moves_and_its_original_stays(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    made = duplicate_room(root, room_object(root, HALL))
    made.location.x += 16 * SECTOR
    old, new = read_level(data), export_scene(root)
    assert new.rooms[-1].x == old.rooms[HALL].x + 16 * 1024
    assert new.rooms[HALL].x == old.rooms[HALL].x
    for section in ("lights", "static_meshes"):
        before, after = (getattr(room, section)["x"] for room in (old.rooms[HALL], new.rooms[-1]))
        assert after.tolist() == [x + 16 * 1024 for x in before.tolist()]


@each_game
def test_a_room_is_deleted_with_its_inhabitants(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    homes = len(bpy.data.collections)
    outcome = delete_room(root, room_object(root, CORRIDOR), with_inhabitants=True)
    assert len(bpy.data.collections) == homes - 1
    old = read_level(data)
    assert len(outcome.deleted) >= sum(int(room) == CORRIDOR for room in old.entities["room"])
    assert outcome.kept == []
    new = export_scene(root)
    kept = [int(room) for room in old.entities["room"] if room != CORRIDOR]
    numbers = room_map(len(old.rooms), [CORRIDOR])
    assert new.entities["room"].tolist() == [numbers[room] for room in kept]


@each_game
def test_deleting_a_room_deletes_entities_by_their_position(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    old = read_level(data)
    objs = objects(root, "ENTITY")
    lara, guard = 0, next(n for n, room in enumerate(old.entities["room"]) if room == CORRIDOR)
    lara_at, guard_at = (objs[n].matrix_basis.copy() for n in (lara, guard))
    # Lara and the guard have exchanged places; their settings still refer to their old rooms.
    objs[lara].matrix_basis, objs[guard].matrix_basis = guard_at, lara_at
    names = objs[lara].name, objs[guard].name
    outcome = delete_room(root, room_object(root, CORRIDOR), with_inhabitants=True)
    assert names[0] in outcome.deleted
    assert outcome.kept == [names[1]]
    left = [obj.name for obj in objects(root, "ENTITY")]
    assert names[0] not in left
    assert names[1] in left
    new = export_scene(root)
    assert HALL in new.entities["room"][new.entities["type"] == old.entities["type"][guard]].tolist()


@each_game
def test_ambient_light_of_a_new_room_is_the_mean_of_its_vertices(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = add_box((40.0, 30.0, 2.0), (3.0, 2.0, 1.5))
    layer = obj.data.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
    for number, vertex in enumerate(layer.data):
        gray = (64 if number % 2 else 32) / 255
        vertex.color_srgb = (gray, gray, gray, 1.0)
    make_room(root, obj)
    room = export_scene(root).rooms[-1]
    if game in (Game.TR4, Game.TR5):
        assert room.color == 0x303030
        return
    # 48 of 255, where 0 is the brightest and 8191 the darkest.
    assert abs(room.ambient - 8191 * (255 - 48) / 255) < 64
    assert game is not Game.TR2 or room.ambient2 == room.ambient


def test_ambient_light_of_a_new_room_of_one_color_equals_its_vertices(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = add_box((40.0, 30.0, 2.0), (3.0, 2.0, 1.5))
    for vertex in obj.data.color_attributes.new("Color", "FLOAT_COLOR", "POINT").data:
        vertex.color_srgb = (102 / 255, 102 / 255, 101 / 255, 1.0)
    make_room(root, obj)
    room = export_scene(root).rooms[-1]
    assert set(room.vertices["light"].tolist()) == {room.ambient}


# --- Portals between rooms ----------------------------------------


@each_game
@pytest.mark.parametrize("turned", [False, True])
def test_portals_open_where_two_rooms_meet(blender: ModuleType, game: Game, turned: bool) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for one, other in ((HALL, CORRIDOR), (CORRIDOR, HALL)):
        bpy.data.objects.remove(portal_to(root, one, other))
    rooms = [room_object(root, HALL), room_object(root, CORRIDOR)]
    open_portals(root, *(reversed(rooms) if turned else rooms))
    old, new = read_level(data), export_scene(root)
    for one, other in ((HALL, CORRIDOR), (CORRIDOR, HALL)):
        before = next(p for p in old.rooms[one].portals if p["room"] == other)
        after = next(p for p in new.rooms[one].portals if p["room"] == other)
        assert after["normal"].tolist() == before["normal"].tolist()
        assert {tuple(v) for v in after["vertices"].tolist()} == {
            tuple(v) for v in before["vertices"].tolist()
        }
        # In the order of corners of original levels, on which some engines rely.
        u, v = (after["vertices"][n].astype(int) - after["vertices"][0] for n in (1, 2))
        assert np.cross(u, v) @ after["normal"].astype(int) < 0


def test_portal_corners_are_rounded_as_the_vertices_around_them(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    boxes = [add_box((x, 30.0, 2.0 + 0.4 / 1024), (3.0, 2.0, 1.5)) for x in (40.0, 43.0)]
    for each in boxes:
        make_room(root, each)
    open_portals(root, *boxes)
    room = export_scene(root).rooms[-1]
    heights = set(room.portals["vertices"][0, :, 1].tolist())
    assert heights == {room.y_bottom, room.y_top} == set(room.vertices["y"].tolist())


def test_rooms_that_flip_get_portals_of_their_own(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    hall, corridor = room_object(root, HALL), room_object(root, CORRIDOR)
    for one, other in ((HALL, CORRIDOR), (CORRIDOR, HALL)):
        bpy.data.objects.remove(portal_to(root, one, other))
    flipped = duplicate_room(root, hall)
    for obj in list(flipped.children):
        if obj.tomb_raider.kind == "PORTAL":
            bpy.data.objects.remove(obj)
    hall.tomb_raider.room.alternate_room = flipped
    made = open_portals(root, hall, corridor)
    # Portals to a room that flips are also portals to its alternate.
    ends = {(obj.parent, obj.tomb_raider.portal.room) for obj in made}
    assert len(made) == 3 and ends == {(hall, corridor), (corridor, hall), (flipped, corridor)}
    bpy.data.objects.remove(next(obj for obj in made if obj.parent == flipped))
    (again,) = open_portals(root, corridor, flipped)
    assert (again.parent, again.tomb_raider.portal.room) == (flipped, corridor)
    with pytest.raises(ExportError, match="already"):
        open_portals(root, flipped, corridor)


def test_rooms_that_do_not_meet_get_no_portals(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    with pytest.raises(ExportError):
        open_portals(root, room_object(root, HALL), room_object(root, WATER))  # some exist
    far = add_box((90.0, 90.0, 0.0), (2.0, 2.0, 2.0))
    make_room(root, far)
    with pytest.raises(ExportError) as caught:
        open_portals(root, imported_room(root, HALL), far)
    assert "does not meet" in caught.value.problem


# --- Flipping ----------------------------------------


def visible(obj: Any) -> bool:
    return bool(obj.visible_get())


@each_game
def test_flipping_shows_the_alternate_rooms_and_exports_the_same(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    layer: Any = bpy.context.view_layer
    group = ALL if game <= Game.TR3 else read_level(data).rooms[CORRIDOR].alternate_group
    rooms = room_object(root, CORRIDOR), room_object(root, FLOODED)
    assert flip_groups(root) == [group]
    for on in (False, True, False):
        show_flipped(root, layer, [group] if on else [])
        layer.update()
        assert is_flipped(root, layer, group) == on
        assert [visible(room) for room in rooms] == [not on, on]
        assert visible(room_object(root, HALL))
        assert visible(objects(root, "ENTITY")[0])
        assert export_level(root)[0].to_bytes() == data


@each_game
def test_an_alternate_room_in_the_same_collection_flips_too(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    hall = room_object(root, HALL)
    made: Any = hall.copy()
    made.data = hall.data.copy()
    hall.users_collection[0].objects.link(made)
    hall.tomb_raider.room.alternate_room = made
    layer: Any = bpy.context.view_layer
    for on in (True, False):
        show_flipped(root, layer, flip_groups(root) if on else [])
        layer.update()
        assert [visible(hall), visible(made)] == [not on, on]
        assert all(is_flipped(root, layer, group) == on for group in flip_groups(root))


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_groups_of_alternate_rooms_flip_separately(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    hall = room_object(root, HALL)
    made = duplicate_room(root, hall)
    hall.tomb_raider.room.alternate_room, hall.tomb_raider.room.alternate_group = made, 7
    layer: Any = bpy.context.view_layer
    assert flip_groups(root) == [1, 7]
    show_flipped(root, layer, [7])
    layer.update()
    assert (is_flipped(root, layer, 7), is_flipped(root, layer, 1)) == (True, False)
    assert [visible(hall), visible(made)] == [False, True]


def test_the_first_of_two_mutual_alternate_rooms_is_shown(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1))
    level.rooms[FLOODED].alternate_room = CORRIDOR
    root = import_scene(level.to_bytes())
    pairs = flip_pairs(root)
    assert [(room, other) for _, room, other in pairs] == [
        (room_object(root, CORRIDOR), room_object(root, FLOODED))
    ]
    assert visible(room_object(root, CORRIDOR))
    assert not visible(room_object(root, FLOODED))


@each_real_level
def test_real_levels_can_be_flipped_and_flipped_back(blender: ModuleType, level_path: Any) -> None:
    root = import_level(level_path).root
    layer: Any = bpy.context.view_layer
    before = {obj: visible(obj) for obj in objects(root, "ROOM")}
    for group in flip_groups(root):
        show_flipped(root, layer, [group])
        layer.update()
        flipped = [(room, other) for each, room, other in flip_pairs(root) if each == group]
        assert all(visible(other) and not visible(room) for room, other in flipped)
    show_flipped(root, layer, [])
    layer.update()
    assert {obj: visible(obj) for obj in objects(root, "ROOM")} == before


def test_rooms_can_be_added_if_rooms_were_not_imported(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR2)
    root: Collection = import_level(data, ImportOptions(rooms=False)).root
    make_room(root, add_box((40.0, 30.0, 0.0), (3.0, 3.0, 2.0)))
    old, new = read_level(data), export_scene(root)
    assert len(new.rooms) == len(old.rooms) + 1
    assert np.array_equal(new.rooms[0].vertices, old.rooms[0].vertices)
