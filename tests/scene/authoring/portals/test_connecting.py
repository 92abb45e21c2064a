"""Connecting rooms that meet: both sides of every border in the exported level."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mathutils import Vector

from io_tomb_raider.formats import ExportError, Game, Level
from io_tomb_raider.formats.levels.rooms.geometry import decode_faces
from io_tomb_raider.formats.levels.textures.blending import BlendMode
from io_tomb_raider.formats.levels.textures.face_words import room_texture_mask, texture_index
from io_tomb_raider.formats.levels.textures.object_textures import decode_object_textures
from io_tomb_raider.scene.authoring.collision_from_mesh.make import room_from_mesh
from io_tomb_raider.scene.authoring.new.room import add_room
from io_tomb_raider.scene.authoring.portals.openings import connect_all, connect_rooms
from io_tomb_raider.scene.new_levels.new import new_level
from io_tomb_raider.scene.subjects.portals.room_tools import delete_room, duplicate_room
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.level_rules import broken_indices, lonely_portals, lost_openings, one_way_openings
from tests.scene.exporting import export_level

from ...scenes import export_scene, objects
from ..collision_from_mesh.chambers import edit_of

_SECTOR, _CLICK = 1024, 256
_SIDE = 2.0  # the side of a sector, in Blender
_FROM = 10  # sectors from the origin
Box = tuple[tuple[int, int, int], tuple[int, int, int]]  # the minimum and maximum corner, in sectors, z up


def _level(game: Game, boxes: list[Box]) -> tuple[Collection, list[Any]]:
    """Create a level whose rooms are boxes, and return its rooms in their order."""
    root = new_level(game, "Home").root
    (first,) = objects(root, "ROOM")
    rooms = []
    for low, high in boxes:
        size = high[0] - low[0], high[1] - low[1], high[2] - low[2]
        place = [(_FROM + a + s / 2) * _SIDE for a, s in zip(low[:2], size[:2], strict=True)]
        rooms.append(add_room(root, Vector((*place, low[2] * _SIDE)), size))
    delete_room(root, first, with_inhabitants=True)
    return root, rooms


def _number(level: Level, box: Box) -> int:
    """Return the number of a box in the exported level."""
    (x, y, z), _ = box
    place = (_FROM + x - 1) * _SECTOR, (_FROM + y - 1) * _SECTOR, -z * _SECTOR
    return [(room.x, room.z, room.y_bottom) for room in level.rooms].index(place)


@st.composite
def _buildings(draw: st.DrawFn) -> list[Box]:
    """Return boxes into which a block of sectors is divided, except some of them."""
    boxes: list[Box] = [((0, 0, -2), (6, 7, 3))]
    for _ in range(draw(st.integers(1, 24))):
        low, high = boxes.pop(draw(st.integers(0, len(boxes) - 1)))
        axis = draw(st.integers(0, 2))
        at = draw(st.integers(low[axis], high[axis] - 1))
        x, y, z = (at if axis == each else high[each] for each in range(3))
        a, b, c = (at if axis == each else low[each] for each in range(3))
        boxes += [part for part in ((low, (x, y, z)), ((a, b, c), high)) if part[0][axis] < part[1][axis]]
    left_out = draw(st.sets(st.integers(0, len(boxes) - 1), max_size=len(boxes) // 4))
    return [box for place, box in enumerate(boxes) if place not in left_out]


def _portals(level: Level) -> Counter[Any]:
    """Return (room, target, corners in the world, normal) of all portals."""
    found: Counter[Any] = Counter()
    for number, room in enumerate(level.rooms):
        for portal in room.portals:
            points = portal["vertices"].astype(int) + np.array([room.x, 0, room.z])
            corners = frozenset(map(tuple, points.tolist()))
            found[number, int(portal["room"]), corners, tuple(portal["normal"].tolist())] += 1
    return found


def _common(one: Box, other: Box) -> list[tuple[int, int]]:
    """Return the overlap of two boxes along each axis."""
    return [(max(a, c), min(b, d)) for a, b, c, d in zip(one[0], one[1], other[0], other[1], strict=True)]


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(Game), _buildings())
def test_random_rooms_are_connected_both_ways(blender: ModuleType, game: Game, boxes: list[Box]) -> None:
    start_empty()
    root, rooms = _level(game, boxes)
    made = connect_all(root)
    level = export_scene(root)
    numbers = {_number(level, box): place for place, box in enumerate(boxes)}
    assert broken_indices(level) == [] and lost_openings(level) == []
    assert one_way_openings(level) == lonely_portals(level) == set()

    # Equal and opposite, each once.
    portals = _portals(level)
    assert set(portals.values()) <= {1} and len(portals) == made.portals
    for room, target, corners, normal in portals:
        assert (target, room, corners, tuple(-each for each in normal)) in portals
        plane = int(np.abs(normal).argmax())
        assert len({corner[plane] for corner in corners}) == 1

    # Touching boxes have portals, except where a wall must lead to another, higher room there.
    seen = {frozenset((numbers[room], numbers[target])) for room, target, *_ in portals}
    heights = _wall_heights(boxes)
    for (one, box), (other, beyond) in combinations(enumerate(boxes), 2):
        common = _common(box, beyond)
        flat = [axis for axis, (low, high) in enumerate(common) if low == high]
        meets = len(flat) == 1 and all(low <= high for low, high in common)
        if not meets:
            assert {one, other} not in seen
        elif {one, other} not in seen:
            assert flat != [2]
            height = common[2][1] - common[2][0]
            sides = [
                cell
                for cell in heights
                if cell[0] in (one, other) and heights[cell].get(one + other - cell[0])
            ]
            assert sides and all(max(heights[cell].values()) >= height for cell in sides)
            walls = {
                wall: max(others.values())
                for wall, others in heights.items()
                if wall[0] in (one, other) and (one + other - wall[0]) in others
            }
            assert max(walls.values()) >= height
    lonely = {room.name for place, room in enumerate(rooms) if not any(place in pair for pair in seen)}
    assert set(made.alone) == lonely and made.pairs == len(seen)

    # A second run has nothing to do.
    again = connect_all(root)
    assert again[:5] == (0, 0, 0, 0, 0) and export_scene(root).to_bytes() == level.to_bytes()


def _wall_heights(boxes: list[Box]) -> dict[tuple[int, int, int], dict[int, int]]:
    """Return the maximum height of openings, in sectors, by room and place of a wall around it."""
    found: dict[tuple[int, int, int], dict[int, int]] = {}
    for number, (low, high) in enumerate(boxes):
        around = [(x, y) for x in (low[0] - 1, high[0]) for y in range(low[1], high[1])]
        around += [(x, y) for y in (low[1] - 1, high[1]) for x in range(low[0], high[0])]
        for x, y in around:
            for other, (a, b) in enumerate(boxes):
                height = min(high[2], b[2]) - max(low[2], a[2])
                if a[0] <= x < b[0] and a[1] <= y < b[1] and height > 0:
                    found.setdefault((number, x, y), {})[other] = height
    return found


def test_a_pillar_between_rooms_makes_two_portals(blender: ModuleType) -> None:
    root, (one, other) = _level(Game.TR2, [((0, 0, 0), (3, 3, 2)), ((3, 0, 0), (5, 3, 3))])
    edit = edit_of(root, one)
    edit.sectors.wall[edit.grid.place[(edit.grid.x == 3) & (edit.grid.z == 2)]] = True  # in the middle, last
    edit.write()
    made = connect_rooms(root, [one, other])
    assert made[:4] == (1, 4, 0, 4)
    level = export_scene(root)
    assert lost_openings(level) == [] and one_way_openings(level) == lonely_portals(level) == set()
    corners = np.array([portal["vertices"] for portal in level.rooms[0].portals]).astype(int)
    assert sorted(np.ptp(corners, axis=1).tolist()) == [[0, 2 * _SECTOR, _SECTOR]] * 2


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_a_slanted_floor_is_seen_through(blender: ModuleType, game: Game) -> None:
    root, (upper, lower) = _level(game, [((0, 0, 0), (3, 3, 2)), ((0, 0, -2), (3, 3, 0))])
    # Both slope along x by a click per sector, and along z in one more row.
    for room, surface in ((upper, "floor"), (lower, "ceiling")):
        edit = edit_of(root, room)
        heights = getattr(edit.sectors, surface).heights
        inner = ~edit.sectors.wall
        falls = (edit.grid.x[inner, None] - 1 + [0, 0, 1, 1]) * _CLICK
        falls += np.where(edit.grid.z[inner, None] == 3, [0, 1, 0, 1], 0) * _CLICK
        heights[inner] = falls[:, None]
        edit.write()
    made = connect_rooms(root, [upper, lower])
    assert (made.portals, made.sectors) == (4, 18)
    level, report = export_level(root)
    assert not [note for note in report.warnings if "rectangle" in str(note) or "plane" in str(note)]
    assert lost_openings(level) == [] and one_way_openings(level) == lonely_portals(level) == set()
    (number,) = {int(portal["room"]) for portal in level.rooms[0].portals}
    assert np.count_nonzero(level.rooms[0].sectors["room_below"] == number) == 9
    for portal in level.rooms[0].portals:
        assert portal["normal"].tolist() == [0, -1, 0]  # upward, into the upper room
        for x, y, z in portal["vertices"].astype(int).tolist():
            assert y == (x - _SECTOR) / 4 + max(z - 3 * _SECTOR, 0) / 4


def test_half_a_floor_opens_where_only_its_triangle_meets(blender: ModuleType) -> None:
    root, (upper, lower) = _level(Game.TR3, [((0, 0, 0), (1, 1, 2)), ((0, 0, -2), (1, 1, 0))])
    for room, surface, apex in ((upper, "floor", 2), (lower, "ceiling", 3)):
        edit = edit_of(root, room)
        surfaces = getattr(edit.sectors, surface)
        inner = int(np.flatnonzero(~edit.sectors.wall)[0])
        surfaces.split[inner] = 1
        surfaces.heights[inner, 1, 3] = -apex * _CLICK
        edit.write()
    assert connect_rooms(root, [upper, lower]).sectors == 2
    for room, name, surface in ((upper, "room_below", "floor"), (lower, "room_above", "ceiling")):
        sectors = edit_of(root, room).sectors
        inner = int(np.flatnonzero(~sectors.wall)[0])
        assert getattr(sectors, name)[inner] >= 0 and getattr(sectors, surface).open_triangle[inner] == 0
    level = export_scene(root)
    assert lonely_portals(level) == set() and level.rooms[0].sectors["room_below"].min() == 1


def test_the_portal_of_half_a_floor_slopes_as_its_triangle_does(blender: ModuleType) -> None:
    root, (upper, lower) = _level(Game.TR3, [((0, 0, 0), (1, 1, 2)), ((0, 0, -2), (1, 1, 0))])
    for room, surface, apex in ((upper, "floor", 2), (lower, "ceiling", 3)):
        edit = edit_of(root, room)
        surfaces = getattr(edit.sectors, surface)
        inner = int(np.flatnonzero(~edit.sectors.wall)[0])
        surfaces.split[inner] = 1
        # The triangle at +x, +z rises by a click along x; the other one is at another height in each room.
        surfaces.heights[inner, 1] = np.array([1, 1, 0, 0]) * _CLICK
        surfaces.heights[inner, 0] = np.array([-apex, 1, 0, 1]) * _CLICK
        edit.write()
    assert connect_rooms(root, [upper, lower]).sectors == 2
    for room in export_scene(root).rooms:
        (portal,) = room.portals
        for x, y, _ in portal["vertices"].astype(int).tolist():
            assert y == (2 * _SECTOR - x) / 4


def test_every_step_of_connecting_is_reported(blender: ModuleType) -> None:
    root, _ = _level(Game.TR1, [((0, 0, 0), (1, 1, 1))])
    steps: list[tuple[str, float]] = []
    connect_all(root, listener=lambda step, done: steps.append((step, done)))
    assert steps == [("Collision", 0.0), ("Openings", 0.25), ("Portals", 0.5), ("Meshes", 0.75)]


def test_existing_faces_of_a_water_surface_are_kept(blender: ModuleType) -> None:
    root, (dry, wet) = _level(Game.TR3, [((0, 0, 0), (2, 2, 2)), ((0, 0, -2), (2, 2, 0))])
    wet.tomb_raider.room.has_water = True
    surface = bpy.data.materials.new("Surface")
    surface.tomb_raider.attribute = BlendMode.ADDITIVE
    wet.data.materials.append(surface)
    # One of its ceiling's four faces is translucent; the others are stone.
    top = [face for face in wet.data.polygons if face.normal.z < -0.9]
    top[0].material_index = len(wet.data.materials) - 1
    made = connect_rooms(root, [dry, wet], surfaces=False)
    assert made[:6] == (1, 2, 0, 8, 7, 0)
    assert [face.normal.z < -0.9 for face in wet.data.polygons].count(True) == 1
    # The missing faces are drawn: all upward ones, and three sectors of downward ones.
    assert connect_rooms(root, [dry, wet])[:6] == (0, 0, 0, 0, 0, 7)
    assert root.tomb_raider.water_surface.material == surface
    assert _looks(dry, surface) == [1.0] * 4 and _looks(wet, surface) == [-1.0] * 4
    assert connect_rooms(root, [dry, wet]).surfaces == 0


def _looks(room: Any, material: Any) -> list[float]:
    """Return the directions of faces with a material: 1 up, -1 down."""
    slot = list(room.data.materials).index(material)
    return [round(face.normal.z, 3) for face in room.data.polygons if face.material_index == slot]


@each_game
def test_water_below_air_has_a_surface_in_the_game(blender: ModuleType, game: Game) -> None:
    boxes = [((0, 0, 0), (4, 3, 2)), ((1, 1, -2), (3, 3, 0)), ((0, 0, 2), (4, 3, 3))]
    root, (dry, wet, above) = _level(game, boxes)
    wet.tomb_raider.room.has_water = True
    before = [len(room.data.vertices) for room in (dry, wet, above)]
    made = connect_all(root)
    # Nothing is drawn between air and air.
    assert made.surfaces == 8 and made.faces == 4 + 4 + 12 + 12
    # It shares the surrounding vertices; those amid the ceiling are deleted.
    after = [len(room.data.vertices) for room in (dry, wet, above)]
    assert after == [before[0] - 6, before[1], before[2] - 6]
    assert root.tomb_raider.water_surface.material in list(wet.data.materials)
    level = export_scene(root)
    textures = decode_object_textures(level.object_textures, game)
    for box, floor in zip(boxes[:2], (0, -2), strict=True):
        room = level.rooms[_number(level, box)]
        quads, _ = decode_faces(game, room)
        vertices = np.stack([room.vertices[axis] for axis in "xyz"], axis=1).astype(float)
        points = vertices[quads.corners] + [room.x, room.y if game is Game.TR5 else 0, room.z]
        normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])[:, 1]
        surface = (points[:, :, 1] == 0).all(axis=1) & (textures.attribute[_index(game, quads)] > 0)
        cells = (points[surface][:, :, [0, 2]].min(axis=1) / _SECTOR - _FROM).astype(int).tolist()
        assert sorted(map(tuple, cells)) == [(1, 1), (1, 2), (2, 1), (2, 2)]
        # The winding order is that of the floor, or of the ceiling.
        known = normals[(points[:, :, 1] == -floor * _SECTOR).all(axis=1) & ~surface]
        looks = np.sign(known[0]) * (1 if box == boxes[0] else -1)
        assert np.sign(normals[surface]).tolist() == [looks] * 4
        (record,) = np.unique(_index(game, quads)[surface])
        assert np.ptp(textures.uv[record], axis=0).min() * 256 > 62


def _index(game: Game, faces: Any) -> Any:
    return texture_index(faces.texture, room_texture_mask(game))


# Waves, caustics and still vertices, by game: documentation, chapter 3.2.1.
_EFFECTS = {
    Game.TR1: (0, 0, 0),
    Game.TR2: (0, 0, 0x8000),
    Game.TR3: (0x2000, 0x4000, 0x8000),
    Game.TR4: (0x2000, 0x4000, 0),
    Game.TR5: (0, 0, 0),
}
_POOL: list[Box] = [((0, 0, 0), (4, 3, 2)), ((1, 1, -2), (3, 3, 0))]


def _effects(level: Level, box: Box) -> dict[tuple[int, int, int], int]:
    """Return the attributes of the vertices of a room, by their places in sectors, z up."""
    room = level.rooms[_number(level, box)]
    if "attributes" not in (room.vertices.dtype.names or ()):
        return {}
    places = np.stack([room.vertices[axis] for axis in "xzy"], axis=1) + np.array([room.x, room.z, 0])
    places = places // [_SECTOR, _SECTOR, -_SECTOR] - [_FROM, _FROM, 0]
    return dict(zip(map(tuple, places.tolist()), room.vertices["attributes"].tolist(), strict=True))


def _expected_effects(game: Game, places: Any, *, is_wet: bool) -> dict[Any, int]:
    waves, caustics, still = _EFFECTS[game]
    new = 16 if game is Game.TR2 else 0
    found = {}
    for x, y, z in places:
        if z == 0 and 1 <= x <= 3 and 1 <= y <= 3:
            found[x, y, z] = new | still | (waves if (x, y) == (2, 2) else 0)
        else:
            found[x, y, z] = new | (caustics if is_wet else 0)
    return found


@each_game
def test_water_is_alive_in_the_game(blender: ModuleType, game: Game) -> None:
    root, (dry, wet) = _level(game, _POOL)
    wet.tomb_raider.room.has_water = True
    connect_rooms(root, [dry, wet])

    def check(level: Level) -> None:
        for box, is_wet in zip(_POOL, (False, True), strict=True):
            found = _effects(level, box)
            assert found == _expected_effects(game, found, is_wet=is_wet)
        if game >= Game.TR3:
            schemes = [level.rooms[_number(level, box)].water_scheme for box in _POOL]
            assert schemes == [5 if game is not Game.TR5 else 0, 0]

    check(export_scene(root))
    # Connecting again changes nothing, and an effect of the user's stays.
    connect_rooms(root, [dry, wet])
    check(export_scene(root))
    # Drained, nothing is left; filled again, everything is back.
    new = 16 if game is Game.TR2 else 0
    wet.tomb_raider.room.has_water = False
    drained = export_scene(root)
    assert {value for box in _POOL for value in _effects(drained, box).values()} <= {new}
    wet.tomb_raider.room.has_water = True
    check(export_scene(root))
    # Water in both rooms has no surface.
    dry.tomb_raider.room.has_water = True
    filled = export_scene(root)
    caustics = _EFFECTS[game][1]
    assert {value for box in _POOL for value in _effects(filled, box).values()} <= {new | caustics}


def test_water_is_alive_in_a_mesh_that_is_edited(blender: ModuleType) -> None:
    root, (dry, wet) = _level(Game.TR3, _POOL)
    connect_rooms(root, [dry, wet], surfaces=False)
    bpy.context.view_layer.objects.active = wet
    bpy.ops.object.mode_set(mode="EDIT")
    wet.tomb_raider.room.has_water = True
    bpy.ops.object.mode_set(mode="OBJECT")
    found = _effects(export_scene(root), _POOL[1])
    assert found == _expected_effects(Game.TR3, found, is_wet=True) and 0x4000 in found.values()


def test_quicksand_moves(blender: ModuleType) -> None:
    root, (dry, wet) = _level(Game.TR3, _POOL)
    wet.tomb_raider.room.has_quicksand = True
    connect_rooms(root, [dry, wet])
    level = export_scene(root)
    found = _effects(level, _POOL[1])
    assert found[1, 1, -2] == found[2, 2, -2] == 0x2000 and found[1, 2, 0] == 0x8000
    assert _effects(level, _POOL[0])[1, 2, 0] == 0x8000


def test_water_surfaces_cover_half_sectors_and_have_two_sides(blender: ModuleType) -> None:
    boxes = [((0, 0, 0), (1, 1, 2)), ((0, 0, -2), (1, 1, 0)), ((4, 0, 0), (5, 1, 2)), ((4, 0, -2), (5, 1, 0))]
    root, (dry, wet, other_dry, other_wet) = _level(Game.TR4, boxes)
    for room, surface, apex in ((dry, "floor", 2), (wet, "ceiling", 3)):
        edit = edit_of(root, room)
        surfaces = getattr(edit.sectors, surface)
        inner = int(np.flatnonzero(~edit.sectors.wall)[0])
        surfaces.split[inner] = 1
        surfaces.heights[inner, 1, 3] = -apex * _CLICK
        edit.write()
    for room in (wet, other_wet):
        room.tomb_raider.room.has_water = True
    # Its stones stay on the other half, which is closed.
    assert connect_rooms(root, [dry, wet]).surfaces == 2
    water: Any = root.tomb_raider.water_surface.material
    assert _looks(dry, water) == [1.0] and _looks(wet, water) == [-1.0]
    slot = list(dry.data.materials).index(water)
    (face,) = (face for face in dry.data.polygons if face.material_index == slot)
    corners = {(round(v.co.x), round(v.co.y)) for v in (dry.data.vertices[each] for each in face.vertices)}
    assert len(face.vertices) == 3 and corners == {(2, 2), (4, 2), (2, 4)}
    # The user's choice is drawn; once if it is double-sided.
    chosen = water.copy()
    chosen.tomb_raider.double_sided = True
    root.tomb_raider.water_surface.material = chosen
    assert connect_rooms(root, [other_dry, other_wet]).surfaces == 1
    assert _looks(other_dry, chosen) == [1.0] and chosen not in list(other_wet.data.materials)
    root.tomb_raider.water_surface.material = water
    assert connect_rooms(root, [other_dry, other_wet]).surfaces == 0


def test_alternate_rooms_meet_only_those_of_their_state(blender: ModuleType) -> None:
    root, (hall, side) = _level(Game.TR1, [((0, 0, 0), (2, 2, 2)), ((2, 0, 0), (4, 2, 2))])
    flipped = duplicate_room(root, hall)
    flipped.name = "Flipped"
    hall.tomb_raider.room.alternate_room = flipped
    made = connect_all(root)
    assert made.alone == () and made.portals == 3
    level = export_scene(root)
    at = {room.name: number for number, room in enumerate((hall, side, flipped))}
    leads = {(room, target) for room, target, *_ in _portals(level)}
    assert leads == {
        (at[hall.name], at[side.name]),
        (at[side.name], at[hall.name]),
        (at[flipped.name], at[side.name]),
    }
    assert lost_openings(level) == [] and one_way_openings(level) == set()
    # A room that flips along with the hall does not see rooms of the other state.
    other = duplicate_room(root, side)
    side.tomb_raider.room.alternate_room = other
    for obj in objects(root, "PORTAL"):
        bpy.data.objects.remove(obj)
    # Rooms that are hidden now are connected with the others.
    connect_rooms(root, [hall, side])
    targets = Counter((obj.parent, obj.tomb_raider.portal.room) for obj in objects(root, "PORTAL"))
    assert targets == Counter([(hall, side), (side, hall), (flipped, side), (other, hall)])


def test_closed_meshes_can_stay_closed(blender: ModuleType) -> None:
    root, (one, other, far) = _level(
        Game.TR3, [((0, 0, 0), (2, 2, 2)), ((2, 0, 0), (4, 2, 2)), ((8, 8, 0), (9, 9, 2))]
    )
    made = connect_all(root, through=False)
    assert made[:5] == (0, 0, 0, 0, 0) and set(made.alone) == {one.name, other.name, far.name}
    # Without its wall, each is closed by the other's wall: they meet only if both are open.
    for room, x in ((one, max), (other, min)):
        import bmesh  # importable only after bpy

        edited: Any = bmesh.new()
        edited.from_mesh(room.data)
        edge = x(vertex.co.x for vertex in edited.verts)
        wall = [face for face in edited.faces if all(abs(v.co.x - edge) < 0.01 for v in face.verts)]
        bmesh.ops.delete(edited, geom=wall[:2], context="FACES")
        edited.to_mesh(room.data)
        edited.free()
        made = connect_all(root, through=False)
        assert made.pairs == (room is other)
    assert made.alone == (far.name,) and made.faces == 0
    with pytest.raises(ExportError, match="does not meet"):
        connect_rooms(root, [one, far])


@pytest.mark.parametrize(("wide", "faces"), [(4, 5), (6, 6)])
def test_a_face_over_several_sectors_goes_where_all_of_them_open(
    blender: ModuleType, wide: int, faces: int
) -> None:
    root, (room,) = _level(Game.TR4, [((0, 0, 0), (4, 4, 2))])
    mesh: Any = bpy.data.meshes.new("Cube")
    sides = [(_FROM + 4, _FROM + 8), (_FROM, _FROM + wide), (0, 2)]
    corners = [(x * _SIDE, y * _SIDE, z * _SIDE) for x in sides[0] for y in sides[1] for z in sides[2]]
    around = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.from_pydata(corners, [], around)
    cube = bpy.data.objects.new("Cube", mesh)
    bpy.context.scene.collection.objects.link(cube)
    room_from_mesh(root, cube)
    walls = len(room.data.polygons)
    assert connect_all(root).portals == 2
    assert len(mesh.polygons) == faces and len(room.data.polygons) == walls - 8
