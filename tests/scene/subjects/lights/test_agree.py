"""The two sides of a light: edits of one update the other, and unsupported settings are reported."""

from __future__ import annotations

from math import radians
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from mathutils import Color, Quaternion, Vector

from io_tomb_raider.formats import Game, Level
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level
from tests.ui.user_actions import after_events

from ...scenes import copy_of, exported, import_scene, light_object, matrix_of, objects

with_exposure = pytest.mark.skipif(
    "exposure" not in bpy.types.Light.bl_rna.properties, reason="this Blender's lights have no exposure"
)
with_intensity = pytest.mark.parametrize("game", [Game.TR1, Game.TR2, Game.TR3, Game.TR4])


def typed(obj: Any) -> Any:
    return obj.tomb_raider.light


def record(level: Level, obj: Any) -> Any:
    return [each for room in level.rooms for each in room.lights][obj.tomb_raider.index]


@with_intensity
def test_power_is_intensity_at_once(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    after_events()
    obj = light_object(root)
    before = typed(obj).intensity
    obj.data.energy /= 2
    after_events()
    assert typed(obj).intensity == pytest.approx(before / 2, abs=1)


@with_intensity
def test_intensity_is_power_at_once(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    before, power = typed(obj).intensity, obj.data.energy
    typed(obj).intensity = 2 * before
    assert obj.data.energy == pytest.approx(2 * power, rel=1e-3)
    after_events()
    assert typed(obj).intensity == 2 * before
    field = "parameters" if game is Game.TR3 else "intensity"
    written = record(exported(root)[0], obj)[field]
    assert (int(written.view("<i4")[0]) if game is Game.TR3 else int(written)) == 2 * before


@with_intensity
def test_the_last_edit_of_lamp_or_light_is_used(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    typed(obj).intensity = 1000
    power = obj.data.energy
    after_events()
    obj.data.energy = 3 * power
    assert exported(root)[0] is not None  # also where nobody has looked in between
    after_events()
    assert typed(obj).intensity == pytest.approx(3000, abs=1)
    typed(obj).intensity = 1500
    after_events()
    assert typed(obj).intensity == 1500
    assert obj.data.energy == pytest.approx(1.5 * power, rel=1e-3)


@with_intensity
def test_edits_are_exported_without_a_depsgraph_update(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    typed(obj).intensity = 1000
    obj.data.energy *= 3
    written = record(exported(root)[0], obj)
    found = written["parameters"].view("<i4")[0] if game is Game.TR3 else written["intensity"]
    assert int(found) == pytest.approx(3000, abs=1)


def numbers(obj: Any) -> dict[str, str]:
    names = (each.identifier for each in typed(obj).bl_rna.properties)
    return {name: repr(getattr(typed(obj), name)) for name in names}


@each_game
def test_depsgraph_updates_do_not_edit_lights(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    before = [numbers(obj) for obj in objects(root, "LIGHT")]
    for obj in objects(root, "LIGHT"):
        obj.update_tag()
    after_events()
    assert [numbers(obj) for obj in objects(root, "LIGHT")] == before
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


@pytest.mark.parametrize("game", [Game.TR3, Game.TR4, Game.TR5])
def test_colors_are_the_same_on_both_sides(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    typed(obj).color = (0.25, 0.5, 1.0)
    screen: Any = Color((0.25, 0.5, 1.0))
    assert np.allclose(obj.data.color, screen.from_srgb_to_scene_linear(), atol=1e-4)
    obj.data.color = (1.0, 0.0, 0.0)
    after_events()
    assert np.allclose(typed(obj).color[:], (1, 0, 0), atol=1e-3)


@pytest.mark.parametrize(("game", "kind"), [(Game.TR3, "SUN"), (Game.TR5, "POINT")])
def test_power_is_color_where_a_light_has_no_intensity(blender: ModuleType, game: Game, kind: str) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root, kind)
    before = np.array(typed(obj).color[:])
    obj.data.energy /= 2
    for _ in range(3):  # once is enough, and more is no more
        after_events()
        obj.update_tag()
    assert np.allclose(typed(obj).color[:], before / 2, atol=1e-3)


@pytest.mark.parametrize(("game", "sign"), [(Game.TR3, -1), (Game.TR4, -1), (Game.TR5, 1)])
def test_directions_are_the_same_on_both_sides(blender: ModuleType, game: Game, sign: int) -> None:
    root = import_scene(sample_bytes(game))
    after_events()
    sun = light_object(root, "SUN")
    sun.parent.rotation_euler.z = 0.7  # a light hangs on its room
    after_events()
    typed(sun).direction = tuple(sign * part for part in (8192.0, 0.0, 0.0))
    after_events()
    shines = matrix_of(sun).to_3x3() @ Vector((0, 0, -1))
    assert np.allclose(shines, (1, 0, 0), atol=1e-3)
    sun.rotation_euler = Quaternion((1, 0, 0), radians(90)).to_euler()
    sun.parent.rotation_euler.z = 0
    bpy.context.view_layer.objects.active = sun  # as what is dragged is
    after_events()
    # Along Blender's y, which is the file's z.
    assert np.allclose(np.array(typed(sun).direction[:]) / 8192, (0, 0, sign), atol=1e-3)


@pytest.mark.parametrize("game", [Game.TR4, Game.TR5])
def test_cones_and_reach_are_the_same_on_both_sides(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    spot = light_object(root, "SPOT")
    spot.data.spot_size, spot.data.spot_blend = radians(60), 0.5
    after_events()
    # The sample's cones are in degrees for TR4, as some tools write them.
    in_degrees = game is Game.TR4
    assert typed(spot).outer == pytest.approx(30 if in_degrees else np.cos(radians(30)), abs=1e-4)
    assert typed(spot).inner == pytest.approx(15 if in_degrees else np.cos(radians(15)), abs=1e-4)
    typed(spot).outer = 45 if in_degrees else np.cos(radians(45))
    assert spot.data.spot_size == pytest.approx(radians(90), abs=1e-4)
    power, name = spot.data.energy, "cutoff" if game is Game.TR4 else "range"
    setattr(typed(spot), name, 2 * getattr(typed(spot), name))
    assert spot.data.energy == pytest.approx(4 * power, rel=1e-3)  # the same brightness, twice the reach


def test_types_are_the_same_on_both_sides(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = light_object(root, "POINT")
    typed(obj).type = 2
    assert obj.data.type == "SPOT"
    obj.data.type = "SUN"
    after_events()
    assert typed(obj).type == 0


def test_linked_lamps_are_edited_together(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    obj = light_object(root)
    other = copy_of(obj)
    after_events()
    typed(obj).intensity = 1234
    after_events()
    assert typed(other).intensity == 1234


def test_undo_takes_both_sides_back(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    after_events()
    bpy.ops.ed.undo_push(message="Import")
    name, level = light_object(root).name, root.name
    before, power = typed(light_object(root)).intensity, light_object(root).data.energy
    light_object(root).data.energy = power / 2
    bpy.ops.ed.undo_push(message="Power")
    after_events()
    assert typed(bpy.data.objects[name]).intensity == pytest.approx(before / 2, abs=1)
    typed(bpy.data.objects[name]).intensity = 3 * before
    bpy.ops.ed.undo_push(message="Intensity")
    bpy.ops.ed.undo()
    after_events()
    obj: Any = bpy.data.objects[name]
    assert typed(obj).intensity == pytest.approx(before / 2, abs=1)
    assert obj.data.energy == pytest.approx(power / 2)
    bpy.ops.ed.undo()
    after_events()
    obj = bpy.data.objects[name]
    assert (typed(obj).intensity, obj.data.energy) == (before, pytest.approx(power))
    assert export_level(bpy.data.collections[level])[0].to_bytes() == sample_bytes(Game.TR1)


# --- Settings of Blender only -----------------------------------------------------------------------


@with_exposure
@with_intensity
def test_exposure_is_intensity(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    before, power = typed(obj).intensity, obj.data.energy
    obj.data.exposure = -1
    after_events()
    assert typed(obj).intensity == pytest.approx(before / 2, abs=1)
    typed(obj).intensity = before
    assert obj.data.energy * 2**obj.data.exposure == pytest.approx(power, rel=1e-3)


@with_exposure
@pytest.mark.parametrize("game", list(Game))
def test_temperature_is_color(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    obj.data.use_temperature, obj.data.temperature = True, 2000.0
    level, warnings = exported(root)
    if not game.traits.has_light_types:
        assert any(obj.name in text and "no color" in text for text in warnings)
        return
    red, _, blue = record(level, obj)["color"].tolist()
    assert red > 2 * blue
    assert not warnings


@each_game
@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"shadow_soft_size": 2.0}, "Radius"),
        ({"use_custom_distance": True, "cutoff_distance": 5.0}, "Distance"),
        ({"use_shadow": False}, "Shadow"),
        ({"specular_factor": 0.0}, "Specular"),
    ],
)
def test_settings_that_the_games_lights_lack_are_reported(
    blender: ModuleType, game: Game, settings: dict[str, Any], label: str
) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    obj = light_object(root)
    for name, value in settings.items():
        setattr(obj.data, name, value)
    level, warnings = exported(root)
    assert level.to_bytes() == data
    assert [text for text in warnings if obj.name in text and label in text]
    assert len(warnings) == 1


@each_game
def test_area_lights_are_reported(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    obj = light_object(root)
    obj.data.type = "AREA"
    after_events()
    _, warnings = exported(root)
    assert [text for text in warnings if obj.name in text and "point" in text]
    assert len(warnings) == 1


def test_spots_are_reported_if_the_game_has_none(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    obj = light_object(root)
    obj.data.type = "SPOT"
    _, warnings = exported(root)
    assert any("no spot lights" in text for text in warnings)


def test_nodes_and_animation_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    obj = light_object(root)
    obj.data.keyframe_insert("energy", frame=1)
    if obj.data.node_tree is None:
        obj.data.use_nodes = True
    obj.data.node_tree.nodes["Emission"].inputs["Strength"].default_value = 3.0
    _, warnings = exported(root)
    assert any("animated" in text for text in warnings)
    assert any("Nodes" in text for text in warnings)


@each_game
def test_an_added_lamp_gives_no_warning(blender: ModuleType, game: Game) -> None:
    root = import_scene(sample_bytes(game))
    bpy.ops.object.light_add(type="POINT", location=light_object(root).matrix_world.translation)
    lamp = bpy.context.object
    assert lamp is not None
    objects(root, "ROOM")[0].users_collection[0].objects.link(lamp)
    bpy.context.scene.collection.objects.unlink(lamp)
    after_events()
    assert lamp.tomb_raider.kind == "LIGHT"
    assert not exported(root)[1]
