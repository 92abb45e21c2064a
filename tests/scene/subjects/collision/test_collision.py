"""Collision meshes: positions, effects of edits, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import (
    Death,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
    Trigger,
)
from io_tomb_raider.scene.core.context import ImportOptions
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.pipeline import importer
from tests.compare import differences
from tests.games import each_game
from tests.real_levels import each_real_level, skip_without
from tests.sample_levels import SAMPLES, named_sample, sample_bytes
from tests.scene.exporting import export_level

from ...scenes import UNIT, copy_of, export_scene, import_scene, objects
from .collision_meshes import (
    CEILING,
    CLICK,
    CORRIDOR,
    FLOOR,
    HALL,
    PLAIN,
    SOLID,
    STEP,
    WALL,
    WATER,
    Corner,
    collision,
    collision_changes,
    documented_heights,
    drag_corner,
    face_of,
    functions_at,
    import_collision,
    sector_changes,
    sector_path,
    sector_row,
    surface_at,
    surface_faces,
    surface_kind,
    with_shapes,
)

NEW_GAMES = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])


# --- Positions ----------------------------------------


def check_heights(root: Collection, level: Level) -> int:
    """Check all vertices of floors and ceilings by the documentation, and return the number of sectors."""
    bpy.context.view_layer.update()
    checked = 0
    for number, room in enumerate(level.rooms):
        obj = collision(root, number)
        found: dict[tuple[int, int], dict[Corner, set[int]]] = {}
        mesh = obj.data
        parts = [each.value for each in mesh.attributes["tr_part"].data]
        sectors = [each.value for each in mesh.attributes["tr_sector"].data]
        # Excluded collections are not evaluated: their matrices are composed here.
        matrix = obj.parent.matrix_world @ obj.matrix_parent_inverse @ obj.matrix_basis
        for polygon in mesh.polygons:
            if parts[polygon.index] not in (FLOOR, CEILING):
                continue
            sector = sectors[polygon.index]
            sx, sz = divmod(sector, room.z_sectors)
            corners = found.setdefault((parts[polygon.index], sector), {})
            for vertex in polygon.vertices:
                x, y, z = (matrix @ mesh.vertices[vertex].co) * 512
                corner = (round(x - room.x) / 1024 - sx, round(y - room.z) / 1024 - sz)
                assert corner in ((0, 0), (0, 1), (1, 0), (1, 1))
                corners.setdefault((int(corner[0]), int(corner[1])), set()).add(round(-z))
        for sector, record in enumerate(room.sectors):
            if record["floor"] == record["ceiling"] == -127:
                assert (FLOOR, sector) not in found
                continue
            functions = decode(level.floor_data, int(record["floor_data"]))
            for part, name in ((FLOOR, "floor"), (CEILING, "ceiling")):
                expected = documented_heights(int(record[name]), functions, part == CEILING)
                in_units = {corner: {n * CLICK for n in each} for corner, each in expected.items()}
                assert found[part, sector] == in_units, (number, divmod(sector, room.z_sectors), functions)
            checked += 1
    return checked


@pytest.mark.parametrize("name", SAMPLES)
def test_corners_have_the_documented_heights(blender: ModuleType, name: str) -> None:
    data = named_sample(name)
    if hasattr(read_level(data), "models"):
        assert check_heights(import_collision(data), read_level(data)) > 50


@each_real_level
def test_corners_of_real_levels_have_the_documented_heights(blender: ModuleType, level_path: Path) -> None:
    level = read_level(level_path.read_bytes())
    skip_without(level.rooms)
    assert check_heights(import_collision(level_path.read_bytes()), level) > 50


SHAPES: list[tuple[Function, ...]] = [
    *(
        (Slant(ceiling, x, z),)
        for ceiling in (False, True)
        for x, z in ((2, 0), (-3, 0), (0, 1), (0, -4), (2, -1))
    ),
    (Slant(False, 1, 0), Slant(True, 0, 1)),
]
DIVIDED: list[tuple[Function, ...]] = [
    *((Triangulation(kind, 0, 0, (0, 2, 1, 0)),) for kind in range(7, 0x13)),
    *((Triangulation(kind, 2, -3, (3, 0, 1, 5)),) for kind in range(7, 0x13)),
    (Triangulation(7, 0, 0, (0, 0, 0, 4)), Triangulation(10, 0, 0, (0, 3, 0, 0))),
    (Triangulation(8, 0, 0, (0, 1, 0, 0)), Slant(True, 2, 2)),
]


@each_game
def test_all_shapes_have_the_documented_heights_and_round_trip(blender: ModuleType, game: Game) -> None:
    shapes = SHAPES + (DIVIDED if game >= Game.TR3 else [])
    places = [(x, z) for x in range(4, 10) for z in range(1, 8)]
    changed = {(HALL, *at): shape for at, shape in zip(places, shapes, strict=False)}
    data = with_shapes(sample_bytes(game), changed, floor=-2, ceiling=-20, room_below=255, room_above=255)
    root = import_collision(data)
    check_heights(root, read_level(data))
    assert export_level(root)[0].to_bytes() == data
    again = export_scene(root, rebuild=True)
    for room, x, z in changed:
        for ceiling in (False, True):
            before, after = (surface_at(level, room, (x, z), ceiling) for level in (read_level(data), again))
            assert before == after


def test_faces_look_into_the_room(blender: ModuleType) -> None:
    changed = {(HALL, 6, 6): (Triangulation(7, 2, 0, (0, 0, 0, 0)), Triangulation(10, 0, 3, (0, 0, 0, 0)))}
    obj = collision(import_collision(with_shapes(sample_bytes(Game.TR4), changed, ceiling=-14)), HALL)
    parts = [each.value for each in obj.data.attributes["tr_part"].data]
    sides = [each.value for each in obj.data.attributes["tr_side"].data]
    ways = {1: (0, -1), 2: (-1, 0), 4: (0, 1), 8: (1, 0)}
    for polygon in obj.data.polygons:
        part, side = parts[polygon.index], sides[polygon.index]
        if part == WALL and side:
            assert (round(polygon.normal.x), round(polygon.normal.y)) == ways[side]
        elif part in (FLOOR, SOLID):
            assert polygon.normal.z > 0.1
        elif part == CEILING:
            assert polygon.normal.z < -0.1
    inner = [p for p in obj.data.polygons if parts[p.index] == WALL and not sides[p.index]]
    # In the floor the triangle on the +x side is lower, in the ceiling the other one.
    assert sorted((round(p.normal.x, 2), round(p.normal.y, 2)) for p in inner) == [
        (0.71, -0.71),
        (0.71, 0.71),
    ]


@pytest.mark.parametrize("ceiling", [False, True])
def test_crossing_edges_have_a_single_wall_face(blender: ModuleType, ceiling: bool) -> None:
    one, other = (HALL, 6, 6), (HALL, 7, 6)
    changed = {one: (Slant(ceiling, 0, 2),), other: (Slant(ceiling, 0, -2),)}
    data = with_shapes(sample_bytes(Game.TR1), changed, floor=-2, ceiling=-20)
    mesh = collision(import_collision(data), HALL).data
    z_sectors = read_level(data).rooms[HALL].z_sectors
    between = {(6 * z_sectors + 6, 2), (7 * z_sectors + 6, 8)}
    said = [[each.value for each in mesh.attributes[name].data] for name in ("tr_sector", "tr_side")]
    assert sum(each in between for each in zip(*said, strict=True)) == 1


@each_game
def test_walls_close_every_floor_with_its_ceiling(blender: ModuleType, game: Game) -> None:
    """Seen from within, the space of a room has no holes but for its openings."""
    obj = collision(import_collision(sample_bytes(game)), CORRIDOR)
    bm = bmesh.new()
    bm.from_mesh(obj.data)
    part = bm.faces.layers.int["tr_part"]
    bmesh.ops.delete(bm, geom=[face for face in bm.faces if face[part] == SOLID], context="FACES")
    bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=0.001)
    assert bm.faces
    assert all(edge.is_contiguous for edge in bm.edges)
    bm.free()


# --- Colors ----------------------------------------


def test_materials_of_collision_faces_show_their_kind(blender: ModuleType) -> None:
    changed: dict[tuple[int, int, int], Sequence[Function]] = {
        (HALL, 6, 6): (Slant(False, 3, 0),),
        (HALL, 7, 6): (Slant(False, 2, 2),),
        (HALL, 6, 4): (Death(),),
        (HALL, 7, 4): (MonkeySwing(),),
    }
    root = import_collision(with_shapes(sample_bytes(Game.TR3), changed))
    obj = collision(root, HALL)
    for at, kind in (
        ((6, 6), "SLOPE"),
        ((7, 6), "FLOOR"),
        ((6, 4), "DEATH"),
        ((7, 2), "OPENING"),
        (PLAIN, "FLOOR"),
    ):
        assert surface_kind(obj, face_of(obj, FLOOR, at)) == kind
    assert surface_kind(obj, face_of(obj, CEILING, (7, 4))) == "MONKEY_SWING"
    assert surface_kind(obj, face_of(obj, CEILING, (6, 4))) == "CEILING"
    assert surface_kind(obj, face_of(obj, SOLID, (0, 0))) == "WALL"
    assert surface_kind(obj, face_of(obj, SOLID, (10, 4))) == "OPENING"
    attributes = obj.data.attributes
    walls = {
        (attributes["tr_sector"].data[p.index].value, attributes["tr_side"].data[p.index].value): p.index
        for p in obj.data.polygons
        if attributes["tr_part"].data[p.index].value == WALL
    }
    assert surface_kind(obj, walls[1 * 9 + 3, 8]) == "CLIMB"
    assert surface_kind(obj, walls[1 * 9 + 4, 8]) == "WALL"
    assert surface_kind(obj, walls[9 * 9 + 4, 2]) == "OPENING"
    count = len(bpy.data.materials)
    import_collision(sample_bytes(Game.TR5))
    assert len([m for m in bpy.data.materials if m.tomb_raider.collision != "NONE"]) == 8
    assert len(bpy.data.materials) >= count


def test_collision_is_hidden_until_it_is_asked_for(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR2))
    (layer,) = [
        each
        for each in bpy.context.view_layer.layer_collection.children[0].children
        if each.collection.tomb_raider.kind == "COLLISION"
    ]
    assert layer.exclude
    bpy.ops.tomb_raider.toggle_library(collection=root.name, kind="COLLISION")
    assert not layer.exclude
    assert collision(root, CORRIDOR).parent == objects(root, "ROOM")[CORRIDOR]
    assert {each.name for each in collision(root, HALL).tomb_raider.collision.rooms[0].room.users_collection}


def test_collision_is_drawn_in_front_of_the_room(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_collision(data)
    bpy.ops.tomb_raider.toggle_library(collection=root.name, kind="COLLISION")
    obj = collision(root, HALL)
    mesh = obj.data
    drawn = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    parts = [each.value for each in mesh.attributes["tr_part"].data]
    floors = [face for face, part in zip(mesh.polygons, parts, strict=True) if part == 1]
    for face in floors:
        moved = [drawn.vertices[v].co - mesh.vertices[v].co for v in face.vertices]
        # Inwards, and not as far as anyone would take for another height.
        assert all(0 < way.dot(face.normal) and way.length < 64 * UNIT for way in moved)
    report = Report()
    level, _ = export_level(root, apply_modifiers=False, report=report)
    assert level.to_bytes() == data
    assert not report.warnings
    # A modifier of the user's own is exported; the display offset still is not.
    shift = obj.modifiers.new("Shift", "DISPLACE")
    shift.direction, shift.mid_level, shift.strength = "Z", 0.0, 512 * UNIT
    before, after = read_level(data).rooms[HALL], export_scene(root).rooms[HALL]
    changed = before.sectors["floor"] != after.sectors["floor"]
    assert changed.any()
    assert (before.sectors["floor"][changed] - after.sectors["floor"][changed] == 2).all()


# --- Edits ----------------------------------------


@each_game
@pytest.mark.parametrize(("part", "name"), [(FLOOR, "floor"), (CEILING, "ceiling")])
def test_a_raised_sector_changes_alone(blender: ModuleType, game: Game, part: int, name: str) -> None:
    data = sample_bytes(game)
    level = read_level(data)

    def edit(root: Collection) -> None:
        for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
            drag_corner(collision(root, HALL), part, PLAIN, corner, 1)

    found = sector_changes(collision_changes(data, edit))
    assert [each for each in found if each[2] == "sectors"] == [sector_path(level, HALL, PLAIN, name)]
    assert [each[2] for each in found if each[2] != "sectors"] == (["y_top"] if part == CEILING else [])


@each_game
def test_two_dragged_corners_make_a_slant(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    for corner in ((1, 0), (1, 1)):
        drag_corner(collision(root, HALL), FLOOR, PLAIN, corner, 2)
    level = export_scene(root)
    assert functions_at(level, HALL, PLAIN) == (Slant(False, 2, 0),)
    wanted = {(0, 0): {0}, (0, 1): {0}, (1, 0): {-2}, (1, 1): {-2}}
    assert surface_at(level, HALL, PLAIN) == wanted
    paths = sector_changes(differences(read_level(data), level))
    assert paths == [sector_path(level, HALL, PLAIN, name) for name in ("floor", "functions")]


@NEW_GAMES
@pytest.mark.parametrize("corner", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("part", [FLOOR, CEILING])
def test_one_dragged_corner_divides_the_sector(
    blender: ModuleType, game: Game, corner: Corner, part: int
) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    drag_corner(collision(root, HALL), part, PLAIN, corner, -2)
    level = export_scene(root)
    before = surface_at(read_level(data), HALL, PLAIN, part == CEILING)
    wanted = {at: {next(iter(each)) + 2 * (at == corner)} for at, each in before.items()}
    assert surface_at(level, HALL, PLAIN, part == CEILING) == wanted
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    # The split does not contain the dragged corner.
    assert shape.rising == (corner in ((0, 1), (1, 0)))
    assert {
        each[3] for each in sector_changes(differences(read_level(data), level)) if each[2] == "sectors"
    } == {sector_row(level, HALL, PLAIN)}


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_bent_floors_are_refused_by_name_in_old_games(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    drag_corner(collision(root, HALL), FLOOR, PLAIN, (0, 0), 1)
    with pytest.raises(ExportError, match=r"Room 000, sector \(5, 4\): its floor is not a plane"):
        export_level(root)


@each_game
def test_heights_between_steps_are_rounded_with_a_warning(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag_corner(collision(root, HALL), FLOOR, PLAIN, corner, 0.9)
    level, report = export_level(root)
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-1}
    assert ("Room 000, sector (5, 4): its heights were rounded to steps of 256") in [
        str(w) for w in report.warnings
    ]


def test_heights_close_to_a_step_are_snapped_without_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_collision(data)
    for at, clicks in ((PLAIN, 1 / CLICK), ((PLAIN[0], PLAIN[1] + 1), -1 / CLICK)):
        for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
            drag_corner(collision(root, HALL), FLOOR, at, corner, clicks)
    level, report = export_level(root)
    assert differences(read_level(data), level) == []
    assert not any("rounded" in str(each) for each in report.warnings)


@each_game
def test_too_far_is_an_error_that_names_the_sector(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag_corner(collision(root, HALL), FLOOR, PLAIN, corner, -200)
    with pytest.raises(ExportError, match=r"Room 000, sector \(5, 4\): its floor is too high or too low"):
        export_level(root)


def test_faces_outside_of_the_sectors_are_reported_with_the_name_of_the_room(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR1))
    obj = collision(root, HALL)
    room = next(each for each in objects(root, "ROOM") if each.name == "Room 000")
    room.name = "Great Hall"
    for vertex in obj.data.vertices:
        vertex.co.x += 100
    with pytest.raises(ExportError, match=r"Great Hall: \d+ faces of its collision are outside"):
        export_level(root)


@each_game
def test_a_deleted_floor_is_an_error_and_a_deleted_sector_a_wall(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    obj = collision(root, HALL)

    def delete(part: int) -> None:
        bm = bmesh.new()
        bm.from_mesh(obj.data)
        bm.faces.ensure_lookup_table()
        bmesh.ops.delete(bm, geom=[bm.faces[face_of(obj, part, PLAIN)]], context="FACES_ONLY")
        bm.to_mesh(obj.data)
        bm.free()

    delete(FLOOR)
    with pytest.raises(ExportError, match=r"Room 000, sector \(5, 4\): .* its floor is missing"):
        export_level(root)
    delete(CEILING)
    level = export_scene(root)
    record = level.rooms[HALL].sectors[sector_row(level, HALL, PLAIN)]
    assert record["floor"] == record["ceiling"] == -127
    sectors = {each[3] for each in sector_changes(differences(read_level(data), level))}
    assert sectors == {sector_row(level, HALL, PLAIN)}


@each_game
def test_merged_corners_are_read_alike(blender: ModuleType, game: Game) -> None:
    """Merge by Distance joins the corners of neighbors; sectors are unchanged."""
    data = sample_bytes(game)
    root = import_collision(data)
    for obj in objects(root, "COLLISION"):
        bm = bmesh.new()
        bm.from_mesh(obj.data)
        bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=0.001)
        bm.to_mesh(obj.data)
        bm.free()
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_subdivided_and_triangulated_faces_are_read_alike(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    objs = objects(root, "COLLISION")
    for number, obj in enumerate(objs):
        bm = bmesh.new()
        bm.from_mesh(obj.data)
        if number % 2:
            bmesh.ops.triangulate(bm, faces=bm.faces[:])
        else:
            bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=1, use_grid_fill=True)
        bm.to_mesh(obj.data)
        bm.free()
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert any("more vertices than its corners" in str(each) for each in report.warnings)


@each_game
def test_an_extruded_floor_is_a_raised_one(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    obj = collision(root, HALL)
    bm = bmesh.new()
    bm.from_mesh(obj.data)
    bm.faces.ensure_lookup_table()
    face = bm.faces[face_of(obj, FLOOR, PLAIN)]
    made = bmesh.ops.extrude_face_region(bm, geom=[face])["geom"]
    bmesh.ops.translate(
        bm, vec=(0, 0, 2 * STEP), verts=[v for v in made if isinstance(v, bmesh.types.BMVert)]
    )
    bmesh.ops.delete(bm, geom=[face], context="FACES_ONLY")
    bm.to_mesh(obj.data)
    bm.free()
    level = export_scene(root)
    assert sector_changes(differences(read_level(data), level)) == [sector_path(level, HALL, PLAIN, "floor")]
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-2}


@each_game
def test_a_room_moved_up_takes_its_floors_along(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    root = import_collision(data)
    objects(root, "ROOM")[CORRIDOR].location.z += 4 * STEP
    level = export_scene(root)
    before, after = old.rooms[CORRIDOR].sectors, level.rooms[CORRIDOR].sectors
    walls = before["floor"] == -127
    assert np.array_equal(after["floor"], np.where(walls, -127, before["floor"] - 4))
    assert np.array_equal(after["ceiling"], np.where(walls, -127, before["ceiling"] - 4))
    assert level.rooms[CORRIDOR].y_top == old.rooms[CORRIDOR].y_top - 4 * CLICK


def test_copied_detached_and_deleted_collision_meshes_are_reported(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR2))
    twin = copy_of(collision(root, HALL))
    with pytest.raises(ExportError, match="already has another collision mesh"):
        export_level(root)
    twin.parent = None
    level, report = export_level(root)
    assert level.to_bytes() == sample_bytes(Game.TR2)
    assert any("belongs to no room" in str(each) for each in report.warnings)
    bpy.data.objects.remove(twin)
    bpy.data.objects.remove(collision(root, HALL))
    level, report = export_level(root)
    assert level.to_bytes() == sample_bytes(Game.TR2)
    assert any("no collision mesh" in str(each) for each in report.warnings)


def test_rotated_and_moved_collision_meshes_are_refused(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR2))
    obj = collision(root, HALL)
    obj.rotation_euler.z = 0.3
    bpy.context.view_layer.update()
    with pytest.raises(ExportError, match=r"Room 000 Collision is rotated or scaled as an object.*Alt\+R"):
        export_level(root)
    obj.location.x = 1.0  # a turned mesh is off the origin because it is turned
    with pytest.raises(ExportError, match="is rotated or scaled as an object"):
        export_level(root)
    obj.rotation_euler.z = 0.0
    with pytest.raises(ExportError, match=r"is not at the origin of its room.*Alt\+G"):
        export_level(root)


def test_users_can_select_edges_of_collision(blender: ModuleType) -> None:
    obj = collision(import_collision(sample_bytes(Game.TR1)), HALL)
    expected = {frozenset(key) for polygon in obj.data.polygons for key in polygon.edge_keys}
    assert {frozenset(edge.vertices) for edge in obj.data.edges} == expected
    assert len(obj.data.edges) == len(expected)


@each_game
def test_left_out_collision_is_kept(blender: ModuleType, game: Game) -> None:
    root = importer.import_level(sample_bytes(game), ImportOptions(collision=False)).root
    assert not objects(root, "COLLISION")
    assert export_level(root)[0].to_bytes() == sample_bytes(game)


@each_game
def test_triggers_stay_on_sectors_that_are_dragged(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)  # with triggers and all else
    at = (8, 7)
    (before,) = functions_at(read_level(data), HALL, at)
    assert isinstance(before, Trigger)
    for corner in ((1, 0), (1, 1)):
        drag_corner(collision(root, HALL), FLOOR, at, corner, 1)
    level = export_scene(root)
    assert functions_at(level, HALL, at) == (Slant(False, 1, 0), before)
    found = [
        each for each in differences(read_level(data), level) if each[0] == "rooms" and each[-1] != "box"
    ]
    assert found == [sector_path(level, HALL, at, name) for name in ("floor", "functions")]


# --- Other rooms ----------------------------------------


@each_game
def test_openings_follow_their_rooms_to_other_numbers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    bpy.data.objects.remove(objects(root, "ROOM")[CORRIDOR])
    level = export_scene(root)
    old = read_level(data)
    hall, water = old.rooms[HALL].sectors, old.rooms[WATER].sectors
    assert np.array_equal(level.rooms[0].sectors["room_below"], np.where(hall["room_below"] == WATER, 1, 255))
    assert np.array_equal(level.rooms[1].sectors["room_above"], water["room_above"])
    # The opening to the deleted room is a wall now.
    assert not any(
        isinstance(each, Portal)
        for sector in level.rooms[0].sectors
        for each in decode(level.floor_data, int(sector["floor_data"]))
    )


@NEW_GAMES
@pytest.mark.parametrize("kind", [0xB, 0xC, 0xD, 0xE])
def test_open_triangles_are_marked_and_can_be_closed(blender: ModuleType, game: Game, kind: int) -> None:
    changed = {(HALL, *PLAIN): (Triangulation(kind, 0, 0, (0, 1, 3, 1)),)}
    data = with_shapes(sample_bytes(game), changed, room_below=WATER)
    root = import_collision(data)
    obj = collision(root, HALL)
    faces = surface_faces(obj, FLOOR, PLAIN)
    rooms = [obj.data.attributes["tr_room"].data[face].value for face in faces]
    assert sorted(rooms)[0] == 0 and sorted(rooms)[1] > 0
    assert sorted(surface_kind(obj, face) for face in faces) == ["FLOOR", "OPENING"]
    open_face = faces[int(np.argmax(rooms))]
    obj.data.attributes["tr_room"].data[open_face].value = 0
    level = export_scene(root)
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    assert shape.function in (7, 8) and shape.rising == (kind in (0xD, 0xE))
    assert level.rooms[HALL].sectors[sector_row(level, HALL, PLAIN)]["room_below"] == 255


@each_game
def test_openings_to_missing_rooms_are_kept(blender: ModuleType, game: Game) -> None:
    data = with_shapes(
        sample_bytes(game), {(HALL, *PLAIN): (Portal(900),)}, room_below=200, room_above=77, box=0x7FF6
    )
    root = import_collision(data)
    assert export_level(root)[0].to_bytes() == data
    drag_corner(collision(root, HALL), FLOOR, (7, 6), (0, 0), 1)
    for corner in ((0, 1), (1, 0), (1, 1)):
        drag_corner(collision(root, HALL), FLOOR, (7, 6), corner, 1)
    level = export_scene(root)
    assert [
        each for each in sector_changes(differences(read_level(data), level)) if each[2] == "sectors"
    ] == [sector_path(level, HALL, (7, 6), "floor")]


@each_game
def test_a_floor_above_its_ceiling_is_reported(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    obj = collision(root, HALL)
    for x in (0, 1):
        for z in (0, 1):
            drag_corner(obj, FLOOR, PLAIN, (x, z), 14)
    warnings = export_level(root)[1].warnings
    assert any("its floor is above its ceiling" in text and str(PLAIN) in text for text in warnings)
    for x in (0, 1):
        for z in (0, 1):
            drag_corner(obj, FLOOR, PLAIN, (x, z), -4)
    assert not any("above its ceiling" in text for text in export_level(root)[1].warnings)
