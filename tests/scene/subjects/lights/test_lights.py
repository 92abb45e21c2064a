"""Lights of rooms: their display in Blender, and edits on either side."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, pi, radians
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection
from mathutils import Color, Vector

from io_tomb_raider.formats import ExportError, Game, Level, read_level
from io_tomb_raider.formats.base.bytes.records import FOG_BULB_TR5, ROOM_LIGHT
from io_tomb_raider.scene.pipeline.importer import import_level
from tests.empty_scene import start_empty
from tests.games import each_game
from tests.real_levels import each_real_level
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level, export_result

from ...scenes import UNIT, changes, copy_of, export_scene, import_scene, light_object, matrix_of, objects

each_colored_game = pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])


def lights(level: Level, room: int = 0) -> Any:
    return level.rooms[room].lights


def color_of(obj: Any) -> Any:
    return obj.data.color


def changed_fields(data: bytes, edit: Callable[[Collection], None]) -> set[str]:
    """Return the fields of the single light that an edit changes."""
    paths = changes(data, edit)
    assert len({path[:4] for path in paths}) == 1
    assert {path[2] for path in paths} <= {"lights", "fog_bulbs"}
    return {path[4] for path in paths}


@each_game
def test_lights_stand_and_shine_as_in_the_game(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    level, root = read_level(data), import_scene(data)
    bpy.context.view_layer.update()
    records = [record for room in level.rooms for record in room.lights]
    records += [record for room in level.rooms for record in getattr(room, "fog_bulbs", ())]
    objs = objects(root, "LIGHT")
    assert len(objs) == len(records)
    for obj, record in zip(objs, records, strict=True):
        x, y, z = (float(record[axis]) for axis in "xyz")
        assert tuple(matrix_of(obj).translation) == (x * UNIT, z * UNIT, -y * UNIT)
        if obj.data is not None and "color" in record.dtype.names:
            full = 1 if game is Game.TR5 else 255
            screen: Any = Color([float(part) / full for part in record["color"]])
            assert np.allclose(color_of(obj), screen.from_srgb_to_scene_linear(), atol=1e-4)


@pytest.mark.parametrize(("game", "sign"), [(Game.TR3, -1), (Game.TR4, -1), (Game.TR5, 1)])
def test_suns_shine_along_their_direction(blender: ModuleType, game: Game, sign: int) -> None:
    """TR3 and TR4 store the direction to the sun, TR5 the direction of its light."""
    data = sample_bytes(game)
    root = import_scene(data)
    bpy.context.view_layer.update()
    record = next(
        record for record in lights(read_level(data)) if record["type"] == (1 if game is Game.TR3 else 0)
    )
    way = record["parameters"][:3] / 16384 if game is Game.TR3 else record["direction"]
    shines = light_object(root, "SUN").matrix_world.to_3x3() @ Vector((0, 0, -1))
    assert np.allclose(shines, sign * np.array((way[0], way[2], -way[1])), atol=1e-3)


@each_game
def test_a_moved_light_changes_its_position_alone(blender: ModuleType, game: Game) -> None:
    def edit(root: Collection) -> None:
        objects(root, "LIGHT")[0].location.z += 7 * UNIT

    expected = {"y", "position"} if game is Game.TR5 else {"y"}
    assert changed_fields(sample_bytes(game), edit) == expected
    old, new = lights(read_level(sample_bytes(game)))[0], lights(export_scene(with_moved_light(game)))[0]
    assert float(new["y"]) == float(old["y"]) - 7
    if game is Game.TR5:
        assert new["position"].tolist() == [int(new[axis]) for axis in "xyz"]


def with_moved_light(game: Game) -> Collection:
    start_empty()
    root = import_scene(sample_bytes(game))
    objects(root, "LIGHT")[0].location.z += 7 * UNIT
    return root


def game_fields() -> list[tuple[Game, str]]:
    """Return every game with every number of its first light that is a property."""
    names = ("intensity", "falloff", "intensity2", "falloff2", "inner", "outer", "length", "shadow", "range")
    pairs = [(game, name) for game in Game for name in names if name in (ROOM_LIGHT[game].names or ())]
    return [*pairs, (Game.TR3, "intensity"), (Game.TR3, "falloff")]


@pytest.mark.parametrize(("game", "name"), game_fields())
def test_an_edited_property_changes_its_field_alone(blender: ModuleType, game: Game, name: str) -> None:
    names = ROOM_LIGHT[game].names or ()

    def edit(root: Collection) -> None:
        settings = objects(root, "LIGHT")[0].tomb_raider.light
        setattr(settings, name, 1234)

    assert changed_fields(sample_bytes(game), edit) == {name if name in names else "parameters"}


@each_game
def test_brightness_edited_in_blender_is_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = light_object(root, "POINT")
    obj.data.energy /= 2
    old = read_level(data).rooms[0].lights[obj.tomb_raider.index]
    new = export_scene(root).rooms[0].lights[obj.tomb_raider.index]
    if game is Game.TR5:
        assert np.allclose(new["color"], old["color"] / 2)
    elif game is Game.TR3:
        before, after = (record["parameters"].view("<i4")[0] for record in (old, new))
        assert abs(after - before / 2) <= 1
    else:
        assert abs(int(new["intensity"]) - int(old["intensity"]) / 2) <= 1
        assert game is not Game.TR2 or new["intensity2"] == new["intensity"]


@each_colored_game
def test_color_edited_in_blender_is_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)

    def edit(root: Collection) -> None:
        light_object(root, "POINT").data.color = (1.0, 0.0, 0.0)

    assert changed_fields(data, edit) == {"color"}
    start_empty()
    root = import_scene(data)
    edit(root)
    color = export_scene(root).rooms[0].lights["color"][light_object(root, "POINT").tomb_raider.index]
    assert color.tolist() == ([1, 0, 0] if game is Game.TR5 else [255, 0, 0])


@each_colored_game
def test_color_edited_as_property_is_exported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = objects(root, "LIGHT")[0]
    obj.tomb_raider.light.color = (0.2, 0.4, 0.6)
    color = export_scene(root).rooms[0].lights["color"][0]
    assert np.allclose(color / (1 if game is Game.TR5 else 255), (0.2, 0.4, 0.6), atol=2e-3)


@each_colored_game
def test_a_turned_sun_shines_elsewhere(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = light_object(root, "SUN")
    obj.rotation_euler = (0.0, pi / 2, 0.0)  # shines to -x
    index = obj.tomb_raider.index
    record, old = lights(export_scene(root))[index], lights(read_level(data))[index]
    if game is Game.TR3:
        length = float(np.linalg.norm(old["parameters"][:3].astype(float)))
        assert np.allclose(record["parameters"][:3], (length, 0, 0), atol=1)
    else:
        sign = 1 if game is Game.TR5 else -1
        length = float(np.linalg.norm(old["direction"]))
        assert np.allclose(record["direction"], (-sign * length, 0, 0), atol=1e-5)
    if game is Game.TR5:
        assert np.allclose(record["direction2"], np.trunc(record["direction"] * 16384))


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_a_widened_cone_is_exported(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = light_object(root, "SPOT")
    assert obj.data.spot_size == pytest.approx(radians(80), abs=1e-4)
    obj.data.spot_size, obj.data.spot_blend = radians(100), 0.5
    record = lights(export_scene(root))[obj.tomb_raider.index]
    if game is Game.TR5:
        assert record["outer"] == pytest.approx(cos(radians(50)))
        assert record["outer_angle"] == pytest.approx(radians(100))
        assert record["inner_angle"] == pytest.approx(radians(50))
    else:
        assert (record["outer"], record["inner"]) == (pytest.approx(50), pytest.approx(25))


@each_game
def test_a_copy_is_added_behind_the_others_and_a_deleted_one_is_gone(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    objs = [obj for obj in objects(root, "LIGHT") if obj.parent == objects(root, "ROOM")[0]]
    copy_of(objs[0]).location.x += 512 * UNIT
    bpy.data.objects.remove(objs[1])
    old, new = lights(read_level(data)), lights(export_scene(root))
    assert np.array_equal(new[:-1], np.delete(old, 1))
    expected = old[0].copy()
    expected["x"] += 512
    if game is Game.TR5:
        expected["position"][0] += 512
    assert new[-1] == expected


@each_game
def test_a_plain_light_in_a_rooms_collection_is_a_new_light(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = bpy.data.objects.new("My Light", bpy.data.lights.new("My Light", "POINT"))
    obj.data.energy, obj.data.color = 500.0, (1.0, 1.0, 0.0)
    obj.location = objects(root, "ROOM")[1].location + Vector((4, 4, 2))
    objects(root, "ROOM")[1].users_collection[0].objects.link(obj)
    level = export_scene(root)
    old, new = lights(read_level(data), 1), lights(level, 1)
    assert np.array_equal(new[:-1], old)
    added, room = new[-1], read_level(data).rooms[1]
    assert [float(added[axis]) for axis in "xyz"] == [room.x + 2048, -1024, room.z + 2048]
    if game >= Game.TR3:
        color = added["color"] * (255 if game is Game.TR5 else 1)
        assert color[0] == color[1] > 100
        assert color[2] == 0
    if game is Game.TR5:
        assert added["position"].tolist() == [room.x + 2048, -1024, room.z + 2048]
        assert added["filler"].tolist() == [0xCD] * 3
        header = level.rooms[1].header[0]
        assert header["lights"] == header["lights2"] == len(new)
    # It is displayed with the same brightness after another import.
    start_empty()
    again = import_scene(export_scene_with(new, data))
    bright = [obj for obj in objects(again, "LIGHT") if obj.parent == objects(again, "ROOM")[1]]
    index = len(old)
    shown = sorted(bright, key=lambda obj: obj.tomb_raider.index)[index].data
    assert shown.energy == pytest.approx(500 if game < Game.TR5 else 1000, rel=0.01)


def export_scene_with(records: Any, data: bytes) -> bytes:
    level = read_level(data)
    level.rooms[1].lights = records
    return level.to_bytes()


def test_lights_that_a_game_does_not_have_are_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = bpy.data.objects.new("Evening", bpy.data.lights.new("Evening", "SUN"))
    objects(root, "ROOM")[0].users_collection[0].objects.link(obj)
    level, report = export_level(root)
    assert [text for text in report.warnings if "Evening" in text]
    assert np.array_equal(lights(level), lights(read_level(sample_bytes(Game.TR1))))


def test_a_new_sun_of_tr3_is_as_bright_as_its_color(blender: ModuleType) -> None:
    """Its engine multiplies the color by the length of the direction; 4096 is full strength."""
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    obj = bpy.data.objects.new("Evening", bpy.data.lights.new("Evening", "SUN"))
    objects(root, "ROOM")[0].users_collection[0].objects.link(obj)
    added = lights(export_scene(root))[-1]
    assert (added["type"], added["parameters"][:3].tolist()) == (1, [0, -4096, 0])


def test_a_sun_made_of_a_point_light_is_a_sun(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    obj = light_object(root, "POINT")
    obj.data.type = "SUN"
    obj.rotation_euler = (0.0, 0.0, 0.0)
    index = obj.tomb_raider.index
    old, new = lights(read_level(data))[index], lights(export_scene(root))[index]
    assert new["type"] == 0
    assert np.allclose(new["direction"] / np.linalg.norm(new["direction"]), (0, -1, 0))
    assert new["color"].tolist() == old["color"].tolist()


def test_fog_bulbs_of_tr5_are_a_list_of_their_own(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR5)
    root = import_scene(data)
    bulb = next(obj for obj in objects(root, "LIGHT") if obj.tomb_raider.light.type == 4)
    assert bulb.empty_display_size == 2048 * UNIT
    bulb.empty_display_size = 1024 * UNIT
    copy_of(bulb).tomb_raider.light.density = 0.25
    old, new = read_level(data), export_scene(root)
    assert np.array_equal(lights(new), lights(old))
    bulbs = new.rooms[0].fog_bulbs
    assert (bulbs["radius"].tolist(), bulbs["radius2"].tolist()) == ([1024.0] * 2, [1024.0**2] * 2)
    assert bulbs["density"].tolist() == [0.5, 0.25]
    assert np.array_equal(bulbs["color"][1], old.rooms[0].fog_bulbs["color"][0])


def test_a_light_of_tr5_that_becomes_a_fog_bulb_changes_lists(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR5)
    root = import_scene(data)
    objects(root, "LIGHT")[1].tomb_raider.light.type = 4
    old, new = read_level(data).rooms[0], export_scene(root).rooms[0]
    assert np.array_equal(new.lights, np.delete(old.lights, 1))
    assert len(new.fog_bulbs) == len(old.fog_bulbs) + 1
    assert [new.fog_bulbs[-1][axis] for axis in "xyz"] == [old.lights[1][axis] for axis in "xyz"]
    assert new.fog_bulbs[-1]["radius"] == old.lights[1]["outer"]


def test_only_shadows_have_a_shadow_strength(blender: ModuleType) -> None:
    """Their files have filler there, which is kept."""
    data = sample_bytes(Game.TR5)
    root = import_scene(data)
    strengths = {
        obj.tomb_raider.light.light_type: obj.tomb_raider.light.shadow for obj in objects(root, "LIGHT")
    }
    assert strengths == {"SUN": 0, "POINT": 0, "SPOT": 0, "SHADOW": 127, "FOG": 0}
    after = export_scene(root, rebuild=True)
    for old, new in zip(read_level(data).rooms, after.rooms, strict=True):
        assert (new.lights.tobytes(), new.fog_bulbs.tobytes()) == (
            old.lights.tobytes(),
            old.fog_bulbs.tobytes(),
        )


def with_placeholders() -> bytes:
    """Return a TR5 level with a light of filler bytes for every fog bulb, as in original levels."""
    level = read_level(sample_bytes(Game.TR5))
    room = level.rooms[0]
    filler = np.frombuffer(b"\xcd" * ROOM_LIGHT[Game.TR5].itemsize, ROOM_LIGHT[Game.TR5])
    room.fog_bulbs = np.concatenate([room.fog_bulbs, room.fog_bulbs])
    room.lights = np.concatenate([room.lights[:1], filler, room.lights[1:], filler])
    return level.to_bytes()


def test_placeholders_of_fog_bulbs_stay_and_follow_their_number(blender: ModuleType) -> None:
    data = with_placeholders()
    root = import_scene(data)
    assert (
        len(objects(root, "LIGHT"))
        == sum(len(room.lights) + len(room.fog_bulbs) for room in read_level(data).rooms) - 2
    )
    assert export_scene(root).to_bytes() == data
    assert export_scene(root, rebuild=True).rooms[0].lights.tobytes() == lights(read_level(data)).tobytes()
    bulb = next(obj for obj in objects(root, "LIGHT") if obj.tomb_raider.light.type == 4)
    added = [copy_of(bulb), copy_of(bulb)]
    types = lights(export_scene(root))["type"].tolist()
    assert types.count(0xCD) == 4
    for obj in [*added, bulb]:
        bpy.data.objects.remove(obj)
    new = export_scene(root).rooms[0]
    assert (len(new.fog_bulbs), new.lights["type"].tolist().count(0xCD)) == (1, 1)


@each_game
def test_every_record_survives_untouched_and_rebuilt(blender: ModuleType, game: Game) -> None:
    """Random records with arbitrary values, including values that a property cannot hold."""
    random = np.random.default_rng(int(game))
    level = read_level(sample_bytes(game))
    dtype = ROOM_LIGHT[game]
    records = np.frombuffer(random.bytes(dtype.itemsize * 40), dtype).copy()
    if "type" in (dtype.names or ()):
        records["type"] = random.integers(0, 6, 40)
    level.rooms[0].lights = records
    data = level.to_bytes()
    root = import_scene(data)
    assert export_scene(root).to_bytes() == data
    plain = records.copy()
    for name in dtype.names or ():
        if np.issubdtype(dtype[name].base, np.floating):
            plain[name] = random.integers(-5000, 5000, plain[name].shape)
        elif name in ("x", "y", "z"):
            plain[name] = random.integers(-100000, 100000, 40)
    if game is Game.TR5:
        plain["position"] = np.stack([plain[axis] for axis in "xyz"], 1)
        plain["direction2"] = np.trunc(plain["direction"] * 16384)
    level.rooms[0].lights = plain
    start_empty()
    rebuilt = export_scene(import_scene(level.to_bytes()), rebuild=True)
    assert lights(rebuilt).tobytes() == plain.tobytes()


def test_random_fog_bulbs_survive(blender: ModuleType) -> None:
    random = np.random.default_rng(3)
    level = read_level(sample_bytes(Game.TR5))
    level.rooms[0].fog_bulbs = np.frombuffer(random.bytes(FOG_BULB_TR5.itemsize * 20), FOG_BULB_TR5)
    data = level.to_bytes()
    assert export_scene(import_scene(data)).to_bytes() == data


def test_a_value_beyond_its_field_is_an_error_that_names_the_light(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = objects(root, "LIGHT")[0]
    obj.tomb_raider.light.intensity = 70000
    with pytest.raises(ExportError) as caught:
        export_scene(root)
    assert (caught.value.subject, caught.value.count, caught.value.limit) == (obj.name, 70000, 0xFFFF)


def test_more_lights_than_games_are_made_for_are_a_warning(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR2))
    for _ in range(20):
        copy_of(objects(root, "LIGHT")[0])
    level, report = export_level(root)
    assert len(lights(level)) == len(lights(read_level(sample_bytes(Game.TR2)))) + 20
    assert [text for text in report.warnings if text.startswith("Room 000: it has 22 lights")]


@each_real_level
def test_real_lights_come_back_when_rebuilt(blender: ModuleType, level_path: Path) -> None:
    data = level_path.read_bytes()
    level = read_level(data)
    root = import_level(data).root
    result = export_result(root)
    assert "lights" not in result.rebuilt
    rebuilt, _ = export_level(root, rebuild=True)
    for old, same, new in zip(level.rooms, result.level.rooms, rebuilt.rooms, strict=True):
        assert np.array_equal(same.lights, old.lights)
        assert np.array_equal(new.lights, old.lights)
        assert np.array_equal(getattr(new, "fog_bulbs", []), getattr(old, "fog_bulbs", []))
