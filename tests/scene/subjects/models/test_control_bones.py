"""Bones of control rigs and users' helpers: they are no part of the model that is written."""

from types import ModuleType

import bpy
import pytest

from io_tomb_raider.formats import ExportError, Game
from io_tomb_raider.scene.subjects.models.bones import own_bones
from io_tomb_raider.scene.transfer.engine.motion import bones_of
from tests.games import each_game
from tests.sample_levels import sample_bytes
from tests.scene.exporting import export_level

from ...rig_tools import ENEMY, add_bone, armature, edit_bones
from ...scenes import import_scene


@each_game
def test_bones_of_control_rigs_are_not_written_and_are_no_finding(blender: ModuleType, game: Game) -> None:
    data = sample_bytes(game)
    root = import_scene(data)
    add_bone(root, "Root", control=True)
    add_bone(root, "IK Hand", "Root", control=True)
    add_bone(root, "MCH Thigh", "Hips", control=True)
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings
    assert export_level(root, rebuild=True)[0].models["meshes"].tolist() == level.models["meshes"].tolist()


def test_the_order_of_a_models_bones_is_that_of_its_meshes(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR1))
    before = bones_of(armature(root))
    add_bone(root, "Twist", "Torso", control=True)
    # Settings of a bone are copied with it, so a control may have the index of a bone of the model.
    armature(root).data.bones["Twist"].tomb_raider.index = 7
    assert bones_of(armature(root)) == before == [bone.name for bone in own_bones(armature(root))]


def test_a_bone_of_the_model_may_hang_on_a_control(blender: ModuleType) -> None:
    """Then it hangs on the bone above in the file; the first bone still has no parent."""
    data = sample_bytes(Game.TR2)
    root = import_scene(data)
    add_bone(root, "Root", control=True)
    add_bone(root, "Shoulders", "Torso", control=True)
    with edit_bones(root) as bones:
        bones["Hips"].parent = bones["Root"]
        bones["Upper Arm.L"].parent = bones["Shoulders"]
    assert export_level(root)[0].to_bytes() == data


def test_a_users_helper_for_a_constraint_is_skipped_in_silence(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR3)
    root = import_scene(data)
    add_bone(root, "Holder")
    add_bone(root, "Target", "Holder")
    limit = armature(root).pose.bones["Head"].constraints.new("COPY_ROTATION")
    limit.target, limit.subtarget, limit.influence = armature(root), "Target", 0.0
    level, report = export_level(root)
    assert level.to_bytes() == data
    assert not report.warnings


def test_new_bones_without_a_mesh_are_reported_once_with_the_remedy(blender: ModuleType) -> None:
    data = sample_bytes(Game.TR4)
    root = import_scene(data)
    add_bone(root, "Tip", "Bone 02", ENEMY)
    add_bone(root, "Tip of Tip", "Tip", ENEMY)
    level, report = export_level(root)
    assert level.to_bytes() == data
    (message,) = report.warnings
    assert "without a mesh are not exported: Tip, Tip of Tip" in message
    assert "Control Bone" in message
    assert armature(root, ENEMY).name in message


def test_a_bone_without_a_mesh_inside_the_tree_is_an_error(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR5))
    add_bone(root, "Neck", "Torso")
    with edit_bones(root) as bones:
        bones["Head"].parent = bones["Neck"]
    with pytest.raises(ExportError, match="the bone Neck has no mesh; parent one to it"):
        export_level(root)
    armature(root).data.bones["Neck"].tomb_raider.control = True
    assert export_level(root)[0].to_bytes() == sample_bytes(Game.TR5)


def test_a_part_that_lost_its_mesh_stays_an_error(blender: ModuleType) -> None:
    """Bones of the file are parts of the model, even at the end of the tree."""
    root = import_scene(sample_bytes(Game.TR1))
    part = next(obj for obj in bpy.data.objects if obj.parent == armature(root) and obj.parent_bone == "Head")
    bpy.data.objects.remove(part)
    with pytest.raises(ExportError, match="the bone Head has no mesh"):
        export_level(root)
