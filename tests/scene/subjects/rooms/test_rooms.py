"""Edits of rooms: exactly the edited values differ in the exported level."""

from __future__ import annotations

from collections import Counter
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.rooms.effects import water_motion
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.core.blender.color import to_screen
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.pipeline.importer import import_level
from io_tomb_raider.scene.subjects.portals.effects_display import MARKS, MOTION, show_effects, shows_effects
from io_tomb_raider.scene.subjects.rooms.vertex_effects import set_strength
from tests.compare import Path, differences
from tests.games import each_game
from tests.sample_levels import sample_bytes, sample_level
from tests.scene.exporting import export_level

from ...scenes import (
    UNIT,
    changes,
    edit_bmesh,
    export_scene,
    import_anew,
    import_scene,
    mesh_of,
    objects,
    room_object,
)


def positions(level: Level, number: int) -> NDArray[np.int64]:
    vertices = level.rooms[number].vertices
    return np.stack([vertices[name] for name in "xyz"], axis=1).astype(np.int64)


def without_pathfinding(paths: list[Path]) -> list[Path]:
    """Return differences without pathfinding, which is rebuilt with rooms."""
    return [
        path
        for path in paths
        if path[0] not in ("boxes", "overlaps", "zones")
        and (path[0], path[-1]) not in (("cameras", "flags"), ("ai_objects", "box"))
        and path[-1] != "box"
    ]


@each_game
def test_a_moved_vertex_changes_that_vertex_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        room_object(root, 1).data.vertices[2].co.z += 8 * UNIT

    assert changes(sample_bytes(game), edit) == [("rooms", 1, "vertices", 2, "y")]


@each_game
def test_vertices_have_the_positions_of_the_game(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    bpy.context.view_layer.update()
    for number, room in enumerate(level.rooms):
        obj = room_object(root, number)
        for vertex, (x, y, z) in zip(obj.data.vertices, positions(level, number).tolist(), strict=True):
            world = obj.matrix_world @ vertex.co
            assert tuple(world) == ((x + room.x) * UNIT, (z + room.z) * UNIT, -y * UNIT)


@each_game
def test_a_deleted_face_is_gone_and_the_others_stand(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    edit_bmesh(room_object(root, 0).data, lambda bm: bm.faces.remove(bm.faces[1]))
    old, new = read_level(data), export_scene(root)
    before, after = decode_faces(game, old.rooms[0])[0], decode_faces(game, new.rooms[0])[0]
    assert np.array_equal(after.corners, np.delete(before.corners, 1, axis=0))
    assert np.array_equal(after.texture, np.delete(before.texture, 1))
    assert np.array_equal(positions(new, 0), positions(old, 0))
    for other in range(1, len(old.rooms)):
        assert np.array_equal(old.rooms[other].quads, new.rooms[other].quads)


@each_game
def test_an_added_face_uses_the_vertices_that_were_there(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)

    def edit(bm: bmesh.types.BMesh) -> None:
        first = bm.faces[0]
        bm.faces.new([first.verts[0], first.verts[2], first.verts[1]], first)

    edit_bmesh(room_object(root, 0).data, edit)
    old, new = read_level(data), export_scene(root)
    before, after = decode_faces(game, old.rooms[0]), decode_faces(game, new.rooms[0])
    assert len(after[1].corners) == len(before[1].corners) + 1
    # Blender lists the corners of the first face as 0, 3, 2, 1, as its winding is the opposite.
    a, b, c = before[0].corners[0, [0, 2, 3]].tolist()
    # TR5 lists faces by layer, so it may not be the last one.
    added = [set(corners) for corners in after[1].corners.tolist()]
    assert (
        added.count({a, b, c})
        == [set(corners) for corners in before[1].corners.tolist()].count({a, b, c}) + 1
    )
    assert np.array_equal(after[0].corners, before[0].corners)


@each_game
def test_painted_light_changes_the_light_of_that_vertex(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        room_object(root, 0).data.color_attributes["Color"].data[3].color_srgb = (0.0, 0.0, 0.0, 1.0)

    fields = {path[4] for path in changes(sample_bytes(game), edit)}
    paths = {path[:4] for path in changes(sample_bytes(game), edit)}
    assert paths == {("rooms", 0, "vertices", 3)}
    assert fields <= ({"light", "light2"} if game <= Game.TR2 else {"color", "light"})


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_painted_light_has_the_color_it_was_painted_in(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room_object(root, 0).data.color_attributes["Color"].data[3].color_srgb = (1.0, 0.5, 0.0, 1.0)
    color = int(export_scene(root).rooms[0].vertices["color"][3])
    if game is Game.TR5:
        assert color & 0xFFFFFF in (0xFF8000, 0xFF7F00)
    else:
        assert (color >> 10 & 31, color >> 5 & 31, color & 31) == (31, 16, 0)


def test_painted_light_keeps_the_alpha_of_a_vertex_of_tr5(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR5)).copy()
    vertices = level.rooms[0].vertices.copy()
    vertices["color"] = (np.arange(len(vertices)) % 128 + 1) << 24 | 0x808080
    level.rooms[0].vertices = vertices
    root = import_scene(level.to_bytes())
    room_object(root, 0).data.color_attributes["Color"].data[3].color_srgb = (1.0, 0.0, 0.0, 1.0)
    exported = export_scene(root, rebuild=True).rooms[0].vertices["color"]
    assert exported[3] == 0x04FF0000
    assert exported[4:9].tolist() == vertices["color"][4:9].tolist()


def shifted(records: NDArray[Any], by: int, rows: Any = slice(None)) -> NDArray[Any]:
    """Return records of which some stand farther along x."""
    out = records.copy()
    out["x"][rows] += by
    for name in ("target", "position"):
        if name in (out.dtype.names or ()):
            out[name][rows, 0] += by
    return out


@each_game
def test_a_moved_room_takes_along_all_that_is_a_part_of_it(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    room_object(root, 1).location.x += 1024 * UNIT
    expected = read_level(data)
    room = expected.rooms[1]
    room.x += 1024
    room.lights, room.static_meshes = shifted(room.lights, 1024), shifted(room.static_meshes, 1024)
    assert len(room.lights)
    assert len(room.static_meshes)
    if game is Game.TR5:
        room.fog_bulbs = shifted(room.fog_bulbs, 1024)
        room.header = room.header.copy()
        room.header["position"][0, 0] += 1024
    for section in ("cameras", "flyby_cameras", "ai_objects"):
        if hasattr(expected, section):
            records = getattr(expected, section)
            assert (records["room"] == 1).any()
            setattr(expected, section, shifted(records, 1024, records["room"] == 1))
    # Vertices are relative to their room, and entities are not moved. Openings to other rooms are closed.
    found = without_pathfinding(differences(expected, export_scene(root)))
    assert [path for path in found if path[2] not in ("portals", "sectors")] == []


def test_a_room_that_floats_reach_is_not_far_away(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR1)).copy()
    level.rooms[0].x = level.rooms[0].z = 16383 * 1024
    _, report = export_level(import_scene(level.to_bytes()))
    assert not any("it is so far away" in text for text in report.warnings)


@each_game
def test_a_turned_room_turns_its_vertices(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(collision=False)).root
    room_object(root, 1).rotation_euler.z = np.pi / 2
    old, new = positions(read_level(data), 1), positions(export_scene(root), 1)
    assert np.array_equal(new, np.stack((-old[:, 2], old[:, 1], old[:, 0]), axis=1))


@each_game
def test_typed_properties_are_exported(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        room_object(root, 1).tomb_raider.room.flags ^= 0x20

    assert changes(sample_bytes(game), edit) == [("rooms", 1, "flags")]


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_the_ambient_color_is_exported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room_object(root, 0).tomb_raider.room.color = (1.0, 0.0, 64 / 255, 0.0)
    assert export_scene(root).rooms[0].color == 0x00FF0040


@each_game
def test_a_copy_does_not_share_the_alternate_room(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    number = next(i for i, room in enumerate(old.rooms) if room.alternate_room >= 0)
    root = import_scene(data)
    room = objects(root, "ROOM")[number]
    copies = {}
    for each in (room, objects(root, "ROOM")[old.rooms[number].alternate_room]):
        copies[each] = each.copy()
        copies[each].data = each.data.copy()
        copies[each].location.x += 200
        each.users_collection[0].objects.link(copies[each])
    made, alternate = copies.values()
    new = export_scene(root)
    assert made.tomb_raider.room.alternate_room is None
    assert [each.alternate_room for each in new.rooms].count(old.rooms[number].alternate_room) == 1
    # As Blender copies both at once.
    made.tomb_raider.room.alternate_room = alternate
    new = export_scene(root)
    assert [each.alternate_room for each in new.rooms if each.alternate_room >= 0] == [
        old.rooms[number].alternate_room,
        len(new.rooms) - 1,
    ]


@each_game
def test_the_alternate_room_is_a_pointer(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    number = next(i for i, room in enumerate(read_level(data).rooms) if room.alternate_room >= 0)

    def edit(root: Collection) -> None:
        room = room_object(root, number).tomb_raider.room
        assert room.alternate_room.tomb_raider.index == read_level(data).rooms[number].alternate_room
        room.alternate_room = None

    assert without_pathfinding(changes(data, edit)) == [("rooms", number, "alternate_room")]


# The vertices of TR5's rooms are floats and have no such limit.
@pytest.mark.parametrize("game", list(Game)[:4])
def test_a_room_too_large_is_an_error_that_names_it(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room_object(root, 0).data.vertices[0].co.z = 80.0
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert (caught.value.subject, caught.value.limit) == (room_object(root, 0).name, 32767)


@each_game
def test_too_many_vertices_are_an_error_that_names_the_room(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room = room_object(root, 0)
    room.data.vertices.add(0x10000)
    with pytest.raises(ExportError) as caught:
        export_level(root)
    assert (caught.value.subject, caught.value.limit) == (room.name, 0xFFFF)
    assert caught.value.count == len(room.data.vertices)


@each_game
def test_faces_look_to_the_side_from_which_the_games_draw_them(blender: ModuleType, game: Game) -> None:
    # The floor of the first room is visible from above, so in Blender its normal points up.
    root = import_scene(sample_bytes(game))
    room: Any = room_object(root, 0).data
    lowest = min(vertex.co.z for vertex in room.vertices)
    floor = [p for p in room.polygons if all(room.vertices[i].co.z == lowest for i in p.vertices)]
    up = {frozenset(polygon.vertices) for polygon in floor if polygon.normal.z > 0.99}
    assert up
    # TR1 and TR2 have two faces for double-sided ones.
    assert all(frozenset(polygon.vertices) in up for polygon in floor)


@each_game
def test_normals_of_the_file_point_out_of_the_faces(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = mesh_of(root, 2)
    for vertex, stored in zip(mesh.vertices, mesh.attributes["tr_normal"].data, strict=True):
        assert vertex.normal.dot(stored.vector) > 0


@each_game
def test_a_room_reaches_as_far_as_its_mesh_does(blender: ModuleType, game: Game) -> None:
    """Games find the rooms of objects by their heights."""
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    mesh = room_object(root, 1).data
    heights = [vertex.co.z for vertex in mesh.vertices]
    highest = heights.index(max(heights))
    mesh.vertices[highest].co.z += 512 * UNIT
    room = export_scene(root).rooms[1]
    assert (room.y_top, room.y_bottom) == (level.rooms[1].y_top - 512, level.rooms[1].y_bottom)


@each_game
def test_margins_of_a_room_are_its_top_and_bottom(blender: ModuleType, game: Game) -> None:
    level = sample_level(game)
    level.rooms[0].y_bottom += 300
    level.rooms[0].y_top -= 200
    data = level.to_bytes()
    root = import_scene(data)
    settings = objects(root, "ROOM")[0].tomb_raider.room
    heights = level.rooms[0].vertices["y"]
    assert settings.bottom_margin == level.rooms[0].y_bottom - int(heights.max())
    assert settings.top_margin == int(heights.min()) - level.rooms[0].y_top
    assert export_scene(root, rebuild=True).rooms[0].y_bottom == level.rooms[0].y_bottom
    settings.bottom_margin += 56
    settings.top_margin = 0
    room = export_scene(root).rooms[0]
    assert (room.y_bottom, room.y_top) == (level.rooms[0].y_bottom + 56, int(heights.min()))
    for name in ("bottom_margin", "top_margin", "y"):
        settings.property_unset(name)  # as in scenes of older versions
    assert export_scene(root).to_bytes() == data


def test_the_height_of_a_room_of_tr5_is_kept_and_edited(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    objects(root, "ROOM")[0].tomb_raider.room.y = 512
    room = export_scene(root).rooms[0]
    assert room.y == room.header[0]["y"] == 512


def test_the_unknown_word_of_a_face_of_tr5_is_changed_by_set_attribute(blender: ModuleType) -> None:
    def edit(root: Collection) -> None:
        room = room_object(root, 1)
        bpy.context.view_layer.objects.active = room
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_mode(type="FACE")
        bpy.ops.mesh.select_all(action="DESELECT")
        bpy.ops.object.mode_set(mode="OBJECT")
        room.data.polygons[0].select = True
        bpy.ops.object.mode_set(mode="EDIT")
        room.data.attributes.active = room.data.attributes["tr_effects"]
        bpy.ops.mesh.attribute_set(value_int=7)
        bpy.ops.object.mode_set(mode="OBJECT")

    (path,) = changes(sample_bytes(Game.TR5), edit)
    assert path[:2] == ("rooms", 1) and "effects" in path


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_room_has_as_many_vertices_as_its_file_can_count(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    mesh = room_object(root, 1).data
    mesh.vertices.add(0xFFFF - len(mesh.vertices))
    assert len(export_scene(root).rooms[1].vertices) == 0xFFFF
    mesh.vertices.add(1)
    with pytest.raises(ExportError, match=r"too many vertices: 65536 \(the limit is 65535\)"):
        export_scene(root)


def test_parts_of_a_unit_count_for_how_far_a_room_of_tr5_reaches(blender: ModuleType) -> None:
    """Vertices of TR5 are floats, and the heights of its rooms whole units."""
    data = sample_bytes(Game.TR5)
    level, root = read_level(data), import_scene(data)
    for vertex in room_object(root, 1).data.vertices:
        vertex.co.z -= 0.75 * UNIT
    room = export_scene(root).rooms[1]
    assert (room.y_top, room.y_bottom) == (level.rooms[1].y_top + 1, level.rooms[1].y_bottom + 1)


# Flags and choices that each game has, with their bits and numbers.
SETTINGS: list[tuple[str, Any, str, int, tuple[Game, ...]]] = [
    ("has_water", True, "flags", 0x01, tuple(Game)),
    ("shows_sky", True, "flags", 0x08, tuple(Game)[1:]),
    ("has_wind", True, "flags", 0x20, tuple(Game)[1:]),
    ("is_inside", True, "flags", 0x40, tuple(Game)[2:]),
    ("has_quicksand", True, "flags", 0x80, (Game.TR3,)),
    ("blocks_lens_flare", True, "flags", 0x80, (Game.TR4, Game.TR5)),
    ("has_caustics", True, "flags", 0x100, tuple(Game)[2:]),
    ("has_reflections", True, "flags", 0x200, tuple(Game)[2:]),
    ("has_snow", True, "flags", 0x400, (Game.TR4,)),
    ("has_rain", True, "flags", 0x800, (Game.TR4,)),
    ("is_cold", True, "flags", 0x1000, (Game.TR4,)),
    ("reflects_ceiling", True, "flags", 0x1000, (Game.TR5,)),
    ("ambient", 1234, "ambient", 1234, tuple(Game)[:3]),
    ("ambient2", 1234, "ambient2", 1234, (Game.TR2,)),
    ("light_effect", "PULSE", "light_mode", 2, (Game.TR2,)),
    ("light_mode", 3, "light_mode", 3, (Game.TR2, Game.TR3)),
    ("water_scheme", 7, "water_scheme", 7, tuple(Game)[2:]),
    ("reverberation", "PIPE", "reverb", 4, tuple(Game)[2:]),
    ("alternate_group", 5, "alternate_group", 5, (Game.TR4, Game.TR5)),
]


@pytest.mark.parametrize(
    ("name", "value", "field", "expected", "game"),
    [(*row, game) for *row, games in SETTINGS for game in games],
    ids=str,
)
def test_settings_of_a_room_are_exported(
    blender: ModuleType, name: str, value: Any, field: str, expected: int, game: Game
) -> None:
    level = read_level(sample_bytes(game))
    for room in level.rooms:
        room.flags = 0
    data = level.to_bytes()
    root = import_scene(data)
    setattr(room_object(root, 0).tomb_raider.room, name, value)
    new = export_scene(root)
    assert getattr(new.rooms[0], field) == expected
    found = without_pathfinding(differences(read_level(data), new))
    # Water also has effects on vertices.
    effects = [path for path in found if name in ("has_water", "has_quicksand") and path[2] == "vertices"]
    assert {path[-1] for path in effects} <= {"attributes"}
    assert [path for path in found if path not in effects] == [("rooms", 0, field)]


def test_an_unnamed_reverb_is_kept(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4))
    level.rooms[0].reverb = 99
    data = level.to_bytes()
    root = import_scene(data)
    settings = room_object(root, 0).tomb_raider.room
    assert settings.reverberation == "OTHER"
    settings.reverberation = "OTHER"
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_a_room_that_was_empty_in_the_file_gets_faces(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    edit_bmesh(room_object(root, 0).data, lambda made: bmesh.ops.delete(made, geom=[*made.verts]))
    bpy.data.batch_remove(objects(root, "SPRITE"))  # each is at a vertex of its room
    empty = export_scene(root)
    assert len(empty.rooms[0].vertices) == 0
    root = import_anew(empty.to_bytes())

    def add(made: bmesh.types.BMesh) -> None:
        made.faces.new(
            [made.verts.new((x * UNIT, y * UNIT, 0)) for x, y in ((0, 0), (64, 0), (64, 64), (0, 64))]
        )

    mesh = room_object(root, 0).data
    edit_bmesh(mesh, add)
    mesh.materials.append(room_object(root, 1).data.materials[0])
    assert len(export_scene(root).rooms[0].vertices) == 4


def test_new_vertices_of_tr2_do_not_flicker(blender: ModuleType) -> None:
    """A strength of 16 is neutral for light modes; 0 is the strongest."""
    root = import_scene(sample_bytes(Game.TR2))
    room = room_object(root, 0)
    made: Any = add_room(root, Vector((80, 80, 0)), (2, 2, 2))
    cube: Any = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    bm = bmesh.new()
    bmesh.ops.create_cube(bm, size=0.5)
    bm.to_mesh(cube.data)
    cube.data.materials.append(room.data.materials[0])
    root.objects.link(cube)
    bpy.ops.object.select_all(action="DESELECT")
    for obj in (room, cube):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = room
    bpy.ops.object.join()
    level = export_scene(root)
    assert set(level.rooms[0].vertices["attributes"].tolist()) == {16}
    assert set(level.rooms[-1].vertices["attributes"].tolist()) == {16}
    # What the user sets is written, even on these vertices.
    for obj in (made, room):
        rows = np.zeros(len(obj.data.vertices), np.bool_)
        rows[-1] = True
        assert set_strength(obj.data, Game.TR2, rows, 0) == 1
    level = export_scene(root)
    for number in (0, -1):
        assert Counter(level.rooms[number].vertices["attributes"].tolist())[0] == 1


def _shown_mesh(obj: Any, frame: int) -> tuple[Any, Any, int]:
    """Return positions and light of a room as the viewport shows them at a frame, and the number of marks."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = obj.evaluated_get(graph).data
    places = np.zeros((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", places.ravel())
    color = mesh.color_attributes[mesh.attributes.default_color_name]
    light = np.zeros((len(color.data), 4), np.float32)
    color.data.foreach_get("color", light.ravel())
    marks = sum(each.is_instance and each.parent.original == obj for each in graph.object_instances)
    return places, light, marks


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3, Game.TR4])
def test_effects_of_vertices_are_seen_and_not_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    number = (
        0
        if game is Game.TR2
        else next(
            number for number, room in enumerate(level.rooms) if (room.vertices["attributes"] & 0x2000).any()
        )
    )
    room = room_object(root, number)
    mesh = room.data
    if game is Game.TR2:
        room.tomb_raider.room.light_effect = "PULSE"
        set_strength(mesh, game, np.arange(len(mesh.vertices)) < 3, 24)
        data = export_level(root)[0].to_bytes()
    before = _shown_mesh(room, 1)
    assert before[2] == 0
    show_effects(root, [room], MARKS, True)
    flags = np.zeros(len(mesh.vertices), np.int32)
    mesh.attributes["tr_attributes"].data.foreach_get("value", flags)
    moves, glows = (flags & 0x2000) > 0, (flags & 0x4000) > 0
    expected = 3 if game is Game.TR2 else int(moves.sum() + glows.sum())
    assert expected and _shown_mesh(room, 1)[2] == expected and shows_effects(room, MARKS)
    show_effects(root, [room], MARKS, False)
    assert not shows_effects(room, MARKS)

    show_effects(root, [room], MOTION, True)
    one, other = _shown_mesh(room, 10), _shown_mesh(room, 25)
    height = 0 if game is Game.TR2 else water_motion(level.rooms[number].water_scheme).height
    rise = (one[0] - before[0]) / UNIT
    assert not rise[:, :2].any() and not rise[~moves].any() and np.abs(rise).max() <= height + 0.1
    assert np.array_equal(rise[:, 2].any(), height > 0)
    assert np.abs(one[1] - other[1]).max() > 0.01  # its light changes
    if game is Game.TR2:  # by 8 steps of 256, half and half around the middle of the pulse, on the screen
        change = to_screen(other[1][:, 0]) - to_screen(one[1][:, 0])
        wave = [0.5 + 0.5 * np.sin(frame * 2 * np.pi / 32) for frame in (10, 25)]
        expected_change = 8 * 256 / 8191 * (wave[0] - wave[1])
        assert np.allclose(change[np.abs(change) > 0.001], expected_change, atol=0.02)
    assert export_level(root)[0].to_bytes() == data


def test_water_moves_by_its_scheme() -> None:
    assert water_motion(0) == (16, 63, 0) and water_motion(1) == (0, 32, -24)
    assert water_motion(5) == (16, -31, 32) and water_motion(20) == (127, -127, 128) == water_motion(255)
    assert water_motion(9).height == 53 and water_motion(6).height == 16


def _wet_positions(level: Level, number: int, layer: int) -> tuple[set[Any], set[Any], int]:
    """Return the positions of water and shore vertices in a layer of a room, and the count of water quads."""
    room = level.rooms[number]
    record = room.layers[layer]
    start = int(room.layers["vertices"][:layer].sum())
    places = [tuple(place) for place in positions(level, number)[start:].tolist()]
    water, shore = int(record["water_vertices"]), int(record["shore_vertices"])
    return set(places[:water]), set(places[water : water + shore]), int(record["water_quads"])


@pytest.mark.parametrize("edit", ["sort", "delete", "subdivide"])
def test_water_in_layers_of_tr5_survives_edits(blender: ModuleType, edit: str) -> None:
    level = sample_level(Game.TR5)
    room = level.rooms[0]
    room.layers = room.layers.copy()
    room.layers["water_vertices"][1], room.layers["shore_vertices"][1] = 8, 4
    root = import_scene(level.to_bytes())
    before = _wet_positions(level, 0, 1)

    def change(bm: bmesh.types.BMesh) -> None:
        if edit == "sort":
            bm.verts.sort(key=lambda vertex: -vertex.index)
        elif edit == "delete":
            bmesh.ops.delete(bm, geom=[list(bm.verts)[-1]], context="VERTS")
        else:
            face = list(bm.faces)[-1]
            bmesh.ops.subdivide_edges(bm, edges=face.edges[:1], cuts=1)

    edit_bmesh(room_object(root, 0).data, change)
    found = _wet_positions(export_scene(root), 0, 1)
    assert found[:2] == before[:2]
    assert found[2] > 0  # these were 0 in the sample
