"""Collision meshes: where they stand, what an edit of them changes, and what cannot be expressed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from bpy.types import Collection
from numpy.typing import NDArray

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.floor_data import decode, parse
from io_tomb_raider.formats.floor_data_edit import edit as edit_floor_data
from io_tomb_raider.formats.floor_data_edit import in_order
from io_tomb_raider.formats.floor_functions import (
    Beetle,
    Climb,
    Death,
    Deferred,
    Function,
    MonkeySwing,
    Portal,
    Slant,
    Triangulation,
)
from io_tomb_raider.scene.context import ImportOptions
from io_tomb_raider.scene.exporter import export_level
from io_tomb_raider.scene.importer import import_level
from tests.compare import Path as Difference
from tests.compare import differences
from tests.real_levels import each_real_level
from tests.sample_levels import SAMPLES, sample_bytes

from .scenes import changes, copy_of, export_scene, import_scene, objects
from .test_meshes import each_game

CLICK = 256
STEP = 0.5  # a click in Blender
FLOOR, CEILING, WALL, SOLID = 1, 2, 3, 4
HALL, CORRIDOR, WATER = 0, 1, 2  # rooms of the sample levels
PLAIN = (5, 4)  # a flat sector of the hall among flat ones, without functions
NEW_GAMES = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
Corner = tuple[int, int]


# --- What the documentation says of a sector's heights ----------------------------------------


def documented_heights(base: int, functions: Sequence[Function], ceiling: bool) -> dict[Corner, set[int]]:
    """Heights of a surface by corner (x, z: 0 or 1), in clicks, y down: two where triangles do not meet."""
    corners = [(x, z) for x in (0, 1) for z in (0, 1)]
    shape = next(
        (f for f in functions if isinstance(f, Slant | Triangulation) and f.ceiling == ceiling), None
    )
    if shape is None:
        return {corner: {base} for corner in corners}
    if isinstance(shape, Slant):
        # Chapters 4.4.2 and 4.4.3: which sides of floors are lowered, and of ceilings raised.
        x_side = (0 if shape.x > 0 else 1) if not ceiling else (1 if shape.x > 0 else 0)
        z_side = 0 if shape.z > 0 else 1
        sign = -1 if ceiling else 1
        return {
            (x, z): {base + sign * (abs(shape.x) * (x == x_side) + abs(shape.z) * (z == z_side))}
            for x, z in corners
        }
    order = [(1, 1), (0, 1), (0, 0), (1, 0)] if ceiling else [(1, 0), (0, 0), (0, 1), (1, 1)]
    values = dict(zip(order, shape.corners, strict=True))
    rising = shape.function in (8, 10, 0xD, 0xE, 0x11, 0x12)
    found: dict[Corner, set[int]] = {corner: set() for corner in corners}
    for plus in (0, 1):
        right_angle = (plus, plus) if not rising else (plus, 1 - plus)
        across = (1 - right_angle[0], 1 - right_angle[1])
        neighbors = [corner for corner in corners if corner not in (right_angle, across)]
        plane = {corner: values[corner] for corner in (right_angle, *neighbors)}
        plane[across] = sum(values[corner] for corner in neighbors) - values[right_angle]
        shift = shape.height_x if plus else shape.height_other
        for corner in (right_angle, *neighbors):
            if ceiling:
                found[corner].add(base + shift - max(plane.values()) + plane[corner])
            else:
                found[corner].add(base + shift + max(plane.values()) - plane[corner])
    return found


# --- Scenes ----------------------------------------


def with_functions(
    data: bytes, functions: Mapping[tuple[int, int, int], Sequence[Function]], **fields: int
) -> bytes:
    """A level with other functions on sectors (room, x, z), and other fields of their records."""
    level = read_level(data)
    indices = [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in level.rooms]
    parsed = parse(level.floor_data, indices)
    edited = edit_floor_data(parsed, indices, {at: in_order(each) for at, each in functions.items()})
    level.floor_data = edited.words
    for number, (room, new) in enumerate(zip(level.rooms, edited.sectors, strict=True)):
        room.sectors = room.sectors.copy()
        room.sectors["floor_data"] = new.ravel()
        for at in functions:
            for name, value in fields.items():
                if at[0] == number:
                    room.sectors[name][at[1] * room.z_sectors + at[2]] = value
    return bytes(level.to_bytes())


def collision(root: Collection, room: int) -> Any:
    return objects(root, "COLLISION")[room]


def place(level: Level, room: int, at: tuple[int, int]) -> int:
    return at[0] * level.rooms[room].z_sectors + at[1]


def faces_of(thing: Any, part: int, at: tuple[int, int]) -> list[int]:
    """The faces of a part over a sector, by where they are."""
    mesh = thing.data
    found = []
    for polygon in mesh.polygons:
        x, y, _ = polygon.center
        inside = (int(x // 2), int(y // 2)) == at
        if inside and mesh.attributes["tr_part"].data[polygon.index].value == part:
            found.append(polygon.index)
    return found


def face_of(thing: Any, part: int, at: tuple[int, int]) -> int:
    (face,) = faces_of(thing, part, at)
    return face


def drag(thing: Any, part: int, at: tuple[int, int], corner: Corner, clicks: float) -> None:
    """Raise all vertices of a surface that stand at a corner of its sector, as box select and G Z do."""
    mesh = thing.data
    x, y = 2 * (at[0] + corner[0]), 2 * (at[1] + corner[1])
    vertices = {v for face in faces_of(thing, part, at) for v in mesh.polygons[face].vertices}
    for vertex in vertices:
        if mesh.vertices[vertex].co.to_2d()[:] == (x, y):
            mesh.vertices[vertex].co.z += clicks * STEP


def set_face(thing: Any, part: int, at: tuple[int, int], name: str, value: int) -> None:
    for face in faces_of(thing, part, at):
        thing.data.attributes[name].data[face].value = value


def sector_changes(found: list[Difference]) -> list[tuple[Any, ...]]:
    """Differences but for what pathfinding makes anew from them."""
    return [each for each in found if each[0] in ("rooms",) and each[-1] != "box"]


def functions_at(level: Level, room: int, at: tuple[int, int]) -> tuple[Function, ...]:
    return decode(level.floor_data, int(level.rooms[room].sectors[place(level, room, at)]["floor_data"]))


def surface_at(level: Level, room: int, at: tuple[int, int], ceiling: bool = False) -> dict[Corner, set[int]]:
    record = level.rooms[room].sectors[place(level, room, at)]
    base = int(record["ceiling" if ceiling else "floor"])
    return documented_heights(base, functions_at(level, room, at), ceiling)


class EditMode:
    """A user in edit mode of a room's collision, with faces of a sector selected."""

    def __init__(self, root: Collection, room: int, *faces: tuple[int, tuple[int, int]]) -> None:
        self.thing = collision(root, room)
        layer = next(
            each
            for top in bpy.context.view_layer.layer_collection.children
            for each in top.children
            if each.collection.tomb_raider.kind == "COLLISION" and top.collection == root
        )
        layer.exclude = False
        self.thing.hide_viewport = False  # flipped rooms are hidden
        bpy.context.view_layer.update()
        self.faces = faces

    def __enter__(self) -> Any:
        bpy.context.view_layer.objects.active = self.thing
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.context.tool_settings.mesh_select_mode = (False, False, True)
        self.select(*self.faces)
        return self

    def select(self, *faces: tuple[int, tuple[int, int]], triangle: int | None = None) -> None:
        bm = bmesh.from_edit_mesh(self.thing.data)
        part = bm.faces.layers.int["tr_part"]
        for face in bm.faces:
            middle = face.calc_center_median()
            face.select_set((face[part], (int(middle.x // 2), int(middle.y // 2))) in faces)
        if triangle is not None:
            chosen = [face for face in bm.faces if face.select]
            for number, face in enumerate(chosen):
                face.select_set(number == triangle)
        bm.select_flush_mode()
        bmesh.update_edit_mesh(self.thing.data)

    def select_wall(self, at: tuple[int, int], side: int) -> None:
        bm = bmesh.from_edit_mesh(self.thing.data)
        part, sector, way = (bm.faces.layers.int[name] for name in ("tr_part", "tr_sector", "tr_side"))
        depth = self.thing.tomb_raider.collision.z_sectors
        for face in bm.faces:
            face.select_set((face[part], face[sector], face[way]) == (WALL, at[0] * depth + at[1], side))
        bm.select_flush_mode()
        bmesh.update_edit_mesh(self.thing.data)

    def __exit__(self, *_: object) -> None:
        bpy.ops.object.mode_set(mode="OBJECT")


def tool_changes(
    data: bytes,
    room: int,
    faces: Sequence[tuple[int, tuple[int, int]]],
    use: Callable[[EditMode], Any],
) -> tuple[Level, list[tuple[Any, ...]]]:
    """The exported level, and what differs in it after a user has worked in edit mode."""
    root = import_scene(data)
    with EditMode(root, room, *faces) as mode:
        use(mode)
    level = export_scene(root)
    return level, sector_changes(differences(read_level(data), level))


# --- Where it stands ----------------------------------------


def check_heights(root: Collection, level: Level) -> int:
    """Compare all vertices of floors and ceilings with what the documentation says, and count sectors."""
    bpy.context.view_layer.update()
    checked = 0
    for number, room in enumerate(level.rooms):
        thing = collision(root, number)
        found: dict[tuple[int, int], dict[Corner, set[int]]] = {}
        mesh = thing.data
        parts = [each.value for each in mesh.attributes["tr_part"].data]
        sectors = [each.value for each in mesh.attributes["tr_sector"].data]
        # Excluded collections are not evaluated: their matrices are composed by hand.
        matrix = thing.parent.matrix_world @ thing.matrix_parent_inverse @ thing.matrix_basis
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
def test_corners_stand_where_the_documentation_says(blender: ModuleType, name: str) -> None:
    game, variant, options = SAMPLES[name]
    data = sample_bytes(game, variant, **options)
    if hasattr(read_level(data), "models"):
        assert check_heights(import_scene(data), read_level(data)) > 50


@each_real_level
def test_corners_of_real_levels_stand_where_the_documentation_says(
    blender: ModuleType, level_path: Path
) -> None:
    level = read_level(level_path.read_bytes())
    assert check_heights(import_level(level_path).root, level) > 50


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
def test_all_shapes_stand_where_the_documentation_says_and_stay(blender: ModuleType, game: Game) -> None:
    shapes = SHAPES + (DIVIDED if game >= Game.TR3 else [])
    places = [(x, z) for x in range(4, 10) for z in range(1, 8)]
    changed = {(HALL, *at): shape for at, shape in zip(places, shapes, strict=False)}
    data = with_functions(sample_bytes(game), changed, floor=-2, ceiling=-20, room_below=255, room_above=255)
    root = import_scene(data)
    check_heights(root, read_level(data))
    assert export_level(root)[0].to_bytes() == data
    again = export_scene(root, rebuild=True)
    for room, x, z in changed:
        for ceiling in (False, True):
            before, after = (surface_at(level, room, (x, z), ceiling) for level in (read_level(data), again))
            assert before == after


def test_faces_look_into_the_room(blender: ModuleType) -> None:
    changed = {(HALL, 6, 6): (Triangulation(7, 2, 0, (0, 0, 0, 0)), Triangulation(10, 0, 3, (0, 0, 0, 0)))}
    thing = collision(import_scene(with_functions(sample_bytes(Game.TR4), changed, ceiling=-14)), HALL)
    parts = [each.value for each in thing.data.attributes["tr_part"].data]
    sides = [each.value for each in thing.data.attributes["tr_side"].data]
    ways = {1: (0, -1), 2: (-1, 0), 4: (0, 1), 8: (1, 0)}
    for polygon in thing.data.polygons:
        part, side = parts[polygon.index], sides[polygon.index]
        if part == WALL and side:
            assert (round(polygon.normal.x), round(polygon.normal.y)) == ways[side]
        elif part in (FLOOR, SOLID):
            assert polygon.normal.z > 0.1
        elif part == CEILING:
            assert polygon.normal.z < -0.1
    inner = [p for p in thing.data.polygons if parts[p.index] == WALL and not sides[p.index]]
    # The triangle on the +x side is lower in the floor, and in the ceiling the other one is.
    assert sorted((round(p.normal.x, 2), round(p.normal.y, 2)) for p in inner) == [
        (0.71, -0.71),
        (0.71, 0.71),
    ]


@each_game
def test_walls_close_every_floor_with_its_ceiling(blender: ModuleType, game: Game) -> None:
    """Seen from within, the space of a room has no holes but for its openings."""
    thing = collision(import_scene(sample_bytes(game)), CORRIDOR)
    bm = bmesh.new()
    bm.from_mesh(thing.data)
    part = bm.faces.layers.int["tr_part"]
    bmesh.ops.delete(bm, geom=[face for face in bm.faces if face[part] == SOLID], context="FACES")
    bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=0.001)
    assert bm.faces
    assert all(edge.is_contiguous for edge in bm.edges)
    bm.free()


# --- What it is colored like ----------------------------------------


def kind_of(thing: Any, face: int) -> str:
    index = thing.data.polygons[face].material_index
    return str(thing.data.materials[index].tomb_raider.collision)


def test_colors_tell_what_a_face_is(blender: ModuleType) -> None:
    changed: dict[tuple[int, int, int], Sequence[Function]] = {
        (HALL, 6, 6): (Slant(False, 3, 0),),
        (HALL, 7, 6): (Slant(False, 2, 2),),
        (HALL, 6, 4): (Death(),),
        (HALL, 7, 4): (MonkeySwing(),),
    }
    root = import_scene(with_functions(sample_bytes(Game.TR3), changed))
    thing = collision(root, HALL)
    for at, kind in (
        ((6, 6), "SLOPE"),
        ((7, 6), "FLOOR"),
        ((6, 4), "DEATH"),
        ((7, 2), "OPENING"),
        (PLAIN, "FLOOR"),
    ):
        assert kind_of(thing, face_of(thing, FLOOR, at)) == kind
    assert kind_of(thing, face_of(thing, CEILING, (7, 4))) == "MONKEY_SWING"
    assert kind_of(thing, face_of(thing, CEILING, (6, 4))) == "CEILING"
    assert kind_of(thing, face_of(thing, SOLID, (0, 0))) == "WALL"
    assert kind_of(thing, face_of(thing, SOLID, (10, 4))) == "OPENING"
    attributes = thing.data.attributes
    walls = {
        (attributes["tr_sector"].data[p.index].value, attributes["tr_side"].data[p.index].value): p.index
        for p in thing.data.polygons
        if attributes["tr_part"].data[p.index].value == WALL
    }
    assert kind_of(thing, walls[1 * 9 + 3, 8]) == "CLIMB"
    assert kind_of(thing, walls[1 * 9 + 4, 8]) == "WALL"
    assert kind_of(thing, walls[9 * 9 + 4, 2]) == "OPENING"
    count = len(bpy.data.materials)
    import_scene(sample_bytes(Game.TR5))
    assert len([m for m in bpy.data.materials if m.tomb_raider.collision != "NONE"]) == 8
    assert len(bpy.data.materials) >= count


def test_collision_is_hidden_until_it_is_asked_for(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
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


# --- Edits ----------------------------------------


def sector_path(level: Level, room: int, at: tuple[int, int], name: str) -> tuple[Any, ...]:
    return ("rooms", room, "sectors", place(level, room, at), name)


@each_game
@pytest.mark.parametrize(("part", "name"), [(FLOOR, "floor"), (CEILING, "ceiling")])
def test_a_raised_sector_changes_alone(blender: ModuleType, game: Game, part: int, name: str) -> None:
    data = sample_bytes(game)
    level = read_level(data)

    def edit(root: Collection) -> None:
        for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
            drag(collision(root, HALL), part, PLAIN, corner, 1)

    found = sector_changes(changes(data, edit))
    assert [each for each in found if each[2] == "sectors"] == [sector_path(level, HALL, PLAIN, name)]
    assert [each[2] for each in found if each[2] != "sectors"] == (["y_top"] if part == CEILING else [])


@each_game
def test_two_dragged_corners_make_a_slant(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for corner in ((1, 0), (1, 1)):
        drag(collision(root, HALL), FLOOR, PLAIN, corner, 2)
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
    root = import_scene(data)
    drag(collision(root, HALL), part, PLAIN, corner, -2)
    level = export_scene(root)
    before = surface_at(read_level(data), HALL, PLAIN, part == CEILING)
    wanted = {at: {next(iter(each)) + 2 * (at == corner)} for at, each in before.items()}
    assert surface_at(level, HALL, PLAIN, part == CEILING) == wanted
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    # The line does not run through the corner that was dragged.
    assert shape.rising == (corner in ((0, 1), (1, 0)))
    assert {
        each[3] for each in sector_changes(differences(read_level(data), level)) if each[2] == "sectors"
    } == {place(level, HALL, PLAIN)}


@pytest.mark.parametrize("game", [Game.TR1, Game.TR2])
def test_what_old_games_cannot_bend_is_named(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    drag(collision(root, HALL), FLOOR, PLAIN, (0, 0), 1)
    with pytest.raises(ExportError, match=r"Room 0, sector \(5, 4\): its floor is not a plane"):
        export_level(root)


@each_game
def test_heights_off_the_steps_are_rounded_with_a_word(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag(collision(root, HALL), FLOOR, PLAIN, corner, 0.9)
    level, report = export_level(root)
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-1}
    assert ("Room 0, sector (5, 4): its heights were rounded to steps of 256") in [
        str(w) for w in report.warnings
    ]


@each_game
def test_too_far_is_an_error_that_names_the_sector(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag(collision(root, HALL), FLOOR, PLAIN, corner, -200)
    with pytest.raises(ExportError, match=r"Room 0, sector \(5, 4\): its floor is too high or too low"):
        export_level(root)


@each_game
def test_a_deleted_floor_is_an_error_and_a_deleted_sector_a_wall(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    thing = collision(root, HALL)

    def delete(part: int) -> None:
        bm = bmesh.new()
        bm.from_mesh(thing.data)
        bm.faces.ensure_lookup_table()
        bmesh.ops.delete(bm, geom=[bm.faces[face_of(thing, part, PLAIN)]], context="FACES_ONLY")
        bm.to_mesh(thing.data)
        bm.free()

    delete(FLOOR)
    with pytest.raises(ExportError, match=r"Room 0, sector \(5, 4\): .* its floor is missing"):
        export_level(root)
    delete(CEILING)
    level = export_scene(root)
    record = level.rooms[HALL].sectors[place(level, HALL, PLAIN)]
    assert record["floor"] == record["ceiling"] == -127
    sectors = {each[3] for each in sector_changes(differences(read_level(data), level))}
    assert sectors == {place(level, HALL, PLAIN)}


@each_game
def test_merged_corners_are_read_alike(blender: ModuleType, game: Game) -> None:
    """Merge by distance joins the corners of neighbors; sectors are what they were."""
    data = sample_bytes(game)
    root = import_scene(data)
    for thing in objects(root, "COLLISION"):
        bm = bmesh.new()
        bm.from_mesh(thing.data)
        bmesh.ops.remove_doubles(bm, verts=bm.verts[:], dist=0.001)
        bm.to_mesh(thing.data)
        bm.free()
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_subdivided_and_triangulated_faces_are_read_alike(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    things = objects(root, "COLLISION")
    for number, thing in enumerate(things):
        bm = bmesh.new()
        bm.from_mesh(thing.data)
        if number % 2:
            bmesh.ops.triangulate(bm, faces=bm.faces[:])
        else:
            bmesh.ops.subdivide_edges(bm, edges=bm.edges[:], cuts=1, use_grid_fill=True)
        bm.to_mesh(thing.data)
        bm.free()
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert any("more vertices than its corners" in str(each) for each in report.warnings)


@each_game
def test_an_extruded_floor_is_a_raised_one(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    thing = collision(root, HALL)
    bm = bmesh.new()
    bm.from_mesh(thing.data)
    bm.faces.ensure_lookup_table()
    face = bm.faces[face_of(thing, FLOOR, PLAIN)]
    made = bmesh.ops.extrude_face_region(bm, geom=[face])["geom"]
    bmesh.ops.translate(
        bm, vec=(0, 0, 2 * STEP), verts=[v for v in made if isinstance(v, bmesh.types.BMVert)]
    )
    bmesh.ops.delete(bm, geom=[face], context="FACES_ONLY")
    bm.to_mesh(thing.data)
    bm.free()
    level = export_scene(root)
    assert sector_changes(differences(read_level(data), level)) == [sector_path(level, HALL, PLAIN, "floor")]
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-2}


@each_game
def test_a_room_moved_up_takes_its_floors_along(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    root = import_scene(data)
    objects(root, "ROOM")[CORRIDOR].location.z += 4 * STEP
    level = export_scene(root)
    before, after = old.rooms[CORRIDOR].sectors, level.rooms[CORRIDOR].sectors
    walls = before["floor"] == -127
    assert np.array_equal(after["floor"], np.where(walls, -127, before["floor"] - 4))
    assert np.array_equal(after["ceiling"], np.where(walls, -127, before["ceiling"] - 4))
    assert level.rooms[CORRIDOR].y_top == old.rooms[CORRIDOR].y_top - 4 * CLICK


def test_a_copied_mesh_and_a_stray_one_are_told(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    twin = copy_of(collision(root, HALL))
    with pytest.raises(ExportError, match="another collision mesh already"):
        export_level(root)
    twin.parent = None
    level, report = export_level(root)
    assert level.to_bytes() == sample_bytes(Game.TR2)
    assert any("hangs on no room" in str(each) for each in report.warnings)
    bpy.data.objects.remove(twin)
    bpy.data.objects.remove(collision(root, HALL))
    level, report = export_level(root)
    assert level.to_bytes() == sample_bytes(Game.TR2)
    assert any("no collision mesh" in str(each) for each in report.warnings)


@each_game
def test_left_out_collision_is_kept(blender: ModuleType, game: Game) -> None:
    root = import_level(sample_bytes(game), ImportOptions(collision=False)).root
    assert not objects(root, "COLLISION")
    assert export_level(root)[0].to_bytes() == sample_bytes(game)


# --- Other rooms ----------------------------------------


@each_game
def test_openings_follow_their_rooms_to_other_numbers(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.data.objects.remove(objects(root, "ROOM")[CORRIDOR])
    level = export_scene(root)
    old = read_level(data)
    hall, water = old.rooms[HALL].sectors, old.rooms[WATER].sectors
    assert np.array_equal(level.rooms[0].sectors["room_below"], np.where(hall["room_below"] == WATER, 1, 255))
    assert np.array_equal(level.rooms[1].sectors["room_above"], water["room_above"])
    # The way to the room that is gone is a wall now.
    assert not any(
        isinstance(each, Portal)
        for sector in level.rooms[0].sectors
        for each in decode(level.floor_data, int(sector["floor_data"]))
    )


@NEW_GAMES
@pytest.mark.parametrize("kind", [0xB, 0xC, 0xD, 0xE])
def test_open_triangles_are_marked_and_can_be_closed(blender: ModuleType, game: Game, kind: int) -> None:
    changed = {(HALL, *PLAIN): (Triangulation(kind, 0, 0, (0, 1, 3, 1)),)}
    data = with_functions(sample_bytes(game), changed, room_below=WATER)
    root = import_scene(data)
    thing = collision(root, HALL)
    faces = faces_of(thing, FLOOR, PLAIN)
    rooms = [thing.data.attributes["tr_room"].data[face].value for face in faces]
    assert sorted(rooms)[0] == 0 and sorted(rooms)[1] > 0
    assert sorted(kind_of(thing, face) for face in faces) == ["FLOOR", "OPENING"]
    open_face = faces[int(np.argmax(rooms))]
    thing.data.attributes["tr_room"].data[open_face].value = 0
    level = export_scene(root)
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    assert shape.function in (7, 8) and shape.rising == (kind in (0xD, 0xE))
    assert level.rooms[HALL].sectors[place(level, HALL, PLAIN)]["room_below"] == 255


@each_game
def test_rooms_that_do_not_exist_survive(blender: ModuleType, game: Game) -> None:
    data = with_functions(
        sample_bytes(game), {(HALL, *PLAIN): (Portal(900),)}, room_below=200, room_above=77, box=0x7FF6
    )
    root = import_scene(data)
    assert export_level(root)[0].to_bytes() == data
    drag(collision(root, HALL), FLOOR, (7, 6), (0, 0), 1)
    for corner in ((0, 1), (1, 0), (1, 1)):
        drag(collision(root, HALL), FLOOR, (7, 6), corner, 1)
    level = export_scene(root)
    assert [
        each for each in sector_changes(differences(read_level(data), level)) if each[2] == "sectors"
    ] == [sector_path(level, HALL, (7, 6), "floor")]


# --- Tools ----------------------------------------

MARKS: list[tuple[str, Game, type]] = [
    ("death", Game.TR1, Death),
    ("monkey_swing", Game.TR3, MonkeySwing),
    ("deferred", Game.TR3, Deferred),
    ("beetle", Game.TR3, Beetle),
]


@each_game
@pytest.mark.parametrize(("mark", "since", "kind"), MARKS)
def test_marks_are_set_and_cleared(
    blender: ModuleType, game: Game, mark: str, since: Game, kind: type
) -> None:
    data = sample_bytes(game)
    if game < since:
        edit_mode = EditMode(import_scene(data), HALL, (FLOOR, PLAIN))
        with edit_mode, pytest.raises(RuntimeError, match="knows no"):
            bpy.ops.tomb_raider.set_sector_mark(mark=mark, on=True)
        return
    level, found = tool_changes(
        data, HALL, [(FLOOR, PLAIN)], lambda _: bpy.ops.tomb_raider.set_sector_mark(mark=mark, on=True)
    )
    assert found == [sector_path(level, HALL, PLAIN, "functions")]
    assert functions_at(level, HALL, PLAIN) == (kind(),)
    again, found = tool_changes(
        bytes(level.to_bytes()),
        HALL,
        [(CEILING, PLAIN)],
        lambda _: bpy.ops.tomb_raider.set_sector_mark(mark=mark, on=False),
    )
    assert functions_at(again, HALL, PLAIN) == ()
    assert found == [sector_path(level, HALL, PLAIN, "functions")]


@NEW_GAMES
def test_footsteps_and_stoppers_are_in_the_box_field(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def use(_: EditMode) -> None:
        bpy.ops.tomb_raider.set_sector_material(material="WOOD")
        bpy.ops.tomb_raider.set_sector_mark(mark="stopper", on=True)

    level, found = tool_changes(data, HALL, [(FLOOR, PLAIN), (FLOOR, (7, 6))], use)
    old = read_level(data).rooms[HALL].sectors["box"]
    new = level.rooms[HALL].sectors["box"]
    assert np.flatnonzero(old != new).tolist() == [place(level, HALL, at) for at in (PLAIN, (7, 6))]
    for at in (PLAIN, (7, 6)):
        before, after = (int(each[place(level, HALL, at)]) for each in (old, new))
        assert after == before & 0x7FF0 | 0x8000 | 7
    assert found == []


@pytest.mark.parametrize("game", [Game.TR2, Game.TR3, Game.TR4, Game.TR5])
def test_a_selected_wall_becomes_climbable(blender: ModuleType, game: Game) -> None:
    def use(mode: EditMode) -> None:
        mode.select_wall((9, 3), 2)
        bpy.ops.tomb_raider.set_climbable(on=True)

    level, found = tool_changes(sample_bytes(game), HALL, [], use)
    assert functions_at(level, HALL, (9, 3)) == (Climb(2),)
    assert found == [sector_path(level, HALL, (9, 3), "functions")]
    level, _ = tool_changes(
        bytes(level.to_bytes()),
        HALL,
        [(FLOOR, (9, 3))],
        lambda _: bpy.ops.tomb_raider.set_climbable(sides={"NORTH", "EAST"}, on=True),
    )
    assert functions_at(level, HALL, (9, 3)) == (Climb(3),)


@each_game
def test_a_sector_becomes_a_wall_and_a_wall_a_sector(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, found = tool_changes(data, HALL, [(FLOOR, PLAIN)], lambda _: bpy.ops.tomb_raider.make_walls())
    assert found == [sector_path(level, HALL, PLAIN, name) for name in ("floor", "ceiling")]
    again, found = tool_changes(
        bytes(level.to_bytes()), HALL, [(SOLID, PLAIN)], lambda _: bpy.ops.tomb_raider.make_floors()
    )
    assert found == [sector_path(level, HALL, PLAIN, name) for name in ("floor", "ceiling")]
    record = again.rooms[HALL].sectors[place(again, HALL, PLAIN)]
    assert (record["floor"], record["ceiling"]) == (0, -12)


@each_game
def test_a_wall_that_is_selected_from_within_is_hollowed_out(blender: ModuleType, game: Game) -> None:
    def use(mode: EditMode) -> None:
        mode.select_wall((3, 5), 4)  # the pillar of the hall, from the north
        bpy.ops.tomb_raider.make_floors()

    level, found = tool_changes(sample_bytes(game), HALL, [], use)
    assert [each[2:] for each in found] == [
        ("sectors", place(level, HALL, (3, 4)), name) for name in ("floor", "ceiling")
    ]


@each_game
def test_floors_are_raised_and_steps_appear_at_once(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    thing = collision(root, HALL)
    before = len(thing.data.polygons)
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
        bpy.ops.tomb_raider.raise_sectors(clicks=1)  # what was selected still is
    assert len(thing.data.polygons) == before + 4
    level = export_scene(root)
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-3}


@NEW_GAMES
def test_surfaces_are_divided_and_their_triangles_opened(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    thing = collision(root, HALL)
    thing.tomb_raider.collision.target = objects(root, "ROOM")[WATER]
    with EditMode(root, HALL, (FLOOR, PLAIN)) as mode:
        bpy.ops.tomb_raider.divide_sectors(split="RISING")
        mode.select((FLOOR, PLAIN), triangle=1)
        bpy.ops.tomb_raider.raise_sectors(clicks=2)  # tears the triangles apart
        bpy.ops.tomb_raider.open_sectors()
    level = export_scene(root)
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    assert shape.function == 0xE
    assert level.rooms[HALL].sectors[place(level, HALL, PLAIN)]["room_below"] == WATER
    heights = surface_at(level, HALL, PLAIN)
    assert heights == {(0, 1): {0}, (1, 0): {-2}, (0, 0): {0, -2}, (1, 1): {0, -2}}
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.flatten_sectors()
    level = export_scene(root)
    assert functions_at(level, HALL, PLAIN) == ()


@each_game
def test_ways_are_opened_and_closed(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    thing = collision(root, CORRIDOR)
    thing.tomb_raider.collision.target = objects(root, "ROOM")[WATER]
    with EditMode(root, CORRIDOR, (FLOOR, (5, 3)), (CEILING, (5, 2)), (SOLID, (6, 2))):
        bpy.ops.tomb_raider.open_sectors()
    with EditMode(root, CORRIDOR, (SOLID, (0, 1))):
        bpy.ops.tomb_raider.close_sectors()
    level = export_scene(root)
    sectors = level.rooms[CORRIDOR].sectors
    assert sectors[place(level, CORRIDOR, (5, 3))]["room_below"] == WATER
    assert sectors[place(level, CORRIDOR, (5, 2))]["room_above"] == WATER
    assert functions_at(level, CORRIDOR, (6, 2)) == (Portal(WATER),)
    assert functions_at(level, CORRIDOR, (0, 1)) == ()
    found = sector_changes(differences(read_level(data), level))
    assert {each[3] for each in found} == {
        place(level, CORRIDOR, at) for at in ((5, 3), (5, 2), (6, 2), (0, 1))
    }


@each_game
def test_a_refresh_of_all_changes_nothing(blender: ModuleType, game: Game) -> None:
    """The mesh that a tool builds is the one that the import builds."""
    data = with_functions(sample_bytes(game), {(HALL, *PLAIN): (Portal(900),)}, room_below=200)
    root = import_scene(data)
    things = objects(root, "COLLISION")
    before = [_content(thing.data) for thing in things]
    for room, thing in enumerate(things):
        with EditMode(root, room):
            bpy.ops.tomb_raider.refresh_collision()
        assert all(np.array_equal(a, b) for a, b in zip(_content(thing.data), before[room], strict=True))
        with bpy.context.temp_override(object=thing, selected_objects=[thing]):
            bpy.ops.tomb_raider.refresh_collision()
        assert all(np.array_equal(a, b) for a, b in zip(_content(thing.data), before[room], strict=True))
        assert len(thing.data.materials) == 8
    assert export_level(root)[0].to_bytes() == data


def _content(mesh: Any) -> list[NDArray[Any]]:
    found: list[NDArray[Any]] = [np.array([vertex.co[:] for vertex in mesh.vertices])]
    found.append(np.array([polygon.material_index for polygon in mesh.polygons]))
    found += [np.array(polygon.vertices[:]) for polygon in mesh.polygons]
    for name in sorted(each.name for each in mesh.attributes if each.name.startswith("tr_")):
        found.append(np.array([each.value for each in mesh.attributes[name].data]))
    return found


@each_game
def test_a_room_grows_and_shrinks_with_its_collision(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    root = import_scene(data)
    thing = collision(root, CORRIDOR)
    with EditMode(root, CORRIDOR, (SOLID, (6, 3))):
        bpy.ops.tomb_raider.resize_collision(x_sectors=9, y_sectors=6)
        bpy.ops.tomb_raider.make_floors()  # what was selected still is
    assert (thing.tomb_raider.collision.x_sectors, thing.tomb_raider.collision.z_sectors) == (9, 6)
    level = export_scene(root)
    before, after = old.rooms[CORRIDOR], level.rooms[CORRIDOR]
    assert (after.x_sectors, after.z_sectors) == (9, 6)
    grids = [room.sectors.reshape(room.x_sectors, room.z_sectors) for room in (before, after)]
    for x in range(7):
        for z in range(5):
            same = grids[0][x, z]["floor"] == grids[1][x, z]["floor"]
            assert same == ((x, z) != (6, 3))
            assert decode(old.floor_data, int(grids[0][x, z]["floor_data"])) == decode(
                level.floor_data, int(grids[1][x, z]["floor_data"])
            )
    assert (grids[1][7:]["floor"] == -127).all() and (grids[1][:, 5:]["floor"] == -127).all()
    assert (grids[1][7:]["room_below"] == 255).all()
    with EditMode(root, CORRIDOR):
        bpy.ops.tomb_raider.resize_collision(x_sectors=7, y_sectors=5)
        EditMode(root, CORRIDOR).select((FLOOR, (6, 3)))
        bpy.ops.tomb_raider.make_walls()
    assert export_level(root)[0].to_bytes() == data


@each_game
def test_a_room_without_collision_is_given_one(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room = objects(root, "ROOM")[WATER]
    bpy.data.objects.remove(collision(root, WATER))
    bpy.context.view_layer.objects.active = room
    bpy.ops.tomb_raider.add_collision()
    (made,) = [child for child in room.children if child.tomb_raider.kind == "COLLISION"]
    assert (made.tomb_raider.collision.x_sectors, made.tomb_raider.collision.z_sectors) == (6, 6)
    level = export_scene(root)
    record = level.rooms[WATER].sectors[place(level, WATER, (2, 2))]
    points = level.rooms[WATER].vertices["y"].astype(int)
    assert int(record["floor"]) * CLICK == points.max()
    assert int(record["ceiling"]) * CLICK == points.min()
    assert level.rooms[WATER].sectors["floor"][0] == -127
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.tomb_raider.add_collision()


def test_selecting_by_kind(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    with EditMode(root, HALL) as mode:
        bpy.ops.tomb_raider.select_collision(part="CEILING")
        bm = bmesh.from_edit_mesh(mode.thing.data)
        part = bm.faces.layers.int["tr_part"]
        assert {face[part] for face in bm.faces if face.select} == {CEILING}
        assert {face[part] for face in bm.faces if not face.select} == {FLOOR, WALL, SOLID}
