"""Rooms from meshes: collision in the scene and in the file, and updates after edits."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import Climb, Death, Slant, Triangulation
from io_tomb_raider.scene.authoring.collision_from_mesh.make import room_from_mesh
from io_tomb_raider.scene.authoring.collision_from_mesh.refresh import refresh_from_mesh
from io_tomb_raider.scene.core import original
from io_tomb_raider.scene.subjects.textures.materials import is_drawn_as_level
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import edit_bmesh, export_scene, exported, objects
from ...subjects.collision.collision_meshes import WATER, import_collision
from .chambers import SECTOR, STEP, add_chamber, collision_of, edit_of

DRAWN_OTHERWISE = [12]  # the sample's hall: its drawn ceiling slopes otherwise than the sector


def functions(level: Level, number: int, at: tuple[int, int]) -> list[Any]:
    room = level.rooms[number]
    words = int(room.sectors["floor_data"][at[0] * room.z_sectors + at[1]])
    return [] if not words else list(decode(level.floor_data, words))


# --- New rooms ----------------------------------------


@pytest.mark.parametrize("turn", [True, False])
def test_a_cube_looks_inwards_and_in_the_levels_light(blender: ModuleType, turn: bool) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    mesh: Any = bpy.data.meshes.new("Cube")
    corners = [(x, y, z) for x in (0, 8) for y in (0, 8) for z in (0, 8)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata([[float(part) for part in corner] for corner in corners], [], faces)
    cube = bpy.data.objects.new("Cube", mesh)
    bpy.context.scene.collection.objects.link(cube)
    assert mesh.polygons[4].normal.z < -0.9  # the lowest face points down
    found = room_from_mesh(root, cube, turn=turn)
    assert (found.turned, found.inside_out, found.sectors) == (turn, not turn, 16)
    assert (mesh.polygons[4].normal.z > 0.9) == turn
    assert [is_drawn_as_level(each) for each in mesh.materials] == [True]
    after, warnings = exported(root)
    assert len(after.rooms[-1].quads) == 6
    assert not [text for text in warnings if "color attribute" in text]


@each_game
def test_a_mesh_becomes_sectors_of_the_file(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    floor = np.zeros((3, 3, 4))
    floor[0, 0] = (0, 1, 0, 1)  # a slope toward +y
    floor[1, 1] = 2.2
    floor[2, 2] = (0, 0, 0, 2)  # divided
    floor[2, 0] = 4  # too low above for Lara
    found = room_from_mesh(root, add_chamber(floor, 6))
    room = bpy.data.objects["Chamber"]
    mesh = collision_of(room).data
    assert (found.sectors, found.storeys, found.inside_out) == (8, 0, False)
    rounded = [value.value for value in mesh.attributes["tr_rounding"].data]
    assert max(rounded) == pytest.approx(found.most)
    level = export_scene(root)
    made = level.rooms[-1]
    floors, ceilings = (made.sectors[name].reshape(5, 5) for name in ("floor", "ceiling"))
    assert (floors[1, 2], floors[2, 2], floors[3, 1], floors[0, 0]) == (0, -2, -127, -127)
    assert ceilings[1, 2] == -6
    (slope,) = functions(level, -1, (1, 1))
    assert slope == Slant(False, 0, 1)
    kinds = {type(each) for each in functions(level, -1, (3, 3))}
    if game.traits.has_triangulated_floors:
        assert kinds == {Triangulation}
        assert found.rounded == 1
        assert found.most == pytest.approx(0.2 * 256, abs=0.1)
    else:
        assert kinds == {Slant}
        assert found.rounded == 2
        assert found.most == pytest.approx(256, abs=0.1)


@each_game
def test_a_copy_of_a_room_gives_the_same_sectors(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    for number, room in enumerate(objects(root, "ROOM")[:4]):
        copy = bpy.data.objects.new("Copy", room.data.copy())
        copy.matrix_basis = room.matrix_basis
        bpy.context.scene.collection.objects.link(copy)
        room_from_mesh(root, copy)
        old, new = edit_of(root, room), edit_of(root, copy)
        assert (old.size.x_sectors, old.size.z_sectors) == (new.size.x_sectors, new.size.z_sectors)
        leads = (old.sectors.room_below >= 0) | (old.sectors.room_above >= 0) | (old.sectors.portal >= 0)
        leads[DRAWN_OTHERWISE if number == 0 else []] = True
        assert leads.sum() < 0.3 * len(leads)
        assert np.array_equal(old.sectors.wall[~leads], new.sectors.wall[~leads])
        for one, other in (
            (old.sectors.floor, new.sectors.floor),
            (old.sectors.ceiling, new.sectors.ceiling),
        ):
            assert np.array_equal(one.heights[~leads], other.heights[~leads])


def test_meshes_that_cannot_be_rooms_are_refused_and_unchanged(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    page = next(each for each in bpy.data.materials if each.tomb_raider.kind == "PAGE")
    low, far, plain, high = add_chamber(0, 2), add_chamber(), add_chamber(), add_chamber()
    far.data.vertices[0].co.x = 300 * SECTOR
    plain.data.materials[0] = page
    high.location.z = 1000
    before = [obj.matrix_basis.copy() for obj in (low, far, plain, high)]
    counts = len(bpy.data.objects), len(bpy.data.meshes)
    for obj, words in (
        (low, "no floor"),
        (far, "too many sectors"),
        (plain, "18 faces"),
        (high, "too high"),
    ):
        with pytest.raises(ExportError, match=words) as caught:
            room_from_mesh(root, obj)
        assert caught.value.subject == obj.name
        assert obj.tomb_raider.kind == "NONE"
    assert [obj.matrix_basis for obj in (low, far, plain, high)] == before
    assert (len(bpy.data.objects), len(bpy.data.meshes)) == counts


def test_modifiers_count_and_are_applied_only_where_the_new_origin_would_change_them(
    blender: ModuleType,
) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    turned, thick = add_chamber(), add_chamber()
    turned.modifiers.new("Mirror", "MIRROR")
    for vertex in thick.data.vertices:
        vertex.co.z += STEP
    thick.modifiers.new("Lift", "DISPLACE").direction = "Z"
    thick.modifiers["Lift"].strength = STEP
    thick.modifiers["Lift"].mid_level = 0.0
    bpy.context.view_layer.update()
    found = room_from_mesh(root, turned)
    assert found.applied
    assert not turned.modifiers
    assert len(turned.data.vertices) == 2 * 72
    assert found.sectors == 18
    assert (collision_of(turned).tomb_raider.collision.x_sectors) == 12
    found = room_from_mesh(root, thick)
    assert not found.applied
    assert len(thick.modifiers) == 1
    level = export_scene(root)
    assert level.rooms[-1].sectors["floor"].reshape(5, 5)[1, 1] == -2
    assert level.rooms[-2].sectors["floor"].reshape(12, 5)[1, 1] == 0
    assert len(level.rooms[-2].quads) == 36


@pytest.mark.parametrize("with_modifier", [False, True])
def test_a_mirrored_mesh_looks_inwards_as_it_did(blender: ModuleType, with_modifier: bool) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    obj = add_chamber()
    obj.scale.x = -1
    if with_modifier:
        obj.modifiers.new("Mirror", "MIRROR").use_axis = (False, True, False)
    bpy.context.view_layer.update()
    found = room_from_mesh(root, obj)
    assert (found.inside_out, found.applied, found.sectors) == (False, with_modifier, 9 * (1 + with_modifier))
    assert all((face.normal.z > 0) == (face.center.z < STEP) for face in obj.data.polygons)
    assert obj.matrix_basis.to_scale()[:] == (1, 1, 1)


def test_a_level_without_collision_gets_none(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    root.tomb_raider.imported -= {"COLLISION"}
    obj = add_chamber()
    assert room_from_mesh(root, obj).sectors == 9
    assert not obj.children


# --- Updates ----------------------------------------


@each_game
def test_refreshing_keeps_manual_edits(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    room = add_chamber(0, 8)
    room_from_mesh(root, room)
    by_hand, both, moved = 6, 7, 8  # sectors (1, 1), (1, 2), (1, 3)
    edit = edit_of(root, room)
    edit.sectors.death[[by_hand, both]] = True
    edit.sectors.floor.heights[[by_hand, both]] = -256
    if game.traits.has_climbable_walls:
        edit.sectors.climb[moved] = 3
    edit.write()
    for face in room.data.polygons:
        x, y, z = face.center
        if x < 2 * SECTOR and y > 2 * SECTOR and z < STEP:
            for vertex in face.vertices:
                room.data.vertices[vertex].co.z += 2 * STEP
    found = refresh_from_mesh(root, room, original.load(root))
    assert (found.changed, found.kept) == (2, 0)
    level = export_scene(root)
    floors = level.rooms[-1].sectors["floor"]
    assert Death() in functions(level, -1, (1, 2))
    assert [int(floors[place]) for place in (by_hand, both, moved)] == [-1, -2, -2]
    if game.traits.has_climbable_walls:
        assert Climb(3) in functions(level, -1, (1, 3))
    # A second update changes nothing and keeps later edits.
    edit = edit_of(root, room)
    edit.sectors.floor.heights[moved] = -768
    edit.write()
    assert refresh_from_mesh(root, room, original.load(root)).changed == 0
    assert int(export_scene(root).rooms[-1].sectors["floor"][moved]) == -3


def test_an_imported_room_follows_its_mesh_where_that_was_edited(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_collision(data)
    water = objects(root, "ROOM")[WATER]
    decoded = original.load(root)
    for room in objects(root, "ROOM"):
        assert refresh_from_mesh(root, room, decoded).changed == 0
    assert export_scene(root).to_bytes() == read_level(data).to_bytes()
    # A whole floor is lowered; open sectors have none.
    lowest = min(vertex.co.z for vertex in water.data.vertices)
    for vertex in water.data.vertices:
        if vertex.co.z < lowest + STEP / 2:
            vertex.co.z -= 2 * STEP
    before = read_level(data).rooms[WATER].sectors
    found = refresh_from_mesh(root, water, decoded)
    after = export_scene(root).rooms[WATER].sectors
    walls = before["floor"] == -127
    assert found.changed == int((~walls).sum())
    # Slopes with fixed upper ends become steeper.
    assert np.array_equal(after["floor"], np.where(before["floor"] == 9, 11, before["floor"]))
    for name in ("ceiling", "room_above", "room_below"):
        assert np.array_equal(after[name], before[name])


def test_faces_that_were_opened_are_not_missed(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    room = add_chamber(0, 8)
    room_from_mesh(root, room)
    edit = edit_of(root, room)
    number = edit.place_of(objects(root, "ROOM")[-1])
    edit.sectors.room_below[6] = number
    edit.sectors.room_above[7] = number
    edit.write()
    edit_bmesh(room.data, lambda bm: open_sectors(bm, {(1, 1): 1, (1, 2): -1, (2, 2): 1}))
    for vertex in room.data.vertices[-4:]:  # one ceiling, so that the mesh is higher
        vertex.co.z += 2 * STEP
    found = refresh_from_mesh(root, room, original.load(root))
    assert (found.changed, found.kept) == (2, 1)
    after = edit_of(root, room).sectors
    assert list(np.flatnonzero(~after.wall)) == [6, 7, 8, 11, 13, 16, 17, 18]
    assert (after.room_below[6], after.room_above[7]) == (number, number)
    assert set(after.ceiling.heights[[6, 7]].ravel().tolist()) == {-2048}


def open_sectors(bm: Any, sides: dict[tuple[int, int], int]) -> None:
    """Delete the upward or downward faces of sectors."""
    for face in list(bm.faces):
        at = face.calc_center_median()
        if sides.get((int(at.x // SECTOR), int(at.y // SECTOR)), 0) * face.normal.z > 0:
            bm.faces.remove(face)


def test_a_room_grows_with_its_mesh(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    room = add_chamber(0, 8)
    room_from_mesh(root, room)
    edit = edit_of(root, room)
    edit.sectors.material[:] = 3
    edit.write()
    for vertex in room.data.vertices:
        if vertex.co.x > 3.5 * SECTOR:
            vertex.co.x += 2 * SECTOR
    assert refresh_from_mesh(root, room, original.load(root)).changed == 6
    after = edit_of(root, room)
    assert (after.size.x_sectors, after.size.z_sectors) == (7, 5)
    assert (~after.sectors.wall).sum() == 15
    assert after.sectors.material[6] == 3


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_room_grows_towards_its_corner_and_everything_keeps_its_place(
    blender: ModuleType, by_hand: bool
) -> None:
    data = sample_bytes(Game.TR3)
    root = import_collision(data)
    water = objects(root, "ROOM")[WATER]
    child = bpy.data.objects.new("Mine", None)
    root.objects.link(child)
    child.parent, child.location = water, (5, 6, 1)
    bpy.context.view_layer.update()
    places = [vertex[:] for vertex in world_points(water)]
    # A floor and a ceiling before the room's sectors, as those of some imported rooms.
    edit_bmesh(water.data, lambda bm: add_space(bm, (-1.0, 3.0)))
    decoded = original.load(root)
    assert decoded is not None
    if by_hand:
        wall = decoded.level.rooms[WATER]
        size = wall.x_sectors, wall.z_sectors
        assert refresh_from_mesh(root, water, decoded).changed == 1
        settings = collision_of(water).tomb_raider.collision
        assert (settings.x_sectors, settings.z_sectors) == (size[0] + 2, size[1])
        bpy.context.view_layer.update()
        moved = [vertex[:] for vertex in world_points(water)][: len(places)]
        assert np.allclose(places, moved) and tuple(child.matrix_world.translation) == (55, 46, 1)
        assert refresh_from_mesh(root, water, decoded).changed == 0
        before, after = read_level(data).rooms[WATER], export_scene(root).rooms[WATER]
        assert (after.x, after.z) == (before.x - 2048, before.z)
        old, new = (each.sectors["ceiling"].reshape(each.x_sectors, -1) for each in (before, after))
        assert np.array_equal(new[3:], old[1:])
        return
    imported = export_scene(root)
    again = import_collision(imported.to_bytes())
    room = objects(again, "ROOM")[WATER]
    assert refresh_from_mesh(again, room, original.load(again)).changed == 0
    assert export_scene(again).to_bytes() == imported.to_bytes()


def world_points(room: Any) -> list[Any]:
    return [room.matrix_world @ vertex.co for vertex in room.data.vertices]


def add_space(bm: Any, at: tuple[float, float]) -> None:
    """Add a floor and a ceiling of a sector, 4 steps apart, to a room."""
    for height, order in ((-2.0, (0, 1, 2, 3)), (0.0, (3, 2, 1, 0))):
        corners = [(0, 0), (SECTOR, 0), (SECTOR, SECTOR), (0, SECTOR)]
        made = [bm.verts.new((at[0] + x - 1, at[1] + y - 1, height)) for x, y in corners]
        bm.faces.new([made[corner] for corner in order])
