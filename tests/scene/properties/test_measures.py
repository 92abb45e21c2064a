"""Views in users' units: they show the meaning of the numbers, and editing one edits the other."""

from __future__ import annotations

from math import cos, isclose, pi, radians
from types import ModuleType
from typing import Any

import bpy
import pytest

from io_tomb_raider.formats import Game
from tests.sample_levels import sample_bytes
from tests.scene.scenes import changes, import_scene, objects


def group_of(root: Any, where: str) -> Any:
    """Return a property group of a level, by the kind of its object or of its data."""
    if where == "action":
        return next(each for each in bpy.data.actions if each.tomb_raider.model is not None).tomb_raider
    if where == "command":
        return group_of(root, "action").commands.add()
    if where == "sound":
        return root.tomb_raider.sounds.details[0]
    if where == "mesh":
        return objects(root, "MODEL_MESH")[0].data.tomb_raider
    return getattr(objects(root, where.upper())[0].tomb_raider, where)


# Field, value in the file, and displayed value: a sector of 1024 units is 2 m, a tick 1/30 s.
SEEN = [
    (Game.TR1, "room", "ambient", 8191, 0.0),
    (Game.TR1, "room", "ambient", 0, 100.0),
    (Game.TR1, "entity", "intensity", 2048, 75.0),
    (Game.TR1, "placement", "intensity", 4096, 50.0),
    (Game.TR1, "light", "intensity", 8191, 100.0),
    (Game.TR1, "light", "falloff", 5120, 10.0),
    (Game.TR4, "light", "outer", 1024.0, 2.0),
    (Game.TR4, "light", "cutoff", 512.0, 1.0),
    (Game.TR5, "light", "range", 512.0, 1.0),
    (Game.TR5, "light", "inner_angle", 0.5, 0.5),
    (Game.TR4, "flyby", "speed", 655, 100 / 30),
    (Game.TR4, "flyby", "distance", 1024.0, 2.0),
    (Game.TR2, "mesh", "radius", 256, 0.5),
    (Game.TR2, "action", "speed", 51.2, 3.0),
    (Game.TR2, "action", "acceleration", 5.12, 9.0),
    (Game.TR4, "action", "lateral_speed", -51.2, -3.0),
    (Game.TR2, "command", "vertical", 128, 7.5),
    (Game.TR1, "sound", "volume", 0x4000, 50.0),
    (Game.TR4, "sound", "volume", 51, 20.0),
    (Game.TR1, "sound", "chance", 0, 100.0),
    (Game.TR4, "sound", "chance", 51, 20.0),
    (Game.TR4, "sound", "range", 8, 16.0),
]


@pytest.mark.parametrize(("game", "where", "field", "value", "seen"), SEEN)
def test_people_see_and_set_numbers_in_their_units(
    blender: ModuleType, game: Game, where: str, field: str, value: float, seen: float
) -> None:
    root = import_scene(sample_bytes(game))
    group, measure = group_of(root, where), f"{field}_measure"
    setattr(group, field, value)
    assert isclose(getattr(group, measure), seen, rel_tol=3e-3, abs_tol=1e-4)
    before = getattr(group, field)
    setattr(group, measure, getattr(group, measure))
    assert isclose(getattr(group, field), before, rel_tol=1e-5)
    setattr(group, field, 7)
    setattr(group, measure, seen)
    assert isclose(getattr(group, field), value, rel_tol=3e-3)


def test_lengths_follow_the_scale_of_the_level(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    light = group_of(root, "light")
    light.falloff = 1024
    root.tomb_raider.scale /= 4
    assert light.falloff_measure == 0.5


def test_cones_are_whole_angles_whether_files_hold_degrees_or_cosines(blender: ModuleType) -> None:
    light = group_of(import_scene(sample_bytes(Game.TR4)), "light")
    for value, angle in ((15.0, pi / 6), (cos(radians(20)), radians(40))):
        light.inner = value
        assert isclose(light.inner_cone, angle, rel_tol=1e-5)
        light.inner_cone = radians(30)
        assert isclose(light.inner_angle, radians(30), rel_tol=1e-5)  # which TR5 has in addition
        assert isclose(light.inner, 15.0 if value > 1 else cos(radians(15)), rel_tol=1e-5)


def test_boxes_and_places_stand_in_blenders_axes(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    static, mesh = group_of(root, "static_mesh"), group_of(root, "mesh")
    static.collision_box = (-512, 1024, -2048, -256, 0, 1536)
    assert tuple(static.collision_box_measure) == (-1, 2, 0, 3, 0.5, 4)
    static.collision_box_measure = static.collision_box_measure
    assert tuple(static.collision_box) == (-512, 1024, -2048, -256, 0, 1536)
    mesh.center = (512, -1024, 256)
    assert tuple(mesh.center_measure) == (1, 0.5, 2)
    mesh.center_measure = (2, 1, 4)
    assert tuple(mesh.center) == (1024, -2048, 512)
    command = group_of(root, "command")
    command.position = (512, 1024, -256)
    assert tuple(command.position_measure) == (1, 2, -0.5)
    command.position_measure = (2, -1, 3)
    assert tuple(command.position) == (1024, -512, 1536)


def test_chances_go_from_the_least_to_always(blender: ModuleType) -> None:
    sound = group_of(import_scene(sample_bytes(Game.TR4)), "sound")
    for seen, parts in ((100.0, 0), (0.0, 1), (50.0, 128)):
        sound.chance_measure = seen
        assert sound.chance == parts


def test_entities_have_light_of_their_own_or_the_rooms(blender: ModuleType) -> None:
    entity = group_of(import_scene(sample_bytes(Game.TR1)), "entity")
    entity.intensity = -1
    assert not entity.has_light
    entity.has_light = True
    assert entity.intensity == 4096 and isclose(entity.intensity_measure, 50, abs_tol=0.1)
    entity.intensity = 100
    entity.has_light = True
    assert entity.intensity == 100
    entity.has_light = False
    assert entity.intensity == -1


def test_only_edits_of_measures_are_exported(blender: ModuleType) -> None:
    def look(root: Any) -> None:
        for obj in root.all_objects:
            for group in (obj.tomb_raider.light, obj.tomb_raider.room, obj.tomb_raider.entity):
                for name in group.bl_rna.properties.keys():  # noqa: SIM118 - Blender's collection
                    getattr(group, name)

    def edit(root: Any) -> None:
        objects(root, "ROOM")[1].tomb_raider.room.ambient_measure = 25

    assert changes(sample_bytes(Game.TR1), look) == []
    assert changes(sample_bytes(Game.TR1), edit) == [("rooms", 1, "ambient")]
