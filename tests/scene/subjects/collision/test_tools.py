"""Tools for collision meshes in edit mode: changes of the file, and of the mesh."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.levels.floor.floor_data import decode
from io_tomb_raider.formats.levels.floor.functions import (
    Beetle,
    Climb,
    Death,
    Deferred,
    MonkeySwing,
    Portal,
    Triangulation,
)
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit
from io_tomb_raider.scene.subjects.collision.tools import close
from io_tomb_raider.scene.subjects.portals import portals
from tests.compare import differences
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...scenes import export_scene, objects
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
    EditMode,
    collision,
    functions_at,
    import_collision,
    sector_changes,
    sector_path,
    sector_row,
    surface_at,
    tool_changes,
    with_shapes,
)

NEW_GAMES = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])


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
        edit_mode = EditMode(import_collision(data), HALL, (FLOOR, PLAIN))
        with edit_mode, pytest.raises(RuntimeError, match="has no"):
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
    assert np.flatnonzero(old != new).tolist() == [sector_row(level, HALL, at) for at in (PLAIN, (7, 6))]
    for at in (PLAIN, (7, 6)):
        before, after = (int(each[sector_row(level, HALL, at)]) for each in (old, new))
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
    record = again.rooms[HALL].sectors[sector_row(again, HALL, PLAIN)]
    assert (record["floor"], record["ceiling"]) == (0, -12)


@each_game
def test_a_wall_that_is_selected_from_within_is_hollowed_out(blender: ModuleType, game: Game) -> None:
    def use(mode: EditMode) -> None:
        mode.select_wall((3, 5), 4)  # the pillar of the hall, from the north
        bpy.ops.tomb_raider.make_floors()

    level, found = tool_changes(sample_bytes(game), HALL, [], use)
    assert [each[2:] for each in found] == [
        ("sectors", sector_row(level, HALL, (3, 4)), name) for name in ("floor", "ceiling")
    ]


def test_walls_far_from_floors_are_hollowed_out_as_deep_and_as_high_as_the_room(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)

    def grow_and_hollow(mode: EditMode) -> None:
        bpy.ops.tomb_raider.resize_collision(x_sectors=12, y_sectors=5)
        mode.select((SOLID, (10, 2)))
        bpy.ops.tomb_raider.make_floors()

    level, _ = tool_changes(data, CORRIDOR, [], grow_and_hollow)
    sectors = level.rooms[CORRIDOR].sectors
    record, floors = sectors[sector_row(level, CORRIDOR, (10, 2))], sectors[sectors["floor"] != -127]
    assert (record["floor"], record["ceiling"]) == (floors["floor"].max(), floors["ceiling"].min())
    assert record["floor"] > record["ceiling"]  # y is down


@each_game
def test_floors_are_raised_and_steps_appear_at_once(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    obj = collision(root, HALL)
    before = len(obj.data.polygons)
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
        bpy.ops.tomb_raider.raise_sectors(clicks=1)  # with the same selection
    assert len(obj.data.polygons) == before + 4
    level = export_scene(root)
    assert surface_at(level, HALL, PLAIN)[0, 0] == {-3}


@pytest.fixture
def openings_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the removal of openings without a counterpart in the other room."""
    monkeypatch.setattr(portals, "close_broken_connections", lambda *_: None)


@NEW_GAMES
def test_surfaces_are_divided_and_their_triangles_opened(
    blender: ModuleType, openings_unchecked: None, game: Game
) -> None:
    root = import_collision(sample_bytes(game))
    obj = collision(root, HALL)
    obj.tomb_raider.collision.target = objects(root, "ROOM")[WATER]
    with EditMode(root, HALL, (FLOOR, PLAIN)) as mode:
        bpy.ops.tomb_raider.divide_sectors(split="RISING")
        mode.select((FLOOR, PLAIN), triangle=1)
        bpy.ops.tomb_raider.raise_sectors(clicks=2)  # tears the triangles apart
        bpy.ops.tomb_raider.open_sectors()
    level = export_scene(root)
    (shape,) = functions_at(level, HALL, PLAIN)
    assert isinstance(shape, Triangulation)
    assert shape.function == 0xE
    assert level.rooms[HALL].sectors[sector_row(level, HALL, PLAIN)]["room_below"] == WATER
    heights = surface_at(level, HALL, PLAIN)
    assert heights == {(0, 1): {0}, (1, 0): {-2}, (0, 0): {0, -2}, (1, 1): {0, -2}}
    with EditMode(root, HALL, (FLOOR, PLAIN)):
        bpy.ops.tomb_raider.flatten_sectors()
    level = export_scene(root)
    assert functions_at(level, HALL, PLAIN) == ()


@each_game
def test_sectors_are_opened_and_closed(blender: ModuleType, openings_unchecked: None, game: Game) -> None:
    data = sample_bytes(game)
    root = import_collision(data)
    obj = collision(root, CORRIDOR)
    obj.tomb_raider.collision.target = objects(root, "ROOM")[WATER]
    with EditMode(root, CORRIDOR, (FLOOR, (5, 3)), (CEILING, (5, 2)), (SOLID, (6, 2))):
        bpy.ops.tomb_raider.open_sectors()
    with EditMode(root, CORRIDOR, (SOLID, (0, 1))):
        bpy.ops.tomb_raider.close_sectors()
    level = export_scene(root)
    sectors = level.rooms[CORRIDOR].sectors
    assert sectors[sector_row(level, CORRIDOR, (5, 3))]["room_below"] == WATER
    assert sectors[sector_row(level, CORRIDOR, (5, 2))]["room_above"] == WATER
    assert functions_at(level, CORRIDOR, (6, 2)) == (Portal(WATER),)
    assert functions_at(level, CORRIDOR, (0, 1)) == ()
    found = sector_changes(differences(read_level(data), level))
    assert {each[3] for each in found} == {
        sector_row(level, CORRIDOR, at) for at in ((5, 3), (5, 2), (6, 2), (0, 1))
    }


def test_an_opening_to_room_0_can_be_closed(blender: ModuleType) -> None:
    """Its number is 0, which is no number for none."""
    data = with_shapes(sample_bytes(Game.TR2), {(CORRIDOR, 6, 2): (Portal(HALL),)})
    root = import_collision(data)
    with EditMode(root, CORRIDOR) as mode:
        mode.select_wall((5, 2), 2)  # its opening
        assert close(CollisionEdit(mode.obj, Game.TR2, Space(root.tomb_raider.scale))) == 1
        bpy.ops.tomb_raider.close_sectors()
    assert functions_at(export_scene(root), CORRIDOR, (6, 2)) == ()


@each_game
def test_a_refresh_of_all_changes_nothing(blender: ModuleType, game: Game) -> None:
    """The mesh that a tool builds is the one that the import builds."""
    data = with_shapes(sample_bytes(game), {(HALL, *PLAIN): (Portal(900),)}, room_below=200)
    root = import_collision(data)
    objs = objects(root, "COLLISION")
    before = [_content(obj.data) for obj in objs]
    for room, obj in enumerate(objs):
        with EditMode(root, room):
            bpy.ops.tomb_raider.refresh_collision()
        assert all(np.array_equal(a, b) for a, b in zip(_content(obj.data), before[room], strict=True))
        with bpy.context.temp_override(object=obj, selected_objects=[obj]):
            bpy.ops.tomb_raider.refresh_collision()
        assert all(np.array_equal(a, b) for a, b in zip(_content(obj.data), before[room], strict=True))
        assert len(obj.data.materials) == 8
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
    root = import_collision(data)
    obj = collision(root, CORRIDOR)
    with EditMode(root, CORRIDOR, (SOLID, (6, 3))):
        bpy.ops.tomb_raider.resize_collision(x_sectors=9, y_sectors=6)
        bpy.ops.tomb_raider.make_floors()  # with the same selection
    assert (obj.tomb_raider.collision.x_sectors, obj.tomb_raider.collision.z_sectors) == (9, 6)
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
    root = import_collision(sample_bytes(game))
    room = objects(root, "ROOM")[WATER]
    bpy.data.objects.remove(collision(root, WATER))
    bpy.context.view_layer.objects.active = room
    bpy.ops.tomb_raider.add_collision()
    (made,) = [child for child in room.children if child.tomb_raider.kind == "COLLISION"]
    assert (made.tomb_raider.collision.x_sectors, made.tomb_raider.collision.z_sectors) == (6, 6)
    level = export_scene(root)
    record = level.rooms[WATER].sectors[sector_row(level, WATER, (2, 2))]
    points = level.rooms[WATER].vertices["y"].astype(int)
    assert int(record["floor"]) * CLICK == points.max()
    assert int(record["ceiling"]) * CLICK == points.min()
    assert level.rooms[WATER].sectors["floor"][0] == -127
    with pytest.raises(RuntimeError, match="poll"):
        bpy.ops.tomb_raider.add_collision()


@pytest.mark.parametrize(("raised", "expected"), [(0.3, 0), (0.7, 1)])
def test_collision_that_is_added_is_as_high_as_the_nearest_step(
    blender: ModuleType, raised: float, expected: int
) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    room, old = objects(root, "ROOM")[WATER], collision(root, WATER)
    most = max(vertex.co.z for vertex in room.data.vertices)
    for vertex in room.data.vertices:
        if vertex.co.z == most:
            vertex.co.z += raised * STEP
    bpy.data.objects.remove(old)
    bpy.context.view_layer.objects.active = room
    bpy.ops.tomb_raider.add_collision()
    (made,) = [child for child in room.children if child.tomb_raider.kind == "COLLISION"]
    assert max(vertex.co.z for vertex in made.data.vertices) == pytest.approx(most + expected * STEP)


def test_selecting_by_kind(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    with EditMode(root, HALL) as mode:
        bpy.ops.tomb_raider.select_collision(part="CEILING")
        bm = bmesh.from_edit_mesh(mode.obj.data)
        part = bm.faces.layers.int["tr_part"]
        assert {face[part] for face in bm.faces if face.select} == {CEILING}
        assert {face[part] for face in bm.faces if not face.select} == {FLOOR, WALL, SOLID}


# --- Selection ----------------------------------------


def _picked(mesh: Any) -> tuple[int, int, int, tuple[Any, ...] | None]:
    """Return how many vertices, edges and faces are selected, and the position of the active face."""
    edited = bmesh.from_edit_mesh(mesh)
    part = edited.faces.layers.int["tr_part"]
    active = edited.faces.active
    where = None
    if active is not None:
        middle = active.calc_center_median()
        where = (active[part], int(middle.x // 2), int(middle.y // 2), active.select)
    counts = [sum(each.select for each in group) for group in (edited.verts, edited.edges, edited.faces)]
    return counts[0], counts[1], counts[2], where


HANDS = {
    "raise": lambda: bpy.ops.tomb_raider.raise_sectors(clicks=1),
    "flatten": lambda: bpy.ops.tomb_raider.flatten_sectors(),
    "death": lambda: bpy.ops.tomb_raider.set_sector_mark(mark="death", on=True),
    "refresh": lambda: bpy.ops.tomb_raider.refresh_collision(),
}


@pytest.mark.parametrize("tool", HANDS)
@pytest.mark.parametrize("mode", ["VERT", "EDGE", "FACE"])
def test_tools_keep_selection_and_active_face(blender: ModuleType, tool: str, mode: Any) -> None:
    """As findings say: all vertices were selected, and G moved the whole mesh."""
    root = import_collision(sample_bytes(Game.TR3))
    with EditMode(root, HALL, (FLOOR, PLAIN)) as edit_mode:
        edited = bmesh.from_edit_mesh(edit_mode.obj.data)
        edited.faces.active = next(face for face in edited.faces if face.select)
        bpy.ops.mesh.select_mode(type=mode)
        before = _picked(edit_mode.obj.data)
        assert before == (4, 4, 1, (FLOOR, *PLAIN, True))
        HANDS[tool]()
        assert _picked(edit_mode.obj.data) == before


def test_walls_that_appear_leave_the_selection_to_the_floor(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    with EditMode(root, HALL, (FLOOR, PLAIN)) as edit_mode:
        mesh = edit_mode.obj.data
        faces = len(bmesh.from_edit_mesh(mesh).faces)
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
        assert len(bmesh.from_edit_mesh(mesh).faces) != faces
        assert _picked(mesh)[:3] == (4, 4, 1)


def test_lone_vertices_stay_selected(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    with EditMode(root, HALL) as edit_mode:
        mesh = edit_mode.obj.data
        bpy.ops.mesh.select_mode(type="VERT")
        edited = bmesh.from_edit_mesh(mesh)
        edited.verts.ensure_lookup_table()
        for vertex in edited.verts[3:5]:
            vertex.select_set(True)
        edited.select_flush_mode()
        bmesh.update_edit_mesh(mesh)
        bpy.ops.tomb_raider.refresh_collision()
        edited = bmesh.from_edit_mesh(mesh)
        assert [vertex.index for vertex in edited.verts if vertex.select] == [3, 4]
