"""Entities: instances that are moved, rotated, added and deleted, and references of floor data to them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Vector

from io_tomb_raider.formats import Game, Level, Room, read_level
from io_tomb_raider.formats.levels.floor.editing import find_references
from io_tomb_raider.formats.levels.floor.floor_data import parse
from io_tomb_raider.formats.levels.level.footer import FLOOR_DATA_PLUGINS, split_footer
from io_tomb_raider.scene.pipeline.importer import ImportOptions, import_level
from io_tomb_raider.scene.subjects.rooms.location.where import Whereabouts
from tests.compare import differences
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, objects
from ..rooms.sample_rooms import whereabouts

Spaces = tuple[list[Room], Whereabouts]

LARA, WOLF, GUARD, SWITCH, DOOR, MEDIKIT, PICKUP, TARGET = range(8)  # of the sample levels


def named_entities(level: Level) -> list[int]:
    """Return the numbers of entities in floor data, in the order of the array."""
    sectors = [room.sectors["floor_data"].reshape(room.x_sectors, room.z_sectors) for room in level.rooms]
    data = parse(level.floor_data, sectors, trng=level.has_trng_footer)
    return (data.words[find_references(data.words, data.roles).entities] & 0x3FF).tolist()


def world(obj: Any) -> Any:
    bpy.context.view_layer.update()
    return obj.matrix_world


@each_game
def test_entities_stand_where_the_game_puts_them(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    objs = objects(root, "ENTITY")
    assert len(objs) == len(level.entities)
    for obj, record in zip(objs, level.entities, strict=True):
        x, y, z = (int(record[axis]) for axis in "xyz")
        assert tuple(world(obj).translation) == (x * UNIT, z * UNIT, -y * UNIT)
        angle = int(record["angle"]) * np.pi / 0x8000
        assert np.allclose(
            world(obj).to_3x3() @ Vector((0, 1, 0)), (np.sin(angle), np.cos(angle), 0), atol=1e-6
        )
        assert obj.tomb_raider.entity.room == objects(root, "ROOM")[record["room"]]


@each_game
def test_entities_show_their_models_and_sprites(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    models, sequences = level.models["id"].tolist(), level.sprite_sequences["id"].tolist()
    shown = set()
    for obj, record in zip(objects(root, "ENTITY"), level.entities, strict=True):
        number = int(record["type"])
        if number in models:
            collection = obj.instance_collection
            assert collection.tomb_raider.model.tomb_raider.model.id == number
            shown.add("model")
        elif number in sequences:
            first = level.sprite_sequences["first"][sequences.index(number)]
            assert obj.data == objects(root, "SPRITE_TEXTURE")[first].data
            shown.add("sprite")
        else:
            assert (obj.instance_collection, obj.data) == (None, None)
    assert shown == {"model", "sprite"}


def test_entities_are_named_from_the_catalogue(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    assert objects(root, "ENTITY")[0].name == "Lara 0"


@each_game
def test_a_moved_entity_changes_its_position_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        objects(root, "ENTITY")[WOLF].location += Vector((3, 0, 5)) * UNIT

    assert set(changes(sample_bytes(game), edit)) == {("entities", WOLF, axis) for axis in "xy"}


@each_game
def test_a_turned_entity_turns_like_in_blender(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objects(root, "ENTITY")[WOLF].rotation_euler.z -= np.pi / 4
    old, new = read_level(data).entities["angle"], export_scene(root).entities["angle"]
    assert (int(new[WOLF]) - int(old[WOLF])) % 0x10000 == 0x2000
    assert np.array_equal(np.delete(new, WOLF), np.delete(old, WOLF))


@each_game
def test_every_angle_and_position_survives(blender: ModuleType, game: Game) -> None:
    level = read_level(sample_bytes(game))
    random = np.random.default_rng(int(game))
    records = np.repeat(level.entities[:1], 250)
    records["angle"] = random.integers(-0x8000, 0x8000, 250)
    for axis in "xyz":
        records[axis] = random.integers(-200000, 200000, 250)
    for name in ("intensity", "intensity2", "ocb"):
        if name in (records.dtype.names or ()):
            records[name] = random.integers(-0x8000, 0x8000, 250)
    records["flags"] = random.integers(0, 0x10000, 250)
    records["room"][:9] = (-1, 99, -0x8000, 0x7FFF, 0, 1, 2, 3, 4)
    level.entities = np.concatenate([level.entities, records])
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    assert np.array_equal(export_scene(root, rebuild=True).entities, level.entities)


def test_far_away_entities_survive(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4))
    level.entities = level.entities.copy()
    for row, place in enumerate((0x7FFFFFFF, -0x80000000, 16777217, -99999999)):
        level.entities["x"][row] = level.entities["z"][row] = place
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data


@each_game
@pytest.mark.parametrize("name", ["intensity", "intensity2", "ocb", "flags"])
def test_an_edited_property_changes_its_field_alone(blender: ModuleType, game: Game, name: str) -> None:
    data = sample_bytes(game)
    has_field = name in (read_level(data).entities.dtype.names or ())

    def edit(root: Collection) -> None:
        setattr(objects(root, "ENTITY")[DOOR].tomb_raider.entity, name, 321)

    assert changes(data, edit) == ([("entities", DOOR, name)] if has_field else [])


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_a_tint_has_red_in_the_low_bits(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        settings = objects(root, "ENTITY")[DOOR].tomb_raider.entity
        assert not settings.has_tint
        settings.has_tint = True
        assert settings.intensity == 16 | 16 << 5 | 16 << 10  # does not change it
        settings.tint = (1.0, 0.5, 0.0)
        assert settings.has_tint and np.allclose(settings.tint, (1.0, 16 / 31, 0.0))
        settings = objects(root, "ENTITY")[GUARD].tomb_raider.entity
        settings.has_tint = True
        settings.has_tint = False

    data = sample_bytes(game)
    root = import_scene(data)
    edit(root)
    level = export_scene(root)
    assert differences(read_level(data), level) == [("entities", DOOR, "intensity")]
    assert level.entities["intensity"][DOOR] == 31 | 16 << 5


@pytest.mark.parametrize("game", [Game.TR1, Game.TR4])
def test_another_type_is_seen_at_once(blender: ModuleType, game: Game) -> None:
    """Pickups must not keep their sprites, with only the label in the panel changed."""
    data = sample_bytes(game)
    old, root = read_level(data), import_scene(data)
    models, pictures = old.models["id"].tolist(), old.sprite_sequences["id"].tolist()
    objs = objects(root, "ENTITY")
    quads = {obj.tomb_raider.sprite.sequence: obj.data for obj in objects(root, "SPRITE_TEXTURE")[::-1]}
    picture = next(obj for obj in objs if obj.type == "MESH")
    other = next(each for each in pictures if each not in (picture.tomb_raider.entity.type, -1))
    picture.tomb_raider.entity.type = other
    assert picture.data == quads[other]
    door = objs[DOOR]
    guard = objs[GUARD].instance_collection
    door.tomb_raider.entity.type = objs[GUARD].tomb_raider.entity.type
    assert door.instance_collection == guard
    wolf = objs[WOLF]
    wolf.tomb_raider.entity.type = 555
    assert wolf.instance_collection is None
    lara = objs[LARA].instance_collection
    objs[SWITCH].tomb_raider.entity.type = models[0]
    assert objs[SWITCH].instance_collection == lara  # the figure drawn for her
    level = export_scene(root)
    changed = {picture: other, door: int(old.entities["type"][GUARD]), wolf: 555, objs[SWITCH]: models[0]}
    rows = {obj.tomb_raider.index: number for obj, number in changed.items()}
    assert set(differences(old, level)) == {("entities", row, "type") for row in rows}
    assert level.entities["type"][list(rows)].tolist() == list(rows.values())
    picture.tomb_raider.entity.type = 556
    assert not len(picture.data.vertices)
    assert export_scene(root).entities["type"][picture.tomb_raider.index] == 556


@each_game
def test_another_instance_collection_is_another_type(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objs = objects(root, "ENTITY")
    objs[WOLF].instance_collection = objs[DOOR].instance_collection
    old, new = read_level(data), export_scene(root)
    assert new.entities["type"][WOLF] == old.entities["type"][DOOR]
    assert np.array_equal(np.delete(new.entities, WOLF), np.delete(old.entities, WOLF))


def test_a_chosen_type_without_a_model_or_sprite_is_reported(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR2))
    level.entities = level.entities.copy()
    level.entities["type"][TARGET] = 998
    root = import_scene(level.to_bytes())
    assert not any("no model and no sprite" in each for each in export_level(root)[1].warnings)
    obj = objects(root, "ENTITY")[TARGET]
    obj.tomb_raider.entity.type = 999
    (found,) = [each for each in export_level(root)[1].warnings if "no model and no sprite" in each]
    assert found == f"{obj.name}: the level has no model and no sprite of its type, 999"


def test_the_type_of_an_entity_without_a_model_is_a_property(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR3))
    level.entities = level.entities.copy()
    level.entities["type"][TARGET] = 999
    root = import_scene(level.to_bytes())
    obj = objects(root, "ENTITY")[TARGET]
    assert obj.instance_collection is None
    obj.tomb_raider.entity.type = 998
    assert export_scene(root).entities["type"].tolist() == [*level.entities["type"][:TARGET], 998]


@each_game
def test_a_copy_gets_the_next_number_and_all_that_its_original_has(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    copy_of(objects(root, "ENTITY")[WOLF]).location.x += 256 * UNIT
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(new.entities[:-1], old.entities)
    expected = old.entities[WOLF].copy()
    expected["x"] += 256
    assert new.entities[-1] == expected
    assert np.array_equal(new.floor_data, old.floor_data)


@each_game
def test_an_added_instance_of_a_model_is_a_new_entity(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    wolf = objects(root, "ENTITY")[WOLF]
    obj = bpy.data.objects.new("My Wolf", None)
    obj.instance_type, obj.instance_collection = "COLLECTION", wolf.instance_collection
    obj.location = wolf.location + Vector((512, 0, 0)) * UNIT
    wolf.users_collection[0].objects.link(obj)
    old, new = read_level(data).entities, export_scene(root).entities
    added = new[-1]
    assert np.array_equal(new[:-1], old)
    assert (added["type"], added["room"], added["x"]) == (
        old[WOLF]["type"],
        old[WOLF]["room"],
        old[WOLF]["x"] + 512,
    )
    assert (added["intensity"], added["flags"]) == (-1, 0)


@each_game
def test_triggers_follow_the_new_numbers_of_entities(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    named = named_entities(old)
    assert {WOLF, GUARD, SWITCH, DOOR, TARGET} <= set(named)
    assert LARA not in named
    root = import_scene(data)
    bpy.data.objects.remove(objects(root, "ENTITY")[LARA])
    new = export_scene(root)
    assert np.array_equal(new.entities, old.entities[1:])
    assert named_entities(new) == [number - 1 for number in named]


@each_game
def test_triggers_of_a_deleted_entity_are_removed_with_a_warning(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    old = read_level(data)
    root = import_scene(data)
    bpy.data.objects.remove(objects(root, "ENTITY")[GUARD])
    result = export_result(root)
    new = read_level(result.level.to_bytes())
    expected = [number - (number > GUARD) for number in named_entities(old) if number != GUARD]
    assert named_entities(new) == expected
    assert [text for text in result.report.warnings if text.startswith("Trigger ") and "no target" in text]
    assert result.rebuilt["floor_data"] > 0


def test_the_plugins_of_trng_floor_data_move_along(blender: ModuleType) -> None:
    level = read_level(sample_bytes(Game.TR4, trng=True))
    _, footer = split_footer(level.footer.tobytes())
    assert footer is not None
    old = level.floor_data
    plugins = np.arange(len(old), dtype=np.uint8).tobytes()  # each word has a different one
    level.footer = np.frombuffer(footer.with_chunk(FLOOR_DATA_PLUGINS, plugins).to_bytes(), np.uint8)
    root = import_scene(level.to_bytes())
    bpy.data.objects.remove(objects(root, "ENTITY")[GUARD])
    level = export_scene(root)
    new = level.floor_data
    _, footer = split_footer(level.footer.tobytes())
    assert footer is not None
    payload = np.frombuffer(footer.get(FLOOR_DATA_PLUGINS) or b"", np.uint8)
    assert len(payload) == len(new) + len(new) % 2
    kept = payload[: len(new)]
    # One trigger loses its last action. All other words keep their meaning, although entities have new
    # numbers and another word ends that list.
    (gone,) = set(range(len(old))) - set(kept.tolist())
    assert old[gone] == 0x8000 | GUARD
    assert np.array_equal(new >> 10 & 31, old[kept] >> 10 & 31)


def test_an_entity_moved_into_another_room_belongs_to_that_room(blender: ModuleType) -> None:
    for game in Game:
        start_empty()
        data = sample_bytes(game)
        root = import_scene(data)
        level = read_level(data)
        wolf, guard = (objects(root, "ENTITY")[index] for index in (WOLF, GUARD))
        assert level.entities["room"][WOLF] != level.entities["room"][GUARD]
        wolf.location = guard.location + Vector((512, 0, 0)) * UNIT
        new = export_scene(root).entities
        assert new["room"][WOLF] == level.entities["room"][GUARD]
        assert np.array_equal(np.delete(new, WOLF), np.delete(level.entities, WOLF))


def test_the_room_that_the_user_chose_counts(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj, flipped = objects(root, "ENTITY")[GUARD], objects(root, "ROOM")[3]
    obj.tomb_raider.entity.room = flipped
    obj.location.x += 16 * UNIT
    assert export_scene(root).entities["room"][GUARD] == 3


def test_an_entity_moved_out_of_all_rooms_keeps_its_room_with_a_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    obj = objects(root, "ENTITY")[WOLF]
    obj.location.x += 5000
    level, report = export_level(root)
    assert level.entities["room"][WOLF] == read_level(data).entities["room"][WOLF]
    room = obj.tomb_raider.entity.room.name
    assert report.warnings == [f"{obj.name}: it is in no room, so it stays in {room}. Move it into a room"]


def test_a_new_entity_in_no_room_belongs_to_the_nearest_with_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    wolf, corridor = objects(root, "ENTITY")[WOLF], objects(root, "ROOM")[1]
    obj = bpy.data.objects.new("Lost Wolf", None)
    obj.instance_type, obj.instance_collection = "COLLECTION", wolf.instance_collection
    obj.location = corridor.location + Vector((500, 0, 0))
    wolf.users_collection[0].objects.link(obj)
    level, report = export_level(root)
    nearest = objects(root, "ROOM")[level.entities["room"][-1]]
    text = f"Lost Wolf: it is in no room, so it is assigned to the nearest one, {nearest.name}"
    assert text in report.warnings
    ends = [room.x + room.x_sectors * 1024 for room in level.rooms]
    assert ends[level.entities["room"][-1]] == max(ends)


@each_game
def test_rooms_of_entities_are_found_if_rooms_were_not_imported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_level(data, ImportOptions(rooms=False)).root
    level = read_level(data)
    assert export_scene(root).to_bytes() == data
    assert np.array_equal(export_scene(root, rebuild=True).entities, level.entities)
    wolf, guard = (objects(root, "ENTITY")[index] for index in (WOLF, GUARD))
    wolf.location = guard.location
    copy_of(guard).location.z += 0.25
    new = export_scene(root).entities
    assert new["room"][WOLF] == new["room"][-1] == level.entities["room"][GUARD]


def test_more_entities_than_the_game_has_room_for_are_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    for _ in range(250):
        copy_of(objects(root, "ENTITY")[WOLF])
    level, report = export_level(root)
    assert len(level.entities) == 258
    assert [text for text in report.warnings if "there are 258 entities" in text]


def test_scaled_and_tilted_entities_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    objs = objects(root, "ENTITY")
    objs[WOLF].scale = (1, 1, 3)
    objs[DOOR].rotation_euler.y = 0.4
    objs[SWITCH].instance_collection = bpy.data.collections.new("Mine")
    level, report = export_level(root)
    text = "\n".join(report.warnings)
    assert f"{objs[WOLF].name}: it is scaled" in text
    assert f"{objs[DOOR].name}: it is tilted" in text
    assert f"{objs[SWITCH].name}: Mine is not a model" in text
    assert level.entities["type"].tolist() == read_level(sample_bytes(Game.TR1)).entities["type"].tolist()


# --- Rooms of points ----------------------------------------


@pytest.fixture
def spaces() -> Spaces:
    level = read_level(sample_bytes(Game.TR4))
    return level.rooms, whereabouts(level)


def test_points_above_open_sectors_are_in_their_room(blender: ModuleType, spaces: Spaces) -> None:
    rooms, where = spaces
    for number, room in enumerate(rooms):
        if number in {other.alternate_room for other in rooms}:
            continue
        for place in np.flatnonzero(room.sectors["floor"] != -127).tolist():
            x, z = divmod(place, room.z_sectors)
            if not (0 < x < room.x_sectors - 1 and 0 < z < room.z_sectors - 1):
                continue
            floor = int(room.sectors["floor"][place]) * 256
            point = (room.x + x * 1024 + 512, floor - 1, room.z + z * 1024 + 512)
            if room.y_top < point[1] <= room.y_bottom:
                assert where.find(point) == number


@pytest.mark.parametrize("swapped", [False, True])
def test_rooms_take_precedence_over_alternate_rooms(blender: ModuleType, swapped: bool) -> None:
    level = read_level(sample_bytes(Game.TR4))
    one, two = 1, level.rooms[1].alternate_room
    assert two > one
    if swapped:
        level.rooms[one].alternate_room, level.rooms[two].alternate_room = -1, one
    room = level.rooms[one]
    point = (room.x + 5 * 1024 + 512, room.y_bottom - 256, room.z + 1536)
    where = whereabouts(level)
    assert where.holds(one, point)
    assert where.holds(two, point)
    assert where.find(point) == (two if swapped else one)


def test_no_room_is_found_outside_of_all(blender: ModuleType, spaces: Spaces) -> None:
    _, where = spaces
    assert where.find((10**6, 0, 0)) is None
    assert not where.holds(0, (10**6, 0, 0))
    assert not where.holds(99, (0, 0, 0))


@each_real_level
def test_real_entities_come_back_when_rebuilt(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    root = import_level(data).root
    result = export_result(root)
    assert np.array_equal(result.level.entities, level.entities)
    assert "entities" not in result.rebuilt
    rebuilt, _ = export_level(root, rebuild=True)
    assert np.array_equal(rebuilt.entities, level.entities)
    assert np.array_equal(rebuilt.floor_data, level.floor_data)


@each_game
def test_a_level_without_lara_or_with_two_is_reported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    lara = next(each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0)
    copy_of(lara)
    warnings = export_level(root)[1].warnings
    assert any(text.startswith("Lara: there are 2 (") and lara.name in text for text in warnings)
    for obj in [each for each in objects(root, "ENTITY") if each.tomb_raider.entity.type == 0]:
        bpy.data.objects.remove(obj)
    warnings = export_level(root)[1].warnings
    assert any(text.startswith("Lara: Lara was deleted") for text in warnings)
