"""NaN and infinite values, as scripts and drivers make them: errors name the object."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from types import ModuleType
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Collection

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.core.blender import compat
from io_tomb_raider.scene.core.subjects import SUBJECTS
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from .scenes import import_scene, objects

Break = Callable[[Any], None]


def place(obj: Any) -> None:
    obj.location.x = nan


def turn(obj: Any) -> None:
    obj.rotation_euler.z = nan


def size(obj: Any) -> None:
    obj.scale.y = nan


def vertex(obj: Any) -> None:
    obj.data.vertices[0].co.y = nan


def endless_vertex(obj: Any) -> None:
    """Set an infinite coordinate: Blender clamps it if values are set one by one."""
    points = np.zeros(3 * len(obj.data.vertices), np.float32)
    points[1] = inf
    obj.data.attributes["position"].data.foreach_set("vector", points)


def texture(obj: Any) -> None:
    obj.data.uv_layers[0].uv[0].vector.x = nan


# Kinds of objects, a game that has them, and the edit that breaks them.
_EVERYWHERE: dict[str, tuple[Game, list[Break]]] = {
    "ROOM": (Game.TR1, [place, turn, size, vertex, endless_vertex, texture]),
    "PLACEMENT": (Game.TR2, [place, turn, size]),
    "LIGHT": (Game.TR4, [place, turn]),
    "SPRITE": (Game.TR1, [place, size]),
    "PORTAL": (Game.TR3, [place, turn, vertex]),
    "COLLISION": (Game.TR2, [place, turn, vertex]),
    "ENTITY": (Game.TR3, [place, turn, size]),
    "CAMERA": (Game.TR1, [place]),
    "SINK": (Game.TR2, [place]),
    "FLYBY": (Game.TR4, [place, turn]),
    "AI_OBJECT": (Game.TR5, [place, turn]),
    "TRIGGER": (Game.TR1, [place, size]),
    "SOUND_SOURCE": (Game.TR1, [place]),
    "BOXES": (Game.TR1, [vertex]),
}
_IN_LIBRARIES: dict[str, tuple[Game, list[Break]]] = {
    "MODEL_MESH": (Game.TR1, [vertex, texture]),
    "STATIC_MESH": (Game.TR5, [vertex, endless_vertex, size]),
    "SPRITE_TEXTURE": (Game.TR2, [vertex, texture]),
}
# Kinds whose values are reported elsewhere, or that an export does not read.
_OTHER = {"MODEL", "CINEMATIC", "CINEMATIC_TARGET", "FIGURE", "IMPORTED_GEOMETRY"}


def test_every_kind_of_object_is_tried() -> None:
    kinds = {kind.identifier for subject in SUBJECTS if subject.number for kind in subject.objects}
    assert {*kinds, "BOXES"} == {*_EVERYWHERE, *_IN_LIBRARIES, *_OTHER}


def test_very_large_numbers_are_too_far(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    room = objects(root, "ROOM")[0]
    room.data.vertices[0].co.x = 3e38
    with pytest.raises(ExportError, match="a vertex is too far from the origin"):
        export_level(root)
    room.scale.x = 10
    with pytest.raises(ExportError, match="a vertex is not a number, but without end"):
        export_level(root)


def refuse(root: Collection, name: str) -> None:
    """Assert that an export raises an error for NaN with the name of the object."""
    for rebuild in (False, True):
        with pytest.raises(ExportError, match="is not a number") as error:
            export_level(root, rebuild=rebuild)
        assert error.value.subject == name


@pytest.mark.parametrize(
    ("kind", "broken"),
    [(kind, each) for kind, (_, breaks) in (_EVERYWHERE | _IN_LIBRARIES).items() for each in breaks],
)
def test_nan_is_refused(blender: ModuleType, kind: str, broken: Break) -> None:
    game, _ = (_EVERYWHERE | _IN_LIBRARIES)[kind]
    root = import_scene(sample_bytes(game))
    obj = objects(root, kind)[0]
    broken(obj)
    refuse(root, obj.name)


def set_energy(root: Collection) -> str:
    light = next(each for each in objects(root, "LIGHT") if each.type == "LIGHT")
    light.data.energy = nan
    return str(light.name)


def set_light_property(root: Collection) -> str:
    light = next(each for each in objects(root, "LIGHT") if each.type == "LIGHT")
    light.tomb_raider.light.outer = nan
    return str(light.name)


def set_light_color(root: Collection) -> str:
    light = next(each for each in objects(root, "LIGHT") if each.type == "LIGHT")
    light.data.color[1] = nan
    return str(light.name)


def set_bone(root: Collection) -> str:
    model = objects(root, "MODEL")[0]
    bpy.context.view_layer.active_layer_collection.collection.objects.link(model)
    bpy.context.view_layer.objects.active = model
    bpy.ops.object.mode_set(mode="EDIT")
    model.data.edit_bones[1].head.x = nan
    bpy.ops.object.mode_set(mode="OBJECT")
    return str(model.name)


def action_of(root: Collection) -> Any:
    model = objects(root, "MODEL")[0]
    return next(each for each in bpy.data.actions if each.tomb_raider.model == model)


def set_key(root: Collection) -> str:
    action = action_of(root)
    channels = compat.find_channels(action, action.tomb_raider.model)
    channels.fcurves[4].keyframe_points[0].co.y = nan
    return str(action.name)


def set_speed(root: Collection) -> str:
    action = action_of(root)
    action.tomb_raider.speed = nan
    return str(action.name)


def set_placement_color(root: Collection) -> str:
    obj = objects(root, "PLACEMENT")[0]
    obj.tomb_raider.placement.color[0] = nan
    return str(obj.name)


def set_room_color(root: Collection) -> str:
    obj = objects(root, "ROOM")[0]
    obj.tomb_raider.room.color[0] = nan
    return str(obj.name)


def set_distance(root: Collection) -> str:
    obj = objects(root, "FLYBY")[0]
    obj.tomb_raider.flyby.distance = nan
    return str(obj.name)


def set_normal(root: Collection) -> str:
    obj = objects(root, "ROOM")[0]
    obj.data.attributes["tr_normal"].data[0].vector[0] = nan
    return str(obj.name)


def set_parent(root: Collection) -> str:
    """Break the location of a parent, and so of its child; return the name."""
    obj = objects(root, "ENTITY")[0]
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    obj.parent, handle.location.z = handle, nan
    return str(obj.name)


@pytest.mark.parametrize(
    ("game", "broken"),
    [
        (Game.TR4, set_energy),
        (Game.TR4, set_light_property),
        (Game.TR5, set_light_color),
        (Game.TR1, set_bone),
        (Game.TR1, set_key),
        (Game.TR2, set_speed),
        (Game.TR4, set_placement_color),
        (Game.TR4, set_room_color),
        (Game.TR4, set_distance),
        (Game.TR5, set_normal),
        (Game.TR1, set_parent),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_other_numbers_are_refused_as_well(
    blender: ModuleType, game: Game, broken: Callable[[Collection], str]
) -> None:
    root = import_scene(sample_bytes(game))
    refuse(root, broken(root))
