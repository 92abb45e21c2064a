"""Rooms drawn from their sectors: kept textures, updates, and the exported result."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.formats.levels.collision.sectors import Sectors
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.scene.authoring.collision_from_mesh.make import room_from_mesh
from io_tomb_raider.scene.authoring.collision_from_mesh.refresh import refresh_from_mesh
from io_tomb_raider.scene.authoring.mesh_from_sectors.looks import active_piece, set_piece
from io_tomb_raider.scene.authoring.mesh_from_sectors.room import draw_changed, draw_room
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.core.membership import collision_of
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.subjects.collision.edit import CollisionEdit
from tests.games import each_game
from tests.sample_levels import sample_bytes

from ...scenes import export_scene, room_object
from ...subjects.collision.collision_meshes import CEILING as CEILING_PART
from ...subjects.collision.collision_meshes import (
    CORRIDOR,
    HALL,
    PLAIN,
    EditMode,
    drag_corner,
    import_collision,
)
from ...subjects.collision.collision_meshes import FLOOR as FLOOR_PART
from ..collision_from_mesh.landscapes import landscapes

FLOOR, CEILING, WALL, STEP = 1, 2, 3, 4  # roles, in the highest bits of keys


def drawing_of(room: Any) -> Any:
    obj = collision_of(room)
    assert obj is not None
    return obj.tomb_raider.collision.drawing


def faces(room: Any, role: int, at: tuple[int, int] | None = None) -> dict[int, Any]:
    """Return the faces of a role over or next to a sector, by their keys."""
    keys = [each.value for each in room.data.attributes["tr_drawn"].data]
    found = {key: face for key, face in zip(keys, room.data.polygons, strict=True) if key >> 28 == role}
    return {key: face for key, face in found.items() if at in (None, (key >> 17 & 255, key >> 9 & 255))}


def uvs(room: Any, face: Any) -> list[tuple[float, float]]:
    layer = room.data.uv_layers.active
    return [tuple(round(each, 4) for each in layer.uv[loop].vector) for loop in face.loop_indices]


def heights(room: Any, face: Any) -> tuple[float, float]:
    """Return the lowest and highest corner, in steps."""
    found = [room.data.vertices[vertex].co.z * 2 for vertex in face.vertices]
    return min(found), max(found)


def material_of(room: Any, face: Any) -> Any:
    return room.data.materials[face.material_index]


def add_material(room: Any) -> int:
    room.data.materials.append(bpy.data.materials.new("Mine"))
    return len(room.data.materials) - 1


@each_game
def test_a_drawn_room_is_exported_with_its_faces_and_textures(blender: ModuleType, game: Game) -> None:
    root = import_collision(sample_bytes(game))
    room = room_object(root, HALL)
    before = {tuple(sorted(tuple(room.data.vertices[v].co) for v in face.vertices)): uvs(room, face)
              for face in room.data.polygons}  # fmt: skip
    drawn = draw_room(root, room)
    assert drawn.faces == len(room.data.polygons)
    assert drawn.kept > 200
    # Unchanged faces keep their textures.
    same = 0
    for face in room.data.polygons:
        corners = tuple(sorted(tuple(room.data.vertices[v].co) for v in face.vertices))
        if corners in before:
            same += 1
            assert sorted(uvs(room, face)) == sorted(before[corners])
    assert same == drawn.kept
    level = export_scene(root)
    read = [each for each in decode_faces(game, level.rooms[HALL]) if len(each.corners)]
    assert sum(len(each.corners) for each in read) == drawn.faces
    assert set(room.data.attributes.keys()) >= {"tr_vertex", "tr_texture", "UVMap", "Color"}


def test_pulling_a_block_leaves_textures_that_were_set_by_hand(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    room = room_object(root, HALL)
    draw_room(root, room)
    before = set(faces(room, STEP))
    with EditMode(root, HALL, (FLOOR_PART, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
    block = faces(room, STEP)
    sides = set(block) - before
    assert [heights(room, block[each]) for each in sides] == [(0, 2)] * 4
    key = min(sides)
    piece = drawing_of(room).step
    corners = np.array(piece.corners).reshape(4, 2)
    # The upper half of the texture region.
    half = uvs(room, block[key])
    np.testing.assert_allclose(half[2:], corners[2:], atol=1e-3)
    np.testing.assert_allclose(half[:2], (corners[:2] + corners[[3, 2]]) / 2, atol=1e-3)
    (floor,) = faces(room, FLOOR, PLAIN).values()
    mine = add_material(room)
    for face in (block[key], floor):
        face.material_index = mine
    layer = room.data.uv_layers.active
    turned = [(1, 0.5), (1, 1), (0, 1), (0, 0.5)]
    for loop, uv in zip(floor.loop_indices, turned, strict=True):
        layer.uv[loop].vector = uv
    for loop, uv in zip(block[key].loop_indices, [(0, 0.5), (1, 0.5), (1, 1), (0, 1)], strict=True):
        layer.uv[loop].vector = uv
    with EditMode(root, HALL, (FLOOR_PART, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=4)
    block, (floor,) = faces(room, STEP), faces(room, FLOOR, PLAIN).values()
    assert heights(room, floor) == (6, 6)
    assert (material_of(room, floor).name, uvs(room, floor)) == ("Mine", turned)
    # The upper row is a whole one now, and shows the whole picture; that below is new, as all others are.
    assert (heights(room, block[key]), material_of(room, block[key]).name) == ((2, 6), "Mine")
    assert uvs(room, block[key]) == [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert heights(room, block[key + 8]) == (0, 2)
    assert material_of(room, block[key + 8]) == piece.material
    assert sum(material_of(room, face).name == "Mine" for face in room.data.polygons) == 2
    # Pulled down, its sides are no more, and come again as they were.
    with EditMode(root, HALL, (FLOOR_PART, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=-6)
        assert sum(material_of(room, face).name == "Mine" for face in room.data.polygons) == 1
        bpy.ops.tomb_raider.raise_sectors(clicks=3)
    block = faces(room, STEP)
    assert (heights(room, block[key]), material_of(room, block[key]).name) == ((0, 3), "Mine")
    assert uvs(room, block[key]) == [(0, 0.25), (1, 0.25), (1, 1), (0, 1)]
    assert not drawing_of(room).looks


def test_dragged_collision_is_drawn_once_edit_mode_is_left(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR4))
    room = room_object(root, HALL)
    obj = collision_of(room)
    draw_room(root, room)
    count = len(room.data.polygons)
    drag_corner(obj, FLOOR_PART, PLAIN, (1, 1), 3)
    assert draw_changed(root) == [room]
    assert draw_changed(root) == []
    (one, other) = faces(room, FLOOR, PLAIN).values()
    assert {len(one.vertices), len(other.vertices)} == {3}
    assert max(heights(room, one)[1], heights(room, other)[1]) == 3
    assert len(room.data.polygons) == count + 1 + 2
    # An export draws what nothing else has seen, and rounds as collision is.
    drag_corner(obj, FLOOR_PART, PLAIN, (1, 1), 1.3)
    export_scene(root)
    assert max(heights(room, face)[1] for face in faces(room, FLOOR, PLAIN).values()) == 4
    room.tomb_raider.room.mesh_and_sectors = "INDEPENDENT"
    drag_corner(obj, FLOOR_PART, PLAIN, (1, 1), 2)
    assert draw_changed(root) == []


def test_chosen_materials_are_seen_where_none_was_set_by_hand(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR1))
    room = room_object(root, HALL)
    draw_room(root, room, keep_textures=False)
    mine = add_material(room)
    (floor,) = faces(room, FLOOR, PLAIN).values()
    floor.material_index = mine
    drawing = drawing_of(room)
    drawing.floor.material = other = bpy.data.materials.new("Other")
    draw_room(root, room)
    names = [material_of(room, face).name for face in faces(room, FLOOR).values()]
    assert sorted(set(names)) == ["Mine", "Other"]
    assert names.count("Mine") == 1
    # A user material shows its whole image.
    assert list(drawing.floor.corners) == [0, 0, 1, 0, 1, 1, 0, 1]
    assert all(
        material_of(room, face) != other for role in (CEILING, WALL) for face in faces(room, role).values()
    )
    draw_room(root, room, keep_textures=False)
    assert {material_of(room, face) for face in faces(room, FLOOR).values()} == {other}


def test_added_faces_of_a_drawn_room_are_kept(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR5))
    room = room_object(root, HALL)
    extra = draw_room(root, room, keep_others=True)
    count = len(room.data.polygons)
    assert count > extra.faces
    assert count == len({frozenset(tuple(room.data.vertices[v].co) for v in face.vertices)
                         for face in room.data.polygons})  # fmt: skip
    ornaments = [list(face.vertices) for face in room.data.polygons][extra.faces :]
    places = sorted(tuple(room.data.vertices[v].co) for face in ornaments for v in face)
    drag_corner(collision_of(room), FLOOR_PART, PLAIN, (0, 0), 1)
    draw_changed(root)
    left = [list(face.vertices) for face in room.data.polygons][len(faces_drawn(room)) :]
    assert sorted(tuple(room.data.vertices[v].co) for face in left for v in face) == places
    export_scene(root)


def faces_drawn(room: Any) -> list[int]:
    return [each.value for each in room.data.attributes["tr_drawn"].data if each.value]


def test_rooms_that_cannot_be_drawn_are_refused(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR1))
    room = room_object(root, HALL)
    before = len(room.data.polygons)
    room.shape_key_add()
    with pytest.raises(ExportError, match="shape keys"):
        draw_room(root, room)
    assert len(room.data.polygons) == before
    obj = collision_of(room)
    assert obj is not None
    bpy.data.objects.remove(obj)
    with pytest.raises(ExportError, match="no collision"):
        draw_room(root, room)


def test_doors_are_framed_as_high_as_the_room_behind_them_and_follow_it(blender: ModuleType) -> None:
    """A sector that leads to another room is open as far as that one is: no hole, no wall in the way."""
    root = import_collision(sample_bytes(Game.TR4))
    rooms = [room_object(root, number) for number in (HALL, CORRIDOR)]
    for room in rooms:
        draw_room(root, room, keep_textures=False)

    def frame(role: int) -> list[tuple[float, float]]:
        """Return the heights on the side of the hall's sector that leads to the corridor."""
        found = {key: face for key, face in faces(rooms[0], role, (9, 4)).items() if key >> 25 & 7 == 1}
        return sorted(heights(rooms[0], face) for face in found.values())

    assert (frame(STEP), frame(WALL)) == ([], [(5, 8), (8, 12)])
    with EditMode(root, CORRIDOR, (FLOOR_PART, (1, 1)), (CEILING_PART, (1, 1))):
        bpy.ops.tomb_raider.raise_sectors(clicks=1)
    assert (frame(STEP), frame(WALL)) == ([(0, 1)], [(6, 8), (8, 12)])
    # After dragging it, the hall changes too.
    obj = collision_of(rooms[1])
    assert obj is not None
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        drag_corner(obj, FLOOR_PART, (1, 1), corner, 1)
    draw_changed(root)
    assert frame(STEP) == [(0, 2)]


@each_game
def test_reading_the_drawn_mesh_gives_the_collision_that_it_was_drawn_from(
    blender: ModuleType, game: Game
) -> None:
    root = import_collision(sample_bytes(game))
    room = room_object(root, HALL)
    obj = collision_of(room)
    assert obj is not None
    space = Space(root.tomb_raider.scale)
    edit = CollisionEdit(obj, game, space)
    sectors, numbers = edit.sectors, np.random.default_rng(3)
    blocks = ~sectors.wall & (sectors.room_below < 0) & (numbers.random(len(edit.grid)) < 0.5)
    sectors.floor.heights[blocks] -= 256 * numbers.integers(1, 3, int(blocks.sum()))[:, None, None]
    sectors.ceiling.heights[blocks] += 256 * numbers.integers(0, 2, int(blocks.sum()))[:, None, None]
    edit.write()
    before = CollisionEdit(obj, game, space).sectors
    draw_room(root, room)
    found = refresh_from_mesh(root, room, None)
    after = CollisionEdit(obj, game, space).sectors
    assert found.rounded == 0
    for surface in ("floor", "ceiling"):
        one, other = getattr(before, surface), getattr(after, surface)
        differs = (one.span()[0] != other.span()[0]).any(axis=1) | (one.span()[1] != other.span()[1]).any(
            axis=1
        )
        assert not differs.any(), np.flatnonzero(differs)
    assert (before.wall == after.wall).all()
    # The room follows its mesh from now on.
    assert room.tomb_raider.room.mesh_and_sectors == "INDEPENDENT"


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(landscapes())
def test_a_drawn_landscape_that_is_made_a_room_has_its_collision(
    blender: ModuleType, landscape: tuple[Game, tuple[int, int], Sectors]
) -> None:
    game, size, sectors = landscape
    root = new_level(game, "Home").root
    space = Space(root.tomb_raider.scale)
    drawn = add_room(root, Vector((10.0, 10.0, 0.0)), (size[0] - 2, size[1] - 2, 2))
    obj: Any = collision_of(drawn)
    edit = CollisionEdit(obj, game, space)
    assert (edit.size.x_sectors, edit.size.z_sectors) == size
    edit.sectors = sectors
    edit.write()
    assert draw_room(root, drawn).faces == len(drawn.data.polygons)
    # A copy of its mesh elsewhere, like a user's mesh.
    guest = bpy.data.objects.new("Guest", drawn.data.copy())
    root.objects.link(guest)
    guest.location = drawn.location + Vector((100.0, 60.0, 0.0))
    room_from_mesh(root, guest)
    obj = collision_of(guest)
    made = CollisionEdit(obj, game, space)
    away = np.rint(np.array(guest.location - drawn.location)[:2] / 2).astype(int) - (50, 30)
    found = made.sectors
    grid = np.stack([made.grid.x, made.grid.z], axis=1) + away
    inside = ((grid >= 0) & (grid < size)).all(axis=1)
    at = grid[inside, 0] * size[1] + grid[inside, 1]
    assert found.wall[~inside].all() and (found.wall[inside] == sectors.wall[at]).all()
    assert (~found.wall).sum() == (~sectors.wall).sum()
    is_open = ~sectors.wall[at]
    for name in ("floor", "ceiling"):
        one, other = getattr(found, name), getattr(sectors, name)
        mine, wanted = (each.corners() for each in (one, other))
        assert np.array_equal(mine[inside][is_open], wanted[at][is_open])


def test_a_piece_taken_from_a_face_keeps_its_uvs(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR2))
    room = room_object(root, HALL)
    draw_room(root, room)
    for name, role in (("floor", FLOOR), ("ceiling", CEILING), ("wall", WALL)):
        of_role = faces(room, role)
        key = next(key for key, face in of_role.items() if len(face.vertices) == 4 and not key & 511)
        layer = room.data.uv_layers.active
        turned = [(0.5, 0.25), (0.5, 0.5), (0.25, 0.5), (0.25, 0.25)]
        for loop, uv in zip(of_role[key].loop_indices, turned, strict=True):
            layer.uv[loop].vector = uv
        room.data.polygons.active = of_role[key].index
        set_piece(getattr(drawing_of(room), name), active_piece(room))
        draw_room(root, room, keep_textures=False)
        assert uvs(room, faces(room, role)[key]) == turned, name


def test_a_whole_piece_of_a_page_on_a_low_step_does_not_grow_into_others(blender: ModuleType) -> None:
    root = import_collision(sample_bytes(Game.TR3))
    room = room_object(root, HALL)
    draw_room(root, room)
    before = set(faces(room, STEP))
    with EditMode(root, HALL, (FLOOR_PART, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
    key = min(set(faces(room, STEP)) - before)
    face = faces(room, STEP)[key]
    assert material_of(room, face).tomb_raider.kind == "PAGE"
    whole = [(0.5, 0.5), (0.75, 0.5), (0.75, 0.75), (0.5, 0.75)]
    for loop, uv in zip(face.loop_indices, whole, strict=True):
        room.data.uv_layers.active.uv[loop].vector = uv
    with EditMode(root, HALL, (FLOOR_PART, PLAIN)):
        bpy.ops.tomb_raider.raise_sectors(clicks=2)
    assert heights(room, faces(room, STEP)[key]) == (0, 4)
    assert uvs(room, faces(room, STEP)[key]) == whole
