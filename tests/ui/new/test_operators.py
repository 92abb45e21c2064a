"""Tests of Add > Tomb Raider: new objects are on the floor, in the room at the cursor, and exported."""

from __future__ import annotations

import re
from math import pi
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.catalogue.pickups import is_pickup
from io_tomb_raider.catalogue.roles import Role, role_of
from io_tomb_raider.formats import Game, read_level
from io_tomb_raider.formats.edits.checks.check import check_level
from io_tomb_raider.formats.levels.floor.functions import Action, Trigger, TriggerType
from io_tomb_raider.formats.levels.lights.lights import decode_light, is_placeholder, kind_of
from io_tomb_raider.formats.levels.views.decoded import Decoded
from io_tomb_raider.scene.authoring.new.objects import choices
from io_tomb_raider.ui.append.pictures import added
from io_tomb_raider.ui.new import operators as new_operators
from io_tomb_raider.ui.new.operators import TOMB_RAIDER_OT_add_thing
from tests.compare import differences
from tests.games import each_game
from tests.level_rules import lonely_portals, lost_openings, one_way_openings
from tests.sample_levels.models import model_id
from tests.scene.exporting import export_level
from tests.scene.scenes import UNIT, objects
from tests.scene.subjects.triggers.sample_triggers import triggers_of

from ..user_actions import export_file, import_file, import_sample, sample_file

HALL = 0
# Sections of the file that get an element, by what was added.
ADDED = {
    "ENTITY": "entities",
    "PICKUP": "entities",
    "PLACEMENT": "rooms[0]/static_meshes",
    "LIGHT": "rooms[0]/lights",
    "SPRITE": "rooms[0]/sprites",
    "SOUND_SOURCE": "sound_sources",
}


def open_spot(level: Any) -> tuple[int, int, int]:
    """Return the middle of a sector of the hall with a flat, closed floor: x, y, z in file units."""
    room = level.rooms[HALL]
    for place, sector in enumerate(room.sectors):
        x, z = divmod(place, room.z_sectors)
        if sector["floor"] == 0 and not sector["floor_data"] and sector["room_below"] == 0xFF:
            return room.x + x * 1024 + 512, 0, room.z + z * 1024 + 512
    raise AssertionError("the hall has no such floor")


def put_cursor(spot: tuple[int, int, int], height: int) -> None:
    bpy.context.scene.cursor.location = Vector((spot[0], spot[2], height - spot[1])) * UNIT


@each_game
def test_new_objects_are_named_and_numbered_like_imported_ones(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    root = import_file(path)
    put_cursor(open_spot(read_level(path.read_bytes())), 0)
    calls: list[tuple[str, Any, dict[str, str]]] = []
    for kind in ADDED:
        found = choices(root, kind)
        if found:
            options = {"kind": kind, "choice": found[0].identifier}
            calls += [(kind, bpy.ops.tomb_raider.add_thing, options)] * 2
    cameras = ["CAMERA", "SINK", *(["AI_OBJECT"] if game.traits.has_ai_objects else [])]
    calls += [(kind, bpy.ops.tomb_raider.add_camera, {"kind": kind}) for kind in cameras]
    calls += [("TRIGGER", bpy.ops.tomb_raider.add_trigger, {}), ("ROOM", bpy.ops.tomb_raider.add_room, {})]
    kinds = {"PICKUP": ("ENTITY",), "CAMERA": ("CAMERA", "SINK"), "SINK": ("CAMERA", "SINK")}
    for kind, operator, options in calls:
        before = {obj.name for each in kinds.get(kind, (kind,)) for obj in objects(root, each)}
        assert operator(collection=root.name, **options) == {"FINISHED"}
        (name,) = {obj.name for each in kinds.get(kind, (kind,)) for obj in objects(root, each)} - before
        numbers = [int(re.search(r"(\d+)\)?$", each)[1]) for each in before]  # type: ignore[index]
        expected = 1 + max(numbers, default=-1)
        assert re.fullmatch(rf"\D.*((?<![\d.]) 0*{expected}| \({expected}\))", name), (kind, name)
        assert kind != "ROOM" or name == f"Room {expected:03}"
        assert kind != "LIGHT" or name.startswith("Light ")


def test_ai_objects_of_tr3_are_entities_that_need_no_model(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, Game.TR3)
    root, before = import_file(path), read_level(path.read_bytes())
    put_cursor(open_spot(before), 0)
    assert bpy.ops.tomb_raider.add_camera(kind="AI_OBJECT") == {"FINISHED"}
    mark = bpy.context.object
    assert (mark.tomb_raider.kind, mark.tomb_raider.entity.type_name) == ("ENTITY", "AI guard")
    mark.tomb_raider.entity.type_name = "AI ambush"
    level, report = export_level(root)
    assert not report.warnings
    assert level.entities["type"].tolist() == [*before.entities["type"].tolist(), 75]
    assert not [each for each in check_level(level) if each.check == "no model"]


def listed(level: Any, name: str) -> Any:
    room, _, field = name.partition("/")
    return getattr(level.rooms[HALL], field) if field else getattr(level, room)


@each_game
def test_all_that_a_level_has_can_be_added(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = sample_file(tmp_path, game)
    root, before = import_file(path), read_level(path.read_bytes())
    spot = open_spot(before)
    put_cursor(spot, 700)
    hall = objects(root, "ROOM")[HALL]
    made: dict[str, Any] = {}
    for kind in ADDED:
        offered = choices(root, kind)
        assert bool(offered) == (kind != "SPRITE" or game is not Game.TR5), kind
        if not offered:
            continue
        if kind in ("ENTITY", "PICKUP", "SOUND_SOURCE"):
            assert all(each.label.endswith(f" ({each.identifier})") for each in offered), kind
        choice = next((each for each in offered if each.identifier != "0"), offered[0])  # one Lara is enough
        assert bpy.ops.tomb_raider.add_thing(kind=kind, choice=choice.identifier) == {"FINISHED"}
        made[kind] = bpy.context.object
        assert bpy.context.selected_objects == [made[kind]] and made[kind].tomb_raider.index == -1
    after = read_level(export_file(tmp_path / "out"))
    for name in set(ADDED.values()):
        more = sum(ADDED[kind] == name for kind in made)
        assert len(listed(after, name)) == len(listed(before, name)) + more, name
    for record in after.entities[-2:]:
        assert [int(record[axis]) for axis in "xyz"] == list(spot)
        assert record["room"] == HALL and record["intensity"] == -1
    # Added objects look like imported ones.
    imported = next(each for each in objects(root, "ENTITY") if each.tomb_raider.index == 0)
    with_model = next(
        each for each in (made["ENTITY"], made["PICKUP"]) if each.instance_collection is not None
    )
    assert with_model.empty_display_size == imported.empty_display_size
    assert is_pickup(game, made["PICKUP"].tomb_raider.entity.type)
    placed = after.rooms[HALL].static_meshes[-1]
    assert [int(placed[axis]) for axis in "xyz"] == list(spot)
    source = after.sound_sources[-1]
    assert [int(source[axis]) for axis in "xyz"] == list(spot)
    light = after.rooms[HALL].lights[len(before.rooms[HALL].lights)]
    assert [round(float(light[axis])) for axis in "xyz"] == [spot[0], -1024, spot[2]]
    assert all(made[kind].parent == hall for kind in ("PLACEMENT", "LIGHT", "SPRITE") if kind in made)
    assert made["ENTITY"].tomb_raider.entity.room == hall
    # Nothing else differs: no list is shorter, and no room has other new elements.
    others = {str(each) for each in differences(before, after)}
    assert not [each for each in others if each.startswith(("models", "animations", "mesh_data"))]


def test_floors_that_open_lead_on_to_the_room_below(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    root = import_file(path)
    level = read_level(path.read_bytes())
    number, place = next(
        (number, place)
        for number, room in enumerate(level.rooms)
        for place, sector in enumerate(room.sectors)
        if sector["room_below"] != 0xFF
    )
    room = level.rooms[number]
    x, z = divmod(place, room.z_sectors)
    spot = (room.x + x * 1024 + 512, room.z + z * 1024 + 512, -room.y_bottom + 600)
    bpy.context.scene.cursor.location = Vector(spot) * UNIT
    assert bpy.ops.tomb_raider.add_thing(kind="ENTITY", choice="7") == {"FINISHED"}
    below = int(room.sectors[place]["room_below"])
    made: Any = bpy.context.object
    assert made.tomb_raider.entity.room == objects(root, "ROOM")[below]
    record = read_level(export_file(tmp_path / "out")).entities[-1]
    deeper = level.rooms[below]
    corner = (room.x - deeper.x) // 1024 + x, (room.z - deeper.z) // 1024 + z
    floor = int(deeper.sectors[corner[0] * deeper.z_sectors + corner[1]]["floor"]) * 256
    assert (record["room"], record["y"]) == (below, floor)


@each_game
def test_every_kind_of_light_of_the_game_can_be_added(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    root, before = import_file(path), read_level(path.read_bytes())
    put_cursor(open_spot(before), 700)
    offered = [each.identifier for each in choices(root, "LIGHT")]
    kinds = {Game.TR4: 5, Game.TR5: 5, Game.TR3: 2}
    assert len(offered) == kinds.get(game, 1)
    for kind in offered:
        assert bpy.ops.tomb_raider.add_thing(kind="LIGHT", choice=kind) == {"FINISHED"}
    after, place = read_level(export_file(tmp_path / "out")), [*"xyz"]
    rooms = [(old, new) for old, new in zip(before.rooms, after.rooms, strict=True)]
    added = [record for old, new in rooms for record in new.lights[len(old.lights) :]]
    if game.traits.has_fog_bulb_list:
        added = [each for each in added if not is_placeholder(each)]
        added += [each for old, new in rooms for each in new.fog_bulbs[len(old.fog_bulbs) :]]
    values = [decode_light(record) for record in added]
    assert sorted(kind_of(game, each) for each in values) == sorted(offered)
    assert all(each["outer"] == 5 * 1024 for each in values if kind_of(game, each) in ("SHADOW", "FOG"))
    assert {len({float(record[axis]) for record in added}) for axis in place} == {1}


def test_errors_name_the_remedy(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr2")
    import_file(path, lights=False)
    bpy.context.scene.cursor.location = (900, 900, 900)
    with pytest.raises(RuntimeError, match="no room at the 3D cursor: put it into one"):
        bpy.ops.tomb_raider.add_thing(kind="ENTITY", choice="0")
    put_cursor(open_spot(read_level(path.read_bytes())), 700)
    with pytest.raises(RuntimeError, match="lights were left out when the level was imported"):
        bpy.ops.tomb_raider.add_thing(kind="LIGHT", choice="POINT")
    before = len(bpy.data.objects)
    with pytest.raises(TypeError, match="not found in"):
        bpy.ops.tomb_raider.add_thing(kind="ENTITY", choice="4711")
    assert len(bpy.data.objects) == before
    bpy.ops.mesh.primitive_cube_add()
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.tomb_raider.add_thing.poll() and not bpy.ops.tomb_raider.add_room.poll()


# --- Placement at walls, and triggers ----------------------------------------

# Sectors of the hall without floor data, x and z: in a corner, at the north wall, and in the middle.
CORNER, NORTH, MIDST = (9, 1), (7, 7), (6, 5)


def put_in_sector(level: Any, sector: tuple[int, int], x: int, z: int, height: int = 300) -> None:
    """Move the cursor into a sector of the hall, offset from its middle."""
    room = level.rooms[HALL]
    put_cursor((room.x + sector[0] * 1024 + 512 + x, 0, room.z + sector[1] * 1024 + 512 + z), height)


def added_record(path: Path, number: int, sector: tuple[int, int]) -> tuple[Any, Any, int]:
    """Export, and return the level, the last entity of a type on a sector of the hall, and its index."""
    level = read_level(export_file(path))
    room, records = level.rooms[HALL], level.entities
    x, z = (start + place * 1024 + 512 for start, place in zip((room.x, room.z), sector, strict=True))
    found = np.flatnonzero((records["type"] == number) & (records["x"] == x) & (records["z"] == z))
    assert (records["room"][found] == HALL).all() and (records["y"][found] == 0).all()
    return level, records[found[-1]], int(found[-1])


@each_game
def test_switches_turn_to_walls_and_open_the_selected_door(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    root, before = import_file(path), read_level(path.read_bytes())
    switch = model_id(game, "switch")
    for obj in objects(root, "ENTITY"):  # a door, and an entity that no switch opens
        obj.select_set(obj.tomb_raider.index in (0, 1, 4))
    put_in_sector(before, CORNER, 300, -100)  # nearest to the east wall
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice=str(switch)) == {"FINISHED"}
    made: Any = bpy.context.object
    assert made.tomb_raider.entity.type == switch and bpy.context.selected_objects == [made]
    level, record, number = added_record(tmp_path / "out", switch, CORNER)
    assert int(record["angle"]) == 0x4000
    (trigger,) = triggers_of(level)[HALL, *CORNER]
    assert trigger == Trigger(TriggerType.SWITCH, reference=number, actions=(Action(0, 4),))
    assert triggers_of(level).items() >= triggers_of(before).items()
    # The selection is no door: a trigger without actions is not exported.
    put_in_sector(before, NORTH, 0, -400)  # farthest from the only wall
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice=str(switch)) == {"FINISHED"}
    level, record, _ = added_record(tmp_path / "out", switch, NORTH)
    assert int(record["angle"]) == 0 and len(triggers_of(level)) == len(triggers_of(before)) + 1
    # Without a trigger, and at the other wall.
    count = len(objects(root, "TRIGGER"))
    put_in_sector(before, CORNER, 100, -300)
    options = {"choice": str(switch), "with_trigger": "NEVER"}
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", **options) == {"FINISHED"}
    _, record, _ = added_record(tmp_path / "out", switch, CORNER)
    assert int(record["angle"]) == -0x8000 and len(objects(root, "TRIGGER")) == count


def test_wall_switches_need_a_wall(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    root, before = import_file(path), read_level(path.read_bytes())
    put_in_sector(before, MIDST, 0, 0)
    count = len(bpy.data.objects)
    with pytest.raises(RuntimeError, match="Wall switch: there is no wall next to this sector"):
        bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice="55")
    assert len(bpy.data.objects) == count
    # Collision without faces has no walls. Without collision, the mesh counts.
    hall = objects(root, "ROOM")[HALL]
    collision = next(each for each in hall.children if each.tomb_raider.kind == "COLLISION")
    collision.data.clear_geometry()
    put_in_sector(before, NORTH, 0, 0)
    with pytest.raises(RuntimeError, match="there is no wall next to this sector"):
        bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice="55")
    bpy.data.objects.remove(collision)
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice="55") == {"FINISHED"}
    assert bpy.context.object.rotation_euler.z == 0


@each_game
def test_doors_close_the_way_and_enemies_have_walls_behind(
    blender: ModuleType, tmp_path: Path, game: Game
) -> None:
    path = sample_file(tmp_path, game)
    import_file(path)
    before = read_level(path.read_bytes())
    door, enemy = (model_id(game, name) for name in ("door", "enemy"))
    put_in_sector(before, (9, 4), -300, 0)  # its east side is open to the corridor
    assert bpy.ops.tomb_raider.add_thing(kind="DOOR", choice=str(door)) == {"FINISHED"}
    _, record, _ = added_record(tmp_path / "out", door, (9, 4))
    assert int(record["angle"]) == -0x4000  # it faces the hall
    put_in_sector(before, MIDST, 0, 300)  # no adjacent wall: the nearest edge
    assert bpy.ops.tomb_raider.add_thing(kind="DOOR", choice=str(door)) == {"FINISHED"}
    _, record, _ = added_record(tmp_path / "out", door, MIDST)
    assert int(record["angle"]) == -0x8000
    put_in_sector(before, CORNER, 200, 100)
    assert bpy.ops.tomb_raider.add_thing(kind="ENEMY", choice=str(enemy)) == {"FINISHED"}
    level, record, _ = added_record(tmp_path / "out", enemy, CORNER)
    assert int(record["angle"]) == -0x4000
    assert bpy.context.object.rotation_euler.z == pytest.approx(pi / 2)  # normalized: not -270°
    assert triggers_of(level) == triggers_of(before)


def test_keyholes_and_items_set_triggers_off(blender: ModuleType, tmp_path: Path) -> None:
    path = sample_file(tmp_path, "tr1")
    root, before = import_file(path), read_level(path.read_bytes())
    for kind in ("DOOR", "SWITCH", "ENEMY", "TRAP", "PICKUP"):
        roles = {role_of(Game.TR1, int(each.identifier)) for each in choices(root, kind)}
        assert roles <= {Role[kind]}, kind
    door = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 57)
    switch = next(each for each in objects(root, "MODEL") if each.tomb_raider.model.id == 55)
    switch.tomb_raider.model.id = 137
    switch.users_collection[0].name = "Keyhole"
    door.select_set(True)
    put_in_sector(before, NORTH, 0, 0)
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice="137") == {"FINISHED"}
    put_in_sector(before, CORNER, 300, -100)
    door.select_set(True)
    assert bpy.ops.tomb_raider.add_thing(kind="PICKUP", choice="93", with_trigger="ALWAYS") == {"FINISHED"}
    put_in_sector(before, MIDST, 0, 0)
    door.select_set(True)
    assert bpy.ops.tomb_raider.add_thing(kind="PICKUP", choice="93", with_trigger="AUTOMATIC") == {"FINISHED"}
    level = read_level(export_file(tmp_path / "out"))
    count = len(before.entities)
    assert level.entities["type"][count:].tolist() == [137, 93, 93]
    assert triggers_of(level)[HALL, *NORTH] == (
        Trigger(TriggerType.KEY, reference=count, actions=(Action(0, 4),)),
    )
    assert triggers_of(level)[HALL, *CORNER] == (
        Trigger(TriggerType.PICKUP, reference=count + 1, actions=(Action(0, 4),)),
    )
    assert len(triggers_of(level)) == len(triggers_of(before)) + 2
    # Pickups stay at the cursor.
    assert int(level.entities[count + 1]["x"]) == before.rooms[HALL].x + CORNER[0] * 1024 + 812


def test_without_triggers_in_the_scene_there_is_a_warning(
    blender: ModuleType, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = sample_file(tmp_path, "tr1")
    import_file(path, triggers=False)
    put_in_sector(read_level(path.read_bytes()), NORTH, 0, 0)
    assert bpy.ops.tomb_raider.add_thing(kind="SWITCH", choice="55") == {"FINISHED"}
    assert "does nothing yet: triggers were left out" in capfd.readouterr().out


# --- Rooms ----------------------------------------


@each_game
def test_a_new_room_is_connected_in_one_step(blender: ModuleType, tmp_path: Path, game: Game) -> None:
    path = sample_file(tmp_path, game)
    root, before = import_file(path), read_level(path.read_bytes())
    hall: Any = objects(root, "ROOM")[HALL]
    points = np.array([hall.matrix_world @ vertex.co for vertex in hall.data.vertices]) / UNIT
    east = points[:, 0].max()
    z, height = closed_east(before)
    # The middle of its floor: it starts at the end of the hall.
    bpy.context.scene.cursor.location = Vector((east + 1024, z, -height)) * UNIT
    assert bpy.ops.tomb_raider.add_room(size=(2, 2, 2)) == {"FINISHED"}
    room: Any = bpy.context.object
    assert room.tomb_raider.kind == "ROOM" and len(room.data.polygons) == 24
    center = sum((face.center for face in room.data.polygons), Vector()) / 24
    assert all((center - face.center).dot(face.normal) > 0 for face in room.data.polygons)  # facing inwards
    assert room.data.materials[0] is not None
    bpy.context.view_layer.update()
    hall.select_set(True)
    clear, faces = game is not Game.TR2, len(hall.data.polygons)
    assert bpy.ops.tomb_raider.connect_rooms(clear=clear) == {"FINISHED"}
    # Both rooms have no faces in the opening.
    assert len(room.data.polygons) == (20 if clear else 24)
    assert (len(hall.data.polygons) < faces) == clear
    assert len(hall.data.polygons) >= faces - 6
    after = read_level(export_file(tmp_path / "out"))
    number = len(after.rooms) - 1
    assert number == len(before.rooms)
    new = after.rooms[number]
    assert (new.x_sectors, new.z_sectors) == (4, 4)
    assert new.portals["room"].tolist() == [HALL]
    assert after.rooms[HALL].portals["room"].tolist().count(number) == 1
    # All four vertices of the hall's portal are in the plane between the rooms.
    own = after.rooms[HALL].portals[-1]["vertices"]
    assert (own[:, 0] + after.rooms[HALL].x == east).all()
    for rule in (lonely_portals, lost_openings, one_way_openings):
        assert set(rule(after)) == set(rule(before)), rule
    assert wall_targets(after, HALL).count(number) == 2 and wall_targets(after, number).count(HALL) == 2


def test_rooms_above_one_another_are_connected_by_floor_and_ceiling(
    blender: ModuleType, tmp_path: Path
) -> None:
    path = sample_file(tmp_path, "tr1")
    root, before = import_file(path), read_level(path.read_bytes())
    hall: Any = objects(root, "ROOM")[HALL]
    spot = open_spot(before)
    put_cursor((spot[0], 2048, spot[2]), 0)
    assert bpy.ops.tomb_raider.add_room(size=(1, 1, 2)) == {"FINISHED"}  # its ceiling is the hall's floor
    cellar: Any = bpy.context.object
    hall.select_set(True)
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.connect_rooms() == {"FINISHED"}
    after = read_level(export_file(tmp_path / "out"))
    for rule in (lonely_portals, lost_openings, one_way_openings):
        assert set(rule(after)) == set(rule(before)), rule
    number = len(after.rooms) - 1
    assert np.count_nonzero(after.rooms[HALL].sectors["room_below"] == number) == 1
    assert np.count_nonzero(after.rooms[number].sectors["room_above"] == HALL) == 1
    # Repeating it changes nothing; a portal that was moved is replaced.
    assert len(cellar.data.polygons) == 9  # without its ceiling
    assert bpy.ops.tomb_raider.connect_rooms() == {"CANCELLED"}
    assert [len(room.portals) for room in after.rooms] == [
        len(room.portals) for room in read_level(export_file(tmp_path / "out")).rooms
    ]
    portal = next(each for each in objects(root, "PORTAL") if each.tomb_raider.portal.room == cellar)
    portal.location.x += 7
    bpy.context.view_layer.update()
    assert bpy.ops.tomb_raider.connect_rooms() == {"FINISHED"}
    assert read_level(export_file(tmp_path / "out")).rooms[HALL].portals[-1] == after.rooms[HALL].portals[-1]


def test_rooms_that_do_not_meet_are_not_connected(blender: ModuleType, tmp_path: Path) -> None:
    hall = objects(import_sample(tmp_path, "tr1"), "ROOM")[HALL]
    bpy.context.scene.cursor.location = (500, 500, 0)
    bpy.ops.tomb_raider.add_room()
    assert not bpy.ops.tomb_raider.connect_rooms.poll()
    hall.select_set(True)
    with pytest.raises(RuntimeError, match="does not meet"):
        bpy.ops.tomb_raider.connect_rooms()


def closed_east(level: Any) -> tuple[int, int]:
    """Return the middle of two adjacent closed walls at the hall's east, z, and the height of their floor."""
    room = level.rooms[HALL]
    floors = room.sectors["floor"].reshape(room.x_sectors, room.z_sectors)
    closed = room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors)[-1] == 0
    for row in range(1, room.z_sectors - 2):
        pair = floors[-2, row : row + 2]
        if closed[row : row + 2].all() and pair[0] == pair[1] != -127:
            return room.z + 1024 * (row + 1), int(pair[0]) * 256
    raise AssertionError("the hall has no such walls")


def wall_targets(level: Any, number: int) -> list[int]:
    """Return the target rooms of the wall portals of a room."""
    starts = np.cumsum([0, *(len(room.sectors) for room in level.rooms)])
    portals = Decoded(level).sectors.portal
    found = portals[starts[number] : starts[number + 1]]
    return [int(each) for each in found if each >= 0]


@each_game
def test_add_lists_show_pictures(
    blender: ModuleType, tmp_path: Path, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = import_sample(tmp_path, game)
    asked: list[tuple[str, int]] = []

    def icon(kind: str, number: int, *, is_picked: bool = False) -> int:
        """Number previews as Blender does in a window."""
        if added.preview(kind, number, is_picked=is_picked) is None:
            return 0
        asked.append((kind, number))
        return 1000 + number

    monkeypatch.setattr(added, "icon", icon)
    monkeypatch.setattr("io_tomb_raider.ui.append.pictures._BUDGET", 60.0)
    manager = SimpleNamespace(invoke_search_popup=lambda _tool: None)
    context: Any = SimpleNamespace(window_manager=manager, scene=bpy.context.scene)
    for kind in ("DOOR", "ENTITY", "PICKUP", "PLACEMENT"):
        tool: Any = SimpleNamespace(
            collection=root.name, kind=kind, level=lambda _: root, execute=lambda _: {"FINISHED"}
        )
        TOMB_RAIDER_OT_add_thing.invoke(tool, context, None)  # type: ignore[arg-type]
        for each, item in zip(choices(root, kind), new_operators._items(tool, context), strict=True):
            assert item[:2] == (each.identifier, each.label)
            preview = added.preview(*each.piece)
            assert preview is None or item[3] == 1000 + each.piece[1]
    assert {kind for kind, _ in asked} == {"model", "sprite", "static"}
    added.end()
