"""Control rigs of models that are copied and converted: their bones are no parts of the model anywhere."""

from types import ModuleType

import bpy
import numpy as np
import pytest

from io_tomb_raider.formats import Game
from io_tomb_raider.scene.core.reporting.report import Report
from io_tomb_raider.scene.core.space import Space
from io_tomb_raider.scene.subjects.cutscenes.actors import ActorBones, is_lara, make_actor
from io_tomb_raider.scene.transfer.append.replace import ALL, models_of, replace_model
from io_tomb_raider.scene.transfer.convert.convert import convert_level
from io_tomb_raider.scene.transfer.engine.motion import bones_of
from tests.sample_levels import sample_bytes
from tests.sample_levels.models import model_id

from ..rig_tools import ENEMY, LARA, add_bone, armature
from ..scenes import exported, import_scene


def add_controls(root: bpy.types.Collection, model: int, bone: str) -> None:
    """Add a control bone to a model, and a constraint without keys by which it can turn a bone."""
    add_bone(root, "Aim", model=model, control=True)
    rig = armature(root, model)
    follow = rig.pose.bones[bone].constraints.new("COPY_ROTATION")
    follow.target, follow.subtarget, follow.influence = rig, "Aim", 0.0


@pytest.mark.parametrize("target", [Game.TR2, Game.TR4])
def test_a_conversion_is_that_of_the_model_alone(blender: ModuleType, target: Game) -> None:
    """In TR4, a skin and joints are made after Lara's own bones."""
    data = sample_bytes(Game.TR1)
    root = import_scene(data)
    convert_level(root, target)
    plain = exported(root)[0].to_bytes()
    root = import_scene(data)
    add_controls(root, LARA, "Head")
    convert_level(root, target)
    level, warnings = exported(root)
    assert level.to_bytes() == plain
    assert not [text for text in warnings if "Aim" in text]
    copies = [obj for obj in models_of(root).values() if "Aim" in obj.data.bones]
    assert [obj.tomb_raider.model.id for obj in copies] == [0]


def test_constraints_of_a_copied_model_aim_at_the_copy(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR3))
    add_controls(root, ENEMY, "Bone 01")
    models = models_of(root)
    enemy, door = model_id(Game.TR3, "enemy"), model_id(Game.TR3, "door")
    source = models[enemy]
    made = replace_model(root, models[door], source, ALL, Report())
    follow = made.pose.bones["Bone 01"].constraints[0]
    assert follow.target == made != source
    assert source.pose.bones["Bone 01"].constraints[0].target == source
    exported(root)


def test_an_actor_has_the_bones_of_its_model(blender: ModuleType) -> None:
    root = import_scene(sample_bytes(Game.TR4))
    before = bones_of(armature(root))
    add_bone(root, "Aim", control=True)
    add_bone(root, "Holder")
    actor = make_actor(root, "Actor", armature(root))
    found = ActorBones.of(actor, Space.of(root))
    assert found.names == before
    assert np.array_equal(np.flatnonzero(found.parents < 0), [0])
    assert is_lara(actor)
    assert len([obj for obj in actor.children if obj.type == "MESH"]) == len(before)
