"""Connecting separated parts of rooms as rooms, with openings and portals at the cut."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import bmesh
import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.scene.authoring.portals.connect import connect_part
from tests.games import each_game
from tests.level_rules import broken_indices, lonely_portals, lost_openings, one_way_openings
from tests.sample_levels import sample_bytes

from ...scenes import edit_bmesh, exported, import_scene, room_object
from ...subjects.rooms.sample_rooms import CORRIDOR, HALL, SECTOR, WATER, beyond, separate


def walkable(level: Level) -> set[tuple[int, int, int, int]]:
    """Return the middles of sectors that are no walls, with floor and ceiling."""
    found = set()
    for room in level.rooms:
        for place, record in enumerate(room.sectors):
            x, z = divmod(place, room.z_sectors)
            if record["floor"] != -127:
                at = room.x + x * 1024, room.z + z * 1024
                found.add((*at, int(record["floor"]), int(record["ceiling"])))
    return found


@each_game
def test_a_part_becomes_a_room_that_is_connected_to_the_rest(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    hall = room_object(root, HALL)
    part = separate(hall, beyond(6))
    assert connect_part(root, part) == (hall, 0)
    bpy.context.view_layer.update()
    old = read_level(data)
    level, warnings = exported(root)
    assert not any("opening" in each or "portal" in each or "separated" in each for each in warnings)
    assert len(level.rooms) == len(old.rooms) + 1
    new = len(level.rooms) - 1
    assert (lost_openings(level), one_way_openings(level), broken_indices(level)) == ([], set(), [])
    assert lonely_portals(level) == set()
    assert walkable(level) == walkable(old)
    # The door and the pool are on the part's side.
    assert set(level.rooms[new].portals["room"].tolist()) == {HALL, CORRIDOR, WATER}
    assert set(level.rooms[HALL].portals["room"].tolist()) == {new}
    assert level.rooms[CORRIDOR].portals["room"].tolist() == [new]
    assert (level.rooms[WATER].sectors["room_above"] == new).sum() == 4
    # All objects of the hall are in one of both.
    for section in ("lights", "static_meshes", "sprites", "quads", "triangles"):
        both = len(getattr(level.rooms[HALL], section)), len(getattr(level.rooms[new], section))
        assert all(both) or section == "sprites"  # TR5's rooms have no sprites
        assert sum(both) == len(getattr(old.rooms[HALL], section))
    standing = [int(room) for room in level.entities["room"]]
    east = [6 * 1024 <= int(each["x"]) - old.rooms[HALL].x for each in old.entities]
    wanted = [
        new if room == HALL and far else int(room)
        for room, far in zip(old.entities["room"], east, strict=True)
    ]
    assert standing == wanted


@pytest.mark.parametrize(
    "wanted", [lambda at: at.y > 4 * SECTOR, lambda at: at.x < 4 * SECTOR, lambda at: at.y < 4 * SECTOR]
)
def test_portals_at_the_cut_look_into_their_rooms(blender: ModuleType, wanted: Any) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    connect_part(root, separate(room_object(root, HALL), wanted))
    level, _ = exported(root)
    assert (lost_openings(level), one_way_openings(level), lonely_portals(level)) == ([], set(), set())
    new = len(level.rooms) - 1
    for number, other in ((HALL, new), (new, HALL)):
        room = level.rooms[number]
        portals = [each for each in room.portals if each["room"] == other]
        assert portals
        for portal in portals:
            x, _, z = (portal["vertices"].mean(axis=0) + portal["normal"].astype(int) * 512).tolist()
            assert room.sectors["floor"][int(x // 1024) * room.z_sectors + int(z // 1024)] != -127


@pytest.mark.parametrize(("at", "first"), [(6.3, 6), (6.7, 7)])
def test_a_sector_that_is_cut_through_goes_to_the_side_with_more_of_its_floor(
    blender: ModuleType, at: float, first: int
) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    hall = room_object(root, HALL)
    edit_bmesh(
        hall.data,
        lambda bm: bmesh.ops.bisect_plane(
            bm, geom=[*bm.verts, *bm.edges, *bm.faces], plane_co=(at * SECTOR, 0, 0), plane_no=(1, 0, 0)
        ),
    )
    whole = sum(face.area for face in hall.data.polygons)
    part = separate(hall, beyond(at))
    room, shared = connect_part(root, part)
    assert room == hall and shared > 0
    bpy.context.view_layer.update()
    level, _ = exported(root)
    assert (lost_openings(level), one_way_openings(level), broken_indices(level)) == ([], set(), [])
    assert (lonely_portals(level), walkable(level)) == (set(), walkable(read_level(data)))
    own = level.rooms[-1]
    open_columns = np.flatnonzero((own.sectors["floor"] != -127).reshape(own.x_sectors, -1).any(axis=1))
    assert int(own.x / 1024) - int(level.rooms[HALL].x / 1024) + open_columns[0] == first
    # Every face is in the room that has its sector, and none is lost.
    used = [{number for face in obj.data.polygons for number in face.vertices} for obj in (hall, part)]
    west, east = (
        [(obj.matrix_world @ obj.data.vertices[each].co).x / SECTOR for each in numbers]
        for obj, numbers in zip((hall, part), used, strict=True)
    )
    start = hall.matrix_world.translation.x / SECTOR
    assert max(west) - start <= first + 1e-4 and min(east) - start >= first - 1e-4
    assert abs(sum(face.area for obj in (hall, part) for face in obj.data.polygons) - whole) < 1e-3


def test_walls_that_lean_a_little_cover_no_sector(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    hall = room_object(root, HALL)
    part = separate(hall, beyond(6))

    def lean(bm: bmesh.types.BMesh) -> None:
        """Add a wall over the rest, half a sector wide and high, which leans by a unit of the file."""
        corners = [(3.25, 2.5, 0), (3.75, 2.5, 0), (3.75, 2.5 + 1 / 1024, 0.5), (3.25, 2.5 + 1 / 1024, 0.5)]
        bm.faces.new([bm.verts.new([each * SECTOR for each in corner]) for corner in corners])

    edit_bmesh(part.data, lean)
    assert connect_part(root, part) == (hall, 0)


def test_a_cut_that_leaves_no_floor_is_refused(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    part = separate(room_object(root, HALL), lambda middle: middle.z > 2)
    before = {obj: obj.parent for obj in bpy.data.objects}
    with pytest.raises(ExportError, match="faces of both"):
        connect_part(root, part)
    assert {obj: obj.parent for obj in bpy.data.objects} == before
