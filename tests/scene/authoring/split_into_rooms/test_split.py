"""Splitting scenes into rooms: no face is lost, and the rooms are connected."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.scene.authoring.split_into_rooms.plan import RoomLimits
from io_tomb_raider.scene.authoring.split_into_rooms.split import split_into_rooms
from io_tomb_raider.scene.subjects.meshes.placed import world_vertices
from tests.level_rules import broken_indices, lonely_portals, lost_openings, one_way_openings
from tests.scene.scenes import exported

from .air_meshes import SIDE, add_mesh, air_mesh, flat_material, scattered

_SECTOR = 1024
_LIMITS = RoomLimits(20, 1500)


def _drawn(obj: Any) -> float:
    """Return the area of an object's faces, in squares of sectors."""
    mesh = obj.data.copy()
    mesh.transform(obj.matrix_world)
    mesh.calc_loop_triangles()
    area = sum(triangle.area for triangle in mesh.loop_triangles)
    bpy.data.meshes.remove(mesh)
    return float(area) / SIDE**2


def _exported(root: Any) -> tuple[Level, list[str]]:
    level, warnings = exported(root)
    return level, [note for note in warnings if "Lara" not in note]


def _area(level: Level) -> float:
    """Return the area of all faces of a level's rooms, in squares of sectors."""
    total = 0.0
    for room in level.rooms:
        points = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(float)
        for faces in decode_faces(level.game, room):
            corners = points[faces.corners.astype(int)].reshape(-1, faces.corners.shape[1], 3)
            for last in range(2, corners.shape[1]):
                sides = corners[:, last - 1] - corners[:, 0], corners[:, last] - corners[:, 0]
                total += float(np.linalg.norm(np.cross(*sides), axis=1).sum()) / 2
    return total / _SECTOR**2


def _check(level: Level) -> None:
    assert broken_indices(level) == [] and lost_openings(level) == []
    assert one_way_openings(level) == lonely_portals(level) == set()


def test_no_face_of_hundreds_of_meshes_is_lost(blender: ModuleType) -> None:
    objects = scattered(200, seed=4)
    before = sum(map(_drawn, objects))
    vertices = [len(obj.data.vertices) for obj in objects]
    made = split_into_rooms(Game.TR1, objects, RoomLimits(16, 700))
    level, warnings = _exported(made.root)
    assert _area(level) == pytest.approx(before, rel=0.001)
    _check(level)
    assert warnings == [] and len(level.rooms) == len(made.rooms) > 36 // 4
    for room in level.rooms:
        assert max(room.x_sectors, room.z_sectors) <= 16 + 2
        assert len(room.vertices) <= 700 and min(room.x, room.z) > 0
    # The user's meshes are unchanged, and hidden.
    assert [len(obj.data.vertices) for obj in objects] == vertices
    assert all(obj.hide_viewport and obj.tomb_raider.kind == "NONE" for obj in objects)
    # All five colors exist, with one image each.
    assert len(level.object_textures) <= 5 * 2


def _building() -> np.ndarray:
    """Return two storeys with a shaft between them, of two halls each, with a door between the lower ones."""
    air = np.zeros((36, 16, 7), bool)
    air[:, :, :3] = air[:, :, 4:] = True
    air[15] = False
    air[15, 6:8, :2] = True
    air[5:8, 5:8, 3] = True
    return air


def test_a_building_is_cut_at_its_door_and_between_its_storeys(blender: ModuleType) -> None:
    house = add_mesh(air_mesh(_building(), (3, -5, -2)), flat_material("Stone", (0.5, 0.4, 0.3)))
    bpy.context.view_layer.update()
    made = split_into_rooms(Game.TR3, [house], _LIMITS)
    level, warnings = _exported(made.root)
    assert warnings == [] and _area(level) == pytest.approx(_drawn(house))
    _check(level)
    assert len(level.rooms) == 4 and made.pairs == 2 and len(made.alone) == 1  # no door leads there
    shapes = sorted(
        tuple(np.ptp(portal["vertices"].astype(int), axis=0).tolist())
        for room in level.rooms
        for portal in room.portals
    )
    door, shaft = (0, 2 * _SECTOR, 2 * _SECTOR), (3 * _SECTOR, 0, 3 * _SECTOR)
    assert shapes == [door, door, shaft, shaft]
    below = [room.sectors["room_below"] for room in level.rooms]
    assert np.count_nonzero(np.concatenate(below) != 255) == 9


def test_storeys_are_connected_by_a_shaft_in_an_incomplete_sector(blender: ModuleType) -> None:
    air = np.zeros((8, 6, 7), bool)
    air[:, :, :3] = air[:, :, 4:] = True
    air[7, 2:4, 3] = True
    house = add_mesh(air_mesh(air), flat_material("Stone", (0.5, 0.4, 0.3)))
    house.scale.x = 0.95  # 7.6 sectors
    bpy.context.view_layer.update()
    made = split_into_rooms(Game.TR3, [house], _LIMITS)
    assert (len(made.rooms), made.pairs, made.alone) == (2, 1, ())


def test_a_floor_without_thickness_stays_closed_at_any_height(blender: ModuleType) -> None:
    """Sectors have floors in steps: the drawn floor between two storeys may be half a step away."""
    air = np.ones((6, 6, 4), bool)
    below, above = add_mesh(air_mesh(air[:, :, :2])), add_mesh(air_mesh(air[:, :, 2:], (0, 0, 2)))
    hole: Any = below.data
    for obj in (below, above):
        obj.scale.z = 1.03  # 4219 units high, with the floor in between at 2109
    bpy.context.view_layer.update()
    made = split_into_rooms(Game.TR1, [below, above], _LIMITS)
    assert len(made.rooms) == 2 and made.portals == 0 and len(made.alone) == 2
    assert len(hole.polygons) == 2 * 36 + 4 * 12


def test_uvs_and_colors_continue_over_cuts(blender: ModuleType) -> None:
    """UVs and colors continue over cuts; materials of objects, modifiers and mirrored objects count."""
    mesh: Any = bpy.data.meshes.new("Field")
    size = 50 * SIDE
    corners = [(0, 0, 0), (size, 0, 0), (size, size, 0), (0, size, 0)]
    mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
    mesh.uv_layers.new(name="Wide").uv.foreach_set("vector", [0, 0, 1, 0, 1, 1, 0, 1])
    colors = mesh.color_attributes.new("Light", "FLOAT_COLOR", "POINT")
    colors.data.foreach_set("color", [each for x, y, _ in corners for each in (x / size, y / size, 0.25, 1)])
    field = add_mesh(mesh, flat_material("Of the mesh", (1, 0, 0)))
    own = flat_material("Of the object", (0, 1, 0))
    field.material_slots[0].link = "OBJECT"
    field.material_slots[0].material = own
    field.modifiers.new("Second", "ARRAY").relative_offset_displace = (0, 0, 0)
    field.modifiers["Second"].use_constant_offset = True
    field.modifiers["Second"].constant_offset_displace = (0, 0, -4)
    field.scale = (1, 1, -1)  # faces point down now, and the second one is above
    field.location = (7, 3, 0)
    bpy.context.view_layer.update()
    made = split_into_rooms(Game.TR4, [field], _LIMITS)
    assert len(made.rooms) == 9
    heights = set()
    for room in made.rooms:
        drawn: Any = room.data
        assert list(drawn.materials) == [own]
        points = world_vertices(room, drawn)
        heights |= set(points[:, 2].tolist())
        expected = (points - (7, 3, 0)) / size
        loops = np.array([loop.vertex_index for loop in drawn.loops])
        uvs = np.zeros((len(loops), 2), np.float32)
        drawn.uv_layers[0].uv.foreach_get("vector", uvs.ravel())
        assert np.abs(uvs - expected[loops, :2]).max() < 1e-4
        light = np.zeros((len(loops), 4), np.float32)
        drawn.color_attributes["Color"].data.foreach_get("color", light.ravel())
        assert np.abs(light[:, :2] - expected[loops, :2]).max() < 1e-4 and np.ptp(light[:, 2]) == 0
        assert all(face.normal.z < -0.99 for face in drawn.polygons)
    assert heights == {0.0, 4.0}
    assert len(field.data.polygons) == 1  # the user's


def test_meshes_that_cannot_be_split_leave_the_scene_unchanged(blender: ModuleType) -> None:
    def names() -> list[list[str]]:
        kinds = ("collections", "objects", "meshes", "images", "materials", "node_groups", "scenes")
        return [sorted(each.name for each in getattr(bpy.data, kind)) for kind in kinds]

    wide = add_mesh(air_mesh(np.ones((34, 34, 1), bool)), flat_material("Stone", (0.5, 0.4, 0.3)))
    empty = add_mesh(bpy.data.meshes.new("Empty"))
    high = add_mesh(air_mesh(np.ones((1, 1, 90), bool)))
    before = names()
    with pytest.raises(ExportError, match=r"too many rooms.*289.*255"):
        split_into_rooms(Game.TR1, [wide], RoomLimits(2, 1500))
    with pytest.raises(ExportError, match="no faces"):
        split_into_rooms(Game.TR1, [empty], _LIMITS)
    with pytest.raises(ExportError, match="cannot be so high"):
        split_into_rooms(Game.TR1, [high], _LIMITS)
    assert names() == before and not wide.hide_viewport


def test_rooms_are_added_to_an_existing_level(blender: ModuleType) -> None:
    """Faces without a material or UVs get plain ones, and are named."""
    first = split_into_rooms(Game.TR2, [add_mesh(air_mesh(np.ones((4, 4, 2), bool), (20, 20, 0)))], _LIMITS)
    assert first.without_material == ("Building",)
    second = split_into_rooms(
        first.root, [add_mesh(air_mesh(np.ones((30, 4, 2), bool), (30, 20, 0)))], RoomLimits(10, 1500)
    )
    assert second.root == first.root and len(second.rooms) == 3 and second.pairs == 2
    level, warnings = _exported(first.root)
    assert len(level.rooms) == 4 and warnings == []
    assert (level.rooms[0].x, level.rooms[0].z) == (19 * _SECTOR, 19 * _SECTOR)
