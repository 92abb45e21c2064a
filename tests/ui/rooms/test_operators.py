"""Tests of operators for rooms, and of their panels."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Object
from mathutils import Euler, Vector

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.ui import pending
from io_tomb_raider.ui.base import stepped
from io_tomb_raider.ui.rooms import apart, effects
from io_tomb_raider.ui.rooms import panels as rooms
from tests.compare import differences
from tests.games import each_game
from tests.scene.scenes import objects

from ..recorder import draw, shown
from ..user_actions import add_cube, export_file, fails, import_sample, in_view, select

HALL, CORRIDOR, WATER, FLOODED = range(4)


def test_a_cube_becomes_a_room(level: Any, tmp_path: Path) -> None:
    cube = add_cube()
    cube.location.x = 200.0
    cube.scale = (3.0, 3.0, 3.0)
    cube.data.uv_layers.new()
    cube.data.materials.append(objects(level, "ROOM")[0].data.materials[0])
    bpy.context.view_layer.update()
    select(cube)
    assert bpy.ops.tomb_raider.make_room() == {"FINISHED"}
    assert cube.tomb_raider.kind == "ROOM"
    found = read_level(export_file(tmp_path / "out", collection=level.name))
    assert len(found.rooms) == 5
    assert (found.rooms[4].x_sectors, found.rooms[4].z_sectors) == (4, 4)


def test_a_room_cannot_be_made_a_room(level: Any) -> None:
    select(objects(level, "ROOM")[0])
    assert not bpy.ops.tomb_raider.make_room.poll()


def test_a_room_is_duplicated_and_becomes_active(level: Any) -> None:
    room = objects(level, "ROOM")[HALL]
    select(room)
    assert bpy.ops.tomb_raider.duplicate_room(as_alternate=True) == {"FINISHED"}
    made = bpy.context.object
    assert made != room
    assert room.tomb_raider.room.alternate_room == made
    assert made.tomb_raider.room.alternate_room is None


def test_an_alternate_room_does_not_take_the_number_of_a_room_with_a_long_name(
    level: Any, tmp_path: Path
) -> None:
    room = objects(level, "ROOM")[HALL]
    room.name = "The great hall"
    select(room)
    assert bpy.ops.tomb_raider.duplicate_room(as_alternate=True) == {"FINISHED"}
    found = read_level(export_file(tmp_path / "out", collection=level.name))
    assert found.rooms[HALL].alternate_room == len(found.rooms) - 1
    assert found.rooms[-1].alternate_room < 0


def test_a_room_is_deleted_if_one_of_its_children_is_active(level: Any) -> None:
    room = objects(level, "ROOM")[WATER]
    select(next(obj for obj in room.children if obj.tomb_raider.kind == "LIGHT"))
    before = len(objects(level, "ROOM"))
    assert bpy.ops.tomb_raider.delete_room() == {"FINISHED"}
    assert len(objects(level, "ROOM")) == before - 1


def test_portals_need_two_rooms(level: Any) -> None:
    found = objects(level, "ROOM")
    select(found[HALL])
    assert not bpy.ops.tomb_raider.make_portal.poll()
    for obj in objects(level, "PORTAL"):
        bpy.data.objects.remove(obj)
    select(found[HALL], found[CORRIDOR])
    assert bpy.ops.tomb_raider.make_portal() == {"FINISHED"}
    # One in each direction, and one of the alternate room of the corridor.
    assert len(objects(level, "PORTAL")) == 3


def test_all_rooms_are_connected_and_the_lonely_named(
    blender: ModuleType, capfd: pytest.CaptureFixture[str]
) -> None:
    assert bpy.ops.tomb_raider.new_level(game="TR3") == {"FINISHED"}
    cursor = bpy.context.scene.cursor.location
    (first,) = (each for each in bpy.data.objects if each.tomb_raider.kind == "ROOM")
    side = max((first.matrix_world @ vertex.co).x for vertex in first.data.vertices)
    for name, away in (("Hall", 2), ("Tower", 40)):
        cursor.xyz = (side + away, (48 + 3) * 2.0, 0.0)
        assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
        bpy.context.object.name = name
    assert bpy.ops.tomb_raider.connect_all() == {"FINISHED"}
    said = capfd.readouterr().out
    assert "Pairs of rooms connected: 1. Portals: 2. Sectors opened: 4" in said
    assert "Connected to none: Tower" in said
    portals = [each for each in bpy.data.objects if each.tomb_raider.kind == "PORTAL"]
    assert {(each.parent.name, each.tomb_raider.portal.room.name) for each in portals} == {
        (first.name, "Hall"),
        ("Hall", first.name),
    }
    assert bpy.ops.tomb_raider.connect_all() == {"CANCELLED"}  # nothing to undo
    assert "Pairs of rooms connected: 0. Portals: 0" in capfd.readouterr().out
    select(*(each for each in bpy.data.objects if each.tomb_raider.kind == "ROOM"))
    assert bpy.ops.tomb_raider.connect_rooms() == {"CANCELLED"}  # more than two
    assert "Portals: 0 new, 0 removed" in capfd.readouterr().out
    # A pool below the tower: its surface is drawn unless disabled.
    tower: Any = bpy.data.objects["Tower"]
    for place, options, faces in ((-4, {"surfaces": False}, 0), (-12, {}, 8)):
        cursor.z = place
        assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
        pool: Any = bpy.context.object
        pool.tomb_raider.room.has_water = True
        cursor.z += 4
        if place < -4:
            assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
            tower = bpy.context.object
        select(tower, pool)
        assert bpy.ops.tomb_raider.connect_rooms(**options) == {"FINISHED"}
        said = capfd.readouterr().out
        assert "Portals: 2 new" in said and (f"Faces of water: {faces}" in said) == bool(faces)


def test_the_level_flips_there_and_back(level: Any) -> None:
    found = objects(level, "ROOM")
    for on in (True, False):
        layout = draw(rooms.COLLECTION_PT_tomb_raider_flips, collection=level)
        assert layout is not None
        ((name, settings),) = layout.operators
        assert name == "tomb_raider.flip_level"
        assert bpy.ops.tomb_raider.flip_level(collection=settings.collection, group=settings.group) == {
            "FINISHED"
        }
        assert found[FLOODED].visible_get() == on
        assert found[CORRIDOR].visible_get() != on


def test_a_group_that_is_not_there_is_a_warning(level: Any) -> None:
    assert bpy.ops.tomb_raider.flip_level(group=77) == {"CANCELLED"}


def test_the_sidebar_shows_tools_for_the_selection(level: Any) -> None:
    def offered(*chosen: Object) -> set[str]:
        select(*chosen)
        kinds = (rooms.VIEW3D_PT_tomb_raider_rooms, rooms.OBJECT_PT_tomb_raider_room)
        layouts = [draw(panel, object=bpy.context.object) for panel in kinds]
        names = (name for layout in layouts if layout is not None for name, _ in layout.operators)
        return {name.partition(".")[2] for name in names}

    hall, corridor = objects(level, "ROOM")[HALL], objects(level, "ROOM")[CORRIDOR]
    always = {"add_room", "connect_all", "bake_light"}
    of_rooms = {"refresh_from_mesh", "duplicate_room", "delete_room", "isolate_collision", "cut_to_sectors"}
    assert offered() == always
    assert offered(hall) == always | of_rooms | {"snap_rooms"}
    assert offered(hall, corridor) == always | of_rooms | {"snap_rooms", "connect_rooms", "make_portal"}
    cube = add_cube()
    level.objects.link(cube)
    assert offered(cube) == always | {"split_into_rooms", "cut_to_sectors"}  # its panel has Make Room
    assert offered(objects(level, "LIGHT")[0]) == set()


def test_the_panel_names_null_rooms(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, Game.TR5)
    for number, is_null in ((HALL, False), (4, True)):
        layout = draw(rooms.OBJECT_PT_tomb_raider_room, object=objects(root, "ROOM")[number])
        assert layout is not None
        assert any("null room" in text for text in layout.labels) == is_null


def test_a_part_of_a_room_offers_to_be_joined_back(level: Any) -> None:
    import bmesh  # importable only after bpy

    room: Any = objects(level, "ROOM")[HALL]
    part: Any = room.copy()
    part.data = room.data.copy()
    room.users_collection[0].objects.link(part)
    for mesh, keeps in ((room.data, 0), (part.data, 1)):
        edited = bmesh.new()
        edited.from_mesh(mesh)
        faces: list[Any] = list(edited.faces)
        half = len(faces) // 2
        bmesh.ops.delete(edited, geom=faces[half:] if keeps else faces[:half], context="FACES")
        edited.to_mesh(mesh)
        edited.free()
    part.tomb_raider.is_copy = True
    select(part)
    layout = draw(rooms.OBJECT_PT_tomb_raider_room, object=part)
    assert layout is not None
    names = {name for name, _ in layout.operators}
    assert {"tomb_raider.join_back", "tomb_raider.connect_part"} <= names
    before = len(part.data.polygons) + len(room.data.polygons)
    assert bpy.ops.tomb_raider.join_back() == {"FINISHED"}
    assert bpy.context.object == room
    assert len(room.data.polygons) == before
    with pytest.raises(RuntimeError, match="no part of a room"):
        bpy.ops.tomb_raider.join_back()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.tomb_raider.join_back.poll()
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.objects.active = None
    assert not bpy.ops.tomb_raider.join_back.poll()
    layout = draw(rooms.OBJECT_PT_tomb_raider_room, object=room)
    assert layout is not None
    assert "tomb_raider.join_back" not in {name for name, _ in layout.operators}


def test_the_panel_shows_the_rooms_of_a_portal(level: Any) -> None:
    portal = objects(level, "PORTAL")[0]
    layout = draw(rooms.OBJECT_PT_tomb_raider_portal, object=portal)
    assert layout is not None
    assert layout.names == ["parent", "room"]
    portal.tomb_raider.portal.room, portal.tomb_raider.portal.room_number = None, 999
    layout = draw(rooms.OBJECT_PT_tomb_raider_portal, object=portal)
    assert layout is not None
    assert layout.names == ["parent", "room", "room_number"]


def _edit(obj: Any, chosen: int) -> None:
    """Go to edit mode, with one vertex selected and active."""
    select(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = bmesh.from_edit_mesh(obj.data)
    edited.verts.ensure_lookup_table()
    for vertex in edited.verts:
        vertex.select_set(vertex.index == chosen)
    edited.select_history.clear()
    edited.select_history.add(edited.verts[chosen])
    bmesh.update_edit_mesh(obj.data)


def test_marks_of_effects_follow_in_edit_mode(blender: ModuleType, tmp_path: Path) -> None:
    room = objects(import_sample(tmp_path, Game.TR3), "ROOM")[HALL]
    select(room)
    assert bpy.ops.tomb_raider.show_vertex_effects(display="MARKS") == {"FINISHED"}
    _edit(room, 4)
    before = _marks(room)
    for remove in (False, True):
        assert bpy.ops.tomb_raider.set_vertex_effect(effect="WAVES", remove=remove) == {"FINISHED"}
        assert _marks(room) == before + (not remove)


def _marks(room: Any) -> int:
    """Return the number of marks that are drawn on a room."""
    graph = bpy.context.evaluated_depsgraph_get()
    return sum(each.is_instance and each.parent.original == room for each in graph.object_instances)


@each_game
def test_effects_of_vertices_have_names(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    root = import_sample(tmp_path, game)
    room = objects(root, "ROOM")[HALL]
    before = export_file(tmp_path / "before")
    _edit(room, 4)
    layout = draw(effects.VIEW3D_PT_tomb_raider_vertex_effects, object=room, mode="EDIT_MESH")
    if game in (Game.TR1, Game.TR5):
        assert layout is None
        assert bpy.ops.tomb_raider.set_vertex_effect(effect="WAVES") == {"CANCELLED"}
        return
    assert layout is not None
    offered = {s.effect for name, s in layout.operators if name.endswith("set_vertex_effect")}
    has_waves = game is not Game.TR2
    assert offered == {
        *(("WAVES", "CAUSTICS") if has_waves else ()),
        *(("STILL",) if game < Game.TR4 else ()),
    }
    effect, bit = ("WAVES", 0x2000) if has_waves else ("STILL", 0x8000)
    assert bpy.ops.tomb_raider.set_vertex_effect(effect=effect) == {"FINISHED"}
    layout = draw(effects.VIEW3D_PT_tomb_raider_vertex_effects, object=room, mode="EDIT_MESH")
    assert layout is not None and any(effect.title() in label for label in layout.labels)
    if game is Game.TR2:
        assert bpy.ops.tomb_raider.set_effect_strength(strength=20) == {"FINISHED"}
    else:
        assert bpy.ops.tomb_raider.set_effect_strength(strength=20) == {"CANCELLED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    changed = differences(read_level(before), read_level(export_file(tmp_path / "after")))
    assert changed == [("rooms", HALL, "vertices", 4, "attributes")]
    _edit(room, 4)
    bpy.ops.tomb_raider.set_vertex_effect(effect=effect, remove=True)
    if game is Game.TR2:
        bpy.ops.tomb_raider.set_effect_strength(strength=16)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert export_file(tmp_path / "back") == before
    # In object mode, all vertices of the selected rooms.
    assert bpy.ops.tomb_raider.set_vertex_effect(effect=effect) == {"FINISHED"}
    level = read_level(export_file(tmp_path / "all"))
    assert (level.rooms[HALL].vertices["attributes"] & bit).all()
    assert bpy.ops.tomb_raider.show_vertex_effects(display="MARKS") == {"FINISHED"}
    assert all("Vertex Effects" in obj.modifiers for obj in objects(root, "ROOM"))
    assert bpy.ops.tomb_raider.show_vertex_effects(display="MARKS") == {"FINISHED"}
    assert not any(obj.modifiers for obj in objects(root, "ROOM"))


# --- Places of rooms ----------------------------------------


def box_of(room: Any) -> Any:
    """Return the box of a room in the world, (2, 3)."""
    corners = np.array([room.matrix_world @ Vector(corner) for corner in room.bound_box])
    return np.array((corners.min(axis=0), corners.max(axis=0)))


@each_game
def test_a_room_is_added_on_each_side_of_the_active_one(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    root = import_sample(tmp_path, game)
    hall, corridor = objects(root, "ROOM")[:2]
    floor = box_of(hall)
    for side, axis, is_high in (
        ("WEST", 0, False),
        ("NORTH", 1, True),
        ("SOUTH", 1, False),
        ("ABOVE", 2, True),
        ("BELOW", 2, False),
    ):
        select(hall)
        assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2), side=side) == {"FINISHED"}
        made: Any = bpy.context.object
        box = box_of(made)
        if axis < 2:  # it touches the wall
            assert abs((box[0] - floor[1] if is_high else floor[0] - box[1])[axis]) < 1e-3
        elif is_high:
            assert box[0, 2] >= floor[1, 2] - 4
        else:
            assert box[1, 2] <= 1
        assert np.allclose(box[0] / 2, np.round(box[0] / 2 * 4) / 4) and np.allclose(box[0, :2] % 2, 0)
        hall.select_set(True)
        assert bpy.ops.tomb_raider.connect_rooms() == {"FINISHED"}, side
    select(corridor)  # the hall is beside it
    assert "no free place" in fails(bpy.ops.tomb_raider.add_room, size=(4, 4, 2), side="WEST")


def test_a_room_is_added_where_the_view_shows_it(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    hall: Any = objects(root, "ROOM")[HALL]
    floor, rooms = box_of(hall), []
    middle = floor.mean(axis=0)
    with in_view() as view:
        region = view.region_3d
        region.view_perspective, region.view_location = "PERSP", middle.tolist()
        # From inside toward +Y, -Y and -X, and from above and outside with +X at the right.
        for pitch, turn, distance in ((90, 0, 0.1), (75, 180, 0.1), (90, 90, 0.1), (10, 0, 60)):
            region.view_rotation = Euler((np.radians(pitch), 0, np.radians(turn))).to_quaternion()
            region.view_distance = distance
            select(hall)
            assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
            rooms.append(box_of(bpy.context.object))
    north, south, west, east = rooms
    assert abs(north[0, 1] - floor[1, 1]) < 1e-3 and abs(east[0, 0] - floor[1, 0]) < 1e-3
    assert abs(south[1, 1] - floor[0, 1]) < 1e-3 and abs(west[1, 0] - floor[0, 0]) < 1e-3
    # A cursor outside of rooms was placed there: the room is added at it. One at the origin was not.
    bpy.context.scene.cursor.location = (200, 100, 4)
    bpy.ops.tomb_raider.add_room(size=(2, 2, 2))
    assert box_of(bpy.context.object).tolist() == [[198, 98, 4], [202, 102, 8]]
    bpy.context.scene.cursor.location = (0, 0, 0)
    select(hall)
    bpy.ops.tomb_raider.add_room(size=(2, 2, 2))
    assert box_of(bpy.context.object)[0, :2].min() > 20


def test_a_new_room_is_in_the_picture_with_its_neighbor(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr1")
    hall: Any = objects(root, "ROOM")[HALL]
    with in_view() as view:
        region = view.region_3d
        region.view_perspective = "PERSP"
        region.view_location, region.view_distance = (-400, 0, 0), 5
        select(hall)
        bpy.ops.tomb_raider.add_room(side="WEST")
        both = np.concatenate([box_of(hall), box_of(bpy.context.object)])
        middle = Vector(((both.min(axis=0) + both.max(axis=0)) / 2).tolist())
        assert (region.view_location - middle).length < 15 < region.view_distance
        # A view in the room that shows all of the new one, behind the wall, stays.
        region.view_location, region.view_distance = (51, 55, 1), 0.1
        region.view_rotation = Euler((np.pi / 2, 0, np.pi)).to_quaternion()
        before = region.view_location.copy()
        select(hall)
        bpy.ops.tomb_raider.add_room(size=(1, 1, 1))
        assert region.view_location == before
        # Of a larger one, it shows a part: both rooms are framed from above.
        select(hall)
        bpy.ops.tomb_raider.add_room(size=(8, 8, 8))
        new = box_of(bpy.context.object)
        pitch, _, heading = region.view_rotation.to_euler()
        assert (np.degrees(pitch), abs(heading)) == (pytest.approx(50), pytest.approx(np.pi))
        assert region.view_distance > np.ptp(new, axis=0).max()
        both = np.concatenate([box_of(hall), new])
        middle = Vector(((both.min(axis=0) + both.max(axis=0)) / 2).tolist())
        assert (region.view_location - middle).length < region.view_distance / 2


def test_a_new_room_has_the_textures_of_its_neighbor(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr3")
    hall: Any = objects(root, "ROOM")[HALL]
    select(hall)
    assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
    made: Any = bpy.context.object

    def shown_on(room: Any, up: int) -> set[str]:
        faces = [face for face in room.data.polygons if round(face.normal.z) == up]
        return {room.data.materials[face.material_index].name for face in faces}

    for up in (1, 0, -1):
        assert len(shown_on(made, up)) == 1 and shown_on(made, up) <= shown_on(hall, up)
    uvs: dict[int, list[Any]] = {up: [] for up in (1, 0, -1)}
    for face in made.data.polygons:
        uvs[round(face.normal.z)].append(
            [tuple(made.data.uv_layers[0].uv[each].vector) for each in face.loop_indices]
        )
    assert all(
        len({tuple(np.round(sorted(each), 3).ravel()) for each in found}) == 1 for found in uvs.values()
    )
    assert uvs[1][0] != uvs[0][0]


def test_rooms_off_the_grid_are_named_and_snapped(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = import_sample(tmp_path, "tr1")
    rooms = []
    for x in (500, 508):
        bpy.context.scene.cursor.location = (x, 500, 0)
        bpy.ops.tomb_raider.add_room(size=(4, 4, 2))
        rooms.append(bpy.context.object)
    one, other = rooms
    other.location.x += 0.23
    for offset, reason in (
        ((0.23, 0, 0), f"{other.name} is 0.23 m off the grid: use Snap to Grid"),
        ((4, 0, 0), f"{other.name} is 4.00 m from {one.name}: move it there"),
        ((0, 0, 20), f"{other.name} is 16.00 m above or below {one.name}: change its height"),
        ((0, 8, 0), f"{other.name} touches {one.name} at an edge only"),
        ((-4, 0, 0), f"{other.name} is inside of {one.name}"),
    ):
        other.location = one.location + Vector((8, 0, 0)) + Vector(offset)
        bpy.context.view_layer.update()
        capfd.readouterr()
        bpy.ops.tomb_raider.connect_all()
        assert reason in capfd.readouterr().out
        if not offset[2] and offset[0] > 0:
            select(one, other)
            with pytest.raises(RuntimeError, match=reason):
                bpy.ops.tomb_raider.connect_rooms()
    other.location = one.location + Vector((8.23, 0.1, 0.1))
    bpy.context.view_layer.update()
    select(other)
    assert bpy.ops.tomb_raider.snap_rooms() == {"FINISHED"}
    assert (other.location - one.location - Vector((8, 0, 0))).length < 1e-4
    assert bpy.ops.tomb_raider.connect_all() == {"FINISHED"}
    assert "Pairs of rooms connected: 1" in capfd.readouterr().out
    assert root.tomb_raider.kind == "LEVEL"


def test_rooms_that_users_move_snap(blender: ModuleType, tmp_path: Path) -> None:
    root = import_sample(tmp_path, "tr4")
    room: Any = objects(root, "ROOM")[HALL]
    before = room.location.copy()
    select(room)
    bpy.context.view_layer.update()
    pending.claim()
    room.location = before + Vector((4.23, -0.9, 0.3))
    bpy.context.view_layer.update()
    assert pending.claim()
    assert (room.location - before - Vector((4, 0, 0.5))).length < 1e-4
    room.location = before
    bpy.context.view_layer.update()
    assert not pending.claim()
    # What nobody has selected stays.
    other: Any = objects(root, "ROOM")[CORRIDOR]
    other.location.x += 0.23
    bpy.context.view_layer.update()
    assert not pending.claim()


def test_rooms_snap_while_an_operator_moves_them(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, "tr4")
    room, lara = objects(root, "ROOM")[HALL], objects(root, "ENTITY")[0]
    start, stand = room.location.copy(), lara.location.copy()
    select(room, lara)
    bpy.context.view_layer.update()
    pending.claim()
    running = True
    monkeypatch.setattr(stepped, "is_operator_running", lambda: running)
    for by, snapped in (
        ((0.9, 0.1, 0.1), (0, 0, 0)),
        ((1.1, 2.9, 0.3), (2, 2, 0.5)),
        ((4.2, 0, 0), (4, 0, 0)),
    ):
        # The operator starts from where they were.
        room.location, lara.location = start + Vector(by), stand + Vector(by)
        bpy.context.view_layer.update()
        assert (room.location - start - Vector(snapped)).length < 1e-4
        assert (lara.location - stand - Vector(snapped)).length < 1e-4  # it moves with the room
    running = False
    bpy.context.view_layer.update()
    assert not pending.claim()  # the undo step of the operator holds the place on the grid
    assert (room.location - start - Vector((4, 0, 0))).length < 1e-4


def test_a_canceled_move_of_a_room_off_the_grid_moves_nothing(
    blender: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room: Any = objects(import_sample(tmp_path, "tr1"), "ROOM")[HALL]
    room.location.x += 0.23  # by a script
    start = room.location.copy()
    select(room)
    bpy.context.view_layer.update()
    pending.claim()
    running = True
    monkeypatch.setattr(stepped, "is_operator_running", lambda: running)
    room.location.x += 3
    bpy.context.view_layer.update()
    running, room.location = False, start
    bpy.context.view_layer.update()
    assert not pending.claim() and room.location == start


# --- Rooms that do not meet ----------------------------------------


def two_rooms(tmp_path: Path) -> tuple[Any, Any]:
    """Return two new rooms next to each other, 8 m wide."""
    import_sample(tmp_path, "tr1")
    made = []
    for x in (500, 508):
        bpy.context.scene.cursor.location = (x, 500, 0)
        bpy.ops.tomb_raider.add_room(size=(4, 4, 2))
        made.append(bpy.context.object)
    return made[0], made[1]


def reasons_shown() -> tuple[list[str], list[Any]]:
    """Return the labels of the panel of rooms, and the buttons for remedies with their settings."""
    layout = shown(rooms.VIEW3D_PT_tomb_raider_rooms, object=bpy.context.object)
    buttons = [settings for name, settings in layout.operators if name == "tomb_raider.bring_together"]
    return layout.labels, buttons


@pytest.mark.parametrize(
    "offset, turn, reason",
    [
        ((0.23, 0, 0), 0, "off the grid"),
        ((4, 0, 0), 0, "m from"),
        ((0, 0, 2), 0, None),  # the openings are as high as both
        ((0, 0, 20), 0, "above or below"),
        ((0, 8, 0), 0, "edge only"),
        ((-4, 0, 0), 0, "inside of"),
        ((0.5, 6, 0.3), 0.3, "rotated"),
    ],
)
def test_a_room_that_does_not_touch_another_can_be_moved_there(
    blender: ModuleType, tmp_path: Path, offset: Any, turn: float, reason: str | None
) -> None:
    one, other = two_rooms(tmp_path)
    other.location += Vector(offset)
    other.rotation_euler.z = turn
    bpy.context.view_layer.update()
    select(one, other)  # the active one keeps its place
    before = one.location.copy()
    if reason is None:
        assert bpy.ops.tomb_raider.connect_rooms() == {"FINISHED"}
        assert not apart.shown_reasons()
        return
    if reason == "inside of":  # their meshes meet, but not their sectors
        bpy.ops.tomb_raider.connect_all()
    else:
        with pytest.raises(RuntimeError, match=reason):
            bpy.ops.tomb_raider.connect_rooms()
    labels, buttons = reasons_shown()
    buttons = [each for each in buttons if each.room == other.name]
    assert reason in " ".join(labels) and len(buttons) == 1
    ((mark, _),) = [found for found in apart.shown_reasons() if found[1][0] == other]
    assert len(mark.points) >= 24
    assert bpy.ops.tomb_raider.bring_together(room=buttons[0].room, other=buttons[0].other) == {"FINISHED"}
    assert not apart.shown_reasons() and not reasons_shown()[1]
    assert one.location == before and bpy.context.object == one
    low, high = box_of(other)
    gaps = np.maximum(low - box_of(one)[1], box_of(one)[0] - high)
    assert np.isclose(gaps.max(), 0, atol=1e-3) and (gaps < 1e-3).all()
    assert np.allclose(low / 2, np.round(low / 2 * 4) / 4, atol=1e-4)
    portals = [each for each in bpy.data.objects if each.tomb_raider.kind == "PORTAL"]
    assert any(each.parent == other and each.tomb_raider.portal.room == one for each in portals)


def test_marks_end_when_a_room_is_moved_or_deleted(blender: ModuleType, tmp_path: Path) -> None:
    one, other = two_rooms(tmp_path)
    start = other.location.copy()
    for change in ("move", "delete"):
        other.location = start + Vector((4, 0, 0))
        bpy.context.view_layer.update()
        select(one, other)
        with pytest.raises(RuntimeError):
            bpy.ops.tomb_raider.connect_rooms()
        assert len(apart.shown_reasons()) == 1
        if change == "move":
            other.location = start
            bpy.context.view_layer.update()
        else:
            bpy.data.objects.remove(other)
        assert not apart.shown_reasons() and not reasons_shown()[1]
    assert "no such room" in fails(bpy.ops.tomb_raider.bring_together, room="Nothing")
