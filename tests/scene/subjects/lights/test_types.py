"""Lights that become another kind, in each game, from the panel, by number, and by Blender's own type."""

from __future__ import annotations

from itertools import permutations
from math import cos, isclose, radians
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Vector

from io_tomb_raider.formats import Game, Level, read_level
from io_tomb_raider.formats.levels.lights.lights import POINT, SHADOW, SPOT, SUN, decode_light, type_of
from io_tomb_raider.scene.authoring.new.objects import add
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.ui.user_actions import after_events

from ...scenes import UNIT, copy_of, export_scene, import_scene, light_object, objects

_KINDS = {
    Game.TR3: (POINT, SUN),
    Game.TR4: (POINT, SUN, SPOT, SHADOW, "FOG"),
    Game.TR5: (POINT, SUN, SPOT, SHADOW, "FOG"),
}
_LAMPS = (POINT, SUN, SPOT)
each_way = pytest.mark.parametrize("way", ["panel", "number", "Blender"])


def light_of(root: Any, game: Game, kind: str) -> Any:
    """Return a copy of the sample's light of a kind."""
    settings = (obj.tomb_raider.light for obj in objects(root, "LIGHT"))
    obj = copy_of(next(each.id_data for each in settings if each.type == type_of(game, kind)))
    if obj.data is not None:
        obj.data = obj.data.copy()
    return obj


def change(obj: Any, game: Game, kind: str, way: str) -> None:
    if way == "panel":
        obj.tomb_raider.light.light_type = kind
    elif way == "number":
        obj.tomb_raider.light.type = type_of(game, kind)
    else:
        obj.data.type = kind


def faults(game: Game, kind: str, values: dict[str, Any]) -> list[str]:
    """Return the values of an exported light that its kind cannot use."""
    found = []
    if values["type"] != type_of(game, kind):
        found.append("type")
    if kind in (SUN, SPOT):
        length = float(np.linalg.norm(values["direction"]))
        if not isclose(length, 4096 if game is Game.TR3 else 1, rel_tol=1e-3):
            found.append("direction")
    if kind == SPOT:
        cutoff = values["cutoff" if game is Game.TR4 else "range"]
        if not 1024 <= cutoff <= 20 * 1024 or not 0 < values.get("length", 1) <= cutoff:
            found.append("length")
        if not 0 < values["outer"] < values["inner"] <= 1:
            found.append("cone")
        if game is Game.TR5 and not isclose(values["outer"], cos(values["outer_angle"] / 2), rel_tol=1e-4):
            found.append("angle")
    if kind in (POINT, SHADOW, "FOG") and game is not Game.TR3:
        inner, outer = values.get("inner", 0), values["outer"]
        found += ["distances"] * (not 0 <= inner <= outer or not 1024 <= outer <= 20 * 1024)
    if game is Game.TR3 and kind == POINT and not (values["falloff"] > 0 and 0 < values["intensity"] <= 8191):
        found.append("brightness")
    if game is Game.TR4 and kind != "FOG":
        wanted = {SUN: (8191, 8191), SHADOW: (4096, 4096)}.get(kind, (1024, 8191))
        if not wanted[0] <= values["intensity"] <= wanted[1]:
            found.append("brightness")
    if game is Game.TR5 and kind == SHADOW and values["shadow"] != 127:
        found.append("brightness")
    if "density" in values and values["density"] <= 0:
        found.append("density")
    if not 0 < max(values["color"]) <= 1:
        found.append("color")
    return found


def light_at(level: Level, obj: Any) -> dict[str, Any]:
    """Return the values of the exported light at the position of an object."""
    x, y, z = (part / UNIT for part in obj.matrix_world.translation)
    lists = [room.lights for room in level.rooms]
    lists += [room.fog_bulbs for room in level.rooms if level.game is Game.TR5]
    records = [record for each in lists for record in each]
    places = np.array([[float(record[axis]) for axis in "xyz"] for record in records])
    return decode_light(records[int(np.abs(places - (x, -z, y)).sum(1).argmin())])


@each_way
@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_every_kind_becomes_every_other(blender: ModuleType, game: Game, way: str) -> None:
    root = import_scene(sample_bytes(game))
    changed: list[tuple[Any, str, str]] = []
    for old, new in permutations(_KINDS[game], 2):
        if way == "Blender" and not {old, new} <= {*_LAMPS}:
            continue
        obj = light_of(root, game, old)
        obj.location.z += (3 + len(changed)) * UNIT
        change(obj, game, new, way)
        changed.append((obj, old, new))
    after_events()
    level = export_scene(root)
    for obj, old, new in changed:
        values = light_at(level, obj)
        assert not faults(game, new, values), (old, new, values)
    again = import_scene(level.to_bytes())
    assert export_scene(again).to_bytes() == level.to_bytes()


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_a_type_changed_in_blender_before_an_export_is_converted(blender: ModuleType, game: Game) -> None:
    """Nothing has evaluated the scene in between."""
    root = import_scene(sample_bytes(game))
    obj = light_object(root, POINT)
    obj.data.type = "SPOT"
    level = export_scene(root)
    assert not faults(game, SPOT, decode_light(level.rooms[0].lights[obj.tomb_raider.index]))
    after_events()
    assert export_scene(root).to_bytes() == level.to_bytes()


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_reach_color_and_aim_of_a_spot_are_those_of_its_point(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root, POINT)
    settings = obj.tomb_raider.light
    obj.rotation_euler = (radians(90), 0, 0)  # along y, the game's z
    before = (settings.inner, settings.outer, tuple(settings.color), settings.intensity)
    after_events()
    settings.light_type = "SPOT"
    reach = settings.cutoff if game is Game.TR4 else settings.range
    assert (reach, tuple(settings.color), settings.intensity) == before[1:]
    assert game is Game.TR5 or settings.length == before[0]
    assert np.allclose(settings.direction, (0, 0, 1 if game is Game.TR5 else -1), atol=1e-5)
    assert obj.data.type == "SPOT"
    shown = obj.data.energy, tuple(obj.data.color), tuple(obj.rotation_euler)
    after_events()
    assert (obj.data.energy, tuple(obj.data.color), tuple(obj.rotation_euler)) == shown
    settings.light_type = "POINT"
    assert settings.outer == before[1]
    assert tuple(obj.rotation_euler) == shown[2]  # it can become a spot again


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_an_empty_that_becomes_a_spot_is_aimed_by_its_rotation(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_of(root, game, SHADOW)
    obj.tomb_raider.light.light_type = "SPOT"
    obj.rotation_euler = (radians(90), 0, 0)
    bpy.context.view_layer.objects.active = obj
    after_events()
    assert np.allclose(obj.tomb_raider.light.direction, (0, 0, 1 if game is Game.TR5 else -1), atol=1e-5)


@each_game
def test_power_set_together_with_the_type_counts(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    before = obj.tomb_raider.light.intensity
    obj.data.type = "SUN"
    if game.traits.has_light_types:
        obj.data.energy = 1.5  # of 3, which is full
    after_events()
    record = export_scene(root).rooms[0].lights[obj.tomb_raider.index]
    if not game.traits.has_light_types:
        assert int(record["intensity"]) == before  # a point, as the export warns
        assert [text for text in export_level(root)[1].warnings if "only point lights" in text]
    elif game is Game.TR4:
        assert int(record["intensity"]) == round(8191 / 2)
    else:
        original = read_level(sample_bytes(game)).rooms[0].lights[obj.tomb_raider.index]
        assert np.allclose(
            record["color"] / 1, original["color"] / 2, atol=0.51 if game is Game.TR3 else 1e-3
        )


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_a_new_sun_has_its_full_brightness(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    room = objects(root, "ROOM")[0]
    place = sum((room.matrix_world @ each.co for each in room.data.vertices), Vector()) / len(
        room.data.vertices
    )
    sun = add(root, "LIGHT", SUN, place).obj
    after_events()
    values = light_at(export_scene(root), sun)
    assert not faults(game, SUN, values)
    assert values["color"] == (1, 1, 1)
