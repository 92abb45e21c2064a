"""Objects that show the bones of a rig are no lost parts of a level."""

from types import ModuleType
from typing import Any

import bpy

from io_tomb_raider.formats import Game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ..rig_tools import armature
from ..scenes import import_scene


def shape(name: str, home: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    made = bpy.data.objects.new(name, mesh)
    home.objects.link(made)
    return made


def test_shapes_of_bones_get_no_warning(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    widgets = bpy.data.collections.new("Widgets")
    root.children.link(widgets)
    used, unused = shape("Ring", widgets), shape("Box", widgets)
    alone = shape("Ball", root)
    bones = armature(root).pose.bones
    bones["Hips"].custom_shape, bones["Head"].custom_shape = used, alone
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings
    bones["Hips"].custom_shape = None
    _, report = export_level(root)
    assert sorted(text.partition(":")[0] for text in report.warnings) == [unused.name, used.name]


def test_other_objects_next_to_a_shape_are_reported(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    mine = bpy.data.collections.new("Mine")
    root.children.link(mine)
    made = [shape(f"Mine {number}", mine) for number in range(3)]
    armature(root).pose.bones["Hips"].custom_shape = made[0]
    _, report = export_level(root)
    assert sorted(text.partition(":")[0] for text in report.warnings) == ["Mine 1", "Mine 2"]
